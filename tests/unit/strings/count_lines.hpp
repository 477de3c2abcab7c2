#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/strings.hpp"
#include "tests/unit/strings/lines.hpp"

inline std::string first_lines_of(std::string const& text, char delimiter, std::uint64_t head) {
  std::size_t end = 0;
  for (; head != 0 && end != text.size(); --head) end = text.find(delimiter, end) + 1;
  return text.substr(0, end);
}

/// The oracle: what is written of a text's lines, sorted by their bytes.
inline std::string selected_text(std::string_view text, char delimiter, bool reverse, ordo::strings::duplicates equal,
                                 std::uint64_t head) {
  using ordo::strings::duplicates;
  std::vector<std::pair<std::size_t, std::string_view>> counted;
  for (std::string_view const line : sorted_lines_of(text, delimiter, reverse)) {
    if (equal == duplicates::keep || counted.empty() || counted.back().second != line)
      counted.emplace_back(1, line);
    else
      ++counted.back().first;
  }
  if (equal == duplicates::by_count) std::sort(counted.begin(), counted.end(), std::greater<>{});
  std::string made;
  for (auto const& [count, line] : counted) {
    char field[32] = "";
    if (equal == duplicates::count || equal == duplicates::by_count) std::snprintf(field, sizeof field, "%7zu ", count);
    made.append(field).append(line).push_back(delimiter);
  }
  return first_lines_of(made, delimiter, head);
}
