#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sort_core/backend.hpp"
#include "suffix/buffer_sizes.hpp"
#include "suffix/key_ranges.hpp"
#include "suffix/packed_text.hpp"
#include "suffix/range_finder.hpp"

// What key_ranges finds by two scans for each range, by two scans for 255 of them, where a thread can write to as many
// places at a time, and where the order is: in whose place the suffixes of each range are brought together beforehand.
namespace ordo::suffix::detail {

/// Brings the suffixes of each range together: first count_block for every block of the text, then, from the counts, at which
/// place each block's suffixes of a range begin; then write_block.
template <class Index, class Numbers>
struct division {
  packed_view text;
  Numbers chosen;
  range_finder const& range_of;
  std::size_t n, block;
  std::size_t* at;  // for each block, of each range
  Index* to;

  template <class Use>
  void each_suffix(std::size_t b, Use use) const {
    chosen.each(b * block, std::min(n, (b + 1) * block), [&](std::size_t p) { use(p, range_of(text.key_in_passing(p))); });
  }
  void count_block(std::size_t b) const {
    std::size_t counts[range_finder::none + 1] = {};
    each_suffix(b, [&](std::size_t, unsigned range) { ++counts[range]; });
    std::copy_n(counts, range_of.count(), at + b * range_of.count());
  }
  void write_block(std::size_t b) const {
    Index* next[range_finder::most];
    for (unsigned range = 0; range < range_of.count(); ++range) next[range] = to + at[b * range_of.count() + range];
    each_suffix(b, [&](std::size_t p, unsigned range) {
      if (range != range_finder::none) *next[range]++ = Index(p);
    });
  }
};

/// The ranges of key_ranges, the suffixes of each where the order will have them.
template <has_workers B, class Index, class Numbers>
class divided_ranges {
 public:
  /// What a text of n letters takes at most, beside the order.
  static std::size_t memory(std::size_t n) {
    std::size_t const at = (n + block_of(n) - 1) / block_of(n) * range_finder::most;
    return std::max(buffer_sizes::of(at, sizeof(std::size_t)), buffer_sizes::of(key_sample::size_of(n), sizeof(std::uint64_t)));
  }

  /// @param n  letters of the text @param chosen  positions whose suffixes are sorted
  /// @param order  of these: what will be sorted part by part
  divided_ranges(B& machine, packed_view text, std::size_t n, std::span<Index> order, Numbers chosen)
      : machine_(machine), text_(text), n_(n), order_(order), chosen_(chosen), sample_(machine, text, n) {
    left_.push_back({0, ~std::uint64_t{0}, order.size()});
  }

  [[nodiscard]] bool more() const { return taken_ < order_.size(); }

  /// The next range that is not empty, by position in its part of the order. It has no more than `most` suffixes, unless all of
  /// them share their key.
  key_range next(std::size_t most) {
    for (;;) {
      key_range const found = left_.back();
      left_.pop_back();
      bool const whole = found.count <= most || found.first == found.last;
      if (!whole || !divided_) {
        divide(found, whole ? std::vector{found.last} : lasts_of(found, most));
        divided_ = true;
        continue;
      }
      taken_ += found.count;
      if (found.count != 0) return found;
    }
  }

  void bring(key_range const&, std::span<Index>) const {}

 private:
  [[nodiscard]] std::vector<std::uint64_t> lasts_of(key_range const& whole, std::size_t most) const {
    std::vector<std::uint64_t> lasts;
    for (std::uint64_t first = whole.first; lasts.empty() || lasts.back() != whole.last; first = lasts.back() + 1) {
      bool const rest = lasts.size() + 1 == range_finder::most;
      lasts.push_back(rest ? whole.last : std::min(whole.last, sample_.last_of(first, most, order_.size())));
    }
    if (lasts.size() == 1) lasts.insert(lasts.begin(), sample_.middle_of(whole.first, whole.last));
    return lasts;
  }

  /// Letters that a thread looks at, in 1024 blocks at most.
  static constexpr std::size_t block_of(std::size_t n) { return std::max<std::size_t>(n / 1024 + 1, 1 << 16); }

  void divide(key_range const& whole, std::vector<std::uint64_t> const& lasts) {
    range_finder const range_of(whole.first, lasts);
    std::size_t const ranges = lasts.size(), blocks = (n_ + block_of(n_) - 1) / block_of(n_);
    auto const at = machine_.template buffer<std::size_t>(blocks * ranges);
    division<Index, Numbers> const parts{text_, chosen_, range_of, n_, block_of(n_), at.data(), order_.data()};
    machine_.each_worker(blocks, [&](auto&, std::size_t b) { parts.count_block(b); });
    std::size_t place = taken_;
    std::vector<key_range> found(ranges);
    for (std::size_t range = 0; range < ranges; ++range) {
      std::size_t const begin = place;
      for (std::size_t b = 0; b < blocks; ++b) place += std::exchange(parts.at[b * ranges + range], place);
      found[range] = {range == 0 ? whole.first : lasts[range - 1] + 1, lasts[range], place - begin};
    }
    machine_.each_worker(blocks, [&](auto&, std::size_t b) { parts.write_block(b); });
    left_.insert(left_.end(), found.rbegin(), found.rend());
  }

  B& machine_;
  packed_view text_;
  std::size_t n_;
  std::span<Index> order_;
  Numbers chosen_;
  key_sample sample_;
  std::size_t taken_ = 0;
  bool divided_ = false;
  std::vector<key_range> left_;  // the next one last
};

}  // namespace ordo::suffix::detail
