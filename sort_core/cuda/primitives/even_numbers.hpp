#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "base/bits.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/radix_key.hpp"
#include "sort_core/cuda/tuning/radix.hpp"

// Numbers of 32 bits that are as even as the keys: keys that are spread evenly over any range, as codes or as floating-point
// values, have numbers that are spread evenly over all of 32 bits. A curve makes the numbers of other smooth distributions
// even.
namespace ordo::inline v0::cuda_detail {

/// A map of codes to numbers in the same order. Equal codes have equal numbers, and of two codes the greater has no smaller
/// number.
template <class K>
struct even_numbers {
  using real = std::conditional_t<sizeof(K) == 4, float, double>;
  K low = 0;                     // the smallest code
  unsigned up = 0;               // the bits by which differences of codes are shifted up, so that the greatest has the top bit
  std::uint32_t stretch = 0;     // what then lacks to 2^32, as a fraction
  double scale = 0, offset = 0;  // the map of values; a scale of 0 means that numbers go by code

  [[nodiscard]] ORDO_FN bool by_value() const { return scale != 0; }
  [[nodiscard]] ORDO_FN std::uint32_t operator()(K encoded, key_code<K> code) const {
    return by_value() ? number<true>(encoded, code) : number<false>(encoded, code);
  }
  /// The same if it is known whether numbers go by value.
  /// @tparam Fine  compute all 32 bits of 32-bit floats' numbers, not the upper 24, which takes longer
  template <bool ByValue, bool Fine = false>
  [[nodiscard]] ORDO_FN std::uint32_t number(K encoded, key_code<K> code) const {
    if constexpr (ByValue) {
      using exact = std::conditional_t<Fine, double, real>;
      constexpr exact greatest = greatest_below(exact{});
      real const value = std::bit_cast<real>(code.decode(encoded));
      // One instruction, so that all kernels get the same result.
      exact const x = std::fma(exact(value), exact(scale), exact(offset));
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
    double const by = double(greatest_below(real{})) / (last - first);  // negative if keys descend
    if (std::isnormal(by) && std::isfinite(first * by) && std::isnormal(real(by))) {
      numbers.scale = by;
      numbers.offset = -first * by;
    }
    return numbers;
  }

 private:
  // Returns the greatest number of the type below 2^32.
  static constexpr ORDO_FN float greatest_below(float) { return 4294967040.0f; }
  static constexpr ORDO_FN double greatest_below(double) { return 4294967295.0; }
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

/// Returns true if few keys of the sample lie in one 64th of the range of their part, of which there are 2^bits: else a block
/// would have to compare them.
template <class K>
[[nodiscard]] bool parts_are_even(std::span<std::uint64_t const> codes, even_numbers<K> const& numbers, key_code<K> code,
                                  unsigned bits) {
  std::array<std::size_t, 64> counts{};
  for (std::uint64_t const x : codes) ++counts[std::uint32_t(numbers(K(x), code) << bits) >> 26];
  return *std::max_element(counts.begin(), counts.end()) * tuning::crowded_part <= codes.size();
}

/// A map of numbers to even ones: linear in each of equally long pieces of their range, steep where there are many keys.
struct even_curve {
  static constexpr unsigned piece_bits = 9, pieces = 1u << piece_bits;
  /// Returns the number that x has on the curve. @param starts  where the pieces begin, and the last ends
  [[nodiscard]] static ORDO_FN std::uint32_t number(std::uint32_t const* starts, std::uint32_t x) {
    std::uint32_t const piece = x >> (32 - piece_bits), begin = starts[piece], length = starts[piece + 1] - begin;
    return begin + std::uint32_t(std::uint64_t{x << piece_bits} * length >> 32);
  }
};

/// Returns true if the density of a sample's numbers changes little from one 64th of their range to the next, so that a curve
/// can make them even.
template <class K>
[[nodiscard]] bool are_smooth(std::span<std::uint64_t const> codes, even_numbers<K> const& numbers, key_code<K> code) {
  // A curve has 16 pieces for a 32nd of the range, too few for more keys than a fourth of all.
  constexpr std::size_t largest_part = 4;
  std::array<std::size_t, 64> counts{};
  for (std::uint64_t const x : codes) ++counts[numbers(K(x), code) >> 26];
  for (std::size_t i = 0; i < counts.size(); i += 2) {
    auto const both = double(counts[i] + counts[i + 1]);
    if (both * largest_part > double(codes.size())) return false;
    if (std::abs(double(counts[i]) - double(counts[i + 1])) > 4 * std::sqrt(both) + 0.15 * both) return false;
  }
  return true;
}

/// The smallest and the greatest of some codes.
template <class K>
struct code_range {
  K low, high;
};

/// Numbers, and whether they need a curve to be even.
template <class K>
struct even_choice {
  even_numbers<K> numbers;
  bool curved;
};

/// Returns the numbers of which a sample of keys is even: those of all codes or, if it is not, those of the range of all keys,
/// by their values if they are floats; else those of that range, with a curve, if the sample is smooth. Returns nothing if no
/// numbers are.
/// @param codes       sorted
/// @param part_bits   the number of upper bits of a number that tell the part of a key
/// @param all_codes   returns the range of the codes of all keys; called if the sample suits in its own range
template <class K, class AllCodes>
[[nodiscard]] std::optional<even_choice<K>> choose_numbers(std::span<std::uint64_t const> codes, key_code<K> code,
                                                           unsigned part_bits, AllCodes all_codes) {
  using numbers_of = even_numbers<K>;
  bool const floats = code.flip_negative != 0;
  auto const choose = [&](numbers_of const& numbers, bool may_curve) -> std::optional<even_choice<K>> {
    if (!parts_are_even(codes, numbers, code, part_bits)) return {};
    bool const even = are_even(codes, numbers, code);
    if (!even && !(may_curve && are_smooth(codes, numbers, code))) return {};
    return even_choice<K>{numbers, !even};
  };
  auto const choose_in = [&](code_range<K> range) -> std::optional<even_choice<K>> {
    auto const numbers =
        floats ? numbers_of::of_values(range.low, range.high, code) : numbers_of::of_codes(range.low, range.high);
    if (floats && !numbers.by_value()) return {};
    return choose(numbers, true);
  };
  if (!floats)
    if (auto const of_all = choose(numbers_of::of_codes(0, K(~K{0})), false)) return of_all;
  // Whether keys are even in a range shows in the sample; the ends of the range show in all keys.
  if (!choose_in({K(codes.front()), K(codes.back())})) return {};
  return choose_in(all_codes());
}

}  // namespace ordo::inline v0::cuda_detail
