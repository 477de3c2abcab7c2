#pragma once
#include <cstddef>
#include <cstdint>

#include "strings/keys/key_codes.hpp"

// Codes for a random order in which equal pieces are adjacent: the MD5 (RFC 1321) of a seed and the piece, as in GNU sort.
namespace ordo::inline v0::strings::detail {

class md5 {
 public:
  ORDO_FN explicit md5(std::uint32_t const* sines) : sines_(sines) {}

  ORDO_FN void add(unsigned byte) {
    block_[size_ / 4 % 16] |= byte << (size_ % 4 * 8);
    if (++size_ % 64 == 0) mix();
  }
  /// Ends the input.
  ORDO_FN void finish() {
    std::uint64_t const bits = 8 * size_;
    add(0x80);
    if (size_ % 64 > 56) mix();
    block_[14] = std::uint32_t(bits);
    block_[15] = std::uint32_t(bits >> 32);
    mix();
  }
  /// Returns the i-th byte of the digest, 0 to 15.
  [[nodiscard]] ORDO_FN unsigned digest(unsigned i) const { return state_[i / 4] >> (i % 4 * 8) & 255; }

 private:
  template <unsigned Round>
  ORDO_FN static std::uint32_t function(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    if constexpr (Round == 0)
      return (b & c) | (~b & d);
    else if constexpr (Round == 1)
      return (d & b) | (~d & c);
    else if constexpr (Round == 2)
      return b ^ c ^ d;
    else
      return c ^ (b | ~d);
  }
  template <unsigned Round, unsigned Step>
  ORDO_FN void step(unsigned i, std::uint32_t& a, std::uint32_t b, std::uint32_t c, std::uint32_t d) const {
    constexpr std::uint32_t amounts[] = {0x16110c07, 0x140e0905, 0x17100b04, 0x150f0a06};  // a byte for each step
    constexpr unsigned factors[] = {1, 5, 3, 7}, first_words[] = {0, 1, 5, 0};
    constexpr unsigned amount = amounts[Round] >> (8 * Step) & 255;
    std::uint32_t const word = block_[(factors[Round] * (i + Step) + first_words[Round]) % 16];
    std::uint32_t const sum = a + function<Round>(b, c, d) + word + sines_[16 * Round + i + Step];
    a = b + (sum << amount | sum >> (32 - amount));
  }
  template <unsigned Round>
  ORDO_FN void round(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c, std::uint32_t& d) const {
    for (unsigned i = 0; i < 16; i += 4) {
      step<Round, 0>(i, a, b, c, d);
      step<Round, 1>(i, d, a, b, c);
      step<Round, 2>(i, c, d, a, b);
      step<Round, 3>(i, b, c, d, a);
    }
  }
  // Adds the block, and clears it.
  ORDO_FN void mix() {
    std::uint32_t a = state_[0], b = state_[1], c = state_[2], d = state_[3];
    round<0>(a, b, c, d);
    round<1>(a, b, c, d);
    round<2>(a, b, c, d);
    round<3>(a, b, c, d);
    state_[0] += a;
    state_[1] += b;
    state_[2] += c;
    state_[3] += d;
    for (std::uint32_t& word : block_) word = 0;
  }

  std::uint32_t const* sines_;
  std::uint64_t size_ = 0;
  std::uint32_t state_[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::uint32_t block_[16] = {};
};

/// Writes the digest as 19 codes of seven bits.
template <class Out>
ORDO_FN void write_digest(md5& hash, key_output<Out> put) {
  hash.finish();
  unsigned bits = 0, count = 0;
  for (unsigned i = 0; i < 16; ++i) {
    bits = bits << 8 | hash.digest(i);
    for (count += 8; count >= 7;) put(1 + (bits >> (count -= 7) & 127));
  }
  put(1 + (bits << (7 - count) & 127));
}

/// Writes the digest, and then the piece, because two pieces can have the same digest.
template <class Piece, class Out>
ORDO_FN void write_random(Piece piece, compiled_key const& by, key_rules const& rules, text_piece const& of, Out& out) {
  md5 hash(rules.md5_sines);
  for (unsigned char const byte : rules.random_seed) hash.add(byte);
  for (; *piece != Piece::end; ++piece) hash.add(*piece);
  write_digest(hash, key_output<Out>(out, by.reverse));
  out.write_bytes(by, of);
}

}  // namespace ordo::inline v0::strings::detail
