#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "sort_core/backend.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/packed_text.hpp"

// Prefix doubling (Hou et al., ICS'17, section 5.1; Manber and Myers; Larsson and Sadakane): suffixes whose first h letters
// agree form a group, and are told apart by the ranks of the suffixes h letters behind, which doubles h; two ranks at once
// make it three times as large. Beyond the paper, too, the first two rounds read keys of many letters from the packed text, so
// that the ranks are needed for few suffixes only.
// Ranks change after a sort and never during it: in the midst of a round a group would be read half old and half new.
namespace ordo::suffix::detail {

/// The suffix at place i of the order has rank first + i.
template <class Index>
struct rank_by_place {
  Index const* suffix;
  Index first;
  Index* ranks;
  ORDO_FN void operator()(std::size_t i) const { ranks[suffix[i]] = Index(first + i); }
};

/// The end of record r has rank r.
template <class Index>
struct rank_of_end {
  std::uint64_t const* bounds;
  Index* ranks;
  ORDO_FN void operator()(std::size_t r) const {
    if (bounds[r] < bounds[r + 1]) ranks[bounds[r + 1]] = Index(r);
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
template <class Index>
struct rank_key {
  static constexpr unsigned ranks = sizeof(Index) < 8 ? 2 : 1;
  using key_type = std::conditional_t<sizeof(Index) == 2, std::uint32_t, std::uint64_t>;
  Index const* rank;
  std::size_t depth, end;
  unsigned width;  // bits of a rank

  [[nodiscard]] bit_range bits() const { return {0, ranks * width}; }
  ORDO_FN key_type operator()(Index p) const {
    key_type const first = rank[p + depth];
    return ranks == 1 ? first : first << width | rank[further(p)];
  }
  ORDO_FN void prefetch(Index p) const {
    ordo::prefetch(rank + p + depth);
    if (ranks == 2) ordo::prefetch(rank + further(p));
  }

 private:
  ORDO_FN std::size_t further(Index p) const { return p + 2 * depth < end ? p + 2 * depth : end; }
};

/// The key of suffixes that have `depth` letters at least, and are known to agree in them: the letters that follow.
struct text_key {
  packed_view text;
  std::size_t depth;

  ORDO_FN std::uint64_t operator()(std::size_t p) const { return text.key_behind(p + depth); }
  ORDO_FN void prefetch(std::size_t p) const { text.expect(p + depth); }
};

/// The ranks of all suffixes: for position p the place of its group in the order, plus the number of records. At a record's
/// end stands the rank of that end, below all others and growing from record to record: it takes the place of the next
/// record's first suffix, which no suffix of another record may ask for, and no suffix of its own record can.
template <Backend B, class Index>
class suffix_ranks {
 public:
  suffix_ranks(B& machine, record_breaks<B> const& breaks, std::span<Index const> order)
      : machine_(machine),
        breaks_(breaks.mask()),
        first_(Index(breaks.bounds().size() - 1)),
        ranks_(machine.template buffer<Index>(order.size() + 1)) {
    machine.each(order.size(), rank_by_place<Index>{order.data(), first_, ranks_.data()});
    machine.each(first_, rank_of_end<Index>{breaks.bounds().data(), ranks_.data()});
  }

  /// Every suffix of the refinement takes the rank of the head of its group.
  void update(refinement<B, Index, Index>& open) {
    auto const head = machine_.template buffer<Index>(open.size());
    auto const group = open.groups_of_items(head.span());
    auto const* const suffix = open.items().data();
    auto* const ranks = ranks_.data();
    auto const breaks = breaks_;
    Index const first = first_;
    // Those of a group that begins where it did have the rank that they had. In genomes that are nearly alike most do, and
    // writing to random places is what a round costs.
    bool const all = std::exchange(none_yet_, false);
    machine_.each(open.size(), [=] ORDO_FN(std::size_t i) {
      if ((all || !group.is_old(i)) && !breaks(suffix[i])) ranks[suffix[i]] = Index(first + group.slot(i));
    });
  }

  /// The key of the suffixes whose first `depth` letters are known.
  [[nodiscard]] rank_key<Index> key(std::size_t depth) const {
    std::size_t const n = ranks_.size() - 1;
    return {ranks_.data(), depth, n, rank_width(n, first_)};
  }

 private:
  B& machine_;
  break_mask breaks_;
  Index first_;
  buffer<Index> ranks_;
  bool none_yet_ = true;  // no group's items have its rank, but their own
};

/// The first round: all suffixes by their first key. Groups of suffixes that the key does not tell apart are left open;
/// equal suffixes are settled, since the sort is stable and began with the order of positions. with_keys is given the keys in
/// order; later rounds permute only suffixes of equal keys.
template <Backend B, class Index, class WithKeys>
void sort_by_first_key(B& machine, packed_view text, std::span<Index> order, refinement<B, Index, Index>& open,
                       WithKeys with_keys) {
  auto const keys = machine.template buffer<std::uint64_t>(order.size());
  machine.argsort(
      order.size(), [=] ORDO_FN(std::size_t p) { return text.key(p); }, keys.span(), order, text.key_bits());
  auto const* const key = keys.data();
  open.start(std::span<Index const>(order),
             [=] ORDO_FN(std::size_t i) { return i == 0 || key[i] != key[i - 1] || text.ends(key[i]); });
  with_keys(std::span<std::uint64_t const>(keys.span()));
}

/// The second: the open groups by the key `depth` letters behind, straight from the text.
template <Backend B, class Index>
void refine_by_text(B& machine, packed_view text, std::size_t depth, std::span<Index> order,
                    refinement<B, Index, Index>& open) {
  open.sort(text_key{text, depth}, text.key_bits());
  auto const* const suffix = open.items().data();
  auto* const heads = open.heads().data();
  machine.each(open.size(), [=] ORDO_FN(std::size_t i) {
    if (text.breaks.distance(suffix[i] + depth) < text.letters) heads[i] = 1;  // equal suffixes, in order already
  });
  open.place(order);
  open.drop_settled();
}

/// order := the suffix array of the text, of order.size() letters. Memory beyond that: 8 + sizeof(Index) bytes a letter, as
/// much again for the sort; later sizeof(Index) a letter and what refinement and its sorts need for the open suffixes.
template <Backend B, class Index, class WithKeys>
void sort_suffixes(B& machine, packed_text<B> const& packed, std::span<Index> order, WithKeys with_keys) {
  packed_view const text = packed.view();
  refinement<B, Index, Index> open(machine);
  sort_by_first_key(machine, text, order, open, with_keys);
  if (open.empty()) return;
  std::size_t depth = text.letters;
  refine_by_text(machine, text, depth, order, open);
  if (open.empty()) return;

  suffix_ranks<B, Index> ranks(machine, packed.breaks(), order);
  ranks.update(open);
  for (depth *= 2; !open.empty(); depth *= 1 + rank_key<Index>::ranks) {
    auto const key = ranks.key(depth);
    open.sort(key, key.bits());
    open.place(order);
    ranks.update(open);
    open.drop_settled();
  }
}

}  // namespace ordo::suffix::detail
