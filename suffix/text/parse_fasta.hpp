#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "ordo/backend.hpp"
#include "suffix/text/fasta_lines.hpp"

// FASTA on a machine, part by part. A part is cut into blocks, of which one thread reads one. Where in a line a block begins
// follows from the blocks before it, by a scan; then every block counts what it holds, and by another scan of these counts
// every block knows where it writes.
namespace ordo::suffix::detail {

/// Bytes of a block, a multiple of 64.
constexpr std::size_t fasta_block = 512;
/// Bytes of a part at most: counts are of 32 bits.
constexpr std::size_t fasta_part_limit = std::size_t{1} << 31;
/// Bytes behind a part that the CPU may read.
constexpr std::size_t fasta_slack = byte_row_size;

/// What a part of a text holds.
struct fasta_counts {
  std::uint32_t residues = 0, records = 0, name_bytes = 0, line_ends = 0;
  bool refused = false;       // there is an error in it
  bool early = false;         // residues come before the first record
  bool beyond_ascii = false;  // in the names
  bool unused = false;        // copied with the others from a GPU: no byte may be without a value
};

struct sum_of_fasta {
  ORDO_FN fasta_counts operator()(fasta_counts a, fasta_counts b) const {
    return {a.residues + b.residues,         a.records + b.records,  a.name_bytes + b.name_bytes,
            a.line_ends + b.line_ends,       a.refused || b.refused, a.early || (a.records == 0 && b.early),
            a.beyond_ascii || b.beyond_ascii};
  }
};

/// A part of a text, in a machine's memory.
struct fasta_part {
  unsigned char const* text;
  std::size_t size, block;
  fasta_position before;

  [[nodiscard]] ORDO_FN std::size_t blocks() const { return (size + block - 1) / block; }
  [[nodiscard]] ORDO_FN std::size_t rows() const { return (size + byte_row_size - 1) / byte_row_size; }
  [[nodiscard]] ORDO_FN std::size_t end_of(std::size_t b) const { return (b + 1) * block < size ? (b + 1) * block : size; }
  /// Where block b begins.
  [[nodiscard]] ORDO_FN fasta_place place_of(std::size_t b, fasta_moves const* moves) const {
    return b == 0 ? before.place : moves[b - 1](before.place);
  }
};

struct write_fasta_moves {
  fasta_part part;
  fasta_moves* moves;
  ORDO_FN void operator()(std::size_t b) const { moves[b] = moves_through(part.text, b * part.block, part.end_of(b)); }
};

template <class T>
struct stored_value {
  T const* values;
  ORDO_FN T operator()(std::size_t i) const { return values[i]; }
};

/// What is kept of a part, a bit for each byte: a word for each row of 64.
struct fasta_masks {
  std::uint64_t *residues, *headers;
};

struct count_fasta_block {
  fasta_part part;
  fasta_moves const* moves;
  fasta_counts* counts;
  fasta_masks masks;

  ORDO_FN void operator()(std::size_t b) const {
    std::size_t const begin = b * part.block, end = part.end_of(b);
    fasta_reader read(part.place_of(b, moves), b == 0 ? part.before.behind_return : part.text[begin - 1] == '\r');
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
      // Mostly there is nothing else.
      bool const plain = row.residues == (low_bits(size) & ~row.line_ends);
      all.residues += plain ? unsigned(size) - line_ends : count_ones(row.residues);
      all.refused |= row.refused;
      if (row.headers == 0) continue;
      all.records += count_ones(row.records);
      all.name_bytes += count_ones(row.headers & ~row.records);
      all.beyond_ascii |= row.beyond_ascii;
    }
    counts[b] = all;
  }
};

/// Where the records of a part go. Starts of residues and of names are counted from the text's begin, where the text may be
/// one of several: `residues_before` and `names_before` are of the others.
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
    fasta_counts const zero, before = b == 0 ? zero : counts[b - 1], behind = counts[b];
    std::size_t const begin = b * part.block, end = part.end_of(b);
    copy_chosen(part.text + begin, masks.residues + begin / byte_row_size, end - begin, to.residues + before.residues,
                behind.residues - before.residues, fold);
    if (behind.records != before.records || behind.name_bytes != before.name_bytes) write_headers(b, before, behind);
  }

 private:
  ORDO_FN void write_headers(std::size_t b, fasta_counts before, fasta_counts behind) const {
    std::size_t residues = before.residues, names = before.name_bytes, records = before.records;
    std::uint64_t inside = part.place_of(b, moves) == fasta_place::name;  // a header that began before this row
    for (std::size_t at = b * part.block; at < part.end_of(b); at += byte_row_size) {
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
      std::size_t const size = part.end_of(b) - at < byte_row_size ? part.end_of(b) - at : byte_row_size;
      names += copy_chosen(part.text + at, chosen, size, to.names + names, behind.name_bytes - names, 0);
    }
  }
};

/// One part of a text: made, it has been counted; then it can be written.
template <Backend B>
class parsed_fasta {
 public:
  /// @param text  in the machine's memory, aligned to 8; on the CPU another fasta_slack bytes can be read behind it. At most
  ///     fasta_part_limit bytes, and not empty
  parsed_fasta(B& machine, std::span<unsigned char const> text, fasta_position const& before, std::size_t block = fasta_block)
      : machine_(machine),
        part_{text.data(), text.size(), block, before},
        moves_(machine.template buffer<fasta_moves>(part_.blocks())),
        counts_(machine.template buffer<fasta_counts>(part_.blocks())),
        residues_(machine.template buffer<std::uint64_t>(part_.rows() + 1)),
        headers_(machine.template buffer<std::uint64_t>(part_.rows())) {
    std::size_t const last = part_.blocks() - 1;
    machine.each(part_.blocks(), write_fasta_moves{part_, moves_.data()});
    machine.scan(part_.blocks(), stored_value<fasta_moves>{moves_.data()}, moves_.span(), fasta_moves_in_turn{});
    machine.each(part_.blocks(), count_fasta_block{part_, moves_.data(), counts_.data(), masks()});
    machine.scan(part_.blocks(), stored_value<fasta_counts>{counts_.data()}, counts_.span(), sum_of_fasta{});
    counted_ = value_at(machine, counts_.span(), last);
    behind_ = {value_at(machine, moves_.span(), last)(before.place),
               value_at(machine, text, text.size() - 1) == '\r',
               before.residues + counted_.residues,
               before.records + counted_.records,
               before.name_bytes + counted_.name_bytes,
               before.line_ends + counted_.line_ends};
  }

  [[nodiscard]] fasta_counts const& counted() const { return counted_; }
  [[nodiscard]] fasta_position const& behind() const { return behind_; }

  /// @param to  room in the machine's memory for all that was counted @param fold  letters in upper case?
  void write(fasta_target const& to, bool fold) {
    machine_.each(part_.blocks(), write_fasta_block{part_, moves_.data(), counts_.data(), masks(), to,
                                                    static_cast<unsigned char>(fold ? 0x20 : 0)});
  }

 private:
  [[nodiscard]] fasta_masks masks() const { return {residues_.data(), headers_.data()}; }

  B& machine_;
  fasta_part part_;
  buffer<fasta_moves> moves_;
  buffer<fasta_counts> counts_;
  buffer<std::uint64_t> residues_, headers_;  // masks
  fasta_counts counted_;
  fasta_position behind_;
};

}  // namespace ordo::suffix::detail
