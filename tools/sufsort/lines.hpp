#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/cli/output.hpp"

namespace ordo::sufsort {

inline void append(std::string& to, std::uint64_t number) {
  char digits[20];
  to.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

/// Writes text when there is much of it.
inline void write_some(cli::output& out, std::string& text, std::size_t much = std::size_t{1} << 20) {
  if (text.size() < much) return;
  out.write(std::string_view(text));
  text.clear();
}

/// A name, for messages.
inline std::string shortened(std::string_view name) {
  return name.size() <= 40 ? std::string(name) : std::string(name.substr(0, 37)) + "...";
}

}  // namespace ordo::sufsort
