#pragma once
#include <cstddef>
#include <cstdint>

#include "strings/keys/key_codes.hpp"

// Numbers as strtold reads them, as codes: pieces without a number, then NaNs by their bytes in memory, as in GNU sort, then
// the numbers from -inf on. Numbers that are equal as long double have equal codes.
namespace ordo::inline v0::strings::detail {

/// The codes of a general number.
struct general_number {
  unsigned char codes[36];
  std::size_t size = 0;

  void put(unsigned code) { codes[size++] = static_cast<unsigned char>(code); }
};

/// Reads the number in a piece of a line.
general_number read_general_number(compiled_key const& by, text_piece const& of);

}  // namespace ordo::inline v0::strings::detail
