#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/sort/distributed_ranks.hpp"
#include "suffix/sort/divided_ranges.hpp"
#include "suffix/sort/early_download.hpp"
#include "suffix/sort/induced_sort.hpp"
#include "suffix/sort/key_ranges.hpp"
#include "suffix/sort/letter_runs.hpp"
#include "suffix/sort/long_repeats.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/sort/range_memory.hpp"
#include "suffix/sort/repetition.hpp"
#include "suffix/sort/suffix_ranks.hpp"
#include "suffix/sort/text_rounds.hpp"
#include "suffix/sort/worker_sort.hpp"
#include "suffix/text/packed_text.hpp"

// Prefix doubling (Hou et al., ICS'17, section 5.1; Manber and Myers; Larsson and Sadakane). Suffixes that agree in their first
// h letters form a group, and are ordered by the ranks of the suffixes h letters later, which doubles h; two ranks in a key
// triple it. Beyond the paper, the first rounds read keys of many letters from the packed text (text_rounds.hpp), and long
// repeats are settled as such (long_repeats.hpp), so that few suffixes need ranks, of few positions. Threads with caches of
// their own do most of the work without ranks (worker_sort.hpp). Ranks change after a sort and never during it, when a group
// would read half old and half new ones.
namespace ordo::inline v0::suffix::detail {

/// Sorts the suffixes of a text of n letters, all at once or range by range.
///
/// Memory besides the order. At once: 8 + sizeof(Index) bytes a letter, and as much again for the sort; later the refinement of
/// open suffixes and its sorts, and the ranks: sizeof(Index) for each position that has one and half a byte a letter, or
/// sizeof(Index) a letter if many suffixes are open. By ranges of the first key: 1 + sizeof(Index) bytes for each open suffix,
/// and the memory above for one range; ranks come after all ranges. If the order is not kept, open suffixes take sizeof(Index)
/// more, and all have ranks from the beginning, from which the order is made in the end. Workers with a kept order take the
/// memory of worker_sort; what they leave open proceeds as above.
///
/// If only some positions have suffixes, the order must be kept, and is sorted by ranges, of which there may be one. Then "a
/// letter" above means one of these positions. They may be one member's share of those that a group sorts.
template <Backend B, class Index, class Numbers = every_position>
class suffix_sort {
 public:
  /// @param kept  receives the order; if empty, order() returns parts of it
  /// @param chosen  the positions whose suffixes are sorted
  /// @param early  receives parts of the kept order before all is sorted, if not null
  /// @param all  the ranks of other members' suffixes; null if there are none
  suffix_sort(B& backend, packed_text<B> const& packed, std::span<Index> kept, Numbers chosen = {},
              early_download<B, Index>* early = nullptr, group_ranks<B, Index>* all = nullptr)
      : backend_(backend),
        packed_(packed),
        first_(packed.first_view()),
        text_(packed.view()),
        kept_(kept),
        chosen_(chosen),
        early_(early),
        all_(all),
        open_(backend) {}

  template <class WithKeys>
  void at_once(WithKeys with_keys) {
    sort_by_first_key(backend_, first_, kept_, open_, with_keys);
    if (open_.empty()) return;
    letter_runs<B> const runs(backend_, first_, packed_.size());
    if (!runs.empty()) refine_by_runs(backend_, first_, runs, kept_, 0, open_);
    if (!open_.empty()) refine_by_text(backend_, text_, first_.letters, kept_, 0, open_);
    std::vector<open_items> aside;
    set_aside(aside, kept_, 0, open_.size());
    finish_kept(aside, kept_.size(), first_.letters + text_.letters);
  }

  /// @param max_count  suffixes in a range; more that share one key form a range of their own
  template <class WithKeys>
  void by_ranges(std::size_t max_count, WithKeys with_keys) {
    std::size_t const n = packed_.size();
    if constexpr (has_workers<B>) {
      if (!kept_.empty()) return keep_by_workers(with_keys.rows(), max_count);
    }
    if (kept_.empty()) ranks_.emplace(backend_, packed_.breaks(), n, n, n, true, chosen_);
    letter_runs<B> const runs(backend_, first_, n);
    std::size_t const count = kept_.empty() ? n : kept_.size();
    auto aside = sort_ranges(key_ranges<B, Index, Numbers>(backend_, first_, n, count, chosen_), runs, max_count, with_keys);
    if (!kept_.empty()) return finish_kept(aside, max_count, depth_of_ranks(rounds_by_text));
    ranks_->end_records();
    if constexpr (std::is_same_v<Numbers, every_position>) settle_repeats(aside, depth_of_ranks(rounds_by_text));
    finish(*ranks_, aside, max_count, depth_of_ranks(rounds_by_text));
  }

  /// Takes part in the sort of a group without suffixes of its own.
  void without_suffixes() {
    std::vector<open_items> none;
    finish_with_others(none, 1, ~std::size_t{0});
  }

  /// Sets part to the suffixes from row `first` of the order on, after by_ranges without a kept order.
  void order(std::size_t first, std::span<Index> part) const { ranks_->order(first, part); }

 private:
  // Open suffixes that are set aside take memory; more known letters leave fewer of them.
  static constexpr std::size_t rounds_by_text = 3;
  // If more than this share of all suffixes are open, ranks of all positions are cheaper.
  static constexpr std::size_t max_needed = 8;
  // Groups that are larger on average are not due to long repeats alone.
  static constexpr std::size_t max_in_repeats = 8;
  // The largest share of all suffixes that is taken up at a time.
  static constexpr std::size_t max_taken_up = 64;
  // If more than this share of all suffixes are open, numbering them gains nothing.
  static constexpr std::size_t max_numbered = 4;
  using open_items = typename refinement<B, Index, Index>::open_items;

  /// Returns the number of letters in which all suffixes agree that are open after `rounds` rounds by text, or after as many as
  /// it takes until ranks can be used.
  [[nodiscard]] std::size_t depth_of_ranks(std::size_t rounds) const {
    std::size_t depth = first_.letters + rounds * text_.letters;
    while (depth < chosen_.step()) depth += text_.letters;
    return depth;
  }

  /// Sorts the kept order, and starts the LCP if it is not empty. Sorts by induction if there is one worker and no LCP, if the
  /// text is so repetitive that workers would take longer, or if they run out of memory.
  void keep_by_workers(std::span<Index> lcp, std::size_t max_count) {
    if constexpr (!std::is_same_v<Numbers, every_position>) {
      sort_and_finish(lcp, max_count);
    } else {
      bool const can_induce = induced::can_sort(packed_.size());
      bool const is_alone = lcp.empty() && worker_sort<B, Index>::threads(backend_) == 1;
      if (can_induce && (is_alone || is_repetitive()) && induce()) return first_lengths(lcp);
      try {
        return sort_and_finish(lcp, max_count);
      } catch (out_of_memory const&) {
        open_.clear();
        taken_up_ = false;
        if (!can_induce || !induce()) throw;
      }
      first_lengths(lcp);
    }
  }
  /// Returns true if the text is so repetitive that induced sorting on one thread beats comparison on all threads. Comparing
  /// takes longer with more copies and shorter with more threads: both take as long at 4 copies on 2 threads and 16 on 4; on 8 and
  /// 16, comparing 20 copies takes 0.7 and 0.5 of the time.
  [[nodiscard]] bool is_repetitive() const {
    using estimate = repetition_estimate<B, Index>;
    constexpr double min_share = 0.25;
    constexpr std::size_t max_factor = 4;
    std::size_t const n = packed_.size(), threads = worker_sort<B, Index>::threads(backend_);
    if (estimate::memory(n) > backend_.pool().available()) return false;
    repetition const repetition = estimate::of(backend_, text_, n);
    return repetition.share >= min_share && repetition.copies >= double(threads * std::min(threads, max_factor));
  }
  void sort_and_finish(std::span<Index> lcp, std::size_t max_count) {
    letter_runs<B> const runs(backend_, first_, packed_.size());
    auto aside = sort_by_workers(runs, lcp, max_count);
    finish_kept(aside, max_count, depth_of_ranks(0));
  }

  using induced = induced_sort<B, Index>;
  /// Sorts by induction.
  /// @returns false if memory is short
  bool induce() {
    try {
      induced::sort(backend_, packed_.view(), packed_.breaks().bounds(), kept_);
      return true;
    } catch (out_of_memory const&) {
      return false;
    }
  }
  /// Starts the LCP as worker_sort does.
  void first_lengths(std::span<Index> lcp) {
    backend_.each(lcp.size(), [=, text = first_, order = kept_.data()](std::size_t i) {
      if (i + lookahead < lcp.size()) text.prefetch(order[i + lookahead]);
      lcp[i] = i == 0 ? Index{0} : Index(text.common_letters(text.key(order[i - 1]), text.key(order[i])));
    });
  }

  /// Sorts the kept order on the machine's workers.
  /// @returns the suffixes left open
  std::vector<open_items> sort_by_workers(letter_runs<B> const& runs, std::span<Index> lcp, std::size_t max_count) {
    using workers = worker_sort<B, Index>;
    auto const ranges =
        divide_by_letters(backend_, first_, packed_.size(), workers::share(backend_, kept_.size()), kept_, chosen_);
    workers sort(backend_, first_, runs, kept_, lcp, max_count);
    std::vector<open_items> aside;
    sort.sort(ranges, [&](place_range large) {
      auto const part = kept_.subspan(large.first, large.count);
      std::uint64_t const key = first_.key(part.front());
      if (is_uniform_key(first_)(key)) {
        auto const no_keys = [](std::span<std::uint64_t const>, std::size_t, std::uint64_t) {};
        sort_range_by_runs(backend_, runs.key(), {key, key, part.size()}, large.first, part, open_, no_keys);
      } else {
        open_.start(
            std::span<Index const>(part), [](std::size_t i) { return i == 0; }, large.first);
      }
      refine_by_text_keys(part, large.first, 1);
      return suspend();
    });
    for (auto& groups : sort.release_left()) {
      resume(std::exchange(groups, {}));
      refine_by_text_keys(kept_, 0, 0);  // these have been through many rounds
      set_aside(aside, kept_, 0, open_.size());
    }
    return aside;
  }

  /// Converts the open groups to groups of suffixes in their rows.
  buffer<place_group<Index>> suspend() {
    open_.place(kept_);
    auto const all = open_.segments();
    auto groups = backend_.template buffer<place_group<Index>>(all.size());
    backend_.each(all.size(), [=, slots = open_.slots(), to = groups.data()](std::size_t g) {
      to[g] = {slots[all.begin(g)], Index(all.end(g) - all.begin(g))};
    });
    open_.clear();
    return groups;
  }

  /// Converts groups of suffixes in their rows to open groups.
  void resume(buffer<place_group<Index>> const groups) {
    auto const ends = backend_.template buffer<Index>(groups.size());
    auto const* const group = groups.data();
    backend_.scan(
        groups.size(), [=](std::size_t g) { return group[g].size; }, ends.span(), plus{});
    open_items items(backend_, std::size_t(value_at(backend_, ends.span(), groups.size() - 1)));
    backend_.each(groups.size(), [&](std::size_t g) {
      std::size_t const at = ends.data()[g] - group[g].size;
      for (std::size_t i = 0; i < group[g].size; ++i) {
        items.items.data()[at + i] = kept_[group[g].begin + i];
        items.slots.data()[at + i] = Index(group[g].begin + i);
        items.heads.data()[at + i] = i == 0;
      }
    });
    open_.resume(std::move(items));
  }

  /// @param ranges  see key_ranges
  /// @returns the suffixes left open
  template <class Ranges, class WithKeys>
  std::vector<open_items> sort_ranges(Ranges ranges, letter_runs<B> const& runs, std::size_t max_count, WithKeys& with_keys) {
    std::vector<open_items> aside;
    for (std::size_t first = 0; ranges.more();) {
      key_range const range =
          ranges.next(std::min(max_count, suffixes_in_range<Index, B>(max_count, backend_.pool().available())));
      auto const own = backend_.template buffer<Index>(kept_.empty() ? range.count : 0);
      std::span<Index> const part = kept_.empty() ? own.span() : kept_.subspan(first, range.count);
      ranges.bring(range, part);
      if (range.first == range.last && is_uniform_key(first_)(range.first)) {
        sort_range_by_runs(backend_, runs.key(), range, first, part, open_, with_keys);
      } else {
        sort_range_by_first_key(backend_, first_, range, first, part, open_, with_keys);
        if (!open_.empty() && !runs.empty() && has_uniform_key(range))
          refine_by_runs(backend_, first_, runs, part, first, open_);
      }
      refine_by_text_keys(part, first, rounds_by_text);
      set_aside(aside, part, first, kept_.size() / max_taken_up + 1);
      first += range.count;
    }
    return aside;
  }

  void refine_by_text_keys(std::span<Index> part, std::size_t first, std::size_t rounds) {
    for (std::size_t depth = first_.letters; depth < depth_of_ranks(rounds) && !open_.empty(); depth += text_.letters)
      refine_by_text(backend_, text_, depth, part, first, open_);
  }

  /// Finishes a part of the order, from row `first` on, except its open suffixes, which are set aside in blocks of `max_count`.
  void set_aside(std::vector<open_items>& aside, std::span<Index> part, std::size_t first, std::size_t max_count) {
    if (!open_.empty()) open_.place(part, first);  // back to the rows of their groups
    if (ranks_) {
      ranks_->place(std::span<Index const>(part), first);
      ranks_->place(open_);
    }
    bool is_given = early_ && early_->give({first, part.size()}, open_.slots());
    if (open_.empty()) return;
    if (kept_.empty()) return aside.push_back(open_.set_aside());
    auto parts = open_.set_aside_in_parts(max_count);
    is_given |= parts.size() > 1;  // or at the end
    for (open_items& some : parts) {
      aside.push_back(std::move(some));
      if (early_) waiting_.push_back({first, is_given ? 0 : part.size()});
    }
  }

  /// Downloads the part that waits for block k of the open suffixes, if nearly all of it is sorted now.
  void give_waiting(std::size_t k) {
    if (k >= waiting_.size() || waiting_[k].count == 0) return;
    if (early_->give(waiting_[k], open_.slots())) waiting_[k].count = 0;
  }

  /// Returns true if a range includes a whole key of one letter.
  [[nodiscard]] bool has_uniform_key(key_range const& range) const {
    for (std::size_t letter = 0; letter < packed_.letters(); ++letter)
      if (std::uint64_t const key = letter * first_.ones() << first_.length_bits | first_.letters;
          range.first <= key && key <= range.last)
        return true;
    return false;
  }

  /// Takes up each block of open suffixes in turn, and calls use(). A single block stays taken up; others are set aside again.
  template <class Use>
  void each_open(std::vector<open_items>& aside, Use use) {
    if (aside.size() == 1) {
      if (!taken_up_) open_.resume(std::exchange(aside.front(), {}), kept_);
      taken_up_ = true;
      return use();
    }
    for (open_items& groups : aside) {
      open_.resume(std::move(groups), kept_);
      use();
      groups = open_.set_aside(kept_.empty());
    }
  }

  /// Places suffixes in a kept order after a sort: the settled ones; and the others, if they are set aside without their items.
  void place_sorted() {
    if (kept_.empty()) return;
    if (taken_up_)
      open_.place_settled(kept_);
    else
      open_.place(kept_);
  }

  [[nodiscard]] std::size_t total_size(std::vector<open_items> const& aside) const {
    std::size_t all = taken_up_ ? open_.size() : 0;
    for (open_items const& some : aside) all += some.size();
    return all;
  }

  /// Settles long repeats; then what is left, by the ranks of few positions if few suffixes are open, otherwise by those of
  /// all.
  /// @param depth  see finish
  void finish_kept(std::vector<open_items>& aside, std::size_t max_count, std::size_t depth) {
    std::size_t const n = packed_.size();
    if constexpr (std::is_same_v<Numbers, every_position>) {
      if (total_size(aside) == 0) return;
      settle_repeats(aside, depth);
      std::size_t const open = total_size(aside);
      if (open == 0) return;
      if (taken_up_) open_.place(kept_);  // back to the rows of their groups
      if (open <= n / max_needed) {
        needed_ranks<B> needed(backend_, n);
        each_open(aside, [&] { needed.add(std::span<Index const>(open_.items()), depth); });
        needed.number_all();
        suffix_ranks<B, Index, numbered_position> ranks(backend_, packed_.breaks(), n, n, needed.count(), false,
                                                        needed.numbers());
        return place_and_finish(ranks, aside, max_count, depth);
      }
    } else if (all_) {
      return finish_with_others(aside, max_count, depth);
    }
    if (total_size(aside) == 0) return;
    suffix_ranks<B, Index, Numbers> ranks(backend_, packed_.breaks(), n, kept_.size(), kept_.size(), false, chosen_);
    place_and_finish(ranks, aside, max_count, depth);
  }

  template <class Ranks>
  void place_and_finish(Ranks& ranks, std::vector<open_items>& aside, std::size_t max_count, std::size_t depth) {
    ranks.place(std::span<Index const>(kept_), 0);
    each_open(aside, [&] { ranks.place(open_); });
    ranks.end_records();
    finish(ranks, aside, max_count, depth);
  }

  /// Sorts the open groups of all members by the ranks of what follows, in rounds of as many blocks on every member. Owners
  /// keep the ranks of the suffixes that follow those open at the beginning, if these are few: see needed_ranks.
  /// @param depth  see finish
  void finish_with_others(std::vector<open_items>& aside, std::size_t max_count, std::size_t depth) {
    depth = all_->min(depth);  // machines differ in how deep they sort by letters
    if (all_->max(total_size(aside)) == 0) return;
    if (chosen_.step() == 1) settle_repeats_with_others(aside, max_count, depth);
    std::size_t const n = packed_.size(), open = all_->sum(total_size(aside));
    if (open == 0) return;
    std::size_t const ranks_of_all = buffer_sizes::of(kept_.size() + 1, sizeof(Index));
    std::size_t const letters = kept_.empty() ? 0 : n;  // a member without suffixes receives no request
    std::size_t const ranks_of_few = needed_ranks<B>::memory(letters) + buffer_sizes::of(open + 1, sizeof(Index));
    std::optional<needed_ranks<B>> needed;
    if (open <= all_->rows() / max_needed &&
        all_->min(letters == 0 || ranks_of_few <= std::max(ranks_of_all, backend_.pool().available() / 4)) != 0) {
      needed.emplace(backend_, letters);
      each_open_of_all(aside, max_count,
                       [&](std::span<Index const> items) { all_->add_asked(items, steps_in(depth), *needed); });
      needed->number_all();
    }
    suffix_ranks<B, Index, Numbers> ranks(backend_, packed_.breaks(), n, all_->rows(), needed ? needed->count() : kept_.size(),
                                          false, needed ? needed->numbers() : chosen_, all_->first_row());
    ranks.place(std::span<Index const>(kept_), 0);
    each_open(aside, [&] { ranks.place(open_); });
    auto const next = backend_.template buffer<Index>(kept_.size() + 1);
    auto key = ranks.key(0);
    bit_range const bits{0, key.width};
    key.rank = next.data();
    key.number = chosen_;
    for (; all_->max(total_size(aside)) != 0; depth += steps_in(depth)) {
      ++all_->share().report.rounds;
      each_open_of_all(aside, max_count, [&](std::span<Index const> items) {
        all_->bring(items, steps_in(depth), ranks.key(0), next.span());
        if (!items.empty()) refine(ranks, key, bits);
      });
    }
  }

  /// Calls use(items) for each block of open suffixes in turn, in as many turns on every member: without items at the end.
  template <class Use>
  void each_open_of_all(std::vector<open_items>& aside, std::size_t max_count, Use use) {
    if (!taken_up_) join(aside, max_count);
    std::size_t const own = aside.size(), turns = all_->max(own);
    each_open(aside, [&] { use(std::span<Index const>(open_.items())); });
    for (std::size_t k = own; k < turns; ++k) use({});
  }

  /// Settles long repeats if groups are small and memory suffices.
  /// @param depth  see finish
  void settle_repeats(std::vector<open_items>& aside, std::size_t depth) {
    std::size_t const n = packed_.size(), open = total_size(aside);
    std::size_t at_a_time = open_.size(), groups = open_.groups();  // a block that is taken up
    for (open_items const& some : aside) {
      at_a_time = std::max(at_a_time, some.size());
      groups += some.groups;
    }
    if (open / max_in_repeats > groups) return;
    using of_many = long_repeats<B, Index, all_positions<B>>;
    using of_few = long_repeats<B, Index, needed_ranks<B>>;
    std::size_t const taken_up = taken_up_ ? 0 : refinement<B, Index, Index>::memory(at_a_time);
    std::size_t const available = backend_.pool().available() - std::min(backend_.pool().available(), taken_up);
    if (open > n / max_numbered && of_many::can_have(n) && of_many::memory(n, at_a_time) <= available)
      settle<of_many>(aside, depth);
    else if (of_few::can_have(open) && needed_ranks<B>::memory(n) + of_few::memory(open, at_a_time) <= available)
      settle<of_few>(aside, depth);
  }

  /// Does the same with the open groups of all members, since a repeat goes on where another member sorts. Each member compares
  /// all neighbours, and sorts its own groups.
  void settle_repeats_with_others(std::vector<open_items>& aside, std::size_t max_count, std::size_t depth) {
    join(aside, max_count);
    std::size_t const n = packed_.size(), open = total_size(aside);
    std::size_t at_a_time = 0, groups = 0;
    for (open_items const& some : aside) {
      at_a_time = std::max(at_a_time, some.size());
      groups += some.groups;
    }
    auto const counts = all_->share().members.all_gather(std::uint64_t(open));  // members without suffixes collect none
    std::size_t const total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    if (total / max_in_repeats > all_->sum(groups)) return;
    using repeats = long_repeats<B, Index, needed_ranks<B>>;
    bool fits = repeats::can_have(total);
    if (open != 0) {
      std::size_t const pairs = 2 * (buffer_sizes::of(open, sizeof(Index)) + buffer_sizes::of(total, sizeof(Index)));
      std::size_t const sorting = B::radix_sort_memory(open, sizeof(Index), sizeof(Index));
      fits &= std::max(needed_ranks<B>::memory(n) + repeats::memory(total, at_a_time), sorting) + pairs +
                  refinement<B, Index, Index>::memory(at_a_time) <=
              backend_.pool().available();
    }
    if (all_->min(fits) == 0) return;
    std::size_t const received = open == 0 ? 0 : total;
    auto firsts = backend_.template buffer<Index>(received), seconds = backend_.template buffer<Index>(received);
    {
      auto const own_firsts = backend_.template buffer<Index>(open), own_seconds = backend_.template buffer<Index>(open);
      std::size_t at = 0;
      each_open(aside, [&] {
        backend_.each(open_.size(), pair_with_neighbour<Index>{open_.items().data(), open_.heads().data(), open_.size(),
                                                               own_firsts.data() + at, own_seconds.data() + at});
        at += open_.size();
      });
      // By position, so that all members add and note them in an order that caches like.
      backend_.radix_sort(own_firsts.span(), own_seconds.span(), bit_range{0, unsigned(std::bit_width(n))}, key_code<Index>{});
      all_->share().collect(backend_, counts, std::span<Index const>(own_firsts.span()), firsts.span());
      all_->share().collect(backend_, counts, std::span<Index const>(own_seconds.span()), seconds.span());
    }
    if (open == 0) return;
    repeats all(backend_, packed_.view(), n, depth);
    all.add(std::span<Index const>(firsts.span()));
    all.number_all();
    all.note(std::span<Index const>(firsts.span()), std::span<Index const>(seconds.span()));
    firsts = {};
    seconds = {};
    sort_by(all, aside);
    if (taken_up_ && !open_.empty()) open_.place(kept_);  // back to the rows of their groups
    if (taken_up_ && open_.empty()) {
      taken_up_ = false;
      aside.clear();
    }
  }

  template <class Repeats>
  void settle(std::vector<open_items>& aside, std::size_t depth) {
    Repeats repeats(backend_, packed_.view(), packed_.size(), depth);
    each_open(aside, [&] { repeats.add(open_); });
    repeats.number_all();
    each_open(aside, [&] { repeats.note(open_); });
    sort_by(repeats, aside);
  }
  template <class Repeats>
  void sort_by(Repeats& repeats, std::vector<open_items>& aside) {
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

  /// Runs one round: sorts the open groups by a key. Groups that are sorted already may have finer ranks than the others; these
  /// are consistent with the coarser ones.
  template <class Ranks, class Key>
  void refine(Ranks& ranks, Key const& key, bit_range bits) {
    open_.sort(key, bits);
    place_sorted();
    ranks.update(open_);
    open_.drop_settled();
  }

  /// Sorts the open groups by the ranks of what follows, until none is open.
  /// @param depth  letters in which the suffixes of each group agree
  /// @param max_count  suffixes that are sorted at a time
  template <class Ranks>
  void finish(Ranks& ranks, std::vector<open_items>& aside, std::size_t max_count, std::size_t depth) {
    for (; total_size(aside) != 0; depth = deeper(depth)) {
      if (!taken_up_) join(aside, max_count);
      auto const key = ranks.key(steps_in(depth));
      each_open(aside, [&] { refine(ranks, key, key.bits()); });
    }
  }

  /// Returns how many letters after a suffix ranks are read, if `depth` are known.
  [[nodiscard]] std::size_t steps_in(std::size_t depth) const { return depth - depth % chosen_.step(); }
  /// Returns the number of letters that are known after that.
  [[nodiscard]] std::size_t deeper(std::size_t depth) const { return depth + rank_key<Index>::ranks * steps_in(depth); }

  /// Joins adjacent blocks of open suffixes up to `max_count` suffixes.
  void join(std::vector<open_items>& all, std::size_t max_count) const {
    std::vector<open_items> joined;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i, size = 0;
      for (; end < all.size() && (end == i || size + all[end].size() <= max_count); ++end) size += all[end].size();
      if (size != 0 && end == i + 1) joined.push_back(std::move(all[i]));
      if (size != 0 && end > i + 1) {
        open_items& items = joined.emplace_back(backend_, size, kept_.empty());
        for (std::size_t at = 0; i < end; ++i) {
          open_items const next = std::move(all[i]);
          items.groups += next.groups;
          next.copy_to(backend_, items, at, 0, next.size());
          at += next.size();
        }
      }
      i = end;
    }
    all = std::move(joined);
  }

  B& backend_;
  packed_text<B> const& packed_;
  packed_view first_, text_;  // for the first keys, and for later ones
  std::span<Index> kept_;
  Numbers chosen_;
  early_download<B, Index>* early_;
  group_ranks<B, Index>* all_;
  std::vector<place_range>
      waiting_;  // for each block of open suffixes, the part of the order that was not downloaded yet; or empty
  refinement<B, Index, Index> open_;
  std::optional<suffix_ranks<B, Index, Numbers>> ranks_;  // if the order is not kept
  bool taken_up_ = false;                                 // whether the only block of open suffixes is in open_
};

}  // namespace ordo::inline v0::suffix::detail
