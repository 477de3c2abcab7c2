#pragma once
#include <array>
#include <cstddef>

namespace ordo::inline v0::suffix {

/// The letters of a BWT of DNA as fermi and ropebwt number them: $, A, C, G, T and N, which stands for all others.
inline constexpr std::size_t num_dna_codes = 6;

namespace detail {

inline constexpr auto dna_code_table = [] {
  std::array<unsigned char, 256> codes{};
  codes.fill(num_dna_codes - 1);
  unsigned char code = 0;
  for (char const letter : {'$', 'A', 'C', 'G', 'T'}) codes[static_cast<unsigned char>(letter)] = code++;
  return codes;
}();

}  // namespace detail

inline unsigned dna_code(char letter) {
  return detail::dna_code_table[static_cast<unsigned char>(letter)];
}

}  // namespace ordo::inline v0::suffix
