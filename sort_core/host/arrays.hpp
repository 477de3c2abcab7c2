#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tbb/parallel_invoke.h>

#include "sort_core/host/segmented.hpp"

// Sorting arrays where they lie (the problem of Awan and Saeed, GPU-ArraySort). Up to array_sort_stable items: as a segmented
// sort, with a second buffer of that many items per thread. Longer ones are distributed in place by one digit after the other
// (McIlroy, Bostic and McIlroy, "Engineering Radix Sort", 1993, program C; the loop over buckets is Skarupke's ska_sort)
// until a bucket fits the second buffer. The longest are first cut by pivots, in place and on all threads. What is done
// depends on the keys and their number alone, so that equal keys' values come in the same order on every run.
namespace ordo::detail {

/// Arrays of more items are cut on all threads.
constexpr std::size_t cut_limit = std::size_t{1} << 18;

template <class K, class V>
void swap_records(records<K, V> all, std::size_t a, std::size_t b) {
  std::swap(all.keys[a], all.keys[b]);
  if constexpr (!std::same_as<V, nothing>) std::swap(all.values[a], all.values[b]);
}

/// The bits in which keys[0, n) differ, of `bits`; empty if they are equal.
template <class K>
bit_range differing(K const* keys, std::size_t n, bit_range bits) {
  K differs = 0;
  for (std::size_t i = 1; i < n; ++i) differs |= K(keys[i] ^ keys[0]);
  unsigned const end = unsigned(std::bit_width(K(differs & mask_of<K>(bits))));
  return {bits.begin, std::max(bits.begin, end)};
}

/// Sort all[0, n) by `bits` of its keys on one thread, in place; `other` has room for array_sort_stable items. Stable for as
/// many.
template <class K, class V>
void sort_in_place(records<K, V> all, std::size_t n, bit_range bits, records<K, V> other) {
  if (n <= array_sort_stable) return sort_bucket(all, other, n, bits, false);
  bits = differing(all.keys, n, bits);
  if (bits.begin == bits.end) return;
  bit_range const digit = top_digit(bits, digit_bits);
  K const mask = mask_of<K>({0, digit.end - digit.begin});
  auto const bucket_of = [&](std::size_t i) { return std::size_t((all.keys[i] >> digit.begin) & mask); };
  std::array<std::size_t, std::size_t{1} << digit_bits> next{}, end;
  for (std::size_t i = 0; i < n; ++i) ++next[bucket_of(i)];
  std::size_t sum = 0;
  for (std::size_t b = 0; b < next.size(); ++b) {
    std::size_t const count = next[b];
    next[b] = sum;
    end[b] = sum += count;
  }
  // Every swap brings one item home. A round goes over what every bucket still holds of others, so that swaps do not wait
  // for each other.
  for (bool done = false; !done;) {
    done = true;
    for (std::size_t b = 0; b < next.size(); ++b) {
      for (std::size_t i = next[b]; i < end[b]; ++i) swap_records(all, i, next[bucket_of(i)]++);
      done = done && next[b] == end[b];
    }
  }
  bits.end = digit.begin;
  if (bits.begin == bits.end) return;
  std::size_t begin = 0;
  for (std::size_t b = 0; b < next.size(); begin = end[b++])
    if (end[b] - begin > 1) sort_in_place(all.from(begin), end[b] - begin, bits, other);
}

/// Bring the items with left(key) before the others, in place, on all threads: each block by itself, then what lies on the
/// wrong side of the bound is exchanged. @returns how many are left
template <class K, class V, class Left>
std::size_t cut(records<K, V> all, std::size_t n, Left left) {
  constexpr std::size_t most = 256;
  std::size_t const count = std::clamp<std::size_t>(n >> 14, 1, most);  // by n alone: the result must not depend on the threads
  auto const begin_of = [&](std::size_t block) { return n / count * block + std::min(block, n % count); };
  std::array<std::size_t, most> middle;  // where a block's right items begin
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t b) {
    std::size_t to = begin_of(b);
    for (std::size_t i = to, end = begin_of(b + 1); i < end; ++i) {
      bool const goes_left = left(all.keys[i]);
      swap_records(all, i, to);
      to += goes_left;
    }
    middle[b] = to;
  });
  std::size_t bound = 0;
  for (std::size_t b = 0; b < count; ++b) bound += middle[b] - begin_of(b);
  // Runs of right items before the bound and of left items behind it: as many items here as there.
  struct run {
    std::size_t begin, before;  // `before`: items of the runs before this
  };
  std::array<run, most + 1> right, wrong_left;
  std::size_t rights = 0, lefts = 0, to_right = 0, to_left = 0;
  for (std::size_t b = 0; b < count; ++b) {
    std::size_t const begin = begin_of(b), end = begin_of(b + 1);
    if (middle[b] < std::min(end, bound)) {
      right[rights++] = {middle[b], to_right};
      to_right += std::min(end, bound) - middle[b];
    }
    if (std::max(begin, bound) < middle[b]) {
      wrong_left[lefts++] = {std::max(begin, bound), to_left};
      to_left += middle[b] - std::max(begin, bound);
    }
  }
  right[rights] = {0, to_right};
  wrong_left[lefts] = {0, to_left};
  blocks(to_right, 1 << 13).run([&](std::size_t, std::size_t first, std::size_t last) {
    auto const run_with = [&](auto const& runs, std::size_t size) {
      return std::size_t(std::upper_bound(runs.begin(), runs.begin() + size, first,
                                          [](std::size_t x, run const& r) { return x < r.before; }) -
                         runs.begin()) -
             1;
    };
    if (first == last) return;  // nothing to exchange
    std::size_t a = run_with(right, rights), b = run_with(wrong_left, lefts);
    while (first != last) {
      std::size_t const stop = std::min({last, right[a + 1].before, wrong_left[b + 1].before});
      std::size_t const x = right[a].begin - right[a].before, y = wrong_left[b].begin - wrong_left[b].before;
      for (; first != stop; ++first) swap_records(all, x + first, y + first);
      a += first == right[a + 1].before;
      b += first == wrong_left[b + 1].before;
    }
  });
  return bound;
}

/// sort_in_place on all threads; other() is a thread's.
template <class K, class V, class Other>
void sort_cutting(records<K, V> all, std::size_t n, bit_range bits, Other const& other) {
  if (n <= cut_limit) return sort_in_place(all, n, bits, other());
  std::array<K, 255> sample;
  std::uint64_t place = n;
  for (K& key : sample) {
    place = place * 6364136223846793005u + 1442695040888963407u;
    key = all.keys[(place >> 16) % n];
  }
  std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
  K const pivot = sample[sample.size() / 2];
  // Many equal keys: those that equal the pivot come apart, and need no more sorting.
  std::size_t const less = cut(all, n, [=](K key) { return key < pivot; });
  std::size_t equal = 0;
  if (std::count(sample.begin(), sample.end(), pivot) > 1 || less == 0)
    equal = cut(all.from(less), n - less, [=](K key) { return key == pivot; });
  tbb::parallel_invoke([&] { sort_cutting(all, less, bits, other); },
                       [&] { sort_cutting(all.from(less + equal), n - less - equal, bits, other); });
}

/// Sort arrays of stored keys where they lie, values moving along.
template <class K, class V, class Offset>
void sort_arrays(records<K, V> all, segment_list<Offset> arrays, key_code<K> code) {
  encoded<K> const of{code, K(~K{0})};
  bit_range const bits = clipped<K>({});
  tbb::enumerable_thread_specific<thread_scratch<K, V>> local;
  auto const other = [&] { return local.local().of_size(array_sort_stable); };
  each_segment(
      arrays,
      [&](std::size_t first, std::size_t last, auto put_off) {
        auto const scratch = other();
        for (std::size_t s = first; s != last; ++s) {
          std::size_t const begin = arrays.begin(s), n = arrays.end(s) - begin;
          if (n > cut_limit) {
            put_off(s);
          } else {
            sort_segment(all.from(begin), n, nullptr, of,
                         [&](records<K, V> array, std::size_t) { sort_in_place(array, n, bits, scratch); });
          }
        }
      },
      [&](std::size_t s) {
        std::size_t const begin = arrays.begin(s), n = arrays.end(s) - begin;
        sort_whole_segment(all.from(begin), n, nullptr, of,
                           [&](records<K, V> array, std::size_t) { sort_cutting(array, n, bits, other); });
      });
}

}  // namespace ordo::detail
