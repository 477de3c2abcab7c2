#pragma once
#include <cstddef>

#include "ordo/detail/fn.hpp"

namespace ordo::inline v0::suffix {

/// The letters of a BWT of DNA as fermi and ropebwt number them: $, A, C, G, T and N, which stands for all others.
inline constexpr std::size_t num_dna_codes = 6;

ORDO_FN inline unsigned dna_code(char letter) {  // without branches, which would depend on the letters
  return 5U - 5 * (letter == '$') - 4 * (letter == 'A') - 3 * (letter == 'C') - 2 * (letter == 'G') - (letter == 'T');
}

}  // namespace ordo::inline v0::suffix
