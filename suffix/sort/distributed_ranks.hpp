#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/first_bound.hpp"
#include "ordo/backend.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/sort/key_ranges.hpp"
#include "suffix/sort/long_repeats.hpp"
#include "suffix/sort/member_share.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/sort/requests.hpp"
#include "suffix/sort/row_filter.hpp"
#include "suffix/sort/suffix_ranks.hpp"
#include "suffix/text/packed_text.hpp"

// A distributed sort: each member sorts the suffixes whose keys are in its range, and knows their ranks. It asks other members
// for those of the suffixes that follow.
namespace ordo::inline v0::suffix::detail {

/// Computes word w of the positions of a sample whose keys are in a range, and the end of the text, and their number.
struct word_of_range {
  mark_rows<packed_view> sample;
  bool is_empty;  // whether the range is
  range_finder find_range;

  ORDO_FN set_word operator()(std::size_t w) const {
    std::uint64_t bits = is_empty ? 0 : in_range(w);
    if (bits != 0 && sample.selection.sample != 1) bits &= sample(w);
    if (w == sample.n / 64) bits |= std::uint64_t{1} << (63 - sample.n % 64);
    return {bits, count_ones(bits)};
  }

 private:
  ORDO_FN std::uint64_t in_range(std::size_t w) const {
    packed_view const& text = sample.text;
    std::size_t const begin = 64 * w, end = begin + 64 < sample.n ? begin + 64 : sample.n;
    std::uint64_t bits = 0;
    auto const put = [&](std::size_t p, bool is_in) { bits |= std::uint64_t(is_in) << (63 - p % 64); };
    if (text.breaks.are_far(begin))  // none in the word and in the next one
      each_top(text, begin, end, [&](std::size_t p, std::uint32_t top) { put(p, find_range.is_in_first(text, p, top)); });
    else
      for (std::size_t p = begin; p < end; ++p) put(p, find_range(text, p) == 0);
    return bits;
  }
};

/// The positions of a sample that a member sorts.
template <Backend B>
class range_positions : public numbered_positions<B> {
 public:
  /// @param firsts  the first keys of the members' ranges, ascending; those of equal ones are empty, except the last
  range_positions(B& backend, packed_text<B> const& packed, std::uint64_t distance, std::span<std::uint64_t const> firsts,
                  std::size_t member)
      : numbered_positions<B>(backend, packed, distance, [&](mark_rows<packed_view> const& sample) {
          bool const is_last = member + 1 == firsts.size(), is_empty = !is_last && firsts[member + 1] == firsts[member];
          std::uint64_t const first = firsts[member], end = is_last ? 0 : firsts[member + 1];
          std::uint64_t const lasts[1] = {is_empty ? first : end - 1};  // the last range ends at the greatest number
          return word_of_range{sample, is_empty, range_finder(packed.view(), first, lasts)};
        }) {}
};

/// Finds the member that sorts the suffix `steps` letters after item i: none, after all members, if a record ends there.
template <class Index, class Place>
struct find_owner {
  packed_view text;
  std::uint64_t const* firsts;  // keys of the members' ranges
  std::size_t members;
  Index const* items;
  std::size_t steps;
  std::uint32_t* owners;
  Place* order;  // receives i

  ORDO_FN void operator()(std::size_t i) const {
    order[i] = Place(i);
    owners[i] = std::uint32_t(owner(items[i] + steps));
  }

 private:
  ORDO_FN std::size_t owner(std::size_t position) const {
    if (text.breaks(position)) return members;
    std::uint64_t const key = text.key(position);
    // The member before the first range after the key.
    return (key == ~std::uint64_t{0} ? members : first_bound(firsts, members, key + 1)) - 1;
  }
};

template <class Index, class Place>
struct store_request {
  Index const* items;
  Place const* order;
  std::size_t steps;
  Index* requests;
  ORDO_FN void operator()(std::size_t i) const { requests[i] = Index(items[order[i]] + steps); }
};

/// Replaces positions by their ranks.
template <class Index>
struct look_up_rank {
  rank_key<Index, numbered_position> of;
  Index* positions;
  ORDO_FN void operator()(std::size_t i) const { positions[i] = of.rank[of.number(positions[i])]; }
};

/// Stores the ranks that decide about items, by the numbers of their positions. Where a record ends, it is the record's.
template <class Index, class Place>
struct store_next_rank {
  Index const* items;
  Place const* order;
  Index const* answers;
  std::size_t requests;  // the first items in order
  std::uint64_t const* bounds;
  std::size_t records;
  numbered_position number;
  Index* to;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const p = items[order[i]];
    to[number(p)] = i < requests ? answers[i] : Index(first_bound(bounds, records + 1, p + 1) - 1);
  }
};

template <class Index>
struct first_suffix_key {
  packed_view text;
  Index const* suffix;
  std::size_t size;
  std::uint64_t* keys;
  ORDO_FN void operator()(std::size_t i) const { keys[i] = text.key(suffix[i == 0 ? 0 : size - 1]); }
};

template <class Index>
struct store_one {
  Index* to;
  Index value;
  ORDO_FN void operator()(std::size_t) const { *to = value; }
};

/// The ranks of all suffixes, over the members of a communicator.
template <Backend B, class Index>
class group_ranks {
 public:
  /// Divides the suffixes among the members. Collective.
  group_ranks(B& backend, packed_text<B> const& packed, std::uint64_t sample, member_share& share)
      : backend_(backend),
        packed_(packed),
        share_(share),
        firsts_(divide(backend, packed, share)),
        owners_(backend.template buffer<std::uint64_t>(firsts_.size())),
        positions_(backend, packed, sample, firsts_, share.members.rank()) {
    auto const uploaded = backend.upload(std::span<std::uint64_t const>(firsts_));
    backend.copy(std::span<std::uint64_t const>(uploaded.span()), owners_.span());
    auto const counts = share.members.all_gather(std::uint64_t(count()));
    for (std::size_t m = 0; m < counts.size(); ++m) {
      if (m < share.members.rank()) first_row_ += std::size_t(counts[m]);
      rows_ += std::size_t(counts[m]);
    }
    share.report.rows = count();
  }

  /// Returns the number of this member's suffixes, and their positions.
  [[nodiscard]] std::size_t count() const { return positions_.count(); }
  [[nodiscard]] numbered_position numbers() const { return positions_.numbers(); }
  /// Returns the number of the suffixes of all members, and of those before this one.
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t first_row() const { return first_row_; }
  [[nodiscard]] member_share& share() const { return share_; }

  /// Returns the lowest and the highest value of all members. Collective.
  [[nodiscard]] std::size_t min(std::size_t value) const { return std::size_t(share_.members.reduce(value, reduction::min)); }
  [[nodiscard]] std::size_t max(std::size_t value) const { return std::size_t(share_.members.reduce(value, reduction::max)); }

  /// Returns the sum of the values of all members. Collective.
  [[nodiscard]] std::size_t sum(std::size_t value) const { return std::size_t(share_.members.reduce(value, reduction::sum)); }

  /// Brings the ranks of the suffixes `steps` letters after these. Collective.
  /// @param own  the ranks of this member's suffixes
  /// @param to  receives them, by the numbers of `items`
  void bring(std::span<Index const> items, std::size_t steps, rank_key<Index, numbered_position> const& own,
             std::span<Index> to) {
    questions all = ask(items, steps);
    backend_.each(all.asked.size(), look_up_rank<Index>{own, all.asked.data()});
    share_.report.exchanged += all.moves.sent_back * sizeof(Index);
    move_items(share_.members, backend_, all.moves.back, std::span<Index const>(all.asked.span()), all.own.span());
    backend_.each(items.size(),
                  store_next_rank<Index, place>{items.data(), all.order.data(), all.own.data(), all.own.size(),
                                                packed_.breaks().bounds().data(), packed_.records(), numbers(), to.data()});
  }

  /// Adds the suffixes whose ranks bring() will look up here for the members, if they call it with these arguments. Collective.
  void add_asked(std::span<Index const> items, std::size_t steps, needed_ranks<B>& needed) {
    questions const all = ask(items, steps);
    needed.add(std::span<Index const>(all.asked.span()), 0);
  }

  /// Completes an LCP at this member's first row: the keys of two members differ. Collective.
  void join(std::span<Index const> sa, std::span<Index> lcp) const {
    range_ends const own = measure_ends(sa);
    auto const all = share_.members.all_gather(own);
    if (lcp.empty()) return;
    for (std::size_t m = share_.members.rank(); m-- != 0;)
      if (all[m].rows != 0) {
        Index const length = Index(packed_.view().common_letters(all[m].last_key, own.first_key));
        return backend_.each(1, store_one<Index>{lcp.data(), length});
      }
  }

  /// Prepares a filter for this member's rows: the rows of other members that it drops count for the first row of this one.
  /// Collective.
  /// @returns the number of rows that are kept
  std::size_t prepare(row_filter<B, Index>& filter, std::span<Index const> sa, std::span<Index const> lcp) const {
    auto const own = filter.survey(sa, lcp);
    auto const all = share_.members.all_gather(own);
    dropped_rows before;
    for (std::size_t m = 0; m < share_.members.rank(); ++m) {
      if (all[m].rows == 0) continue;
      bool const follows = all[m].kept == 0 && !before.ends_kept;
      if (follows && before.lowest < all[m].lowest) continue;
      before = all[m];
    }
    filter.start_behind(before);
    return std::size_t(own.kept);
  }

 private:
  /// Returns the first keys of the members' ranges. Member 0 decides.
  static std::vector<std::uint64_t> divide(B& backend, packed_text<B> const& packed, member_share& share) {
    std::vector<std::uint64_t> firsts(share.members.size(), 0);
    if (packed.size() != 0 && share.members.rank() == 0)
      firsts = key_sample(backend, packed.view(), packed.size(), packed.size(), every_position{}).choose_firsts(firsts.size());
    share.members.broadcast(std::as_writable_bytes(std::span(firsts)), 0);
    return firsts;
  }

  using place = std::conditional_t<sizeof(Index) == 8, std::uint64_t, std::uint32_t>;
  /// The suffixes whose ranks this member asks for, sorted by owner, and those whose ranks the others ask of it.
  struct questions {
    buffer<place> order;
    request_moves moves;
    buffer<Index> own, asked;
  };
  /// Asks the owners of the suffixes `steps` letters after items. Collective.
  questions ask(std::span<Index const> items, std::size_t steps) {
    communicator& members = share_.members;
    std::size_t const size = items.size();
    auto order = backend_.template buffer<place>(size);
    std::vector<std::uint64_t> begins;
    {
      auto const owners = backend_.template buffer<std::uint32_t>(size);
      backend_.each(size, find_owner<Index, place>{packed_.view(), owners_.data(), firsts_.size(), items.data(), steps,
                                                   owners.data(), order.data()});
      begins = sort_by_owner(backend_, members.size(), owners.span(), order.span());
    }
    auto own = backend_.template buffer<Index>(std::size_t(begins.back()));
    backend_.each(own.size(), store_request<Index, place>{items.data(), order.data(), steps, own.data()});
    request_moves const moves(members, begins);
    share_.report.exchanged += moves.sent_out * sizeof(Index);
    auto asked = backend_.template buffer<Index>(moves.answered);
    move_items(members, backend_, moves.out, std::span<Index const>(own.span()), asked.span());
    return {std::move(order), moves, std::move(own), std::move(asked)};
  }

  [[nodiscard]] range_ends measure_ends(std::span<Index const> sa) const {
    range_ends ends{sa.size()};
    if (sa.empty()) return ends;
    auto const keys = backend_.template buffer<std::uint64_t>(2);
    backend_.each(2, first_suffix_key<Index>{packed_.view(), sa.data(), sa.size(), keys.data()});
    ends.first_key = value_at(backend_, keys.span(), 0);
    ends.last_key = value_at(backend_, keys.span(), 1);
    return ends;
  }

  B& backend_;
  packed_text<B> const& packed_;
  member_share& share_;
  std::vector<std::uint64_t> firsts_;  // keys
  buffer<std::uint64_t> owners_;       // the same, in the backend's memory
  range_positions<B> positions_;
  std::size_t first_row_ = 0, rows_ = 0;
};

}  // namespace ordo::inline v0::suffix::detail
