#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sort_core/backend.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/packed_text.hpp"
#include "suffix/select_positions.hpp"

namespace ordo::suffix::detail {

/// Is the key of the suffix at p in [first, last]?
struct key_in_range {
  packed_view text;
  std::uint64_t first, last;
  ORDO_FN bool operator()(std::size_t p) const {
    std::uint64_t const most = text.unbroken_key(p);
    if (most < first) return false;
    return (text.breaks.are_far(p + 1) ? most : text.key(p)) - first <= last - first;
  }
};

/// How many keys are not above each of some bounds.
struct key_counts {
  static constexpr unsigned bounds = 8;
  std::uint64_t up_to[bounds] = {};
  friend ORDO_FN key_counts operator+(key_counts a, key_counts const& b) {
    for (unsigned k = 0; k < bounds; ++k) a.up_to[k] += b.up_to[k];
    return a;
  }
};

/// Those of the suffixes in block b of a text.
struct keys_of_block {
  static constexpr std::size_t size = 64;
  packed_view text;
  std::size_t n;
  std::uint64_t bound[key_counts::bounds];

  ORDO_FN key_counts operator()(std::size_t b) const {
    std::uint32_t up_to[key_counts::bounds] = {};
    std::size_t const end = (b + 1) * size < n ? (b + 1) * size : n;
    for (std::size_t p = b * size; p < end; ++p) {
      std::uint64_t const key = text.key_in_passing(p);
      for (unsigned k = 0; k < key_counts::bounds; ++k) up_to[k] += key <= bound[k];
    }
    key_counts all;
    for (unsigned k = 0; k < key_counts::bounds; ++k) all.up_to[k] = up_to[k];
    return all;
  }
};

/// The key of the i-th of `size` suffixes that lie at equal distances in a text of n letters.
struct sampled_key {
  packed_view text;
  std::size_t n, size;
  std::uint64_t* keys;
  ORDO_FN void operator()(std::size_t i) const { keys[i] = text.key(n / size * i + n % size * i / size); }
};

/// The keys of some suffixes of a text, in order: they tell where to cut all of them.
class key_sample {
 public:
  /// Of a text of n letters.
  template <Backend B>
  key_sample(B& machine, packed_view text, std::size_t n) : keys_(size_of(n)) {
    auto const keys = machine.template buffer<std::uint64_t>(keys_.size());
    machine.each(keys_.size(), sampled_key{text, n, keys_.size(), keys.data()});
    machine.download(std::span<std::uint64_t const>(keys.span()), std::span(keys_));
    std::ranges::sort(keys_);
  }

  /// How many keys are looked at.
  static constexpr std::size_t size_of(std::size_t n) { return std::min(n / 16 + 1, std::size_t{1} << 16); }

  /// The last key of a range that begins with key `first` and, as the sample says, has `most` of all suffixes less an eighth;
  /// the greatest of all keys where no more are left.
  [[nodiscard]] std::uint64_t last_of(std::uint64_t first, std::size_t most, std::size_t all) const {
    std::size_t const size = std::max<std::size_t>(1, std::size_t(double(most) / double(all) * double(keys_.size()) * 0.875));
    std::size_t const begin = std::size_t(std::ranges::lower_bound(keys_, first) - keys_.begin());
    return size >= keys_.size() - begin ? ~std::uint64_t{0} : std::max(first, keys_[begin + size] - 1);
  }
  /// A key in [first, last), first < last, that halves what the sample has of [first, last], or the range itself.
  [[nodiscard]] std::uint64_t middle_of(std::uint64_t first, std::uint64_t last) const {
    auto const begin = std::ranges::lower_bound(keys_, first), end = std::ranges::upper_bound(keys_, last);
    if (end - begin > 1)
      if (std::uint64_t const middle = begin[(end - begin) / 2]; middle > first) return middle - 1;
    return first + (last - first) / 2;
  }

 private:
  std::vector<std::uint64_t> keys_;
};

/// Suffixes whose first keys are in [first, last].
struct key_range {
  std::uint64_t first, last;
  std::size_t count;  // of them
};

/// Cuts the suffixes of a text by their first keys into ranges that follow each other in the order. A sample of the keys says
/// where to cut, a count of all of them whether a range is short enough: whatever the text, none is too long but one of a
/// single key. The text is read for each range.
template <Backend B>
class key_ranges {
 public:
  /// @param n  how many letters there are
  key_ranges(B& machine, packed_view text, std::size_t n) : machine_(machine), text_(text), n_(n), sample_(machine, text, n) {}

  /// Are there suffixes left?
  [[nodiscard]] bool more() const { return taken_ < n_; }

  /// The next range that is not empty. It has no more than `most` suffixes, unless all of them share their key.
  key_range next(std::size_t most) {
    for (;;) {
      if (planned_.empty()) plan(most);
      key_range const found = planned_.front();
      if (found.count > most && found.first != found.last) {
        count({sample_.middle_of(found.first, found.last)});
        continue;
      }
      planned_.erase(planned_.begin());
      next_ = found.last + 1;
      taken_ += found.count;
      if (found.count != 0) return found;
    }
  }

  /// part := the suffixes of a range, by position.
  template <class Index>
  void bring(key_range const& range, std::span<Index> part) const {
    select_positions(machine_, n_, key_in_range{text_, range.first, range.last}, part);
  }

 private:
  void plan(std::size_t most) {
    std::vector<std::uint64_t> lasts;
    do {
      std::uint64_t const first = lasts.empty() ? next_ : lasts.back() + 1;
      lasts.push_back(n_ - taken_ <= most ? ~std::uint64_t{0} : sample_.last_of(first, most, n_));
    } while (lasts.size() < key_counts::bounds && lasts.back() != ~std::uint64_t{0});
    count(lasts);
  }
  /// The ranges from next_ on that end with these keys, at most key_counts::bounds.
  void count(std::vector<std::uint64_t> const& lasts) {
    planned_.clear();
    if (lasts.size() == 1 && lasts[0] == ~std::uint64_t{0}) {
      planned_.push_back({next_, lasts[0], n_ - taken_});
      return;
    }
    keys_of_block block{text_, n_, {}};
    for (unsigned k = 0; k < key_counts::bounds; ++k) block.bound[k] = lasts[std::min<std::size_t>(k, lasts.size() - 1)];
    key_counts const all = machine_.reduce((n_ + block.size - 1) / block.size, block, key_counts{}, plus{});
    std::uint64_t first = next_, before = taken_;
    for (std::size_t k = 0; k < lasts.size(); ++k) {
      planned_.push_back({first, lasts[k], std::size_t(all.up_to[k] - before)});
      first = lasts[k] + 1;
      before = all.up_to[k];
    }
  }

  B& machine_;
  packed_view text_;
  std::size_t n_, taken_ = 0;
  std::uint64_t next_ = 0;
  key_sample sample_;
  std::vector<key_range> planned_;  // the next ones
};

}  // namespace ordo::suffix::detail
