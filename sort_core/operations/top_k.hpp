#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "sort_core/algorithms/selects_from_segments.hpp"
#include "sort_core/operations/parts.hpp"

// The first k keys of an array in sorted order. A splitter drawn from a sample separates few candidates, among them the k keys,
// from the rest; the candidates are sorted. A bad splitter is replaced by others, down to a bisection of the codes, so that no
// input takes more memory.
namespace ordo::inline v0::detail {

/// The numbers of codes below a splitter and of those equal to it.
struct split_counts {
  std::uint64_t less = 0, equal = 0;
};
struct add_split_counts {
  ORDO_FN split_counts operator()(split_counts a, split_counts b) const { return {a.less + b.less, a.equal + b.equal}; }
};
template <class K>
struct count_split {
  code_at<K> code;
  K splitter;
  ORDO_FN split_counts operator()(std::size_t i) const {
    K const c = code(i);
    return {std::uint64_t(c < splitter), std::uint64_t(c == splitter)};
  }
};

/// Counts codes equal to the splitter, from position `first` on.
template <class K>
struct count_equal {
  code_at<K> code;
  K splitter;
  std::size_t first;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return std::uint64_t(code(first + i) == splitter); }
};

/// Selects codes below the splitter, and those equal to it at positions below `end`.
template <class K>
struct is_candidate {
  code_at<K> code;
  K splitter;
  std::size_t end;
  ORDO_FN bool operator()(std::size_t i) const {
    K const c = code(i);
    return c < splitter || (c == splitter && i < end);
  }
};

/// Writes the codes at the positions of a sample: one in each of `count` ranges.
template <class K>
struct write_sample {
  code_at<K> code;
  std::size_t n, count;
  K* to;
  ORDO_FN void operator()(std::size_t j) const {
    std::size_t const width = n / count;
    std::uint64_t x = (j + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    to[j] = code(j * width + std::size_t((x ^ (x >> 32)) % width));
  }
};

template <class K>
struct write_code_at {
  code_at<K> code;
  std::uint64_t const* positions;
  K* to;
  ORDO_FN void operator()(std::size_t j) const { to[j] = code(positions[j]); }
};

/// The arrays that a top_k writes, from item `first` of each on, where they are wanted. `base` is added to positions.
template <class K>
struct top_output {
  K* keys;  // or null
  any_positions index;
  std::size_t first;
  std::uint64_t base;
  ORDO_FN void write(std::size_t j, K key, std::uint64_t position) const {
    if (keys) keys[first + j] = key;
    if (index.wanted()) index.set(first + j, base + position);
  }
};

/// Writes the keys at some positions, and the positions.
template <class K>
struct write_top {
  K const* keys;
  std::uint64_t const* positions;
  top_output<K> out;
  ORDO_FN void operator()(std::size_t j) const { out.write(j, keys[positions[j]], positions[j]); }
};

/// Returns the number of candidates that top_k sorts at most: all keys if k is a large part of them.
inline std::size_t max_candidates(std::size_t n, std::size_t k) {
  std::size_t const more = n / 64 + (std::size_t{1} << 14);
  return k >= n / 2 ? n : std::min(n, 2 * k + more);
}

/// Returns the number of keys in a sample of n.
inline std::size_t sample_size(std::size_t n) {
  return std::clamp<std::size_t>(n / 64, 1024, std::size_t{1} << 14);
}

/// The set of candidates: what is_candidate selects, and how many these are.
template <class K>
struct candidate_set {
  K splitter;
  std::size_t end;
  std::size_t count;
};

/// Finds a set of at least k and at most max_candidates candidates, of which the first k of all keys are members.
template <Backend B, class K>
candidate_set<K> find_candidates(B& backend, code_at<K> code, std::size_t n, std::size_t k) {
  std::size_t const max_count = max_candidates(n, k), m = sample_size(n);
  auto const sample = backend.template buffer<K>(m);
  backend.each(m, write_sample<K>{code, n, m, sample.data()});
  sort_codes(backend, sample.span(), std::span<std::uint32_t>{});

  // A few standard deviations above the expected rank of the k-th key in the sample.
  double const rank = double(k) / double(n) * double(m);
  auto const quantile = [&](double deviations) {
    return std::size_t(std::min(double(m - 1), rank + deviations * (std::sqrt(rank) + 2)));
  };
  K splitter = value_at(backend, sample.span(), quantile(4));
  K low = 0, high = K(~K{0});  // the k-th code is in [low, high]
  split_counts counts;
  for (int round = 0;; ++round) {
    counts = backend.reduce(n, count_split<K>{code, splitter}, split_counts{}, add_split_counts{});
    if (counts.less + counts.equal < k)
      low = K(splitter + 1);
    else if (counts.less > max_count)
      high = K(splitter - 1);
    else
      break;
    splitter = round == 0 ? value_at(backend, sample.span(), quantile(32)) : low;
    if (round != 0 || splitter <= low || splitter >= high) splitter = K(low + (high - low) / 2);
  }

  if (counts.less >= k) return {splitter, 0, std::size_t(counts.less)};
  if (counts.less + counts.equal <= max_count) return {splitter, n, std::size_t(counts.less + counts.equal)};
  // Many keys equal the k-th. The first of them are enough: bisects for a position before which there are enough and not too
  // many. `low_equal` and `high_equal` are the numbers of equal keys before `begin` and `end`.
  std::size_t begin = 0, end = n;
  std::uint64_t const needed = k - counts.less;
  std::uint64_t begin_equal = 0, end_equal = counts.equal;
  while (counts.less + end_equal > max_count) {
    std::size_t const middle = begin + (end - begin) / 2;
    std::uint64_t const equal =
        begin_equal + backend.reduce(middle - begin, count_equal<K>{code, splitter, begin}, std::uint64_t{0}, plus{});
    if (equal >= needed) {
      end = middle;
      end_equal = equal;
    } else {
      begin = middle;
      begin_equal = equal;
    }
  }
  return {splitter, end, std::size_t(counts.less + end_equal)};
}

/// Writes the first k of n keys.
template <Backend B, class K>
void select_top(B& backend, code_at<K> code, std::size_t n, std::size_t k, bool sorted, top_output<K> const& out) {
  if (k == 0) return;
  candidate_set<K> chosen{K(~K{0}), n, n};
  if (max_candidates(n, k) < n) chosen = find_candidates(backend, code, n, k);

  auto const positions = backend.template buffer<std::uint64_t>(chosen.count);
  if (chosen.count == n)
    backend.each(n, write_number<std::uint64_t>{positions.data()});
  else
    backend.select(n, is_candidate<K>{code, chosen.splitter, chosen.end}, own_number{}, positions.span());
  if (sorted || chosen.count != k) {
    auto const codes = backend.template buffer<K>(chosen.count);
    backend.each(chosen.count, write_code_at<K>{code, positions.data(), codes.data()});
    sort_codes(backend, codes.span(), positions.span());
  }
  if (!sorted && chosen.count != k)
    sort_codes(backend, positions.span().first(k), std::span<std::uint32_t>{}, {0, unsigned(std::bit_width(n))});
  backend.each(k, write_top<K>{code.keys, positions.data(), out});
}

/// Returns a bound on the lengths of a task's segments.
inline std::size_t length_bound(sort_task const& task) {
  return task.uniform_length != 0 ? task.uniform_length : std::min(task.max_length, task.n);
}

/// Returns the outputs of a task, with room for n items.
template <class K>
top_output<K> make_outputs(operation_task const& task, std::size_t n) {
  return {task.out_keys.data ? typed_span<K>(task.out_keys.data, n).data() : nullptr, any_positions(task.out_index), 0, 0};
}

/// Writes an item of the result of a task: position i of the array, in a segment that begins at `begin`.
template <class K>
struct write_top_item {
  K const* keys;
  bool relative;
  top_output<K> out;
  ORDO_FN void operator()(std::size_t j, std::size_t i, std::size_t begin) const {
    out.write(j, keys[i], relative ? i - begin : i);
  }
};

/// Selects the first items of each segment, if the backend does so faster than by a sort. Returns false if not.
/// @param sort  the keys and segments of a task
template <Backend B, class K>
bool select_top_of_each(B& backend, operation_task const& task, sort_task const& sort) {
  if constexpr (selects_from_segments<B>)
    return backend.select_top(
        codes_for<K>(sort), segment_list<any_offset>(sort), sort.n, length_bound(sort), task.k, task.sorted,
        write_top_item<K>{codes_for<K>(sort).keys, task.relative, make_outputs<K>(task, sort.segments * task.k)});
  return false;
}

/// Returns the task of a sort of one array as a segment.
inline sort_task as_segment(sort_task task) {
  task.segments = 1;
  task.uniform_length = task.max_length = task.n;
  return task;
}

template <Backend B, class K>
void run_top_k(B& backend, operation_task const& task) {
  if (select_top_of_each<B, K>(backend, task, as_segment(task.sort))) return;
  select_top(backend, codes_for<K>(task.sort), task.sort.n, task.k, task.sorted, make_outputs<K>(task, task.k));
}

template <Backend B>
std::size_t select_top_memory(B& backend, std::size_t n, std::size_t k, std::size_t key) {
  if (n == 0 || k == 0) return 0;
  std::size_t const count = max_candidates(n, std::min(n, k)), m = sample_size(n);
  std::size_t const sampling = pool::rounded(m * key) + std::max(backend.radix_sort_memory(m, key, 0), lists_memory(n));
  std::size_t const sorting = std::max(pool::rounded(count * key) + backend.radix_sort_memory(count, key, 8),
                                       backend.radix_sort_memory(std::min(count, k), 8, 0));
  return std::max(sampling, pool::rounded(count * 8) + std::max(sorting, lists_memory(n)));
}

// Segments.

/// The positions of the items of each segment, sorted by code.
template <class Position>
struct sorted_positions {
  Position const* positions;
  segment_list<any_offset> segments;

  [[nodiscard]] ORDO_FN bool has(std::size_t s, std::size_t j) const { return segments.begin(s) + j < segments.end(s); }
  [[nodiscard]] ORDO_FN Position at(std::size_t s, std::size_t j) const { return positions[segments.begin(s) + j]; }
};

template <class K, class Position>
struct write_top_of_segments {
  K const* keys;
  sorted_positions<Position> sorted;
  std::size_t k;
  bool relative;
  top_output<K> out;
  ORDO_FN void operator()(std::size_t t) const {
    std::size_t const s = t / k, j = t % k;
    if (!sorted.has(s, j)) return;
    std::size_t const i = sorted.at(s, j);
    out.write(t, keys[i], relative ? i - sorted.segments.begin(s) : i);
  }
};

/// Writes the positions of the first k items of each segment to rows of k, filled up with the greatest number.
template <class Position>
struct write_rows_of_positions {
  sorted_positions<Position> sorted;
  std::size_t k;
  Position* rows;
  ORDO_FN void operator()(std::size_t t) const {
    std::size_t const s = t / k, j = t % k;
    rows[t] = sorted.has(s, j) ? sorted.at(s, j) : Position(~Position{0});
  }
};
template <class K, class Position>
struct write_top_of_rows {
  K const* keys;
  Position const* rows;
  segment_list<any_offset> segments;
  std::size_t k;
  bool relative;
  top_output<K> out;
  ORDO_FN void operator()(std::size_t t) const {
    std::size_t const s = t / k, begin = segments.begin(s);
    if (begin + t % k >= segments.end(s)) return;
    std::size_t const i = rows[t];
    out.write(t, keys[i], relative ? i - begin : i);
  }
};

/// Writes the results of a task from the positions of sorted items.
template <Backend B, class K, class Position>
void write_sorted_top(B& backend, operation_task const& task, sorted_positions<Position> const& sorted) {
  std::size_t const k = task.k, count = task.sort.segments;
  K const* const keys = codes_for<K>(task.sort).keys;
  top_output<K> const out = make_outputs<K>(task, count * k);
  if (task.sorted) return backend.each(count * k, write_top_of_segments<K, Position>{keys, sorted, k, task.relative, out});
  auto const rows = backend.template buffer<Position>(count * k);
  backend.each(count * k, write_rows_of_positions<Position>{sorted, k, rows.data()});
  sort_task by_position;
  by_position.kind = sort_task::operation::segments;
  by_position.keys = rows.data();
  by_position.key_bytes = sizeof(Position);
  by_position.n = count * k;
  by_position.uniform_length = by_position.max_length = k;
  by_position.segments = count;
  run_typed_task<B, Position>(backend, by_position);
  backend.each(count * k, write_top_of_rows<K, Position>{keys, rows.data(), sorted.segments, k, task.relative, out});
}

/// Sorts all items of each segment.
template <Backend B, class K, class Position>
void sort_for_top(B& backend, operation_task const& task) {
  std::size_t const n = task.sort.n;
  auto const positions = backend.template buffer<Position>(n);
  backend.each(n, write_number<Position>{positions.data()});
  {
    auto const codes = backend.template buffer<K>(n);
    backend.each(n, write_code<K>{codes_for<K>(task.sort), codes.data()});
    sort_code_segments(backend, codes.span(), positions.span(), task.sort);
  }
  write_sorted_top<B, K>(backend, task, sorted_positions<Position>{positions.data(), segment_list<any_offset>(task.sort)});
}

/// The first k of a sequence of items, which are added in the order of their positions. Takes memory for 2 k items.
template <class K>
class first_items {
 public:
  struct item {
    K code;
    std::uint64_t position;
    friend bool operator<(item const& a, item const& b) {
      return a.code < b.code || (a.code == b.code && a.position < b.position);
    }
  };

  /// @param n  the number of items to come
  first_items(std::size_t n, std::size_t k) : k_(k), capacity_(std::min(n, std::max<std::size_t>(2 * k, k + 64))) {
    items_.reserve(capacity_);
  }
  /// Says that at least k items to come have codes up to `code`.
  void expect(K code) {
    full_ = code != K(~K{0});
    limit_ = K(code + 1);
  }
  /// Returns true if items whose code is limit() or more are not among the first k.
  [[nodiscard]] bool is_full() const { return full_; }
  [[nodiscard]] K limit() const { return limit_; }
  void add(K code, std::uint64_t position) {
    if (full_ && code >= limit_) return;  // an equal one comes later than k others
    items_.push_back({code, position});
    if (items_.size() == capacity_ && capacity_ > k_) drop_rest();
  }
  /// Returns the first k items, or all if there are fewer, sorted or in the order of their positions.
  [[nodiscard]] std::vector<item> const& take(bool sorted) {
    if (items_.size() > k_) drop_rest();
    if (sorted)
      std::sort(items_.begin(), items_.end());
    else
      std::sort(items_.begin(), items_.end(), [](item const& a, item const& b) { return a.position < b.position; });
    return items_;
  }

 private:
  void drop_rest() {
    auto const last = items_.begin() + std::ptrdiff_t(k_) - 1;
    std::nth_element(items_.begin(), last, items_.end());
    limit_ = last->code;
    full_ = true;
    items_.resize(k_);
  }

  std::size_t k_, capacity_;
  std::vector<item> items_;
  bool full_ = false;
  K limit_ = 0;
};

/// The length from which all threads of a CPU select from one segment.
constexpr std::size_t selected_by_all_from = std::size_t{1} << 18;

/// Returns true if it pays to sort segments whole: k is a large part of them, or many threads sort many.
template <class B>
bool sorts_whole_segments(sort_task const& task, std::size_t k) {
  return !has_workers<B> || k >= length_bound(task) / 2;
}

/// Selects the first k items of each segment: one thread does it, or all do where the segment is long.
template <class B, class K>
void select_top_of_segments(B& backend, operation_task const& task) {
  std::size_t const k = task.k, count = task.sort.segments;
  code_at<K> const code = codes_for<K>(task.sort);
  segment_list<any_offset> const segments(task.sort);
  top_output<K> const out = make_outputs<K>(task, count * k);
  bool const sorted = task.sorted, relative = task.relative;
  backend.each_worker(count, [=](auto const&, std::size_t s) {
    std::size_t const begin = segments.begin(s), length = segments.end(s) - begin;
    if (length >= selected_by_all_from) return;
    first_items<K> first(length, k);
    for (std::size_t i = 0; i < length; ++i) first.add(code(begin + i), i);
    std::size_t j = s * k;
    for (auto const& item : first.take(sorted)) {
      out.write(j, code.keys[begin + item.position], relative ? item.position : begin + item.position);
      ++j;
    }
  });
  for (std::size_t s = 0; s < count; ++s) {
    std::size_t const begin = segments.begin(s), length = segments.end(s) - begin;
    if (length < selected_by_all_from) continue;
    code_at<K> part = code;
    part.keys += begin;
    select_top(backend, part, length, std::min(k, length), sorted,
               top_output<K>{out.keys, out.index, s * k, relative ? 0 : begin});
  }
}

template <Backend B, class K>
void run_segmented_top_k(B& backend, operation_task const& task) {
  if (task.k == 0 || task.sort.segments == 0 || task.sort.n == 0) return;
  if constexpr (has_workers<B>)
    if (!sorts_whole_segments<B>(task.sort, task.k)) return select_top_of_segments<B, K>(backend, task);
  if (select_top_of_each<B, K>(backend, task, task.sort)) return;
  with_offset_type(position_bytes(task.sort.n), [&](auto position) { sort_for_top<B, K, decltype(position)>(backend, task); });
}

/// Returns the bytes that select_top_of_each takes from the pool, or nothing if a sort does the work.
template <Backend B>
std::optional<std::size_t> memory_of_selection(B& backend, sort_task const& sort, std::size_t k) {
  if constexpr (selects_from_segments<B>)
    return backend.select_top_memory(sort.n, sort.segments, length_bound(sort), k, sort.key_bytes);
  return std::nullopt;
}

template <Backend B>
std::size_t task_top_k_memory(B& backend, operation_task const& task) {
  auto const selecting = memory_of_selection(backend, as_segment(task.sort), task.k);
  return selecting ? *selecting : select_top_memory(backend, task.sort.n, task.k, task.sort.key_bytes);
}

template <Backend B>
std::size_t task_segmented_top_k_memory(B& backend, operation_task const& task) {
  std::size_t const n = task.sort.n, key = task.sort.key_bytes, position = position_bytes(n);
  std::size_t const count = task.sort.segments, rows = count * task.k, longest = length_bound(task.sort);
  if (!sorts_whole_segments<B>(task.sort, task.k))
    return longest < selected_by_all_from ? 0 : select_top_memory(backend, longest, task.k, key);
  if (auto const selecting = memory_of_selection(backend, task.sort, task.k)) return *selecting;
  std::size_t const by_position =
      pool::rounded(rows * position) + backend.segmented_sort_memory(rows, count, std::min(task.k, rows), position, 0, {});
  std::size_t const sorting = pool::rounded(n * key) + backend.segmented_sort_memory(n, count, longest, key, position, {});
  return pool::rounded(n * position) + std::max(sorting, by_position);
}

}  // namespace ordo::inline v0::detail
