#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tools/cli/compression.hpp"

namespace ordo::cli {

/// Inflates one gzip member after another. Throws std::runtime_error with zlib's words, which name no file.
class inflater {
 public:
  inflater();
  ~inflater();
  /// From `in` to `out`, both shortened by what was used. At least one of them is empty afterwards, or the member has ended.
  /// @returns whether the member has ended, its checksum and length found right
  bool step(std::span<char const>& in, std::span<char>& out);
  /// Ready for the next member.
  void reset();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Deflates to one gzip member, without name and time: the same input gives the same bytes.
class deflater {
 public:
  deflater();
  ~deflater();
  /// As above; `last`: there is no more input. @returns whether the member is complete; only with `last`
  bool step(std::span<char const>& in, std::span<char>& out, bool last);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Deflates to BGZF.
class bgzf_deflater {
 public:
  static constexpr std::size_t most_text = 0xff00;  // of a block: as much as bgzip takes, and fits whatever it is
  bgzf_deflater();
  ~bgzf_deflater();
  /// A block of `text`, at most most_text bytes. Of none it is the marker that ends the file.
  std::span<char const> block(std::span<char const> text);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ordo::cli
