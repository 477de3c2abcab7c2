#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/input_format.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The records of files that are no FASTA: their bytes or tokens end to end, which may have all values, starts and files.
struct corpus {
  host_bytes residues;         // tokens are little-endian
  unsigned residue_bytes = 1;  // the width of the format that was appended, as in a text
  std::vector<std::uint64_t> starts;
  std::vector<input_file> files;

  [[nodiscard]] text view() const { return {{residues.data(), residues.size()}, starts, residue_bytes}; }
};

/// A line of a file that is no record, or the rest of a file that cannot be read.
struct bad_line {
  std::string_view file;   // its name
  std::uint64_t line = 0;  // from 1 on; that with which the rest of the file begins
  std::string_view reason;
  std::string_view text;  // all of the line; empty for the rest of a file
  bool is_rest = false;   // whether it stands for the rest of a file
};

struct corpus_options {
  input_format format = input_format::bytes;  // not fasta; the same for all files of a corpus
  bool big_endian = false;                    // whether tokens of raw files are
  /// The residues that end a record and belong to none, as bytes; for tokens little-endian ones, whole. A file that ends with
  /// them has no empty record after it. Empty: each file is one record. None for lines and JSONL.
  std::string separator = {};
  /// For jsonl: the names that lead to the string, separated by '.'.
  std::string field = "text";
  /// The number of residues of each record of the file, which they must fill. Empty: no such list. Not with a separator.
  std::span<std::uint64_t const> lengths = {};
  /// The limit in bytes for all records, including those of earlier calls, with separators and 8 bytes for each start.
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  /// The estimated size of the text in bytes, for sources of unknown size; 0 if unknown.
  std::uint64_t expected = 0;
  /// Called from time to time with the bytes of text that this call has read.
  std::function<void(std::uint64_t)> on_progress = {};
  unsigned threads = 0;  // threads that parse JSONL, and all threads of corpus_writer; 0: all
  /// For JSONL and corpus_writer: called in the order of the input with each line that is malformed or has no such string, and
  /// with each file that cannot be opened, or decoded to its end, instead of an error. The line becomes an empty record, and
  /// the file ends where the error is. Empty: the first one is thrown.
  std::function<void(bad_line const&)> on_bad_line = {};
};

/// Thrown for a line of JSON that lacks the field. The message names the strings that it has.
class missing_field final : public input_error {
 public:
  missing_field(std::string const& message, bool has_strings) : input_error(message), has_strings_(has_strings) {}
  /// Returns true if the line has a string that corpus_options::field could name.
  [[nodiscard]] bool has_strings() const noexcept { return has_strings_; }

 private:
  bool has_strings_;
};

/// Files whose records form one corpus, in order.
struct corpus_files {
  struct opened {
    std::string name;  // the name that append_corpus takes
    std::shared_ptr<source> from;
  };
  std::size_t count = 0;
  /// Opens file k, k in [0, count), once. Several threads call it at the same time.
  std::function<opened(std::size_t k)> open;
  /// Returns true if reading file k may wait for another program, as of a pipe. Such a file is not read ahead. May be empty.
  std::function<bool(std::size_t k)> may_wait = {};
  /// Returns the name of a file that cannot be opened. Required with corpus_options::on_bad_line.
  std::function<std::string(std::size_t k)> name = {};
};

/// Appends the records of a file. No byte is changed: byte order marks, CR and invalid UTF-8 are text. An empty file is one
/// empty record of bytes or tokens, and no records if there are separators or lines. Records may be empty. Time O(n), one
/// thread except for JSONL. A file of tokens may be an array of NumPy (.npy), which is recognised by its content: integers of 8
/// to 64 bits that fit the tokens. The rows of an array of more than one dimension are records, unless there is a separator or
/// a list of lengths. The strings of JSONL are decoded to UTF-8. An empty line is an empty record, so that records and lines
/// have the same numbers.
/// @param name  the name of the file, UTF-8 without control characters: records are printed by it
/// @throws input_error  for another name; naming the file, for bytes that are no whole token, an array of another type or with
///     empty rows, a token out of range, and lengths that do not fill the file; naming file and line, for JSON that is
///     malformed or has no such string (missing_field, if nothing has that name); and what the source throws. The records
///     before an error may have been appended
/// @throws out_of_memory  if the records exceed the limit
/// @throws usage_error  for FASTA, for lines and JSONL with a separator or lengths, both of these, a separator of no whole
///     tokens, and a corpus of another format
void append_corpus(corpus& to, std::string const& name, source& from, corpus_options const& options = {});

/// Writes the records of files to a sink, as append_corpus appends them to memory: a corpus may be larger than that.
///
/// Lines, JSONL, and bytes without separator and lengths are read, parsed and written by all threads, in chunks of whole lines;
/// sources without addresses, such as compressed files, by a thread each, several at the same time. The text does not depend on
/// the threads, nor does an error: it is the first one of the input. Memory: about four chunks a thread, twice the longest
/// lines, 8 bytes a record, and at most an eighth of options.memory for what is read ahead. Other formats are read by one
/// thread, with about 3 * part_bytes and twice the longest record; all of a file that is an array of NumPy or has a list of
/// lengths.
class corpus_writer {
 public:
  /// @param residues  gets all residues in order, and must outlive this; by several threads if it is addressable
  explicit corpus_writer(sink& residues, std::size_t part_bytes = std::size_t{4} << 20)
      : to_(residues), part_bytes_(part_bytes) {}

  /// Appends the records of a file. Option `expected` has no effect. @throws  as append_corpus, and what the sink throws
  void append(std::string const& name, source& from, corpus_options const& options = {});
  /// Appends the records of several files. on_progress gets the bytes of all of them. @throws  also what files.open throws
  void append(corpus_files const& files, corpus_options const& options = {});

  /// Returns the starts and files. It holds no residues.
  [[nodiscard]] corpus const& records() const noexcept { return all_; }
  /// Returns the number of residues.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  void append_chunks(corpus_files const& files, corpus_options const& options);
  void append_parts(std::string const& name, source& from, corpus_options const& options);
  void write(std::span<char const> residues);

  sink& to_;
  std::size_t part_bytes_;
  corpus all_;
  std::uint64_t size_ = 0;
  bool has_begun_ = false;
};

/// Returns the format that a name ends in: .jsonl and .ndjson are JSONL, .u16 and .u32 are tokens. An extension of compression
/// may follow. Returns nothing for other names.
std::optional<input_format> named_format(std::string_view name);

/// Returns the format of a file where its name or its content is certain. The name decides (named_format). Of other files,
/// FASTA begins with '>' or ';', an array of NumPy says what its numbers are (those of at most 16 bits are u16, others u32),
/// and a first line from '{' to '}' is JSONL. Returns nothing for the rest, which may be bytes or lines.
/// @param begin  the first bytes of the file, uncompressed: 4096, or all
std::optional<input_format> recognized_format(std::string_view name, std::string_view begin);

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
