#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/memory.hpp"
#include "suffix/sort/buffer_sizes.hpp"
#include "suffix/sort/diagonals.hpp"
#include "suffix/sort/divided_ranges.hpp"
#include "suffix/sort/letter_runs.hpp"
#include "suffix/sort/worker_rounds.hpp"
#include "suffix/text/packed_text.hpp"

// The suffixes of a text on a machine whose threads have caches of their own, where the order is in the host's memory: cut by
// their first letters into ranges (divided_ranges.hpp), which one thread each sorts by keys of the text (worker_rounds.hpp);
// the small groups that are left, by a walk along their repeats, in the order of the text (diagonals.hpp). So every suffix is
// brought to a cache two or three times, whatever repeats there are; ranks are for what is left then.
namespace ordo::suffix::detail {

template <has_workers B, class Index>
class worker_sort {
 public:
  using group = place_group<Index>;
  using all_groups = std::vector<buffer<group>>;

  /// How many suffixes are in a range, of n in all.
  static std::size_t share(B const& machine, std::size_t n) { return std::max(machine.worker_share(n), least_share); }

  /// How many threads share the work, as far as the shares of so many suffixes show: up to 64.
  static std::size_t threads(B const& machine) {
    constexpr std::size_t n = std::size_t{1} << 21, shares_of_thread = 16;
    return std::max<std::size_t>(1, n / shares_of_thread / machine.worker_share(n));
  }

  /// Bytes that dividing takes and sorting `some` of n suffixes of a text at a time, which leave so many groups, where no range
  /// has more suffixes than one worker may take.
  static std::size_t memory(std::size_t letters, std::size_t n, std::size_t some, std::size_t groups) {
    std::size_t const ranges = std::min(n / least_share + 2, window_ranges::most);
    std::size_t const settled = groups == 0
                                    ? 0
                                    : buffer_sizes::of(groups, sizeof(group)) + buffer_sizes::of(groups, sizeof(Index)) +
                                          B::radix_sort_memory(groups, sizeof(Index), sizeof(group));
    return std::max(division_blocks{letters}.memory(ranges), buffer_sizes::of(some / 2, sizeof(group)) + settled);
  }

  /// Bytes that sorting a range of so many suffixes takes, if these are more than one worker may take on some machine.
  static std::size_t memory_of_range(std::size_t count) {
    if (count <= shares_of_worker * least_share) return 0;
    return buffer_sizes::of(count, sizeof(std::uint64_t)) +
           std::max(B::radix_sort_memory(count, sizeof(std::uint64_t), sizeof(Index)),
                    2 * buffer_sizes::of(count / 2, sizeof(group)) + buffer_sizes::of(count / 2, sizeof(Index)));
  }

  /// @param order  of all suffixes @param lcp  as long, or empty @param at_a_time  suffixes in a batch: its groups take
  ///     memory, and the larger it is, the more of a repeat one scan settles
  worker_sort(B& machine, packed_view text, letter_runs<B> const& runs, std::span<Index> order, std::span<Index> lcp,
              std::size_t at_a_time)
      : machine_(machine),
        text_(text),
        order_(order),
        lcp_(lcp),
        at_a_time_(at_a_time),
        most_(shares_of_worker * share(machine, order.size())),
        long_(order.size() / letters_of_step),
        rounds_{text, runs.empty() ? run_key{} : runs.key(), !runs.empty(), order.data(), lcp.empty() ? nullptr : lcp.data()} {}

  /// Sorts these ranges, which are all and those of each by position. @param sort_large  sorts a range of suffixes that share
  /// their key, which are more than one worker may take, and returns a buffer of the groups that it leaves
  template <class SortLarge>
  void sort(std::vector<place_range> const& ranges, SortLarge sort_large) {
    std::vector<place_range> small;
    for (place_range const range : ranges) {
      begins_.push_back(range.first);
      if (range.count <= most_) small.push_back(range);
    }
    in_batches(small, [&](auto& worker, place_range range, group* open) {
      return rounds_.sort(worker, range.first, range.count, open);
    });
    for (place_range const range : ranges)
      if (range.count > most_) sort_by_all(range, sort_large);
    if (!lcp_.empty()) machine_.each(begins_.size(), [&](std::size_t r) { join(begins_[r]); });
  }

  /// Groups that are left.
  [[nodiscard]] all_groups take_left() { return std::exchange(left_, {}); }

 private:
  static constexpr std::size_t least_share = std::size_t{1} << 11, shares_of_worker = 4;
  // One thread settles a block of groups. Steps that it may take: for each suffix, and for the block besides. For long repeats
  // all threads together may take one step more for every letters_of_step letters of the text.
  static constexpr std::size_t block = 1 << 14, steps_of_suffix = 64, steps_of_block = 1 << 17, letters_of_step = 4;
  // Rounds by keys of what is left then, if there is so little of it that there may be some; and groups of one thread.
  static constexpr std::size_t least_rounds = 32, most_rounds = 1 << 12, some_groups = 16;

  /// lcp at a range's first suffix.
  void join(std::size_t first) const {
    lcp_[first] = first == 0 ? Index{0} : Index(text_.common_letters(text_.key(order_[first - 1]), text_.key(order_[first])));
  }

  /// Sorts ranges by sort_range, which returns how many groups it has left.
  template <class SortRange>
  void in_batches(std::vector<place_range> const& ranges, SortRange sort_range) {
    for (std::size_t begin = 0, end = 0; begin < ranges.size(); begin = end) {
      do ++end;
      while (end < ranges.size() && ranges[end].first + ranges[end].count - ranges[begin].first <= at_a_time_);
      sort_batch(std::span<place_range const>(ranges).subspan(begin, end - begin), sort_range);
    }
  }
  template <class SortRange>
  void sort_batch(std::span<place_range const> ranges, SortRange sort_range) {
    std::size_t const first = ranges.front().first, end = ranges.back().first + ranges.back().count;
    auto const groups = machine_.template buffer<group>((end - first) / 2);
    std::vector<std::size_t> counts(ranges.size());
    auto const groups_of = [&](std::size_t r) { return groups.data() + (ranges[r].first - first) / 2; };
    machine_.each_worker(ranges.size(),
                         [&](auto& worker, std::size_t r) { counts[r] = sort_range(worker, ranges[r], groups_of(r)); });
    std::vector<std::size_t> ends(ranges.size());
    std::inclusive_scan(counts.begin(), counts.end(), ends.begin());
    if (ends.back() == 0) return;
    auto const found = machine_.template buffer<group>(ends.back());
    machine_.each_worker(
        ranges.size(), [&](auto&, std::size_t r) { std::copy_n(groups_of(r), counts[r], found.data() + ends[r] - counts[r]); });
    settle(found);
  }

  void settle(buffer<group> const& groups) {
    std::size_t const count = groups.size(), blocks = (count + block - 1) / block;
    auto const suffixes = machine_.template buffer<Index>(count);  // the first of each group
    machine_.each(count, [=, order = order_, group = groups.data(), to = suffixes.data()](std::size_t g) {
      if (g + lookahead < count) prefetch(&order[group[g + lookahead].begin]);
      to[g] = order[group[g].begin];
    });
    machine_.radix_sort(suffixes.span(), groups.span());
    std::vector<std::size_t> left(blocks);
    machine_.each_worker(blocks, [&](auto&, std::size_t b) {
      std::size_t const first = b * block;
      left[b] = settle_block(groups.span().subspan(first, std::min(block, count - first)));
    });
    std::size_t const all = std::accumulate(left.begin(), left.end(), std::size_t{0});
    if (all == 0) return;
    auto to = machine_.template buffer<group>(all);
    group* at = to.data();
    for (std::size_t b = 0; b < blocks; ++b) at = std::copy_n(groups.data() + b * block, left[b], at);
    settle_further(std::move(to));
  }

  /// By further keys, if there are few suffixes in these groups; else they are left.
  void settle_further(buffer<group> groups) {
    std::size_t const count = groups.size();
    std::vector<std::size_t> begins(count + 1);
    for (std::size_t g = 0; g < count; ++g) begins[g + 1] = begins[g] + groups.data()[g].size;
    if (order_.size() / begins.back() < least_rounds) {
      left_.push_back(std::move(groups));
      return;
    }
    auto const parts = machine_.template buffer<group>(begins.back() / 2);
    std::vector<std::size_t> left(count);
    machine_.each_worker((count + some_groups - 1) / some_groups, [&](auto& worker, std::size_t b) {
      diagonals known(text_, text_.letters, long_);
      known.allow(steps_of_block);
      for (std::size_t g = b * some_groups; g < std::min(count, (b + 1) * some_groups); ++g) {
        group const whole = groups.data()[g];
        std::span<group> const found(parts.data() + begins[g] / 2, whole.size / 2);
        // All groups together compute at most as many keys as the text has suffixes; one group, at most 1 / least_rounds of
        // that.
        std::size_t const rounds = order_.size() / std::max<std::size_t>(begins.back(), least_rounds * whole.size);
        std::size_t const open = rounds_.sort_further(worker, whole, std::min(rounds, most_rounds), found.data());
        left[g] = settle_with(known, found.first(open));
      }
    });
    std::size_t const all = std::accumulate(left.begin(), left.end(), std::size_t{0});
    if (all == 0) return;
    group* at = left_.emplace_back(machine_.template buffer<group>(all)).data();
    for (std::size_t g = 0; g < count; ++g) at = std::copy_n(parts.data() + begins[g] / 2, left[g], at);
  }

  /// Settles groups in the order of the text. @returns how many it could not settle: they come first then
  std::size_t settle_block(std::span<group> groups) {
    diagonals known(text_, text_.letters, long_);
    known.allow(steps_of_block);
    return settle_with(known, groups);
  }
  std::size_t settle_with(diagonals& known, std::span<group> groups) const {
    constexpr std::size_t order_soon = 24, text_soon = 8;
    std::size_t left = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (g + order_soon < groups.size()) prefetch(&order_[groups[g + order_soon].begin]);
      if (g + text_soon < groups.size()) {
        Index const* const soon = &order_[groups[g + text_soon].begin];
        text_.expect(soon[0] + text_.letters);
        text_.expect(soon[1] + text_.letters);
      }
      known.allow(steps_of_suffix * groups[g].size);
      if (!sort_by_diagonals(known, &order_[groups[g].begin], groups[g].size)) groups[left++] = groups[g];
    }
    // What was found later on may settle what came before.
    std::size_t still = 0;
    for (std::size_t g = 0; g < left; ++g)
      if (!known.may_go_on() || !sort_by_diagonals(known, &order_[groups[g].begin], groups[g].size))
        groups[still++] = groups[g];
    return still;
  }

  /// Sorts a range by first keys with all threads, and what that leaves in parts.
  template <class SortLarge>
  void sort_by_all(place_range range, SortLarge& sort_large) {
    std::vector<place_range> large;
    {
      auto const keys = machine_.template buffer<std::uint64_t>(range.count);
      sort_by_first_key(keys.span(), order_.subspan(range.first, range.count));
      auto const parts = cut_by_keys(keys.span(), range.first, large);
      for (place_range const part : parts) begins_.push_back(part.first);
      in_batches(parts, [&](auto& worker, place_range part, group* open) {
        return rounds_.finish(worker, keys.data() + (part.first - range.first), part.first, part.count, open);
      });
    }
    for (place_range const part : large) {
      begins_.push_back(part.first);
      if (!lcp_.empty())
        machine_.each(part.count, [=, lcp = lcp_, all = Index(text_.letters)](std::size_t i) { lcp[part.first + i] = all; });
      if (buffer<group> const groups = sort_large(part); groups.size() != 0) settle(groups);
    }
  }

  void sort_by_first_key(std::span<std::uint64_t> keys, std::span<Index> suffixes) {
    machine_.each(keys.size(), [=, text = text_](std::size_t i) {
      if (i + lookahead < suffixes.size()) text.expect(suffixes[i + lookahead]);
      keys[i] = text.key(suffixes[i]);
    });
    machine_.radix_sort(keys, suffixes, text_.key_bits());
  }

  /// Cuts suffixes that are in the order of their keys, from place `first` on, where these differ. @param large  parts that are
  /// too large for one worker and share their key: suffixes that do not end in it @returns  the other ones
  std::vector<place_range> cut_by_keys(std::span<std::uint64_t const> keys, std::size_t first,
                                       std::vector<place_range>& large) const {
    std::vector<place_range> parts;
    for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
      end = std::min(begin + most_ / 2, keys.size());
      auto const cut = std::lower_bound(keys.begin() + begin, keys.begin() + end, keys[end - 1]) - keys.begin();
      if (end < keys.size() && keys[end] == keys[end - 1])
        end = std::size_t(
            std::size_t(cut) != begin ? cut : std::upper_bound(keys.begin() + end, keys.end(), keys[begin]) - keys.begin());
      bool const is_large = end - begin > most_ && !text_.ends(keys[begin]);
      (is_large ? large : parts).push_back({first + begin, end - begin});
    }
    return parts;
  }

  B& machine_;
  packed_view text_;
  std::span<Index> order_, lcp_;
  std::size_t at_a_time_, most_;  // suffixes: of all workers, and of one
  long_diagonals long_;
  worker_rounds<Index> rounds_;
  std::vector<std::size_t> begins_;  // of what was sorted by itself
  all_groups left_;
};

}  // namespace ordo::suffix::detail
