#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "ordo/detail/fn.hpp"
#include "sort_core/cuda/kernels/grid_merge.cuh"
#include "sort_core/cuda/kernels/large_segments.cuh"
#include "sort_core/cuda/primitives/merging.cuh"
#include "sort_core/cuda/primitives/parts.hpp"
#include "sort_core/cuda/runtime/error.cuh"
#include "sort_core/cuda/runtime/launch.cuh"
#include "sort_core/cuda/segmented.cuh"
#include "sort_core/cuda/tuning/samples.hpp"

// Stable sample sort by any order (Leischner, Osipov and Sanders, "GPU Sample Sort", IPDPS'10). A sorted sample of a segment
// gives splitters, and a search tree of these is in shared memory; every item finds its bucket there without a branch. The
// number of the bucket is its digit, stored as a byte. Items then move by the same partition as in the radix sort. If the
// sample has many equal items, items that equal a splitter have a bucket of their own, and are sorted. Buckets that fit in a
// block are merged there; larger ones are distributed again.
namespace ordo::inline v0::cuda_detail {

/// An item as an array of words. The code that distributes items is so compiled once for all types of a size, and types need no
/// default constructor.
template <std::size_t Bytes, std::size_t Align>
struct alignas(Align) item_words {
  using word = std::conditional_t<Align % 4 == 0, std::uint32_t, std::uint8_t>;
  word words[Bytes / sizeof(word)];
};
template <class T>
using words_for = item_words<sizeof(T), alignof(T)>;
/// True for the types of items that the sort below handles; others are merged by CUB.
template <class T>
constexpr bool sampled_type = alignof(T) % 4 == 0 && sizeof(T) <= tuning::sampled_bytes;

template <class T, class Less>
struct order_of_words {
  Less less;
  __device__ bool operator()(words_for<T> const& a, words_for<T> const& b) const {
    return less(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b));
  }
};

template <class T, class Less>
struct order_of_numbers {
  Less less;
  __device__ bool operator()(T a, T b) const { return less(a, b); }
};

/// The code of items that are not encoded.
struct as_it_is {
  template <class T>
  __device__ T const& encode(T const& item) const {
    return item;
  }
};

/// Items with their digits.
template <class Words>
struct sampled_items {
  static constexpr bool computed = false, sampled = true;
  using code_of_copy = as_it_is;
  Words* keys;
  std::uint8_t* digits;
  __device__ void store(std::size_t i, Words const& item) const { keys[i] = item; }
};

/// The splitters of one partition: 2^width - 1 in an implicit tree whose root is node 1, and then in order, with the last one
/// repeated. Bucket b holds the items after splitter b - 1 and not after splitter b. If equal items are separated, the
/// numbers are 2b and 2b + 1.
template <class Words>
struct splitters {
  Words *node, *bound;
  __device__ static splitters of(Words* all, partition const& p, unsigned slot) {
    // Partitions are large enough that trees at these positions do not overlap.
    Words* const own = all + (p.begin + slot - 1) / slot;
    return {own, own + (1u << p.width)};
  }
};

/// The data that move with an item while a block sorts: its value or, for large values, the item's number.
template <class V>
using carried_as = std::conditional_t<(value_bytes<V> > tuning::carried_bytes), std::uint32_t, V>;

template <class Words, class V>
struct sample_traits {
  static constexpr std::size_t item = sizeof(Words), value = value_bytes<V>;
  static constexpr unsigned bucket = tuning::bucket_items<item, value>(), slot = bucket / 4;
  using sorter = merging<carrier<Words, no_value>, tuning::leaf_shape<item, 0>(tuning::sample_class).threads,
                         tuning::leaf_shape<item, 0>(tuning::sample_class).items>;
  static constexpr unsigned threads = tuning::leaf_shape<item, 0>(tuning::sample_class).threads;
  static constexpr unsigned leaves = tuning::leaf_classes;
  static constexpr std::size_t block_capacity = tuning::leaf_shape<item, value>(leaves - 1).capacity();
  static_assert(block_capacity > 2 * bucket && leaves <= tuning::classes);
  static constexpr std::size_t sample_bytes() { return sorter::capacity * item; }
  static constexpr std::size_t leaf_bytes(unsigned c) {
    return tuning::leaf_shape<item, value>(c).capacity() * sizeof(carrier<Words, carried_as<V>>);
  }
};

/// The sample of a partition: one item from each of `size` equal parts.
struct sample_places {
  unsigned buckets, share, size;  // the sample: `share` items for each wanted bucket
  std::uint64_t begin, stride;
  /// @param bucket    the desired number of items per bucket
  /// @param max_size  the maximum number of items in a sample
  ORDO_FN sample_places(std::uint64_t first, std::uint64_t length, unsigned bucket, unsigned max_size) : begin(first) {
    std::uint64_t const wanted = length / bucket;
    buckets = wanted < 2 ? 2 : wanted > digit_values ? digit_values : unsigned(wanted);
    share = unsigned(length < max_size ? length : max_size) / buckets;
    size = share * buckets;
    stride = length / size;
  }
  /// Returns the position in the partition of item i of the sample.
  [[nodiscard]] ORDO_FN std::uint64_t operator[](unsigned i) const {
    std::uint32_t const random = (i + std::uint32_t(begin)) * 0x9e3779b1u;
    return i * stride + (std::uint64_t(random ^ random >> 15) * 0x85ebca6bu >> 8) % stride;
  }
};

/// Returns the maximum number of levels for n items. Positions of samples are predictable, so some inputs make samples useless.
/// Evenly distributed items take (log2(n) - 13) / 8 levels.
constexpr unsigned sample_levels(std::size_t n) {
  unsigned bits = 0;
  for (; n > 1; n /= 2) ++bits;
  return 4 + bits / 4;
}

/// A block's choice of splitters. The sample is sorted; every share-th item is a candidate, and equal candidates count once.
template <class Words, class V, class Order>
struct splitter_choice {
  using traits = sample_traits<Words, V>;
  using sorter = typename traits::sorter;
  using team = group<traits::threads>;
  using element = carrier<Words, no_value>;
  /// In order.
  element const* sample;
  sample_places const& places;
  Order const& less;
  Words* bound;  // the chosen splitters, at most digit_values

  [[nodiscard]] __device__ __forceinline__ Words const& candidate(unsigned b) const {
    return sample[(b + 1) * places.share - 1].item;
  }
  /// Moves the distinct candidates to `bound`, and returns their number. Synchronises.
  __device__ __forceinline__ unsigned keep_distinct(typename team::template storage<std::uint32_t>& shared) const {
    unsigned const b = threadIdx.x;
    bool const kept = b + 1 < places.buckets && (b == 0 || less(candidate(b - 1), candidate(b)));
    unsigned const bounds = unsigned(__syncthreads_count(kept));
    unsigned const rank = team::exclusive_sum(std::uint32_t(kept), shared);
    if (kept) bound[rank] = candidate(b);
    __syncthreads();
    return bounds;
  }
  /// Returns true if the sample has equal candidates: then there are many equal items. If the greatest of them is a splitter,
  /// the last bucket may be empty, and the others hold everything.
  [[nodiscard]] __device__ __forceinline__ bool has_equals(unsigned bounds) const {
    return bounds + 1 < places.buckets || !less(bound[bounds - 1], sample[places.size - 1].item);
  }
  /// Drops every other splitter if equal items get buckets of their own, which leaves room for half as many. Synchronises.
  __device__ __forceinline__ unsigned thin_out(unsigned bounds) const {
    constexpr unsigned max_bounds = digit_values / 2 - 1;
    if (bounds <= max_bounds) return bounds;
    unsigned const b = threadIdx.x;
    Words const taken = bound[min((b + 1) * bounds / (max_bounds + 1), bounds - 1)];
    __syncthreads();
    if (b < max_bounds) bound[b] = taken;
    __syncthreads();
    return max_bounds;
  }
  /// Writes the tree and the splitters of its leaves.
  __device__ __forceinline__ void write(splitters<Words> const& tree, unsigned bounds, unsigned width) const {
    unsigned const b = threadIdx.x;
    if (b < 1u << width) {
      tree.bound[b] = bound[min(b, bounds - 1)];
      if (b != 0) {
        unsigned const level = 31 - unsigned(__clz(int(b))), in_level = b - (1u << level);
        tree.node[b] = bound[min(((2 * in_level + 1) << (width - 1 - level)) - 1, bounds - 1)];
      }
    }
  }
};

/// Chooses the splitters of each partition of a list, one block per partition.
template <class Words, class V, class Order>
__global__ void __launch_bounds__(sample_traits<Words, V>::threads)
    choose_splitters(segment_data<Words, V, sampled_items<Words>> data, partition_work work, Words* trees, Order less,
                     unsigned list) {
  wait_for_previous();
  using choice_type = splitter_choice<Words, V, Order>;
  using traits = typename choice_type::traits;
  auto* const sample = reinterpret_cast<typename choice_type::element*>(dynamic_shared_memory());
  __shared__ Words bound[digit_values];
  __shared__ typename choice_type::team::template storage<std::uint32_t> shared;
  std::uint64_t const partitions = work.counts[list].partitions;
  for (std::uint64_t s = blockIdx.x; s < partitions; s += gridDim.x) {
    partition& p = work.lists[list][s];
    sample_places const places(p.begin, p.length, traits::bucket, choice_type::sorter::capacity);
    Words const* const items = (p.from == copy::away ? data.away_codes : data.home_codes) + p.begin;
    for (unsigned i = threadIdx.x; i < places.size; i += traits::threads) sample[i].item = items[places[i]];
    __syncthreads();
    choice_type::sorter::sort(sample, places.size, less);
    choice_type const choice{sample, places, less, bound};
    unsigned bounds = choice.keep_distinct(shared);
    bool const equal = choice.has_equals(bounds);
    if (equal) bounds = choice.thin_out(bounds);
    unsigned const width = 32 - unsigned(__clz(int(bounds)));
    if (threadIdx.x == 0) {
      p.width = width;
      p.equal = equal;
    }
    partition placed = p;
    placed.width = width;
    choice.write(splitters<Words>::of(trees, placed, traits::slot), bounds, width);
    __syncthreads();
  }
}

template <class Words>
[[nodiscard]] __device__ Words const& at_byte(Words const* words, unsigned byte) {
  return *reinterpret_cast<Words const*>(reinterpret_cast<char const*>(words) + byte);
}

/// Counts the items of the tiles by bucket, and stores the bucket of each item as its digit.
template <class Words, class V, class Order>
__global__ void __launch_bounds__(tuning::classifying_threads, 1024 / tuning::classifying_threads)
    classify_items(segment_data<Words, V, sampled_items<Words>> data, partition_work work, Words const* trees, Order less,
                   unsigned list) {
  wait_for_previous();
  using traits = sample_traits<Words, V>;
  using partition_at = partitioner<Words, V, sampled_items<Words>, true>;
  constexpr unsigned threads = tuning::classifying_threads, interleaved = tuning::classified_at_once(sizeof(Words));
  static_assert(digit_values <= threads);
  __shared__ std::uint32_t counts[2][digit_values];
  __shared__ Words node[digit_values], bound[digit_values];
  if (blockIdx.x == 0 && threadIdx.x == 0) work.counts[1 - list] = {};
  unsigned const b = threadIdx.x;
  if (b < digit_values) counts[0][b] = counts[1][b] = 0;
  count_chunks<partition_at::tile, false>(work, list, counts, [&](partition const&, partition const& p, auto each_tile) {
    unsigned const width = p.width, last = 1u << width;
    bool const equal = p.equal;
    auto const tree = splitters<Words const>::of(trees, p, traits::slot);
    __syncthreads();
    if (b < last) {
      bound[b] = tree.bound[b];
      if (b != 0) node[b] = tree.node[b];
    }
    __syncthreads();
    Words const* const items = p.from == copy::away ? data.away_codes : data.home_codes;
    each_tile([&](std::uint64_t begin, unsigned n, std::uint32_t* count) {
      unsigned first = b;
      auto const classify = [&]<bool Full>() {
        Words item[interleaved];
        unsigned at[interleaved];  // in bytes, which saves a multiplication per level of the tree
#pragma unroll
        for (unsigned j = 0; j < interleaved; ++j) {
          if (Full || first + j * threads < n) item[j] = items[begin + first + j * threads];
          at[j] = sizeof(Words);
        }
        for (unsigned level = 0; level < width; ++level) {
#pragma unroll
          for (unsigned j = 0; j < interleaved; ++j)
            if (Full || first + j * threads < n)
              at[j] = 2 * at[j] + (less(at_byte(node, at[j]), item[j]) ? unsigned(sizeof(Words)) : 0);
        }
#pragma unroll
        for (unsigned j = 0; j < interleaved; ++j) {
          if (Full || first + j * threads < n) {
            unsigned digit = at[j] / sizeof(Words) - last;
            if (equal) digit = 2 * digit + !less(item[j], bound[digit]);
            atomicAdd(&count[digit], 1u);
            data.keys.digits[begin + first + j * threads] = std::uint8_t(digit);
          }
        }
      };
      for (; first - b + interleaved * threads <= n; first += interleaved * threads) classify.template operator()<true>();
      if (first < n) classify.template operator()<false>();
    });
  });
}

/// Sorts the segments of one class, one block per segment.
template <class Words, class V, class Order, unsigned Threads, unsigned Items, unsigned Resident>
__global__ void __launch_bounds__(Threads, Resident)
    merge_leaves(segment_data<Words, V, sampled_items<Words>> data, segment_queue queue, Order less) {
  wait_for_previous();
  constexpr bool by_index = tuning::carried_bytes < value_bytes<V>;
  using element = carrier<Words, carried_as<V>>;
  using sorter = merging<element, Threads, Items>;
  element* const all = reinterpret_cast<element*>(dynamic_shared_memory());
  std::uint64_t const segments = queue.size();
  for (std::uint64_t s = blockIdx.x; s < segments; s += gridDim.x) {
    segment_record const segment = queue[s];
    unsigned const n = segment.length;
    Words const* const items = (segment.from == copy::away ? data.away_codes : data.home_codes) + segment.begin;
    V const* const values = data.value_address(segment.from, segment.begin);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if (unsigned const p = i * Threads + threadIdx.x; p < n) {
        all[p].item = items[p];
        if constexpr (by_index)
          all[p].carried = p;
        else if constexpr (value_bytes<V> != 0)
          all[p].carried = values[p];
      }
    }
    __syncthreads();
    sorter::sort(all, n, less);
    V value[by_index ? Items : 1];
    if constexpr (by_index) {
      // All values are read before one is written.
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (unsigned const p = i * Threads + threadIdx.x; p < n) value[i] = values[all[p].carried];
      __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if (unsigned const p = i * Threads + threadIdx.x; p < n) {
        data.keys.store(segment.begin + p, all[p].item);
        if constexpr (by_index)
          data.values[segment.begin + p] = value[i];
        else if constexpr (value_bytes<V> != 0)
          data.values[segment.begin + p] = all[p].carried;
      }
    }
    __syncthreads();
  }
}

/// Temporary memory of a sample sort.
template <class Words, class V>
struct sample_sizes {
  using traits = sample_traits<Words, V>;
  std::size_t n;
  [[nodiscard]] partition_sizes in_partition() const {
    return {n, n / (traits::block_capacity + 1), partition_traits<Words, V, true, true>::tile};
  }
  /// Returns the maximum number of buckets of class c that one level leaves.
  [[nodiscard]] std::size_t leaves(unsigned c) const {
    std::size_t const shorter = c == 0 ? 0 : tuning::leaf_shape<sizeof(Words), value_bytes<V>>(c - 1).capacity();
    return std::min(n / (shorter + 1), digit_values * in_partition().partitions + 1);
  }
  [[nodiscard]] std::size_t trees() const { return n / traits::slot + 2; }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = parts::size(traits::leaves * sizeof(unsigned long long)) + parts::size(3 * sizeof(partition_count)) +
                      parts::size(n) + parts::size(trees() * sizeof(Words)) + parts::size(n * sizeof(Words)) +
                      parts::size(n * value_bytes<V>) + in_partition().bytes();
    for (unsigned c = 0; c < traits::leaves; ++c) sum += parts::size(leaves(c) * sizeof(packed_segment));
    return sum;
  }
  /// Returns true if this GPU's blocks have enough shared memory.
  [[nodiscard]] static bool possible() {
    std::size_t const largest = std::max(
        {sizeof(partition_storage<Words, V, true, true>), traits::leaf_bytes(traits::leaves - 1), traits::sample_bytes()});
    return largest <= shared_memory_limit();
  }
};

/// Returns the bytes of that memory for items and values of these sizes, or 0 if this sort does not handle them.
inline std::size_t sample_sort_bytes(std::size_t n, std::size_t item_bytes, std::size_t value_size) {
  auto const with_item = [&](auto words) {
    return with_types(4, value_size,
                      [&](auto, auto value) { return sample_sizes<decltype(words), decltype(value)>{n}.bytes(); });
  };
  switch (item_bytes) {
    case 4:
      return with_item(item_words<4, 4>{});
    case 8:
      return with_item(item_words<8, 4>{});
    case 12:
      return with_item(item_words<12, 4>{});
    case 16:
      return with_item(item_words<16, 4>{});
    default:
      return 0;
  }
}

/// Sorts more items than a block holds. The host waits for each level, to learn whether there is another. Memory is allocated
/// before any item moves.
template <class B, class T, class V, class Less>
class sample_sorter {
  using words = words_for<T>;
  using order = order_of_words<T, Less>;
  using items = sampled_items<words>;
  using traits = sample_traits<words, V>;
  using phases = partition_traits<words, V, true, true>;
  static constexpr std::size_t phase_bytes = sizeof(partition_storage<words, V, true, true>);

 public:
  using sizes = sample_sizes<words, V>;

  sample_sorter(B& backend, T* keys, V* values, std::size_t n, Less less) : backend_(backend), less_{less}, n_(n), data_{} {
    data_.keys.keys = data_.home_codes = reinterpret_cast<words*>(keys);
    data_.values = values;
  }

  /// Sorts. Returns false if samples say so little about these items that it gave up. All items are then in the given memory,
  /// more sorted than before, with equal items in their original order: another stable sort must finish.
  [[nodiscard]] bool sort() {
    sizes const size{n_};
    auto const memory = backend_.template buffer<char>(size.bytes());
    parts taken(memory.data());
    leaf_counts_ = taken.take<unsigned long long>(traits::leaves);
    data_.keys.digits = taken.take<std::uint8_t>(n_);
    trees_ = taken.take<words>(size.trees());
    data_.away_codes = taken.take<words>(n_);
    if constexpr (value_bytes<V> != 0) data_.away_values = taken.take<V>(n_);
    for (unsigned c = 0; c < traits::leaves; ++c)
      lists_.listed[c] = {taken.take<packed_segment>(size.leaves(c)), false, leaf_counts_ + c, 0, 0};
    auto* const counts = taken.take<partition_count>(3);
    work_ = size.in_partition().take(taken, counts);
    auto count = begin();
    unsigned list = 0;
    for (unsigned left = sample_levels(n_); count.partitions != 0 && left != 0; --left, list = 1 - list)
      count = distribute(list, count);
    copy_back(2);
    if (count.partitions != 0) copy_back(list);
    return count.partitions == 0;
  }

 private:
  kernel_launcher& kernels() const { return backend_.kernels(); }

  /// Makes the first level's list, of all items.
  partition_count begin() {
    partition all{};
    all.length = n_;
    all.bits = 1;
    all.from = copy::home;
    std::size_t const tiles = (n_ + phases::tile - 1) / phases::tile;
    partition_count const counts[3] = {{1, tiles, (tiles + work_.chunk_tiles - 1) / work_.chunk_tiles}, {}, {}};
    ORDO_CUDA(cudaMemcpyAsync(work_.lists[0], &all, sizeof all, cudaMemcpyHostToDevice, backend_.stream()));
    ORDO_CUDA(cudaMemcpyAsync(work_.counts, counts, sizeof counts, cudaMemcpyHostToDevice, backend_.stream()));
    launch_cooperative<assign_tiles<words, V, items, true>>(kernels(), phases::threads, phase_bytes, work_, 0u);
    return counts[0];
  }

  /// Does one level: distributes its items to buckets, and sorts the buckets that fit in a block. Returns the count of the next
  /// list.
  partition_count distribute(unsigned list, partition_count const& count) {
    ORDO_CUDA(cudaMemsetAsync(leaf_counts_, 0, traits::leaves * sizeof *leaf_counts_, backend_.stream()));
    launch<choose_splitters<words, V, order>>(kernels(), blocks_for(count.partitions, 1), traits::threads,
                                              traits::sample_bytes(), data_, work_, trees_, less_, list);
    launch<classify_items<words, V, order>>(kernels(), blocks_for(count.chunks, 1), tuning::classifying_threads, 0, data_,
                                            work_, trees_, less_, list);
    launch_cooperative<divide_partitions<words, V, items, true>>(kernels(), phases::threads, phase_bytes, work_, lists_, list);
    launch_cooperative<move_items<words, V, items, true>>(kernels(), phases::threads, phase_bytes, data_, work_, list);
    partition_count next{};
    std::array<unsigned long long, traits::leaves> leaves{};
    ORDO_CUDA(cudaMemcpyAsync(&next, work_.counts + 1 - list, sizeof next, cudaMemcpyDeviceToHost, backend_.stream()));
    backend_.download(std::span<unsigned long long const>(leaf_counts_, leaves.size()), leaves);
    [&]<unsigned... Class>(std::integer_sequence<unsigned, Class...>) {
      (merge<Class>(leaves[Class]), ...);
    }
    (std::make_integer_sequence<unsigned, traits::leaves>{});
    return next;
  }

  template <unsigned Class>
  void merge(std::size_t leaves) {
    constexpr auto shape = tuning::leaf_shape<sizeof(words), value_bytes<V>>(Class);
    if (leaves == 0) return;
    launch<merge_leaves<words, V, order, shape.threads, shape.items, shape.resident>>(
        kernels(), blocks_for(leaves, 1), shape.threads, traits::leaf_bytes(Class), data_, lists_.listed[Class], less_);
  }

  void copy_back(unsigned list) {
    launch_cooperative<assign_tiles<words, V, items, true>>(kernels(), phases::threads, phase_bytes, work_, list);
    launch_cooperative<copy_list_back<words, V, items, true>>(kernels(), phases::threads, phase_bytes, data_, work_, list);
  }

  B& backend_;
  order less_;
  std::size_t n_;
  segment_data<words, V, items> data_;
  unsigned long long* leaf_counts_ = nullptr;
  words* trees_ = nullptr;
  plan_lists lists_{};
  partition_work work_{};
};

/// Sorts n items, which may not be many, by merging in one launch. Returns false if another sort is quicker, or must do it.
template <class B, class T, class V, class Less>
bool merge_in_one_launch(B& backend, T* items, V* values, std::size_t n, Less less) {
  constexpr std::size_t bytes = sizeof(T) + value_bytes<V>;
  if constexpr (!sampled_type<T> || bytes > tuning::merged_bytes) {
    return false;
  } else {
    using words = words_for<T>;
    using sizes = grid_merge_sizes<words, V>;
    if (n <= tuning::merged_above || n > tuning::merged_up_to || !sizes::possible()) return false;
    // As few levels as there can be, and runs of one length.
    std::size_t const most = std::bit_ceil((n + sizes::capacity - 1) / sizes::capacity), run = (n + most - 1) / most;
    std::size_t const value_size = value_bytes<V>;
    auto const room = backend.template buffer<char>(parts::size(n * sizeof(words)) + parts::size(n * value_size));
    parts taken(room.data());
    auto* const away = taken.take<words>(n);
    V* away_values = nullptr;
    if constexpr (value_bytes<V> != 0) away_values = taken.take<V>(n);
    grid_merge_work<words, V> const work{
        reinterpret_cast<words*>(items), values, away, away_values, n, std::uint32_t(run), unsigned(std::countr_zero(most))};
    launch_some_cooperative<merge_in_grid<words, V, order_of_words<T, Less>>>(
        backend.kernels(), unsigned((n + run - 1) / run), sizes::threads, sizes::shared_bytes, work,
        order_of_words<T, Less>{less});
    return true;
  }
}

}  // namespace ordo::inline v0::cuda_detail
