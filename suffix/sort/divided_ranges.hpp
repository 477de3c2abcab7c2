#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "suffix/sort/range_memory.hpp"
#include "suffix/text/packed_text.hpp"

// Division for threads with caches of their own: cuts suffixes by their first letters into ranges that one thread sorts in its
// cache, each in its final rows.
namespace ordo::inline v0::suffix::detail {

/// Stores the window of the i-th of `size` suffixes at equal distances among `count` in a text of n letters.
template <class Numbers>
struct sampled_window {
  packed_view text;
  std::size_t n, count, size;
  Numbers chosen;
  std::uint64_t* windows;
  void operator()(std::size_t i) const {
    windows[i] = text.window(chosen.at(count / size * i + count % size * i / size, n));
  }
};

/// Finds the range of a window among adjacent ranges.
class window_ranges {
 public:
  static constexpr std::size_t max_ranges = 4096;

  /// @param lasts  the last window of each range, ascending; the greatest of all at the end
  /// @param code_bits  the bits of the first letters by which ranges are looked up, less than 64
  window_ranges(std::vector<std::uint64_t> lasts, unsigned code_bits)
      : lasts_(std::move(lasts)), shift_(64 - code_bits), first_((std::size_t{1} << code_bits) + 1) {
    std::size_t range = 0;
    for (std::size_t code = 0; code + 1 < first_.size(); ++code) {
      while (lasts_[range] >> shift_ < code) ++range;
      first_[code] = std::uint16_t(range);
    }
    first_.back() = std::uint16_t(count() - 1);
  }

  [[nodiscard]] std::size_t count() const { return lasts_.size(); }
  [[nodiscard]] std::size_t operator()(std::uint64_t window) const {
    std::size_t low = first_[window >> shift_], high = first_[(window >> shift_) + 1];
    while (low < high) {  // rare: most first letters belong to one range
      std::size_t const middle = (low + high) / 2;
      if (lasts_[middle] < window)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  std::vector<std::uint64_t> lasts_;
  unsigned shift_;
  std::vector<std::uint16_t> first_;  // the first range that may hold a window with these first letters
};

/// Groups suffixes by range: count_block counts for every block of the text; the counts give the row at which each block's
/// suffixes of a range begin; write_block writes.
template <class Index, class Numbers>
struct division {
  packed_view text;
  Numbers chosen;
  window_ranges const& find_range;
  std::size_t n, block;
  std::size_t* at;  // for each block, of each range
  Index* to;

  void count_block(std::size_t b) const {
    std::size_t* const counts = at + b * find_range.count();
    std::fill_n(counts, find_range.count(), 0);
    each_suffix(b, [&](std::size_t, std::size_t range) { ++counts[range]; });
  }
  void write_block(std::size_t b) const {
    std::size_t* const next = at + b * find_range.count();
    each_suffix(b, [&](std::size_t p, std::size_t range) { to[next[range]++] = Index(p); });
  }

 private:
  template <class Use>
  void each_suffix(std::size_t b, Use use) const {
    constexpr std::size_t some = 64;
    for (std::size_t p = b * block, end = std::min(n, (b + 1) * block); p < end; p += some) {
      std::size_t const last = std::min(end, p + some);
      if (text.breaks.are_far(p) && text.breaks.are_far(p + some))  // so there are none in these windows
        chosen.each(p, last, [&](std::size_t q) { use(q, find_range(bits_from(text.words, q * text.letter_bits))); });
      else
        chosen.each(p, last, [&](std::size_t q) { use(q, find_range(text.window(q))); });
    }
  }
};

/// The blocks of a text of n letters.
struct division_blocks {
  std::size_t n;
  /// Returns the letters of a block, a multiple of 64; there are at most 256 blocks.
  [[nodiscard]] std::size_t size() const { return std::max<std::size_t>((n / 256 / 64 + 1) * 64, 1 << 14); }
  [[nodiscard]] std::size_t count() const { return (n + size() - 1) / size(); }
  /// Returns the bytes for the counts of `ranges` ranges.
  [[nodiscard]] std::size_t memory(std::size_t ranges) const { return buffer_sizes::of(count() * ranges, sizeof(std::size_t)); }
};

/// Sets order to the suffixes of a text, range by range, each range in the order of positions. A sample decides where to cut:
/// ranges have about `share` suffixes each, but suffixes that agree in their first 64 bits stay together.
/// @returns the ranges
/// @param n  letters of the text
/// @param chosen  the positions whose suffixes are sorted, as many as `order` has rows
template <has_workers B, class Index, class Numbers>
std::vector<place_range> divide_by_letters(B& backend, packed_view text, std::size_t n, std::size_t share,
                                           std::span<Index> order, Numbers chosen) {
  std::size_t const size = std::min(n / 16 + 1, std::size_t{1} << 16);
  std::vector<std::uint64_t> sample(size), lasts;
  backend.each(size, sampled_window<Numbers>{text, n, order.size(), size, chosen, sample.data()});
  backend.radix_sort(std::span<std::uint64_t>(sample));
  double const wanted = std::min(double(order.size()) / double(share) + 1, double(window_ranges::max_ranges));
  for (std::size_t k = 1; double(k) < wanted; ++k) {
    std::uint64_t const last = sample[std::size_t(double(size) / wanted * double(k))];
    if (lasts.empty() || lasts.back() < last) lasts.push_back(last);
  }
  if (lasts.empty() || lasts.back() != ~std::uint64_t{0}) lasts.push_back(~std::uint64_t{0});

  // At least one letter of few bits, and more for more suffixes.
  unsigned const wanted_bits = std::min(21u, unsigned(std::bit_width(n)));
  unsigned const code_bits =
      std::max(wanted_bits / text.letter_bits * text.letter_bits, std::min(text.letter_bits, std::max(8u, wanted_bits)));
  window_ranges const find_range(std::move(lasts), code_bits);
  division_blocks const cut{n};
  std::size_t const ranges = find_range.count(), blocks = cut.count();
  auto const at = backend.template buffer<std::size_t>(blocks * ranges);
  division<Index, Numbers> const parts{text, chosen, find_range, n, cut.size(), at.data(), order.data()};
  backend.each_worker(blocks, [&](auto&, std::size_t b) { parts.count_block(b); });
  std::size_t place = 0;
  std::vector<place_range> result;
  for (std::size_t range = 0; range < ranges; ++range) {
    std::size_t const begin = place;
    for (std::size_t b = 0; b < blocks; ++b) place += std::exchange(parts.at[b * ranges + range], place);
    if (place != begin) result.push_back({begin, place - begin});
  }
  backend.each_worker(blocks, [&](auto&, std::size_t b) { parts.write_block(b); });
  return result;
}

}  // namespace ordo::inline v0::suffix::detail
