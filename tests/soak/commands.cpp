/// ordo_soak_commands: runs command lines of strsort one after the other in this process, which keeps what is started once: the
/// driver and the context of a GPU. Each is read from standard input as words that end with a NUL: the number of arguments, the
/// file that is standard input, and the arguments. The outputs are the files out and err. The exit status is written as a line.
/// The programs promise one run in a process: here a second one that differs is found, too. At the end of the input the largest
/// resident memory in MB is written to standard error.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <string>
#include <vector>

#include <fcntl.h>

#include "tools/cli/programs.hpp"

namespace {

[[noreturn]] void fail(char const* what) {
  std::perror(what);
  std::exit(2);
}

void open_as(int fd, char const* path, int flags) {
  int const opened = open(path, flags | O_CLOEXEC, 0666);
  if (opened < 0 || dup2(opened, fd) < 0) fail(path);
  close(opened);
}

bool read_word(std::FILE* from, std::string& word) {
  word.clear();
  int c;
  while ((c = std::fgetc(from)) != EOF && c != 0) word += static_cast<char>(c);
  return c == 0;
}

}  // namespace

int main() {
  // Commands have the descriptors 0, 1 and 2, and do not inherit these.
  int const asked = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), said = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10),
            errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
  std::FILE* const from = asked < 0 ? nullptr : fdopen(asked, "rb");
  if (!from || said < 0 || errors < 0) fail("standard input, output and error");
  std::string word, stdin_path;
  while (read_word(from, word)) {
    std::size_t const count = std::strtoull(word.c_str(), nullptr, 10);
    std::vector<std::string> words{"sort"};
    if (!read_word(from, stdin_path)) break;
    while (words.size() <= count && read_word(from, word)) words.push_back(word);
    std::vector<char*> arguments;
    for (std::string& each : words) arguments.push_back(each.data());
    arguments.push_back(nullptr);
    open_as(STDIN_FILENO, stdin_path.c_str(), O_RDONLY);
    open_as(STDOUT_FILENO, "out", O_WRONLY | O_CREAT | O_TRUNC);
    open_as(STDERR_FILENO, "err", O_WRONLY | O_CREAT | O_TRUNC);
    int const status = ordo::programs::strsort(static_cast<int>(words.size()), arguments.data());
    std::fflush(stdout);
    std::clearerr(stdout);
    std::cout.clear();
    dprintf(said, "%d\n", status);
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  dprintf(errors, "%.1f\n", static_cast<double>(used.ru_maxrss) * 1024 / 1e6);
  return 0;
}
