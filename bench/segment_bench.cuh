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
#include "bench/segment_rivals.cuh"
#include "sort_core/backend_sorts.hpp"

// What the benchmarks of segments and arrays share: how segments lie, the check of results, the rivals, and one row.
namespace ordo::bench {

// ---- Segments ----

/// 1 + the number of the segment in which an item is; 0 in a hole.
struct owner_of {
  std::uint32_t const* table;  // null: all segments have one length
  std::size_t length;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return table ? table[i] : std::uint32_t(i / length) + 1; }
};

struct layout {
  std::size_t extent = 0;  // of the array, holes counted
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
  // As uniform_segments(count, length), but of the same type as the others: half the instantiations.
  [[nodiscard]] segment_list<std::uint32_t> uniform() const { return {{}, {}, uniform_length, uniform_length, count}; }
  [[nodiscard]] owner_of owner() const { return {uniform_length != 0 ? nullptr : owners.data(), uniform_length}; }
};

/// `count` segments of one length, told by offsets.
inline layout equal_lengths(cuda_backend& lab, std::size_t count, std::size_t length) {
  layout made{count * length, count * length, count, length, length, lab.buffer<std::uint32_t>(count + 1), {}, {}};
  fill(lab, made.bounds.span(), multiple{length, 0});
  return made;
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

/// Segments must be in the order of their begins.
inline void find_owners(cuda_backend& lab, layout& of) {
  auto const segments = of.segments(false);
  of.owners = lab.buffer<std::uint32_t>(of.extent);
  auto* const owners = of.owners.data();
  fill(lab, of.owners.span(), constant<std::uint32_t>{0});
  lab.each(of.count, mark_owner{segments.begins.data(), segments.ends.data(), owners});
  lab.scan(of.extent, load<std::uint32_t>{owners}, of.owners.span(), larger{});
  lab.each(of.extent, clear_in_hole{segments.ends.data(), owners});
}

inline layout with_holes(cuda_backend& lab, std::size_t count, std::size_t length) {
  std::size_t const stride = length + length / 4 + 1;
  layout made{
      count * stride, count * length, count, length, 0, lab.buffer<std::uint32_t>(count), lab.buffer<std::uint32_t>(count), {}};
  fill(lab, made.bounds.span(), multiple{stride, 0});
  fill(lab, made.ends.span(), multiple{stride, length});
  find_owners(lab, made);
  return made;
}

/// 0 and the lengths: what a scan makes offsets of.
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

struct length_of {
  std::uint32_t const* offsets;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return offsets[i + 1] - offsets[i]; }
};

/// Segments of lengths length(0), length(1), ... until they hold n items; the last one is cut.
/// @param mean  of the lengths, about
template <class Length>
layout drawn_lengths(cuda_backend& lab, std::size_t n, double mean, Length length) {
  for (std::size_t count = std::size_t(double(n) / mean * 1.02) + 100;; count += count / 4) {
    auto offsets = lab.buffer<std::uint32_t>(count + 1);
    lab.scan(count + 1, length_before<Length>{length}, offsets.span(), sum{});
    if (value_at(lab, offsets.span(), count) < n) continue;
    layout made{n, n, lab.reduce(count + 1, is_below{offsets.data(), n}, std::uint64_t{0}, sum{}), 0, 0, {}, {}, {}};
    fill(lab, offsets.span().subspan(made.count, 1), constant<std::uint32_t>{std::uint32_t(n)});
    made.bounds = lab.buffer<std::uint32_t>(made.count + 1);
    fill(lab, made.bounds.span(), load<std::uint32_t>{offsets.data()});
    made.longest = lab.reduce(made.count, length_of{made.bounds.data()}, std::uint32_t{0}, larger{});
    find_owners(lab, made);
    return made;
  }
}

/// Lengths 1, 2, ... by a table of the probabilities of lengths up to each.
struct zipf_length {
  double const* up_to;
  std::uint32_t longest;
  ORDO_FN std::uint32_t operator()(std::size_t i) const {
    double const u = unit_interval(mixed(~std::uint64_t(i)));
    std::uint32_t low = 0, high = longest - 1;  // the first entry above u
    while (low < high) {
      std::uint32_t const middle = (low + high) / 2;
      if (up_to[middle] > u)
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

/// n items, or row.arrays segments of a fixed length.
inline layout lay_out(cuda_backend& lab, row const& what, std::size_t n) {
  if (auto const* const fixed = std::get_if<fixed_lengths>(&what.segments)) {
    std::size_t const length = fixed->length == 0 ? n : fixed->length;
    std::size_t const count = what.arrays != 0 ? what.arrays : std::max<std::size_t>(n / length, 1);
    return fixed->holes ? with_holes(lab, count, length) : equal_lengths(lab, count, length);
  }
  if (auto const* const zipf = std::get_if<zipf_lengths>(&what.segments)) {
    std::vector<double> up_to(zipf->longest);
    double total = 0, mean = 0;
    for (std::size_t l = 1; l <= up_to.size(); ++l) {
      double const weight = std::pow(double(l), -zipf->exponent);
      up_to[l - 1] = total += weight;
      mean += weight * double(l);
    }
    for (double& p : up_to) p /= total;
    auto const table = lab.upload(std::span<double const>(up_to));
    return drawn_lengths(lab, n, mean / total, zipf_length{table.data(), std::uint32_t(up_to.size())});
  }
  auto const& normal = std::get<log_normal_lengths>(what.segments);
  return drawn_lengths(lab, n, normal.median * std::exp(normal.sigma * normal.sigma / 2),
                       log_normal_length{std::log(normal.median), normal.sigma});
}

// ---- The check ----

/// 1 for an item that cannot stand where it does. A pair must have the key that it had at the position which its value names,
/// and must come from the same segment; where pairs also ascend strictly by (key, value), the result is a permutation, sorted
/// and stable, and nothing is left to prove. What lies in holes must be what it was.
template <class K, class V>
struct misplaced {
  K const *source, *keys;
  stored<V> const* values;
  owner_of owner;
  std::size_t extent;
  bool stable;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    constexpr bool pairs = columns<K, V>::pairs;
    std::uint32_t const segment = owner(i);
    auto const code = code_of(keys[i]);
    if (segment == 0) {
      if constexpr (pairs) {
        if (values[i] != i) return 1;
      }
      return code != code_of(source[i]);
    }
    if constexpr (pairs) {
      if (values[i] >= extent || owner(values[i]) != segment || code != code_of(source[values[i]])) return 1;
    }
    if (i == 0 || owner(i - 1) != segment) return 0;
    auto const before = code_of(keys[i - 1]);
    if constexpr (pairs) {
      if (stable && code == before && values[i] <= values[i - 1]) return 1;
    }
    return code < before;
  }
};

/// Summed over the items, a fingerprint of what each segment holds.
template <class K, class V>
struct fingerprint {
  K const* keys;
  stored<V> const* values;
  owner_of owner;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    std::uint64_t word = mixed(code_of(keys[i])) ^ owner(i);
    if constexpr (columns<K, V>::pairs) word = mixed(word) ^ values[i];
    return mixed(word);
  }
};

/// Is `result` what a sort of `source` should give?
template <class K, class V>
bool is_right(cuda_backend& lab, layout const& where, columns<K, V> const& source, columns<K, V> const& result, bool stable) {
  misplaced<K, V> const bad{source.keys.data(), result.keys.data(), result.values.data(), where.owner(), where.extent, stable};
  if (lab.reduce(where.extent, bad, std::uint64_t{0}, sum{}) != 0) return false;
  if (columns<K, V>::pairs && stable) return true;
  fingerprint<K, V> const before{source.keys.data(), source.values.data(), where.owner()};
  fingerprint<K, V> const after{result.keys.data(), result.values.data(), where.owner()};
  return lab.reduce(where.extent, before, std::uint64_t{0}, sum{}) == lab.reduce(where.extent, after, std::uint64_t{0}, sum{});
}

template <class K>
struct wrong_head {
  K const* keys;
  owner_of owner;
  std::uint8_t const* heads;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    if (owner(i) == 0) return 0;
    bool const head = i == 0 || owner(i - 1) != owner(i) || code_of(keys[i - 1]) != code_of(keys[i]);
    return heads[i] != std::uint8_t(head);
  }
};

// ---- The rivals ----

template <class K>
struct pack {
  K const* keys;
  owner_of owner;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return std::uint64_t(owner(i) - 1) << 32 | code_of(keys[i]); }
};

template <class K>
struct unpack {
  std::uint64_t const* packed;
  ORDO_FN K operator()(std::size_t i) const { return radix_key<K>::decode(std::uint32_t(packed[i])); }
};

/// CUB's sorts and those that were built in, from `in` to `out`: input and output apart is the form that is best for CUB.
/// Packing and unpacking of (segment, key) are not counted, which flatters that one. All are checked as we are.
template <class K, class V>
void race_rivals(session& s, layout const& where, columns<K, V> const& in, columns<K, V> const& out, row_result& result) {
  constexpr bool pairs = columns<K, V>::pairs;
  auto const segments = where.segments(false);
  auto const n = int(where.extent), count = int(where.count);  // int is their best form
  auto const* const begins = segments.begins.data();
  auto const* const ends = segments.ends.data();
  auto const finish = [&](char const* name, timing time, bool stable = true) {
    result.rivals[name] = {time, is_right(s.lab, where, in, out, stable)};
  };
  auto const race = [&](char const* name, auto call) {
    if_it_fits(s, result.name + ", " + name, [&] { finish(name, time_cub(s, call)); });
  };
  in.copy_to(out, s.lab.stream());  // for the holes
  race("CUB seg", [&](void* temporary, std::size_t& bytes) {
    if constexpr (pairs)
      return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, in.keys.data(), out.keys.data(), in.values.data(),
                                                       out.values.data(), n, count, begins, ends, s.lab.stream());
    else
      return cub::DeviceSegmentedSort::StableSortKeys(temporary, bytes, in.keys.data(), out.keys.data(), n, count, begins, ends,
                                                      s.lab.stream());
  });
  // A block a segment: hopeless for many short ones.
  if (where.count <= (std::size_t{1} << 20) && where.items / where.count >= 512)
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
      auto const packed = s.lab.buffer<std::uint64_t>(where.extent), sorted = s.lab.buffer<std::uint64_t>(where.extent);
      fill(s.lab, packed.span(), pack<K>{in.keys.data(), where.owner()});
      int const bits = int(32 + bits_of(where.count - 1));
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
    if (where.items == where.extent) if_it_fits(s, result.name + ", packed", race_packed);
  }
  if constexpr (std::is_same_v<K, std::uint32_t> && !std::is_same_v<V, std::uint64_t>) {
    if (where.count == 1)
      race("radix", [&](void* temporary, std::size_t& bytes) {
        if constexpr (pairs)
          return cub::DeviceRadixSort::SortPairs(temporary, bytes, in.keys.data(), out.keys.data(), in.values.data(),
                                                 out.values.data(), n, 0, 32, s.lab.stream());
        else
          return cub::DeviceRadixSort::SortKeys(temporary, bytes, in.keys.data(), out.keys.data(), n, 0, 32, s.lab.stream());
      });
  }
  race_built_in(s, where, in, out, finish);
}

// ---- One row ----

/// What is known before the sort: items, segments, and the roof, which is the time of copy_all().
template <class Copy>
row_result begin_row(session& s, row const& what, layout const& where, Copy copy_all) {
  row_result result;
  result.name = what.name();
  result.items = where.items;
  result.segments = where.count;
  result.longest = where.longest;
  result.target_ms = s.how.quick ? 0 : what.target_ms;
  result.copy = median_time(
      s.lab.stream(), s.how.runs, [] {}, copy_all);
  return result;
}

/// `Sort` tells what is measured: sort(machine, keys, values, segments, heads), memory(layout, key bytes, value bytes),
/// is_stable(layout), headline_is_uniform.
template <class K, class V, class Sort, class More>
void measure(session& s, row const& what, std::size_t n, Sort const& sort, More more_rivals) {
  using pair = columns<K, V>;
  layout const where = lay_out(s.lab, what, n);
  pair const in = make_columns<K, V>(s.lab, where.extent, what.order), out(s.lab, where.extent);
  auto const heads = s.lab.buffer<std::uint8_t>(what.heads ? where.extent : 0);
  row_result result = begin_row(s, what, where, [&] { in.copy_to(out, s.lab.stream()); });
  result.headline_is_uniform = Sort::headline_is_uniform;
  auto const ours = [&](timing& time, segment_list<std::uint32_t> segments) {
    std::size_t const taken = on_fresh_machine(s, [&](cuda_backend& machine) {
      time = median_time(
          machine.stream(), s.how.runs, [&] { in.copy_to(out, machine.stream()); },
          [&] { sort(machine, out.keys.span(), out.values.span(), segments, heads.span()); });
    });
    result.extra_bytes = std::max(result.extra_bytes, taken);
    find_fault(result, is_right(s.lab, where, in, out, sort.is_stable(where)), "NOT SORTED RIGHT");
    if (what.heads)
      find_fault(
          result,
          s.lab.reduce(where.extent, wrong_head<K>{out.keys.data(), where.owner(), heads.data()}, std::uint64_t{0}, sum{}) == 0,
          "WRONG BOUNDARIES");
  };
  ours(result.offsets, where.segments(s.how.bounded));
  if (where.uniform_length != 0) ours(result.uniform, where.uniform());
  result.allowed_bytes = sort.memory(where, sizeof(K), pair::pairs ? sizeof(stored<V>) : 0, s.how.bounded);
  find_fault(result, result.extra_bytes <= result.allowed_bytes, "MORE MEMORY THAN THE CONTRACT SAYS");
  if (s.how.rivals) {
    race_rivals(s, where, in, out, result);
    more_rivals(where, in, out, result);
  }
  s.out.add(result);
}

struct no_more_rivals {
  template <class... Args>
  void operator()(Args const&...) const {}
};

}  // namespace ordo::bench
