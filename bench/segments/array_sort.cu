// Measures the in-place sort of many arrays (Awan and Saeed, GPU-ArraySort) beside CUB's segmented sorts, the tagged sort (STA)
// and, where they are built, bb_segsort and ModernGPU, in one process on the same inputs; with --sweep, over the number of
// arrays; with
// --capacity, as count arrays as the GPU's memory holds.
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/bench.hpp"
#include "bench/segments/array_sort.cuh"
#include "bench/segments/verify_arrays.cuh"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

// ---- Rows ----

constexpr std::size_t paper_lengths[] = {1000, 2000, 3000, 4000};

std::vector<segment_row> all_rows(std::size_t shrink) {
  using enum types;
  using enum pattern;
  std::size_t const count = 200'000 / shrink;
  std::vector<segment_row> rows;
  // Targets in milliseconds on an H200.
  for (auto const& [length, target] :
       std::vector<std::pair<std::size_t, double>>{{1000, 1.1}, {2000, 2.4}, {3000, 3.9}, {4000, 5.5}})
    rows.push_back({fixed_lengths{length}, f32, random, target, count});

  // Other types.
  for (types const type : {f64, u64, f32_u32, f32_u64})
    for (std::size_t const length : {1000, 4000}) rows.push_back({fixed_lengths{length}, type, random, 0, count});

  // Other lengths: short ones, ones that no block can hold, and mixtures.
  for (std::size_t const length : {10, 100}) rows.push_back({fixed_lengths{length}, f32, random, 0, count * 1000 / length});
  for (types const type : {f32, f32_u32}) {
    rows.push_back({fixed_lengths{20'000}, type, random, 0, count / 20});
    rows.push_back({fixed_lengths{200'000}, type, random, 0, count / 200});
    rows.push_back({zipf_lengths{0.8, 2000}, type});
    rows.push_back({zipf_lengths{0.8, 100'000}, type});
    rows.push_back({log_normal_lengths{170, 0.3}, type});
    rows.push_back({log_normal_lengths{690, 0.8}, type});
  }
  rows.push_back({log_normal_lengths{690, 0.8}, f64});

  // Other keys.
  for (pattern const order : {equal, few, sorted, reversed}) {
    rows.push_back({fixed_lengths{1000}, f32, order, 0, count});
    rows.push_back({fixed_lengths{200'000}, f32, order, 0, count / 200});
  }
  return rows;
}

/// Returns the rows of figures 4 to 7 of the paper: a curve for each length, over the number of arrays.
std::vector<segment_row> sweep_rows(std::size_t shrink) {
  std::vector<segment_row> rows;
  for (std::size_t const length : paper_lengths)
    for (std::size_t const count : {25'000, 50'000, 75'000, 100'000, 125'000, 150'000, 175'000, 200'000})
      rows.push_back({.segments = fixed_lengths{length}, .type = types::f32, .arrays = count / shrink, .counted = true});
  return rows;
}

/// Returns the rows of figure 2 of the paper: 50,000 arrays, over their length.
std::vector<segment_row> length_rows(std::size_t shrink) {
  std::vector<segment_row> rows;
  for (std::size_t length = 200; length <= 4000; length += 200)
    rows.push_back({.segments = fixed_lengths{length}, .type = types::f32, .arrays = 50'000 / shrink, .counted = true});
  return rows;
}

/// @param n  number of items of rows without a number of arrays
void measure_row(session& s, segment_row const& row, std::size_t n) {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  switch (row.type) {
    case types::f32:
      return measure_types<float, no_values>(s, row, n);
    case types::f32_u32:
      return measure_types<float, u32>(s, row, n);
    case types::f32_u64:
      return measure_types<float, u64>(s, row, n);
    case types::f64:
      return measure_types<double, no_values>(s, row, n);
    case types::u64:
      return measure_types<u64, no_values>(s, row, n);
    default:
      throw usage_error("types that are not compiled in: " + row.name());
  }
}

// ---- Capacity ----

/// Records the minimum of the free memory of the device during its lifetime, sampled every millisecond.
class memory_watch {
 public:
  [[nodiscard]] std::size_t min_free() const { return min_free_; }

 private:
  std::atomic<std::size_t> min_free_ = free_memory();
  std::jthread thread_{[this](std::stop_token stop) {
    while (!stop.stop_requested()) {
      std::size_t free = 0, total = 0;
      if (cudaMemGetInfo(&free, &total) == cudaSuccess && free < min_free_) min_free_ = free;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }};
};

void measure_capacity(session& s, std::size_t length) {
  capacity_result result;
  result.length = length;
  result.arrays = std::size_t(s.options.capacity * 1e9) / result.length;
  result.floats = result.arrays * result.length;
  key_at<float> const fresh = keys_like<float>(pattern::random, result.floats);
  cuda_backend machine;
  auto const sort = [&](std::span<float> data) {
    sort_arrays(machine, data, std::span<std::uint32_t>{}, uniform_segments(data.size() / result.length, result.length));
  };
  {  // the first call of a kernel loads it, which takes memory
    auto const few = s.lab.buffer<float>(1000 * result.length);
    fill(s.lab, few.span(), fresh);
    wait_for(s.lab);
    sort(few.span());
    wait_for(machine);
    static_cast<void>(wrong_arrays(s.lab, few.span(), result.length, fresh));
  }
  s.lab.pool().trim();
  machine.pool().trim();
  device_memory plain;  // cudaMalloc, no pool
  buffer<float> const data(plain, result.floats);
  fill(s.lab, data.span(), fresh);
  wait_for(s.lab);
  result.free_before = free_memory();
  {
    memory_watch const watch;
    result.ms = median_time(
                    machine.stream(), 1, [] {}, [&] { sort(data.span()); }, 0)
                    .ms;
    result.min_free = std::min(watch.min_free(), free_memory());  // the pool keeps its blocks
  }
  result.pool_peak = machine.pool().peak();
  result.allowed_bytes = cuda_backend::array_sort_memory(result.floats, result.arrays, result.length, sizeof(float), 0);
  result.wrong_arrays = wrong_arrays(s.lab, data.span(), result.length, fresh);
  s.out.add(result);
}

int run(int argc, char const* const* argv) {
  bench_options options;
  if (auto const status = parse(program::array_sort, argc, argv, options)) return *status;
  report out(program::array_sort, options, describe_machine(), with_optional_rivals({"CUB seg", "seg radix", "packed", "STA"}));
  session s{cuda_backend(), options, out};
  if (options.capacity != 0) {
    for (std::size_t const length : paper_lengths)
      if_it_fits(s, "arrays of " + std::to_string(length), [&] { measure_capacity(s, length); });
    return out.status();
  }
  std::size_t const shrink = options.quick ? 16 : 1;
  for (segment_row const& row : options.sweep       ? sweep_rows(shrink)
                                : options.by_length ? length_rows(shrink)
                                                    : all_rows(shrink))
    if (options.selects(row.name())) if_it_fits(s, row.name(), [&] { measure_row(s, row, (std::size_t{1} << 28) / shrink); });
  return out.status();
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("array_sort", [&] { return ordo::bench::run(argc, argv); });
}
