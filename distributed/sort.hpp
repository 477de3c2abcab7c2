#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/divided_sort.hpp"
#include "distributed/first_look.hpp"
#include "distributed/parts.hpp"
#include "ordo/detail/operation_task.hpp"

// The distributed sorts, written once for both machines. The local sorts and the merges are those of the machine.
namespace ordo::inline v0::detail {

template <class K>
struct write_masked_code {
  code_at<K> from;
  K mask;
  K* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = K(from(i) & mask); }
};

template <class Index>
struct write_global_position {
  Index* to;
  std::uint64_t first;
  ORDO_FN void operator()(std::size_t i) const { to[i] = Index(first + i); }
};

/// A sorted part of what a member receives.
struct received_run {
  char *keys, *values;
  std::size_t size;
};

/// One distributed sort, on one member.
template <Backend B, class K>
class share_sort {
 public:
  share_sort(communicator& members, machine& on, B& backend, sort_task const& task)
      : members_(members), on_(on), backend_(backend), task_(task), values_(task.value_bytes) {}

  void operator()(share_lengths const& lengths) {
    code_less<K> const less{codes_for<K>(task_), bit_mask<K>(clipped<K>(task_.bits))};
    // Merges and buckets know no ranges of bits. What was received is in order of the members, and so a stable sort does the
    // same.
    bool const merges = less.mask == K(~K{0});
    bool const direct = merges && members_.shares_memory();
    bool divides = false;
    if constexpr (sizeof(K) >= 4)
      divides = merges && !direct && divided_sort<B, K>::buckets_for(members_, lengths) >= 2 * members_.size();
    auto const look = look_at_shares<B, K>(members_, backend_, task_, less, lengths, divides ? 1024 : 0);
    if (look.in_order) return pass_on(lengths);
    if constexpr (sizeof(K) >= 4)
      if (divides && divided_sort<B, K>(members_, on_, backend_, task_, lengths, look.samples)()) return;

    std::size_t const n = task_.keys_in_given;
    auto const sorted_keys = backend_.template buffer<K>(n);
    auto const sorted_values = backend_.template buffer<char>(n * values_);
    sort_task sort = task_;
    sort.keys = sorted_keys.data();
    sort.values = sorted_values.data();
    sort.n = sort.keys_in_given = n;
    sort.values_given = sort.values_in_given = values_ == 0 ? 0 : n;
    on_.run(sort);
    wait_for(backend_, sorted_keys.span());
    wait_for(backend_, sorted_values.span());

    std::span const targets(lengths.out_ends.data(), members_.size() - 1);
    auto const cuts = share_splitter<K, code_less<K>>(members_, lengths.in, targets, less)
                          .cuts(share_fetcher<B, K>{backend_, sorted_keys.span()});
    share_moves const moves = plan_moves(members_, lengths, cuts);
    auto const parts = std::size_t(std::ranges::count_if(moves.receives, [](std::uint64_t x) { return x != 0; }));
    std::size_t rounds = 0;
    while (std::size_t{1} << rounds < parts) ++rounds;
    std::size_t const n_out = task_.n;
    auto const other_keys = backend_.template buffer<K>(merges && rounds != 0 ? n_out : 0);
    auto const other_values = backend_.template buffer<char>(merges && rounds != 0 ? n_out * values_ : 0);
    arrays const output{static_cast<char*>(task_.keys), static_cast<char*>(task_.values)};
    arrays const other{reinterpret_cast<char*>(other_keys.data()), other_values.data()};
    // Rounds alternate between the two, and the last one writes the output.
    arrays to = !merges || rounds % 2 == direct ? output : other;
    std::vector<received_run> runs;
    auto const make_output = [&] {
      if (!merges) {
        sort_task again = task_;
        again.out_of_place = false;
        if (values_ != 0) again.values_given = n_out;
        on_.run(again);
      } else if (direct && rounds == 0) {
        if (!runs.empty()) copy_run(runs[0], output);
      }
      for (; merges && runs.size() > 1; to = other_than(to, output, other)) merge_pairs(runs, to);
      wait_for(backend_, std::span(static_cast<K*>(task_.keys), n_out));
      wait_for(backend_, std::span(static_cast<char*>(task_.values), values_ * n_out));
    };
    if (direct) {  // the merges read the shares of the others
      arrays const own{reinterpret_cast<char*>(sorted_keys.data()), sorted_values.data()};
      members_.share(&own, [&](std::span<void const* const> shares) {
        for (std::size_t m = 0; m < members_.size(); ++m)
          add_run(runs, *static_cast<arrays const*>(shares[m]), moves.receive_begin[m], moves.receives[m]);
        make_output();
      });
      return;
    }
    bool const on_gpu = on_.kind() == device::gpu;
    exchange<B, K>(members_, backend_, on_gpu, moves, sorted_keys.span(), {reinterpret_cast<K*>(to.keys), n_out});
    if (values_ != 0) exchange_values(on_gpu, moves, sorted_values.span(), {to.values, n_out * values_});
    std::size_t at = 0;
    for (std::uint64_t const size : moves.receives) {
      add_run(runs, to, at, size);
      at += size;
    }
    to = other_than(to, output, other);
    make_output();
  }

 private:
  struct arrays {
    char *keys, *values;
  };
  /// Writes the outputs from keys that are in order: only those cross that are in the output of another member.
  void pass_on(share_lengths const& lengths) {
    std::size_t const p = members_.size(), n = task_.keys_in_given, n_out = task_.n;
    std::span<K const> const keys(static_cast<K const*>(task_.keys_in), n);
    std::span<char const> const values(static_cast<char const*>(task_.values_in), n * values_);
    std::span<K> const to_keys(static_cast<K*>(task_.keys), n_out);
    std::span<char> const to_values(static_cast<char*>(task_.values), n_out * values_);
    std::vector<std::uint64_t> cuts;
    bool all_stay = true;
    for (std::size_t q = 0; q + 1 < p; ++q) {
      std::uint64_t rest = lengths.out_ends[q];
      for (std::size_t m = 0; m < p; ++m) {
        cuts.push_back(std::min(rest, lengths.in[m]));
        rest -= cuts.back();
        all_stay &= cuts.back() == (m <= q ? lengths.in[m] : 0);
      }
    }
    if (all_stay) {
      backend_.copy(keys, to_keys);
      if (values_ != 0) backend_.copy(values, to_values);
    } else {
      share_moves const moves = plan_moves(members_, lengths, cuts);
      bool const on_gpu = on_.kind() == device::gpu;
      // An output that is the input itself must not be written while it is read.
      auto const other_keys = backend_.template buffer<K>(keys.data() == to_keys.data() ? n : 0);
      backend_.copy(keys.first(other_keys.size()), other_keys.span());
      wait_for(backend_, other_keys.span());
      exchange<B, K>(members_, backend_, on_gpu, moves, other_keys.size() != 0 ? other_keys.span() : keys, to_keys);
      if (values_ != 0) {
        auto const other_values = backend_.template buffer<char>(values.data() == to_values.data() ? values.size() : 0);
        backend_.copy(values.first(other_values.size()), other_values.span());
        wait_for(backend_, other_values.span());
        exchange_values(on_gpu, moves, other_values.size() != 0 ? other_values.span() : values, to_values);
      }
    }
    wait_for(backend_, to_keys);
    wait_for(backend_, to_values);
  }

  static arrays other_than(arrays const& current, arrays const& output, arrays const& other) {
    return current.keys == output.keys ? other : output;
  }
  void add_run(std::vector<received_run>& runs, arrays const& from, std::size_t begin, std::size_t size) const {
    if (size != 0) runs.push_back({from.keys + begin * sizeof(K), from.values + begin * values_, size});
  }
  void copy_run(received_run const& run, arrays const& to) {
    auto const copy = [&](char* from, char* into, std::size_t bytes) {
      backend_.copy(std::span<char const>(from, bytes), std::span(into, bytes));
    };
    copy(run.keys, to.keys, run.size * sizeof(K));
    if (values_ != 0) copy(run.values, to.values, run.size * values_);
  }
  void exchange_values(bool on_gpu, share_moves moves, std::span<char const> share, std::span<char> to) {
    for (auto* list : {&moves.send_begin, &moves.sends, &moves.receives})
      for (std::uint64_t& x : *list) x *= values_;
    exchange<B, char>(members_, backend_, on_gpu, moves, share, to);
  }

  /// Merges each two adjacent runs into one, which halves their number.
  void merge_pairs(std::vector<received_run>& runs, arrays to) {
    std::vector<received_run> merged;
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      std::size_t size = runs[i].size;
      if (i + 1 == runs.size()) {
        copy_run(runs[i], to);
      } else {
        size += runs[i + 1].size;
        merge(runs[i], runs[i + 1], to, size);
      }
      merged.push_back({to.keys, to.values, size});
      to = {to.keys + size * sizeof(K), to.values + size * values_};
    }
    runs = std::move(merged);
  }
  void merge(received_run const& a, received_run const& b, arrays const& to, std::size_t size) {
    auto const keys = [](char* data, std::size_t n) { return task_array{data, n, sizeof(K), false, sizeof(K)}; };
    auto const values = [&](char* data, std::size_t n) { return task_array{data, n, values_, false, 1}; };
    operation_task task{};
    task.kind = operation_task::operation::merge;
    task.host = typed_host_operations<sizeof(K)>();
    task.sort = task_;
    task.sort.kind = sort_task::operation::argsort;
    task.sort.out_of_place = false;
    task.sort.keys = a.keys;
    task.sort.n = a.size;
    task.other_keys = keys(b.keys, b.size);
    task.out_keys = keys(to.keys, size);
    if (values_ != 0) {
      task.values = values(a.values, a.size);
      task.other_values = values(b.values, b.size);
      task.out_values = values(to.values, size);
    }
    on_.run(task);
  }

  communicator& members_;
  machine& on_;
  B& backend_;
  sort_task const& task_;
  std::size_t values_;  // bytes of one
};

/// Writes codes of the keys, which are only read, with their positions in the index, and sorts these.
template <Backend B, class K>
void argsort_shares(communicator& members, machine& on, B& backend, sort_task const& task, share_lengths const& lengths) {
  std::size_t const n = task.keys_in_given;
  std::uint64_t first = 0;
  for (std::size_t m = 0; m < members.rank(); ++m) first += lengths.in[m];
  auto const codes = backend.template buffer<K>(n);
  auto const sorted_codes = backend.template buffer<K>(task.n);
  auto const positions = backend.template buffer<char>(n * task.value_bytes);
  backend.each(n, write_masked_code<K>{codes_for<K>(task), bit_mask<K>(clipped<K>(task.bits)), codes.data()});
  if (task.value_bytes == 8)
    backend.each(n, write_global_position<std::uint64_t>{reinterpret_cast<std::uint64_t*>(positions.data()), first});
  else
    backend.each(n, write_global_position<std::uint32_t>{reinterpret_cast<std::uint32_t*>(positions.data()), first});
  sort_task sort;
  sort.key_bytes = sizeof(K);
  sort.host = task.host;
  sort.keys = sorted_codes.data();
  sort.values = task.values;
  sort.value_bytes = task.value_bytes;
  sort.value_alignment = task.value_alignment;
  sort.n = sort.values_given = task.n;
  sort.out_of_place = true;
  sort.keys_in = codes.data();
  sort.values_in = positions.data();
  sort.keys_in_given = sort.values_in_given = n;
  share_sort<B, K>(members, on, backend, sort)(lengths);
}

/// Runs a task whose arguments have been checked.
template <Backend B>
void sort_over_on(communicator& members, machine& on, B& backend, sort_task const& task, share_lengths const& lengths) {
  with_key_type(task.key_bytes, [&]<class K>(K) {
    if (task.kind == sort_task::operation::argsort)
      argsort_shares<B, K>(members, on, backend, task, lengths);
    else
      share_sort<B, K>(members, on, backend, task)(lengths);
  });
}

/// The two instances, each in a source of its own.
void sort_over_host(communicator& members, machine& on, sort_task const& task, share_lengths const& lengths);
void sort_over_cuda(communicator& members, machine& on, sort_task const& task, share_lengths const& lengths);

}  // namespace ordo::inline v0::detail
