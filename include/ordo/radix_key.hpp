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

/// Where NaNs come: as IEEE 754 totalOrder has it, by their sign before or after all numbers; after all numbers in both
/// directions, as in sorts of NumPy, CuPy, pandas and Arrow; or as the greatest of all, whatever their sign: after all numbers
/// in ascending and before them in descending order, as in sorts of PyTorch and JAX.
enum class nan_order { total, last, greatest };
/// Whether -0.0 comes before +0.0, or the two are equal.
enum class zeros { distinct, equal };

/// The order of floating-point keys beyond their direction. It has no effect on other keys.
struct key_order {
  nan_order nans = nan_order::total;
  ordo::zeros zeros = ordo::zeros::distinct;
};

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

/// How the bits of a type of keys order: as an unsigned integer, as a signed one in two's complement, or as a binary
/// floating-point number of IEEE 754, by sign and magnitude.
enum class key_format { unsigned_integer, signed_integer, floating_point };

namespace detail {
/// A floating-point type of the compiler, the standard's extended types among them: _Float16, std::bfloat16_t.
template <class K>
concept built_in_float = std::floating_point<K> ||
    (!std::is_class_v<K> && !std::is_union_v<K> && !std::is_enum_v<K> && !std::is_integral_v<K> && requires(K x) {
      { x < x } -> std::same_as<bool>;
      x* x;
      float(x);
    });
}  // namespace detail

/// States how a type of keys orders. Integers, enumerations (as their underlying type), bool, character types and the
/// compiler's floating-point types have it. Specialise it for a class that holds such a number and nothing else:
/// @code
///   template <>
///   struct ordo::key_traits<my_half> {
///     static constexpr ordo::key_format format = ordo::key_format::floating_point;
///     static constexpr unsigned mantissa_bits = 10;  // floating-point formats only
///   };
/// @endcode
template <class K>
struct key_traits {};

template <std::integral K>
struct key_traits<K> {
  static constexpr key_format format = std::is_signed_v<K> ? key_format::signed_integer : key_format::unsigned_integer;
};
template <class K>
requires std::is_enum_v<K>
struct key_traits<K> : key_traits<std::underlying_type_t<K>> {
};

template <detail::built_in_float K>
requires(sizeof(K) <= 8) struct key_traits<K> {
  static constexpr key_format format = key_format::floating_point;
  /// The bits of 1 are those of the exponent but the highest, and zeros below.
  static constexpr unsigned mantissa_bits =
      unsigned(std::countr_zero(std::bit_cast<typename detail::unsigned_of<sizeof(K)>::type>(K(1))));
};

/// The bits of a floating-point number of 16 bits: IEEE 754 binary16, as CUDA's __half, _Float16 and NumPy's float16.
struct half {
  std::uint16_t bits;
};
/// The bits of a bfloat16: the upper half of a float.
struct bfloat16 {
  std::uint16_t bits;
};
template <>
struct key_traits<half> {
  static constexpr key_format format = key_format::floating_point;
  static constexpr unsigned mantissa_bits = 10;
};
template <>
struct key_traits<bfloat16> {
  static constexpr key_format format = key_format::floating_point;
  static constexpr unsigned mantissa_bits = 7;
};

/// A type of keys. Sorts write keys, so that const and volatile types are excluded.
template <class K>
concept Key = std::same_as<K, std::remove_cv_t<K>> && std::is_trivially_copyable_v<K> &&
              (sizeof(K) == 1 || sizeof(K) == 2 || sizeof(K) == 4 || sizeof(K) == 8) &&
              requires {
  { key_traits<K>::format } -> std::convertible_to<key_format>;
};

/// An unsigned integer of 128 bits, an extension of GCC, Clang and nvcc.
__extension__ typedef unsigned __int128 wide_key;

template <class U>
concept unsigned_word = std::unsigned_integral<U> || std::same_as<U, wide_key>;

/// The map of radix_key as three words, for code that is compiled once for all types of a width. encode(x) flips the bits
/// `flip` of x, and also `flip_negative` if the top bit of x is set. The top bit of flip_negative is 0. Then it subtracts
/// `rotate`, so that the `rotate` lowest codes become the highest.
template <unsigned_word U>
struct key_code {
  U flip = 0, flip_negative = 0, rotate = 0;
  static constexpr U top = U(U{1} << (8 * sizeof(U) - 1));

  // Arithmetic, because compilers turn a conditional into a branch, and signs are hard to predict.
  [[nodiscard]] ORDO_FN constexpr U encode(U bits) const { return U(U(bits ^ (sign(bits) & flip_negative) ^ flip) - rotate); }
  [[nodiscard]] ORDO_FN constexpr U decode(U code) const {
    code = U(U(code + rotate) ^ flip);
    return U(code ^ (sign(code) & flip_negative));
  }
  /// Returns all ones if the top bit is set, else 0.
  [[nodiscard]] ORDO_FN static constexpr U sign(U bits) { return U(U{0} - U(bits >> (8 * sizeof(U) - 1))); }
  [[nodiscard]] ORDO_FN constexpr bool identity() const { return flip == 0 && flip_negative == 0 && rotate == 0; }
  friend constexpr bool operator==(key_code const&, key_code const&) = default;
};

/// An order-preserving, invertible map from keys to unsigned integers of the same width: encode(a) < encode(b) if and only if a
/// comes before b. Integers order by value. Floating-point keys order as IEEE 754 totalOrder: negative NaNs, -inf, ..., -0.0,
/// +0.0, ..., +inf, positive NaNs, with NaNs of one sign by their payload.
template <Key K, sort_order Order = sort_order::ascending>
struct radix_key {
  using type = typename detail::unsigned_of<sizeof(K)>::type;
  static constexpr unsigned width = 8 * sizeof(K);
  static constexpr type top = type(type{1} << (width - 1));

  /// The number of NaNs of one sign, which is the mantissa of ones. 0 for other keys.
  static constexpr type nans = [] {
    if constexpr (key_traits<K>::format == key_format::floating_point)
      return type(type(type{1} << key_traits<K>::mantissa_bits) - 1);
    else
      return type{0};
  }();

  /// The map as a value.
  static constexpr key_code<type> code{type((key_traits<K>::format == key_format::unsigned_integer ? type{0} : top) ^
                                            (Order == sort_order::descending ? type(~type{0}) : type{0})),
                                       key_traits<K>::format == key_format::floating_point ? type(~top) : type{0}};

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
