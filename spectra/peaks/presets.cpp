#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "ordo/spectra/selection.hpp"

// The selections of other programs, as their published sources have them.
namespace ordo::inline v0::spectra {
namespace {

constexpr std::array<std::string_view, 8> names{"casanovo",  "xtandem", "gicops",  "sage",
                                                "instanovo", "gnps",    "matchms", "dreams"};

// Returns the selection in which spectrum_utils prepares spectra for de novo sequencing.
selection for_sequencing(double min_relative, std::size_t top) {
  selection selection;
  selection.min_mz = 50;
  selection.max_mz = 2500;
  selection.remove_precursor = tolerance{2, false};
  selection.all_charges = true;
  selection.min_relative = min_relative;
  selection.top = top;
  return selection;
}

template <class Set>
selection selecting(Set set) {
  selection one;
  set(one);
  return one;
}

std::vector<preset_info> make_presets() {
  selection casanovo_5 = for_sequencing(0.0001, 150);
  casanovo_5.min_peaks = 20;
  std::vector<preset_info> all;
  all.push_back(
      {.name = "casanovo",
       .first = "5.0",
       .last = "5.2",
       .program = "Casanovo (Apache 2.0): casanovo/config.yaml, casanovo/denovo/dataloaders.py",
       .changed = "Versions 3.1 to 4.3 compared intensities with 1% of the greatest; since 5.0 their roots are compared, "
                  "which is 0.01% of the greatest intensity. Since 5.0 spectra of fewer than 20 peaks are skipped.",
       .then = "Casanovo then takes the root of each intensity and scales each spectrum to length 1, and skips charges "
               "above 4. It drops peaks at exactly the least relative intensity, in single precision.",
       .select = casanovo_5});
  all.push_back({.name = "casanovo",
                 .first = "3.1",
                 .last = "4.3",
                 .program = "Casanovo (Apache 2.0): casanovo/config.yaml, casanovo/data/datasets.py",
                 .changed = "Version 3.0 kept m/z from 50.52564895.",
                 .then =
                     "Casanovo then takes the root of each intensity and scales each spectrum to length 1, and skips charges "
                     "above 10. It drops peaks at exactly the least relative intensity, in single precision.",
                 .select = for_sequencing(0.01, 150)});
  all.push_back({.name = "xtandem",
                 .first = "2017.2.1",
                 .last = "2017.2.1",
                 .program = "X! Tandem ALANINE (Artistic License): default_input.xml",
                 .changed = {},
                 .then = "X! Tandem then scales intensities, and skips precursors below 500 Da.",
                 .select = selecting([](selection& selection) {
                   selection.min_mz = 150;
                   selection.min_relative = 0.01;
                   selection.top = 50;
                   selection.min_peaks = 15;
                 })});
  all.push_back({.name = "gicops",
                 .first = {},
                 .last = {},
                 .program = "GiCOPS of March 2024 (GPL 3 or later): source/core/cuda/superstep2/kernel.cu, with QALEN 100",
                 .changed = {},
                 .then = {},
                 .select = selecting([](selection& selection) { selection.top = 100; })});
  constexpr std::string_view
      sage = "Sage (MIT), with \"deisotope\": false: crates/sage/src/spectrum.rs, crates/sage-cli/src/input.rs",
      sage_then =
          "Of equal intensities at the limit Sage keeps those of greater m/z. With \"deisotope\": true it "
          "adds up isotopes before it counts peaks: filter by --min-peaks=15 alone then.";
  selection sage_15;
  sage_15.top = 150;
  sage_15.min_peaks = 15;
  selection sage_14 = sage_15;
  sage_14.min_mz = 150;
  sage_14.max_mz = 2000;
  all.push_back({.name = "sage",
                 .first = "0.15",
                 .last = "0.15",
                 .program = sage,
                 .changed = "Versions before 0.15 kept m/z from 150 to 2000 (fragment_min_mz, fragment_max_mz).",
                 .then = sage_then,
                 .select = sage_15});
  all.push_back({.name = "sage",
                 .first = "0.6",
                 .last = "0.14",
                 .program = sage,
                 .changed = "Version 0.15 no longer drops peaks by m/z.",
                 .then = sage_then,
                 .select = sage_14});
  all.push_back(
      {.name = "instanovo",
       .first = "1.2",
       .last = "1.2",
       .program = "InstaNovo (Apache 2.0): instanovo/configs/model/instanovo_base.yaml, instanovo/transformer/data.py",
       .changed = "Since 1.2 predictions no longer use spectrum_utils: an intensity of 0.01 suffices, whatever the "
                  "greatest is, and the precursor is removed at its own charge alone.",
       .then = "InstaNovo then takes the root of each intensity and scales each spectrum to length 1, and skips charges "
               "above 10.",
       .select = selecting([](selection& selection) {
         selection.min_mz = 50;
         selection.max_mz = 2500;
         selection.min_intensity = 0.01;
         selection.remove_precursor = tolerance{2, false};
         selection.top = 200;
       })});
  all.push_back(
      {.name = "instanovo",
       .first = "0.1",
       .last = "1.1",
       .program = "InstaNovo (Apache 2.0): configs/instanovo/base.yaml, instanovo/transformer/dataset.py",
       .changed = "Version 1.2 compares intensities with 0.01 and not with 1% of the greatest, and removes the precursor "
                  "at its own charge alone.",
       .then = "InstaNovo then takes the root of each intensity and scales each spectrum to length 1, and skips charges "
               "above 10. It drops peaks at exactly the least relative intensity, in single precision.",
       .select = for_sequencing(0.01, 200)});
  all.push_back(
      {.name = "gnps",
       .first = {},
       .last = {},
       .program = "GNPS, classical molecular networking with both peak filters: FILTER_PRECURSOR_WINDOW=1, WINDOW_FILTER=1",
       .changed = "GNPS documents 17 Da on both sides of the precursor; its source removes 17 below and 15 above. "
                  "Feature-based networking filters in another order, which this does not follow.",
       .then = "GNPS then takes spectra with at least 6 matching peaks. Before, it cuts spectra of more than 1000 peaks "
               "to their 1000 greatest. It keeps peaks at exactly 17 or 15 Da, in single precision.",
       .select = selecting([](selection& selection) {
         selection.remove_precursor = tolerance{17, false};
         selection.remove_precursor_above = tolerance{15, false};
         selection.top = 6;
         selection.around = 50;
       })});
  all.push_back({.name = "matchms",
                 .first = "0.24",
                 .last = "0.25",
                 .program = "matchms (Apache 2.0), CLEAN_PEAKS: matchms/filtering/default_pipelines.py",
                 .changed =
                     "Since 0.26 matchms first drops spectra that look like profiles and peaks below frequent intensities, "
                     "and since 0.31 peaks above the precursor less 1.6: steps that specsort does not have.",
                 .then = "matchms then drops spectra with fewer than 5 peaks of at least 2% of the greatest.",
                 .select = selecting([](selection& selection) {
                   selection.min_mz = 0;
                   selection.max_mz = 1000;
                   selection.min_relative = 0.001;
                   selection.top = 1000;
                 })});
  all.push_back({.name = "dreams",
                 .first = "1.0",
                 .last = "1.0",
                 .program = "DreaMS (MIT), its embedding model: dreams/api.py, dreams/utils/spectra.py",
                 .changed =
                     "DreaMS rejects spectra with peaks of an intensity of 0 or less, or of an m/z that another peak has. Such "
                     "peaks go here, or become one.",
                 .then = "DreaMS then divides intensities by the greatest, and puts the precursor before the peaks.",
                 .select = selecting([](selection& selection) {
                   selection.drop_zero = true;
                   selection.min_intensity = 0;
                   selection.merge = tolerance{0, false};
                   selection.top = 100;
                 })});
  return all;
}

// Returns the numbers of a version; none if it is no version.
std::vector<unsigned> parse_version(std::string_view version) {
  std::vector<unsigned> all;
  for (bool more = true; more;) {
    std::size_t const dot = version.find('.');
    std::string_view const digits = version.substr(0, dot);
    unsigned value = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) return {};
    all.push_back(value);
    more = dot != version.npos;
    version.remove_prefix(more ? dot + 1 : 0);
  }
  return all;
}

bool holds_version(preset_info const& info, std::string_view version) {
  std::vector<unsigned> given = parse_version(version);
  if (given.empty() || info.first.empty()) return false;
  std::vector<unsigned> const first = parse_version(info.first), last = parse_version(info.last);
  given.resize(std::max(given.size(), first.size()));  // 5 is 5.0
  if (std::ranges::lexicographical_compare(given, first)) return false;
  given.resize(std::min(given.size(), last.size()));  // 5.2.1 is one of 5.2
  return !std::ranges::lexicographical_compare(last, given);
}

}  // namespace

std::span<preset_info const> presets() {
  static std::vector<preset_info> const all = make_presets();
  return all;
}

preset_info const* find_preset(std::string_view name) {
  std::size_t const at = name.find('@');
  for (preset_info const& preset : presets())
    if (preset.name == name.substr(0, at) && (at == name.npos || holds_version(preset, name.substr(at + 1)))) return &preset;
  return nullptr;
}

std::optional<selection> preset(std::string_view name) {
  preset_info const* const info = find_preset(name);
  return info ? std::optional(info->select) : std::nullopt;
}

std::span<std::string_view const> preset_names() {
  return names;
}

}  // namespace ordo::inline v0::spectra
