#pragma once
#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/cli/files/output.hpp"

namespace ordo::inline v0::sufsort {

inline void append(std::string& to, std::uint64_t number) {
  char digits[20];
  to.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

/// Writes the text and clears it once it has `min_bytes` bytes.
inline void write_some(cli::output& out, std::string& text, std::size_t min_bytes = std::size_t{1} << 20) {
  if (text.size() < min_bytes) return;
  out.write(std::string_view(text));
  text.clear();
}

/// Shortens a name for a message.
inline std::string shortened(std::string_view name) {
  return name.size() <= 40 ? std::string(name) : fmt::format("{}...", name.substr(0, 37));
}

}  // namespace ordo::inline v0::sufsort
