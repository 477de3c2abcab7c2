#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/input_format.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "ordo/suffix/pieces.hpp"
#include "ordo/suffix/policy.hpp"
#include "ordo/suffix/records.hpp"

#pragma GCC visibility push(default)

/// Indexes in files. PREFIX.sa, PREFIX.lcp, PREFIX.bwt, PREFIX.kmers, PREFIX.pieces, PREFIX.starts and PREFIX.seq are plain
/// little-endian arrays; PREFIX.fm is an FM index (fm_index.hpp), PREFIX.rlfm one of runs (fmd.hpp), and the only
/// array besides PREFIX.pieces; PREFIX.json describes them. PREFIX.seq is the text: if a
/// policy cuts records or adds the reverse strand, it consists of pieces (pieces.hpp), and all positions refer to it. The
/// description of an index of FASTA holds the names and starts of records. Other inputs may have a billion records:
/// PREFIX.starts holds their starts, and records are named by their files. The suffix array may be divided among the files
/// PREFIX.sa.0001, PREFIX.sa.0002 and so on, which are mapped one after another.
namespace ordo::inline v0::suffix {

/// A file among which an array is divided.
struct index_part {
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;
};

/// An array of an index: "sa", "lcp", "bwt", "kmers", "fm", "rlfm", "pieces", "starts" or "seq".
struct index_array {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;
  std::vector<index_part> parts = {};  // empty: the array is one file. Only sa is divided
};

/// The contents of PREFIX.json.
struct index_description {
  std::uint64_t residues = 0;    // bytes or tokens
  unsigned width = 32;           // bits of an entry of sa, lcp and kmers: 32, 40 or 64
  kmer_set kmers = {};           // the k-mers of the table, if there is one
  std::uint64_t fm_sample = 0;   // the sample of the FM index, if there is one; then the index may lack sa
  std::uint64_t fm_letters = 0;  // different letters in the FM index
  suffix::policy policy;         // unless it keeps case, residues were folded to upper case, and patterns must be, too
  std::optional<std::uint64_t> kept_rows;  // rows in sa and lcp, if some are left out
  std::vector<index_array> arrays;
  input_format input = input_format::fasta;
  std::string separator;               // bytes that ended records; empty: none, or that of the format
  std::string field;                   // JSONL: the names that lead to a record
  bool is_cut = false;                 // whether a list of lengths, or the rows of arrays, made records of a file
  std::vector<input_file> files;       // files of the records, unless the input is FASTA
  record_names names;                  // FASTA: the names of records
  std::vector<std::uint64_t> starts;   // FASTA: where each record begins in the text
  std::vector<std::uint64_t> lengths;  // lengths of the records that were read; empty unless the policy cuts them
  std::optional<std::uint32_t> crc32;  // checksum of PREFIX.json without the line that holds it; absent from old descriptions

  [[nodiscard]] index_array const* find(std::string_view array) const;
  /// Returns the number of rows of sa and lcp.
  [[nodiscard]] std::uint64_t rows() const noexcept { return kept_rows.value_or(residues); }
  /// Returns the number of records of the text: of records read, or of pieces.
  [[nodiscard]] std::uint64_t text_records() const;
  /// Returns the number of records that were read.
  [[nodiscard]] std::uint64_t records() const { return input == input_format::fasta ? starts.size() : text_records(); }
  /// Appends the name of a record that was read: of FASTA, its own; of other inputs, that of its file, with ":" and the number
  /// of the record in the file, from 1 on, unless a file is one record.
  void append_name(std::string& to, std::size_t record) const;
};

/// Writes a description, with its checksum. Ignores description.crc32.
std::string to_json(index_description const& description);
/// Reads a description.
/// @param name  the name of the file, for messages
/// @throws input_error  for anything that to_json would not have written, apart from white space and the order of fields
index_description from_json(std::string_view json, std::string const& name);
/// Returns true if a description that holds its checksum differs from what to_json wrote.
bool is_altered(std::string_view json);

/// Returns the CRC-32 of zlib and gzip, computed by `threads` threads (0: all).
std::uint32_t compute_crc32(std::span<char const> bytes, unsigned threads = 0);

/// A sink that passes data to another one and computes its CRC-32, in whatever order it is written.
class checksum_sink final : public sink {
 public:
  explicit checksum_sink(sink& to) : to_(to) {}

  void write(std::span<char const> data) override;
  bool expect(std::uint64_t bytes) override { return to_.expect(bytes); }
  bool expect_unknown() override { return to_.expect_unknown(); }
  [[nodiscard]] bool addressable() const override { return to_.addressable(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override;

  /// Returns size and checksum of an array that is complete, from byte `begin` on.
  [[nodiscard]] index_array of(std::string name, std::uint64_t begin = 0) const;
  /// Returns the offset of the first byte that was written; 0 if none was.
  [[nodiscard]] std::uint64_t begin() const { return parts_.empty() ? 0 : parts_.begin()->first; }
  /// Adds the checksum of bytes that another process wrote at this offset.
  void add_part(std::uint64_t offset, index_array const& part);

 private:
  struct part {
    std::uint64_t bytes;
    std::uint32_t crc32;
  };
  void add(std::uint64_t offset, std::span<char const> data);

  sink& to_;
  std::uint64_t written_ = 0;  // bytes that write() has stored
  std::mutex adding_;
  std::map<std::uint64_t, part> parts_;  // keyed by offset
};

/// Writes all bytes to a sink; with several threads (0: all) if it is addressable.
void store(std::span<char const> bytes, sink& to, unsigned threads = 0);

/// A file mapped into memory, or several that are one array.
class mapped_file {
 public:
  /// A file of several.
  struct part {
    std::string path;
    std::uint64_t bytes = 0;
  };

  mapped_file() = default;
  /// @throws input_error
  explicit mapped_file(std::string const& path);
  /// Maps files one after another, without bytes between them. Each begins at a multiple of the page size.
  /// @throws input_error  naming a file that is missing or has another size
  explicit mapped_file(std::span<part const> parts);
  ~mapped_file();
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;

  [[nodiscard]] std::span<char const> bytes() const noexcept { return {data_, size_}; }

 private:
  char const* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An index that build has written. Opening checks the sizes of the arrays, but does not read them.
class stored_index {
 public:
  /// @param without  an array to ignore, such as one that will be replaced
  /// @throws input_error  naming the file that is missing, malformed, truncated or too long
  explicit stored_index(std::string prefix, std::string_view without = {});

  [[nodiscard]] index_description const& description() const noexcept { return description_; }
  /// Returns the bytes of an array; empty if the index does not have it.
  [[nodiscard]] std::span<char const> bytes(std::string_view array) const noexcept;
  /// Returns the text. @throws input_error  if the index is one of runs
  [[nodiscard]] text view() const {
    if (has_runs()) refuse_text();
    return text_of_search();
  }
  /// Returns the text for searches; of an index of runs, its records and its size, but residues that cannot be read.
  [[nodiscard]] text text_of_search() const noexcept {
    suffix::pieces const cut = pieces();
    return {{bytes("seq").data(), has_runs() ? std::size_t(description_.residues) : bytes("seq").size()},
            !cut.empty()                                ? cut.begins()
            : description_.input == input_format::fasta ? std::span<std::uint64_t const>(description_.starts)
                                                        : as_span<std::uint64_t>(bytes("starts")),
            bytes_per_residue(description_.input)};
  }
  /// Returns the pieces of records that the text consists of.
  [[nodiscard]] suffix::pieces pieces() const noexcept { return suffix::pieces(as_span<std::uint64_t>(bytes("pieces"))); }
  /// Returns sa, lcp or kmers; empty if the index does not have it. @throws input_error  if an index lacks sa
  [[nodiscard]] entries array(std::string_view name) const;
  /// Returns true if the index is one of runs, which has no residues.
  [[nodiscard]] bool has_runs() const { return description_.find("rlfm") != nullptr; }
  [[nodiscard]] bool has_sa() const { return description_.find("sa") != nullptr; }
  /// Returns the FM index; empty if the index has none. @throws input_error  if it contradicts itself or the description
  [[nodiscard]] fm_index fm() const;
  /// Returns the k-mer table; empty if the index has none.
  [[nodiscard]] kmer_table kmers() const;
  /// Returns the file of an array, for messages; "PREFIX.sa.*" if it is divided.
  [[nodiscard]] std::string path(std::string_view array) const;
  /// Returns all arrays.
  /// @tparam Index  of description().width bits: 32 or 64
  template <class Index>
  [[nodiscard]] suffix::arrays<Index const> arrays() const noexcept {
    return {as_span<Index>(bytes("sa")), as_span<Index>(bytes("lcp")), bytes("bwt")};
  }
  /// Returns the name of an array, or a part of one, that the description does not list although its file exists and is not
  /// empty.
  [[nodiscard]] std::optional<std::string> unlisted_array() const;
  /// Tells the system that few pages of the arrays will be read, in no order: then it reads none ahead. For a few searches.
  void expect_few_reads() const noexcept;
  /// Returns the first array, or part of one ("sa.0002"), whose checksum differs from the description's, or "json".
  [[nodiscard]] std::optional<std::string> altered_array(unsigned threads = 0) const;
  /// Does the same with the members of a group, each of which reads a part of each array. Collective.
  [[nodiscard]] std::optional<std::string> altered_array(communicator& members, unsigned threads = 0) const;

  /// Calls f(Index{}) for the width of the index, 32 or 64.
  template <class F>
  auto with_width(F f) const {
    return description_.width == 32 ? f(std::uint32_t{}) : f(std::uint64_t{});
  }

 private:
  void open(std::string_view without);
  [[noreturn]] void refuse_text() const;
  [[nodiscard]] std::optional<std::string> altered_array(std::span<std::uint32_t const> sums) const;
  void check_starts() const;
  void check_rows() const;
  template <class Index>
  static std::span<Index const> as_span(std::span<char const> bytes) noexcept {
    return {reinterpret_cast<Index const*>(bytes.data()), bytes.size() / sizeof(Index)};
  }

  std::string prefix_;
  index_description description_;
  std::vector<mapped_file> files_;  // files of description_.arrays
  bool exchanging_ = false;         // some arrays may still have their hidden names
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
