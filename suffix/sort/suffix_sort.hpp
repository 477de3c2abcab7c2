#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/sort/buffer_sizes.hpp"
#include "suffix/sort/divided_ranges.hpp"
#include "suffix/sort/early_download.hpp"
#include "suffix/sort/induced_sort.hpp"
#include "suffix/sort/key_ranges.hpp"
#include "suffix/sort/letter_runs.hpp"
#include "suffix/sort/long_repeats.hpp"
#include "suffix/sort/needed_ranks.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/sort/repetition.hpp"
#include "suffix/sort/suffix_ranks.hpp"
#include "suffix/sort/text_rounds.hpp"
#include "suffix/sort/worker_sort.hpp"
#include "suffix/text/packed_text.hpp"

// Prefix doubling (Hou et al., ICS'17, section 5.1; Manber and Myers; Larsson and Sadakane): suffixes whose first h letters
// agree form a group, and are told apart by the ranks of the suffixes h letters behind, which doubles h; two ranks at once
// make it three times as large. Beyond the paper, too, the first rounds read keys of many letters from the packed text
// (text_rounds.hpp), and what is in long repeats is settled as such (long_repeats.hpp), so that ranks are needed for few
// suffixes only, and of few positions (positions_behind.hpp). Threads that have caches of their own do most of it without ranks
// (worker_sort.hpp). Ranks change after a sort and never during it: in the midst of a round a group would be read half old and
// half new.
namespace ordo::suffix::detail {

/// Sorts the suffixes of a text of n letters, all at once or range by range.
///
/// At once, memory beyond the order: 8 + sizeof(Index) bytes a letter, as much again for the sort; later, and what refinement
/// and its sorts need for the open suffixes, the ranks: sizeof(Index) for each position that has one, and half a byte a letter;
/// or where many suffixes are open sizeof(Index) a letter. By ranges of the first key: 1 + sizeof(Index) bytes for each open
/// suffix, and the above for those of one range only; ranks come when all ranges are done. Or the order is not kept, open ones
/// take sizeof(Index) more, and all have ranks from the beginning, which are its inverse once they differ. Workers take for a
/// kept order what worker_sort says, and what is left then goes on as above.
///
/// Where only some positions have suffixes that are sorted, with a kept order: by ranges, which may be one. A letter above is
/// one of these positions then.
template <Backend B, class Index, class Numbers = every_position>
class suffix_sort {
 public:
  /// @param kept  where the order is made; empty: parts of it will be asked for @param chosen  whose suffixes are sorted
  /// @param ahead  gets parts of the kept order before all is sorted, if not null
  suffix_sort(B& machine, packed_text<B> const& packed, std::span<Index> kept, Numbers chosen = {},
              order_ahead<B, Index>* ahead = nullptr)
      : machine_(machine),
        packed_(packed),
        first_(packed.first_view()),
        text_(packed.view()),
        kept_(kept),
        chosen_(chosen),
        ahead_(ahead),
        open_(machine) {}

  template <class WithKeys>
  void at_once(WithKeys with_keys) {
    sort_by_first_key(machine_, first_, kept_, open_, with_keys);
    if (open_.empty()) return;
    letter_runs<B> const runs(machine_, first_, packed_.size());
    if (!runs.empty()) refine_by_runs(machine_, first_, runs, kept_, 0, open_);
    if (!open_.empty()) refine_by_text(machine_, text_, first_.letters, kept_, 0, open_);
    std::vector<open_items> aside;
    set_aside(aside, kept_, 0, open_.size());
    finish_kept(aside, kept_.size(), first_.letters + text_.letters);
  }

  /// @param most  suffixes in a range. One key that more of them share makes a range of its own
  template <class WithKeys>
  void by_ranges(std::size_t most, WithKeys with_keys) {
    std::size_t const n = packed_.size();
    if constexpr (has_workers<B>) {
      if (!kept_.empty()) return keep_by_workers(with_keys.rows(), most);
    }
    if (kept_.empty()) ranks_.emplace(machine_, packed_.breaks(), n, n, n, true, chosen_);
    letter_runs<B> const runs(machine_, first_, n);
    std::size_t const count = kept_.empty() ? n : kept_.size();
    auto aside = sort_ranges(key_ranges<B, Index, Numbers>(machine_, first_, n, count, chosen_), runs, most, with_keys);
    if (!kept_.empty()) return finish_kept(aside, most, depth_of_ranks(rounds_by_text));
    ranks_->end_records();
    if constexpr (std::is_same_v<Numbers, every_position>) settle_repeats(aside, depth_of_ranks(rounds_by_text));
    finish(*ranks_, aside, most, depth_of_ranks(rounds_by_text));
  }

  /// part := the suffixes from place `first` of the order on, after by_ranges without a kept order.
  void order(std::size_t first, std::span<Index> part) const { ranks_->order(first, part); }

 private:
  // What is set aside takes memory, and less of it the more of its letters are known.
  static constexpr std::size_t rounds_by_text = 3;
  // Of more suffixes than this share of all the ranks are cheaper to have for every position.
  static constexpr std::size_t most_behind = 8;
  // Larger groups, on average, are not of long repeats alone.
  static constexpr std::size_t most_in_repeats = 8;
  // A larger share of all is not taken up at once.
  static constexpr std::size_t most_taken_up = 64;
  // Where more than this share of all suffixes are open, numbering them is of no use.
  static constexpr std::size_t most_numbered = 4;
  using open_items = typename refinement<B, Index, Index>::open_items;

  /// Letters in which all suffixes agree that are open after so many rounds by text, or after as many as it takes until ranks
  /// are of use.
  [[nodiscard]] std::size_t depth_of_ranks(std::size_t rounds) const {
    std::size_t depth = first_.letters + rounds * text_.letters;
    while (depth < chosen_.step()) depth += text_.letters;
    return depth;
  }

  /// Sorts the kept order, and begins the LCP, if that is not empty: by induction, where the text repeats itself so often that
  /// workers would take longer, or where they run out of memory.
  void keep_by_workers(std::span<Index> lcp, std::size_t most) {
    if constexpr (!std::is_same_v<Numbers, every_position>) {
      sort_and_finish(lcp, most);
    } else {
      bool const can_induce = induced::can_sort(packed_.size());
      if (can_induce && is_repetitive() && induce()) return first_lengths(lcp);
      try {
        return sort_and_finish(lcp, most);
      } catch (out_of_memory const&) {
        open_.clear();
        taken_up_ = false;
        if (!can_induce || !induce()) throw;
      }
      first_lengths(lcp);
    }
  }
  /// Have many suffixes long common prefixes with others, and with so many that one thread sorts all by induction before all
  /// threads have compared them? These take two to ten times as long in all, the longer the more copies there are.
  [[nodiscard]] bool is_repetitive() const {
    using estimate = repetition_estimate<B, Index>;
    constexpr double least_share = 0.25, least_copies = 0.6;
    constexpr std::size_t few_threads = 4;
    std::size_t const n = packed_.size(), threads = worker_sort<B, Index>::threads(machine_);
    if (estimate::memory(n) > machine_.pool().available()) return false;
    repetition const found = estimate::of(machine_, text_, n);
    return found.share >= least_share &&
           found.copies >= least_copies * double(std::max(threads, few_threads)) / double(few_threads);
  }
  void sort_and_finish(std::span<Index> lcp, std::size_t most) {
    letter_runs<B> const runs(machine_, first_, packed_.size());
    auto aside = sort_by_workers(runs, lcp, most);
    finish_kept(aside, most, depth_of_ranks(0));
  }

  using induced = induced_sort<B, Index, induced_text>;
  /// @returns whether there was the memory
  bool induce() {
    try {
      induced(machine_, induced_text(packed_.view(), packed_.breaks().bounds()), kept_).sort();
      return true;
    } catch (out_of_memory const&) {
      return false;
    }
  }
  /// As worker_sort leaves the LCP.
  void first_lengths(std::span<Index> lcp) {
    machine_.each(lcp.size(), [=, text = first_, order = kept_.data()](std::size_t i) {
      if (i + lookahead < lcp.size()) text.expect(order[i + lookahead]);
      lcp[i] = i == 0 ? Index{0} : Index(text.common_letters(text.key(order[i - 1]), text.key(order[i])));
    });
  }

  /// The kept order, by the machine's workers. @returns  what stays open
  std::vector<open_items> sort_by_workers(letter_runs<B> const& runs, std::span<Index> lcp, std::size_t most) {
    using workers = worker_sort<B, Index>;
    auto const ranges =
        divide_by_letters(machine_, first_, packed_.size(), workers::share(machine_, kept_.size()), kept_, chosen_);
    workers sort(machine_, first_, runs, kept_, lcp, most);
    std::vector<open_items> aside;
    sort.sort(ranges, [&](place_range large) {
      auto const part = kept_.subspan(large.first, large.count);
      std::uint64_t const key = first_.key(part.front());
      if (is_uniform_key(first_)(key)) {
        auto const no_keys = [](std::span<std::uint64_t const>, std::size_t, std::uint64_t) {};
        sort_range_by_runs(machine_, runs.key(), {key, key, part.size()}, large.first, part, open_, no_keys);
      } else {
        open_.start(
            std::span<Index const>(part), [](std::size_t i) { return i == 0; }, large.first);
      }
      refine_by_text_keys(part, large.first, 1);
      return put_back();
    });
    for (auto& groups : sort.take_left()) {
      take_up(std::exchange(groups, {}));
      refine_by_text_keys(kept_, 0, 0);  // they have been through many rounds
      set_aside(aside, kept_, 0, open_.size());
    }
    return aside;
  }

  /// The open groups become groups of suffixes in their places.
  buffer<place_group<Index>> put_back() {
    open_.place(kept_);
    auto const all = open_.segments();
    auto groups = machine_.template buffer<place_group<Index>>(all.size());
    machine_.each(all.size(), [=, slots = open_.slots(), to = groups.data()](std::size_t g) {
      to[g] = {slots[all.begin(g)], Index(all.end(g) - all.begin(g))};
    });
    open_.clear();
    return groups;
  }

  /// The reverse.
  void take_up(buffer<place_group<Index>> const groups) {
    auto const ends = machine_.template buffer<Index>(groups.size());
    auto const* const group = groups.data();
    machine_.scan(
        groups.size(), [=](std::size_t g) { return group[g].size; }, ends.span(), plus{});
    open_items items(machine_, std::size_t(value_at(machine_, ends.span(), groups.size() - 1)));
    machine_.each(groups.size(), [&](std::size_t g) {
      std::size_t const at = ends.data()[g] - group[g].size;
      for (std::size_t i = 0; i < group[g].size; ++i) {
        items.items.data()[at + i] = kept_[group[g].begin + i];
        items.slots.data()[at + i] = Index(group[g].begin + i);
        items.heads.data()[at + i] = i == 0;
      }
    });
    open_.take_up(std::move(items));
  }

  /// @param ranges  see key_ranges @returns  what stays open
  template <class Ranges, class WithKeys>
  std::vector<open_items> sort_ranges(Ranges ranges, letter_runs<B> const& runs, std::size_t most, WithKeys& with_keys) {
    std::vector<open_items> aside;
    for (std::size_t first = 0; ranges.more();) {
      key_range const range = ranges.next(std::min(most, suffixes_in_range<Index, B>(most, machine_.pool().available())));
      auto const own = machine_.template buffer<Index>(kept_.empty() ? range.count : 0);
      std::span<Index> const part = kept_.empty() ? own.span() : kept_.subspan(first, range.count);
      ranges.bring(range, part);
      if (range.first == range.last && is_uniform_key(first_)(range.first)) {
        sort_range_by_runs(machine_, runs.key(), range, first, part, open_, with_keys);
      } else {
        sort_range_by_first_key(machine_, first_, range, first, part, open_, with_keys);
        if (!open_.empty() && !runs.empty() && has_uniform_key(range))
          refine_by_runs(machine_, first_, runs, part, first, open_);
      }
      refine_by_text_keys(part, first, rounds_by_text);
      set_aside(aside, part, first, kept_.size() / most_taken_up + 1);
      first += range.count;
    }
    return aside;
  }

  void refine_by_text_keys(std::span<Index> part, std::size_t first, std::size_t rounds) {
    for (std::size_t depth = first_.letters; depth < depth_of_ranks(rounds) && !open_.empty(); depth += text_.letters)
      refine_by_text(machine_, text_, depth, part, first, open_);
  }

  /// A part of the order, from place `first` on, is done but for what is open, which is set aside, some `most` at a time.
  void set_aside(std::vector<open_items>& aside, std::span<Index> part, std::size_t first, std::size_t most) {
    if (!open_.empty()) open_.place(part, first);  // in their groups' places again
    if (ranks_) {
      ranks_->place(std::span<Index const>(part), first);
      ranks_->place(open_);
    }
    bool is_given = ahead_ && ahead_->give({first, part.size()}, open_.slots());
    if (open_.empty()) return;
    if (kept_.empty()) return aside.push_back(open_.set_aside());
    auto parts = open_.set_aside_in_parts(most);
    is_given |= parts.size() > 1;  // or will be at the end
    for (open_items& some : parts) {
      aside.push_back(std::move(some));
      if (ahead_) waiting_.push_back({first, is_given ? 0 : part.size()});
    }
  }

  /// Gives the host what waits of part k of what was set aside, if that is nearly done now.
  void give_waiting(std::size_t k) {
    if (k >= waiting_.size() || waiting_[k].count == 0) return;
    if (ahead_->give(waiting_[k], open_.slots())) waiting_[k].count = 0;
  }

  /// Is a whole key of one letter in a range?
  [[nodiscard]] bool has_uniform_key(key_range const& range) const {
    for (std::size_t letter = 0; letter < packed_.bytes().size(); ++letter)
      if (std::uint64_t const key = letter * first_.ones() << first_.length_bits | first_.letters;
          range.first <= key && key <= range.last)
        return true;
    return false;
  }

  /// use() for each part of what was set aside, taken up in turn. One part alone stays so; others are placed where they
  /// changed.
  template <class Use>
  void each_open(std::vector<open_items>& aside, Use use) {
    if (aside.size() == 1) {
      if (!taken_up_) open_.take_up(std::exchange(aside.front(), {}), kept_);
      taken_up_ = true;
      return use();
    }
    for (open_items& groups : aside) {
      open_.take_up(std::move(groups), kept_);
      use();
      groups = open_.set_aside(kept_.empty());
    }
  }

  /// After a sort, in a kept order: what is settled; and what is not, if it is set aside again without its items.
  void place_sorted() {
    if (kept_.empty()) return;
    if (taken_up_)
      open_.place_settled(kept_);
    else
      open_.place(kept_);
  }

  [[nodiscard]] std::size_t size_of(std::vector<open_items> const& aside) const {
    std::size_t all = taken_up_ ? open_.size() : 0;
    for (open_items const& some : aside) all += some.size();
    return all;
  }

  /// Long repeats as such, and what is left by the ranks of few positions where few suffixes are open; else of all.
  /// @param depth  see finish
  void finish_kept(std::vector<open_items>& aside, std::size_t most, std::size_t depth) {
    std::size_t const n = packed_.size();
    if constexpr (std::is_same_v<Numbers, every_position>) {
      if (size_of(aside) == 0) return;
      settle_repeats(aside, depth);
      std::size_t const open = size_of(aside);
      if (open == 0) return;
      if (taken_up_) open_.place(kept_);  // in their groups' places again
      if (open <= n / most_behind) {
        positions_behind<B> behind(machine_, n);
        each_open(aside, [&] { behind.add(std::span<Index const>(open_.items()), depth); });
        behind.number_all();
        suffix_ranks<B, Index, numbered_position> ranks(machine_, packed_.breaks(), n, n, behind.count(), false,
                                                        behind.numbers());
        return place_and_finish(ranks, aside, most, depth);
      }
    }
    if (size_of(aside) == 0) return;
    suffix_ranks<B, Index, Numbers> ranks(machine_, packed_.breaks(), n, kept_.size(), kept_.size(), false, chosen_);
    place_and_finish(ranks, aside, most, depth);
  }

  template <class Ranks>
  void place_and_finish(Ranks& ranks, std::vector<open_items>& aside, std::size_t most, std::size_t depth) {
    ranks.place(std::span<Index const>(kept_), 0);
    each_open(aside, [&] { ranks.place(open_); });
    ranks.end_records();
    finish(ranks, aside, most, depth);
  }

  /// Where groups are small, and there is the memory. @param depth  see finish
  void settle_repeats(std::vector<open_items>& aside, std::size_t depth) {
    std::size_t const n = packed_.size(), open = size_of(aside);
    std::size_t at_a_time = open_.size(), groups = open_.groups();  // of a part that is taken up
    for (open_items const& some : aside) {
      at_a_time = std::max(at_a_time, some.size());
      groups += some.groups;
    }
    if (open / most_in_repeats > groups) return;
    using of_many = long_repeats<B, Index, all_positions<B>>;
    using of_few = long_repeats<B, Index, positions_behind<B>>;
    std::size_t const taken_up = taken_up_ ? 0 : refinement<B, Index, Index>::memory(at_a_time);
    std::size_t const available = machine_.pool().available() - std::min(machine_.pool().available(), taken_up);
    if (open > n / most_numbered && of_many::can_have(n) && of_many::memory(n, at_a_time) <= available)
      settle<of_many>(aside, depth);
    else if (of_few::can_have(open) && positions_behind<B>::memory(n) + of_few::memory(open, at_a_time) <= available)
      settle<of_few>(aside, depth);
  }

  template <class Repeats>
  void settle(std::vector<open_items>& aside, std::size_t depth) {
    Repeats repeats(machine_, packed_.view(), packed_.size(), depth);
    each_open(aside, [&] { repeats.add(open_); });
    repeats.number_all();
    each_open(aside, [&] { repeats.note(open_); });
    repeats.compare();
    std::size_t part = 0;
    each_open(aside, [&] {
      repeats.sort(open_);
      place_sorted();
      if (ranks_) ranks_->update(open_);
      open_.drop_settled();
      give_waiting(part++);
    });
  }

  /// One round: the open groups by a key. What has been sorted by now may have finer ranks than what has not: they put nothing
  /// in another order.
  template <class Ranks, class Key>
  void refine(Ranks& ranks, Key const& key, bit_range bits) {
    open_.sort(key, bits);
    place_sorted();
    ranks.update(open_);
    open_.drop_settled();
  }

  /// Sorts the open groups by the ranks of what follows. @param depth  letters in which the suffixes of each agree
  /// @param most  suffixes that are sorted at a time
  template <class Ranks>
  void finish(Ranks& ranks, std::vector<open_items>& aside, std::size_t most, std::size_t depth) {
    for (; size_of(aside) != 0; depth = deeper(depth)) {
      if (!taken_up_) join(aside, most);
      auto const key = ranks.key(steps_in(depth));
      each_open(aside, [&] { refine(ranks, key, key.bits()); });
    }
  }

  /// How far behind a suffix the ranks are looked at, of `depth` letters that are known.
  [[nodiscard]] std::size_t steps_in(std::size_t depth) const { return depth - depth % chosen_.step(); }
  /// How many letters are known after that.
  [[nodiscard]] std::size_t deeper(std::size_t depth) const { return depth + rank_key<Index>::ranks * steps_in(depth); }

  /// Neighbours become one, as long as that has no more than `most` suffixes.
  void join(std::vector<open_items>& all, std::size_t most) const {
    std::vector<open_items> joined;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i, size = 0;
      for (; end < all.size() && (end == i || size + all[end].size() <= most); ++end) size += all[end].size();
      if (size != 0 && end == i + 1) joined.push_back(std::move(all[i]));
      if (size != 0 && end > i + 1) {
        open_items& one = joined.emplace_back(machine_, size, kept_.empty());
        for (std::size_t at = 0; i < end; ++i) {
          open_items const next = std::move(all[i]);
          one.groups += next.groups;
          next.copy_to(machine_, one, at, 0, next.size());
          at += next.size();
        }
      }
      i = end;
    }
    all = std::move(joined);
  }

  B& machine_;
  packed_text<B> const& packed_;
  packed_view first_, text_;  // for the first keys, and for those behind
  std::span<Index> kept_;
  Numbers chosen_;
  order_ahead<B, Index>* ahead_;
  std::vector<place_range> waiting_;  // for each part that was set aside what the host has not been given; or nothing at all
  refinement<B, Index, Index> open_;
  std::optional<suffix_ranks<B, Index, Numbers>> ranks_;  // where the order is not kept
  bool taken_up_ = false;                                 // is the only part that was set aside in open_?
};

}  // namespace ordo::suffix::detail
