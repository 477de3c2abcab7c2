#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/gpu_bench.cuh"
#include "bench/segments/segment_rivals.hpp"

// Runs bb_segsort and ModernGPU, if they were built.
namespace ordo::inline v0::bench {

/// Returns the names, followed by those of the optional rivals in this build.
inline std::vector<std::string> with_optional_rivals(std::vector<std::string> names) {
#ifdef ORDO_BB_SEGSORT
  names.emplace_back("bb_segsort");
#endif
#ifdef ORDO_MODERNGPU
  names.emplace_back("ModernGPU");
#endif
  return names;
}

/// Sorts from `in` to `out`. A rival whose kernel cannot be launched has no result.
/// @param finish  finish(name, time, stable) checks `out` and adds the time
template <class Layout, class K, class V, class Finish>
void race_optional([[maybe_unused]] session& s, [[maybe_unused]] Layout const& layout, [[maybe_unused]] columns<K, V> const& in,
                   [[maybe_unused]] columns<K, V> const& out, [[maybe_unused]] Finish finish) {
#if defined(ORDO_BB_SEGSORT) || defined(ORDO_MODERNGPU)
  using value = std::conditional_t<columns<K, V>::pairs, stored<V>, void>;
  auto const list = layout.segments(false);
  rival_segments const segments{int(layout.extent), int(layout.count), list.begins.data(), list.ends.data()};
#endif
#ifdef ORDO_BB_SEGSORT
  if (layout.longest <= bb_segsort_work::longest) {
    columns<K, V> const source(s.lab, layout.extent);  // bb_segsort overwrites it
    bb_segsort_work work(segments.count);
    in.copy_to(out, s.lab.stream());  // fills the holes
    timing const time = median_time(
        s.lab.stream(), s.options.runs, [&] { in.copy_to(source, s.lab.stream()); },
        [&] {
          work.sort<K, value>(segments, source.keys.data(), source.values.data(), out.keys.data(), out.values.data(),
                              s.lab.stream());
        });
    if (cudaGetLastError() == cudaSuccess) finish("bb_segsort", time, false);
  }
#endif
#ifdef ORDO_MODERNGPU
  if (layout.items == layout.extent) {
    modern_gpu context(s.lab.pool(), s.lab.stream());
    timing const time = median_time(
        s.lab.stream(), s.options.runs, [&] { in.copy_to(out, s.lab.stream()); },
        [&] { context.sort<K, value>(segments, out.keys.data(), out.values.data()); });
    if (cudaGetLastError() == cudaSuccess) finish("ModernGPU", time, true);
  }
#endif
}

}  // namespace ordo::inline v0::bench
