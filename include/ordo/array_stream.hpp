#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/detail/task.hpp"
#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/sort.hpp"

#pragma GCC visibility push(default)

/// Sorting of many arrays of one length that together may be larger than the machine's memory. GPU-ArraySort (Awan and Saeed,
/// ICPP'16) names this case as future work.
///
/// Arrays are read from a source, sorted in parts, and written to a sink. On a GPU the upload of the next part and the download
/// of the previous one overlap the sort of the current one.
///
/// A part is as many whole arrays as fit in 256 MiB, and at least one. Parts are smaller if the machine has less memory than
/// three parts and the temporary memory of sort_arrays for each; then there may be only one part at a time. A GPU uses three
/// streams and 96 MiB of pinned host memory, allocated for the call. With a caller's allocator, whose functions are called by
/// one thread at a time, it uses one stream. A CPU sorts one part at a time. Order and stability are those of sort_arrays.
namespace ordo::inline v0 {

/// Reads arrays of `length` keys from `from`, sorts each, and writes them to `to` in the order in which they were read. Keys
/// are stored in little-endian byte order. If the source is addressable, the sink receives its size by sink::expect.
/// @returns the number of arrays
/// @throws usage_error  if length is 0, or an array has 2^63 bytes or more
/// @throws input_error  if the source ends within an array. An addressable source is checked before anything is read; any other
///     after its whole arrays have been written. Exceptions of the source pass through
/// @throws out_of_memory  if one array does not fit in the machine's memory
/// @throws device_error  if a CUDA call fails. Exceptions of the sink pass through
/// @code
///   my_file_source from("floats");  // classes of your own (io.hpp), or memory_source and memory_sink
///   my_file_sink to("sorted");
///   ordo::stream_arrays<float>(gpu, from, to, 1000);
/// @endcode
template <Key K, sort_order Order = sort_order::ascending>
std::uint64_t stream_arrays(machine& on, source& from, sink& to, std::size_t length) {
  detail::stream_task task;
  task.sort = detail::task_of_keys<Order, K>(detail::sort_task::operation::arrays, 0);
  task.sort.uniform_length = task.sort.max_length = length;
  task.from = &from;
  task.to = &to;
  return on.stream(task);
}

/// Sorts arrays of `length` keys in place in the host's memory, on any machine. They may be larger than the machine's memory.
/// Pinned memory (cudaMallocHost, cudaHostRegister) is copied without an intermediate buffer.
/// @throws usage_error  if keys.size() is not a multiple of length
template <Key K, sort_order Order = sort_order::ascending>
void sort_host_arrays(machine& on, std::span<K> keys, std::size_t length) {
  if (length == 0 || keys.size() % length != 0) throw usage_error("arrays: the number of keys is not a multiple of the length");
  char* const bytes = reinterpret_cast<char*>(keys.data());
  memory_source from({bytes, keys.size_bytes()});
  memory_sink to({bytes, keys.size_bytes()});
  stream_arrays<K, Order>(on, from, to, length);
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop
