#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Pages of HTML that need no other file, and charts in them as SVG. Texts are UTF-8.
namespace ordo::inline v0::cli {

/// Returns a text as HTML shows it. Bytes that are not UTF-8, as a name of a file may have, and control characters become
/// U+FFFD.
std::string escape_html(std::string_view text);

/// Returns the front of a page, up to the begin of its body. @param title  plain text
std::string page_front(std::string_view title);
inline constexpr std::string_view page_end = "</body>\n</html>\n";

/// Returns 1234567 as 1,234,567.
std::string grouped_digits(std::uint64_t value);

/// The bars of one place on the x axis: one for each series.
struct chart_bars {
  std::string label;
  std::vector<std::uint64_t> values;
};

/// Returns a chart of vertical bars. Each bar states its label, series and value where the pointer rests on it.
/// @param series  names, of one or two series @param all  from left to right
std::string bar_chart(std::string_view title, std::vector<std::string> const& series, std::vector<chart_bars> const& all);

/// A rectangle of a map, with a count.
struct map_cell {
  double x, y;  // x and y of its corner with the least values
  std::uint64_t count;
};

/// Returns a map of square cells, which are the darker the higher their counts are.
/// @param width  the width of a cell in the units of both axes
std::string cell_map(std::string_view title, std::string_view x_axis, std::string_view y_axis, double width,
                     std::vector<map_cell> const& cells);

}  // namespace ordo::inline v0::cli
