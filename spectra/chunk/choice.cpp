#include "ordo/spectra/choice.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "ordo/error.hpp"
#include "spectra/chunk/chunk.hpp"

namespace ordo::inline v0::spectra {
namespace {

[[noreturn]] void refuse(std::string const& why) {
  throw usage_error("bad choice of spectra: " + why);
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

template <class Number>
void check_rule(range_rule<Number> const& rule, char const* of) {
  for (auto const& [first, last] : rule.ranges)
    if (!(first <= last)) refuse(fmt::format("{}: {} to {}: the range ends before it begins", of, first, last));
}

template <class Number>
bool accepts_value(range_rule<Number> const& rule, std::optional<Number> value) {
  return !rule.is_set() || (value && rule.holds(*value)) != rule.inverse;
}

bool accepts_text(pattern_rule const& rule, std::optional<std::string_view> text) {
  return !rule.is_set() || (text && matches_pattern(*rule.pattern, *text)) != rule.inverse;
}

// Returns true if two lists with commas between their words have one in common, in any case.
bool share_word(std::string_view words, std::string_view all) {
  auto const same = [](char a, char b) { return lower(a) == lower(b); };
  auto const each = [](std::string_view list, auto use) {
    for (bool more = true; more;) {
      std::size_t const comma = list.find(',');
      if (use(list.substr(0, comma))) return true;
      more = comma != list.npos;
      list.remove_prefix(more ? comma + 1 : 0);
    }
    return false;
  };
  return each(words, [&](std::string_view word) {
    return !word.empty() && each(all, [&](std::string_view other) { return std::ranges::equal(word, other, same); });
  });
}

// Returns the values of a native id with commas between them: "0,1,17" for "controllerType=0 controllerNumber=1 scan=17".
std::string values_of_id(std::string_view id) {
  std::string values;
  while (!id.empty()) {
    std::string_view const word = id.substr(0, id.find(' '));
    id.remove_prefix(std::min(id.size(), word.size() + 1));
    if (!values.empty()) values += ',';
    values += word.substr(word.find('=') + 1);  // all of it without a key
  }
  return values;
}

template <class Number>
std::string format_rule(range_rule<Number> const& rule) {
  std::string text = rule.inverse ? "!" : "";
  char const* between = "";
  for (auto const& [first, last] : rule.ranges) {
    text += between;
    between = ",";
    auto const bound = [&](Number value) {
      if constexpr (std::is_floating_point_v<Number>)
        if (std::isinf(value)) return;
      text += fmt::format("{}", value);
    };
    bound(first);
    if (first == last) continue;
    text += ':';
    bound(last);
  }
  return text;
}

}  // namespace

// Goes back to the last '*' alone: what an earlier one stands for never has to change (Krauss, 2008).
bool matches_pattern(std::string_view pattern, std::string_view text) noexcept {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t p = 0, t = 0, star = none, star_text = 0;
  while (t < text.size()) {
    bool const quoted = p + 1 < pattern.size() && pattern[p] == '\\';
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (quoted ? pattern[p + 1] == text[t] : pattern[p] == '?' || pattern[p] == text[t])) {
      p += quoted ? 2 : 1;
      ++t;
    } else if (star != none) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == none;
}

// The generator SplitMix64 (Steele, Lea and Flood, 2014), which is a permutation of the numbers of 64 bits.
std::uint64_t sample_rule::rank(std::uint64_t number) const noexcept {
  auto const mixed = [](std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  };
  return mixed(number ^ mixed(seed));
}

std::string const* named_spectra::find(spectrum_header const& header, std::uint64_t number) const {
  auto const find_in = [](auto const& names, auto const& name) -> std::string const* {
    auto const it = names.find(name);
    return it == names.end() ? nullptr : &it->second;
  };
  if (header.scan && !by_scan.empty())
    if (auto const* const sequence = find_in(by_scan, *header.scan)) return sequence;
  if (!by_number.empty())
    if (auto const* const sequence = find_in(by_number, number)) return sequence;
  if (by_id.empty()) return nullptr;
  for (auto const& name : {header.native_id, header.title})
    if (name)
      if (auto const* const sequence = find_in(by_id, std::string(*name))) return sequence;
  return header.native_id ? find_in(by_id, values_of_id(*header.native_id)) : nullptr;
}

bool spectrum_choice::empty() const {
  return !ms_levels.is_set() && !rt_seconds.is_set() && !scans.is_set() && !charges.is_set() && !polarity &&
         !precursor_mz.is_set() && !title.is_set() && !native_id.is_set() && !compensation_voltage.is_set() &&
         !collision_energy.is_set() && !isolation_width.is_set() && !total_ion_current.is_set() && !base_peak.is_set() &&
         !activation.is_set() && !instrument.is_set() && !needs_numbers();
}

void spectrum_choice::check() const {
  check_rule(ms_levels, "MS level");
  check_rule(rt_seconds, "retention time");
  check_rule(scans, "scan");
  check_rule(charges, "charge");
  check_rule(precursor_mz, "precursor m/z");
  check_rule(compensation_voltage, "compensation voltage");
  check_rule(collision_energy, "collision energy");
  check_rule(isolation_width, "isolation width");
  check_rule(total_ion_current, "total ion current");
  check_rule(base_peak, "base peak");
  if (numbers && std::ranges::adjacent_find(*numbers, [](auto a, auto b) { return a >= b; }) != numbers->end())
    refuse("numbers: they do not ascend");
  if (duplicates && !std::ranges::is_sorted(*duplicates)) refuse("duplicates: they do not ascend");
}

bool spectrum_choice::accepts(spectrum_header const& header, std::uint64_t number) const {
  if (!accepts_value(ms_levels, header.ms_level ? std::optional<std::uint64_t>(*header.ms_level) : std::nullopt)) return false;
  if (!accepts_value(rt_seconds, header.rt_seconds) || !accepts_value(scans, header.scan)) return false;
  if (charges.is_set()) {
    auto const holds_any = [&](charge_list const& all) {
      return std::ranges::any_of(all, [&](int charge) { return charges.holds(charge); });
    };
    bool const any = (header.charges.empty() ? charges.holds(0) : holds_any(header.charges)) ||
                     std::ranges::any_of(header.other_precursors, holds_any, &precursor_ion::charges);
    if (any == charges.inverse) return false;
  }
  if (polarity && (header.polarity == polarity) == inverse_polarity) return false;
  if (precursor_mz.is_set()) {
    auto const holds = [&](std::optional<double> const& mz) { return mz && precursor_mz.holds(*mz); };
    bool const any = holds(header.precursor_mz) || std::ranges::any_of(header.other_precursors, holds, &precursor_ion::mz);
    if (any == precursor_mz.inverse) return false;
  }
  if (!accepts_text(title, header.title) || !accepts_text(native_id, header.native_id)) return false;
  if (!accepts_value(compensation_voltage, header.compensation_voltage) ||
      !accepts_value(collision_energy, header.collision_energy) || !accepts_value(isolation_width, header.isolation_width) ||
      !accepts_value(total_ion_current, header.total_ion_current) || !accepts_value(base_peak, header.base_peak))
    return false;
  if (activation.is_set() && share_word(*activation.pattern, header.activation.value_or("")) == activation.inverse)
    return false;
  if (!accepts_text(instrument, header.instrument)) return false;
  if (named && (named->find(header, number) != nullptr) == inverse_named) return false;
  if (numbers && std::ranges::binary_search(*numbers, number) == inverse_numbers) return false;
  if (duplicates && std::ranges::binary_search(*duplicates, number)) return false;
  return !sample || (sample->rank(first_number + number) <= sample->max_rank) != sample->inverse;
}

std::string to_text(range_rule<std::uint64_t> const& rule) {
  return format_rule(rule);
}

std::vector<std::pair<std::string, std::string>> as_options(spectrum_choice const& choice) {
  std::vector<std::pair<std::string, std::string>> all;
  auto const add_ranges = [&](char const* name, auto const& rule) {
    if (rule.is_set()) all.emplace_back(name, format_rule(rule));
  };
  auto const add_pattern = [&](char const* name, pattern_rule const& rule) {
    if (rule.is_set()) all.emplace_back(name, (rule.inverse ? "!" : "") + *rule.pattern);
  };
  add_ranges("--ms-level", choice.ms_levels);
  add_ranges("--rt", choice.rt_seconds);
  add_ranges("--scan", choice.scans);
  add_ranges("--charge", choice.charges);
  if (choice.polarity)
    all.emplace_back("--polarity", fmt::format("{}{}", choice.inverse_polarity ? "!" : "",
                                               *choice.polarity == ion_polarity::positive ? "positive" : "negative"));
  add_ranges("--precursor", choice.precursor_mz);
  add_pattern("--title", choice.title);
  add_pattern("--native-id", choice.native_id);
  add_ranges("--faims-cv", choice.compensation_voltage);
  add_ranges("--collision-energy", choice.collision_energy);
  add_pattern("--activation", choice.activation);
  add_ranges("--isolation-width", choice.isolation_width);
  add_pattern("--instrument", choice.instrument);
  add_ranges("--base-peak", choice.base_peak);
  add_ranges("--tic", choice.total_ion_current);
  if (choice.named) {
    std::size_t const count = choice.named->by_scan.size() + choice.named->by_number.size() + choice.named->by_id.size();
    all.emplace_back("--psms", fmt::format("{}{}", choice.inverse_named ? "!" : "", quantity(count, "spectrum", "spectra")));
  }
  if (choice.numbers)
    all.emplace_back("--index", fmt::format("{}{}", choice.inverse_numbers ? "!" : "",
                                            quantity(choice.numbers->size(), "spectrum", "spectra")));
  if (choice.duplicates) all.emplace_back(choice.duplicates_option, choice.duplicates_text);
  if (choice.sample) {
    // As the user gives it: the share of all ranks.
    double const share = (double(choice.sample->max_rank) + 1) / 0x1p64;
    all.emplace_back("--sample", fmt::format("{}{:.6g}%", choice.sample->inverse ? "!" : "", 100 * share));
    all.emplace_back("--seed", fmt::format("{}", choice.sample->seed));
  }
  return all;
}

}  // namespace ordo::inline v0::spectra

namespace ordo::inline v0::spectra::detail {

void unstated_values::add(unstated_values const& other) noexcept {
  ms_level += other.ms_level;
  rt += other.rt;
  scan += other.scan;
  charge += other.charge;
  polarity += other.polarity;
  precursor += other.precursor;
  title += other.title;
  native_id += other.native_id;
  compensation_voltage += other.compensation_voltage;
  collision_energy += other.collision_energy;
  isolation_width += other.isolation_width;
  total_ion_current += other.total_ion_current;
  base_peak += other.base_peak;
  activation += other.activation;
  instrument += other.instrument;
  selection_level += other.selection_level;
}

void unstated_values::add(spectrum_choice const& choice, spectrum_header const& header) noexcept {
  ms_level += choice.ms_levels.is_set() && !header.ms_level;
  rt += choice.rt_seconds.is_set() && !header.rt_seconds;
  scan += choice.scans.is_set() && !header.scan;
  charge += choice.charges.is_set() && header.charges.empty() && !choice.charges.holds(0);
  polarity += choice.polarity && !header.polarity;
  precursor += choice.precursor_mz.is_set() && !header.precursor_mz;
  title += choice.title.is_set() && !header.title;
  native_id += choice.native_id.is_set() && !header.native_id;
  compensation_voltage += choice.compensation_voltage.is_set() && !header.compensation_voltage;
  collision_energy += choice.collision_energy.is_set() && !header.collision_energy;
  isolation_width += choice.isolation_width.is_set() && !header.isolation_width;
  total_ion_current += choice.total_ion_current.is_set() && !header.total_ion_current;
  base_peak += choice.base_peak.is_set() && !header.base_peak;
  activation += choice.activation.is_set() && !header.activation;
  instrument += choice.instrument.is_set() && !header.instrument;
}

}  // namespace ordo::inline v0::spectra::detail
