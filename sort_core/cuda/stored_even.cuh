#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/error.hpp"
#include "sort_core/cuda/backend.cuh"
#include "sort_core/cuda/kernels/even_keys.cuh"

// Each type of keys has a source of its own (CMakeLists.txt).
namespace ordo::inline v0::cuda_detail {

template <class K>
struct code_range {
  K low, high;
};
template <class K>
struct range_of_key {
  K const* keys;
  key_code<K> code;
  ORDO_FN code_range<K> operator()(std::size_t i) const {
    K const encoded = code.encode(keys[i]);
    return {encoded, encoded};
  }
};
template <class K>
struct join_ranges {
  ORDO_FN code_range<K> operator()(code_range<K> a, code_range<K> b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

/// Returns true if few keys of the sample lie in one 64th of the range of their part, of 2^-bits of all numbers each: else the
/// blocks would have to compare them.
template <class K>
bool parts_are_even(std::span<std::uint64_t const> sample, even_numbers<K> const& numbers, key_code<K> code, unsigned bits) {
  std::array<std::size_t, 64> counts{};
  for (std::uint64_t const x : sample) ++counts[std::uint32_t(numbers(K(x), code) << bits) >> 26];
  return *std::max_element(counts.begin(), counts.end()) * tuning::crowded_part <= sample.size();
}

template <class K>
bool sort_even_keys(cuda_backend& backend, K const* from, K* keys, std::size_t n, key_code<K> code,
                    std::span<std::uint64_t const> sample, std::size_t ascents) {
  using plan = even_plan<K>;
  auto const aligned = [](void const* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  if (!plan::possible(n) || !even_sizes<K>::possible() || !aligned(from) || !aligned(keys)) return false;
  if ((sample.size() - 1 - ascents) * tuning::out_of_order < sample.size()) return false;
  if ((sample.size() - distinct_keys(sample)) * tuning::repeated_in > sample.size()) return false;
  if (n >> differing_width(sample) % 64 >= tuning::of_each_number && differing_width(sample) % 64 != 0 &&
      differing_width(sample) <= 16)
    return false;

  plan const wanted(n);
  auto const suits = [&](even_numbers<K> const& numbers) {
    return are_even(sample, numbers, code) && parts_are_even(sample, numbers, code, wanted.first_bits + wanted.second_bits);
  };
  using numbers_of = even_numbers<K>;
  bool const floats = code.flip_negative != 0;
  auto const in_range = [&](K low, K high) {
    return floats ? numbers_of::of_values(low, high, code) : numbers_of::of_codes(low, high);
  };
  auto numbers = numbers_of::of_codes(0, K(~K{0}));
  if (floats || !suits(numbers)) {
    // Whether keys are even in a range shows in the sample; the ends of the range show in all keys.
    auto const usable = [&] { return (!floats || numbers.scale != 0) && suits(numbers); };
    numbers = in_range(K(sample.front()), K(sample.back()));
    if (!usable()) return false;
    code_range<K> const all = backend.reduce(n, range_of_key<K>{from, code}, code_range<K>{K(~K{0}), 0}, join_ranges<K>{});
    numbers = in_range(all.low, all.high);
    if (!usable()) return false;
  }
  try {
    return sort_as_even_keys(backend, from, keys, n, numbers, code);
  } catch (out_of_memory const&) {
    return false;  // other sorts need less
  }
}

}  // namespace ordo::inline v0::cuda_detail

#define ORDO_SORT_EVEN_KEYS(K)                                                                                          \
  template bool ordo::cuda_detail::sort_even_keys<K>(ordo::cuda_backend&, K const*, K*, std::size_t, ordo::key_code<K>, \
                                                     std::span<std::uint64_t const>, std::size_t);
