#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sort_core/backend.hpp"
#include "sort_core/host/parallel.hpp"
#include "sort_core/host/records.hpp"
#include "sort_core/host/small.hpp"

// Stable radix sort from the most significant digit: each level distributes a bucket from one buffer into the other, with
// counts per block so that threads need no atomics and keep the order of equals; buckets of a few items are finished by
// counting (small.hpp). Digits in which all keys of a bucket agree are skipped.
namespace ordo::detail {

constexpr unsigned digit_bits = 8;
constexpr std::size_t parallel_limit = std::size_t{1} << 16;

/// The uppermost digit of `bits`, at most `width` bits wide.
inline bit_range top_digit(bit_range bits, unsigned width) {
  return {bits.end - std::min(width, bits.end - bits.begin), bits.end};
}

/// A bucket's digit: narrow for few items, so that counting does not cost more than moving.
inline unsigned digit_width(std::size_t n) {
  return std::min<unsigned>(digit_bits, unsigned(std::bit_width(n)) - 3);
}

/// Sort `from[0, n)` on one thread. The result is in `to` if `across`, else in `from`; the other buffer is scratch.
template <class K, class V>
void sort_bucket(records<K, V> from, records<K, V> to, std::size_t n, bit_range bits, bool across) {
  for (;;) {
    if (n <= small_limit) return sort_small(from, across ? to : from, n, masked<K>{mask_of<K>(bits)});
    if (bits.begin >= bits.end) break;
    bit_range const digit = top_digit(bits, digit_width(n));
    K const mask = mask_of<K>({0, digit.end - digit.begin});
    std::array<std::uint32_t, (1 << digit_bits) + 1> at;  // a bucket fits 32 bits: larger ones are distributed in parallel
    std::size_t const buckets = std::size_t(mask) + 1;
    std::fill_n(at.begin(), buckets, 0);
    for (std::size_t i = 0; i < n; ++i) ++at[(from.keys[i] >> digit.begin) & mask];
    if (at[(from.keys[0] >> digit.begin) & mask] == n) {
      K differing = 0;
      for (std::size_t i = 1; i < n; ++i) differing |= from.keys[i] ^ from.keys[0];
      bits.end = unsigned(std::bit_width(K(differing & mask_of<K>(bits))));
      bits.end = std::max(bits.end, bits.begin);
      continue;
    }
    std::uint32_t sum = 0;
    for (std::size_t b = 0; b < buckets; ++b) sum += std::exchange(at[b], sum);
    for (std::size_t i = 0; i < n; ++i) to.set(at[(from.keys[i] >> digit.begin) & mask]++, from.keys[i], from.value(i));
    bits.end = digit.begin;
    std::size_t begin = 0;
    for (std::size_t b = 0; b < buckets; begin = at[b++])
      if (at[b] != begin) sort_bucket(to.from(begin), from.from(begin), at[b] - begin, bits, !across);
    return;
  }
  if (across) from.copy_to(to, n);
}

/// Distribute source(0) ... source(n-1), where source.key(i) and source.value(i) may be computed, into `to` by the uppermost
/// digit in which they differ. Returns the buckets' bounds; narrows `bits` to what is left to sort inside them (empty
/// when all keys are equal).
template <class Source, class K, class V>
std::vector<std::size_t> distribute(Source source, records<K, V> to, std::size_t n, bit_range& bits) {
  blocks const parts(n, 1 << 14);
  bit_range digit;
  std::vector<std::size_t> at;
  std::size_t buckets = 1;
  K const first = source.key(0);
  for (;;) {
    digit = top_digit(bits, digit_bits);
    K const mask = mask_of<K>({0, digit.end - digit.begin});
    buckets = std::size_t(mask) + 1;
    at.assign(parts.count * buckets, 0);
    std::vector<K> differing(parts.count, 0);
    parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
      std::size_t* const count = at.data() + part * buckets;
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
    unsigned const end = std::max(bits.begin, unsigned(std::bit_width(K(all & mask_of<K>(bits)))));
    if (end > digit.begin || bits.begin == bits.end) break;
    bits.end = end;  // the digit is the same in every key: look further down, where the keys differ
  }
  std::vector<std::size_t> bounds(buckets + 1);
  std::size_t sum = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    bounds[b] = sum;
    for (std::size_t part = 0; part < parts.count; ++part) sum += std::exchange(at[part * buckets + b], sum);
  }
  bounds[buckets] = sum;
  K const mask = K(buckets - 1);
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    std::size_t* const next = at.data() + part * buckets;
    for (std::size_t i = begin; i < end; ++i) {
      K const key = source.key(i);
      to.set(next[(key >> digit.begin) & mask]++, key, source.value(i));
    }
  });
  bits.end = digit.begin;
  return bounds;
}

template <class K, class V>
struct stored {
  records<K, V> from;
  [[nodiscard]] K key(std::size_t i) const { return from.keys[i]; }
  [[nodiscard]] V value(std::size_t i) const { return from.value(i); }
};

/// f(begin, size) for every bucket that is not empty, in parallel.
template <class F>
void each_bucket(std::vector<std::size_t> const& bounds, F f) {
  tbb::parallel_for(std::size_t{0}, bounds.size() - 1, [&](std::size_t b) {
    if (bounds[b + 1] != bounds[b]) f(bounds[b], bounds[b + 1] - bounds[b]);
  });
}

/// sort_bucket on all threads.
template <class K, class V>
void sort_records(records<K, V> from, records<K, V> to, std::size_t n, bit_range bits, bool across) {
  if (n <= parallel_limit || bits.begin >= bits.end) return sort_bucket(from, to, n, bits, across);
  auto const bounds = distribute(stored<K, V>{from}, to, n, bits);
  each_bucket(bounds, [&](std::size_t begin, std::size_t size) {
    sort_records(to.from(begin), from.from(begin), size, bits, !across);
  });
}

/// Sort computed records into `to`; `scratch` is as large.
template <class Source, class K, class V>
void sort_computed(Source source, records<K, V> to, records<K, V> scratch, std::size_t n, bit_range bits) {
  if (n == 0) return;
  auto const bounds = distribute(source, scratch, n, bits);
  each_bucket(bounds, [&](std::size_t begin, std::size_t size) {
    sort_records(scratch.from(begin), to.from(begin), size, bits, true);
  });
}

}  // namespace ordo::detail
