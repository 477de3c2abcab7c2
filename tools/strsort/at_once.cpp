#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string>

#include <unistd.h>

#include "tools/strsort/sort_at_once.hpp"

// strsort as users call it: a few lines are sorted here, and for all else the program takes the place of this process. So few
// lines wait for no library.
int main(int argc, char** argv) {
  if (auto const status = ordo::strsort::sort_at_once(argc, argv)) return *status;
  std::string own(PATH_MAX, '\0');
  ssize_t const size = readlink("/proc/self/exe", own.data(), own.size());
  own.resize(size > 0 ? std::size_t(size) : 0);
  std::string const program = own.substr(0, own.rfind('/') + 1) + ORDO_STRSORT_PROGRAM;
  execv(program.c_str(), argv);
  std::fprintf(stderr, "strsort: cannot start: %s: %s\n", program.c_str(), std::strerror(errno));
  return 2;
}
