#include "spectra/chunk/filter_effects.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "spectra/peaks/chunk_peaks.hpp"

namespace ordo::inline v0::spectra {

void comparison::add(comparison const& other) {
  before.add(other.before);
  after.add(other.after);
  // Inputs of another format than that of the output have one step more.
  std::size_t at = 0;
  for (step_effect const& step : other.steps) {
    auto const it = std::ranges::find(steps, step.option, &step_effect::option);
    if (it == steps.end()) {
      steps.insert(steps.begin() + std::ptrdiff_t(at++), step);
    } else {
      it->spectra += step.spectra;
      it->peaks += step.peaks;
      at = std::size_t(it - steps.begin()) + 1;
    }
  }
}

}  // namespace ordo::inline v0::spectra

namespace ordo::inline v0::spectra::detail {
namespace {

std::string joined(std::vector<std::pair<std::string, std::string>> const& options) {
  std::string text;
  for (auto const& [name, value] : options) text += (text.empty() ? "" : " ") + name + (value.empty() ? "" : " " + value);
  return text;
}

std::vector<spectrum_choice> split_rules(spectrum_choice const& all) {
  std::vector<spectrum_choice> rules;
  auto const add = [&](auto set) {
    spectrum_choice choice;
    choice.first_number = all.first_number;
    set(choice);
    if (!choice.empty()) rules.push_back(std::move(choice));
  };
  // In the order of as_options.
  add([&](spectrum_choice& choice) { choice.ms_levels = all.ms_levels; });
  add([&](spectrum_choice& choice) { choice.rt_seconds = all.rt_seconds; });
  add([&](spectrum_choice& choice) { choice.scans = all.scans; });
  add([&](spectrum_choice& choice) { choice.charges = all.charges; });
  add([&](spectrum_choice& choice) {
    choice.polarity = all.polarity;
    choice.inverse_polarity = all.inverse_polarity;
  });
  add([&](spectrum_choice& choice) { choice.precursor_mz = all.precursor_mz; });
  add([&](spectrum_choice& choice) { choice.title = all.title; });
  add([&](spectrum_choice& choice) { choice.native_id = all.native_id; });
  add([&](spectrum_choice& choice) { choice.compensation_voltage = all.compensation_voltage; });
  add([&](spectrum_choice& choice) { choice.collision_energy = all.collision_energy; });
  add([&](spectrum_choice& choice) { choice.activation = all.activation; });
  add([&](spectrum_choice& choice) { choice.isolation_width = all.isolation_width; });
  add([&](spectrum_choice& choice) { choice.instrument = all.instrument; });
  add([&](spectrum_choice& choice) { choice.base_peak = all.base_peak; });
  add([&](spectrum_choice& choice) { choice.total_ion_current = all.total_ion_current; });
  add([&](spectrum_choice& choice) {
    choice.named = all.named;
    choice.inverse_named = all.inverse_named;
  });
  add([&](spectrum_choice& choice) {
    choice.numbers = all.numbers;
    choice.inverse_numbers = all.inverse_numbers;
  });
  add([&](spectrum_choice& choice) { choice.sample = all.sample; });
  add([&](spectrum_choice& choice) {
    choice.duplicates = all.duplicates;
    choice.duplicates_option = all.duplicates_option;
    choice.duplicates_text = all.duplicates_text;
  });
  return rules;
}

// Returns the first step of a selection, the first two, and so on.
std::vector<selection> split_steps(selection const& all) {
  std::vector<selection> steps;
  selection cumulative;
  auto const add = [&](auto set) {
    selection next = cumulative;
    set(next);
    if (next == cumulative) return;
    steps.push_back(next);
    cumulative = next;
  };
  add([&](selection& to) { to.min_mz = all.min_mz, to.max_mz = all.max_mz; });
  add([&](selection& to) {
    if (all.merge_first) to.merge = all.merge, to.merge_first = true;
  });
  add([&](selection& to) { to.drop_zero = all.drop_zero; });
  add([&](selection& to) { to.min_intensity = all.min_intensity; });
  add([&](selection& to) {
    to.remove_precursor = all.remove_precursor;
    to.remove_precursor_above = all.remove_precursor_above;
    to.all_charges = all.all_charges;
  });
  add([&](selection& to) { to.min_relative = all.min_relative; });
  add([&](selection& to) { to.dedupe = all.dedupe, to.merge = all.merge; });
  add([&](selection& to) { to.top = all.top, to.per = all.per, to.around = all.around; });
  add([&](selection& to) { to.min_peaks = all.min_peaks; });
  return steps;
}

}  // namespace

drop_reasons::drop_reasons(sort_options const& options, std::string_view to) : rules_(split_rules(options.choice)) {
  for (spectrum_choice const& rule : rules_) texts_.push_back(joined(as_options(rule)));
  texts_.push_back("--to " + std::string(to));
  texts_.push_back("--min-peaks " + std::to_string(options.select.min_peaks));
}

std::uint32_t drop_reasons::of_choice(spectrum_header const& header, std::uint64_t number) const {
  auto const it = std::ranges::find_if(rules_, [&](spectrum_choice const& rule) { return !rule.accepts(header, number); });
  return std::uint32_t(it - rules_.begin());
}

filter_effects::filter_effects(sort_options const& options, std::string_view to)
    : options_(options), prints_(!to.empty()), rules_(split_rules(options.choice)), selections_(split_steps(options.select)) {
  for (spectrum_choice const& rule : rules_) steps_.push_back({joined(as_options(rule)), 0, 0});
  if (prints_) steps_.push_back({"--to " + std::string(to), 0, 0});
  std::size_t listed = 0;
  for (selection const& selection : selections_) {
    auto names = as_options(selection);
    std::size_t const all = names.size();
    names.erase(names.begin(), names.begin() + std::ptrdiff_t(listed));
    listed = all;
    steps_.push_back({joined(names), 0, 0});
  }
  if (!selections_.empty()) selector_ = peak_sorter_on_host({.device = device::cpu, .threads = 1});
}

filter_effects::filter_effects(sort_options const& options) : options_(options), prints_(false) {
  if (options.select.empty()) return;
  selections_ = {options.select};
  steps_.emplace_back();
  selector_ = peak_sorter_on_host({.device = device::cpu, .threads = 1});
}

void filter_effects::add(spectrum const& original, std::uint64_t number, bool is_selected, bool is_printed, comparison& to) {
  if (to.steps.empty()) to.steps = steps_;
  to.before.add(original, options_.distributions);
  for (std::size_t k = 0; k < rules_.size(); ++k) {
    if (rules_[k].accepts(original.header, number)) continue;
    ++to.steps[k].spectra;
    to.steps[k].peaks += original.peaks.size();
    return;
  }
  if (prints_ && !is_printed) {
    step_effect& effect = to.steps[rules_.size()];
    ++effect.spectra;
    effect.peaks += original.peaks.size();
    return;
  }
  mz_.assign(original.peaks.mz.begin(), original.peaks.mz.end());
  intensity_.assign(original.peaks.intensity.begin(), original.peaks.intensity.end());
  // MGF alone has lines, and peaks without intensity. No other peak that is not printed counts in a rule.
  bool const drops = prints_ && steps_[rules_.size()].option != "--to mzml", is_mgf = !original.peaks.lines.empty();
  if (drops && !is_mgf) drop_not_finite(to);
  if (is_selected && !selections_.empty() && !select(original, to)) return;
  if (prints_ && is_mgf)
    std::ranges::replace_if(
        intensity_, [](double value) { return std::isnan(value); }, 0.0);
  if (drops) drop_not_finite(to);

  sort_peaks();
  spectrum written{original.header, {sorted_mz_, sorted_intensity_, {}}, {}, original.number};
  to.after.add(written, options_.distributions);
  if (!prints_ || !options_.all_precursors) return;
  for (precursor_ion const& ion : original.header.other_precursors) {
    written.header.precursor_mz = ion.mz;
    written.header.charges = ion.charges;
    to.after.add(written, options_.distributions);
  }
}

bool filter_effects::select(spectrum const& original, bool is_selected, spectrum_columns& to) {
  mz_.assign(original.peaks.mz.begin(), original.peaks.mz.end());
  intensity_.assign(original.peaks.intensity.begin(), original.peaks.intensity.end());
  comparison ignored;
  ignored.steps = steps_;
  if (is_selected && !selections_.empty() && !select(original, ignored)) return false;
  sort_peaks();
  to.add({original.header, {sorted_mz_, sorted_intensity_, {}}, {}, original.number});
  return true;
}

// Puts the peaks in the order of the output.
void filter_effects::sort_peaks() {
  auto const& keys = options_.by == sort_key::mz ? mz_ : intensity_;
  peak_code const code(options_.descending);
  std::vector<std::uint32_t> order(mz_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return code(keys[i]); });
  sorted_mz_.clear();
  sorted_intensity_.clear();
  for (std::uint32_t const i : order) {
    sorted_mz_.push_back(mz_[i]);
    sorted_intensity_.push_back(intensity_[i]);
  }
}

// Drops the peaks that are not printed.
void filter_effects::drop_not_finite(comparison& to) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < mz_.size(); ++i) {
    if (!std::isfinite(mz_[i]) || !std::isfinite(intensity_[i])) continue;
    mz_[kept] = mz_[i];
    intensity_[kept++] = intensity_[i];
  }
  to.steps[rules_.size()].peaks += mz_.size() - kept;
  mz_.resize(kept);
  intensity_.resize(kept);
}

// Leaves the kept peaks in mz_ and intensity_. @returns false if the spectrum is dropped
bool filter_effects::select(spectrum const& spectrum, comparison& to) {
  std::size_t const n = mz_.size();
  std::array<std::uint32_t, 2> const bounds{0, std::uint32_t(n)};
  bool const may_have = spectrum.header.may_have_precursor() && spectrum.header.precursor_mz;
  double const precursor = may_have ? *spectrum.header.precursor_mz : std::numeric_limits<double>::quiet_NaN();
  std::int32_t const charge = spectrum.header.charges.empty() ? 0 : spectrum.header.charges.front();
  std::size_t left = n;
  keep_.assign(n, 1);
  for (std::size_t k = 0; k < selections_.size(); ++k) {
    selection const& rules = selections_[k];
    step_effect& effect = to.steps[rules_.size() + std::size_t(prints_) + k];
    sums_.resize(rules.merge ? n : 0);
    select_in_order(
        {mz_, intensity_, bounds, {&precursor, 1}, {&charge, 1}, sums_}, rules, keep_,
        [&](host_peaks const& all, selection const& steps, std::span<std::uint8_t> to) { selector_->select(all, steps, to); });
    std::size_t const kept = std::size_t(std::ranges::count(keep_, std::uint8_t{1}));
    effect.peaks += left - kept;
    left = kept;
    if (kept >= rules.min_peaks) continue;
    ++effect.spectra;
    effect.peaks += kept;
    return false;
  }
  std::size_t to_place = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!keep_[i]) continue;
    intensity_[to_place] = sums_.empty() ? intensity_[i] : sums_[i];
    mz_[to_place++] = mz_[i];
  }
  mz_.resize(to_place);
  intensity_.resize(to_place);
  return true;
}

}  // namespace ordo::inline v0::spectra::detail
