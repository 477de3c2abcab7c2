#include "tools/cli/progress.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/cli/stats.hpp"

namespace ordo::cli {
namespace {

std::atomic<bool> drawn{false};
std::string phase_name;  // outlives the progress, for last_phase()

bool is_terminal(std::string const& path, int standard) {
  if (path == "-") return isatty(standard);
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISCHR(info.st_mode)) return false;
  int const fd = open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  bool const terminal = fd >= 0 && isatty(fd);
  if (fd >= 0) close(fd);
  return terminal;
}

}  // namespace

progress::progress(std::string_view tool, common_options const& options, std::span<std::string const> inputs,
                   std::string const& output)
    : tool_(tool) {
  char const* const terminal = std::getenv("TERM");
  shown_ = !options.quiet && isatty(STDERR_FILENO) && terminal && std::string_view(terminal) != "dumb" &&
           !is_terminal(output, STDOUT_FILENO) &&
           std::ranges::none_of(inputs, [](std::string const& path) { return is_terminal(path, STDIN_FILENO); });
}

void progress::phase(std::string_view what, std::uint64_t bytes) {
  std::lock_guard const lock(drawing_);
  phase_name = what;
  total_ = bytes;
  if (shown_) draw(0);
}

void progress::at(std::uint64_t bytes) {
  if (!shown_) return;
  std::unique_lock const lock(drawing_, std::try_to_lock);
  if (lock && std::chrono::steady_clock::now() >= next_) draw(bytes);
}

void progress::draw(std::uint64_t bytes) {
  std::string line = fmt::format("{}: {}", tool_, phase_name);
  if (total_ && bytes <= total_)  // a file may grow while it is read
    line += fmt::format(" {}% of {}", bytes * 100 / total_, human_bytes(total_));
  else if (bytes)
    line += fmt::format(" {}", human_bytes(bytes));
  std::fputs(("\r\033[K" + line).c_str(), stderr);
  std::fflush(stderr);
  drawn = true;
  next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
}

void progress::clear() noexcept {
  if (!drawn.exchange(false)) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

std::string const& progress::last_phase() noexcept {
  return phase_name;
}

}  // namespace ordo::cli
