#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ordo/machine.hpp"
#include "ordo/spectra/order.hpp"
#include "ordo/spectra/read.hpp"
#include "ordo/spectra/selection.hpp"

#pragma GCC visibility push(default)

/// Pairs of spectra that are similar by the cosine of their peaks, and clusters of them.
namespace ordo::inline v0::spectra {

/// Spectra in arrays of the caller. Spectrum s has the peaks [offsets[s], offsets[s + 1]), in any order of m/z. Missing and
/// negative intensities count as 0; a peak whose m/z is not finite matches none.
struct spectra_view {
  std::span<double const> mz, intensity;
  std::span<std::uint64_t const> offsets;  // one more than there are spectra
  std::span<double const> precursor_mz;    // NaN: missing

  [[nodiscard]] std::size_t size() const noexcept { return precursor_mz.size(); }
};

/// A rule by which two spectra are similar.
struct similarity_rule {
  /// The maximum difference of the m/z of the precursors (in ppm: of the first spectrum); a spectrum without a precursor is
  /// similar to none. If it is not set, all pairs of spectra are compared.
  std::optional<tolerance> precursor = tolerance{20, true};
  double min_cosine = 0.7;  // above 0, up to 1
  /// The maximum difference of the m/z of two peaks that match (in ppm: of the first spectrum's).
  tolerance peaks = {0.05, false};
  /// The modified cosine: a peak of the second spectrum also matches if it does so after a shift by the difference of the
  /// precursors, unless that is within the tolerance of peaks. A spectrum without a precursor is similar to none.
  bool modified = false;
};

/// Two spectra by their numbers from 0 on, of which the first is the smaller one, their cosine, and the number of pairs of
/// peaks of which it is the sum.
struct similar_pair {
  std::uint64_t first, second;
  double cosine;
  std::uint64_t matches;
  bool operator==(similar_pair const&) const = default;
};

/// Finds all pairs of similar spectra, in ascending order of the first, then of the second number.
///
/// The cosine is that of matchms's CosineGreedy, or of its ModifiedCosineGreedy: each peak matches one other at most; pairs of
/// peaks are taken in the order of their products, from the greatest down. Of equal products that pair is taken first which
/// comes last in the order of the first spectrum's peaks, then of the second's, then of shifted pairs after others. Peaks of
/// one m/z are in the order of the input. Two peaks match if the second m/z is neither below nor above those of the first minus
/// and plus the tolerance, as rounded to double precision. Matches of intensity 0 count, too. The sum of products is divided by
/// the product of the norms. A spectrum without intensities, or with an infinite one, is similar to none.
///
/// An inverted index of the peaks, sorted by bins of m/z, gives an upper bound of each cosine, so that time grows with the
/// peaks that spectra share. The highest peaks of a spectrum are looked up there; the norm of the others bounds what they add.
/// The result is the same for any machine and number of threads. Memory: 16 bytes a peak, 56 a spectrum, 32 a pair, twice while
/// they are collected, and 64 MiB for each thread.
/// @param on  a GPU that is named sorts the index; the CPU does all else
/// @throws usage_error  for values out of range, and arrays of different lengths
std::vector<similar_pair> find_pairs(spectra_view const& spectra, similarity_rule const& rule, machine_options const& on = {});

/// A method to make clusters of the pairs of similar spectra. The representative of a connected cluster is the spectrum with
/// the greatest sum of cosines, of equal ones the first. A greedy cluster is a spectrum with all that are similar to it and are
/// in no cluster before: the spectrum that is in the most pairs, of equal ones the first, is the representative of the first
/// one.
enum class cluster_method { connected, greedy };

/// Returns for each spectrum the number of the representative of its cluster, which is its own number if it is in no pair.
/// @param pairs  the result of find_pairs @throws usage_error  for a pair of other numbers than those below `spectra`
std::vector<std::uint64_t> find_clusters(std::size_t spectra, std::span<similar_pair const> pairs, cluster_method method);

/// Makes one spectrum of each cluster, in the order of the representatives, with the values of their headers. Peaks of its
/// spectra within the tolerance of a higher one become one peak, from the highest down, with the mean m/z, weighted by
/// intensity and rounded to 10^-6, and the mean intensity of all spectra, each scaled to the norm of the representative, in
/// seven digits. Peaks that less than half of the spectra have are left out. A spectrum that is its own cluster stays as it is.
/// @param clusters  the result of find_clusters
spectrum_columns make_consensus(spectrum_columns const& spectra, std::span<std::uint64_t const> clusters,
                                tolerance const& peaks);

/// Reads the spectra that the choice accepts and the selection keeps, with the peaks that it keeps.
/// @param numbers  becomes, for each input, the numbers of these spectra in it
/// @param order  memory alone counts @throws input_error  if the columns of peaks take more memory, and as order_spectra
spectrum_columns read_selected(spectrum_inputs const& inputs, sort_options const& options, order_options const& order,
                               std::vector<std::vector<std::uint64_t>>& numbers);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
