#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ordo/io.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "suffix/index/run_index_layout.hpp"
#include "suffix/run_length/samples.hpp"

/// The file of an index of runs that searches map into memory (run_index_layout.hpp).
namespace ordo::inline v0::suffix::run_length {

/// Returns the directory of an index.
inline std::vector<std::uint32_t> make_directory(run_view const& index, unsigned shift) {
  write_directory write{index, shift, nullptr};
  std::vector<std::uint32_t> to(write.size());
  write.to = to.data();
  for (std::size_t block = 0; block < index.num_blocks; ++block) write(block);
  return to;
}

/// Returns where the records begin in the text that they make.
inline std::vector<std::uint64_t> record_starts(std::vector<std::uint64_t> const& lengths) {
  std::vector<std::uint64_t> starts;
  std::uint64_t at = 0;
  for (std::uint64_t const length : lengths) {
    starts.push_back(at);
    at += length;
  }
  return starts;
}

/// Writes an index for searches.
/// @pre there are rows
inline void write_index_file(run_view const& index, sampled_rows const& samples, unsigned width, sink& to) {
  run_index_layout at;
  at.rows = index.rows;
  at.records = index.num_ends;
  at.sample = samples.distance;
  at.width = width;
  at.blocks = index.num_blocks;
  at.directory_shift = std::uint64_t(std::bit_width(index.rows / index.num_blocks));
  at.markers = samples.first_rows.size();
  at.marker_samples = samples.marker_positions.size();
  to.expect(at.bytes());
  std::uint64_t written = 0;
  auto const append = [&](std::span<char const> bytes) {
    if (!bytes.empty()) to.write(bytes);
    written += bytes.size();
  };
  auto const append_all = [&](auto const* values, std::uint64_t count) {
    append({reinterpret_cast<char const*>(values), std::size_t(count * sizeof(*values))});
  };
  auto const fill = [&](std::uint64_t end) {
    std::array<char, 64> const zeros{};
    append(std::span(zeros).first(std::size_t(end - written)));
  };
  append(at.header());
  std::uint64_t counts[num_codes];
  for (unsigned c = 0; c < num_codes; ++c) counts[c] = index.first[c + 1] - index.first[c];
  append_all(counts, num_codes);
  append_all(&at.markers, 1);
  append_all(&at.marker_samples, 1);
  append_all(index.groups, at.groups());
  fill(at.blocks_at());
  append_all(index.blocks, at.blocks);
  {
    std::vector<std::uint32_t> const directory = make_directory(index, unsigned(at.directory_shift));
    append_all(directory.data(), directory.size());
  }
  fill(at.ends_at());
  append_all(index.ends, at.records);
  unsigned const bytes = width / 8;
  std::vector<char> buffer;
  auto const append_entries = [&](std::uint64_t count, auto entry) {
    constexpr std::uint64_t at_a_time = 1 << 16;
    for (std::uint64_t first = 0; first < count; first += at_a_time) {
      std::uint64_t const some = std::min(at_a_time, count - first);
      buffer.resize(some * bytes + 8);
      for (std::uint64_t i = 0; i < some; ++i) store_entry(buffer.data() + i * bytes, bytes, entry(first + i));
      append(std::span<char const>(buffer).first(some * bytes));
    }
  };
  append_entries(at.records, [&](std::uint64_t i) { return samples.record_of_end[i]; });
  fill(at.samples_at());
  std::vector<std::uint64_t> const starts = record_starts(samples.lengths);
  std::uint64_t const mask = (std::uint64_t{1} << samples.record_bits) - 1;
  auto const position = [&](std::uint64_t sampled) { return starts[sampled & mask] + (sampled >> samples.record_bits); };
  append_entries(at.samples(), [&](std::uint64_t i) { return position(samples.positions.span()[i]); });
  fill(at.marker_rows_at());
  append_all(samples.first_rows.data(), at.markers);
  append_all(samples.rows_before.data(), at.markers);
  append_entries(at.marker_samples, [&](std::uint64_t i) { return position(samples.marker_positions.span()[i]); });
  fill(at.bytes());
}

/// Walks through all records of an index, and compares what the walks give with its records and samples.
/// @returns what is wrong
template <has_workers B>
std::optional<std::string> find_fault(B& backend, fm_index const& index, text const& input) {
  run_view const& runs = index.view().runs;
  run_view plain = runs;
  plain.directory = nullptr;
  // Checks what the walks assume and do not check themselves.
  std::uint64_t counts[num_codes] = {}, block = 0, end = 0;
  for (; block < runs.num_blocks; ++block) {
    if ((block & ((std::uint64_t{1} << group_counts::shift) - 1)) == 0)
      for (unsigned k = 1; k <= 4; ++k)
        if (runs.groups[block >> group_counts::shift].before[k] != counts[k])
          return fmt::format("block {}: the counts before its group differ from those of the blocks", block);
    if (runs.begin(block) != counts[0])
      return fmt::format("block {}: it begins at another row than the one before ends", block);
    for (unsigned c = 1; c <= 4; ++c)
      if (runs.before(block, c) != counts[c]) return fmt::format("block {}: the counts differ from those of the blocks", block);
    piece_reader in(runs.blocks, block, block + 1);
    std::uint64_t rows = 0, length = 0;
    for (unsigned letter = 0; in.next(letter, length);) {
      if (letter >= num_codes) return fmt::format("block {}: no letter has this code", block);
      if (letter == end_code)
        for (std::uint64_t i = 0; i < length; ++i, ++end)
          if (end >= runs.num_ends || runs.ends[end] != counts[0] + rows + i)
            return fmt::format("block {}: the ends of records are at other rows", block);
      if (letter - 1 < 4) counts[letter] += length;
      rows += length;
    }
    if (rows != runs.blocks[block].rows()) return fmt::format("block {}: its runs have another number of rows", block);
    counts[0] += rows;
  }
  if (counts[0] != runs.rows || end != runs.num_ends) return "its runs have another number of rows";
  for (unsigned c = 1; c <= 4; ++c)
    if (counts[c] != runs.first[c + 1] - runs.first[c]) return "its letters differ from those of its runs";
  for (block = 0; block < runs.num_blocks; ++block)
    for (unsigned c = 1; c <= 4; ++c)
      if (runs.blocks[block].pointer[c - 1] != plain.find(runs.first[c] + runs.before(block, c)))
        return fmt::format("block {}: it points to another block than that of its letters", block);
  if (make_directory(runs, runs.directory_shift) !=
      std::vector(runs.directory, runs.directory + (runs.rows >> runs.directory_shift) + 2))
    return "the directory differs from that of its blocks";
  std::optional<sampled_rows> samples;
  try {
    samples.emplace(backend, runs, index.sample(), true);
  } catch (std::length_error const&) {
    return "a walk through a record does not end";
  }
  std::uint64_t letters = 0;
  for (std::uint64_t const length : samples->lengths) letters += length;
  if (letters + runs.num_ends != runs.rows) return "the walks through its records do not have all rows";
  std::vector<std::uint64_t> const starts = record_starts(samples->lengths);
  for (std::size_t r = 0; r < starts.size(); ++r)
    if (input.begin(r) != starts[r]) return fmt::format("record {}: it has another length than its walk", r);
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (index.view().ends[i] != samples->record_of_end[i]) return fmt::format("end {}: it is of another record", i);
  std::uint64_t const mask = (std::uint64_t{1} << samples->record_bits) - 1;
  for (std::size_t i = 0; i < samples->positions.size(); ++i)
    if (std::uint64_t const sampled = samples->positions.span()[i];
        index.view().samples[i] != starts[sampled & mask] + (sampled >> samples->record_bits))
      return fmt::format("row {}: it has another position", i * index.sample());
  run_index_layout const at = run_index_layout::read(index.bytes());
  marker_rows const rows = at.rows_of_markers(index.bytes().data());
  if (at.marker_samples != samples->marker_positions.size() ||
      !std::ranges::equal(std::span(rows.first, rows.count), samples->first_rows) ||
      !std::ranges::equal(std::span(rows.before, rows.count), samples->rows_before))
    return "the rows of its markers are others";
  unsigned const bytes = unsigned(at.width / 8);
  entries const positions(index.bytes().subspan(at.marker_samples_at(), at.marker_samples * bytes), unsigned(at.width));
  for (std::size_t i = 0; i < samples->marker_positions.size(); ++i)
    if (std::uint64_t const sampled = samples->marker_positions.span()[i];
        positions[i] != starts[sampled & mask] + (sampled >> samples->record_bits))
      return fmt::format("sample {} of the rows of markers: it is another position", i);
  return std::nullopt;
}

}  // namespace ordo::inline v0::suffix::run_length
