#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/bits.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/radix_key.hpp"

// Numbers of 32 bits that are as even as the keys: keys that are spread evenly over any range, as codes or as floating-point
// values, have numbers that are spread evenly over all of 32 bits.
namespace ordo::inline v0::cuda_detail {

/// A map of codes to numbers in the same order. Equal codes have equal numbers, and of two codes the greater has no smaller
/// number.
template <class K>
struct even_numbers {
  using real = std::conditional_t<sizeof(K) == 4, float, double>;
  K low = 0;                   // by code: the smallest code
  unsigned up = 0;             // the bits by which differences of codes are shifted up, so that the greatest has the top bit
  std::uint32_t stretch = 0;   // what then lacks to 2^32, as a fraction
  real scale = 0, offset = 0;  // by value, unless the scale is 0

  [[nodiscard]] ORDO_FN bool by_value() const { return scale != 0; }
  [[nodiscard]] ORDO_FN std::uint32_t operator()(K encoded, key_code<K> code) const {
    return by_value() ? number<true>(encoded, code) : number<false>(encoded, code);
  }
  /// The same if it is known whether numbers go by value.
  template <bool ByValue>
  [[nodiscard]] ORDO_FN std::uint32_t number(K encoded, key_code<K> code) const {
    if constexpr (ByValue) {
      real const value = std::bit_cast<real>(code.decode(encoded));
      // One instruction, so that all kernels get the same result.
      real const x = std::fma(value, scale, offset);
      std::uint32_t const inside = x > 0 ? std::uint32_t(x < greatest ? x : greatest) : 0;
      return value == value ? inside : encoded >> (8 * sizeof(K) - 1) != 0 ? ~std::uint32_t{0} : 0;
    } else {
      auto const x = std::uint32_t(K(K(encoded - low) << up) >> (8 * sizeof(K) - 32));
      return x + std::uint32_t(std::uint64_t{x} * stretch >> 32);
    }
  }

  /// Returns the map for codes in [low, high].
  [[nodiscard]] static even_numbers of_codes(K low, K high) {
    even_numbers numbers;
    numbers.low = low;
    K const range = K(high - low);
    if (range == 0) return numbers;
    numbers.up = unsigned(leading_zeros(std::uint64_t{range})) - (64 - 8 * unsigned(sizeof(K)));
    auto const most = std::uint64_t(K(range << numbers.up) >> (8 * sizeof(K) - 32));
    numbers.stretch = std::uint32_t(std::min<std::uint64_t>(((0xffffffffull - most) << 32) / most, 0xffffffffull));
    return numbers;
  }
  /// Returns the map for codes of floating-point values from `low` to `high`, or a map with a scale of 0 if there is none.
  [[nodiscard]] static even_numbers of_values(K low, K high, key_code<K> code) {
    even_numbers numbers;
    auto const first = double(std::bit_cast<real>(code.decode(low))), last = double(std::bit_cast<real>(code.decode(high)));
    double const by = double(greatest) / (last - first);  // negative if keys descend
    if (std::isnormal(by) && std::isfinite(first * by) && std::isnormal(real(by))) {
      numbers.scale = real(by);
      numbers.offset = real(-first * by);
    }
    return numbers;
  }

 private:
  // The greatest number that `real` has below 2^32.
  static constexpr real greatest = sizeof(K) == 4 ? real(4294967040.0) : real(4294967295.0);
};

/// Returns true if the numbers of a sample are as even as those of evenly distributed keys: the test of Kolmogorov and Smirnov,
/// which rejects one in a thousand samples of even keys. @param codes  sorted
template <class K>
[[nodiscard]] bool are_even(std::span<std::uint64_t const> codes, even_numbers<K> const& numbers, key_code<K> code) {
  constexpr double most = 1.95;
  auto const count = double(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    double const below = double(numbers(K(codes[i]), code)) / 4294967296.0;
    if (std::abs(below - (double(i) + 0.5) / count) * std::sqrt(count) > most) return false;
  }
  return !codes.empty();
}

}  // namespace ordo::inline v0::cuda_detail
