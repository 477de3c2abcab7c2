#include "tools/specsort/summary_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ordo::inline v0::specsort {
namespace {

using spectra::summary;
using spectra::value_range;

constexpr std::size_t bar_width = 40;

// A bin of the histogram: spectra with min to max peaks. Each bin is twice as wide as the one before.
struct bin {
  std::uint64_t min, max, spectra = 0;
};

std::vector<bin> bins_of(summary const& of) {
  std::vector<bin> bins;
  for (auto const& [peaks, count] : of.peak_counts) {
    std::uint64_t const min = peaks == 0 ? 0 : std::bit_floor(peaks);
    while (bins.empty() || bins.back().min < min) {
      std::uint64_t const next = bins.empty() ? min : bins.back().max + 1;
      bins.push_back({next, next == 0 ? 0 : 2 * next - 1});
    }
    bins.back().spectra += count;
  }
  return bins;
}

// Formats 1234567 as 1,234,567.
std::string grouped(std::uint64_t value) {
  std::string const digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string share(std::uint64_t part, std::uint64_t of) {
  if (of == 0) return "0";
  return fmt::format("{} ({:.4g}%)", grouped(part), 100 * double(part) / double(of));
}

std::string range_text(value_range const& range) {
  return range.count == 0 ? "none" : fmt::format("{} to {}", range.min, range.max);
}

std::string missing(std::uint64_t count, std::uint64_t of) {
  return count == of ? "" : fmt::format(", {} without", grouped(of - count));
}

double mean_of(summary const& of) {
  return of.spectra == 0 ? 0 : double(of.peaks) / double(of.spectra);
}

}  // namespace

std::string summary_table(summary const& of, std::string_view name) {
  std::string text = fmt::format("{}\n", name);
  auto const row = [&](std::string_view what, std::string const& value) { text += fmt::format("{:<24}{}\n", what, value); };
  row("spectra", grouped(of.spectra));
  row("  in order of m/z", share(of.in_order, of.spectra));
  auto const empty = of.peak_counts.find(0);
  row("  without peaks", share(empty == of.peak_counts.end() ? 0 : empty->second, of.spectra));
  row("  with a title", share(of.titles, of.spectra));
  row("  with a scan", share(of.scans, of.spectra));
  row("peaks", grouped(of.peaks));
  row("  of intensity 0", share(of.zeros, of.peaks));
  row("  without intensity", share(of.without_intensity, of.peaks));
  row("  of an m/z seen before", share(of.duplicates, of.peaks));
  row("m/z", range_text(of.mz));
  row("intensity", range_text(of.intensity));
  row("precursor m/z", range_text(of.precursor_mz) + missing(of.precursor_mz.count, of.spectra));
  row("retention time, s", range_text(of.rt_seconds) + missing(of.rt_seconds.count, of.spectra));
  std::string charges, levels;
  std::uint64_t with_level = 0;
  for (auto const& [charge, count] : of.charges) {
    if (!charges.empty()) charges += ", ";
    if (charge == 0)
      charges += fmt::format("none: {}", grouped(count));
    else
      charges += fmt::format("{}{}: {}", charge < 0 ? -charge : charge, charge < 0 ? '-' : '+', grouped(count));
  }
  for (auto const& [level, count] : of.ms_levels) {
    levels += fmt::format("{}{}: {}", levels.empty() ? "" : ", ", level, grouped(count));
    with_level += count;
  }
  row("charges", charges.empty() ? "none" : charges);
  row("MS levels", (levels.empty() ? "none" : levels) + missing(with_level, of.spectra));
  row("peaks a spectrum", fmt::format("{} to {}, median {}, mean {:.1f}", grouped(of.peaks_at(0)), grouped(of.peaks_at(1)),
                                      grouped(of.peaks_at(0.5)), mean_of(of)));
  std::vector<bin> const bins = bins_of(of);
  std::uint64_t max_spectra = 1;
  for (bin const& one : bins) max_spectra = std::max(max_spectra, one.spectra);
  for (bin const& one : bins) {
    std::string const range = one.min == one.max ? grouped(one.min) : fmt::format("{}-{}", grouped(one.min), grouped(one.max));
    // A bin that is not empty has a bar.
    std::size_t const bar = std::size_t((one.spectra * bar_width + max_spectra - 1) / max_spectra);
    text += fmt::format("{:>20}  {:<{}} {}\n", range, std::string(bar, '#'), bar_width, grouped(one.spectra));
  }
  return text;
}

std::string summary_json(summary const& of, std::string_view name) {
  using json = nlohmann::ordered_json;
  auto const range = [](value_range const& given) {
    json one = nullptr;
    if (given.count != 0) one = {{"least", given.min}, {"greatest", given.max}, {"count", given.count}};
    return one;
  };
  json all;
  all["name"] = name;
  all["bytes"] = of.bytes;
  all["lines"] = of.lines;
  all["warnings"] = of.warnings;
  all["spectra"] = of.spectra;
  all["spectra_in_order"] = of.in_order;
  all["titles"] = of.titles;
  all["scans"] = of.scans;
  all["peaks"] = of.peaks;
  all["zeros"] = of.zeros;
  all["without_intensity"] = of.without_intensity;
  all["duplicates"] = of.duplicates;
  all["mz"] = range(of.mz);
  all["intensity"] = range(of.intensity);
  all["precursor_mz"] = range(of.precursor_mz);
  all["rt_seconds"] = range(of.rt_seconds);
  all["charges"] = json::object();
  for (auto const& [charge, count] : of.charges) all["charges"][charge == 0 ? "none" : std::to_string(charge)] = count;
  all["ms_levels"] = json::object();
  for (auto const& [level, count] : of.ms_levels) all["ms_levels"][std::to_string(level)] = count;
  all["peaks_a_spectrum"] = {{"least", of.peaks_at(0)},
                             {"median", of.peaks_at(0.5)},
                             {"mean", mean_of(of)},
                             {"greatest", of.peaks_at(1)},
                             {"histogram", json::array()}};
  for (bin const& one : bins_of(of))
    all["peaks_a_spectrum"]["histogram"].push_back({{"from", one.min}, {"to", one.max}, {"spectra", one.spectra}});
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace ordo::inline v0::specsort
