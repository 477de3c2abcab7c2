#include "tools/cli/progress.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "tools/cli/stats.hpp"

namespace ordo::cli {

progress::progress(std::string_view tool, common_options const& options) : tool_(tool) {
  char const* const terminal = std::getenv("TERM");
  shown_ = !options.quiet && isatty(STDERR_FILENO) && terminal && std::string_view(terminal) != "dumb";
}

void progress::phase(std::string_view what, std::uint64_t bytes) {
  what_ = what;
  total_ = bytes;
  if (shown_) draw(0);
}

void progress::at(std::uint64_t bytes) {
  if (shown_ && std::chrono::steady_clock::now() >= next_) draw(bytes);
}

void progress::draw(std::uint64_t bytes) {
  std::string line = fmt::format("{}: {}", tool_, what_);
  if (total_)
    line += fmt::format(" {}% of {}", bytes * 100 / total_, human_bytes(total_));
  else if (bytes)
    line += fmt::format(" {}", human_bytes(bytes));
  std::fputs(("\r\033[K" + line).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
  next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
}

void progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace ordo::cli
