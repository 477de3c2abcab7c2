#pragma once
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"
#include "suffix/run_length/blocks.hpp"

/// Walks backwards through an index find the rows before which the suffixes of new records come.
///
/// A walk starts anywhere in a record, where the row of its first suffix is not known, and carries the bracket of all rows that
/// it may be. A step maps both ends of the bracket. So the true row is `row + delta`, where delta stays the same while the
/// width of the bracket does. The positions where the width changes are events. Once the row at its start is known, a walk
/// takes one step of the true row for each event, and no others.
namespace ordo::inline v0::suffix::run_length {

struct walk {
  std::uint32_t begin = 0, end = 0;  // positions of its letters; the suffix at `end` is where it starts
  std::uint64_t row = 0, width = 0;  // the bracket at its start; after the walk, the width at its end
  std::uint64_t delta = 0;           // the true row at its start, minus `row`
  std::uint32_t events = 0;
  bool is_known = false;  // the row at its start is known: it starts where a part of a record ends
  bool is_last = false;   // it ends where the part begins

  [[nodiscard]] ORDO_FN bool is_closed() const { return width == 0; }
};

/// Reads a block of an index. @tparam InRegisters  the block is loaded as a whole, so that a GPU takes few wide loads, and no
/// address depends on a letter
template <bool InRegisters>
struct block_access {
  [[nodiscard]] ORDO_FN static run_block const& load(run_view const& index, std::uint64_t block) requires(!InRegisters) {
    return index.blocks[block];
  }
  [[nodiscard]] ORDO_FN static run_block load(run_view const& index, std::uint64_t block) requires InRegisters {
    return index.blocks[block];
  }
  [[nodiscard]] ORDO_FN static std::uint32_t of_letter(std::uint32_t const* of, unsigned letter) {
    if constexpr (InRegisters)
      return letter == 1 ? of[0] : letter == 2 ? of[1] : letter == 3 ? of[2] : of[3];
    else
      return of[letter - 1];
  }
  [[nodiscard]] ORDO_FN static std::uint64_t first_row(run_view const& index, unsigned letter) {
    if constexpr (InRegisters) {
      static_assert(num_codes == 6);
      return letter == 1   ? index.first[1]
             : letter == 2 ? index.first[2]
             : letter == 3 ? index.first[3]
             : letter == 4 ? index.first[4]
             : letter == 5 ? index.first[5]
                           : index.first[0];
    } else {
      return index.first[letter];
    }
  }
};

/// A bracket of rows on its way. A step takes as many calls as it reads blocks, so that the threads of a warp, and the walks of
/// a thread, never wait for one that reads more of them.
template <bool InRegisters>
class bracket {
 public:
  bracket() = default;
  ORDO_FN bracket(run_view const& index, std::uint64_t row, std::uint64_t width)
      : row_(row), width_(width), block_(index.find(row)) {}

  [[nodiscard]] ORDO_FN std::uint64_t row() const { return row_; }
  [[nodiscard]] ORDO_FN std::uint64_t width() const { return width_; }
  /// Returns the block that the next call reads.
  [[nodiscard]] ORDO_FN std::uint64_t block() const { return block_; }

  /// Reads a block of the step by a letter.
  /// @returns true if the step is done
  ORDO_FN bool advance(run_view const& index, unsigned letter) {
    auto&& at = access::load(index, block_);
    group_counts const& group = index.groups[block_ >> group_counts::shift];
    std::uint64_t const end = is_upper_ ? row_ + width_ : row_, inside = end - (group.before[0] + at.before[0]);
    if (inside >= at.rows() && block_ + 1 != index.num_blocks) {
      constexpr unsigned max_hops = 3;
      block_ = ++hops_ > max_hops ? index.find(end) : block_ + 1;
      return false;
    }
    hops_ = 0;
    bool const has_pointer = letter - 1 < 4;
    std::uint64_t const before =
        access::first_row(index, letter) +
        (has_pointer ? group.before[letter] + access::of_letter(at.before + 1, letter) : index.before(block_, letter));
    if (is_upper_) {
      is_upper_ = false;
      width_ = before + count_in(at, letter, inside) - lower_;
      row_ = lower_;
      block_ = lower_block_;
      return true;
    }
    bool const is_whole = inside + width_ <= at.rows();
    std::uint64_t low = 0, high = 0;
    if (is_whole && width_ != 0)
      count_in_both(at, letter, inside, inside + width_, low, high);
    else
      low = count_in(at, letter, inside);
    std::uint64_t const to = before + low, next = has_pointer ? access::of_letter(at.pointer, letter) : index.find(to);
    if (!is_whole) {
      is_upper_ = true;
      lower_ = to;
      lower_block_ = next;
      ++block_;
      return false;
    }
    if (width_ != 0) width_ = high - low;
    row_ = to;
    block_ = next;
    return true;
  }

 private:
  using access = block_access<InRegisters>;

  std::uint64_t row_ = 0, width_ = 0, block_ = 0;  // a block that is not after that of the row
  std::uint64_t lower_ = 0, lower_block_ = 0;      // where the lower end goes, while the upper one is looked for
  unsigned hops_ = 0;
  bool is_upper_ = false;
};

/// A walk to the letter before a row. A step takes as many calls as it reads blocks.
template <bool InRegisters = false>
struct letter_walk {
  std::uint64_t row = 0, block = 0;  // a block that is not after that of the row
  unsigned hops = 0;

  /// Reads a block of the step to the row of the suffix with one more letter.
  /// @param letter  that letter; end_code at the start of a record: then `row` becomes the number of this end among all
  /// @returns true if the step is done
  ORDO_FN bool advance(run_view const& index, unsigned& letter) {
    using access = block_access<InRegisters>;
    if (block >= index.num_blocks) block = index.find(row);  // the index is damaged
    auto&& at = access::load(index, block);
    group_counts const& group = index.groups[block >> group_counts::shift];
    std::uint64_t const inside = row - (group.before[0] + at.before[0]);
    constexpr unsigned max_hops = 3;
    if (inside >= at.rows() && block + 1 != index.num_blocks && hops <= max_hops) {
      block = ++hops > max_hops ? index.find(row) : block + 1;
      return false;
    }
    hops = 0;
    run_row const here = row_at(at, inside);
    letter = here.letter;
    if (letter - 1 < 4) {
      row = access::first_row(index, letter) + group.before[letter] + access::of_letter(at.before + 1, letter) + here.before;
      block = access::of_letter(at.pointer, letter);
      return true;
    }
    row = index.before(block, letter) + here.before;
    if (letter == end_code) return true;
    row += access::first_row(index, letter);
    block = index.find(row);
    return true;
  }
  /// Takes a step.
  /// @returns its letter
  ORDO_FN unsigned step(run_view const& index) {
    unsigned letter = end_code;
    while (!advance(index, letter)) continue;
    return letter;
  }
};

/// The letters of a walk, from its end on. A GPU reads them by aligned words, as load_big_endian does.
template <bool ByWords>
class letters_back {
 public:
  ORDO_FN unsigned operator()(std::uint8_t const* codes, std::uint32_t p) {
    if constexpr (ByWords) {
      if (p / 8 != at_) {
        at_ = p / 8;
        word_ = reinterpret_cast<std::uint64_t const*>(codes)[at_];
      }
      return unsigned(word_ >> (p % 8 * 8)) & letter_mask;
    } else {
      return codes[p];
    }
  }

 private:
  std::uint64_t word_ = 0;
  std::uint32_t at_ = ~std::uint32_t{0};
};

/// Stores the rows of a walk, from its end on. A GPU stores four at a time.
template <bool ByFour>
class rows_back {
 public:
  /// @param begin, end  the positions of the walk
  ORDO_FN void operator()(std::uint64_t* rows, std::uint32_t p, std::uint64_t row, std::uint32_t begin, std::uint32_t end) {
    if constexpr (ByFour) {
      std::uint32_t const first = p & ~std::uint32_t{3};
      for (std::uint32_t k = 0; k < 4; ++k)
        if (p == first + k) held_[k] = row;
      if (p != begin && p != first) return;
      if (p == first && first + 3 < end) {
        auto* const to = reinterpret_cast<pair*>(rows + first);
        to[0] = {held_[0], held_[1]};
        to[1] = {held_[2], held_[3]};
        return;
      }
      for (std::uint32_t k = 0; k < 4; ++k)
        if (first + k >= p && first + k < end) rows[first + k] = held_[k];
    } else {
      rows[p] = row;
    }
  }

 private:
  struct alignas(16) pair {
    std::uint64_t of[2];
  };
  std::uint64_t held_[ByFour ? 4 : 1] = {};
};

/// Takes `Lanes` walks at a time, so that a CPU reads the blocks of one while it steps with another. A GPU has a thread a walk.
template <unsigned Lanes>
struct step_walks {
  run_view index;
  std::uint8_t const* codes;
  walk* walks;
  std::size_t num_walks;
  std::uint64_t *rows, *events;  // a row and a bit for each position

  ORDO_FN void operator()(std::size_t group) const {
    std::size_t const begin = group * Lanes, end = begin + Lanes < num_walks ? begin + Lanes : num_walks;
    if constexpr (Lanes == 1) {  // an array would not be in registers
      if (lane alone; begin_lane(begin, alone))
        while (alone.advance(*this)) continue;
    } else {
      lane lanes[Lanes];
      unsigned active = 0;
      for (std::size_t next = begin; next < end; ++next) active += begin_lane(next, lanes[active]) ? 1 : 0;
      while (active != 0)
        for (unsigned i = 0; i < active;)
          if (lanes[i].advance(*this))
            ++i;
          else
            lanes[i] = lanes[--active];
    }
  }

 private:
  class lane {
   public:
    lane() = default;
    ORDO_FN lane(step_walks const& all, std::size_t of)
        : at_(all.index, all.walks[of].row, all.walks[of].width),
          of_(of),
          begin_(all.walks[of].begin),
          end_(all.walks[of].end),
          position_(end_ - 1),
          letter_(letters_(all.codes, position_)) {}

    /// Reads a block.
    /// @returns false if the walk has ended
    ORDO_FN bool advance(step_walks const& all) {
      std::uint64_t const width = at_.width();
      bool const is_step = at_.advance(all.index, letter_);
      prefetch(all.index.blocks + at_.block());
      if (!is_step) return true;
      rows_(all.rows, position_, at_.row(), begin_, end_);
      if (at_.width() != width) {
        or_relaxed(all.events + position_ / 64, std::uint64_t{1} << (position_ % 64));
        ++events_;
      }
      if (position_ == begin_) {
        all.walks[of_].width = at_.width();
        all.walks[of_].events = events_;
        return false;
      }
      letter_ = letters_(all.codes, --position_);
      return true;
    }

   private:
    bracket<Lanes == 1> at_;
    std::size_t of_ = 0;
    std::uint32_t begin_ = 0, end_ = 0, position_ = 0, events_ = 0;
    letters_back<Lanes == 1> letters_;
    rows_back<Lanes == 1> rows_;
    unsigned letter_ = 0;
  };

  /// @returns false if the walk has no letters
  ORDO_FN bool begin_lane(std::size_t of, lane& to) const {
    walk const& w = walks[of];
    if (w.is_known) rows[w.end] = w.row;
    if (w.begin == w.end) return false;
    to = lane(*this, of);
    return true;
  }
};

/// Returns the last position before `end` whose bit is set, or `begin` - 1 if there is none from `begin` on; modulo 2^32.
ORDO_FN inline std::uint32_t last_event(std::uint64_t const* events, std::uint32_t begin, std::uint32_t end) {
  while (end > begin) {
    std::uint32_t const word = (end - 1) / 64, low = word * 64;
    std::uint64_t bits = events[word] & (~std::uint64_t{0} >> (63 - (end - 1) % 64));
    if (low < begin) bits &= ~std::uint64_t{0} << (begin - low);
    if (bits != 0) return low + 63 - std::uint32_t(leading_zeros(bits));
    end = low;
  }
  return begin - 1;
}

/// Finds the true rows of walks at their events. A walk whose bracket has closed ends at a known row, whatever its start. So
/// the walks before it, up to the next closed one, are resolved one after the other, from the end of the record, and all such
/// chains at a time.
struct resolve_walks {
  run_view index;
  std::uint8_t const* codes;
  walk* walks;
  std::uint64_t const *rows, *events, *first_event;
  std::uint64_t* deltas;  // the delta from each event on

  ORDO_FN void operator()(std::size_t i) const {
    if (!walks[i].is_known && !walks[i + 1].is_closed()) return;
    std::uint64_t row = walks[i].is_known ? walks[i].row : rows[walks[i + 1].begin];
    while (true) {
      walk& w = walks[i];
      row = resolve(w, row, deltas + first_event[i]);
      if (w.is_last || w.is_closed()) return;
      --i;
    }
  }

 private:
  // Returns the row at the end of the walk.
  ORDO_FN std::uint64_t resolve(walk& w, std::uint64_t row, std::uint64_t* to) const {
    std::uint64_t delta = w.delta = row - w.row;
    for (std::uint32_t end = w.end;;) {
      std::uint32_t const p = last_event(events, w.begin, end);
      if (p + 1 == w.begin) break;
      if (delta != 0) {
        std::uint64_t const before = (p + 1 == w.end ? w.row : rows[p + 1]) + delta;
        delta = index.step(codes[p], before, index.find(before)) - rows[p];
      }
      *to++ = delta;
      end = p;
    }
    return w.begin == w.end ? row : rows[w.begin] + delta;
  }
};

/// The key of a suffix: its row, its first letter, and the letter before it.
struct suffix_key {
  static constexpr unsigned row_shift = 2 * letter_bits;

  ORDO_FN static std::uint64_t of(std::uint64_t row, unsigned first, unsigned before) {
    return row << row_shift | first << letter_bits | before;
  }
  ORDO_FN static std::uint64_t row(std::uint64_t key) { return key >> row_shift; }
  ORDO_FN static unsigned first(std::uint64_t key) { return unsigned(key >> letter_bits) & letter_mask; }
  ORDO_FN static unsigned before(std::uint64_t key) { return unsigned(key) & letter_mask; }
  /// Returns the gap and the first letter, which are the same for suffixes whose order is not known yet.
  ORDO_FN static std::uint64_t gap(std::uint64_t key) { return key >> letter_bits; }
};

/// Returns the letter before a suffix: the end of a record for the first one of a part.
ORDO_FN inline unsigned letter_before(std::uint8_t const* codes, std::uint32_t p) {
  unsigned const code = p == 0 ? unsigned{end_code} : codes[p - 1];
  return code == continued_code ? unsigned{end_code} : code;
}

/// Makes the keys of the suffixes of a walk, in the place of their rows.
struct make_keys {
  std::uint8_t const* codes;
  walk const* walks;
  std::uint64_t const *events, *first_event, *deltas;
  std::uint64_t* rows;

  template <class Lanes>
  ORDO_FN void operator()(Lanes lanes, std::size_t i) const {
    walk const& w = walks[i];
    std::uint64_t delta = w.delta;
    std::uint64_t const* next = deltas + first_event[i];
    if (w.is_known && lanes.rank() == 0) make_key(w.end, 0);
    for (std::uint32_t end = w.end; end != w.begin;) {
      std::uint32_t const event = last_event(events, w.begin, end);
      bool const is_event = event + 1 != w.begin;
      std::uint32_t const stop = is_event ? event + 1 : w.begin;
      for (std::uint64_t p = std::uint64_t{stop} + lanes.rank(); p < end; p += Lanes::count) make_key(std::uint32_t(p), delta);
      if (is_event) {
        delta = *next++;
        if (lanes.rank() == 0) make_key(event, delta);
        end = event;
      } else {
        end = w.begin;
      }
    }
  }

 private:
  ORDO_FN void make_key(std::uint32_t p, std::uint64_t delta) const {
    rows[p] = suffix_key::of(rows[p] + delta, codes[p], letter_before(codes, p));
  }
};

}  // namespace ordo::inline v0::suffix::run_length
