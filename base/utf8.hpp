#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ordo::inline v0::suffix {

/// Is the text well-formed UTF-8 (The Unicode Standard, table 3-7)?
inline bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    auto const byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    std::size_t const length = byte(i) < 0x80 ? 1 : byte(i) < 0xe0 ? 2 : byte(i) < 0xf0 ? 3 : 4;
    if (i + length > text.size()) return false;
    std::uint32_t point = length == 1 ? byte(i) : byte(i) & (0x7fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
      point = point << 6 | (byte(i + k) & 0x3f);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
    if (length > 1 && byte(i) < 0xc2) return false;
    if (byte(i) > 0xf4) return false;
    i += length;
  }
  return true;
}

}  // namespace ordo::inline v0::suffix
