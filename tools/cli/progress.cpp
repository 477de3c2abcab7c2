#include "tools/cli/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/streams.hpp"
#include "tools/cli/stats.hpp"

namespace ordo::inline v0::cli {
namespace {

constexpr auto step = std::chrono::milliseconds(100);

std::mutex drawing;
bool drawn = false;      // is the line there? Under the mutex
std::string phase_name;  // outlives the progress, for last_phase()

// "1.2 of 3.1 GB", "950 MB of 3.1 GB".
std::string human_part(std::uint64_t bytes, std::uint64_t total) {
  std::string const whole = human_bytes(total);
  std::string part = human_bytes(bytes);
  std::string_view const unit = std::string_view(whole).substr(whole.find(' '));
  if (part.ends_with(unit)) part.resize(part.size() - unit.size());
  return fmt::format("{} of {}", part, whole);
}

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

std::string human_seconds(double seconds) {
  auto const whole = static_cast<std::uint64_t>(std::min(seconds, 1e9));
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 2 * 3600) return fmt::format("{} min", whole / 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string progress_text(std::string_view phase, std::uint64_t bytes, std::uint64_t total, double seconds) {
  bool const any_time = seconds >= 1;
  if (bytes == 0) {
    std::string text(phase);
    if (total != 0) text += fmt::format(" {}", human_bytes(total));
    if (any_time) text += fmt::format(", {}", human_seconds(seconds));
    return text;
  }
  bool const known = bytes <= total;  // a file may grow while it is read
  std::string text = fmt::format("{} {}", phase, known ? human_part(bytes, total) : human_bytes(bytes));
  if (!any_time) return text;
  double const rate = static_cast<double>(bytes) / seconds;
  text += fmt::format(", {}/s", human_bytes(static_cast<std::uint64_t>(rate)));
  if (known) text += fmt::format(", {} left", human_seconds(static_cast<double>(total - bytes) / rate + 0.5));
  return text;
}

progress::progress(std::string_view tool, common_options const& options, std::span<std::string const> inputs,
                   std::string const& output)
    : tool_(tool) {
  char const* const terminal = std::getenv("TERM");
  shown_ = !options.quiet && isatty(STDERR_FILENO) && terminal && std::string_view(terminal) != "dumb" &&
           !is_terminal(output, STDOUT_FILENO) &&
           std::ranges::none_of(inputs, [](std::string const& path) { return is_terminal(path, STDIN_FILENO); });
  try {
    if (shown_) counter_ = std::thread([this] { go_on(); });
  } catch (std::system_error const&) {  // no thread can be had: seconds do not count up where there are no bytes
  }
}

progress::~progress() {
  {
    std::lock_guard const lock(drawing);
    ended_ = true;
  }
  ending_.notify_one();
  if (counter_.joinable()) counter_.join();
  clear();
}

void progress::go_on() {
  std::unique_lock lock(drawing);
  while (!ending_.wait_for(lock, 5 * step, [this] { return ended_; }))
    if (drawn && clock::now() >= next_) draw(bytes_);
}

void progress::phase(std::string_view name, std::uint64_t bytes) {
  std::lock_guard const lock(drawing);
  phase_name = name;
  total_ = bytes;
  bytes_ = 0;
  begin_ = clock::now();
  if (shown_) draw(0);
}

void progress::at(std::uint64_t bytes) {
  if (!shown_) return;
  bytes_ = bytes;
  std::unique_lock const lock(drawing, std::try_to_lock);
  if (lock && clock::now() >= next_) draw(bytes);
}

// Under the mutex.
void progress::draw(std::uint64_t bytes) {
  auto const now = clock::now();
  std::string const line = progress_text(phase_name, bytes, total_, std::chrono::duration<double>(now - begin_).count());
  std::fputs(fmt::format("\r\033[K{}: {}", tool_, line).c_str(), stderr);
  std::fflush(stderr);
  drawn = true;
  next_ = now + step;
}

void progress::clear() noexcept {
  std::lock_guard const lock(drawing);
  if (!drawn) return;
  drawn = false;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

std::string const& progress::last_phase() noexcept {
  return phase_name;
}

std::unique_ptr<source> counted(std::unique_ptr<input> in, std::atomic<std::uint64_t>& read) {
  input const& file = *in;
  if (!file.compressed())
    return std::make_unique<observed_source>(std::move(in), [&read](std::uint64_t bytes) { read += bytes; });
  return std::make_unique<observed_source>(std::move(in), [&, before = file.file_read()](std::uint64_t /*bytes*/) mutable {
    std::uint64_t const now = file.file_read();
    read += now - std::exchange(before, now);
  });
}

std::unique_ptr<source> watched(std::unique_ptr<source> from, progress& shown, std::atomic<std::uint64_t> const& read) {
  return std::make_unique<observed_source>(std::move(from), [&](std::uint64_t /*bytes*/) { shown.at(read); });
}

}  // namespace ordo::inline v0::cli
