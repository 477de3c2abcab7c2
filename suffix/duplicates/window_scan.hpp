#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ordo::inline v0::suffix::detail {

/// Numbers modulo the prime 2^61 - 1.
struct prime_numbers {
  static std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    __extension__ typedef unsigned __int128 product;
    product const all = product(a) * b;
    return reduced((std::uint64_t(all) & prime) + std::uint64_t(all >> 61));
  }
  static std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return reduced(a + b); }
  static std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return reduced(a + prime - b); }

 private:
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  static std::uint64_t reduced(std::uint64_t x) {
    x = (x & prime) + (x >> 61);
    return x >= prime ? x - prime : x;
  }
};

/// Numbers modulo 2^64, which are fast. Hashes of some long strings are equal, as of those of Thue and Morse.
struct word_numbers {
  static std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a * b; }
  static std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a + b; }
  static std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return a - b; }
};

/// The hash of a string of fixed length that moves over a text: a polynomial of its residues (Karp, Rabin 1987).
template <class Residue, class Numbers>
class rolling_hash {
 public:
  explicit rolling_hash(std::uint64_t length) : length_(length), power_(power(length)), quarter_power_(power(length / 4)) {}

  /// Returns the hash of the string at `at`.
  [[nodiscard]] std::uint64_t of(Residue const* at) const {
    std::uint64_t const quarter = length_ / 4;
    std::uint64_t part[4] = {};  // sums that processors compute at the same time
    for (std::uint64_t i = 0; i < quarter; ++i)
      for (std::uint64_t k = 0; k < 4; ++k) part[k] = pushed(part[k], at[k * quarter + i]);
    std::uint64_t hash = part[0];
    for (std::uint64_t k = 1; k < 4; ++k) hash = Numbers::sum(Numbers::times(hash, quarter_power_), part[k]);
    for (std::uint64_t i = 4 * quarter; i < length_; ++i) hash = pushed(hash, at[i]);
    return hash;
  }
  /// Returns the hash of the string after `at`, from that of the string at `at`.
  [[nodiscard]] std::uint64_t next(std::uint64_t hash, Residue const* at) const {
    std::uint64_t const leaving = Numbers::times(std::uint64_t(at[0]) + 1, power_);
    return Numbers::sum(Numbers::times(hash, base), Numbers::difference(std::uint64_t(at[length_]) + 1, leaving));
  }

 private:
  static constexpr std::uint64_t base = 0x15f3a7c94b2d8e61;  // below 2^61 - 1, and odd

  static std::uint64_t pushed(std::uint64_t hash, Residue residue) {
    return Numbers::sum(Numbers::times(hash, base), std::uint64_t(residue) + 1);
  }
  static std::uint64_t power(std::uint64_t exponent) {
    std::uint64_t result = 1, square = base;
    for (; exponent > 0; exponent /= 2) {
      if (exponent % 2 == 1) result = Numbers::times(result, square);
      square = Numbers::times(square, square);
    }
    return result;
  }

  std::uint64_t length_;
  std::uint64_t power_, quarter_power_;  // base to the power of length_, and of length_ / 4
};

/// Distributes hashes evenly, and one to one (the finalizer of MurmurHash3).
inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

/// Adjacent strings of min_length residues, called windows, whose minimizers have the same hash.
struct window_group {
  std::uint64_t first = 0, count = 0;  // positions of the windows
  std::uint64_t minimizer = 0;         // the position of the minimizer, if they have the same one
  bool same = true;                    // whether they have
  std::uint64_t hash = 0;              // hash of the minimizer
};

/// Finds the minimizers of windows: of the strings of k residues in each, the leftmost with the smallest hash.
template <class Residue>
class window_scan {
 public:
  static constexpr std::uint64_t max_width = 4095;  // strings of k residues in a window, and windows in a group

  explicit window_scan(std::uint64_t min_length)
      : width_(std::min(min_length / 2, max_width - 1) + 1), k_(min_length - width_ + 1), hash_(k_) {}

  [[nodiscard]] std::uint64_t width() const noexcept { return width_; }

  /// Calls use(group) for the windows that begin in [begin, end) of a text, in order. Memory: 24 bytes for each string of k
  /// residues in a window. Time O(end - begin + min_length) (van Herk 1992: minima of adjacent windows).
  template <class Use>
  void operator()(Residue const* text, std::uint64_t begin, std::uint64_t end, Use use) {
    if (begin >= end) return;
    for (auto* const each : {&values_, &next_, &minima_}) each->resize(width_);
    std::uint64_t rolling = hash_.of(text + begin);  // hash of the k residues before the next one to look at
    bool is_first = true;
    // Looks at the strings that begin in a block of `width` positions, as far as windows have them.
    auto const fill = [&](std::vector<std::uint64_t>& values, std::uint64_t block) {
      std::uint64_t const count = std::min(width_, end + width_ - 1 - block);
      std::uint64_t hash = rolling, i = 0;
      Residue const* before = text + block - (is_first ? 0 : 1);
      if (std::exchange(is_first, false)) values[i++] = order_value(hash, 0);
      for (; i < count; ++i, ++before) {
        hash = hash_.next(hash, before);
        values[i] = order_value(hash, i);
      }
      rolling = hash;
    };
    window_group open{.first = begin, .count = 0, .minimizer = ~std::uint64_t{0}, .same = true, .hash = 0};
    auto const add = [&](std::uint64_t window, std::uint64_t minimizer, std::uint64_t hash) {
      if (open.hash == hash && open.count != 0 && open.count != max_width) {
        ++open.count;
        open.same &= open.minimizer == minimizer;
        return;
      }
      if (open.count != 0) use(std::as_const(open));
      open = {.first = window, .count = 1, .minimizer = minimizer, .same = true, .hash = hash};
    };
    fill(values_, begin);
    for (std::uint64_t block = begin; block < end; block += width_) {
      // Windows that begin in a block of `width` positions end in the next one: their minimum is that of the rest of the block
      // and of the beginning of the next one.
      if (block + 1 < end) fill(next_, block + width_);
      std::uint64_t rest = ~std::uint64_t{0}, start = rest;
      for (std::uint64_t i = width_; i-- > 0;) minima_[i] = rest = std::min(rest, values_[i]);
      for (std::uint64_t i = 0, last = std::min(width_, end - block); i < last; ++i) {
        if (i != 0) start = std::min(start, next_[i - 1]);
        std::uint64_t const in_block = minima_[i];
        if (in_block >> offset_bits <= start >> offset_bits)
          add(block + i, block + (in_block & max_width), in_block >> offset_bits);
        else
          add(block + i, block + width_ + (start & max_width), start >> offset_bits);
      }
      values_.swap(next_);
    }
    use(std::as_const(open));
  }

 private:
  static constexpr unsigned offset_bits = 12;
  static_assert(max_width == (1 << offset_bits) - 1);

  /// Returns a value whose order is that of hashes, and of offsets in a block where these are equal.
  static std::uint64_t order_value(std::uint64_t rolling, std::uint64_t offset) {
    return ((rolling ^ rolling >> 32) * 0xff51afd7ed558ccd & ~max_width) | offset;
  }

  std::uint64_t width_, k_;
  rolling_hash<Residue, word_numbers> hash_;
  std::vector<std::uint64_t> values_, next_;  // values of a block and of the next one
  std::vector<std::uint64_t> minima_;         // the minimum of each rest of a block
};

}  // namespace ordo::inline v0::suffix::detail
