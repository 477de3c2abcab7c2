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

#pragma GCC visibility push(default)

/// Sources and sinks of bytes. Any thread can read or write any offset of an addressable source or sink, such as a regular file
/// or memory. One thread reads or writes a sequential one, such as a pipe or a compressed stream, from front to back. A Backend
/// reads from a source into its own memory, and writes from there to a sink (backend.hpp).
///
/// Implementations are called by threads of oneTBB, sometimes under a lock, and must not run parallel work of oneTBB
/// themselves: a thread that waits for such work may start another task of the caller, such as the next read, inside the call
/// that has not ended. Exceptions may be thrown from any of these threads and reach the caller.
namespace ordo::inline v0 {

class source {
 public:
  virtual ~source() = default;

  /// Reads the next bytes into `to`. Fills it, unless the source ends first.
  /// @returns the number of bytes read @throws input_error
  virtual std::size_t read(std::span<char> to) = 0;

  /// Returns the number of bytes in the whole source if it is addressable, that is if read_at() works. The value does not
  /// change.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// Reads the bytes at `offset` into `to`; all of them are below size(). May be called by any number of threads at a time, and
  /// does not change position(). @throws input_error  for instance if a file has become shorter
  virtual void read_at(std::uint64_t /*offset*/, std::span<char> /*to*/) const {
    throw std::logic_error("source: no addresses");
  }
  /// Returns the offset of the next byte that read() returns, at most size(). skip() moves it forward. Addressable sources
  /// only.
  [[nodiscard]] virtual std::uint64_t position() const { return 0; }
  virtual void skip(std::uint64_t /*bytes*/) { throw std::logic_error("source: no addresses"); }
  /// Returns the first byte of an addressable source that lies in memory as a whole, else null.
  [[nodiscard]] virtual char const* memory() const noexcept { return nullptr; }

 protected:
  source() = default;
  source(source const&) = default;
  source& operator=(source const&) = default;
};

class sink {
 public:
  virtual ~sink() = default;

  /// Writes `data` after all bytes written before by write(). @throws output_error
  virtual void write(std::span<char const> data) = 0;

  /// Announces the total number of bytes, before the first write. Space is reserved where the system can do so, which finds a
  /// full disk early.
  /// @returns addressable() @throws output_error
  virtual bool expect(std::uint64_t /*bytes*/) { return false; }
  /// Announces that the total number of bytes is not known. The bytes written will leave no holes.
  /// @returns addressable()
  virtual bool expect_unknown() { return false; }
  /// Does as expect(). The caller also passes all bytes to place(), so that a sink can divide them between items.
  virtual bool expect_placed(std::uint64_t bytes) { return expect(bytes); }
  /// Shows bytes before write_at() writes them. Bytes are shown in their order, one call after the other.
  virtual void place(std::uint64_t /*offset*/, std::span<char const> /*data*/) {}
  /// Returns true if write_at() works, which needs expect() or expect_unknown() first.
  [[nodiscard]] virtual bool addressable() const { return false; }
  /// Writes `data` at `offset` bytes from the sink's beginning. May be called by any number of threads at a time; each byte is
  /// written once. @throws output_error
  virtual void write_at(std::uint64_t /*offset*/, std::span<char const> /*data*/) {
    throw std::logic_error("sink: no addresses");
  }
  /// Returns the memory of the first byte of an addressable sink, if writing there has the effect of write_at(); else null.
  [[nodiscard]] virtual char* memory() const noexcept { return nullptr; }

 protected:
  sink() = default;
  sink(sink const&) = default;
  sink& operator=(sink const&) = default;
};

/// A source over bytes in memory, which must outlive it.
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

/// A sink over memory of fixed size, which must outlive it. The memory may be that of a source if each byte is read before it
/// is written.
class memory_sink final : public sink {
 public:
  explicit memory_sink(std::span<char> to) : to_(to) {}

  void write(std::span<char const> data) override {
    write_at(position_, data);
    position_ += data.size();
  }
  bool expect(std::uint64_t bytes) override {
    if (bytes > to_.size()) throw output_error("cannot write: memory: the buffer is too small");
    return fits_ = true;
  }
  bool expect_unknown() override { return true; }
  [[nodiscard]] bool addressable() const override { return true; }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    if (offset > to_.size() || data.size() > to_.size() - offset)
      throw output_error("cannot write: memory: the buffer is full");
    if (!data.empty()) std::memcpy(to_.data() + offset, data.data(), data.size());
  }
  /// Returns null until expect() has shown that all bytes fit. Until then write_at() checks each write.
  [[nodiscard]] char* memory() const noexcept override { return fits_ ? to_.data() : nullptr; }

 private:
  std::span<char> to_;
  std::uint64_t position_ = 0;
  bool fits_ = false;
};

namespace detail {

/// The rest of an addressable source, at most `max_bytes` of it: offset and length. Nothing if the source is sequential.
struct loaded_part {
  std::uint64_t from, bytes;
};
inline std::optional<loaded_part> addressed_part(source const& from, std::uint64_t max_bytes) {
  std::optional<std::uint64_t> const size = from.size();
  if (!size) return std::nullopt;
  std::uint64_t const at = from.position();
  return loaded_part{at, std::min(max_bytes, *size - std::min(*size, at))};
}

}  // namespace detail

}  // namespace ordo::inline v0
#pragma GCC visibility pop
