// Finds how many floats the memory of a GPU holds while they are sorted as arrays in place by Ordo, and beside a second copy by
// CUB, STA and, where it is built, bb_segsort: table 1 of Awan and Saeed (ICPPW'16) with today's rivals. Every array is
// checked.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "bench/row_file.hpp"
#include "bench/segments/segment_bench.cuh"
#include "bench/segments/verify_arrays.cuh"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

/// Offsets that need no memory.
template <class Offset>
struct offset_at {
  std::size_t length, from;
  ORDO_FN Offset operator()(std::int64_t i) const { return Offset((std::size_t(i) + from) * length); }
};
template <class Offset>
auto offsets_from(std::size_t length, std::size_t from) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), offset_at<Offset>{length, from});
}

/// What a sort needs for n floats beside them, the most floats that its interface takes, and the sort: f(floats, n) returns the
/// time, and where the result is.
struct contender {
  char const* name;
  std::function<std::size_t(std::size_t n)> extra_bytes;
  std::size_t max_floats;
  std::function<std::pair<double, float*>(std::span<float> floats, float* spare)> sort;
  bool has_spare = true;  // needs a second copy
};

double once(cudaStream_t stream, auto work) {
  return median_time(
             stream, 1, [] {}, work, 0)
      .ms;
}

/// Sorts as many arrays as fit, and checks them.
void measure(session& s, row_file& out, contender const& by, std::size_t length) {
  s.lab.pool().trim();
  std::size_t const free = free_memory(), margin = std::size_t{512} << 20;
  auto const needed_bytes = [&](std::size_t count) {
    std::size_t const n = count * length;
    return (by.has_spare ? 8 : 4) * n + by.extra_bytes(n) + margin;
  };
  std::size_t low = 0, high = free / (4 * length) + 1;  // arrays that fit, and that do not
  while (high - low > 1) {
    std::size_t const middle = low + (high - low) / 2;
    (middle * length <= by.max_floats && needed_bytes(middle) <= free ? low : high) = middle;
  }
  bool const by_interface = (low + 1) * length > by.max_floats;
  std::string why;
  for (int attempt = 0; attempt < 8 && low != 0; ++attempt, low -= low / 32) {
    std::size_t const n = low * length;
    try {
      key_at<float> const fresh = keys_like<float>(pattern::random, n);
      device_memory plain;  // cudaMalloc, no pool
      buffer<float> const data(plain, n), spare(plain, by.has_spare ? n : 0);
      fill(s.lab, data.span(), fresh);
      wait_for(s.lab);
      auto const [ms, sorted] = by.sort(data.span(), spare.data());
      std::uint64_t const wrong = wrong_arrays(s.lab, std::span<float const>(sorted, n), length, fresh);
      out.add({{"name", std::string(by.name) + " " + std::to_string(length)},
               {"sort", by.name},
               {"length", length},
               {"arrays", low},
               {"floats", n},
               {"ms", rounded_ms(ms)},
               {"free_bytes", free},
               {"limit", by_interface ? "its interface" : "memory"},
               {"wrong_arrays", wrong},
               {"wrong", wrong != 0 && std::string_view(by.name) == "Ordo" ? "arrays" : ""}});
      return;
    } catch (out_of_memory const& e) {
      why = e.what();
    } catch (std::bad_alloc const& e) {  // Thrust throws it
      why = e.what();
    }
    static_cast<void>(cudaGetLastError());
    s.lab.pool().trim();
  }
  out.add({{"name", std::string(by.name) + " " + std::to_string(length)}, {"sort", by.name}, {"length", length}, {"why", why}});
}

std::vector<contender> contenders(session& s, std::size_t length) {
  cudaStream_t const stream = s.lab.stream();
  auto const none = std::numeric_limits<std::size_t>::max();
  std::vector<contender> all;
  all.push_back({"Ordo",
                 [=](std::size_t n) { return cuda_backend::array_sort_memory(n, n / length, length, sizeof(float), 0); }, none,
                 [=](std::span<float> floats, float*) {
                   cuda_backend machine;
                   double const ms = once(machine.stream(), [&] {
                     sort_arrays(machine, floats, std::span<std::uint32_t>{}, uniform_segments(floats.size() / length, length));
                   });
                   return std::pair(ms, floats.data());
                 },
                 false});

  auto const cub_seg = [=](void* temporary, std::size_t& bytes, cub::DoubleBuffer<float>& keys, std::size_t n) {
    return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, keys, std::int64_t(n), std::int64_t(n / length),
                                              offsets_from<std::int64_t>(length, 0), offsets_from<std::int64_t>(length, 1),
                                              stream);
  };
  auto const seg_radix = [=](void* temporary, std::size_t& bytes, cub::DoubleBuffer<float>& keys, std::size_t n) {
    return cub::DeviceSegmentedRadixSort::SortKeys(temporary, bytes, keys, int(n), int(n / length),
                                                   offsets_from<int>(length, 0), offsets_from<int>(length, 1), 0, 32, stream);
  };
  auto const add_cub = [&](char const* name, std::size_t max_floats, auto call) {
    all.push_back({name,
                   [=](std::size_t n) {
                     cub::DoubleBuffer<float> keys;
                     std::size_t bytes = 0;
                     ORDO_CUDA(call(nullptr, bytes, keys, n));
                     return bytes;
                   },
                   max_floats,
                   [=, &s](std::span<float> floats, float* spare) {
                     cub::DoubleBuffer<float> keys(floats.data(), spare);
                     std::size_t bytes = 0;
                     ORDO_CUDA(call(nullptr, bytes, keys, floats.size()));
                     auto const temporary = s.lab.buffer<char>(bytes + 1);
                     double const ms = once(stream, [&] { ORDO_CUDA(call(temporary.data(), bytes, keys, floats.size())); });
                     return std::pair(ms, keys.Current());
                   }});
  };
  add_cub("CUB seg", none, cub_seg);
  add_cub("seg radix", std::numeric_limits<int>::max(), seg_radix);

  // Tags, and Thrust's second copies of keys and tags.
  all.push_back({"STA", [](std::size_t n) { return 12 * n + n / 64; }, none,
                 [=, &s](std::span<float> floats, float*) {
                   auto const tags = s.lab.buffer<std::uint32_t>(floats.size());
                   fill(s.lab, tags.span(), owner_finder{nullptr, length});
                   pooled memory{&s.lab.pool()};
                   auto const policy = thrust::cuda::par(memory).on(stream);
                   float *const keys = floats.data(), *const end = keys + floats.size();
                   double const ms = once(stream, [&] {
                     thrust::stable_sort_by_key(policy, keys, end, tags.data());
                     thrust::stable_sort_by_key(policy, tags.data(), tags.data() + floats.size(), keys);
                   });
                   return std::pair(ms, keys);
                 },
                 false});
#ifdef ORDO_BB_SEGSORT
  // It numbers floats by int: beyond, it reads outside its memory.
  all.push_back({"bb_segsort", [=](std::size_t n) { return n / length * 12; }, std::size_t(std::numeric_limits<int>::max()),
                 [=, &s](std::span<float> floats, float* spare) {
                   std::size_t const count = floats.size() / length;
                   auto const offsets = s.lab.buffer<std::uint64_t>(count + 1);
                   fill(s.lab, offsets.span(), multiple{length, 0});
                   bb_segsort_work work{int(count)};
                   double const ms =
                       once(stream, [&] { work.sort_floats(offsets.data(), int(count), floats.data(), spare, stream); });
                   return std::pair(ms, spare);
                 }});
#endif
  return all;
}

int run(int argc, char const* const* argv) {
  std::string json;
  std::vector<std::size_t> lengths{1000, 2000, 3000, 4000};
  cli::command_table table{.name = "array_fit",
                           .summary = "measure",
                           .usage = {"[OPTION]..."},
                           .description = "The most floats that fit the GPU's memory while they are sorted as arrays."};
  table.options = {cli::value_row(
                       "lengths", "N[,N...]", "sort arrays of N floats",
                       [&](std::string_view spelling, std::string_view value) {
                         cli::parse_value(spelling, value, lengths);
                         if (std::ranges::find(lengths, 0) != lengths.end())
                           throw usage_error("invalid number: " + std::string(spelling) + ": '" + std::string(value) + "'");
                       },
                       "1000,2000,3000,4000"),
                   cli::value_row("json", "FILE", "write the figures to FILE", json), cli::help_row()};
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  bench_options none;
  report unused(program::array_sort, none, {}, {});
  session s{cuda_backend(), none, unused};
  row_file out("array_fit", json, describe_machine());
  for (std::size_t const length : lengths)
    for (contender const& by : contenders(s, length)) measure(s, out, by, length);
  return out.status();
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("array_fit", [&] { return ordo::bench::run(argc, argv); });
}
