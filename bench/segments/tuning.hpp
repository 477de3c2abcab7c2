#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "sort_core/cuda/tuning/segmented.cuh"

// The part of tune_segments that needs no nvcc: makes a table of measured times.
namespace ordo::inline v0::bench {

using shape = cuda_detail::tuning::segment_class;

/// The times of one kernel by length of segments, in picoseconds an item.
struct shape_times {
  shape kernel;
  std::map<std::size_t, double> at;
};

struct width_times {
  std::string name;  // "u32/u32"
  double copy = 0;   // picoseconds an item
  std::vector<shape> present;
  std::vector<shape_times> measured;
};

/// Returns `classes` shapes by ascending capacity with the least total time for lengths from the tiny capacity to the largest
/// one. The time at each length is relative to the fastest shape there, and weighted by the distance to the next length on a
/// logarithmic scale; all widths have the same weight. @throws usage_error if the measured shapes leave a gap
std::vector<shape> fastest_table(std::span<width_times const> widths, std::size_t classes);

/// The time of a table relative to the fastest shape: the mean over lengths, and the worst.
struct loss {
  double mean = 0, worst = 0;
  std::size_t worst_length = 0;
};
loss compute_loss(width_times const& width, std::span<shape const> table);

void print_fastest(width_times const& width);
/// Prints a table in the syntax of sort_core/cuda/tuning/segmented.cuh.
void print_table(std::string const& name, std::span<shape const> table, std::span<width_times const> widths);
void save(program benchmark, bench_options const& options, facts const& machine, std::span<width_times const> widths);

}  // namespace ordo::inline v0::bench
