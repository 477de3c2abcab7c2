#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "base/bits.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "suffix/sort/buffer_sizes.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/packed_text.hpp"

// Induced sorting (SA-IS: Nong, Zhang and Chan, DCC'09), on one thread: linear time for any common prefixes, in the memory of
// the order itself and a counter for each letter.
//
// A suffix is of type S if it is smaller than the suffix one letter later, otherwise of type L. The empty suffix at a record's
// end is smaller than all others, and smaller than those of later records. A suffix of type S whose predecessor is of type L is
// an LMS suffix. The order of the LMS suffixes induces that of all L suffixes in one pass, and these that of all S suffixes in
// a second. The LMS suffixes are sorted by their letters up to the next LMS suffix, by the same two passes, and numbered; if
// numbers repeat, the suffixes of the string of numbers are sorted first, in the same way.
namespace ordo::inline v0::suffix::detail {

/// Two adjacent letters of a string.
template <class Letter>
struct adjacent_letters {
  Letter before, here;
};

/// A packed text and its records, as a string.
class induced_text {
 public:
  using letter_type = unsigned;
  static constexpr bool is_small = true;  // whether the counters of letters fit into the fastest cache

  /// @param bounds  the start of each record, and the end of the last one
  induced_text(packed_view text, std::span<std::uint64_t const> bounds)
      : words_(text.words), breaks_(text.breaks), bits_(text.letter_bits), bounds_(bounds) {}

  [[nodiscard]] std::size_t size() const { return std::size_t(bounds_.back()); }
  [[nodiscard]] std::size_t letters() const { return std::size_t{1} << bits_; }
  [[nodiscard]] unsigned letter(std::size_t p) const { return unsigned(bits_from(words_, p * bits_) >> (64 - bits_)); }
  /// Returns the letter at p and the one before it, which may be of another record; at 0 that one is arbitrary.
  [[nodiscard]] adjacent_letters<unsigned> adjacent(std::size_t p) const {
    std::uint64_t const both = bits_from(words_, (p - (p != 0)) * bits_);
    return {unsigned(both >> (64 - bits_)), unsigned(both << (p != 0) * bits_ >> (64 - bits_))};
  }
  [[nodiscard]] bool begins_record(std::size_t p) const { return breaks_(p); }
  /// Prefetches the letters before p.
  void prefetch(std::size_t p) const { ordo::prefetch(words_ + p * bits_ / 64); }
  /// Returns whether two positions agree in `count` letters.
  [[nodiscard]] bool agree(std::size_t p, std::size_t q, std::size_t count) const {
    std::size_t bits = count * bits_, a = p * bits_, b = q * bits_;
    for (; bits > 64; bits -= 64, a += 64, b += 64)
      if (bits_from(words_, a) != bits_from(words_, b)) return false;
    return ((bits_from(words_, a) ^ bits_from(words_, b)) >> (64 - bits)) == 0;
  }

  /// Returns whether a record ends in [p, q].
  [[nodiscard]] bool ends_record(std::size_t p, std::size_t q) const {
    for (; q - p >= 64; p += 64)
      if (breaks_.distance(p) != 64) return true;
    return breaks_.distance(p) <= q - p;
  }

  /// Calls use(begin, end) for each record that is not empty, in order.
  template <class Use>
  void each_record(Use use) const {
    for (std::size_t r = 0; r + 1 < bounds_.size(); ++r)
      if (bounds_[r] != bounds_[r + 1]) use(std::size_t(bounds_[r]), std::size_t(bounds_[r + 1]));
  }

 private:
  std::uint64_t const* words_;
  break_mask breaks_;
  unsigned bits_;
  std::span<std::uint64_t const> bounds_;
};

/// The string of the numbers of LMS suffixes: a single record.
template <class Number>
class induced_numbers {
 public:
  using letter_type = Number;
  static constexpr bool is_small = false;

  /// @param letters  the number of different numbers
  induced_numbers(std::span<Number const> numbers, std::size_t letters) : numbers_(numbers), letters_(letters) {}

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::size_t letters() const { return letters_; }
  [[nodiscard]] Number letter(std::size_t p) const { return numbers_[p]; }
  [[nodiscard]] adjacent_letters<Number> adjacent(std::size_t p) const { return {numbers_[p - (p != 0)], numbers_[p]}; }
  [[nodiscard]] bool begins_record(std::size_t p) const { return p == 0; }
  void prefetch(std::size_t p) const { ordo::prefetch(numbers_.data() + p - (p != 0)); }
  [[nodiscard]] bool agree(std::size_t p, std::size_t q, std::size_t count) const {
    for (std::size_t k = 0; k < count; ++k)
      if (numbers_[p + k] != numbers_[q + k]) return false;
    return true;
  }
  [[nodiscard]] bool ends_record(std::size_t, std::size_t q) const { return q == size(); }
  template <class Use>
  void each_record(Use use) const {
    use(std::size_t{0}, size());
  }

 private:
  std::span<Number const> numbers_;
  std::size_t letters_;
};

/// Sorts the suffixes of a string.
template <Backend B, class Index, class String>
class induced_sort {
  static constexpr Index mark = Index{1} << (std::numeric_limits<Index>::digits - 1), empty = ~Index{0};

 public:
  /// @param memory  receives the order at its beginning; the rest is temporary memory
  induced_sort(B& backend, String const& string, std::span<Index> memory)
      : backend_(backend), string_(string), n_(string.size()), memory_(memory), order_(memory.data()) {}

  /// Returns whether an entry has a spare bit for the mark.
  static constexpr bool can_sort(std::size_t n) { return n < mark - 1; }

  /// Returns the maximum temporary memory in bytes for n letters: the sets of the LMS suffixes of all strings, each of which
  /// has at most half the letters of the one before, and the counters of one.
  /// @param letters  the maximum number of different ones in the text, a power of two
  static std::size_t memory(std::size_t n, std::size_t letters) {
    std::size_t bytes = buffer_sizes::of(n, sizeof(Index));
    for (std::size_t size = n; size != 0; size /= 2) bytes += buffer_sizes::of(set_words(size), sizeof(set_word));
    return bytes + buffer_sizes::of(2 * std::max<std::size_t>(letters, 256), sizeof(Index));
  }

  void sort() {
    if (n_ == 0) return;
    reserve_counters();
    find_lms();
    if (chosen_ > 1) {
      place_by_first_letter();
      induce_substrings();
      gather_substrings();
      if (std::size_t const names = number_substrings(); names != chosen_) sort_numbers(names);
      if constexpr (!String::is_small) {  // their memory has been overwritten
        reserve_counters();
        for (std::size_t p = 0; p < n_; ++p) ++counts_[string_.letter(p)];
      }
      place_in_order();
    } else {
      std::fill_n(order_, n_, empty);
      go_to_ends();
      each_lms([&](std::size_t p) { order_[--at_[string_.letter(p)]] = Index(p); });
    }
    induce_suffixes();
  }

 private:
  using letter_type = typename String::letter_type;
  static constexpr std::size_t far = 64, soon = 32;  // distances of prefetches, in entries

  /// Counts the letters, and makes the set of the LMS suffixes. n ends the set.
  void find_lms() {
    std::size_t const words = set_words(n_);
    set_ = backend_.template buffer<set_word>(words);
    set_word* const to = set_.data();
    for (std::size_t w = 0; w < words; ++w) to[w].bits = 0;
    string_.each_record([&](std::size_t begin, std::size_t end) {
      letter_type next = string_.letter(end - 1);
      ++counts_[next];
      std::uint64_t is_s = 0, bits = 0;
      for (std::size_t p = end - 1; p-- > begin;) {
        letter_type const letter = string_.letter(p);
        ++counts_[letter];
        std::uint64_t const was_s = is_s;
        is_s = std::uint64_t(letter < next) | (std::uint64_t(letter == next) & was_s);
        bits |= (was_s & ~is_s) << (63 - (p + 1) % 64);
        if ((p + 1) % 64 == 0) to[(p + 1) / 64].bits |= std::exchange(bits, 0);
        next = letter;
      }
      to[begin / 64].bits |= bits;
    });
    chosen_ = 0;
    for (std::size_t w = 0; w < words; ++w) to[w].end = chosen_ += count_ones(to[w].bits);
    to[n_ / 64].bits |= std::uint64_t{1} << (63 - n_ % 64);
    ++to[n_ / 64].end;
    lms_ = {to, 1};
  }
  /// Calls use(p) for each LMS suffix, in order.
  template <class Use>
  void each_lms(Use use) const {
    lms_.each(0, n_, use);
  }

  /// Makes the counters of letters, all 0, in the part of the memory that string and order leave free, if it is large enough.
  void reserve_counters() {
    std::size_t const letters = string_.letters();
    std::span<Index> const room = memory_.subspan(n_);
    if (!String::is_small && room.size() >= 2 * letters) {
      counts_ = room.first(letters);
      at_ = room.subspan(letters, letters).data();
    } else {
      counters_ = {};  // frees the old ones first
      counters_ = backend_.template buffer<Index>(2 * letters);
      counts_ = counters_.span().first(letters);
      at_ = counters_.data() + letters;
    }
    std::ranges::fill(counts_, Index{0});
  }

  /// Sets at_[c] to the row at which the suffixes that begin with letter c begin, or end.
  void go_to_begins() {
    Index place = 0;
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      at_[c] = place;
      place += counts_[c];
    }
  }
  void go_to_ends() {
    Index place = 0;
    for (std::size_t c = 0; c < counts_.size(); ++c) at_[c] = place += counts_[c];
  }

  /// Moves the LMS suffixes to the ends of the buckets of their letters.
  void place_by_first_letter() {
    std::fill_n(order_, n_, empty);
    go_to_ends();
    each_lms([&](std::size_t p) { order_[--at_[string_.letter(p)]] = Index(p); });
  }

  /// Prefetches for entries that a pass over marked, or unmarked, entries will read.
  template <bool Marked>
  void prefetch(Index later, Index sooner) const {
    string_.prefetch(looked_at<Marked>(later));
    if constexpr (sizeof(letter_type) > 2 && !String::is_small) ordo::prefetch(at_ + string_.letter(looked_at<Marked>(sooner)));
  }
  /// Returns the position before that of an entry to be read, or 0.
  template <bool Marked>
  static std::size_t looked_at(Index entry) {
    Index const p = Marked ? entry ^ mark : entry;
    return p - 1 < mark - 2 ? p - 1 : 0;  // an empty entry without the mark is mark - 1
  }

  /// Appends suffix q, of type L, to the bucket of its letter; marked if its predecessor is of type S.
  void put_l(std::size_t q) {
    auto const [before, here] = string_.adjacent(q);
    order_[at_[here]++] = Index(q) | (before < here ? mark : Index{0});
  }
  void put_ends() {
    string_.each_record([&](std::size_t, std::size_t end) { put_l(end - 1); });
  }

  /// Leaves the LMS suffixes, ordered by their letters up to the next one, and empty entries.
  void induce_substrings() {
    go_to_begins();
    put_ends();
    for (std::size_t i = 0; i < n_; ++i) {
      if (i + far < n_) prefetch<false>(order_[i + far], order_[i + soon]);
      Index const p = order_[i];
      if (p >= mark) continue;
      order_[i] = empty;
      if (!string_.begins_record(p)) put_l(p - 1);
    }
    go_to_ends();
    for (std::size_t i = n_; i-- > 0;) {
      if (i >= far) prefetch<true>(order_[i - far], order_[i - soon]);
      Index const entry = order_[i];
      if (Index(entry + 1) <= mark) continue;  // not marked, or empty
      Index const p = entry & ~mark;
      order_[i] = empty;
      if (string_.begins_record(p)) continue;
      auto const [before, here] = string_.adjacent(p - 1);
      bool const is_lms = before > here && !string_.begins_record(p - 1);
      order_[--at_[here]] = Index(p - 1) | (is_lms ? Index{0} : mark);
    }
  }

  /// Sorts all suffixes, given the LMS suffixes in order at the ends of the buckets of their letters.
  void induce_suffixes() {
    go_to_begins();
    put_ends();
    // From here on the mark of each entry is inverted.
    for (std::size_t i = 0; i < n_; ++i) {
      if (i + far < n_) prefetch<false>(order_[i + far], order_[i + soon]);
      Index const p = order_[i];
      order_[i] = p ^ mark;
      if (p < mark && !string_.begins_record(p)) put_l(p - 1);
    }
    go_to_ends();
    for (std::size_t i = n_; i-- > 0;) {
      if (i >= far) prefetch<false>(order_[i - far], order_[i - soon]);
      Index const p = order_[i];
      if (p >= mark) {
        order_[i] = p & ~mark;
      } else if (!string_.begins_record(p)) {
        auto const [before, here] = string_.adjacent(p - 1);
        order_[--at_[here]] = Index(p - 1) | (before > here ? mark : Index{0});
      }
    }
  }

  void gather_substrings() {
    std::size_t count = 0;
    for (std::size_t i = 0; count < chosen_; ++i) {
      Index const p = order_[i];
      order_[count] = p;
      count += p < mark;
    }
  }

  /// Numbers the substrings, which are in order; equal ones get equal numbers. Stores the numbers in the order of the text at
  /// the end of the memory.
  /// @returns the count of different numbers
  std::size_t number_substrings() {
    std::span<Index> const numbers = memory_.last(chosen_);
    std::size_t last = 0, last_length = 0, names = 0;  // length 0: of a substring that differs from all others
    for (std::size_t i = 0; i < chosen_; ++i) {
      if (i + far < chosen_) {
        lms_.prefetch(numbers.data(), order_[i + far]);
        string_.prefetch(order_[i + far]);
      }
      std::size_t const p = order_[i], next = lms_.next(p + 1);
      std::size_t const length = string_.ends_record(p + 1, next) ? 0 : next - p + 1;
      names += length == 0 || length != last_length || !string_.agree(last, p, length);
      numbers[lms_(p)] = Index(names - 1);
      last = p;
      last_length = length;
    }
    return names;
  }

  /// Sorts the suffixes of the string of numbers, which are in the order of the LMS suffixes.
  void sort_numbers(std::size_t names) {
    std::span<Index> const numbers = memory_.last(chosen_), rest = memory_.first(memory_.size() - chosen_);
    if constexpr (!String::is_small) counters_ = {};
    if (names <= std::size_t{1} << 16) {
      auto* const narrow = reinterpret_cast<std::uint16_t*>(numbers.data());
      for (std::size_t i = 0; i < chosen_; ++i) narrow[i] = std::uint16_t(numbers[i]);
      using string = induced_numbers<std::uint16_t>;
      induced_sort<B, Index, string>(backend_, string({narrow, chosen_}, names), rest).sort();
    } else {
      using string = induced_numbers<Index>;
      induced_sort<B, Index, string>(backend_, string(numbers, names), rest).sort();
    }
    Index* to = numbers.data();
    each_lms([&](std::size_t p) { *to++ = Index(p); });
    for (std::size_t i = 0; i < chosen_; ++i) {
      if (i + far < chosen_) ordo::prefetch(numbers.data() + order_[i + far]);
      order_[i] = numbers[order_[i]];
    }
  }

  /// Moves the LMS suffixes, in order at the beginning, to the ends of the buckets of their letters.
  void place_in_order() {
    std::fill(order_ + chosen_, order_ + n_, empty);
    go_to_ends();
    for (std::size_t i = chosen_; i-- > 0;) {
      if (i >= far) string_.prefetch(order_[i - far]);
      Index const p = order_[i];
      order_[i] = empty;
      order_[--at_[string_.letter(p)]] = p;
    }
  }

  B& backend_;
  String string_;
  std::size_t n_, chosen_ = 0;  // of suffixes, and of LMS suffixes
  std::span<Index> memory_;
  Index* order_;
  buffer<set_word> set_;
  numbered_position lms_{};
  std::span<Index> counts_;  // of each letter
  Index* at_ = nullptr;      // the next row of each letter
  buffer<Index> counters_;   // if the memory has no room for them
};

}  // namespace ordo::inline v0::suffix::detail
