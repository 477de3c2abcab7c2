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
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/buffer_sizes.hpp"
#include "suffix/text/packed_text.hpp"

// Induced sorting (SA-IS: Nong, Zhang and Chan, DCC'09), on one thread: linear time for any common prefixes, in the memory of
// the order itself, the letters, and counters for each letter.
//
// A suffix is of type S if it is smaller than the suffix one letter later, otherwise of type L. The empty suffix at a record's
// end is smaller than all others, and smaller than those of later records. A suffix of type S whose predecessor is of type L is
// an LMS suffix. The order of the LMS suffixes induces that of all L suffixes in one pass, and these that of all S suffixes in
// a second. The LMS suffixes are sorted by their letters up to the next LMS suffix, by the same two passes, and numbered; if
// numbers repeat, the suffixes of the string of numbers are sorted first, in the same way.
//
// If there are few letters, the passes that sort these substrings keep those of a letter in two lists: those that the pass goes
// on from, and those that it does not. So no pass reads an entry in vain, or guesses what comes next. An entry is marked if its
// substring differs from that of the entry before. One comparison with the last entry of its list decides.
namespace ordo::inline v0::suffix::detail {

/// Two adjacent letters of a string.
template <class Letter>
struct adjacent_letters {
  Letter before, here;
};

/// A text and its records, as a string. The first letter of a record is stored with a mark, a power of two above all letters.
template <class Letter>
class induced_text {
 public:
  using letter_type = Letter;
  static constexpr bool is_text = true, has_marks = true, may_have_lists = sizeof(Letter) <= 2;

  /// Returns the number of letters that are stored for n of a text.
  static constexpr std::size_t stored(std::size_t n) { return n + 2; }
  /// Stores a text.
  /// @param bounds  the start of each record, and the end of the last one
  /// @param memory  stored(n) letters
  induced_text(packed_view text, std::span<std::uint64_t const> bounds, Letter* memory)
      : at_(memory + 1), mark_(Letter(std::size_t{1} << text.letter_bits)), bounds_(bounds) {
    unsigned const bits = text.letter_bits, in_word = 64 / bits;
    std::size_t const n = size();
    std::size_t p = 0;
    memory[0] = 0;
    if constexpr (sizeof(Letter) == 1)
      for (; n - p >= 8; p += 8)
        store_big_endian(memory + p + 1, unpack_eight(bits_from(text.words, p * bits) >> (64 - 8 * bits), bits), 8);
    while (p < n) {
      std::uint64_t word = bits_from(text.words, p * bits);
      for (std::size_t const end = std::min<std::size_t>(n, p + in_word); p < end; ++p, word <<= bits)
        memory[p + 1] = Letter(word >> (64 - bits));
    }
    mark_records(memory);
  }
  /// Stores a text of bytes.
  /// @param letters  above all bytes, a power of two
  induced_text(std::span<unsigned char const> bytes, std::size_t letters, std::span<std::uint64_t const> bounds, Letter* memory)
      : at_(memory + 1), mark_(Letter(letters)), bounds_(bounds) {
    memory[0] = 0;
    std::ranges::copy(bytes, memory + 1);
    mark_records(memory);
  }

  [[nodiscard]] std::size_t size() const { return std::size_t(bounds_.back()); }
  [[nodiscard]] std::size_t letters() const { return mark_; }
  [[nodiscard]] std::size_t stored_letters() const { return std::size_t{2} * mark_; }
  [[nodiscard]] Letter letter(std::size_t p) const { return at_[p] & (mark_ - 1); }
  /// Returns the letter at p and the one before it, which may be of another record; at 0 that one is arbitrary.
  [[nodiscard]] adjacent_letters<Letter> adjacent(std::size_t p) const { return {letter(p - 1), letter(p)}; }
  /// Returns a stored letter without its mark.
  [[nodiscard]] std::size_t plain(std::size_t letter) const { return letter & (mark_ - std::size_t{1}); }
  /// Returns the same as adjacent, with the mark of the letter at p.
  [[nodiscard]] adjacent_letters<Letter> stored_adjacent(std::size_t p) const { return {letter(p - 1), at_[p]}; }
  /// Does so at any position but the first one of a string without marks.
  [[nodiscard]] adjacent_letters<Letter> later_adjacent(std::size_t p) const { return stored_adjacent(p); }
  [[nodiscard]] bool begins_record(std::size_t p) const { return (at_[p] & mark_) != 0; }
  /// Prefetches the letters before p.
  void prefetch(std::size_t p) const { ordo::prefetch(at_ + p - 1); }
  /// Returns true if two positions agree in `count` letters.
  [[nodiscard]] bool agree(std::size_t p, std::size_t q, std::size_t count) const {
    return std::equal(at_ + p, at_ + p + count, at_ + q);
  }
  /// Returns true if a record ends in [p, q].
  [[nodiscard]] bool ends_record(std::size_t p, std::size_t q) const {
    while (p <= q && !begins_record(p)) ++p;
    return p <= q;
  }
  /// Calls use(begin, end) for each record that is not empty, in order.
  template <class Use>
  void each_record(Use use) const {
    for (std::size_t r = 0; r + 1 < bounds_.size(); ++r)
      if (bounds_[r] != bounds_[r + 1]) use(std::size_t(bounds_[r]), std::size_t(bounds_[r + 1]));
  }

 private:
  void mark_records(Letter* memory) const {
    memory[size() + 1] = mark_;
    each_record([&](std::size_t begin, std::size_t) { memory[begin + 1] |= mark_; });
  }

  Letter const* at_;
  Letter mark_;
  std::span<std::uint64_t const> bounds_;
};

/// A string of a single record, without marks, which it does not store: that of the numbers of LMS suffixes, or a text of
/// bytes.
template <class Number>
class induced_numbers {
 public:
  using letter_type = Number;
  static constexpr bool is_text = sizeof(Number) == 1, has_marks = false, may_have_lists = sizeof(Number) <= 2;

  /// @param letters  the number of different numbers
  induced_numbers(std::span<Number const> numbers, std::size_t letters) : numbers_(numbers), letters_(letters) {}

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::size_t letters() const { return letters_; }
  [[nodiscard]] std::size_t stored_letters() const { return letters_; }
  [[nodiscard]] Number letter(std::size_t p) const { return numbers_[p]; }
  [[nodiscard]] adjacent_letters<Number> adjacent(std::size_t p) const { return {numbers_[p - (p != 0)], numbers_[p]}; }
  [[nodiscard]] std::size_t plain(std::size_t letter) const { return letter; }
  [[nodiscard]] adjacent_letters<Number> stored_adjacent(std::size_t p) const { return adjacent(p); }
  [[nodiscard]] adjacent_letters<Number> later_adjacent(std::size_t p) const { return {numbers_[p - 1], numbers_[p]}; }
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
class induced_sorter {
  static constexpr unsigned mark_at = std::numeric_limits<Index>::digits - 1;
  static constexpr Index mark = Index{1} << mark_at, empty = ~Index{0};

 public:
  /// @param memory  receives the order at its beginning; the rest is temporary memory
  induced_sorter(B& backend, String const& string, std::span<Index> memory)
      : backend_(backend), string_(string), n_(string.size()), memory_(memory), order_(memory.data()) {}

  /// Returns true if an entry has a spare bit for the mark.
  static constexpr bool can_sort(std::size_t n) { return n < mark - 1; }
  /// Returns the number of counters that a string may take from the backend.
  static constexpr std::size_t max_counters(std::size_t letters) {
    return std::max(2 * letters, (2 + 2 * list_counters) * few_letters);
  }

  void sort() {
    if (n_ == 0) return;
    reserve_counters();
    find_lms();
    if (chosen_ > 1) {
      if (has_lists_)
        sort_substrings_by_lists();
      else
        sort_substrings();
      sort_lms();
      if constexpr (!String::is_text) {  // their memory has been overwritten
        reserve_counters();
        for (std::size_t p = 0; p < n_; ++p) ++counts_[string_.letter(p)];
      }
      place_in_order();
    } else {
      place_by_first_letter();
    }
    if (has_lists_)
      induce_by_letters();
    else
      induce_suffixes();
  }

 private:
  using letter_type = typename String::letter_type;
  static constexpr std::size_t far = 64, soon = 32;         // distances of prefetches, in entries
  static constexpr std::size_t batch = 128, min_batch = 8;  // entries that are collected
  static constexpr std::size_t few_letters = 256;           // as many always have counters for lists
  // The string of numbers is shortened if more than this share of them occur once.
  static constexpr std::size_t min_share_omitted = 4;

  /// A list of suffixes: the place of the next one, and the number of the substring of the last one.
  struct list {
    Index at, last;
  };
  /// The lists of a letter, for either type by whether the suffixes before are of the same or of the other one.
  enum list_name { l_same, l_other, s_same, s_other, lists_of_each };
  struct lists_of_letter {
    list of[lists_of_each];
    [[nodiscard]] list& operator[](unsigned name) { return of[name]; }
    [[nodiscard]] list const& operator[](unsigned name) const { return of[name]; }
  };
  static constexpr std::size_t list_counters = sizeof(lists_of_letter) / sizeof(Index);

  /// Counts the letters, and makes the set of the LMS suffixes.
  void find_lms() {
    lms_ = backend_.template buffer<std::uint64_t>(set_words(n_));
    std::fill_n(lms_.data(), lms_.size(), std::uint64_t{0});
    if (has_lists_)
      find_lms([lists = lists_](std::size_t letter, std::size_t is_s, std::size_t is_other) {
        ++lists[letter].of[2 * is_s + is_other].at;
      });
    else
      find_lms([string = string_, counts = counts_.data()](std::size_t letter, std::size_t, std::size_t) {
        ++counts[string.plain(letter)];
      });
    chosen_ = 0;
    for (std::uint64_t const word : lms_.span()) chosen_ += count_ones(word);
    if (has_lists_)
      for (std::size_t c = 0; c < string_.stored_letters(); ++c) {
        lists_of_letter const& all = lists_[c];
        counts_[string_.plain(c)] += all[l_same].at + all[l_other].at + all[s_same].at + all[s_other].at;
      }
  }
  /// @param count  called for each suffix with its letter, whether its type is S, and whether it belongs to the list of those
  ///   after the other type
  template <class Count>
  void find_lms(Count count) {
    string_.each_record([string = string_, set = lms_.data(), count](std::size_t begin, std::size_t end) {
      std::size_t next = string.letter(end - 1), is_s = 0;
      std::uint64_t bits = 0;
      for (std::size_t p = end - 1; p > begin; --p) {
        std::size_t const letter = string.letter(p - 1), is_before_s = letter < next + is_s;
        bits |= std::uint64_t(is_s & ~is_before_s) << p % 64;
        if (p % 64 == 0) set[p / 64] |= std::exchange(bits, 0);
        count(next, is_s, is_s ^ is_before_s);
        next = letter;
        is_s = is_before_s;
      }
      set[begin / 64] |= bits;
      auto const [before, here] = string.stored_adjacent(begin);
      count(here, is_s, is_s != 0 ? before > here : before < here);
    });
  }
  /// Calls use(p) for each position of a set, in order.
  template <class Use>
  static void each_one(buffer<std::uint64_t> const& set, Use use) {
    std::uint64_t const* const words = set.data();
    for (std::size_t w = 0, end = set.size(); w < end; ++w)
      for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) use(64 * w + trailing_zeros(rest));
  }
  /// Calls use(p) for each position of a set, from the last one on.
  template <class Use>
  static void each_one_backwards(buffer<std::uint64_t> const& set, Use use) {
    std::uint64_t const* const words = set.data();
    for (std::size_t w = set.size(); w-- > 0;)
      for (std::uint64_t rest = words[w]; rest != 0;) {
        unsigned const bit = 63 - leading_zeros(rest);
        rest ^= std::uint64_t{1} << bit;
        use(64 * w + bit);
      }
  }
  /// Returns the first LMS suffix from p on, or n if there is none.
  [[nodiscard]] std::size_t next_lms(std::size_t p) const {
    std::size_t w = p / 64;
    for (std::uint64_t rest = lms_.data()[w] >> p % 64 << p % 64;; rest = lms_.data()[w]) {
      if (rest != 0) return 64 * w + trailing_zeros(rest);
      if (++w == lms_.size()) return n_;
    }
  }

  /// Makes the counters of letters, all 0, in the part of the memory that string and order leave free, if it is large enough.
  void reserve_counters() {
    std::size_t const letters = string_.letters(), in_lists = list_counters * string_.stored_letters();
    std::span<Index> room = memory_.subspan(n_);
    has_lists_ = String::may_have_lists && (letters <= few_letters || room.size() >= 2 * letters + in_lists);
    std::size_t const wanted = 2 * letters + (has_lists_ ? in_lists : 0);
    if (String::is_text || room.size() < wanted) {
      counters_ = {};  // frees the old ones first
      counters_ = backend_.template buffer<Index>(wanted);
      room = counters_.span();
    }
    std::ranges::fill(room.first(wanted), Index{0});
    counts_ = room.first(letters);
    at_ = room.data() + letters;
    lists_ = reinterpret_cast<lists_of_letter*>(at_ + letters);
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
    if (!has_lists_) std::fill_n(order_, n_, empty);
    go_to_ends();
    each_one(lms_, [string = string_, order = order_, at = at_](std::size_t p) { order[--at[string.letter(p)]] = Index(p); });
  }

  static constexpr Index position(Index entry) { return entry & ~mark; }
  static constexpr bool is_marked(Index entry) { return entry >= mark; }

  /// Sorts the LMS suffixes by their letters up to the next one. Marks each that differs from the next one in order.
  void sort_substrings_by_lists() {
    std::size_t const letters = string_.letters();
    // The LMS suffixes come first, then each kind of list in the order of letters.
    Index place = 0;
    for (std::size_t c = 0; c < letters; ++c) lists_[c][s_other].last = lists_[c][s_other].at = place += lists_[c][s_other].at;
    Index const l_begin = place;
    for (std::size_t c = 0; c < letters; ++c) place += std::exchange(lists_[c][l_same].at, place);
    Index const other_l_begin = place;
    for (std::size_t c = 0; c < letters; ++c) place += std::exchange(lists_[c][l_other].at, place);
    for (std::size_t c = 0; c < letters; ++c) lists_[c][s_same].at = place += lists_[c][s_same].at;
    Index const s_end = place;
    for (std::size_t c = letters; c < string_.stored_letters(); ++c) {  // nothing comes before the first letters of records
      place += std::exchange(lists_[c][l_other].at, place);
      lists_[c][s_same].at = place += lists_[c][s_same].at;
    }
    each_one(lms_, [string = string_, order = order_, lists = lists_](std::size_t p) {
      order[--lists[string.letter(p)][s_other].last] = Index(p);
    });
    list_l(l_begin);
    list_s(other_l_begin, s_end);
  }

  /// Prefetches the letters before an entry of a list, and the list into which that before a sooner one goes.
  static void prefetch_for_lists(String const& string, lists_of_letter const* lists, Index later, Index sooner) {
    string.prefetch(position(later));
    if constexpr (!String::is_text) {
      Index const p = position(sooner);
      if (p < string.size()) ordo::prefetch(lists + string.letter(p - (p != 0)));
    }
  }

  /// Lists the substrings of the L suffixes.
  void list_l(std::size_t begin) {
    String const string = string_;  // copies, which compilers keep in registers
    Index* const order = order_;
    lists_of_letter* const lists = lists_;
    std::size_t const n = n_;
    Index number = 0;  // number of the substring that the next entries are put before
    auto const induce_before = [=](std::size_t p, Index follower) {
      auto const [before, here] = string.stored_adjacent(p - 1);
      list& to = lists[here][l_same + (before < here)];
      order[to.at++] = Index(p - 1) | Index(to.last != follower) << mark_at;
      to.last = follower;
    };
    string.each_record([&](std::size_t, std::size_t end) {
      ++number;
      induce_before(end, number);
    });
    std::size_t i = begin, lms = 0;
    for (std::size_t c = 0; c < string.letters(); ++c) {
      list const &same = lists[c][l_same], &other = lists[c][s_other];
      for (; i < same.at; ++i) {
        if (i + far < n) prefetch_for_lists(string, lists, order[i + far], order[i + soon]);
        Index const entry = order[i], p = position(entry);
        number += entry >> mark_at;
        if (String::has_marks || p != 0) induce_before(p, number);
      }
      ++number;
      for (; lms < other.at; ++lms) {
        if (lms + far < n) prefetch_for_lists(string, lists, order[lms + far], order[lms + soon]);
        induce_before(order[lms], number);
      }
    }
  }

  /// Lists the substrings of the S suffixes.
  void list_s(std::size_t l_begin, std::size_t end) {
    for (std::size_t c = 0; c < string_.stored_letters(); ++c) lists_[c][s_same].last = lists_[c][s_other].last = 0;
    String const string = string_;
    Index* const order = order_;
    lists_of_letter* const lists = lists_;
    Index number = 0;
    auto const induce_before = [=](std::size_t p, Index follower) {
      auto const [before, here] = string.stored_adjacent(p - 1);
      list& to = lists[here][s_same + (before > here)];
      order[--to.at] = Index(p - 1) | Index(to.last != follower) << mark_at;
      to.last = follower;
    };
    std::size_t const letters = string.letters();
    std::size_t i = end, l = lists[letters - 1][l_other].at;
    for (std::size_t c = letters; c-- > 0;) {
      list const& same = lists[c][s_same];
      while (i > same.at) {
        --i;
        if (i >= far) prefetch_for_lists(string, lists, order[i - far], order[i - soon]);
        Index const entry = order[i], p = position(entry);
        number += entry >> mark_at;
        if (String::has_marks || p != 0) induce_before(p, number);
      }
      ++number;
      // These are marked if the entry before differs, not the one after.
      for (std::size_t const begin = c == 0 ? l_begin : lists[c - 1][l_other].at; l > begin;) {
        --l;
        if (l >= far) prefetch_for_lists(string, lists, order[l - far], order[l - soon]);
        Index const entry = order[l];
        induce_before(position(entry), number);
        number += entry >> mark_at;
      }
    }
  }

  /// Calls put(p) for each suffix of the rows from `row` on that is not marked, and changes its entry, until the row is `end`,
  /// which moves as suffixes are put. Whether a row is marked is as good as random: suffixes are collected without a branch,
  /// and their letters prefetched, while those that were collected before are put.
  /// @tparam Backwards  rows before `row`, from the last one on
  /// @returns `end`
  template <bool Backwards, class Change, class Put>
  static std::size_t induce_each(String const& string, Index* order, std::size_t row, Index const& end, Change change,
                                 Put put) {
    Index collected[2][batch];
    std::size_t waiting = 0;
    for (unsigned turn = 0;;) {
      Index const* const from = collected[turn];
      std::size_t const some = std::min<std::size_t>(Backwards ? row - end : end - row, batch);
      if (some < min_batch && waiting != 0) {
        for (std::size_t k = 0; k < waiting; ++k) put(from[k]);
        waiting = 0;
      } else if (some == 0) {
        return row;
      } else if (some < min_batch) {
        Index& entry = order[Backwards ? --row : row++];
        Index const p = entry;
        entry = change(p);
        if (p < mark) put(p);
      } else {
        Index* const to = collected[turn ^= 1];
        std::size_t count = 0;
        for (std::size_t k = 0; k < some; ++k) {
          Index& entry = Backwards ? order[row - 1 - k] : order[row + k];
          Index const p = entry;
          entry = change(p);
          to[count] = p;
          count += p < mark;
        }
        std::size_t const both = std::min(count, waiting);
        for (std::size_t k = 0; k < both; ++k) {
          string.prefetch(to[k] - (to[k] != 0));
          put(from[k]);
        }
        for (std::size_t k = both; k < count; ++k) string.prefetch(to[k] - (to[k] != 0));
        for (std::size_t k = both; k < waiting; ++k) put(from[k]);
        waiting = count;
        row = Backwards ? row - some : row + some;
      }
    }
  }

  /// Sorts all suffixes as induce_suffixes does, letter by letter, so that no entry need be empty.
  void induce_by_letters() {
    std::size_t const letters = string_.letters(), n = n_;
    Index* const lms_begins = reinterpret_cast<Index*>(lists_);
    std::copy_n(at_, letters, lms_begins);
    go_to_begins();
    rows_of_letters const all = rows();
    String const string = all.string;
    Index *const order = all.order, *const at = all.at;
    // An entry is marked if the suffix before it is of type S, or if it begins a record.
    auto const induce_l_before = [=](std::size_t p) {
      if (!String::has_marks && p <= 1) {  // the first suffix, or nothing
        if (p == 1) order[at[string.letter(0)]++] = 0;
        return;
      }
      auto const [before, here] = string.later_adjacent(p - 1);
      order[at[string.plain(here)]++] = Index(p - 1) | Index(before < here) << mark_at;
    };
    string.each_record([&](std::size_t, std::size_t end) { induce_l_before(end); });
    std::size_t i = 0, end = 0;
    auto const invert = [](Index p) { return Index(p ^ mark); };
    for (std::size_t c = 0; c < letters; ++c) {
      end += counts_[c];
      // The mark of each of these is inverted for the second pass.
      if constexpr (String::is_text) {
        i = induce_each<false>(string, order, i, at[c], invert, induce_l_before);
      } else {
        for (; i < at[c]; ++i) {
          if (i + far < n) all.template prefetch<false>(order[i + far], order[i + soon]);
          Index const p = order[i];
          order[i] = p ^ mark;
          if (p < mark) induce_l_before(p);
        }
      }
      for (i = lms_begins[c]; i < end; ++i) {
        if (i + far < n) string.prefetch(looked_at<false>(order[i + far]));
        induce_l_before(order[i]);
      }
    }
    go_to_ends();
    // An entry is marked if the suffix before it is of type L, or if it begins a record.
    auto const induce_s_before = [=](std::size_t p) {
      if (!String::has_marks && p <= 1) {
        if (p == 1) order[--at[string.letter(0)]] = 0;
        return;
      }
      auto const [before, here] = string.later_adjacent(p - 1);
      bool const begins = String::has_marks && here >= letters;
      order[--at[string.plain(here)]] = Index(p - 1) | Index(before > here || begins) << mark_at;
    };
    auto const unmark = [](Index p) { return position(p); };
    for (std::size_t c = letters; c-- > 0;) {
      end -= counts_[c];
      if constexpr (String::is_text) {
        i = induce_each<true>(string, order, i, at[c], unmark, induce_s_before);
        i = induce_each<true>(string, order, i, Index(end), unmark, [=](std::size_t p) {
          if (!String::has_marks || !string.begins_record(p)) induce_s_before(p);
        });
      } else {
        for (; i > at[c];) {
          --i;
          if (i >= far) all.template prefetch<false>(order[i - far], order[i - soon]);
          Index const p = order[i];
          order[i] = position(p);
          if (p < mark) induce_s_before(p);
        }
        for (; i > end;) {
          --i;
          if (i >= far) all.template prefetch<false>(order[i - far], order[i - soon]);
          Index const p = order[i];
          order[i] = position(p);
          if (p < mark) induce_s_before(p);
        }
      }
    }
  }

  /// Does what sort_substrings_by_lists does if there are many letters.
  void sort_substrings() {
    place_by_first_letter();
    induce_substrings();
    gather_substrings();
    mark_substrings();
  }

  /// Holds copies of the string and of the pointers to the order for a pass over it. Compilers keep copies in registers.
  struct rows_of_letters {
    String string;
    Index *order, *at;
    std::size_t n;

    /// Prefetches for entries that a pass over marked, or unmarked, entries will read.
    template <bool Marked>
    void prefetch(Index later, Index sooner) const {
      string.prefetch(looked_at<Marked>(later));
      if constexpr (sizeof(letter_type) > 2 && !String::is_text) ordo::prefetch(at + string.letter(looked_at<Marked>(sooner)));
    }
    /// Appends suffix q, of type L, to the bucket of its letter; marked if its predecessor is of type S.
    void append_l(std::size_t q) const {
      auto const [before, here] = string.adjacent(q);
      order[at[here]++] = Index(q) | Index(before < here) << mark_at;
    }
    void append_ends() const {
      string.each_record([&](std::size_t, std::size_t end) { append_l(end - 1); });
    }
  };
  [[nodiscard]] rows_of_letters rows() const { return {string_, order_, at_, n_}; }
  /// Returns the position before that of an entry to be read, or 0.
  template <bool Marked>
  static std::size_t looked_at(Index entry) {
    Index const p = Marked ? entry ^ mark : entry;
    return p - 1 < mark - 2 ? p - 1 : 0;  // an empty entry without the mark is mark - 1
  }

  /// Leaves the LMS suffixes, ordered by their letters up to the next one, and empty entries.
  void induce_substrings() {
    go_to_begins();
    rows_of_letters const all = rows();
    all.append_ends();
    for (std::size_t i = 0; i < all.n; ++i) {
      if (i + far < all.n) all.template prefetch<false>(all.order[i + far], all.order[i + soon]);
      Index const p = all.order[i];
      if (p >= mark) continue;
      all.order[i] = empty;
      if (!all.string.begins_record(p)) all.append_l(p - 1);
    }
    go_to_ends();
    for (std::size_t i = all.n; i-- > 0;) {
      if (i >= far) all.template prefetch<true>(all.order[i - far], all.order[i - soon]);
      Index const entry = all.order[i];
      if (Index(entry + 1) <= mark) continue;  // not marked, or empty
      Index const p = entry & ~mark;
      all.order[i] = empty;
      if (all.string.begins_record(p)) continue;
      auto const [before, here] = all.string.adjacent(p - 1);
      bool const is_lms = before > here && !all.string.begins_record(p - 1);
      all.order[--all.at[here]] = Index(p - 1) | (is_lms ? Index{0} : mark);
    }
  }

  /// Sorts all suffixes, given the LMS suffixes in order at the ends of the buckets of their letters.
  void induce_suffixes() {
    go_to_begins();
    rows_of_letters const all = rows();
    all.append_ends();
    // From here on the mark of each entry is inverted.
    for (std::size_t i = 0; i < all.n; ++i) {
      if (i + far < all.n) all.template prefetch<false>(all.order[i + far], all.order[i + soon]);
      Index const p = all.order[i];
      all.order[i] = p ^ mark;
      if (p < mark && !all.string.begins_record(p)) all.append_l(p - 1);
    }
    go_to_ends();
    for (std::size_t i = all.n; i-- > 0;) {
      if (i >= far) all.template prefetch<false>(all.order[i - far], all.order[i - soon]);
      Index const p = all.order[i];
      if (p >= mark) {
        all.order[i] = p & ~mark;
      } else if (!all.string.begins_record(p)) {
        auto const [before, here] = all.string.adjacent(p - 1);
        all.order[--all.at[here]] = Index(p - 1) | Index(before > here) << mark_at;
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

  /// Marks each substring, which are in order, if it differs from the next one.
  void mark_substrings() {
    std::size_t last = 0, last_length = 0;  // length 0: of a substring that differs from all others
    for (std::size_t i = 0; i < chosen_; ++i) {
      if (i + far < chosen_) {
        Index const later = order_[i + far];
        ordo::prefetch(lms_.data() + later / 64);
        string_.prefetch(later);
      }
      std::size_t const p = order_[i], next = next_lms(p + 1);
      std::size_t const length = string_.ends_record(p + 1, next) ? 0 : next - p + 1;
      if (i != 0 && (length == 0 || length != last_length || !string_.agree(last, p, length))) order_[i - 1] |= mark;
      last = p;
      last_length = length;
    }
    order_[chosen_ - 1] |= mark;
  }

  /// Sorts the LMS suffixes, given the order of their substrings: numbers these, and sorts the suffixes of the string of the
  /// numbers. A suffix that begins with a number that occurs once has its place. If another such number is before it, no other
  /// suffix is compared beyond that, and the string does without it.
  void sort_lms() {
    std::size_t names = 0, unique = 0;
    Index last = 1;
    for (Index const entry : std::span<Index const>(order_, chosen_)) {
      Index const differs = entry >> mark_at;
      names += differs;
      unique += differs & last;
      last = differs;
    }
    if (names == chosen_) {
      for (std::size_t i = 0; i < chosen_; ++i) order_[i] = position(order_[i]);
      return;
    }
    bool const omits = unique >= chosen_ / min_share_omitted;
    write_numbers(omits);
    std::span<Index> const numbers = memory_.last(chosen_);
    if (!omits) {
      sort_numbers(numbers, names);
      return;
    }
    std::size_t const kept = omit_unique(numbers, names);
    sort_numbers(numbers.first(kept), names);
    merge_unique(numbers.subspan(kept), kept);
  }

  /// Writes the numbers of the substrings in the order of the text to the end of the memory.
  /// @param by_place  numbers are places of suffixes, marked if they occur once
  void write_numbers(bool by_place) {
    Index* const lms_numbers = order_ + chosen_;  // half of a position: no two LMS suffixes are adjacent
    if (by_place)
      each_substring([lms_numbers, name = Index{0}](Index p, std::size_t i, Index differs, Index last) mutable {
        lms_numbers[p / 2] = name | (differs & last) << mark_at;
        name = differs ? Index(i + 1) : name;
      });
    else
      each_substring([lms_numbers, name = Index{0}](Index p, std::size_t, Index differs, Index) mutable {
        lms_numbers[p / 2] = name;
        name += differs;
      });
    Index* to = memory_.data() + memory_.size();
    each_one_backwards(lms_, [&](std::size_t p) { *--to = lms_numbers[p / 2]; });
  }
  /// Calls use(p, i, differs, last) for each LMS suffix p, in the order i of their substrings.
  /// @param differs, last  whether its substring, and the one before it, differ from the next one
  template <class Use>
  void each_substring(Use use) const {
    Index const* const order = order_;
    Index const* const lms_numbers = order_ + chosen_;
    std::size_t const count = chosen_;
    Index last = 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (i + far < count) ordo::prefetch(lms_numbers + position(order[i + far]) / 2);
      Index const entry = order[i], differs = entry >> mark_at;
      use(position(entry), i, differs, last);
      last = differs;
    }
  }

  /// Removes the numbers that the string does without, and their suffixes from the set; numbers those that are left anew.
  /// Leaves the numbers that it removes, places of suffixes, after the others.
  /// @param names  receives the number of different numbers
  /// @returns the count of numbers
  std::size_t omit_unique(std::span<Index> numbers, std::size_t& names) {
    omitted_ = backend_.template buffer<std::uint64_t>(set_words(n_));
    std::fill_n(omitted_.data(), omitted_.size(), std::uint64_t{0});
    auto const used = backend_.template buffer<set_word>(set_words(chosen_));
    std::fill_n(used.data(), used.size(), set_word{0, 0});
    std::size_t read = 0, kept = 0, removed = 0;
    bool last_is_unique = true;
    each_one(lms_, [&](std::size_t p) {
      Index const number = numbers[read++], place = position(number);
      if (is_marked(number) && last_is_unique) {
        order_[removed++] = place;
        omitted_.data()[p / 64] |= std::uint64_t{1} << p % 64;
      } else {
        numbers[kept++] = place;
        used.data()[place / 64].bits |= std::uint64_t{1} << (63 - place % 64);
      }
      last_is_unique = is_marked(number);
    });
    std::copy_n(order_, removed, numbers.data() + kept);
    for (std::size_t w = 0; w < lms_.size(); ++w) lms_.data()[w] &= ~omitted_.data()[w];
    names = 0;
    for (set_word& word : used.span()) word.end = names += count_ones(word.bits);
    numbered_position const to_number{used.data(), 1};
    for (Index& number : numbers.first(kept)) number = Index(to_number(number));
    return kept;
  }
  /// Adds the suffixes that the string did without to the order of the other ones. @param places  the places of theirs
  void merge_unique(std::span<Index const> places, std::size_t kept) {
    auto const taken = backend_.template buffer<std::uint64_t>(set_words(chosen_));
    std::fill_n(taken.data(), taken.size(), std::uint64_t{0});
    for (Index const place : places) taken.data()[place / 64] |= std::uint64_t{1} << place % 64;
    std::size_t from = chosen_ - kept;
    std::move_backward(order_, order_ + kept, order_ + chosen_);
    for (std::size_t i = 0; i < chosen_; ++i) {
      order_[i] = order_[std::min(from, chosen_ - 1)];
      from += (taken.data()[i / 64] >> i % 64 & 1) == 0;
    }
    Index const* place = places.data();
    each_one(omitted_, [&](std::size_t p) { order_[*place++] = Index(p); });
    for (std::size_t w = 0; w < lms_.size(); ++w) lms_.data()[w] |= omitted_.data()[w];
    omitted_ = {};
  }

  /// Sorts the suffixes of the string of numbers, which are those of the LMS suffixes in the set.
  void sort_numbers(std::span<Index> numbers, std::size_t names) {
    std::span<Index> const rest = memory_.first(memory_.size() - chosen_);
    if constexpr (!String::is_text) counters_ = {};
    if (names <= std::size_t{1} << 16) {
      auto* const narrow = reinterpret_cast<std::uint16_t*>(numbers.data());
      for (std::size_t i = 0; i < numbers.size(); ++i) narrow[i] = std::uint16_t(numbers[i]);
      using string = induced_numbers<std::uint16_t>;
      induced_sorter<B, Index, string>(backend_, string({narrow, numbers.size()}, names), rest).sort();
    } else {
      using string = induced_numbers<Index>;
      induced_sorter<B, Index, string>(backend_, string(numbers, names), rest).sort();
    }
    Index* to = numbers.data();
    each_one(lms_, [&](std::size_t p) { *to++ = Index(p); });
    Index* const order = order_;
    Index const* const lms_positions = numbers.data();
    std::size_t const count = numbers.size(), last = count - std::min(count, far);
    for (std::size_t i = 0; i < last; ++i) {
      ordo::prefetch(lms_positions + order[i + far]);
      order[i] = lms_positions[order[i]];
    }
    for (std::size_t i = last; i < count; ++i) order[i] = lms_positions[order[i]];
  }

  /// Moves the LMS suffixes, in order at the beginning, to the ends of the buckets of their letters.
  void place_in_order() {
    if (has_lists_) return place_blocks_in_order();
    std::fill(order_ + chosen_, order_ + n_, empty);
    go_to_ends();
    for (std::size_t i = chosen_; i-- > 0;) {
      if (i >= far) string_.prefetch(order_[i - far]);
      Index const p = order_[i];
      order_[i] = empty;
      order_[--at_[string_.letter(p)]] = p;
    }
  }
  /// Does so without a look at the letters, which it counts.
  void place_blocks_in_order() {
    std::size_t const letters = string_.letters();
    std::fill_n(at_, letters, Index{0});
    each_one(lms_, [string = string_, at = at_](std::size_t p) { ++at[string.letter(p)]; });
    std::size_t end = n_, from = chosen_;
    for (std::size_t c = letters; c-- > 0;) {
      std::size_t const count = at_[c], to = end - count;
      from -= count;
      std::copy_backward(order_ + from, order_ + from + count, order_ + end);
      at_[c] = Index(to);
      end -= counts_[c];
    }
  }

  B& backend_;
  String string_;
  std::size_t n_, chosen_ = 0;  // suffixes, and LMS suffixes
  std::span<Index> memory_;
  Index* order_;
  buffer<std::uint64_t> lms_, omitted_;  // a bit for each suffix
  std::span<Index> counts_;              // how often each letter occurs
  Index* at_ = nullptr;                  // the next row of each letter
  bool has_lists_ = false;
  lists_of_letter* lists_ = nullptr;
  buffer<Index> counters_;  // if the memory has no room for them
};

/// Sorts the suffixes of a text.
template <Backend B, class Index>
class induced_sort {
  template <class Letter>
  using sorter_for = induced_sorter<B, Index, induced_text<Letter>>;

 public:
  static constexpr bool can_sort(std::size_t n) { return sorter_for<std::uint8_t>::can_sort(n); }

  /// Returns the maximum temporary memory in bytes for n letters, besides the packed text, but with the order: the letters, two
  /// sets for all strings, each of which has at most half the letters of the one before, and one set and the counters of one.
  /// @param letters  the maximum number of different ones in the text, a power of two
  static std::size_t memory(std::size_t n, std::size_t letters) {
    using any = sorter_for<std::uint8_t>;
    std::size_t bytes =
        buffer_sizes::of(n, sizeof(Index)) + buffer_sizes::of(induced_text<char>::stored(n), letter_size(letters));
    for (std::size_t size = n; size != 0; size /= 2) bytes += 2 * buffer_sizes::of(set_words(size), sizeof(std::uint64_t));
    bytes += buffer_sizes::of(set_words(n / 2), sizeof(set_word));
    return bytes + buffer_sizes::of(any::max_counters(letters), sizeof(Index));
  }

  /// @param bounds  the start of each record, and the end of the last one
  /// @param order  receives the order
  static void sort(B& backend, packed_view text, std::span<std::uint64_t const> bounds, std::span<Index> order) {
    std::size_t const size = letter_size(std::size_t{1} << text.letter_bits);
    if (size == 1)
      sort_letters<std::uint8_t>(backend, text, bounds, order);
    else if (size == 2)
      sort_letters<std::uint16_t>(backend, text, bounds, order);
    else
      sort_letters<std::uint32_t>(backend, text, bounds, order);
  }

  /// Does so with a text of bytes that is not packed. That of one record is used as it is.
  static void sort(B& backend, std::span<unsigned char const> bytes, std::span<std::uint64_t const> bounds,
                   std::span<Index> order) {
    if (bounds.size() == 2) return induced_sorter<B, Index, induced_numbers<std::uint8_t>>(backend, {bytes, 256}, order).sort();
    unsigned char all = 0;
    for (unsigned char const byte : bytes) all |= byte;
    if (all < 128)
      sort_bytes<std::uint8_t>(backend, bytes, 128, bounds, order);
    else
      sort_bytes<std::uint16_t>(backend, bytes, 256, bounds, order);
  }

 private:
  template <class Letter>
  static void sort_bytes(B& backend, std::span<unsigned char const> bytes, std::size_t letters,
                         std::span<std::uint64_t const> bounds, std::span<Index> order) {
    auto const memory = backend.template buffer<Letter>(induced_text<Letter>::stored(order.size()));
    sorter_for<Letter>(backend, induced_text<Letter>(bytes, letters, bounds, memory.data()), order).sort();
  }

  /// Returns the bytes of a letter and a mark.
  static constexpr std::size_t letter_size(std::size_t letters) { return letters < 256 ? 1 : letters < 65536 ? 2 : 4; }

  template <class Letter>
  static void sort_letters(B& backend, packed_view text, std::span<std::uint64_t const> bounds, std::span<Index> order) {
    auto const memory = backend.template buffer<Letter>(induced_text<Letter>::stored(order.size()));
    sorter_for<Letter>(backend, induced_text<Letter>(text, bounds, memory.data()), order).sort();
  }
};

}  // namespace ordo::inline v0::suffix::detail
