#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ordo/detail/buffer.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/io.hpp"
#include "ordo/memory.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/segments.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0 {

namespace detail {
struct probe {
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return i; }
  ORDO_FN std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};
struct probe_order {
  ORDO_FN bool operator()(std::uint64_t a, std::uint64_t b) const { return a < b; }
};
}  // namespace detail

/// The operations that an algorithm may use on a machine. An algorithm is written once, as a template over a Backend;
/// host_backend and cuda_backend implement it.
///
/// Functors passed to a Backend are marked ORDO_FN, are copied, and must not hold references. Spans are in the machine's own
/// memory unless the parameter is called `host`. Calls take effect in order: each sees the results of all calls before it.
///
/// Every operation is deterministic. The same input gives the same bytes on every machine, with any number of threads, on every
/// run. The only exception is the order of values with equal keys in large arrays; see array_sort.
///
/// Every operation may allocate temporary memory from the backend's pool. Each sort allocates at most as much as its
/// radix_sort_memory, radix_sort_copy_memory, sample_sort_memory, segmented_sort_memory, segmented_sort_by_memory or
/// array_sort_memory returns; other operations allocate a few bytes per block of items. If the pool cannot serve a request, the
/// operation throws out_of_memory, and its arrays hold a permutation of their items.
///
///   buffer<T>(n)                    Returns n uninitialised elements.
///   upload(host)                    Returns a buffer<T const> with the host's data. On the CPU it is a view, without a copy.
///   target(host)                    Returns a buffer that is filled for the host. On the CPU it is a view of `host`.
///   download(from, host)            Copies `from` to the host and waits. Does nothing if both are the same memory.
///   load(source, to)                Reads the source's next bytes into `to`, fewer at its end. Returns the number of items
///                                   read. Threads read an addressable source (io.hpp) in parallel.
///   store(from, sink, offset)       Writes `from` to the sink at byte `offset` and waits. If the sink is not addressable(),
///                                   `offset` must be the number of bytes written to it so far. Up to four threads write. load
///                                   and store rethrow the first exception of a thread, after all threads have ended.
///   each(n, f)                      Calls f(i) for each i in [0, n), in any order.
///   scan(n, in, out, op)            Writes out[i] = in(0) op ... op in(i). op is associative. in(i) may read out[i].
///   reduce(n, in, init, op)         Returns init op in(0) op ... op in(n-1). op is associative and commutative.
///   select(n, keep, item, out)      Writes item(i) for each i with keep(i) to `out`, in order of i. Returns their number.
///   gather(from, index, to)         Writes to[i] = from[index[i]].
///   copy(from, to)                  Copies items. Does nothing if both are the same memory.
///   radix_sort(keys, bits, code)    Sorts unsigned keys of 8 to 128 bits in place, by the bits `bits` of code.encode(key)
///                                   (radix_key.hpp). Stable.
///   radix_sort(keys, values, bits, code)
///                                   Does the same, and moves values of 4, 8 or 16 bytes with their keys.
///   radix_sort_copy(keys_from, keys, bits, code)
///   radix_sort_copy(keys_from, keys, values_from, values, bits, code)
///                                   Sorts `keys_from` and `values_from`, which it only reads, into `keys` and `values`. An
///                                   input is the same memory as its output or does not overlap any output.
///   sample_sort(items, less)        Sorts items of any trivially copyable type in place. `less` is a strict weak order:
///                                   less(a, b) is true if a comes before b. Stable. `less` may be called any number of times.
///   sample_sort(keys, values, less) Does the same, and moves values of 4, 8 or 16 bytes with their keys.
///   argsort(n, key, keys, index, bits)
///                                   Sorts the computed keys key(0) ... key(n-1) into `keys`, and writes to index[i] the
///                                   position that keys[i] had. Stable.
///   segmented_sort(keys, values, segments, heads, bits, code)
///                                   Sorts each segment in place by the bits `bits` of code.encode(key). Stable. Values of 4, 8
///                                   or 16 bytes move with their keys; `values` may be empty.
///   array_sort(keys, values, arrays, code)
///                                   Sorts like segmented_sort, but without a second copy of the data: it allocates O(arrays)
///                                   bytes, and on a GPU a window for large arrays. Stable for arrays of at most
///                                   max_stable_array_length items. The keys of larger arrays are the same on every machine.
///                                   The order of their values with equal keys is the same on every run and for any number of
///                                   threads, but differs between the CPU and GPUs, and between GPUs whose blocks have
///                                   different amounts of shared memory.
///   segmented_sort_by(items, segments, key, heads, bits)
///                                   Sorts each segment of items by the computed key key(item), a std::uint32_t or
///                                   std::uint64_t. The key is computed inside the sort, without an array of keys. If `key` has
///                                   a member prefetch(item), the CPU calls it a few items ahead (ordo/detail/load.hpp).
///
/// `heads` is empty or as long as the array. At each position i inside a segment, heads[i] becomes 1 if i is the segment's
/// first position or its key differs from the key before it, and 0 otherwise. Positions in holes are not written.
///
/// For signed and floating-point keys and for descending order see ordo/sort.hpp.
template <class B>
concept Backend = requires(B& b, std::size_t n, detail::probe f, std::span<std::uint64_t> k, std::span<std::uint64_t const> ck,
                           std::span<std::uint32_t> v, std::span<std::uint8_t> heads, segment_list<std::uint32_t> s,
                           bit_range bits, source& in, sink& out) {
  { b.template buffer<std::uint32_t>(n) } -> std::same_as<buffer<std::uint32_t>>;
  { b.upload(ck) } -> std::same_as<buffer<std::uint64_t const>>;
  { b.target(k) } -> std::same_as<buffer<std::uint64_t>>;
  b.download(ck, k);
  { b.load(in, k) } -> std::same_as<std::size_t>;
  b.store(ck, out, std::uint64_t{});
  b.each(n, f);
  b.scan(n, f, k, f);
  { b.reduce(n, f, std::uint64_t{}, f) } -> std::same_as<std::uint64_t>;
  { b.select(n, f, f, k) } -> std::same_as<std::size_t>;
  b.gather(ck, std::span<std::uint32_t const>(v), k);
  b.radix_sort(k, bits, key_code<std::uint64_t>{});
  b.radix_sort(k, v, bits, key_code<std::uint64_t>{});
  b.copy(ck, k);
  b.radix_sort_copy(ck, k, bits, key_code<std::uint64_t>{});
  b.radix_sort_copy(ck, k, std::span<std::uint32_t const>(v), v, bits, key_code<std::uint64_t>{});
  b.sample_sort(k, detail::probe_order{});
  b.sample_sort(k, v, detail::probe_order{});
  b.argsort(n, f, k, v, bits);
  b.segmented_sort(k, v, s, heads, bits, key_code<std::uint64_t>{});
  b.array_sort(k, v, s, key_code<std::uint64_t>{});
  b.segmented_sort_by(v, s, f, heads, bits);
  { b.pool() } -> std::same_as<pool&>;
  { B::radix_sort_memory(n, n, n) } -> std::same_as<std::size_t>;
  { B::radix_sort_copy_memory(n, n, n) } -> std::same_as<std::size_t>;
  { B::sample_sort_memory(n, n, n) } -> std::same_as<std::size_t>;
  { B::segmented_sort_memory(n, n, n, n, n, bits) } -> std::same_as<std::size_t>;
  { B::segmented_sort_by_memory(n, n, n, n, n) } -> std::same_as<std::size_t>;
  { B::array_sort_memory(n, n, n, n, n) } -> std::same_as<std::size_t>;
};

/// A Backend of few threads with caches of their own, in whose memory the host reads and writes. It has more operations, for
/// work that one thread or some do faster than all together:
///
///   each_worker(n, f)               Calls f(worker, i) for each i in [0, n), in any order. `worker` sorts in memory of its own
///                                   (host/worker.hpp), which each_worker(all, n, f) keeps in `all`, a B::workers.
///   work_off(items, f)              Calls f(item) for each item and for those that f returns, several at a time, in any order.
///                                   f may call operations that take nothing from the pool.
///   radix_sort_in(memory, k, v), sample_sort_in(memory, k, v, less)
///                                   Sort in memory of the caller, a B::scratch.
///   size_for_all()                  Returns the number of items that a sort needs to keep all threads at work.
///   worker_share(n)                 Returns the number of items, out of n, that one worker may take so that no other is left
///                                   idle.
template <class B>
concept has_workers = Backend<B> && requires(B const& b, std::size_t n) {
  { b.worker_share(n) } -> std::same_as<std::size_t>;
};

/// A Backend whose memory is not the host's. It has one more operation, for results that are complete long before the algorithm
/// ends:
///
///   background_downloads()          d.add(from, host) starts a copy of `from` to the host, beside the machine's work, and
///                                   returns its number. It copies what earlier calls have written. d.add_first(from, host)
///                                   starts before all copies that are still waiting. d.wait(number) waits for one copy, and
///                                   d's destructor for all. If `from` is written before the wait, the old or the new bytes may
///                                   arrive; `host` must not be written.
template <class B>
concept has_background_downloads = Backend<B> &&
    requires(B& b, std::size_t n, std::span<std::uint64_t> k, std::span<std::uint64_t const> ck) {
  n = b.background_downloads().add(ck, k);
  n = b.background_downloads().add_first(ck, k);
  b.background_downloads().wait(n);
};

/// Downloads element i of `from` to the host and returns it.
template <class T, class B>
std::remove_const_t<T> value_at(B& backend, std::span<T> from, std::size_t i) {
  std::remove_const_t<T> x{};
  backend.download(std::span<std::remove_const_t<T> const>(from).subspan(i, 1), std::span<std::remove_const_t<T>>(&x, 1));
  return x;
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop
