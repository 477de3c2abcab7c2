// The GPU's segmented sort beside CUB's segmented sorts, its radix sort of (segment, key), and bb_segsort and
// ModernGPU where they are built in, in one process on one input; and, with --sweep, a search for lengths at which the rate
// falls.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/segment_bench.cuh"
#include "tools/cli/run_main.hpp"

namespace ordo::bench {
namespace {

struct segmented {
  static constexpr bool headline_is_uniform = false;
  template <class K, class V>
  void operator()(cuda_backend& machine, std::span<K> keys, std::span<V> values, segment_list<std::uint32_t> segments,
                  std::span<std::uint8_t> heads) const {
    sort_segments(machine, keys, values, segments, heads);
  }
  static std::size_t memory(layout const& where, std::size_t key_bytes, std::size_t value_bytes, bool bounded) {
    return cuda_backend::segmented_sort_memory(where.extent, where.count, bounded ? where.longest : ~std::size_t{0}, key_bytes,
                                               value_bytes);
  }
  static bool is_stable(layout const&) { return true; }
};

// ---- Computed keys ----

struct key_in_table {
  std::uint32_t const* table;
  ORDO_FN std::uint32_t operator()(std::uint32_t item) const { return table[item]; }
};

/// A permutation of [0, 2^bits) without locality: multiplications by odd numbers and xor-shifts are bijections.
struct scattered {
  unsigned bits;
  ORDO_FN std::uint32_t operator()(std::size_t i) const {
    std::uint64_t const mask = (std::uint64_t{1} << bits) - 1;
    std::uint64_t x = i;
    for (int round = 0; round < 3; ++round) {
      x = (x * 0x9E3779B97F4A7C15u + 0x7F4A7C15u) & mask;
      x ^= x >> (bits / 2 + 1);
    }
    return std::uint32_t(x);
  }
};

/// An item that a broken sort made up reads as ~0, which the check does not take.
struct table_at {
  std::uint32_t const *table, *items;
  std::size_t size;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return items[i] < size ? table[items[i]] : ~std::uint32_t{0}; }
};

struct note_position {
  std::uint32_t const* items;
  std::uint32_t* positions;
  ORDO_FN void operator()(std::size_t i) const { positions[items[i]] = std::uint32_t(i); }
};

/// Items are a random permutation, and key(item) = table[item]. The rival writes the keys to memory first, and its time is
/// that of both.
void measure_computed(session& s, row const& what, std::size_t n) {
  using pairs = columns<std::uint32_t, std::uint32_t>;
  layout const where = lay_out(s.lab, what, n);
  std::size_t const extent = where.extent;
  // A power of two, so that the permutation is a bijection.
  std::size_t const universe = std::size_t{1} << bits_of(extent - 1);
  auto const table = s.lab.buffer<std::uint32_t>(universe), positions = s.lab.buffer<std::uint32_t>(universe);
  auto const items = s.lab.buffer<std::uint32_t>(extent), sorted = s.lab.buffer<std::uint32_t>(extent);
  auto const heads = s.lab.buffer<std::uint8_t>(what.heads ? extent : 0);
  fill(s.lab, table.span(), keys_like<std::uint32_t>(what.order, universe));
  fill(s.lab, items.span(), scattered{bits_of(extent - 1)});
  s.lab.each(extent, note_position{items.data(), positions.data()});
  // What the keys and positions of the items are: for the check, and for the rival.
  pairs const in(s.lab, extent), out(s.lab, extent);
  fill(s.lab, in.keys.span(), table_at{table.data(), items.data(), universe});
  fill(s.lab, in.values.span(), identity{});
  row_result result = begin_row(s, what, where, [&] { copy(items.span(), sorted.span(), s.lab.stream()); });  // no keys
  auto const ours = [&](timing& time, segment_list<std::uint32_t> segments) {
    std::size_t const taken = on_fresh_machine(s, [&](cuda_backend& machine) {
      time = median_time(
          machine.stream(), s.how.runs, [&] { copy(items.span(), sorted.span(), machine.stream()); },
          [&] { machine.segmented_sort_by(sorted.span(), segments, key_in_table{table.data()}, heads.span()); });
    });
    result.extra_bytes = std::max(result.extra_bytes, taken);
    fill(s.lab, out.keys.span(), table_at{table.data(), sorted.data(), universe});
    fill(s.lab, out.values.span(), table_at{positions.data(), sorted.data(), universe});
    find_fault(result, is_right(s.lab, where, in, out, true), "NOT SORTED RIGHT");
    if (what.heads) {
      wrong_head<std::uint32_t> const wrong{out.keys.data(), where.owner(), heads.data()};
      find_fault(result, s.lab.reduce(extent, wrong, std::uint64_t{0}, sum{}) == 0, "WRONG BOUNDARIES");
    }
  };
  ours(result.offsets, where.segments(s.how.bounded));
  if (where.uniform_length != 0) ours(result.uniform, where.uniform());
  result.allowed_bytes =
      cuda_backend::segmented_sort_by_memory(where.extent, where.count, s.how.bounded ? where.longest : ~std::size_t{0}, 4, 4);
  find_fault(result, result.extra_bytes <= result.allowed_bytes, "MORE MEMORY THAN THE CONTRACT SAYS");
  if (s.how.rivals) {
    auto const gather = median_time(
        s.lab.stream(), s.how.runs, [] {},
        [&] {
          fill(s.lab, in.keys.span(), table_at{table.data(), items.data(), universe});
        });
    race_rivals(s, where, in, out, result);
    for (auto& [name, rival] : result.rivals) rival.time.ms += gather.ms;
  }
  s.out.add(result);
}

// ---- Rows ----

std::vector<row> all_rows() {
  using enum types;
  using enum pattern;
  std::vector<row> rows;
  // 2^28 pairs, and what they should take on an H200.
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
  for (types const of : {u64_u32, f32_u32, f64_u32}) {
    for (std::size_t const length : {8, 32, 128, 1000, 4000, 131072}) rows.push_back({fixed_lengths{length}, of});
    rows.push_back({zipf, of});
  }

  // Other segments.
  for (std::size_t const length : {8, 32, 1000, 131072}) rows.push_back({fixed_lengths{length, true}, u32_u32});
  for (types const of : {u32_u32, u32}) {
    rows.push_back({fixed_lengths{0}, of});  // one giant
    rows.push_back({fixed_lengths{1}, of});
  }
  for (types const of : {u32_u32, f64_u32}) {  // spectra: peaks of a proteomics run, and of an ion trap
    rows.push_back({log_normal_lengths{170, 0.3}, of});
    rows.push_back({log_normal_lengths{690, 0.8}, of});
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

void measure_row(session& s, row const& what, std::size_t n) {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  if (what.computed) return measure_computed(s, what, n);
  auto const go = [&]<class K, class V>(columns<K, V> const*) { measure<K, V>(s, what, n, segmented{}, no_more_rivals{}); };
  switch (what.of) {
    case types::u32:
      return go(static_cast<columns<u32, no_values>*>(nullptr));
    case types::u32_u32:
      return go(static_cast<columns<u32, u32>*>(nullptr));
    case types::u32_u64:
      return go(static_cast<columns<u32, u64>*>(nullptr));
    case types::u64_u32:
      return go(static_cast<columns<u64, u32>*>(nullptr));
    case types::f32_u32:
      return go(static_cast<columns<float, u32>*>(nullptr));
    case types::f64_u32:
      return go(static_cast<columns<double, u32>*>(nullptr));
    default:
      throw usage_error("row of types that are not compiled in: " + what.name());
  }
}

// ---- The sweep ----

/// Every length of [from, to] on about n items, told by offsets. A fall of the rate from one length to the next that is not
/// the clock's whim is still there when both are measured again, longer.
template <class V>
sweep_result sweep(session& s, std::string what) {
  using K = std::uint32_t;
  std::size_t const n = std::size_t{1} << (s.how.quick ? 22 : 25);
  auto const in = make_columns<K, V>(s.lab, n, pattern::random);
  columns<K, V> const out(s.lab, n);
  wait_for(s.lab);
  cuda_backend machine;
  sweep_result result{std::move(what), n, s.how.from, {}, {}, {}};
  auto const rate_of = [&](std::size_t length, unsigned runs, bool check) {
    layout const where = equal_lengths(s.lab, std::max<std::size_t>(n / length, 1), length);
    wait_for(s.lab);
    auto const restore = [&] { in.copy_to(out, machine.stream()); };
    auto const sort = [&] {
      sort_segments(machine, out.keys.span().first(where.extent), out.values.span().first(in.pairs ? where.extent : 0),
                    where.segments(s.how.bounded));
    };
    timing const time = median_time(machine.stream(), runs, restore, sort, 1);
    if (check && !is_right(s.lab, where, in, out, true)) result.wrong.push_back(length);
    return double(where.items) / time.ms / 1e6;
  };
  for (std::size_t length = s.how.from; length <= s.how.to; ++length) result.rates.push_back(rate_of(length, 3, true));

  constexpr std::size_t looked_at = 20;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i + 1 < result.rates.size(); ++i) order.push_back(i);
  std::size_t const kept = std::min(looked_at, order.size());
  std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(kept), order.end(), [&](std::size_t a, std::size_t b) {
    return result.rates[a] * result.rates[b + 1] > result.rates[b] * result.rates[a + 1];
  });
  for (std::size_t const i : std::span(order).first(kept)) {
    for (std::size_t const j : {i, i + 1}) result.rates[j] = rate_of(s.how.from + j, 15, false);
    result.worst.push_back({s.how.from + i, result.rates[i], result.rates[i + 1]});
  }
  std::sort(result.worst.begin(), result.worst.end(), [](drop const& a, drop const& b) { return a.times() > b.times(); });
  return result;
}

int run(int argc, char const* const* argv) {
  options how;
  if (auto const status = parse(program::segmented_sort, argc, argv, how)) return *status;
  report out(program::segmented_sort, how, describe_machine(),
             with_built_in_rivals({"CUB seg", "seg radix", "packed", "radix"}));
  session s{cuda_backend(), how, out};
  if (how.sweep) {
    if (how.pairs) out.add(sweep<std::uint32_t>(s, "u32/u32"));
    if (how.keys) out.add(sweep<no_values>(s, "u32"));
    return out.status();
  }
  for (row const& what : all_rows())
    if (how.chosen(what.name()))
      if_it_fits(s, what.name(), [&] { measure_row(s, what, std::size_t{1} << (how.quick ? 24 : 28)); });
  return out.status();
}

}  // namespace
}  // namespace ordo::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("segmented_sort", [&] { return ordo::bench::run(argc, argv); });
}
