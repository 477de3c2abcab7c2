#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ordo/io.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"

namespace ordo::cli {

/// An input whose reading is seen on the progress line, in bytes of the file, compressed or not.
class watched_input final : public source {
 public:
  /// @param threads  that inflate
  /// @param read     bytes of all inputs so far, which outlives this one
  watched_input(std::string const& path, unsigned threads, progress& shown, std::atomic<std::uint64_t>& read)
      : in_(path, threads), shown_(shown), read_(read) {}

  std::size_t read(std::span<char> to) override {
    std::uint64_t const before = in_.file_read();
    std::size_t const got = in_.read(to);
    count(in_.file_read() - before);
    return got;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return in_.size(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override {
    in_.read_at(offset, to);
    count(to.size());
  }
  [[nodiscard]] std::uint64_t position() const override { return in_.position(); }
  void skip(std::uint64_t bytes) override { in_.skip(bytes); }

 private:
  void count(std::uint64_t bytes) const { shown_.at(read_ += bytes); }
  input in_;
  progress& shown_;
  std::atomic<std::uint64_t>& read_;
};

/// An output whose writing is seen on the progress line.
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

}  // namespace ordo::cli
