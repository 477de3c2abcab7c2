#pragma once
#include <string>

#include <nlohmann/json.hpp>

namespace ordo::inline v0::bench {

/// Returns a report as JSON text with one member a line, and one row a line in arrays of objects: a change of one row is a change
/// of one line.
template <class Json>
std::string row_lines(Json const& report) {
  std::string text = "{";
  for (auto const& [name, value] : report.items()) {
    text += (text.size() == 1 ? "\n " : ",\n ") + Json(name).dump() + ": ";
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      text += value.dump();
      continue;
    }
    char const* separator = "[";
    for (auto const& row : value) text.append(separator).append("\n  ").append(row.dump()), separator = ",";
    text += "\n ]";
  }
  return text + "\n}\n";
}

}  // namespace ordo::inline v0::bench
