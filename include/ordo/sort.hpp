#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ordo/detail/checks.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/machine.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/segments.hpp"

/// The sorts of the core, on an ordo::gpu (gpu.hpp) or an ordo::cpu (cpu.hpp); compiled once in the library, for any compiler.
///
/// Keys are integers and floating-point numbers of 8 to 64 bits, values any trivially copyable type of 4, 8 or 16 bytes,
/// aligned to their width. Spans are of the machine's memory: for a gpu, memory of its device; for a cpu, the host's. Work is
/// queued on the gpu's stream, in order with what the caller queues there; a cpu is done when the call returns.
///
/// Order: integers by value; floats as IEEE 754 totalOrder: negative NaNs, -inf, ..., -0.0, +0.0, ..., +inf, positive NaNs.
/// (For equal zeros add 0.0 to the keys first.) `bits` counts in the encoded key (radix_key.hpp), bit 0 the lowest. All sorts
/// are stable, descending ones too, but for sort_arrays of many items. The same input gives the same bytes.
///
/// Temporary memory comes from the machine's pool, and stays there for the next call; X_memory says how much X takes at most.
///
/// @throws out_of_memory  the array is then a permutation of what it was
/// @throws usage_error    before anything is read or written: an array that is not as long as the keys, a null pointer, values
///     that are not aligned to their width, an index too narrow, bad segments (see sort_segments); no such GPU
/// @throws device_error   a call of CUDA failed
namespace ordo {
namespace detail {

template <class V>
concept moved_along =
    std::is_trivially_copyable_v<V> && !std::is_const_v<V> && (sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16);

template <sort_order Order, class K>
sort_task task_of_keys(sort_task::operation what, std::size_t n) {
  using plain = std::remove_const_t<K>;
  sort_task task;
  task.what = what;
  task.key_bytes = sizeof(K);
  task.keep_keys = std::is_const_v<K>;
  task.n = n;
  task.flip = radix_key<plain, Order>::code.flip;
  task.flip_negative = radix_key<plain, Order>::code.flip_negative;
  return task;
}

template <sort_order Order, class K>
sort_task task_of(sort_task::operation what, std::span<K> keys, bit_range bits) {
  sort_task task = task_of_keys<Order, K>(what, keys.size());
  task.keys = const_cast<std::remove_const_t<K>*>(keys.data());
  task.bits = bits;
  return task;
}

template <class V>
void add_values(sort_task& task, std::span<V> values) {
  task.values = values.data();
  task.value_bytes = sizeof(V);
  task.values_given = values.size();
}

inline void add_heads(sort_task& task, std::span<std::uint8_t> heads) {
  task.heads = heads.empty() ? nullptr : heads.data();
  task.heads_given = heads.size();
}

template <class Offset>
void add_segments(sort_task& task, segment_list<Offset> const& segments) {
  static_assert(std::is_unsigned_v<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8));
  task.begins = segments.begins.data();
  task.ends = segments.ends.data();
  task.offset_bytes = sizeof(Offset);
  task.segments = segments.size();
  task.ends_given = segments.ends.size();
  task.max_length = segments.max_length;
  task.uniform_length = segments.uniform_length;
}

/// Stands for no values.
struct none {};

}  // namespace detail

/// Sorts keys in place.
/// On a GPU this may wait for the device for some microseconds, to choose its way, and so cannot be captured in a graph.
/// @code
///   ordo::gpu gpu;
///   ordo::sort_keys(gpu, std::span(device_floats, n));
///   ordo::sort_keys<ordo::sort_order::descending>(gpu, std::span(device_floats, n));
/// @endcode
/// (Polok, Ila and Smrz, HPC'14; on GPUs as an MSD sort where that is quicker.)
template <sort_order Order = sort_order::ascending, Key K>
void sort_keys(machine& on, std::span<K> keys, bit_range bits = {}) {
  on.run(detail::task_of<Order>(detail::sort_task::operation::keys, keys, bits));
}

/// The same, values[i] moving with keys[i].
template <sort_order Order = sort_order::ascending, Key K, detail::moved_along V>
void sort_pairs(machine& on, std::span<K> keys, std::span<V> values, bit_range bits = {}) {
  detail::sort_task task = detail::task_of<Order>(detail::sort_task::operation::keys, keys, bits);
  detail::add_values(task, values);
  on.run(task);
}

/// index[i] := where in `keys` the i-th smallest key lies; equal keys in the order of their places. The keys stay as they are.
/// @param index  as long as keys, std::uint32_t or std::uint64_t; the former for 2^32 keys at most
/// @code
///   ordo::argsort(gpu, std::span<double const>(device_doubles, n), std::span(device_order, n));
/// @endcode
template <sort_order Order = sort_order::ascending, class K, class Index>
requires Key<std::remove_const_t<K>> && detail::index_type<Index>
void argsort(machine& on, std::span<K> keys, std::span<Index> index, bit_range bits = {}) {
  detail::sort_task task = detail::task_of<Order>(detail::sort_task::operation::argsort, std::span<K const>(keys), bits);
  detail::add_values(task, index);
  on.run(task);
}

/// Sorts the keys of every segment by themselves. Segments: begins and ends with holes between them, one array of offsets, or
/// uniform_segments (segments.hpp), of 32 or 64 bits, in the machine's memory; holes are not touched.
///
/// Bad segments throw usage_error. A cpu looks at every one: its end not before its begin nor behind the keys, its length not
/// above `max_length`, no other one overlapping it. That is one pass over the offsets; where segments do not ascend it is a
/// sort of their bounds besides, in 64 bytes a segment of memory that is not the pool's. A gpu looks at what the host knows:
/// the numbers of begins and ends, null pointers, and the bounds of uniform segments. For offsets on the device there is
/// check_segments, which a debug build of the library (no NDEBUG) calls in each sort that no graph captures.
/// On a GPU nothing waits for the device, and once the pool holds the memory (reserve, or one call before) the call can be
/// captured in a CUDA graph, which is good as long as the machine lives and neither trim nor a larger reserve is called.
/// @param heads  where not empty as long as keys: heads[i] := 1 where a run of equal keys begins in a segment, else 0
/// @code
///   auto const segments = ordo::segments_from_offsets(std::span<std::uint32_t const>(device_offsets, count + 1));
///   ordo::sort_segments(gpu, std::span(device_keys, n), segments);
/// @endcode
/// (Hou, Liu, Wang and Feng, ICS'17.)
template <sort_order Order = sort_order::ascending, Key K, class Offset>
void sort_segments(machine& on, std::span<K> keys, segment_list<Offset> segments, std::span<std::uint8_t> heads = {},
                   bit_range bits = {}) {
  detail::sort_task task = detail::task_of<Order>(detail::sort_task::operation::segments, keys, bits);
  detail::add_segments(task, segments);
  detail::add_heads(task, heads);
  on.run(task);
}

/// The same, values[i] moving with keys[i]. With a const K the keys stay where they are, and the values alone come in the order
/// of their keys; that takes a copy of the keys.
/// @code
///   ordo::sort_segments(gpu, std::span(device_keys, n), std::span(device_values, n), segments);
///   ordo::sort_segments(gpu, std::span<float const>(device_keys, n), std::span(device_values, n), segments);  // values only
/// @endcode
template <sort_order Order = sort_order::ascending, class K, detail::moved_along V, class Offset>
requires Key<std::remove_const_t<K>>
void sort_segments(machine& on, std::span<K> keys, std::span<V> values, segment_list<Offset> segments,
                   std::span<std::uint8_t> heads = {}, bit_range bits = {}) {
  detail::sort_task task = detail::task_of<Order>(detail::sort_task::operation::segments, keys, bits);
  detail::add_segments(task, segments);
  detail::add_values(task, values);
  detail::add_heads(task, heads);
  on.run(task);
}

/// Sorts the keys of every array where they lie: with O(arrays) bytes of temporary memory, and no second copy of the data (but
/// keys of 8 and 16 bits, which are sorted as segments). On a GPU arrays that no block holds, some 16,000 items and more, take
/// a window of 128 MiB, or of up to a 64th of the data if that is more, and half as much again of lists. Stable up to
/// max_stable_array_length items an array; beyond, the order of equal keys' values depends on the machine (backend.hpp), and is
/// the same on every run. Waits and graphs: as sort_segments.
/// @code
///   ordo::sort_arrays(gpu, std::span(device_floats, 200'000 * 1000), ordo::uniform_segments(200'000, 1000));
/// @endcode
/// (The problem of Awan and Saeed, GPU-ArraySort, ICPP'16.)
template <sort_order Order = sort_order::ascending, Key K, class Offset>
void sort_arrays(machine& on, std::span<K> keys, segment_list<Offset> arrays) {
  detail::sort_task task = detail::task_of<Order>(detail::sort_task::operation::arrays, keys, {});
  detail::add_segments(task, arrays);
  on.run(task);
}

/// The same, values[i] moving with keys[i].
template <sort_order Order = sort_order::ascending, Key K, detail::moved_along V, class Offset>
void sort_arrays(machine& on, std::span<K> keys, std::span<V> values, segment_list<Offset> arrays) {
  detail::sort_task task = detail::task_of<Order>(detail::sort_task::operation::arrays, keys, {});
  detail::add_segments(task, arrays);
  detail::add_values(task, values);
  on.run(task);
}

/// Checks segments of an array of n items, as a cpu's sort_segments does, and waits for the device. On a GPU it takes some
/// kilobytes of temporary memory; for segments that do not ascend, 32 bytes each.
/// @throws usage_error  naming the first segment that is bad, or two that overlap
/// @code
///   ordo::check_segments(gpu, n, ordo::segments_from_offsets(device_offsets));  // once, before many sorts
/// @endcode
template <class Offset>
void check_segments(machine& on, std::size_t n, segment_list<Offset> segments) {
  detail::sort_task task;
  task.what = detail::sort_task::operation::check;
  task.n = n;
  detail::add_segments(task, segments);
  on.run(task);
}

/// Bytes of temporary memory that sort_keys takes of n keys; with values of type V, sort_pairs. machine::reserve of what
/// X_memory says has it ready: the next X of that size takes none from the allocator.
template <Key K, class V = detail::none>
std::size_t sort_memory(machine& on, std::size_t n) {
  detail::sort_task task = detail::task_of_keys<sort_order::ascending, K>(detail::sort_task::operation::keys, n);
  if constexpr (detail::moved_along<V>) task.value_bytes = sizeof(V);
  return on.memory_for(task);
}

/// Bytes that argsort takes. @throws usage_error  the index is too narrow for n keys
template <Key K, detail::index_type Index>
std::size_t argsort_memory(machine& on, std::size_t n) {
  detail::sort_task task = detail::task_of_keys<sort_order::ascending, K const>(detail::sort_task::operation::argsort, n);
  task.value_bytes = sizeof(Index);
  return on.memory_for(task);
}

/// Bytes that sort_segments takes. @param n  length of the array, holes counted. @param max_length  what the segment_list says
/// of it, if it does. A const K is for values alone
template <class K, class V = detail::none>
requires Key<std::remove_const_t<K>> std::size_t sort_segments_memory(machine& on, std::size_t n, std::size_t segments,
                                                                      std::size_t max_length = ~std::size_t{0},
                                                                      bit_range bits = {}) {
  detail::sort_task task = detail::task_of_keys<sort_order::ascending, K>(detail::sort_task::operation::segments, n);
  if constexpr (detail::moved_along<V>) task.value_bytes = sizeof(V);
  task.segments = segments;
  task.max_length = max_length;
  task.bits = bits;
  return on.memory_for(task);
}

/// Bytes that sort_arrays takes.
template <Key K, class V = detail::none>
std::size_t sort_arrays_memory(machine& on, std::size_t n, std::size_t arrays, std::size_t max_length = ~std::size_t{0}) {
  detail::sort_task task = detail::task_of_keys<sort_order::ascending, K>(detail::sort_task::operation::arrays, n);
  if constexpr (detail::moved_along<V>) task.value_bytes = sizeof(V);
  task.segments = arrays;
  task.max_length = max_length;
  return on.memory_for(task);
}

}  // namespace ordo
