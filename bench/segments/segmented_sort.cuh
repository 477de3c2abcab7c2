#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/bench.hpp"
#include "bench/segments/segment_bench.cuh"

// The rows of segmented_sort for one pair of types: CMake makes a source for each pair, as each takes a while to compile.
namespace ordo::inline v0::bench {

struct segmented {
  static constexpr bool headline_is_uniform = false;
  template <class K, class V>
  void operator()(cuda_backend& machine, std::span<K> keys, std::span<V> values, segment_list<std::uint32_t> segments,
                  std::span<std::uint8_t> heads) const {
    sort_segments(machine, keys, values, segments, heads);
  }
  static std::size_t memory(segment_layout const& layout, std::size_t key_bytes, std::size_t value_bytes, bool bounded) {
    return cuda_backend::segmented_sort_memory(layout.extent, layout.count, bounded ? layout.longest : ~std::size_t{0},
                                               key_bytes, value_bytes);
  }
  static bool is_stable(segment_layout const&) { return true; }
};

/// Measures a row of keys K and values V.
template <class K, class V>
void measure_types(session& s, segment_row const& row, std::size_t n) {
  measure<K, V>(s, row, n, segmented{}, no_more_rivals{});
}
extern template void measure_types<std::uint32_t, no_values>(session&, segment_row const&, std::size_t);
extern template void measure_types<std::uint32_t, std::uint32_t>(session&, segment_row const&, std::size_t);
extern template void measure_types<std::uint32_t, std::uint64_t>(session&, segment_row const&, std::size_t);
extern template void measure_types<std::uint64_t, std::uint32_t>(session&, segment_row const&, std::size_t);
extern template void measure_types<float, std::uint32_t>(session&, segment_row const&, std::size_t);
extern template void measure_types<double, std::uint32_t>(session&, segment_row const&, std::size_t);

/// Measures a row of computed keys.
void measure_computed(session& s, segment_row const& row, std::size_t n);

}  // namespace ordo::inline v0::bench
