#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ordo::inline v0::host_detail {

/// Copies n bytes with stores that bypass the caches, for data that is not read soon: memory is written without being read
/// first. This is 1.5 to 2 times as fast for one thread. The ranges must not overlap.
inline void copy_streaming(char* to, char const* from, std::size_t n) {
#if defined(__SSE2__)
  constexpr std::size_t word = sizeof(__m128i), line = 4 * word;
  std::size_t const head = std::min(n, std::size_t(-reinterpret_cast<std::uintptr_t>(to) % line));
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + line <= n; at += line)
    for (std::size_t k = 0; k < line; k += word)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + k),
                       _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + at + k)));
  std::memcpy(to + at, from + at, n - at);
  _mm_sfence();  // before other threads learn of the data
#else
  std::memcpy(to, from, n);
#endif
}

}  // namespace ordo::inline v0::host_detail
