#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/radix_key.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "strings/keys/symbols.hpp"

namespace ordo::inline v0::strings::detail {

/// The length of the common prefix of adjacent lines, or of all lines of a group. A scan carries a length and a mark in one
/// Offset.
template <class Offset>
struct common_prefix {
  static constexpr Offset identical = std::numeric_limits<Offset>::max() >> 1;  // the lines are equal

  /// Returns the number of symbols that the lines share from p and q on, or `identical`. If it is more than `max_length`, that
  /// or a little more is returned.
  ORDO_FN static Offset of(symbols text, std::size_t p, std::size_t q, std::size_t max_length) {
    for (std::size_t o = 0;; o += 8) {
      std::uint64_t const a = text(p + o), b = text(q + o);
      if (a != b) return Offset(o + leading_zeros(a ^ b) / 8);
      if (symbols::end_in(a)) return identical;
      if (o + 8 >= max_length) return Offset(o + 8);
    }
  }

  ORDO_FN static Offset marked(Offset value, bool mark) { return Offset(value << 1) | Offset(mark); }
  ORDO_FN static Offset value(Offset x) { return x >> 1; }

  /// Keeps the smallest value since the last mark.
  struct min_since_mark {
    ORDO_FN Offset operator()(Offset a, Offset b) const {
      if (b & 1) return b;
      return marked(value(a) < value(b) ? value(a) : value(b), a & 1);
    }
  };
  /// Keeps the last marked value.
  struct last_marked {
    ORDO_FN Offset operator()(Offset a, Offset b) const { return (b & 1) ? b : a; }
  };
};

/// A line in work: the position of its next symbols, and their distance from the start of the line.
template <class Offset>
struct cursor {
  Offset at, depth;
};

/// The order of lines as the order of numbers, eight symbols at a time.
struct line_order {
  symbols text;
  std::uint64_t flip;  // all ones reverses the order

  ORDO_FN std::uint64_t key(std::size_t p) const { return text(p) ^ flip; }
  ORDO_FN bool ended(std::uint64_t key) const { return symbols::end_in(key ^ flip); }

  /// The next sixteen symbols. All after the end of the line are 0, as in the number of eight.
  [[nodiscard]] wide_key wide(std::size_t p) const {
    std::uint64_t const high = text(p);
    std::uint64_t const low = symbols::end_in(high) ? 0 : text(p + 8);
    return wide_key(high ^ flip) << 64 | (low ^ flip);
  }

  // What the depth-first sort reads of a line: symbols after the first `depth`.

  /// The number of symbols in a number of type K.
  template <class K>
  static constexpr std::size_t width = sizeof(K);
  template <class K>
  [[nodiscard]] K number(std::size_t line, std::size_t depth) const {
    if constexpr (std::same_as<K, wide_key>)
      return wide(line + depth);
    else
      return key(line + depth);
  }
  /// Returns true if a line ends in the number that begins after `depth` symbols.
  template <class K>
  [[nodiscard]] bool ended(K key, std::size_t /*depth*/) const {
    return ended(std::uint64_t(key));
  }
  void prefetch(std::size_t line, std::size_t depth) const { text.prefetch(line + depth); }
  /// Returns the common prefix of two lines after `depth` symbols: see common_prefix::of.
  template <class Offset>
  [[nodiscard]] Offset common(Offset a, Offset b, std::size_t depth, std::size_t max_length) const {
    return common_prefix<Offset>::of(text, std::size_t(a) + depth, std::size_t(b) + depth, max_length);
  }

  struct keys {
    std::uint64_t a, b;
  };
  /// Returns the first keys after p and q that differ, or in which both lines end, or the last ones before `window` symbols.
  ORDO_FN keys beyond(std::size_t p, std::size_t q, std::size_t window) const {
    for (std::size_t o = 8;; o += 8) {
      std::uint64_t const a = key(p + o), b = key(q + o);
      if (a != b || ended(a) || o + 8 >= window) return {a, b};
    }
  }
};

// The prefix sort of backends whose threads have caches of their own. A group of lines with equal prefixes is finished by one
// thread, depth first, while its lines are in the cache. Groups that are too large for that are sorted by their next eight or
// sixteen symbols: large ones by all threads, one after the other, and then smaller ones several at a time. Lines are sorted in
// place, in the array that is the result; only keys are stored besides (caching of characters: Sinha and Wirth, "Engineering
// burstsort", 2010; Bingmann and Sanders, "Parallel string sample sort", 2013). The keys of one thread are sixteen symbols,
// which halves its accesses to the text. An Order reads the symbols of a line as line_order does; what stands for a line, a
// number of type Offset, is its business.

/// A group: the lines order[begin, begin + size), which share their first `depth` symbols.
template <class Offset>
struct line_group {
  std::size_t begin, size;
  Offset depth;
};

template <class Order, class Offset>
struct key_behind {
  Order by;
  Offset depth;
  wide_key operator()(Offset line) const { return by.template number<wide_key>(line, depth); }
  void prefetch(Offset line) const { by.prefetch(line, depth); }
};

/// Sorts groups on one thread.
template <class Order, class Offset, class Worker>
class group_finisher {
 public:
  group_finisher(Order by, std::span<Offset> order, std::span<std::uint8_t> repeats, Worker& worker)
      : by_(by), order_(order.data()), repeats_(repeats.data()), worker_(worker) {}

  /// Finishes the groups of the lines order[begin, end), which are sorted by their keys, keys[begin, end), the symbols after
  /// the first `depth`. repeats[begin, end) are 0.
  template <class K>
  void finish_groups(K const* keys, std::size_t begin, std::size_t end, Offset depth) {
    sort_groups(keys, begin, end, depth);
    while (!left_.empty()) {
      line_group<Offset> const next = left_.back();
      left_.pop_back();
      sort_group(next);
    }
  }

 private:
  static constexpr std::size_t small = Worker::small, look_ahead = 32;
  static constexpr Offset step = Order::template width<std::uint64_t>;

  /// Finishes small groups and stores the others for later.
  template <class K>
  void sort_groups(K const* keys, std::size_t begin, std::size_t end, Offset depth) {
    Offset const next = depth + Order::template width<K>;
    std::size_t ahead = begin;
    for (std::size_t i = begin; i < end;) {
      K const key = keys[i];
      std::size_t j = i + 1;
      while (j < end && keys[j] == key) ++j;
      if (j - i > 1) {
        if (by_.ended(key, depth)) {
          mark_repeats(i, j - i);
        } else if (j - i > small) {
          left_.push_back({i, j - i, next});
        } else {
          for (ahead = std::max(ahead, i); ahead < std::min(end, i + look_ahead); ++ahead)
            if (is_shared(keys, ahead, begin, end)) by_.prefetch(order_[ahead], next);
          sort_small(i, j - i, next);
        }
      }
      i = j;
    }
  }

  /// Returns true if an adjacent line has the same key.
  template <class K>
  static bool is_shared(K const* keys, std::size_t i, std::size_t begin, std::size_t end) {
    return (i != begin && keys[i] == keys[i - 1]) | (i + 1 != end && keys[i] == keys[i + 1]);
  }

  void sort_group(line_group<Offset> group) {
    for (;; group.depth += Order::template width<wide_key>) {
      wide_key const* const keys =
          worker_.sort_by(order_ + group.begin, group.size, key_behind<Order, Offset>{by_, group.depth});
      if (keys[0] != keys[group.size - 1])
        return sort_groups(keys - group.begin, group.begin, group.begin + group.size, group.depth);
      if (by_.ended(keys[0], group.depth)) return mark_repeats(group.begin, group.size);
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
          if (by_.ended(keys[i], next - step))
            mark_repeats(first + i, j - i);
          else
            parts[n++] = {std::uint8_t(now.begin + i), std::uint8_t(j - i), next};
        }
        i = j;
      }
    }
  }

  /// Sorts by the first symbols that differ in some lines, or in which all lines end. Returns the depth after them.
  /// @param size  not 0
  Offset sort_by_next(std::uint64_t* keys, std::size_t first, std::size_t size, Offset depth) {
    for (;; depth += step) {
      std::uint64_t const any = keys[0] = by_.template number<std::uint64_t>(order_[first], depth);
      std::uint64_t differing = 0;
      for (std::size_t i = 1; i < size; ++i) {
        keys[i] = by_.template number<std::uint64_t>(order_[first + i], depth);
        differing |= keys[i] ^ any;
      }
      if (differing != 0) {
        worker_.sort_small(keys, order_ + first, size);
        return depth + step;
      }
      if (by_.ended(any, depth)) return depth + step;
    }
  }

  void sort_two(std::size_t first, Offset depth) {
    std::size_t const p = order_[first], q = order_[first + 1];
    for (std::size_t o = depth;; o += step) {
      std::uint64_t const a = by_.template number<std::uint64_t>(p, o), b = by_.template number<std::uint64_t>(q, o);
      if (a > b) std::swap(order_[first], order_[first + 1]);
      if (a != b) return;
      if (by_.ended(a, o)) return mark_repeats(first, 2);
    }
  }

  void mark_repeats(std::size_t begin, std::size_t size) { std::fill_n(repeats_ + begin + 1, size - 1, std::uint8_t{1}); }

  Order by_;
  Offset* order_;
  std::uint8_t* repeats_;
  Worker& worker_;
  std::vector<line_group<Offset>> left_;
};

/// Finishes the groups that begin in a block of lines, which are sorted by their keys, except groups of more than `limit`
/// lines.
template <class K, class Order, class Offset>
struct finish_block {
  Order by;
  std::span<Offset> order;
  std::span<std::uint8_t> repeats;
  K const* keys;
  std::size_t end;
  Offset depth;  // depth of the keys
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
      last = large;  // sorted by all threads
    else
      while (last != end && keys[last] == keys[last - 1]) ++last;
    std::fill(repeats.begin() + first, repeats.begin() + last, std::uint8_t{0});
    group_finisher<Order, Offset, Worker>(by, order, repeats, worker).finish_groups(keys, first, last, depth);
  }
};

/// Returns the number of symbols that the lines of a group share after its depth, or common_prefix::identical. Returns 0 if
/// that is few, or if finding out takes long.
template <has_workers B, class Order, class Offset>
Offset common_prefix_behind(B& backend, Order by, std::span<Offset const> lines, Offset depth) {
  using with = common_prefix<Offset>;
  constexpr std::size_t max_length = 1 << 16, sample = 1024, min_length = 16;
  auto const* const s = lines.data();
  Offset common = with::identical;
  for (std::size_t const stride : {lines.size() / sample + 1, std::size_t{1}}) {
    std::size_t const window = std::min(max_length, std::size_t(common));  // all lines share no more than some of them
    common = backend.reduce((lines.size() + stride - 1) / stride,
                            [=](std::size_t i) { return by.common(s[0], s[i * stride], depth, window); }, common, minimum{});
    if (common < min_length) return 0;
  }
  return common;
}

/// Marks all lines but the first.
template <has_workers B>
void mark_all_repeats(B& backend, std::span<std::uint8_t> repeats) {
  auto* const same = repeats.data();
  backend.each(repeats.size(), [=](std::size_t i) { same[i] = i != 0; });
}

/// Adds to the depth of a group what its lines share after it. Returns false if they are equal, and marks them.
template <has_workers B, class Order, class Offset>
bool skip_shared_prefix(B& backend, Order by, line_group<Offset>& group, std::span<Offset> order,
                        std::span<std::uint8_t> repeats) {
  std::span<Offset const> const lines = order.subspan(group.begin, group.size);
  Offset const skipped = common_prefix_behind(backend, by, lines, group.depth);
  if (skipped != common_prefix<Offset>::identical) {
    group.depth += skipped;
    return true;
  }
  mark_all_repeats(backend, repeats.subspan(group.begin, group.size));
  return false;
}

/// Returns true if many keys share their highest digit, or are equal, judged by a sample.
inline bool is_uneven(std::span<std::uint64_t const> keys) {
  constexpr std::size_t sample = 256, digit = 8;
  if (keys.size() < 64 * sample) return false;
  std::array<std::uint64_t, sample> some;
  for (std::size_t i = 0; i < sample; ++i) some[i] = keys[i * (keys.size() / sample)];
  std::sort(some.begin(), some.end());
  unsigned const width = unsigned(std::bit_width(some.front() ^ some.back())), below = width > digit ? width - digit : 0;
  std::size_t same = 0, pairs = 0;  // adjacent equal keys, and pairs of keys in one bucket
  for (std::size_t i = 1, first = 0; i < sample; ++i) {
    same += some[i] == some[i - 1];
    if (some[i] >> below != some[first] >> below) first = i;
    pairs += i - first;
  }
  return same > sample / 8 || pairs > sample * sample / 2 / 8;
}
/// Wide keys are those of lines with a common prefix, which are uneven.
inline bool is_uneven(std::span<wide_key const>) {
  return true;
}

/// Sorts lines by groups, with all threads. Many groups are too small to keep all threads at work, and too large for one: of
/// these, several are sorted at a time, each in a part of the memory for keys.
template <has_workers B, class Order, class Offset>
class depth_first_sort {
 public:
  /// @param order  the starts of lines, and the result
  depth_first_sort(B& backend, Order by, std::span<Offset> order, std::span<std::uint8_t> repeats)
      : backend_(backend),
        by_(by),
        order_(order),
        repeats_(repeats),
        limit_(backend.worker_share(order.size())),
        enough_for_all_(std::max(limit_, backend.size_for_all())),
        keys_(backend.template buffer<std::uint64_t>(order.size())) {}

  /// Returns memory for a key of each line.
  [[nodiscard]] std::uint64_t* keys() { return keys_.data(); }

  /// Sorts all lines. @param keyed  whether keys() are their first symbols
  void sort_all(bool keyed) {
    group all{0, order_.size(), 0};
    if (!skip_shared_prefix(backend_, by_, all, order_, repeats_)) return;
    get_scratch();
    if (keyed && all.depth == 0)
      sort_keyed<std::uint64_t>(all, 0, left_);
    else
      sort<std::uint64_t>(all, 0, left_);
    sort_left();
  }

  /// Sorts the groups of lines whose keys() are equal. All keys are in order: the symbols after the first `depth`.
  void sort_groups(Offset depth) {
    finish(group{0, order_.size(), depth}, keys(), left_);
    if (left_.empty()) return;
    get_scratch();
    sort_left();
  }

 private:
  using group = line_group<Offset>;
  /// A group, and the first of its wide keys.
  struct placed_group {
    group lines;
    std::size_t place;
  };

  void get_scratch() {
    std::size_t const n = order_.size();
    other_keys_ = backend_.template buffer<std::uint64_t>(n);
    other_order_ = backend_.template buffer<Offset>(n);
    numbers_ = backend_.template buffer<std::uint8_t>(n);
  }

  /// Sorts groups with too many lines for one thread. Where there is no room for keys of sixteen symbols, as for more than half
  /// of all lines, those of eight are taken.
  void sort_left() {
    std::size_t const room = keys_.size() / 2;
    while (!left_.empty()) {
      auto const alone =
          std::find_if(left_.begin(), left_.end(), [&](group const& g) { return g.size >= enough_for_all_ || g.size > room; });
      if (alone != left_.end()) {
        group next = *alone;
        *alone = left_.back();
        left_.pop_back();
        if (!skip_shared_prefix(backend_, by_, next, order_, repeats_)) continue;
        if (next.size <= room)
          sort<wide_key>(next, 0, left_);
        else
          sort<std::uint64_t>(next, 0, left_);
        continue;
      }
      std::vector<placed_group> now;
      std::sort(left_.begin(), left_.end(), [](group const& a, group const& b) { return a.size < b.size; });
      for (std::size_t place = 0; !left_.empty() && place + left_.back().size <= room; left_.pop_back()) {
        now.push_back({left_.back(), place});
        place += left_.back().size;
      }
      backend_.work_off(std::move(now), [this](placed_group const& next) { return sort_beside_others(next); });
    }
  }

  /// Returns the groups that remain, in the same place.
  std::vector<placed_group> sort_beside_others(placed_group next) {
    group& lines = next.lines;
    if (!skip_shared_prefix(backend_, by_, lines, order_, repeats_)) return {};
    std::vector<group> large;
    sort<wide_key>(lines, next.place, large);
    std::vector<placed_group> placed;
    for (group const& more : large) placed.push_back({more, next.place + (more.begin - lines.begin)});
    return placed;
  }

  template <class K>
  void sort(group lines, std::size_t place, std::vector<group>& large) {
    compute(lines, reinterpret_cast<K*>(keys_.data()) + place);
    sort_keyed<K>(lines, place, large);
  }

  /// Sorts lines by their keys, which begin with that of number `place`. Adds the groups that remain to `large`.
  template <class K>
  void sort_keyed(group lines, std::size_t place, std::vector<group>& large) {
    std::span<K> const keys(reinterpret_cast<K*>(keys_.data()) + place, lines.size);
    auto const with = order_.subspan(lines.begin, lines.size);
    typename B::template scratch<K, Offset> const memory{reinterpret_cast<K*>(other_keys_.data()) + place,
                                                         other_order_.data() + place, numbers_.data() + place};
    // For uneven keys radix sort takes many passes, and sample sort a few, though longer ones.
    if (is_uneven(std::span<K const>(keys)))
      backend_.sample_sort_in(memory, keys, with, std::less<K>{});
    else
      backend_.radix_sort_in(memory, keys, with);
    finish(lines, keys.data(), large);
  }

  template <class K>
  void compute(group lines, K* keys) {
    constexpr std::size_t look_ahead = 24;
    backend_.each(lines.size,
                  [keys, o = order_.data() + lines.begin, n = lines.size, depth = lines.depth, by = by_](std::size_t i) {
                    if (i + look_ahead < n) by.prefetch(o[i + look_ahead], depth);
                    keys[i] = by.template number<K>(o[i], depth);
                  });
  }

  /// Finishes the groups of lines that are sorted by their keys, the symbols after their depth. Adds groups with too many
  /// lines for one thread to `large`.
  template <class K>
  void finish(group lines, K const* keys, std::vector<group>& large) {
    auto const same = repeats_.subspan(lines.begin, lines.size);
    std::size_t const n = lines.size;
    finish_block<K, Order, Offset> const blocks{by_, order_.subspan(lines.begin, n), same, keys, n, lines.depth, limit_};
    backend_.each_worker(workers_, blocks.blocks(), blocks);
    // A group of more than `limit_` lines contains a multiple of it.
    for (std::size_t i = 0; i < n; i += limit_) {
      std::size_t const first = std::size_t(std::lower_bound(keys, keys + i, keys[i]) - keys);
      if (first + limit_ >= n || keys[first + limit_] != keys[first]) continue;
      std::size_t const size = std::size_t(std::upper_bound(keys + i, keys + n, keys[i]) - keys) - first;
      if (by_.ended(keys[i], lines.depth))
        mark_all_repeats(backend_, same.subspan(first, size));
      else
        large.push_back({lines.begin + first, size, Offset(lines.depth + Order::template width<K>)});
      i = (first + size - 1) / limit_ * limit_;
    }
  }

  B& backend_;
  Order by_;
  std::span<Offset> order_;
  std::span<std::uint8_t> repeats_;
  std::size_t limit_, enough_for_all_;
  buffer<std::uint64_t> keys_, other_keys_;
  buffer<Offset> other_order_;
  buffer<std::uint8_t> numbers_;
  typename B::workers workers_;
  std::vector<group> left_;  // groups with too many lines for one thread
};

/// Sorts as sort_starts() does. `order` holds the starts, or what else stands for the lines of this Order.
template <has_workers B, class Order, class Offset>
void sort_depth_first(B& backend, Order by, std::span<Offset> order, std::span<std::uint8_t> repeats) {
  if (!order.empty()) depth_first_sort<B, Order, Offset>(backend, by, order, repeats).sort_all(false);
}

/// Sorts as prefix_sort() does. The first keys are computed as the starts of lines are found, which reads the text once for
/// both.
template <has_workers B, class Offset>
void sort_text_depth_first(B& backend, line_order by, std::span<Offset const> counts, std::span<Offset> order,
                           std::span<std::uint8_t> repeats) {
  depth_first_sort<B, line_order, Offset> sort(backend, by, order, repeats);
  each_start(backend, by.text, counts, [=, o = order.data(), k = sort.keys()](std::size_t line, std::size_t start) {
    o[line] = Offset(start);
    k[line] = by.text.of_any_line(start) ^ by.flip;
  });
  sort.sort_all(true);
}

/// Sorts as sort_repeats() does.
template <has_workers B, class Offset>
void sort_repeats_depth_first(B& backend, line_order by, std::span<Offset> order, std::span<std::uint8_t> repeats) {
  std::size_t const n = order.size();
  if (n == 0) return;
  depth_first_sort<B, line_order, Offset> sort(backend, by, order, repeats);
  auto const* const same = repeats.data();
  // The lines of a group get the same key, in which no line ends, as if it came before their first symbols.
  constexpr std::uint64_t no_end = 0x55;
  backend.scan(
      n, [=](std::size_t i) { return same[i] ? no_end : std::uint64_t(i) << 8 | no_end; }, std::span(sort.keys(), n),
      maximum{});
  sort.sort_groups(Offset(-8));
}

/// Returns the memory that sort_depth_first() takes: keys, the memory of their sort, and the memory of the workers for a
/// sixteenth of the lines.
template <has_workers B, class Offset>
std::size_t depth_first_memory(std::size_t lines) {
  constexpr std::size_t of_workers = (2 * sizeof(wide_key) + sizeof(Offset)) * 3 / 2;
  return lines / 16 * of_workers + pool::rounded(lines * sizeof(std::uint64_t)) +
         B::sample_sort_memory(lines, sizeof(std::uint64_t), sizeof(Offset));
}

}  // namespace ordo::inline v0::strings::detail
