#pragma once
#include <cstdint>
#include <string_view>

#include "spectra/binary_array.hpp"

// The terms of the PSI-MS vocabulary (https://github.com/HUPO-PSI/psi-ms-CV) that are looked at, by their numbers.
namespace ordo::spectra::detail::terms {

inline constexpr std::uint32_t  //
    ms_level = 1000511,
    negative_scan = 1000129, spectrum_title = 1000796, srm_spectrum = 1000583, crm_spectrum = 1000581,
    scan_start_time = 1000016, selected_ion_mz = 1000744, peak_intensity = 1000042, charge_state = 1000041,
    possible_charge_state = 1000633, thermo_native_id = 1000768;
inline constexpr std::uint32_t  // UO
    minute = 31;

/// What a term says of a binary array.
void describe(std::uint32_t term, std::string_view name, binary_array& array);

}  // namespace ordo::spectra::detail::terms
