#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "ordo/suffix/fm_view.hpp"
#include "suffix/index/run_index_layout.hpp"

namespace ordo::inline v0::suffix {

/// Replaces rows of an index of runs by the positions that they hold. Adjacent rows most often have the same letter before
/// them, and so have the rows that those map to: they walk together, a step for all. They have come to rows with samples, all
/// at the same step, when the letters of the walk begin with a marker; or a row is one of those that have samples by their
/// number. Then it walks on with the others, for a group that it divides would take two steps. Rows divide by the letters
/// before them. A walk that comes to another row of the list ends there, as those of a query's matches often do that differ in
/// a letter between them, or in a tandem repeat. Some groups are interleaved to hide the latency of memory.
/// @tparam Refuse  called as refuse(walk, outcome) for numbers that no index has; throws
template <class Refuse>
class run_positions {
 public:
  run_positions(fm_view const& index, std::span<std::uint64_t> rows, Refuse refuse)
      : index_(index),
        rows_(rows),
        refuse_(refuse),
        markers_(index.rows, index.sample),
        shift_(trailing_zeros(index.sample)),
        is_power_(index.sample == std::uint64_t{1} << shift_) {
    list_rows();
    positions_.assign(wanted_.size(), none);
    items_.resize(wanted_.size());
    std::iota(items_.begin(), items_.end(), std::size_t{0});
    make_filter();
    run_index_layout const at = run_index_layout::read({index.file, run_index_layout::groups_at});
    marker_rows_ = at.rows_of_markers(index.file);
    marker_samples_ =
        entries({index.file + at.marker_samples_at(), std::size_t(at.marker_samples * (at.width / 8))}, unsigned(at.width));
  }

  void find() {
    std::size_t active = 0;
    while (active < max_active && start(active_[active])) ++active;
    while (active != 0)
      for (std::size_t i = 0; i < active;) {
        group& at = active_[i];
        step(at);
        if (at.left != 0) {
          index_.runs.prefetch(at.block);
          ++i;
        } else if (!start(at)) {
          at = active_[--active];
        }
      }
    if (order_.empty()) {
      for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = resolve(i);
      return;
    }
    std::size_t item = 0;
    for (std::size_t const i : order_) {
      item += wanted_[item] != rows_[i];
      rows_[i] = resolve(item);
    }
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0}, is_link = std::uint64_t{1} << 63;
  struct group {
    std::uint64_t row, count;  // rows of all, ends of records included
    std::size_t first;         // the place of the first row's item
    std::size_t left;          // rows without a position
    std::uint64_t steps, block;
    last_letters letters = {};
  };
  /// The rows of a group that have a letter before them.
  struct part {
    std::uint64_t count = 0, below = 0;  // below: how many rows before them have it
    std::size_t next = 0;                // the place of the next item
  };
  static constexpr std::size_t max_active = 32;
  static constexpr unsigned bucket_shift = 5;  // groups most often have fewer rows
  static constexpr std::uint64_t max_buckets = 8;

  /// Lists the rows, each once, in order.
  void list_rows() {
    wanted_ = rows_;
    if (std::ranges::is_sorted(rows_, std::ranges::less_equal{})) return;
    order_.resize(rows_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [&](std::size_t i) { return rows_[i]; });
    for (std::size_t const i : order_)
      if (sorted_.empty() || sorted_.back() != rows_[i]) sorted_.push_back(rows_[i]);
    wanted_ = sorted_;
  }
  void make_filter() {
    filter_shift_ = 64 - unsigned(std::bit_width(8 * wanted_.size() | 63));
    filter_.resize(std::size_t{1} << (58 - filter_shift_));
    for (std::uint64_t const row : wanted_) {
      std::uint64_t const bit = filter_bit(row >> bucket_shift);
      filter_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }

  void refuse(group const& at, fm_view::outcome why, std::uint64_t position = 0) {
    refuse_(fm_view::walk{wanted_[items_[at.first]], at.row, at.steps, position, at.block}, why);
  }
  /// Starts with rows that were divided from others, or with the next ones.
  bool start(group& to) {
    while (true) {
      if (!divided_.empty()) {
        to = divided_.back();
        divided_.pop_back();
        return true;
      }
      if (next_ == wanted_.size()) return false;
      std::size_t end = next_ + 1;
      while (end != wanted_.size() && wanted_[end] == wanted_[end - 1] + 1) ++end;
      std::uint64_t const row = wanted_[next_] + index_.records;
      to = {row, end - next_, next_, end - next_, 0, index_.runs.find(row)};
      if (wanted_[end - 1] >= index_.residues) refuse(to, fm_view::outcome::bad_position, wanted_[end - 1]);
      next_ = end;
      read_samples(to);
      if (to.left != 0) return true;
    }
  }
  [[nodiscard]] std::uint64_t& found_position(std::size_t place) { return positions_[items_[place]]; }
  void set(group& at, std::uint64_t row, std::uint64_t position, fm_view::outcome if_bad) {
    std::uint64_t& to = found_position(at.first + std::size_t(row - at.row));
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
    drop_found(at);
  }
  /// Drops rows at the ends that need no more steps.
  void drop_found(group& at) {
    while (at.left != 0 && found_position(at.first) != none) {
      ++at.first;
      ++at.row;
      --at.count;
    }
    while (at.left != 0 && found_position(at.first + at.count - 1) != none) --at.count;
  }
  [[nodiscard]] std::uint64_t filter_bit(std::uint64_t bucket) const { return bucket * 0x9e3779b97f4a7c15 >> filter_shift_; }
  /// Returns false if no row of a group is on the list.
  [[nodiscard]] bool may_link(group const& at) const {
    std::uint64_t const row = at.row - index_.records, last = (row + at.count - 1) >> bucket_shift;
    if (last - (row >> bucket_shift) >= max_buckets) return true;  // a search takes less
    for (std::uint64_t bucket = row >> bucket_shift; bucket <= last; ++bucket)
      if (std::uint64_t const bit = filter_bit(bucket); (filter_[bit / 64] >> (bit % 64) & 1) != 0) return true;
    return false;
  }
  /// Ends the walks that have come to rows of the list.
  void link(group& at) {
    std::uint64_t const row = at.row - index_.records;
    for (auto to = std::ranges::lower_bound(wanted_, row); to != wanted_.end() && *to - row < at.count; ++to) {
      std::size_t const item = items_[at.first + std::size_t(*to - row)];
      if (positions_[item] != none) continue;
      positions_[item] = is_link | std::uint64_t(to - wanted_.begin());
      if (steps_.empty()) steps_.resize(wanted_.size());
      steps_[item] = at.steps;
      --at.left;
    }
    drop_found(at);
  }
  /// Returns the position of an item. It may be some steps after that of the item to which its walk came.
  [[nodiscard]] std::uint64_t resolve(std::size_t item) {
    way_.clear();
    for (; (positions_[item] & is_link) != 0; item = std::size_t(positions_[item] & ~is_link)) {
      // The steps of a walk are to smaller positions.
      if (way_.size() == wanted_.size()) refuse_(fm_view::walk{wanted_[item], wanted_[item]}, fm_view::outcome::endless);
      way_.push_back(item);
    }
    std::uint64_t position = positions_[item];
    for (; !way_.empty(); way_.pop_back()) {
      std::size_t const here = way_.back();
      if (steps_[here] >= index_.residues - position)
        refuse_(fm_view::walk{wanted_[here], wanted_[here], steps_[here], position}, fm_view::outcome::bad_position);
      positions_[here] = position += steps_[here];
    }
    return position;
  }
  /// Reads the samples of rows that begin with a marker.
  void read_marked(group& at) {
    std::uint64_t const sample = marker_rows_.find(at.row, at.count);
    if (sample == marker_rows_.samples) return;
    for (std::uint64_t i = 0; i < at.count; ++i)
      set(at, at.row + i, marker_samples_[sample + i], fm_view::outcome::bad_position);
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
    if (first.rows == 0 || first.letter >= run_length::num_codes) refuse(at, fm_view::outcome::bad_symbol);
    if (run_at(at.block, at.row, at.count, first) < at.count)
      divide(at, first);
    else
      move(at, first.letter, runs.before(at.block, first.letter) + first.before);
  }
  /// Moves rows that have the same letter before them to those of the suffixes that begin with it.
  void move(group& at, unsigned letter, std::uint64_t below) {
    run_length::run_view const& runs = index_.runs;
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
    if (may_link(at)) link(at);
    if (at.letters.add(markers_, letter) && at.left != 0) read_marked(at);
    if (at.left != 0) read_samples(at);
  }
  /// Divides a group by the letters before its rows, and moves each part, so that none of them is left.
  void divide(group& at, run_length::run_row row) {
    run_length::run_view const& runs = index_.runs;
    std::array<part, run_length::num_codes> parts{};
    pieces_.clear();
    std::uint64_t block = at.block;
    for (std::uint64_t done = 0; done < at.count;) {
      if (row.rows == 0 || row.letter >= run_length::num_codes) refuse(at, fm_view::outcome::bad_symbol);
      std::uint64_t const length = std::min(row.rows, at.count - done);
      if (parts[row.letter].count == 0) parts[row.letter].below = runs.before(block, row.letter) + row.before;
      parts[row.letter].count += length;
      pieces_.emplace_back(row.letter, length);
      done += length;
      if (done == at.count) break;
      while (at.row + done >= runs.end(block) && block + 1 < runs.num_blocks) ++block;
      row = runs.read(at.row + done, block);
    }
    auto const begin = items_.begin() + std::ptrdiff_t(at.first);
    divided_items_.assign(begin, begin + std::ptrdiff_t(at.count));
    std::size_t place = at.first;
    for (part& of : parts) {
      of.next = place;
      place += std::size_t(of.count);
    }
    auto from = divided_items_.begin();
    for (auto const& [letter, length] : pieces_) {
      std::copy_n(from, length, items_.begin() + std::ptrdiff_t(parts[letter].next));
      from += std::ptrdiff_t(length);
      parts[letter].next += std::size_t(length);
    }
    for (unsigned letter = 0; letter < run_length::num_codes; ++letter) {
      part const& of = parts[letter];
      if (of.count == 0) continue;
      group next = at;
      next.first = of.next - std::size_t(of.count);
      next.count = of.count;
      next.left = 0;
      for (std::size_t k = next.first; k < of.next; ++k) next.left += found_position(k) == none;
      if (next.left == 0) continue;
      move(next, letter, of.below);
      if (next.left != 0) divided_.push_back(next);
    }
    at.left = 0;
  }

  fm_view const& index_;
  std::span<std::uint64_t> rows_;
  Refuse refuse_;
  std::span<std::uint64_t const> wanted_;  // the rows, each once, in order: the items
  std::vector<std::uint64_t> sorted_;
  std::vector<std::size_t> order_;                // order of rows; none if they ascend
  std::vector<std::uint64_t> positions_, steps_;  // positions of items, or links, with steps
  std::vector<std::size_t> items_, way_;          // items_: those of the rows of each group, in its order
  std::vector<std::uint64_t> filter_;             // bits of hashes of the rows' buckets
  unsigned filter_shift_ = 0;
  run_markers markers_;
  marker_rows marker_rows_;
  entries marker_samples_;
  std::vector<group> divided_;
  std::vector<std::size_t> divided_items_;
  std::vector<std::pair<unsigned, std::uint64_t>> pieces_;
  std::array<group, max_active> active_;
  std::size_t next_ = 0;
  unsigned shift_;  // log2(sample) if that is whole: a division takes longer than the rest of a step
  bool is_power_;
};

}  // namespace ordo::inline v0::suffix
