#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "ordo/detail/run_view.hpp"
#include "suffix/index/run_markers.hpp"

namespace ordo::inline v0::suffix {

/// The places in the file of an index of runs: a header of 64-bit words (magic, rows, records, distance of samples, bits of an
/// entry, blocks, groups' shift, shift of the directory); the number of rows of each letter, $ACGTN; the numbers of markers
/// (run_markers.hpp) and of their rows; counts before each group of blocks; blocks, at a multiple of 64 bytes; the block of
/// each 2^shift-th row, and the last one; the rows whose letter is the end of a record; their records; the position of each
/// sampled row; the first row of each marker; the number of rows of markers before it; the positions of these rows. Parts begin
/// at multiples of 8 bytes.
struct run_index_layout {
  static constexpr std::array<char, 8> magic{'o', 'r', 'd', 'o', ' ', 'f', 'm', '5'};
  static constexpr std::uint64_t counts_at = 64, markers_at = counts_at + 8 * run_length::num_codes,
                                 groups_at = markers_at + 16;

  std::uint64_t rows = 0, records = 0, sample = 1, width = 32, blocks = 0, group_shift = run_length::group_counts::shift,
                directory_shift = 0, markers = 0, marker_samples = 0;

  /// Reads a header. @pre there are groups_at bytes
  static run_index_layout read(std::span<char const> bytes) {
    auto const word = [&](std::size_t i) {
      std::uint64_t value;
      std::memcpy(&value, bytes.data() + 8 * i, 8);
      return value;
    };
    return {word(1), word(2), word(3), word(4), word(5), word(6), word(7), word(markers_at / 8), word(markers_at / 8 + 1)};
  }
  [[nodiscard]] std::array<char, 64> header() const {
    std::array<char, 64> bytes{};
    std::memcpy(bytes.data(), magic.data(), magic.size());
    std::uint64_t const words[] = {rows, records, sample, width, blocks, group_shift, directory_shift};
    std::memcpy(bytes.data() + 8, words, sizeof(words));
    return bytes;
  }
  /// Returns true if no size overflows.
  [[nodiscard]] bool is_possible() const {
    return sample != 0 && sample <= rows + (std::uint64_t{1} << 32) && (width == 32 || width == 40 || width == 64) &&
           records != 0 && records <= rows && rows < std::uint64_t{1} << 56 && blocks != 0 && blocks <= ~std::uint32_t{0} &&
           markers <= 16 * run_markers::max_markers && marker_samples <= rows &&
           group_shift == run_length::group_counts::shift && directory_shift < 56;
  }

  [[nodiscard]] std::uint64_t groups() const { return (blocks + (std::uint64_t{1} << group_shift) - 1) >> group_shift; }
  [[nodiscard]] std::uint64_t directory() const { return (rows >> directory_shift) + 2; }
  [[nodiscard]] std::uint64_t samples() const { return (rows - records + sample - 1) / sample; }
  [[nodiscard]] std::uint64_t blocks_at() const {
    return round_up(sizeof(run_length::run_block), groups_at + groups() * sizeof(run_length::group_counts));
  }
  [[nodiscard]] std::uint64_t directory_at() const { return blocks_at() + blocks * sizeof(run_length::run_block); }
  [[nodiscard]] std::uint64_t ends_at() const { return directory_at() + round_up(8, 4 * directory()); }
  [[nodiscard]] std::uint64_t records_at() const { return ends_at() + 8 * records; }
  [[nodiscard]] std::uint64_t samples_at() const { return records_at() + round_up(8, records * (width / 8)); }
  [[nodiscard]] std::uint64_t marker_rows_at() const { return samples_at() + round_up(8, samples() * (width / 8)); }
  [[nodiscard]] std::uint64_t marker_samples_at() const { return marker_rows_at() + 16 * markers; }
  [[nodiscard]] std::uint64_t bytes() const { return marker_samples_at() + round_up(8, marker_samples * (width / 8)); }

  /// Returns a view of a file in memory.
  [[nodiscard]] run_length::run_view view(char const* file) const {
    run_length::run_view view;
    view.blocks = reinterpret_cast<run_length::run_block const*>(file + blocks_at());
    view.groups = reinterpret_cast<run_length::group_counts const*>(file + groups_at);
    view.ends = reinterpret_cast<std::uint64_t const*>(file + ends_at());
    view.directory = reinterpret_cast<std::uint32_t const*>(file + directory_at());
    view.directory_shift = unsigned(directory_shift);
    view.num_blocks = blocks;
    view.num_ends = records;
    view.rows = rows;
    std::uint64_t counts[run_length::num_codes];
    std::memcpy(counts, file + counts_at, sizeof(counts));
    for (unsigned c = 0; c < run_length::num_codes; ++c) view.first[c + 1] = view.first[c] + counts[c];
    return view;
  }

  /// Returns a view of the rows of markers in a file in memory.
  [[nodiscard]] marker_rows rows_of_markers(char const* file) const {
    auto const* const first = reinterpret_cast<std::uint64_t const*>(file + marker_rows_at());
    return {first, first + markers, markers, marker_samples};
  }

  [[nodiscard]] static constexpr std::uint64_t round_up(std::uint64_t unit, std::uint64_t bytes) {
    return (bytes + unit - 1) / unit * unit;
  }
};

}  // namespace ordo::inline v0::suffix
