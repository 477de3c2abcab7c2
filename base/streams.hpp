#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dividing_sink.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"

// Sources and sinks that do no work of their own. ordo/io.hpp has those over memory.
namespace ordo::inline v0 {

/// Keeps all bytes in memory.
class growing_sink final : public sink {
 public:
  /// @param addressable  from expect() on
  explicit growing_sink(bool addressable = false) : may_address_(addressable) {}

  void write(std::span<char const> data) override {
    if (!addressed_) return bytes_.append(data);
    write_at(written_, data);
    written_ += data.size();
  }
  bool expect(std::uint64_t bytes) override {
    if (may_address_)
      bytes_.resize(std::max(bytes_.size(), std::size_t(bytes)));
    else
      bytes_.reserve(std::size_t(bytes));
    return addressed_ = may_address_;
  }
  [[nodiscard]] bool addressable() const override { return addressed_; }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    if (!data.empty()) std::memcpy(bytes_.data() + offset, data.data(), data.size());
  }

  [[nodiscard]] std::span<char const> bytes() const { return bytes_.span(); }
  [[nodiscard]] std::string_view text() const { return {bytes_.data(), bytes_.size()}; }
  /// Returns the bytes, which are no longer here.
  [[nodiscard]] host_bytes release() { return std::move(bytes_); }

 private:
  host_bytes bytes_;
  std::uint64_t written_ = 0;
  bool may_address_, addressed_ = false;
};

/// Discards all bytes.
class null_sink final : public sink {
 public:
  void write(std::span<char const> /*data*/) override {}
};

/// Some bytes of an addressable source, as a source of their own.
class part_source final : public source {
 public:
  part_source(std::shared_ptr<source const> from, std::uint64_t begin, std::uint64_t size)
      : from_(std::move(from)), begin_(begin), size_(size) {}
  /// @param from  must outlive this one
  part_source(source const& from, std::uint64_t begin, std::uint64_t size)
      : part_source(std::shared_ptr<source const>(std::shared_ptr<void>(), &from), begin, size) {}

  std::size_t read(std::span<char> to) override {
    std::size_t const n = std::size_t(std::min<std::uint64_t>(to.size(), size_ - std::min(size_, position_)));
    read_at(position_, to.first(n));
    position_ += n;
    return n;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return size_; }
  void read_at(std::uint64_t offset, std::span<char> to) const override { from_->read_at(begin_ + offset, to); }
  [[nodiscard]] std::uint64_t position() const override { return position_; }
  void skip(std::uint64_t bytes) override { position_ += bytes; }

 private:
  std::shared_ptr<source const> from_;
  std::uint64_t begin_, size_, position_ = 0;
};

/// A part of a sink, as a sink of its own.
class part_sink final : public sink {
 public:
  /// @param to  must outlive this one @param begin  offset of the part
  /// @param addressed  `to` is addressable; else all parts are written in their order
  /// @param turns  limits the threads that write at a time; null: does not
  part_sink(sink& to, std::uint64_t begin, bool addressed, std::counting_semaphore<>* turns = nullptr)
      : to_(to), begin_(begin), addressed_(addressed), turns_(turns) {}

  void write(std::span<char const> data) override {
    if (!addressed_) return to_.write(data);
    write_at(written_, data);
    written_ += data.size();
  }
  bool expect(std::uint64_t /*bytes*/) override { return addressed_; }
  [[nodiscard]] bool addressable() const override { return addressed_; }
  void place(std::uint64_t offset, std::span<char const> data) override { to_.place(begin_ + offset, data); }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    turn const own(turns_);
    to_.write_at(begin_ + offset, data);
  }

 private:
  class turn {
   public:
    explicit turn(std::counting_semaphore<>* turns) : turns_(turns) {
      if (turns_) turns_->acquire();
    }
    ~turn() {
      if (turns_) turns_->release();
    }
    turn(turn const&) = delete;
    turn& operator=(turn const&) = delete;

   private:
    std::counting_semaphore<>* turns_;
  };

  sink& to_;
  std::uint64_t begin_, written_ = 0;
  bool addressed_;
  std::counting_semaphore<>* turns_;
};

/// Returns the number of the first item of part `part` if `items` items are divided among `parts` parts of about equal size.
constexpr std::uint64_t first_of_part(std::uint64_t items, std::size_t parts, std::size_t part) {
  return items / parts * part + items % parts * part / parts;  // items * part / parts could exceed 64 bits
}

/// Calls put(part, offset in the part, bytes) for each part into which the bytes at `offset` fall.
/// @param begins  where the parts begin, in their order; those that are not known yet are past the bytes
template <class Begins, class Put>
void divide(std::uint64_t offset, std::span<char const> data, Begins const& begins, Put put) {
  while (!data.empty()) {
    // There may be parts without bytes before the one that begins last.
    auto const after = std::upper_bound(std::begin(begins), std::end(begins), offset,
                                        [](std::uint64_t at, auto const& begin) { return at < std::uint64_t{begin}; });
    std::uint64_t const end = after == std::end(begins) ? ~std::uint64_t{0} : std::uint64_t{*after};
    auto const part = std::size_t(after - std::begin(begins)) - 1;
    auto const some = data.first(std::size_t(std::min<std::uint64_t>(data.size(), end - offset)));
    put(part, offset - std::uint64_t{begins[part]}, some);
    offset += some.size();
    data = data.subspan(some.size());
  }
}

/// A sink that divides its bytes, whose number must be announced, among other sinks of about equal size. Each part but the last
/// is a multiple of some size. Several threads write at the same time if all parts are addressable.
class divided_sink final : public sink {
 public:
  /// @param parts  must outlive this one @param unit  bytes: each part begins at a multiple of them
  divided_sink(std::vector<sink*> parts, std::uint64_t unit) : parts_(std::move(parts)), unit_(unit) {}

  bool expect(std::uint64_t bytes) override {
    begins_.clear();
    for (std::size_t k = 0; k < parts_.size(); ++k) begins_.push_back(first_of_part(bytes / unit_, parts_.size(), k) * unit_);
    addressed_ = true;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      bool const now = parts_[k]->expect((k + 1 == parts_.size() ? bytes : begins_[k + 1]) - begins_[k]);
      addressed_ = addressed_ && (now || parts_[k]->addressable());
    }
    return addressed_;
  }
  [[nodiscard]] bool addressable() const override { return addressed_; }
  void write(std::span<char const> data) override {
    write_at(written_, data);
    written_ += data.size();
  }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    if (begins_.empty()) throw std::logic_error("divided sink: the size is not known");
    divide(offset, data, begins_, [&](std::size_t part, std::uint64_t at, std::span<char const> some) {
      if (addressed_)
        parts_[part]->write_at(at, some);
      else
        parts_[part]->write(some);
    });
  }

 private:
  std::vector<sink*> parts_;
  std::uint64_t unit_;
  std::vector<std::uint64_t> begins_;
  std::uint64_t written_ = 0;  // bytes that write() has stored
  bool addressed_ = false;
};

/// Calls a function after each read, with the number of bytes. read_at() calls it on any thread.
class observed_source final : public source {
 public:
  observed_source(std::unique_ptr<source> from, std::function<void(std::uint64_t bytes)> on_read)
      : from_(std::move(from)), on_read_(std::move(on_read)) {}

  std::size_t read(std::span<char> to) override {
    std::size_t const got = from_->read(to);
    on_read_(got);
    return got;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return from_->size(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override {
    from_->read_at(offset, to);
    on_read_(to.size());
  }
  [[nodiscard]] std::uint64_t position() const override { return from_->position(); }
  void skip(std::uint64_t bytes) override { from_->skip(bytes); }

 private:
  std::unique_ptr<source> from_;
  std::function<void(std::uint64_t)> on_read_;
};

/// Calls a function after each write, with the number of bytes. write_at() calls it on any thread.
class observed_sink final : public dividing_sink {
 public:
  /// @param to  must outlive this one
  observed_sink(sink& to, std::function<void(std::uint64_t bytes)> on_write) : to_(to), on_write_(std::move(on_write)) {}

  void write(std::span<char const> data) override {
    to_.write(data);
    on_write_(data.size());
  }
  bool expect(std::uint64_t bytes) override { return to_.expect(bytes); }
  bool expect_unknown() override { return to_.expect_unknown(); }
  bool expect_placed(std::uint64_t bytes) override { return to_.expect_placed(bytes); }
  void place(std::uint64_t offset, std::span<char const> data) override { to_.place(offset, data); }
  [[nodiscard]] std::vector<std::uint64_t> divisions(std::uint64_t bytes) const override { return divisions_in(to_, bytes); }
  bool expect_divided(std::uint64_t bytes, std::span<std::uint64_t const> begins) override {
    return ordo::expect_divided(to_, bytes, begins);
  }
  [[nodiscard]] bool addressable() const override { return to_.addressable(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    to_.write_at(offset, data);
    on_write_(data.size());
  }

 private:
  sink& to_;
  std::function<void(std::uint64_t)> on_write_;
};

/// Calls a function with each line, without its delimiter.
template <class OnLine>
class line_sink final : public sink {
 public:
  line_sink(char delimiter, OnLine on_line) : delimiter_(delimiter), on_line_(std::move(on_line)) {}

  void write(std::span<char const> data) override {
    std::string_view rest(data.data(), data.size());
    while (!rest.empty()) {
      std::size_t const length = rest.find(delimiter_);
      unfinished_ += rest.substr(0, length);
      if (length == rest.npos) return;
      on_line_(std::string_view(unfinished_));
      unfinished_.clear();
      rest.remove_prefix(length + 1);
    }
  }

 private:
  char delimiter_;
  OnLine on_line_;
  std::string unfinished_;
};

}  // namespace ordo::inline v0
