// Measures the GPU's radix sort beside CUB's and Thrust's, in one process on the same inputs: keys of all widths, pairs,
// computed keys, many distributions, from a thousand items to two billion.
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <cub/device/device_radix_sort.cuh>

#include "bench/bench.hpp"
#include "bench/gpu_bench.cuh"
#include "bench/keys/whole_bench.cuh"
#include "sort_core/algorithms/backend_sorts.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

struct by_code {
  template <class K>
  ORDO_FN bool operator()(K a, K b) const {
    return encode_key(a) < encode_key(b);
  }
};

template <class K>
struct code_at {
  K const* keys;
  ORDO_FN auto operator()(std::size_t i) const { return encode_key(keys[i]); }
};

/// The pass that a caller of CUB runs before an argsort.
template <class K>
struct write_key_and_index {
  code_at<K> key;
  K* keys;
  std::uint32_t* index;
  ORDO_FN void operator()(std::size_t i) const {
    keys[i] = key(i);
    index[i] = std::uint32_t(i);
  }
};

/// Passes the length as 32 or 64 bits, whichever is faster in CUB, and two buffers, so that all memory is allocated before.
template <class K, class V, class Judge>
void race_cub(session& s, whole_row const& row, bit_range bits, columns<K, V> const& in, columns<K, V> const& out,
              Judge judge) {
  constexpr bool pairs = columns<K, V>::pairs;
  auto const n = std::uint32_t(in.keys.size());
  columns<K, V> const spare(s.lab, n);
  cub::DoubleBuffer<K> keys(out.keys.data(), spare.keys.data());
  cub::DoubleBuffer<stored<V>> values(out.values.data(), spare.values.data());
  auto const restore = [&] {
    keys.selector = values.selector = 0;
    if (!row.argsort) in.copy_to(out, s.lab.stream());
  };
  auto const call = [&](void* temporary, std::size_t& bytes) {
    if constexpr (!pairs && (sizeof(K) == 4 || sizeof(K) == 8))
      if (n >= 1u << 22)
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, std::int64_t(n), int(bits.begin), int(bits.end),
                                              s.lab.stream());
    if constexpr (pairs)
      return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, values, n, int(bits.begin), int(bits.end), s.lab.stream());
    else
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, n, int(bits.begin), int(bits.end), s.lab.stream());
  };
  timing const time = with_cub(s, call, [&](auto sort) {
    return time_whole(s.lab.stream(), s.options.runs, n, restore, [&] {
      if constexpr (std::is_unsigned_v<K> && std::is_same_v<V, std::uint32_t>)
        if (row.argsort) s.lab.each(n, write_key_and_index<K>{{in.keys.data()}, out.keys.data(), out.values.data()});
      sort();
    });
  });
  judge("CUB", time, keys.Current(), values.Current());
}

/// Takes temporary memory from a pool, so that only the warm-up allocates.
template <class K, class V, class Judge>
void race_thrust(session& s, columns<K, V> const& in, columns<K, V> const& out, Judge judge) {
  pooled memory{&s.lab.pool()};
  auto const policy = thrust::cuda::par(memory).on(s.lab.stream());
  K* const keys = out.keys.data();
  std::size_t const n = in.keys.size();
  timing const time = time_whole(
      s.lab.stream(), s.options.runs, n, [&] { in.copy_to(out, s.lab.stream()); },
      [&] {
        if constexpr (columns<K, V>::pairs)
          thrust::stable_sort_by_key(policy, keys, keys + n, out.values.data());
        else
          thrust::stable_sort(policy, keys, keys + n);
      });
  judge("Thrust", time, keys, out.values.data());
}

template <class K, class V>
void measure(session& s, whole_row const& row, unsigned log_items) {
  using data = columns<K, V>;
  std::size_t const n = std::size_t{1} << log_items;
  bit_range const bits{0, row.bits_given ? 20 : unsigned(8 * sizeof(K))};
  // Few types for Thrust: its sort is CUB's, and takes as long to compile.
  constexpr bool thrust_too = std::is_unsigned_v<K> && sizeof(K) >= 4 && sizeof(stored<V>) == 4;
  measure_whole<K, V>(
      s, row, log_items, [&](std::size_t count) { return make_columns<K, V>(s.lab, count, row.order); }, by_code{},
      cuda_backend::radix_sort_copy_memory(n, sizeof(K), data::pairs ? sizeof(stored<V>) : 0),
      [&](cuda_backend& machine, data const& in, std::span<K> keys, std::span<stored<V>> values) {
        if constexpr (std::is_unsigned_v<K> && std::is_same_v<V, std::uint32_t>) {
          if (row.argsort) return machine.argsort(keys.size(), code_at<K>{in.keys.data()}, keys, values, bits);
        }
        if constexpr (data::pairs)
          sort_pairs(machine, keys, values, bits);
        else
          sort_keys(machine, keys, bits);
      },
      [&](data const& in, data const& out, auto judge) {
        race_cub(s, row, bits, in, out, judge);
        if constexpr (thrust_too)
          if (!row.argsort && !row.bits_given) race_thrust(s, in, out, judge);
      },
      [&](cuda_backend& machine, data const& in, std::span<K> keys, std::span<stored<V>> values) {
        using code = radix_key<K>;
        auto const to = detail::as_unsigned(keys);
        std::span<typename code::type const> const from = detail::as_unsigned(in.keys.span());
        if constexpr (std::is_unsigned_v<K> && std::is_same_v<V, std::uint32_t>) {
          if (row.argsort) return machine.argsort(keys.size(), code_at<K>{in.keys.data()}, keys, values, bits);
        }
        if constexpr (data::pairs)
          machine.radix_sort_copy(from, to, std::span<stored<V> const>(in.values.span()), values, bits, code::code);
        else
          machine.radix_sort_copy(from, to, bits, code::code);
      });
}

std::vector<whole_row> all_rows(bench_options const&) {
  using enum types;
  using enum pattern;
  std::vector<whole_row> rows;
  // Targets: the ratio to CUB at 2^28 items on an H200, and 1 for every other input.
  for (auto const& [type, target] :
       std::vector<std::pair<types, double>>{{u32, 1.3}, {u32_u32, 1.25}, {u64, 2}, {u64_u32, 2}}) {
    rows.push_back({type, random, 1, target});
    for (pattern const order :
         {sorted, reversed, equal, few, gaussian, power_law, low_20_bits, low_half, and_2, and_3, and_4, and_5, product})
      rows.push_back({type, order, 1});
    rows.push_back({type, low_20_bits, 1, 0, true});
  }
  for (types const type : {u32_u32, u64_u32})
    for (pattern const order : {random, few}) rows.push_back({type, order, 1, 0, false, true});
  for (types const type : {u8, u16, f32, f64, u32_u64, u64_u64}) rows.push_back({type, random, 1});
  for (types const type : {f32, f64}) rows.push_back({type, gaussian, 1});
  return rows;
}

void measure_row(session& s, whole_row const& row, unsigned log_items) {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  switch (row.type) {
    case types::u8:
      return measure<std::uint8_t, no_values>(s, row, log_items);
    case types::u16:
      return measure<std::uint16_t, no_values>(s, row, log_items);
    case types::u32:
      return measure<u32, no_values>(s, row, log_items);
    case types::u32_u32:
      return measure<u32, u32>(s, row, log_items);
    case types::u32_u64:
      return measure<u32, u64>(s, row, log_items);
    case types::u64:
      return measure<u64, no_values>(s, row, log_items);
    case types::u64_u32:
      return measure<u64, u32>(s, row, log_items);
    case types::u64_u64:
      return measure<u64, u64>(s, row, log_items);
    case types::f32:
      return measure<float, no_values>(s, row, log_items);
    case types::f64:
      return measure<double, no_values>(s, row, log_items);
    default:
      throw usage_error("types that are not compiled in: " + row.name());
  }
}

int run(int argc, char const* const* argv) {
  return run_rows(program::radix_sort, argc, argv, {"CUB", "Thrust"}, all_rows, measure_row);
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("radix_sort", [&] { return ordo::bench::run(argc, argv); });
}
