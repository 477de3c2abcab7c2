#include "tools/specsort/summary_text.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/cli/html.hpp"

namespace ordo::inline v0::specsort {
namespace {

using spectra::value_range;

constexpr std::size_t bar_width = 40;

// A bin that is not empty has a bar.
std::string bar(std::uint64_t count, std::uint64_t max, std::size_t width) {
  return std::string(std::size_t((count * width + max - 1) / max), '#');
}

std::string share(std::uint64_t part, std::uint64_t of) {
  if (of == 0) return "0";
  return fmt::format("{} ({:.4g}%)", cli::grouped_digits(part), 100 * double(part) / double(of));
}

std::string range_text(value_range const& range) {
  return range.count == 0 ? "none" : fmt::format("{} to {}", range.min, range.max);
}

std::string missing(std::uint64_t count, std::uint64_t of) {
  return count == of ? "" : fmt::format(", {} without", cli::grouped_digits(of - count));
}

double mean_peaks(summary const& of) {
  return of.spectra == 0 ? 0 : double(of.peaks) / double(of.spectra);
}

std::string levels_text(summary const& of) {
  std::string levels;
  std::uint64_t with_level = 0;
  for (auto const& [level, count] : of.ms_levels) {
    levels += fmt::format("{}{}: {}", levels.empty() ? "" : ", ", level, cli::grouped_digits(count));
    with_level += count;
  }
  return (levels.empty() ? "none" : levels) + missing(with_level, of.spectra);
}

}  // namespace

std::vector<summary_row> summary_rows(summary const& of) {
  std::vector<summary_row> rows;
  auto const row = [&](std::string_view caption, std::string value) {
    rows.push_back({std::string(caption), std::move(value)});
  };
  row("spectra", cli::grouped_digits(of.spectra));
  row("  in order of m/z", share(of.in_order, of.spectra));
  auto const empty = of.peak_counts.find(0);
  row("  without peaks", share(empty == of.peak_counts.end() ? 0 : empty->second, of.spectra));
  row("  with a title", share(of.titles, of.spectra));
  row("  with a scan", share(of.scans, of.spectra));
  row("peaks", cli::grouped_digits(of.peaks));
  row("  of intensity 0", share(of.zeros, of.peaks));
  row("  without intensity", share(of.without_intensity, of.peaks));
  row("  of an m/z seen before", share(of.duplicates, of.peaks));
  row("m/z", range_text(of.mz));
  row("intensity", range_text(of.intensity));
  row("precursor m/z", range_text(of.precursor_mz) + missing(of.precursor_mz.count, of.spectra));
  row("retention time, s", range_text(of.rt_seconds) + missing(of.rt_seconds.count, of.spectra));
  std::string charges;
  for (auto const& [charge, count] : of.charges) {
    if (!charges.empty()) charges += ", ";
    if (charge == 0)
      charges += fmt::format("none: {}", cli::grouped_digits(count));
    else
      charges += fmt::format("{}{}: {}", charge < 0 ? -charge : charge, charge < 0 ? '-' : '+', cli::grouped_digits(count));
  }
  row("charges", charges.empty() ? "none" : charges);
  row("MS levels", levels_text(of));
  row("peaks a spectrum",
      fmt::format("{} to {}, median {}, mean {:.1f}", cli::grouped_digits(of.peaks_at(0)), cli::grouped_digits(of.peaks_at(1)),
                  cli::grouped_digits(of.peaks_at(0.5)), mean_peaks(of)));
  return rows;
}

std::vector<summary_bin> summary_bins(summary const& of) {
  std::vector<summary_bin> bins;
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

std::string summary_bin::label() const {
  return min == max ? cli::grouped_digits(min) : fmt::format("{}-{}", cli::grouped_digits(min), cli::grouped_digits(max));
}

std::string summary_table(summary const& of, std::string_view name) {
  std::string text = fmt::format("{}\n", name);
  for (auto const& [caption, value] : summary_rows(of)) text += fmt::format("{:<24}{}\n", caption, value);
  std::vector<summary_bin> const bins = summary_bins(of);
  std::uint64_t max_spectra = 1;
  for (summary_bin const& bin : bins) max_spectra = std::max(max_spectra, bin.spectra);
  for (summary_bin const& bin : bins)
    text += fmt::format("{:>20}  {:<{}} {}\n", bin.label(), bar(bin.spectra, max_spectra, bar_width), bar_width,
                        cli::grouped_digits(bin.spectra));
  return text;
}

std::string comparison_table(comparison const& of, std::string_view name) {
  auto const before = summary_rows(of.before), after = summary_rows(of.after);
  std::size_t width = 24;  // width of the values before
  for (auto const& [caption, value] : before) width = std::max(width, value.size() + 2);
  std::string text = fmt::format("{}\n{:<24}{:<{}}after\n", name, "", "before", width);
  for (std::size_t i = 0; i < before.size(); ++i)
    text += fmt::format("{:<24}{:<{}}{}\n", before[i].caption, before[i].value, width, after[i].value);
  auto const bins = paired_bins(of);
  std::uint64_t max_spectra = 1;
  for (auto const& bin : bins) max_spectra = std::max({max_spectra, bin.before, bin.after});
  for (auto const& bin : bins) {
    constexpr std::size_t half = bar_width / 2;
    text +=
        fmt::format("{:>20}  {:<{}} {:>12}  {:<{}} {:>12}\n", bin.label, bar(bin.before, max_spectra, half), half,
                    cli::grouped_digits(bin.before), bar(bin.after, max_spectra, half), half, cli::grouped_digits(bin.after));
  }
  std::size_t step_width = 38;
  for (spectra::step_effect const& step : of.steps) step_width = std::max(step_width, step.option.size() + 2);
  if (!of.steps.empty()) text += fmt::format("{:<{}}{:>12}{:>16}\n", "taken away by", step_width + 2, "spectra", "peaks");
  for (spectra::step_effect const& step : of.steps)
    text += fmt::format("  {:<{}}{:>12}{:>16}\n", step.option, step_width, cli::grouped_digits(step.spectra),
                        cli::grouped_digits(step.peaks));
  return text;
}

std::vector<paired_bin> paired_bins(comparison const& of) {
  std::map<std::uint64_t, paired_bin> bins;  // keyed by the smallest number
  for (summary_bin const& bin : summary_bins(of.before)) bins[bin.min] = {bin.label(), bin.spectra, 0};
  for (summary_bin const& bin : summary_bins(of.after)) {
    paired_bin& to = bins[bin.min];
    to.label = bin.label();
    to.after = bin.spectra;
  }
  std::vector<paired_bin> all;
  for (auto& [min, merged] : bins) all.push_back(std::move(merged));
  return all;
}

namespace {

using json = nlohmann::ordered_json;

json as_json(summary const& of, std::string_view name) {
  auto const range = [](value_range const& given) {
    json json = nullptr;
    if (given.count != 0) json = {{"least", given.min}, {"greatest", given.max}, {"count", given.count}};
    return json;
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
                             {"mean", mean_peaks(of)},
                             {"greatest", of.peaks_at(1)},
                             {"histogram", json::array()}};
  for (summary_bin const& bin : summary_bins(of))
    all["peaks_a_spectrum"]["histogram"].push_back({{"from", bin.min}, {"to", bin.max}, {"spectra", bin.spectra}});
  return all;
}

json as_json(comparison const& of, std::string_view name) {
  json all;
  all["before"] = as_json(of.before, name);
  all["after"] = as_json(of.after, name);
  for (char const* const input : {"name", "bytes", "lines", "warnings"}) all["after"].erase(input);
  all["steps"] = json::array();
  for (spectra::step_effect const& step : of.steps)
    all["steps"].push_back({{"option", step.option}, {"spectra", step.spectra}, {"peaks", step.peaks}});
  return all;
}

std::string printed(json const& all) {
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string summary_json(summary const& of, std::string_view name) {
  return printed(as_json(of, name));
}

std::string comparison_json(comparison const& of, std::string_view name) {
  return printed(as_json(of, name));
}

comparison add_up(std::span<named_summary const> all) {
  comparison total;
  for (named_summary const& one : all) total.add(one.of);
  return total;
}

std::string summaries_table(std::span<named_summary const> all, bool compares) {
  std::vector<std::string> const heads =
      compares ? std::vector<std::string>{"spectra", "after", "peaks", "after", "file"}
               : std::vector<std::string>{"spectra", "in order", "peaks", "MS levels", "m/z", "retention time, s", "file"};
  std::vector<std::vector<std::string>> rows{heads};
  auto const add = [&](comparison const& of, std::string const& name) {
    summary const &before = of.before, &after = of.after;
    if (compares)
      rows.push_back({cli::grouped_digits(before.spectra), cli::grouped_digits(after.spectra),
                      cli::grouped_digits(before.peaks), cli::grouped_digits(after.peaks), name});
    else
      rows.push_back({cli::grouped_digits(before.spectra), cli::grouped_digits(before.in_order),
                      cli::grouped_digits(before.peaks), levels_text(before), range_text(before.mz),
                      range_text(before.rt_seconds), name});
  };
  for (named_summary const& one : all) add(one.of, one.name);
  add(add_up(all), "total");
  constexpr std::size_t gap = 2;
  std::string text;
  for (std::vector<std::string> const& row : rows) {
    for (std::size_t i = 0; i + 1 < heads.size(); ++i) {
      std::size_t width = 0;
      for (std::vector<std::string> const& other : rows) width = std::max(width, other[i].size());
      bool const is_number = compares || i < 3;
      text += is_number ? fmt::format("{:>{}}", row[i], width) : fmt::format("{:<{}}", row[i], width);
      text.append(gap, ' ');
    }
    text += row.back() + '\n';
  }
  return text;
}

std::string summaries_json(std::span<named_summary const> all, bool compares) {
  json printed_all;
  auto const one_json = [&](comparison const& of, std::string_view name) {
    return compares ? as_json(of, name) : as_json(of.before, name);
  };
  printed_all["files"] = json::array();
  for (named_summary const& one : all) printed_all["files"].push_back(one_json(one.of, one.name));
  printed_all["total"] = one_json(add_up(all), "total");
  return printed(printed_all);
}

}  // namespace ordo::inline v0::specsort
