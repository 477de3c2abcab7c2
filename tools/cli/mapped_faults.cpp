#include "tools/cli/mapped_faults.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/cli/files/temporary.hpp"

// All of this runs in a signal handler: it calls only what is safe there, and allocates nothing.
namespace ordo::inline v0::cli {
namespace {

constexpr int failure = 2;

std::string const* running = nullptr;  // the tool
std::atomic<bool> ending{false};

// Too large for the stack of a thread. One thread at a time is in the handler.
std::array<char, 2 * PATH_MAX + 256> lines, folder, message;

// A mapping of a file.
struct mapping {
  std::string_view path;
  std::uint64_t offset = 0;  // offset of the address in the file
};

// Reads one line of /proc/self/maps: "begin-end rights offset device inode path".
std::optional<mapping> parse_mapping(std::string_view line, std::uint64_t address) {
  std::uint64_t begin = 0, end = 0, offset = 0;
  auto const take = [&](std::uint64_t& number, char after) {
    auto const read = std::from_chars(line.data(), line.data() + line.size(), number, 16);
    if (read.ec != std::errc() || read.ptr == line.data() + line.size() || *read.ptr != after) return false;
    line.remove_prefix(std::size_t(read.ptr - line.data()) + 1);
    return true;
  };
  if (!take(begin, '-') || !take(end, ' ') || address < begin || address >= end) return {};
  line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  if (!take(offset, ' ')) return {};
  std::size_t const path = line.find('/');
  if (path == line.npos) return mapping{};
  return mapping{line.substr(path), offset + (address - begin)};
}

// Finds the mapping of an address; without a path if no file is mapped there. Its path is valid until the next call.
std::optional<mapping> find_mapping(std::uint64_t address) {
  int const fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::optional<mapping> result;
  for (std::size_t have = 0; !result;) {
    ssize_t const got = read(fd, lines.data() + have, lines.size() - have);
    if (got <= 0) break;
    have += std::size_t(got);
    std::string_view rest(lines.data(), have);
    for (std::size_t end = rest.find('\n'); !result && end != rest.npos; end = rest.find('\n')) {
      result = parse_mapping(rest.substr(0, end), address);
      rest.remove_prefix(end + 1);
    }
    if (result || rest.size() == lines.size()) break;
    std::memmove(lines.data(), rest.data(), rest.size());
    have = rest.size();
  }
  close(fd);
  return result;
}

// Returns the reason, and shortens the path to one from the current folder, as the user mostly wrote it.
std::string_view fault_reason(mapping& mapping) {
  constexpr std::string_view deleted = " (deleted)";
  if (mapping.path.ends_with(deleted)) {
    mapping.path.remove_suffix(deleted.size());
    return "the file was changed while it was read, or the disk cannot read it";
  }
  const_cast<char*>(mapping.path.data())[mapping.path.size()] = '\0';  // in the place of the line end
  struct stat info {};
  std::uint64_t const page = std::uint64_t(sysconf(_SC_PAGESIZE));
  bool const is_shorter = stat(mapping.path.data(), &info) == 0 && std::uint64_t(info.st_size) <= mapping.offset / page * page;
  if (getcwd(folder.data(), folder.size())) {
    std::string_view const here = folder.data();
    if (mapping.path.size() > here.size() + 1 && mapping.path.starts_with(here) && mapping.path[here.size()] == '/')
      mapping.path.remove_prefix(here.size() + 1);
  }
  return is_shorter ? "the file became shorter while it was read" : "Input/output error";
}

void say(std::string_view path, std::string_view reason) {
  std::size_t size = 0;
  auto const add = [&size](std::string_view text) {
    std::size_t const part = std::min(text.size(), message.size() - size);
    std::copy_n(text.data(), part, message.data() + size);
    size += part;
  };
  if (isatty(STDERR_FILENO)) add("\r\033[K");  // the progress line
  for (std::string_view const part : {std::string_view(*running), std::string_view(": cannot read: "), path,
                                      std::string_view(": "), reason, std::string_view("\n")})
    add(part);
  static_cast<void>(!write(STDERR_FILENO, message.data(), size));
}

extern "C" void end_by_bus_error(int signal, siginfo_t* info, void*) {
  while (ending.exchange(true)) pause();  // another thread ends the process
  auto result = find_mapping(reinterpret_cast<std::uintptr_t>(info->si_addr));
  bool const is_of_file = info->si_code > 0 && info->si_code != BUS_ADRALN && result && !result->path.empty();
  if (is_of_file) {
    std::string_view const reason = fault_reason(*result);
    say(result->path, reason);
  }
  remove_temporaries();
  if (is_of_file) _exit(failure);
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // delivered on return from here
}

}  // namespace

void report_mapped_faults(std::string const& tool) {
  running = &tool;
  struct sigaction action {};
  action.sa_sigaction = end_by_bus_error;
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace ordo::inline v0::cli
