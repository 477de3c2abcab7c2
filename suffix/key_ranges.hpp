#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sort_core/backend.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/buffer_sizes.hpp"
#include "suffix/packed_text.hpp"
#include "suffix/range_finder.hpp"
#include "suffix/select_positions.hpp"

namespace ordo::suffix::detail {

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

/// Numbers of eight positions, of which each is that of the range of its suffix's first key.
struct write_numbers {
  static constexpr std::size_t at_once = 8;
  packed_view text;
  std::size_t n;
  range_finder const* range_of;
  std::uint64_t* numbers;

  ORDO_FN void operator()(std::size_t i) const {
    std::uint64_t all = 0;
    for (std::size_t k = 0; k < at_once; ++k) {
      std::size_t const p = at_once * i + k;
      all |= std::uint64_t(p < n ? (*range_of)(text.key_in_passing(p)) : range_finder::none) << (8 * k);
    }
    numbers[i] = all;
  }
};

/// Times a number: eight of it.
constexpr std::uint64_t in_each_byte = 0x0101010101010101;

/// Bit k: is byte k of x 0?
ORDO_FN constexpr unsigned zero_bytes(std::uint64_t x) {
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
  std::uint64_t const zero = ~(((x & low) + low) | x | low);  // the highest bit of those
  return unsigned((zero >> 7) * 0x0102040810204080 >> 56);
}

/// Bit k of word b: has position 64 b + k this number?
struct has_number {
  std::uint64_t const* numbers;
  std::size_t words;   // of eight numbers
  std::uint64_t each;  // the number, eight times

  ORDO_FN std::uint64_t operator()(std::size_t b) const {
    std::uint64_t found = 0;
    for (unsigned k = 0; k < 8 && 8 * b + k < words; ++k)
      found |= std::uint64_t(zero_bytes(numbers[8 * b + k] ^ each)) << (8 * k);
    return found;
  }
};

/// Cuts the suffixes of a text by their first keys into ranges that follow each other in the order. A sample of the keys says
/// where to cut, a count of all of them whether a range is short enough: whatever the text, none is too long but one of a
/// single key. The keys are looked at once for up to 255 ranges; of which a position's is one, a byte says. Memory: 5/4 bytes a
/// letter.
template <Backend B>
class key_ranges {
 public:
  /// Of a text of n letters.
  static std::size_t memory(std::size_t n) {
    return selected_positions<B>::memory(n) + buffer_sizes::of(words_of(n), sizeof(std::uint64_t)) +
           std::max(buffer_sizes::of(1, sizeof(range_finder)), buffer_sizes::of(key_sample::size_of(n), sizeof(std::uint64_t)));
  }

  /// @param n  how many letters there are
  key_ranges(B& machine, packed_view text, std::size_t n)
      : machine_(machine),
        text_(text),
        n_(n),
        sample_(machine, text, n),
        numbers_(machine.template buffer<std::uint64_t>(words_of(n))),
        selected_(machine, n) {}

  /// Are there suffixes left?
  [[nodiscard]] bool more() const { return taken_ < n_; }

  /// The next range that is not empty. It has no more than `most` suffixes, unless all of them share their key.
  key_range next(std::size_t most) {
    for (;;) {
      if (number_ == lasts_.size()) divide(lasts_by_sample(most));
      key_range const found{next_, lasts_[number_],
                            selected_.select(has_number{numbers_.data(), numbers_.size(), number_ * in_each_byte})};
      if (found.count > most && found.first != found.last) {
        divide(finer(found));
        continue;
      }
      ++number_;
      next_ = found.last + 1;
      taken_ += found.count;
      if (found.count != 0) return found;
    }
  }

  /// part := the suffixes of the range that next() returned last, by position.
  template <class Index>
  void bring(key_range const&, std::span<Index> part) const {
    selected_.write(part);
  }

 private:
  static constexpr std::size_t words_of(std::size_t n) { return (n + write_numbers::at_once - 1) / write_numbers::at_once; }
  static constexpr unsigned halvings = 5;

  [[nodiscard]] std::vector<std::uint64_t> lasts_by_sample(std::size_t most) const {
    std::vector<std::uint64_t> lasts;
    do {
      std::uint64_t const first = lasts.empty() ? next_ : lasts.back() + 1;
      lasts.push_back(n_ - taken_ <= most ? ~std::uint64_t{0} : sample_.last_of(first, most, n_));
    } while (lasts.size() < range_finder::most && lasts.back() != ~std::uint64_t{0});
    return lasts;
  }

  /// The ranges that are planned, but the first one, which has too many suffixes, in parts.
  [[nodiscard]] std::vector<std::uint64_t> finer(key_range const& found) const {
    std::vector<std::uint64_t> lasts{found.last};
    for (unsigned k = 0; k < halvings; ++k) {
      std::vector<std::uint64_t> more;
      std::uint64_t first = found.first;
      for (std::uint64_t const last : lasts) {
        if (first < last) more.push_back(sample_.middle_of(first, last));
        more.push_back(last);
        first = last + 1;
      }
      lasts = std::move(more);
    }
    for (std::size_t k = number_ + 1; k < lasts_.size() && lasts.size() < range_finder::most; ++k) lasts.push_back(lasts_[k]);
    return lasts;
  }

  /// Numbers the ranges from next_ on that end with these keys.
  void divide(std::vector<std::uint64_t> lasts) {
    range_finder const range_of(next_, lasts);
    auto const finder = machine_.upload(std::span<range_finder const>(&range_of, 1));
    machine_.each(numbers_.size(), write_numbers{text_, n_, finder.data(), numbers_.data()});
    lasts_ = std::move(lasts);
    number_ = 0;
  }

  B& machine_;
  packed_view text_;
  std::size_t n_, taken_ = 0;
  std::uint64_t next_ = 0;  // the first key of what is left
  key_sample sample_;
  buffer<std::uint64_t> numbers_;
  selected_positions<B> selected_;
  std::vector<std::uint64_t> lasts_;  // of the ranges that have numbers
  std::size_t number_ = 0;            // of the next one
};

}  // namespace ordo::suffix::detail
