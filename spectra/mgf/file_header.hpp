#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordo::spectra::detail {

/// What stands before the first spectrum of each input, made one: that of the first input with spectra or parameters, and the
/// comments of those before it. Parameters there hold for all spectra of an input, so that spectra of inputs with other ones
/// cannot stand in one file.
class input_heads {
 public:
  /// @param warn  called with "what: where: why" for parameters that are left out
  explicit input_heads(std::function<void(std::string const&)> warn) : warn_(std::move(warn)) {}

  /// The next input's. @returns what of it goes with the spectrum that comes next
  /// @throws input_error  if its parameters are others
  std::string take(std::string_view head, bool has_spectra, std::string const& name);
  /// What comes first in the output.
  [[nodiscard]] std::string const& front() const noexcept { return front_; }

 private:
  using parameters = std::vector<std::pair<std::string, std::string>>;  // sorted
  void compare(parameters const& others, std::string const& name) const;

  std::function<void(std::string const&)> warn_;
  std::string front_, reference_, name_;  // of which input reference_ is
  parameters all_, about_;                // those that say something of spectra, and the others
  bool first_ = true, decided_ = false;
};

}  // namespace ordo::spectra::detail
