#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>

/// Compression: formats, decoders, encoders. A number of threads of 0 means all that the process may use.
namespace ordo::inline v0::cli {

/// BGZF is gzip in members that state their length (SAM specification, section 4.1).
enum class compression { none, gzip, bgzf, bzip2, xz, zstd };

/// Returns the name for messages: "gzip", "BGZF" and so on.
std::string_view compression_name(compression format);

/// Returns the compression that a file's name promises, in capitals, too: gzip for .gz, BGZF for .bgz and .bgzf, bzip2 for
/// .bz2, xz for .xz, zstd for .zst and .zstd.
compression compression_named(std::string_view path);

/// The number of bytes that identify every compression.
inline constexpr std::size_t longest_magic = 18;
/// Identifies a file by its first longest_magic bytes, or by all its bytes if it has fewer.
compression detect_compression(std::span<char const> head);
/// Returns true for a whole file that ends within the bytes that identify the compression.
bool is_cut_magic(compression format, std::span<char const> head);
/// Returns true if a BGZF block begins here. A gzip member may be one that does not state its length.
bool is_bgzf(std::span<char const> head);

/// Thrown if compressed data is truncated, corrupt or followed by something else. what() names the byte, but no file.
class decode_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the next bytes into its argument and returns their number; 0 is the end.
using raw_reader = std::function<std::size_t(std::span<char>)>;

/// The bytes of a raw_reader, with a view of those that come next.
class lookahead {
 public:
  static constexpr std::size_t max_peek = std::size_t{1} << 16;
  explicit lookahead(raw_reader read);

  /// Returns the next bytes: at least `min_bytes`, at most max_peek, or all that are left. Valid until the next call.
  std::span<char const> peek(std::size_t min_bytes);
  void use(std::size_t n);
  /// Reads until `to` is full or the input ends.
  std::size_t read(std::span<char> to);
  /// Returns the number of bytes that have been read but not used.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }
  /// Returns the number of bytes that have been used.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

 private:
  raw_reader read_;
  std::unique_ptr<char[]> buffer_;
  std::span<char const> waiting_;  // in buffer_
  std::uint64_t offset_ = 0;
};

/// The text of compressed data, read from front to back.
class decoder {
 public:
  virtual ~decoder() = default;
  /// Reads until `to` is full or the text ends. A return value below to.size() means that the whole input was valid.
  /// @throws decode_error, and the exceptions of the raw reader
  virtual std::size_t read(std::span<char> to) = 0;
};

/// Returns a decoder of `from`, which must outlive it; for compression::none it returns the bytes themselves. Concatenated
/// members, streams and frames are one text. Zeros after gzip and, in multiples of four, after xz are skipped, as gzip and xz
/// do. @param format  detect_compression(from.peek(longest_magic)) @param threads  that inflate BGZF
std::unique_ptr<decoder> make_decoder(compression format, lookahead& from, unsigned threads = 0);

/// Writes compressed bytes; may throw.
using raw_writer = std::function<void(std::span<char const>)>;

/// Compresses a text from front to back. The output depends on neither threads nor the sizes of writes.
class encoder {
 public:
  virtual ~encoder() = default;
  virtual void write(std::span<char const> text, raw_writer const& put) = 0;
  /// Ends the text. Nothing can be written afterwards.
  virtual void finish(raw_writer const& put) = 0;
};

/// Returns an encoder, or null for compression::none. gzip is written as BGZF, which every reader of gzip reads.
/// @param threads  that compress BGZF, xz and zstd
std::unique_ptr<encoder> make_encoder(compression format, unsigned threads = 0);

/// Inflates consecutive BGZF blocks by several threads. They end before bytes that are no BGZF header.
class bgzf_blocks {
 public:
  bgzf_blocks(lookahead& from, unsigned threads);
  ~bgzf_blocks();
  /// Reads until `to` is full or the blocks end. More blocks may follow later, after other members.
  /// @throws decode_error  if a block is truncated or corrupt, or the last one is not BGZF's end marker
  std::size_t read(std::span<char> to);

 private:
  struct state;
  std::unique_ptr<state> state_;
};
std::unique_ptr<encoder> make_bgzf_encoder(unsigned threads);

/// Inflates one gzip member after another.
class gzip_member {
 public:
  explicit gzip_member(lookahead& from);
  ~gzip_member();
  /// Reads until `to` is full or the member ends. A return value below to.size() means that its checksum and length were
  /// right. The next call begins the next member.
  std::size_t read(std::span<char> to);

 private:
  struct state;
  std::unique_ptr<state> state_;
};
/// Decodes all streams or frames of bzip2, xz or zstd to the end of the file.
std::unique_ptr<decoder> make_filter_decoder(compression format, lookahead& from);
/// Encodes bzip2, xz or zstd. @param threads  that compress xz and zstd
std::unique_ptr<encoder> make_filter_encoder(compression format, unsigned threads);

/// Returns the CRC-32 of bytes, as gzip has it.
std::uint32_t compute_crc32(std::string_view bytes);

}  // namespace ordo::inline v0::cli
