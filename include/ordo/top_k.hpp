#pragma once
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#include "ordo/detail/operation_task.hpp"
#include "ordo/detail/ranges.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/machine.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/segments.hpp"
#include "ordo/sort.hpp"

#pragma GCC visibility push(default)

/// The first keys of an array, or of each of its segments, in sorted order. Machines, keys, memory and errors are as in
/// sort.hpp.
namespace ordo::inline v0 {

struct top_k_options {
  /// True for the greatest keys, in descending order; false for the smallest, in ascending order.
  bool largest = true;
  /// True if the result is sorted; if not, its items are in the order of the input.
  bool sorted = true;
  /// True if positions count from the begin of their segment; if not, from the begin of the array.
  bool relative = false;
  /// The order of NaNs and zeros, as argsort has it. By default every NaN is the greatest key, whatever its sign, and zeros are
  /// equal, as in PyTorch, NumPy and CuPy. NaNs that are last are in the result if there are not enough numbers.
  key_order order = {nan_order::greatest, zeros::equal};
};

namespace detail {

/// The type of the keys of an array, without const, and an array of as many of them for a result.
template <class R>
using key_of = std::remove_const_t<element_of<R>>;

template <class R>
std::span<key_of<R> const> read_only(R&& keys) {
  return as_span(keys);
}

template <class T>
task_array argument(std::span<T> items) {
  return {const_cast<std::remove_const_t<T>*>(items.data()), items.size(), sizeof(T), std::is_signed_v<T>, alignof(T)};
}

template <class K>
operation_task task_of_top_k(operation_task::operation kind, std::span<K const> keys, std::size_t k,
                             top_k_options const& options) {
  constexpr auto sorting = sort_task::operation::argsort;
  operation_task task;
  task.kind = kind;
  task.host = typed_host_operations<sizeof(K)>();
  task.sort = options.largest ? make_task<sort_order::descending>(sorting, keys, {}, options.order)
                              : make_task<sort_order::ascending>(sorting, keys, {}, options.order);
  task.k = k;
  task.sorted = options.sorted;
  task.relative = options.relative;
  return task;
}

}  // namespace detail

/// Writes the k greatest or smallest of the keys to out_keys. The result is the first k items of a stable sort: among equal
/// keys those that come first in the input are taken, in their order. The keys are not changed. Waits for the device, unless k
/// is at most 2048 and an eighth of at least 1024 and fewer than 2^31 keys; then a CUDA graph can capture the call.
/// @param out_keys  k keys, which do not overlap `keys`
/// @throws usage_error  if there are fewer than k keys
/// @code
///   ordo::top_k(gpu, std::span<float const>(device_scores, n), 100, std::span(device_best, 100));
/// @endcode
/// (A GPU that does not wait reads the keys once: each block keeps the first of its share, and the last block sorts what all
/// have kept. Otherwise keys up to a splitter drawn from a sample are selected and sorted, which reads them twice, if the
/// sample is good.)
template <detail::any_key_array Keys>
void top_k(machine& on, Keys&& keys, std::size_t k, std::span<detail::key_of<Keys>> out_keys,
           top_k_options const& options = {}) {
  auto task = detail::task_of_top_k(detail::operation_task::operation::top_k, detail::read_only(keys), k, options);
  task.out_keys = detail::argument(out_keys);
  on.run(task);
}

/// Does the same, and writes the positions of these keys to out_index.
/// @param out_keys  k keys, or empty if the keys are not wanted
/// @param out_index  k positions, of the types of argsort's index
template <detail::any_key_array Keys, detail::index_array Index>
void top_k(machine& on, Keys&& keys, std::size_t k, std::span<detail::key_of<Keys>> out_keys, Index&& out_index,
           top_k_options const& options = {}) {
  auto task = detail::task_of_top_k(detail::operation_task::operation::top_k, detail::read_only(keys), k, options);
  if (!out_keys.empty()) task.out_keys = detail::argument(out_keys);
  task.out_index = detail::argument(detail::as_span(out_index));
  on.run(task);
}

/// Writes the k greatest or smallest keys of each segment to out_keys, and their positions to out_index. The result of segment
/// s begins at s * k. A segment of fewer than k keys gives all of them; the rest of its k items is not written.
///
/// Segments and the checks of them are as in sort_segments. On a GPU the call never waits for the device, and can be captured
/// in a CUDA graph as sort_segments can. Warps select from segments of at most 1024 items (512 with keys of 8 bytes), by their
/// length or bound, if k is at most 64 and half of the average. Blocks select up to 2048 items, if segments have at least 1024
/// items and 8 k on average, and no block more than 2^17 or a 64th of all. Otherwise the call sorts a copy of the codes of all
/// segments. On a CPU one thread selects from a segment in one pass, with memory for 2 k codes and positions outside the pool;
/// if k is at least half of the longest segment, the CPU also sorts.
/// @param out_keys   segments.size() * k keys, or empty if the keys are not wanted
/// @param out_index  segments.size() * k positions, or empty if these are not wanted
/// @code
///   ordo::segmented_top_k(gpu, std::span<float const>(device_logits, rows * columns), ordo::uniform_segments(rows, columns),
///   50,
///                         std::span(device_best, rows * 50), std::span(device_tokens, rows * 50), {.relative = true});
/// @endcode
template <detail::any_key_array Keys, detail::position_type Offset, detail::index_array Index>
void segmented_top_k(machine& on, Keys&& keys, segment_list<Offset> segments, std::size_t k,
                     std::span<detail::key_of<Keys>> out_keys, Index&& out_index, top_k_options const& options = {}) {
  auto task = detail::task_of_top_k(detail::operation_task::operation::segmented_top_k, detail::read_only(keys), k, options);
  detail::add_segments(task.sort, segments);
  if (!out_keys.empty()) task.out_keys = detail::argument(out_keys);
  if (!std::ranges::empty(out_index)) task.out_index = detail::argument(detail::as_span(out_index));
  on.run(task);
}

/// Does the same without positions.
template <detail::any_key_array Keys, detail::position_type Offset>
void segmented_top_k(machine& on, Keys&& keys, segment_list<Offset> segments, std::size_t k,
                     std::span<detail::key_of<Keys>> out_keys, top_k_options const& options = {}) {
  segmented_top_k(on, keys, segments, k, out_keys, std::span<std::uint32_t>{}, options);
}

/// Returns the maximum of temporary memory of top_k, in bytes.
template <Key K>
std::size_t top_k_memory(machine& on, std::size_t n, std::size_t k) {
  detail::operation_task task;
  task.kind = detail::operation_task::operation::top_k;
  task.sort = detail::task_of_keys<sort_order::ascending, K>(detail::sort_task::operation::argsort, n);
  task.k = k;
  return on.memory_for(task);
}

/// Returns the maximum of temporary memory of segmented_top_k, in bytes.
/// @param n  the length of the array, with its holes
/// @param max_length  the bound in the segment_list, if it has one
template <Key K>
std::size_t segmented_top_k_memory(machine& on, std::size_t n, std::size_t segments, std::size_t k,
                                   std::size_t max_length = ~std::size_t{0}) {
  detail::operation_task task;
  task.kind = detail::operation_task::operation::segmented_top_k;
  task.sort = detail::task_of_keys<sort_order::ascending, K>(detail::sort_task::operation::segments, n);
  task.sort.segments = segments;
  task.sort.max_length = max_length;
  task.k = k;
  return on.memory_for(task);
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop
