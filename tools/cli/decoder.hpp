#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>

#include "tools/cli/codecs.hpp"

namespace ordo::cli {

/// Compressed data is truncated, corrupt or followed by something else. what() says at which byte of it, and names no file.
class decode_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads bytes from front to back into its argument; how many, 0 being the end.
using raw_reader = std::function<std::size_t(std::span<char>)>;

/// The bytes of a raw_reader, to be looked at before they are used.
class lookahead {
 public:
  static constexpr std::size_t most = std::size_t{1} << 16;  // that can be looked at for sure
  explicit lookahead(raw_reader read);

  /// The next bytes, at least `least`, or all that are left; they stay until the next call.
  std::span<char const> peek(std::size_t least);
  void use(std::size_t n);
  /// Fills `to`, or what of it the rest fills.
  std::size_t read(std::span<char> to);
  /// How many bytes have been read, but not used.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }
  /// How many have been used.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

 private:
  raw_reader read_;
  std::unique_ptr<char[]> buffer_;
  std::span<char const> waiting_;  // in buffer_
  std::uint64_t offset_ = 0;
};

/// The text of compressed data, from front to back.
class decoder {
 public:
  virtual ~decoder() = default;
  /// Fills `to`, or what of it the rest of the text fills: less than to.size() is the end, and that all was right.
  /// @throws decode_error; whatever the raw reader throws
  virtual std::size_t read(std::span<char> to) = 0;
};

/// The decoder of what `from`, which it keeps, begins with; of nothing compressed: of the bytes themselves. Concatenated
/// members, streams and frames are one text. Zeros after gzip and, four by four, after xz are passed over, as by these
/// programs.
/// @param how  compression_of(from.peek(longest_magic))  @param threads  that inflate BGZF, 0: all that the process may use
std::unique_ptr<decoder> make_decoder(compression how, lookahead& from, unsigned threads = 0);

}  // namespace ordo::cli
