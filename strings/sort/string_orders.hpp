#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bits.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "strings/sort/depth_first.hpp"

// Orders of strings that lie anywhere in memory, for depth_first_sort. The number of a string stands for it.
namespace ordo::inline v0::strings::detail {

/// The order of strings of bytes, each an ordinary one. The lowest byte of a number of K is the number of bytes that are left,
/// up to sizeof(K), so that a string that others begin with comes before them, also before those that go on with NUL.
struct byte_order {
  std::string_view const* strings;
  std::uint64_t flip;  // all ones reverses the order

  template <class K>
  static constexpr std::size_t width = sizeof(K) - 1;

  template <class K>
  [[nodiscard]] K number(std::size_t string, std::size_t depth) const {
    std::string_view const s = strings[string];
    auto const* const p = reinterpret_cast<unsigned char const*>(s.data()) + depth;
    std::size_t const left = s.size() - depth;
    if constexpr (std::same_as<K, wide_key>) {
      std::uint64_t const high = load_up_to_eight(p, left);
      std::uint64_t const low = left <= 8 ? left : left < 16 ? load_up_to_eight(p + 8, left - 8) | left : eight_at(p + 8, 16);
      return wide_key(high ^ flip) << 64 | (low ^ flip);
    } else {
      return (left < 8 ? load_up_to_eight(p, left) | left : eight_at(p, 8)) ^ flip;
    }
  }
  template <class K>
  [[nodiscard]] bool ended(K key, std::size_t /*depth*/) const {
    return ((std::uint64_t(key) ^ flip) & 0xff) < sizeof(K);
  }
  void prefetch(std::size_t string, std::size_t depth) const { ordo::prefetch(strings[string].data() + depth); }
  template <class Offset>
  [[nodiscard]] Offset common(Offset a, Offset b, std::size_t depth, std::size_t max_length) const {
    std::string_view const x = strings[a].substr(depth), y = strings[b].substr(depth);
    std::size_t const shorter = std::min(x.size(), y.size());
    std::size_t same = 0;
    for (; same + 8 <= shorter && same < max_length; same += 8) {
      std::uint64_t p = 0, q = 0;
      std::memcpy(&p, x.data() + same, 8);
      std::memcpy(&q, y.data() + same, 8);
      if (p != q) return Offset(same + trailing_zeros(p ^ q) / 8);  // little-endian, as load_big_endian expects
    }
    while (same < shorter && same < max_length && x[same] == y[same]) ++same;
    return same == x.size() && same == y.size() ? common_prefix<Offset>::identical : Offset(same);
  }

 private:
  static std::uint64_t load_up_to_eight(unsigned char const* p, std::size_t left) {
    if (left >= 8) return load_big_endian(p, 8);
    // Lengths that the compiler does not know are a call of memcpy.
    std::uint64_t word = 0;
    if (left >= 4) {
      std::uint32_t first = 0, last = 0;
      std::memcpy(&first, p, 4);
      std::memcpy(&last, p + left - 4, 4);
      word = std::uint64_t(__builtin_bswap32(first)) << 32 | std::uint64_t(__builtin_bswap32(last)) << (8 * (8 - left));
    } else if (left != 0) {
      word = std::uint64_t{p[0]} << 56 | std::uint64_t{p[left / 2]} << (56 - 8 * (left / 2)) |
             std::uint64_t{p[left - 1]} << (56 - 8 * (left - 1));
    }
    return word;
  }
  static std::uint64_t eight_at(unsigned char const* p, unsigned count) {
    return (load_big_endian(p, 8) & ~std::uint64_t{0xff}) | count;
  }
};

/// Strings of UCS4 in rows of one length, as NumPy has them: zeros fill a string up. Units after the first `used` are zero in
/// all.
struct ucs4_rows {
  std::uint32_t const* units;
  std::size_t length, used;
};

/// The order of such strings. @tparam Bits  that no unit exceeds
template <unsigned Bits>
struct ucs4_order {
  ucs4_rows rows;
  std::uint64_t flip;

  template <class K>
  static constexpr std::size_t width = 8 * sizeof(K) / Bits;

  template <class K>
  [[nodiscard]] K number(std::size_t string, std::size_t depth) const {
    std::uint32_t const* const p = rows.units + string * rows.length + depth;
    std::size_t const left = rows.used - depth;
    if constexpr (std::same_as<K, wide_key>) {
      constexpr std::size_t half = width<std::uint64_t>;
      return wide_key(word(p, left) ^ flip) << 64 | (word(p + std::min(half, left), left - std::min(half, left)) ^ flip);
    } else {
      return word(p, left) ^ flip;
    }
  }
  template <class K>
  [[nodiscard]] bool ended(K /*key*/, std::size_t depth) const {
    return depth + width<K> >= rows.used;
  }
  void prefetch(std::size_t string, std::size_t depth) const {
    std::uint32_t const* const p = rows.units + string * rows.length + depth;
    ordo::prefetch(p);
    ordo::prefetch(p + 15);
  }
  template <class Offset>
  [[nodiscard]] Offset common(Offset a, Offset b, std::size_t depth, std::size_t max_length) const {
    std::uint32_t const *const x = rows.units + a * rows.length + depth, *const y = rows.units + b * rows.length + depth;
    std::size_t const left = rows.used - depth, end = std::min(left, max_length);
    std::size_t const same = std::size_t(std::mismatch(x, x + end, y).first - x);
    return same == left ? common_prefix<Offset>::identical : Offset(same);
  }

 private:
  static std::uint64_t word(std::uint32_t const* p, std::size_t left) {
    constexpr std::size_t n = width<std::uint64_t>;
    std::uint64_t word = 0;
    if (left >= n) {
      for (std::size_t i = 0; i < n; ++i) word = word << (Bits - 1) << 1 | p[i];
    } else {
      for (std::size_t i = 0; i < n; ++i) word = word << (Bits - 1) << 1 | (i < left ? p[i] : 0);
    }
    return word;
  }
};

}  // namespace ordo::inline v0::strings::detail
