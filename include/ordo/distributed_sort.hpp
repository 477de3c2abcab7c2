#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/detail/buffer.hpp"
#include "ordo/detail/distributed_split.hpp"
#include "ordo/detail/ranges.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/segments.hpp"
#include "ordo/sort.hpp"

#pragma GCC visibility push(default)

/// Sorts of arrays whose items are shared among the members of a communicator (communicator.hpp). All members call the same
/// function, with keys and values of the same types and with the same options. The array that is sorted is the concatenation of
/// the members' shares, by rank. The result has the bytes that one machine would compute from the whole array: sorts are
/// stable, and equal keys are split among members by their position. Shares keep their lengths, or get the lengths of the
/// outputs: they are exactly as long as wanted, whatever the keys (even_share).
///
/// Keys that are in order in all shares, equal ones among them, are not sorted; only those cross that are in the output of
/// another member. Members with many keys each first distribute them into buckets by one digit. The buckets cross, each once,
/// and are sorted by the member that receives them, while others cross. Of a bucket of equal keys only the values cross. If
/// there are few keys, if many of them are in the buckets on the borders between the members' outputs, or if members share
/// memory, each share is sorted where it is, and each member merges what it receives. Either way, regular samples in a few
/// rounds find the exact positions at which sorted shares, or sorted buckets on a border, are split. (Parallel sorting by
/// regular sampling: Shi and Schaeffer, 1992.)
///
/// Machines, keys, values, orders and errors are as in sort.hpp. The calls wait for the machines. Temporary memory is a copy of
/// the share and what a sort of it takes, then also a copy of the output. If the communicator cannot move a GPU's memory, as
/// over MPI, data cross by way of the host's memory, in two copies more there.
///
/// @throws member_lost  if another member failed
/// @throws usage_error  on every member, if shares and outputs differ in their total length, or keys or values in their type
namespace ordo::inline v0 {

namespace detail {

/// Distributed sorts. The inputs are keys_in and values_in. `n`, `keys` and `values` describe the outputs. For argsort,
/// `values` is the index.
void sort_over(communicator& members, machine& on, sort_task const& task);

/// The lengths of all members' inputs, and the ends of their outputs among all items.
struct share_lengths {
  std::vector<std::uint64_t> in, out_ends;
};
/// Gathers the lengths.
/// @param wrong  the error in this member's arguments, if there is one
/// @throws usage_error  on every member, if totals or `type` differ among members, or if the arguments of one are wrong
share_lengths gather_lengths(communicator& members, std::uint64_t in, std::uint64_t out, std::uint64_t type, char const* where,
                             std::exception_ptr wrong);

/// The items that this member sends to each member and receives from each: sends[m] items from send_begin[m] on, and
/// receives[m] items that are at receive_begin[m] in the share of member m.
struct share_moves {
  std::vector<std::uint64_t> send_begin, sends, receive_begin, receives;
};
/// @param cuts  the cuts of share_splitter, for the ends of all outputs but the last
share_moves plan_moves(communicator const& members, share_lengths const& lengths, std::span<std::uint64_t const> cuts);

}  // namespace detail

/// Sorts the keys of all members: this member's share becomes its part of the sorted array. Stable.
/// @code
///   ordo::sort_keys(members, gpu, std::span(device_share, n));
/// @endcode
template <sort_order Order = sort_order::ascending, detail::key_array Keys>
void sort_keys(communicator& members, machine& on, Keys&& keys, bit_range bits = {}, key_order order = {}) {
  auto const all = detail::as_span(keys);
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::keys, all, bits, order);
  detail::add_keys_in(task, all);
  detail::sort_over(members, on, task);
}

/// Does the same, and moves the values with their keys. Stable.
template <sort_order Order = sort_order::ascending, detail::key_array Keys, detail::value_array Values>
void sort_pairs(communicator& members, machine& on, Keys&& keys, Values&& values, bit_range bits = {}, key_order order = {}) {
  auto const all = detail::as_span(keys);
  auto const moved = detail::as_span(values);
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::keys, all, bits, order);
  detail::add_values(task, moved);
  detail::add_keys_in(task, all);
  detail::add_values_in(task, moved);
  detail::sort_over(members, on, task);
}

/// Sorts keys_in of all members into their `keys`, which may have other lengths, but the same total. keys_in is not changed,
/// and overlaps no output unless it is `keys` itself.
template <sort_order Order = sort_order::ascending, class In, detail::key_array Keys>
requires detail::input_of<In, Keys>
void sort_keys(communicator& members, machine& on, In&& keys_in, Keys&& keys, bit_range bits = {}, key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::keys, detail::as_span(keys), bits, order);
  detail::add_keys_in(task, detail::as_span(keys_in));
  detail::sort_over(members, on, task);
}

/// Does the same with values: values_in is as long as keys_in, and values as long as `keys`.
template <sort_order Order = sort_order::ascending, class In, detail::key_array Keys, class ValuesIn,
          detail::value_array Values>
requires(detail::input_of<In, Keys>&& detail::input_of<ValuesIn, Values>)  //
    void sort_pairs(communicator& members, machine& on, In&& keys_in, Keys&& keys, ValuesIn&& values_in, Values&& values,
                    bit_range bits = {}, key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::keys, detail::as_span(keys), bits, order);
  detail::add_values(task, detail::as_span(values));
  detail::add_keys_in(task, detail::as_span(keys_in));
  detail::add_values_in(task, detail::as_span(values_in));
  detail::sort_over(members, on, task);
}

/// Writes to this member's index its part of the positions in the concatenation of all keys, in the order of the keys.
/// Positions of equal keys ascend. The keys are not changed.
/// @param index  integers of 32 bits (unsigned for at most 2^32 keys of all members, signed for at most 2^31) or 64. Lengths
///     may differ from those of the keys, but not in total
template <sort_order Order = sort_order::ascending, detail::any_key_array Keys, detail::index_array Index>
void argsort(communicator& members, machine& on, Keys&& keys, Index&& index, bit_range bits = {}, key_order order = {}) {
  using K = std::remove_const_t<detail::element_of<Keys>>;
  std::span<K const> const read = detail::as_span(keys);
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::argsort, read, bits, order);
  detail::add_keys_in(task, read);
  detail::add_values(task, detail::as_span(index));
  task.n = task.values_given;
  task.signed_index = std::is_signed_v<detail::element_of<Index>>;
  detail::sort_over(members, on, task);
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop

// Templates over the backends, which are no part of a shared library's interface.
namespace ordo::inline v0 {
namespace detail {

template <class B, class T>
struct share_fetcher {
  B& backend;
  std::span<T const> share;
  void operator()(std::span<std::uint64_t const> positions, std::span<T> items) const {
    if (positions.empty()) return;
    auto const index = backend.upload(positions);
    auto const gathered = backend.template buffer<T>(positions.size());
    backend.gather(share, index.span(), gathered.span());
    backend.download(std::span<T const>(gathered.span()), items);
  }
};

/// Copies items from the host's memory, 64 megabytes at a time.
template <class B, class T>
void copy_to_machine(B& backend, std::span<T const> from, std::span<T> to) {
  constexpr std::size_t part = (std::size_t{64} << 20) / sizeof(T) + 1;
  for (std::size_t at = 0; at < to.size(); at += part) {
    std::size_t const n = std::min(part, to.size() - at);
    auto const uploaded = backend.upload(from.subspan(at, n));
    backend.copy(uploaded.span(), to.subspan(at, n));
  }
}

/// Moves the parts of `share` to the members that they belong to; `to` receives this member's, by rank.
template <class B, class T>
void exchange(communicator& members, B& backend, bool on_gpu, share_moves const& moves, std::span<T const> share,
              std::span<T> to) {
  auto const move = [&](std::span<T const> from, std::span<T> into) {
    std::vector<std::span<std::byte const>> sends;
    std::vector<std::span<std::byte>> receives;
    std::size_t at = 0;
    for (std::size_t m = 0; m < members.size(); ++m) {
      sends.push_back(std::as_bytes(from.subspan(moves.send_begin[m], moves.sends[m])));
      receives.push_back(std::as_writable_bytes(into.subspan(at, moves.receives[m])));
      at += moves.receives[m];
    }
    members.all_to_all(sends, receives);
  };
  if (!on_gpu || members.moves_device_memory()) return move(share, to);
  // By way of the host's memory.
  host_items<T> sent(share.size()), received(to.size());
  backend.download(share, sent.span());
  move(sent.span(), received.span());
  copy_to_machine(backend, std::span<T const>(received.span()), to);
}

/// Returns when all work that writes to these items is done.
template <class B, class T>
void wait_for(B& backend, std::span<T> items) {
  if (!items.empty()) static_cast<void>(value_at(backend, items, 0));
}

template <class T, class V, class Machine, class Less>
void sample_sort_over(communicator& members, Machine& on, std::span<T> items, std::span<V> values, Less less) {
  constexpr bool has_values = !std::same_as<V, none>;
  std::size_t const n = items.size();
  std::exception_ptr wrong;
  if (has_values && values.size() != n)
    wrong = std::make_exception_ptr(usage_error("bad values: sample_sort: length " + std::to_string(values.size()) + " for " +
                                                std::to_string(n) + " keys"));
  share_lengths const lengths =
      gather_lengths(members, n, n, sizeof(T) << 16 | (has_values ? sizeof(V) : 0), "sample_sort", wrong);
  with_backend(on, [&](auto& backend) {
    using B = std::remove_reference_t<decltype(backend)>;
    auto const sort = [&] {
      if constexpr (has_values)
        backend.sample_sort(items, values, less);
      else
        backend.sample_sort(items, less);
    };
    sort();
    wait_for(backend, items);
    if (members.size() == 1) return;
    std::span const targets(lengths.out_ends.data(), members.size() - 1);
    auto const cuts = share_splitter<T, Less>(members, lengths.in, targets, less).cuts(share_fetcher<B, T>{backend, items});
    share_moves const moves = plan_moves(members, lengths, cuts);
    bool all_stay = true;
    for (std::size_t q = 1; q < members.size(); ++q)
      for (std::size_t m = 0; m < members.size(); ++m)
        all_stay &= cuts[(q - 1) * members.size() + m] == (m < q ? lengths.in[m] : 0);
    if (all_stay) return;
    auto const move = [&]<class I>(std::span<I> share) {
      auto const received = backend.template buffer<I>(n);
      wait_for(backend, share);
      exchange<B, I>(members, backend, on.kind() == device::gpu, moves, share, received.span());
      backend.copy(std::span<I const>(received.span()), share);
      wait_for(backend, share);
    };
    move(items);
    if constexpr (has_values) move(values);
    sort();  // what was received is sorted by member, so that a stable sort keeps equal items in order
    wait_for(backend, items);
  });
}

}  // namespace detail

/// Sorts the items of all members in place by a strict weak order; see sort.hpp and gpu.cuh. Stable. For a gpu include gpu.cuh,
/// for a cpu cpu_backend.hpp. `less` is also called on the host. Each share is sorted twice: before the exchange and after it.
/// (Leischner, Osipov and Sanders, IPDPS'10; Shi and Schaeffer, 1992.)
template <class Machine, class T, class Less>
requires std::derived_from<Machine, machine>
void sample_sort(communicator& members, Machine& on, std::span<T> items, Less less) {
  detail::sample_sort_over(members, on, items, std::span<detail::none>(), less);
}

/// Sorts keys in the same way, and moves values of 4, 8 or 16 bytes with them.
template <class Machine, class T, class V, class Less>
requires std::derived_from<Machine, machine>
void sample_sort(communicator& members, Machine& on, std::span<T> keys, std::span<V> values, Less less) {
  detail::sample_sort_over(members, on, keys, values, less);
}

}  // namespace ordo::inline v0
