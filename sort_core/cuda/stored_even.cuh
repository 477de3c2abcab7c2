#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/error.hpp"
#include "sort_core/cuda/backend.cuh"
#include "sort_core/cuda/kernels/divide_keys.cuh"
#include "sort_core/cuda/kernels/even_keys.cuh"

// Each type of keys is an instance (CMakeLists.txt).
namespace ordo::inline v0::cuda_detail {

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

template <class K>
bool sort_even_keys(cuda_backend& backend, K const* from, K* keys, std::size_t n, key_code<K> code,
                    std::span<std::uint64_t const> sample, std::size_t ascents) {
  auto const aligned = [](void const* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  if (!even_plan<K>::possible(n) || !even_sizes<K>::possible() || !aligned(from) || !aligned(keys)) return false;
  // Parts of few codes differ too much in the number of their keys.
  if ((sample.back() - sample.front()) >> even_plan<K>(n).part_bits() < tuning::codes_of_a_part) return false;
  if ((sample.size() - 1 - ascents) * tuning::out_of_order < sample.size()) return false;
  if ((sample.size() - distinct_keys(sample)) * tuning::repeated_in > sample.size()) return false;
  auto const choice = choose_numbers(sample, code, even_plan<K>(n).part_bits(), [&] {
    return backend.reduce(n, range_of_key<K>{from, code}, code_range<K>{K(~K{0}), 0}, join_ranges<K>{});
  });
  if (!choice) return false;
  try {
    return sort_as_even_keys(backend, from, keys, n, choice->numbers, code, choice->curved);
  } catch (out_of_memory const&) {
    return false;  // other sorts need less
  }
}

template <class K>
void divide_keys(cuda_backend& backend, std::span<K const> from, K* to, key_code<K> code, unsigned shift, unsigned digits,
                 std::uint64_t* begins) {
  divide_by_digit(backend, from, to, code, shift, digits, begins);
}

}  // namespace ordo::inline v0::cuda_detail

#define ORDO_SORT_EVEN_KEYS(K)                                                                                             \
  template bool ordo::cuda_detail::sort_even_keys<K>(ordo::cuda_backend&, K const*, K*, std::size_t, ordo::key_code<K>,    \
                                                     std::span<std::uint64_t const>, std::size_t);                         \
  template void ordo::cuda_detail::divide_keys<K>(ordo::cuda_backend&, std::span<K const>, K*, ordo::key_code<K>, unsigned, \
                                                  unsigned, std::uint64_t*);
