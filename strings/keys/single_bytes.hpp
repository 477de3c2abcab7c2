#pragma once
#include <locale.h>
#include <array>
#include <bitset>
#include <cstddef>

namespace ordo::strings::detail {

/// What a locale's collation makes of bytes that are characters by themselves: no more than a look at a table. Most text in
/// ASCII is such; strxfrm takes twenty times as long for it.
struct single_bytes {
  static constexpr std::size_t most_codes = 4;  // a byte

  std::bitset<256> known;
  /// Bytes with which a byte may begin a longer character, or characters that are collated as one, as "ch" is in Czech.
  std::array<std::bitset<256>, 256> joins;
  std::array<unsigned char, 256> size;                           // of the first level,
  std::array<std::array<unsigned char, most_codes>, 256> codes;  // which is this

  /// Is `byte` a character by itself where `next` follows, or 0 at the end?
  [[nodiscard]] bool has(unsigned byte, unsigned next) const { return known[byte] && !joins[byte][next]; }
};

/// Read once, from the C library's own table; if that is not of the form that is known, or not confirmed by strxfrm, no byte is
/// known.
single_bytes const& single_bytes_of(locale_t in);

}  // namespace ordo::strings::detail
