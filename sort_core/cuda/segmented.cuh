#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ordo/backend.hpp"
#include "sort_core/cuda/few_segments.cuh"
#include "sort_core/cuda/kernels/large_arrays.cuh"
#include "sort_core/cuda/kernels/large_segments.cuh"
#include "sort_core/cuda/kernels/plan.cuh"
#include "sort_core/cuda/primitives/parts.hpp"
#include "sort_core/cuda/radix_sample.cuh"
#include "sort_core/cuda/runtime/error.cuh"
#include "sort_core/cuda/runtime/launch.cuh"

// The segmented sort of the GPU backend, after Hou et al. (ICS'17). Segments are classed by length, and each class is sorted by
// the kernel that suits it. Nothing here waits for the device, and all of it can be captured in a CUDA graph.
namespace ordo::inline v0::cuda_detail {

/// The method for segments that no block holds. They are partitioned into a second copy of the data, or into a window that
/// holds a part of it and moves over the data.
enum class large_method { copying, in_place };

/// The class of arrays of max_stable_array_length items. These must fit in a block on every GPU, because chunks of an array
/// are not sorted stably.
template <class K, class V>
constexpr unsigned stable_class = [] {
  unsigned c = 0;
  while (tuning::class_shape<sizeof(K), value_bytes<V>>(c).capacity() < max_stable_array_length ||
         !(tuning::distinct_classes<sizeof(K), value_bytes<V>>() >> c & 1))
    ++c;
  return c;
}();
/// The sort of a class on GPUs whose shared memory is too small for its buckets.
template <class K, class V, unsigned Class>
using merging_type =
    shape_type<tuning::method::merging, class_traits<K, V, Class>::shape.threads, class_traits<K, V, Class>::shape.items, 1>;

/// The temporary memory of a segmented sort, part by part.
template <class K, class V, bool Computed, large_method Method>
struct segmented_sizes {
  static constexpr bool copying = Method == large_method::copying;
  /// Returns the number of classes for which this GPU's blocks have the shared memory.
  static unsigned classes() {
    std::size_t const limit = shared_memory_limit();
    unsigned const fitting = [&]<unsigned... Class>(std::integer_sequence<unsigned, Class...>) {
      return (unsigned(class_traits<K, V, Class>::shared_bytes() <= limit) + ...);
    }
    (std::make_integer_sequence<unsigned, tuning::classes>{});
    return copying ? fitting : std::max(fitting, stable_class<K, V> + 1);
  }
  /// Returns the length of the largest segment that a block holds.
  static std::size_t block_capacity() { return shorter_than_class(classes()); }
  static constexpr std::size_t shorter_than_class(unsigned c) {
    c = tuning::first_alike<sizeof(K), value_bytes<V>>(c);
    return c == 0 ? tuning::tiny_capacity : tuning::class_shape<sizeof(K), value_bytes<V>>(c - 1).capacity();
  }

  /// The number of counters, which are set to 0 together: the lengths of the lists of classes, of those that partitions fill if
  /// these are others, of large segments, and of small runs; the counts of partitions; and last, not a length, the numbers of
  /// floats.
  static constexpr unsigned counted_partitions = (copying ? 1 : 2) * tuning::classes + 2;
  static constexpr unsigned counts = counted_partitions + 3 * sizeof(partition_count) / sizeof(unsigned long long) + 1;

  std::size_t n, segments, max_length;
  std::size_t window = tuning::array_window;  // in bytes; it determines the length of a step

  /// Returns true if a segment may be too large for a block.
  [[nodiscard]] bool any_large() const { return max_length > block_capacity(); }
  /// Returns the maximum number of large segments.
  [[nodiscard]] std::size_t given_large() const { return any_large() ? std::min(segments, n / (block_capacity() + 1)) : 0; }

  /// Returns the items of a step, a power of two. A sort in place partitions the segments that begin in one step at a time, in
  /// a window of two steps. Of segments larger than a step, each step is sorted by itself.
  [[nodiscard]] std::size_t step() const {
    std::size_t const half = window / 2 / (sizeof(K) + value_bytes<V>), share = n / tuning::max_array_steps;
    return std::max({std::bit_floor(half), std::bit_ceil(share), std::bit_ceil(block_capacity())});
  }
  /// Returns the maximum number of segments larger than a step, whose steps are merged.
  [[nodiscard]] std::size_t merged() const {
    return !copying && max_length > step() ? std::min(segments, n / (step() + 1)) : 0;
  }
  /// Returns the number of items that are partitioned at a time.
  [[nodiscard]] std::size_t partitioned() const { return copying ? n : std::min(n, 2 * step()); }
  /// Returns the maximum number of these segments that are too large for a block at any one time.
  [[nodiscard]] std::size_t partitions() const { return any_large() ? partitioned() / (block_capacity() + 1) : 0; }
  [[nodiscard]] partition_sizes in_partition() const {
    return {partitioned(), partitions(), partition_traits<K, V, false>::tile};
  }
  static tuning::small_run choose_small_run(std::size_t n, std::size_t segments) {
    return has_small_sort<K, V, Computed> ? tuning::choose_small_run(n, segments) : tuning::small_run{};
  }
  /// Returns the number of runs of segments that may be small; 0 if most are not.
  [[nodiscard]] std::size_t small_runs() const {
    unsigned const segments_per_run = choose_small_run(n, segments).segments;
    return segments_per_run == 0 ? 0 : (segments - 1) / segments_per_run + 1;
  }
  /// Returns the maximum number of segments of class c and larger, with those into which large ones are divided. Classes 2k and
  /// 2k + 1 share a list of that length.
  static_assert(tuning::classes % 2 == 0);
  [[nodiscard]] std::size_t from_class(unsigned c) const {
    if (max_length <= shorter_than_class(c)) return 0;
    std::size_t const given = std::min(segments, n / (shorter_than_class(c) + 1));
    return any_large() ? std::max(copying ? 0 : given, from_partitions(c)) : given;
  }
  /// Returns how many of them come from large ones at a time. If copying, all others are included.
  [[nodiscard]] std::size_t from_partitions(unsigned c) const {
    return partitioned() / (shorter_than_class(c) + 1) + (c == 0 ? digit_values * sizeof(K) * partitions() : 0);
  }
  [[nodiscard]] std::size_t bytes() const {
    auto const rounded = [](std::size_t count, std::size_t size) { return parts::size(count * size); };
    std::size_t sum = rounded(counts, sizeof(unsigned long long)) + rounded(small_runs(), 4);
    for (unsigned c = 0; c < tuning::classes; c += 2) sum += rounded(from_class(c), sizeof(packed_segment));
    if (!any_large()) return sum;
    if (merged() != 0) sum += rounded(merged(), sizeof(chunked_array)) + rounded(2, sizeof(unsigned long long));
    return sum + rounded(given_large(), sizeof(large_segment)) + (Computed ? 2 : 1) * rounded(partitioned(), sizeof(K)) +
           rounded(partitioned(), value_bytes<V>) + in_partition().bytes();
  }
};

/// Sorts listed segments, at most `max_segments`, none larger than Shape's capacity.
template <class Shape, class K, class V, class Keys>
void sort_listed(kernel_launcher& on, segment_data<K, V, Keys> const& data, segment_queue const& queue,
                 std::size_t max_segments) {
  using traits = shape_traits<K, V, Shape>;
  if constexpr (traits::shape.by == tuning::method::network) {
    using sorter = warp_sort<K, V, traits::shape.threads, traits::shape.items>;
    launch<sort_by_warps<K, V, Keys, Shape>>(on, blocks_for(max_segments, traits::warps * sorter::segments), traits::threads,
                                             traits::shared_bytes(), data, queue);
  } else if constexpr (traits::shape.by == tuning::method::buckets) {
    launch<sort_by_blocks<K, V, Keys, Shape>>(on, blocks_for(max_segments, 1), traits::threads, traits::shared_bytes(), data,
                                              queue);
  } else {
    launch<sort_by_merging<K, V, Keys, Shape>>(on, blocks_for(max_segments, 1), traits::threads, traits::shared_bytes(), data,
                                               queue);
  }
}

/// The limits of methods. Tests pass others, so that small inputs reach every method.
struct sort_limits {
  std::size_t window = tuning::array_window;      // bytes, for sorts in place
  std::size_t levels_from = tuning::levels_from;  // number of items from which each level has kernels of its own
  std::size_t few_launches_up_to = tuning::few_launches_up_to;
  std::size_t at_once_up_to = ~std::size_t{0};  // number of items that may be sorted in one launch
};

template <class B, class K, class V, class Keys, large_method Method = large_method::copying>
class segmented_sorter {
 public:
  using sizes = segmented_sizes<K, V, Keys::computed, Method>;

  segmented_sorter(B& backend, Keys keys, V* values, std::size_t n, std::uint8_t* heads, sort_limits const& limits = {})
      : backend_(backend), data_{keys, values, heads, nullptr, nullptr, nullptr}, n_(n), limits_(limits) {}

  template <class Offset>
  void sort(segment_list<Offset> segments) {
    if (segments.size() == 0 || n_ == 0) return;
    sizes const size{n_, segments.size(), std::min(segments.max_length, n_), limits_.window};
    if (std::uint64_t const length = segments.uniform_length; length != 0) {
      if (auto const run = sizes::choose_small_run(length * segments.size(), segments.size()); run.segments != 0)
        return sort_small(run, segments, {});
    }
    if (segments.uniform_length > tuning::tiny_capacity && !size.any_large())
      return each_class([&]<unsigned Class>() {
        if (segments.uniform_length > sizes::shorter_than_class(Class) &&
            segments.uniform_length <= class_traits<K, V, Class>::shape.capacity())
          sort_queue<Class>({nullptr, false, nullptr, segments.uniform_length, segments.count}, segments.count);
      });

    if (sorted_at_once(segments)) return;
    auto const memory = backend_.template buffer<char>(size.bytes());
    parts taken(memory.data());
    auto* const counts = zeros(taken.take<unsigned long long>(sizes::counts), sizes::counts);
    partition_counts_ = reinterpret_cast<partition_count*>(counts + sizes::counted_partitions);
    numbers_ = reinterpret_cast<float_numbers*>(counts + sizes::counts - 1);
    plan_lists lists{};
    lists.classes = sizes::classes();
    unsigned const merged = merged_classes(size);
    lists.used = merged != 0 ? merged | 1u << (lists.classes - 1) : tuning::distinct_classes<sizeof(K), value_bytes<V>>();
    packed_segment* first_of_list = nullptr;
    for (unsigned c = 0; c < tuning::classes; c += 2) {
      std::size_t const max_segments = size.from_class(c);
      auto* const records = taken.take<packed_segment>(max_segments);
      if (merged != 0) {
        // A list begins with the memory of the first class that it takes in, which is even: merged classes are odd.
        if (!first_of_list) first_of_list = records;
        for (unsigned const k : {c, c + 1})
          if (lists.used >> k & 1) lists.listed[k] = {std::exchange(first_of_list, nullptr), false, counts + k, 0, 0};
      } else {
        lists.listed[c] = {records, false, counts + c, 0, 0};
        lists.listed[c + 1] = {records + (max_segments == 0 ? 0 : max_segments - 1), true, counts + c + 1, 0, 0};
      }
    }
    lists.longer = taken.take<large_segment>(size.given_large());
    lists.longer_count = counts + tuning::classes;
    if (size.any_large()) allocate_copies(size.partitioned(), taken);
    planned_runs runs{};
    if (auto const run = sizes::choose_small_run(n_, segments.size()); run.segments != 0) {
      runs = {taken.take<std::uint32_t>(size.small_runs()), counts + tuning::classes + 1, run.segments};
      sort_small(run, segments, runs);
    }
    launch<plan_segments<K, V, Keys, Offset>>(backend_.kernels(), blocks_for(segments.size(), tuning::planned),
                                              plan_storage<K, V>::threads, sizeof(plan_storage<K, V>), data_, segments, runs,
                                              lists);
    if (size.any_large() && sizes::copying) partition_large(size, lists, taken, runs.segments == 0);
    sort_listed_classes(size, lists);
    if constexpr (!sizes::copying) {
      if (!size.any_large()) return;
      for (unsigned c = 0; c < tuning::classes; ++c) lists.listed[c].count = counts + tuning::classes + 2 + c;
      // True if the caller gave a bound, or if the average length makes large segments likely.
      sort_large_in_place(size, lists, taken, segments.max_length < n_ || n_ / segments.size() > sizes::block_capacity() / 2);
    }
  }

 private:
  template <class T>
  T* zeros(T* items, std::size_t count) {
    ORDO_CUDA(cudaMemsetAsync(items, 0, count * sizeof(T), backend_.stream()));
    return items;
  }

  /// Returns the classes that take in those below them, where a launch for each would take longer than it saves; 0 if none do.
  [[nodiscard]] unsigned merged_classes(sizes const& size) const {
    if (!sizes::copying && size.any_large()) return 0;  // steps list their own
    if (n_ <= limits_.few_launches_up_to)
      return n_ / size.segments <= tuning::short_on_average ? tuning::classes_of_short : tuning::fewest_classes;
    return size.any_large() && size.segments == 1 ? tuning::few_classes : 0;
  }

  /// Calls f<Class>() for each class that this GPU has.
  template <class F>
  void each_class(F f) {
    unsigned const classes = sizes::classes();
    [&]<unsigned... Class>(std::integer_sequence<unsigned, Class...>) {
      ((Class < classes ? f.template operator()<Class>() : void()), ...);
    }
    (std::make_integer_sequence<unsigned, tuning::classes>{});
  }

  /// Sorts segments that hold few items together, in one launch. Returns false if there are too many, or too little shared
  /// memory.
  template <class Offset>
  bool sorted_at_once(segment_list<Offset> const& segments) {
    if constexpr (Keys::computed) {
      return false;  // each key of a caller would compile one more large kernel
    } else {
      using sizes = few_sizes<K, V>;
      std::size_t const most = segments.size() < tuning::several_segments ? sizes::capacity : sizes::total;
      if (n_ > std::min<std::size_t>(most, limits_.at_once_up_to) || segments.size() > tuning::few_segments) return false;
      std::size_t const shared_bytes = sizes::shared_bytes(n_);
      if (shared_bytes > shared_memory_limit()) return false;
      auto const sort = [&]<bool TwoParts>(std::bool_constant<TwoParts>) {
        launch<sort_few_segments<K, V, Keys, Offset, TwoParts>>(backend_.kernels(), blocks_for(segments.size(), 1),
                                                                sizes::threads, shared_bytes, data_, segments);
      };
      constexpr bool can_divide = sizes::total > sizes::capacity;
      if (n_ <= sizes::capacity)
        sort(std::false_type{});
      else
        sort(std::bool_constant<can_divide>{});
      return true;
    }
  }

  /// Sorts runs of small segments; lists runs with others in `left`.
  template <class Offset>
  void sort_small(tuning::small_run run, segment_list<Offset> const& segments, planned_runs const& left) {
    if constexpr (has_small_sort<K, V, Keys::computed>) {
      typename small_storage<K, V, Offset>::layout const where(run);
      constexpr unsigned warps = tuning::small_threads / warp_threads;
      auto const sort = [&]<bool Floats, bool Holes>() {
        launch<sort_small_segments<K, V, Keys, Offset, Floats, Holes>>(
            backend_.kernels(), blocks_for(segments.size(), warps * run.segments), tuning::small_threads, warps * where.end,
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
    unsigned first = 0;  // the first class that the next list takes in
    each_class([&]<unsigned Class>() {
      if (lists.used >> Class & 1) sort_queue<Class>(lists.listed[Class], size.from_class(std::exchange(first, Class + 1)));
    });
  }

  /// Allocates second copies of keys and values of large segments, for n items at a time.
  void allocate_copies(std::size_t n, parts& taken) {
    if constexpr (Keys::computed)
      data_.home_codes = taken.take<K>(n);
    else
      data_.home_codes = data_.keys.keys;
    data_.away_codes = taken.take<K>(n);
    if constexpr (value_bytes<V> != 0) data_.away_values = taken.take<V>(n);
  }

  /// @param many  many items may be in large segments; else few are, on average
  void partition_large(sizes const& size, plan_lists const& lists, parts& taken, bool many) {
    partition_work const work = size.in_partition().take(taken, partition_counts_);
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

  /// Returns the number of levels whose phases are kernels of their own, which is faster, but costs a launch for each.
  [[nodiscard]] unsigned levels_by_kernel(sizes const& size, bool many) const {
    return many && size.partitioned() >= limits_.levels_from ? tuning::levels_by_kernel(size.partitioned(), sizeof(K)) : 0;
  }

  /// Computes, on the device, the numbers for the first digits of floating-point keys, if the first level has kernels of its
  /// own. The memory of the second copy is still free.
  void find_numbers(sizes const& size, bool many, partition_range& range) {
    if constexpr (!Keys::computed) {
      std::size_t const max_length = std::size_t(double(sizes::block_capacity() * digit_values) * tuning::numbered_share);
      if (data_.keys.code.flip_negative == 0 || levels_by_kernel(size, many) == 0 || n_ / size.segments > max_length) return;
      std::span<std::uint64_t> const sample(reinterpret_cast<std::uint64_t*>(data_.away_codes), tuning::sampled_keys(n_));
      draw_sample(backend_.kernels(), data_.keys.keys, n_, data_.keys.code, sample);
      launch<choose_numbers<K>>(backend_.kernels(), 1, warp_threads, 0, sample.data(), unsigned(sample.size()), data_.keys.code,
                                numbers_);
      range.longest_numbered = max_length;
      range.numbers = numbers_;
    }
  }

  template <bool Large>
  void partition_by(sizes const& size, partition_work const& work, plan_lists const& lists, partition_range range, bool many) {
    using traits = partition_traits<K, V, Large>;
    // A block for each tile: more would only take longer to wait for each other.
    unsigned const blocks = blocks_for(size.in_partition().tiles(), 1);
    auto const phase = [&]<auto * Kernel>(auto const&... arguments) {
      launch_some_cooperative<Kernel>(backend_.kernels(), blocks, traits::threads, sizeof(partition_storage<K, V, Large>),
                                      arguments...);
    };
    unsigned const levels = levels_by_kernel(size, many);
    if (levels != 0) {
      phase.template operator()<begin_partition<K, V, Keys, Large>>(data_, work, lists, range);
      phase.template operator()<assign_tiles<K, V, Keys, Large>>(work, 0u);
    }
    auto const make_level = [&](auto const& data, unsigned list) {
      using keys = decltype(data.keys);
      launch<count_digits<K, V, keys, Large>>(backend_.kernels(), blocks_for(size.in_partition().chunks(), 1), traits::threads,
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

  /// Sorts step by step, in a window that begins with the step; then merges the steps of larger segments.
  /// @param many  many items are in large segments; else each launch is one too many
  void sort_large_in_place(sizes const& size, plan_lists lists, parts& taken, bool many) {
    partition_work const work = size.in_partition().take(taken, partition_counts_);
    K* const window_codes = data_.away_codes;
    V* const window_values = data_.away_values;
    lists.used = (many ? tuning::few_classes : tuning::fewest_classes) | 1u << (lists.classes - 1);
    partition_range range{.piece = size.step(), .renew = true};
    find_numbers(size, many, range);
    for (std::size_t first = 0; first < n_; first += size.step()) {
      range.first = first;
      range.last = std::min(first + size.step(), n_);
      data_.away_codes = window_codes - first;  // an item has the same index in all copies
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
    launch_cooperative<merge_large_arrays<K, V, Keys, Class>>(backend_.kernels(), traits::threads, traits::shared_bytes(),
                                                              data_, work, lists);
  }

  template <unsigned Class>
  void sort_queue(segment_queue const& queue, std::size_t max_segments) {
    if (max_segments == 0) return;
    using traits = class_traits<K, V, Class>;
    if constexpr (!sizes::copying && Class <= stable_class<K, V> && traits::shared_bytes() > tuning::min_shared_memory) {
      using instead = merging_type<K, V, Class>;
      static_assert(shape_traits<K, V, instead>::shared_bytes() <= tuning::min_shared_memory);
      if (traits::shared_bytes() > shared_memory_limit())
        return sort_listed<instead>(backend_.kernels(), data_, queue, max_segments);
    }
    sort_listed<typename traits::type>(backend_.kernels(), data_, queue, max_segments);
  }

  B& backend_;
  segment_data<K, V, Keys> data_;
  std::size_t n_;
  sort_limits limits_;
  partition_count* partition_counts_ = nullptr;  // on the device, as the numbers are
  float_numbers* numbers_ = nullptr;
};

/// Calls f(K{}, V{}) for the types that stand for keys and values of these sizes in bytes.
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

/// Returns the temporary memory of a segmented sort of stored or computed keys, for keys and values of these sizes in bytes.
template <bool Computed, large_method Method = large_method::copying>
std::size_t segmented_sort_bytes(std::size_t n, std::size_t segments, std::size_t max_length, std::size_t key_bytes,
                                 std::size_t value_size) {
  if (n == 0 || segments == 0) return 0;
  return with_types(key_bytes, value_size, [&](auto key, auto value) {
    using sizes = segmented_sizes<decltype(key), decltype(value), Computed, Method>;
    return sizes{n, segments, std::min(max_length, n)}.bytes();
  });
}

}  // namespace ordo::inline v0::cuda_detail
