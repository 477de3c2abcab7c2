// Measures the GPU's sorts of few items beside CUB's: whole arrays and segments of 10^3 to 10^6 items in all, on the device, as
// the caller waits, and as part of a CUDA graph. Segments are given by offsets, without a bound on their lengths.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/segments/segment_bench.cuh"
#include "bench/segments/small_report.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

/// A graph of `repeats` times the work of `body`.
class replayed {
 public:
  static constexpr unsigned repeats = 20;
  template <class Body>
  replayed(cudaStream_t stream, Body body) {
    cudaGraph_t graph = nullptr;
    ORDO_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (unsigned i = 0; i < repeats; ++i) body();
    ORDO_CUDA(cudaStreamEndCapture(stream, &graph));
    ORDO_CUDA(cudaGraphInstantiate(&executable_, graph, 0));
    ORDO_CUDA(cudaGraphDestroy(graph));
  }
  ~replayed() { static_cast<void>(cudaGraphExecDestroy(executable_)); }
  replayed(replayed const&) = delete;
  replayed& operator=(replayed const&) = delete;
  /// Returns the median time of one body, in microseconds.
  [[nodiscard]] double time(cudaStream_t stream, unsigned runs) const {
    auto const replay = [&] { ORDO_CUDA(cudaGraphLaunch(executable_, stream)); };
    return median_time(
               stream, runs, [] {}, replay)
               .ms *
           1000 / repeats;
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

/// Measures `sort` after `restore`, which copies the input.
/// @param captured  the sort can be captured in a graph
template <class Restore, class Sort>
times measure_times(cudaStream_t stream, unsigned runs, Restore restore, Sort sort, bool captured) {
  times t;
  t.device = median_time(stream, runs, restore, sort).ms * 1000;
  t.wait = median_wait(stream, runs, restore, sort) * 1000;
  if (captured) {
    replayed const both(stream, [&] {
      restore();
      sort();
    });
    replayed const copies(stream, restore);
    double const of_copies = copies.time(stream, runs);
    t.replay = both.time(stream, runs) - of_copies;  // last, so that its result is there to be checked
  }
  return t;
}

template <class K, class V>
class row_bench {
 public:
  static constexpr bool pairs = columns<K, V>::pairs;

  row_bench(session& s, small_report& out, std::string types)
      : s_(s), out_(out), runs_(9 * s.options.runs), types_(std::move(types)) {}

  void whole(std::size_t n) {
    std::string const name = types_ + " whole " + std::to_string(n);
    if (!out_.selects(name)) return;
    auto const in = make_columns<K, V>(s_.lab, n, pattern::random);
    columns<K, V> const out(s_.lab, n);
    wait_for(s_.lab);
    cuda_backend machine;
    auto const restore = [&](cudaStream_t stream) { in.copy_to(out, stream); };
    std::vector<std::pair<std::string, times>> measured;
    segment_layout const layout = equal_lengths(s_.lab, 1, n);
    wait_for(s_.lab);
    bool right = true;
    measured.emplace_back("sort", ours(machine, restore, false, [&] {
                            if constexpr (pairs)
                              sort_pairs(machine, out.keys.span(), out.values.span());
                            else
                              sort_keys(machine, out.keys.span());
                          }));
    right = right && is_right(s_.lab, layout, in, out, true);
    measured.emplace_back("segment", ours(machine, restore, true, [&] {
                            sort_segments(machine, out.keys.span(), out.values.span(), layout.uniform());
                          }));
    right = right && is_right(s_.lab, layout, in, out, true);
    measured.emplace_back("CUB", cub_times(true, [&](void* temporary, std::size_t& bytes) {
                            if constexpr (pairs)
                              return cub::DeviceRadixSort::SortPairs(temporary, bytes, in.keys.data(), out.keys.data(),
                                                                     in.values.data(), out.values.data(), int(n), 0,
                                                                     int(8 * sizeof(K)), s_.lab.stream());
                            else
                              return cub::DeviceRadixSort::SortKeys(temporary, bytes, in.keys.data(), out.keys.data(), int(n), 0,
                                                                    int(8 * sizeof(K)), s_.lab.stream());
                          }));
    out_.add(name, measured, right);
  }

  /// @param sigma  0: segments of one length
  void segments(std::size_t n, std::size_t count, double sigma) {
    std::string const name = types_ + (sigma == 0 ? " " : " about ") + std::to_string(n / count) + " x " + std::to_string(count);
    if (!out_.selects(name)) return;
    double const length = double(n) / double(count);
    segment_layout const layout =
        sigma == 0 ? equal_lengths(s_.lab, count, n / count)
                   : drawn_lengths(s_.lab, n, length, log_normal_length{std::log(length) - sigma * sigma / 2, sigma});
    auto const in = make_columns<K, V>(s_.lab, layout.extent, pattern::random);
    columns<K, V> const out(s_.lab, layout.extent);
    wait_for(s_.lab);
    cuda_backend machine;
    auto const restore = [&](cudaStream_t stream) { in.copy_to(out, stream); };
    std::vector<std::pair<std::string, times>> measured;
    bool right = true;
    auto const add = [&](char const* who, segment_list<std::uint32_t> const& segments) {
      measured.emplace_back(who, ours(machine, restore, true, [&] {
                              sort_segments(machine, out.keys.span(), out.values.span(), segments);
                            }));
      right = right && is_right(s_.lab, layout, in, out, true);
    };
    add("offsets", layout.segments(false));
    add("bound", layout.segments(true));
    if (layout.uniform_length != 0) add("uniform", layout.uniform());
    auto const given = layout.segments(false);
    auto const *const begins = given.begins.data(), *const ends = given.ends.data();
    auto const items = int(layout.extent), number = int(layout.count);
    measured.emplace_back("CUB", cub_times(false, [&](void* temporary, std::size_t& bytes) {
                            if constexpr (pairs)
                              return cub::DeviceSegmentedSort::StableSortPairs(
                                  temporary, bytes, in.keys.data(), out.keys.data(), in.values.data(), out.values.data(), items,
                                  number, begins, ends, s_.lab.stream());
                            else
                              return cub::DeviceSegmentedSort::StableSortKeys(temporary, bytes, in.keys.data(), out.keys.data(),
                                                                              items, number, begins, ends, s_.lab.stream());
                          }));
    measured.emplace_back("CUB radix", cub_times(true, [&](void* temporary, std::size_t& bytes) {
                            if constexpr (pairs)
                              return cub::DeviceSegmentedRadixSort::SortPairs(
                                  temporary, bytes, in.keys.data(), out.keys.data(), in.values.data(), out.values.data(), items,
                                  number, begins, ends, 0, int(8 * sizeof(K)), s_.lab.stream());
                            else
                              return cub::DeviceSegmentedRadixSort::SortKeys(temporary, bytes, in.keys.data(), out.keys.data(),
                                                                             items, number, begins, ends, 0,
                                                                             int(8 * sizeof(K)), s_.lab.stream());
                          }));
    race_optional(s_, layout, in, out, [&](char const* who, timing const& time, bool stable) {
      if (is_right(s_.lab, layout, in, out, stable)) measured.emplace_back(who, times{time.ms * 1000, 0, 0});
    });
    out_.add(name, measured, right);
  }

 private:
  template <class Restore, class Sort>
  times ours(cuda_backend& machine, Restore restore, bool captured, Sort sort) {
    return measure_times(
        machine.stream(), runs_, [&] { restore(machine.stream()); }, sort, captured);
  }
  template <class Call>
  times cub_times(bool captured, Call call) {
    std::size_t bytes = 0;
    ORDO_CUDA(call(nullptr, bytes));
    auto const temporary = s_.lab.buffer<char>(std::max<std::size_t>(bytes, 1));
    return measure_times(
        s_.lab.stream(), runs_, [] {}, [&] { ORDO_CUDA(call(temporary.data(), bytes)); }, captured);
  }

  session& s_;
  small_report& out_;
  unsigned runs_;
  std::string types_;
};

template <class K, class V>
void measure_all(session& s, small_report& out, std::string types) {
  row_bench<K, V> rows(s, out, std::move(types));
  for (std::size_t const n : {1000, 4000, 10'000, 30'000, 100'000, 300'000, 1'000'000}) rows.whole(n);
  for (std::size_t const n : {1000, 10'000, 100'000, 1'000'000})
    for (std::size_t const count : {1, 10, 100, 1000, 10'000}) {
      if (n / count < 4) continue;
      rows.segments(n, count, 0);
      if (count > 1) rows.segments(n, count, 0.8);
    }
}

int run(int argc, char const* const* argv) {
  bench_options options;
  if (auto const status = parse(program::small_sorts, argc, argv, options)) return *status;
  small_report out(options, describe_machine());
  report unused(program::small_sorts, options, {}, {});  // for rows of segments and arrays
  session s{cuda_backend(), options, unused};
  measure_all<std::uint32_t, no_values>(s, out, "u32");
  measure_all<float, no_values>(s, out, "f32");
  measure_all<std::uint32_t, std::uint32_t>(s, out, "u32/u32");
  measure_all<std::uint64_t, no_values>(s, out, "u64");
  return out.finish();
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("small_sorts", [&] { return ordo::bench::run(argc, argv); });
}
