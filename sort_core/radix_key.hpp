#pragma once
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "sort_core/fn.hpp"

namespace ordo {

enum class order { ascending, descending };

namespace detail {
template <std::size_t Bytes>
struct unsigned_of;
template <>
struct unsigned_of<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of<8> {
  using type = std::uint64_t;
};
}  // namespace detail

template <class K>
concept Key = (std::integral<K> || std::floating_point<K>)&&sizeof(K) <= 8;

/// An order-preserving, invertible map from keys to unsigned integers of the same width: a < b if and only if
/// encode(a) < encode(b), with the sense turned round for `descending`. Integers order by value. Floating-point keys order
/// as IEEE 754 totalOrder: negative NaNs, -inf, ..., -0.0, +0.0, ..., +inf, positive NaNs, NaNs of one sign by their
/// payload. A caller for whom the two zeros are equal turns -0.0 into 0.0 first (x + 0.0 does).
template <Key K, order Order = order::ascending>
struct radix_key {
  using type = typename detail::unsigned_of<sizeof(K)>::type;
  static constexpr unsigned width = 8 * sizeof(K);
  static constexpr type top = type(type{1} << (width - 1));

  ORDO_FN static constexpr type encode(K key) {
    type code = std::bit_cast<type>(key);
    if constexpr (std::floating_point<K>) {
      code = (code & top) ? type(~code) : type(code | top);
    } else if constexpr (std::signed_integral<K>) {
      code = type(code ^ top);
    }
    return Order == order::descending ? type(~code) : code;
  }

  ORDO_FN static constexpr K decode(type code) {
    if constexpr (Order == order::descending) code = type(~code);
    if constexpr (std::floating_point<K>) {
      code = (code & top) ? type(code & type(~top)) : type(~code);
    } else if constexpr (std::signed_integral<K>) {
      code = type(code ^ top);
    }
    return std::bit_cast<K>(code);
  }

  /// True where encode changes nothing, so that a sort can skip it.
  static constexpr bool identity = std::unsigned_integral<K> && Order == order::ascending;
};

}  // namespace ordo
