#pragma once
#include <cstdint>
#include <string_view>

// The attributes of mzSpecLib that hold the metadata of libraries.
namespace ordo::inline v0::spectra::detail {

/// An attribute by its term in the PSI-MS vocabulary, and the key of MGF whose values it holds.
struct library_attribute {
  std::string_view key;
  std::uint32_t term;
  std::string_view name;
  std::string_view unit;  // "UO:0000221|dalton": the value is a number in this unit; empty: a text
  bool of_analyte;        // else of the spectrum
};

/// @returns nullptr for others
library_attribute const* find_attribute(std::string_view key);
library_attribute const* find_attribute(std::uint32_t term);

/// Terms of the attributes that are values of a header, or have a part of their own.
namespace library_terms {
inline constexpr std::uint32_t spectrum_name = 1003061, experimental_precursor_mz = 1003208, theoretical_ion_mz = 1003053,
                               proforma_notation = 1003270, scan_number = 1003057, number_of_peaks = 1003059,
                               attribute_set = 1003212, retention_time = 1000894, local_retention_time = 1000895,
                               scan_polarity = 1000465, precursor_intensity = 1003085, dissociation_method = 1000044,
                               other_name = 1003275, other_value = 1003276;
}

}  // namespace ordo::inline v0::spectra::detail
