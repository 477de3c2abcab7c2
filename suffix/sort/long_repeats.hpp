#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/buffer_sizes.hpp"
#include "suffix/text/packed_text.hpp"

// The positions whose ranks are needed if few suffixes are open. A suffix at p that is compared by the rank of what follows
// `known` letters agrees with another one so far. So the suffix at p + known - depth agrees with another one in `depth`
// letters; if all such suffixes were open once, it was one of them, and the position `depth` letters after it is the needed
// one. The second rank in a key matters only if the first ones are equal, for suffixes that agree in `known` letters, too; the
// same holds for it. A suffix that begins with a run of one letter may have been settled by the run, however many letters it
// shares: then it has a rank of its own. If it is still open at twice the depth, it was equal in an earlier round by what
// follows another open suffix.
namespace ordo::inline v0::suffix::detail {

/// Adds the position `depth` letters after suffix i.
template <class Index>
struct add_position_behind {
  Index const* suffix;
  std::size_t depth;
  set_word* words;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const p = suffix[i] + depth;
    or_relaxed(&words[p / 64].bits, std::uint64_t{1} << (63 - p % 64));
  }
};

struct clear_set_word {
  set_word* words;
  ORDO_FN void operator()(std::size_t w) const { words[w] = {}; }
};

/// Returns a word with the number of its positions.
struct counted_word {
  set_word const* words;
  ORDO_FN set_word operator()(std::size_t w) const { return {words[w].bits, count_ones(words[w].bits)}; }
};

/// A numbered set of the positions after open suffixes. Call order: add, then number_all.
template <Backend B>
class needed_ranks {
 public:
  /// Returns the memory for a text of n letters: 1/4 byte a letter.
  static std::size_t memory(std::size_t n) {
    return buffer_sizes::of(set_words(n), sizeof(set_word)) + buffer_sizes::of(set_words(n) / 64 + 1, 8);
  }

  /// @param n  letters of the text
  needed_ranks(B& backend, std::size_t n)
      : backend_(backend),
        words_(backend.template buffer<set_word>(set_words(n))),
        not_empty_(backend.template buffer<std::uint64_t>(words_.size() / 64 + 1)) {
    backend.each(words_.size(), clear_set_word{words_.data()});
  }

  /// Adds the positions `depth` letters after suffixes, none of which ends before.
  template <class Index>
  void add(std::span<Index const> open, std::size_t depth) {
    backend_.each(open.size(), add_position_behind<Index>{open.data(), depth, words_.data()});
  }

  void number_all() {
    backend_.scan(words_.size(), counted_word{words_.data()}, words_.span(), count_on{});
    backend_.each(not_empty_.size(), write_not_empty{words_.data(), words_.size(), not_empty_.data()});
    count_ = std::size_t(value_at(backend_, words_.span(), words_.size() - 1).end);
  }

  /// Returns the number of positions.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] numbered_position numbers() const { return {words_.data(), 1, not_empty_.data()}; }

 private:
  B& backend_;
  buffer<set_word> words_;
  buffer<std::uint64_t> not_empty_;
  std::size_t count_ = 0;
};

// Long repeats without doubling. The suffixes of an open group are in the order of positions; each is compared with the next
// one, its neighbour. If the suffixes one letter after two neighbours are neighbours, too, their common prefix is one letter
// shorter, and their order is the same. A copied stretch of a genome is a chain of such pairs, and so are the stretches between
// the differences of two similar genomes. Only the last pair of each chain is compared letter by letter, until the letters
// differ or the pair meets another chain. The common prefixes of neighbours give the order of their group. If two suffixes
// differ from those between them at the same letter, but not from each other, the search continues with the neighbours after
// that letter.

/// The comparison of a suffix with its neighbour: four times the length of their common prefix, plus a kind; or one of the
/// constants. Repeats of 2^30 letters are unknown.
struct comparison {
  using type = std::uint32_t;
  enum kind : unsigned {
    greater,
    less,
    link,
    none
  };  // what the neighbour is; or, for link, as the pair that many letters later
  static constexpr type unknown = type(-1), goes_on = type(-5);  // pairs without a kind; goes_on: as the next pair

  ORDO_FN static type of(std::size_t length, unsigned k) { return length < goes_on / 4 ? type(length << 2 | k) : unknown; }
  ORDO_FN static type of(std::size_t length, bool is_less) { return of(length, is_less ? unsigned(less) : unsigned(greater)); }
  ORDO_FN static std::size_t length(type x) { return x >> 2; }
  ORDO_FN static unsigned to_kind(type x) { return unsigned(x & 3); }
};

template <class Index>
struct clear_neighbour {
  Index* neighbours;
  ORDO_FN void operator()(std::size_t k) const { neighbours[k] = 0; }
};

/// Stores the neighbour of open suffix i; 0 if it has none.
template <class Index, class Numbers>
struct note_neighbour {
  Index const* suffix;
  std::uint8_t const* heads;
  std::size_t size;
  Numbers number;
  Index* neighbours;  // by number
  ORDO_FN void operator()(std::size_t i) const {
    neighbours[number(suffix[i])] = i + 1 == size || heads[i + 1] != 0 ? Index{0} : suffix[i + 1];
  }
};

/// Stores open suffix i and its neighbour, 0 if it has none, as a pair.
template <class Index>
struct pair_with_neighbour {
  Index const* suffix;
  std::uint8_t const* heads;
  std::size_t size;
  Index *firsts, *seconds;
  ORDO_FN void operator()(std::size_t i) const {
    firsts[i] = suffix[i];
    seconds[i] = i + 1 == size || heads[i + 1] != 0 ? Index{0} : suffix[i + 1];
  }
};

/// Stores the second suffix of a pair as the neighbour of the first one.
template <class Index, class Numbers>
struct note_pair {
  Index const *firsts, *seconds;
  Numbers number;
  Index* neighbours;  // by number
  ORDO_FN void operator()(std::size_t i) const { neighbours[number(firsts[i])] = seconds[i]; }
};

/// Calls use(p, number of p) for the positions of a set: for position p, if the set has all; for those of the 64 positions from
/// 64 w on.
template <class Use>
struct use_position {
  Use use;
  ORDO_FN void operator()(std::size_t p) const { use(p, p); }
};
template <class Use>
struct use_word {
  Use use;
  ORDO_FN void operator()(std::size_t w) const {
    set_word const word = use.number.words[w];
    std::size_t k = word.end - count_ones(word.bits);
    for (std::uint64_t rest = word.bits; rest != 0; ++k) {
      unsigned const offset = leading_zeros(rest);
      rest &= ~(std::uint64_t{1} << (63 - offset));
      use(64 * w + offset, k);
    }
  }
};

/// Compares the suffix at p with its neighbour, if a chain ends with them.
template <class Index, class Numbers>
struct compare_neighbours {
  static constexpr unsigned max_steps = 128;  // each of as many letters as 64 bits hold
  packed_view text;
  std::size_t agreed;  // letters in which neighbours agree; none ends before
  Numbers number;
  Index const* neighbours;
  comparison::type* found;  // by number

  ORDO_FN void operator()(std::size_t p, std::size_t k) const {
    std::size_t const q = neighbours[k];
    bool const goes_on = q != 0 && number.has(p + 1) && neighbours[k + 1] == q + 1;
    found[k] = q == 0 ? comparison::unknown : goes_on ? comparison::goes_on : compare(p, q);
  }

 private:
  ORDO_FN comparison::type compare(std::size_t p, std::size_t q) const {
    std::size_t known = agreed;
    for (unsigned step = 0; step < max_steps; ++step) {
      letters_compared const now = compare_letters(text, p + known, q + known);
      known += now.agree;
      if (now.differ) return comparison::of(known, now.is_less);
      if (number.has(p + known) && neighbours[number(p + known)] == q + known) return comparison::of(known, comparison::link);
    }
    return comparison::unknown;
  }
};

/// Maps k, counted from the last number down, to k if a chain ends there, otherwise to 0.
struct chain_end_from_behind {
  comparison::type const* found;
  std::size_t count;
  ORDO_FN comparison::type operator()(std::size_t i) const {
    return found[count - 1 - i] == comparison::goes_on ? 0 : comparison::type(i);
  }
};

/// The results of all comparisons of open suffixes.
template <class Index, class Numbers>
struct compared_suffixes {
  static constexpr unsigned max_neighbours = 32, some_neighbours = 4;  // from one suffix to another
  packed_view text;
  std::size_t agreed;  // letters in which the suffixes of a group agree; none ends before
  Numbers number;
  Index const* neighbours;                   // by number
  comparison::type const* found;             // by number
  comparison::type const* ends_from_behind;  // where chains end, counted from the last number down; null if no chain goes on
  std::size_t count;

  /// Returns the number of the end of the chain of k.
  ORDO_FN std::size_t end(std::size_t k) const { return ends_from_behind ? count - 1 - ends_from_behind[count - 1 - k] : k; }

  /// Compares open suffix p with its neighbour; returns a link if that takes more steps.
  /// @param steps  allowed; reduced by those taken
  ORDO_FN comparison::type follow(std::size_t p, unsigned& steps) const {
    unsigned kind = comparison::link;
    std::size_t length = 0;
    for (; kind == comparison::link && steps != 0; --steps) {
      std::size_t const k = number(p + length), last = end(k);
      comparison::type const now = load_relaxed(found + last);
      if (now == comparison::unknown) return now;
      length += last - k + comparison::length(now);
      kind = comparison::to_kind(now);
    }
    return comparison::of(length, kind);
  }

  /// Compares p with q, a later suffix of its group.
  /// @param length  letters in which they are known to agree, or 0
  ORDO_FN comparison::type operator()(std::size_t p, std::size_t q, unsigned& steps, std::size_t length = 0) const {
    unsigned limit = max_neighbours;
    while (steps != 0) {
      bool const may_end = length != 0 && (text.breaks(p + length) || text.breaks(q + length));
      reach const all = may_end || !number.has(p + length) ? reach{} : by_neighbours(p + length, q + length, limit, steps);
      if (all.min == comparison::unknown) {
        if (steps == 0) break;
        --steps;
        if (length == 0) length = agreed;
        limit = some_neighbours;  // otherwise each step may visit a large group
        letters_compared const now = compare_letters(text, p + length, q + length);
        length += now.agree;
        if (now.differ) return comparison::of(length, now.is_less);
        continue;
      }
      length += comparison::length(all.min);
      if (!all.is_twice) return comparison::of(length, comparison::to_kind(all.min));
      if (differ(p, q, length)) return by_next_letter(p, q, length);
      ++length;
      limit = max_neighbours;
    }
    return comparison::unknown;
  }
  /// Compares p with q if the suffixes between them have shown that they agree in `length` letters.
  ORDO_FN comparison::type after(std::size_t p, std::size_t q, std::size_t length, unsigned& steps) const {
    return differ(p, q, length) ? by_next_letter(p, q, length) : (*this)(p, q, steps, length + 1);
  }

 private:
  struct reach {
    comparison::type min = comparison::unknown;  // the shortest common prefix of neighbours from p to q
    bool is_twice = false;                       // whether others have the same length
  };
  ORDO_FN reach by_neighbours(std::size_t p, std::size_t q, unsigned limit, unsigned& steps) const {
    reach all;
    for (unsigned k = 0; k < limit; ++k) {
      std::size_t const next = neighbours[number(p)];
      if (next <= p || next > q) break;
      comparison::type const now = follow(p, steps);
      if (now == comparison::unknown || comparison::to_kind(now) == comparison::link) break;
      std::size_t const length = comparison::length(now), min = comparison::length(all.min);
      all = length < min ? reach{now, false} : reach{all.min, all.is_twice || length == min};
      if (next == q) return all;
      p = next;
    }
    return {};
  }
  /// Returns a code of the letter at p, which follows a letter; 0 if a record ends before p.
  ORDO_FN unsigned letter(std::size_t p) const { return text.breaks(p) ? 0 : 1 + text.letter(p); }
  /// Returns true if p and q, which agree in `length` letters, differ in the next one, or end.
  ORDO_FN bool differ(std::size_t p, std::size_t q, std::size_t length) const {
    unsigned const letter_of_p = letter(p + length);
    return letter_of_p == 0 || letter_of_p != letter(q + length);
  }
  ORDO_FN comparison::type by_next_letter(std::size_t p, std::size_t q, std::size_t length) const {
    return comparison::of(length, letter(q + length) < letter(p + length));
  }
};

/// Compares the end of a chain at p if it is still unknown, as far as the results so far allow.
template <class Index, class Numbers>
struct compare_ends {
  static constexpr unsigned max_links = 64, max_steps = 128;
  compared_suffixes<Index, Numbers> compare;
  Numbers number;
  comparison::type* found;

  ORDO_FN void operator()(std::size_t p, std::size_t k) const {
    std::size_t const q = compare.neighbours[k];
    comparison::type const now = found[k];
    unsigned links = max_links, steps = max_steps;
    if (q == 0 || now == comparison::goes_on) return;
    if (now == comparison::unknown)
      store_relaxed(found + k, compare(p, q, steps));
    else if (comparison::to_kind(now) == comparison::link)
      store_relaxed(found + k, compare.follow(p, links));
  }
};

/// Copies the comparison of a chain's end to its other pairs.
template <class Index, class Numbers>
struct compare_as_end {
  compared_suffixes<Index, Numbers> compare;
  comparison::type* found;
  ORDO_FN void operator()(std::size_t k) const {
    if (found[k] != comparison::goes_on) return;
    std::size_t const end = compare.end(k);
    comparison::type const last = found[end];
    found[k] =
        last == comparison::unknown ? last : comparison::of(end - k + comparison::length(last), comparison::to_kind(last));
  }
};

/// Compares item i of open groups with the next one of its group.
template <class Index, class Numbers>
struct compare_items {
  static constexpr unsigned max_steps = 64;
  compared_suffixes<Index, Numbers> compare;
  Index const* suffix;
  std::uint8_t const* heads;
  std::size_t size;
  Index* to;  // read as `compared` by place_by_neighbours
  ORDO_FN void operator()(std::size_t i) const {
    to[i] = i + 1 == size || heads[i + 1] != 0 ? comparison::unknown : with_next(i);
  }

 private:
  ORDO_FN comparison::type with_next(std::size_t i) const {
    unsigned links = max_steps, steps = max_steps;
    comparison::type const result = compare.follow(suffix[i], links);  // they are neighbours
    bool const is_known = result != comparison::unknown && comparison::to_kind(result) != comparison::link;
    return is_known ? result : compare(suffix[i], suffix[i + 1], steps);
  }
};

/// The maximum size of groups that are sorted by their neighbours' common prefixes; larger ones stay as they are.
constexpr unsigned max_compared = 64;

/// The row of each item in its group, stored as a shift from its present one, so that threads that compare two items each only
/// add to it; and whether a group stays as it is.
class sorted_places {
 public:
  static constexpr std::uint32_t start = max_compared;
  std::uint8_t const* heads;
  std::uint32_t* shifts;  // each begins as `start`

  /// Returns the first item of i's group; none if it is more than max_compared items before.
  ORDO_FN std::size_t group_head(std::size_t i) const {
    for (unsigned k = 0; k < max_compared; ++k)
      if (heads[i - k] != 0) return i - k;
    return none;
  }
  static constexpr std::size_t none = std::size_t(-1);

  /// Records that item j comes before item i, i < j.
  ORDO_FN void swap(std::size_t i, std::size_t j) const {
    add_relaxed(shifts + i, 1);
    add_relaxed(shifts + j, std::uint32_t(-1));
  }
  /// Leaves the group that begins at `head` as it is.
  ORDO_FN void leave(std::size_t head) const { store_relaxed(shifts + head, left); }
  ORDO_FN bool is_left(std::size_t head) const { return load_relaxed(shifts + head) >= min_left; }
  ORDO_FN std::size_t place(std::size_t i) const { return i + shifts[i] - start; }

 private:
  // stays recognizable after any additions
  static constexpr std::uint32_t left = std::uint32_t{1} << 31, min_left = std::uint32_t{1} << 30;
};

struct start_place {
  std::uint32_t* shifts;
  ORDO_FN void operator()(std::size_t i) const { shifts[i] = sorted_places::start; }
};

/// Leaves group g as it is if it has too many items.
template <class Index>
struct leave_large_group {
  Index const *begins, *ends;
  sorted_places places;
  ORDO_FN void operator()(std::size_t g) const {
    if (std::size_t(ends[g] - begins[g]) > max_compared) places.leave(begins[g]);
  }
};

/// Compares item i with all later ones of its group: by the common prefixes of the neighbours between them or, if these do not
/// decide, by the text.
template <class Index, class Numbers>
struct place_by_neighbours {
  static constexpr unsigned max_steps = 64;  // each step waits for the one before
  compared_suffixes<Index, Numbers> compare;
  Index const *suffix, *compared;
  std::size_t size;
  sorted_places places;

  ORDO_FN void operator()(std::size_t i) const {
    if (i + 1 == size || places.heads[i + 1] != 0) return;
    std::size_t const head = places.group_head(i);
    if (head == sorted_places::none || places.is_left(head)) return;
    comparison::type min = comparison::type(compared[i]);
    bool is_known = min != comparison::unknown, is_twice = false;
    unsigned steps = max_steps;
    for (std::size_t j = i + 1;;) {
      comparison::type const result = !is_known  ? compare(suffix[i], suffix[j], steps)
                                      : is_twice ? compare.after(suffix[i], suffix[j], comparison::length(min), steps)
                                                 : min;
      if (result == comparison::unknown) return places.leave(head);
      if (comparison::to_kind(result) == comparison::less) places.swap(i, j);
      if (j + 1 == size || places.heads[j + 1] != 0) return;
      comparison::type const now = comparison::type(compared[j++]);
      std::size_t const length = comparison::length(now), shortest = comparison::length(min);
      is_known &= now != comparison::unknown;
      is_twice = length < shortest ? false : is_twice || length == shortest;
      min = length < shortest ? now : min;
    }
  }
};

/// Sets sorted[row of item i] to suffix i, and marks each item of a group that stays as its head is marked.
template <class Index>
struct write_in_place {
  Index const* suffix;
  sorted_places places;
  Index* sorted;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const head = places.group_head(i);
    bool const stays = head == sorted_places::none || places.is_left(head);
    if (stays) places.leave(i);
    sorted[stays ? i : places.place(i)] = suffix[i];
  }
};

/// Reads item i from its new row; sorted items are groups of their own.
template <class Index>
struct place_suffix {
  Index const* sorted;
  sorted_places places;
  Index* suffix;
  std::uint8_t* heads;
  ORDO_FN void operator()(std::size_t i) const {
    suffix[i] = sorted[i];
    if (!places.is_left(i)) heads[i] = 1;
  }
};

/// Numbers every position, for texts with many open suffixes: as needed_ranks, without memory.
template <Backend B>
class all_positions {
 public:
  all_positions(B&, std::size_t n) : count_(n) {}
  template <class Index>
  void add(std::span<Index const>, std::size_t) {}
  void number_all() {}
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] every_position numbers() const { return {}; }

 private:
  std::size_t count_;
};

/// Sorts open groups by the long repeats of a text. Call order: add, for all groups; number_all; note, for all groups; compare;
/// sort, for each. Groups that others sort are added and noted as pairs.
/// @tparam Open  numbers positions: all_positions if many are open, otherwise needed_ranks
template <Backend B, class Index, class Open>
class long_repeats {
 public:
  using open_groups = refinement<B, Index, Index>;
  using numbers = decltype(std::declval<Open const&>().numbers());

  static constexpr bool can_have(std::size_t count) { return count <= std::numeric_limits<comparison::type>::max(); }
  /// Returns the maximum temporary memory besides Open, for `count` numbers, which must fit 32 bits, and `at_a_time` suffixes
  /// that are sorted at a time: an Index and eight bytes for each number; or an Index and four bytes for each number, and as
  /// much for each of these suffixes.
  static std::size_t memory(std::size_t count, std::size_t at_a_time) {
    std::size_t const ends = buffer_sizes::of(count, sizeof(comparison::type));
    std::size_t const sorting = buffer_sizes::of(at_a_time, sizeof(Index)) + buffer_sizes::of(at_a_time, sizeof(std::uint32_t));
    return buffer_sizes::of(count + 1, sizeof(Index)) + ends + std::max(ends, sorting);
  }

  /// @param text  n letters
  /// @param agreed  letters in which the suffixes of each group agree
  long_repeats(B& backend, packed_view text, std::size_t n, std::size_t agreed)
      : backend_(backend), text_(text), n_(n), agreed_(agreed), open_(backend, n) {}

  void add(open_groups const& open) { open_.add(std::span<Index const>(open.items()), 0); }
  void number_all() {
    open_.number_all();
    neighbours_ = backend_.template buffer<Index>(open_.count() + 1);
    backend_.each(neighbours_.size(), clear_neighbour<Index>{neighbours_.data()});
  }
  void note(open_groups const& open) {
    backend_.each(open.size(), note_neighbour<Index, numbers>{open.items().data(), open.heads().data(), open.size(),
                                                              open_.numbers(), neighbours_.data()});
  }
  /// Do the same with suffixes and their neighbours; see pair_with_neighbour.
  void add(std::span<Index const> firsts) { open_.add(firsts, 0); }
  void note(std::span<Index const> firsts, std::span<Index const> seconds) {
    backend_.each(firsts.size(), note_pair<Index, numbers>{firsts.data(), seconds.data(), open_.numbers(), neighbours_.data()});
  }
  void compare() {
    std::size_t const count = open_.count();
    found_ = backend_.template buffer<comparison::type>(count);
    each_position(compare_neighbours<Index, numbers>{text_, agreed_, open_.numbers(), neighbours_.data(), found_.data()});
    auto const ends = backend_.template buffer<comparison::type>(count);
    backend_.scan(count, chain_end_from_behind{found_.data(), count}, ends.span(), maximum{});
    auto const known = compared(ends.data());
    for (int round = 0; round < rounds; ++round)
      each_position(compare_ends<Index, numbers>{known, open_.numbers(), found_.data()});
    backend_.each(count, compare_as_end<Index, numbers>{known, found_.data()});
  }
  /// Sorts the groups, and sets heads. May leave groups open, unchanged.
  void sort(open_groups& open) const {
    std::size_t const size = open.size();
    Index* const suffix = open.items().data();
    std::uint8_t* const heads = open.heads().data();
    auto const by_item = backend_.template buffer<Index>(size);
    auto const shifts = backend_.template buffer<std::uint32_t>(size);
    auto const known = compared(nullptr);
    auto const all = open.segments();
    sorted_places const places{heads, shifts.data()};
    backend_.each(size, compare_items<Index, numbers>{known, suffix, heads, size, by_item.data()});
    backend_.each(size, start_place{shifts.data()});
    backend_.each(open.groups(), leave_large_group<Index>{all.begins.data(), all.ends.data(), places});
    backend_.each(size, place_by_neighbours<Index, numbers>{known, suffix, by_item.data(), size, places});
    backend_.each(size, write_in_place<Index>{suffix, places, by_item.data()});
    backend_.each(size, place_suffix<Index>{by_item.data(), places, suffix, heads});
  }

 private:
  static constexpr int rounds = 2;  // each round may at most double the number of chains that a comparison links

  template <class Use>
  void each_position(Use use) const {
    if constexpr (std::is_same_v<numbers, every_position>)
      backend_.each(n_, use_position<Use>{use});
    else
      backend_.each(set_words(n_), use_word<Use>{use});
  }

  [[nodiscard]] compared_suffixes<Index, numbers> compared(comparison::type const* ends_from_behind) const {
    return {text_, agreed_, open_.numbers(), neighbours_.data(), found_.data(), ends_from_behind, open_.count()};
  }

  B& backend_;
  packed_view text_;
  std::size_t n_, agreed_;
  Open open_;
  buffer<Index> neighbours_;
  buffer<comparison::type> found_;
};

}  // namespace ordo::inline v0::suffix::detail
