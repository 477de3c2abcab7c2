#pragma once
#include <cstddef>
#include <cstdint>

#include "strings/keys/key_codes.hpp"

// Numbers as strtold reads them, as codes: pieces without a number, then -NaN and NaN, then the
// numbers from -inf on. Numbers that are equal as long double have equal codes.
namespace ordo::inline v0::strings::detail {

/// The codes of a general number.
struct general_number {
  unsigned char codes[36];
  std::size_t size = 0;

  void put(unsigned code) { codes[size++] = static_cast<unsigned char>(code); }
};

/// Reads the number in a piece of a line. @param nan_bytes  NaNs are in the order of their bytes in memory, as in coreutils 9.1
general_number read_general_number(compiled_key const& by, text_piece const& of, bool nan_bytes);
/// Writes a number that is no NaN.
void write_value(long double value, general_number& number);

}  // namespace ordo::inline v0::strings::detail
