#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "sort_core/backend.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/load.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/compare_letters.hpp"
#include "suffix/numbers.hpp"
#include "suffix/positions_behind.hpp"

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

  /// How p compares with q, a later one of its group.
  ORDO_FN comparison::type operator()(std::size_t p, std::size_t q, unsigned& steps) const {
    unsigned most = most_neighbours;
    for (std::size_t length = 0; steps != 0;) {
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
      unsigned const letter_of_p = letter(p + length), letter_of_q = letter(q + length);
      if (letter_of_p != letter_of_q || letter_of_p == 0) return comparison::of(length, letter_of_q < letter_of_p);
      ++length;
      most = most_neighbours;
    }
    return comparison::unknown;
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

/// An order of up to 16 numbers below 16, in registers; 0 at first.
class small_order {
 public:
  static constexpr unsigned most = 16;
  ORDO_FN unsigned operator[](unsigned i) const { return unsigned(order_ >> 4 * i & 15); }
  /// number comes to place `at`.
  ORDO_FN void insert(unsigned at, unsigned number) {
    std::uint64_t const before = order_ & ((std::uint64_t{1} << 4 * at) - 1);
    order_ = (order_ ^ before) << 4 | std::uint64_t{number} << 4 * at | before;
  }

 private:
  std::uint64_t order_ = 0;
};

/// Sorts group g, if it has no more suffixes than an order may have, and comparisons tell how. One thread does so: larger
/// groups stay as they are.
template <class Index, class Numbers>
struct sort_by_neighbours {
  static constexpr unsigned most_steps = 128;  // each waits for the one before: while few threads take so many, all wait
  compared_suffixes<Index, Numbers> compare;
  Index const *begins, *ends;
  Index *suffix, *compared;  // comparisons; then, for a moment, suffixes
  std::uint8_t* heads;

  ORDO_FN void operator()(std::size_t g) const {
    std::size_t const begin = begins[g];
    if (ends[g] - begin > small_order::most) return;
    unsigned const size = unsigned(ends[g] - begin);
    small_order order;
    unsigned steps = most_steps;
    for (unsigned i = 1; i < size; ++i) {
      unsigned low = 0, high = i;
      while (low < high) {
        unsigned const middle = (low + high) / 2;
        comparison::type const how = of(begin, order[middle], i, steps);
        if (how == comparison::unknown) return;
        if (comparison::how(how) == comparison::less)
          high = middle;
        else
          low = middle + 1;
      }
      order.insert(low, i);
    }
    for (unsigned i = 0; i < size; ++i) compared[begin + i] = suffix[begin + order[i]];
    for (unsigned i = 0; i < size; ++i) {
      suffix[begin + i] = compared[begin + i];
      heads[begin + i] = 1;
    }
  }

 private:
  /// How items i and j compare, i < j, by those between them; if these do not tell, by the text.
  ORDO_FN comparison::type of(std::size_t begin, unsigned i, unsigned j, unsigned& steps) const {
    comparison::type least = comparison::type(compared[begin + i]);
    bool is_known = least != comparison::unknown, is_twice = false;
    for (unsigned k = i + 1; k < j; ++k) {
      comparison::type const now = comparison::type(compared[begin + k]);
      std::size_t const length = comparison::length(now), shortest = comparison::length(least);
      is_known &= now != comparison::unknown;
      is_twice = length < shortest ? false : is_twice || length == shortest;
      least = length < shortest ? now : least;
    }
    return is_known && !is_twice ? least : compare(suffix[begin + i], suffix[begin + j], steps);
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
  /// What it takes at most, beside what numbers positions, if there are so many numbers, which 32 bits must hold: an Index and
  /// eight bytes for each of them.
  static std::size_t memory(std::size_t count) {
    return buffer_sizes::of(count + 1, sizeof(Index)) + 2 * buffer_sizes::of(count, sizeof(comparison::type));
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
    auto const by_item = machine_.template buffer<Index>(open.size());
    auto const known = compared(nullptr);
    machine_.each(open.size(),
                  compare_items<Index, numbers>{known, open.items().data(), open.heads().data(), open.size(), by_item.data()});
    auto const all = open.segments();
    machine_.each(open.groups(), sort_by_neighbours<Index, numbers>{known, all.begins.data(), all.ends.data(),
                                                                    open.items().data(), by_item.data(), open.heads().data()});
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
