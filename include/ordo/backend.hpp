#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/detail/buffer.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/io.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/segments.hpp"

namespace ordo {

namespace detail {
struct probe {
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return i; }
  ORDO_FN std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};
struct probe_order {
  ORDO_FN bool operator()(std::uint64_t a, std::uint64_t b) const { return a < b; }
};
}  // namespace detail

/// The narrow waist: all that an algorithm may ask of a machine. Algorithms are templates over a Backend, written once.
/// Functors passed to a Backend are marked ORDO_FN, are copied, and must not keep references. All spans are in the
/// machine's own memory unless called `host`. Every verb is deterministic: same input, same bytes, whatever the machine,
/// the number of threads or the run; but for values of equal keys in long arrays, see array_sort. Every verb may take temporary
/// memory from the machine's pool: the sorts as much as radix_sort_memory, sample_sort_memory, segmented_sort_memory,
/// segmented_sort_by_memory and array_sort_memory say, the others a few bytes per block of items. If the pool cannot give it
/// they throw out_of_memory, and the arrays hold what they were given, in some order. Calls are ordered: each sees the effects
/// of all before it.
///
///   buffer<T>(n)                    n uninitialised elements
///   upload(host)                    a buffer of T const with the host's data (on the CPU: a view, no copy)
///   target(host)                    a buffer to be filled for the host (on the CPU: a view of it)
///   download(from, host)            copy to the host and wait; nothing to do where both are the same memory
///   load(source, to)                fills `to` with the source's next bytes, or what of it the rest fills; returns how many
///   items of
///                                   T that is. Any part of the source by any thread, where it has addresses (io.hpp)
///   store(from, sink, offset)       the bytes of `from` to the sink, from that byte on, and wait; where the sink is not
///                                   addressable() that has to be how many it has. Up to four threads write at a time. Both
///                                   throw what the first thread to fail threw, when all have ended
///   each(n, f)                      f(i) for every i in [0, n), in any order
///   scan(n, in, out, op)            out[i] = in(0) op ... op in(i); op associative; `in` may read out[i] itself
///   reduce(n, in, init, op)         init op in(0) op ... op in(n-1); op associative and commutative
///   select(n, keep, item, out)      item(i) for each i with keep(i), in order of i, to out; returns how many
///   gather(from, index, to)         to[i] = from[index[i]]
///   radix_sort(keys, bits, code)    unsigned keys of 8 to 128 bits, in place, stable. Keys order as code.encode(key), of which
///                                   `bits` counts (radix_key.hpp)
///   radix_sort(keys, values, bits, code)
///                                   the same, moving values (4, 8 or 16 bytes) along
///   sample_sort(items, less)        items of any trivially copyable type, in place, stable, by a strict weak order:
///                                   less(a, b) says whether a comes before b. It is asked any number of times
///   sample_sort(keys, values, less) the same, moving values (4, 8 or 16 bytes) along
///   argsort(n, key, keys, index, bits)
///                                   keys[i] := the i-th smallest of key(0) ... key(n-1), index[i] := whose it is; stable
///   segmented_sort(keys, values, segments, heads, bits, code)
///                                   each segment by itself, in place, stable; values (4, 8 or 16 bytes) may be empty.
///                                   Keys order as code.encode(key), of which `bits` counts (radix_key.hpp)
///   array_sort(keys, values, arrays, code)
///                                   the same contract, but no second copy of the data: O(arrays) bytes beyond the
///                                   arguments, and on a GPU a window over long arrays. Stable for arrays of up to
///                                   max_stable_array_length items. In longer ones the keys come out the same everywhere;
///                                   values of equal keys come in an order that is the same on every run and for any number of
///                                   threads, but differs between the CPU and GPUs, and between GPUs whose blocks have
///                                   different amounts of shared memory
///   segmented_sort_by(items, segments, key, heads, bits)
///                                   the same with computed keys: item x has the key key(x), which is evaluated inside the
///                                   sort; no key array need exist. key must return std::uint32_t or std::uint64_t. Where
///                                   it has a member prefetch(item), the CPU calls that a few items ahead
///                                   (ordo/detail/load.hpp)
/// `heads`, where not empty, is as long as the array; at every position i inside a segment heads[i] := 1 if i is the
/// segment's first or its key differs from that at i-1, else 0. Positions in holes are left alone.
/// For signed and floating keys and descending order see ordo/sort.hpp.
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
  b.sample_sort(k, detail::probe_order{});
  b.sample_sort(k, v, detail::probe_order{});
  b.argsort(n, f, k, v, bits);
  b.segmented_sort(k, v, s, heads, bits, key_code<std::uint64_t>{});
  b.array_sort(k, v, s, key_code<std::uint64_t>{});
  b.segmented_sort_by(v, s, f, heads, bits);
  { b.pool() } -> std::same_as<pool&>;
  { B::radix_sort_memory(n, n, n) } -> std::same_as<std::size_t>;
  { B::sample_sort_memory(n, n, n) } -> std::same_as<std::size_t>;
  { B::segmented_sort_memory(n, n, n, n, n, bits) } -> std::same_as<std::size_t>;
  { B::segmented_sort_by_memory(n, n, n, n, n) } -> std::same_as<std::size_t>;
  { B::array_sort_memory(n, n, n, n, n) } -> std::same_as<std::size_t>;
};

/// A machine of few threads with caches of their own, in whose memory the host reads and writes. Two verbs more, for what one
/// thread does better than all:
///
///   each_worker(n, f)               f(worker, i) for every i in [0, n), in any order. `worker` sorts in memory of its own
///                                   (host/worker.hpp)
///   worker_share(n)                 how many of n items one worker may take, so that none works while the others are done
template <class B>
concept has_workers = Backend<B> && requires(B const& b, std::size_t n) {
  { b.worker_share(n) } -> std::same_as<std::size_t>;
};

/// A machine whose memory is not the host's. One verb more, for what is made long before all is:
///
///   background_downloads()              d.add(from, host) begins a copy of `from`, as the calls before leave it, to the host,
///                                   beside the machine's work, and returns its number; d.add_first(from, host) begins before
///                                   all that wait for their turn; d.wait(number) waits for it, and d's end for all. What is
///                                   written to `from` before that may come or not; `host` may not be
template <class B>
concept has_background_downloads = Backend<B> &&
    requires(B& b, std::size_t n, std::span<std::uint64_t> k, std::span<std::uint64_t const> ck) {
  n = b.background_downloads().add(ck, k);
  n = b.background_downloads().add_first(ck, k);
  b.background_downloads().wait(n);
};

/// One element of the machine's memory, brought to the host.
template <class T, class B>
std::remove_const_t<T> value_at(B& machine, std::span<T> from, std::size_t i) {
  std::remove_const_t<T> x{};
  machine.download(std::span<std::remove_const_t<T> const>(from).subspan(i, 1), std::span<std::remove_const_t<T>>(&x, 1));
  return x;
}

}  // namespace ordo
