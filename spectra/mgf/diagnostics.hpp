#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ordo/spectra.hpp"
#include "spectra/mgf/scan.hpp"

namespace ordo::spectra::detail {

/// What was found in the slices of an input, put together in the input's order: totals, warnings, the first error.
class findings {
 public:
  /// @param how  must outlive it
  /// @param end_needed  a missing END IONS is an error, if lenient, too
  explicit findings(options const& how, bool end_needed = false) : how_(how), end_needed_(end_needed) {}

  /// The next slice, whose lines may have been moved where there is neither error nor disorder. Warnings are handed on.
  /// @param warned  the lines of found.first_warnings
  /// @param kind  what it looked like, if not MGF
  /// @returns false if there is a disorder, which is the last to be taken. @throws input_error for what is wrong in it
  bool take(std::string_view text, scan_result const& found, std::span<std::string const> warned, std::string_view kind);
  /// The input ends here. @throws input_error if it does inside a spectrum
  void end();
  /// @throws input_error  for a slice of so many bytes
  [[noreturn]] void refuse_large(std::uint64_t bytes) const;

  /// So far, but for the machine and the phases.
  report totals;
  std::optional<disorder> first_disorder;

 private:
  void warn(std::string const& message);
  void forgive(std::string const& message);
  [[nodiscard]] std::string missing_end(std::uint64_t line, std::uint64_t since) const;
  [[nodiscard]] std::string message(finding const& found, std::string_view line) const;

  options const& how_;
  bool end_needed_;
  std::string_view kind_;              // what the input looks like, if not MGF
  std::optional<std::uint64_t> open_;  // line of the BEGIN IONS that has no END IONS so far
};

}  // namespace ordo::spectra::detail
