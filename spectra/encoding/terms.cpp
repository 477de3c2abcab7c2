#include "spectra/encoding/terms.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ordo::inline v0::spectra::detail::terms {
namespace {

// A unit by its length in seconds; below one, by their number in a second.
struct time_unit {
  std::string_view accession, name;
  double seconds, a_second = 1;
};

// Units of time of UO (https://github.com/bio-ontology-research-group/unit-ontology) with a fixed length, unlike month and half
// life; and those that MS had before it used UO.
constexpr std::array<time_unit, 13> time_units{{
    {"UO:0000010", "second", 1},
    {"UO:0000031", "minute", 60},
    {"UO:0000028", "millisecond", 1, 1e3},
    {"UO:0000029", "microsecond", 1, 1e6},
    {"UO:0000150", "nanosecond", 1, 1e9},
    {"UO:0000030", "picosecond", 1, 1e12},
    {"UO:0000032", "hour", 3600},
    {"UO:0000033", "day", 86400},
    {"UO:0000034", "week", 7 * 86400},
    {"UO:0000036", "year", 365.25 * 86400},
    {"UO:0000151", "century", 36525. * 86400},
    {"MS:1000038", "minute", 60},
    {"MS:1000039", "second", 1},
}};

}  // namespace

std::optional<double> seconds(double time, std::string_view unit, std::string_view name) {
  if (unit.empty() && name.empty()) return time;
  for (auto const& known : time_units)
    if (unit.empty() ? name == known.name : unit == known.accession) return time * known.seconds / known.a_second;
  return std::nullopt;
}

std::string_view activation(std::uint32_t term) {
  struct method {
    std::uint32_t term;
    std::string_view name;
  };
  constexpr std::array<method, 18> all{{{1000133, "CID"},
                                        {1002472, "CID"},  // trap-type
                                        {1000422, "HCD"},  // beam-type
                                        {1002481, "HCD"},  // higher energy beam-type
                                        {1002000, "LIFT"},
                                        {1000134, "PD"},
                                        {1000135, "PSD"},
                                        {1000136, "SID"},
                                        {1000242, "BIRD"},
                                        {1000250, "ECD"},
                                        {1000262, "IRMPD"},
                                        {1000435, "PD"},
                                        {1000598, "ETD"},
                                        {1000599, "PQD"},
                                        {1002631, "EThcD"},
                                        {1003246, "UVPD"},
                                        {1002678, "+HCD"},
                                        {1002679, "+CID"}}};
  auto const it = std::ranges::find(all, term, &method::term);
  return it == all.end() ? std::string_view() : it->name;
}

std::optional<term> dissociation(std::string_view abbreviation) {
  constexpr std::array<std::pair<std::string_view, term>, 4> all{
      {{"CID", {"MS:1000133", "collision-induced dissociation"}},
       {"HCD", {"MS:1000422", "beam-type collision-induced dissociation"}},
       {"ETD", {"MS:1000598", "electron transfer dissociation"}},
       {"ECD", {"MS:1000250", "electron capture dissociation"}}}};
  for (auto const& [known, term] : all)
    if (abbreviation == known) return term;
  return std::nullopt;
}

std::uint32_t value_of_peaks(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::uint32_t>, 6> all{{{"total ion current", total_ion_current},
                                                                           {"base peak m/z", base_peak_mz},
                                                                           {"base peak intensity", base_peak_intensity},
                                                                           {"highest observed m/z", highest_mz},
                                                                           {"lowest observed m/z", lowest_mz},
                                                                           {"number of data points", data_points}}};
  for (auto const& [known, term] : all)
    if (name == known) return term;
  return 0;
}

}  // namespace ordo::inline v0::spectra::detail::terms
