#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ordo::inline v0 {

/// Returns a count with its noun, for messages: "1 record", "2 records". @param plural  empty: the noun with an s
inline std::string quantity(std::uint64_t count, std::string_view noun, std::string_view plural = {}) {
  std::string text = std::to_string(count) + ' ';
  if (count == 1) return text += noun;
  if (!plural.empty()) return text += plural;
  return (text += noun) += 's';
}

}  // namespace ordo::inline v0
