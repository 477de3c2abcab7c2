#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/spectra.hpp"
#include "ordo/spectra/read.hpp"
#include "ordo/spectra/summary.hpp"
#include "spectra/peaks/peak_sorter.hpp"

namespace ordo::inline v0::spectra::detail {

/// The options that may drop a spectrum, for messages.
class drop_reasons {
 public:
  /// @param to  the format that spectra are printed in; empty: that of the input
  drop_reasons(sort_options const& options, std::string_view to);
  /// Returns the first rule of the choice that rejects a spectrum which one of them rejects. @param number  in its input
  [[nodiscard]] std::uint32_t of_choice(spectrum_header const& header, std::uint64_t number) const;
  /// The other format does not take the spectrum.
  [[nodiscard]] std::uint32_t not_printed() const noexcept { return std::uint32_t(rules_.size()); }
  [[nodiscard]] std::uint32_t too_few_peaks() const noexcept { return not_printed() + 1; }
  /// Returns a reason as the options that it is.
  [[nodiscard]] std::string const& text(std::uint32_t reason) const { return texts_[reason]; }

 private:
  std::vector<spectrum_choice> rules_;  // the rules of the choice, each alone
  std::vector<std::string> texts_;
};

/// The effects of the steps of a choice and a selection on spectra, one after the other. One for each thread.
class filter_effects {
 public:
  /// @param options  must outlive this
  /// @param to  the format that spectra are printed in, as --to names it; empty: they stay in that of the input
  filter_effects(sort_options const& options, std::string_view to);
  /// For select(), all steps of a selection at once. @param options  must outlive this
  explicit filter_effects(sort_options const& options);
  /// Adds a spectrum to what is known before and after the steps. @param number  in the input
  /// @param is_selected  the selection applies to the peaks @param is_printed  the other format takes the spectrum
  void add(spectrum const& original, std::uint64_t number, bool is_selected, bool is_printed, comparison& to);
  /// Appends a chosen spectrum with the peaks that are kept, in the order of the output.
  /// @returns false if it is dropped
  bool select(spectrum const& original, bool is_selected, spectrum_columns& to);

 private:
  [[nodiscard]] bool select(spectrum const& original, comparison& to);
  void drop_not_finite(comparison& to);
  void sort_peaks();

  sort_options const& options_;
  bool prints_;
  std::vector<spectrum_choice> rules_;  // the rules of the choice, each alone
  std::vector<selection> selections_;   // the first step, the first two, ...
  std::vector<step_effect> steps_;      // without effects
  std::unique_ptr<peak_sorter> selector_;
  std::vector<std::uint8_t> keep_;
  std::vector<double> mz_, intensity_, sums_;
  std::vector<double> sorted_mz_, sorted_intensity_;
};

}  // namespace ordo::inline v0::spectra::detail
