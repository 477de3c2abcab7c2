#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "ordo/error.hpp"

/// Where bytes come from and where they go. What has addresses (regular files, text in memory) is read and written in any place
/// by any thread; all else (pipes, compressed streams) from front to back by one. A machine loads memory of its own from a
/// source and stores it to a sink (backend.hpp); it uses addresses where it can. Their functions are called from threads of
/// oneTBB, some of them under a lock, and must not run oneTBB's work themselves: while a thread waits for that it may be given
/// other work of the caller, such as the next read or write, inside the one that has not ended. What they throw may come from
/// any of these threads and reaches the caller.
namespace ordo {

class source {
 public:
  virtual ~source() = default;

  /// Fills `to` with the next bytes, or what of it the rest fills: less than to.size() is the end. @throws input_error
  virtual std::size_t read(std::span<char> to) = 0;

  /// How many bytes the source holds from its beginning on, if any part of them can be read by read_at(). Does not change.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// Fills `to` with the bytes from `offset` on, all below size(). Any number of threads at a time; the next bytes of read()
  /// stay the same. @throws input_error, as where a file was made shorter
  virtual void read_at(std::uint64_t /*offset*/, std::span<char> /*to*/) const {
    throw std::logic_error("source: no addresses");
  }
  /// Of a source with addresses: where the next bytes of read() are, at most size(); and go on so many bytes behind that.
  [[nodiscard]] virtual std::uint64_t position() const { return 0; }
  virtual void skip(std::uint64_t /*bytes*/) { throw std::logic_error("source: no addresses"); }
  /// Of a source with addresses: its first byte, if all of it lies in memory; else null.
  [[nodiscard]] virtual char const* memory() const noexcept { return nullptr; }

 protected:
  source() = default;
  source(source const&) = default;
  source& operator=(source const&) = default;
};

class sink {
 public:
  virtual ~sink() = default;

  /// Takes the next bytes, behind those of all write() before. @throws output_error
  virtual void write(std::span<char const> data) = 0;

  /// Before the first byte: the sink will hold so many bytes in all. Room is made for them where that can be done, so that a
  /// full disk is found now. @returns addressable(). @throws output_error
  virtual bool expect(std::uint64_t /*bytes*/) { return false; }
  /// The same where nobody knows how many bytes there will be: as many as are written, without holes between them.
  virtual bool expect_unknown() { return false; }
  /// Can write_at() be used? Only after expect() or expect_unknown().
  [[nodiscard]] virtual bool addressable() const { return false; }
  /// Takes the bytes from `offset` on, counted from the sink's beginning. Any number of threads at a time, each byte once.
  /// @throws output_error
  virtual void write_at(std::uint64_t /*offset*/, std::span<char const> /*data*/) {
    throw std::logic_error("sink: no addresses");
  }
  /// Of an addressable sink: where its first byte goes, if that is memory which write_at() would but fill; else null.
  [[nodiscard]] virtual char* memory() const noexcept { return nullptr; }

 protected:
  sink() = default;
  sink(sink const&) = default;
  sink& operator=(sink const&) = default;
};

/// A text in memory, which must outlive it.
class memory_source final : public source {
 public:
  explicit memory_source(std::string_view text) : text_(text) {}

  std::size_t read(std::span<char> to) override {
    std::size_t const got = std::min(to.size(), text_.size() - position_);
    if (got != 0) std::memcpy(to.data(), text_.data() + position_, got);
    position_ += got;
    return got;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return text_.size(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override {
    if (!to.empty()) std::memcpy(to.data(), text_.data() + offset, to.size());
  }
  [[nodiscard]] std::uint64_t position() const override { return position_; }
  void skip(std::uint64_t bytes) override { position_ += std::size_t(bytes); }
  [[nodiscard]] char const* memory() const noexcept override { return text_.data(); }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

/// Memory that takes as many bytes as it is long, and must outlive the sink. It may be that of a source, of which each byte is
/// read before it is written.
class memory_sink final : public sink {
 public:
  explicit memory_sink(std::span<char> to) : to_(to) {}

  void write(std::span<char const> data) override {
    write_at(position_, data);
    position_ += data.size();
  }
  bool expect(std::uint64_t bytes) override {
    if (bytes > to_.size()) throw output_error("cannot write: memory: too short for what is to come");
    return fits_ = true;
  }
  bool expect_unknown() override { return true; }
  [[nodiscard]] bool addressable() const override { return true; }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    if (offset > to_.size() || data.size() > to_.size() - offset) throw output_error("cannot write: memory: it is full");
    if (!data.empty()) std::memcpy(to_.data() + offset, data.data(), data.size());
  }
  /// Null until it is known that all that will come fits: write_at() sees to it till then.
  [[nodiscard]] char* memory() const noexcept override { return fits_ ? to_.data() : nullptr; }

 private:
  std::span<char> to_;
  std::uint64_t position_ = 0;
  bool fits_ = false;
};

namespace detail {

/// What is left of a source with addresses, or `most` bytes of it: from where, and how much. Nothing if it has none.
struct loaded_part {
  std::uint64_t from, bytes;
};
inline std::optional<loaded_part> addressed_part(source const& from, std::uint64_t most) {
  std::optional<std::uint64_t> const size = from.size();
  if (!size) return std::nullopt;
  std::uint64_t const at = from.position();
  return loaded_part{at, std::min(most, *size - std::min(*size, at))};
}

}  // namespace detail

}  // namespace ordo
