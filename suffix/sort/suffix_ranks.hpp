#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ordo/backend.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::suffix::detail {

/// The suffix at place i of an order that begins at rank `first` has rank first + i.
template <class Index, class Numbers>
struct rank_by_place {
  Index const* suffix;
  Index first;
  std::size_t size;
  Index* ranks;
  Numbers number;
  ORDO_FN void operator()(std::size_t i) const {
    if (i + lookahead < size) number.expect(ranks, suffix[i + lookahead]);
    std::size_t const p = suffix[i];
    if (number.has(p)) ranks[number(p)] = Index(first + i);
  }
};

/// The same for suffix i of open groups: that of its group's head.
template <class Index, class Numbers>
struct rank_by_group {
  ordo::detail::group_of<Index> group;
  Index const* suffix;
  Index first;
  Index* ranks;
  Numbers number;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const p = suffix[i];
    if (number.has(p)) ranks[number(p)] = Index(first + group.slot(i));
  }
};

/// The end of record r has rank r, in the place of the next record's first suffix.
template <class Index, class Numbers>
struct rank_of_end {
  std::uint64_t const* bounds;
  Index* ranks;
  Numbers number;
  ORDO_FN void operator()(std::size_t r) const {
    std::size_t const end = bounds[r + 1];
    if (bounds[r] < end && number.has(end)) ranks[number(end)] = Index(r);
  }
};

template <class Index>
struct clear_rank {
  Index* rank;
  ORDO_FN void operator()(std::size_t) const { *rank = 0; }
};

/// Keeps the rank of record r's first suffix.
template <class Index>
struct rank_of_begin {
  std::uint64_t const* bounds;
  Index const* ranks;
  Index* first_ranks;
  ORDO_FN void operator()(std::size_t r) const { first_ranks[r] = ranks[bounds[r]]; }
};

/// Where ranks are written once the ends of records have theirs.
template <class Index, class Numbers>
struct rank_places {
  break_mask breaks;
  std::uint64_t const* bounds;
  std::size_t records;
  Index *ranks, *first_ranks;
  Numbers number;

  ORDO_FN void set(std::size_t p, Index rank) const {
    if (breaks(p)) {
      if (first_ranks) first_ranks[record_at(p)] = rank;
    } else if (number.has(p)) {
      ranks[number(p)] = rank;
    }
  }

 private:
  /// The record that begins at p and is not empty: the last one that begins there.
  ORDO_FN std::size_t record_at(std::size_t p) const {
    std::size_t low = 0, high = records;
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (bounds[middle] <= p)
        low = middle + 1;
      else
        high = middle;
    }
    return low - 1;
  }
};

/// Puts the suffix at p into its place of a part of the order.
template <class Index>
struct place_by_rank {
  break_mask breaks;
  Index const* ranks;
  std::size_t first, size;  // which ranks are the part's
  Index* part;
  ORDO_FN void operator()(std::size_t p) const {
    if (ranks[p] - first < size && !breaks(p)) part[ranks[p] - first] = Index(p);
  }
};

/// The same for the first suffix of record r.
template <class Index>
struct place_begin_by_rank {
  std::uint64_t const* bounds;
  Index const* first_ranks;
  std::size_t first, size;
  Index* part;
  ORDO_FN void operator()(std::size_t r) const {
    if (bounds[r] < bounds[r + 1] && first_ranks[r] - first < size) part[first_ranks[r] - first] = Index(bounds[r]);
  }
};

/// Bits of the greatest rank of n suffixes, behind those of the records' ends.
constexpr unsigned rank_width(std::size_t n, std::size_t records) {
  return unsigned(std::bit_width(n + records - 1));
}

/// The key of suffixes that have `depth` letters at least, and are known to agree in them: the rank of what follows; and, where
/// ranks are narrow enough, the rank of what follows `depth` letters further on. That may be beyond the record, but then what
/// follows first is shorter than `depth`, its rank is its own, and the other one does not matter. A key has the room for two
/// ranks and not a bit more; an Index of 16 bits is a model of that of 32, small enough for texts that fill it.
/// Where every step-th position of a record has a rank, `depth` is a multiple of that.
template <class Index, class Numbers = every_position>
struct rank_key {
  static constexpr unsigned ranks = sizeof(Index) < 8 ? 2 : 1;
  using key_type = std::conditional_t<sizeof(Index) == 2, std::uint32_t, std::uint64_t>;
  Index const* rank;
  std::size_t depth, end;
  unsigned width;  // bits of a rank
  Numbers number = {};

  [[nodiscard]] bit_range bits() const { return {0, ranks * width}; }
  ORDO_FN key_type operator()(Index p) const {
    key_type const first = rank[number(p + depth)];
    return ranks == 1 ? first : first << width | rank[number(further(p))];
  }
  ORDO_FN void prefetch(Index p) const {
    number.expect(rank, p + depth);
    if (ranks == 2) number.expect(rank, further(p));
  }

 private:
  ORDO_FN std::size_t further(Index p) const { return p + 2 * depth < end ? p + 2 * depth : end; }
};

/// The ranks of suffixes: for the number of a position the place of its group in the order, plus the number of records. At
/// a record's end stands the rank of that end, below all others and growing from record to record: it takes the place of the
/// next record's first suffix, which no suffix of another record may ask for, and no suffix of its own record can. Memory:
/// sizeof(Index) bytes a suffix, and, where the order is to be made from the ranks, as much a record.
/// Positions without a number have no rank, and keys do not ask for one: see positions_behind.hpp.
template <Backend B, class Index, class Numbers = every_position>
class suffix_ranks {
 public:
  /// @param n  letters @param suffixes  how many are sorted @param count  of how many positions there are ranks
  /// @param number  of these @param invertible  whether order() will be asked for, of the suffixes of every position
  suffix_ranks(B& machine, record_breaks<B> const& breaks, std::size_t n, std::size_t suffixes, std::size_t count,
               bool invertible, Numbers number = {})
      : machine_(machine),
        breaks_(breaks),
        n_(n),
        first_(Index(breaks.bounds().size() - 1)),
        suffixes_(suffixes),
        invertible_(invertible),
        number_(number),
        ranks_(machine.template buffer<Index>(count + 1)),
        first_ranks_(invertible ? machine.template buffer<Index>(first_) : buffer<Index>{}) {
    machine.each(1, clear_rank<Index>{ranks_.data() + count});  // of no position, or the end of the text
  }

  /// The suffixes of a part of the order that begins at place `first`. Before end_records.
  void place(std::span<Index const> part, std::size_t first) {
    machine_.each(part.size(),
                  rank_by_place<Index, Numbers>{part.data(), Index(first_ + first), part.size(), ranks_.data(), number_});
  }
  /// And then those of its open groups.
  void place(refinement<B, Index, Index>& open) {
    auto const head = machine_.template buffer<Index>(open.size());
    rank_by_group<Index, Numbers> const placed{open.groups_of_items(head.span()), open.items().data(), first_, ranks_.data(),
                                               number_};
    machine_.each(open.size(), placed);
  }

  /// All suffixes have been placed. Keys can be asked for from now on.
  void end_records() {
    auto const* const bounds = breaks_.bounds().data();
    if (invertible_) machine_.each(first_, rank_of_begin<Index>{bounds, ranks_.data(), first_ranks_.data()});
    machine_.each(first_, rank_of_end<Index, Numbers>{bounds, ranks_.data(), number_});
  }

  /// Every suffix of the refinement takes the rank of the head of its group. After end_records.
  void update(refinement<B, Index, Index>& open) {
    auto const head = machine_.template buffer<Index>(open.size());
    auto const group = open.groups_of_items(head.span());
    auto const* const suffix = open.items().data();
    rank_places<Index, Numbers> const places{
        breaks_.mask(), breaks_.bounds().data(), first_, ranks_.data(), invertible_ ? first_ranks_.data() : nullptr, number_};
    Index const first = first_;
    // Those of a group that begins where it did have the rank that they had. In genomes that are nearly alike most do, and
    // writing to random places is what a round costs.
    machine_.each(open.size(), [=] ORDO_FN(std::size_t i) {
      if (!group.is_old(i)) places.set(suffix[i], Index(first + group.slot(i)));
    });
  }

  /// The key of the suffixes whose first `depth` letters are known.
  [[nodiscard]] rank_key<Index, Numbers> key(std::size_t depth) const {
    return {ranks_.data(), depth, n_, rank_width(suffixes_, first_), number_};
  }

  /// part := the suffixes from place `first` of the order on, when every suffix has a rank of its own.
  void order(std::size_t first, std::span<Index> part) const {
    std::size_t const rank = first_ + first;
    machine_.each(ranks_.size() - 1, place_by_rank<Index>{breaks_.mask(), ranks_.data(), rank, part.size(), part.data()});
    machine_.each(first_,
                  place_begin_by_rank<Index>{breaks_.bounds().data(), first_ranks_.data(), rank, part.size(), part.data()});
  }

 private:
  B& machine_;
  record_breaks<B> const& breaks_;
  std::size_t n_;
  Index first_;
  std::size_t suffixes_;
  bool invertible_;
  Numbers number_;
  buffer<Index> ranks_, first_ranks_;
};

}  // namespace ordo::suffix::detail
