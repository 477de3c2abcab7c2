#pragma once
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "ordo/detail/run_view.hpp"

/// Markers: strings of a few letters, one in `sample` of all, by their hash. The rows whose suffixes begin with a marker have
/// samples. So rows of alike genomes that walk together all come to samples at the same step, and not each at its own.
namespace ordo::inline v0::suffix {

struct run_markers {
  unsigned length = 0;      // letters of a marker
  std::uint64_t limit = 0;  // a greater hash is that of no marker

  run_markers() = default;
  /// The markers of an index follow from its size, which bounds their number: 2^16.
  ORDO_FN run_markers(std::uint64_t rows, std::uint64_t sample) : length(min_length), limit(~std::uint64_t{0} / sample) {
    std::uint64_t const max_words = sample < max_markers ? sample * max_markers : max_markers * max_markers;
    while (length < max_length && words() < rows && 4 * words() <= max_words) ++length;
  }

  [[nodiscard]] ORDO_FN std::uint64_t words() const { return std::uint64_t{1} << 2 * length; }
  /// Returns true for the letters of a marker, two bits each, the first one's the most significant ones.
  [[nodiscard]] ORDO_FN bool operator()(std::uint64_t word) const {
    std::uint64_t hash = (word + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ hash >> 29) * 0x94d049bb133111eb;
    return hash <= limit;
  }
  /// Returns the maximum of rows that begin with a marker. A string of more rows is none.
  [[nodiscard]] ORDO_FN static std::uint64_t max_rows(std::uint64_t rows) { return rows / 1024 < 64 ? 64 : rows / 1024; }

  static constexpr unsigned min_length = 4, max_length = 12;
  static constexpr std::uint64_t max_markers = std::uint64_t{1} << 16;
};

/// The last letters of a walk.
struct last_letters {
  std::uint64_t word = 0;
  unsigned known = 0;

  /// Adds a letter before the others.
  /// @returns true if they begin with a marker
  ORDO_FN bool add(run_markers const& markers, unsigned letter) {
    if (letter - 1 >= 4) {
      known = 0;
      return false;
    }
    word = word >> 2 | std::uint64_t(letter - 1) << 2 * (markers.length - 1);
    if (known < markers.length && ++known < markers.length) return false;
    return markers(word);
  }
};

/// The first row of each marker that has rows, and the number of rows of those before it. Holds pointers only.
struct marker_rows {
  std::uint64_t const *first = nullptr, *before = nullptr;
  std::uint64_t count = 0, samples = 0;

  /// Returns the marker of a sample. @pre sample < samples
  [[nodiscard]] ORDO_FN std::uint64_t find_marker(std::uint64_t sample) const {
    std::uint64_t low = 0, high = count;  // markers below low have that sample, or others before it
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (before[middle] <= sample)
        low = middle + 1;
      else
        high = middle;
    }
    return low - 1;
  }
  /// Returns the number of the sample of a row, or the number of samples if the row, or one of those after it, has none.
  [[nodiscard]] ORDO_FN std::uint64_t find(std::uint64_t row, std::uint64_t rows) const {
    std::uint64_t low = 0, high = count;  // markers below low begin before the row or at it
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (first[middle] <= row)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == 0) return samples;
    std::uint64_t const inside = row - first[low - 1], begin = before[low - 1], end = low == count ? samples : before[low];
    if (end > samples || begin > end || inside >= end - begin || rows > end - begin - inside) return samples;
    return begin + inside;
  }
};

}  // namespace ordo::inline v0::suffix
