#include "spectra/mzml/base64.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace ordo::spectra::detail {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t wrong = 0x80000000;

// What a character in each of the four places of a group adds to the group's 24 bits; `wrong` for what is no character of
// base64.
using places = std::array<std::array<std::uint32_t, 256>, 4>;
constexpr places make_places() {
  places made{};
  for (auto& place : made) place.fill(wrong);
  for (std::size_t place = 0; place < 4; ++place)
    for (std::size_t i = 0; i < 64; ++i) made[place][std::uint8_t(alphabet[i])] = std::uint32_t(i) << (18 - 6 * place);
  return made;
}
constexpr places values = make_places();

// The two characters of every 12 bits.
using pair_table = std::array<std::array<char, 2>, 4096>;
constexpr pair_table make_pairs() {
  pair_table made{};
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = {alphabet[i >> 6], alphabet[i & 63]};
  return made;
}
constexpr pair_table pairs = make_pairs();

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

void put_group(std::uint32_t bits, char* to) {
  to[0] = char(bits >> 16);
  to[1] = char(bits >> 8);
  to[2] = char(bits);
}

}  // namespace

void encode_base64(std::span<char const> from, char* to) {
  auto const* p = reinterpret_cast<unsigned char const*>(from.data());
  std::size_t left = from.size();
  for (; left >= 3; left -= 3, p += 3, to += 4) {
    std::uint32_t const bits = std::uint32_t(p[0]) << 16 | std::uint32_t(p[1]) << 8 | p[2];
    std::memcpy(to, pairs[bits >> 12].data(), 2);
    std::memcpy(to + 2, pairs[bits & 4095].data(), 2);
  }
  if (left == 0) return;
  std::uint32_t const bits = std::uint32_t(p[0]) << 16 | (left == 2 ? std::uint32_t(p[1]) << 8 : 0);
  std::memcpy(to, pairs[bits >> 12].data(), 2);
  to[2] = left == 2 ? alphabet[bits >> 6 & 63] : '=';
  to[3] = '=';
}

std::optional<std::size_t> decode_base64(std::string_view text, char* to) {
  char* const begin = to;
  auto const* p = reinterpret_cast<unsigned char const*>(text.data());
  auto const* const end = p + text.size();
  for (;;) {
    for (; end - p >= 4; p += 4, to += 3) {
      std::uint32_t const bits = values[0][p[0]] | values[1][p[1]] | values[2][p[2]] | values[3][p[3]];
      if (bits & wrong) break;
      put_group(bits, to);
    }
    // One group with what stands between its characters, or the last one.
    std::uint32_t bits = 0;
    std::size_t count = 0, padding = 0;
    for (; p != end && count + padding < 4; ++p) {
      if (is_space(char(*p))) continue;
      if (*p == '=' && count >= 2) {
        ++padding;
        continue;
      }
      if (padding != 0 || (values[0][*p] & wrong)) return std::nullopt;
      bits |= values[count++][*p];
    }
    if (count == 0) return std::size_t(to - begin);
    if (count + padding != 4) return std::nullopt;
    char group[3];
    put_group(bits, group);
    std::memcpy(to, group, count - 1);
    to += count - 1;
    if (padding == 0) continue;
    for (; p != end; ++p)
      if (!is_space(char(*p))) return std::nullopt;
    return std::size_t(to - begin);
  }
}

}  // namespace ordo::spectra::detail
