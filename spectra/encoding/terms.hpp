#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

// The terms of the PSI-MS vocabulary (https://github.com/HUPO-PSI/psi-ms-CV) that are read, by their numbers.
namespace ordo::inline v0::spectra::detail::terms {

inline constexpr std::uint32_t  //
    ms_level = 1000511,
    negative_scan = 1000129, positive_scan = 1000130, spectrum_title = 1000796, peak_list_scans = 1000797,
    srm_spectrum = 1000583, crm_spectrum = 1000581, scan_start_time = 1000016, selected_ion_mz = 1000744,
    peak_intensity = 1000042, charge_state = 1000041, possible_charge_state = 1000633, isolation_target = 1000827,
    inverse_mobility = 1002815, drift_time = 1002476, thermo_native_id = 1000768, ms1_spectrum = 1000579,
    faims_compensation_voltage = 1001581, collision_energy = 1000045, isolation_lower_offset = 1000828,
    isolation_upper_offset = 1000829;
inline constexpr std::uint32_t  // values that are made of peaks
    total_ion_current = 1000285,
    base_peak_mz = 1000504, base_peak_intensity = 1000505, highest_mz = 1000527, lowest_mz = 1000528, data_points = 1003060;

/// Returns the abbreviation of a method of dissociation: "HCD"; empty for another term. Supplemental activation is "+HCD".
std::string_view activation(std::uint32_t term);

/// A term by its accession and name.
struct term {
  std::string_view accession, name;
};
/// Returns the term of a method of dissociation by its abbreviation; nothing for an unknown one.
std::optional<term> dissociation(std::string_view abbreviation);

/// Returns the term of such a value by its name in a userParam; 0 for another name.
std::uint32_t value_of_peaks(std::string_view name);

/// Converts a time to seconds. @param unit  its accession, such as UO:0000031 @param name  the name of the unit, if there is no
/// accession; without both the unit is seconds, which the vocabulary has first
/// @returns nothing for a unit that is not one of time, or has no fixed length
std::optional<double> seconds(double time, std::string_view unit, std::string_view name);

}  // namespace ordo::inline v0::spectra::detail::terms
