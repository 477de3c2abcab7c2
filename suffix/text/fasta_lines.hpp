#pragma once
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "base/byte_mask.hpp"
#include "ordo/detail/fn.hpp"

// FASTA text by rows of 64 bytes: what each byte is follows from where in a line the row begins.
namespace ordo::suffix::detail {

/// Where in the text a byte lies. A name ends at the first blank; the rest of the header is the description.
enum class fasta_place : std::uint8_t { line_begin, name, description, comment, residues };

/// Where a text stands between two of its parts.
struct fasta_position {
  fasta_place place = fasta_place::line_begin;
  bool behind_return = false;                                              // is the byte before a carriage return?
  std::uint64_t residues = 0, records = 0, name_bytes = 0, line_ends = 0;  // before it
};

/// Where a stretch of text ends, for every place at which it may begin.
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

/// One stretch, then another one.
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

/// Of text[begin, end), which is not empty; begin is a multiple of 8.
ORDO_FN inline fasta_moves moves_through(unsigned char const* text, std::size_t begin, std::size_t end) {
  // The last line's begin is looked for from behind. Only a name has to be looked through for a blank.
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

/// What the bytes of a row are: bit i for byte i.
struct fasta_row {
  std::uint64_t residues = 0;
  std::uint64_t headers = 0;  // '>' that begins a record, and the name behind it
  std::uint64_t records = 0;  // '>' that begins a record
  std::uint64_t line_ends = 0;
  bool refused = false;       // no residue in a line of residues, a carriage return inside a line, or a NUL in a name
  bool beyond_ascii = false;  // in a name
};

/// Goes through a text row by row.
class fasta_reader {
 public:
  /// @param behind_return  is the byte before a carriage return?
  ORDO_FN fasta_reader(fasta_place place, bool behind_return) : place_(place), behind_return_(behind_return) {}

  /// The next row: `count` bytes, 1 to 64.
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
    std::uint64_t const cut = (returns << 1 | std::uint64_t{behind_return_}) & ~row.line_ends & inside;  // lines, by a return
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
      // Residues go on through the lines up to the next header or comment.
      std::uint64_t const stops = rest & (place_ == fasta_place::residues ? (headers | comments) >> 1 : row.line_ends);
      std::size_t const end = stops == 0 ? count : trailing_zeros(stops);
      std::uint64_t const part = rest & low_bits(end);
      if (place_ == fasta_place::residues) {
        row.residues |= part & printed;
        row.refused |= (part & cut) != 0 || has_refused(bytes, part & printed & ~letters, part & blank & ~returns);
      } else if (place_ != fasta_place::comment) {
        row.refused |= (part & cut) != 0;
        if (place_ == fasta_place::name) take_name(bytes, part, blank, returns, row);
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

  ORDO_FN void take_name(byte_row const& bytes, std::uint64_t part, std::uint64_t blank, std::uint64_t returns,
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

}  // namespace ordo::suffix::detail
