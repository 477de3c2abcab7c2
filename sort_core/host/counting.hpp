#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "sort_core/host/distribution.hpp"
#include "sort_core/host/presorted.hpp"
#include "sort_core/host/records.hpp"
#include "sort_core/host/vectorized.hpp"

// Stable sorting by counting, on all threads, of keys of 8 and 16 bits, and of wider ones that have few values. Keys alone are
// counted and written anew; narrow keys with values are distributed by 8 bits once or twice.
namespace ordo::inline v0::host_detail {

template <class K>
constexpr bool is_narrow = sizeof(K) <= 2;

/// Keys alone of 16 bits are counted from this number on. Fewer keys than there are counters are distributed in less time.
constexpr std::size_t min_counted = std::size_t{1} << 16;
/// Up to this many keys alone are sorted as wider ones by vectors.
constexpr std::size_t max_widened = 512;

/// Writes keys from `to` on, `count` times the same, and returns their end. Nothing at `end` or after it is written. Always
/// writes a few keys before it looks at the number, because the ends of short loops are hard to predict.
template <class K>
K* write_equal(K* to, K const* end, K key, std::size_t count) {
  constexpr std::size_t step = 16 / sizeof(K);
  if (std::size_t(end - to) < step) return std::fill_n(to, count, key);
  for (std::size_t i = 0; i < step; ++i) to[i] = key;
  if (count > step) std::fill_n(to + step, count - step, key);
  return to + count;
}

/// Writes key(i) to to[begins[i], begins[i + 1]) for each i, on all threads.
template <class K, class Key>
void write_each(K* to, std::vector<std::size_t> const& begins, Key key) {
  blocks(begins.back(), 1 << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
    std::size_t i = std::size_t(std::upper_bound(begins.begin(), begins.end(), begin) - begins.begin()) - 1;
    for (K* at = to + begin; at != to + end; ++i)
      at = write_equal(at, to + end, key(i), std::min(begins[i + 1], end) - std::size_t(at - to));
  });
}

/// Sorts from[0, n) into `to`, which may be `from`, by code.encode(key). Counts with integers of the type Count.
template <class Count, class K>
void count_all_keys(K const* from, K* to, std::size_t n, key_code<K> code) {
  constexpr std::size_t bins = std::size_t{1} << (8 * sizeof(K));
  // An increment waits for the one before if that was of the same counter: several counters a key, where they are few.
  constexpr std::size_t copies = sizeof(K) == 1 ? 4 : 1;
  blocks const parts(n, std::max<std::size_t>(1 << 14, 4 * bins));
  std::vector<Count> counts(parts.count * bins, 0);
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    Count* const count = counts.data() + part * bins;
    std::array<std::array<Count, bins>, copies - 1> more{};
    std::size_t i = begin;
    for (; i + copies <= end; i += copies) {
      ++count[from[i]];
      for (std::size_t k = 1; k < copies; ++k) ++more[k - 1][from[i + k]];
    }
    for (; i < end; ++i) ++count[from[i]];
    for (auto const& m : more)
      for (std::size_t b = 0; b < bins; ++b) count[b] += m[b];
  });
  for (std::size_t part = 1; part < parts.count; ++part)
    for (std::size_t b = 0; b < bins; ++b) counts[b] += counts[part * bins + b];
  if (parts.count == 1) {
    K* at = to;
    for (std::size_t c = 0; c < bins; ++c) {
      K const key = code.decode(K(c));
      at = write_equal(at, to + n, key, counts[key]);
    }
    return;
  }
  std::vector<std::size_t> begins(bins + 1);
  for (std::size_t c = 0; c < bins; ++c) begins[c + 1] = begins[c] + counts[code.decode(K(c))];
  write_each(to, begins, [=](std::size_t c) { return code.decode(K(c)); });
}

/// Sorts from[0, n) into `to`, which may be `from`, by 32 bits of their codes. n is at most max_widened.
template <class K>
void sort_widened(K const* from, K* to, std::size_t n, key_code<K> code) {
  std::array<std::uint32_t, max_widened> wide;
  for (std::size_t i = 0; i < n; ++i) wide[i] = code.encode(from[i]);
  sort_by_vectors(wide.data(), n, {}, {});
  for (std::size_t i = 0; i < n; ++i) to[i] = code.decode(K(wide[i]));
}

constexpr unsigned narrow_digit_bits = 8;
constexpr std::size_t narrow_bins = std::size_t{1} << narrow_digit_bits;

/// A digit of at most 8 bits of a code.
template <class K>
struct narrow_digit {
  unsigned begin, mask;
  explicit narrow_digit(bit_range bits) : begin(bits.begin), mask((1u << (bits.end - bits.begin)) - 1) {}
  std::size_t operator()(K code) const { return unsigned(code) >> begin & mask; }
};

// The loops below take their arguments by value and count in arrays of their own, so that no write of a key of 8 bits, which
// might be a write to anything, makes them read these again.

using narrow_counts = std::array<std::size_t, narrow_bins>;

/// Writes the number of codes of [begin, end) with each value of a digit to `counts`.
template <class K>
void count_narrow(K const* codes, std::size_t begin, std::size_t end, narrow_digit<K> digit, narrow_counts& counts) {
  // Two counters a digit: an increment waits for the one before if that was of the same counter.
  narrow_counts even{}, odd{};
  std::size_t i = begin;
  for (; i + 2 <= end; i += 2) {
    ++even[digit(codes[i])];
    ++odd[digit(codes[i + 1])];
  }
  if (i != end) ++even[digit(codes[i])];
  for (std::size_t b = 0; b < narrow_bins; ++b) counts[b] = even[b] + odd[b];
}
/// Does the same for two digits in one read.
template <class K>
void count_two_narrow(K const* codes, std::size_t n, narrow_digit<K> low, narrow_digit<K> high, narrow_counts& low_counts,
                      narrow_counts& high_counts) {
  narrow_counts of_low{}, of_high{};
  for (std::size_t i = 0; i < n; ++i) {
    ++of_low[low(codes[i])];
    ++of_high[high(codes[i])];
  }
  low_counts = of_low;
  high_counts = of_high;
}
/// Moves records [begin, end) to the places that `starts` holds for each digit; values alone if not With_keys.
template <bool With_keys, class Value, class K, class V>
void move_narrow(K const* codes, Value value, records<K, V> to, std::size_t begin, std::size_t end, narrow_digit<K> digit,
                 narrow_counts const& starts) {
  narrow_counts next = starts;
  for (std::size_t i = begin; i < end; ++i) {
    K const code = codes[i];
    std::size_t const at = next[digit(code)]++;
    if constexpr (With_keys) to.keys[at] = code;
    if constexpr (!std::same_as<V, nothing>) to.values[at] = value(i);
  }
}

/// A stable distribution of n codes of 8 or 16 bits by one digit, on all threads.
template <class K>
class narrow_distribution {
 public:
  narrow_distribution(K const* codes, std::size_t n, bit_range digit) : narrow_distribution(codes, n, digit, nullptr) {}
  /// @param counts  the numbers of codes with each digit if there is one thread, or null
  narrow_distribution(K const* codes, std::size_t n, bit_range digit, narrow_counts const* counts)
      : codes_(codes), parts_(n, 1 << 14), digit_(digit), of_parts_(parts_.count == 1 ? 0 : parts_.count) {
    if (counts)
      starts(0) = *counts;
    else
      parts_.run(
          [&](std::size_t part, std::size_t begin, std::size_t end) { count_narrow(codes, begin, end, digit_, starts(part)); });
    std::size_t sum = 0;
    for (std::size_t b = 0; b < narrow_bins; ++b) {
      std::size_t const before = sum;
      for (std::size_t part = 0; part < parts_.count; ++part) sum += std::exchange(starts(part)[b], sum);
      all_equal_ |= sum - before == n;
    }
  }
  [[nodiscard]] bool all_equal() const { return all_equal_; }
  /// Returns where the codes with a digit begin.
  [[nodiscard]] std::size_t begin(std::size_t digit) const { return digit == narrow_bins ? parts_.n : starts(0)[digit]; }
  template <bool With_keys, class Value, class V>
  void move(Value value, records<K, V> to) const {
    parts_.run([&](std::size_t part, std::size_t begin, std::size_t end) {
      move_narrow<With_keys>(codes_, value, to, begin, end, digit_, starts(part));
    });
  }

 private:
  [[nodiscard]] narrow_counts& starts(std::size_t part) { return of_parts_.empty() ? of_all_ : of_parts_[part]; }
  [[nodiscard]] narrow_counts const& starts(std::size_t part) const {
    return of_parts_.empty() ? of_all_ : of_parts_[part];
  }

  K const* codes_;
  blocks parts_;
  narrow_digit<K> digit_;
  narrow_counts of_all_;
  std::vector<narrow_counts> of_parts_;  // empty for a single one
  bool all_equal_ = false;
};

/// Values that are stored, and a number that is.
template <class V>
struct stored_value {
  V const* values;
  V operator()(std::size_t i) const { return values[i]; }
};
template <>
struct stored_value<nothing> {
  nothing const* values;
  nothing operator()(std::size_t) const { return {}; }
};

/// Sorts records stably by `bits` of their codes, which are in to.keys, where the sorted codes will be, too. value(i), the
/// value of code i, may read to.values if `in_place`. `scratch` has the same size as `to`.
template <class Value, class K, class V>
void sort_narrow(Value value, records<K, V> to, records<K, V> scratch, std::size_t n, bit_range bits, bool in_place) {
  constexpr bool has_values = !std::same_as<V, nothing>;
  using distribution = narrow_distribution<K>;
  auto const sort_by_one = [&](distribution const& into, bit_range digit) {
    if (into.all_equal()) {
      if constexpr (has_values)
        if (!in_place)
          blocks(n, 1 << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) to.values[i] = value(i);
          });
      return;
    }
    records<K, V> const moved{scratch.keys, in_place ? scratch.values : to.values};
    if (digit.begin == 0 && digit.end == 8 * sizeof(K)) {  // codes with equal digits are equal
      into.template move<false>(value, moved);
      for (std::size_t b = 0; b < narrow_bins; ++b)
        write_equal(to.keys + into.begin(b), to.keys + n, K(b), into.begin(b + 1) - into.begin(b));
    } else {
      into.template move<true>(value, moved);
      copy_all(records<K, nothing>{scratch.keys, nullptr}, records<K, nothing>{to.keys, nullptr}, n);
    }
    if constexpr (has_values)
      if (in_place) copy_all(records<V, nothing>{scratch.values, nullptr}, records<V, nothing>{to.values, nullptr}, n);
  };
  unsigned const middle = std::min(bits.begin + narrow_digit_bits, bits.end);
  bit_range const low_digit{bits.begin, middle}, high_digit{middle, bits.end};
  if (middle == bits.end) return sort_by_one(distribution(to.keys, n, bits), bits);
  narrow_counts counts, high_counts;
  bool const at_once = blocks(n, 1 << 14).count == 1;
  if (at_once) count_two_narrow(to.keys, n, narrow_digit<K>(low_digit), narrow_digit<K>(high_digit), counts, high_counts);
  distribution const low(to.keys, n, low_digit, at_once ? &counts : nullptr);
  auto const* const of_high = at_once ? &high_counts : nullptr;
  if (low.all_equal()) return sort_by_one(distribution(to.keys, n, high_digit, of_high), high_digit);
  low.template move<true>(value, scratch);
  distribution const high(scratch.keys, n, high_digit, of_high);
  if (high.all_equal()) return copy_all(scratch, to, n);
  high.template move<true>(stored_value<V>{scratch.values}, to);
}

/// The number of keys of 32 and 64 bits from which they are counted if they have at most max_distinct values. A hash table of
/// that many fits in the L1 cache.
constexpr std::size_t min_with_few_values = std::size_t{1} << 14, max_distinct = 128;
template <class K>
constexpr bool may_have_few_values = for_vectors<K, nothing>;

/// The different codes among some keys, with a number for each.
template <class K>
class distinct_codes {
  static constexpr unsigned slot_bits = 10;

 public:
  static constexpr std::size_t slots = std::size_t{1} << slot_bits;

  /// Counts a code.
  /// @returns false if there are too many different ones, or too many in one place of the table
  bool add(K code) {
    std::size_t slot = home(code);
    for (std::size_t step = 0; numbers_[slot] == 0 || codes_[slot] != code; slot = (slot + 1) % slots) {
      if (numbers_[slot] == 0) {
        if (size_ == max_distinct) return false;
        used_[size_++] = std::uint16_t(slot);
        codes_[slot] = code;
        break;
      }
      if (++step == max_steps) return false;
    }
    ++numbers_[slot];
    return true;
  }
  /// Returns the number of a code that has been counted. Any other may have that of another code.
  [[nodiscard]] std::size_t& operator[](K code) {
    std::size_t slot = home(code);
    for (std::size_t step = 1; codes_[slot] != code && step != max_steps; ++step) slot = (slot + 1) % slots;
    return numbers_[slot];
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] K code(std::size_t i) const { return codes_[used_[i]]; }
  /// Returns the slot at which the search for a code begins.
  static std::size_t home(K code) { return std::size_t(std::uint64_t{code} * 0x9e3779b97f4a7c15 >> (64 - slot_bits)); }

 private:
  static constexpr std::size_t max_steps = 8;

  std::array<K, slots> codes_{};
  std::array<std::size_t, slots> numbers_{};
  std::array<std::uint16_t, max_distinct> used_{};
  std::size_t size_ = 0;
};

/// Returns true if a sample says that source.key(0) ... source.key(n - 1) may have few values. Of max_distinct values, a sample
/// has some 81.
template <class K, class Source>
bool seem_few(Source source, std::size_t n) {
  constexpr std::size_t samples = 128, max_different = 96;
  distinct_codes<K> different;
  sample_places place(n);
  for (std::size_t i = 0; i < samples; ++i)
    if (!different.add(source.key(place())) || different.size() > max_different) return false;
  return true;
}

/// Sorts source(0) ... source(n - 1), whose source.key(i) and source.value(i) may be computed, if they have few different keys:
/// counts each of these, moves the values, and writes the keys anew, decoded. Stable. Otherwise it writes nothing and returns
/// false.
/// @param keys  for the keys; source.key may read it
/// @param values  for the values; source.value must not read it
template <class Source, class K, class V>
bool sort_few_values(Source source, K* keys, V* values, std::size_t n, key_code<K> code) {
  if (n < min_with_few_values || !seem_few<K>(source, n)) return false;
  blocks const parts(n, 1 << 14);
  std::vector<distinct_codes<K>> different(parts.count);
  std::atomic<bool> has_many = false;
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    if (has_many.load(std::memory_order_relaxed)) return;
    distinct_codes<K>& counts = different[part];
    Source const from = source;  // a copy: the compiler need not read it again after each number
    for (std::size_t i = begin; i < end; ++i)
      if (!counts.add(from.key(i))) return has_many.store(true, std::memory_order_relaxed);
  });
  if (has_many) return false;
  std::vector<K> all;
  for (distinct_codes<K> const& of : different) {
    for (std::size_t i = 0; i < of.size(); ++i) all.push_back(of.code(i));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  std::vector<std::size_t> starts(all.size() * parts.count, 0), begins{0};  // a row of blocks for each code
  auto const each_code = [&](auto f) {
    for (std::size_t part = 0; part < parts.count; ++part)
      for (std::size_t i = 0; i < different[part].size(); ++i) {
        K const key = different[part].code(i);
        auto const row = std::size_t(std::lower_bound(all.begin(), all.end(), key) - all.begin());
        f(different[part][key], starts[row * parts.count + part]);
      }
  };
  each_code([](std::size_t count, std::size_t& start) { start = count; });
  std::size_t sum = 0;
  for (std::size_t row = 0; row < all.size(); ++row) {
    for (std::size_t part = 0; part < parts.count; ++part) sum += std::exchange(starts[row * parts.count + part], sum);
    begins.push_back(sum);
  }
  if constexpr (!std::same_as<V, nothing>) {
    each_code([](std::size_t& next, std::size_t start) { next = start; });
    parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
      distinct_codes<K>& next = different[part];
      Source const from = source;
      V* const to = values;
      for (std::size_t i = begin; i < end; ++i) to[next[from.key(i)]++] = from.value(i);
    });
  }
  write_each(keys, begins, [&](std::size_t row) { return code.decode(all[row]); });
  return true;
}

}  // namespace ordo::inline v0::host_detail
