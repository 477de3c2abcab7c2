#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "ordo/suffix/pieces.hpp"
#include "ordo/suffix/policy.hpp"
#include "ordo/suffix/record_names.hpp"
#include "ordo/suffix/records.hpp"

/// Indexes in files: PREFIX.sa, PREFIX.lcp, PREFIX.bwt, PREFIX.kmers, PREFIX.pieces and PREFIX.seq are plain little-endian
/// arrays; PREFIX.json says what is in them. PREFIX.seq is the text that the arrays are of: where a policy cuts records or adds
/// the other strand, these are its pieces (pieces.hpp), and all positions are those of that text.
namespace ordo::suffix {

/// One of the arrays: "sa", "lcp", "bwt", "kmers", "pieces" or "seq".
struct index_array {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;
};

/// What PREFIX.json holds.
struct index_description {
  std::uint64_t residues = 0;
  unsigned width = 32;                     // bits of an entry of sa, lcp and kmers: 32, 40 or 64
  kmer_words words = {};                   // of kmers, where there is that array
  suffix::policy policy;                   // where case is not kept, residues were folded to upper case, and patterns must be
  std::optional<std::uint64_t> left_rows;  // of sa and lcp, where some are left out
  std::vector<index_array> arrays;
  record_names names;
  std::vector<std::uint64_t> starts;   // where each record begins in the text
  std::vector<std::uint64_t> lengths;  // of the records as they were read; empty unless the policy cuts them
  std::optional<std::uint32_t> crc32;  // of PREFIX.json without the line that tells it; not told by old descriptions

  [[nodiscard]] index_array const* find(std::string_view array) const;
  /// Of sa and lcp.
  [[nodiscard]] std::uint64_t rows() const noexcept { return left_rows.value_or(residues); }
  /// How many records the text has: as many as were read, or pieces.
  [[nodiscard]] std::uint64_t text_records() const;
};

/// With its checksum, whatever `about` says of that.
std::string to_json(index_description const& about);
/// @param name  of the file, for messages
/// @throws input_error  for what to_json would not have written, but for white space and the order of fields
index_description from_json(std::string_view json, std::string const& name);
/// Is a description that tells its checksum, byte for byte, another one than to_json wrote?
bool is_altered(std::string_view json);

/// The CRC-32 of zlib and gzip, on `threads` threads (0: all there are).
std::uint32_t crc32_of(std::span<char const> bytes, unsigned threads = 0);

/// Hands on what it is given, and knows the CRC-32 of all of it, in whatever order it came.
class checksum_sink final : public sink {
 public:
  explicit checksum_sink(sink& to) : to_(to) {}

  void write(std::span<char const> data) override;
  bool expect(std::uint64_t bytes) override { return to_.expect(bytes); }
  [[nodiscard]] bool addressable() const override { return to_.addressable(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override;

  /// Of an array that is whole: its size and its checksum.
  [[nodiscard]] index_array of(std::string name) const;

 private:
  struct part {
    std::uint64_t bytes;
    std::uint32_t crc32;
  };
  void add(std::uint64_t offset, std::span<char const> data);

  sink& to_;
  std::uint64_t written_ = 0;  // by write
  std::mutex adding_;
  std::map<std::uint64_t, part> parts_;  // by offset
};

/// Writes all of a sink, by several threads (0: as many as there are) where it has addresses.
void store(std::span<char const> bytes, sink& to, unsigned threads = 0);

/// A file in memory as far as it is read.
class mapped_file {
 public:
  mapped_file() = default;
  /// @throws input_error
  explicit mapped_file(std::string const& path);
  ~mapped_file();
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;

  [[nodiscard]] std::span<char const> bytes() const noexcept { return {data_, size_}; }

 private:
  char const* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An index as build left it. Checks that the arrays have the sizes that were written, but does not read them.
class stored_index {
 public:
  /// @param without  an array that is left out, whatever its file is, as of one that is to be replaced
  /// @throws input_error  naming the file that is missing, malformed, truncated or too long
  explicit stored_index(std::string prefix, std::string_view without = {});

  [[nodiscard]] index_description const& about() const noexcept { return about_; }
  /// Of an array; nothing if there is no such array.
  [[nodiscard]] std::span<char const> bytes(std::string_view array) const noexcept;
  [[nodiscard]] text view() const noexcept {
    suffix::pieces const cut = pieces();
    return {{bytes("seq").data(), bytes("seq").size()},
            cut.empty() ? std::span<std::uint64_t const>(about_.starts) : cut.begins()};
  }
  /// Where the records of the text come from.
  [[nodiscard]] suffix::pieces pieces() const noexcept { return suffix::pieces(span_of<std::uint64_t>(bytes("pieces"))); }
  /// Of sa, lcp or kmers; empty if there is no such array.
  [[nodiscard]] entries array(std::string_view name) const noexcept { return {bytes(name), about_.width}; }
  /// Empty if the index has none.
  [[nodiscard]] kmer_table words() const;
  /// The file of an array, for messages.
  [[nodiscard]] std::string path(std::string_view array) const { return prefix_ + "." + std::string(array); }
  /// @tparam Index  of about().width bits, which are 32 or 64
  template <class Index>
  [[nodiscard]] suffix::arrays<Index const> arrays() const noexcept {
    return {span_of<Index>(bytes("sa")), span_of<Index>(bytes("lcp")), bytes("bwt")};
  }
  /// The name of an array that this index does not have, but of which there is a file, not empty: it is another one's.
  [[nodiscard]] std::optional<std::string> stray() const;
  /// The first array of which the checksum is not what was written; or "json".
  [[nodiscard]] std::optional<std::string> altered(unsigned threads = 0) const;

  /// f(Index{}) for the index's own width, 32 or 64.
  template <class F>
  auto with_width(F f) const {
    return about_.width == 32 ? f(std::uint32_t{}) : f(std::uint64_t{});
  }

 private:
  void open(std::string_view without);
  void check_rows() const;
  template <class Index>
  static std::span<Index const> span_of(std::span<char const> bytes) noexcept {
    return {reinterpret_cast<Index const*>(bytes.data()), bytes.size() / sizeof(Index)};
  }

  std::string prefix_;
  index_description about_;
  std::vector<mapped_file> files_;  // of about_.arrays
  bool exchanging_ = false;         // some arrays may not be in their places yet
};

}  // namespace ordo::suffix
