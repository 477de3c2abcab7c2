#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "base/count_bytes.hpp"

namespace ordo::inline v0::strings::detail {

/// Returns how often a byte occurs. Where it is rare, as the ends of long lines are, memchr passes over the others: several
/// times as fast as a count.
inline std::size_t count_bytes(std::span<char const> text, char byte) {
  constexpr std::size_t piece = 4096;
  std::size_t sum = 0;
  while (!text.empty()) {
    auto const part = text.first(std::min(piece, text.size()));
    text = text.subspan(part.size());
    if (std::memchr(part.data(), byte, part.size()))
      sum += std::size_t(ordo::count_bytes(std::string_view(part.data(), part.size()), byte));
  }
  return sum;
}

}  // namespace ordo::inline v0::strings::detail
