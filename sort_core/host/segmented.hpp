#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>

#include "sort_core/host/radix.hpp"

namespace ordo::inline v0::host_detail {

/// Sets the heads of one segment from its sorted keys. `code` gives the part of a key that is compared.
template <class K, class Code>
void set_heads(K const* keys, std::size_t n, Code const& code, std::uint8_t* heads) {
  if (n != 0) heads[0] = 1;
  for (std::size_t i = 1; i < n; ++i) heads[i] = code(keys[i]) != code(keys[i - 1]);
}

/// Calls some(first, last, postpone) in parallel for ranges of segments. It calls postpone(s) for segments that all threads
/// should share. Then calls whole(s) for each of these, one after the other.
template <class Offset, class Some, class Whole>
void each_segment(segment_list<Offset> segments, Some some, Whole whole) {
  tbb::combinable<std::vector<std::size_t>> late;
  auto const run = [&](std::size_t first, std::size_t last) {
    some(first, last, [&](std::size_t s) { late.local().push_back(s); });
  };
  // Called in one way only, so that it is compiled once.
  auto const on_range = [](void const* call, std::size_t first, std::size_t last) {
    (*static_cast<decltype(run)*>(call))(first, last);
  };
  std::size_t const threads = std::size_t(tbb::this_task_arena::max_concurrency());
  std::size_t const grain = std::min<std::size_t>(64, segments.size() / (16 * threads));
  if (segments.size() == 0) return;
  if (threads == 1 || segments.size() == 1)
    on_range(&run, 0, segments.size());
  else
    for_ranges(segments.size(), std::max<std::size_t>(1, grain), on_range, &run);
  late.combine_each([&](std::vector<std::size_t> const& result) {
    for (std::size_t s : result) whole(s);
  });
}

/// Returns the largest number of keys that one thread sorts by vectors, where `limit` is that of other threads' help.
inline std::size_t max_one_thread(std::size_t limit) {
  return tbb::this_task_arena::max_concurrency() == 1 ? ~std::size_t{0} : limit;
}

/// The second buffer of the sorts of one thread, for records of all types: so each source compiles one container of oneTBB.
class thread_scratch {
 public:
  /// Returns n records, which are not set. They are valid until the next call.
  template <class K, class V>
  records<K, V> of_size(std::size_t n) {
    static_assert(std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>);
    static_assert(std::max(alignof(K), alignof(V)) <= alignment);
    std::size_t const of_keys = (n * sizeof(K) + alignment - 1) / alignment * alignment;
    std::byte* const all = bytes(of_keys + (std::same_as<V, nothing> ? 0 : n * sizeof(V)));
    return {reinterpret_cast<K*>(all), std::same_as<V, nothing> ? nullptr : reinterpret_cast<V*>(all + of_keys)};
  }

 private:
  static constexpr std::size_t alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

  std::byte* bytes(std::size_t n) {
    if (size_ < n) {
      size_ = std::max(n, 2 * size_);
      memory_.reset();
      memory_ = std::make_unique_for_overwrite<std::byte[]>(size_);
    }
    return memory_.get();
  }

  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
};

template <class K, class V, class Scratch, class Sort>
[[gnu::noinline]] void sort_larger_segment(records<K, V> segment, std::size_t n, encoded<K> const& code, Scratch const& scratch,
                                           Sort const& sort) {
  if (in_order(segment.keys, n, code)) return;
  records<K, V> const other = scratch();  // may throw, so it precedes encoding: encoded keys must be decoded again
  encode_all(segment, segment, n, code.code);
  sort(segment, other);
  decode_all(segment.keys, n, code.code);
}

/// Sorts one segment on one thread by sort(segment, scratch()) of encoded keys, unless it has only a few items or is in order.
/// `sort` must not throw.
template <class K, class V, class Scratch, class Sort>
void sort_segment(records<K, V> segment, std::size_t n, std::uint8_t* heads, encoded<K> const& code, Scratch const& scratch,
                  Sort const& sort) {
  if (n <= small_limit)
    sort_few(segment, segment, n, code);
  else
    sort_larger_segment(segment, n, code, scratch, sort);
  if (heads) set_heads(segment.keys, n, code, heads);
}

/// Does the work of sort_segment for keys alone by vectors. `small` is the number of keys that are sorted in one step.
template <class K>
void sort_segment_by_vectors(K* keys, std::size_t n, std::uint8_t* heads, encoded<K> const& code, std::size_t small) {
  records<K, nothing> const segment{keys, nullptr};
  if (n < min_vector_keys)
    sort_small(segment, segment, n, code);
  else if (n <= small || !in_order(keys, n, code))
    sort_by_vectors(keys, n, code.code, code.code);
  if (heads) set_heads(keys, n, code, heads);
}

/// Sorts one segment by `bits` of its codes on all threads. scratch(n, use) calls use(other) with a second buffer.
template <class K, class V, class Scratch>
void sort_whole_segment(records<K, V> segment, std::size_t n, std::uint8_t* heads, encoded<K> const& code, bit_range bits,
                        Scratch scratch) {
  if (!everywhere_in_order(segment.keys, n, code))
    scratch(n, [&](records<K, V> other) { sort_encoded(segment, segment, other, n, bits, code.code); });
  if (heads) {
    blocks(n, 1 << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) heads[i] = i == 0 || code(segment.keys[i]) != code(segment.keys[i - 1]);
    });
  }
}

/// Sorts segments of stored keys, and moves their values along.
template <class K, class V, class Offset, class Scratch>
void sort_stored_segments(records<K, V> all, segment_list<Offset> segments, std::uint8_t* heads, bit_range bits,
                          key_code<K> code, Scratch scratch) {
  encoded<K> const of{code, detail::bit_mask<K>(bits)};
  std::size_t const max_vector = max_vector_records<K, V>(bits), small = network_keys(sizeof(K));
  std::size_t const max_length = max_one_thread(parallel_limit);
  tbb::enumerable_thread_specific<thread_scratch> local;
  each_segment(
      segments,
      [&](std::size_t first, std::size_t last, auto postpone) {
        auto& other = local.local();
        for (std::size_t s = first; s != last; ++s) {
          std::size_t const begin = segments.begin(s), n = segments.end(s) - begin;
          if constexpr (for_vectors<K, V>) {
            if (n <= max_length && n <= max_direct_keys<K>(max_vector)) {
              sort_segment_by_vectors(all.keys + begin, n, heads ? heads + begin : nullptr, of, small);
              continue;
            }
          }
          if (n > parallel_limit)
            postpone(s);
          else
            sort_segment(
                all.from(begin), n, heads ? heads + begin : nullptr, of, [&] { return other.template of_size<K, V>(n); },
                [&](records<K, V> segment, records<K, V> to) { sort_bucket(segment, to, n, bits, false, max_vector); });
        }
      },
      [&](std::size_t s) {
        std::size_t const begin = segments.begin(s), n = segments.end(s) - begin;
        sort_whole_segment(all.from(begin), n, heads ? heads + begin : nullptr, of, bits, scratch);
      });
}

/// Computes keys[i] = key(items[i]) for i in [0, n). If `key` has a prefetch(item), that is called some items ahead.
template <class K, class V, class Key>
void compute_keys(V const* items, std::size_t n, Key const& key, K* keys) {
  constexpr std::size_t look_ahead = 16;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (requires { key.prefetch(items[i]); })
      if (i + look_ahead < n) key.prefetch(items[i + look_ahead]);
    keys[i] = key(items[i]);
  }
}

/// Sorts segments of items with computed keys. The keys of many small segments are computed together before any of these is
/// sorted: computing a key is a random read of memory, and these reads overlap.
template <class K, class V, class Offset, class Key, class Scratch>
void sort_computed_segments(V* items, segment_list<Offset> segments, Key key, std::uint8_t* heads, bit_range bits,
                            Scratch scratch) {
  constexpr std::size_t batch = 1024;
  encoded<K> const code{{}, detail::bit_mask<K>(bits)};
  tbb::enumerable_thread_specific<thread_scratch> local, local_keys;
  auto const size_at = [&](std::size_t s) { return std::size_t(segments.end(s) - segments.begin(s)); };
  // Consecutive segments that hold at most `batch` items together, or a single one.
  auto const sort_batch = [&](std::size_t first, std::size_t last, std::size_t total) {
    auto& other = local.local();
    bool touching = true;
    for (std::size_t s = first + 1; s < last; ++s) touching = touching && segments.begin(s) == segments.end(s - 1);
    K* const keys = local_keys.local().template of_size<K, nothing>(std::max(total, batch)).keys;
    K* at = keys;
    if (touching) {  // as one segment, so that prefetching continues across the ends of small segments
      compute_keys(items + segments.begin(first), total, key, at);
    } else {
      for (std::size_t s = first; s != last; ++s) {
        compute_keys(items + segments.begin(s), size_at(s), key, at);
        at += size_at(s);
      }
    }
    at = keys;
    for (std::size_t s = first; s != last; ++s) {
      std::size_t const begin = segments.begin(s), n = size_at(s);
      sort_segment(
          records<K, V>{at, items + begin}, n, heads ? heads + begin : nullptr, code,
          [&] { return other.template of_size<K, V>(n); },
          [&](records<K, V> segment, records<K, V> to) { sort_bucket(segment, to, n, bits, false); });
      at += n;
    }
  };
  each_segment(
      segments,
      [&](std::size_t s, std::size_t last, auto postpone) {
        while (s != last) {
          std::size_t total = size_at(s);
          if (total > parallel_limit) {
            postpone(s++);
            continue;
          }
          std::size_t const first = s++;
          while (s != last && size_at(s) <= parallel_limit && total + size_at(s) <= batch) total += size_at(s++);
          sort_batch(first, s, total);
        }
      },
      [&](std::size_t s) {
        std::size_t const begin = segments.begin(s), n = size_at(s);
        scratch(n, nothing{}, [&](records<K, nothing> computed) {
          blocks(n, 2048).run([&](std::size_t, std::size_t first, std::size_t last) {
            compute_keys(items + begin + first, last - first, key, computed.keys + first);
          });
          sort_whole_segment(records<K, V>{computed.keys, items + begin}, n, heads ? heads + begin : nullptr, code, bits,
                             [&](std::size_t size, auto use) { scratch(size, V{}, use); });
        });
      });
}

}  // namespace ordo::inline v0::host_detail
