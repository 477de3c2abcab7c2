#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "sort_core/cuda/tuning/segmented.cuh"

// The half of tune_segments that needs no nvcc: from measured times to a table.
namespace ordo::bench {

using shape = cuda_detail::tuning::segment_class;

/// Times of one kernel: by length of segments, picoseconds an item.
struct shape_times {
  shape of;
  std::map<std::size_t, double> at;
};

struct width_times {
  std::string name;  // "u32/u32"
  double copy = 0;   // picoseconds an item
  std::vector<shape> present;
  std::vector<shape_times> measured;
};

/// Shapes by ascending capacity, as many as a table has: those with which lengths from the tiny capacity to the largest one
/// take least, each length counted relative to what is fastest there, as much as its distance from the next on a logarithmic
/// scale, and for all widths alike. @throws usage_error if the measured shapes leave a gap
std::vector<shape> fastest_table(std::span<width_times const> widths, std::size_t classes);

/// How a table does: its time relative to the fastest shape, the mean over lengths and the worst.
struct loss {
  double mean = 0, worst = 0;
  std::size_t worst_length = 0;
};
loss loss_of(width_times const& width, std::span<shape const> table);

void print_fastest(width_times const& width);
/// In the syntax of sort_core/cuda/tuning/segmented.cuh.
void print_table(std::string const& name, std::span<shape const> table, std::span<width_times const> widths);
void save(options const& how, facts const& where, std::span<width_times const> widths);

}  // namespace ordo::bench
