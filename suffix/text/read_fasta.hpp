#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "base/byte_mask.hpp"
#include "base/utf8.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix/fasta.hpp"

// FASTA text in rows of 64 bytes: the meaning of each byte follows from where in a line the row begins.
namespace ordo::inline v0::suffix::detail {

/// The part of a line that a byte belongs to. A name ends at the first blank; the rest of the header is the description.
enum class fasta_place : std::uint8_t { line_begin, name, description, comment, residues };

/// The state of a parser between two parts of a text.
struct fasta_position {
  fasta_place place = fasta_place::line_begin;
  bool behind_return = false;                                              // whether the byte before is a carriage return
  std::uint64_t residues = 0, records = 0, name_bytes = 0, line_ends = 0;  // before this position
};

/// Maps the state at the start of a stretch of text to the state at its end.
class fasta_moves {
 public:
  static constexpr unsigned places = 5;

  fasta_moves() = default;
  ORDO_FN void set(fasta_place from, fasta_place to) { table_ |= std::uint32_t(to) << (4 * unsigned(from)); }
  [[nodiscard]] ORDO_FN fasta_place operator()(fasta_place from) const {
    return fasta_place(table_ >> (4 * unsigned(from)) & 15);
  }

 private:
  std::uint32_t table_ = 0;
};

/// Composes the maps of two adjacent stretches.
struct fasta_moves_in_turn {
  ORDO_FN fasta_moves operator()(fasta_moves first, fasta_moves second) const {
    fasta_moves both;
    for (unsigned from = 0; from < fasta_moves::places; ++from) both.set(fasta_place(from), second(first(fasta_place(from))));
    return both;
  }
};

ORDO_FN inline bool has_blank(unsigned char const* text, std::size_t begin, std::size_t end) {
  for (; begin < end; ++begin)
    if (text[begin] == ' ' || text[begin] == '\t') return true;
  return false;
}

/// Computes the map of text[begin, end), which is not empty; begin is a multiple of 8.
ORDO_FN inline fasta_moves moves_through(unsigned char const* text, std::size_t begin, std::size_t end) {
  // Searches for the begin of the last line from the end. Only a name must be searched for a blank.
  std::size_t last = end;
  std::uint64_t blanks = 0;
  for (std::size_t row = begin + (end - 1 - begin) / byte_row_size * byte_row_size;; row -= byte_row_size) {
    byte_row const bytes = end - row >= byte_row_size ? byte_row(text + row) : byte_row(text + row, end - row);
    if (std::uint64_t const ends = bytes.equal_to('\n'); ends != 0) {
      last = row + 63 - leading_zeros(ends);
      break;
    }
    blanks |= bytes.equal_to(' ') | bytes.equal_to('\t');
    if (row == begin) break;
  }
  bool const ends_line = last != end;
  std::size_t const line = ends_line ? last + 1 : begin;
  auto from_begin = fasta_place::line_begin;
  if (line < end) {
    if (text[line] == '>')
      from_begin = has_blank(text, line, end) ? fasta_place::description : fasta_place::name;
    else
      from_begin = text[line] == ';' ? fasta_place::comment : fasta_place::residues;
  }
  fasta_moves moves;
  moves.set(fasta_place::line_begin, from_begin);
  moves.set(fasta_place::name, ends_line ? from_begin : blanks != 0 ? fasta_place::description : fasta_place::name);
  moves.set(fasta_place::description, ends_line ? from_begin : fasta_place::description);
  moves.set(fasta_place::comment, ends_line ? from_begin : fasta_place::comment);
  moves.set(fasta_place::residues, ends_line ? from_begin : fasta_place::residues);
  return moves;
}

/// The classes of the bytes of a row: bit i is for byte i.
struct fasta_row {
  std::uint64_t residues = 0;
  std::uint64_t headers = 0;  // '>' that begins a record, and the name after it
  std::uint64_t records = 0;  // '>' that begins a record
  std::uint64_t line_ends = 0;
  bool refused = false;       // an invalid residue, a carriage return inside a line, or a NUL in a name
  bool beyond_ascii = false;  // in a name
};

/// Reads a text row by row.
class fasta_reader {
 public:
  /// @param behind_return  whether the byte before is a carriage return
  ORDO_FN fasta_reader(fasta_place place, bool behind_return) : place_(place), behind_return_(behind_return) {}

  /// Reads the next row of `count` bytes, 1 to 64.
  ORDO_FN fasta_row operator()(unsigned char const* text, std::size_t count) {
    byte_row const bytes = count == byte_row_size ? byte_row(text) : byte_row(text, count);
    fasta_row row;
    std::uint64_t const inside = low_bits(count), letters = bytes.letters() & inside;
    row.line_ends = bytes.equal_to('\n') & inside;
    bool const at_residues = place_ == fasta_place::line_begin || place_ == fasta_place::residues;
    if ((letters | row.line_ends) == inside && at_residues && !behind_return_) {
      row.residues = letters;
      place_ = row.line_ends >> (count - 1) == 0 ? fasta_place::residues : fasta_place::line_begin;
    } else {
      read(text, bytes, count, letters, row);
    }
    return row;
  }

 private:
  ORDO_FN void read(unsigned char const* text, byte_row const& bytes, std::size_t count, std::uint64_t letters,
                    fasta_row& row) {
    std::uint64_t const inside = low_bits(count), printed = bytes.above(' ') & inside;
    std::uint64_t const blank = inside & ~(printed | row.line_ends);  // or another control character
    std::uint64_t const returns = blank == 0 ? 0 : bytes.equal_to('\r') & inside;
    std::uint64_t const cut =
        (returns << 1 | std::uint64_t{behind_return_}) & ~row.line_ends & inside;  // lines, by a carriage return
    behind_return_ = returns >> (count - 1) != 0;

    std::uint64_t const line_begins = row.line_ends << 1 | std::uint64_t{place_ == fasta_place::line_begin};
    std::uint64_t headers = 0, comments = 0;
    for (std::uint64_t left = line_begins & printed & ~letters; left != 0; left &= left - 1) {
      unsigned char const first = text[trailing_zeros(left)];
      std::uint64_t const here = left & (~left + 1);
      headers |= first == '>' ? here : 0;
      comments |= first == ';' ? here : 0;
    }

    for (std::size_t at = 0; at < count;) {
      if (place_ == fasta_place::line_begin) {
        place_ = (headers >> at & 1) != 0    ? fasta_place::name
                 : (comments >> at & 1) != 0 ? fasta_place::comment
                                             : fasta_place::residues;
        if (place_ == fasta_place::name) {
          row.records |= std::uint64_t{1} << at;
          row.headers |= std::uint64_t{1} << at;
          if (++at == count) return;
        }
      }
      std::uint64_t const rest = ~low_bits(at) & inside;
      // Residues continue across lines up to the next header or comment.
      std::uint64_t const stops = rest & (place_ == fasta_place::residues ? (headers | comments) >> 1 : row.line_ends);
      std::size_t const end = stops == 0 ? count : trailing_zeros(stops);
      std::uint64_t const part = rest & low_bits(end);
      if (place_ == fasta_place::residues) {
        row.residues |= part & printed;
        row.refused |= (part & cut) != 0 || has_refused(bytes, part & printed & ~letters, part & blank & ~returns);
      } else if (place_ != fasta_place::comment) {
        row.refused |= (part & cut) != 0;
        if (place_ == fasta_place::name) read_name(bytes, part, blank, returns, row);
      }
      if (stops == 0) {
        if (place_ == fasta_place::residues && row.line_ends >> (count - 1) != 0) place_ = fasta_place::line_begin;
        return;
      }
      place_ = fasta_place::line_begin;
      at = end + 1;
    }
  }

  ORDO_FN static bool has_refused(byte_row const& bytes, std::uint64_t marks, std::uint64_t blank) {
    if (marks != 0 && (marks & ~(bytes.equal_to('*') | bytes.equal_to('-') | bytes.equal_to('.'))) != 0) return true;
    if (blank == 0) return false;
    return (blank & ~(bytes.equal_to(' ') | bytes.equal_to('\t') | bytes.equal_to('\v') | bytes.equal_to('\f'))) != 0;
  }

  ORDO_FN void read_name(byte_row const& bytes, std::uint64_t part, std::uint64_t blank, std::uint64_t returns,
                         fasta_row& row) {
    blank &= part & ~returns;
    std::uint64_t nuls = 0;
    if (blank != 0) {
      nuls = blank & bytes.equal_to('\0');
      blank &= bytes.equal_to(' ') | bytes.equal_to('\t');
    }
    if (blank != 0) {
      part &= low_bits(trailing_zeros(blank));
      place_ = fasta_place::description;
    }
    row.refused |= (part & nuls) != 0;
    row.headers |= part & ~returns;
    row.beyond_ascii |= (part & bytes.above(0x7f)) != 0;
  }

  fasta_place place_;
  bool behind_return_;
};

/// Finds the first error in a part of a FASTA text that has one, byte by byte, and throws it with its line.
/// @param before  the state where the part begins
/// @param name  the part of an open header's name that came before
/// @throws input_error
[[noreturn]] void refuse_fasta(std::string const& file, std::string_view text, fasta_position const& before, std::string name);

/// Throws the error of a text without records.
/// @throws input_error
[[noreturn]] void refuse_no_records(std::string const& file);

/// Counts of the records of several texts.
struct fasta_totals {
  std::uint64_t residues = 0, records = 0, name_bytes = 0;
  bool kept = true;  // false: they do not fit, and are only counted
  bool all = true;   // false: there are more, which were not counted

  /// Returns the memory of the records. Names and starts may be copied when they grow.
  [[nodiscard]] std::uint64_t memory() const { return residues + 2 * (name_bytes + 2 * sizeof(std::uint64_t) * records); }
};

/// Returns the message for records that do not fit.
std::string large_records(std::string const& file, fasta_totals const& totals, std::size_t memory);

/// Throws the error of records that do not fit.
/// @throws records_too_large
[[noreturn]] void refuse_large(std::string const& file, fasta_totals const& totals, std::size_t memory);

// Parallel parsing of FASTA, part by part. A part is cut into blocks, one for each thread. A scan over the blocks finds the
// state at the start of each; then every block is counted, and a scan of these counts gives the offsets at which it writes.

/// Bytes of a block, a multiple of 64.
constexpr std::size_t fasta_block = 512;
/// The maximum number of bytes of a part: counts have 32 bits.
constexpr std::size_t fasta_part_limit = std::size_t{1} << 31;
/// Bytes after a part that the CPU may read.
constexpr std::size_t fasta_slack = byte_row_size;

/// Counts of a part of a text.
struct fasta_counts {
  std::uint32_t residues = 0, records = 0, name_bytes = 0, line_ends = 0;
  bool refused = false;       // there is an error
  bool early = false;         // residues come before the first record
  bool beyond_ascii = false;  // in the names
  bool unused = false;        // copied with the others from a GPU, where no byte may be without a value
};

struct sum_of_fasta {
  ORDO_FN fasta_counts operator()(fasta_counts a, fasta_counts b) const {
    return {a.residues + b.residues,         a.records + b.records,  a.name_bytes + b.name_bytes,
            a.line_ends + b.line_ends,       a.refused || b.refused, a.early || (a.records == 0 && b.early),
            a.beyond_ascii || b.beyond_ascii};
  }
};

/// A part of a text in a backend's memory.
struct fasta_part {
  unsigned char const* text;
  std::size_t size, block;
  fasta_position before;

  [[nodiscard]] ORDO_FN std::size_t blocks() const { return (size + block - 1) / block; }
  [[nodiscard]] ORDO_FN std::size_t rows() const { return (size + byte_row_size - 1) / byte_row_size; }
  [[nodiscard]] ORDO_FN std::size_t block_end(std::size_t b) const { return (b + 1) * block < size ? (b + 1) * block : size; }
  /// Returns the state at the start of block b.
  [[nodiscard]] ORDO_FN fasta_place place_at(std::size_t b, fasta_moves const* moves) const {
    return b == 0 ? before.place : moves[b - 1](before.place);
  }
};

struct write_fasta_moves {
  fasta_part part;
  fasta_moves* moves;
  ORDO_FN void operator()(std::size_t b) const { moves[b] = moves_through(part.text, b * part.block, part.block_end(b)); }
};

template <class T>
struct stored_value {
  T const* values;
  ORDO_FN T operator()(std::size_t i) const { return values[i]; }
};

/// The bytes of a part that are copied: a word of 64 bits for each row.
struct fasta_masks {
  std::uint64_t *residues, *headers;
};

struct count_fasta_block {
  fasta_part part;
  fasta_moves const* moves;
  fasta_counts* counts;
  fasta_masks masks;

  ORDO_FN void operator()(std::size_t b) const {
    std::size_t const begin = b * part.block, end = part.block_end(b);
    fasta_reader read(part.place_at(b, moves), b == 0 ? part.before.behind_return : part.text[begin - 1] == '\r');
    fasta_counts all;
    for (std::size_t at = begin; at < end; at += byte_row_size) {
      std::size_t const size = end - at < byte_row_size ? end - at : byte_row_size;
      fasta_row const row = read(part.text + at, size);
      masks.residues[at / byte_row_size] = row.residues;
      masks.headers[at / byte_row_size] = row.headers;
      unsigned const line_ends = count_few_ones(row.line_ends);
      all.line_ends += line_ends;
      if (all.records == 0 && (row.records == 0 ? row.residues : row.residues & low_bits(trailing_zeros(row.records))) != 0)
        all.early = true;
      // Most rows have nothing else.
      bool const plain = row.residues == (low_bits(size) & ~row.line_ends);
      all.residues += plain ? unsigned(size) - line_ends : count_ones(row.residues);
      all.refused |= row.refused;
      if (row.headers == 0) continue;
      all.records += count_ones(row.records);
      all.name_bytes += count_ones(row.headers & ~row.records);
      all.beyond_ascii |= row.beyond_ascii;
    }
    counts[b] = all;
    if (end == part.size) masks.residues[part.rows()] = 0;  // copy_chosen reads it, though the result is the same
  }
};

/// The destinations of the records of a part. Starts of residues and of names are counted from the start of all texts:
/// `residues_before` and `names_before` are those of the texts before this one.
struct fasta_target {
  unsigned char* residues;
  unsigned char* names;
  std::uint64_t *starts, *name_starts;
  std::uint64_t residues_before = 0, names_before = 0;
};

struct write_fasta_block {
  fasta_part part;
  fasta_moves const* moves;
  fasta_counts const* counts;
  fasta_masks masks;
  fasta_target to;
  unsigned char fold;

  ORDO_FN void operator()(std::size_t b) const {
    fasta_counts const zero, before = b == 0 ? zero : counts[b - 1], after = counts[b];
    std::size_t const begin = b * part.block, end = part.block_end(b);
    copy_chosen(part.text + begin, masks.residues + begin / byte_row_size, end - begin, to.residues + before.residues,
                after.residues - before.residues, fold);
    if (after.records != before.records || after.name_bytes != before.name_bytes) write_headers(b, before, after);
  }

 private:
  ORDO_FN void write_headers(std::size_t b, fasta_counts before, fasta_counts after) const {
    std::size_t residues = before.residues, names = before.name_bytes, records = before.records;
    std::uint64_t inside = part.place_at(b, moves) == fasta_place::name;  // a header that began before this row
    for (std::size_t at = b * part.block; at < part.block_end(b); at += byte_row_size) {
      std::uint64_t const headers = masks.headers[at / byte_row_size], kept = masks.residues[at / byte_row_size];
      std::uint64_t const begins = headers & ~(headers << 1 | inside);
      inside = headers >> 63;
      for (std::uint64_t left = begins; left != 0; left &= left - 1) {
        std::uint64_t const ahead = low_bits(trailing_zeros(left));
        to.starts[records] = to.residues_before + part.before.residues + residues + count_ones(kept & ahead);
        to.name_starts[records++] = to.names_before + part.before.name_bytes + names + count_ones(headers & ~begins & ahead);
      }
      residues += count_ones(kept);
      std::uint64_t const chosen[2] = {headers & ~begins, 0};
      if (chosen[0] == 0) continue;
      std::size_t const size = part.block_end(b) - at < byte_row_size ? part.block_end(b) - at : byte_row_size;
      names += copy_chosen(part.text + at, chosen, size, to.names + names, after.name_bytes - names, 0);
    }
  }
};

/// One part of a text. The constructor counts its records; write() stores them.
template <Backend B>
class parsed_fasta {
 public:
  /// @param text  in the backend's memory, aligned to 8; the CPU may read another fasta_slack bytes after it. At most
  ///     fasta_part_limit bytes, and not empty
  parsed_fasta(B& backend, std::span<unsigned char const> text, fasta_position const& before, std::size_t block = fasta_block)
      : backend_(backend),
        part_{text.data(), text.size(), block, before},
        moves_(backend.template buffer<fasta_moves>(part_.blocks())),
        counts_(backend.template buffer<fasta_counts>(part_.blocks())),
        residues_(backend.template buffer<std::uint64_t>(part_.rows() + 1)),
        headers_(backend.template buffer<std::uint64_t>(part_.rows())) {
    std::size_t const last = part_.blocks() - 1;
    backend.each(part_.blocks(), write_fasta_moves{part_, moves_.data()});
    backend.scan(part_.blocks(), stored_value<fasta_moves>{moves_.data()}, moves_.span(), fasta_moves_in_turn{});
    backend.each(part_.blocks(), count_fasta_block{part_, moves_.data(), counts_.data(), masks()});
    backend.scan(part_.blocks(), stored_value<fasta_counts>{counts_.data()}, counts_.span(), sum_of_fasta{});
    counted_ = value_at(backend, counts_.span(), last);
    behind_ = {value_at(backend, moves_.span(), last)(before.place),
               value_at(backend, text, text.size() - 1) == '\r',
               before.residues + counted_.residues,
               before.records + counted_.records,
               before.name_bytes + counted_.name_bytes,
               before.line_ends + counted_.line_ends};
  }

  [[nodiscard]] fasta_counts const& counted() const { return counted_; }
  [[nodiscard]] fasta_position const& after() const { return behind_; }

  /// @param to  room in the backend's memory for all that was counted
  /// @param fold  whether letters become upper case
  void write(fasta_target const& to, bool fold) {
    backend_.each(part_.blocks(), write_fasta_block{part_, moves_.data(), counts_.data(), masks(), to,
                                                    static_cast<unsigned char>(fold ? 0x20 : 0)});
  }

 private:
  [[nodiscard]] fasta_masks masks() const { return {residues_.data(), headers_.data()}; }

  B& backend_;
  fasta_part part_;
  buffer<fasta_moves> moves_;
  buffer<fasta_counts> counts_;
  buffer<std::uint64_t> residues_, headers_;  // masks
  fasta_counts counted_;
  fasta_position behind_;
};

/// The maximum number of bytes of text that are parsed at a time; and by one thread, a multiple of 64.
struct fasta_sizes {
  std::size_t part;
  std::size_t block = fasta_block;
};

/// Limits for counting records that do not fit: a multiple of the memory limit, or a number of bytes.
inline constexpr std::uint64_t counted_times = 8, counted_bytes = std::uint64_t{1} << 30;
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Implements append_fasta on the CPU, in on_host.cpp. Counts texts that do not fit: see append_counted.
void append_on_host(fasta& to, std::string const& name, source& from, fasta_options const& options, fasta_totals& totals);

/// Residues that a machine parses for host memory.
template <Backend B>
class residues_for_host {
 public:
  residues_for_host(B& backend, host_bytes& to) : backend_(backend), to_(to) {}

  [[nodiscard]] std::size_t size() const { return to_.size(); }
  void reserve(std::size_t residues) { to_.reserve(residues); }
  /// Appends n residues: write(target) stores them in the backend's memory.
  template <class Write>
  void add(std::size_t n, Write write) {
    std::size_t const before = to_.size();
    to_.resize(before + n);
    std::span<char> const added = to_.span().subspan(before);
    auto const residues = backend_.target(added);
    write(residues.data());
    backend_.download(std::span<char const>(residues.span()), added);
  }

 private:
  B& backend_;
  host_bytes& to_;
};

struct copy_bytes {
  unsigned char const* from;
  unsigned char* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from[i]; }
};

/// Residues that stay in the backend's memory.
template <Backend B>
class residues_on_machine {
 public:
  explicit residues_on_machine(B& backend) : backend_(backend) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<unsigned char const> span() const { return memory_.span().first(size_); }
  /// @throws out_of_memory
  void reserve(std::size_t residues) {
    if (residues <= memory_.size()) return;
    auto larger = backend_.template buffer<unsigned char>(residues);
    backend_.each(size_, copy_bytes{memory_.data(), larger.data()});
    memory_ = std::move(larger);
  }
  void clear() {
    memory_ = {};
    size_ = 0;
  }
  template <class Write>
  void add(std::size_t n, Write write) {
    if (size_ + n > memory_.size()) reserve(std::max(size_ + n, memory_.size() + memory_.size() / 2));
    write(reinterpret_cast<char*>(memory_.data()) + size_);
    size_ += n;
  }

 private:
  B& backend_;
  buffer<unsigned char> memory_;
  std::size_t size_ = 0;
};

/// Appends the records of one text, part by part. Residues is one of the two classes above; names and starts go to the host.
template <Backend B, class Residues>
class fasta_appender {
 public:
  fasta_appender(B& backend, fasta& to, Residues& residues, std::string const& file, fasta_options const& options,
                 std::size_t block, fasta_totals& totals)
      : backend_(backend),
        to_(to),
        residues_(residues),
        file_(file),
        fold_(!options.keep_case),
        memory_(options.memory),
        block_(block),
        checked_(to.names.size()),
        totals_(totals) {
    before_.residues_before = residues.size();
    before_.names_before = to.names.bytes();
  }

  /// @param text  see parsed_fasta
  void take(std::span<unsigned char const> text) {
    if (text.empty()) return;
    parsed_fasta<B> part(backend_, text, position_, block_);
    fasta_counts const& counts = part.counted();
    totals_.residues += counts.residues;
    totals_.records += counts.records;
    totals_.name_bytes += counts.name_bytes;
    if (!totals_.kept) return count(part.after());
    if (counts.refused || (position_.records == 0 && counts.early)) refuse(text, open_name());
    std::string const name = counts.beyond_ascii || unchecked_ ? open_name() : std::string();
    totals_.kept = totals_.memory() <= memory_;
    if (!totals_.kept) return count(part.after());
    write(part, counts);
    check_names(counts, part.after(), text, name);
    position_ = part.after();
  }

  void end() {
    if (totals_.kept && unchecked_ && !is_utf8(open_name())) refuse_fasta(file_, "\n", position_, open_name());
    if (position_.records == 0) refuse_no_records(file_);
  }

 private:
  static bool in_header(fasta_position const& at) {
    return at.place == fasta_place::name || at.place == fasta_place::description;
  }
  [[nodiscard]] std::string open_name() const {
    return in_header(position_) ? std::string(to_.names[to_.names.size() - 1]) : std::string();
  }

  // Continues to count, so that the error can state how much memory suffices; but not without end.
  void count(fasta_position const& after) {
    position_ = after;
    totals_.all = totals_.memory() <= counted_bytes || totals_.memory() / counted_times <= memory_;
    if (!totals_.all) refuse_large(file_, totals_, memory_);
  }

  void write(parsed_fasta<B>& part, fasta_counts const& counts) {
    std::size_t const starts_before = to_.starts.size();
    to_.starts.resize(starts_before + counts.records);
    auto const names_room = to_.names.extend(counts.records, counts.name_bytes);
    std::span<char> const host_names = names_room.bytes;
    std::span<std::uint64_t> const host_starts = std::span<std::uint64_t>(to_.starts).subspan(starts_before),
                                   host_name_starts = names_room.begins;

    auto const names = backend_.target(host_names);
    auto const starts = backend_.target(host_starts), name_starts = backend_.target(host_name_starts);
    fasta_target to = before_;
    to.names = reinterpret_cast<unsigned char*>(names.data());
    to.starts = starts.data();
    to.name_starts = name_starts.data();
    residues_.add(counts.residues, [&](char* residues) {
      to.residues = reinterpret_cast<unsigned char*>(residues);
      part.write(to, fold_);
    });
    backend_.download(std::span<char const>(names.span()), host_names);
    backend_.download(std::span<std::uint64_t const>(starts.span()), host_starts);
    backend_.download(std::span<std::uint64_t const>(name_starts.span()), host_name_starts);
  }

  // Checks the names of headers that have ended. ASCII is UTF-8.
  void check_names(fasta_counts const& counts, fasta_position const& after, std::span<unsigned char const> text,
                   std::string const& name) {
    std::size_t const ended = to_.names.size() - (in_header(after) ? 1 : 0);
    if (counts.beyond_ascii || unchecked_)
      for (; checked_ < ended; ++checked_)
        if (!is_utf8(to_.names[checked_])) refuse(text, name);
    checked_ = ended;
    unchecked_ = in_header(after) && (counts.beyond_ascii || unchecked_);
  }

  [[noreturn]] void refuse(std::span<unsigned char const> text, std::string const& name) const {
    std::string copy(text.size(), '\0');
    backend_.download(text, std::span<unsigned char>(reinterpret_cast<unsigned char*>(copy.data()), copy.size()));
    refuse_fasta(file_, copy, position_, name);
  }

  B& backend_;
  fasta& to_;
  Residues& residues_;
  std::string const& file_;
  bool fold_;
  std::size_t memory_, block_;
  fasta_target before_{};
  fasta_position position_;
  std::size_t checked_;  // names
  fasta_totals& totals_;
  bool unchecked_ = false;  // whether the name of a header that has not ended may be no UTF-8
};

/// Returns true if a text begins with a byte order mark, which some editors write before UTF-8.
inline bool begins_with_mark(std::span<char const> text) {
  return std::string_view(text.data(), text.size()).starts_with(byte_order_mark);
}

/// Parses the text of a stream, and reads the next part meanwhile. Skips a byte order mark `at_begin` of the text.
template <class Take>
void parse_stream(source& from, std::size_t part, bool at_begin, Take take) {
  std::array<host_bytes, 2> parts;
  auto const read = [&](host_bytes& to) {
    to.resize(part + fasta_slack);
    return from.read(to.span().first(part));
  };
  std::size_t got = read(parts[0]), used = got;
  if (at_begin && begins_with_mark(parts[0].span().first(got))) {
    used -= byte_order_mark.size();  // backends parse from the start of the memory
    std::memmove(parts[0].data(), parts[0].data() + byte_order_mark.size(), used);
  }
  while (got == part) {
    std::future<std::size_t> next = std::async([&] { return read(parts[1]); });  // run by get() if no thread is available
    take(std::span<char const>(parts[0].span().first(used)));
    got = used = next.get();
    std::swap(parts[0], parts[1]);
  }
  take(std::span<char const>(parts[0].span().first(used)));
}

/// Implements append_fasta. If the records do not fit, `totals` says so, and includes this text and those before.
template <Backend B, class Residues>
void append_counted(B& backend, fasta& to, Residues& residues, std::string const& name, source& from,
                    fasta_options const& options, fasta_sizes const& sizes, fasta_totals& totals) {
  auto const remaining = [&] { return from.size() ? *from.size() - std::min(*from.size(), from.position()) : 0; };
  bool const has_addresses = remaining() != 0;
  if (std::array<char, byte_order_mark.size()> front; remaining() >= front.size()) {
    from.read_at(from.position(), front);
    if (begins_with_mark(front)) from.skip(front.size());
  }
  std::uint64_t const left = remaining();
  std::size_t const room = options.memory - std::min(options.memory, residues.size());
  residues.reserve(residues.size() + std::min<std::size_t>(room, std::max(left, options.expected)));
  fasta_appender<B, Residues> records(backend, to, residues, name, options, sizes.block, totals);
  std::uint64_t bytes = 0;
  auto const take = [&](std::span<unsigned char const> text) {
    records.take(text);
    bytes += text.size();
    if (options.on_progress) options.on_progress(bytes);
  };
  if (left != 0) {
    std::size_t const part = std::min<std::uint64_t>(left, sizes.part);
    auto const memory = backend.template buffer<unsigned char>(part + fasta_slack);
    for (std::uint64_t rest = left; rest != 0;) {
      std::size_t const got = backend.load(from, memory.span().first(std::min<std::uint64_t>(rest, part)));
      take(memory.span().first(got));
      rest = got == 0 ? 0 : rest - got;
    }
  }
  // All of a stream, or what a file has grown by.
  parse_stream(from, sizes.part, !has_addresses, [&](std::span<char const> text) {
    std::span<unsigned char const> const part{reinterpret_cast<unsigned char const*>(text.data()), text.size()};
    auto const uploaded = backend.upload(part);
    take(uploaded.span());
  });
  records.end();
}

template <Backend B, class Residues>
void append_on(B& backend, fasta& to, Residues& residues, std::string const& name, source& from, fasta_options const& options,
               fasta_sizes const& sizes) {
  fasta_totals totals{residues.size(), to.names.size(), to.names.bytes()};
  append_counted(backend, to, residues, name, from, options, sizes, totals);
  if (!totals.kept) refuse_large(name, totals, options.memory);
}

}  // namespace ordo::inline v0::suffix::detail
