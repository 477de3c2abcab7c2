#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/communicator.hpp"
#include "suffix/arrays/check.hpp"
#include "suffix/sort/requests.hpp"
#include "suffix/text/packed_text.hpp"

// A check over a communicator: each member has some of the rows, and knows the ranks of as many positions as others.
namespace ordo::inline v0::suffix::detail {

/// Finds the member that knows the rank of a position; see even_offset.
struct rank_owner {
  std::size_t share, longer;  // the first members know one position more
  rank_owner(std::size_t n, std::size_t members) : share(n / members), longer(n % members) {}
  ORDO_FN std::uint32_t operator()(std::size_t position) const {
    std::size_t const in_longer = longer * (share + 1);
    return std::uint32_t(position < in_longer ? position / (share + 1) : longer + (position - in_longer) / share);
  }
};

// Values of a member's row i.
template <class Index>
struct position_of_row {
  Index const* sa;
  ORDO_FN Index operator()(std::size_t i) const { return sa[i]; }
};
/// The position after that of the row; the last one for the last one, which a record's end follows.
template <class Index>
struct position_after_row {
  Index const* sa;
  std::size_t n;
  ORDO_FN Index operator()(std::size_t i) const { return std::size_t(sa[i]) + 1 < n ? sa[i] + 1 : sa[i]; }
};
template <class Index>
struct row_number {
  std::size_t first;
  ORDO_FN Index operator()(std::size_t i) const { return Index(first + i); }
};
template <class Index>
struct position_before_row {
  Index const* sa;
  Index before_first;
  ORDO_FN Index operator()(std::size_t i) const { return i == 0 ? before_first : sa[i - 1]; }
};
template <class Index>
struct stated_length {
  Index const* lcp;
  ORDO_FN Index operator()(std::size_t i) const { return lcp[i]; }
};

template <class Position>
struct find_rank_owner {
  rank_owner owner;
  Position position;
  std::size_t begin;
  std::uint32_t *owners, *order;
  ORDO_FN void operator()(std::size_t k) const {
    owners[k] = owner(position(begin + k));
    order[k] = std::uint32_t(k);
  }
};

template <class Index, class Value>
struct gather_value {
  Value value;
  std::size_t begin;
  std::uint32_t const* order;
  Index* to;
  ORDO_FN void operator()(std::size_t k) const { to[k] = value(begin + order[k]); }
};

template <class Index>
struct scatter_value {
  Index const* from;
  std::uint32_t const* order;
  Index* to;
  ORDO_FN void operator()(std::size_t k) const { to[order[k]] = from[k]; }
};

/// Some rows of each member, as they cross to the members that know the ranks of their positions.
template <Backend B, class Index>
class crossing_rows {
 public:
  /// Collective.
  /// @param position  the position of row i, as a function; [begin, begin + count) are rows of this member
  template <class Position>
  crossing_rows(B& backend, communicator& members, rank_owner owner, Position position, std::size_t begin, std::size_t count)
      : backend_(backend),
        members_(members),
        begin_(begin),
        order_(backend.template buffer<std::uint32_t>(count)),
        moves_(members, gather_begins(backend, members, owner, position)) {}

  /// Returns a value of each row that crosses to this member. Collective.
  template <class Value>
  buffer<Index> bring(Value value) {
    auto const own = backend_.template buffer<Index>(order_.size());
    backend_.each(own.size(), gather_value<Index, Value>{value, begin_, order_.data(), own.data()});
    auto received = backend_.template buffer<Index>(moves_.answered);
    move_items(members_, backend_, moves_.out, std::span<Index const>(own.span()), received.span());
    exchanged_ += moves_.sent_out * sizeof(Index);
    return received;
  }
  /// Answers with a value for each row that has crossed. Collective.
  /// @param to  receives the values for the rows of this member, in their order
  void answer(std::span<Index const> values, Index* to) {
    auto const received = backend_.template buffer<Index>(order_.size());
    move_items(members_, backend_, moves_.back, values, received.span());
    exchanged_ += moves_.sent_back * sizeof(Index);
    backend_.each(received.size(), scatter_value<Index>{received.data(), order_.data(), to});
  }
  /// Returns the bytes that this member sent to others.
  [[nodiscard]] std::uint64_t exchanged() const { return exchanged_; }

 private:
  template <class Position>
  std::vector<std::uint64_t> gather_begins(B& backend, communicator& members, rank_owner owner, Position position) {
    auto const owners = backend.template buffer<std::uint32_t>(order_.size());
    backend.each(order_.size(), find_rank_owner<Position>{owner, position, begin_, owners.data(), order_.data()});
    return sort_by_owner(backend, members.size(), owners.span(), order_.span());
  }

  B& backend_;
  communicator& members_;
  std::size_t begin_;
  buffer<std::uint32_t> order_;
  request_moves moves_;
  std::uint64_t exchanged_ = 0;
};

/// Checks arrays of all rows over a communicator. Memory of a member, besides what it checks and the text: sizeof(Index) bytes
/// for each of its positions and rows, for an LCP three times as many in all, and the rows that cross at a time.
template <Backend B, class Index, class Residue>
class distributed_proof {
 public:
  /// Collective.
  /// @param own  rows of this member; those of member 0 are the first. Its BWT begins with the rows of the records' ends.
  distributed_proof(B& backend, communicator& members, text const& input, std::span<Residue const> letters,
                    arrays<Index const> own)
      : backend_(backend),
        members_(members),
        input_(input),
        letters_(letters),
        own_(own),
        owner_(input.size(), members.size()),
        first_position_(std::size_t(even_offset(input.size(), members.size(), members.rank()))),
        positions_(std::size_t(even_share(input.size(), members.size(), members.rank()))) {
    auto const counts = members.all_gather(std::uint64_t(own.sa.size()));
    for (std::size_t m = 0; m < members.rank(); ++m) first_row_ += std::size_t(counts[m]);
    std::size_t const longest = std::size_t(std::ranges::max(counts));
    at_a_time_ = std::max(min_at_a_time, longest / 64);
    rounds_ = (longest + at_a_time_ - 1) / at_a_time_;
    before_first_ = before_first(own.sa.empty() ? Index{0} : own.sa.back(), Index(input.size()));
  }

  /// Returns the mismatch that find_mismatch finds for all rows. Collective.
  std::optional<mismatch> find() {
    auto const sa = backend_.upload(own_.sa);
    sa_ = sa.data();
    if (auto const wrong = find_wrong_position()) return wrong;
    auto const rank = backend_.template buffer<Index>(positions_);
    if (auto const wrong = invert(rank.data())) return wrong;
    auto const residues = backend_.upload(letters_);
    record_breaks<B> const breaks(backend_, n(), input_.starts);
    proof_text<Residue> const text{residues.data(), breaks.mask()};
    if (std::size_t const row = first_descent(text, rank.data()); row != n()) return row_out_of_order(row);
    if (members_.reduce(!own_.lcp.empty(), reduction::max) != 0)
      if (std::size_t const row = first_wrong_length(text, rank.data()); row != n()) return wrong_length(row);
    if (members_.reduce(!own_.bwt.empty(), reduction::max) != 0) return find_wrong_residue(text);
    return std::nullopt;
  }

  /// Returns the bytes that this member sent to others.
  [[nodiscard]] std::uint64_t exchanged() const { return exchanged_; }

  // The steps of find(): public, because nvcc accepts no lambda for a GPU in a private function.
  using crossing = crossing_rows<B, Index>;

  [[nodiscard]] std::size_t n() const { return input_.size(); }
  [[nodiscard]] std::size_t rows() const { return own_.sa.size(); }
  /// Returns the lowest of all members' values. Collective.
  std::size_t lowest(std::size_t value) { return std::size_t(members_.reduce(std::uint64_t(value), reduction::min)); }

  /// Returns what the member of the row before this one's first knows of its last row. Collective.
  /// @param last  the last row of this member, if it has rows @param none  if there is no such row
  Index before_first(Index last, Index none) {
    struct end {
      std::uint64_t rows, last;
    };
    auto const all = members_.all_gather(end{rows(), last});
    for (std::size_t m = members_.rank(); m-- != 0;)
      if (all[m].rows != 0) return Index(all[m].last);
    return none;
  }

  /// Returns the position in a row of any member. Collective.
  std::uint64_t position_in(std::size_t row) {
    bool const is_own = row >= first_row_ && row - first_row_ < rows();
    return members_.reduce(is_own ? std::uint64_t(own_.sa[row - first_row_]) : 0, reduction::max);
  }

  /// Calls take(crossing, begin) for the rows of all members, some at a time. Collective.
  template <class Position, class Take>
  void each_round(Position position, Take take) {
    for (std::size_t round = 0; round < rounds_; ++round) {
      std::size_t const begin = std::min(round * at_a_time_, rows());
      crossing some(backend_, members_, owner_, position, begin, std::min(at_a_time_, rows() - begin));
      take(some, begin);
      exchanged_ += some.exchanged();
    }
  }

  std::optional<mismatch> find_wrong_position() {
    auto const* const suffix = sa_;
    std::size_t const all = n(), first = first_row_;
    std::size_t const row = lowest(first_wrong(
        backend_, rows(), [=] ORDO_FN(std::size_t i) { return suffix[i] < all ? all : first + i; }, all));
    if (row == all) return std::nullopt;
    return no_such_position(row, position_in(row));
  }

  /// Sets rank to the rows of this member's positions, as invert() of one machine.
  std::optional<mismatch> invert(Index* rank) {
    std::size_t const all = n(), first = first_position_;
    constexpr Index none = ~Index{0};  // is no row
    backend_.each(positions_, [=] ORDO_FN(std::size_t i) { rank[i] = none; });
    each_round(position_of_row<Index>{sa_}, [&](crossing& some, std::size_t) { store_rows(some, rank); });
    // n rows of n positions: if all occur, all differ.
    if (lowest(first_wrong(
            backend_, positions_, [=] ORDO_FN(std::size_t i) { return rank[i] == none ? first + i : all; }, all)) == all)
      return std::nullopt;
    std::size_t twice = all;
    each_round(position_of_row<Index>{sa_},
               [&](crossing& some, std::size_t) { twice = std::min(twice, first_repeated(some, rank)); });
    twice = lowest(twice);
    std::size_t const earlier = row_after(0, twice), row = row_after(earlier + 1, twice);
    return repeated_position(row, position_in(row));
  }
  void store_rows(crossing& some, Index* rank) {
    auto const position = some.bring(position_of_row<Index>{sa_}), row = some.bring(row_number<Index>{first_row_});
    std::size_t const count = position.size(), first = first_position_;
    auto const *const at = position.data(), *const from = row.data();
    backend_.each(count, [=] ORDO_FN(std::size_t k) {
      if (k + lookahead < count) ordo::prefetch(rank + (at[k + lookahead] - first));
      store_relaxed(rank + (at[k] - first), from[k]);
    });
  }
  /// Returns the lowest position of these rows that another row has, too.
  std::size_t first_repeated(crossing& some, Index const* rank) {
    auto const position = some.bring(position_of_row<Index>{sa_}), row = some.bring(row_number<Index>{first_row_});
    std::size_t const all = n(), first = first_position_;
    auto const *const at = position.data(), *const from = row.data();
    return first_wrong(
        backend_, position.size(),
        [=] ORDO_FN(std::size_t k) { return rank[at[k] - first] == from[k] ? all : std::size_t(at[k]); }, all);
  }
  /// Returns the first row from `begin` on that has a position. Collective.
  std::size_t row_after(std::size_t begin, std::size_t position) {
    auto const* const suffix = sa_;
    std::size_t const all = n(), first = first_row_;
    return lowest(first_wrong(
        backend_, rows(), [=] ORDO_FN(std::size_t i) { return first + i >= begin && suffix[i] == position ? first + i : all; },
        all));
  }

  /// Returns the first row that is out of order with the row before it, or n. Collective.
  std::size_t first_descent(proof_text<Residue> text, Index const* rank) {
    auto const following = backend_.template buffer<Index>(rows());  // the ranks of the suffixes that follow
    each_round(position_after_row<Index>{sa_, n()}, [&](crossing& some, std::size_t begin) {
      auto const positions = some.bring(position_after_row<Index>{sa_, n()});
      auto const ranks = look_up(rank, std::span<Index const>(positions.span()));
      some.answer(std::span<Index const>(ranks.span()), following.data() + begin);
    });
    Index const last =
        rows() == 0 ? Index{0} : value_at(backend_, std::span<Index const>(following.span()), following.size() - 1);
    Index const after_before = before_first(last, Index{0});
    position_before_row<Index> const previous{sa_, before_first_};
    auto const *const suffix = sa_, *const after = following.data();
    std::size_t const all = n(), first = first_row_, count = rows();
    return lowest(first_wrong(
        backend_, count,
        [=] ORDO_FN(std::size_t i) {
          if (i + lookahead < count) text.prefetch(suffix[i + lookahead]);
          if (first + i == 0) return all;
          first_residues const order = text.compare(previous(i), suffix[i]);
          bool const is_right = order == first_residues::are_equal ? (i == 0 ? after_before : after[i - 1]) < after[i]
                                                                   : order == first_residues::ascend;
          return is_right ? all : first + i;
        },
        all));
  }
  /// Returns the ranks of positions of this member.
  buffer<Index> look_up(Index const* rank, std::span<Index const> positions) {
    auto result = backend_.template buffer<Index>(positions.size());
    auto* const to = result.data();
    auto const* const at = positions.data();
    std::size_t const first = first_position_, count = positions.size();
    backend_.each(count, [=] ORDO_FN(std::size_t k) {
      if (k + lookahead < count) ordo::prefetch(rank + (at[k + lookahead] - first));
      to[k] = rank[at[k] - first];
    });
    return result;
  }

  /// Returns the first row with a wrong length of a common prefix, or n. Collective.
  std::size_t first_wrong_length(proof_text<Residue> text, Index const* rank) {
    auto const lcp = backend_.upload(own_.lcp);
    auto const lengths = backend_.template buffer<Index>(positions_), stated = backend_.template buffer<Index>(positions_);
    each_round(position_of_row<Index>{sa_}, [&](crossing& some, std::size_t) {
      store_lengths(some, stated_length<Index>{lcp.data()}, lengths.data(), stated.data());
    });
    find_lengths(backend_, text, n(), lengths.data(), first_position_, positions_);
    auto const *const right = lengths.data(), *const found = stated.data();
    std::size_t const all = n();
    return lowest(first_wrong(
        backend_, positions_, [=] ORDO_FN(std::size_t i) { return right[i] == found[i] ? all : std::size_t(rank[i]); }, all));
  }
  void store_lengths(crossing& some, stated_length<Index> length, Index* before, Index* stated) {
    auto const position = some.bring(position_of_row<Index>{sa_}),
               previous = some.bring(position_before_row<Index>{sa_, before_first_}), lengths = some.bring(length);
    auto const *const at = position.data(), *const from = previous.data(), *const read = lengths.data();
    std::size_t const first = first_position_;
    backend_.each(position.size(), [=] ORDO_FN(std::size_t k) {
      before[at[k] - first] = from[k];
      stated[at[k] - first] = read[k];
    });
  }

  /// Collective.
  std::optional<mismatch> find_wrong_residue(proof_text<Residue> text) {
    std::size_t const all = n(), first = first_row_, count = rows(), records = input_.records();
    bool const has_ends = members_.rank() == 0;
    auto const end = has_ends ? find_wrong_end(input_, own_.bwt) : std::nullopt;
    std::size_t const record = lowest(end ? end->row : records);
    if (record != records) return wrong_end(record);
    auto const bwt = backend_.upload(own_.bwt.subspan(has_ends ? records : 0));
    auto const* const letters = bwt.data();
    auto const* const suffix = sa_;
    std::size_t const row = lowest(first_wrong(
        backend_, count,
        [=] ORDO_FN(std::size_t i) {
          if (i + lookahead < count) text.prefetch(suffix[i + lookahead]);
          return letters[i] == text.before(suffix[i]) ? all : first + i;
        },
        all));
    if (row != all) return wrong_residue(row, records);
    return std::nullopt;
  }

 private:
  static constexpr std::size_t min_at_a_time = std::size_t{1} << 18;

  B& backend_;
  communicator& members_;
  text const& input_;
  std::span<Residue const> letters_;
  arrays<Index const> own_;
  rank_owner owner_;
  std::size_t first_position_, positions_;  // positions whose ranks this member knows
  std::size_t first_row_ = 0, at_a_time_ = 0, rounds_ = 0;
  Index before_first_ = 0;  // the position of the row before this member's first; n if there is none
  Index const* sa_ = nullptr;
  std::uint64_t exchanged_ = 0;
};

/// Implements suffix::check over a communicator. Collective. @param exchanged  receives the bytes that this member sent to
/// others
template <Backend B, class Index>
std::optional<mismatch> find_mismatch(B& backend, communicator& members, text const& input, arrays<Index const> own,
                                      std::uint64_t& exchanged) {
  return with_residues(input, [&](auto letters) {
    distributed_proof<B, Index, typename decltype(letters)::value_type> proof(backend, members, input, letters, own);
    auto const it = proof.find();
    exchanged = proof.exchanged();
    return it;
  });
}

}  // namespace ordo::inline v0::suffix::detail
