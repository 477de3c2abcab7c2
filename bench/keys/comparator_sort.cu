// Measures the GPU's sort by a comparator beside CUB's merge sort, in one process on the same inputs: the six distributions of
// Leischner et al. (GPU sample sort, section 6), and rates over the number of items as in their figures 3 to 5.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "bench/bench.hpp"
#include "bench/gpu_bench.cuh"
#include "bench/keys/whole_bench.cuh"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

struct ascending {
  template <class T>
  ORDO_FN bool operator()(T const& a, T const& b) const {
    return a < b;
  }
};

// ---- Items other than keys ----

/// Two words in lexicographic order: std::pair is not trivially copyable.
struct two_words {
  std::uint64_t first, second;
  ORDO_FN friend bool operator<(two_words a, two_words b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
  }
};

/// A record in the order of its key. Records with equal keys must stay in the order of their positions.
struct record {
  std::uint32_t key, position;
  std::uint64_t payload;
  ORDO_FN friend bool operator<(record const& a, record const& b) { return a.key < b.key; }
};

ORDO_FN std::uint64_t to_word(two_words x) {
  return mixed(x.first) ^ x.second;
}
ORDO_FN std::uint64_t to_word(record const& x) {
  return mixed(std::uint64_t(x.key) << 32 | x.position) ^ x.payload;
}

/// Generates pairs. The first word has 32 random bits only, so that the second one matters in some comparisons.
struct two_words_at {
  key_at<std::uint32_t> first;
  ORDO_FN two_words operator()(std::size_t i) const { return {first(i), mixed(~i)}; }
};

struct record_at {
  key_at<std::uint32_t> key;
  ORDO_FN record operator()(std::size_t i) const { return {key(i), std::uint32_t(i), mixed(~i)}; }
};

template <class T>
auto items_like(pattern order, std::size_t n) {
  if constexpr (std::is_same_v<T, two_words>)
    return two_words_at{keys_like<std::uint32_t>(order, n)};
  else if constexpr (std::is_same_v<T, record>)
    return record_at{keys_like<std::uint32_t>(order, n)};
  else
    return keys_like<T>(order, n);
}

// ---- One row ----

/// Sorts in place, with temporary memory allocated before, and a length of 32 bits, CUB's fastest form.
template <class T, class V, class Judge>
void race_cub(session& s, columns<T, V> const& in, columns<T, V> const& out, Judge judge) {
  auto const n = std::uint32_t(in.keys.size());
  auto const call = [&](void* temporary, std::size_t& bytes) {
    if constexpr (columns<T, V>::pairs)
      return cub::DeviceMergeSort::StableSortPairs(temporary, bytes, out.keys.data(), out.values.data(), n, ascending{},
                                                   s.lab.stream());
    else
      return cub::DeviceMergeSort::StableSortKeys(temporary, bytes, out.keys.data(), n, ascending{}, s.lab.stream());
  };
  timing const time = with_cub(s, call, [&](auto sort) {
    return time_whole(
        s.lab.stream(), s.options.runs, n, [&] { in.copy_to(out, s.lab.stream()); }, sort);
  });
  judge("CUB", time, out.keys.data(), out.values.data());
}

/// Sorts between two buffers, of which either holds the result, with temporary memory allocated before.
template <class Judge>
void race_radix(session& s, columns<std::uint64_t, no_values> const& in, columns<std::uint64_t, no_values> const& out,
                Judge judge) {
  std::size_t const n = in.keys.size();
  columns<std::uint64_t, no_values> const spare(s.lab, n);
  cub::DoubleBuffer<std::uint64_t> keys(out.keys.data(), spare.keys.data());
  auto const restore = [&] {
    keys.selector = 0;
    in.copy_to(out, s.lab.stream());
  };
  auto const call = [&](void* temporary, std::size_t& bytes) {
    if (n < std::size_t{1} << 22)  // the faster type of the length in CUB
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, std::uint32_t(n), 0, 64, s.lab.stream());
    return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, std::int64_t(n), 0, 64, s.lab.stream());
  };
  timing const time =
      with_cub(s, call, [&](auto sort) { return time_whole(s.lab.stream(), s.options.runs, n, restore, sort); });
  judge("CUB radix", time, keys.Current(), static_cast<std::uint32_t*>(nullptr));
}

template <class T, class V>
void measure(session& s, whole_row const& row, unsigned log_items) {
  using data = columns<T, V>;
  measure_whole<T, V>(
      s, row, log_items, [&](std::size_t n) { return make_columns<T, V>(s.lab, n, items_like<T>(row.order, n)); }, ascending{},
      cuda_backend::sample_sort_memory(std::size_t{1} << log_items, sizeof(T), data::pairs ? sizeof(stored<V>) : 0),
      [](cuda_backend& machine, data const&, std::span<T> items, std::span<stored<V>> values) {
        if constexpr (data::pairs)
          machine.sample_sort(items, values, ascending{});
        else
          machine.sample_sort(items, ascending{});
      },
      [&](data const& in, data const& out, auto judge) {
        if constexpr (std::is_same_v<T, std::uint64_t>)
          if (s.options.beside_radix) return race_radix(s, in, out, judge);
        race_cub(s, in, out, judge);
      });
}

std::vector<whole_row> all_rows(bench_options const& options) {
  using enum types;
  using enum pattern;
  std::vector<whole_row> rows;
  if (options.beside_radix) {
    for (pattern const order : {random, gaussian, bucket_sorted, staggered, duplicates, sorted}) rows.push_back({u64, order});
    return rows;
  }
  // Targets: the ratio to CUB at 2^28 items on an H200.
  for (auto const& [type, target] :
       std::vector<std::pair<types, double>>{{u32, 2}, {u32_u32, 2}, {u64, 2}, {types::record, 0}, {types::pair, 0}})
    for (pattern const order : {random, gaussian, bucket_sorted, staggered, duplicates, sorted})
      rows.push_back({type, order, 0, target});
  return rows;
}

void measure_row(session& s, whole_row const& row, unsigned log_items) {
  switch (row.type) {
    case types::u32:
      return measure<std::uint32_t, no_values>(s, row, log_items);
    case types::u32_u32:
      return measure<std::uint32_t, std::uint32_t>(s, row, log_items);
    case types::u64:
      return measure<std::uint64_t, no_values>(s, row, log_items);
    case types::record:
      return measure<record, no_values>(s, row, log_items);
    case types::pair:
      return measure<two_words, no_values>(s, row, log_items);
    default:
      throw usage_error("types that are not compiled in: " + row.name());
  }
}

int run(int argc, char const* const* argv) {
  return run_rows(program::comparator_sort, argc, argv, {"CUB", "CUB radix"}, all_rows, measure_row);
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("comparator_sort", [&] { return ordo::bench::run(argc, argv); });
}
