#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/suffix/fm_view.hpp"

namespace ordo::inline v0::suffix {

/// Replaces rows of an index of runs by the positions that they hold. Adjacent rows most often have the same letter before
/// them, and so have the rows that those map to: they walk together, a step for all, until each of them has come to a row with
/// a sample. Found rows walk on with the others, for a group that they divide would take two steps. A few groups are
/// interleaved to hide the latency of memory.
/// @tparam Refuse  called as refuse(walk, outcome) for numbers that no index has; throws
template <class Refuse>
class run_positions {
 public:
  run_positions(fm_view const& index, std::span<std::uint64_t> rows, Refuse refuse)
      : index_(index),
        rows_(rows),
        refuse_(refuse),
        positions_(rows.size(), none),
        shift_(trailing_zeros(index.sample)),
        is_power_(index.sample == std::uint64_t{1} << shift_) {}

  void find() {
    std::size_t active = 0;
    while (active < max_active && start(active_[active])) ++active;
    while (active != 0)
      for (std::size_t i = 0; i < active;) {
        group& at = active_[i];
        step(at);
        if (at.left != 0) {
          prefetch(index_.runs.blocks + std::min(at.block, index_.runs.num_blocks - 1));
          ++i;
        } else if (!start(at)) {
          at = active_[--active];
        }
      }
    std::ranges::copy(positions_, rows_.begin());
  }

 private:
  struct group {
    std::uint64_t row, count;  // rows of all, ends of records included
    std::size_t item;          // number of the first row
    std::size_t left;          // rows without a position
    std::uint64_t steps, block;
  };
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr std::size_t max_active = 16;

  void refuse(group const& at, fm_view::outcome why, std::uint64_t position = 0) {
    refuse_(fm_view::walk{rows_[at.item], at.row, at.steps, position, at.block}, why);
  }
  /// Starts with rows that were divided from others, or with the next ones.
  bool start(group& to) {
    while (true) {
      if (!divided_.empty()) {
        to = divided_.back();
        divided_.pop_back();
        return true;
      }
      if (next_ == rows_.size()) return false;
      std::size_t end = next_ + 1;
      while (end != rows_.size() && rows_[end] == rows_[end - 1] + 1) ++end;
      std::uint64_t const row = rows_[next_] + index_.records;
      to = {row, end - next_, next_, end - next_, 0, index_.runs.find(row)};
      if (rows_[end - 1] >= index_.residues) refuse(to, fm_view::outcome::bad_position, rows_[end - 1]);
      next_ = end;
      read_samples(to);
      if (to.left != 0) return true;
    }
  }
  void set(group& at, std::uint64_t row, std::uint64_t position, fm_view::outcome if_bad) {
    std::uint64_t& to = positions_[at.item + std::size_t(row - at.row)];
    if (to != none) return;
    if (position >= index_.residues || at.steps >= index_.residues - position) refuse(at, if_bad, position);
    to = position + at.steps;
    --at.left;
  }
  void read_samples(group& at) {
    std::uint64_t const row = at.row - index_.records, sample = index_.sample;
    std::uint64_t i = is_power_ ? (row + sample - 1) >> shift_ : (row + sample - 1) / sample;
    if (i * sample >= row + at.count && at.steps != 0) return;
    for (; i * sample < row + at.count; ++i)
      set(at, i * sample + index_.records, index_.samples[i], fm_view::outcome::bad_position);
    // Rows at the ends need no more steps.
    while (at.left != 0 && positions_[at.item] != none) {
      ++at.item;
      ++at.row;
      --at.count;
    }
    while (at.left != 0 && positions_[at.item + at.count - 1] != none) --at.count;
  }
  /// Returns how many rows from this one on have its letter before them, up to `limit`. @param first  this row
  std::uint64_t run_at(std::uint64_t block, std::uint64_t row, std::uint64_t limit, run_length::run_row const& first) const {
    run_length::run_view const& runs = index_.runs;
    for (std::uint64_t length = first.rows; length < limit;) {
      while (row + length >= runs.end(block) && block + 1 < runs.num_blocks) ++block;
      run_length::run_row const next = runs.read(row + length, block);
      if (next.rows == 0 || next.letter != first.letter) return length;
      length += next.rows;
    }
    return limit;
  }
  void step(group& at) {
    run_length::run_view const& runs = index_.runs;
    at.block = runs.seek(at.block, at.row);
    run_length::run_row const first = runs.read(at.row, at.block);
    unsigned const letter = first.letter;
    if (first.rows == 0 || letter >= run_length::num_codes) refuse(at, fm_view::outcome::bad_symbol);
    std::uint64_t const length = run_at(at.block, at.row, at.count, first);
    if (length < at.count) divide(at, length);
    std::uint64_t const below = runs.before(at.block, letter) + first.before;
    std::uint64_t const of_letter = runs.first[letter + 1] - runs.first[letter];
    if (below > of_letter || at.count > of_letter - below) refuse(at, fm_view::outcome::bad_count);
    if (letter == run_length::end_code) {
      for (std::uint64_t i = 0; i < at.count; ++i) {
        std::uint64_t const record = index_.ends[below + i];
        std::uint64_t const start = record >= index_.records ? index_.residues : index_.starts ? index_.starts[record] : 0;
        set(at, at.row + i, start, fm_view::outcome::bad_record);
      }
      return;
    }
    at.row = runs.first[letter] + below;
    at.block = runs.guess(letter, at.row, at.block);
    if (++at.steps > index_.residues) refuse(at, fm_view::outcome::endless);
    read_samples(at);
  }
  void divide(group& at, std::uint64_t length) {
    group rest = at;
    rest.row += length;
    rest.count -= length;
    rest.item += length;
    auto const begin = positions_.begin() + std::ptrdiff_t(rest.item);
    rest.left = std::size_t(std::count(begin, begin + std::ptrdiff_t(rest.count), none));
    at.count = length;
    at.left -= rest.left;
    if (rest.left != 0) divided_.push_back(rest);
  }

  fm_view const& index_;
  std::span<std::uint64_t> rows_;
  Refuse refuse_;
  std::vector<std::uint64_t> positions_;
  std::vector<group> divided_;
  std::array<group, max_active> active_;
  std::size_t next_ = 0;
  unsigned shift_;  // log2(sample) if that is whole: a division takes longer than the rest of a step
  bool is_power_;
};

}  // namespace ordo::inline v0::suffix
