#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordo::inline v0::spectra::detail {

/// The file headers of all inputs, merged: the header of the first input with spectra or parameters, and the comments of those
/// before it. Parameters there hold for all spectra of an input, so spectra of inputs with other ones cannot be in one file.
class input_heads {
 public:
  /// @param warn  called with "what: where: why" for parameters that are left out
  explicit input_heads(std::function<void(std::string const&)> warn) : warn_(std::move(warn)) {}

  /// Adds the header of the next input.
  /// @returns the part of it that goes with the next spectrum
  /// @throws input_error  if its parameters are others
  std::string take(std::string_view head, bool has_spectra, std::string const& name);
  /// Returns the file header of the output.
  [[nodiscard]] std::string const& front() const noexcept { return front_; }

 private:
  using parameters = std::vector<std::pair<std::string, std::string>>;  // sorted
  void compare(parameters const& others, std::string const& name) const;

  std::function<void(std::string const&)> warn_;
  std::string front_, reference_, name_;  // name_: of the input of reference_
  parameters all_, about_;                // about_: those that say nothing of spectra
  bool first_ = true, decided_ = false;
};

}  // namespace ordo::inline v0::spectra::detail
