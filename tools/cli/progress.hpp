#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "ordo/io.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/options.hpp"

namespace ordo::inline v0::cli {

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

/// An input that counts what is read of its file, compressed or not.
class counted_input final : public source {
 public:
  /// @param read  bytes of all inputs so far; must outlive this one
  counted_input(std::unique_ptr<input> in, std::atomic<std::uint64_t>& read) : in_(std::move(in)), read_(read) {}

  std::size_t read(std::span<char> to) override {
    std::uint64_t const before = in_->file_read();
    std::size_t const got = in_->read(to);
    read_ += in_->file_read() - before;
    return got;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return in_->size(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override {
    in_->read_at(offset, to);
    read_ += to.size();
  }
  [[nodiscard]] std::uint64_t position() const override { return in_->position(); }
  void skip(std::uint64_t bytes) override { in_->skip(bytes); }

 private:
  std::unique_ptr<input> in_;
  std::atomic<std::uint64_t>& read_;
};

/// A source that advances the progress line as it is read.
class watched_source final : public source {
 public:
  /// @param read  bytes of the files below all sources, as counted_input counts them; must outlive this one
  watched_source(std::unique_ptr<source> from, progress& shown, std::atomic<std::uint64_t> const& read)
      : from_(std::move(from)), shown_(shown), read_(read) {}

  std::size_t read(std::span<char> to) override {
    std::size_t const got = from_->read(to);
    shown_.at(read_);
    return got;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return from_->size(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override {
    from_->read_at(offset, to);
    shown_.at(read_);
  }
  [[nodiscard]] std::uint64_t position() const override { return from_->position(); }
  void skip(std::uint64_t bytes) override { from_->skip(bytes); }

 private:
  std::unique_ptr<source> from_;
  progress& shown_;
  std::atomic<std::uint64_t> const& read_;
};

/// An output that advances the progress line as it is written.
class watched_output final : public sink {
 public:
  watched_output(output& out, progress& shown) : out_(out), shown_(shown) {}

  void write(std::span<char const> data) override {
    out_.write(data);
    shown_.at(out_.written());
  }
  bool expect(std::uint64_t bytes) override { return out_.expect(bytes); }
  [[nodiscard]] bool addressable() const override { return out_.addressable(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    out_.write_at(offset, data);
    shown_.at(out_.written());
  }

 private:
  output& out_;
  progress& shown_;
};

}  // namespace ordo::inline v0::cli
