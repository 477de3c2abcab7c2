#include "tools/cli/html.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace ordo::inline v0::cli {
namespace {

// The style of the pages: %TITLE% is replaced.
constexpr std::string_view front = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>%TITLE%</title>
<style>
body { font: 15px/1.4 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.2em 1em 0.2em 0; border-bottom: 1px solid #ddd; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number, th { overflow-wrap: normal; }
td.bar { width: 24em; }
td.bar div { background: #4a7ab5; height: 0.9em; }
code { white-space: pre-wrap; }
td code { display: inline-block; min-width: 10em; }
div.chart { overflow-x: auto; }
svg { width: 100%; min-width: 560px; height: auto; font: 12px sans-serif; }
svg .axis { stroke: #888; }
svg .first { fill: #4a7ab5; }
svg .second { fill: #d98032; }
</style>
</head>
<body>
)";

constexpr double chart_width = 800, chart_height = 260, min_left = 70, right = 10, top = 24, bottom = 40;
constexpr double plot_height = chart_height - top - bottom;
constexpr double font_size = 12;       // as in the style
constexpr double label_distance = 12;  // between labels of the x axis, at least

// The place of the axes. Labels of the y axis fit to the left of it.
struct plot {
  double left, width;
  explicit plot(double label_width)
      : left(std::max(min_left, std::ceil(label_width) + 10)), width(chart_width - right - left) {}
};

void begin_svg(std::string& to, std::string_view title) {
  fmt::format_to(std::back_inserter(to), "<div class=\"chart\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
                 chart_width, chart_height, escape_html(title));
}
constexpr std::string_view svg_end = "</svg></div>\n";

void add_text(std::string& to, double x, double y, std::string_view anchor, std::string_view text) {
  fmt::format_to(std::back_inserter(to), "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                 escape_html(text));
}

void add_axes(std::string& to, plot const& in) {
  fmt::format_to(std::back_inserter(to), "<path class=\"axis\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", in.left, top,
                 top + plot_height, in.left + in.width);
}

// Returns the bytes of the first character of a text, 0 if it is not UTF-8.
std::size_t character_size(std::string_view text) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(4, text.size()); ++size)
    if (suffix::is_utf8(text.substr(0, size))) return size;
  return 0;
}

// Returns about how wide a text is. Digits of sans-serif fonts are 0.5 to 0.6 as wide as they are high, and few letters wider.
double text_width(std::string_view text) {
  auto const characters = std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return 0.62 * font_size * double(characters);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    std::string_view const character = text.substr(0, character_size(text));
    text.remove_prefix(std::max<std::size_t>(character.size(), 1));
    auto const byte = character.empty() ? '\0' : character.front();
    bool const is_control = (byte >= 0 && byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r') || byte == '\x7f';
    if (character.empty() || is_control)
      html += "\xef\xbf\xbd";
    else if (byte == '&')
      html += "&amp;";
    else if (byte == '<')
      html += "&lt;";
    else if (byte == '>')
      html += "&gt;";
    else if (byte == '"')
      html += "&quot;";
    else
      html += character;
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
  for (chart_bars const& bars : all)
    for (std::uint64_t const value : bars.values) max = std::max(max, value);
  plot const in(text_width(grouped_digits(max)));
  std::string svg;
  begin_svg(svg, title);
  auto const to = std::back_inserter(svg);
  double const step = in.width / double(std::max<std::size_t>(all.size(), 1)), width = step * 0.9 / double(series.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < all[i].values.size(); ++k) {
      if (all[i].values[k] == 0) continue;
      double const height = std::max(0.5, plot_height * double(all[i].values[k]) / double(max));
      fmt::format_to(to,
                     "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"><title>{}{}: {}</title>"
                     "</rect>\n",
                     k == 0 ? "first" : "second", in.left + double(i) * step + step * 0.05 + double(k) * width,
                     top + plot_height - height, width, height, escape_html(all[i].label),
                     series.size() > 1 ? ", " + escape_html(series[k]) : "", grouped_digits(all[i].values[k]));
    }
  add_axes(svg, in);
  add_text(svg, in.left - 6, top + 4, "end", grouped_digits(max));
  add_text(svg, in.left - 6, top + plot_height, "end", "0");
  // At most ten labels, which do not touch one another or leave the chart.
  double widest = 0;
  for (chart_bars const& bars : all) widest = std::max(widest, text_width(bars.label));
  std::size_t const every = std::max((all.size() + 9) / 10, std::size_t(std::ceil((widest + label_distance) / step)));
  double end = 0;  // end of the last label
  for (std::size_t i = 0; i < all.size(); i += every) {
    double const half = text_width(all[i].label) / 2;
    double const x = std::max(std::min(in.left + (double(i) + 0.5) * step, chart_width - half), half);
    if (x - half < end) continue;  // it would have to be moved into the one before
    add_text(svg, x, top + plot_height + 16, "middle", all[i].label);
    end = x + half + label_distance / 2;
  }
  for (std::size_t k = 0; series.size() > 1 && k < series.size(); ++k) {
    double const x = in.left + 20 + 120 * double(k);
    fmt::format_to(to, "<rect class=\"{}\" x=\"{}\" y=\"4\" width=\"10\" height=\"10\"/>\n", k == 0 ? "first" : "second", x);
    add_text(svg, x + 16, 13, "start", series[k]);
  }
  return svg += svg_end;
}

std::string cell_map(std::string_view title, std::string_view x_axis, std::string_view y_axis, double width,
                     std::vector<map_cell> const& cells) {
  std::string svg;
  begin_svg(svg, title);
  auto const bound = [&](double map_cell::*axis, bool greatest) {
    if (cells.empty()) return 0.0;
    auto const [least, last] = std::ranges::minmax(cells, {}, axis);
    return greatest ? last.*axis + width : least.*axis;
  };
  std::string const min_label = fmt::format("{}", bound(&map_cell::y, false)),
                    max_label = fmt::format("{}", bound(&map_cell::y, true));
  plot const in(std::max(text_width(min_label), text_width(max_label)));
  if (!cells.empty()) {
    double const min_x = bound(&map_cell::x, false), min_y = bound(&map_cell::y, false);
    std::uint64_t const max = std::ranges::max(cells, {}, &map_cell::count).count;
    double const x_scale = in.width / (bound(&map_cell::x, true) - min_x),
                 y_scale = plot_height / (bound(&map_cell::y, true) - min_y);
    for (map_cell const& cell : cells)
      fmt::format_to(std::back_inserter(svg),
                     "<rect class=\"first\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
                     "fill-opacity=\"{:.2f}\"><title>{} {} to {}, {} {} to {}: {}</title></rect>\n",
                     in.left + (cell.x - min_x) * x_scale, top + plot_height - (cell.y + width - min_y) * y_scale,
                     std::max(width * x_scale, 1.0), std::max(width * y_scale, 1.0),
                     0.25 + 0.75 * std::log1p(double(cell.count)) / std::log1p(double(max)), escape_html(x_axis), cell.x,
                     cell.x + width, escape_html(y_axis), cell.y, cell.y + width, grouped_digits(cell.count));
    add_text(svg, in.left, top + plot_height + 16, "start", fmt::format("{}", min_x));
    add_text(svg, in.left + in.width, top + plot_height + 16, "end", fmt::format("{}", bound(&map_cell::x, true)));
    add_text(svg, in.left - 6, top + plot_height, "end", min_label);
    add_text(svg, in.left - 6, top + 4, "end", max_label);
  }
  add_axes(svg, in);
  add_text(svg, in.left + in.width / 2, top + plot_height + 32, "middle", x_axis);
  add_text(svg, in.left, 13, "start", y_axis);
  return svg += svg_end;
}

}  // namespace ordo::inline v0::cli
