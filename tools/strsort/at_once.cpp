#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/auxv.h>
#include <unistd.h>

#include "tools/strsort/sort_at_once.hpp"

namespace {

// Returns the path of this file, whatever links lead to it.
std::string own_path() {
  char path[PATH_MAX];
  ssize_t const size = readlink("/proc/self/exe", path, sizeof path);
  if (size > 0) return {path, std::size_t(size)};
  // Without /proc: by the path that was executed.
  auto const* const executed = reinterpret_cast<char const*>(getauxval(AT_EXECFN));
  return executed && realpath(executed, path) ? path : "";
}

}  // namespace

// strsort as users call it: a few lines are sorted here, and for all else the program takes the place of this process. So few
// lines wait for no library.
int main(int argc, char** argv) {
  if (auto const status = ordo::strsort::sort_at_once(argc, argv)) return *status;
  std::string const own = own_path(), program = own.substr(0, own.rfind('/') + 1) + ORDO_STRSORT_PROGRAM;
  execv(program.c_str(), argv);
  std::fprintf(stderr, "strsort: cannot start: %s: %s\n", program.c_str(), std::strerror(errno));
  return 2;
}
