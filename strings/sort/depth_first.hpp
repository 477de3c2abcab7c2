#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "sort_core/functors.hpp"
#include "strings/keys/line_starts.hpp"
#include "strings/keys/symbols.hpp"
#include "strings/sort/common_prefix.hpp"
#include "strings/sort/small_groups.hpp"

// The prefix sort of machines whose threads have caches of their own. A group (lines that a prefix does not tell apart) of
// up to so many lines is finished by one thread, depth first, while its lines are in the cache; larger ones are sorted by
// their next eight symbols by all threads, one group after the other, until no group is larger than that. Lines are sorted in
// place in the array that is the result, the lines of a group in consecutive places: nothing but keys is kept beside it
// (caching of characters: Sinha and Wirth, "Engineering burstsort", 2010; Bingmann and Sanders, "Parallel string sample sort",
// 2013).
namespace ordo::strings::detail {

/// A group: the lines of order[begin, begin + size), which agree in their first `depth` symbols.
template <class Offset>
struct line_group {
  std::size_t begin, size;
  Offset depth;
};

template <class Offset>
struct key_behind {
  line_order by;
  Offset depth;
  std::uint64_t operator()(Offset line) const { return by.key(std::size_t(line) + depth); }
  void prefetch(Offset line) const { by.text.prefetch(std::size_t(line) + depth); }
};

/// One thread's part of the sort.
template <class Offset, class Worker>
class group_finisher {
 public:
  group_finisher(line_order by, std::span<Offset> order, std::span<std::uint8_t> repeats, Worker& worker)
      : by_(by), order_(order.data()), repeats_(repeats.data()), worker_(worker) {}

  /// The lines of order[begin, end) are in the order of their keys, keys[begin, end), which lie behind `depth` symbols: finish
  /// their groups. repeats[begin, end) are 0.
  void finish_groups(std::uint64_t const* keys, std::size_t begin, std::size_t end, Offset depth) {
    sort_groups(keys, begin, end, depth);
    while (!left_.empty()) {
      line_group<Offset> const next = left_.back();
      left_.pop_back();
      sort_group(next);
    }
  }

 private:
  static constexpr std::size_t small = Worker::small, look_ahead = 32;

  /// Small groups are finished, others put on the list.
  void sort_groups(std::uint64_t const* keys, std::size_t begin, std::size_t end, Offset depth) {
    Offset const next = depth + 8;
    std::size_t ahead = begin;
    for (std::size_t i = begin; i < end;) {
      std::uint64_t const key = keys[i];
      std::size_t j = i + 1;
      while (j < end && keys[j] == key) ++j;
      if (j - i > 1) {
        if (by_.ended(key)) {
          mark_repeats(i, j - i);
        } else if (j - i > small) {
          left_.push_back({i, j - i, next});
        } else {
          for (ahead = std::max(ahead, i); ahead < std::min(end, i + look_ahead); ++ahead)
            if (is_shared(keys, ahead, begin, end)) by_.text.prefetch(std::size_t(order_[ahead]) + next);
          sort_small(i, j - i, next);
        }
      }
      i = j;
    }
  }

  /// Does a neighbour have the same key?
  static bool is_shared(std::uint64_t const* keys, std::size_t i, std::size_t begin, std::size_t end) {
    return (i != begin && keys[i] == keys[i - 1]) | (i + 1 != end && keys[i] == keys[i + 1]);
  }

  void sort_group(line_group<Offset> group) {
    for (;; group.depth += 8) {
      std::uint64_t const* const keys = worker_.sort_by(order_ + group.begin, group.size, key_behind<Offset>{by_, group.depth});
      if (keys[0] != keys[group.size - 1])
        return sort_groups(keys - group.begin, group.begin, group.begin + group.size, group.depth);
      if (by_.ended(keys[0])) return mark_repeats(group.begin, group.size);
    }
  }

  void sort_small(std::size_t begin, std::size_t size, Offset depth) {
    struct part {
      std::uint8_t begin, size;
      Offset depth;
    } parts[small / 2];
    std::size_t n = 0;
    parts[n++] = {0, std::uint8_t(size), depth};
    while (n != 0) {
      part const now = parts[--n];
      std::size_t const first = begin + now.begin;
      if (now.size == 2) {
        sort_two(first, now.depth);
        continue;
      }
      std::uint64_t keys[small];
      Offset const next = sort_by_next(keys, first, now.size, now.depth);
      for (std::size_t i = 0; i < now.size;) {
        std::size_t j = i + 1;
        while (j < now.size && keys[j] == keys[i]) ++j;
        if (j - i > 1) {
          if (by_.ended(keys[i]))
            mark_repeats(first + i, j - i);
          else
            parts[n++] = {std::uint8_t(now.begin + i), std::uint8_t(j - i), next};
        }
        i = j;
      }
    }
  }

  /// By the first eight symbols that are not the same in all lines, or in which all end. @param size  not 0
  /// @returns the depth behind
  Offset sort_by_next(std::uint64_t* keys, std::size_t first, std::size_t size, Offset depth) {
    for (;; depth += 8) {
      std::uint64_t const any = keys[0] = by_.key(std::size_t(order_[first]) + depth);
      std::uint64_t differing = 0;
      for (std::size_t i = 1; i < size; ++i) {
        keys[i] = by_.key(std::size_t(order_[first + i]) + depth);
        differing |= keys[i] ^ any;
      }
      if (differing != 0) {
        worker_.sort_small(keys, order_ + first, size);
        return depth + 8;
      }
      if (by_.ended(any)) return depth + 8;
    }
  }

  void sort_two(std::size_t first, Offset depth) {
    std::size_t const p = order_[first], q = order_[first + 1];
    for (std::size_t o = depth;; o += 8) {
      std::uint64_t const a = by_.key(p + o), b = by_.key(q + o);
      if (a > b) std::swap(order_[first], order_[first + 1]);
      if (a != b) return;
      if (by_.ended(a)) return mark_repeats(first, 2);
    }
  }

  void mark_repeats(std::size_t begin, std::size_t size) { std::fill_n(repeats_ + begin + 1, size - 1, std::uint8_t{1}); }

  line_order by_;
  Offset* order_;
  std::uint8_t* repeats_;
  Worker& worker_;
  std::vector<line_group<Offset>> left_;
};

/// Finishes the groups that begin in a block of lines which are in the order of their keys, but those above `limit`.
template <class Offset>
struct finish_block {
  line_order by;
  std::span<Offset> order;
  std::span<std::uint8_t> repeats;
  std::uint64_t const* keys;
  std::size_t end;
  Offset depth;  // before the keys
  std::size_t limit;

  static constexpr std::size_t block = 2048;
  [[nodiscard]] std::size_t blocks() const { return (end + block - 1) / block; }

  template <class Worker>
  void operator()(Worker& worker, std::size_t number) const {
    std::size_t first = number * block, last = std::min(first + block, end);
    while (first != 0 && first < last && keys[first] == keys[first - 1]) ++first;
    if (first == last) return;
    std::size_t const large = std::lower_bound(keys + first, keys + last, keys[last - 1]) - keys;
    if (large + limit < end && keys[large + limit] == keys[large])
      last = large;  // left to all threads
    else
      while (last != end && keys[last] == keys[last - 1]) ++last;
    std::fill(repeats.begin() + first, repeats.begin() + last, std::uint8_t{0});
    group_finisher<Offset, Worker>(by, order, repeats, worker).finish_groups(keys, first, last, depth);
  }
};

/// The symbols that a group's lines have in common behind its depth, if these are some and looking further costs little;
/// agreement::identical if all lines are.
template <has_workers B, class Offset>
Offset agreement_behind(B& machine, symbols text, std::span<Offset const> lines, Offset depth) {
  using with = agreement<Offset>;
  constexpr std::size_t most = 1 << 16, sample = 1024, least = 16;
  auto const* const s = lines.data();
  Offset common = with::identical;
  for (std::size_t const stride : {lines.size() / sample + 1, std::size_t{1}}) {
    std::size_t const window = std::min(most, std::size_t(common));  // no line can have more in common than some others
    common = machine.reduce(
        (lines.size() + stride - 1) / stride,
        [=](std::size_t i) { return with::of(text, std::size_t(s[0]) + depth, std::size_t(s[i * stride]) + depth, window); },
        common, minimum{});
    if (common < least) return 0;
  }
  return common;
}

/// Marks all but the first of some lines.
template <has_workers B>
void mark_all_repeats(B& machine, std::span<std::uint8_t> repeats) {
  auto* const same = repeats.data();
  machine.each(repeats.size(), [=](std::size_t i) { same[i] = i != 0; });
}

/// Lines of order[begin, begin + keys.size()) are in the order of their keys, which lie behind `depth` symbols: finish their
/// groups, and add those that have more lines than one thread may take to `large`.
template <has_workers B, class Offset>
void finish_sorted(B& machine, line_order by, std::size_t begin, Offset depth, std::span<std::uint64_t const> keys,
                   std::span<Offset> order, std::span<std::uint8_t> repeats, std::size_t limit,
                   std::vector<line_group<Offset>>& large) {
  std::size_t const n = keys.size();
  auto const* const k = keys.data();
  auto const same = repeats.subspan(begin, n);
  finish_block<Offset> const finish{by, order.subspan(begin, n), same, k, n, depth, limit};
  machine.each_worker(finish.blocks(), finish);
  // A group of more than `limit` lines lies on a multiple of it.
  for (std::size_t i = 0; i < n; i += limit) {
    std::size_t const first = std::size_t(std::lower_bound(k, k + i, k[i]) - k);
    if (first + limit >= n || k[first + limit] != k[first]) continue;
    std::size_t const size = std::size_t(std::upper_bound(k + i, k + n, k[i]) - k) - first;
    if (by.ended(k[i]))
      mark_all_repeats(machine, same.subspan(first, size));
    else
      large.push_back({begin + first, size, Offset(depth + 8)});
    i = (first + size - 1) / limit * limit;
  }
}

/// Do many keys share their uppermost digit, or are many the same? A few say so for all.
inline bool is_uneven(std::span<std::uint64_t const> keys) {
  constexpr std::size_t sample = 256, digit = 8;
  if (keys.size() < 64 * sample) return false;
  std::array<std::uint64_t, sample> some;
  for (std::size_t i = 0; i < sample; ++i) some[i] = keys[i * (keys.size() / sample)];
  std::sort(some.begin(), some.end());
  unsigned const width = unsigned(std::bit_width(some.front() ^ some.back())), below = width > digit ? width - digit : 0;
  std::size_t same = 0, pairs = 0;  // neighbours that are equal, and pairs of which both are in one bucket
  for (std::size_t i = 1, first = 0; i < sample; ++i) {
    same += some[i] == some[i - 1];
    if (some[i] >> below != some[first] >> below) first = i;
    pairs += i - first;
  }
  return same > sample / 8 || pairs > sample * sample / 2 / 8;
}

/// Sort lines by their keys. Radix sort takes many passes for uneven keys, sample sort a few, if longer ones.
template <has_workers B, class Offset>
void sort_by_keys(B& machine, std::span<std::uint64_t> keys, std::span<Offset> lines) {
  if (is_uneven(keys))
    machine.sample_sort(keys, lines, std::less<std::uint64_t>{});
  else
    machine.radix_sort(keys, lines);
}

/// Sort a group that has more lines than one thread may take, and add such groups that it leaves to `large`.
template <has_workers B, class Offset>
void sort_large_group(B& machine, line_order by, line_group<Offset> group, std::span<Offset> order,
                      std::span<std::uint8_t> repeats, std::span<std::uint64_t> keys, std::size_t limit,
                      std::vector<line_group<Offset>>& large) {
  constexpr std::size_t look_ahead = 24;
  std::size_t const n = group.size;
  auto const lines = order.subspan(group.begin, n);
  auto* const o = lines.data();
  auto* const k = keys.data();
  Offset const skipped = agreement_behind(machine, by.text, std::span<Offset const>(lines), group.depth);
  if (skipped == agreement<Offset>::identical) return mark_all_repeats(machine, repeats.subspan(group.begin, n));
  Offset const depth = group.depth + skipped;
  machine.each(n, [=](std::size_t i) {
    if (i + look_ahead < n) by.text.prefetch(std::size_t(o[i + look_ahead]) + depth);
    k[i] = by.key(std::size_t(o[i]) + depth);
  });
  sort_by_keys(machine, keys.first(n), lines);
  finish_sorted(machine, by, group.begin, depth, std::span<std::uint64_t const>(keys.first(n)), order, repeats, limit, large);
}

template <has_workers B, class Offset>
void sort_large_groups(B& machine, line_order by, std::span<Offset> order, std::span<std::uint8_t> repeats,
                       std::span<std::uint64_t> keys, std::size_t limit, std::vector<line_group<Offset>> large) {
  while (!large.empty()) {
    line_group<Offset> const next = large.back();
    large.pop_back();
    sort_large_group(machine, by, next, order, repeats, keys, limit, large);
  }
}

/// See sort_starts: `order` holds the starts.
template <has_workers B, class Offset>
void sort_depth_first(B& machine, line_order by, std::span<Offset> order, std::span<std::uint8_t> repeats) {
  if (order.empty()) return;
  auto const keys = machine.template buffer<std::uint64_t>(order.size());
  sort_large_groups(machine, by, order, repeats, keys.span(), machine.worker_share(order.size()), {{0, order.size(), 0}});
}

/// See sort_repeats.
template <has_workers B, class Offset>
void sort_repeats_depth_first(B& machine, line_order by, std::span<Offset> order, std::span<std::uint8_t> repeats) {
  std::size_t const n = order.size(), limit = machine.worker_share(n);
  if (n == 0) return;
  auto const keys = machine.template buffer<std::uint64_t>(n);
  auto const* const same = repeats.data();
  auto* const k = keys.data();
  // As if the lines of a row had a key of their own, in which none ends, before their first symbols.
  constexpr std::uint64_t no_end = 0x55;
  machine.scan(
      n, [=](std::size_t i) { return same[i] ? no_end : std::uint64_t(i) << 8 | no_end; }, keys.span(), maximum{});
  std::vector<line_group<Offset>> large;
  finish_sorted(machine, by, 0, Offset(-8), std::span<std::uint64_t const>(k, n), order, repeats, limit, large);
  sort_large_groups(machine, by, order, repeats, keys.span(), limit, std::move(large));
}

/// Bytes that sort_depth_first takes at most: keys, what their sort takes, and the workers' own memory, that of a sixteenth of
/// the lines in all.
template <has_workers B, class Offset>
std::size_t depth_first_memory(std::size_t lines) {
  constexpr std::size_t of_workers = 3 * sizeof(std::uint64_t) * 3 / 2;
  return lines / 16 * of_workers + pool::rounded(lines * sizeof(std::uint64_t)) +
         B::sample_sort_memory(lines, sizeof(std::uint64_t), sizeof(Offset));
}

}  // namespace ordo::strings::detail
