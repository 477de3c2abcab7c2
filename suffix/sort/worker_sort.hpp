#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/memory.hpp"
#include "suffix/sort/divided_ranges.hpp"
#include "suffix/sort/letter_runs.hpp"
#include "suffix/sort/range_memory.hpp"
#include "suffix/sort/text_rounds.hpp"
#include "suffix/text/packed_text.hpp"

// Comparisons of suffixes with long common prefixes. Let the suffixes at p and p + d first differ at the letters m and m + d.
// Then so do the suffixes at q and q + d, for every q from p to m. So one scan of a repeat compares all pairs of suffixes in
// it, if they are compared in the order of the text: m is cached for the distances d used last. (Kasai et al., CPM'01, find
// longest common prefixes this way, for neighbours in the suffix array.)
namespace ordo::inline v0::suffix::detail {

/// For p in [begin, end): the suffixes at p and p + distance agree at least up to `end`. is_less: is the latter one smaller?
struct diagonal_stretch {
  enum class answer { no, yes, unknown };
  std::size_t distance = 0, begin = 0, end = 0;
  answer is_less = answer::unknown;
  [[nodiscard]] bool contains(std::size_t p, std::size_t d) const { return d == distance && p >= begin && p < end; }
};

/// The longest stretches, shared by all threads: a thread that starts inside one walks a leg, and then finds the result of
/// another thread. Also a shared budget of steps for long stretches, which is spent a leg at a time.
class long_diagonals {
 public:
  /// The number of steps of a leg, after which a thread looks up shared results. A leg takes far longer than the look-up.
  static constexpr std::size_t leg = std::size_t{1} << 10;

  explicit long_diagonals(std::size_t steps) : legs_(steps / leg) {}

  /// Returns the stretch of p and p + distance, or an empty one if it is unknown.
  [[nodiscard]] diagonal_stretch find(std::size_t p, std::size_t distance) const {
    std::shared_lock const lock(mutex_);
    auto const it = known_.upper_bound({distance, p});
    return it != known_.end() && it->second.contains(p, distance) ? it->second : diagonal_stretch{};
  }
  /// Extends a known stretch to the front, or adds a new one while there are fewer than `max_known`.
  void keep(diagonal_stretch const& known) {
    std::lock_guard const lock(mutex_);
    auto const place = known_.find({known.distance, known.end});
    if (place != known_.end())
      place->second.begin = std::min(place->second.begin, known.begin);
    else if (known_.size() < max_known)
      known_.emplace(std::pair(known.distance, known.end), known);
  }
  /// Takes one leg from the budget. Returns false if nothing is left.
  bool spend_leg() {
    std::size_t left = legs_;
    while (left != 0 && !legs_.compare_exchange_weak(left, left - 1))
      ;
    return left != 0;
  }

 private:
  static constexpr std::size_t max_known = std::size_t{1} << 14;

  mutable std::shared_mutex mutex_;
  std::map<std::pair<std::size_t, std::size_t>, diagonal_stretch> known_;  // by distance and end
  std::atomic<std::size_t> legs_;
};

/// Compares suffixes of one text that agree in their first letters. For one thread.
class diagonals {
 public:
  /// @param agreed  the number of letters in which all compared suffixes agree; none ends before
  diagonals(packed_view text, std::size_t agreed, long_diagonals& shared)
      : text_(text), agreed_(agreed), shared_(shared), known_((1u << known_bits) + (1u << long_bits)) {}

  using answer = diagonal_stretch::answer;

  /// Returns true if the suffix at q is smaller than the one at p, p < q. Equal ones are in the order of the text. Unknown if
  /// that would take more steps than allowed.
  answer is_less(std::size_t q, std::size_t p) {
    stretch& known = find(p, q - p);
    if (known.is_less == answer::unknown) {
      pair_of_stretches& far = long_stretch(known.distance);
      walk(known, far.last.distance == known.distance ? far.last : stretch{});
      if (known.end - known.begin > std::size_t{2} << window_bits) keep(far, known);
    }
    return known.is_less;
  }

  /// Allows more steps, each of as many letters as 64 bits hold.
  void allow(std::size_t steps) { steps_ += steps; }
  [[nodiscard]] bool may_go_on() const { return steps_ != 0; }

 private:
  using stretch = diagonal_stretch;
  /// The two stretches used last.
  struct alignas(64) pair_of_stretches {
    stretch last, before;
  };
  static constexpr unsigned known_bits = 12, long_bits = 9, window_bits = 13;

  /// Returns the entry of a short stretch, or of one that starts in a window of the text.
  [[nodiscard]] pair_of_stretches& known_stretch(std::size_t window, std::size_t distance) {
    return known_[(distance * 0x9e3779b97f4a7c15 + window * 0xc2b2ae3d27d4eb4f) >> (64 - known_bits)];
  }
  /// Returns the entry of a long stretch. There are few, and short ones do not replace them.
  [[nodiscard]] pair_of_stretches& long_stretch(std::size_t distance) {
    return known_[(1u << known_bits) + (distance * 0x9e3779b97f4a7c15 >> (64 - long_bits))];
  }

  /// Returns the stretch of p and p + distance, known or to be found. Stretches are cached for each window of the text, because
  /// copies of one repeat may lie at equal distances.
  stretch& find(std::size_t p, std::size_t distance) {
    std::size_t const window = p >> window_bits;
    auto& known = known_stretch(window, distance);
    if (known.last.contains(p, distance)) return known.last;
    stretch now{distance, p, p + agreed_, answer::unknown};
    for (auto const* const some : {&known, &known_stretch(window - 1, distance), &long_stretch(distance)}) {
      if (some->last.contains(p, distance)) now = some->last;
      if (some->before.contains(p, distance)) now = some->before;
    }
    return keep(known, now);
  }
  static stretch& keep(pair_of_stretches& known, stretch now) {
    if (known.last.distance != now.distance || known.last.end != now.end) known.before = known.last;
    return known.last = now;
  }

  /// @param other  a stretch of the same distance, or an empty one: what it covers is not walked again
  void walk(stretch& known, stretch other) {
    std::size_t taken = 0;
    for (; known.is_less == answer::unknown; ++taken) {
      bool const is_leg = taken != 0 && taken % long_diagonals::leg == 0;
      if (is_leg && !other.contains(known.end, known.distance)) other = shared_.find(known.end, known.distance);
      if (other.contains(known.end, known.distance) &&
          known.end != other.begin) {  // at its begin a record may start, and another one end
        known.end = other.end;
        known.is_less = other.is_less;
        continue;
      }
      if (is_leg && shared_.spend_leg()) steps_ += long_diagonals::leg;
      if (steps_ == 0) return;
      --steps_;
      letters_compared const now = compare_letters(text_, known.end, known.end + known.distance);
      known.end += now.agree;
      if (now.differ) known.is_less = now.is_less ? answer::yes : answer::no;
    }
    if (taken > long_diagonals::leg) shared_.keep(known);
  }

  packed_view text_;
  std::size_t agreed_;
  long_diagonals& shared_;
  std::size_t steps_ = 0;
  std::vector<pair_of_stretches> known_;
};

/// A group of suffixes with a common prefix, in consecutive rows of the order: sorted by position until they are compared.
template <class Index>
struct place_group {
  Index begin, size;
};

/// The maximum number of suffixes in a group.
constexpr std::size_t max_group_size = 256;

/// Sorts suffix[0, n), which is in the order of positions.
/// @returns false, with nothing changed, if that takes more steps than allowed
template <class Index>
bool sort_by_diagonals(diagonals& order, Index* suffix, std::size_t n) {
  if (n > max_group_size) return false;
  Index sorted[max_group_size];
  sorted[0] = suffix[0];
  for (std::size_t i = 1; i < n; ++i) {
    std::size_t low = 0, high = i;
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      auto const is_less = order.is_less(suffix[i], sorted[middle]);
      if (is_less == diagonals::answer::unknown) return false;
      if (is_less == diagonals::answer::yes)
        high = middle;
      else
        low = middle + 1;
    }
    std::copy_backward(sorted + low, sorted + i, sorted + i + 1);
    sorted[low] = suffix[i];
  }
  std::copy_n(sorted, n, suffix);
  return true;
}

// The rounds of text_rounds.hpp for one thread, on as many suffixes as its cache holds. In place: groups are stored as
// consecutive rows of the order, and nothing else.

struct first_key {
  packed_view text;
  std::uint64_t operator()(std::size_t p) const { return text.key(p); }
  void prefetch(std::size_t p) const { text.prefetch(p); }
};

struct key_of_run {
  run_key run;
  std::uint64_t operator()(std::size_t p) const { return run(p); }
  void prefetch(std::size_t) const {}
};

/// Sorts consecutive rows of the order by first keys, and the larger groups that are left by further keys.
template <class Index>
struct worker_rounds {
  packed_view text;
  run_key runs;  // at least as long as a key
  bool has_runs;
  Index* order;
  Index* lcp;  // LCP of the order, by the first keys; or null

  /// Sorts order[first, first + count), which is in the order of positions.
  /// @param open  receives the groups that are left, in any order: room for half as many as there are suffixes
  /// @returns their number
  template <class Worker>
  std::size_t sort(Worker& worker, std::size_t first, std::size_t count, place_group<Index>* open) const {
    return finish(worker, worker.sort_by(order + first, count, first_key{text}), first, count, open);
  }

  /// Sorts suffixes that are in the order of their first keys.
  template <class Worker>
  std::size_t finish(Worker& worker, std::uint64_t const* keys, std::size_t first, std::size_t count,
                     place_group<Index>* open) const {
    if (lcp)
      for (std::size_t i = 1; i < count; ++i) lcp[first + i] = Index(text.common_letters(keys[i - 1], keys[i]));
    place_group<Index>* const begin = open;
    groups large, runs_found;
    is_uniform_key const is_uniform(text);
    each_group(keys, count, [&](std::size_t i, std::size_t size) {
      place_group<Index> const group{Index(first + i), Index(size)};
      if (text.ends(keys[i])) return;  // equal suffixes, in order
      if (has_runs && is_uniform(keys[i]))
        runs_found.push_back(group);
      else
        leave(group, large, open);
    });
    for (place_group<Index> const group : runs_found) sort_run(worker, group, large, open);
    sort_large(worker, std::move(large), max_rounds, false, open);
    return std::size_t(open - begin);
  }

  /// Sorts a group that was left, in at most `rounds` rounds, until parts of it are small enough to be compared.
  template <class Worker>
  std::size_t sort_further(Worker& worker, place_group<Index> group, std::size_t rounds, place_group<Index>* open) const {
    place_group<Index>* const begin = open;
    sort_large(worker, {group}, rounds, true, open);
    return std::size_t(open - begin);
  }

 private:
  using groups = std::vector<place_group<Index>>;

  // Groups of so few suffixes are cheaper to compare than to sort by keys; larger ones are mostly of different repeats at so
  // many distances that keys are cheaper.
  static constexpr std::size_t few = 4;
  // Larger groups that are still open after these rounds are copies of whole repeats.
  static constexpr std::size_t max_rounds = 16;

  /// Calls use(i, size) for each group of at least two equal keys.
  template <class Use>
  static void each_group(std::uint64_t const* keys, std::size_t n, Use use) {
    for (std::size_t i = 1; i < n; ++i) {
      if (keys[i] != keys[i - 1]) continue;
      std::size_t const begin = i - 1;
      while (i < n && keys[i] == keys[begin]) ++i;
      use(begin, i - begin);
    }
  }

  static void leave(place_group<Index> group, groups& large, place_group<Index>*& open) {
    if (group.size > few)
      large.push_back(group);
    else
      *open++ = group;
  }

  template <class Worker>
  void sort_run(Worker& worker, place_group<Index> group, groups& large, place_group<Index>*& open) const {
    std::uint64_t const* const keys = worker.sort_by(order + group.begin, group.size, key_of_run{runs});
    each_group(keys, group.size, [&](std::size_t i, std::size_t size) {
      if (!runs.ends_record(order[group.begin + i])) leave({Index(group.begin + i), Index(size)}, large, open);
    });
  }

  /// Computes the keys of all groups before sorting any, so that the random reads of the text overlap.
  template <class Worker>
  void sort_large(Worker& worker, groups now, std::size_t rounds, bool patient, place_group<Index>*& open) const {
    groups next;
    std::vector<Index> suffixes;
    for (std::size_t round = 1; !now.empty(); ++round) {
      suffixes.clear();
      for (place_group<Index> const group : now)
        suffixes.insert(suffixes.end(), order + group.begin, order + group.begin + group.size);
      text_key const key{text, round * text.letters};
      std::uint64_t* keys = worker.evaluate_keys(suffixes.data(), suffixes.size(), key);
      next.clear();
      for (place_group<Index> const group : now) {
        worker.sort(keys, order + group.begin, group.size);
        each_group(keys, group.size, [&](std::size_t i, std::size_t size) {
          place_group<Index> const part{Index(group.begin + i), Index(size)};
          if (text.ends(keys[i])) return;
          bool const in_vain = size + group.size / 16 >= group.size && (size <= max_group_size || !patient);
          if (round >= rounds || in_vain)
            *open++ = part;
          else
            leave(part, next, open);
        });
        keys += group.size;
      }
      std::swap(now, next);
    }
  }
};

// The sort for machines whose threads have caches of their own, with the order in host memory. Suffixes are cut by their first
// letters into ranges (divided_ranges.hpp); one thread sorts each by keys of the text (worker_rounds); small groups that are
// left are settled by a walk along their repeats, in the order of the text (diagonals). So every suffix is read into a cache
// two or three times, for any repeats; ranks are needed only for the rest.

template <has_workers B, class Index>
class worker_sort {
 public:
  using group = place_group<Index>;
  using all_groups = std::vector<buffer<group>>;

  /// Returns the number of suffixes in a range, of n in all.
  static std::size_t share(B const& backend, std::size_t n) { return std::max(backend.worker_share(n), min_share); }

  /// Returns the number of threads that share the work, as far as the shares of n suffixes show it: up to 64.
  static std::size_t threads(B const& backend) {
    constexpr std::size_t n = std::size_t{1} << 21, shares_of_thread = 16;
    return std::max<std::size_t>(1, n / shares_of_thread / backend.worker_share(n));
  }

  /// Returns the memory of dividing n suffixes, and of sorting `some` at a time that leave `groups` groups, if no range exceeds
  /// the share of one worker.
  static std::size_t memory(std::size_t letters, std::size_t n, std::size_t some, std::size_t groups) {
    std::size_t const ranges = std::min(n / min_share + 2, window_ranges::max_ranges);
    std::size_t const settled = groups == 0
                                    ? 0
                                    : buffer_sizes::of(groups, sizeof(group)) + buffer_sizes::of(groups, sizeof(Index)) +
                                          B::radix_sort_memory(groups, sizeof(Index), sizeof(group));
    return std::max(division_blocks{letters}.memory(ranges), buffer_sizes::of(some / 2, sizeof(group)) + settled);
  }

  /// Returns the memory of sorting a range of `count` suffixes, if some machine's worker may not take as many.
  static std::size_t memory_of_range(std::size_t count) {
    if (count <= shares_of_worker * min_share) return 0;
    return buffer_sizes::of(count, sizeof(std::uint64_t)) +
           std::max(B::radix_sort_memory(count, sizeof(std::uint64_t), sizeof(Index)),
                    2 * buffer_sizes::of(count / 2, sizeof(group)) + buffer_sizes::of(count / 2, sizeof(Index)));
  }

  /// @param order  the order of all suffixes
  /// @param lcp  as long, or empty
  /// @param at_a_time  suffixes in a batch: the groups of a larger one take more memory, and one scan settles more of a repeat
  worker_sort(B& backend, packed_view text, letter_runs<B> const& runs, std::span<Index> order, std::span<Index> lcp,
              std::size_t at_a_time)
      : backend_(backend),
        text_(text),
        order_(order),
        lcp_(lcp),
        at_a_time_(at_a_time),
        max_count_(shares_of_worker * share(backend, order.size())),
        long_(order.size() / letters_of_step),
        rounds_{text, runs.empty() ? run_key{} : runs.key(), !runs.empty(), order.data(), lcp.empty() ? nullptr : lcp.data()} {}

  /// Sorts the ranges, which cover all suffixes, each in the order of positions.
  /// @param sort_large  sorts a range that exceeds one worker and whose suffixes share their key, and returns a buffer of the
  ///     groups that it leaves
  template <class SortLarge>
  void sort(std::vector<place_range> const& ranges, SortLarge sort_large) {
    std::vector<place_range> small;
    for (place_range const range : ranges) {
      begins_.push_back(range.first);
      if (range.count <= max_count_) small.push_back(range);
    }
    in_batches(small, [&](auto& worker, place_range range, group* open) {
      return rounds_.sort(worker, range.first, range.count, open);
    });
    for (place_range const range : ranges)
      if (range.count > max_count_) sort_by_all(range, sort_large);
    if (!lcp_.empty()) backend_.each(begins_.size(), [&](std::size_t r) { join(begins_[r]); });
  }

  /// Returns the groups that are left.
  [[nodiscard]] all_groups release_left() { return std::exchange(left_, {}); }

 private:
  static constexpr std::size_t min_share = std::size_t{1} << 11, shares_of_worker = 4;
  // One thread settles a block of groups. Its limit of steps: for each suffix, and for the block besides. For long repeats all
  // threads together may take one step more for every letters_of_step letters of the text.
  static constexpr std::size_t block = 1 << 14, steps_of_suffix = 64, steps_of_block = 1 << 17, letters_of_step = 4;
  // Limits of further rounds by keys, if little is left; and the groups of one thread.
  static constexpr std::size_t min_rounds = 32, max_rounds = 1 << 12, some_groups = 16;

  /// Computes lcp at the first suffix of a range.
  void join(std::size_t first) const {
    lcp_[first] = first == 0 ? Index{0} : Index(text_.common_letters(text_.key(order_[first - 1]), text_.key(order_[first])));
  }

  /// Sorts ranges by sort_range, which returns the number of groups that it leaves.
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
    auto const groups = backend_.template buffer<group>((end - first) / 2);
    std::vector<std::size_t> counts(ranges.size());
    auto const groups_at = [&](std::size_t r) { return groups.data() + (ranges[r].first - first) / 2; };
    backend_.each_worker(ranges.size(),
                         [&](auto& worker, std::size_t r) { counts[r] = sort_range(worker, ranges[r], groups_at(r)); });
    std::vector<std::size_t> ends(ranges.size());
    std::inclusive_scan(counts.begin(), counts.end(), ends.begin());
    if (ends.back() == 0) return;
    auto const found = backend_.template buffer<group>(ends.back());
    backend_.each_worker(
        ranges.size(), [&](auto&, std::size_t r) { std::copy_n(groups_at(r), counts[r], found.data() + ends[r] - counts[r]); });
    settle(found);
  }

  void settle(buffer<group> const& groups) {
    std::size_t const count = groups.size(), blocks = (count + block - 1) / block;
    auto const suffixes = backend_.template buffer<Index>(count);  // the first of each group
    backend_.each(count, [=, order = order_, group = groups.data(), to = suffixes.data()](std::size_t g) {
      if (g + lookahead < count) ordo::prefetch(&order[group[g + lookahead].begin]);
      to[g] = order[group[g].begin];
    });
    backend_.radix_sort(suffixes.span(), groups.span());
    std::vector<std::size_t> left(blocks);
    backend_.each_worker(blocks, [&](auto&, std::size_t b) {
      std::size_t const first = b * block;
      left[b] = settle_block(groups.span().subspan(first, std::min(block, count - first)));
    });
    std::size_t const all = std::accumulate(left.begin(), left.end(), std::size_t{0});
    if (all == 0) return;
    auto to = backend_.template buffer<group>(all);
    group* at = to.data();
    for (std::size_t b = 0; b < blocks; ++b) at = std::copy_n(groups.data() + b * block, left[b], at);
    settle_further(std::move(to));
  }

  /// Sorts groups by further keys if they have few suffixes; otherwise leaves them.
  void settle_further(buffer<group> groups) {
    std::size_t const count = groups.size();
    std::vector<std::size_t> begins(count + 1);
    for (std::size_t g = 0; g < count; ++g) begins[g + 1] = begins[g] + groups.data()[g].size;
    if (order_.size() / begins.back() < min_rounds) {
      left_.push_back(std::move(groups));
      return;
    }
    auto const parts = backend_.template buffer<group>(begins.back() / 2);
    std::vector<std::size_t> left(count);
    backend_.each_worker((count + some_groups - 1) / some_groups, [&](auto& worker, std::size_t b) {
      diagonals known(text_, text_.letters, long_);
      known.allow(steps_of_block);
      for (std::size_t g = b * some_groups; g < std::min(count, (b + 1) * some_groups); ++g) {
        group const whole = groups.data()[g];
        std::span<group> const result(parts.data() + begins[g] / 2, whole.size / 2);
        // All groups together compute at most as many keys as the text has suffixes; one group, at most 1 / min_rounds of that.
        std::size_t const rounds = order_.size() / std::max<std::size_t>(begins.back(), min_rounds * whole.size);
        std::size_t const open = rounds_.sort_further(worker, whole, std::min(rounds, max_rounds), result.data());
        left[g] = settle_with(known, result.first(open));
      }
    });
    std::size_t const all = std::accumulate(left.begin(), left.end(), std::size_t{0});
    if (all == 0) return;
    group* at = left_.emplace_back(backend_.template buffer<group>(all)).data();
    for (std::size_t g = 0; g < count; ++g) at = std::copy_n(parts.data() + begins[g] / 2, left[g], at);
  }

  /// Settles groups in the order of the text.
  /// @returns the number of groups left, which come first then
  std::size_t settle_block(std::span<group> groups) {
    diagonals known(text_, text_.letters, long_);
    known.allow(steps_of_block);
    return settle_with(known, groups);
  }
  std::size_t settle_with(diagonals& known, std::span<group> groups) const {
    constexpr std::size_t order_soon = 24, text_soon = 8;
    std::size_t left = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (g + order_soon < groups.size()) ordo::prefetch(&order_[groups[g + order_soon].begin]);
      if (g + text_soon < groups.size()) {
        Index const* const soon = &order_[groups[g + text_soon].begin];
        text_.prefetch(soon[0] + text_.letters);
        text_.prefetch(soon[1] + text_.letters);
      }
      known.allow(steps_of_suffix * groups[g].size);
      if (!sort_by_diagonals(known, &order_[groups[g].begin], groups[g].size)) groups[left++] = groups[g];
    }
    // Later results may settle earlier groups.
    std::size_t still = 0;
    for (std::size_t g = 0; g < left; ++g)
      if (!known.may_go_on() || !sort_by_diagonals(known, &order_[groups[g].begin], groups[g].size))
        groups[still++] = groups[g];
    return still;
  }

  /// Sorts a range by first keys on all threads, and the groups that are left in parts.
  template <class SortLarge>
  void sort_by_all(place_range range, SortLarge& sort_large) {
    std::vector<place_range> large;
    {
      auto const keys = backend_.template buffer<std::uint64_t>(range.count);
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
        backend_.each(part.count, [=, lcp = lcp_, all = Index(text_.letters)](std::size_t i) { lcp[part.first + i] = all; });
      if (buffer<group> const groups = sort_large(part); groups.size() != 0) settle(groups);
    }
  }

  void sort_by_first_key(std::span<std::uint64_t> keys, std::span<Index> suffixes) {
    backend_.each(keys.size(), [=, text = text_](std::size_t i) {
      if (i + lookahead < suffixes.size()) text.prefetch(suffixes[i + lookahead]);
      keys[i] = text.key(suffixes[i]);
    });
    backend_.radix_sort(keys, suffixes, text_.key_bits());
  }

  /// Cuts suffixes that are in the order of their keys, from row `first` on, between different keys.
  /// @param large  receives parts that exceed one worker and share their key, which their suffixes do not end in
  /// @returns all other parts
  std::vector<place_range> cut_by_keys(std::span<std::uint64_t const> keys, std::size_t first,
                                       std::vector<place_range>& large) const {
    std::vector<place_range> parts;
    for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
      end = std::min(begin + max_count_ / 2, keys.size());
      auto const cut = std::lower_bound(keys.begin() + begin, keys.begin() + end, keys[end - 1]) - keys.begin();
      if (end < keys.size() && keys[end] == keys[end - 1])
        end = std::size_t(
            std::size_t(cut) != begin ? cut : std::upper_bound(keys.begin() + end, keys.end(), keys[begin]) - keys.begin());
      bool const is_large = end - begin > max_count_ && !text_.ends(keys[begin]);
      (is_large ? large : parts).push_back({first + begin, end - begin});
    }
    return parts;
  }

  B& backend_;
  packed_view text_;
  std::span<Index> order_, lcp_;
  std::size_t at_a_time_, max_count_;  // suffixes: of all workers, and of one
  long_diagonals long_;
  worker_rounds<Index> rounds_;
  std::vector<std::size_t> begins_;  // where ranges that were sorted separately begin
  all_groups left_;
};

}  // namespace ordo::inline v0::suffix::detail
