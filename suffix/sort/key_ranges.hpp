#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/backend.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/sort/buffer_sizes.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/sort/range_finder.hpp"
#include "suffix/sort/select_positions.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::suffix::detail {

/// The key of the i-th of `size` suffixes that lie at about equal distances in a text of n letters.
template <class Numbers>
struct sampled_key {
  packed_view text;
  std::size_t n, size;
  Numbers chosen;
  std::uint64_t* keys;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const p = chosen.next(n / size * i + n % size * i / size);
    keys[i] = text.key(p < n ? p : 0);  // the end is in every set, and so is the begin
  }
};

/// The keys of some suffixes of a text, in order: they tell where to cut all of them.
class key_sample {
 public:
  /// Of a text of n letters. @param chosen  whose suffixes, `count` of them
  template <Backend B, class Numbers>
  key_sample(B& machine, packed_view text, std::size_t n, std::size_t count, Numbers chosen) : keys_(size_of(count)) {
    auto const keys = machine.template buffer<std::uint64_t>(keys_.size());
    machine.each(keys_.size(), sampled_key<Numbers>{text, n, keys_.size(), chosen, keys.data()});
    machine.radix_sort(keys.span());
    machine.download(std::span<std::uint64_t const>(keys.span()), std::span<std::uint64_t>(keys_));
  }
  /// Of so many suffixes.
  template <Backend B>
  static std::size_t memory(std::size_t count) {
    std::size_t const size = size_of(count);
    return buffer_sizes::of(size, sizeof(std::uint64_t)) + B::radix_sort_memory(size, sizeof(std::uint64_t), 0);
  }

  /// How many keys are looked at.
  static constexpr std::size_t size_of(std::size_t count) { return std::min(count / 16 + 1, std::size_t{1} << 16); }

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

/// Numbers of 16 positions, of four bits each: that of the range of a suffix's first key, if its position is chosen.
template <class Numbers>
struct write_numbers {
  static constexpr std::size_t at_once = 16;
  static constexpr unsigned none = 15;  // the number of those that are in no range
  packed_view text;
  std::size_t n;
  Numbers chosen;
  range_finder const* range_of;
  std::uint64_t* numbers;

  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const first = at_once * i, end = first + at_once < n ? first + at_once : n;
    std::uint64_t all = ~std::uint64_t{0};
    if (!text.breaks.are_far(first + 1)) {  // from all of them, and what their keys have
      for (std::size_t p = first; p < end; ++p)
        if (chosen.has(p)) put(all, p - first, (*range_of)(text, p));
    } else {
      unsigned const from_word = 32 / text.letter_bits + 1;  // whose first 32 bits 64 bits hold
      for (std::size_t p = first; p < end;) {
        std::uint64_t window = bits_from(text.words, p * text.letter_bits);
        for (unsigned k = 0; k < from_word && p < end; ++k, ++p, window <<= text.letter_bits)
          if (chosen.has(p)) put(all, p - first, (*range_of)(text, p, std::uint32_t(window >> 32)));
      }
    }
    numbers[i] = all;
  }

 private:
  /// Where none is.
  ORDO_FN static void put(std::uint64_t& numbers, std::size_t k, unsigned range) {
    if (range < none) numbers ^= std::uint64_t{none ^ range} << (4 * k);
  }
};

/// Bit k: are the four bits from 4 k on 0?
ORDO_FN constexpr unsigned zero_fours(std::uint64_t x) {
  x |= x >> 2;
  x |= x >> 1;
  x = ~x & 0x1111111111111111;
  x = (x | x >> 3) & 0x0303030303030303;
  x = (x | x >> 6) & 0x000f000f000f000f;
  x = (x | x >> 12) & 0x000000ff000000ff;
  return unsigned((x | x >> 24) & 0xffff);
}

/// Bit k of word b: has position 64 b + k this number?
struct has_number {
  std::uint64_t const* numbers;
  std::size_t words;  // of 16 numbers
  std::uint64_t number;

  ORDO_FN std::uint64_t operator()(std::size_t b) const {
    std::uint64_t const everywhere = number * 0x1111111111111111;
    std::uint64_t found = 0;
    for (unsigned k = 0; k < 4 && 4 * b + k < words; ++k)
      found |= std::uint64_t(zero_fours(numbers[4 * b + k] ^ everywhere)) << (16 * k);
    return found;
  }
};

/// Cuts the suffixes of a text, or of some of its positions, by their first keys into ranges that follow each other in the
/// order. A sample of the keys says where to cut, a count of all of them whether a range is short enough: whatever the text,
/// none is too long but one of a single key. The keys are looked at once for up to 15 ranges; to which one a position belongs,
/// four bits say. Memory: they, and an Index for 64 letters.
template <Backend B, class Index, class Numbers = every_position>
class key_ranges {
 public:
  /// Of a text of n letters, and so many suffixes.
  static std::size_t memory(std::size_t n, std::size_t count) {
    return selected_positions<B, Index>::memory(n) + buffer_sizes::of(words_of(n), sizeof(std::uint64_t)) +
           std::max(buffer_sizes::of(1, sizeof(range_finder)), key_sample::memory<B>(count));
  }

  /// @param n  how many letters there are @param count  how many of their suffixes are sorted @param chosen  which
  key_ranges(B& machine, packed_view text, std::size_t n, std::size_t count, Numbers chosen = {})
      : machine_(machine),
        text_(text),
        n_(n),
        count_(count),
        chosen_(chosen),
        sample_(machine, text, n, count, chosen),
        numbers_(machine.template buffer<std::uint64_t>(words_of(n))),
        selected_(machine, n) {}

  /// Are there suffixes left?
  [[nodiscard]] bool more() const { return taken_ < count_; }

  /// The next range that is not empty. It has no more than `most` suffixes, unless all of them share their key.
  key_range next(std::size_t most) {
    for (;;) {
      if (number_ == lasts_.size()) divide(lasts_by_sample(most));
      key_range const found{next_, lasts_[number_], selected_.count(numbered(number_))};
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
  void bring(key_range const&, std::span<Index> part) const { selected_.write(numbered(number_ - 1), part); }

 private:
  using numbering = write_numbers<Numbers>;
  static constexpr std::size_t words_of(std::size_t n) { return (n + numbering::at_once - 1) / numbering::at_once; }
  static constexpr std::size_t most_ranges = numbering::none;
  static constexpr unsigned halvings = 3;

  [[nodiscard]] has_number numbered(std::size_t number) const { return {numbers_.data(), numbers_.size(), number}; }

  [[nodiscard]] std::vector<std::uint64_t> lasts_by_sample(std::size_t most) const {
    std::vector<std::uint64_t> lasts;
    do {
      std::uint64_t const first = lasts.empty() ? next_ : lasts.back() + 1;
      lasts.push_back(count_ - taken_ <= most ? ~std::uint64_t{0} : sample_.last_of(first, most, count_));
    } while (lasts.size() < most_ranges && lasts.back() != ~std::uint64_t{0});
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
    for (std::size_t k = number_ + 1; k < lasts_.size() && lasts.size() < most_ranges; ++k) lasts.push_back(lasts_[k]);
    return lasts;
  }

  /// Numbers the ranges from next_ on that end with these keys.
  void divide(std::vector<std::uint64_t> lasts) {
    range_finder const range_of(text_, next_, lasts);
    auto const finder = machine_.upload(std::span<range_finder const>(&range_of, 1));
    machine_.each(numbers_.size(), numbering{text_, n_, chosen_, finder.data(), numbers_.data()});
    lasts_ = std::move(lasts);
    number_ = 0;
  }

  B& machine_;
  packed_view text_;
  std::size_t n_, count_, taken_ = 0;
  Numbers chosen_;
  std::uint64_t next_ = 0;  // the first key of what is left
  key_sample sample_;
  buffer<std::uint64_t> numbers_;
  selected_positions<B, Index> selected_;
  std::vector<std::uint64_t> lasts_;  // of the ranges that have numbers
  std::size_t number_ = 0;            // of the next one
};

}  // namespace ordo::suffix::detail
