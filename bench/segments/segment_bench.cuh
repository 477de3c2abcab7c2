#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "bench/gpu_bench.cuh"
#include "bench/segments/segment_rivals.cuh"
#include "sort_core/algorithms/backend_sorts.hpp"

// The common parts of the benchmarks of segments and arrays: layouts, the check of results, the rivals, and one row.
namespace ordo::inline v0::bench {

// ---- Segments ----

/// Returns the number of the segment of an item, from 1; 0 in a hole.
struct owner_finder {
  std::uint32_t const* table;  // null: all segments have one length
  std::size_t length;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return table ? table[i] : std::uint32_t(i / length) + 1; }
};

struct segment_layout {
  std::size_t extent = 0;  // items of the array, holes included
  std::size_t items = 0;   // in segments
  std::size_t count = 0, longest = 0;
  std::size_t uniform_length = 0;      // 0: lengths differ, or there are holes
  buffer<std::uint32_t> bounds, ends;  // offsets; with holes, begins and ends
  buffer<std::uint32_t> owners;        // where uniform_length is 0

  [[nodiscard]] segment_list<std::uint32_t> segments(bool bounded) const {
    std::span<std::uint32_t const> const b = bounds.span(), e = ends.span();
    std::size_t const bound = bounded ? longest : ~std::size_t{0};
    return e.empty() ? segments_from_offsets(b, bound) : segment_list<std::uint32_t>{b, e, bound};
  }
  // As uniform_segments(count, length), but of the type of the others, which halves the instantiations.
  [[nodiscard]] segment_list<std::uint32_t> uniform() const { return {{}, {}, uniform_length, uniform_length, count}; }
  [[nodiscard]] owner_finder owner() const { return {uniform_length != 0 ? nullptr : owners.data(), uniform_length}; }
};

/// Returns `count` segments of one length, given by offsets.
inline segment_layout equal_lengths(cuda_backend& lab, std::size_t count, std::size_t length) {
  segment_layout layout{count * length, count * length, count, length, length, lab.buffer<std::uint32_t>(count + 1), {}, {}};
  fill(lab, layout.bounds.span(), multiple{length, 0});
  return layout;
}

struct mark_owner {
  std::uint32_t const *begins, *ends;
  std::uint32_t* owners;
  ORDO_FN void operator()(std::size_t s) const {
    if (begins[s] < ends[s]) owners[begins[s]] = std::uint32_t(s + 1);
  }
};

struct clear_in_hole {
  std::uint32_t const* ends;
  std::uint32_t* owners;
  ORDO_FN void operator()(std::size_t i) const {
    if (owners[i] != 0 && i >= ends[owners[i] - 1]) owners[i] = 0;
  }
};

/// Fills layout.owners. Segments must be in the order of their begins.
inline void find_owners(cuda_backend& lab, segment_layout& layout) {
  auto const segments = layout.segments(false);
  layout.owners = lab.buffer<std::uint32_t>(layout.extent);
  auto* const owners = layout.owners.data();
  fill(lab, layout.owners.span(), constant<std::uint32_t>{0});
  lab.each(layout.count, mark_owner{segments.begins.data(), segments.ends.data(), owners});
  lab.scan(layout.extent, load<std::uint32_t>{owners}, layout.owners.span(), larger{});
  lab.each(layout.extent, clear_in_hole{segments.ends.data(), owners});
}

inline segment_layout with_holes(cuda_backend& lab, std::size_t count, std::size_t length) {
  std::size_t const stride = length + length / 4 + 1;
  segment_layout layout{
      count * stride, count * length, count, length, 0, lab.buffer<std::uint32_t>(count), lab.buffer<std::uint32_t>(count), {}};
  fill(lab, layout.bounds.span(), multiple{stride, 0});
  fill(lab, layout.ends.span(), multiple{stride, length});
  find_owners(lab, layout);
  return layout;
}

/// Returns 0 and then the lengths; their sums are offsets.
template <class Length>
struct length_before {
  Length length;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return i == 0 ? 0 : length(i - 1); }
};

struct is_below {
  std::uint32_t const* offsets;
  std::size_t n;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return offsets[i] < n; }
};

struct segment_length {
  std::uint32_t const* offsets;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return offsets[i + 1] - offsets[i]; }
};

/// Returns segments of lengths length(0), length(1), ... that hold n items; the last one is cut.
/// @param mean  approximate mean of the lengths
template <class Length>
segment_layout drawn_lengths(cuda_backend& lab, std::size_t n, double mean, Length length) {
  for (std::size_t count = std::size_t(double(n) / mean * 1.02) + 100;; count += count / 4) {
    auto offsets = lab.buffer<std::uint32_t>(count + 1);
    lab.scan(count + 1, length_before<Length>{length}, offsets.span(), sum{});
    if (value_at(lab, offsets.span(), count) < n) continue;
    segment_layout layout{n, n, lab.reduce(count + 1, is_below{offsets.data(), n}, std::uint64_t{0}, sum{}), 0, 0, {}, {}, {}};
    fill(lab, offsets.span().subspan(layout.count, 1), constant<std::uint32_t>{std::uint32_t(n)});
    layout.bounds = lab.buffer<std::uint32_t>(layout.count + 1);
    fill(lab, layout.bounds.span(), load<std::uint32_t>{offsets.data()});
    layout.longest = lab.reduce(layout.count, segment_length{layout.bounds.data()}, std::uint32_t{0}, larger{});
    find_owners(lab, layout);
    return layout;
  }
}

/// The cumulative probabilities of the lengths from 1 on, and their mean.
struct zipf_table {
  std::vector<double> cumulative;
  double mean = 0;
  explicit zipf_table(zipf_lengths const& lengths) : cumulative(lengths.longest) {
    double total = 0;
    for (std::size_t l = 1; l <= cumulative.size(); ++l) {
      double const weight = std::pow(double(l), -lengths.exponent);
      cumulative[l - 1] = total += weight;
      mean += weight * double(l);
    }
    for (double& p : cumulative) p /= total;
    mean /= total;
  }
};

/// Draws lengths from a table of cumulative probabilities.
struct zipf_length {
  double const* cumulative;
  std::uint32_t longest;
  ORDO_FN std::uint32_t operator()(std::size_t i) const {
    double const u = unit_interval(mixed(~std::uint64_t(i)));
    std::uint32_t low = 0, high = longest - 1;  // the first entry above u
    while (low < high) {
      std::uint32_t const middle = (low + high) / 2;
      if (cumulative[middle] > u)
        high = middle;
      else
        low = middle + 1;
    }
    return low + 1;
  }
};

struct log_normal_length {
  double log_median, sigma;
  ORDO_FN std::uint32_t operator()(std::size_t i) const {
    double const u = 1 - unit_interval(mixed(2 * i)), v = unit_interval(mixed(2 * i + 1));
    double const normal = sqrt(-2 * log(u)) * cos(6.283185307179586 * v);  // Box and Muller
    double const length = exp(log_median + sigma * normal);
    return length < 1 ? 1 : std::uint32_t(length + 0.5);
  }
};

/// Returns a layout of n items, or of row.arrays segments of a fixed length.
inline segment_layout lay_out(cuda_backend& lab, segment_row const& row, std::size_t n) {
  if (auto const* const fixed = std::get_if<fixed_lengths>(&row.segments)) {
    std::size_t const length = fixed->length == 0 ? n : fixed->length;
    std::size_t const count = row.arrays != 0 ? row.arrays : std::max<std::size_t>(n / length, 1);
    return fixed->holes ? with_holes(lab, count, length) : equal_lengths(lab, count, length);
  }
  if (auto const* const zipf = std::get_if<zipf_lengths>(&row.segments)) {
    zipf_table const of(*zipf);
    auto const table = lab.upload(std::span<double const>(of.cumulative));
    return drawn_lengths(lab, n, of.mean, zipf_length{table.data(), std::uint32_t(of.cumulative.size())});
  }
  auto const& normal = std::get<log_normal_lengths>(row.segments);
  return drawn_lengths(lab, n, normal.median * std::exp(normal.sigma * normal.sigma / 2),
                       log_normal_length{std::log(normal.median), normal.sigma});
}

// ---- The check ----

/// Returns 1 for a wrong item. A pair must have the key at the position that its value names, and that position must be in the
/// same segment. If pairs also ascend strictly by (key, value), the result is a permutation, sorted and stable. Holes must be
/// unchanged.
template <class K, class V>
struct misplaced {
  K const *source, *keys;
  stored<V> const* values;
  owner_finder owner;
  std::size_t extent;
  bool stable;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    constexpr bool pairs = columns<K, V>::pairs;
    std::uint32_t const segment = owner(i);
    auto const code = encode_key(keys[i]);
    if (segment == 0) {
      if constexpr (pairs) {
        if (values[i] != i) return 1;
      }
      return code != encode_key(source[i]);
    }
    if constexpr (pairs) {
      if (values[i] >= extent || owner(values[i]) != segment || code != encode_key(source[values[i]])) return 1;
    }
    if (i == 0 || owner(i - 1) != segment) return 0;
    auto const before = encode_key(keys[i - 1]);
    if constexpr (pairs) {
      if (stable && code == before && values[i] <= values[i - 1]) return 1;
    }
    return code < before;
  }
};

/// Returns a word of an item. The sum over all items is a fingerprint of the segments.
template <class K, class V>
struct fingerprint {
  K const* keys;
  stored<V> const* values;
  owner_finder owner;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    std::uint64_t word = mixed(encode_key(keys[i])) ^ owner(i);
    if constexpr (columns<K, V>::pairs) word = mixed(word) ^ values[i];
    return mixed(word);
  }
};

/// Returns true if `result` is a correct sort of `source`.
template <class K, class V>
bool is_right(cuda_backend& lab, segment_layout const& layout, columns<K, V> const& source, columns<K, V> const& result,
              bool stable) {
  misplaced<K, V> const bad{source.keys.data(), result.keys.data(), result.values.data(),
                            layout.owner(),     layout.extent,      stable};
  if (lab.reduce(layout.extent, bad, std::uint64_t{0}, sum{}) != 0) return false;
  if (columns<K, V>::pairs && stable) return true;
  fingerprint<K, V> const before{source.keys.data(), source.values.data(), layout.owner()};
  fingerprint<K, V> const after{result.keys.data(), result.values.data(), layout.owner()};
  return lab.reduce(layout.extent, before, std::uint64_t{0}, sum{}) ==
         lab.reduce(layout.extent, after, std::uint64_t{0}, sum{});
}

template <class K>
struct wrong_head {
  K const* keys;
  owner_finder owner;
  std::uint8_t const* heads;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    if (owner(i) == 0) return 0;
    bool const head = i == 0 || owner(i - 1) != owner(i) || encode_key(keys[i - 1]) != encode_key(keys[i]);
    return heads[i] != std::uint8_t(head);
  }
};

// ---- The rivals ----

template <class K>
struct pack {
  K const* keys;
  owner_finder owner;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return std::uint64_t(owner(i) - 1) << 32 | encode_key(keys[i]); }
};

template <class K>
struct unpack {
  std::uint64_t const* packed;
  ORDO_FN K operator()(std::size_t i) const { return radix_key<K>::decode(std::uint32_t(packed[i])); }
};

/// Runs CUB's sorts and the optional rivals from `in` to `out`: separate arrays are CUB's fastest form. Packing and unpacking
/// of (segment, key) are not timed, in favour of that rival. Results are checked like ours.
template <class K, class V>
void race_rivals(session& s, segment_layout const& layout, columns<K, V> const& in, columns<K, V> const& out,
                 row_result& result) {
  constexpr bool pairs = columns<K, V>::pairs;
  auto const segments = layout.segments(false);
  auto const n = int(layout.extent), count = int(layout.count);  // int is CUB's fastest form
  auto const* const begins = segments.begins.data();
  auto const* const ends = segments.ends.data();
  auto const finish = [&](char const* name, timing time, bool stable = true) {
    result.rivals[name] = {time, is_right(s.lab, layout, in, out, stable)};
  };
  auto const race = [&](char const* name, auto call) {
    if_it_fits(s, result.name + ", " + name, [&] { finish(name, time_cub(s, call)); });
  };
  in.copy_to(out, s.lab.stream());  // fills the holes
  race("CUB seg", [&](void* temporary, std::size_t& bytes) {
    if constexpr (pairs)
      return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, in.keys.data(), out.keys.data(), in.values.data(),
                                                       out.values.data(), n, count, begins, ends, s.lab.stream());
    else
      return cub::DeviceSegmentedSort::StableSortKeys(temporary, bytes, in.keys.data(), out.keys.data(), n, count, begins, ends,
                                                      s.lab.stream());
  });
  // It has a block for each segment, too slow for many short ones.
  if (layout.count <= (std::size_t{1} << 20) && layout.items / layout.count >= 512)
    race("seg radix", [&](void* temporary, std::size_t& bytes) {
      if constexpr (pairs)
        return cub::DeviceSegmentedRadixSort::SortPairs(temporary, bytes, in.keys.data(), out.keys.data(), in.values.data(),
                                                        out.values.data(), n, count, begins, ends, 0, int(8 * sizeof(K)),
                                                        s.lab.stream());
      else
        return cub::DeviceSegmentedRadixSort::SortKeys(temporary, bytes, in.keys.data(), out.keys.data(), n, count, begins,
                                                       ends, 0, int(8 * sizeof(K)), s.lab.stream());
    });
  if constexpr (sizeof(K) == 4) {
    auto const race_packed = [&] {
      auto const packed = s.lab.buffer<std::uint64_t>(layout.extent), sorted = s.lab.buffer<std::uint64_t>(layout.extent);
      fill(s.lab, packed.span(), pack<K>{in.keys.data(), layout.owner()});
      int const bits = int(32 + bit_length(layout.count - 1));
      timing const time = time_cub(s, [&](void* temporary, std::size_t& bytes) {
        if constexpr (pairs)
          return cub::DeviceRadixSort::SortPairs(temporary, bytes, packed.data(), sorted.data(), in.values.data(),
                                                 out.values.data(), n, 0, bits, s.lab.stream());
        else
          return cub::DeviceRadixSort::SortKeys(temporary, bytes, packed.data(), sorted.data(), n, 0, bits, s.lab.stream());
      });
      fill(s.lab, out.keys.span(), unpack<K>{sorted.data()});
      finish("packed", time);
    };
    if (layout.items == layout.extent) if_it_fits(s, result.name + ", packed", race_packed);
  }
  if constexpr (std::is_same_v<K, std::uint32_t> && !std::is_same_v<V, std::uint64_t>) {
    if (layout.count == 1)
      race("radix", [&](void* temporary, std::size_t& bytes) {
        if constexpr (pairs)
          return cub::DeviceRadixSort::SortPairs(temporary, bytes, in.keys.data(), out.keys.data(), in.values.data(),
                                                 out.values.data(), n, 0, 32, s.lab.stream());
        else
          return cub::DeviceRadixSort::SortKeys(temporary, bytes, in.keys.data(), out.keys.data(), n, 0, 32, s.lab.stream());
      });
  }
  race_optional(s, layout, in, out, finish);
}

// ---- One row ----

/// Returns the result with all that is known before the sort, and the time of copy_all().
template <class Copy>
row_result begin_row(session& s, segment_row const& row, segment_layout const& layout, Copy copy_all) {
  row_result result;
  result.name = row.name();
  result.items = layout.items;
  result.segments = layout.count;
  result.longest = layout.longest;
  result.target_ms = s.options.quick ? 0 : row.target_ms;
  result.copy = median_time(
      s.lab.stream(), s.options.runs, [] {}, copy_all);
  return result;
}

/// Measures one row. `Sort` has sort(machine, keys, values, segments, heads), memory(layout, key bytes, value bytes, bounded),
/// is_stable(layout) and headline_is_uniform.
template <class K, class V, class Sort, class More>
void measure(session& s, segment_row const& row, std::size_t n, Sort const& sort, More more_rivals) {
  using pair = columns<K, V>;
  segment_layout const layout = lay_out(s.lab, row, n);
  pair const in = make_columns<K, V>(s.lab, layout.extent, row.order), out(s.lab, layout.extent);
  auto const heads = s.lab.buffer<std::uint8_t>(row.heads ? layout.extent : 0);
  row_result result = begin_row(s, row, layout, [&] { in.copy_to(out, s.lab.stream()); });
  result.headline_is_uniform = Sort::headline_is_uniform;
  auto const ours = [&](timing& time, segment_list<std::uint32_t> segments) {
    std::size_t const taken = on_fresh_machine(s, [&](cuda_backend& machine) {
      time = median_time(
          machine.stream(), s.options.runs, [&] { in.copy_to(out, machine.stream()); },
          [&] { sort(machine, out.keys.span(), out.values.span(), segments, heads.span()); });
    });
    result.extra_bytes = std::max(result.extra_bytes, taken);
    require(result, is_right(s.lab, layout, in, out, sort.is_stable(layout)), "wrong order");
    if (row.heads)
      require(result,
              s.lab.reduce(layout.extent, wrong_head<K>{out.keys.data(), layout.owner(), heads.data()}, std::uint64_t{0},
                           sum{}) == 0,
              "wrong boundaries");
  };
  ours(result.offsets, layout.segments(s.options.bounded));
  if (layout.uniform_length != 0) ours(result.uniform, layout.uniform());
  result.allowed_bytes = sort.memory(layout, sizeof(K), pair::pairs ? sizeof(stored<V>) : 0, s.options.bounded);
  require(result, result.extra_bytes <= result.allowed_bytes, "more memory than the contract allows");
  if (s.options.rivals) {
    race_rivals(s, layout, in, out, result);
    more_rivals(layout, in, out, result);
  }
  s.out.add(result);
}

struct no_more_rivals {
  template <class... Args>
  void operator()(Args const&...) const {}
};

}  // namespace ordo::inline v0::bench
