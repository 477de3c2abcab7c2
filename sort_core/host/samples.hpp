#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ordo/radix_key.hpp"
#include "sort_core/host/distribution.hpp"
#include "sort_core/host/few.hpp"
#include "sort_core/host/records.hpp"
#include "sort_core/host/small.hpp"

// Stable sample sort by any order (Leischner, Osipov and Sanders, "GPU Sample Sort", 2010; on CPUs: Axtmann, Witt, Ferizovic
// and Sanders, "In-place Parallel Super Scalar Samplesort", 2017). A sorted sample gives splitters. Each item finds its bucket
// in an implicit search tree of splitters without a branch. The number of its bucket, one byte, is stored until the item is
// moved. Buckets of a few items are sorted by merging, and the smallest by counting.
namespace ordo::inline v0::host_detail {

constexpr unsigned max_levels = 8;
/// Up to this many items, merging is faster than distributing.
constexpr std::size_t merge_limit = 128;
/// Up to this many items, one thread sorts. That is fewer than in a radix sort, because comparisons take longer.
constexpr std::size_t compared_limit = parallel_limit / 4;

/// The splitters of buckets. Bucket b holds the items after splitter b-1 and not after splitter b. If items that equal a
/// splitter have a bucket of their own, its number counts twice: 2b holds the items below it, and 2b + 1 those equal to it.
/// Splitters of large items are the items of the sample themselves, so that classification must end before the sample is
/// overwritten.
template <class K, class Less>
class splitters {
 public:
  /// Chooses splitters for items[0, n) from a sample, which is sorted in scratch[0, n).
  template <class SortSample>
  splitters(K const* items, std::size_t n, K* scratch, Less const& less, SortSample sort_sample) : less_(less) {
    levels_ = std::clamp<unsigned>(unsigned(std::bit_width(n)) - 5, 2, max_levels);
    std::size_t const count = std::size_t{1} << levels_, share = n < parallel_limit ? 4 : 8, size = share * count - 1;
    sample_places place(n);
    for (std::size_t i = 0; i < size; ++i) scratch[i] = items[place()];
    sort_sample(scratch, scratch + size, size);
    std::size_t bounds = 0;
    for (std::size_t b = 0; b + 1 < count; ++b) {
      K const& candidate = scratch[(b + 1) * share - 1];
      if (bounds == 0 || less(item(bound_[bounds - 1]), candidate)) bound_[bounds++] = held(candidate);
    }
    // Equal items in the sample mean that there are many. If the greatest of them is a splitter, the last bucket may be empty,
    // and the others hold everything.
    equals_ = bounds + 1 < count || !less(item(bound_[bounds - 1]), scratch[size - 1]);
    if (equals_ && levels_ == max_levels) {
      --levels_;
      if (std::size_t const max_bounds = (std::size_t{1} << levels_) - 1; bounds > max_bounds) {
        for (std::size_t b = 0; b < max_bounds; ++b) bound_[b] = bound_[(b + 1) * bounds / (max_bounds + 1)];
        bounds = max_bounds;
      }
    }
    levels_ = std::min(levels_, unsigned(std::bit_width(bounds)));
    last_ = std::size_t{1} << levels_;
    for (std::size_t b = bounds; b < last_; ++b) bound_[b] = bound_[bounds - 1];
    for (std::size_t node = 1; node < last_; ++node) {
      unsigned const level = unsigned(std::bit_width(node)) - 1;
      std::size_t const in_level = node - (std::size_t{1} << level);
      tree_[node] = bound_[((2 * in_level + 1) << (levels_ - 1 - level)) - 1];
    }
  }

  [[nodiscard]] std::size_t buckets() const { return last_ << equals_; }
  /// Returns true if all items of a bucket are equal. The last bucket has no splitter.
  [[nodiscard]] bool is_equal(std::size_t bucket) const { return equals_ && bucket % 2 == 1 && bucket + 1 != buckets(); }

  /// Writes the bucket of items[i] to bucket[i], and adds the number of items in bucket b to count[b].
  template <class Count>
  void classify(K const* items, std::size_t n, std::uint8_t* bucket, Count* count) const {
    if (equals_)
      classify<true>(items, n, bucket, count);
    else
      classify<false>(items, n, bucket, count);
  }

 private:
  static constexpr bool copied = sizeof(K) <= largest_copied;
  using bound = std::conditional_t<copied, K, K const*>;
  static bound held(K const& candidate) {
    if constexpr (copied)
      return candidate;
    else
      return &candidate;
  }
  static K const& item(bound const& b) {
    if constexpr (copied)
      return b;
    else
      return *b;
  }

  template <bool Equals, class Count>
  void classify(K const* items, std::size_t n, std::uint8_t* bucket, Count* count) const {
    constexpr std::size_t interleaved = 8;  // the steps of one item need not wait for each other
    std::size_t i = 0;
    for (; i + interleaved <= n; i += interleaved) {
      std::size_t node[interleaved];
      for (std::size_t k = 0; k < interleaved; ++k) node[k] = 1;
      for (unsigned level = 0; level < levels_; ++level)
        for (std::size_t k = 0; k < interleaved; ++k) node[k] = 2 * node[k] + less_(item(tree_[node[k]]), items[i + k]);
      for (std::size_t k = 0; k < interleaved; ++k) put<Equals>(items, i + k, node[k], bucket, count);
    }
    for (; i < n; ++i) {
      std::size_t node = 1;
      for (unsigned level = 0; level < levels_; ++level) node = 2 * node + less_(item(tree_[node]), items[i]);
      put<Equals>(items, i, node, bucket, count);
    }
  }
  template <bool Equals, class Count>
  void put(K const* items, std::size_t i, std::size_t leaf, std::uint8_t* bucket, Count* count) const {
    std::size_t b = leaf - last_;
    if constexpr (Equals) b = 2 * b + !less_(items[i], item(bound_[b]));
    bucket[i] = std::uint8_t(b);
    ++count[b];
  }

  Less less_;
  unsigned levels_;
  bool equals_;
  std::size_t last_;  // number of buckets in the tree
  room<bound, 1 << max_levels> tree_, bound_;
};

/// Merges the sorted from[0, middle) and from[middle, n) into `to`.
template <class K, class V, class Less>
void merge(records<K, V> from, records<K, V> to, std::size_t middle, std::size_t n, Less const& less) {
  std::size_t a = 0, b = middle, i = 0;
  for (; a != middle && b != n; ++i) {
    bool const second = less(from.keys[b], from.keys[a]);
    std::size_t const next = second ? b : a;
    to.set(i, from.keys[next], from.value(next));
    b += second;
    a += !second;
  }
  std::size_t const rest = a != middle ? a : b;
  from.from(rest).copy_to(to.from(i), n - i);
}

/// Sorts from[0, n) on one thread by merging. The result is in `to` if `across`, else in `from`; the other buffer is scratch
/// memory.
template <class K, class V, class Less>
void sort_by_merging(records<K, V> from, records<K, V> to, std::size_t n, Less const& less, bool across) {
  if (n <= small_limit) return sort_small(from, across ? to : from, n, whole<K, Less>{less});
  std::size_t const middle = n / 2;
  sort_by_merging(from, to, middle, less, !across);
  sort_by_merging(from.from(middle), to.from(middle), n - middle, less, !across);
  if (across)
    merge(from, to, middle, n, less);
  else
    merge(to, from, middle, n, less);
}

/// Does the same by samples. bucket[0, n) is scratch memory. If the samples of `rounds` levels were all bad, the rest is
/// merged.
template <class K, class V, class Less>
void sort_bucket_by(records<K, V> from, records<K, V> to, std::uint8_t* bucket, std::size_t n, Less const& less, bool across,
                    unsigned rounds) {
  if constexpr (unsigned_word<K> && std::same_as<Less, std::less<K>>)  // the order of numbers, which vectors compare
    if (are_few<K, V>(n)) return sort_few(from, across ? to : from, n, whole<K, smaller>{});
  if (n <= merge_limit || rounds == 0) return sort_by_merging(from, to, n, less, across);
  splitters<K, Less> const by(from.keys, n, to.keys, less, [&](K* sample, K* scratch, std::size_t size) {
    sort_bucket_by(records<K, nothing>{sample, nullptr}, {scratch, nullptr}, bucket, size, less, false, rounds - 1);
  });
  std::array<std::uint32_t, 1 << max_levels> at{};
  by.classify(from.keys, n, bucket, at.data());
  std::uint32_t sum = 0;
  for (std::size_t b = 0; b < by.buckets(); ++b) sum += std::exchange(at[b], sum);
  for (std::size_t i = 0; i < n; ++i) to.set(at[bucket[i]]++, from.keys[i], from.value(i));
  std::size_t begin = 0;
  for (std::size_t b = 0; b < by.buckets(); begin = at[b++]) {
    std::size_t const size = at[b] - begin;
    if (size == 0) continue;
    if (!by.is_equal(b))
      sort_bucket_by(to.from(begin), from.from(begin), bucket + begin, size, less, !across, rounds - 1);
    else if (!across)
      to.from(begin).copy_to(from.from(begin), size);
  }
}

/// Does the same on all threads.
template <class K, class V, class Less>
void sort_records_by(records<K, V> from, records<K, V> to, std::uint8_t* bucket, std::size_t n, Less const& less, bool across,
                     unsigned rounds) {
  if (n <= compared_limit || rounds == 0) return sort_bucket_by(from, to, bucket, n, less, across, rounds);
  splitters<K, Less> const by(from.keys, n, to.keys, less, [&](K* sample, K* scratch, std::size_t size) {
    sort_bucket_by(records<K, nothing>{sample, nullptr}, {scratch, nullptr}, bucket, size, less, false, rounds - 1);
  });
  distribution into(n, by.buckets());
  into.parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    by.classify(from.keys + begin, end - begin, bucket + begin, into.counts(part));
  });
  auto const bounds = into.move(stored<K, V>{from}, to, [=](std::size_t i, K const&) { return bucket[i]; });
  each_bucket(bounds, [&](std::size_t b, std::size_t begin, std::size_t size) {
    if (!by.is_equal(b))
      sort_records_by(to.from(begin), from.from(begin), bucket + begin, size, less, !across, rounds - 1);
    else if (!across)
      to.from(begin).copy_to(from.from(begin), size);
  });
}

/// Sorts all[0, n) by `less`. `other` has the same size, and bucket[0, n) is scratch memory.
template <class K, class V, class Less>
void sort_by_samples(records<K, V> all, records<K, V> other, std::uint8_t* bucket, std::size_t n, Less const& less) {
  if (sort_presorted(all, all, other, n, whole<K, Less>{less})) return;
  unsigned const rounds = 4 + unsigned(std::bit_width(n)) / 4;
  sort_records_by(all, other, bucket, n, less, false, rounds);
}

}  // namespace ordo::inline v0::host_detail
