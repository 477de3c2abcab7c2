#include "tools/cli/html.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

namespace ordo::inline v0::cli {
namespace {

// The style of the pages: %TITLE% is replaced.
constexpr std::string_view front = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>%TITLE%</title>
<style>
body { font: 15px/1.4 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { text-align: left; padding: 0.2em 1em 0.2em 0; border-bottom: 1px solid #ddd; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.bar { width: 24em; }
td.bar div { background: #4a7ab5; height: 0.9em; }
code { white-space: pre-wrap; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; font: 12px sans-serif; }
svg .axis { stroke: #888; }
svg .first { fill: #4a7ab5; }
svg .second { fill: #d98032; }
</style>
</head>
<body>
)";

constexpr double chart_width = 800, chart_height = 260, left = 70, right = 10, top = 24, bottom = 40;
constexpr double plot_width = chart_width - left - right, plot_height = chart_height - top - bottom;

void begin_svg(std::string& to, std::string_view title) {
  fmt::format_to(std::back_inserter(to), "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", chart_width,
                 chart_height, escape_html(title));
}

void add_text(std::string& to, double x, double y, std::string_view anchor, std::string_view text) {
  fmt::format_to(std::back_inserter(to), "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                 escape_html(text));
}

void add_axes(std::string& to) {
  fmt::format_to(std::back_inserter(to), "<path class=\"axis\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", left, top,
                 top + plot_height, left + plot_width);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string html;
  for (char const c : text) switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  return html;
}

std::string page_front(std::string_view title) {
  constexpr std::string_view place = "%TITLE%";
  std::string page(front);
  page.replace(page.find(place), place.size(), escape_html(title));
  return page;
}

std::string grouped_digits(std::uint64_t value) {
  std::string const digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string bar_chart(std::string_view title, std::vector<std::string> const& series, std::vector<chart_bars> const& all) {
  std::uint64_t max = 1;
  for (chart_bars const& one : all)
    for (std::uint64_t const value : one.values) max = std::max(max, value);
  std::string svg;
  begin_svg(svg, title);
  auto const to = std::back_inserter(svg);
  double const step = plot_width / double(std::max<std::size_t>(all.size(), 1)), width = step * 0.9 / double(series.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < all[i].values.size(); ++k) {
      if (all[i].values[k] == 0) continue;
      double const height = std::max(0.5, plot_height * double(all[i].values[k]) / double(max));
      fmt::format_to(to,
                     "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"><title>{}{}: {}</title>"
                     "</rect>\n",
                     k == 0 ? "first" : "second", left + double(i) * step + step * 0.05 + double(k) * width,
                     top + plot_height - height, width, height, escape_html(all[i].label),
                     series.size() > 1 ? ", " + escape_html(series[k]) : "", grouped_digits(all[i].values[k]));
    }
  add_axes(svg);
  add_text(svg, left - 6, top + 4, "end", grouped_digits(max));
  add_text(svg, left - 6, top + plot_height, "end", "0");
  // At most ten labels.
  std::size_t const every = (all.size() + 9) / 10;
  for (std::size_t i = 0; every != 0 && i < all.size(); i += every)
    add_text(svg, left + (double(i) + 0.5) * step, top + plot_height + 16, "middle", all[i].label);
  for (std::size_t k = 0; series.size() > 1 && k < series.size(); ++k) {
    double const x = left + 20 + 120 * double(k);
    fmt::format_to(to, "<rect class=\"{}\" x=\"{}\" y=\"4\" width=\"10\" height=\"10\"/>\n", k == 0 ? "first" : "second", x);
    add_text(svg, x + 16, 13, "start", series[k]);
  }
  return svg + "</svg>\n";
}

std::string cell_map(std::string_view title, std::string_view x_axis, std::string_view y_axis, double width,
                     std::vector<map_cell> const& cells) {
  std::string svg;
  begin_svg(svg, title);
  if (!cells.empty()) {
    auto const [least_x, greatest_x] = std::ranges::minmax(cells, {}, &map_cell::x);
    auto const [least_y, greatest_y] = std::ranges::minmax(cells, {}, &map_cell::y);
    std::uint64_t const max = std::ranges::max(cells, {}, &map_cell::count).count;
    double const x_scale = plot_width / (greatest_x.x - least_x.x + width),
                 y_scale = plot_height / (greatest_y.y - least_y.y + width);
    for (map_cell const& one : cells)
      fmt::format_to(std::back_inserter(svg),
                     "<rect class=\"first\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
                     "fill-opacity=\"{:.2f}\"><title>{} {} to {}, {} {} to {}: {}</title></rect>\n",
                     left + (one.x - least_x.x) * x_scale, top + plot_height - (one.y + width - least_y.y) * y_scale,
                     std::max(width * x_scale, 1.0), std::max(width * y_scale, 1.0),
                     0.25 + 0.75 * std::log1p(double(one.count)) / std::log1p(double(max)), escape_html(x_axis), one.x,
                     one.x + width, escape_html(y_axis), one.y, one.y + width, grouped_digits(one.count));
    add_text(svg, left, top + plot_height + 16, "start", fmt::format("{}", least_x.x));
    add_text(svg, left + plot_width, top + plot_height + 16, "end", fmt::format("{}", greatest_x.x + width));
    add_text(svg, left - 6, top + plot_height, "end", fmt::format("{}", least_y.y));
    add_text(svg, left - 6, top + 4, "end", fmt::format("{}", greatest_y.y + width));
  }
  add_axes(svg);
  add_text(svg, left + plot_width / 2, top + plot_height + 32, "middle", x_axis);
  add_text(svg, left, 13, "start", y_axis);
  return svg + "</svg>\n";
}

}  // namespace ordo::inline v0::cli
