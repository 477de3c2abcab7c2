#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/primitives/thread_group.cuh"

namespace ordo::inline v0::cuda_detail {

/// True if the codes are those of floating-point keys.
template <class K>
__device__ bool of_floats(key_code<K> code) {
  return code.flip_negative != 0;
}

/// A map from codes of floating-point keys to numbers of 32 bits, in the same order and proportional to their values. The codes
/// of evenly distributed floats are uneven: half of all codes stand for magnitudes below 1. Keys that lie close together may
/// have the same number.
template <class K>
class float_values {
  using real = std::conditional_t<sizeof(K) == 4, float, double>;
  static constexpr unsigned mantissa_bits = sizeof(K) == 4 ? 23 : 52;
  static constexpr unsigned exponents = (1u << (8 * sizeof(K) - 1 - mantissa_bits)) - 1, bias = exponents / 2;

 public:
  /// Makes the map for the codes of a range.
  __device__ float_values(key_code<K> code, extremes<K> ends) : code_(code) {
    auto const to_exponent = [&](K x) { return unsigned(code.decode(x) >> mantissa_bits) & exponents; };
    unsigned const smallest = to_exponent(ends.smallest), greatest = to_exponent(ends.greatest);
    unsigned const exponent = smallest > greatest ? smallest : greatest;
    finite_ = exponent < exponents;
    // The power of two by which the greatest magnitude is in [2^30, 2^31), or the greatest power that exists.
    unsigned const scale = exponent < 31 ? exponents - 1 : 2 * bias + 30 - exponent;
    scale_ = std::bit_cast<real>(K(finite_ ? scale : 0) << mantissa_bits);
    flip_ = code.flip & 1 ? 0x7fffffffu : 0x80000000u;  // descending : ascending
  }
  /// Returns true if the range has no infinity and no NaN. Other members need a finite range.
  [[nodiscard]] __device__ bool finite() const { return finite_; }
  [[nodiscard]] __device__ std::uint32_t operator()(K x) const {
    return std::uint32_t(int(std::bit_cast<real>(code_.decode(x)) * scale_)) ^ flip_;
  }

 private:
  key_code<K> code_;
  real scale_;
  std::uint32_t flip_;
  bool finite_;
};

/// Makes the codes of floats smaller, so that words of few bits hold more of their differences. If all have one sign, it
/// subtracts the least code, because many of the first bits differ where magnitudes pass a power of two; else it replaces codes
/// by numbers proportional to the values. For each group of `lanes` lanes, at most `max_lanes`; `some` is a code of the group.
/// `differing` receives the bits in which the results may differ. Returns false if different codes may have become equal.
template <unsigned Items, class K>
__device__ __forceinline__ bool number_floats(key_code<K> encoding, unsigned lanes, unsigned max_lanes, K some,
                                              K (&code)[Items], K& differing) {
  extremes<K> ends{some, some};
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) ends = {min(ends.smallest, code[i]), max(ends.greatest, code[i])};
#pragma unroll 1
  for (unsigned step = max_lanes / 2; step > 0; step /= 2) {
    unsigned const other = step < lanes ? step : 0;
    ends.smallest = min(ends.smallest, __shfl_xor_sync(all_lanes, ends.smallest, other));
    ends.greatest = max(ends.greatest, __shfl_xor_sync(all_lanes, ends.greatest, other));
  }
  float_values<K> const value(encoding, ends);
  bool const by_value = value.finite() && (ends.smallest ^ ends.greatest) >> (8 * sizeof(K) - 1);
  K const zero = by_value ? value(ends.smallest) : ends.smallest;
  differing = (by_value ? value(ends.greatest) : ends.greatest) - zero;
  if (__any_sync(all_lanes, by_value)) {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) code[i] = by_value ? value(code[i]) : code[i];
  }
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) code[i] -= zero;
  return !by_value;
}

}  // namespace ordo::inline v0::cuda_detail
