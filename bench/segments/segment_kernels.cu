// Measures the kernels of the segmented sort one by one, as figures 9 and 10 of Hou et al. (ICS'17) do: a segment by 8, 16 or
// 32 lanes of a warp with 4, 8 or 16 pairs each in registers, and by 2 to 32 warps of a block.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/segments/tuner.cuh"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

constexpr shape_list figure_shapes = [] {
  shape_list list;
  constexpr unsigned registers = 1 << 16, max_blocks = 32;  // a multiprocessor
  for (unsigned const lanes : {8, 16, 32})
    for (unsigned const items : {4, 8, 16})
      list.add({tuning::method::network, lanes, items, registers / (tuning::network_threads * (items == 16 ? 128 : 64))});
  for (unsigned const warps : {2, 4, 8, 16, 32})
    for (unsigned const items : {4, 6, 8, 12, 16})
      list.add({tuning::method::buckets, 32 * warps, items, std::max(1u, std::min(max_blocks, registers / (32 * warps * 64)))});
  return list;
}();

int run(int argc, char const* const* argv) {
  bench_options options;
  if (auto const status = parse(program::segment_kernels, argc, argv, options)) return *status;
  facts const machine = describe_machine();
  report out(program::segment_kernels, options, machine, {});
  session s{cuda_backend(), options, out};
  tuner<figure_shapes, std::uint32_t, std::uint32_t> tuned(s, "u32/u32");
  std::vector<width_times> const widths{tuned.run()};
  print_fastest(widths.front());
  save(program::segment_kernels, options, machine, widths);
  return tuned.failed() ? 1 : 0;
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("segment_kernels", [&] { return ordo::bench::run(argc, argv); });
}
