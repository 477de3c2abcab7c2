#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>

#include "bench/bench.hpp"
#include "bench/segments/segment_bench.cuh"

// The rows of array_sort for one pair of types: CMake makes a source for each pair, as each takes a while to compile.
namespace ordo::inline v0::bench {

struct arrays {
  static constexpr bool headline_is_uniform = true;  // the paper's arrays have one length
  template <class K, class V>
  void operator()(cuda_backend& machine, std::span<K> keys, std::span<V> values, segment_list<std::uint32_t> list,
                  std::span<std::uint8_t>) const {
    sort_arrays(machine, keys, values, list);
  }
  static std::size_t memory(segment_layout const& layout, std::size_t key_bytes, std::size_t value_bytes, bool bounded) {
    return cuda_backend::array_sort_memory(layout.extent, layout.count, bounded ? layout.longest : layout.extent, key_bytes,
                                           value_bytes);
  }
  // Equal keys of longer arrays may come in any order; the check of values with their keys remains.
  static bool is_stable(segment_layout const& layout) { return layout.longest <= max_stable_array_length; }
};

// ---- STA ----

struct tag_at {
  owner_finder owner;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return owner(i) - 1; }
};

/// Sorts all keys with the numbers of their arrays as values, and then all by number, stably. Generating the numbers is not
/// timed.
struct race_sta {
  session& s;

  template <class K>
  void operator()(segment_layout const& layout, columns<K, no_values> const& in, columns<K, no_values> const& out,
                  row_result& result) const {
    if_it_fits(s, result.name + ", STA", [&] { run(layout, in, out, result); });
  }
  template <class K, class V>
  void operator()(segment_layout const&, columns<K, V> const&, columns<K, V> const&, row_result&) const {}  // keys only

 private:
  template <class K>
  void run(segment_layout const& layout, columns<K, no_values> const& in, columns<K, no_values> const& out,
           row_result& result) const {
    auto const tags = s.lab.buffer<std::uint32_t>(layout.extent);
    pooled memory{&s.lab.pool()};
    auto const policy = thrust::cuda::par(memory).on(s.lab.stream());
    K* const keys = out.keys.data();
    std::uint32_t* const tag = tags.data();
    timing const time = median_time(
        s.lab.stream(), s.options.runs,
        [&] {
          in.copy_to(out, s.lab.stream());
          fill(s.lab, tags.span(), tag_at{layout.owner()});
        },
        [&] {
          thrust::stable_sort_by_key(policy, keys, keys + layout.extent, tag);
          thrust::stable_sort_by_key(policy, tag, tag + layout.extent, keys);
        });
    result.rivals["STA"] = {time, is_right(s.lab, layout, in, out, true)};
  }
};

/// Measures a row of keys K and values V.
template <class K, class V>
void measure_types(session& s, segment_row const& row, std::size_t n) {
  measure<K, V>(s, row, n, arrays{}, race_sta{s});
}
extern template void measure_types<float, no_values>(session&, segment_row const&, std::size_t);
extern template void measure_types<float, std::uint32_t>(session&, segment_row const&, std::size_t);
extern template void measure_types<float, std::uint64_t>(session&, segment_row const&, std::size_t);
extern template void measure_types<double, no_values>(session&, segment_row const&, std::size_t);
extern template void measure_types<std::uint64_t, no_values>(session&, segment_row const&, std::size_t);

}  // namespace ordo::inline v0::bench
