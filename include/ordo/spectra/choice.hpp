#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ordo/spectra/spectrum.hpp"

#pragma GCC visibility push(default)

// The choice of spectra by their headers and their numbers. The spectra that are not chosen are left out whole.
namespace ordo::inline v0::spectra {

/// The numbers from first to last, both included.
template <class Number>
struct closed_range {
  Number first, last;
  bool operator==(closed_range const&) const = default;
};

/// A rule that accepts the values in any of some ranges. An inverse rule accepts all other spectra, those without a value among
/// them.
template <class Number>
struct range_rule {
  std::vector<closed_range<Number>> ranges;  // empty: the rule is not set
  bool inverse = false;

  [[nodiscard]] bool is_set() const noexcept { return !ranges.empty(); }
  /// Returns true if a range holds the value; no inversion.
  [[nodiscard]] bool holds(Number value) const noexcept {
    for (auto const& range : ranges)
      if (value >= range.first && value <= range.last) return true;
    return false;
  }
  bool operator==(range_rule const&) const = default;
};

/// A rule that accepts texts which a pattern matches from begin to end: '*' stands for any text, '?' for any one byte, and '\'
/// makes the next byte stand for itself. Each other byte stands for itself. An inverse rule accepts all other spectra, those
/// without such a text among them.
struct pattern_rule {
  std::optional<std::string> pattern;
  bool inverse = false;

  [[nodiscard]] bool is_set() const noexcept { return pattern.has_value(); }
  bool operator==(pattern_rule const&) const = default;
};

/// Returns true if the pattern of a pattern_rule matches the whole text. Takes at most as many steps as the product of their
/// lengths.
bool matches_pattern(std::string_view pattern, std::string_view text) noexcept;

/// A rule that chooses among the spectra that all other rules accept as if at random: each has a rank, which depends on its
/// number and the seed alone, and those of rank max_rank or less are chosen; or all others.
struct sample_rule {
  std::uint64_t seed = 0, max_rank = 0;
  bool inverse = false;

  /// Returns a number that differs for each number of a spectrum.
  [[nodiscard]] std::uint64_t rank(std::uint64_t number) const noexcept;
  bool operator==(sample_rule const&) const = default;
};

/// Spectra that a table names, such as one of peptide-spectrum matches, with the sequence of each; it may be empty. A spectrum
/// is found by its scan number, its number in the input from 0 on, its native id, or its title.
struct named_spectra {
  std::unordered_map<std::uint64_t, std::string> by_scan, by_number;
  std::unordered_map<std::string, std::string> by_id;  // native ids, their values alone with commas ("0,1,17"), and titles

  /// Returns the sequence of a spectrum; nullptr if the table does not name it. @param number  in its input
  [[nodiscard]] std::string const* find(spectrum_header const& header, std::uint64_t number) const;
};

/// The spectra that are chosen: those which all rules accept that are set.
struct spectrum_choice {
  range_rule<std::uint64_t> ms_levels;
  range_rule<double> rt_seconds;
  range_rule<std::uint64_t> scans;
  range_rule<int> charges;  // any charge of any precursor; 0: a spectrum without a charge
  std::optional<ion_polarity> polarity;
  bool inverse_polarity = false;
  range_rule<double> precursor_mz;  // any precursor of the spectrum
  pattern_rule title, native_id;
  range_rule<double> compensation_voltage, collision_energy, isolation_width, total_ion_current, base_peak;
  pattern_rule activation;  // any of the abbreviations, in any case
  pattern_rule instrument;
  /// Spectra of the input that a table names; nullptr: all. Where spectra are printed, or stay in MGF, they get the sequences.
  std::shared_ptr<named_spectra const> named = {};
  bool inverse_named = false;
  /// Numbers of spectra in the input from 0 on, in ascending order; nullptr: all. Those of mzML count spectra of every MS
  /// level.
  std::shared_ptr<std::vector<std::uint64_t> const> numbers;
  bool inverse_numbers = false;
  /// Numbers of spectra in the input that are left out, as find_duplicates returns them; nullptr: none.
  std::shared_ptr<std::vector<std::uint64_t> const> duplicates = {};
  std::string duplicates_option = "--unique-spectra", duplicates_text = {};  // the rule, for the record of the processing
  std::optional<sample_rule> sample;
  /// Added to the number of a spectrum for the sample: the number of spectra of the inputs before.
  std::uint64_t first_number = 0;

  /// Returns true if no rule is set.
  [[nodiscard]] bool empty() const;
  /// Returns true if a rule depends on the number of a spectrum.
  [[nodiscard]] bool needs_numbers() const noexcept { return numbers || sample || duplicates || named; }
  /// @throws usage_error  for a range that ends before it begins, NaN, and numbers that do not ascend
  void check() const;
  /// Returns true if the spectrum is chosen. @param number  in its input
  [[nodiscard]] bool accepts(spectrum_header const& header, std::uint64_t number) const;
};

/// Returns the ranges as specsort's options have them: "!2:3,5".
std::string to_text(range_rule<std::uint64_t> const& rule);
/// Lists a choice as specsort's options, by name and value.
std::vector<std::pair<std::string, std::string>> as_options(spectrum_choice const& choice);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
