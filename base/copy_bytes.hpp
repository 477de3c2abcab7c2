#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ordo/detail/fn.hpp"

namespace ordo::inline v0 {

/// Copies n bytes to memory that does not overlap them. A thread of a GPU copies eight at a time where `to` is aligned; it
/// reads aligned words, but only those that hold a byte of the range.
ORDO_FN inline void copy_bytes(unsigned char* to, unsigned char const* from, std::size_t n) {
#if defined(__CUDA_ARCH__)
  for (; n != 0 && (reinterpret_cast<std::uintptr_t>(to) & 7) != 0; --n) *to++ = *from++;
  auto const address = reinterpret_cast<std::uintptr_t>(from);
  auto const* words = reinterpret_cast<std::uint64_t const*>(address & ~std::uintptr_t{7});
  unsigned const skip = 8 * unsigned(address & 7);
  for (; n >= 8; n -= 8, to += 8, from += 8, ++words)
    *reinterpret_cast<std::uint64_t*>(to) = skip == 0 ? words[0] : words[0] >> skip | words[1] << (64 - skip);
  for (; n != 0; --n) *to++ = *from++;
#else
  if (n != 0) std::memcpy(to, from, n);
#endif
}

}  // namespace ordo::inline v0
