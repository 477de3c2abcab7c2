#pragma once
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ordo/detail/fn.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0 {

enum class sort_order { ascending, descending };

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

/// A type of keys. Sorts write keys, so that const and volatile types are excluded.
template <class K>
concept Key = (std::integral<K> || std::floating_point<K>)&&std::same_as<K, std::remove_cv_t<K>> && sizeof(K) <= 8;

/// An unsigned integer of 128 bits, an extension of GCC, Clang and nvcc.
__extension__ typedef unsigned __int128 wide_key;

template <class U>
concept unsigned_word = std::unsigned_integral<U> || std::same_as<U, wide_key>;

/// The map of radix_key as two words, for code that is compiled once for all types of a width. encode(x) flips the bits `flip`
/// of x, and also `flip_negative` if the top bit of x is set. The top bit of flip_negative is 0.
template <unsigned_word U>
struct key_code {
  U flip = 0, flip_negative = 0;
  static constexpr U top = U(U{1} << (8 * sizeof(U) - 1));

  // Arithmetic, because compilers turn a conditional into a branch, and signs are hard to predict.
  [[nodiscard]] ORDO_FN constexpr U encode(U bits) const { return U(bits ^ (sign(bits) & flip_negative) ^ flip); }
  [[nodiscard]] ORDO_FN constexpr U decode(U code) const {
    code = U(code ^ flip);
    return U(code ^ (sign(code) & flip_negative));
  }
  /// Returns all ones if the top bit is set, else 0.
  [[nodiscard]] ORDO_FN static constexpr U sign(U bits) { return U(U{0} - U(bits >> (8 * sizeof(U) - 1))); }
  [[nodiscard]] ORDO_FN constexpr bool identity() const { return flip == 0 && flip_negative == 0; }
  friend constexpr bool operator==(key_code const&, key_code const&) = default;
};

/// An order-preserving, invertible map from keys to unsigned integers of the same width: encode(a) < encode(b) if and only if a
/// comes before b. Integers order by value. Floating-point keys order as IEEE 754 totalOrder: negative NaNs, -inf, ..., -0.0,
/// +0.0, ..., +inf, positive NaNs, with NaNs of one sign by their payload. To make the two zeros equal, add 0.0 to each key
/// first.
template <Key K, sort_order Order = sort_order::ascending>
struct radix_key {
  using type = typename detail::unsigned_of<sizeof(K)>::type;
  static constexpr unsigned width = 8 * sizeof(K);
  static constexpr type top = type(type{1} << (width - 1));

  /// The map as a value.
  static constexpr key_code<type> code{
      type((std::unsigned_integral<K> ? type{0} : top) ^ (Order == sort_order::descending ? type(~type{0}) : type{0})),
      std::floating_point<K> ? type(~top) : type{0}};

  ORDO_FN static constexpr type encode(K key) {
    constexpr key_code<type> c = code;
    return c.encode(std::bit_cast<type>(key));
  }
  ORDO_FN static constexpr K decode(type encoded) {
    constexpr key_code<type> c = code;
    return std::bit_cast<K>(c.decode(encoded));
  }
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
