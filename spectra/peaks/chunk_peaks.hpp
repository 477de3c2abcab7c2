#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/radix_key.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/spectrum.hpp"
#include "spectra/peaks/peak_sorter.hpp"

namespace ordo::inline v0::spectra::detail {

class peak_machines;

/// Encodes an m/z or an intensity as an integer that orders peaks. Missing values come last in either direction, and the two
/// zeros are equal.
class peak_code {
 public:
  static constexpr std::uint64_t missing = ~std::uint64_t{0};  // greater than the code of infinity

  explicit peak_code(bool descending) : flip_(descending ? ~std::uint64_t{0} : 0) {}
  [[nodiscard]] std::uint64_t of_number(double value) const { return radix_key<double>::encode(value + 0.0) ^ flip_; }
  [[nodiscard]] std::uint64_t operator()(double value) const { return std::isnan(value) ? missing : of_number(value); }

 private:
  std::uint64_t flip_;
};

/// Counts of a chunk.
struct chunk_counts {
  std::uint64_t bytes = 0, lines = 0, spectra = 0, peaks = 0;
  std::uint64_t spectra_kept = 0, peaks_kept = 0;
  std::uint64_t reordered = 0;          // spectra whose peaks change their order
  std::uint64_t fixed_order = 0;        // spectra that are out of order, and stay so
  std::uint64_t missing_precursor = 0;  // spectra without what selection::remove_precursor needs
};

/// The peaks of the spectra of one chunk: which are kept, and in which order.
class chunk_peaks {
 public:
  // Input of select(): all peaks of some spectra of the chunk.
  std::span<double const> mz, intensity;
  std::vector<std::uint32_t> first;             // peak of each spectrum, and the number of peaks
  std::vector<spectrum_header const*> headers;  // the header of each spectrum; only for selection::remove_precursor
  std::vector<std::uint8_t> fixed;              // 1: the order of the spectrum stays; empty: of none
  std::vector<std::uint8_t> left_out;           // 1: the spectrum is dropped whatever its peaks are; empty: none is
  std::vector<std::uint8_t> whole;              // 1: the spectrum keeps all peaks; empty: none does

  // Input of sort(): the peaks of disordered spectra, as encoded by peak_code.
  std::vector<std::uint64_t> codes;
  std::vector<std::uint32_t> bounds;  // where the disordered spectra begin in `codes`, from 0 on

  // Output of sort(): the positions in `codes` of each disordered spectrum, in order.
  std::vector<std::uint32_t> order;
  // Output of select(), if peaks are merged: the intensity of each peak, or a sum.
  std::vector<double> sums;
  // Output of select(), and of sort() after it.
  std::vector<std::uint8_t> keep;       // 1 for each peak that is kept
  std::vector<std::uint32_t> kept;      // peaks, spectrum by spectrum, in the order of the output
  std::vector<std::size_t> first_kept;  // the first kept peak of each spectrum, and the number of kept peaks
  enum class change : std::uint8_t { none, reordered, dropped };
  std::vector<change> changes;  // the change of each spectrum

  void clear();
  /// Ends a disordered spectrum, whose codes were appended.
  void end_disordered() { bounds.push_back(std::uint32_t(codes.size())); }
  /// Selects peaks, counts them, and makes codes of the spectra that are out of order.
  /// @returns the seconds that it waited for a machine
  double select(sort_options const& options, peak_machines& machines, chunk_counts& counts);
  /// Sorts the disordered spectra. @param share  the share of the input's spectra that is disordered, as far as is known
  /// @returns the seconds that it waited for a machine
  double sort(peak_machines& machines, double share);
  [[nodiscard]] std::span<std::uint32_t const> kept_peaks(std::size_t spectrum) const {
    return std::span(kept).subspan(first_kept[spectrum], first_kept[spectrum + 1] - first_kept[spectrum]);
  }

  /// The intensities of kept peaks.
  [[nodiscard]] std::span<double const> intensities() const { return sums.empty() ? intensity : std::span<double const>(sums); }
  /// Returns true if the intensity of a peak is a sum.
  [[nodiscard]] bool is_sum(std::size_t peak) const {
    return !sums.empty() && sums[peak] != intensity[peak] && !std::isnan(intensity[peak]);
  }
  /// Rounds the sums of a spectrum to floats.
  void round_sums(std::size_t spectrum);

  [[nodiscard]] bool is_left_out(std::size_t spectrum) const { return !left_out.empty() && left_out[spectrum]; }

 private:
  [[nodiscard]] bool keeps_all(std::size_t spectrum) const { return !whole.empty() && whole[spectrum]; }
  void find_precursors(bool all_charges, chunk_counts& counts);
  void find_kept(sort_options const& options, chunk_counts& counts);

  std::vector<std::size_t> disordered_;  // spectra
  std::vector<double> precursor_mz_;
  std::vector<std::int32_t> charges_;
};

}  // namespace ordo::inline v0::spectra::detail
