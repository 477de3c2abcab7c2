#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::suffix::detail {

/// How the letters from two places of a text on compare, as many as 64 bits hold.
struct letters_compared {
  unsigned agree;  // letters that do, before they differ or a record ends
  bool differ;     // do they, or does a record end?
  bool is_less;    // is the second one less then? Of two that are equal it is not
};

/// @param p, q  where the rests of two suffixes begin, which may be none
ORDO_FN inline letters_compared compare_letters(packed_view const& text, std::size_t p, std::size_t q) {
  unsigned const bits = text.letter_bits, all = 64 / bits;
  std::uint64_t const a = bits_from(text.words, p * bits), b = bits_from(text.words, q * bits);
  unsigned agree = leading_zeros(a ^ b) / bits;
  if (agree > all) agree = all;
  if (!text.breaks.are_far(p) || !text.breaks.are_far(q)) {
    unsigned const left_of_p = text.breaks.distance(p), left_of_q = text.breaks.distance(q);
    unsigned const shorter = left_of_p < left_of_q ? left_of_p : left_of_q;
    if (shorter <= agree) return {shorter, true, left_of_q < left_of_p};
  }
  if (agree == all) return {all, false, false};
  return {agree, true, (b << agree * bits) < (a << agree * bits)};
}

}  // namespace ordo::suffix::detail
