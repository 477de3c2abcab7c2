#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

/// SipHash-2-4 of 128 bits (Aumasson and Bernstein): a strong digest that is fast for short texts. 64 bits of its key are here,
/// so that equal texts in other roles have other digests.
using wide = unsigned __int128;

inline wide siphash(std::string_view text, std::uint64_t key) {
  std::uint64_t const key_low = 0x0706050403020100u ^ key, key_high = 0x0f0e0d0c0b0a0908u;
  std::uint64_t a = 0x736f6d6570736575u ^ key_low, b = 0x646f72616e646f6du ^ key_high ^ 0xee, c = 0x6c7967656e657261u ^ key_low,
                d = 0x7465646279746573u ^ key_high;
  auto const rounds = [&](int count) {
    while (count-- > 0) {
      a += b, c += d;
      b = std::rotl(b, 13) ^ a, d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32);
      c += b, a += d;
      b = std::rotl(b, 17) ^ c, d = std::rotl(d, 21) ^ a;
      c = std::rotl(c, 32);
    }
  };
  auto const take = [&](std::uint64_t word) {
    d ^= word;
    rounds(2);
    a ^= word;
  };
  std::size_t i = 0;
  for (; text.size() - i >= 8; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    take(word);
  }
  std::uint64_t tail = std::uint64_t(text.size()) << 56;
  for (std::size_t k = 0; i + k < text.size(); ++k) tail |= std::uint64_t(static_cast<unsigned char>(text[i + k])) << (8 * k);
  take(tail);
  c ^= 0xee;
  rounds(4);
  std::uint64_t const low = a ^ b ^ c ^ d;
  b ^= 0xdd;
  rounds(4);
  return wide(a ^ b ^ c ^ d) << 64 | low;
}
