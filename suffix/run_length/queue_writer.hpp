#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bits.hpp"
#include "ordo/detail/fn.hpp"
#include "suffix/run_length/blocks.hpp"

/// Blocks of runs, made by the lanes of a warp (each_by_lanes.hpp) as one lane makes them. Lanes write where runs begin to a
/// queue. Where it has more runs than a block can hold, they pack a block.
namespace ordo::inline v0::suffix::run_length {

/// Runs of the result that are not in blocks yet, in memory that lanes share.
struct run_queue {
  static constexpr unsigned size = 128;  // a power of 2: what a block did not take, and two runs of each lane
  std::uint64_t starts[size];            // rows of the part
  std::uint8_t letters[size];
  std::uint32_t block[sizeof(run_block) / sizeof(std::uint32_t)];
};

/// Makes blocks of runs, as block_writer does. All lanes make each call.
template <class Lanes, class To>
class queue_writer {
 public:
  ORDO_FN queue_writer(Lanes lanes, run_queue& queue, To to) : lanes_(lanes), queue_(queue), to_(to) {}

  /// Adds the rows of an element of each lane, in order of the lanes: one row of a letter if `has_row`, then some of another.
  /// @param row  the row of the part that comes before the element; known to lanes that have rows
  ORDO_FN void add(bool has_row, unsigned letter, std::uint64_t row, std::uint32_t more_rows, unsigned more_letter) {
    bool const has_more = more_rows != 0;
    unsigned const last_letter = has_more ? more_letter : letter, with_rows = lanes_.votes(has_row || has_more);
    if (with_rows == 0) return;
    unsigned const lower = (1U << lanes_.rank()) - 1, below = with_rows & lower;
    unsigned const of_lane_before = lanes_.of(last_letter, below == 0 ? 0 : highest(below));
    unsigned const before = below == 0 ? letter_ : of_lane_before;
    bool const is_first = has_row ? letter != before : has_more && more_letter != before;
    bool const is_second = has_row && has_more && more_letter != letter;
    unsigned const firsts = lanes_.votes(is_first), seconds = lanes_.votes(is_second);
    unsigned at = begin_ + count_ + count_ones(firsts & lower) + count_ones(seconds & lower);
    if (is_first) begin_run(at++, has_row ? letter : more_letter, row);
    if (is_second) begin_run(at, more_letter, row + 1);
    count_ += count_ones(firsts) + count_ones(seconds);
    letter_ = lanes_.of(last_letter, highest(with_rows));
    lanes_.sync();
    while (count_ > run_block::max_pieces) write_block(run_block::max_pieces, 0);
  }
  /// Ends with the number of rows.
  ORDO_FN void finish(std::uint64_t rows) {
    while (count_ != 0) write_block(count_, rows);
  }
  [[nodiscard]] ORDO_FN To& to() { return to_; }

 private:
  /// The runs that a block of a kind takes: some whole ones, then rows of the next one.
  struct content {
    unsigned kind = 0, whole = 0;
    std::uint64_t cut = 0;
    unsigned first_piece = 0;  // the place of the lane's own run
  };

  [[nodiscard]] ORDO_FN static unsigned highest(unsigned bits) { return 63 - leading_zeros(bits); }
  ORDO_FN void begin_run(unsigned at, unsigned letter, std::uint64_t row) {
    queue_.starts[at % run_queue::size] = row;
    queue_.letters[at % run_queue::size] = std::uint8_t(letter);
  }

  template <unsigned Kind>
  [[nodiscard]] ORDO_FN static unsigned num_pieces(std::uint64_t rows) {
    constexpr std::uint64_t piece = run_block::piece_rows(Kind), too_many = piece * run_block::max_pieces;
    return rows > too_many ? run_block::max_pieces + 1 : (std::uint32_t(rows) + unsigned(piece) - 1) / unsigned(piece);
  }
  template <unsigned Kind>
  ORDO_FN void choose(unsigned runs, std::uint64_t length, content& best) const {
    constexpr unsigned capacity = run_block::capacity(Kind);
    if (Kind != 0 && (best.whole >= capacity || best.whole >= runs)) return;
    unsigned const pieces = lanes_.rank() < runs ? num_pieces<Kind>(length) : 0, last = lanes_.inclusive_sum(pieces);
    unsigned const whole = lanes_.count_true(lanes_.rank() < runs && last <= capacity);
    unsigned const used = whole == 0 ? 0 : lanes_.of(last, whole - 1);
    std::uint64_t const cut = std::uint64_t{capacity - used} * run_block::piece_rows(Kind);
    if (Kind == 0 || whole > best.whole || (whole == best.whole && cut > best.cut)) best = {Kind, whole, cut, last - pieces};
  }
  /// Bounds the rows of a block of the last kind.
  ORDO_FN void bound(unsigned runs, std::uint64_t length, content& best) const {
    constexpr std::uint32_t max_rows = run_block::max_rows;
    unsigned const rank = lanes_.rank();
    std::uint32_t const rows =
        rank > best.whole || rank >= runs ? 0 : std::uint32_t(length <= max_rows ? length : max_rows + 1);
    std::uint32_t const last = lanes_.inclusive_sum(rows);
    unsigned const whole = lanes_.count_true(rank < best.whole && last <= max_rows);
    std::uint64_t const left = max_rows - (whole == 0 ? 0 : lanes_.of(last, whole - 1));
    if (whole < best.whole || left < best.cut) best.cut = left;
    best.whole = whole;
  }

  /// Packs a block of the first runs of the queue. @param rows  where the last run ends, if the queue has no more
  ORDO_FN void write_block(unsigned all_runs, std::uint64_t rows) {
    unsigned const rank = lanes_.rank(), runs = all_runs < run_block::max_pieces ? all_runs : unsigned{run_block::max_pieces};
    std::uint64_t length = 0;
    unsigned letter = letter_mask;
    std::uint64_t const begin = queue_.starts[begin_ % run_queue::size];
    std::uint64_t start = begin;
    if (rank < runs) {
      start = queue_.starts[(begin_ + rank) % run_queue::size];
      length = (rank + 1 < count_ ? queue_.starts[(begin_ + rank + 1) % run_queue::size] : rows) - start;
      letter = queue_.letters[(begin_ + rank) % run_queue::size];
    }
    content here{0, runs, 0, rank};
    if (lanes_.any(length > run_block::piece_rows(0))) {
      choose<0>(runs, length, here);
      choose<1>(runs, length, here);
      choose<2>(runs, length, here);
      static_assert(run_block::num_kinds == 3);
      if (here.kind == 2) bound(runs, length, here);
    }
    bool const is_cut = here.whole < runs;
    if (rank >= here.whole) length = rank == here.whole && is_cut ? here.cut : 0;
    std::uint32_t const rows_of_block = lanes_.sum(std::uint32_t(length));
    if (lanes_.any(length != 0 && letter == end_code)) add_ends(letter == end_code ? length : 0, start);
    write(here, letter, std::uint32_t(length), rows_of_block);
    to_.add_block();
    lanes_.sync();  // all have read the queue
    begin_ += here.whole;
    count_ -= here.whole;
    if (is_cut && rank == 0) queue_.starts[begin_ % run_queue::size] = begin + rows_of_block;
    lanes_.sync();
  }
  ORDO_FN void write(content const& here, unsigned letter, std::uint32_t length, std::uint32_t rows) {
    constexpr unsigned num_words = sizeof(queue_.block) / sizeof(queue_.block[0]);
    unsigned const rank = lanes_.rank();
    std::uint32_t word = rank == 0 ? rows : 0;
    for (unsigned c = 1; c <= 4; ++c) {
      std::uint32_t const of_letter = lanes_.sum(letter == c ? length : 0);
      if (rank == c) word = of_letter;
    }
    if (rank == offsetof(run_block, shape) / sizeof(std::uint32_t)) word = rows | here.kind << 20;
    if (rank < num_words) queue_.block[rank] = word;
    lanes_.sync();
    auto* const lane = reinterpret_cast<unsigned char*>(queue_.block) + offsetof(run_block, words);
    std::uint32_t const most = run_block::piece_rows(here.kind);
    for (unsigned at = here.first_piece; length != 0; ++at) {
      std::uint32_t const take = length < most ? length : most, piece = take << letter_bits | letter;
      length -= take;
      if (here.kind == 0) {
        lane[at] = std::uint8_t(piece);
      } else if (here.kind == 1) {
        auto const half = std::uint16_t(piece);
        std::memcpy(lane + at * sizeof(half), &half, sizeof(half));
      } else {
        std::memcpy(lane + at * sizeof(piece), &piece, sizeof(piece));
      }
    }
    lanes_.sync();
    if (rank < num_words) to_.store(rank, queue_.block[rank]);
  }
  ORDO_FN void add_ends(std::uint64_t length, std::uint64_t start) {
    for (unsigned left = lanes_.votes(length != 0); left != 0; left &= left - 1) {
      unsigned const of = trailing_zeros(left);
      std::uint64_t const rows = lanes_.of(length, of), first = lanes_.of(start, of);
      for (std::uint64_t i = lanes_.rank(); i < rows; i += Lanes::count) to_.store_end(i, first + i);
      to_.add_ends(rows);
    }
  }

  Lanes lanes_;
  run_queue& queue_;
  To to_;
  unsigned begin_ = 0, count_ = 0;  // the queue's first run, and their number
  unsigned letter_ = ~0U;           // the letter of its last run
};

}  // namespace ordo::inline v0::suffix::run_length
