#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "ordo/detail/load.hpp"
#include "suffix/run_length/run_index.hpp"

/// Walks from the ends of records through all their letters.
namespace ordo::inline v0::suffix::run_length {

/// A walk to the letter before a row.
struct letter_walk {
  std::uint64_t row = 0, block = 0;  // a block that is not after that of the row

  /// Moves to the row of the suffix with one more letter.
  /// @returns that letter; end_code at the start of a record: then `row` is the number of this end among all
  ORDO_FN unsigned step(run_view const& index) {
    block = index.seek(block, row);
    std::uint64_t const inside = row - index.begin(block);
    run_block const& at = index.blocks[block];
    unsigned const letter = letter_in(at, inside);
    std::uint64_t const before = index.before(block, letter) + count_in(at, letter, inside);
    if (letter == end_code) {
      row = before;
      return letter;
    }
    row = index.first[letter] + before;
    block = index.guess(letter, row, block);
    return letter;
  }
};

/// The sampled suffix array: rows after those of ends, each distance-th.
struct sampled_rows {
  std::uint64_t distance;
  unsigned record_bits = 1;
  std::vector<std::uint64_t> record_of_end;  // for each row whose letter is an end
  std::vector<std::uint64_t> positions;      // position << record_bits | record

  std::vector<std::uint64_t> lengths;  // lengths of the records

  /// @throws std::length_error for a damaged index, whose walks do not end
  template <has_workers B>
  sampled_rows(B& backend, run_view const& index, std::uint64_t every) : distance(every) {
    std::uint64_t const records = index.num_ends, rows = index.rows - records;
    while ((std::uint64_t{1} << record_bits) < records) ++record_bits;
    record_of_end.resize(records);
    lengths.resize(records);
    positions.resize((rows + distance - 1) / distance);
    std::size_t const groups = std::size_t((records + lanes - 1) / lanes);
    each_long(backend, groups, [&](std::size_t group) { take(index, group); });
  }

 private:
  static constexpr std::size_t lanes = 8;
  struct lane {
    letter_walk at;
    std::uint64_t record = 0, steps = 0;
    std::vector<std::uint64_t> samples;  // numbers of samples, in order
    std::vector<std::uint64_t> at_steps;
  };

  void take(run_view const& index, std::size_t group) {
    std::vector<lane> active;
    for (std::uint64_t r = group * lanes; r < std::min<std::uint64_t>(record_of_end.size(), group * lanes + lanes); ++r) {
      lane& next = active.emplace_back();
      next.at = {r, index.find(r)};
      next.record = r;
    }
    // A division takes longer than the rest of a step whose block is in a cache.
    bool const is_power = (distance & (distance - 1)) == 0;
    std::uint64_t const records = record_of_end.size(), mask = distance - 1;
    unsigned const shift = trailing_zeros(distance);
    while (!active.empty())
      for (std::size_t i = 0; i < active.size();) {
        lane& w = active[i];
        bool const ends = w.at.step(index) == end_code;
        if (!ends) {
          prefetch(index.blocks + w.at.block);
          std::uint64_t const row = w.at.row - records;
          if (++w.steps > index.rows || row >= index.rows - records) throw std::length_error("endless");
          if (is_power ? (row & mask) == 0 : row % distance == 0) {
            w.samples.push_back(is_power ? row >> shift : row / distance);
            w.at_steps.push_back(w.steps);
          }
          ++i;
          continue;
        }
        if (w.at.row >= records) throw std::length_error("endless");
        record_of_end[w.at.row] = w.record;
        lengths[w.record] = w.steps;
        for (std::size_t k = 0; k < w.samples.size(); ++k)
          positions[w.samples[k]] = (w.steps - w.at_steps[k]) << record_bits | w.record;
        std::swap(active[i], active.back());
        active.pop_back();
      }
  }
};

}  // namespace ordo::inline v0::suffix::run_length
