#include "ordo/spectra/selection.hpp"

#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::spectra {
namespace {

constexpr std::array<std::string_view, 3> names{"casanovo", "xtandem", "gicops"};

bool same(std::optional<tolerance> const& a, std::optional<tolerance> const& b) {
  return a.has_value() == b.has_value() && (!a || (a->value == b->value && a->ppm == b->ppm));
}

void refuse(std::string const& why) {
  throw usage_error("bad selection: " + why);
}

void check_distance(std::optional<tolerance> const& given, char const* of) {
  if (given && !(given->value >= 0 && std::isfinite(given->value)))
    refuse(std::string(of) + ": a tolerance is a number from 0 on");
}

}  // namespace

bool selection::empty() const {
  return *this == selection{};
}

bool selection::operator==(selection const& o) const {
  return min_mz == o.min_mz && max_mz == o.max_mz && drop_zero == o.drop_zero && min_intensity == o.min_intensity &&
         same(remove_precursor, o.remove_precursor) && all_charges == o.all_charges && min_relative == o.min_relative &&
         same(dedupe, o.dedupe) && top == o.top && per == o.per && min_peaks == o.min_peaks;
}

void selection::check() const {
  if (min_mz && max_mz && !(*min_mz <= *max_mz)) refuse("m/z: the range ends before it begins");
  if ((min_mz && std::isnan(*min_mz)) || (max_mz && std::isnan(*max_mz))) refuse("m/z: a bound is no number");
  if (min_intensity && std::isnan(*min_intensity)) refuse("least intensity: no number");
  if (min_relative && !(*min_relative >= 0 && *min_relative <= 1)) refuse("least relative intensity: not from 0 to 1");
  check_distance(remove_precursor, "precursor");
  check_distance(dedupe, "duplicates");
  if (top && *top == 0) refuse("number of peaks to keep: 0 would leave every spectrum empty");
  if (all_charges && !remove_precursor) refuse("all charges: only where the precursor is removed");
  if (per && !top) refuse("windows of m/z: only with the number of peaks to keep in each");
  if (per && !(*per > 0 && std::isfinite(*per))) refuse("windows of m/z: the width is not above 0");
}

std::optional<selection> preset(std::string_view name) {
  selection one;
  if (name == names[0]) {  // its config.yaml, as spectrum_utils does the steps
    one.min_mz = 50;
    one.max_mz = 2500;
    one.remove_precursor = tolerance{2, false};
    one.all_charges = true;
    one.min_relative = 0.01;
    one.top = 150;
    one.min_peaks = 20;
  } else if (name == names[1]) {  // its default_input.xml: minimum fragment mz, dynamic range, total and minimum peaks
    one.min_mz = 150;
    one.min_relative = 0.01;
    one.top = 50;
    one.min_peaks = 15;
  } else if (name == names[2]) {
    one.top = 100;
  } else {
    return {};
  }
  return one;
}

std::span<std::string_view const> preset_names() {
  return names;
}

std::vector<std::pair<std::string, std::string>> as_options(selection const& select) {
  std::vector<std::pair<std::string, std::string>> all;
  auto const number = [](auto const& given) { return given ? fmt::format("{}", *given) : std::string(); };
  auto const add = [&](char const* name, std::string value) { all.emplace_back(name, std::move(value)); };
  auto const add_number = [&](char const* name, auto const& given) {
    if (given) add(name, number(given));
  };
  auto const add_distance = [&](char const* name, std::optional<tolerance> const& given) {
    if (given) add(name, fmt::format("{}{}", given->value, given->ppm ? "ppm" : ""));
  };
  if (select.min_mz || select.max_mz) add("--mz-range", number(select.min_mz) + ':' + number(select.max_mz));
  if (select.drop_zero) add("--drop-zero", "");
  add_number("--min-intensity", select.min_intensity);
  add_distance("--remove-precursor", select.remove_precursor);
  if (select.all_charges) add("--all-charges", "");
  add_number("--min-relative", select.min_relative);
  add_distance("--dedupe", select.dedupe);
  add_number("--top", select.top);
  add_number("--per", select.per);
  if (select.min_peaks != 0) add("--min-peaks", fmt::format("{}", select.min_peaks));
  return all;
}

}  // namespace ordo::inline v0::spectra
