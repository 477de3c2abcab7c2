// Measures the GPU's segmented sort beside CUB's segmented sorts, CUB's radix sort of (segment, key) and, where they are built,
// bb_segsort and ModernGPU, in one process on the same inputs; with --sweep, finds lengths at which the rate drops.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/segments/segmented_sort.cuh"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

// ---- Rows ----

std::vector<segment_row> all_rows() {
  using enum types;
  using enum pattern;
  std::vector<segment_row> rows;
  // 2^28 pairs, with targets in milliseconds on an H200.
  for (auto const& [length, target] : std::vector<std::pair<std::size_t, double>>{{2, 1.3},
                                                                                  {4, 1.25},
                                                                                  {8, 1.2},
                                                                                  {16, 1.15},
                                                                                  {32, 1.2},
                                                                                  {64, 1.4},
                                                                                  {128, 1.6},
                                                                                  {256, 2.0},
                                                                                  {512, 2.4},
                                                                                  {1000, 2.9},
                                                                                  {2000, 3.2},
                                                                                  {4000, 3.6},
                                                                                  {16384, 5.5},
                                                                                  {131072, 8.5},
                                                                                  {1048576, 8.5}})
    rows.push_back({fixed_lengths{length}, u32_u32, random, target});
  for (auto const& [lengths, target] : std::vector<std::pair<zipf_lengths, double>>{{{0.1, 50}, 1.8},
                                                                                    {{0.1, 500}, 2.5},
                                                                                    {{0.1, 2000}, 3.3},
                                                                                    {{0.1, 100000}, 8.5},
                                                                                    {{0.8, 50}, 1.9},
                                                                                    {{0.8, 500}, 2.6},
                                                                                    {{0.8, 2000}, 3.3},
                                                                                    {{0.8, 100000}, 8.5},
                                                                                    {{1.6, 50}, 2.4},
                                                                                    {{1.6, 500}, 3.0},
                                                                                    {{1.6, 2000}, 3.5},
                                                                                    {{1.6, 100000}, 8.5}})
    rows.push_back({lengths, u32_u32, random, target});
  rows.push_back({fixed_lengths{32}, u32_u64, random, 1.8});
  rows.push_back({fixed_lengths{1000}, u32_u64, random, 3.5});

  // Other types.
  zipf_lengths const zipf{0.8, 500};
  for (std::size_t const length : {8, 32, 128, 1000, 4000, 131072}) rows.push_back({fixed_lengths{length}, u32});
  rows.push_back({zipf, u32});
  rows.push_back({zipf, u32_u64});
  for (types const type : {u64_u32, f32_u32, f64_u32}) {
    for (std::size_t const length : {8, 32, 128, 1000, 4000, 131072}) rows.push_back({fixed_lengths{length}, type});
    rows.push_back({zipf, type});
  }

  // Other segments.
  for (std::size_t const length : {8, 32, 1000, 131072}) rows.push_back({fixed_lengths{length, true}, u32_u32});
  for (types const type : {u32_u32, u32}) {
    rows.push_back({fixed_lengths{0}, type});  // one segment of all items
    rows.push_back({fixed_lengths{1}, type});
  }
  for (types const type : {u32_u32, f64_u32}) {  // spectra: peaks of a proteomics run, and of an ion trap
    rows.push_back({log_normal_lengths{170, 0.3}, type});
    rows.push_back({log_normal_lengths{690, 0.8}, type});
  }

  // Other keys.
  for (pattern const order : {equal, few, sorted, reversed})
    for (std::size_t const length : {32, 1000, 131072}) rows.push_back({fixed_lengths{length}, u32_u32, order});

  // Computed keys, as in prefix doubling.
  zipf_lengths const groups{1.6, 500};
  for (std::size_t const length : {2, 8, 32, 1000, 131072})
    rows.push_back({fixed_lengths{length}, u32_u32, random, 0, 0, true});
  rows.push_back({groups, u32_u32, random, 0, 0, true});
  for (bool const computed : {false, true}) {
    rows.push_back({fixed_lengths{1000}, u32_u32, few, 0, 0, computed, true});
    rows.push_back({groups, u32_u32, few, 0, 0, computed, true});
  }
  return rows;
}

void measure_row(session& s, segment_row const& row, std::size_t n) {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  if (row.computed) return measure_computed(s, row, n);
  switch (row.type) {
    case types::u32:
      return measure_types<u32, no_values>(s, row, n);
    case types::u32_u32:
      return measure_types<u32, u32>(s, row, n);
    case types::u32_u64:
      return measure_types<u32, u64>(s, row, n);
    case types::u64_u32:
      return measure_types<u64, u32>(s, row, n);
    case types::f32_u32:
      return measure_types<float, u32>(s, row, n);
    case types::f64_u32:
      return measure_types<double, u32>(s, row, n);
    default:
      throw usage_error("types that are not compiled in: " + row.name());
  }
}

// ---- The sweep ----

/// Measures every length of [from, to] on about n items, given by offsets. The largest drops from one length to the next are
/// measured again with more runs, so that noise disappears.
template <class V>
sweep_result sweep(session& s, std::string types) {
  using K = std::uint32_t;
  std::size_t const n = std::size_t{1} << (s.options.quick ? 22 : 25);
  auto const in = make_columns<K, V>(s.lab, n, pattern::random);
  columns<K, V> const out(s.lab, n);
  wait_for(s.lab);
  cuda_backend machine;
  sweep_result result{std::move(types), n, s.options.from, {}, {}, {}};
  auto const measure_rate = [&](std::size_t length, unsigned runs, bool check) {
    segment_layout const layout = equal_lengths(s.lab, std::max<std::size_t>(n / length, 1), length);
    wait_for(s.lab);
    auto const restore = [&] { in.copy_to(out, machine.stream()); };
    auto const sort = [&] {
      sort_segments(machine, out.keys.span().first(layout.extent), out.values.span().first(in.pairs ? layout.extent : 0),
                    layout.segments(s.options.bounded));
    };
    timing const time = median_time(machine.stream(), runs, restore, sort, 1);
    if (check && !is_right(s.lab, layout, in, out, true)) result.wrong.push_back(length);
    return double(layout.items) / time.ms / 1e6;
  };
  for (std::size_t length = s.options.from; length <= s.options.to; ++length)
    result.rates.push_back(measure_rate(length, 3, true));

  constexpr std::size_t max_drops = 20;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i + 1 < result.rates.size(); ++i) order.push_back(i);
  std::size_t const num_drops = std::min(max_drops, order.size());
  std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(num_drops), order.end(), [&](std::size_t a, std::size_t b) {
    return result.rates[a] * result.rates[b + 1] > result.rates[b] * result.rates[a + 1];
  });
  for (std::size_t const i : std::span(order).first(num_drops)) {
    for (std::size_t const j : {i, i + 1}) result.rates[j] = measure_rate(s.options.from + j, 15, false);
    result.worst.push_back({s.options.from + i, result.rates[i], result.rates[i + 1]});
  }
  std::sort(result.worst.begin(), result.worst.end(), [](drop const& a, drop const& b) { return a.times() > b.times(); });
  return result;
}

int run(int argc, char const* const* argv) {
  bench_options options;
  if (auto const status = parse(program::segmented_sort, argc, argv, options)) return *status;
  report out(program::segmented_sort, options, describe_machine(),
             with_optional_rivals({"CUB seg", "seg radix", "packed", "radix"}));
  session s{cuda_backend(), options, out};
  if (options.sweep) {
    if (options.pairs) out.add(sweep<std::uint32_t>(s, "u32/u32"));
    if (options.keys) out.add(sweep<no_values>(s, "u32"));
    return out.status();
  }
  for (segment_row const& row : all_rows())
    if (options.selects(row.name()))
      if_it_fits(s, row.name(), [&] { measure_row(s, row, std::size_t{1} << (options.quick ? 24 : 28)); });
  return out.status();
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("segmented_sort", [&] { return ordo::bench::run(argc, argv); });
}
