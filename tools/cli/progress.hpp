#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "ordo/io.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/options.hpp"

namespace ordo::inline v0::cli {

/// Returns "2 s", "3 min" or "1 h 5 min".
std::string human_seconds(double seconds);

/// Returns the progress of a phase: "reading 1.2 of 3.1 GB, 820 MB/s, 2 s left"; "reading 1.2 GB, 820 MB/s" if the total is
/// unknown (0) or was wrong; "sorting, 12 s" if there are no bytes. Rate and times are shown after the first second.
std::string progress_text(std::string_view phase, std::uint64_t bytes, std::uint64_t total, double seconds);

/// The progress line on stderr, with the text of progress_text. It is shown only on a terminal that can return to the start of
/// a line (TERM is not dumb), not with --quiet, and not if input or output is a terminal, with whose text it would mix.
/// Otherwise every call does nothing. The destructor removes the line. There is one at a time.
class progress {
 public:
  /// @param inputs, output  paths of the data, as cli::input and cli::output take them
  progress(std::string_view tool, common_options const& options, std::span<std::string const> inputs,
           std::string const& output);
  ~progress();
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  /// Begins a phase. @param name  one or two words @param bytes  0: unknown
  void phase(std::string_view name, std::uint64_t bytes = 0);
  /// Sets the bytes of the phase that are done. Cheap: it draws at most ten times a second. Any number of threads may call it.
  void at(std::uint64_t bytes);
  /// Removes the line until the next call of at(), so that other text can be printed; say() calls it. Safe on any thread.
  static void clear() noexcept;
  /// Returns the name of the last phase, for the message of a failure; empty if there was none.
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
  std::thread counter_;  // draws the seconds of phases without bytes
  std::condition_variable ending_;
  bool ended_ = false;
};

/// Returns a source that adds what is read of the file of an input, compressed or not.
/// @param read  bytes of all inputs so far; must outlive the source
std::unique_ptr<source> counted(std::unique_ptr<input> in, std::atomic<std::uint64_t>& read);

/// Returns a source that advances the progress line as it is read.
/// @param read  bytes of the files below all sources, as counted() counts them; must outlive the source
std::unique_ptr<source> watched(std::unique_ptr<source> from, progress& shown, std::atomic<std::uint64_t> const& read);

}  // namespace ordo::inline v0::cli
