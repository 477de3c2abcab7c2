#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/bits.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/radix_key.hpp"

// Large segments of floats are divided by their values if these are more even than their codes. Half of all codes stand for
// magnitudes below 1, so that the first digit of floats that are spread over [-1, 1) reveals little but the sign.
namespace ordo::inline v0::cuda_detail {

/// A map of floating-point keys to numbers of 32 bits that are proportional to their values and in the order of their codes.
/// NaNs and values beyond the range of the sample come first and last. A scale of 0 means that codes are as even, and should be
/// used.
struct float_numbers {
  float scale = 0, offset = 0;

  [[nodiscard]] ORDO_FN bool wanted() const { return scale != 0; }
  template <class K>
  [[nodiscard]] ORDO_FN std::uint32_t operator()(K encoded, key_code<K> code) const {
    float const value = decode_value(encoded, code);
    if (value != value) return encoded >> (8 * sizeof(K) - 1) != 0 ? ~std::uint32_t{0} : 0;
    constexpr float greatest = 4294967040.0f;  // the greatest float below 2^32
    // One instruction, so that all kernels get the same result.
    return std::uint32_t(fminf(fmaxf(fmaf(value, scale, offset), 0.0f), greatest));
  }

  /// Returns 0 if NaNs have the first and the last codes, by their sign; 1 if all have the last codes, and 2 if the first.
  template <class K>
  [[nodiscard]] ORDO_FN static std::uint16_t choose_rotation(key_code<K> code) {
    return code.rotate == 0 ? 0 : code.rotate < key_code<K>::top ? 1 : 2;
  }

  /// Returns the number of low bits in which codes may differ, for keys whose numbers have `digit` as their upper `width` bits.
  /// The first and last digits also hold keys beyond the range, which may differ in all bits.
  /// @param rotation  choose_rotation the keys' code
  template <class K>
  [[nodiscard]] ORDO_FN unsigned bits_within(unsigned digit, unsigned width, std::uint16_t rotation = 0) const {
    constexpr unsigned all = 8 * sizeof(K);
    if (digit == 0 || digit + 1 == 1u << width) return all;
    using real = std::conditional_t<sizeof(K) == 4, float, double>;
    constexpr K top = K{1} << (all - 1), others = K(~top);
    constexpr K nans = radix_key<real>::nans;
    key_code<K> const code{scale > 0 ? top : others, others,  // scale is negative if keys descend
                           rotation == 0   ? K{0}
                           : rotation == 1 ? nans
                                           : K(0 - nans)};
    // A number is rounded by at most 2^8, and a value by one part in 2^23: the bounds allow for more.
    auto const bound = [&](double number, double beyond) {
      double const value = (number + beyond - double(offset)) / double(scale);
      double const wider = (beyond < 0) == (scale > 0) ? -1 : 1;
      return std::uint64_t(code.encode(std::bit_cast<K>(real(value + wider * fabs(value) * 0x1p-20))));
    };
    double const step = 4294967296.0 / double(1u << width);
    std::uint64_t const differing = bound(digit * step, -1024) ^ bound((digit + 1) * step, 1024);
    return 64 - leading_zeros(differing);
  }

  /// Returns the map for keys of which codes[0], ..., codes[count - 1] are a sorted sample.
  template <class K>
  [[nodiscard]] ORDO_FN static float_numbers suiting(std::uint64_t const* codes, std::size_t count, key_code<K> code) {
    constexpr std::size_t parts = 16;
    if (count < 2 * parts) return {};
    // A few outliers must not determine the range.
    std::size_t const outside = count / 64, inside = count - 1 - 2 * outside;
    auto const part_begin = [&](std::size_t part) { return codes[outside + part * inside / parts]; };
    float const first = decode_value(K(part_begin(0)), code), last = decode_value(K(part_begin(parts)), code);
    float_numbers numbers;
    numbers.scale = 4261412864.0f / (last - first);  // 254 / 256 of 2^32; negative if keys descend
    numbers.offset = 16777216.0f - first * numbers.scale;
    constexpr float max_float = std::numeric_limits<float>::max();
    if (!(fabsf(numbers.scale) <= max_float && fabsf(numbers.offset) <= max_float)) return {};
    // The greatest density, in numbers and in the bits in which codes differ.
    double by_value = 0, by_code = 0;
    double const all_codes = 2.0 * double(last_power(codes[0] ^ codes[count - 1]));
    for (std::size_t part = 0; part < parts; ++part) {
      std::uint64_t const begin = part_begin(part), end = part_begin(part + 1);
      auto const length = double(numbers(K(end), code)) - double(numbers(K(begin), code));
      if (begin == end || length <= 0) return {};
      by_value = fmax(by_value, 4294967296.0 / length);
      by_code = fmax(by_code, all_codes / double(end - begin));
    }
    return 2 * by_value < by_code ? numbers : float_numbers{};
  }

 private:
  template <class K>
  [[nodiscard]] ORDO_FN static float decode_value(K encoded, key_code<K> code) {
    K const bits = code.decode(encoded);
    if constexpr (sizeof(K) == 4)
      return std::bit_cast<float>(bits);
    else
      return float(std::bit_cast<double>(bits));
  }
  /// Returns the greatest power of two that is at most x.
  [[nodiscard]] ORDO_FN static std::uint64_t last_power(std::uint64_t x) {
    return x == 0 ? 0 : std::uint64_t{1} << (63 - leading_zeros(x));
  }
};

}  // namespace ordo::inline v0::cuda_detail
