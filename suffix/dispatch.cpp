#include "ordo/suffix.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ordo/detail/buffer.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix/complement.hpp"
#include "sort_core/gpu_threshold.hpp"
#include "suffix/sort/build.hpp"
#include "suffix/sort/rows.hpp"

namespace ordo::suffix {
namespace {

// f(Index{}) for an Index of so many bytes, 4 or 8.
template <class F>
auto with_index(std::size_t bytes, F f) {
  return bytes == 4 ? f(std::uint32_t{}) : f(std::uint64_t{});
}

template <class T>
std::span<char> bytes_of(std::span<T> values) {
  return {reinterpret_cast<char*>(values.data()), values.size_bytes()};
}

void check_rows(row_choice rows, bool bwt) {
  if (rows.sample == 0) throw usage_error("bad sample: suffix array: every 0th position");
  if (bwt && !rows.all()) throw usage_error("no BWT: suffix array: rows are left out, and a BWT needs all of them");
}

void check_sizes(std::size_t n, std::span<std::uint64_t const> starts, std::size_t sa, std::size_t lcp, std::size_t bwt,
                 std::size_t index_bytes, std::size_t rows) {
  std::size_t const records = std::max<std::size_t>(starts.size(), 1);
  if (!starts.empty() && (starts.front() != 0 || starts.back() > n || !std::ranges::is_sorted(starts)))
    throw usage_error("bad records: suffix array: starts must ascend from 0 to the number of residues at most");
  if (!index_fits(index_bytes, n, records))
    throw usage_error(fmt::format("index too narrow: suffix array: {} residues in {} records do not fit {} bits", n, records,
                                  8 * index_bytes));
  if (sa != rows || (lcp != 0 && lcp != rows) || (bwt != 0 && bwt != n + records))
    throw usage_error(fmt::format("arrays of wrong size: suffix array: {} residues in {} records", n, records));
}

// Calls on_machine(decision) for the chosen machine; and for the CPU where the GPU's memory runs out. memory_on(device) is what
// it takes.
template <class MemoryOn, class OnMachine>
report run(text const& input, options const& how, MemoryOn memory_on, OnMachine on_machine) {
  std::size_t const n = input.size();
  report done;
  done.machine = choose_machine(how.machine, n, worth_a_gpu(suffix_array_rates, how.machine.threads),
                                [&](gpu_info const&) { return memory_on(device::gpu).least; });
  run_on(
      done.machine,
      [&] {
        try {
          done.device_memory = on_machine(done.machine);
        } catch (out_of_memory const& e) {
          if (!done.machine.required) throw;
          detail::refuse_on_gpu(e, n, memory_on(device::gpu).most);
        }
      },
      [&] {
        memory_plan const plan = memory_on(device::cpu);
        auto const refuse = [&](char const* which, std::size_t bytes, std::size_t least) {
          throw text_too_large(fmt::format("out of memory: suffix array of {} residues: {}{} bytes are needed, {} may be taken",
                                           n, which, bytes, how.memory),
                               least, plan.most);
        };
        if (plan.least > how.memory) refuse("", plan.least, plan.least);
        try {
          on_machine(done.machine);
        } catch (out_of_memory const&) {
          if (plan.most <= how.memory) throw;
          refuse("the text repeats itself: up to ", plan.most, plan.most);
        }
      });
  return done;
}

}  // namespace

std::size_t text::record_of(std::size_t p) const noexcept {
  if (starts.empty()) return 0;
  return std::size_t(std::ranges::upper_bound(starts, p) - starts.begin()) - 1;
}

bool index_fits(std::size_t bytes, std::size_t n, std::size_t records) noexcept {
  // Ranks are below n + records; n stands for no position. There is a record at least.
  std::size_t const most = bytes >= 8 ? std::numeric_limits<std::size_t>::max() : (std::size_t{1} << (8 * bytes)) - 1;
  return records <= most && n <= most - records;
}

std::size_t row_count(text const& input, row_choice which, unsigned threads) {
  check_rows(which, false);
  return which.all() ? input.size() : detail::chosen_rows(input, which, threads).count();
}

std::size_t sorted_suffixes(std::size_t n, std::size_t records, row_choice rows) noexcept {
  return detail::sampled_count(n, records, rows.sample);
}

memory_plan memory_needed(device where, std::size_t n, std::size_t records, std::size_t index_bytes, wanted what,
                          row_choice rows) {
  return with_index(index_bytes, [&]<class Index>(Index) {
    auto const of_sorted = [&] {
      if constexpr (cuda_enabled)
        if (where == device::gpu) return detail::build_memory_on_cuda<Index>(n, records, what, rows);
      return detail::build_memory_on_host<Index>(n, records, what, rows);
    };
    memory_plan const plan = of_sorted();
    std::size_t const filter = rows.skip_ambiguous ? detail::row_filter_memory<Index>(n, what.lcp) : 0;
    return memory_plan{plan.least + filter, plan.quickest + filter, plan.most + filter};
  });
}

build_outlook plan_build(std::size_t n, std::size_t records, std::size_t index_bytes, wanted what,
                         machine_options const& machine, std::size_t memory, row_choice rows) {
  build_outlook outlook;
  auto const plan_of = [&](device where) { return memory_needed(where, n, records, index_bytes, what, rows); };
  std::size_t free = 0;
  outlook.machine = choose_machine(machine, n, worth_a_gpu(suffix_array_rates, machine.threads), [&](gpu_info const& gpu) {
    free = std::min(gpu.memory, gpu_memory_limit().value_or(gpu.memory));
    return plan_of(device::gpu).least;
  });
  outlook.memory = plan_of(outlook.machine.device);
  if (outlook.machine.device == device::cpu) {
    std::size_t const held = sorted_suffixes(n, records, rows);
    std::size_t const results = held * index_bytes * (what.lcp ? 2 : 1) + (what.bwt ? n + records : 0);
    outlook.beside = n + results;
    free = memory - std::min(memory, outlook.beside);
  }
  outlook.available = free;
  std::size_t const sorted = sorted_suffixes(n, records, rows);
  bool const of_chosen = outlook.machine.device == device::cpu && rows.sample != 1;  // they take one range as long as they can
  if ((of_chosen || sorted <= detail::most_at_once(outlook.machine.device)) && free >= outlook.memory.quickest) {
    outlook.ranges = 1;
  } else if (free >= outlook.memory.least) {
    std::size_t const most = with_index(index_bytes, [&]<class Index>(Index) {
      if constexpr (cuda_enabled)
        if (outlook.machine.device == device::gpu) return detail::most_in_range_on_cuda<Index>(n, records, what, rows, free);
      return detail::most_in_range_on_host<Index>(n, records, what, rows, free);
    });
    outlook.ranges = std::max<std::size_t>(2, (sorted + most - 1) / most);
  }
  return outlook;
}

std::size_t memory_for_check(device where, std::size_t n, std::size_t records, std::size_t index_bytes, wanted what,
                             row_choice rows) {
  if (!rows.all()) {
    wanted const made{.lcp = what.lcp};
    return detail::memory_of_all_rows(n, index_bytes, what.lcp) +
           std::max(memory_needed(where, n, records, index_bytes, made).least,
                    memory_for_check(where, n, records, index_bytes, made));
  }
  return with_index(index_bytes, [&]<class Index>(Index) {
    if constexpr (cuda_enabled)
      if (where == device::gpu) return detail::check_memory_on_cuda<Index>(n, records, what);
    return detail::check_memory_on_host<Index>(n, records, what);
  });
}

template <class Index>
report build(text const& input, arrays<Index> out, options const& how) {
  std::size_t const rows = row_count(input, how.rows, how.machine.threads);
  check_rows(how.rows, !out.bwt.empty());
  check_sizes(input.size(), input.starts, out.sa.size(), out.lcp.size(), out.bwt.size(), sizeof(Index), rows);
  if (!how.rows.all()) {
    memory_sink sa(bytes_of(out.sa)), lcp(bytes_of(out.lcp));
    return build_into<Index>(input, {&sa, out.lcp.empty() ? nullptr : &lcp}, how);
  }
  detail::results<Index> const to{{!out.lcp.empty(), !out.bwt.empty()}, out, {}};
  auto const memory_on = [&](device where) {
    return memory_needed(where, input.size(), input.records(), sizeof(Index), to.what);
  };
  return run(input, how, memory_on, [&](machine_choice const& machine) {
    if constexpr (cuda_enabled)
      if (machine.device == device::gpu) return detail::build_on_cuda(input, to, how, machine.gpu_index);
    return detail::build_on_host(input, to, how);
  });
}

void detail::refuse_on_gpu(out_of_memory const& e, std::size_t n, std::size_t most) {
  throw out_of_memory(fmt::format("{}: suffix array of {} residues: {} bytes of GPU memory suffice for any text: "
                                  "ORDO_GPU_MEMORY={}M",
                                  e.what(), n, most, (most >> 20) + 1),
                      most);
}

void detail::expect_nucleotides(std::span<unsigned char const> present, row_choice rows) {
  complement const other(false);
  for (unsigned char const byte : present)
    if (rows.skip_ambiguous && other(static_cast<char>(byte)) == '\0')
      throw input_error(
          fmt::format("no nucleotide: suffix array: the text has the letter '{}': to leave out ambiguous letters is "
                      "for nucleotides",
                      static_cast<char>(byte)));
}

void detail::expect_rows(std::size_t rows, sinks const& out, std::size_t index_bytes) {
  std::size_t const entry_bytes = out.entry_bytes != 0 ? out.entry_bytes : index_bytes;
  out.sa->expect(rows * entry_bytes);
  if (out.lcp) out.lcp->expect(rows * entry_bytes);
}

void detail::expect_arrays(std::size_t n, std::span<std::uint64_t const> starts, sinks const& out, std::size_t index_bytes,
                           row_choice rows) {
  check_rows(rows, out.bwt != nullptr);
  if (!out.sa) throw usage_error("no sink: suffix array: there is none for the array itself");
  bool const narrow = out.entry_bytes == narrow_bytes && index_bytes == 8;
  if (out.entry_bytes != 0 && out.entry_bytes != index_bytes && !narrow)
    throw usage_error(fmt::format("bad entries: suffix array: {} bytes of {}", out.entry_bytes, index_bytes));
  std::size_t const entry_bytes = narrow ? narrow_bytes : index_bytes;
  check_sizes(n, starts, n, 0, 0, entry_bytes, n);
  if (!rows.all()) return;
  expect_rows(n, out, index_bytes);
  if (out.bwt) out.bwt->expect(n + std::max<std::size_t>(starts.size(), 1));
}

template <class Index>
report build_into(text const& input, sinks const& out, options const& how) {
  std::size_t const n = input.size(), rows = n + input.records();
  detail::expect_arrays(n, input.starts, out, sizeof(Index), how.rows);
  detail::results<Index> to{{out.lcp != nullptr, out.bwt != nullptr}, {}, out, how.rows};
  auto const memory_on = [&](device where) {
    return memory_needed(where, n, input.records(), sizeof(Index), to.what, how.rows);
  };
  host_memory plain;
  buffer<Index> sa, lcp;
  buffer<char> bwt;
  return run(input, how, memory_on, [&](machine_choice const& machine) {
    if constexpr (cuda_enabled)
      if (machine.device == device::gpu) return detail::build_on_cuda(input, to, how, machine.gpu_index);
    std::size_t const held = sorted_suffixes(n, input.records(), how.rows);
    sa = buffer<Index>(plain, held);
    if (out.lcp) lcp = buffer<Index>(plain, held);
    if (out.bwt) bwt = buffer<char>(plain, rows);
    to.memory = {sa.span(), lcp.span(), bwt.span()};
    return detail::build_on_host(input, to, how);
  });
}

template <class Index>
result<Index> build(text const& input, wanted what, options const& how) {
  std::size_t const n = input.size(), rows = row_count(input, how.rows, how.machine.threads);
  result<Index> all;
  all.sa.resize(rows);
  if (what.lcp) all.lcp.resize(rows);
  if (what.bwt) all.bwt.resize(n + input.records());
  all.how = build(input, arrays<Index>{all.sa, all.lcp, all.bwt}, how);
  return all;
}

template <class Index>
std::optional<fault> check(text const& input, arrays<Index const> all, options const& how, report* done) {
  check_rows(how.rows, !all.bwt.empty());
  std::size_t const rows = how.rows.all() ? input.size() : all.sa.size();
  check_sizes(input.size(), input.starts, all.sa.size(), all.lcp.size(), all.bwt.size(), sizeof(Index), rows);
  if (!how.rows.all()) return detail::check_chosen(input, all, how, done);
  wanted const what{!all.lcp.empty(), !all.bwt.empty()};
  auto const memory_on = [&](device where) {
    std::size_t const bytes = memory_for_check(where, input.size(), input.records(), sizeof(Index), what);
    return memory_plan{bytes, bytes, bytes};
  };
  std::optional<fault> found;
  report const used = run(input, how, memory_on, [&](machine_choice const& machine) {
    if constexpr (cuda_enabled)
      if (machine.device == device::gpu) return detail::check_on_cuda(input, all, how, machine.gpu_index, found);
    return detail::check_on_host(input, all, how, found);
  });
  if (done) *done = used;
  return found;
}

template report build(text const&, arrays<std::uint32_t>, options const&);
template report build(text const&, arrays<std::uint64_t>, options const&);
template report build_into<std::uint32_t>(text const&, sinks const&, options const&);
template report build_into<std::uint64_t>(text const&, sinks const&, options const&);
template result<std::uint32_t> build(text const&, wanted, options const&);
template result<std::uint64_t> build(text const&, wanted, options const&);
template std::optional<fault> check(text const&, arrays<std::uint32_t const>, options const&, report*);
template std::optional<fault> check(text const&, arrays<std::uint64_t const>, options const&, report*);

}  // namespace ordo::suffix
