#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Searches for a byte in host memory, sixteen bytes at a time.
namespace ordo::inline v0 {

/// Returns the number of bytes of p[0, n) that equal `value`.
inline std::size_t count_bytes(unsigned char const* p, std::size_t n, unsigned char value) {
  constexpr std::size_t lanes = 16, rounds = 16;  // rounds is below 256: a counter is a byte
  std::size_t count = 0, i = 0;
  for (; i + lanes * rounds <= n; i += lanes * rounds) {
    unsigned char counts[lanes] = {};
    for (std::size_t r = 0; r < rounds; ++r)
      for (std::size_t k = 0; k < lanes; ++k)
        counts[k] = static_cast<unsigned char>(counts[k] + (p[i + r * lanes + k] == value));
    for (unsigned char c : counts) count += c;
  }
  for (; i < n; ++i) count += p[i] == value;
  return count;
}

/// Calls f(i) for each i in [0, n) with p[i] == value, in ascending order.
template <class F>
void each_equal_byte(unsigned char const* p, std::size_t n, unsigned char value, F f) {
  std::size_t i = 0;
#if defined(__SSE2__)
  __m128i const wanted = _mm_set1_epi8(static_cast<char>(value));
  for (; i + 16 <= n; i += 16) {
    __m128i const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p + i));
    for (auto found = unsigned(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted))); found != 0; found &= found - 1)
      f(i + unsigned(std::countr_zero(found)));
  }
#else
  constexpr std::uint64_t every_byte = 0x0101010101010101, top_bits = 0x8080808080808080;
  for (; i + 8 <= n; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p + i, 8);
    word ^= every_byte * value;
    if (((word - every_byte) & ~word & top_bits) == 0) continue;  // no byte is 0
    for (std::size_t k = i; k < i + 8; ++k)
      if (p[k] == value) f(k);
  }
#endif
  for (; i < n; ++i)
    if (p[i] == value) f(i);
}

}  // namespace ordo::inline v0
