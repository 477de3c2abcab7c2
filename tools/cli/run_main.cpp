#include "tools/cli/run_main.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "sort_core/error.hpp"
#include "tools/cli/temporary.hpp"

namespace ordo::cli {
namespace {

// A closed descriptor 0, 1 or 2 would be given to the next file opened, and messages would land in it. Held by a file that
// fails on use instead, as the closed one would.
void hold_standard_descriptors() {
  for (int fd : {0, 1, 2})
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
    }
}

void check_stdout() {
  std::cout.flush();
  bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout;
  // Some file systems report a failed write only to close(); one of a copy leaves the descriptor to the others.
  if (int const copy = failed ? -1 : dup(STDOUT_FILENO); copy >= 0) failed = close(copy) != 0;
  if (failed) throw output_error(fmt::format("cannot write: standard output: {}", std::strerror(errno ? errno : EIO)));
}

}  // namespace

void say(std::string_view tool, std::string_view text) noexcept {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(tool.size()), tool.data(), static_cast<int>(text.size()), text.data());
}

int run_main(std::string_view tool, std::function<int()> const& body) {
  hold_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);
  remove_temporaries_on_signals();
  try {
    int const status = body();
    errno = 0;
    check_stdout();
    return status;
  } catch (std::bad_alloc const&) {
    say(tool, "out of memory: host: the system has no more");
  } catch (std::exception const& e) {
    say(tool, e.what());
  } catch (...) {
    say(tool, "internal error: an exception of unknown type");
  }
  return 2;
}

}  // namespace ordo::cli
