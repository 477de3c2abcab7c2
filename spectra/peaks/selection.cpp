#include "ordo/spectra/selection.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::spectra {
namespace {

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
         same(remove_precursor, o.remove_precursor) && same(remove_precursor_above, o.remove_precursor_above) &&
         all_charges == o.all_charges && min_relative == o.min_relative && same(dedupe, o.dedupe) && same(merge, o.merge) &&
         merge_first == o.merge_first && top == o.top && per == o.per && around == o.around && min_peaks == o.min_peaks;
}

void selection::check() const {
  if (min_mz && max_mz && !(*min_mz <= *max_mz)) refuse("m/z: the range ends before it begins");
  if ((min_mz && std::isnan(*min_mz)) || (max_mz && std::isnan(*max_mz))) refuse("m/z: a bound is no number");
  if (min_intensity && std::isnan(*min_intensity)) refuse("least intensity: no number");
  if (min_relative && !(*min_relative >= 0 && *min_relative <= 1)) refuse("least relative intensity: not from 0 to 1");
  check_distance(remove_precursor, "precursor");
  check_distance(dedupe, "duplicates");
  check_distance(merge, "peaks to merge");
  if (merge_first && !merge) refuse("merging first: there is nothing to merge");
  if (dedupe && merge) refuse("near peaks: they are either dropped or merged");
  if (top && *top == 0) refuse("number of peaks to keep: 0 would leave every spectrum empty");
  if (remove_precursor_above && !(remove_precursor_above->value >= 0)) refuse("precursor: a tolerance is a number from 0 on");
  if (remove_precursor_above && !remove_precursor) refuse("precursor: no distance below it");
  if (all_charges && !remove_precursor) refuse("all charges: only where the precursor is removed");
  if (per && !top) refuse("windows of m/z: only with the number of peaks to keep in each");
  if (per && !(*per > 0 && std::isfinite(*per))) refuse("windows of m/z: the width is not above 0");
  if (around && (!top || per)) refuse("distance around peaks: only with the number of peaks to keep, and without windows");
  if (around && !(*around > 0 && std::isfinite(*around))) refuse("distance around peaks: not above 0");
}

std::vector<std::pair<std::string, std::string>> as_options(selection const& select) {
  std::vector<std::pair<std::string, std::string>> all;
  auto const number = [](auto const& given) { return given ? fmt::format("{}", *given) : std::string(); };
  auto const distance = [](tolerance const& given) { return fmt::format("{}{}", given.value, given.ppm ? "ppm" : ""); };
  auto const add = [&](char const* name, std::string value) { all.emplace_back(name, std::move(value)); };
  auto const add_number = [&](char const* name, auto const& given) {
    if (given) add(name, number(given));
  };
  if (select.min_mz || select.max_mz) add("--mz-range", number(select.min_mz) + ':' + number(select.max_mz));
  if (select.merge_first && select.merge) {
    add("--merge", distance(*select.merge));
    add("--merge-first", "");
  }
  if (select.drop_zero) add("--drop-zero", "");
  add_number("--min-intensity", select.min_intensity);
  if (select.remove_precursor)
    add("--remove-precursor", select.remove_precursor_above
                                  ? distance(*select.remove_precursor) + ':' + distance(*select.remove_precursor_above)
                                  : distance(*select.remove_precursor));
  if (select.all_charges) add("--all-charges", "");
  add_number("--min-relative", select.min_relative);
  if (select.dedupe) add("--dedupe", distance(*select.dedupe));
  if (select.merge && !select.merge_first) add("--merge", distance(*select.merge));
  add_number("--top", select.top);
  add_number("--per", select.per);
  add_number("--around", select.around);
  if (select.min_peaks != 0) add("--min-peaks", fmt::format("{}", select.min_peaks));
  return all;
}

}  // namespace ordo::inline v0::spectra
