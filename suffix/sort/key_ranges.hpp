#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/detail/fn.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/buffer_sizes.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::inline v0::suffix::detail {

/// Calls use(p, first 32 bits of the text at p) for the positions in [begin, end).
template <class Use>
ORDO_FN void each_top(packed_view const& text, std::size_t begin, std::size_t end, Use use) {
  unsigned const from_word = 32 / text.letter_bits + 1;  // the first of these have 32 bits in a window of 64
  for (std::size_t p = begin; p < end;) {
    std::uint64_t window = bits_from(text.words, p * text.letter_bits);
    for (unsigned k = 0; k < from_word && p < end; ++k, ++p, window <<= text.letter_bits) use(p, std::uint32_t(window >> 32));
  }
}

/// Finds the range of a suffix's key among adjacent ranges. The letters of a text are compared in place; a key is only computed
/// if they equal all letters at the begin of a range.
class range_finder {
 public:
  static constexpr unsigned max_ranges = 15;  // ranges
  static constexpr unsigned none = 255;       // returned for a key in no range

  /// @param text  defines the keys
  /// @param first  the first key of the first range
  /// @param lasts  the last key of each range, ascending; at least one
  range_finder(packed_view text, std::uint64_t first, std::span<std::uint64_t const> lasts)
      : letters_mask_(~std::uint64_t{0} << (64 - text.letters_in_window() * text.letter_bits)),
        ranges_(unsigned(lasts.size())) {
    std::ranges::fill(tops_, ~std::uint32_t{0});
    add_bound(text, first);
    for (std::uint64_t const last : lasts)
      if (last != ~std::uint64_t{0}) add_bound(text, last + 1);
  }

  /// Returns the range of p's key, if no record ends in the 64 letters after p.
  /// @param top  the first 32 bits of the text at p
  ORDO_FN unsigned operator()(packed_view const& text, std::size_t p, std::uint32_t top) const {
    top &= std::uint32_t(letters_mask_ >> 32);
    unsigned passed = 0;
    for (unsigned step = (max_ranges + 1) / 2; step != 0; step /= 2) passed += top >= tops_[passed + step - 1] ? step : 0;
    passed += top >= tops_[max_ranges];
    return number(passed != 0 && top == tops_[passed - 1] ? count_passed(text, p) : passed);
  }
  /// Returns true if p's key is in the first range, as fast as two comparisons. @param top  as above
  ORDO_FN bool is_in_first(packed_view const& text, std::size_t p, std::uint32_t top) const {
    top &= std::uint32_t(letters_mask_ >> 32);
    if (top == tops_[0] || top == tops_[1]) return (*this)(text, p) == 0;
    return tops_[0] < top && top < tops_[1];
  }
  /// Returns the range of p's key for any p.
  ORDO_FN unsigned operator()(packed_view const& text, std::size_t p) const { return number(count_passed(text, p)); }

 private:
  void add_bound(packed_view const& text, std::uint64_t key) {
    keys_[bounds_] = key;
    windows_[bounds_] = text.last_window(key);
    tops_[bounds_] = std::uint32_t(windows_[bounds_] >> 32);
    ++bounds_;
  }
  ORDO_FN unsigned number(unsigned passed) const { return passed - 1 < ranges_ ? passed - 1 : none; }
  /// Returns the number of bounds that are not after p's suffix.
  ORDO_FN unsigned count_passed(packed_view const& text, std::size_t p) const {
    std::uint64_t const letters = text.window(p) & letters_mask_;
    unsigned passed = 0;
    while (passed < bounds_ && (letters > windows_[passed] || (letters == windows_[passed] && text.key(p) >= keys_[passed])))
      ++passed;
    return passed;
  }

  std::uint64_t letters_mask_;
  unsigned ranges_, bounds_ = 0;
  // The begins of ranges, and the end of the last one: suffixes with greater letters are after it; with equal letters, the key
  // decides.
  std::uint32_t tops_[max_ranges + 1];  // the top of each window; the greatest number for unused entries
  std::uint64_t windows_[max_ranges + 1] = {}, keys_[max_ranges + 1] = {};
};

/// Stores the key of the i-th of `size` suffixes at about equal distances among `count` in a text of n letters.
template <class Numbers>
struct sampled_key {
  packed_view text;
  std::size_t n, count, size;
  Numbers chosen;
  std::uint64_t* keys;
  ORDO_FN void operator()(std::size_t i) const {
    keys[i] = count == 0 ? 0 : text.key(chosen.at(count / size * i + count % size * i / size, n));
  }
};

/// A sorted sample of keys, which decides where to cut ranges.
class key_sample {
 public:
  /// Samples a text of n letters.
  /// @param chosen  the positions whose suffixes are sorted, `count` of them
  template <Backend B, class Numbers>
  key_sample(B& backend, packed_view text, std::size_t n, std::size_t count, Numbers chosen) : keys_(sample_size(count)) {
    auto const keys = backend.template buffer<std::uint64_t>(keys_.size());
    backend.each(keys_.size(), sampled_key<Numbers>{text, n, count, keys_.size(), chosen, keys.data()});
    backend.radix_sort(keys.span());
    backend.download(std::span<std::uint64_t const>(keys.span()), std::span<std::uint64_t>(keys_));
  }
  /// Returns the memory of a sample of `count` suffixes.
  template <Backend B>
  static std::size_t memory(std::size_t count) {
    std::size_t const size = sample_size(count);
    return buffer_sizes::of(size, sizeof(std::uint64_t)) + B::radix_sort_memory(size, sizeof(std::uint64_t), 0);
  }

  /// Returns the number of keys in the sample.
  static constexpr std::size_t sample_size(std::size_t count) { return std::min(count / 16 + 1, std::size_t{1} << 16); }

  /// Returns the last key of a range that begins with key `first` and, according to the sample, has `max_count` suffixes less
  /// an eighth; the greatest possible key if no more are left.
  [[nodiscard]] std::uint64_t choose_last(std::uint64_t first, std::size_t max_count, std::size_t all) const {
    std::size_t const size =
        std::max<std::size_t>(1, std::size_t(double(max_count) / double(all) * double(keys_.size()) * 0.875));
    std::size_t const begin = std::size_t(std::ranges::lower_bound(keys_, first) - keys_.begin());
    return size >= keys_.size() - begin ? ~std::uint64_t{0} : std::max(first, keys_[begin + size] - 1);
  }
  /// Returns the first keys of `parts` ranges with about equally many suffixes. Some may be equal: then ranges are empty.
  [[nodiscard]] std::vector<std::uint64_t> choose_firsts(std::size_t parts) const {
    std::vector<std::uint64_t> firsts(parts, 0);
    for (std::size_t k = 1; k < parts; ++k) firsts[k] = keys_[keys_.size() / parts * k + keys_.size() % parts * k / parts];
    return firsts;
  }
  /// Returns a key in [first, last), first < last, that halves the sample in [first, last], or the range itself.
  [[nodiscard]] std::uint64_t choose_middle(std::uint64_t first, std::uint64_t last) const {
    auto const begin = std::ranges::lower_bound(keys_, first), end = std::ranges::upper_bound(keys_, last);
    if (end - begin > 1)
      if (std::uint64_t const middle = begin[(end - begin) / 2]; middle > first) return middle - 1;
    return first + (last - first) / 2;
  }

 private:
  std::vector<std::uint64_t> keys_;
};

/// The suffixes whose first keys are in [first, last].
struct key_range {
  std::uint64_t first, last;
  std::size_t count;  // number of these suffixes
};

/// Numbers 16 positions in four bits each: by the range of the suffix's first key, if the position is chosen.
template <class Numbers>
struct write_numbers {
  static constexpr std::size_t at_once = 16;
  static constexpr unsigned none = 15;  // number of positions in no range
  packed_view text;
  std::size_t n;
  Numbers chosen;
  range_finder const* find_range;
  std::uint64_t* numbers;

  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const first = at_once * i, end = first + at_once < n ? first + at_once : n;
    std::uint64_t all = ~std::uint64_t{0};
    if (!text.breaks.are_far(first + 1)) {  // reads whole keys near the end of a record
      for (std::size_t p = first; p < end; ++p)
        if (chosen.has(p)) put(all, p - first, (*find_range)(text, p));
    } else {
      each_top(text, first, end, [&](std::size_t p, std::uint32_t top) {
        if (chosen.has(p)) put(all, p - first, (*find_range)(text, p, top));
      });
    }
    numbers[i] = all;
  }

 private:
  /// Replaces `none` by a number.
  ORDO_FN static void put(std::uint64_t& numbers, std::size_t k, unsigned range) {
    if (range < none) numbers ^= std::uint64_t{none ^ range} << (4 * k);
  }
};

/// Returns a word whose bit k says whether the four bits from 4 k on are 0.
ORDO_FN constexpr unsigned zero_fours(std::uint64_t x) {
  x |= x >> 2;
  x |= x >> 1;
  x = ~x & 0x1111111111111111;
  x = (x | x >> 3) & 0x0303030303030303;
  x = (x | x >> 6) & 0x000f000f000f000f;
  x = (x | x >> 12) & 0x000000ff000000ff;
  return unsigned((x | x >> 24) & 0xffff);
}

/// Sets bit k of word b if position 64 b + k has this number.
struct has_number {
  std::uint64_t const* numbers;
  std::size_t words;  // words of 16 numbers
  std::uint64_t number;

  ORDO_FN std::uint64_t operator()(std::size_t b) const {
    std::uint64_t const everywhere = number * 0x1111111111111111;
    std::uint64_t result = 0;
    for (unsigned k = 0; k < 4 && 4 * b + k < words; ++k)
      result |= std::uint64_t(zero_fours(numbers[4 * b + k] ^ everywhere)) << (16 * k);
    return result;
  }
};

/// Cuts the suffixes of a text, or of some of its positions, by their first keys into consecutive ranges. A sample of the keys
/// decides where to cut; a count of all keys decides whether a range is short enough. So for any text only a range of a single
/// key can be too long. One pass over the keys finds up to 15 ranges, whose numbers are stored in four bits for each position.
/// Memory: these bits, and an Index for every 64 letters.
template <Backend B, class Index, class Numbers = every_position>
class key_ranges {
 public:
  /// Returns the memory for a text of n letters and `count` suffixes.
  static std::size_t memory(std::size_t n, std::size_t count) {
    return selected_positions<B, Index>::memory(n) + buffer_sizes::of(num_words(n), sizeof(std::uint64_t)) +
           std::max(buffer_sizes::of(1, sizeof(range_finder)), key_sample::memory<B>(count));
  }

  /// @param n  letters of the text
  /// @param count  suffixes that are sorted
  /// @param chosen  their positions
  key_ranges(B& backend, packed_view text, std::size_t n, std::size_t count, Numbers chosen = {})
      : backend_(backend),
        text_(text),
        n_(n),
        count_(count),
        chosen_(chosen),
        sample_(backend, text, n, count, chosen),
        numbers_(backend.template buffer<std::uint64_t>(num_words(n))),
        selected_(backend, n) {}

  /// Returns true if suffixes are left.
  [[nodiscard]] bool more() const { return taken_ < count_; }

  /// Returns the next range that is not empty. It has at most `max_count` suffixes, unless all of them share one key.
  key_range next(std::size_t max_count) {
    for (;;) {
      if (number_ == lasts_.size()) divide(lasts_by_sample(max_count));
      key_range const range{next_, lasts_[number_], selected_.count(numbered(number_))};
      if (range.count > max_count && range.first != range.last) {
        divide(finer(range));
        continue;
      }
      ++number_;
      next_ = range.last + 1;
      taken_ += range.count;
      if (range.count != 0) return range;
    }
  }

  /// Sets part to the suffixes of the range that next() returned last, in the order of positions.
  void bring(key_range const&, std::span<Index> part) const { selected_.write(numbered(number_ - 1), part); }

 private:
  using numbering = write_numbers<Numbers>;
  static constexpr std::size_t num_words(std::size_t n) { return (n + numbering::at_once - 1) / numbering::at_once; }
  static constexpr std::size_t max_ranges = numbering::none;
  static constexpr unsigned halvings = 3;

  [[nodiscard]] has_number numbered(std::size_t number) const { return {numbers_.data(), numbers_.size(), number}; }

  [[nodiscard]] std::vector<std::uint64_t> lasts_by_sample(std::size_t max_count) const {
    std::vector<std::uint64_t> lasts;
    do {
      std::uint64_t const first = lasts.empty() ? next_ : lasts.back() + 1;
      lasts.push_back(count_ - taken_ <= max_count ? ~std::uint64_t{0} : sample_.choose_last(first, max_count, count_));
    } while (lasts.size() < max_ranges && lasts.back() != ~std::uint64_t{0});
    return lasts;
  }

  /// Splits the first planned range, which has too many suffixes, and keeps the others.
  [[nodiscard]] std::vector<std::uint64_t> finer(key_range const& range) const {
    std::vector<std::uint64_t> lasts{range.last};
    for (unsigned k = 0; k < halvings; ++k) {
      std::vector<std::uint64_t> more;
      std::uint64_t first = range.first;
      for (std::uint64_t const last : lasts) {
        if (first < last) more.push_back(sample_.choose_middle(first, last));
        more.push_back(last);
        first = last + 1;
      }
      lasts = std::move(more);
    }
    for (std::size_t k = number_ + 1; k < lasts_.size() && lasts.size() < max_ranges; ++k) lasts.push_back(lasts_[k]);
    return lasts;
  }

  /// Numbers the ranges from next_ on that end with these keys.
  void divide(std::vector<std::uint64_t> lasts) {
    range_finder const find_range(text_, next_, lasts);
    auto const finder = backend_.upload(std::span<range_finder const>(&find_range, 1));
    backend_.each(numbers_.size(), numbering{text_, n_, chosen_, finder.data(), numbers_.data()});
    lasts_ = std::move(lasts);
    number_ = 0;
  }

  B& backend_;
  packed_view text_;
  std::size_t n_, count_, taken_ = 0;
  Numbers chosen_;
  std::uint64_t next_ = 0;  // the first key that has not been returned
  key_sample sample_;
  buffer<std::uint64_t> numbers_;
  selected_positions<B, Index> selected_;
  std::vector<std::uint64_t> lasts_;  // the last row of each numbered range
  std::size_t number_ = 0;            // number of the next range
};

}  // namespace ordo::inline v0::suffix::detail
