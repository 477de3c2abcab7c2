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
#include "sort_core/functors.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/sort/needed_ranks.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/compare_letters.hpp"

// Long repeats, without doubling. The suffixes of an open group are by position: let each be compared with the next one, its
// neighbour. If the suffixes that begin one letter behind two neighbours are neighbours, too, their common prefix is one letter
// shorter, and their order is the same. A copied stretch of a genome is a chain of such pairs, and so is what genomes that are
// nearly alike have between two differences; only the last pair of each is compared by its letters, until these differ or the
// pair meets another chain. From what neighbours have in common follows the order of their group; and where two suffixes differ
// from what is between them in the same place, but not from each other, what their neighbours behind that place have in common
// is asked for.
namespace ordo::suffix::detail {

/// How a suffix compares with its neighbour: four times the length of what they have in common, and what comes then; or one of
/// these. Of repeats of 2^30 letters nothing is known.
struct comparison {
  using type = std::uint32_t;
  enum kind : unsigned { greater, less, link, none };  // what the neighbour is; or: as the pair so many letters behind
  static constexpr type unknown = type(-1), goes_on = type(-5);  // of kind none; the latter one is as the next pair

  ORDO_FN static type of(std::size_t length, unsigned how) { return length < goes_on / 4 ? type(length << 2 | how) : unknown; }
  ORDO_FN static type of(std::size_t length, bool is_less) { return of(length, is_less ? unsigned(less) : unsigned(greater)); }
  ORDO_FN static std::size_t length(type x) { return x >> 2; }
  ORDO_FN static unsigned how(type x) { return unsigned(x & 3); }
};

template <class Index>
struct clear_neighbour {
  Index* neighbours;
  ORDO_FN void operator()(std::size_t k) const { neighbours[k] = 0; }
};

/// Notes the neighbour of open suffix i, 0 if it has none.
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

/// use(p, number of p) for each position of a set: for position p, where all are in it; for those of 64 from 64 w on.
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
  static constexpr unsigned most_steps = 128;  // of as many letters as 64 bits hold
  packed_view text;
  std::size_t agreed;  // letters in which neighbours agree, and neither ends before
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
    for (unsigned step = 0; step < most_steps; ++step) {
      letters_compared const now = compare_letters(text, p + known, q + known);
      known += now.agree;
      if (now.differ) return comparison::of(known, now.is_less);
      if (number.has(p + known) && neighbours[number(p + known)] == q + known) return comparison::of(known, comparison::link);
    }
    return comparison::unknown;
  }
};

/// Of the numbers from the last one down, which one is k if no chain goes on there, else none.
struct chain_end_from_behind {
  comparison::type const* found;
  std::size_t count;
  ORDO_FN comparison::type operator()(std::size_t i) const {
    return found[count - 1 - i] == comparison::goes_on ? 0 : comparison::type(i);
  }
};

/// What is known of open suffixes.
template <class Index, class Numbers>
struct compared_suffixes {
  static constexpr unsigned most_neighbours = 32, some_neighbours = 4;  // from one suffix to another
  packed_view text;
  std::size_t agreed;  // letters in which those of a group agree, and none ends before
  Numbers number;
  Index const* neighbours;                   // by number
  comparison::type const* found;             // the same
  comparison::type const* ends_from_behind;  // of chains, and how many numbers there are; or none, if nothing goes on
  std::size_t count;

  /// The number of the end of the chain of k.
  ORDO_FN std::size_t end(std::size_t k) const { return ends_from_behind ? count - 1 - ends_from_behind[count - 1 - k] : k; }

  /// How open suffix p compares with its neighbour; a link, if that takes more steps. @param steps  that may be taken: those
  /// that are, are subtracted
  ORDO_FN comparison::type follow(std::size_t p, unsigned& steps) const {
    unsigned how = comparison::link;
    std::size_t length = 0;
    for (; how == comparison::link && steps != 0; --steps) {
      std::size_t const k = number(p + length), last = end(k);
      comparison::type const now = load_relaxed(found + last);
      if (now == comparison::unknown) return now;
      length += last - k + comparison::length(now);
      how = comparison::how(now);
    }
    return comparison::of(length, how);
  }

  /// How p compares with q, a later one of its group. @param length  letters in which they are known to agree, or 0
  ORDO_FN comparison::type operator()(std::size_t p, std::size_t q, unsigned& steps, std::size_t length = 0) const {
    unsigned most = most_neighbours;
    while (steps != 0) {
      bool const may_end = length != 0 && (text.breaks(p + length) || text.breaks(q + length));
      reach const all = may_end || !number.has(p + length) ? reach{} : by_neighbours(p + length, q + length, most, steps);
      if (all.least == comparison::unknown) {
        if (steps == 0) break;
        --steps;
        if (length == 0) length = agreed;
        most = some_neighbours;  // or all of a large group, at every step
        letters_compared const now = compare_letters(text, p + length, q + length);
        length += now.agree;
        if (now.differ) return comparison::of(length, now.is_less);
        continue;
      }
      length += comparison::length(all.least);
      if (!all.is_twice) return comparison::of(length, comparison::how(all.least));
      if (differ(p, q, length)) return by_next_letter(p, q, length);
      ++length;
      most = most_neighbours;
    }
    return comparison::unknown;
  }
  /// The same, if what is between them has told that they agree in `length` letters.
  ORDO_FN comparison::type behind(std::size_t p, std::size_t q, std::size_t length, unsigned& steps) const {
    return differ(p, q, length) ? by_next_letter(p, q, length) : (*this)(p, q, steps, length + 1);
  }

 private:
  struct reach {
    comparison::type least = comparison::unknown;  // that neighbours between p and q have in common
    bool is_twice = false;                         // do others have as much?
  };
  ORDO_FN reach by_neighbours(std::size_t p, std::size_t q, unsigned most, unsigned& steps) const {
    reach all;
    for (unsigned k = 0; k < most; ++k) {
      std::size_t const next = neighbours[number(p)];
      if (next <= p || next > q) break;
      comparison::type const now = follow(p, steps);
      if (now == comparison::unknown || comparison::how(now) == comparison::link) break;
      std::size_t const length = comparison::length(now), least = comparison::length(all.least);
      all = length < least ? reach{now, false} : reach{all.least, all.is_twice || length == least};
      if (next == q) return all;
      p = next;
    }
    return {};
  }
  /// A code of the letter at p, which is behind a letter; 0 if a record ends before.
  ORDO_FN unsigned letter(std::size_t p) const { return text.breaks(p) ? 0 : 1 + text.letter(p); }
  /// Do p and q, which agree in `length` letters, not agree in the next one, or end before it?
  ORDO_FN bool differ(std::size_t p, std::size_t q, std::size_t length) const {
    unsigned const letter_of_p = letter(p + length);
    return letter_of_p == 0 || letter_of_p != letter(q + length);
  }
  ORDO_FN comparison::type by_next_letter(std::size_t p, std::size_t q, std::size_t length) const {
    return comparison::of(length, letter(q + length) < letter(p + length));
  }
};

/// Compares what a chain ends with at p, if it has not been, as far as that is known by now.
template <class Index, class Numbers>
struct compare_ends {
  static constexpr unsigned most_links = 64, most_steps = 128;
  compared_suffixes<Index, Numbers> compare;
  Numbers number;
  comparison::type* found;

  ORDO_FN void operator()(std::size_t p, std::size_t k) const {
    std::size_t const q = compare.neighbours[k];
    comparison::type const now = found[k];
    unsigned links = most_links, steps = most_steps;
    if (q == 0 || now == comparison::goes_on) return;
    if (now == comparison::unknown)
      store_relaxed(found + k, compare(p, q, steps));
    else if (comparison::how(now) == comparison::link)
      store_relaxed(found + k, compare.follow(p, links));
  }
};

/// What goes on is compared as the end of its chain.
template <class Index, class Numbers>
struct compare_as_end {
  compared_suffixes<Index, Numbers> compare;
  comparison::type* found;
  ORDO_FN void operator()(std::size_t k) const {
    if (found[k] != comparison::goes_on) return;
    std::size_t const end = compare.end(k);
    comparison::type const last = found[end];
    found[k] = last == comparison::unknown ? last : comparison::of(end - k + comparison::length(last), comparison::how(last));
  }
};

/// Compares item i of open groups with the next one of its group.
template <class Index, class Numbers>
struct compare_items {
  static constexpr unsigned most_steps = 64;
  compared_suffixes<Index, Numbers> compare;
  Index const* suffix;
  std::uint8_t const* heads;
  std::size_t size;
  Index* to;  // what `compared` is below
  ORDO_FN void operator()(std::size_t i) const {
    unsigned steps = most_steps;
    to[i] = i + 1 == size || heads[i + 1] != 0 ? comparison::unknown : compare(suffix[i], suffix[i + 1], steps);
  }
};

/// Groups of up to so many suffixes are sorted by what neighbours have in common; larger ones stay as they are.
constexpr unsigned most_compared = 64;

/// The place of each item in its group, and whether all of the group have one: by how many items places its own differs, so
/// that threads which compare two items each only add to it.
class sorted_places {
 public:
  static constexpr std::uint32_t start = most_compared;
  std::uint8_t const* heads;
  std::uint32_t* shifts;  // each begins as `start`

  /// The first item of i's group; or none, if that is more than most_compared before it.
  ORDO_FN std::size_t head_of(std::size_t i) const {
    for (unsigned k = 0; k < most_compared; ++k)
      if (heads[i - k] != 0) return i - k;
    return none;
  }
  static constexpr std::size_t none = std::size_t(-1);

  /// Item j comes before item i, i < j.
  ORDO_FN void swap(std::size_t i, std::size_t j) const {
    add_relaxed(shifts + i, 1);
    add_relaxed(shifts + j, std::uint32_t(-1));
  }
  /// The group that begins at `head` stays as it is.
  ORDO_FN void leave(std::size_t head) const { store_relaxed(shifts + head, left); }
  ORDO_FN bool is_left(std::size_t head) const { return load_relaxed(shifts + head) >= least_left; }
  ORDO_FN std::size_t place(std::size_t i) const { return i + shifts[i] - start; }

 private:
  // Whatever is still added to it.
  static constexpr std::uint32_t left = std::uint32_t{1} << 31, least_left = std::uint32_t{1} << 30;
};

struct start_place {
  std::uint32_t* shifts;
  ORDO_FN void operator()(std::size_t i) const { shifts[i] = sorted_places::start; }
};

/// Leaves group g as it is, if it has too many items.
template <class Index>
struct leave_large_group {
  Index const *begins, *ends;
  sorted_places places;
  ORDO_FN void operator()(std::size_t g) const {
    if (std::size_t(ends[g] - begins[g]) > most_compared) places.leave(begins[g]);
  }
};

/// Compares item i with all that follow it in its group, by what neighbours have in common from one to the other; where that
/// does not tell, by the text.
template <class Index, class Numbers>
struct place_by_neighbours {
  static constexpr unsigned most_steps = 64;  // each waits for the one before
  compared_suffixes<Index, Numbers> compare;
  Index const *suffix, *compared;
  std::size_t size;
  sorted_places places;

  ORDO_FN void operator()(std::size_t i) const {
    if (i + 1 == size || places.heads[i + 1] != 0) return;
    std::size_t const head = places.head_of(i);
    if (head == sorted_places::none || places.is_left(head)) return;
    comparison::type least = comparison::type(compared[i]);
    bool is_known = least != comparison::unknown, is_twice = false;
    unsigned steps = most_steps;
    for (std::size_t j = i + 1;;) {
      comparison::type const how = !is_known  ? compare(suffix[i], suffix[j], steps)
                                   : is_twice ? compare.behind(suffix[i], suffix[j], comparison::length(least), steps)
                                              : least;
      if (how == comparison::unknown) return places.leave(head);
      if (comparison::how(how) == comparison::less) places.swap(i, j);
      if (j + 1 == size || places.heads[j + 1] != 0) return;
      comparison::type const now = comparison::type(compared[j++]);
      std::size_t const length = comparison::length(now), shortest = comparison::length(least);
      is_known &= now != comparison::unknown;
      is_twice = length < shortest ? false : is_twice || length == shortest;
      least = length < shortest ? now : least;
    }
  }
};

/// sorted[place of item i] := suffix i; and every item of a group that is left is marked as its head is.
template <class Index>
struct put_in_place {
  Index const* suffix;
  sorted_places places;
  Index* sorted;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const head = places.head_of(i);
    bool const stays = head == sorted_places::none || places.is_left(head);
    if (stays) places.leave(i);
    sorted[stays ? i : places.place(i)] = suffix[i];
  }
};

/// Item i is the one that has been put there; sorted ones are groups of their own.
template <class Index>
struct take_place {
  Index const* sorted;
  sorted_places places;
  Index* suffix;
  std::uint8_t* heads;
  ORDO_FN void operator()(std::size_t i) const {
    suffix[i] = sorted[i];
    if (!places.is_left(i)) heads[i] = 1;
  }
};

/// Every position may be open: as positions_behind, in no memory.
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

/// The long repeats of a text, for open groups: these are added, all numbered, noted, and compared, before each is sorted.
/// @tparam Open  numbers positions: all_positions, where many are open, or positions_behind
template <Backend B, class Index, class Open>
class long_repeats {
 public:
  using open_groups = refinement<B, Index, Index>;
  using numbers = decltype(std::declval<Open const&>().numbers());

  static constexpr bool can_have(std::size_t count) { return count <= std::numeric_limits<comparison::type>::max(); }
  /// What it takes at most, beside what numbers positions, if there are so many numbers, which 32 bits must hold, and so many
  /// suffixes are sorted at a time: an Index and eight bytes for each number, or an Index and four bytes, and as much for each
  /// of these suffixes.
  static std::size_t memory(std::size_t count, std::size_t at_a_time) {
    std::size_t const ends = buffer_sizes::of(count, sizeof(comparison::type));
    std::size_t const sorting = buffer_sizes::of(at_a_time, sizeof(Index)) + buffer_sizes::of(at_a_time, sizeof(std::uint32_t));
    return buffer_sizes::of(count + 1, sizeof(Index)) + ends + std::max(ends, sorting);
  }

  /// @param text  of n letters @param agreed  in how many of them the suffixes of each group agree
  long_repeats(B& machine, packed_view text, std::size_t n, std::size_t agreed)
      : machine_(machine), text_(text), n_(n), agreed_(agreed), open_(machine, n) {}

  void add(open_groups const& open) { open_.add(std::span<Index const>(open.items()), 0); }
  void number_all() {
    open_.number_all();
    neighbours_ = machine_.template buffer<Index>(open_.count() + 1);
    machine_.each(neighbours_.size(), clear_neighbour<Index>{neighbours_.data()});
  }
  void note(open_groups const& open) {
    machine_.each(open.size(), note_neighbour<Index, numbers>{open.items().data(), open.heads().data(), open.size(),
                                                              open_.numbers(), neighbours_.data()});
  }
  void compare() {
    std::size_t const count = open_.count();
    found_ = machine_.template buffer<comparison::type>(count);
    each_position(compare_neighbours<Index, numbers>{text_, agreed_, open_.numbers(), neighbours_.data(), found_.data()});
    auto const ends = machine_.template buffer<comparison::type>(count);
    machine_.scan(count, chain_end_from_behind{found_.data(), count}, ends.span(), maximum{});
    auto const known = compared(ends.data());
    for (int round = 0; round < rounds; ++round)
      each_position(compare_ends<Index, numbers>{known, open_.numbers(), found_.data()});
    machine_.each(count, compare_as_end<Index, numbers>{known, found_.data()});
  }
  /// Sorts the groups, and sets heads. Groups may be left open, as they are.
  void sort(open_groups& open) const {
    std::size_t const size = open.size();
    Index* const suffix = open.items().data();
    std::uint8_t* const heads = open.heads().data();
    auto const by_item = machine_.template buffer<Index>(size);
    auto const shifts = machine_.template buffer<std::uint32_t>(size);
    auto const known = compared(nullptr);
    auto const all = open.segments();
    sorted_places const places{heads, shifts.data()};
    machine_.each(size, compare_items<Index, numbers>{known, suffix, heads, size, by_item.data()});
    machine_.each(size, start_place{shifts.data()});
    machine_.each(open.groups(), leave_large_group<Index>{all.begins.data(), all.ends.data(), places});
    machine_.each(size, place_by_neighbours<Index, numbers>{known, suffix, by_item.data(), size, places});
    machine_.each(size, put_in_place<Index>{suffix, places, by_item.data()});
    machine_.each(size, take_place<Index>{by_item.data(), places, suffix, heads});
  }

 private:
  static constexpr int rounds = 2;  // in each of which a comparison may link as many chains as those that it links have by then

  template <class Use>
  void each_position(Use use) const {
    if constexpr (std::is_same_v<numbers, every_position>)
      machine_.each(n_, use_position<Use>{use});
    else
      machine_.each(set_words(n_), use_word<Use>{use});
  }

  [[nodiscard]] compared_suffixes<Index, numbers> compared(comparison::type const* ends_from_behind) const {
    return {text_, agreed_, open_.numbers(), neighbours_.data(), found_.data(), ends_from_behind, open_.count()};
  }

  B& machine_;
  packed_view text_;
  std::size_t n_, agreed_;
  Open open_;
  buffer<Index> neighbours_;
  buffer<comparison::type> found_;
};

}  // namespace ordo::suffix::detail
