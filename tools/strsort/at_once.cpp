#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/auxv.h>
#include <unistd.h>

#include "tools/strsort/sort_at_once.hpp"

namespace {

constexpr char program[] = ORDO_STRSORT_PROGRAM;

// Puts the path of the program beside this file, whatever links lead to that, in `path`. Takes no memory, which may be what is
// missing.
bool find_program(char (&path)[PATH_MAX + sizeof program]) {
  ssize_t size = readlink("/proc/self/exe", path, PATH_MAX);
  if (size <= 0) {  // without /proc: by the path that was executed
    auto const* const executed = reinterpret_cast<char const*>(getauxval(AT_EXECFN));
    size = executed && realpath(executed, path) ? ssize_t(std::strlen(path)) : 0;
  }
  while (size > 0 && path[size - 1] != '/') --size;
  std::memcpy(path + size, program, sizeof program);
  return size > 0;
}

}  // namespace

// strsort as users call it: a few lines are sorted here, and for all else the program takes the place of this process. So few
// lines wait for no library.
int main(int argc, char** argv) {
  if (auto const status = ordo::strsort::sort_at_once(argc, argv)) return *status;
  char path[PATH_MAX + sizeof program];
  errno = ENOENT;
  if (find_program(path)) execv(path, argv);
  std::fprintf(stderr, "strsort: cannot start: %s: %s\n", path, std::strerror(errno));
  return 2;
}
