#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

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
struct write_code_of {
  code_at<K> code;
  std::uint64_t const* positions;
  K* to;
  ORDO_FN void operator()(std::size_t j) const { to[j] = code(positions[j]); }
};

/// Writes the keys at some positions, and the positions, where they are wanted.
template <class K>
struct write_top {
  K const* keys;
  std::uint64_t const* positions;
  K* out_keys;  // or null
  any_positions out_index;
  ORDO_FN void operator()(std::size_t j) const {
    std::uint64_t const i = positions[j];
    if (out_keys) out_keys[j] = keys[i];
    if (out_index.wanted()) out_index.set(j, i);
  }
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

template <Backend B, class K>
void run_top_k(B& backend, operation_task const& task) {
  std::size_t const n = task.sort.n, k = task.k;
  if (k == 0) return;
  code_at<K> const code{span_of<K>(task.sort.keys, n).data(), code_of<K>(task.sort)};
  candidate_set<K> chosen{K(~K{0}), n, n};
  if (max_candidates(n, k) < n) chosen = find_candidates(backend, code, n, k);

  auto const positions = backend.template buffer<std::uint64_t>(chosen.count);
  if (chosen.count == n)
    backend.each(n, write_number<std::uint64_t>{positions.data()});
  else
    backend.select(n, is_candidate<K>{code, chosen.splitter, chosen.end}, own_number{}, positions.span());
  if (task.sorted || chosen.count != k) {
    auto const codes = backend.template buffer<K>(chosen.count);
    backend.each(chosen.count, write_code_of<K>{code, positions.data(), codes.data()});
    sort_codes(backend, codes.span(), positions.span());
  }
  if (!task.sorted && chosen.count != k)
    sort_codes(backend, positions.span().first(k), std::span<std::uint32_t>{}, {0, unsigned(std::bit_width(n))});
  K* const out_keys = task.out_keys.data ? span_of<K>(task.out_keys.data, k).data() : nullptr;
  backend.each(k, write_top<K>{code.keys, positions.data(), out_keys, any_positions(task.out_index)});
}

template <Backend B>
std::size_t top_k_memory_of(B& backend, operation_task const& task) {
  std::size_t const n = task.sort.n, key = task.sort.key_bytes;
  if (n == 0) return 0;
  std::size_t const count = max_candidates(n, std::min(n, task.k)), m = sample_size(n);
  std::size_t const sampling = pool::rounded(m * key) + std::max(backend.radix_sort_memory(m, key, 0), lists_memory(n));
  std::size_t const sorting = std::max(pool::rounded(count * key) + backend.radix_sort_memory(count, key, 8),
                                       backend.radix_sort_memory(std::min(count, task.k), 8, 0));
  return std::max(sampling, pool::rounded(count * 8) + std::max(sorting, lists_memory(n)));
}

// Segments.

template <class K, class Position>
struct write_top_of_segments {
  K const* keys;
  Position const* positions;  // of the sorted items of each segment, from its begin on
  segment_list<any_offset> segments;
  std::size_t k;
  bool relative;
  K* out_keys;  // or null
  any_positions out_index;
  ORDO_FN void operator()(std::size_t t) const {
    std::size_t const s = t / k, begin = segments.begin(s), at = begin + t % k;
    if (at >= segments.end(s)) return;
    std::size_t const i = positions[at];
    if (out_keys) out_keys[t] = keys[i];
    if (out_index.wanted()) out_index.set(t, relative ? i - begin : i);
  }
};

/// Writes the positions of the first k items of each segment to rows of k, filled up with the greatest number.
template <class Position>
struct write_rows_of_positions {
  Position const* positions;
  segment_list<any_offset> segments;
  std::size_t k;
  Position* rows;
  ORDO_FN void operator()(std::size_t t) const {
    std::size_t const s = t / k, at = segments.begin(s) + t % k;
    rows[t] = at < segments.end(s) ? positions[at] : Position(~Position{0});
  }
};
template <class K, class Position>
struct write_top_of_rows {
  K const* keys;
  Position const* rows;
  segment_list<any_offset> segments;
  std::size_t k;
  bool relative;
  K* out_keys;  // or null
  any_positions out_index;
  ORDO_FN void operator()(std::size_t t) const {
    std::size_t const s = t / k, begin = segments.begin(s);
    if (begin + t % k >= segments.end(s)) return;
    std::size_t const i = rows[t];
    if (out_keys) out_keys[t] = keys[i];
    if (out_index.wanted()) out_index.set(t, relative ? i - begin : i);
  }
};

template <Backend B, class K, class Position>
void take_top_of_segments(B& backend, operation_task const& task) {
  std::size_t const n = task.sort.n, k = task.k, count = task.sort.segments;
  code_at<K> const code{span_of<K>(task.sort.keys, n).data(), code_of<K>(task.sort)};
  K* const out_keys = task.out_keys.data ? span_of<K>(task.out_keys.data, count * k).data() : nullptr;
  any_positions const out_index(task.out_index);
  segment_list<any_offset> const segments(task.sort);
  auto const positions = backend.template buffer<Position>(n);
  backend.each(n, write_number<Position>{positions.data()});
  {
    auto const codes = backend.template buffer<K>(n);
    backend.each(n, write_code<K>{code, codes.data()});
    sort_code_segments(backend, codes.span(), positions.span(), task.sort);
  }
  if (task.sorted)
    return backend.each(count * k, write_top_of_segments<K, Position>{code.keys, positions.data(), segments, k, task.relative,
                                                                      out_keys, out_index});
  auto const rows = backend.template buffer<Position>(count * k);
  backend.each(count * k, write_rows_of_positions<Position>{positions.data(), segments, k, rows.data()});
  sort_task by_position;
  by_position.what = sort_task::operation::segments;
  by_position.keys = rows.data();
  by_position.key_bytes = sizeof(Position);
  by_position.n = count * k;
  by_position.uniform_length = by_position.max_length = k;
  by_position.segments = count;
  run_task_on<B, Position>(backend, by_position);
  backend.each(count * k,
               write_top_of_rows<K, Position>{code.keys, rows.data(), segments, k, task.relative, out_keys, out_index});
}

template <Backend B, class K>
void run_segmented_top_k(B& backend, operation_task const& task) {
  if (task.k == 0 || task.sort.segments == 0 || task.sort.n == 0) return;
  with_offset_type(position_bytes(task.sort.n),
                   [&](auto position) { take_top_of_segments<B, K, decltype(position)>(backend, task); });
}

template <Backend B>
std::size_t segmented_top_k_memory_of(B& backend, operation_task const& task) {
  std::size_t const n = task.sort.n, key = task.sort.key_bytes, position = position_bytes(n);
  std::size_t const count = task.sort.segments, rows = count * task.k;
  std::size_t const sorting =
      pool::rounded(n * key) + backend.segmented_sort_memory(n, count, std::min(task.sort.max_length, n), key, position, {});
  std::size_t const by_position =
      pool::rounded(rows * position) + backend.segmented_sort_memory(rows, count, std::min(task.k, rows), position, 0, {});
  return pool::rounded(n * position) + std::max(sorting, by_position);
}

}  // namespace ordo::inline v0::detail
