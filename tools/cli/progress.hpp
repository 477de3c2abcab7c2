#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "tools/cli/options.hpp"

namespace ordo::cli {

/// How far a phase is after so many seconds: "reading 1.2 of 3.1 GB, 820 MB/s, 2 s left"; "reading 1.2 GB, 820 MB/s" where the
/// total is not known (0) or was wrong; "sorting, 12 s" where there are no bytes. Rate and times from the first second on.
std::string progress_text(std::string_view phase, std::uint64_t bytes, std::uint64_t total, double seconds);

/// One line on stderr that says how far the work is, as progress_text does. Only on a terminal that can go back to the start of
/// a line (TERM is not dumb), and not with --quiet; nor where a terminal is what is read or written, which the line would be
/// mixed with. Else every call does nothing. Gone when it is destroyed. One at a time.
class progress {
 public:
  /// `inputs` and `output`: the paths of the work's data, as cli::input and cli::output take them.
  progress(std::string_view tool, common_options const& options, std::span<std::string const> inputs,
           std::string const& output);
  ~progress();
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  /// What is done now, in one or two words, and of how many bytes (0: not known).
  void phase(std::string_view what, std::uint64_t bytes = 0);
  /// Bytes of the phase done so far. Cheap: draws ten times a second at most. Any number of threads at a time.
  void at(std::uint64_t bytes);
  /// Take the line away, so that something else can be printed; say() does so by itself. It comes back with the next bytes.
  /// Safe on any thread.
  static void clear() noexcept;
  /// The last phase's name, for the message of a run that failed in it; empty if there was none.
  static std::string const& last_phase() noexcept;

 private:
  using clock = std::chrono::steady_clock;
  void draw(std::uint64_t bytes);
  void go_on();

  std::string tool_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> bytes_{0};
  bool shown_ = false;
  clock::time_point begin_{}, next_{};
  std::thread counter_;  // draws where no bytes do
  std::condition_variable ending_;
  bool ended_ = false;
};

}  // namespace ordo::cli
