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
#include "ordo/suffix/pieces.hpp"
#include "sort_core/gpu_threshold.hpp"
#include "suffix/arrays/build.hpp"
#include "suffix/arrays/rows.hpp"

namespace ordo::inline v0::suffix {
namespace {

// Calls f(Index{}) for an Index of 4 or 8 bytes.
template <class F>
auto with_index(std::size_t bytes, F f) {
  return bytes == 4 ? f(std::uint32_t{}) : f(std::uint64_t{});
}

// Returns the operations of a kind of machine.
template <class Index>
detail::suffix_builder<Index> builder_on(device kind) {
  if constexpr (cuda_enabled)
    if (kind == device::gpu) return detail::cuda_builder<Index>();
  return detail::host_builder<Index>();
}

template <class T>
std::span<char> as_chars(std::span<T> values) {
  return {reinterpret_cast<char*>(values.data()), values.size_bytes()};
}

void check_rows(row_selection rows, bool bwt) {
  if (rows.sample == 0) throw usage_error("invalid sample: suffix array: the sample must be above 0");
  if (bwt && !rows.all()) throw usage_error("no BWT: suffix array: a BWT needs all rows, and some are left out");
}

void check_sizes(std::size_t n, std::span<std::uint64_t const> starts, std::size_t sa, std::size_t lcp, std::size_t bwt,
                 std::size_t index_bytes, std::size_t rows) {
  std::size_t const records = std::max<std::size_t>(starts.size(), 1);
  if (!starts.empty() && (starts.front() != 0 || starts.back() > n || !std::ranges::is_sorted(starts)))
    throw usage_error("invalid records: suffix array: starts must ascend from 0 to at most the number of residues");
  if (!index_fits(index_bytes, n, records))
    throw usage_error(fmt::format("index too narrow: suffix array: {} residues in {} records do not fit {} bits", n, records,
                                  8 * index_bytes));
  if (sa != rows || (lcp != 0 && lcp != rows) || (bwt != 0 && bwt != n + records))
    throw usage_error(fmt::format("wrong array size: suffix array: {} residues in {} records", n, records));
}

// Calls on_machine(choice) for the chosen machine, and again for the CPU if the GPU's memory runs out. memory_on(device) is the
// memory that it takes.
template <class MemoryOn, class OnMachine>
build_report run(text const& input, build_options const& options, MemoryOn memory_on, OnMachine on_machine) {
  std::size_t const n = input.size();
  build_report done;
  done.machine = choose_machine(options.machine, n * input.residue_bytes, detail::min_gpu_bytes(options.machine.threads),
                                [&](gpu_info const&) { return memory_on(device::gpu).min_bytes; });
  run_with_fallback(
      done.machine,
      [&] {
        try {
          done.device_memory = on_machine(done.machine);
        } catch (out_of_memory const& e) {
          if (!done.machine.required) throw;
          detail::refuse_on_gpu(e, n, memory_on(device::gpu).max_bytes);
        }
      },
      [&] {
        memory_estimate const plan = memory_on(device::cpu);
        auto const refuse = [&](char const* prefix, std::size_t bytes, std::size_t min_bytes) {
          throw text_too_large(fmt::format("out of memory: suffix array of {} residues: {}{} bytes are needed, {} are allowed",
                                           n, prefix, bytes, options.memory),
                               min_bytes, plan.max_bytes);
        };
        if (plan.min_bytes > options.memory) refuse("", plan.min_bytes, plan.min_bytes);
        try {
          on_machine(done.machine);
        } catch (out_of_memory const&) {
          if (plan.max_bytes <= options.memory) throw;
          refuse(input.residue_bytes == 4 ? "the text is repetitive, or has large tokens: up to "
                                          : "the text is repetitive: up to ",
                 plan.max_bytes, plan.max_bytes);
        }
      });
  return done;
}

}  // namespace

std::size_t text::record_at(std::size_t p) const noexcept {
  if (starts.empty()) return 0;
  return std::size_t(std::ranges::upper_bound(starts, p) - starts.begin()) - 1;
}

bool index_fits(std::size_t bytes, std::size_t n, std::size_t records) noexcept {
  // Ranks are below n + records, and n stands for no position. There is at least one record.
  std::size_t const max = bytes >= 8 ? std::numeric_limits<std::size_t>::max() : (std::size_t{1} << (8 * bytes)) - 1;
  return records <= max && n <= max - records;
}

std::size_t num_rows(text const& input, row_selection selection, unsigned threads) {
  check_rows(selection, false);
  return selection.all() ? input.size() : detail::chosen_rows(input, selection, threads).count();
}

std::size_t num_sorted_suffixes(std::size_t n, std::size_t records, row_selection rows) noexcept {
  return detail::sampled_count(n, records, rows.sample);
}

memory_estimate build_memory(device where, std::size_t n, std::size_t records, std::size_t index_bytes, extra_arrays extra,
                             row_selection rows, unsigned residue_bytes) {
  return with_index(index_bytes, [&]<class Index>(Index) {
    memory_estimate const plan = builder_on<Index>(where).build_memory(n, records, extra, rows, residue_bytes);
    std::size_t const filter = rows.skip_ambiguous ? detail::row_filter_memory<Index>(n, extra.lcp) : 0;
    return memory_estimate{plan.min_bytes + filter, plan.fast_bytes + filter, plan.max_bytes + filter};
  });
}

build_plan plan_build(std::size_t n, std::size_t records, std::size_t index_bytes, extra_arrays extra,
                      machine_options const& machine, std::size_t memory, row_selection rows, unsigned residue_bytes) {
  build_plan outlook;
  auto const plan_for = [&](device where) { return build_memory(where, n, records, index_bytes, extra, rows, residue_bytes); };
  std::size_t free = 0;
  outlook.machine =
      choose_machine(machine, n * residue_bytes, detail::min_gpu_bytes(machine.threads), [&](gpu_info const& gpu) {
        free = std::min(gpu.memory, gpu_memory_limit().value_or(gpu.memory));
        return plan_for(device::gpu).min_bytes;
      });
  outlook.memory = plan_for(outlook.machine.device);
  if (outlook.machine.device == device::cpu) {
    std::size_t const held = num_sorted_suffixes(n, records, rows);
    std::size_t const results = held * index_bytes * (extra.lcp ? 2 : 1) + (extra.bwt ? n + records : 0);
    outlook.host_bytes = n * residue_bytes + results;
    free = memory - std::min(memory, outlook.host_bytes);
  }
  outlook.available = free;
  std::size_t const sorted = num_sorted_suffixes(n, records, rows);
  bool const of_chosen =
      outlook.machine.device == device::cpu && rows.sample != 1;  // chosen rows take one range whenever it fits
  if ((of_chosen || sorted <= detail::max_at_once(outlook.machine.device)) && free >= outlook.memory.fast_bytes) {
    outlook.ranges = 1;
  } else if (free >= outlook.memory.min_bytes) {
    std::size_t const max_count = with_index(index_bytes, [&]<class Index>(Index) {
      return builder_on<Index>(outlook.machine.device).max_in_range(n, records, extra, rows, free);
    });
    outlook.ranges = std::max<std::size_t>(2, (sorted + max_count - 1) / max_count);
  }
  return outlook;
}

std::size_t check_memory(device where, std::size_t n, std::size_t records, std::size_t index_bytes, extra_arrays extra,
                         row_selection rows, unsigned residue_bytes) {
  if (!rows.all()) {
    extra_arrays const made{.lcp = extra.lcp};
    return detail::memory_of_all_rows(n, index_bytes, extra.lcp) +
           std::max(build_memory(where, n, records, index_bytes, made, {}, residue_bytes).min_bytes,
                    check_memory(where, n, records, index_bytes, made, {}, residue_bytes));
  }
  return with_index(
      index_bytes, [&]<class Index>(Index) { return builder_on<Index>(where).check_memory(n, records, extra, residue_bytes); });
}

template <class Index>
build_report build(text const& input, arrays<Index> out, build_options const& options) {
  detail::check_residues(input, options.rows, !out.bwt.empty());
  std::size_t const rows = num_rows(input, options.rows, options.machine.threads);
  check_rows(options.rows, !out.bwt.empty());
  bool const has_sa = !out.sa.empty() || (out.lcp.empty() && out.bwt.empty());
  check_sizes(input.size(), input.starts, has_sa ? out.sa.size() : rows, out.lcp.size(), out.bwt.size(), sizeof(Index), rows);
  if (!options.rows.all()) {
    memory_sink sa(as_chars(out.sa)), lcp(as_chars(out.lcp));
    return build_into<Index>(input, {has_sa ? &sa : nullptr, out.lcp.empty() ? nullptr : &lcp}, options);
  }
  host_memory plain;
  buffer<Index> sa;  // if the CPU makes one that is not wanted
  detail::results<Index> to{{!out.lcp.empty(), !out.bwt.empty()}, out, {}};
  auto const memory_on = [&](device where) {
    return build_memory(where, input.size(), input.records(), sizeof(Index), to.extra, {}, input.residue_bytes);
  };
  return run(input, options, memory_on, [&](machine_choice const& machine) {
    if (machine.device == device::cpu && !has_sa) {
      sa = buffer<Index>(plain, rows);
      to.memory.sa = sa.span();
    }
    return builder_on<Index>(machine.device).build(input, to, options, machine.gpu_index);
  });
}

std::size_t detail::min_gpu_bytes(unsigned threads) {
  return gpu_crossover_bytes({23e6, 106e6, 774e6}, threads);
}

void detail::refuse_on_gpu(out_of_memory const& e, std::size_t n, std::size_t max_bytes) {
  throw out_of_memory(fmt::format("{}: suffix array of {} residues: {} bytes of GPU memory suffice for any text: "
                                  "ORDO_GPU_MEMORY={}M",
                                  e.what(), n, max_bytes, (max_bytes >> 20) + 1),
                      max_bytes);
}

void detail::expect_nucleotides(std::span<unsigned char const> present, row_selection rows) {
  complement const other(false);
  for (unsigned char const byte : present)
    if (rows.skip_ambiguous && other(static_cast<char>(byte)) == '\0')
      throw input_error(
          fmt::format("not a nucleotide: suffix array: the text has the letter '{}': leaving out ambiguous letters "
                      "needs nucleotides",
                      static_cast<char>(byte)));
}

void detail::check_residues(text const& input, row_selection rows, bool bwt) {
  unsigned const bytes = input.residue_bytes;
  if (bytes != 1 && bytes != 2 && bytes != 4)
    throw usage_error(fmt::format("invalid residues: suffix array: {} bytes: a residue has 1, 2 or 4", bytes));
  if (bytes == 1) return;
  if (input.residues.size() % bytes != 0 || reinterpret_cast<std::uintptr_t>(input.residues.data()) % bytes != 0)
    throw usage_error(fmt::format("invalid residues: suffix array: tokens of {} bytes must be whole and aligned", bytes));
  if (bwt) throw usage_error("no BWT: suffix array: a BWT is of bytes, not of tokens");
  if (rows.skip_ambiguous) throw usage_error("no nucleotides: suffix array: tokens are not ambiguous");
}

void detail::expect_rows(std::size_t rows, sinks const& out, std::size_t index_bytes) {
  std::size_t const entry_bytes = out.entry_bytes != 0 ? out.entry_bytes : index_bytes;
  if (out.sa) out.sa->expect(rows * entry_bytes);
  if (out.lcp) out.lcp->expect(rows * entry_bytes);
}

std::size_t detail::check_arrays(std::size_t n, std::span<std::uint64_t const> starts, std::size_t given_bytes,
                                 std::size_t index_bytes, row_selection rows, bool bwt) {
  check_rows(rows, bwt);
  bool const narrow = given_bytes == narrow_bytes && index_bytes == 8;
  if (given_bytes != 0 && given_bytes != index_bytes && !narrow)
    throw usage_error(fmt::format("invalid entry size: suffix array: {} bytes, but an Index has {}", given_bytes, index_bytes));
  std::size_t const entry_bytes = narrow ? narrow_bytes : index_bytes;
  check_sizes(n, starts, n, 0, 0, entry_bytes, n);
  return entry_bytes;
}

void detail::expect_arrays(std::size_t n, std::span<std::uint64_t const> starts, sinks const& out, std::size_t index_bytes,
                           row_selection rows) {
  if (!out.sa && !out.lcp && !out.bwt) throw usage_error("no sink: suffix array: all of them are null");
  check_arrays(n, starts, out.entry_bytes, index_bytes, rows, out.bwt != nullptr);
  if (!rows.all()) return;
  expect_rows(n, out, index_bytes);
  if (out.bwt) out.bwt->expect(n + std::max<std::size_t>(starts.size(), 1));
}

template <class Index>
build_report build_into(text const& input, sinks const& out, build_options const& options) {
  detail::check_residues(input, options.rows, out.bwt != nullptr);
  std::size_t const n = input.size(), rows = n + input.records();
  detail::expect_arrays(n, input.starts, out, sizeof(Index), options.rows);
  detail::results<Index> to{{out.lcp != nullptr, out.bwt != nullptr}, {}, out, options.rows};
  auto const memory_on = [&](device where) {
    return build_memory(where, n, input.records(), sizeof(Index), to.extra, options.rows, input.residue_bytes);
  };
  host_memory plain;
  buffer<Index> sa, lcp;
  buffer<char> bwt;
  return run(input, options, memory_on, [&](machine_choice const& machine) {
    if (machine.device == device::cpu) {
      std::size_t const held = num_sorted_suffixes(n, input.records(), options.rows);
      sa = buffer<Index>(plain, held);
      if (out.lcp) lcp = buffer<Index>(plain, held);
      if (out.bwt) bwt = buffer<char>(plain, rows);
      to.memory = {sa.span(), lcp.span(), bwt.span()};
    }
    return builder_on<Index>(machine.device).build(input, to, options, machine.gpu_index);
  });
}

template <class Index>
result<Index> build(text const& input, extra_arrays extra, build_options const& options) {
  detail::check_residues(input, options.rows, extra.bwt);
  std::size_t const n = input.size(), rows = num_rows(input, options.rows, options.machine.threads);
  result<Index> all;
  all.sa.resize(rows);
  if (extra.lcp) all.lcp.resize(rows);
  if (extra.bwt) all.bwt.resize(n + input.records());
  all.report = build(input, arrays<Index>{all.sa, all.lcp, all.bwt}, options);
  return all;
}

template <class Index>
std::optional<mismatch> check(text const& input, arrays<Index const> all, build_options const& options, build_report* done) {
  detail::check_residues(input, options.rows, !all.bwt.empty());
  check_rows(options.rows, !all.bwt.empty());
  std::size_t const rows = options.rows.all() ? input.size() : all.sa.size();
  check_sizes(input.size(), input.starts, all.sa.size(), all.lcp.size(), all.bwt.size(), sizeof(Index), rows);
  if (!options.rows.all()) return detail::check_chosen(input, all, options, done);
  extra_arrays const extra{!all.lcp.empty(), !all.bwt.empty()};
  auto const memory_on = [&](device where) {
    std::size_t const bytes = check_memory(where, input.size(), input.records(), sizeof(Index), extra, {}, input.residue_bytes);
    return memory_estimate{bytes, bytes, bytes};
  };
  std::optional<mismatch> first_mismatch;
  build_report const used = run(input, options, memory_on, [&](machine_choice const& machine) {
    return builder_on<Index>(machine.device).check(input, all, options, machine.gpu_index, first_mismatch);
  });
  if (done) *done = used;
  return first_mismatch;
}

template build_report build(text const&, arrays<std::uint32_t>, build_options const&);
template build_report build(text const&, arrays<std::uint64_t>, build_options const&);
template build_report build_into<std::uint32_t>(text const&, sinks const&, build_options const&);
template build_report build_into<std::uint64_t>(text const&, sinks const&, build_options const&);
template result<std::uint32_t> build(text const&, extra_arrays, build_options const&);
template result<std::uint64_t> build(text const&, extra_arrays, build_options const&);
template std::optional<mismatch> check(text const&, arrays<std::uint32_t const>, build_options const&, build_report*);
template std::optional<mismatch> check(text const&, arrays<std::uint64_t const>, build_options const&, build_report*);

}  // namespace ordo::inline v0::suffix
