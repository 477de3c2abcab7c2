#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/sort.hpp"

/// Arrays of one length, more of them than the machine's memory need hold: what GPU-ArraySort (Awan and Saeed, ICPP'16) leaves
/// to the future. They come from a source and go to a sink, a part of them at a time; while one part is sorted on a GPU the
/// next is on its way there and the one before on its way back.
///
/// A part is as many whole arrays as 256 MiB hold, at least one; fewer, where the machine has less memory than three parts and
/// what sort_arrays takes for each, one part at a time if it must be. On a GPU there are three streams and 96 MiB of pinned
/// memory, made for the call; with a caller's allocator, whose calls come from one thread at a time, one stream. The CPU has
/// one part at a time. Order and stability of keys: as sort_arrays.
namespace ordo {

/// Sorts each array of `length` keys from `from`, little-endian as they lie in memory, into `to`, in the same order of arrays.
/// If the source has addresses the sink is told how many bytes to expect.
/// @returns how many arrays there were
/// @throws usage_error   length is 0, or that of an array of 2^63 bytes or more
/// @throws input_error   the source ends within an array, which is seen before anything is read if it has addresses, else when
///     what was whole has been written; what the source throws
/// @throws out_of_memory  one array is more than the machine holds
/// @throws device_error, and what the sink throws
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

/// The same for arrays in the host's memory, where they stay: any number of them, on any machine. Memory that is pinned
/// (cudaMallocHost, cudaHostRegister) is copied straight.
/// @throws usage_error  keys.size() is no multiple of the length
template <Key K, sort_order Order = sort_order::ascending>
void sort_host_arrays(machine& on, std::span<K> keys, std::size_t length) {
  if (length == 0 || keys.size() % length != 0) throw usage_error("arrays: keys are no multiple of the length");
  char* const bytes = reinterpret_cast<char*>(keys.data());
  memory_source from({bytes, keys.size_bytes()});
  memory_sink to({bytes, keys.size_bytes()});
  stream_arrays<K, Order>(on, from, to, length);
}

}  // namespace ordo
