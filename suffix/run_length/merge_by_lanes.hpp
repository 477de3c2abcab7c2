#pragma once
#include <cstdint>

#include "base/bits.hpp"
#include "ordo/detail/fn.hpp"
#include "suffix/run_length/blocks.hpp"
#include "suffix/run_length/queue_writer.hpp"
#include "suffix/run_length/walk.hpp"

/// The merge of merge.hpp by the lanes of a warp (each_by_lanes.hpp), which makes the blocks that one lane makes.
///
/// Each lane takes a piece of a block of the index and a key. In the order of both, lanes then take one of either each, and add
/// it to a queue_writer.
namespace ordo::inline v0::suffix::run_length {

/// The pieces of a block and some keys, of which each lane has one, as the elements of one list.
template <class Lanes>
class merged_elements {
 public:
  /// @param start       row of the block from which on the lane's piece counts; pieces and keys ascend
  /// @param gap         row of the block before which the key comes: after the start of any piece before that row
  /// @param num_pieces  number of lanes with a piece, not all; @param num_keys  number with a key
  ORDO_FN merged_elements(Lanes lanes, unsigned num_pieces, std::uint32_t start, unsigned letter, unsigned num_keys,
                          std::uint32_t gap, unsigned before, std::uint32_t end)
      : lanes_(lanes), num_pieces_(num_pieces), num_keys_(num_keys), end_(end), piece_(start << letter_bits | letter),
        key_(gap << letter_bits | before) {
    unsigned keys = 0;  // before the lane's piece
    for (unsigned step = Lanes::count; step != 0; step /= 2) {
      unsigned const probe = keys + step - 1;
      std::uint32_t const there = lanes.of(gap, probe % Lanes::count);
      if (probe < num_keys && there <= start) keys += step;
    }
    pieces_ = lanes.either(lanes.rank() < num_pieces ? std::uint64_t{1} << (lanes.rank() + keys) : 0);
  }

  struct element {
    bool is_key = false;
    unsigned letter = 0;           // the key's
    unsigned keys = 0;             // number of keys up to this element
    std::uint32_t row = 0;         // where it begins
    std::uint32_t rows = 0;        // rows of the piece up to the next element
    unsigned letter_of_piece = 0;
  };
  [[nodiscard]] ORDO_FN unsigned size() const { return num_pieces_ + num_keys_; }
  /// Returns the lane's element in a list from `first` on. All lanes call it.
  [[nodiscard]] ORDO_FN element from(unsigned first) const {
    unsigned const at = first + lanes_.rank();
    std::uint64_t const bit = std::uint64_t{1} << (at % 64);
    bool const is_there = at < size(), is_piece = (pieces_ & bit) != 0;
    unsigned const pieces = count_ones(pieces_ & (bit - 1)) + unsigned(is_piece);  // up to this element
    unsigned const keys = at + 1 - pieces;
    std::uint32_t const piece = lanes_.of(piece_, (pieces - 1) % Lanes::count), next = lanes_.of(piece_, pieces % Lanes::count);
    std::uint32_t const key = lanes_.of(key_, (keys - 1) % Lanes::count), next_key = lanes_.of(key_, keys % Lanes::count);
    element e;
    if (!is_there) return e;
    e.is_key = !is_piece;
    e.letter = key & letter_mask;
    e.keys = keys;
    e.row = (is_piece ? piece : key) >> letter_bits;
    std::uint32_t stop = end_;
    if (pieces < num_pieces_ && next >> letter_bits < stop) stop = next >> letter_bits;
    if (keys < num_keys_ && next_key >> letter_bits < stop) stop = next_key >> letter_bits;
    e.rows = pieces != 0 && stop > e.row ? stop - e.row : 0;
    e.letter_of_piece = piece & letter_mask;
    return e;
  }

 private:
  Lanes lanes_;
  unsigned num_pieces_, num_keys_;
  std::uint32_t end_, piece_, key_;
  std::uint64_t pieces_ = 0;  // a bit for each element that is a piece
};

/// Merges blocks [begin, end) of an index with the keys of its rows. The last block, and an index without blocks, takes all
/// that are left. @param next  the first key
/// @returns the number of rows
template <class Lanes, class To>
ORDO_FN std::uint64_t merge_by_lanes(Lanes lanes, run_view const& index, std::uint64_t begin, std::uint64_t end,
                                     std::uint64_t const* keys, std::uint64_t num_keys, std::uint64_t next,
                                     queue_writer<Lanes, To>& to) {
  unsigned const rank = lanes.rank();
  std::uint64_t first_row = begin < index.num_blocks ? index.begin(begin) : 0, rows_before = 0;
  for (std::uint64_t at = begin; at == begin || at < end; ++at) {
    unsigned piece = 0;
    if (at < index.num_blocks) {
      unsigned const kind = index.blocks[at].kind();
      if (rank < run_block::capacity(kind)) piece = index.blocks[at].piece(kind, rank);
    }
    bool const is_last = at + 1 >= index.num_blocks;
    std::uint32_t const length = piece >> letter_bits, piece_end = lanes.inclusive_sum(length);
    std::uint32_t const rows = lanes.of(piece_end, Lanes::count - 1);
    std::uint32_t row = 0;  // the first row of the block that is not taken
    for (bool more = true; more;) {
      std::uint64_t const key = next + rank < num_keys ? keys[next + rank] : 0;
      std::uint64_t const gap_of_key = suffix_key::row(key) - first_row;
      bool const is_here = next + rank < num_keys && (is_last || gap_of_key < rows);
      std::uint32_t gap = is_here && gap_of_key < rows ? std::uint32_t(gap_of_key) : rows;
      if (gap < row) gap = row;
      unsigned const count = lanes.count_true(is_here);
      more = count == Lanes::count;
      std::uint32_t const stop = more ? lanes.of(gap, Lanes::count - 1) : rows;
      unsigned before = suffix_key::before(key);
      if (before == continued_code) before = end_code;
      std::uint32_t start = piece_end - length;
      if (start < row) start = row;
      unsigned const num_pieces = lanes.count_true(start < stop);
      merged_elements<Lanes> const all(lanes, num_pieces, start, piece & letter_mask, count, gap, before, stop);

      // A suffix that is continued takes the place of the row before which it comes.
      unsigned const continued = lanes.votes(is_here && suffix_key::first(key) == continued_code);
      unsigned const of_continued = continued == 0 ? Lanes::count : trailing_zeros(continued);
      std::uint32_t const dropped = continued == 0 ? 0 : lanes.of(gap, of_continued);
      for (unsigned k = 0; k < all.size(); k += Lanes::count) {
        auto e = all.from(k);
        std::uint64_t position = rows_before + (e.row - row) + (e.keys - unsigned(e.is_key));
        if (e.keys > of_continued) {
          if (e.row > dropped)
            --position;
          else if (e.rows != 0)
            --e.rows;
        }
        to.add(e.is_key, e.letter, position, e.rows, e.letter_of_piece);
      }
      next += count;
      rows_before += count + (stop - row);
      row = stop;
      if (continued != 0) {
        if (stop > dropped)
          --rows_before;
        else
          row = dropped + 1;
      }
    }
    first_row += rows;
  }
  return rows_before;
}

}  // namespace ordo::inline v0::suffix::run_length
