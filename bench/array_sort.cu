// Many arrays, each sorted where it lies (Awan and Saeed, GPU-ArraySort), beside CUB's segmented sorts, the tagged sort (STA),
// and bb_segsort and ModernGPU where they are built in, in one process on one input; with --sweep, over the number of arrays;
// and, with --capacity, as many as the card holds.
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>

#include "bench/bench.hpp"
#include "bench/segment_bench.cuh"
#include "tools/cli/run_main.hpp"

namespace ordo::bench {
namespace {

struct arrays {
  static constexpr bool headline_is_uniform = true;  // the paper's arrays have one length, and everybody knows it
  template <class K, class V>
  void operator()(cuda_backend& machine, std::span<K> keys, std::span<V> values, segment_list<std::uint32_t> list,
                  std::span<std::uint8_t>) const {
    sort_arrays(machine, keys, values, list);
  }
  static std::size_t memory(layout const& where, std::size_t key_bytes, std::size_t value_bytes, bool bounded) {
    return cuda_backend::array_sort_memory(where.extent, where.count, bounded ? where.longest : where.extent, key_bytes,
                                           value_bytes);
  }
  // Ties of longer arrays may come in any order; where keys and payload belong together is checked all the same.
  static bool is_stable(layout const& where) { return where.longest <= max_stable_array_length; }
};

// ---- STA ----

struct tag_at {
  owner_of owner;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return owner(i) - 1; }
};

/// All keys by value, carrying the numbers of their arrays; then all by number, stably. Making the tags does not count.
struct race_sta {
  session& s;

  template <class K>
  void operator()(layout const& where, columns<K, no_values> const& in, columns<K, no_values> const& out,
                  row_result& result) const {
    if_it_fits(s, result.name + ", STA", [&] { run(where, in, out, result); });
  }
  template <class K, class V>
  void operator()(layout const&, columns<K, V> const&, columns<K, V> const&, row_result&) const {}  // keys only

 private:
  template <class K>
  void run(layout const& where, columns<K, no_values> const& in, columns<K, no_values> const& out, row_result& result) const {
    auto const tags = s.lab.buffer<std::uint32_t>(where.extent);
    pooled memory{&s.lab.pool()};
    auto const policy = thrust::cuda::par(memory).on(s.lab.stream());
    K* const keys = out.keys.data();
    std::uint32_t* const tag = tags.data();
    timing const time = median_time(
        s.lab.stream(), s.how.runs,
        [&] {
          in.copy_to(out, s.lab.stream());
          fill(s.lab, tags.span(), tag_at{where.owner()});
        },
        [&] {
          thrust::stable_sort_by_key(policy, keys, keys + where.extent, tag);
          thrust::stable_sort_by_key(policy, tag, tag + where.extent, keys);
        });
    result.rivals["STA"] = {time, is_right(s.lab, where, in, out, true)};
  }
};

// ---- Rows ----

constexpr std::size_t paper_lengths[] = {1000, 2000, 3000, 4000};

std::vector<row> all_rows(std::size_t shrink) {
  using enum types;
  using enum pattern;
  std::size_t const many = 200'000 / shrink;
  std::vector<row> rows;
  // What they should take on an H200.
  for (auto const& [length, target] :
       std::vector<std::pair<std::size_t, double>>{{1000, 1.1}, {2000, 2.4}, {3000, 3.9}, {4000, 5.5}})
    rows.push_back({fixed_lengths{length}, f32, random, target, many});

  // Other types.
  for (types const of : {f64, u64, f32_u32, f32_u64})
    for (std::size_t const length : {1000, 4000}) rows.push_back({fixed_lengths{length}, of, random, 0, many});

  // Other lengths: short, beyond what fits on chip, and of many kinds.
  for (std::size_t const length : {10, 100}) rows.push_back({fixed_lengths{length}, f32, random, 0, many * 1000 / length});
  for (types const of : {f32, f32_u32}) {
    rows.push_back({fixed_lengths{20'000}, of, random, 0, many / 20});
    rows.push_back({fixed_lengths{200'000}, of, random, 0, many / 200});
    rows.push_back({zipf_lengths{0.8, 2000}, of});
    rows.push_back({zipf_lengths{0.8, 100'000}, of});
    rows.push_back({log_normal_lengths{170, 0.3}, of});
    rows.push_back({log_normal_lengths{690, 0.8}, of});
  }
  rows.push_back({log_normal_lengths{690, 0.8}, f64});

  // Other keys.
  for (pattern const order : {equal, few, sorted, reversed}) {
    rows.push_back({fixed_lengths{1000}, f32, order, 0, many});
    rows.push_back({fixed_lengths{200'000}, f32, order, 0, many / 200});
  }
  return rows;
}

/// Figures 4 to 7 of the paper: a curve for each length, over the number of arrays.
std::vector<row> sweep_rows(std::size_t shrink) {
  std::vector<row> rows;
  for (std::size_t const length : paper_lengths)
    for (std::size_t const count : {25'000, 50'000, 75'000, 100'000, 125'000, 150'000, 175'000, 200'000})
      rows.push_back({.segments = fixed_lengths{length}, .of = types::f32, .arrays = count / shrink, .counted = true});
  return rows;
}

/// @param n  items of the rows that do not say how many arrays they have
void measure_row(session& s, row const& what, std::size_t n) {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  auto const go = [&]<class K, class V>(columns<K, V> const*) { measure<K, V>(s, what, n, arrays{}, race_sta{s}); };
  switch (what.of) {
    case types::f32:
      return go(static_cast<columns<float, no_values>*>(nullptr));
    case types::f32_u32:
      return go(static_cast<columns<float, u32>*>(nullptr));
    case types::f32_u64:
      return go(static_cast<columns<float, u64>*>(nullptr));
    case types::f64:
      return go(static_cast<columns<double, no_values>*>(nullptr));
    case types::u64:
      return go(static_cast<columns<u64, no_values>*>(nullptr));
    default:
      throw usage_error("row of types that are not compiled in: " + what.name());
  }
}

// ---- Capacity ----

/// Counts the arrays that are out of order, or that do not hold the floats which `fresh` put there: the sums and the xors of
/// their mixed words must agree. A warp an array.
__global__ void __launch_bounds__(256)
    verify_arrays(float const* data, std::size_t count, std::size_t length, key_at<float> fresh, unsigned long long* wrong) {
  std::size_t const array = (std::size_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (array >= count) return;
  std::size_t const begin = array * length;
  std::uint64_t total = 0, parity = 0;
  bool ordered = true;
  for (std::size_t i = begin + threadIdx.x % 32; i < begin + length; i += 32) {
    std::uint64_t const is = mixed(code_of(data[i])), was = mixed(code_of(fresh(i)));
    total += is - was;
    parity ^= is ^ was;
    if (i > begin && code_of(data[i - 1]) > code_of(data[i])) ordered = false;
  }
  for (int step = 16; step != 0; step /= 2) {
    total += __shfl_xor_sync(~0u, total, step);
    parity ^= __shfl_xor_sync(~0u, parity, step);
  }
  ordered = __all_sync(~0u, ordered);
  if (threadIdx.x % 32 == 0 && (!ordered || total != 0 || parity != 0)) atomicAdd(wrong, 1ull);
}

std::uint64_t wrong_arrays(cuda_backend& lab, std::span<float const> data, std::size_t length, key_at<float> fresh) {
  std::size_t const count = data.size() / length;
  auto const wrong = lab.buffer<unsigned long long>(1);
  fill(lab, wrong.span(), constant<unsigned long long>{0});
  verify_arrays<<<unsigned((count + 7) / 8), 256, 0, lab.stream()>>>(data.data(), count, length, fresh, wrong.data());
  ORDO_CUDA(cudaGetLastError());
  return value_at(lab, wrong.span(), 0);
}

/// The least free memory of the device while this lives, asked every millisecond.
class memory_watch {
 public:
  [[nodiscard]] std::size_t least() const { return least_; }

 private:
  std::atomic<std::size_t> least_ = free_memory();
  std::jthread thread_{[this](std::stop_token stop) {
    while (!stop.stop_requested()) {
      std::size_t free = 0, total = 0;
      if (cudaMemGetInfo(&free, &total) == cudaSuccess && free < least_) least_ = free;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }};
};

void measure_capacity(session& s, std::size_t length) {
  capacity_result result;
  result.length = length;
  result.arrays = std::size_t(s.how.capacity * 1e9) / result.length;
  result.floats = result.arrays * result.length;
  key_at<float> const fresh = keys_like<float>(pattern::random, result.floats);
  cuda_backend machine;
  auto const sort = [&](std::span<float> data) {
    sort_arrays(machine, data, std::span<std::uint32_t>{}, uniform_segments(data.size() / result.length, result.length));
  };
  {  // kernels are loaded at their first call, and take memory then
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
    result.free_least = std::min(watch.least(), free_memory());  // the pool has kept its blocks
  }
  result.pool_peak = machine.pool().peak();
  result.allowed_bytes = cuda_backend::array_sort_memory(result.floats, result.arrays, result.length, sizeof(float), 0);
  result.wrong_arrays = wrong_arrays(s.lab, data.span(), result.length, fresh);
  s.out.add(result);
}

int run(int argc, char const* const* argv) {
  options how;
  if (auto const status = parse(program::array_sort, argc, argv, how)) return *status;
  report out(program::array_sort, how, describe_machine(), with_built_in_rivals({"CUB seg", "seg radix", "packed", "STA"}));
  session s{cuda_backend(), how, out};
  if (how.capacity != 0) {
    for (std::size_t const length : paper_lengths)
      if_it_fits(s, "arrays of " + std::to_string(length), [&] { measure_capacity(s, length); });
    return out.status();
  }
  std::size_t const shrink = how.quick ? 16 : 1;
  for (row const& what : how.sweep ? sweep_rows(shrink) : all_rows(shrink))
    if (how.chosen(what.name())) if_it_fits(s, what.name(), [&] { measure_row(s, what, (std::size_t{1} << 28) / shrink); });
  return out.status();
}

}  // namespace
}  // namespace ordo::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("array_sort", [&] { return ordo::bench::run(argc, argv); });
}
