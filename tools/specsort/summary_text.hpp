#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/spectra/summary.hpp"

namespace ordo::inline v0::specsort {

using spectra::comparison, spectra::summary;

/// A line of a summary.
struct summary_row {
  std::string caption, value;
};
std::vector<summary_row> summary_rows(summary const& of);

/// A bin of the histogram: spectra with min to max peaks. Each bin is twice as wide as the one before.
struct summary_bin {
  std::uint64_t min, max, spectra = 0;
  [[nodiscard]] std::string label() const;
};
std::vector<summary_bin> summary_bins(summary const& of);

/// The bins of the histograms before and after.
struct paired_bin {
  std::string label;
  std::uint64_t before = 0, after = 0;  // spectra
};
std::vector<paired_bin> paired_bins(comparison const& of);

/// Formats a summary as a table, with a histogram of the numbers of peaks.
std::string summary_table(summary const& of, std::string_view name);
/// Formats it as JSON.
std::string summary_json(summary const& of, std::string_view name);
/// Formats summaries before and after as a table of two columns, and what each step took away.
std::string comparison_table(comparison const& of, std::string_view name);
/// Formats them as JSON.
std::string comparison_json(comparison const& of, std::string_view name);

/// An input of several.
struct named_summary {
  std::string name;
  comparison of;  // `after` only if they are compared
};
comparison add_up(std::span<named_summary const> all);
/// Formats summaries as a table with a row for each and one for their total. The name comes last, however long it is.
std::string summaries_table(std::span<named_summary const> all, bool compares);
/// Formats them as JSON: {"files": [...], "total": ...}.
std::string summaries_json(std::span<named_summary const> all, bool compares);

}  // namespace ordo::inline v0::specsort
