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
#include "ordo/top_k.hpp"

#pragma GCC visibility push(default)

/// Operations on sorted arrays: merge, unique and run_length. Machines, keys, memory and errors are as in sort.hpp.
namespace ordo::inline v0 {

namespace detail {

template <sort_order Order, class K>
operation_task task_of_merge(std::span<K const> a, std::span<K const> b, std::span<K> out, key_order order) {
  operation_task task;
  task.kind = operation_task::operation::merge;
  task.host = typed_host_operations<sizeof(K)>();
  task.sort = make_task<Order>(sort_task::operation::argsort, a, {}, order);
  task.other_keys = argument(b);
  task.out_keys = argument(out);
  return task;
}

template <class K>
operation_task task_of_unique(std::span<K const> keys, std::span<K> out_keys) {
  operation_task task;
  task.kind = operation_task::operation::unique;
  task.host = typed_host_operations<sizeof(K)>();
  task.sort = make_task<sort_order::ascending>(sort_task::operation::segments, keys, {});
  if (!out_keys.empty()) task.out_keys = argument(out_keys);
  return task;
}

}  // namespace detail

/// Merges two sorted arrays into a third. Stable: of equal keys, those of `a` come first. The call never waits for the device.
/// If an array is not sorted, `out` holds some of the keys in some order.
/// @param out  a.size() + b.size() keys, which overlap neither array
/// @param order  the order of NaNs and zeros by which the arrays are sorted; NaNs that are last are equal
/// @code
///   ordo::merge(gpu, std::span<float const>(a, m), std::span<float const>(b, n), std::span(out, m + n));
/// @endcode
/// (Merge path of Green, McColl and Bader, ICS'12.)
template <sort_order Order = sort_order::ascending, detail::any_key_array Keys>
void merge(machine& on, Keys&& a, std::span<detail::key_of<Keys> const> b, std::span<detail::key_of<Keys>> out,
           key_order order = {}) {
  on.run(detail::task_of_merge<Order>(detail::read_only(a), b, out, order));
}

/// Does the same, and moves the values with their keys: values[i] of an array belongs to its key i.
template <sort_order Order = sort_order::ascending, detail::any_key_array Keys, detail::array_argument Values>
requires detail::moved_along<detail::key_of<Values>>
void merge(machine& on, Keys&& a, Values&& a_values, std::span<detail::key_of<Keys> const> b,
           std::span<detail::key_of<Values> const> b_values, std::span<detail::key_of<Keys>> out,
           std::span<detail::key_of<Values>> out_values, key_order order = {}) {
  auto task = detail::task_of_merge<Order>(detail::read_only(a), b, out, order);
  task.values = detail::argument(detail::as_span(a_values));
  task.other_values = detail::argument(b_values);
  task.out_values = detail::argument(out_values);
  on.run(task);
}

/// Writes the first key of each group of equal adjacent keys to out_keys: of sorted keys, each key once. Keys are equal if
/// their bits are. Waits for the device.
/// @returns the number of groups
/// @param out_keys  at least as many keys as there are groups, which do not overlap `keys`; or empty, to count groups
/// @throws usage_error  if out_keys is too short, before anything is written
template <detail::any_key_array Keys>
std::size_t unique(machine& on, Keys&& keys, std::span<detail::key_of<Keys>> out_keys) {
  auto task = detail::task_of_unique(detail::read_only(keys), out_keys);
  detail::add_segments(task.sort, uniform_segments(1, std::ranges::size(keys)));
  return on.run(task);
}

/// Does the same in each segment. The groups of segment s are out_keys[out_offsets[s], out_offsets[s + 1]), in the order in
/// which the segments are listed. Items in holes are in no group.
/// @param out_offsets  segments.size() + 1 offsets, of integers of 32 bits (for fewer than 2^32 groups, or 2^31 if signed) or
/// 64
template <detail::any_key_array Keys, detail::position_type Offset, detail::index_array Offsets>
std::size_t unique(machine& on, Keys&& keys, segment_list<Offset> segments, std::span<detail::key_of<Keys>> out_keys,
                   Offsets&& out_offsets) {
  auto task = detail::task_of_unique(detail::read_only(keys), out_keys);
  detail::add_segments(task.sort, segments);
  task.out_offsets = detail::argument(detail::as_span(out_offsets));
  return on.run(task);
}

/// Does the same as unique, and writes the number of keys of each group to out_lengths.
/// @param out_lengths  sized like unique's out_keys; integers of 32 bits (for fewer than 2^32 keys, or 2^31 if signed) or 64
/// @code
///   std::size_t const distinct = ordo::run_length(gpu, std::span<int const>(device_sorted, n), std::span(device_distinct, n),
///                                                 std::span(device_counts, n));
/// @endcode
template <detail::any_key_array Keys, detail::index_array Lengths>
std::size_t run_length(machine& on, Keys&& keys, std::span<detail::key_of<Keys>> out_keys, Lengths&& out_lengths) {
  auto task = detail::task_of_unique(detail::read_only(keys), out_keys);
  detail::add_segments(task.sort, uniform_segments(1, std::ranges::size(keys)));
  if (!std::ranges::empty(out_lengths)) task.out_index = detail::argument(detail::as_span(out_lengths));
  return on.run(task);
}

/// Does the same in each segment; see unique.
template <detail::any_key_array Keys, detail::position_type Offset, detail::index_array Lengths, detail::index_array Offsets>
std::size_t run_length(machine& on, Keys&& keys, segment_list<Offset> segments, std::span<detail::key_of<Keys>> out_keys,
                       Lengths&& out_lengths, Offsets&& out_offsets) {
  auto task = detail::task_of_unique(detail::read_only(keys), out_keys);
  detail::add_segments(task.sort, segments);
  if (!std::ranges::empty(out_lengths)) task.out_index = detail::argument(detail::as_span(out_lengths));
  task.out_offsets = detail::argument(detail::as_span(out_offsets));
  return on.run(task);
}

/// Returns the maximum of temporary memory of unique and run_length, in bytes.
/// @param segments  1 for a whole array
inline std::size_t unique_memory(machine& on, std::size_t n, std::size_t segments = 1) {
  detail::operation_task task;
  task.kind = detail::operation_task::operation::unique;
  task.sort.n = n;
  task.sort.segments = segments;
  return on.memory_for(task);
}

/// Returns the maximum of temporary memory of merge, in bytes, for arrays of n keys in all.
inline std::size_t merge_memory(machine& on, std::size_t n) {
  detail::operation_task task;
  task.kind = detail::operation_task::operation::merge;
  task.sort.n = n;
  return on.memory_for(task);
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop
