// Measures what the range of the keys is worth (Polok, Ila and Smrz, HPC'14): floats of a known interval share their upper
// bits. And the time of a sort by the length of the key (figure 3 of Deshpande and Narayanan, HiPC'13). Beside CUB, in one
// process on the same inputs.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "bench/keys/whole_bench.cuh"
#include "bench/row_file.hpp"
#include "sort_core/algorithms/backend_sorts.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

struct by_code {
  template <class K>
  ORDO_FN bool operator()(K a, K b) const {
    return encode_key(a) < encode_key(b);
  }
};

/// A key of 9 to 16 bytes, the last ones in the upper bytes of `second`.
struct long_key {
  std::uint64_t first, second;
  ORDO_FN friend bool operator<(long_key a, long_key b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
  }
};
ORDO_FN std::uint64_t to_word(long_key x) {
  return mixed(x.first) ^ x.second;
}

struct ascending {
  ORDO_FN bool operator()(long_key a, long_key b) const { return a < b; }
};

// ---- Keys ----

/// Evenly distributed in [low, high).
template <class K>
struct key_between {
  K low, high;
  ORDO_FN K operator()(std::size_t i) const {
    K const key = low + K(double(high - low) * unit_interval(mixed(i)));
    return key < high ? key : low;
  }
};

/// Random in the lower bytes.
template <class K>
struct key_of_bytes {
  unsigned bytes;
  ORDO_FN K operator()(std::size_t i) const { return K(mixed(i) >> (64 - 8 * bytes)); }
};

struct long_key_of_bytes {
  unsigned bytes;  // 9 to 16
  ORDO_FN long_key operator()(std::size_t i) const {
    std::uint64_t const upper = mixed(i) >> 44;  // few distinct ones, so that the other bytes matter
    return {upper, mixed(~i) << (128 - 8 * bytes)};
  }
};

/// Returns the lower bits in which keys of [low, high) may differ.
template <class K>
bit_range bits_between(K low, K high) {
  return {0, bit_length(encode_key(low) ^ (encode_key(high) - 1))};
}

// ---- Sorts ----

template <class K, class V>
struct race {
  using data = columns<K, V>;
  session& s;
  data const& in;
  data const& out;
  std::string& wrong;

  double ordo(bit_range bits) const {
    cuda_backend machine;
    timing const time = median_time(
        machine.stream(), s.options.runs, [&] { in.copy_to(out, machine.stream()); },
        [&] {
          if constexpr (data::pairs)
            sort_pairs(machine, out.keys.span(), out.values.span(), bits);
          else
            sort_keys(machine, out.keys.span(), bits);
        });
    check("Ordo", out.keys.data(), out.values.data());
    return rounded_ms(time.ms);
  }
  double cub_radix(bit_range bits) const {
    std::size_t const n = in.keys.size();
    data const spare(s.lab, n);
    cub::DoubleBuffer<K> keys(out.keys.data(), spare.keys.data());
    cub::DoubleBuffer<stored<V>> values(out.values.data(), spare.values.data());
    auto const restore = [&] {
      keys.selector = values.selector = 0;
      in.copy_to(out, s.lab.stream());
    };
    auto const call = [&](void* temporary, std::size_t& bytes) {
      if constexpr (data::pairs)
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, values, std::uint32_t(n), int(bits.begin), int(bits.end),
                                               s.lab.stream());
      else
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, std::uint32_t(n), int(bits.begin), int(bits.end),
                                              s.lab.stream());
    };
    timing const time =
        with_cub(s, call, [&](auto sort) { return median_time(s.lab.stream(), s.options.runs, restore, sort); });
    check("CUB", keys.Current(), values.Current());
    return rounded_ms(time.ms);
  }

 private:
  void check(char const* who, K const* keys, stored<V> const* values) const {
    if (!is_right(s.lab, in, keys, values, by_code{})) wrong += std::string(who) + " ";
  }
};

/// Measures keys of [low, high) with and without their range.
template <class K, class V>
void measure_range(session& s, row_file& out, std::string const& name, K low, K high, unsigned log_items) {
  std::size_t const n = std::size_t{1} << log_items;
  auto const in = make_columns<K, V>(s.lab, n, key_between<K>{low, high});
  columns<K, V> const to(s.lab, n);
  std::string wrong;
  race<K, V> const on{s, in, to, wrong};
  bit_range const all{0, 8 * sizeof(K)}, known = bits_between(low, high);
  timing const copied = median_time(
      s.lab.stream(), s.options.runs, [] {}, [&] { in.copy_to(to, s.lab.stream()); });
  json_row row{{"name", name + " 2^" + std::to_string(log_items)},
               {"items", n},
               {"bits", known.end},
               {"copy_ms", rounded_ms(copied.ms)}};
  row["all_bits_ms"] = {{"Ordo", on.ordo(all)}, {"CUB", on.cub_radix(all)}};
  row["range_ms"] = {{"Ordo", on.ordo(known)}, {"CUB", on.cub_radix(known)}};
  row["wrong"] = wrong;
  out.add(std::move(row));
}

/// Measures pairs of a key of 1 to 8 bytes and a value of 32 bits.
template <class K>
void measure_length(session& s, row_file& out, unsigned bytes, std::size_t n) {
  auto const in = make_columns<K, std::uint32_t>(s.lab, n, key_of_bytes<K>{bytes});
  columns<K, std::uint32_t> const to(s.lab, n);
  std::string wrong;
  race<K, std::uint32_t> const on{s, in, to, wrong};
  bit_range const bits{0, 8 * bytes};
  json_row row{{"name", std::to_string(bytes) + " bytes"}, {"bytes", bytes}, {"items", n}};
  row["ms"] = {{"Ordo", on.ordo(bits)}, {"CUB", on.cub_radix(bits)}};
  row["wrong"] = wrong;
  out.add(std::move(row));
}

/// The same with a key of 9 to 16 bytes, by a comparator.
void measure_long(session& s, row_file& out, unsigned bytes, std::size_t n) {
  using data = columns<long_key, std::uint32_t>;
  auto const in = make_columns<long_key, std::uint32_t>(s.lab, n, long_key_of_bytes{bytes});
  data const to(s.lab, n);
  std::string wrong;
  auto const check = [&](char const* who) {
    if (!is_right(s.lab, in, to.keys.data(), to.values.data(), ascending{})) wrong += std::string(who) + " ";
  };
  json_row row{{"name", std::to_string(bytes) + " bytes"}, {"bytes", bytes}, {"items", n}};
  {
    cuda_backend machine;
    timing const time = median_time(
        machine.stream(), s.options.runs, [&] { in.copy_to(to, machine.stream()); },
        [&] { machine.sample_sort(to.keys.span(), to.values.span(), ascending{}); });
    row["ms"]["Ordo"] = rounded_ms(time.ms);
    check("Ordo");
  }
  auto const call = [&](void* temporary, std::size_t& size) {
    return cub::DeviceMergeSort::StableSortPairs(temporary, size, to.keys.data(), to.values.data(), std::uint32_t(n),
                                                 ascending{}, s.lab.stream());
  };
  timing const time = with_cub(s, call, [&](auto sort) {
    return median_time(
        s.lab.stream(), s.options.runs, [&] { in.copy_to(to, s.lab.stream()); }, sort);
  });
  row["ms"]["CUB"] = rounded_ms(time.ms);
  check("CUB");
  row["wrong"] = wrong;
  out.add(std::move(row));
}

int run(int argc, char const* const* argv) {
  std::string json;
  bench_options options;
  options.runs = 5;
  std::size_t millions = 30;
  options.sizes = {20, 24, 28};
  bool lengths = false;
  cli::command_table table{.name = "key_ranges",
                           .summary = "measure",
                           .usage = {"[OPTION]..."},
                           .description = "The GPU's radix sort of keys of a known range, and by the length of the key."};
  table.options = {
      cli::flag_row("lengths", "measure keys of 1 to 16 bytes instead of ranges of floats", lengths),
      cli::value_row("millions", "N", "with --lengths, sort N * 10^6 pairs", cli::parse_to(millions, 1, 1000), "30"),
      cli::value_row(
          "sizes", "N[,N...]", "sort 2^N floats",
          [&](std::string_view spelling, std::string_view value) { cli::parse_value(spelling, value, options.sizes); },
          "20,24,28"),
      cli::value_row("runs", "N", "take the median of N runs, after 2 to warm up", cli::parse_to(options.runs, 1, 1000), "5"),
      cli::value_row("json", "FILE", "write the figures to FILE", json),
      cli::help_row()};
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  report unused(program::radix_sort, options, {}, {});
  session s{cuda_backend(), options, unused};
  row_file out(lengths ? "key_lengths" : "key_ranges", json, describe_machine());
  if (lengths) {
    std::size_t const n = millions * 1'000'000;
    measure_length<std::uint8_t>(s, out, 1, n);
    measure_length<std::uint16_t>(s, out, 2, n);
    for (unsigned const bytes : {3, 4}) measure_length<std::uint32_t>(s, out, bytes, n);
    for (unsigned const bytes : {5, 6, 7, 8}) measure_length<std::uint64_t>(s, out, bytes, n);
    for (unsigned bytes = 9; bytes <= 16; ++bytes) measure_long(s, out, bytes, n);
    return out.status();
  }
  for (unsigned const log_items : options.sizes) {
    for (auto const& [name, low, high] : std::vector<std::tuple<std::string, float, float>>{
             {"[1, 1.0078125)", 1, 1.0078125F}, {"[1, 2)", 1, 2}, {"[0.5, 1.5)", 0.5F, 1.5F}, {"[0, 1)", 0, 1}}) {
      measure_range<float, no_values>(s, out, "f32 " + name, low, high, log_items);
      measure_range<float, std::uint32_t>(s, out, "f32/u32 " + name, low, high, log_items);
    }
    for (auto const& [name, low, high] :
         std::vector<std::tuple<std::string, double, double>>{{"[1, 2)", 1, 2}, {"[0, 1)", 0, 1}})
      measure_range<double, no_values>(s, out, "f64 " + name, low, high, log_items);
  }
  return out.status();
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("key_ranges", [&] { return ordo::bench::run(argc, argv); });
}
