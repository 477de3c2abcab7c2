#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ordo/error.hpp"
#include "ordo/io.hpp"

/// A source that may be sequential, and fails when the byte at `bad` is read.
class test_source final : public ordo::source {
 public:
  test_source(std::string_view text, bool addressed, std::uint64_t bad = ~std::uint64_t{0})
      : all_(text), addressed_(addressed), bad_(bad) {}
  std::size_t read(std::span<char> to) override {
    check(all_.position(), to.size());
    return all_.read(to);
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return addressed_ ? all_.size() : std::nullopt; }
  void read_at(std::uint64_t offset, std::span<char> to) const override {
    if (!addressed_ || offset + to.size() > all_.size()) throw std::logic_error("no such bytes");
    check(offset, to.size());
    all_.read_at(offset, to);
  }
  [[nodiscard]] std::uint64_t position() const override { return all_.position(); }
  void skip(std::uint64_t bytes) override { all_.skip(bytes); }

 private:
  void check(std::uint64_t offset, std::size_t size) const {
    if (offset <= bad_ && bad_ < offset + size) throw ordo::input_error("cannot read: test: bad byte");
  }
  ordo::memory_source all_;
  bool addressed_;
  std::uint64_t bad_;
};

/// A sink that keeps its bytes and the number of times each was written, and fails from the byte `bad` on and in the `bad_call`th
/// write.
class test_sink final : public ordo::sink {
 public:
  explicit test_sink(bool addressed, std::uint64_t bad = ~std::uint64_t{0}, std::size_t bad_call = 0)
      : addressed_(addressed), bad_(bad), bad_call_(bad_call) {}
  void write(std::span<char const> data) override {
    if (addressed_ && expected_) throw std::logic_error("in order, in spite of addresses");  // CHECK is not thread-safe
    std::uint64_t const at = text_.size();
    text_.resize(at + data.size());
    take(at, data);
  }
  bool expect(std::uint64_t bytes) override {
    expected_ = bytes;
    if (addressed_) text_.assign(bytes, '?');
    return addressed_;
  }
  [[nodiscard]] bool addressable() const override { return addressed_; }
  void write_at(std::uint64_t offset, std::span<char const> data) override { take(offset, data); }
  [[nodiscard]] std::string const& text() const { return text_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] std::size_t calls() const { return calls_; }
  [[nodiscard]] std::optional<std::uint64_t> const& expected() const { return expected_; }

 private:
  void take(std::uint64_t at, std::span<char const> data) {
    if (at + data.size() > bad_ || ++calls_ == bad_call_)
      throw ordo::output_error("cannot write: test: no space");
    if (at + data.size() > text_.size()) throw std::logic_error("beyond what was announced");
    std::copy(data.begin(), data.end(), text_.begin() + std::ptrdiff_t(at));
    taken_ += data.size();
  }
  bool addressed_;
  std::uint64_t bad_;
  std::size_t bad_call_;
  std::optional<std::uint64_t> expected_;
  std::string text_;
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::size_t> calls_{0};
};
