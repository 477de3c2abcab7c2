#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/gpu_bench.cuh"
#include "bench/segment_rivals.hpp"

// Where bb_segsort and ModernGPU are built in: their rows.
namespace ordo::bench {

/// Behind those that are always there.
inline std::vector<std::string> with_built_in_rivals(std::vector<std::string> names) {
#ifdef ORDO_BB_SEGSORT
  names.emplace_back("bb_segsort");
#endif
#ifdef ORDO_MODERNGPU
  names.emplace_back("ModernGPU");
#endif
  return names;
}

/// From `in` to `out`. A kernel that cannot be launched is not possible, and has no figure. @param finish  finish(name, time,
/// stable): checks `out`, and notes the time
template <class Layout, class K, class V, class Finish>
void race_built_in([[maybe_unused]] session& s, [[maybe_unused]] Layout const& where, [[maybe_unused]] columns<K, V> const& in,
                   [[maybe_unused]] columns<K, V> const& out, [[maybe_unused]] Finish finish) {
#if defined(ORDO_BB_SEGSORT) || defined(ORDO_MODERNGPU)
  using value = std::conditional_t<columns<K, V>::pairs, stored<V>, void>;
  auto const list = where.segments(false);
  rival_segments const segments{int(where.extent), int(where.count), list.begins.data(), list.ends.data()};
#endif
#ifdef ORDO_BB_SEGSORT
  if (where.longest <= bb_segsort_work::longest) {
    columns<K, V> const source(s.lab, where.extent);  // it is overwritten
    bb_segsort_work work(segments.count);
    in.copy_to(out, s.lab.stream());  // for the holes
    timing const time = median_time(
        s.lab.stream(), s.how.runs, [&] { in.copy_to(source, s.lab.stream()); },
        [&] {
          work.sort<K, value>(segments, source.keys.data(), source.values.data(), out.keys.data(), out.values.data(),
                              s.lab.stream());
        });
    if (cudaGetLastError() == cudaSuccess) finish("bb_segsort", time, false);
  }
#endif
#ifdef ORDO_MODERNGPU
  if (where.items == where.extent) {
    modern_gpu context(s.lab.pool(), s.lab.stream());
    timing const time = median_time(
        s.lab.stream(), s.how.runs, [&] { in.copy_to(out, s.lab.stream()); },
        [&] { context.sort<K, value>(segments, out.keys.data(), out.values.data()); });
    if (cudaGetLastError() == cudaSuccess) finish("ModernGPU", time, true);
  }
#endif
}

}  // namespace ordo::bench
