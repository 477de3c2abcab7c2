#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <tbb/task_arena.h>

#include "ordo/backend.hpp"
#include "sort_core/host/counting.hpp"
#include "sort_core/host/distribution.hpp"
#include "sort_core/host/few.hpp"
#include "sort_core/host/records.hpp"
#include "sort_core/host/vectorized.hpp"

// Stable radix sort from the most significant digit. Each level distributes a bucket from one buffer to the other, with counts
// per block, so that threads need no atomics and keep the order of equal items. Buckets of a few items are sorted by counting
// (small.hpp). Digits in which all keys of a bucket agree are skipped.
namespace ordo::inline v0::host_detail {

constexpr unsigned digit_bits = 8;
/// At most this many records are sorted by one thread, because a distribution by all would take longer. With values a sort
/// takes longer, and so the limit is lower.
template <class V>
constexpr std::size_t one_thread_limit = std::same_as<V, nothing> ? parallel_limit : parallel_limit / 2;
/// At most this many keys are sorted by vectors of one thread if there are more threads.
constexpr std::size_t vector_limit = parallel_limit / 2;

/// Returns the highest digit of `bits`, at most `width` bits wide.
inline bit_range top_digit(bit_range bits, unsigned width) {
  return {bits.end - std::min(width, bits.end - bits.begin), bits.end};
}

/// The maximum width of a digit. In a bucket that one thread sorts, a wider level is cheaper than another level.
constexpr unsigned widest_digit = 10;

/// Returns the width of the digit that divides a bucket of n items: all levels are equally wide, and the last leaves a few
/// items.
inline unsigned digit_width(std::size_t n) {
  unsigned const bits = unsigned(std::bit_width(n)) - 3, levels = (bits + widest_digit - 1) / widest_digit;
  return (bits + levels - 1) / levels;
}

/// Returns true if n items with `bits` bits take at most as many passes of an LSD sort as levels of an MSD sort.
inline bool few_passes(std::size_t n, unsigned bits) {
  return n > 128 && bits <= digit_bits * (1 + (unsigned(std::bit_width(n)) - 4 + digit_bits) / digit_bits);
}
constexpr unsigned max_passes = 3;

/// Returns true if vectors sort n keys alone at once in less time than a distribution of them by digits does. That is so for
/// all keys where a vector holds eight of them, but for those that differ in a few low bits only, as a sample shows.
template <class K>
bool fit_vectors(K const* keys, std::size_t n, bit_range bits, std::size_t max_vector) {
  constexpr std::size_t of_64_bytes = 128, samples = 32;
  if (n <= max_direct_keys<K>(max_vector)) return true;
  if (n > max_vector || network_keys(sizeof(K)) < of_64_bytes) return false;
  K differing = 0;
  for (std::size_t s = 0; s < samples; ++s) differing |= keys[s * (n / samples)] ^ keys[n - 1];
  unsigned const end = width_in_bits(K(differing & detail::bit_mask<K>(bits)));
  return end > bits.begin + max_passes * digit_bits || !few_passes(n, end - std::min(end, bits.begin));
}

/// Returns true if `threads` threads sort many keys alone by vectors, and not by digits: up to four do, to be faster. More do
/// if many keys are equal, because a partition completes keys that equal its pivot; for other keys more threads were not
/// measured, and each partition reads all of them from memory that the threads share.
template <class K>
bool fit_vectors_on(unsigned threads, K const* keys, std::size_t n) {
  constexpr unsigned few_threads = 4;
  if (threads <= few_threads) return true;
  std::array<K, 256> sample;
  sample_places place(n);
  for (K& key : sample) key = keys[place()];
  sort_by_vectors(sample.data(), sample.size(), {}, {});
  std::size_t repeated = 0;
  for (std::size_t i = 1; i < sample.size(); ++i) repeated += sample[i] == sample[i - 1];
  return repeated > sample.size() / 2;
}

/// Does the work of sort_bucket as an LSD sort: it counts all digits in one read, and has no buckets to visit.
template <class K, class V>
void sort_by_passes(records<K, V> from, records<K, V> to, std::size_t n, bit_range bits, bool across) {
  std::array<std::array<std::uint32_t, 1 << digit_bits>, max_passes> counts{};
  unsigned const passes = (bits.end - bits.begin + digit_bits - 1) / digit_bits;
  K const mask = detail::bit_mask<K>(bits);
  auto const to_digit = [&](K key, unsigned pass) { return std::uint8_t(K(key & mask) >> (bits.begin + pass * digit_bits)); };
  auto const count = [&]<unsigned Passes>(std::integral_constant<unsigned, Passes>) {
    for (std::size_t i = 0; i < n; ++i)
      for (unsigned pass = 0; pass < Passes; ++pass) ++counts[pass][to_digit(from.keys[i], pass)];
  };
  if (passes == 1) count(std::integral_constant<unsigned, 1>{});
  if (passes == 2) count(std::integral_constant<unsigned, 2>{});
  if (passes == 3) count(std::integral_constant<unsigned, 3>{});
  for (unsigned pass = 0; pass < passes; ++pass) {
    auto& at = counts[pass];
    if (at[to_digit(from.keys[0], pass)] == n) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& a : at) sum += std::exchange(a, sum);
    for (std::size_t i = 0; i < n; ++i) to.set(at[to_digit(from.keys[i], pass)]++, from.keys[i], from.value(i));
    std::swap(from, to);
    across = !across;
  }
  if (across) from.copy_to(to, n);
}

/// Sorts `from[0, n)` on one thread. The result is in `to` if `across`, else in `from`; the other buffer is scratch memory.
/// Buckets of up to `max_vector` records (see max_vector_records) are sorted by vectors if they are small, or if one digit
/// hardly divides them, as the exponents of floating-point numbers.
template <class K, class V>
void sort_bucket(records<K, V> from, records<K, V> to, std::size_t n, bit_range bits, bool across, std::size_t max_vector = 0) {
  auto const by_vectors = [&] {
    if constexpr (for_vectors<K, V>) sort_by_vectors(from.keys, n, {}, {});
    if (across) from.copy_to(to, n);
  };
  for (;;) {
    if constexpr (for_vectors<K, V>)
      if (n >= min_vector_keys && n <= max_vector && fit_vectors(from.keys, n, bits, max_vector)) return by_vectors();
    if (are_few<K, V>(n)) return sort_few(from, across ? to : from, n, masked<K>{detail::bit_mask<K>(bits)});
    if (bits.begin >= bits.end) break;
    if (bits.end - bits.begin <= max_passes * digit_bits && few_passes(n, bits.end - bits.begin))
      return sort_by_passes(from, to, n, bits, across);
    bit_range const digit = top_digit(bits, digit_width(n));
    K const mask = detail::bit_mask<K>({0, digit.end - digit.begin});
    if (((from.keys[n / 2] ^ from.keys[0]) >> digit.begin & mask) == 0 &&
        ((from.keys[n - 1] ^ from.keys[0]) >> digit.begin & mask) == 0) {  // perhaps all keys share the digit, or are equal
      K differing = 0;
      for (std::size_t i = 1; i < n; ++i) differing |= from.keys[i] ^ from.keys[0];
      unsigned const end = std::max(bits.begin, unsigned(width_in_bits(K(differing & detail::bit_mask<K>(bits)))));
      if (end != bits.end) {
        bits.end = end;
        continue;
      }
    }
    std::array<std::uint32_t, 1 << widest_digit> at, other;  // 32 bits suffice: larger buckets are distributed in parallel
    std::size_t const buckets = std::size_t(mask) + 1;
    std::fill_n(at.begin(), buckets, 0);
    std::fill_n(other.begin(), buckets, 0);
    // Two counters a digit: an increment waits for the one before if that was of the same counter.
    std::size_t const even = n & ~std::size_t{1};
    for (std::size_t i = 0; i < even; i += 2) {
      ++at[(from.keys[i] >> digit.begin) & mask];
      ++other[(from.keys[i + 1] >> digit.begin) & mask];
    }
    if (even != n) ++at[(from.keys[even] >> digit.begin) & mask];
    for (std::size_t b = 0; b < buckets; ++b) at[b] += other[b];
    if (n <= max_vector && *std::max_element(at.begin(), at.begin() + buckets) > n / 4) return by_vectors();
    std::uint32_t sum = 0;
    for (std::size_t b = 0; b < buckets; ++b) sum += std::exchange(at[b], sum);
    for (std::size_t i = 0; i < n; ++i) to.set(at[(from.keys[i] >> digit.begin) & mask]++, from.keys[i], from.value(i));
    bits.end = digit.begin;
    std::size_t begin = 0;
    for (std::size_t b = 0; b < buckets; begin = at[b++])
      if (at[b] != begin) sort_bucket(to.from(begin), from.from(begin), at[b] - begin, bits, !across, max_vector);
    return;
  }
  if (across) from.copy_to(to, n);
}

/// Distributes source(0) ... source(n-1), whose source.key(i) and source.value(i) may be computed, to `to` by the highest digit
/// of `bits` in which they differ. `bits` must not be empty. Returns the bounds of the buckets, and narrows `bits` to those
/// left to sort inside them (none if all keys are equal).
template <class Source, class K, class V>
std::vector<std::size_t> distribute(Source source, records<K, V> to, std::size_t n, bit_range& bits) {
  K const first = source.key(0);
  for (;;) {
    bit_range const digit = top_digit(bits, digit_bits);
    K const mask = detail::bit_mask<K>({0, digit.end - digit.begin});
    distribution into(n, std::size_t(mask) + 1);
    std::vector<K> differing(into.parts.count, 0);
    into.parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
      std::size_t* const count = into.counts(part);
      K differs = 0;
      for (std::size_t i = begin; i < end; ++i) {
        K const key = source.key(i);
        differs |= key ^ first;
        ++count[(key >> digit.begin) & mask];
      }
      differing[part] = differs;
    });
    K all = 0;
    for (K d : differing) all |= d;
    unsigned const end = std::max(bits.begin, width_in_bits(K(all & detail::bit_mask<K>(bits))));
    if (end > digit.begin || bits.begin == bits.end) {
      bits.end = digit.begin;
      return into.move(source, to, [=](std::size_t, K key) { return std::size_t((key >> digit.begin) & mask); });
    }
    bits.end = end;  // all keys share the digit: continue below it
  }
}

/// Decodes keys[0, n) in place.
template <class K>
void decode_all(K* keys, std::size_t n, key_code<K> code) {
  if (code.identity()) return;
  for (std::size_t i = 0; i < n; ++i) keys[i] = code.decode(keys[i]);
}
/// Does the same on all threads.
template <class K>
void decode_each(K* keys, std::size_t n, key_code<K> code) {
  blocks(n, 1 << 14).run([&](std::size_t, std::size_t begin, std::size_t end) { decode_all(keys + begin, end - begin, code); });
}
/// Writes from[0, n) to `to`, which may be `from`, with its keys encoded.
template <class K, class V>
void encode_all(records<K, V> from, records<K, V> to, std::size_t n, key_code<K> code) {
  if (from.keys != to.keys) from.copy_to(to, n);
  if (code.identity()) return;
  for (std::size_t i = 0; i < n; ++i) to.keys[i] = code.encode(to.keys[i]);
}

/// Does the work of sort_bucket on all threads. Keys are encoded by `code` and are decoded bucket by bucket, while they are in
/// the cache. At most `max_vector` records are sorted by vectors (see max_vector_records).
template <class K, class V>
void sort_records(records<K, V> from, records<K, V> to, std::size_t n, bit_range bits, bool across, std::size_t max_vector,
                  key_code<K> code = {}) {
  bool const one_thread = is_narrow<K> || n <= one_thread_limit<V>;  // sort_narrow has taken more keys that are narrow
  masked<K> const left{detail::bit_mask<K>(bits)};
  if (one_thread ? in_order(from.keys, n, left) : everywhere_in_order(from.keys, n, left)) {  // also if all are equal
    blocks(n, 1 << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
      if (across) from.from(begin).copy_to(to.from(begin), end - begin);
      decode_all((across ? to : from).keys + begin, end - begin, code);
    });
  } else if (one_thread && n <= max_direct_keys<K>(max_vector)) {
    if constexpr (for_vectors<K, V>) sort_by_vectors(from.keys, n, {}, code);
    if (across) from.copy_to(to, n);
  } else if (one_thread) {
    sort_bucket(from, to, n, bits, across, max_vector);
    decode_all((across ? to : from).keys, n, code);
  } else if constexpr (!is_narrow<K>) {
    auto const bounds = distribute(stored<K, V>{from}, to, n, bits);
    each_bucket(bounds, [&](std::size_t, std::size_t begin, std::size_t size) {
      sort_records(to.from(begin), from.from(begin), size, bits, !across, max_vector, code);
    });
  }
}

/// Sorts computed records to `to`, with their keys decoded. `scratch` has the same size.
template <class Source, class K, class V>
void sort_computed(Source source, records<K, V> to, records<K, V> scratch, std::size_t n, bit_range bits,
                   key_code<K> code = {}) {
  if (n == 0) return;
  if (bits.begin == bits.end) {
    return blocks(n, 1 << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) to.set(i, code.decode(source.key(i)), source.value(i));
    });
  }
  std::size_t const max_vector = max_vector_records<K, V>(bits);
  if constexpr (is_narrow<K>)
    if (!are_few<K, V>(n)) {
      blocks(n, 1 << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) to.keys[i] = source.key(i);
      });
      sort_narrow([source](std::size_t i) { return source.value(i); }, to, scratch, n, bits, false);
      return decode_each(to.keys, n, code);
    }
  if (is_narrow<K> || n <= one_thread_limit<V>) {
    for (std::size_t i = 0; i < n; ++i) to.set(i, source.key(i), source.value(i));
    return sort_records(to, scratch, n, bits, false, max_vector, code);
  }
  if constexpr (!is_narrow<K>) {
    auto const bounds = distribute(source, scratch, n, bits);
    each_bucket(bounds, [&](std::size_t, std::size_t begin, std::size_t size) {
      sort_records(scratch.from(begin), to.from(begin), size, bits, true, max_vector, code);
    });
  }
}

/// Records whose keys are encoded when they are read.
template <class K, class V>
struct to_encode {
  records<K, V> from;
  key_code<K> code;
  [[nodiscard]] K key(std::size_t i) const { return code.encode(from.keys[i]); }
  [[nodiscard]] V value(std::size_t i) const { return from.value(i); }
};

/// Sorts from[0, n) into `to`, which may be `from`, by code.encode(key) on all threads; `other` has the same size. It does not
/// write to `from` unless that is `to`.
template <class K, class V>
void sort_encoded(records<K, V> from, records<K, V> to, records<K, V> other, std::size_t n, bit_range bits, key_code<K> code) {
  K const mask = detail::bit_mask<K>(bits);
  // Ordered arrays should cost no more than reading them: use the cheapest comparison that decides.
  bool const is_whole = code.identity() && mask == K(~K{0});
  bool const presorted = is_whole ? sort_presorted(from, to, other, n, whole<K, smaller>{})
                                  : sort_presorted(from, to, other, n, encoded<K>{code, mask});
  if (presorted) return;
  constexpr bool has_values = !std::same_as<V, nothing>;
  if constexpr (may_have_few_values<K> && (has_values || sizeof(K) == 8))  // vectors sort keys of 32 bits alone as fast
    if (mask == K(~K{0})) {
      bool const in_place = has_values && from.keys == to.keys;
      V* const values = in_place ? other.values : to.values;
      if (sort_few_values(to_encode<K, V>{from, code}, to.keys, values, n, code)) {
        if constexpr (has_values)
          if (in_place) copy_all(records<V, nothing>{values, nullptr}, records<V, nothing>{to.values, nullptr}, n);
        return;
      }
    }
  std::size_t const max_vector = max_vector_records<K, V>(bits);
  if constexpr (for_vectors<K, V>) {
    auto const threads = unsigned(tbb::this_task_arena::max_concurrency());
    bool const one_thread = n <= (threads == 1 ? parallel_limit : vector_limit);
    bool const by_vectors = one_thread ? fit_vectors(from.keys, n, bits, max_vector)
                                       : n <= max_vector && fit_vectors_on(threads, from.keys, n);
    if (by_vectors) {
      if (from.keys != to.keys) copy_all(from, to, n);
      if (one_thread || threads == 1) return sort_by_vectors(to.keys, n, code, code);
      return sort_by_vectors_on(threads, to.keys, n, code, code);
    }
  } else if constexpr (is_narrow<K>) {
    if constexpr (std::same_as<V, nothing>)
      if (mask == K(~K{0})) {
        if (n <= max_widened && network_keys(sizeof(std::uint32_t)) != 0) return sort_widened(from.keys, to.keys, n, code);
        if (sizeof(K) == 1 || n >= min_counted)
          return n <= std::numeric_limits<std::uint32_t>::max() ? count_all_keys<std::uint32_t>(from.keys, to.keys, n, code)
                                                                : count_all_keys<std::size_t>(from.keys, to.keys, n, code);
      }
    if (!std::same_as<V, nothing> && !are_few<K, V>(n)) {
      blocks(n, 1 << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) to.keys[i] = code.encode(from.keys[i]);
      });
      sort_narrow(stored_value<V>{from.values}, to, other, n, bits, from.keys == to.keys);
      return decode_each(to.keys, n, code);
    }
  }
  if constexpr (!is_narrow<K> || std::same_as<V, nothing>)
    if (n > one_thread_limit<V>) return sort_computed(to_encode<K, V>{from, code}, to, other, n, bits, code);
  encode_all(from, to, n, code);
  sort_records(to, other, n, bits, false, max_vector, code);
}

}  // namespace ordo::inline v0::host_detail
