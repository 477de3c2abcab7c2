#include "tools/cli/run_main.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/large_blocks.hpp"
#include "ordo/error.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/cli/files/warnings.hpp"
#include "tools/cli/mapped_faults.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/stats.hpp"
#include "tools/cli/thread_limit.hpp"

namespace ordo::inline v0::cli {
namespace {

constexpr int failure = 2;

// Opens a closed descriptor 0, 1 or 2, which the next file opened would get otherwise, with messages written into it. The
// descriptor fails on use, as the closed one would.
void hold_standard_descriptors() {
  for (int fd : {0, 1, 2})
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
    }
}

void check_stdout() {
  std::cout.flush();
  bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout;
  // Some file systems report a failed write only to close(). Closing a copy leaves the descriptor open for others.
  if (int const copy = failed ? -1 : dup(STDOUT_FILENO); copy >= 0) failed = close(copy) != 0;
  if (failed) throw output_error(fmt::format("cannot write: standard output: {}", std::strerror(errno ? errno : EIO)));
}

std::string phase() {
  std::string const& last = progress::last_phase();
  return last.empty() ? "at the start" : fmt::format("in phase '{}'", last);
}

// Needs no memory.
void say_out_of_memory(std::string_view tool) noexcept {
  std::string const& last = progress::last_phase();
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  std::array<char, 256> line;
  int const length =
      std::snprintf(line.data(), line.size(), "out of memory: host: more than the %.1f MB in use are needed, %s%s%s",
                    static_cast<double>(use.ru_maxrss) * 1024 / 1e6, last.empty() ? "at the start" : "in phase '", last.c_str(),
                    last.empty() ? "" : "'");
  say(tool, std::string_view(line.data(), std::min(line.size() - 1, static_cast<std::size_t>(length))));
}

void print_with_memory(std::string_view tool, std::function<std::string(std::string_view)> const& reworded) {
  try {
    throw;
  } catch (error const& e) {
    say(tool, reworded ? reworded(e.what()) : e.what());
  } catch (detail::memory_refused const& e) {
    say(tool, fmt::format("out of memory: host: {}, {}", to_string(e.figures()), phase()));
  } catch (std::bad_alloc const&) {  // thrown by the standard library, without a size
    say_out_of_memory(tool);
  } catch (std::system_error const& e) {
    bool const thread = e.code() == std::errc::resource_unavailable_try_again;
    say(tool, fmt::format("{}: host: {}, {}", thread ? "cannot start a thread" : "system error", e.what(), phase()));
  } catch (std::exception const& e) {  // thrown by another library
    std::string_view const reason = e.what();
    bool const thread = reason.starts_with("pthread_create");  // oneTBB's
    say(tool, fmt::format("{}: host: {}, {}", thread ? "cannot start a thread (use fewer with --threads)" : "internal error",
                          reason, phase()));
  } catch (...) {
    say(tool, "internal error: an exception of unknown type");
  }
}

}  // namespace

void print_exception(std::string_view tool, std::function<std::string(std::string_view)> const& reworded) {
  try {
    print_with_memory(tool, reworded);
  } catch (...) {  // no memory for the message either
    say_out_of_memory(tool);
  }
}

namespace {

// Ends the process because of the current exception, on any thread.
[[noreturn]] void end_by_exception(std::string_view tool) {
  static std::atomic<bool> ending{false};
  while (ending.exchange(true)) pause();  // another thread ends it
  print_exception(tool);
  remove_temporaries();
  _exit(failure);
}

std::string const* running = nullptr;  // the tool; never destroyed, because threads may outlive main

void print_warning(std::string_view text) noexcept {
  progress::clear();
  std::fprintf(stderr, "%s: warning: %.*s\n", running->c_str(), static_cast<int>(text.size()), text.data());
}

// An uncaught exception, such as one in a thread of a library, ends here.
std::terminate_handler usual_end = nullptr;
void end_by_terminate() {
  if (std::current_exception()) end_by_exception(*running);
  usual_end();
}

}  // namespace

void say(std::string_view tool, std::string_view text) noexcept {
  progress::clear();
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(tool.size()), tool.data(), static_cast<int>(text.size()), text.data());
}

void print_result(std::string_view line) {
  progress::clear();
  errno = 0;
  if (std::fwrite(line.data(), 1, line.size(), stderr) != line.size() || std::fflush(stderr) != 0)
    throw output_error(fmt::format("cannot write: standard error: {}", std::strerror(errno ? errno : EIO)));
}

void run_beside(std::string_view tool, std::function<void()> const& work) {
  try {
    work();
  } catch (...) {
    end_by_exception(tool);
  }
}

int run_main(std::string_view tool, std::function<int()> const& body,
             std::function<std::string(std::string_view)> const& reworded) {
  hold_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);
  remove_temporaries_on_signals();
  try {
    running = new std::string(tool);
    print_warnings_with(print_warning);
    report_mapped_faults(*running);
    detail::check_large_blocks(memory_before_kill);
    catch_thread_failures(*running);
    usual_end = std::set_terminate(end_by_terminate);
    int const status = body();
    errno = 0;
    check_stdout();
    return status;
  } catch (...) {
    print_exception(tool, reworded);
  }
  return failure;
}

}  // namespace ordo::inline v0::cli
