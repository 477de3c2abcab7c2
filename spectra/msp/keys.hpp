#pragma once
#include <string>
#include <string_view>

#include "ordo/spectra.hpp"

// The names of the metadata of libraries in MGF and in the dialects of MSP.
namespace ordo::inline v0::spectra::detail {

/// A property that MGF and the dialects of MSP name differently.
struct library_key {
  std::string_view mgf;       // as GNPS and matchms read it
  std::string_view nist;      // "Ion_mode"
  std::string_view massbank;  // "AC$MASS_SPECTROMETRY: ION_MODE", whose second part stands before the value
  std::string_view matchms;   // "IONMODE"
  std::string_view aliases;   // other names, normalized, with blanks between them

  [[nodiscard]] std::string_view in(msp_style style) const noexcept {
    return style == msp_style::nist ? nist : style == msp_style::massbank ? massbank : matchms;
  }
};

/// Returns a key in small letters without blanks and underscores.
std::string normalized_key(std::string_view key);

/// Finds a property by any of its names, normalized.
/// @returns nullptr for others
library_key const* find_library_key(std::string_view normalized);

/// Returns true for the parts of MassBank's records whose values begin with a key of their own: "ms$focusedion".
bool has_subkeys(std::string_view normalized);

}  // namespace ordo::inline v0::spectra::detail
