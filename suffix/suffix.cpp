#include "suffix/suffix.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sort_core/config.hpp"
#include "sort_core/error.hpp"
#include "suffix/build.hpp"

namespace ordo::suffix {
namespace {

// Below this many residues the CPU is done before a GPU has started.
constexpr std::size_t worth_a_gpu = std::size_t{16} << 20;

// A pool rounds what it takes up by an eighth at most.
constexpr std::size_t with_rounding(std::size_t bytes) {
  return bytes + bytes / 8;
}

void check_sizes(text const& input, std::size_t sa, std::size_t lcp, std::size_t bwt, std::size_t index_bytes) {
  std::size_t const n = input.size();
  if (!input.starts.empty() && (input.starts.front() != 0 || input.starts.back() > n || !std::ranges::is_sorted(input.starts)))
    throw usage_error("bad records: suffix array: starts must ascend from 0 to the number of residues at most");
  if (!index_fits(index_bytes, n, input.records()))
    throw usage_error(fmt::format("index too narrow: suffix array: {} residues in {} records do not fit {} bits", n,
                                  input.records(), 8 * index_bytes));
  if (sa != n || (lcp != 0 && lcp != n) || (bwt != 0 && bwt != n + input.records()))
    throw usage_error(fmt::format("arrays of wrong size: suffix array: {} residues in {} records", n, input.records()));
}

// Calls on_machine(device) for the chosen machine; and again for the CPU when the GPU's memory ran out in the midst.
// memory_on(device) is what it takes.
template <class MemoryOn, class OnMachine>
report run(text const& input, options const& how, MemoryOn memory_on, OnMachine on_machine) {
  report done;
  done.machine = choose(how.machine.where, input.size(), memory_on(device::gpu), worth_a_gpu);
  if constexpr (cuda_enabled) {
    if (done.machine.where == device::gpu) {
      try {
        done.device_memory = on_machine(device::gpu);
        return done;
      } catch (out_of_memory const& e) {
        if (done.machine.asked) throw;
        done.machine = {device::cpu, e.what(), true, false};
      }
    }
  }
  if (std::size_t const bytes = memory_on(device::cpu); bytes > how.memory)
    throw out_of_memory(fmt::format("out of memory: suffix array of {} residues: {} bytes are needed, {} may be taken",
                                    input.size(), bytes, how.memory),
                        bytes);
  on_machine(device::cpu);
  return done;
}

}  // namespace

std::size_t text::record_of(std::size_t p) const noexcept {
  if (starts.empty()) return 0;
  return std::size_t(std::ranges::upper_bound(starts, p) - starts.begin()) - 1;
}

bool index_fits(std::size_t bytes, std::size_t n, std::size_t records) noexcept {
  // Ranks are below n + records; n stands for no position. There is a record at least.
  std::size_t const most = bytes >= 8 ? std::numeric_limits<std::size_t>::max() : std::numeric_limits<std::uint32_t>::max();
  return records <= most && n <= most - records;
}

std::size_t memory_needed(device where, std::size_t n, std::size_t records, std::size_t index_bytes, wanted what) {
  // While the first keys are sorted: keys and positions, each twice; the text packed in up to a byte a letter; its breaks.
  std::size_t const sort = 2 * (8 + index_bytes) * n + n + n / 8 + 16 * records;
  // On the CPU one of the two arrays of positions is the result.
  if (where == device::cpu) return with_rounding(sort - index_bytes * n);
  // Afterwards: positions, packed text, lengths, and up to as much again twice to make them. The GPU has the plain text, too,
  // before it sorts.
  std::size_t const lengths = 4 * index_bytes * n + n + n / 8 + 16 * records;
  return with_rounding(std::max({sort, what.lcp ? lengths : 0, 2 * n + n / 8}));
}

std::size_t memory_for_check(device where, std::size_t n, std::size_t records, std::size_t index_bytes) {
  // Positions and their inverse, sorted with as much scratch; the records' breaks.
  std::size_t const sort = 4 * index_bytes * n + n / 8 + 16 * records;
  // The GPU has the array itself, too; later the inverse, residues, and lengths or rows.
  return with_rounding(sort + (where == device::cpu ? 0 : (index_bytes + 2) * n));
}

template <class Index>
report build(text const& input, arrays<Index> out, options const& how) {
  check_sizes(input, out.sa.size(), out.lcp.size(), out.bwt.size(), sizeof(Index));
  wanted const what{!out.lcp.empty(), !out.bwt.empty()};
  auto const memory_on = [&](device where) { return memory_needed(where, input.size(), input.records(), sizeof(Index), what); };
  return run(input, how, memory_on, [&](device where) {
    if constexpr (cuda_enabled)
      if (where == device::gpu) return detail::build_on_cuda(input, out, how);
    return detail::build_on_host(input, out, how);
  });
}

template <class Index>
result<Index> build(text const& input, wanted what, options const& how) {
  std::size_t const n = input.size();
  result<Index> all;
  all.sa.resize(n);
  if (what.lcp) all.lcp.resize(n);
  if (what.bwt) all.bwt.resize(n + input.records());
  all.how = build(input, arrays<Index>{all.sa, all.lcp, all.bwt}, how);
  return all;
}

template <class Index>
std::optional<fault> check(text const& input, arrays<Index const> all, options const& how, report* done) {
  check_sizes(input, all.sa.size(), all.lcp.size(), all.bwt.size(), sizeof(Index));
  auto const memory_on = [&](device where) { return memory_for_check(where, input.size(), input.records(), sizeof(Index)); };
  std::optional<fault> found;
  report const used = run(input, how, memory_on, [&](device where) {
    if constexpr (cuda_enabled)
      if (where == device::gpu) return detail::check_on_cuda(input, all, how, found);
    return detail::check_on_host(input, all, how, found);
  });
  if (done) *done = used;
  return found;
}

template report build(text const&, arrays<std::uint32_t>, options const&);
template report build(text const&, arrays<std::uint64_t>, options const&);
template result<std::uint32_t> build(text const&, wanted, options const&);
template result<std::uint64_t> build(text const&, wanted, options const&);
template std::optional<fault> check(text const&, arrays<std::uint32_t const>, options const&, report*);
template std::optional<fault> check(text const&, arrays<std::uint64_t const>, options const&, report*);

}  // namespace ordo::suffix
