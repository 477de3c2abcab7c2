#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>

#include "sort_core/host/radix.hpp"

namespace ordo::detail {

/// Set the heads of one segment from its sorted keys.
template <class K>
void set_heads(K const* keys, std::size_t n, K mask, std::uint8_t* heads) {
  if (n != 0) heads[0] = 1;
  for (std::size_t i = 1; i < n; ++i) heads[i] = (keys[i] & mask) != (keys[i - 1] & mask);
}

template <class K>
bool in_order(K const* keys, std::size_t n, K mask) {
  for (std::size_t i = 1; i < n; ++i)
    if ((keys[i - 1] & mask) > (keys[i] & mask)) return false;
  return true;
}

/// Call small(first, last) in parallel for runs of consecutive segments that hold at most `batch` items together (or a
/// single segment of at most parallel_limit), then large(s) for each longer segment, one after the other.
template <class Offset, class Small, class Large>
void each_segment(segment_list<Offset> segments, std::size_t batch, Small small, Large large) {
  auto const size_of = [&](std::size_t s) { return std::size_t(segments.end(s) - segments.begin(s)); };
  tbb::combinable<std::vector<std::size_t>> longer;
  auto const run = [&](std::size_t s, std::size_t last) {
    while (s != last) {
      std::size_t items = size_of(s);
      if (items > parallel_limit) {
        longer.local().push_back(s++);
        continue;
      }
      std::size_t const first = s++;
      while (s != last && size_of(s) <= parallel_limit && items + size_of(s) <= batch) items += size_of(s++);
      small(first, s);
    }
  };
  if (segments.size() <= 64) {
    // Few segments: each is a task of its own.
    tbb::parallel_for(std::size_t{0}, segments.size(), [&](std::size_t s) { run(s, s + 1); });
  } else {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, segments.size(), 64),
                      [&](auto const& range) { run(range.begin(), range.end()); });
  }
  longer.combine_each([&](std::vector<std::size_t> const& found) {
    for (std::size_t s : found) large(s);
  });
}

/// The second buffer of one thread's sorts.
template <class K, class V>
struct thread_scratch {
  std::vector<K> keys;
  std::vector<V> values;

  records<K, V> of_size(std::size_t n) {
    if (keys.size() < n) {
      keys.resize(n);
      values.resize(n);
    }
    return {keys.data(), values.data()};
  }
};

/// Sort segments of stored keys, values moving along.
template <class K, class V, class Offset, class Scratch>
void sort_stored_segments(records<K, V> all, segment_list<Offset> segments, std::uint8_t* heads, bit_range bits,
                          key_code<K> code, Scratch scratch) {
  K const mask = mask_of<K>(bits);
  tbb::enumerable_thread_specific<thread_scratch<K, V>> local;
  auto const one = [&](std::size_t s, auto&& sort) {
    auto const segment = all.from(segments.begin(s));
    std::size_t const n = segments.end(s) - segments.begin(s);
    if (!code.identity())
      for (std::size_t i = 0; i < n; ++i) segment.keys[i] = code.encode(segment.keys[i]);
    if (!in_order(segment.keys, n, mask)) sort(segment, n);
    if (heads) set_heads(segment.keys, n, mask, heads + segments.begin(s));
    if (!code.identity())
      for (std::size_t i = 0; i < n; ++i) segment.keys[i] = code.decode(segment.keys[i]);
  };
  each_segment(
      segments, 1024,
      [&](std::size_t first, std::size_t last) {
        auto& other = local.local();
        for (std::size_t s = first; s != last; ++s) {
          one(s, [&](records<K, V> segment, std::size_t n) { sort_bucket(segment, other.of_size(n), n, bits, false); });
        }
      },
      [&](std::size_t s) {
        one(s, [&](records<K, V> segment, std::size_t n) {
          scratch(n, [&](records<K, V> other) { sort_records(segment, other, n, bits, false); });
        });
      });
}

/// keys[i] = key(items[i]) for i in [0, n). A key that has a prefetch(item) is told of an item some time before.
template <class K, class V, class Key>
void compute_keys(V const* items, std::size_t n, Key const& key, K* keys) {
  constexpr std::size_t look_ahead = 16;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (requires { key.prefetch(items[i]); })
      if (i + look_ahead < n) key.prefetch(items[i + look_ahead]);
    keys[i] = key(items[i]);
  }
}

/// Sort segments of items whose keys are computed. The keys of many small segments are computed together before any of
/// them is sorted: they are random reads of memory, and so overlap.
template <class K, class V, class Offset, class Key, class Scratch>
void sort_computed_segments(V* items, segment_list<Offset> segments, Key key, std::uint8_t* heads, bit_range bits,
                            Scratch scratch) {
  constexpr std::size_t batch = 1024;
  K const mask = mask_of<K>(bits);
  tbb::enumerable_thread_specific<thread_scratch<K, V>> local;
  tbb::enumerable_thread_specific<std::vector<K>> local_keys;
  each_segment(
      segments, batch,
      [&](std::size_t first, std::size_t last) {
        auto& other = local.local();
        auto& keys = local_keys.local();
        std::size_t total = 0;
        bool touching = true;
        for (std::size_t s = first; s != last; ++s) {
          total += segments.end(s) - segments.begin(s);
          touching = touching && (s == first || segments.begin(s) == segments.end(s - 1));
        }
        if (keys.size() < total) keys.resize(std::max(total, batch));
        K* at = keys.data();
        if (touching) {  // as one, so that it looks ahead beyond the ends of small segments
          compute_keys(items + segments.begin(first), total, key, at);
        } else {
          for (std::size_t s = first; s != last; ++s) {
            std::size_t const begin = segments.begin(s), n = segments.end(s) - begin;
            compute_keys(items + begin, n, key, at);
            at += n;
          }
        }
        at = keys.data();
        for (std::size_t s = first; s != last; ++s) {
          std::size_t const begin = segments.begin(s), n = segments.end(s) - begin;
          if (!in_order(at, n, mask)) sort_bucket(records<K, V>{at, items + begin}, other.of_size(n), n, bits, false);
          if (heads) set_heads(at, n, mask, heads + begin);
          at += n;
        }
      },
      [&](std::size_t s) {
        std::size_t const begin = segments.begin(s), n = segments.end(s) - begin;
        scratch(n, nothing{}, [&](records<K, nothing> one) {
          scratch(n, V{}, [&](records<K, V> other) {
            blocks(n, 2048).run([&](std::size_t, std::size_t first, std::size_t last) {
              compute_keys(items + begin + first, last - first, key, one.keys + first);
            });
            records<K, V> const segment{one.keys, items + begin};
            sort_records(segment, other, n, bits, false);
            if (heads) {
              parallel_each(n, 4096, [&](std::size_t i) {
                heads[begin + i] = i == 0 || (one.keys[i] & mask) != (one.keys[i - 1] & mask);
              });
            }
          });
        });
      });
}

}  // namespace ordo::detail
