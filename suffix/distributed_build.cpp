#include "ordo/suffix/distributed_build.hpp"

#include <fmt/format.h>

#include "ordo/cpu.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "sort_core/gpu_threshold.hpp"
#include "suffix/arrays/build.hpp"
#include "suffix/sort/member_share.hpp"

namespace ordo::inline v0::suffix {
namespace {

template <class Index>
detail::suffix_builder<Index> builder_on(device kind) {
  if constexpr (cuda_enabled)
    if (kind == device::gpu) return detail::cuda_builder<Index>();
  return detail::host_builder<Index>();
}

}  // namespace

template <class Index>
distributed_report build_into(communicator& members, text const& input, extra_arrays arrays, output_opener const& open,
                              std::size_t entry_bytes, build_options const& options) {
  detail::check_residues(input, options.rows, arrays.bwt);
  std::size_t const n = input.size(), share_of_n = n / members.size() + 1;
  detail::member_share share(members, open,
                             detail::check_arrays(n, input.starts, entry_bytes, sizeof(Index), options.rows, arrays.bwt));
  machine_choice const machine = choose_machine(
      options.machine, share_of_n * input.residue_bytes, detail::min_gpu_bytes(options.machine.threads), [&](gpu_info const&) {
        return build_memory(device::gpu, share_of_n, input.records(), sizeof(Index), arrays, options.rows, input.residue_bytes)
            .min_bytes;
      });
  detail::results<Index> const to{arrays, {}, {.entry_bytes = share.entry_bytes()}, options.rows, &share};
  std::size_t peak = 0;
  try {
    peak = builder_on<Index>(machine.device).build(input, to, options, machine.gpu_index);
  } catch (text_too_large const&) {
    throw;
  } catch (out_of_memory const& e) {
    throw out_of_memory(
        fmt::format("{}: suffix array of {} residues: member {} of {} sorts {} suffixes: more members need less memory each",
                    e.what(), n, members.rank() + 1, members.size(), share.report.rows),
        e.bytes());
  }
  distributed_report report;
  report.build.machine = machine;
  if (machine.device == device::gpu) report.build.device_memory = peak;
  report.rows = share.report.rows;
  report.exchanged = share.report.exchanged;
  report.rounds = share.report.rounds;
  return report;
}

namespace {

/// Runs work(member) for each of some machines.
void run_on_machines(std::span<machine_options const> machines, std::function<void(communicator&)> const& work) {
  auto const run = [&](communicator& members, machine&) { work(members); };
  // Members that are GPUs exchange data without the host.
  std::vector<unsigned> gpus;
  for (machine_options const& machine : machines)
    if (machine.device == device::gpu && machine.gpu_index) gpus.push_back(*machine.gpu_index);
  if (gpus.empty() || gpus.size() != machines.size())
    run_members(machines.size(), run, 1);
  else
    run_members(gpus, run);
}

}  // namespace

template <class Index>
distributed_report build_into(std::span<machine_options const> machines, text const& input, sinks const& out,
                              build_options const& options) {
  if (!out.sa) throw usage_error("no sink: suffix array: sinks::sa is null");
  distributed_report first;
  run_on_machines(machines, [&](communicator& members) {
    bool const is_first = members.rank() == 0;
    output_opener const open = [&](std::string_view array, std::uint64_t bytes) {
      sink* const to = array == "sa" ? out.sa : array == "lcp" ? out.lcp : out.bwt;
      if (is_first) to->expect(bytes);
      return to;
    };
    build_options here = options;
    here.machine = machines[members.rank()];
    here.memory = options.memory / members.size();
    if (!is_first) here.on_phase = {};
    distributed_report const report =
        build_into<Index>(members, input, {out.lcp != nullptr, out.bwt != nullptr}, open, out.entry_bytes, here);
    if (is_first) first = report;
  });
  return first;
}

template <class Index>
check_report check(communicator& members, text const& input, arrays<Index const> own, build_options const& options) {
  std::size_t const n = input.size(), size = members.size();
  detail::check_residues(input, options.rows, !own.bwt.empty());
  if (!options.rows.all()) throw usage_error("cannot check: suffix array: a communicator checks arrays of all rows only");
  detail::check_arrays(n, input.starts, sizeof(Index), sizeof(Index), options.rows, !own.bwt.empty());
  bool const has_lcp = members.reduce(!own.lcp.empty(), reduction::max) != 0,
             has_bwt = members.reduce(!own.bwt.empty(), reduction::max) != 0;
  std::size_t const rows = own.sa.size(), ends = members.rank() == 0 ? input.records() : 0;
  bool const is_right = (!has_lcp || own.lcp.size() == rows) && (!has_bwt || own.bwt.size() == rows + ends);
  if (members.reduce(rows, reduction::sum) != n || members.reduce(!is_right, reduction::max) != 0)
    throw usage_error(fmt::format("wrong array size: suffix array: {} residues in {} records", n, input.records()));
  check_report report;
  report.build.machine = choose_machine(options.machine, n / size * input.residue_bytes,
                                        detail::min_gpu_bytes(options.machine.threads), [&](gpu_info const&) {
                                          return check_memory(device::gpu, n / size + 1, input.records(), sizeof(Index),
                                                              {has_lcp, has_bwt}, {}, input.residue_bytes) +
                                                 n * input.residue_bytes;
                                        });
  machine_choice const& machine = report.build.machine;
  try {
    std::size_t const peak =
        builder_on<Index>(machine.device).check_share(members, input, own, options, machine.gpu_index, report);
    if (machine.device == device::gpu) report.build.device_memory = peak;
  } catch (out_of_memory const& e) {
    throw out_of_memory(
        fmt::format("{}: check of {} residues: member {} of {} checks {} rows: more members need less memory each", e.what(), n,
                    members.rank() + 1, size, rows),
        e.bytes());
  }
  return report;
}

template <class Index>
check_report check(std::span<machine_options const> machines, text const& input, arrays<Index const> all,
                   build_options const& options) {
  check_report first;
  run_on_machines(machines, [&](communicator& members) {
    build_options here = options;
    here.machine = machines[members.rank()];
    here.memory = options.memory / members.size();
    check_report const report =
        check<Index>(members, input, share_of_rows(all, input.records(), members.size(), members.rank()), here);
    if (members.rank() == 0) first = report;
  });
  return first;
}

template check_report check(communicator&, text const&, arrays<std::uint32_t const>, build_options const&);
template check_report check(communicator&, text const&, arrays<std::uint64_t const>, build_options const&);
template check_report check(std::span<machine_options const>, text const&, arrays<std::uint32_t const>, build_options const&);
template check_report check(std::span<machine_options const>, text const&, arrays<std::uint64_t const>, build_options const&);
template distributed_report build_into<std::uint32_t>(std::span<machine_options const>, text const&, sinks const&,
                                                      build_options const&);
template distributed_report build_into<std::uint64_t>(std::span<machine_options const>, text const&, sinks const&,
                                                      build_options const&);
template distributed_report build_into<std::uint32_t>(communicator&, text const&, extra_arrays, output_opener const&,
                                                      std::size_t, build_options const&);
template distributed_report build_into<std::uint64_t>(communicator&, text const&, extra_arrays, output_opener const&,
                                                      std::size_t, build_options const&);

}  // namespace ordo::inline v0::suffix
