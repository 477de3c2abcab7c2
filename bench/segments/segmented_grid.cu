// Measures the grid of figure 12 of Hou et al. (ICS'17): 16 exponents of a power law by 40 lengths of the longest segment, on a
// fixed number of pairs, and on the 65,535 segments that one call of the CUB of that paper took.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/row_file.hpp"
#include "bench/segments/segment_bench.cuh"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

struct settings {
  std::string json;
  unsigned stride = 1, exponents = 1, log_items = 26;
};

constexpr std::size_t cub_segments = 65'535;  // a grid's blocks before CUDA 3.0, one for each segment
constexpr std::size_t max_longest = 2000, step_of_longest = 50;

/// Returns the median time of few runs: a sort of more than 4 ms has one run after the first.
template <class Before, class Work>
timing quick_time(cudaStream_t stream, Before before, Work work) {
  timing const first = median_time(stream, 1, before, work, 0);
  return median_time(stream, first.ms > 4 ? 1 : 3, before, work, 0);
}

/// Returns `count` segments of lengths by a power law.
segment_layout counted_segments(cuda_backend& lab, zipf_lengths const& lengths, std::size_t count) {
  zipf_table const of(lengths);
  auto const table = lab.upload(std::span<double const>(of.cumulative));
  zipf_length const length{table.data(), std::uint32_t(of.cumulative.size())};
  segment_layout layout{0, 0, count, 0, 0, lab.buffer<std::uint32_t>(count + 1), {}, {}};
  lab.scan(count + 1, length_before<zipf_length>{length}, layout.bounds.span(), sum{});
  layout.extent = layout.items = value_at(lab, layout.bounds.span(), count);
  layout.longest = lab.reduce(count, segment_length{layout.bounds.data()}, std::uint32_t{0}, larger{});
  find_owners(lab, layout);
  return layout;
}

/// The times of one point of the grid. A wrong result has the time 0.
template <class V>
class point {
 public:
  using pair = columns<std::uint32_t, V>;

  point(session& s, segment_layout const& layout, bool whole_grid, std::map<std::string, double>& ms, std::string& wrong)
      : s_(s),
        layout_(layout),
        in_(make_columns<std::uint32_t, V>(s.lab, layout.extent, pattern::random)),
        out_(s.lab, layout.extent),
        ms_(ms) {
    wait_for(s_.lab);
    cuda_backend machine;
    timing const ours = quick_time(
        machine.stream(), [&] { in_.copy_to(out_, machine.stream()); },
        [&] { sort_segments(machine, out_.keys.span(), out_.values.span(), layout_.segments(false)); });
    ms_["Ordo"] = rounded_ms(ours.ms);
    if (!is_right(s_.lab, layout_, in_, out_, true)) wrong += "Ordo ";
    race_cub();
    if (!whole_grid) race_cub_radix();
    if constexpr (sizeof(V) == 4)
      if (whole_grid) race_packed();
    race_optional(s_, layout_, in_, out_, [&](char const* name, timing time, bool stable) { finish(name, time, stable); });
  }

 private:
  void finish(char const* name, timing time, bool stable = true) {
    ms_[name] = is_right(s_.lab, layout_, in_, out_, stable) ? rounded_ms(time.ms) : 0;
  }
  template <class Call>
  void race(char const* name, Call call) {
    finish(name, with_cub(s_, call, [&](auto sort) {
             return quick_time(
                 s_.lab.stream(), [] {}, sort);
           }));
  }
  void race_cub() {
    auto const segments = layout_.segments(false);
    race("CUB seg", [&](void* temporary, std::size_t& bytes) {
      return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, in_.keys.data(), out_.keys.data(), in_.values.data(),
                                                       out_.values.data(), int(layout_.extent), int(layout_.count),
                                                       segments.begins.data(), segments.ends.data(), s_.lab.stream());
    });
  }
  void race_cub_radix() {
    auto const segments = layout_.segments(false);
    race("seg radix", [&](void* temporary, std::size_t& bytes) {
      return cub::DeviceSegmentedRadixSort::SortPairs(temporary, bytes, in_.keys.data(), out_.keys.data(), in_.values.data(),
                                                      out_.values.data(), int(layout_.extent), int(layout_.count),
                                                      segments.begins.data(), segments.ends.data(), 0, 32, s_.lab.stream());
    });
  }
  /// CUSP sorted by segment and key.
  void race_packed() {
    std::size_t const n = layout_.extent;
    auto const packed = s_.lab.buffer<std::uint64_t>(n), sorted = s_.lab.buffer<std::uint64_t>(n);
    fill(s_.lab, packed.span(), pack<std::uint32_t>{in_.keys.data(), layout_.owner()});
    int const bits = int(32 + bit_length(layout_.count - 1));
    auto const call = [&](void* temporary, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(temporary, bytes, packed.data(), sorted.data(), in_.values.data(),
                                             out_.values.data(), int(n), 0, bits, s_.lab.stream());
    };
    timing const time = with_cub(s_, call, [&](auto sort) {
      return quick_time(
          s_.lab.stream(), [] {}, sort);
    });
    fill(s_.lab, out_.keys.span(), unpack<std::uint32_t>{sorted.data()});
    finish("packed", time);
  }

  session& s_;
  segment_layout const& layout_;
  pair in_, out_;
  std::map<std::string, double>& ms_;
};

/// Measures the points of one exponent: a row with a list of times for each sort.
/// @param segments  0: as many as hold 2^log_items pairs
template <class V>
void measure(session& s, row_file& out, settings const& options, unsigned tenths, std::size_t segments) {
  double const exponent = tenths / 10.0;
  json_row row{{"name", std::string(sizeof(V) == 4 ? "u32/u32" : "u32/u64") + " zipf " + std::to_string(tenths / 10) + "." +
                            std::to_string(tenths % 10) + (segments != 0 ? " x " + std::to_string(segments) : "")},
               {"exponent", exponent},
               {"segments", segments}};
  std::map<std::string, std::vector<double>> all;
  std::vector<std::size_t> longest, items;
  std::string wrong;
  for (std::size_t l = step_of_longest; l <= max_longest; l += step_of_longest * options.stride) {
    zipf_lengths const lengths{exponent, l};
    segment_layout const layout = segments != 0 ? counted_segments(s.lab, lengths, segments)
                                                : lay_out(s.lab, segment_row{lengths}, std::size_t{1} << options.log_items);
    std::map<std::string, double> ms;
    point<V> const measured(s, layout, segments == 0, ms, wrong);
    longest.push_back(l);
    items.push_back(layout.items);
    for (auto const& [name, time] : ms) {
      all[name].resize(longest.size() - 1);  // 0 where it could not run
      all[name].push_back(time);
    }
  }
  row["longest"] = longest;
  row["items"] = items;
  row["ms"] = all;
  row["wrong"] = wrong;
  out.add(std::move(row));
}

int run(int argc, char const* const* argv) {
  settings options;
  bool narrow = false;
  cli::command_table table{.name = "segmented_grid",
                           .summary = "measure",
                           .usage = {"[OPTION]..."},
                           .description = "The GPU's segmented sort over lengths by a power law, beside its rivals."};
  table.options = {
      cli::value_row("log-items", "N", "sort 2^N pairs", cli::parse_to(options.log_items, 16, 28), "26"),
      cli::value_row("stride", "N", "measure each N-th of the 40 longest lengths", cli::parse_to(options.stride, 1, 40), "1"),
      cli::value_row("exponents", "N", "measure each N-th of the 16 exponents", cli::parse_to(options.exponents, 1, 16), "1"),
      cli::flag_row("narrow", "measure values of 32 bits only", narrow),
      cli::value_row("json", "FILE", "write the figures to FILE", options.json),
      cli::help_row()};
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  bench_options of_rivals;
  of_rivals.runs = 1;
  report unused(program::segmented_sort, of_rivals, {}, {});
  session s{cuda_backend(), of_rivals, unused};
  row_file out("segmented_grid", options.json, describe_machine());
  for (std::size_t const segments : {std::size_t{0}, cub_segments})
    for (unsigned tenths = 1; tenths <= 16; tenths += options.exponents) {
      measure<std::uint32_t>(s, out, options, tenths, segments);
      if (!narrow) measure<std::uint64_t>(s, out, options, tenths, segments);
    }
  return out.status();
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("segmented_grid", [&] { return ordo::bench::run(argc, argv); });
}
