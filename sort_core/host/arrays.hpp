#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <tbb/task_arena.h>

#include "sort_core/host/segmented.hpp"

// Sorting of arrays in place (the problem of Awan and Saeed, GPU-ArraySort). Arrays of up to max_stable_array_length items are
// sorted as segments, with a second buffer of that many items per thread. Larger ones are distributed in place by one digit
// after the other (McIlroy, Bostic and McIlroy, "Engineering Radix Sort", 1993, program C; the loop over buckets is that of
// Skarupke's ska_sort) until a bucket fits in the second buffer. The largest are first partitioned around pivots, in place and
// by all threads, a bounded number of times. Every decision depends only on the keys and their number, so that values with
// equal keys have the same order on every run.
namespace ordo::inline v0::host_detail {

/// Arrays of more items are partitioned by all threads.
constexpr std::size_t cut_limit = std::size_t{1} << 18;

template <class K, class V>
void swap_records(records<K, V> all, std::size_t a, std::size_t b) {
  std::swap(all.keys[a], all.keys[b]);
  if constexpr (!std::same_as<V, nothing>) std::swap(all.values[a], all.values[b]);
}

/// Returns the smallest range within `bits` that holds all bits in which keys[0, n) differ; empty if they are equal.
template <class K>
bit_range differing(K const* keys, std::size_t n, bit_range bits) {
  K differs = 0;
  for (std::size_t i = 1; i < n; ++i) differs |= K(keys[i] ^ keys[0]);
  unsigned const end = unsigned(std::bit_width(K(differs & detail::bit_mask<K>(bits))));
  return {bits.begin, std::max(bits.begin, end)};
}

/// Sorts all[0, n) in place by `bits` of its keys, on one thread. `other` has room for max_stable_array_length items. Stable
/// for arrays of at most that many.
template <class K, class V>
void sort_in_place(records<K, V> all, std::size_t n, bit_range bits, records<K, V> other) {
  if (n <= max_stable_array_length) return sort_bucket(all, other, n, bits, false);
  bits = differing(all.keys, n, bits);
  if (bits.begin == bits.end) return;
  bit_range const digit = top_digit(bits, digit_bits);
  K const mask = detail::bit_mask<K>({0, digit.end - digit.begin});
  auto const bucket_at = [&](std::size_t i) { return std::size_t((all.keys[i] >> digit.begin) & mask); };
  std::array<std::size_t, std::size_t{1} << digit_bits> next{}, end;
  for (std::size_t i = 0; i < n; ++i) ++next[bucket_at(i)];
  std::size_t sum = 0;
  for (std::size_t b = 0; b < next.size(); ++b) {
    std::size_t const count = next[b];
    next[b] = sum;
    end[b] = sum += count;
  }
  // Each swap moves one item to its bucket. A round visits the misplaced items of every bucket in turn, so that swaps do not
  // wait for each other.
  for (bool done = false; !done;) {
    done = true;
    for (std::size_t b = 0; b < next.size(); ++b) {
      for (std::size_t i = next[b]; i < end[b]; ++i) swap_records(all, i, next[bucket_at(i)]++);
      done = done && next[b] == end[b];
    }
  }
  bits.end = digit.begin;
  if (bits.begin == bits.end) return;
  std::size_t begin = 0;
  for (std::size_t b = 0; b < next.size(); begin = end[b++])
    if (end[b] - begin > 1) sort_in_place(all.from(begin), end[b] - begin, bits, other);
}

/// Partitions [0, n) in place on all threads: items with left(key) come first. Each block is partitioned by itself; then the
/// items on the wrong side of the bound are exchanged.
/// @returns the number of left items
template <class K, class V, class Left>
std::size_t cut(records<K, V> all, std::size_t n, Left left) {
  constexpr std::size_t max_blocks = 256;
  std::size_t const count =
      std::clamp<std::size_t>(n >> 14, 1, max_blocks);  // n alone decides: the result must not depend on the threads
  auto const block_begin = [&](std::size_t block) { return n / count * block + std::min(block, n % count); };
  std::array<std::size_t, max_blocks> middle;  // the first right item of each block
  parallel_each(count, 1, [&](std::size_t b) {
    std::size_t to = block_begin(b);
    for (std::size_t i = to, end = block_begin(b + 1); i < end; ++i) {
      bool const goes_left = left(all.keys[i]);
      swap_records(all, i, to);
      to += goes_left;
    }
    middle[b] = to;
  });
  std::size_t bound = 0;
  for (std::size_t b = 0; b < count; ++b) bound += middle[b] - block_begin(b);
  // Right items before the bound, and as many left items after it, as contiguous ranges.
  struct run {
    std::size_t begin, before;  // `before`: items of all earlier ranges
  };
  std::array<run, max_blocks + 1> right, wrong_left;
  std::size_t rights = 0, lefts = 0, to_right = 0, to_left = 0;
  for (std::size_t b = 0; b < count; ++b) {
    std::size_t const begin = block_begin(b), end = block_begin(b + 1);
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
    if (first == last) return;
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

/// Returns how many times arrays of n items are partitioned before the rest goes to one thread: twice as often as halving
/// needs.
inline unsigned max_cuts(std::size_t n) {
  return 2 * unsigned(std::bit_width(n / cut_limit));
}

/// Returns the median of a sample of code(0) ... code(n - 1), and whether the sample contains it more than once.
template <class Code>
auto sampled_pivot(std::size_t n, Code const& code) {
  std::array<std::remove_cvref_t<decltype(code(n))>, 255> sample;
  sample_places place(n);
  for (auto& x : sample) x = code(place());
  auto const median = sample.begin() + sample.size() / 2;
  std::nth_element(sample.begin(), median, sample.end());
  return std::pair(*median, std::count(sample.begin(), sample.end(), *median) > 1);
}

/// The result of a partition: all[0, less) is below the pivot, and the next `equal` items equal it and are sorted.
struct divided {
  std::size_t less, equal;
};

/// Partitions all[0, n) in place around a pivot of code(key), on all threads. If many items equal the pivot, they are separated
/// from the others.
template <class K, class V, class Code, class Pivot>
divided divide(records<K, V> all, std::size_t n, Code const& code, Pivot pivot, bool repeated) {
  divided at{cut(all, n, [&](K key) { return code(key) < pivot; }), 0};
  if (repeated || at.less == 0) at.equal = cut(all.from(at.less), n - at.less, [&](K key) { return code(key) == pivot; });
  return at;
}

/// Does the work of sort_in_place by `code` on all threads; other() returns the buffer of a thread. Pivots come from
/// predictable positions and may all be bad, so the number of partitions is bounded.
template <class K, class V, class Other>
void sort_cutting(records<K, V> all, std::size_t n, encoded<K> const& code, Other const& other) {
  struct part {
    std::size_t begin, n;
  };
  std::vector<part> parts, to_cut{{0, n}};
  for (unsigned cuts = max_cuts(n); cuts != 0 && !to_cut.empty(); --cuts) {
    std::vector<divided> at(to_cut.size());
    parallel_each(to_cut.size(), 1, [&](std::size_t i) {
      auto const [begin, size] = to_cut[i];
      // Isolated, because a thread that waits for the others must not start another partition: these would pile up on its
      // stack.
      tbb::this_task_arena::isolate([&, part = all.from(begin), size = size] {
        auto const [pivot, repeated] = sampled_pivot(size, [&](std::size_t place) { return code(part.keys[place]); });
        at[i] = divide(part, size, code, pivot, repeated);
      });
    });
    std::vector<part> still_long;
    for (std::size_t i = 0; i < at.size(); ++i) {
      std::size_t const below = at[i].less, done = below + at[i].equal;
      part const halves[] = {{to_cut[i].begin, below}, {to_cut[i].begin + done, to_cut[i].n - done}};
      for (part const half : halves) (half.n > cut_limit ? still_long : parts).push_back(half);
    }
    to_cut = std::move(still_long);
  }
  parts.insert(parts.end(), to_cut.begin(), to_cut.end());
  bit_range const bits = detail::clipped<K>({});
  std::size_t const max_vector = max_vector_records<K, V>(bits), small = network_keys(sizeof(K));
  parallel_each(parts.size(), 1, [&](std::size_t i) {
    if constexpr (for_vectors<K, V>) {
      if (parts[i].n <= max_vector)
        return sort_segment_by_vectors(all.keys + parts[i].begin, parts[i].n, nullptr, code, small);
    }
    sort_segment(all.from(parts[i].begin), parts[i].n, nullptr, code, other,
                 [&](records<K, V> piece, records<K, V> scratch) { sort_in_place(piece, parts[i].n, bits, scratch); });
  });
}

/// Sorts arrays of stored keys in place, and moves their values along.
template <class K, class V, class Offset>
void sort_arrays(records<K, V> all, segment_list<Offset> arrays, key_code<K> code) {
  encoded<K> const of{code, K(~K{0})};
  bit_range const bits = detail::clipped<K>({});
  std::size_t const max_vector = max_vector_records<K, V>(bits), small = network_keys(sizeof(K));
  std::size_t const max_length = max_one_thread(cut_limit);
  tbb::enumerable_thread_specific<thread_scratch> local;
  each_segment(
      arrays,
      [&](std::size_t first, std::size_t last, auto postpone) {
        auto& other = local.local();
        for (std::size_t s = first; s != last; ++s) {
          std::size_t const begin = arrays.begin(s), n = arrays.end(s) - begin;
          if constexpr (for_vectors<K, V>) {
            if (n <= max_length && n <= max_vector) {
              sort_segment_by_vectors(all.keys + begin, n, nullptr, of, small);
              continue;
            }
          }
          if (n > cut_limit) {
            postpone(s);
          } else {
            sort_segment(
                all.from(begin), n, nullptr, of, [&] { return other.template of_size<K, V>(max_stable_array_length); },
                [&](records<K, V> array, records<K, V> scratch) { sort_in_place(array, n, bits, scratch); });
          }
        }
      },
      [&](std::size_t s) {
        std::size_t const begin = arrays.begin(s), n = arrays.end(s) - begin;
        if (!everywhere_in_order(all.keys + begin, n, of))
          sort_cutting(all.from(begin), n, of, [&] { return local.local().template of_size<K, V>(max_stable_array_length); });
      });
}

}  // namespace ordo::inline v0::host_detail
