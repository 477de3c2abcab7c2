#pragma once
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

// Measures the kernels of the segmented sort one by one: every shape of a list at every length that it could sort, on segments
// of equal length and evenly distributed keys.
namespace ordo::inline v0::bench {

namespace tuning = cuda_detail::tuning;

/// The shapes of kernels to measure, without those that another one equals.
struct shape_list {
  std::array<shape, 256> all{};
  std::size_t size = 0;
  constexpr void add(shape const& s) {
    for (std::size_t i = 0; i < size; ++i)
      if (all[i].by == s.by && all[i].threads == s.threads && all[i].items == s.items && all[i].resident == s.resident) return;
    if (s.capacity() > tuning::tiny_capacity && s.capacity() <= 1u << 14) all[size++] = s;
  }
};

/// Returns the lengths to measure. The first class with enough capacity sorts a segment, so the extreme lengths of a class are
/// the capacities, and the capacities plus one.
template <shape_list const& Candidates>
std::vector<std::size_t> all_lengths() {
  std::set<std::size_t> lengths{tuning::tiny_capacity + 1};
  for (shape const& s : std::span(Candidates.all).first(Candidates.size)) lengths.insert({s.capacity(), s.capacity() + 1});
  return {lengths.begin(), lengths.end()};
}

/// The largest ratio of a capacity to a length that it sorts; larger ones were never the fastest.
inline constexpr std::size_t widest_class = 3;

// ---- Measuring ----

/// Measures one width of keys and values by all shapes of a list.
template <shape_list const& Candidates, class K, class V>
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
      (measure<cuda_detail::shape_type<Candidates.all[I].by, Candidates.all[I].threads, Candidates.all[I].items,
                                       Candidates.all[I].resident>>(),
       ...);
    }
    (std::make_index_sequence<Candidates.size>{});
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
  std::vector<std::size_t> lengths_ = all_lengths<Candidates>();
  bool failed_ = false;
};

}  // namespace ordo::inline v0::bench
