#include "distributed/sort.hpp"

#include <fmt/format.h>

#include "ordo/gpu.hpp"

namespace ordo::inline v0::detail {
namespace {

/// Checks the arguments of this member as the sort of one machine does.
void check_share(sort_task const& task) {
  bool const is_argsort = task.what == sort_task::operation::argsort;
  if (!is_argsort && task.value_bytes != 0 && task.values_in_given != task.keys_in_given)
    throw usage_error(
        fmt::format("bad values_in: distributed sort: length {} for {} keys", task.values_in_given, task.keys_in_given));
  if (!is_argsort && task.value_bytes != 0 && task.values_given != task.n)
    throw usage_error(fmt::format("bad values: distributed sort: length {} for {} keys", task.values_given, task.n));
  // Inputs and outputs may differ in length: each is checked by itself.
  sort_task one = task;
  one.out_of_place = false;
  if (is_argsort) {
    one.n = task.keys_in_given;
    one.value_bytes = 0;
    one.what = sort_task::operation::keys;
  }
  check_arguments(one);
  one.keys = const_cast<void*>(task.keys_in);
  one.n = task.keys_in_given;
  if (!is_argsort && task.value_bytes != 0) {
    one.values = const_cast<void*>(task.values_in);
    one.values_given = task.values_in_given;
  }
  check_arguments(one);
  if (is_argsort && task.n != 0 && !task.values)
    throw usage_error(fmt::format("bad index: argsort over a communicator: {} items at a null pointer", task.n));
}

}  // namespace

share_lengths gather_lengths(communicator& members, std::uint64_t in, std::uint64_t out, std::uint64_t type, char const* where,
                             std::exception_ptr wrong) {
  struct share {
    std::uint64_t in, out, type, is_wrong;
  };
  auto const shares = members.all_gather(share{in, out, type, wrong != nullptr});
  if (wrong) std::rethrow_exception(wrong);
  share_lengths lengths;
  std::uint64_t total_in = 0, total_out = 0;
  for (std::size_t m = 0; m < shares.size(); ++m)
    if (shares[m].is_wrong != 0)
      throw usage_error(fmt::format("bad share: {}: the arguments of member {} are wrong", where, m));
  for (std::size_t m = 0; m < shares.size(); ++m) {
    if (shares[m].type != shares[0].type)
      throw usage_error(fmt::format("bad share: {}: member {} has other types, or another order, than member 0", where, m));
    lengths.in.push_back(shares[m].in);
    lengths.out_ends.push_back(total_out += shares[m].out);
    total_in += shares[m].in;
  }
  if (total_in != total_out)
    throw usage_error(fmt::format("bad lengths: {}: outputs for {} items, but there are {}", where, total_out, total_in));
  return lengths;
}

share_moves plan_moves(communicator const& members, share_lengths const& lengths, std::span<std::uint64_t const> cuts) {
  std::size_t const p = members.size(), rank = members.rank();
  // The cut of member m's share before output q.
  auto const cut = [&](std::size_t q, std::size_t m) { return q == 0 ? 0 : q == p ? lengths.in[m] : cuts[(q - 1) * p + m]; };
  share_moves moves;
  for (std::size_t m = 0; m < p; ++m) {
    moves.send_begin.push_back(cut(m, rank));
    moves.sends.push_back(cut(m + 1, rank) - cut(m, rank));
    moves.receive_begin.push_back(cut(rank, m));
    moves.receives.push_back(cut(rank + 1, m) - cut(rank, m));
  }
  return moves;
}

void sort_over(communicator& members, machine& on, sort_task const& task) {
  std::exception_ptr wrong;
  try {
    check_share(task);
  } catch (usage_error const&) {
    wrong = std::current_exception();
  }
  // What must be the same on all members: the operation, the types, the order and the bits.
  std::uint64_t type = 0;
  for (std::uint64_t const x : {std::uint64_t(task.what), std::uint64_t(task.key_bytes), std::uint64_t(task.value_bytes),
                                task.flip, task.flip_negative, task.rotate, task.max_magnitude, std::uint64_t(task.equal_zeros),
                                std::uint64_t(task.nans_first), std::uint64_t(task.bits.begin), std::uint64_t(task.bits.end)})
    type = (type ^ x) * 0x9E3779B97F4A7C15u + (type >> 29);
  bool const is_argsort = task.what == sort_task::operation::argsort;
  share_lengths const lengths = gather_lengths(members, task.keys_in_given, task.n, type,
                                               is_argsort ? "argsort over a communicator" : "distributed sort", wrong);
  if (is_argsort) check_index_width(lengths.out_ends.back(), task.value_bytes, task.signed_index);
  if (members.size() == 1) {
    sort_task alone = task;
    if (is_argsort) alone.out_of_place = false;
    on.run(alone);
    if (on.kind() == device::gpu) static_cast<gpu&>(on).synchronize();
    return;
  }
  on.kind() == device::gpu ? sort_over_cuda(members, on, task, lengths) : sort_over_host(members, on, task, lengths);
}

}  // namespace ordo::inline v0::detail
