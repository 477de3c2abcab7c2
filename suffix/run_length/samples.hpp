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
#include "sort_core/algorithms/functors.hpp"
#include "suffix/index/run_markers.hpp"
#include "suffix/run_length/run_index.hpp"

/// Walks through all letters of an index, from the ends of records to their starts.
namespace ordo::inline v0::suffix::run_length {

/// A walk to the letter before a row.
struct letter_walk {
  std::uint64_t row = 0, block = 0;  // a block that is not after that of the row

  /// Moves to the row of the suffix with one more letter.
  /// @returns that letter; end_code at the start of a record: then `row` is the number of this end among all
  ORDO_FN unsigned step(run_view const& index) {
    block = index.seek(block, row);
    run_row const at = index.read(row, block);
    unsigned const letter = at.letter;
    std::uint64_t const before = index.before(block, letter) + at.before;
    if (letter == end_code) {
      row = before;
      return letter;
    }
    row = index.first[letter] + before;
    block = index.guess(letter, row, block);
    return letter;
  }
};

/// The walks that together take a step for each letter: from the end of each record, and from each interval-th sampled row. A
/// walk ends at the next such row, or at the start of its record. So there are many at a time, however few the records are.
struct sampling_plan {
  std::uint64_t records, distance, interval = 0;  // 0: only records begin walks
  std::uint64_t num_walks;
  unsigned step_bits;  // the lower bits of a word, for steps; the others are for the number of a walk

  sampling_plan(run_view const& index, std::uint64_t every)
      : records(index.num_ends), distance(every), num_walks(records), step_bits(64 - bits_below(records + 1)) {
    constexpr std::uint64_t max_walks = std::uint64_t{1} << 20, min_letters = 4096;
    std::uint64_t const samples = (index.rows - records + distance - 1) / distance;
    std::uint64_t letters = index.rows / max_walks;
    if (letters < min_letters) letters = min_letters;
    std::uint64_t of_walk = 1;
    while (of_walk * distance < letters) of_walk *= 2;
    std::uint64_t const walks = records + (samples + of_walk - 1) / of_walk;
    if (bits_below(walks + 1) > leading_zeros(index.rows)) return;
    interval = of_walk;
    num_walks = walks;
    step_bits = 64 - bits_below(walks + 1);  // no walk has the last number
  }
  /// Returns the number of bits of numbers below n, at least 1.
  static unsigned bits_below(std::uint64_t n) {
    unsigned bits = 1;
    while (bits < 63 && (std::uint64_t{1} << bits) < n) ++bits;
    return bits;
  }
};

/// Finds the rows that begin with strings.
struct find_words {
  run_view index;
  std::uint64_t const* words;
  unsigned length;
  std::uint64_t *first, *count;  // 0 for strings of too many rows

  ORDO_FN void operator()(std::size_t i) const {
    std::uint64_t begin = 0, end = index.rows;
    for (unsigned k = 0; k < length && begin != end; ++k) {
      unsigned const letter = unsigned(words[i] >> 2 * k & 3) + 1;
      begin = index.step(letter, begin, index.find(begin));
      end = index.step(letter, end, index.find(end));
      if (end < begin) end = begin;  // the index is damaged
    }
    first[i] = begin;
    count[i] = end - begin > run_markers::max_rows(index.rows) ? 0 : end - begin;
  }
};

/// Walks. `Lanes` walks at a time, so that a CPU reads the blocks of one while it steps with another. A walk does not know the
/// letters after its start. So the walk before it goes on for as many letters as a marker has, to the rows of such markers.
template <unsigned Lanes, unsigned WalksOfGroup>
struct walk_for_samples {
  run_view index;
  sampling_plan plan;
  run_markers markers;  // their length is 0 if none has samples
  marker_rows rows_of_markers;
  std::uint64_t *samples, *marker_samples;  // the walk that comes to each row with a sample, and its steps
  std::uint64_t *steps, *next;  // for each walk: the number of steps; the walk that goes on, or the number of walks + an end
  std::uint32_t* has_faults;

  ORDO_FN void operator()(std::size_t group) const {
    letter_walk at[Lanes];
    std::uint64_t of[Lanes] = {}, taken[Lanes] = {};
    last_letters letters[Lanes];
    unsigned beyond[Lanes] = {};  // steps after the end, and 1
    std::uint64_t to_start = group * WalksOfGroup, end = to_start + WalksOfGroup;
    if (end > plan.num_walks) end = plan.num_walks;
    // A division takes longer than the rest of a step whose block is in a cache.
    bool const is_power = (plan.distance & (plan.distance - 1)) == 0;
    unsigned const shift = trailing_zeros(plan.distance);
    std::uint64_t const mask = plan.distance - 1, all_rows = index.rows - plan.records;
    unsigned active = 0;
    while (true) {
      for (; active < Lanes && to_start != end; ++active, ++to_start) {
        std::uint64_t row = to_start;
        if (row >= plan.records) {
          std::uint64_t const sample = (to_start - plan.records) * plan.interval;
          samples[sample] = to_start << plan.step_bits;
          row = plan.records + sample * plan.distance;
        }
        at[active] = {row, index.find(row)};
        of[active] = to_start;
        taken[active] = 0;
        letters[active] = {};
        beyond[active] = 0;
      }
      if (active == 0) return;
      for (unsigned i = 0; i < active;) {
        bool has_ended = false;  // comes to the row where another walk begins, or to the start of the record
        unsigned const letter = at[i].step(index);
        if (letter == end_code) {
          if (beyond[i] == 0) next[of[i]] = plan.num_walks + at[i].row;
          has_ended = true;
        } else {
          prefetch(index.blocks + at[i].block);
          std::uint64_t const row = at[i].row - plan.records;
          ++taken[i];
          if (row >= all_rows || taken[i] > index.rows) {
            store_relaxed(has_faults, std::uint32_t{1});
            if (beyond[i] == 0) next[of[i]] = 2 * plan.num_walks;
            beyond[i] = markers.length + 1;
            has_ended = true;
          } else {
            if (markers.length != 0 && letters[i].add(markers, letter))
              if (std::uint64_t const sample = rows_of_markers.find(at[i].row, 1); sample != rows_of_markers.samples)
                marker_samples[sample] = of[i] << plan.step_bits | taken[i];
            if (beyond[i] == 0 && (is_power ? (row & mask) == 0 : row % plan.distance == 0)) {
              std::uint64_t const sample = is_power ? row >> shift : row / plan.distance;
              if (plan.interval != 0 && (sample & (plan.interval - 1)) == 0) {
                next[of[i]] = plan.records + sample / plan.interval;
                has_ended = true;
              } else {
                samples[sample] = of[i] << plan.step_bits | taken[i];
              }
            }
          }
        }
        if (has_ended && beyond[i] == 0) steps[of[i]] = taken[i];
        if (beyond[i] != 0) {
          has_ended |= ++beyond[i] >= markers.length;
        } else if (has_ended && letter != end_code && markers.length != 0) {
          beyond[i] = 1;
          has_ended = false;
        }
        if (!has_ended) {
          ++i;
          continue;
        }
        --active;
        at[i] = at[active];
        of[i] = of[active];
        taken[i] = taken[active];
        letters[i] = letters[active];
        beyond[i] = beyond[active];
      }
    }
  }
};

/// Follows the walks of a record. Replaces the steps of a walk by those before it, and sets its record.
struct join_walks {
  sampling_plan plan;
  std::uint64_t *steps, *next, *record_of_walk, *record_of_end, *lengths;

  ORDO_FN void operator()(std::size_t record) const {
    std::uint64_t walk = record, before = 0;
    for (std::uint64_t count = 0; count < plan.num_walks; ++count) {
      record_of_walk[walk] = record;
      std::uint64_t const here = steps[walk], then = next[walk];
      steps[walk] = before;
      before += here;
      if (then >= plan.num_walks) {
        if (then - plan.num_walks < plan.records) record_of_end[then - plan.num_walks] = record;
        break;
      }
      walk = then;
    }
    lengths[record] = before;
  }
};

/// Replaces the walk and its steps by the record and the position. Rows that no record has get 0.
struct set_positions {
  sampling_plan plan;
  unsigned record_bits;
  std::uint64_t const *steps, *record_of_walk, *lengths;
  std::uint64_t* samples;

  ORDO_FN void operator()(std::size_t i) const {
    std::uint64_t const walk = samples[i] >> plan.step_bits,
                        record = walk < plan.num_walks ? record_of_walk[walk] : plan.records;
    std::uint64_t const step = samples[i] & ((std::uint64_t{1} << plan.step_bits) - 1);
    samples[i] = record < plan.records ? (lengths[record] - steps[walk] - step) << record_bits | record : 0;
  }
};

/// The sampled suffix array: rows after those of ends, each distance-th, and rows of markers. In host memory.
struct sampled_rows {
  std::uint64_t distance;
  unsigned record_bits = 1;
  std::vector<std::uint64_t> record_of_end;  // for each row whose letter is an end
  std::vector<std::uint64_t> positions;      // position << record_bits | record

  std::vector<std::uint64_t> lengths;  // lengths of the records

  // For each marker that has rows: the first one, and the number of rows of those before it. The positions of all of them.
  std::vector<std::uint64_t> first_rows, rows_before, marker_positions;

  sampled_rows() = default;
  /// @param index  in the memory of the backend
  /// @param with_markers  takes samples of rows of markers, too
  /// @throws std::length_error  for a damaged index, whose walks do not end
  template <Backend B>
  sampled_rows(B& backend, run_view const& index, std::uint64_t every, bool with_markers = false) : distance(every) {
    run_markers const markers = with_markers ? run_markers(index.rows, every) : run_markers();
    if (with_markers) find_markers(backend, index, markers);
    sampling_plan const plan(index, every);
    record_bits = sampling_plan::bits_below(plan.records);
    record_of_end.resize(plan.records);
    lengths.resize(plan.records);
    positions.resize((index.rows - plan.records + distance - 1) / distance);
    auto const samples = backend.target(std::span(positions)), marked = backend.target(std::span(marker_positions));
    auto const first = backend.upload(std::span<std::uint64_t const>(first_rows)),
               before = backend.upload(std::span<std::uint64_t const>(rows_before));
    marker_rows const rows{first.data(), before.data(), first_rows.size(), marker_positions.size()};
    auto const ends = backend.target(std::span(record_of_end)), sizes = backend.target(std::span(lengths));
    auto const steps = backend.template buffer<std::uint64_t>(plan.num_walks),
               next = backend.template buffer<std::uint64_t>(plan.num_walks),
               record = backend.template buffer<std::uint64_t>(plan.num_walks);
    auto const faults = backend.template buffer<std::uint32_t>(1);
    backend.each(samples.size(), fill_with<std::uint64_t>{samples.data(), ~std::uint64_t{0}});
    backend.each(marked.size(), fill_with<std::uint64_t>{marked.data(), ~std::uint64_t{0}});
    backend.each(plan.num_walks, fill_with<std::uint64_t>{record.data(), plan.records});
    backend.each(plan.records, fill_with<std::uint64_t>{ends.data(), 0});
    backend.each(1, fill_with<std::uint32_t>{faults.data(), 0});
    constexpr unsigned lanes = has_workers<B> ? 8 : 1, walks_of_group = has_workers<B> ? 256 : 1;
    each_long(backend, std::size_t((plan.num_walks + walks_of_group - 1) / walks_of_group),
              walk_for_samples<lanes, walks_of_group>{index, plan, markers, rows, samples.data(), marked.data(), steps.data(),
                                                      next.data(), faults.data()});
    if (value_at(backend, faults.span(), 0) != 0) throw std::length_error("endless");
    each_long(backend, plan.records,
              join_walks{plan, steps.data(), next.data(), record.data(), ends.data(), sizes.data()});
    for (std::span<std::uint64_t> const of : {samples.span(), marked.span()})
      backend.each(of.size(), set_positions{plan, record_bits, steps.data(), record.data(), sizes.data(), of.data()});
    auto const download = [&](auto const& from, std::vector<std::uint64_t>& to) {
      backend.download(std::span<std::uint64_t const>(from.span()), std::span<std::uint64_t>(to));
    };
    download(samples, positions);
    download(marked, marker_positions);
    download(ends, record_of_end);
    download(sizes, lengths);
  }

 private:
  template <Backend B>
  void find_markers(B& backend, run_view const& index, run_markers const& markers) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t word = 0; word < markers.words(); ++word)
      if (markers(word)) all.push_back(word);
    auto const words = backend.upload(std::span<std::uint64_t const>(all));
    auto const first = backend.template buffer<std::uint64_t>(all.size()),
               count = backend.template buffer<std::uint64_t>(all.size());
    if (!all.empty())
      each_long(backend, all.size(), find_words{index, words.data(), markers.length, first.data(), count.data()});
    std::vector<std::uint64_t> begins(all.size()), counts(all.size());
    backend.download(std::span<std::uint64_t const>(first.span()), std::span<std::uint64_t>(begins));
    backend.download(std::span<std::uint64_t const>(count.span()), std::span<std::uint64_t>(counts));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (counts[i] == 0) continue;
      first_rows.push_back(begins[i]);
      rows_before.push_back(sum);
      sum += counts[i];
    }
    if (sum > index.rows) throw std::length_error("endless");
    marker_positions.resize(sum);
  }
};

}  // namespace ordo::inline v0::suffix::run_length
