#pragma once
#include <cstddef>
#include <cstdint>

#include "strings/code_output.hpp"
#include "strings/key_codes.hpp"

// Pieces in random order, equal ones beside each other: by the MD5 (RFC 1321) of a seed and the piece, as GNU sort has it.
namespace ordo::strings::detail {

class md5 {
 public:
  ORDO_FN explicit md5(std::uint32_t const* sines) : sines_(sines) {}

  ORDO_FN void add(unsigned byte) {
    unsigned const at = unsigned(size_ % 64);
    if (at % 4 == 0) block_[at / 4] = 0;
    block_[at / 4] |= byte << (at % 4 * 8);
    if (++size_ % 64 == 0) mix();
  }
  /// No byte after this.
  ORDO_FN void finish() {
    std::uint64_t const bits = 8 * size_;
    add(0x80);
    while (size_ % 64 != 56) add(0);
    for (unsigned i = 0; i < 8; ++i) add(unsigned(bits >> (8 * i)) & 255);
  }
  /// The i-th byte of the digest, 0 to 15.
  [[nodiscard]] ORDO_FN unsigned digest(unsigned i) const { return state_[i / 4] >> (i % 4 * 8) & 255; }

 private:
  ORDO_FN void mix() {
    std::uint32_t a = state_[0], b = state_[1], c = state_[2], d = state_[3];
    for (unsigned i = 0; i < 64; ++i) {
      unsigned const round = i / 16;
      std::uint32_t const f = round == 0   ? (b & c) | (~b & d)
                              : round == 1 ? (d & b) | (~d & c)
                              : round == 2 ? b ^ c ^ d
                                           : c ^ (b | ~d);
      unsigned const word = (round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i) % 16;
      // The amounts of a round, by i % 4, a byte each.
      std::uint32_t const amounts = round == 0   ? 0x16110c07
                                    : round == 1 ? 0x140e0905
                                    : round == 2 ? 0x17100b04
                                                 : 0x150f0a06;
      unsigned const by = amounts >> (i % 4 * 8) & 255;
      std::uint32_t const sum = a + f + sines_[i] + block_[word];
      a = d;
      d = c;
      c = b;
      b += sum << by | sum >> (32 - by);
    }
    state_[0] += a;
    state_[1] += b;
    state_[2] += c;
    state_[3] += d;
  }

  std::uint32_t const* sines_;
  std::uint64_t size_ = 0;
  std::uint32_t state_[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::uint32_t block_[16] = {};
};

/// The digest as 19 codes of seven bits, and then the piece itself, as two pieces can have one digest.
template <class Piece, class Out>
ORDO_FN void put_random(Piece piece, compiled_key const& by, key_rules const& rules, text_piece const& of, Out& out) {
  md5 hash(rules.md5_sines);
  for (unsigned char const byte : rules.random_seed) hash.add(byte);
  for (; *piece != Piece::end; ++piece) hash.add(*piece);
  hash.finish();
  key_output<Out> const put(out, by.reverse);
  unsigned bits = 0, count = 0;
  for (unsigned i = 0; i < 16; ++i) {
    bits = bits << 8 | hash.digest(i);
    for (count += 8; count >= 7;) put(1 + (bits >> (count -= 7) & 127));
  }
  put(1 + (bits << (7 - count) & 127));
  out.put_bytes(by, of);
}

}  // namespace ordo::strings::detail
