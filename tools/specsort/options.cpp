#include "tools/specsort/options.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "ordo/error.hpp"
#include "tools/cli/options.hpp"

namespace ordo::specsort {
namespace {

using spectra::tolerance;

double parse_real(std::string_view option, std::string_view text) {
  double value = 0;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value))
    throw usage_error(fmt::format("invalid number: {}: '{}'", option, text));
  return value;
}

tolerance parse_tolerance(std::string_view option, std::string_view text) {
  std::string_view number = text;
  bool const ppm = number.ends_with("ppm");
  if (ppm)
    number.remove_suffix(3);
  else if (number.ends_with("Da"))
    number.remove_suffix(2);
  while (number.ends_with(' ')) number.remove_suffix(1);
  double value = 0;
  auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || end != number.data() + number.size() || !(value >= 0) || !std::isfinite(value))
    throw usage_error(fmt::format("invalid tolerance: {}: '{}'; such as 0.5, 0.5Da or 20ppm are", option, text));
  return {value, ppm};
}

void parse_range(std::string_view text, spectra::selection& to) {
  constexpr std::string_view option = "--mz-range";
  std::size_t const colon = text.find(':');
  if (colon == std::string_view::npos || text.size() == 1)
    throw usage_error(fmt::format("invalid range: {}: '{}'; such as 50:2500, 150: or :2000 are", option, text));
  to.min_mz.reset();
  to.max_mz.reset();
  if (colon != 0) to.min_mz = parse_real(option, text.substr(0, colon));
  if (colon + 1 != text.size()) to.max_mz = parse_real(option, text.substr(colon + 1));
}

std::string number(double value) {
  return fmt::format("{}", value);
}

std::string distance(tolerance const& given) {
  return number(given.value) + (given.ppm ? " ppm" : " Da");
}

std::string preset_list() {
  std::string all;
  for (std::string_view const name : spectra::preset_names())
    all += (all.empty() ? "" : name == spectra::preset_names().back() ? " or " : ", ") + std::string(name);
  return all;
}

// What the field's programs do beside, which is no selection.
std::string_view not_done(std::string_view preset) {
  if (preset == "casanovo")
    return "Casanovo then takes the root of each intensity and scales each spectrum to length 1, and skips charges above 4.";
  if (preset == "xtandem") return "X! Tandem then scales intensities, and skips precursors below 500 Da.";
  return {};
}

}  // namespace

void selection_options::add_to(CLI::App& app) {
  std::string const group = "Which peaks stay (steps are done in this order)";
  auto const add = [&](char const* name, std::string& to, char const* type, std::string const& help) {
    cli::refuse_empty(*app.add_option(name, to, help)->type_name(type)->group(group));
  };
  add("--preset", preset, "NAME", "what a program does to spectra: " + preset_list() + "; other options replace its numbers");
  add("--mz-range", mz_range, "A:B", "drop peaks outside of m/z A to B; A or B may be missing");
  app.add_flag("--drop-zero", drop_zero, "drop peaks of intensity 0")->group(group);
  add("--min-intensity", min_intensity, "X", "drop peaks of less intensity");
  add("--remove-precursor", remove_precursor, "TOL",
      "drop peaks so near to the precursor's m/z: 0.5 (Da) or 20ppm; MS level 1 has none");
  app.add_flag("--all-charges", all_charges, "and to its m/z at each smaller charge")->group(group);
  add("--min-relative", min_relative, "F", "drop peaks of less than F of the greatest intensity that is left: 0.01");
  add("--dedupe", dedupe, "TOL", "of peaks so near to each other keep the greatest: 0.01 (Da) or 20ppm");
  add("--top", top, "N", "keep the N greatest; of equal ones those of less m/z");
  add("--per", per, "WIDTH", "keep the N greatest in each window of WIDTH m/z, from 0 on");
  add("--min-peaks", min_peaks, "N", "drop spectra with fewer peaks left: whole, of every MS level; what refers to them stays");
}

spectra::selection selection_options::made() const {
  spectra::selection one;
  if (!preset.empty()) {
    auto const named = spectra::preset(preset);
    if (!named) throw usage_error(fmt::format("no such preset: {}: {} are there", preset, preset_list()));
    one = *named;
  }
  if (!mz_range.empty()) parse_range(mz_range, one);
  if (drop_zero) one.drop_zero = true;
  if (!min_intensity.empty()) one.min_intensity = parse_real("--min-intensity", min_intensity);
  if (!remove_precursor.empty()) one.remove_precursor = parse_tolerance("--remove-precursor", remove_precursor);
  if (all_charges) one.all_charges = true;
  if (!min_relative.empty()) one.min_relative = parse_real("--min-relative", min_relative);
  if (!dedupe.empty()) one.dedupe = parse_tolerance("--dedupe", dedupe);
  if (!top.empty()) one.top = cli::parse_count("--top", top);
  if (one.top == 0u) throw usage_error("invalid number: --top: '0', which would leave every spectrum empty");
  if (!per.empty()) one.per = parse_real("--per", per);
  if (!min_peaks.empty()) one.min_peaks = cli::parse_count("--min-peaks", min_peaks);
  one.check();
  return one;
}

std::string explained(spectra::selection const& select, std::string const& preset, spectra::sort_key by, bool descending) {
  std::string text = "Of each spectrum, in this order:\n";
  std::size_t step = 0;
  auto const tell = [&](std::string const& option, std::string const& what) {
    text += fmt::format("{:2}. {:<28} {}\n", ++step, option, what);
  };
  auto const tolerance_value = [](tolerance const& given) { return number(given.value) + (given.ppm ? "ppm" : ""); };
  if (select.min_mz || select.max_mz) {
    std::string const least = select.min_mz ? number(*select.min_mz) : "", most = select.max_mz ? number(*select.max_mz) : "";
    tell(fmt::format("--mz-range {}:{}", least, most), most.empty() ? fmt::format("peaks below m/z {} go", least)
                                                       : least.empty()
                                                           ? fmt::format("peaks above m/z {} go", most)
                                                           : fmt::format("peaks below m/z {} and above {} go", least, most));
  }
  if (select.drop_zero) tell("--drop-zero", "peaks of intensity 0 go");
  if (select.min_intensity)
    tell("--min-intensity " + number(*select.min_intensity), "peaks of less intensity go, and those without");
  if (select.remove_precursor) {
    std::string const far = distance(*select.remove_precursor);
    tell("--remove-precursor " + tolerance_value(*select.remove_precursor),
         fmt::format("peaks within {} of the precursor go (MS level 1: none)", far));
    if (select.all_charges) tell("--all-charges", fmt::format("and those within {} of it at each smaller charge", far));
  }
  if (select.min_relative)
    tell("--min-relative " + number(*select.min_relative),
         fmt::format("peaks of less than {}% of the greatest intensity left go",
                     fmt::format("{:g}", *select.min_relative * 100)));
  if (select.dedupe)
    tell("--dedupe " + tolerance_value(*select.dedupe),
         fmt::format("peaks within {} of a greater one that stays go", distance(*select.dedupe)));
  if (select.top) {
    std::string const option = fmt::format("--top {}", *select.top);
    if (select.per)
      tell(option + " --per " + number(*select.per),
           fmt::format("the {} greatest of each {} m/z stay", *select.top, number(*select.per)));
    else
      tell(option, fmt::format("the {} greatest stay; of equal ones those of less m/z", *select.top));
  }
  if (select.min_peaks != 0)
    tell(fmt::format("--min-peaks {}", select.min_peaks),
         fmt::format("a spectrum with fewer than {} peaks left goes", select.min_peaks));
  tell(fmt::format("--by {}{}", by == spectra::sort_key::mz ? "mz" : "intensity", descending ? " --descending" : ""),
       "the lines of what stays are put in order, every byte as it was");
  text += "No number is changed: intensities are neither scaled nor normalised.\n";
  if (std::string_view const rest = not_done(preset); !rest.empty()) text += fmt::format("{}\n", rest);
  return text;
}

}  // namespace ordo::specsort
