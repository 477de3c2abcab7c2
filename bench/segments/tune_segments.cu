// Finds the table of sort_core/cuda/tuning/segmented.cuh: measures every shape of kernel at every length that it could sort, on
// segments of equal length and evenly distributed keys.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/segments/tuner.cuh"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

/// The shapes of the tables, and others: after the number of items, the registers of a thread remain to be chosen.
constexpr shape_list candidates = [] {
  shape_list list;
  for (unsigned c = 0; c < tuning::classes; ++c) {
    list.add(tuning::class_shape<4, 4>(c));
    list.add(tuning::class_shape<8, 4>(c));
  }
  constexpr unsigned registers = 1 << 16, max_blocks = 32;  // a multiprocessor
  for (unsigned const lanes : {8, 16, 32})
    for (unsigned const items : {4, 6, 8, 12, 16})
      for (unsigned const of_thread : {64, 85, 128})
        if (of_thread >= 6 * items && of_thread <= 21 * items)
          list.add({tuning::method::network, lanes, items, registers / (tuning::network_threads * of_thread)});
  for (unsigned const threads : {32, 64, 128, 256, 512, 1024})
    for (unsigned const items : {3, 4, 6, 8, 9, 12, 16})
      for (unsigned const of_thread : {56, 64, 80})
        list.add(
            {tuning::method::buckets, threads, items, std::max(1u, std::min(max_blocks, registers / (threads * of_thread)))});
  return list;
}();

int run(int argc, char const* const* argv) {
  bench_options options;
  if (auto const status = parse(program::tune_segments, argc, argv, options)) return *status;
  facts const machine = describe_machine();
  report out(program::tune_segments, options, machine, {});
  session s{cuda_backend(), options, out};
  std::vector<width_times> widths;
  bool failed = false;
  auto const tune = [&]<class K, class V>(columns<K, V> const*, std::string const& name) {
    if (!options.selects(name)) return;
    tuner<candidates, K, V> tuned(s, name);
    widths.push_back(tuned.run());
    failed = failed || tuned.failed();
    print_fastest(widths.back());
    save(program::tune_segments, options, machine, widths);
  };
  tune(static_cast<columns<std::uint32_t, no_values>*>(nullptr), "u32");
  tune(static_cast<columns<std::uint32_t, std::uint32_t>*>(nullptr), "u32/u32");
  std::size_t const narrow = widths.size();
  tune(static_cast<columns<std::uint64_t, std::uint32_t>*>(nullptr), "u64/u32");

  // One table is for keys of 32 bits with any values, the other for the rest.
  std::span<width_times const> const all(widths);
  auto const print = [&](char const* name, std::span<width_times const> some) {
    if (!some.empty()) print_table(name, fastest_table(some, tuning::classes), some);
  };
  print("small", all.first(narrow));
  print("large", all.subspan(narrow));
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("tune_segments", [&] { return ordo::bench::run(argc, argv); });
}
