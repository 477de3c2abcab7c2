#include "tools/cli/files/read_input.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

namespace ordo::inline v0::cli {
namespace {

// Has the number of the descriptor of the bytes, and the process, so that a child to which it is passed on does not read them.
constexpr char const* variable = "ORDO_READ_INPUT";

int open_kept() noexcept {
  char const* const value = std::getenv(variable);
  int fd = -1;
  long process = 0;
  bool const own = value && std::sscanf(value, "%d:%ld", &fd, &process) == 2 && process == long{getpid()};
  if (value) unsetenv(variable);
  return own ? fd : -1;
}

}  // namespace

bool keep_for_reader(std::string_view bytes) noexcept {
  if (bytes.empty()) return true;
  int const fd = memfd_create("read", 0);  // stays open in a program that is executed
  if (fd < 0) return false;
  while (!bytes.empty()) {
    ssize_t const done = write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(std::size_t(done));
  }
  char value[64];
  std::snprintf(value, sizeof value, "%d:%ld", fd, long{getpid()});
  return lseek(fd, 0, SEEK_SET) == 0 && setenv(variable, value, 1) == 0;
}

std::size_t read_kept(std::span<char> to) noexcept {
  static int fd = open_kept();
  if (fd < 0) return 0;
  ssize_t got = 0;
  do got = read(fd, to.data(), to.size());
  while (got < 0 && errno == EINTR);
  if (got > 0) return std::size_t(got);
  if (!to.empty()) {
    close(fd);
    fd = -1;
  }
  return 0;
}

}  // namespace ordo::inline v0::cli
