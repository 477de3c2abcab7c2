#include "tools/strsort/inputs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "tools/cli/files/input.hpp"

namespace ordo::inline v0::strsort {
namespace {

bool is_folder(std::string const& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

void must_be_readable(std::string const& file, std::string_view problem) {
  if (file != "-" && faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) != 0)
    throw input_error(fmt::format("{}: {}: {}", problem, file_quoted(file), std::strerror(errno)));
}

void read_file_names(command& made, caller const& by) {
  if (made.files_from) {
    std::string const& from = *made.files_from;
    if (!made.files.empty())
      throw by.misuse(fmt::format("extra operand {}", always_quoted(made.files.front())),
                      "file operands cannot be combined with --files0-from");
    must_be_readable(from, "open failed");
    if (from != "-" && is_folder(from)) throw input_error(fmt::format("cannot read file names from {}", always_quoted(from)));
    host_bytes const names = cli::read_all(from);
    std::string_view rest(names.data(), names.size());
    while (!rest.empty()) {
      std::string_view const name = rest.substr(0, rest.find('\0'));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      if (name == "-")
        throw input_error(fmt::format("{}no file name of '-' allowed", !by.is_gnu() ? from + ": "
                                                                       : made.rules == strings::gnu_rules::v9_1
                                                                           ? "when reading file names from stdin, "
                                                                           : "when reading file names from standard input, "));
      if (name.empty())
        throw input_error(fmt::format("{}:{}: invalid zero-length file name", file_quoted(from), made.files.size() + 1));
      made.files.emplace_back(name);
    }
    if (made.files.empty()) throw input_error(fmt::format("no input from {}", always_quoted(from)));
  }
  if (made.files.empty()) made.files = {"-"};
}

std::array<unsigned char, 16> read_seed(std::optional<std::string> const& source) {
  std::array<unsigned char, 16> seed{};
  if (!source) {
    if (getrandom(seed.data(), seed.size(), 0) != ssize_t(seed.size()))
      throw input_error(fmt::format("no random numbers of the system: {}", std::strerror(errno)));
    return seed;
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(source->c_str(), "r"), std::fclose);
  if (!file) throw input_error(fmt::format("open failed: {}: {}", file_quoted(*source), std::strerror(errno)));
  if (std::fread(seed.data(), 1, seed.size(), file.get()) != seed.size()) {
    if (std::ferror(file.get()))
      throw input_error(fmt::format("{}: read error: {}", always_quoted(*source), std::strerror(errno)));
    throw input_error(fmt::format("{}: end of file", always_quoted(*source)));
  }
  return seed;
}

std::uint64_t known_bytes(std::vector<std::string> const& files) {
  std::uint64_t sum = 0;
  for (std::string const& file : files) {
    struct stat info {};
    int const failed = file == "-" ? fstat(STDIN_FILENO, &info) : stat(file.c_str(), &info);
    if (failed != 0 || !S_ISREG(info.st_mode)) continue;
    off_t const at = file == "-" ? std::max<off_t>(lseek(STDIN_FILENO, 0, SEEK_CUR), 0) : 0;
    sum += std::uint64_t(std::max<off_t>(info.st_size - at, 0));
  }
  return sum;
}

std::size_t free_descriptors(std::size_t enough) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return enough;
  std::size_t result = 0;
  for (rlim_t fd = 0; fd < limit.rlim_cur && result < enough; ++fd) result += fcntl(int(fd), F_GETFD) == -1;
  return result;
}

}  // namespace ordo::inline v0::strsort
