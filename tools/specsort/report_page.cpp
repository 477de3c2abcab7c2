#include "tools/specsort/report_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/cli/html.hpp"
#include "tools/specsort/summary_text.hpp"

namespace ordo::inline v0::specsort {
namespace {

// The pages show one column if nothing was filtered, else two.
class page_writer {
 public:
  page_writer(comparison const& of) : of_(of), filtered_(!of.steps.empty()) {}

  std::string page(std::string_view name, std::vector<std::string> const& command) {
    std::string const title = fmt::format("Spectra of {}", name);
    page_ = cli::page_front(title);
    std::string line;
    for (std::string const& word : command) line += (line.empty() ? "" : " ") + word;
    add("<h1>{}</h1>\n<p><code>{}</code></p>\n", cli::escape_html(title), cli::escape_html(line));
    add_table();
    if (filtered_) add_steps();
    add_order();
    heading("Peaks a spectrum", "Spectra by their number of peaks. Each bar stands for twice as many as the one before.");
    std::vector<cli::chart_bars> bars;
    for (paired_bin const& bin : paired_bins(of_)) bars.push_back(make_bars(bin.label, bin.before, bin.after));
    page_ += cli::bar_chart("peaks a spectrum", series(), bars);
    add_mz();
    add_intensity();
    add_map(filtered_ ? "before" : "", of_.before);
    if (filtered_) add_map("after", of_.after);
    return page_ + std::string(cli::page_end);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    fmt::format_to(std::back_inserter(page_), text, std::forward<Values>(values)...);
  }
  void heading(std::string_view text, std::string_view below) { add("<h2>{}</h2>\n<p>{}</p>\n", text, below); }
  [[nodiscard]] std::vector<std::string> series() const {
    return filtered_ ? std::vector<std::string>{"before", "after"} : std::vector<std::string>{"spectra"};
  }
  [[nodiscard]] cli::chart_bars make_bars(std::string label, std::uint64_t before, std::uint64_t after) const {
    cli::chart_bars bars{std::move(label), {before}};
    if (filtered_) bars.values.push_back(after);
    return bars;
  }

  void add_table() {
    auto const before = summary_rows(of_.before), after = summary_rows(of_.after);
    page_ += "<table id=\"summary\">\n";
    if (filtered_) page_ += "<tr><th></th><th>before</th><th>after</th></tr>\n";
    for (std::size_t i = 0; i < before.size(); ++i) {
      std::string_view what = before[i].what;
      bool const inner = what.starts_with("  ");
      if (inner) what.remove_prefix(2);
      add("<tr><th{}>{}</th><td>{}</td>", inner ? " style=\"padding-left: 1em; font-weight: normal\"" : "",
          cli::escape_html(what), cli::escape_html(before[i].value));
      if (filtered_) add("<td>{}</td>", cli::escape_html(after[i].value));
      page_ += "</tr>\n";
    }
    page_ += "</table>\n";
  }

  void add_steps() {
    heading("Taken away", "What each step took from what the steps before it had left. Peaks include those of spectra.");
    page_ += "<table id=\"steps\">\n<tr><th>step</th><th>spectra</th><th>peaks</th><th>share of all peaks</th></tr>\n";
    for (spectra::step_effect const& step : of_.steps) {
      double const share = of_.before.peaks == 0 ? 0 : 100 * double(step.peaks) / double(of_.before.peaks);
      add("<tr><td><code>{}</code></td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
          "<td class=\"bar\"><div style=\"width: {:.1f}%\" title=\"{:.3g}%\"></div></td></tr>\n",
          cli::escape_html(step.option), cli::grouped_digits(step.spectra), cli::grouped_digits(step.peaks), share, share);
    }
    page_ += "</table>\n";
  }

  void add_order() {
    heading("Order", "Spectra whose peaks are in the order of m/z in the input, and the others.");
    std::uint64_t const all = of_.before.spectra, ordered = of_.before.in_order;
    double const share = all == 0 ? 0 : 100 * double(ordered) / double(all);
    add("<table id=\"order\">\n<tr><th>in order</th><td class=\"number\">{}</td><td class=\"bar\"><div style=\"width: "
        "{:.1f}%\"></div></td></tr>\n",
        cli::grouped_digits(ordered), share);
    add("<tr><th>out of order</th><td class=\"number\">{}</td><td class=\"bar\"><div style=\"width: {:.1f}%\"></div></td>"
        "</tr>\n</table>\n",
        cli::grouped_digits(all - ordered), all == 0 ? 0 : 100 - share);
  }

  // Bars of equal width, which is 1, 2 or 5 times a power of ten.
  void add_mz() {
    auto const &before = of_.before.mz_bins, &after = of_.after.mz_bins;
    std::size_t first = 0, last = std::max(before.size(), after.size());
    while (first < before.size() && before[first] == 0) ++first;
    constexpr std::size_t max_bars = 80;
    std::size_t width = 1;
    for (std::size_t power = 1; last / width - std::min(first, last) / width >= max_bars;) {
      width = width == power ? 2 * power : width == 2 * power ? 5 * power : 10 * power;
      if (width == 10 * power) power = width;
    }
    heading("m/z", fmt::format("Peaks by m/z, in bars of {} m/z.", width));
    auto const sum = [&](std::vector<std::uint64_t> const& bins, std::size_t begin) {
      std::uint64_t total = 0;
      for (std::size_t k = begin; k < std::min(begin + width, bins.size()); ++k) total += bins[k];
      return total;
    };
    std::vector<cli::chart_bars> bars;
    for (std::size_t begin = first / width * width; begin < last; begin += width)
      bars.push_back(make_bars(fmt::format("{}", begin), sum(before, begin), sum(after, begin)));
    page_ += cli::bar_chart("peaks by m/z", series(), bars);
  }

  void add_intensity() {
    heading("Intensity", "Peaks by intensity. Each bar stands for intensities from its number to twice that.");
    auto const &before = of_.before.intensity_octaves, &after = of_.after.intensity_octaves;
    std::size_t const size = std::max(before.size(), after.size());
    auto const at = [](std::vector<std::uint64_t> const& bins, std::size_t k) { return k < bins.size() ? bins[k] : 0; };
    std::size_t first = 0;
    while (first < size && at(before, first) == 0 && at(after, first) == 0) ++first;
    std::vector<cli::chart_bars> bars;
    for (std::size_t k = first; k < size; ++k)
      bars.push_back(
          make_bars(fmt::format("{:.4g}", std::ldexp(1.0, int(k) + summary::first_octave)), at(before, k), at(after, k)));
    page_ += cli::bar_chart("peaks by intensity", series(), bars);
    add("<p>{} peaks have intensity 0, {} less, and {} none.</p>\n", cli::grouped_digits(of_.before.zeros),
        cli::grouped_digits(of_.before.negative), cli::grouped_digits(of_.before.without_intensity));
  }

  void add_map(std::string_view when, summary const& summary) {
    std::uint64_t count = 0;
    std::vector<cli::map_cell> cells;
    double const width = summary.precursors.width();
    for (auto const& [at, spectra] : summary.precursors.cells()) {
      cells.push_back({double(at.first) * width, double(at.second) * width, spectra});
      count += spectra;
    }
    std::string const title = fmt::format("Retention time and precursor m/z{}{}", when.empty() ? "" : ", ", when);
    heading(title, fmt::format("{} spectra with both, in cells of {} s and {} m/z.", cli::grouped_digits(count), width, width));
    page_ += cli::cell_map(title, "retention time, s", "precursor m/z", width, cells);
  }

  comparison const& of_;
  bool filtered_;
  std::string page_;
};

}  // namespace

std::string report_page(comparison const& of, std::string_view name, std::vector<std::string> const& command) {
  return page_writer(of).page(name, command);
}

}  // namespace ordo::inline v0::specsort
