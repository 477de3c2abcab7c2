// The rows of segmented_sort with computed keys, as in prefix doubling.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/segments/segmented_sort.cuh"

namespace ordo::inline v0::bench {
namespace {

struct key_in_table {
  std::uint32_t const* table;
  ORDO_FN std::uint32_t operator()(std::uint32_t item) const { return table[item]; }
};

/// A permutation of [0, 2^bits) without locality, from bijections: multiplications by odd numbers and xor-shifts.
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

/// Returns ~0 for an invalid item of a wrong result, which the check rejects.
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

}  // namespace

/// Measures computed keys: items are a random permutation, and key(item) = table[item]. The rival first writes the keys to
/// memory, and its time includes that.
void measure_computed(session& s, segment_row const& row, std::size_t n) {
  using pairs = columns<std::uint32_t, std::uint32_t>;
  segment_layout const layout = lay_out(s.lab, row, n);
  std::size_t const extent = layout.extent;
  // A power of two, so that the permutation is a bijection.
  std::size_t const universe = std::size_t{1} << bit_length(extent - 1);
  auto const table = s.lab.buffer<std::uint32_t>(universe), positions = s.lab.buffer<std::uint32_t>(universe);
  auto const items = s.lab.buffer<std::uint32_t>(extent), sorted = s.lab.buffer<std::uint32_t>(extent);
  auto const heads = s.lab.buffer<std::uint8_t>(row.heads ? extent : 0);
  fill(s.lab, table.span(), keys_like<std::uint32_t>(row.order, universe));
  fill(s.lab, items.span(), scattered{bit_length(extent - 1)});
  s.lab.each(extent, note_position{items.data(), positions.data()});
  // Keys and positions of the items, for the check and the rival.
  pairs const in(s.lab, extent), out(s.lab, extent);
  fill(s.lab, in.keys.span(), table_at{table.data(), items.data(), universe});
  fill(s.lab, in.values.span(), identity{});
  row_result result = begin_row(s, row, layout, [&] { copy(items.span(), sorted.span(), s.lab.stream()); });  // no keys
  auto const ours = [&](timing& time, segment_list<std::uint32_t> segments) {
    std::size_t const taken = on_fresh_machine(s, [&](cuda_backend& machine) {
      time = median_time(
          machine.stream(), s.options.runs, [&] { copy(items.span(), sorted.span(), machine.stream()); },
          [&] { machine.segmented_sort_by(sorted.span(), segments, key_in_table{table.data()}, heads.span()); });
    });
    result.extra_bytes = std::max(result.extra_bytes, taken);
    fill(s.lab, out.keys.span(), table_at{table.data(), sorted.data(), universe});
    fill(s.lab, out.values.span(), table_at{positions.data(), sorted.data(), universe});
    require(result, is_right(s.lab, layout, in, out, true), "wrong order");
    if (row.heads) {
      wrong_head<std::uint32_t> const wrong{out.keys.data(), layout.owner(), heads.data()};
      require(result, s.lab.reduce(extent, wrong, std::uint64_t{0}, sum{}) == 0, "wrong boundaries");
    }
  };
  ours(result.offsets, layout.segments(s.options.bounded));
  if (layout.uniform_length != 0) ours(result.uniform, layout.uniform());
  result.allowed_bytes = cuda_backend::segmented_sort_by_memory(layout.extent, layout.count,
                                                                s.options.bounded ? layout.longest : ~std::size_t{0}, 4, 4);
  require(result, result.extra_bytes <= result.allowed_bytes, "more memory than the contract allows");
  if (s.options.rivals) {
    auto const gather = median_time(
        s.lab.stream(), s.options.runs, [] {},
        [&] {
          fill(s.lab, in.keys.span(), table_at{table.data(), items.data(), universe});
        });
    race_rivals(s, layout, in, out, result);
    for (auto& [name, rival] : result.rivals) rival.time.ms += gather.ms;
  }
  s.out.add(result);
}

}  // namespace ordo::inline v0::bench
