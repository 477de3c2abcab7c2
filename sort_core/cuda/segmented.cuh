#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ordo/backend.hpp"
#include "sort_core/cuda/error.cuh"
#include "sort_core/cuda/large_arrays.cuh"
#include "sort_core/cuda/large_segments.cuh"
#include "sort_core/cuda/launch.cuh"
#include "sort_core/cuda/parts.hpp"
#include "sort_core/cuda/plan.cuh"
#include "sort_core/cuda/radix_sample.cuh"

// The segmented sort of the GPU machine, after Hou et al. (ICS'17): segments are classed by length, and each class is sorted
// by the kernel that suits it. Nothing here waits for the device, and all of it can be captured in a CUDA graph.
namespace ordo::cuda_detail {

/// What is done with segments that no block holds: they are partitioned, into a second copy of the data; or into a window that
/// holds a part of it, which moves over the data.
enum class long_method { copying, in_place };

/// The class of arrays of max_stable_array_length items. On no card may they be too long for a block, as chunks of one array
/// are not sorted stably.
template <class K, class V>
constexpr unsigned stable_class = [] {
  unsigned c = 0;
  while (tuning::class_shape<sizeof(K), value_bytes<V>>(c).capacity() < max_stable_array_length ||
         !(tuning::distinct_classes<sizeof(K), value_bytes<V>>() >> c & 1))
    ++c;
  return c;
}();
/// What sorts the arrays of a class where a card has too little shared memory for its buckets.
template <class K, class V, unsigned Class>
using merging_type =
    shape_type<tuning::method::merging, class_traits<K, V, Class>::shape.threads, class_traits<K, V, Class>::shape.items, 1>;

/// How much temporary memory a segmented sort takes, part by part.
template <class K, class V, bool Computed, long_method Long>
struct segmented_sizes {
  static constexpr bool copying = Long == long_method::copying;
  /// Classes that this card's blocks have the shared memory for.
  static unsigned classes() {
    std::size_t const limit = shared_memory_limit();
    unsigned const fitting = [&]<unsigned... Class>(std::integer_sequence<unsigned, Class...>) {
      return (unsigned(class_traits<K, V, Class>::shared_bytes() <= limit) + ...);
    }
    (std::make_integer_sequence<unsigned, tuning::classes>{});
    return copying ? fitting : std::max(fitting, stable_class<K, V> + 1);
  }
  /// The longest segment that a block holds.
  static std::size_t on_chip() { return shorter_than_class(classes()); }
  static constexpr std::size_t shorter_than_class(unsigned c) {
    c = tuning::first_alike<sizeof(K), value_bytes<V>>(c);
    return c == 0 ? tuning::tiny_capacity : tuning::class_shape<sizeof(K), value_bytes<V>>(c - 1).capacity();
  }

  /// Lengths of lists: of the classes', of those that partitions fill if these are others, of long segments, of short runs;
  /// and last, no length, the numbers of floats.
  static constexpr unsigned counts = (copying ? 1 : 2) * tuning::classes + 3;

  std::size_t n, segments, max_length;
  std::size_t window = tuning::array_window;  // bytes, of which the steps' length follows

  /// May a segment be too long for one block?
  [[nodiscard]] bool any_long() const { return max_length > on_chip(); }
  /// Long segments, at most.
  [[nodiscard]] std::size_t given_long() const { return any_long() ? std::min(segments, n / (on_chip() + 1)) : 0; }

  /// Sorted in place, the segments that begin in one step are partitioned at a time, in a window of two steps. Of those longer
  /// than a step each step is sorted by itself. A power of two.
  [[nodiscard]] std::size_t step() const {
    std::size_t const half = window / 2 / (sizeof(K) + value_bytes<V>), share = n / tuning::most_array_steps;
    return std::max({std::bit_floor(half), std::bit_ceil(share), std::bit_ceil(on_chip())});
  }
  /// Segments longer than a step, at most: their steps are merged.
  [[nodiscard]] std::size_t merged() const {
    return !copying && max_length > step() ? std::min(segments, n / (step() + 1)) : 0;
  }
  /// Items that are partitioned at a time.
  [[nodiscard]] std::size_t partitioned() const { return copying ? n : std::min(n, 2 * step()); }
  /// Segments too long for one block that there are of these, at any one time.
  [[nodiscard]] std::size_t partitions() const { return any_long() ? partitioned() / (on_chip() + 1) : 0; }
  [[nodiscard]] partition_sizes in_partition() const {
    return {partitioned(), partitions(), partition_traits<K, V, false>::tile};
  }
  static tuning::short_run short_run_of(std::size_t n, std::size_t segments) {
    return has_short_sort<K, V, Computed> ? tuning::short_run_of(n, segments) : tuning::short_run{};
  }
  /// Runs of segments that may be short ones; 0 if most are not.
  [[nodiscard]] std::size_t short_runs() const {
    unsigned const segments_per_run = short_run_of(n, segments).segments;
    return segments_per_run == 0 ? 0 : (segments - 1) / segments_per_run + 1;
  }
  /// The most segments of class c and longer, those included that long ones are divided into. Classes 2k and 2k + 1 share
  /// a list of so many.
  static_assert(tuning::classes % 2 == 0);
  [[nodiscard]] std::size_t from_class(unsigned c) const {
    if (max_length <= shorter_than_class(c)) return 0;
    std::size_t const given = std::min(segments, n / (shorter_than_class(c) + 1));
    return any_long() ? std::max(copying ? 0 : given, from_partitions(c)) : given;
  }
  /// Of them those that long ones are divided into at a time; if copying, the others are among them.
  [[nodiscard]] std::size_t from_partitions(unsigned c) const {
    return partitioned() / (shorter_than_class(c) + 1) + (c == 0 ? digit_values * sizeof(K) * partitions() : 0);
  }
  [[nodiscard]] std::size_t bytes() const {
    auto const rounded = [](std::size_t count, std::size_t size) { return parts::size(count * size); };
    std::size_t sum = rounded(counts, sizeof(unsigned long long)) + rounded(short_runs(), 4);
    for (unsigned c = 0; c < tuning::classes; c += 2) sum += rounded(from_class(c), sizeof(packed_segment));
    if (!any_long()) return sum;
    if (merged() != 0) sum += rounded(merged(), sizeof(chunked_array)) + rounded(2, sizeof(unsigned long long));
    return sum + rounded(given_long(), sizeof(long_segment)) + (Computed ? 2 : 1) * rounded(partitioned(), sizeof(K)) +
           rounded(partitioned(), value_bytes<V>) + in_partition().bytes();
  }
};

/// Sorts listed segments, `most` of them at most, none longer than Shape's capacity.
template <class Shape, class K, class V, class Keys>
void sort_listed(kernel_launcher& on, segment_data<K, V, Keys> const& data, segment_queue const& queue, std::size_t most) {
  using traits = shape_traits<K, V, Shape>;
  if constexpr (traits::shape.by == tuning::method::network) {
    using sorter = small_sort<K, V, traits::shape.threads, traits::shape.items>;
    launch<sort_by_warps<K, V, Keys, Shape>>(on, blocks_for(most, traits::warps * sorter::segments), traits::threads,
                                             traits::shared_bytes(), data, queue);
  } else if constexpr (traits::shape.by == tuning::method::buckets) {
    launch<sort_by_blocks<K, V, Keys, Shape>>(on, blocks_for(most, 1), traits::threads, traits::shared_bytes(), data, queue);
  } else {
    launch<sort_by_merging<K, V, Keys, Shape>>(on, blocks_for(most, 1), traits::threads, traits::shared_bytes(), data, queue);
  }
}

template <class Machine, class K, class V, class Keys, long_method Long = long_method::copying>
class segmented_sorter {
 public:
  using sizes = segmented_sizes<K, V, Keys::computed, Long>;

  /// @param window       bytes, for sorts in place: less than tuning::array_window is for tests
  /// @param levels_from  items that are partitioned by kernels for each level, or more: less than the default is for tests
  segmented_sorter(Machine& machine, Keys keys, V* values, std::size_t n, std::uint8_t* heads,
                   std::size_t window = tuning::array_window, std::size_t levels_from = tuning::levels_from)
      : machine_(machine),
        data_{keys, values, heads, nullptr, nullptr, nullptr},
        n_(n),
        window_(window),
        levels_from_(levels_from) {}

  template <class Offset>
  void sort(segment_list<Offset> segments) {
    if (segments.size() == 0 || n_ == 0) return;
    sizes const size{n_, segments.size(), std::min(segments.max_length, n_), window_};
    if (std::uint64_t const length = segments.uniform_length; length != 0) {
      if (auto const run = sizes::short_run_of(length * segments.size(), segments.size()); run.segments != 0)
        return sort_short(run, segments, {});
    }
    if (segments.uniform_length > tuning::tiny_capacity && !size.any_long())
      return each_class([&]<unsigned Class>() {
        if (segments.uniform_length > sizes::shorter_than_class(Class) &&
            segments.uniform_length <= class_traits<K, V, Class>::shape.capacity())
          sort_queue<Class>({nullptr, false, nullptr, segments.uniform_length, segments.count}, segments.count);
      });

    auto const memory = machine_.template buffer<char>(size.bytes());
    parts taken(memory.data());
    auto* const counts = zeros(taken.take<unsigned long long>(sizes::counts), sizes::counts);
    numbers_ = reinterpret_cast<float_numbers*>(counts + sizes::counts - 1);
    plan_lists lists{};
    lists.classes = sizes::classes();
    lists.used = size.any_long() && segments.size() == 1 ? tuning::few_classes | 1u << (lists.classes - 1)
                                                         : tuning::distinct_classes<sizeof(K), value_bytes<V>>();
    for (unsigned c = 0; c < tuning::classes; c += 2) {
      std::size_t const most = size.from_class(c);
      auto* const records = taken.take<packed_segment>(most);
      lists.listed[c] = {records, false, counts + c, 0, 0};
      lists.listed[c + 1] = {records + (most == 0 ? 0 : most - 1), true, counts + c + 1, 0, 0};
    }
    lists.longer = taken.take<long_segment>(size.given_long());
    lists.longer_count = counts + tuning::classes;
    if (size.any_long()) take_copies(size.partitioned(), taken);
    planned_runs runs{};
    if (auto const run = sizes::short_run_of(n_, segments.size()); run.segments != 0) {
      runs = {taken.take<std::uint32_t>(size.short_runs()), counts + tuning::classes + 1, run.segments};
      sort_short(run, segments, runs);
    }
    launch<plan_segments<K, V, Keys, Offset>>(machine_.kernels(), blocks_for(segments.size(), tuning::planned),
                                              plan_storage<K, V>::threads, sizeof(plan_storage<K, V>), data_, segments, runs,
                                              lists);
    if (size.any_long() && sizes::copying) partition_long(size, lists, taken, runs.segments == 0);
    sort_listed_classes(size, lists);
    if constexpr (!sizes::copying) {
      if (!size.any_long()) return;
      for (unsigned c = 0; c < tuning::classes; ++c) lists.listed[c].count = counts + tuning::classes + 2 + c;
      // Is that told, or are they so long on average that some will be?
      sort_long_in_place(size, lists, taken, segments.max_length < n_ || n_ / segments.size() > sizes::on_chip() / 2);
    }
  }

 private:
  template <class T>
  T* zeros(T* items, std::size_t count) {
    ORDO_CUDA(cudaMemsetAsync(items, 0, count * sizeof(T), machine_.stream()));
    return items;
  }

  /// f<Class>() for every class that there is on this card.
  template <class F>
  void each_class(F f) {
    unsigned const classes = sizes::classes();
    [&]<unsigned... Class>(std::integer_sequence<unsigned, Class...>) {
      ((Class < classes ? f.template operator()<Class>() : void()), ...);
    }
    (std::make_integer_sequence<unsigned, tuning::classes>{});
  }

  /// Short segments; runs with others are listed in `left`.
  template <class Offset>
  void sort_short(tuning::short_run run, segment_list<Offset> const& segments, planned_runs const& left) {
    if constexpr (has_short_sort<K, V, Keys::computed>) {
      typename short_storage<K, V, Offset>::layout const where(run);
      constexpr unsigned warps = tuning::short_threads / warp_threads;
      auto const sort = [&]<bool Floats, bool Holes>() {
        launch<sort_short_segments<K, V, Keys, Offset, Floats, Holes>>(
            machine_.kernels(), blocks_for(segments.size(), warps * run.segments), tuning::short_threads, warps * where.end,
            data_, segments, left, where);
      };
      auto const sort_any = [&]<bool Holes>() {
        if (value_bytes<V> != 0 && data_.keys.code.flip_negative != 0)
          sort.template operator()<value_bytes<V> != 0, Holes>();
        else
          sort.template operator()<false, Holes>();
      };
      if (segments.uniform_length != 0 || segments.ends.data() == segments.begins.data() + 1)
        sort_any.template operator()<false>();
      else
        sort_any.template operator()<true>();
    }
  }

  void sort_listed_classes(sizes const& size, plan_lists const& lists) {
    each_class([&]<unsigned Class>() {
      if (lists.used >> Class & 1) sort_queue<Class>(lists.listed[Class], size.from_class(Class));
    });
  }

  /// Second copies of keys and values of long segments, n items at a time.
  void take_copies(std::size_t n, parts& taken) {
    if constexpr (Keys::computed)
      data_.home_codes = taken.take<K>(n);
    else
      data_.home_codes = data_.keys.keys;
    data_.away_codes = taken.take<K>(n);
    if constexpr (value_bytes<V> != 0) data_.away_values = taken.take<V>(n);
  }

  /// @param many  of the items may be in long segments; else few are, on average
  void partition_long(sizes const& size, plan_lists const& lists, parts& taken, bool many) {
    partition_work const work = size.in_partition().take(taken);
    zeros(work.counts, 3);
    partition_range everything;
    find_numbers(size, many, everything);
    partition(size, work, lists, everything, many);
  }

  void partition(sizes const& size, partition_work const& work, plan_lists const& lists, partition_range range, bool many) {
    if (size.partitioned() >= tuning::large_partition && sizeof(partition_storage<K, V, true>) <= shared_memory_limit())
      partition_by<true>(size, work, lists, range, many);
    else
      partition_by<false>(size, work, lists, range, many);
  }

  /// As kernels of their own the phases are quicker, but each is a launch.
  [[nodiscard]] unsigned levels_by_kernel(sizes const& size, bool many) const {
    return many && size.partitioned() >= levels_from_ ? tuning::levels_by_kernel(size.partitioned(), sizeof(K)) : 0;
  }

  /// If keys are floats, and the first level has kernels of its own: finds, on the device, the numbers for their first digits.
  /// The memory of a second copy is free yet.
  void find_numbers(sizes const& size, bool many, partition_range& range) {
    if constexpr (!Keys::computed) {
      std::size_t const max_length = std::size_t(double(sizes::on_chip() * digit_values) * tuning::numbered_share);
      if (data_.keys.code.flip_negative == 0 || levels_by_kernel(size, many) == 0 || n_ / size.segments > max_length) return;
      std::span<std::uint64_t> const sample(reinterpret_cast<std::uint64_t*>(data_.away_codes), tuning::sampled_keys(n_));
      take_sample(machine_.kernels(), data_.keys.keys, n_, data_.keys.code, sample);
      launch<choose_numbers<K>>(machine_.kernels(), 1, warp_threads, 0, sample.data(), unsigned(sample.size()), data_.keys.code,
                                numbers_);
      range.longest_numbered = max_length;
      range.numbers = numbers_;
    }
  }

  template <bool Large>
  void partition_by(sizes const& size, partition_work const& work, plan_lists const& lists, partition_range range, bool many) {
    using traits = partition_traits<K, V, Large>;
    auto const phase = [&]<auto * Kernel>(auto const&... arguments) {
      launch_cooperative<Kernel>(machine_.kernels(), traits::threads, sizeof(partition_storage<K, V, Large>), arguments...);
    };
    unsigned const levels = levels_by_kernel(size, many);
    if (levels != 0) {
      phase.template operator()<begin_partition<K, V, Keys, Large>>(data_, work, lists, range);
      phase.template operator()<assign_tiles<K, V, Keys, Large>>(work, 0u);
    }
    auto const make_level = [&](auto const& data, unsigned list) {
      using keys = decltype(data.keys);
      launch<count_digits<K, V, keys, Large>>(machine_.kernels(), blocks_for(size.in_partition().chunks(), 1), traits::threads,
                                              0, data, work, list);
      phase.template operator()<divide_partitions<K, V, Keys, Large>>(work, lists, list);
      phase.template operator()<move_items<K, V, keys, Large>>(data, work, list);
    };
    for (unsigned level = 0; level < levels; ++level) {
      if constexpr (!Keys::computed) {
        if (level == 0 && range.longest_numbered != 0) {
          make_level(data_.with(stored_floats<K>{data_.keys}), 0);
          continue;
        }
      }
      make_level(data_, level % 2);
    }
    phase.template operator()<partition_rest<K, V, Keys, Large>>(data_, work, lists, range, levels == 0, levels % 2);
  }

  /// Step by step, in a window that begins with the step; what is longer than a step is then merged.
  /// @param many  of the items are in long segments; if not, each launch is one too many
  void sort_long_in_place(sizes const& size, plan_lists lists, parts& taken, bool many) {
    partition_work const work = size.in_partition().take(taken);
    K* const window_codes = data_.away_codes;
    V* const window_values = data_.away_values;
    lists.used = (many ? tuning::few_classes : tuning::fewest_classes) | 1u << (lists.classes - 1);
    partition_range range{.piece = size.step(), .renew = true};
    find_numbers(size, many, range);
    for (std::size_t first = 0; first < n_; first += size.step()) {
      range.first = first;
      range.last = std::min(first + size.step(), n_);
      data_.away_codes = window_codes - first;  // items are at the same place in all copies
      if constexpr (value_bytes<V> != 0) data_.away_values = window_values - first;
      partition(size, work, lists, range, many);
      sort_listed_classes(size, lists);
    }
    if (size.merged() != 0) merge_steps(size, lists, taken);
  }

  void merge_steps(sizes const& size, plan_lists const& lists, parts& taken) {
    chunk_work const work{taken.take<chunked_array>(size.merged()), zeros(taken.take<unsigned long long>(2), 2), size.step()};
    constexpr unsigned large = tuning::large_chunk<sizeof(K), value_bytes<V>>(),
                       small = tuning::small_chunk<sizeof(K), value_bytes<V>>();
    if (large < sizes::classes())
      merge_chunks<large>(work, lists);
    else
      merge_chunks<small>(work, lists);
  }

  template <unsigned Class>
  void merge_chunks(chunk_work const& work, plan_lists const& lists) {
    using traits = class_traits<K, V, Class>;
    launch_cooperative<merge_long_arrays<K, V, Keys, Class>>(machine_.kernels(), traits::threads, traits::shared_bytes(), data_,
                                                             work, lists);
  }

  template <unsigned Class>
  void sort_queue(segment_queue const& queue, std::size_t most) {
    if (most == 0) return;
    using traits = class_traits<K, V, Class>;
    if constexpr (!sizes::copying && Class <= stable_class<K, V> && traits::shared_bytes() > tuning::least_shared_memory) {
      using instead = merging_type<K, V, Class>;
      static_assert(shape_traits<K, V, instead>::shared_bytes() <= tuning::least_shared_memory);
      if (traits::shared_bytes() > shared_memory_limit()) return sort_listed<instead>(machine_.kernels(), data_, queue, most);
    }
    sort_listed<typename traits::type>(machine_.kernels(), data_, queue, most);
  }

  Machine& machine_;
  segment_data<K, V, Keys> data_;
  std::size_t n_, window_, levels_from_;
  float_numbers* numbers_ = nullptr;  // on the device
};

/// f(K{}, V{}) for the types that stand for keys and values of so many bytes.
template <class F>
auto with_types(std::size_t key_bytes, std::size_t value_size, F f) {
  auto const with_key = [&](auto key) {
    return value_size == 0   ? f(key, no_value{})
           : value_size <= 4 ? f(key, std::uint32_t{})
           : value_size <= 8 ? f(key, std::uint64_t{})
                             : f(key, ulonglong2{});
  };
  return key_bytes <= 4 ? with_key(std::uint32_t{}) : with_key(std::uint64_t{});
}

/// Temporary memory of a segmented sort of given or of computed keys, for keys and values of so many bytes.
template <bool Computed, long_method Long = long_method::copying>
std::size_t segmented_sort_bytes(std::size_t n, std::size_t segments, std::size_t max_length, std::size_t key_bytes,
                                 std::size_t value_size) {
  if (n == 0 || segments == 0) return 0;
  return with_types(key_bytes, value_size, [&](auto key, auto value) {
    using sizes = segmented_sizes<decltype(key), decltype(value), Computed, Long>;
    return sizes{n, segments, std::min(max_length, n)}.bytes();
  });
}

}  // namespace ordo::cuda_detail
