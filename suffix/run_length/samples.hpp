#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "ordo/detail/buffer.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/memory.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "suffix/index/run_markers.hpp"
#include "suffix/run_length/run_index.hpp"
#include "suffix/run_length/walk.hpp"

/// Walks through all letters of an index, from the ends of records to their starts.
namespace ordo::inline v0::suffix::run_length {

/// The walks that together take a step for each letter: from the end of each record, from each row that begins with a marker,
/// and from each interval-th sampled row. A walk ends at the next such row, or at the start of its record. So there are many at
/// a time, however few the records are. Most begin with a marker: the rows of alike genomes then walk together, by the threads
/// of a warp, which read the same blocks. The others bound the lengths of walks where markers are rare.
struct sampling_plan {
  std::uint64_t records, distance, interval = 0;  // 0: no sampled rows begin walks
  run_markers markers;                            // their length is 0 if none begin walks
  marker_rows rows_of_markers;                    // as are these arrays
  std::uint64_t const* words_of_markers = nullptr;
  std::uint64_t first_of_markers = 0, num_walks = 0;
  unsigned step_bits = 0;  // the lower bits of a word, for steps; the others are for the number of a walk

  sampling_plan(run_view const& index, std::uint64_t every) : records(index.num_ends), distance(every) {
    constexpr std::uint64_t min_letters = 1024, max_walks = std::uint64_t{1} << 26, walks_of_interval = 64;
    std::uint64_t letters = index.rows / max_walks;
    if (letters < min_letters) letters = min_letters;
    markers = run_markers(index.rows, letters);
    interval = 1;
    while (interval * distance < walks_of_interval * letters) interval *= 2;
  }
  /// Sets the numbers of walks, if a word has room for them and their steps.
  void set_walks(run_view const& index, marker_rows const& rows, std::uint64_t const* words) {
    std::uint64_t const samples = (index.rows - records + distance - 1) / distance;
    first_of_markers = records + (samples + interval - 1) / interval;
    num_walks = first_of_markers + rows.samples;
    rows_of_markers = rows;
    words_of_markers = words;
    if (bits_below(num_walks + 1) > leading_zeros(index.rows)) {
      interval = 0;
      markers = {};
      first_of_markers = num_walks = records;
    }
    step_bits = 64 - bits_below(num_walks + 1);  // no walk has the last number
  }
  /// Returns the number of bits of numbers below n, at least 1.
  static unsigned bits_below(std::uint64_t n) {
    unsigned bits = 1;
    while (bits < 63 && (std::uint64_t{1} << bits) < n) ++bits;
    return bits;
  }
  [[nodiscard]] ORDO_FN bool has_sample(std::uint64_t row, std::uint64_t& sample) const {
    std::uint64_t const at = row - records;
    // A division takes longer than the rest of a step whose block is in a cache.
    bool const is_power = (distance & (distance - 1)) == 0;
    if (is_power ? (at & (distance - 1)) != 0 : at % distance != 0) return false;
    sample = is_power ? at >> trailing_zeros(distance) : at / distance;
    return true;
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

/// Takes `Lanes` walks at a time, so that a CPU reads the blocks of one while it steps with another. A GPU has a thread a walk.
/// A walk does not know the letters after its start. So the walk before it goes on for as many letters as a marker has, to the
/// rows of markers with samples.
template <unsigned Lanes, bool WithMarkers>
struct walk_for_samples {
  run_view index;
  sampling_plan plan;
  run_markers markers;
  marker_rows rows_of_markers;
  // The walk that comes to each row with a sample, and its steps. Two walks may: one that began at a sampled row does not know
  // that it comes to a marker, for some steps.
  std::uint64_t *samples, *marker_samples;
  std::uint64_t *steps, *next;  // for each walk: the number of steps; the walk that goes on, or the number of walks + an end
  std::uint32_t* has_faults;
  std::uint64_t walks_of_group;

  [[nodiscard]] std::size_t num_groups() const {
    std::uint64_t const of_threads = walks_of_group * stride;
    return std::size_t((plan.num_walks + of_threads - 1) / of_threads * stride);
  }

  ORDO_FN void operator()(std::size_t group) const {
    std::uint64_t const first = group / stride * stride * walks_of_group + group % stride;
    std::uint64_t const all = first + stride * walks_of_group, end = all < plan.num_walks ? all : plan.num_walks;
    std::uint64_t to_start = first;
    if constexpr (Lanes == 1) {  // an array would not be in registers
      if (to_start >= end) return;
      // One loop, so that the threads of a warp do not wait for each other at the end of each walk.
      for (lane alone(*this, to_start); true;) {
        if (alone.advance(*this)) continue;
        to_start += stride;
        if (to_start >= end) return;
        alone = lane(*this, to_start);
      }
    } else {
      lane lanes[Lanes];
      unsigned active = 0;
      while (true) {
        for (; active < Lanes && to_start < end; ++active, ++to_start) lanes[active] = lane(*this, to_start);
        if (active == 0) return;
        for (unsigned i = 0; i < active;)
          if (lanes[i].advance(*this))
            ++i;
          else
            lanes[i] = lanes[--active];
      }
    }
  }

 private:
  static constexpr std::uint64_t stride = Lanes == 1 ? 32 : 1;  // the threads of a warp have walks one after the other

  class lane {
   public:
    lane() = default;
    ORDO_FN lane(walk_for_samples const& all, std::uint64_t of) : of_(of) {
      sampling_plan const& plan = all.plan;
      std::uint64_t row = of, sample = 0;
      if (of >= plan.first_of_markers) {
        std::uint64_t const marker = plan.rows_of_markers.find_marker(of - plan.first_of_markers);
        row = plan.rows_of_markers.first[marker] + (of - plan.first_of_markers - plan.rows_of_markers.before[marker]);
        last_ = {plan.words_of_markers[marker], plan.markers.length};
      } else if (of >= plan.records) {
        row = plan.records + (of - plan.records) * plan.interval * plan.distance;
      }
      if (of >= plan.records && plan.has_sample(row, sample)) store_relaxed(all.samples + sample, of << plan.step_bits);
      at_ = {row, all.index.find(row)};
    }

    /// Reads a block.
    /// @returns false if the walk has ended
    ORDO_FN bool advance(walk_for_samples const& all) {
      sampling_plan const& plan = all.plan;
      unsigned letter = end_code;
      bool const is_step = at_.advance(all.index, letter);
      if (!is_step || letter != end_code) prefetch(all.index.blocks + at_.block);
      if (!is_step) return true;
      if (letter == end_code) {
        if (beyond_ == 0) end(all, plan.num_walks + at_.row);
        return false;
      }
      if (++taken_ > all.index.rows || at_.row - plan.records >= all.index.rows - plan.records) {
        store_relaxed(all.has_faults, std::uint32_t{1});
        if (beyond_ == 0) end(all, 2 * plan.num_walks);
        return false;
      }
      if constexpr (WithMarkers)
        if (letters_.add(all.markers, letter))
          if (std::uint64_t const sample = all.rows_of_markers.find(at_.row, 1); sample != all.rows_of_markers.samples)
            store_relaxed(all.marker_samples + sample, of_ << plan.step_bits | taken_);
      if (beyond_ != 0) return ++beyond_ < all.markers.length;
      std::uint64_t sample = 0;
      if (plan.markers.length != 0 && last_.add(plan.markers, letter))
        if (sample = plan.rows_of_markers.find(at_.row, 1); sample != plan.rows_of_markers.samples)
          return end_before(all, plan.first_of_markers + sample);
      if (!plan.has_sample(at_.row, sample)) return true;
      if (plan.interval != 0 && (sample & (plan.interval - 1)) == 0)
        return end_before(all, plan.records + sample / plan.interval);
      store_relaxed(all.samples + sample, of_ << plan.step_bits | taken_);
      return true;
    }

   private:
    ORDO_FN void end(walk_for_samples const& all, std::uint64_t next) const {
      all.steps[of_] = taken_;
      all.next[of_] = next;
    }
    /// Ends where another walk begins.
    /// @returns false if there is nothing more to do
    ORDO_FN bool end_before(walk_for_samples const& all, std::uint64_t next) {
      end(all, next);
      beyond_ = 1;
      return WithMarkers;
    }

    letter_walk<Lanes == 1> at_;
    std::uint64_t of_ = 0, taken_ = 0;
    last_letters last_, letters_;  // for markers of walks, and of samples
    unsigned beyond_ = 0;          // steps after the end, and 1
  };
};

/// Adds to each walk the steps of those that go on from it, of twice as many each time it is called.
struct double_walks {
  std::uint64_t num_walks;
  std::uint64_t const *steps, *next;
  std::uint64_t *more_steps, *more_next;
  ORDO_FN void operator()(std::size_t walk) const {
    std::uint64_t const then = next[walk];
    bool const goes_on = then < num_walks;
    more_steps[walk] = steps[walk] + (goes_on ? steps[then] : 0);
    more_next[walk] = goes_on ? next[then] : then;
  }
};

/// Sets the record of an end and its length, by the walk from the end of the record to its start.
struct end_records {
  sampling_plan plan;
  std::uint64_t const *steps, *next;
  std::uint64_t *record_of_end, *lengths;
  ORDO_FN void operator()(std::size_t record) const {
    lengths[record] = steps[record];
    std::uint64_t const end = next[record] - plan.num_walks;
    if (end < plan.records) record_of_end[end] = record;
  }
};

/// Replaces a walk and its steps by the record and the position: the steps that are left. Rows that no record has get 0.
struct set_positions {
  sampling_plan plan;
  unsigned record_bits;
  std::uint64_t const *steps, *next, *record_of_end;
  std::uint64_t* samples;

  ORDO_FN void operator()(std::size_t i) const {
    std::uint64_t const walk = samples[i] >> plan.step_bits;
    std::uint64_t const step = samples[i] & ((std::uint64_t{1} << plan.step_bits) - 1);
    std::uint64_t const end = walk < plan.num_walks ? next[walk] - plan.num_walks : plan.records;
    samples[i] = end < plan.records ? (steps[walk] - step) << record_bits | record_of_end[end] : 0;
  }
};

/// The markers that have rows, but not too many: the first row of each, and the number of rows of those before it.
struct found_markers {
  std::vector<std::uint64_t> words, first_rows, rows_before;
  std::uint64_t rows = 0;

  template <Backend B>
  found_markers(B& backend, run_view const& index, run_markers const& markers) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t word = 0; word < markers.words(); ++word)
      if (markers(word)) all.push_back(word);
    auto const uploaded = backend.upload(std::span<std::uint64_t const>(all));
    auto const first = backend.template buffer<std::uint64_t>(all.size()),
               count = backend.template buffer<std::uint64_t>(all.size());
    if (!all.empty())
      each_long(backend, all.size(), find_words{index, uploaded.data(), markers.length, first.data(), count.data()});
    std::vector<std::uint64_t> begins(all.size()), counts(all.size());
    backend.download(std::span<std::uint64_t const>(first.span()), std::span<std::uint64_t>(begins));
    backend.download(std::span<std::uint64_t const>(count.span()), std::span<std::uint64_t>(counts));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (counts[i] == 0) continue;
      if (begins[i] < index.num_ends || begins[i] > index.rows || counts[i] > index.rows - begins[i])
        throw std::length_error("endless");
      words.push_back(all[i]);
      first_rows.push_back(begins[i]);
      rows_before.push_back(rows);
      rows += counts[i];
    }
    if (rows > index.rows) throw std::length_error("endless");
  }
};

/// The sampled suffix array: rows after those of ends, each distance-th, and rows of markers. In host memory.
struct sampled_rows {
  std::uint64_t distance;
  unsigned record_bits = 1;
  std::vector<std::uint64_t> record_of_end;  // for each row whose letter is an end
  buffer<std::uint64_t> positions;           // position << record_bits | record

  std::vector<std::uint64_t> lengths;  // lengths of the records

  // For each marker that has rows: the first one, and the number of rows of those before it. The positions of all of them.
  std::vector<std::uint64_t> first_rows, rows_before;
  buffer<std::uint64_t> marker_positions;

  sampled_rows() = default;
  /// @param index  in the memory of the backend
  /// @param with_markers  takes samples of rows of markers, too
  /// @throws std::length_error  for a damaged index, whose walks do not end
  template <Backend B>
  sampled_rows(B& backend, run_view const& index, std::uint64_t every, bool with_markers = false) : distance(every) {
    run_markers const markers = with_markers ? run_markers(index.rows, every) : run_markers();
    if (with_markers) {
      found_markers const found(backend, index, markers);
      first_rows = found.first_rows;
      rows_before = found.rows_before;
      marker_positions = host_buffer(found.rows);
    }
    sampling_plan plan(index, every);
    found_markers const of_walks(backend, index, plan.markers);
    auto const walk_words = backend.upload(std::span<std::uint64_t const>(of_walks.words)),
               walk_rows = backend.upload(std::span<std::uint64_t const>(of_walks.first_rows)),
               walks_before = backend.upload(std::span<std::uint64_t const>(of_walks.rows_before));
    plan.set_walks(index, {walk_rows.data(), walks_before.data(), walk_rows.size(), of_walks.rows}, walk_words.data());
    record_bits = sampling_plan::bits_below(plan.records);
    record_of_end.resize(plan.records);
    lengths.resize(plan.records);
    positions = host_buffer((index.rows - plan.records + distance - 1) / distance);
    auto const samples = backend.target(positions.span()), marked = backend.target(marker_positions.span());
    auto const first = backend.upload(std::span<std::uint64_t const>(first_rows)),
               before = backend.upload(std::span<std::uint64_t const>(rows_before));
    marker_rows const rows{first.data(), before.data(), first_rows.size(), marker_positions.size()};
    auto const ends = backend.target(std::span(record_of_end)), sizes = backend.target(std::span(lengths));
    auto const walks = [&] { return backend.template buffer<std::uint64_t>(plan.num_walks); };
    auto steps = walks(), next = walks(), more_steps = walks(), more_next = walks();
    auto const faults = backend.template buffer<std::uint32_t>(1);
    backend.each(samples.size(), fill_with<std::uint64_t>{samples.data(), ~std::uint64_t{0}});
    backend.each(marked.size(), fill_with<std::uint64_t>{marked.data(), ~std::uint64_t{0}});
    backend.each(plan.records, fill_with<std::uint64_t>{ends.data(), 0});
    backend.each(1, fill_with<std::uint32_t>{faults.data(), 0});
    auto const walk = [&]<bool WithMarkers>(std::bool_constant<WithMarkers>) {
      constexpr bool is_host = has_workers<B>;
      walk_for_samples<is_host ? 8 : 1, WithMarkers> const all{
          index,         plan,         markers,     rows,          samples.data(),
          marked.data(), steps.data(), next.data(), faults.data(), is_host ? 256 : 1};
      each_long(backend, all.num_groups(), all);
    };
    if (marker_positions.size() == 0)
      walk(std::false_type{});
    else
      walk(std::true_type{});
    if (value_at(backend, faults.span(), 0) != 0) throw std::length_error("endless");
    for (std::uint64_t walks_of_record = 1; walks_of_record < plan.num_walks; walks_of_record *= 2) {
      backend.each(plan.num_walks,
                   double_walks{plan.num_walks, steps.data(), next.data(), more_steps.data(), more_next.data()});
      std::swap(steps, more_steps);
      std::swap(next, more_next);
    }
    backend.each(plan.records, end_records{plan, steps.data(), next.data(), ends.data(), sizes.data()});
    for (std::span<std::uint64_t> const of : {samples.span(), marked.span()})
      backend.each(of.size(), set_positions{plan, record_bits, steps.data(), next.data(), ends.data(), of.data()});
    auto const download = [&](auto const& from, std::span<std::uint64_t> to) {
      backend.download(std::span<std::uint64_t const>(from.span()), to);
    };
    download(samples, positions.span());
    download(marked, marker_positions.span());
    download(ends, record_of_end);
    download(sizes, lengths);
  }

 private:
  static buffer<std::uint64_t> host_buffer(std::uint64_t size) { return {host_memory::shared(), size}; }
};

}  // namespace ordo::inline v0::suffix::run_length
