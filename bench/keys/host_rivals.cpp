#include "bench/keys/host_rivals.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <type_traits>

#include <hwy/contrib/sort/vqsort.h>
#ifdef ORDO_IPS4O
#include <ips4o.hpp>
#endif
#ifdef ORDO_PARLAYLIB
#include <parlay/primitives.h>
#include <parlay/slice.h>
#endif
#ifdef ORDO_X86_SIMD_SORT
#include <x86simdsort.h>
#endif

namespace ordo::inline v0::bench {

template <class K>
std::vector<key_sort<K>> key_sorts() {
  std::vector<key_sort<K>> all;
  all.push_back({"std::sort", false, [](K* keys, std::size_t n, unsigned) { std::sort(keys, keys + n); }});
  all.push_back({"vqsort", false, [](K* keys, std::size_t n, unsigned) {
                   hwy::Sorter const sorter;
                   sorter(keys, n, hwy::SortAscending());
                 }});
#ifdef ORDO_X86_SIMD_SORT
  all.push_back({"x86-simd-sort", false, [](K* keys, std::size_t n, unsigned) { x86simdsort::qsort(keys, n); }});
#endif
#ifdef ORDO_IPS4O
  all.push_back({"ips4o", true, [](K* keys, std::size_t n, unsigned threads) {
                   if (threads == 1)
                     ips4o::sort(keys, keys + n);
                   else
                     ips4o::parallel::sort(keys, keys + n, std::less<>(), int(threads));
                 }});
#endif
#ifdef ORDO_PARLAYLIB
  all.push_back({"parlaylib", true, [](K* keys, std::size_t n, unsigned threads) {
                   // Its threads start with the first sort, and stay.
                   static bool const set = setenv("PARLAY_NUM_THREADS", std::to_string(threads).c_str(), 1) == 0;
                   static_cast<void>(set);
                   auto all_keys = parlay::make_slice(keys, keys + n);
                   if constexpr (std::is_unsigned_v<K>)
                     parlay::integer_sort_inplace(all_keys);
                   else
                     parlay::sort_inplace(all_keys);
                 }});
#endif
  return all;
}

template <class K, class V>
std::vector<pair_sort<K, V>> pair_sorts() {
  std::vector<pair_sort<K, V>> all;
#ifdef ORDO_X86_SIMD_SORT
  all.push_back({"x86-simd-sort", [](K* keys, V* values, std::size_t n) { x86simdsort::keyvalue_qsort(keys, values, n); }});
#endif
  return all;
}

template std::vector<key_sort<std::uint32_t>> key_sorts();
template std::vector<key_sort<float>> key_sorts();
template std::vector<key_sort<std::uint64_t>> key_sorts();
template std::vector<pair_sort<std::uint32_t, std::uint32_t>> pair_sorts();
template std::vector<pair_sort<std::uint64_t, std::uint64_t>> pair_sorts();

}  // namespace ordo::inline v0::bench
