#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ordo/backend.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::inline v0::suffix::detail {

/// Gives the suffix in row i of an order that begins at rank `first` the rank first + i.
template <class Index, class Numbers>
struct rank_by_place {
  Index const* suffix;
  Index first;
  std::size_t size;
  Index* ranks;
  Numbers number;
  ORDO_FN void operator()(std::size_t i) const {
    if (i + lookahead < size) number.prefetch(ranks, suffix[i + lookahead]);
    std::size_t const p = suffix[i];
    if (number.has(p)) ranks[number(p)] = Index(first + i);
  }
};

/// Gives suffix i of open groups the rank of its group's head.
template <class Index, class Numbers>
struct rank_by_group {
  ordo::detail::group_finder<Index> group;
  Index const* suffix;
  Index first;
  Index* ranks;
  Numbers number;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const p = suffix[i];
    if (number.has(p)) ranks[number(p)] = Index(first + group.slot(i));
  }
};

/// Gives the end of record r the rank r, in the entry of the next record's first suffix.
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

/// Saves the rank of record r's first suffix.
template <class Index>
struct rank_of_begin {
  std::uint64_t const* bounds;
  Index const* ranks;
  Index* first_ranks;
  ORDO_FN void operator()(std::size_t r) const { first_ranks[r] = ranks[bounds[r]]; }
};

/// Stores ranks once the ends of records have theirs.
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
  /// Returns the record that begins at p and is not empty: the last one that begins there.
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

/// Puts the suffix at p into its row of a part of the order.
template <class Index>
struct place_by_rank {
  break_mask breaks;
  Index const* ranks;
  std::size_t first, size;  // the ranks of the part
  Index* part;
  ORDO_FN void operator()(std::size_t p) const {
    if (ranks[p] - first < size && !breaks(p)) part[ranks[p] - first] = Index(p);
  }
};

/// Puts the first suffix of record r into its row of a part of the order.
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

/// Returns the bits of the greatest rank of n suffixes, which follow the ranks of the records' ends.
constexpr unsigned rank_width(std::size_t n, std::size_t records) {
  return unsigned(std::bit_width(n + records - 1));
}

/// Computes keys for suffixes that agree in their first `depth` letters: the rank of what follows and, if ranks are narrow
/// enough, the rank of what follows another `depth` letters. That may be beyond the record; but then what follows first is
/// shorter than `depth` and has a rank of its own, and the second rank does not matter. A key holds exactly two ranks; an Index
/// of 16 bits models one of 32, for tests with texts that fill it. If only a sample of positions has ranks, `depth` is a
/// multiple of its distance.
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
    number.prefetch(rank, p + depth);
    if (ranks == 2) number.prefetch(rank, further(p));
  }

 private:
  ORDO_FN std::size_t further(Index p) const { return p + 2 * depth < end ? p + 2 * depth : end; }
};

/// The ranks of suffixes: for the number of a position the first row of its group in the order, plus the number of records. At
/// a record's end is the rank of that end, which is below all others and grows from record to record. It takes the entry of the
/// next record's first suffix, whose rank no key needs. Memory: sizeof(Index) bytes a suffix and, if the order is made from the
/// ranks, as much a record. Positions without a number have no rank, and no key needs one: see needed_ranks.
template <Backend B, class Index, class Numbers = every_position>
class suffix_ranks {
 public:
  /// @param n  letters
  /// @param suffixes  number of sorted suffixes
  /// @param count  number of positions with ranks
  /// @param number  the number of these positions
  /// @param invertible  whether order() will be called, for the suffixes of all positions
  /// @param first_row  that of the order which begins with these suffixes, if others precede them
  suffix_ranks(B& backend, record_breaks<B> const& breaks, std::size_t n, std::size_t suffixes, std::size_t count,
               bool invertible, Numbers number = {}, std::size_t first_row = 0)
      : backend_(backend),
        breaks_(breaks),
        n_(n),
        records_(breaks.bounds().size() - 1),
        first_(Index(records_ + first_row)),
        suffixes_(suffixes),
        invertible_(invertible),
        number_(number),
        ranks_(backend.template buffer<Index>(count + 1)),
        first_ranks_(invertible ? backend.template buffer<Index>(records_) : buffer<Index>{}) {
    backend.each(1, clear_rank<Index>{ranks_.data() + count});  // no position, or the end of the text
  }

  /// Stores the ranks of a part of the order that begins at row `first`. Before end_records.
  void place(std::span<Index const> part, std::size_t first) {
    backend_.each(part.size(),
                  rank_by_place<Index, Numbers>{part.data(), Index(first_ + first), part.size(), ranks_.data(), number_});
  }
  /// Stores the ranks of open groups. After their part of the order.
  void place(refinement<B, Index, Index>& open) {
    auto const head = backend_.template buffer<Index>(open.size());
    rank_by_group<Index, Numbers> const placed{open.groups_of_items(head.span()), open.items().data(), first_, ranks_.data(),
                                               number_};
    backend_.each(open.size(), placed);
  }

  /// Stores the ranks of the ends of records, after those of all suffixes. Afterwards key() can be used.
  void end_records() {
    auto const* const bounds = breaks_.bounds().data();
    if (invertible_) backend_.each(records_, rank_of_begin<Index>{bounds, ranks_.data(), first_ranks_.data()});
    backend_.each(records_, rank_of_end<Index, Numbers>{bounds, ranks_.data(), number_});
  }

  /// Gives each suffix the rank of the head of its group. After end_records.
  void update(refinement<B, Index, Index>& open) {
    auto const head = backend_.template buffer<Index>(open.size());
    auto const group = open.groups_of_items(head.span());
    auto const* const suffix = open.items().data();
    rank_places<Index, Numbers> const places{
        breaks_.mask(), breaks_.bounds().data(), records_, ranks_.data(), invertible_ ? first_ranks_.data() : nullptr, number_};
    Index const first = first_;
    // The ranks of a group that still begins at the same row do not change. In similar genomes most do not, and a round spends
    // its time on random writes.
    backend_.each(open.size(), [=] ORDO_FN(std::size_t i) {
      if (!group.is_old(i)) places.set(suffix[i], Index(first + group.slot(i)));
    });
  }

  /// Returns the keys of suffixes whose first `depth` letters are known.
  [[nodiscard]] rank_key<Index, Numbers> key(std::size_t depth) const {
    return {ranks_.data(), depth, n_, rank_width(suffixes_, records_), number_};
  }

  /// Sets part to the suffixes from row `first` of the order on, once every suffix has a rank of its own.
  void order(std::size_t first, std::span<Index> part) const {
    std::size_t const rank = first_ + first;
    backend_.each(ranks_.size() - 1, place_by_rank<Index>{breaks_.mask(), ranks_.data(), rank, part.size(), part.data()});
    backend_.each(records_,
                  place_begin_by_rank<Index>{breaks_.bounds().data(), first_ranks_.data(), rank, part.size(), part.data()});
  }

 private:
  B& backend_;
  record_breaks<B> const& breaks_;
  std::size_t n_, records_;
  Index first_;  // rank of the first row
  std::size_t suffixes_;
  bool invertible_;
  Numbers number_;
  buffer<Index> ranks_, first_ranks_;
};

}  // namespace ordo::inline v0::suffix::detail
