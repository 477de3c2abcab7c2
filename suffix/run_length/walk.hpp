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

/// A bracket of rows on its way.
/// @tparam InRegisters  a step loads its block as a whole, so that a GPU takes few wide loads
template <bool InRegisters>
struct bracket {
  std::uint64_t row, width, block;  // a block that is not after that of the row

  ORDO_FN void step(run_view const& index, unsigned letter) {
    auto&& at = reach(index);
    group_counts const& group = index.groups[block >> group_counts::shift];
    bool const has_pointer = letter - 1 < 4;
    std::uint64_t const inside = row - (group.before[0] + at.before[0]);
    std::uint64_t to = index.first[letter] +
                       (has_pointer ? group.before[letter] + of_letter(at.before + 1, letter) : index.before(block, letter));
    if (width == 0) {
      to += count_in(at, letter, inside);
    } else if (inside + width <= at.rows()) {
      std::uint64_t low = 0, high = 0;
      count_in_both(at, letter, inside, inside + width, low, high);
      to += low;
      width = high - low;
    } else {
      to += count_in(at, letter, inside);
      width = index.step(letter, row + width, index.seek(block, row + width)) - to;
    }
    block = has_pointer ? of_letter(at.pointer, letter) : index.find(to);
    row = to;
  }

 private:
  /// Goes on to the block of the row.
  [[nodiscard]] ORDO_FN run_block const& reach(run_view const& index) requires(!InRegisters) {
    block = index.seek(block, row);
    return index.blocks[block];
  }
  [[nodiscard]] ORDO_FN run_block reach(run_view const& index) requires InRegisters {
    constexpr unsigned max_hops = 3;
    for (unsigned hops = 0;; ++hops, ++block) {
      run_block const at = index.blocks[block];
      std::uint64_t const end = index.groups[block >> group_counts::shift].before[0] + at.before[0] + at.rows();
      if (row < end || block + 1 == index.num_blocks) return at;
      if (hops == max_hops) break;
    }
    block = index.find(row);
    return index.blocks[block];
  }
  [[nodiscard]] ORDO_FN static std::uint32_t of_letter(std::uint32_t const* of, unsigned letter) {
    if constexpr (InRegisters)
      return letter == 1 ? of[0] : letter == 2 ? of[1] : letter == 3 ? of[2] : of[3];
    else
      return of[letter - 1];
  }
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
    bracket<Lanes == 1> at[Lanes];
    std::uint32_t position[Lanes], first[Lanes];
    std::size_t of[Lanes];
    unsigned active = 0;
    std::size_t next = group * Lanes;
    std::size_t const end = next + Lanes < num_walks ? next + Lanes : num_walks;
    for (; next < end; ++next) {
      walk const& w = walks[next];
      if (w.is_known) rows[w.end] = w.row;
      if (w.begin == w.end) continue;
      of[active] = next;
      position[active] = w.end;
      first[active] = w.begin;
      at[active++] = {w.row, w.width, index.find(w.row)};
    }
    while (active != 0) {
      for (unsigned i = 0; i < active;) {
        std::uint32_t const p = --position[i];
        std::uint64_t const width = at[i].width;
        at[i].step(index, codes[p]);
        prefetch(index.blocks + at[i].block);
        rows[p] = at[i].row;
        if (at[i].width != width) {
          or_relaxed(events + p / 64, std::uint64_t{1} << (p % 64));
          ++walks[of[i]].events;
        }
        if (p != first[i]) {
          ++i;
          continue;
        }
        walks[of[i]].width = at[i].width;
        --active;
        at[i] = at[active];
        position[i] = position[active];
        first[i] = first[active];
        of[i] = of[active];
      }
    }
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
