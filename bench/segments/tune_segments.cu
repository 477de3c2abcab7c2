// Finds the table of sort_core/cuda/tuning/segmented.cuh: measures every shape of kernel at every length that it could sort, on
// segments of equal length and evenly distributed keys.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "bench/gpu_bench.cuh"
#include "bench/segments/segment_bench.cuh"
#include "bench/segments/tuning.hpp"
#include "sort_core/cuda/segmented.cuh"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

namespace tuning = cuda_detail::tuning;

// ---- Candidates ----

struct shape_list {
  std::array<shape, 256> all{};
  std::size_t size = 0;
  constexpr void add(shape const& s) {
    for (std::size_t i = 0; i < size; ++i)
      if (all[i].by == s.by && all[i].threads == s.threads && all[i].items == s.items && all[i].resident == s.resident) return;
    if (s.capacity() > tuning::tiny_capacity && s.capacity() <= 1u << 14) all[size++] = s;
  }
};

/// The shapes of the tables, and others: after the number of items, the registers of a thread remain to be chosen.
constexpr shape_list candidates = [] {
  shape_list list;
  for (unsigned c = 0; c < tuning::classes; ++c) {
    list.add(tuning::class_shape<4, 4>(c));
    list.add(tuning::class_shape<8, 4>(c));
  }
  constexpr unsigned registers = 1 << 16, max_blocks = 32;  // a multiprocessor
  for (unsigned const lanes : {8, 16, 32})
    for (unsigned const items : {4, 6, 8, 12, 16})
      for (unsigned const of_thread : {64, 85, 128})
        if (of_thread >= 6 * items && of_thread <= 21 * items)
          list.add({tuning::method::network, lanes, items, registers / (tuning::network_threads * of_thread)});
  for (unsigned const threads : {32, 64, 128, 256, 512, 1024})
    for (unsigned const items : {3, 4, 6, 8, 9, 12, 16})
      for (unsigned const of_thread : {56, 64, 80})
        list.add(
            {tuning::method::buckets, threads, items, std::max(1u, std::min(max_blocks, registers / (threads * of_thread)))});
  return list;
}();

/// Returns the lengths to measure. The first class with enough capacity sorts a segment, so the extreme lengths of a class are
/// the capacities, and the capacities plus one.
std::vector<std::size_t> all_lengths() {
  std::set<std::size_t> lengths{tuning::tiny_capacity + 1};
  for (shape const& s : std::span(candidates.all).first(candidates.size)) lengths.insert({s.capacity(), s.capacity() + 1});
  return {lengths.begin(), lengths.end()};
}

/// The largest ratio of a capacity to a length that it sorts; larger ones were never the fastest.
constexpr std::size_t widest_class = 3;

// ---- Measuring ----

/// Measures one width of keys and values.
template <class K, class V>
class tuner {
 public:
  using M = std::conditional_t<columns<K, V>::pairs, V, cuda_detail::no_value>;

  tuner(session& s, std::string name)
      : s_(s),
        n_(std::size_t{1} << (s.options.quick ? 22 : 26)),
        in_(make_columns<K, V>(s.lab, n_, pattern::random)),
        out_(s.lab, n_) {
    times_.name = std::move(name);
    for (unsigned c = 0; c < tuning::classes; ++c)
      times_.present.push_back(tuning::class_shape<sizeof(K), cuda_detail::value_bytes<M>>(c));
    times_.copy = in_picoseconds(median_time(
                                     s_.lab.stream(), s_.options.runs, [] {}, [&] { in_.copy_to(out_, s_.lab.stream()); }),
                                 n_);
  }

  width_times run() {
    [this]<std::size_t... I>(std::index_sequence<I...>) {
      (measure<cuda_detail::shape_type<candidates.all[I].by, candidates.all[I].threads, candidates.all[I].items,
                                       candidates.all[I].resident>>(),
       ...);
    }
    (std::make_index_sequence<candidates.size>{});
    return std::move(times_);
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  static double in_picoseconds(timing time, std::size_t items) { return time.ms * 1e9 / double(items); }

  template <class Shape>
  void measure() {
    using traits = cuda_detail::shape_traits<K, M, Shape>;
    constexpr std::size_t capacity = traits::shape.capacity();
    if (traits::shared_bytes() > cuda_detail::shared_memory_limit()) return;
    if (capacity > (s_.options.longest != 0 ? s_.options.longest : times_.present.back().capacity())) return;
    cuda_detail::segment_data<K, M, cuda_detail::stored_keys<K>> data{};
    data.keys.keys = out_.keys.data();
    if constexpr (columns<K, V>::pairs) data.values = out_.values.data();
    shape_times result{traits::shape, {}};
    for (std::size_t const length : lengths_) {
      if (length * widest_class <= capacity || length > capacity) continue;
      std::size_t const count = n_ / length;
      cuda_detail::segment_queue const queue{nullptr, false, nullptr, length, count};
      timing const time = median_time(
          s_.lab.stream(), s_.options.runs, [&] { in_.copy_to(out_, s_.lab.stream()); },
          [&] { cuda_detail::sort_listed<Shape>(s_.lab.kernels(), data, queue, count); }, 1);
      result.at[length] = in_picoseconds(time, count * length);
      if (!is_right(s_.lab, equal_lengths(s_.lab, count, length), in_, out_, true)) {
        failed_ = true;
        s_.out.say("WRONG: " + times_.name + ": segments of " + std::to_string(length) + " by " +
                   std::to_string(traits::shape.threads) + " x " + std::to_string(traits::shape.items));
      }
    }
    times_.measured.push_back(std::move(result));
  }

  session& s_;
  std::size_t n_;
  columns<K, V> in_, out_;
  width_times times_;
  std::vector<std::size_t> lengths_ = all_lengths();
  bool failed_ = false;
};

int run(int argc, char const* const* argv) {
  bench_options options;
  if (auto const status = parse(program::tune_segments, argc, argv, options)) return *status;
  facts const machine = describe_machine();
  report out(program::tune_segments, options, machine, {});
  session s{cuda_backend(), options, out};
  std::vector<width_times> widths;
  bool failed = false;
  auto const tune = [&]<class K, class V>(columns<K, V> const*, std::string const& name) {
    if (!options.selects(name)) return;
    tuner<K, V> tuned(s, name);
    widths.push_back(tuned.run());
    failed = failed || tuned.failed();
    print_fastest(widths.back());
    save(options, machine, widths);
  };
  tune(static_cast<columns<std::uint32_t, no_values>*>(nullptr), "u32");
  tune(static_cast<columns<std::uint32_t, std::uint32_t>*>(nullptr), "u32/u32");
  std::size_t const narrow = widths.size();
  tune(static_cast<columns<std::uint64_t, std::uint32_t>*>(nullptr), "u64/u32");

  // One table is for keys of 32 bits with any values, the other for the rest.
  std::span<width_times const> const all(widths);
  auto const print = [&](char const* name, std::span<width_times const> some) {
    if (!some.empty()) print_table(name, fastest_table(some, tuning::classes), some);
  };
  print("small", all.first(narrow));
  print("large", all.subspan(narrow));
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("tune_segments", [&] { return ordo::bench::run(argc, argv); });
}
