#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>


#include "base/threads.hpp"
#include "sort_core/host/presorted.hpp"
#include "sort_core/host/records.hpp"
#include "sort_core/host/small.hpp"

// Common parts of the sorts by distribution, however they choose a bucket.
namespace ordo::inline v0::host_detail {

/// At most this many keys are sorted by one thread.
constexpr std::size_t parallel_limit = std::size_t{1} << 16;

/// The positions of the samples of a sort of n items. They depend on n alone, so that every run takes the same.
struct sample_places {
  std::size_t n;
  std::uint64_t state;
  explicit sample_places(std::size_t items) : n(items), state(items) {}
  std::size_t operator()() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return std::size_t((state >> 20) % n);
  }
};

template <class K, class V>
struct stored {
  records<K, V> from;
  [[nodiscard]] K const& key(std::size_t i) const { return from.keys[i]; }
  [[nodiscard]] V value(std::size_t i) const { return from.value(i); }
};

/// A stable distribution of n items into buckets by all threads. Each block has counts of its own, so that threads need no
/// atomics and keep the order of equal items. The caller fills in the counts of each block, then calls move().
struct distribution {
  blocks parts;
  std::size_t buckets;
  std::vector<std::size_t> at;

  distribution(std::size_t n, std::size_t into) : parts(n, 1 << 14), buckets(into), at(parts.count * into, 0) {}

  /// Returns the number of items of a block in each bucket.
  [[nodiscard]] std::size_t* counts(std::size_t part) { return at.data() + part * buckets; }

  /// Moves source.key(i) and source.value(i) to bucket bucket_at(i, key), for each i. Returns the bounds of the buckets.
  template <class Source, class K, class V, class Bucket>
  std::vector<std::size_t> move(Source source, records<K, V> to, Bucket bucket_at) {
    std::vector<std::size_t> bounds(buckets + 1);
    std::size_t sum = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      bounds[b] = sum;
      for (std::size_t part = 0; part < parts.count; ++part) sum += std::exchange(counts(part)[b], sum);
    }
    bounds[buckets] = sum;
    parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
      std::size_t* const next = counts(part);
      for (std::size_t i = begin; i < end; ++i) {
        auto const& key = source.key(i);
        to.set(next[bucket_at(i, key)]++, key, source.value(i));
      }
    });
    return bounds;
  }
};

/// Calls f(bucket, begin, size) for each bucket that is not empty, in parallel.
template <class F>
void each_bucket(std::vector<std::size_t> const& bounds, F f) {
  parallel_each(bounds.size() - 1, 1, [&](std::size_t b) {
    if (bounds[b + 1] != bounds[b]) f(b, bounds[b], bounds[b + 1] - bounds[b]);
  });
}

}  // namespace ordo::inline v0::host_detail
