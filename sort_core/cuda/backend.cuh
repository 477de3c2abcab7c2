#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "ordo/backend.hpp"
#include "ordo/detail/checks.hpp"
#include "ordo/machine.hpp"
#include "sort_core/cuda/background_downloads.hpp"
#include "sort_core/cuda/instructions.cuh"
#include "sort_core/cuda/launch.cuh"
#include "sort_core/cuda/memory.cuh"
#include "sort_core/cuda/radix_choice.hpp"
#include "sort_core/cuda/radix_sample.cuh"
#include "sort_core/cuda/samples.cuh"
#include "sort_core/cuda/segmented.cuh"
#include "sort_core/cuda/staging.hpp"

namespace ordo {

class cuda_backend;

namespace cuda_detail {

template <class F>
__global__ void __launch_bounds__(256) each_kernel(std::size_t n, F f) {
  wait_for_previous();
  std::size_t const i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

template <class T, class F>
struct cast_to {
  F f;
  __device__ T operator()(std::size_t i) const { return T(f(i)); }
};

/// An iterator over f(0), f(1), ... as T.
template <class T, class F>
auto computed(F f) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(std::size_t{0}), cast_to<T, F>{f});
}

inline unsigned grid_of(std::size_t n, std::size_t block) {
  std::size_t const count = (n + block - 1) / block;
  if (count > 0x7fffffff) throw usage_error("GPU launch: too many items: " + std::to_string(n));
  return unsigned(count);
}

/// The codes of keys of which not all bits count, or which are narrow, and where each comes from.
template <class K, class Position>
struct write_codes {
  using wide = std::conditional_t<sizeof(K) <= 4, std::uint32_t, std::uint64_t>;
  K const* keys;
  key_code<K> code;
  K mask;
  wide* codes;
  Position* positions;
  __device__ void operator()(std::size_t i) const {
    codes[i] = wide(K(code.encode(keys[i]) & mask));
    positions[i] = Position(i);
  }
};

template <class K>
struct differs_from_first {
  K const* keys;
  key_code<K> code;
  ORDO_FN K operator()(std::size_t i) const { return K(code.encode(keys[i]) ^ code.encode(keys[0])); }
};
struct either {
  template <class K>
  ORDO_FN K operator()(K a, K b) const {
    return K(a | b);
  }
};
/// Makes codes of keys, or keys of codes: some at a time, as one key a thread is too few to keep memory busy.
template <class K, bool Encode>
struct recode_keys {
  static constexpr std::size_t at_once = 4;
  K* keys;
  std::size_t n;
  key_code<K> code;
  [[nodiscard]] std::size_t threads() const { return (n + at_once - 1) / at_once; }
  __device__ void operator()(std::size_t i) const {
    std::size_t const stride = (n + at_once - 1) / at_once;
    K key[at_once];
#pragma unroll
    for (std::size_t j = 0; j < at_once; ++j) key[j] = i + j * stride < n ? keys[i + j * stride] : K{0};
#pragma unroll
    for (std::size_t j = 0; j < at_once; ++j)
      if (i + j * stride < n) keys[i + j * stride] = Encode ? code.encode(key[j]) : code.decode(key[j]);
  }
};

template <class T, class Position>
struct take_from {
  T* to;
  T const* from;
  Position const* positions;
  __device__ void operator()(std::size_t i) const {
    if (positions[i] != i) to[i] = from[positions[i]];  // what lies between segments is not written
  }
};

/// A stream of a machine's own, which waits for no other; or none.
struct own_stream {
  explicit own_stream(bool wanted) {
    if (wanted) ORDO_CUDA(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking));
  }
  ~own_stream() {
    if (handle) static_cast<void>(cudaStreamDestroy(handle));
  }
  own_stream(own_stream const&) = delete;
  own_stream& operator=(own_stream const&) = delete;
  cudaStream_t handle = nullptr;
};

/// Null for an empty span, whatever it points to.
inline std::uint8_t* pointer_to(std::span<std::uint8_t> heads) {
  return heads.empty() ? nullptr : heads.data();
}

/// Segments of given keys. Compiled once, for keys of 32 and 64 bits, values of none to 16 bytes and offsets of 32 and 64
/// bits (stored_*.cu): the kernels are many.
template <long_method Long, class K, class V, class Offset>
void sort_stored(cuda_backend& machine, stored_keys<K> keys, V* values, std::size_t n, segment_list<Offset> segments,
                 std::uint8_t* heads);

/// Keys by their own order, as a sample sort: for those that are unevenly distributed. Compiled there too. False if another
/// sort is to do it, or to finish it: if this card cannot, or samples tell too little of the keys.
bool sort_by_samples(cuda_backend& machine, std::uint64_t* keys, std::size_t n);

/// Keys of any width by CUB's LSD radix sort. Compiled once too.
/// @param values  null if there are none
template <class K, class V>
void sort_lsd(cuda_backend& machine, K* keys, V* values, std::size_t n, bit_range bits);
/// The bits of floats, ascending, by CUB's too, which encodes them on the way.
void sort_floats_lsd(cuda_backend& machine, std::uint32_t* keys, std::size_t n);

/// What CUB moves in place of a value type: one instantiation a width.
template <std::size_t Bytes>
struct moved_as;
template <>
struct moved_as<4> {
  using type = std::uint32_t;
};
template <>
struct moved_as<8> {
  using type = std::uint64_t;
};
template <>
struct moved_as<16> {
  using type = ulonglong2;
};

}  // namespace cuda_detail

/// The GPU machine as algorithms see it; ordo::gpu is the user's. It belongs to the device that is current when it is made, and
/// which has to be current in every call and at its end. One stream; buffers from one pool, bounded by ORDO_GPU_MEMORY. Use it
/// from one thread at a time. Contracts: see Backend.
class cuda_backend {
 public:
  explicit cuda_backend(gpu_options const& how = {}) : cuda_backend(how, nullptr) {}
  /// Device memory from `source`, which must outlive the machine.
  explicit cuda_backend(memory_resource& source) : cuda_backend({}, &source) {}
  ~cuda_backend() {
    // Nothing can be thrown from here: a fault of a kernel was reported by the download that waited for it.
    static_cast<void>(cudaStreamSynchronize(stream_));
  }
  cuda_backend(cuda_backend const&) = delete;
  cuda_backend& operator=(cuda_backend const&) = delete;

  template <class T>
  ordo::buffer<T> buffer(std::size_t n) {
    return {pool_, n};
  }
  template <class T>
  ordo::buffer<T const> upload(std::span<T const> host) {
    ordo::buffer<T const> copy(pool_, host.size());
    std::size_t const bytes = host.size_bytes();
    staging_.upload(const_cast<T*>(copy.data()), host.data(), bytes, stream_);
    // Who reads bytes by words reads the last word whole (load.hpp).
    if (constexpr std::size_t word = 8; bytes % word != 0)
      ORDO_CUDA(cudaMemsetAsync(reinterpret_cast<char*>(const_cast<T*>(copy.data())) + bytes, 0, word - bytes % word, stream_));
    return copy;
  }
  template <class T>
  ordo::buffer<T> target(std::span<T> host) {
    return {pool_, host.size()};
  }
  template <class T>
  void download(std::span<T const> from, std::span<std::type_identity_t<T>> host) {
    staging_.download(host.data(), from.data(), from.size_bytes(), stream_);
  }
  /// @returns what must end before this machine does
  cuda_detail::background_downloads background_downloads() { return {staging_, stream_}; }
  template <class T>
  std::size_t load(source& from, std::span<T> to) {
    return staging_.load(from, to.data(), to.size_bytes(), stream_) / sizeof(T);
  }
  template <class T>
  void store(std::span<T const> from, sink& to, std::uint64_t offset) {
    staging_.store(to, offset, from.data(), from.size_bytes(), stream_);
  }
  [[nodiscard]] ordo::pool& pool() noexcept { return pool_; }

  /// Bytes that radix_sort and argsort take from the pool at most, beyond their arguments: a second copy, and lists.
  static std::size_t radix_sort_memory(std::size_t n, std::size_t key_bytes, std::size_t value_bytes) {
    using ordo::pool;
    // CUB keeps 1024 bytes a tile; with 16 bytes to move a tile has 1920 items at least, with fewer in proportion more.
    std::size_t const widest = std::max<std::size_t>({key_bytes, value_bytes, 4});
    std::size_t most =
        pool::rounded(n * key_bytes) + pool::rounded(n * value_bytes) + pool::rounded(n / 20 * widest + (1 << 20));
    if (key_bytes == 8 && value_bytes == 0) most = std::max(most, pool::rounded(cuda_detail::sample_sort_bytes(n, 8, 0)));
    if (key_bytes == 4 || key_bytes == 8)
      most = std::max(most, pool::rounded(cuda_detail::segmented_sort_bytes<false>(n, 1, n, key_bytes, value_bytes)));
    return most;
  }
  /// Bytes that sample_sort takes from the pool at most, beyond its arguments.
  static std::size_t sample_sort_memory(std::size_t n, std::size_t item_bytes, std::size_t value_bytes) {
    // CUB merges tiles of 64 items or more, 8 bytes each. Where so many do not fit 48 KiB, tiles are 256 items, and lie in
    // memory.
    std::size_t const tiles = 65 * item_bytes > 48 << 10 ? (n / 256 + 1) * (257 * item_bytes + 128) : 0;
    std::size_t const by_merging = n * (item_bytes + value_bytes) + n / 8 + tiles + (1 << 16);
    return ordo::pool::rounded(std::max(by_merging, cuda_detail::sample_sort_bytes(n, item_bytes, value_bytes)));
  }
  /// Bytes that segmented_sort takes from the pool at most, beyond its arguments: lists of segments, and a second copy of keys
  /// and values if a segment may be longer than a block holds. A sort by a part of the keys' bits, or of keys below 32 bits,
  /// sorts their codes and positions, 4 or 8 bytes each, instead.
  /// @param n        length of the array, holes counted
  /// @param max_length  of the segments, as far as the caller tells the sort (segment_list::max_length), else n
  static std::size_t segmented_sort_memory(std::size_t n, std::size_t segments, std::size_t max_length, std::size_t key_bytes,
                                           std::size_t value_bytes, bit_range bits = {}) {
    using ordo::pool;
    if (n == 0 || segments == 0) return 0;
    if (key_bytes >= 4 && bits.begin == 0 && bits.end >= 8 * key_bytes)
      return pool::rounded(cuda_detail::segmented_sort_bytes<false>(n, segments, max_length, key_bytes, value_bytes));
    std::size_t const code = key_bytes <= 4 ? 4 : 8, position = few_positions(n) ? 4 : 8;
    std::size_t const sorting = pool::rounded(n * code) + pool::rounded(cuda_detail::segmented_sort_bytes<false>(
                                                              n, segments, max_length, code, position));
    return pool::rounded(n * position) + std::max({sorting, pool::rounded(n * key_bytes), pool::rounded(n * value_bytes)});
  }
  /// Bytes that segmented_sort_by takes: lists of segments and, if one may be longer than a block holds, its keys and a second
  /// copy of keys and items.
  static std::size_t segmented_sort_by_memory(std::size_t n, std::size_t segments, std::size_t max_length,
                                              std::size_t key_bytes, std::size_t value_bytes) {
    return ordo::pool::rounded(cuda_detail::segmented_sort_bytes<true>(n, segments, max_length, key_bytes, value_bytes));
  }
  /// Bytes that array_sort takes from the pool at most: lists of arrays, none to speak of for uniform_segments of a length that
  /// a block holds; and if one may be longer, half as much again as the window in which those are partitioned, which is of
  /// tuning::array_window bytes, or for more than 128 times as much data a 64th of it at most.
  static std::size_t array_sort_memory(std::size_t n, std::size_t arrays, std::size_t max_length, std::size_t key_bytes,
                                       std::size_t value_bytes) {
    using namespace cuda_detail;
    if (n == 0 || arrays == 0) return 0;
    return ordo::pool::rounded(
        segmented_sort_bytes<false, long_method::in_place>(n, arrays, max_length, key_bytes, value_bytes));
  }

  template <class F>
  void each(std::size_t n, F f) {
    if (n == 0) return;
    cuda_detail::launch_blocks<cuda_detail::each_kernel<F>>(kernels_, cuda_detail::grid_of(n, 256), 256, 0, false, n, f);
  }

  template <class In, class T, class Op>
  void scan(std::size_t n, In in, std::span<T> out, Op op) {
    if (n == 0) return;
    auto const from = cuda_detail::computed<T>(in);
    with_temporary([&](void* temporary, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(temporary, bytes, from, out.data(), op, std::int64_t(n), stream_);
    });
  }

  template <class In, class T, class Op>
  T reduce(std::size_t n, In in, T init, Op op) {
    if (n == 0) return init;
    auto const from = cuda_detail::computed<T>(in);
    auto result = buffer<T>(1);
    with_temporary([&](void* temporary, std::size_t& bytes) {
      return cub::DeviceReduce::Reduce(temporary, bytes, from, result.data(), std::int64_t(n), op, init, stream_);
    });
    return value_at(*this, result.span(), 0);
  }

  template <class Keep, class Item, class T>
  std::size_t select(std::size_t n, Keep keep, Item item, std::span<T> out) {
    if (n == 0) return 0;
    auto const from = cuda_detail::computed<T>(item);
    auto const flags = cuda_detail::computed<bool>(keep);
    auto kept = buffer<std::uint64_t>(1);
    with_temporary([&](void* temporary, std::size_t& bytes) {
      return cub::DeviceSelect::Flagged(temporary, bytes, from, flags, out.data(), kept.data(), std::int64_t(n), stream_);
    });
    return value_at(*this, kept.span(), 0);
  }

  template <class T, class Index>
  void gather(std::span<T const> from, std::span<Index const> index, std::span<std::type_identity_t<T>> to) {
    auto const* const f = from.data();
    auto const* const x = index.data();
    auto* const t = to.data();
    each(index.size(), [=] __device__(std::size_t i) { t[i] = f[x[i]]; });
  }

  template <class K>
  void radix_sort(std::span<K> keys, bit_range bits = {}, key_code<K> code = {}) {
    sort_by_digits(keys, std::span<std::uint32_t>{}, detail::clipped<K>(bits), code);
  }

  template <class K, class V>
  void radix_sort(std::span<K> keys, std::span<V> values, bit_range bits = {}, key_code<K> code = {}) {
    detail::check_length("values", "radix sort", values.size(), keys.size());
    sort_by_digits(keys, as_moved(values), detail::clipped<K>(bits), code);
  }

  template <class T, class Less>
  void sample_sort(std::span<T> items, Less less) {
    if (sorted_by_samples<T, cuda_detail::no_value>(items, nullptr, less)) return;
    merge_sort(items.size(), [&](void* temporary, std::size_t& bytes, auto n) {
      return cub::DeviceMergeSort::StableSortKeys(temporary, bytes, as_words(items), n,
                                                  cuda_detail::order_of_words<T, Less>{less}, stream_);
    });
  }

  template <class T, class V, class Less>
  void sample_sort(std::span<T> items, std::span<V> values, Less less) {
    detail::check_length("values", "sample sort", values.size(), items.size());
    if (sorted_by_samples<T, moved<V>>(items, as_moved(values).data(), less)) return;
    merge_sort(items.size(), [&](void* temporary, std::size_t& bytes, auto n) {
      return cub::DeviceMergeSort::StableSortPairs(temporary, bytes, as_words(items), as_moved(values).data(), n,
                                                   cuda_detail::order_of_words<T, Less>{less}, stream_);
    });
  }

  template <class Key, class K, class Index>
  void argsort(std::size_t n, Key key, std::span<K> keys, std::span<Index> index, bit_range bits = {}) {
    auto* const k = keys.data();
    auto* const x = index.data();
    each(n, [=] __device__(std::size_t i) {
      k[i] = key(i);
      x[i] = Index(i);
    });
    radix_sort(keys.first(n), index.first(n), bits);
  }

  template <class K, class V, class Offset>
  void segmented_sort(std::span<K> keys, std::span<V> values, segment_list<Offset> segments, std::span<std::uint8_t> heads = {},
                      bit_range bits = {}, key_code<K> code = {}) {
    if (!values.empty()) detail::check_length("values", "segmented sort", values.size(), keys.size());
    if (!heads.empty()) detail::check_length("heads", "segmented sort", heads.size(), keys.size());
    bits = detail::clipped<K>(bits);
    if constexpr (sizeof(K) >= 4) {
      if (bits.begin == 0 && bits.end == 8 * sizeof(K))
        return sort_in_segments<cuda_detail::long_method::copying>(keys, values, segments, heads, code);
    }
    if (few_positions(keys.size()))
      sort_by_codes<std::uint32_t>(keys, values, segments, heads, bits, code);
    else
      sort_by_codes<std::uint64_t>(keys, values, segments, heads, bits, code);
  }

  template <class K, class V, class Offset>
  void array_sort(std::span<K> keys, std::span<V> values, segment_list<Offset> arrays, key_code<K> code = {}) {
    static_assert(sizeof(K) >= 4, "arrays of keys of 32 and 64 bits");
    if (!values.empty()) detail::check_length("values", "array sort", values.size(), keys.size());
    sort_in_segments<cuda_detail::long_method::in_place>(keys, values, arrays, {}, code);
  }

  template <class V, class Offset, class Key>
  void segmented_sort_by(std::span<V> items, segment_list<Offset> segments, Key key, std::span<std::uint8_t> heads = {},
                         bit_range bits = {}) {
    if (!heads.empty()) detail::check_length("heads", "segmented sort", heads.size(), items.size());
    using K = std::remove_cvref_t<std::invoke_result_t<Key, V>>;
    using keys = cuda_detail::computed_keys<K, V, Key>;
    cuda_detail::segmented_sorter<cuda_backend, K, moved<V>, keys>(
        *this, keys{items.data(), key, detail::mask_of<K>(detail::clipped<K>(bits))}, as_moved(items).data(), items.size(),
        cuda_detail::pointer_to(heads))
        .sort(segments);
  }

  /// Each key of segmented_sort_by is some thirty kernels more (sort_by_key.hpp).
  static constexpr bool compiles_sorts_by_key = true;

  /// For the core's own kernels and for CUB: where work is queued; CUB's two calls; sorts of raw pointers.
  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_; }
  [[nodiscard]] cuda_detail::kernel_launcher& kernels() noexcept { return kernels_; }

  /// CUB's two calls: ask for the size of its temporary memory, then run.
  template <class Call>
  void with_temporary(Call call) {
    std::size_t bytes = 0;
    ORDO_CUDA(call(nullptr, bytes));
    auto temporary = buffer<char>(std::max<std::size_t>(bytes, 1));
    ORDO_CUDA(call(temporary.data(), bytes));
  }

 private:
  /// CUB's merge sort, sort(temporary, bytes, n), of n items. Its instance that counts in 64 bits is for 2^31 items and more
  /// alone.
  template <class Sort>
  void merge_sort(std::size_t n, Sort sort) {
    auto const with = [&](auto count) {
      with_temporary([&](void* temporary, std::size_t& bytes) { return sort(temporary, bytes, count); });
    };
    if (n < std::size_t{1} << 31)
      with(std::uint32_t(n));
    else
      with(std::int64_t(n));
  }

  /// MSD by our own kernels, as one segment, where keys differ in counting bits only; LSD by CUB where
  /// others must be passed over, and for keys that are few digits long.
  template <class K, class M>
  void sort_by_digits(std::span<K> keys, std::span<M> values, bit_range bits, key_code<K> code) {
    if (keys.size() < 2 || bits.begin >= bits.end) return;
    if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
      radix_way const way = way_of<K, M>(keys, values.size(), bits, code);
      if (way.msd && all_count(keys, bits, code))
        return sort_in_segments<cuda_detail::long_method::copying>(keys, values, uniform_segments(1, keys.size()), {}, code);
      if (way.width + cuda_detail::tuning::narrower_bits <= bits.end) {
        K const differing = K(differing_bits(keys, code) & detail::mask_of<K>(bits));
        bits = {unsigned(trailing_zeros(differing)), 64 - leading_zeros(std::uint64_t(differing))};
        if (differing == 0) return;
      }
    }
    if constexpr (sizeof(K) == 4) {
      if (values.empty() && code == radix_key<float>::code && bits.end - bits.begin == 32 &&
          keys.size() >= cuda_detail::tuning::floats_as_they_are_from)
        return cuda_detail::sort_floats_lsd(*this, keys.data(), keys.size());
    }
    auto const sort_codes = [&] {
      if (!sorted_unevenly(keys, values.size(), bits))
        cuda_detail::sort_lsd(*this, keys.data(), values.empty() ? nullptr : values.data(), keys.size(), bits);
    };
    if (code.identity()) return sort_codes();
    cuda_detail::recode_keys<K, true> const encode{keys.data(), keys.size(), code};
    cuda_detail::recode_keys<K, false> const decode{keys.data(), keys.size(), code};
    each(encode.threads(), encode);
    try {
      sort_codes();
    } catch (...) {
      each(decode.threads(), decode);  // where memory was lacking: the caller's keys are still keys
      throw;
    }
    each(decode.threads(), decode);
  }

  /// Long keys without values that are too uneven for an MSD sort: comparisons do not mind.
  template <class K>
  bool sorted_unevenly(std::span<K> keys, std::size_t values, bit_range bits) {
    if constexpr (sizeof(K) == 8) {
      if (values == 0 && keys.size() >= cuda_detail::tuning::compared_from && bits.end - bits.begin == 8 * sizeof(K))
        return cuda_detail::sort_by_samples(*this, keys.data(), keys.size());
    }
    return false;
  }

  /// Do keys differ in no bits but `bits` of their codes?
  template <class K>
  bool all_count(std::span<K> keys, bit_range bits, key_code<K> code) {
    K const others = K(~detail::mask_of<K>(bits));
    return others == 0 || (differing_bits(keys, code) & others) == 0;
  }
  /// The bits in which codes of keys differ.
  template <class K>
  K differing_bits(std::span<K> keys, key_code<K> code) {
    return reduce(keys.size(), cuda_detail::differs_from_first<K>{keys.data(), code}, K{0}, cuda_detail::either{});
  }

  /// How keys are sorted: by the most significant digit first? And how many bits codes seem to differ in, as far as is known.
  struct radix_way {
    bool msd = false;
    unsigned width = 64;
  };
  template <class K, class M>
  radix_way way_of(std::span<K> keys, std::size_t values, bit_range bits, key_code<K> code) {
    std::size_t const n = keys.size();
    if (n < cuda_detail::tuning::msd_from(sizeof(K))) return {};
    if (n < cuda_detail::tuning::partial_msd_from && bits.end - bits.begin < 8 * sizeof(K)) return {};
    if (n < cuda_detail::tuning::sampled_from) return {n < cuda_detail::tuning::unasked};
    using sizes = cuda_detail::segmented_sizes<K, M, false, cuda_detail::long_method::copying>;
    cuda_detail::radix_task const task{n,
                                       sizes::on_chip(),
                                       bits.end - bits.begin,
                                       sizeof(K),
                                       values == 0 ? 0 : sizeof(M),
                                       !code.identity(),
                                       code.flip_negative != 0};
    if (!cuda_detail::msd_may_be_quicker(task)) return {};
    static_assert(cuda_detail::tuning::sampled_keys(~std::size_t{0}) <= cuda_detail::staging::most_words);
    std::span<std::uint64_t> const sample = staging_.words(cuda_detail::tuning::sampled_keys(n));
    cuda_detail::take_sample(kernels_, keys.data(), n, code, sample);
    ORDO_CUDA(cudaStreamSynchronize(stream_));
    return {cuda_detail::msd_is_quicker(sample, task), cuda_detail::width_of(sample)};
  }

  /// By our own kernels, if these can do it and are quicker. False if another stable sort is to do it, or to finish it.
  template <class T, class V, class Less>
  bool sorted_by_samples(std::span<T> items, V* values, Less less) {
    if constexpr (cuda_detail::sampled_type<T>) {
      using sorter = cuda_detail::sample_sorter<cuda_backend, T, V, Less>;
      if (items.size() >= cuda_detail::tuning::by_samples_from(sizeof(T) + cuda_detail::value_bytes<V>) &&
          sorter::sizes::possible())
        return sorter(*this, items.data(), values, items.size(), less).sort();
    }
    return false;
  }

  template <cuda_detail::long_method Long, class K, class V, class Offset>
  void sort_in_segments(std::span<K> keys, std::span<V> values, segment_list<Offset> segments, std::span<std::uint8_t> heads,
                        key_code<K> code) {
    if (values.empty())
      cuda_detail::sort_stored<Long, K, cuda_detail::no_value>(*this, {keys.data(), code}, nullptr, keys.size(), segments,
                                                               cuda_detail::pointer_to(heads));
    else
      cuda_detail::sort_stored<Long, K, moved<V>>(*this, {keys.data(), code}, as_moved(values).data(), keys.size(), segments,
                                                  cuda_detail::pointer_to(heads));
  }

  /// By keys of which not all bits count, or which are narrow: codes of 32 or 64 bits are sorted in their place, and the
  /// positions that move along tell where keys and values belong.
  template <class Position, class K, class V, class Offset>
  void sort_by_codes(std::span<K> keys, std::span<V> values, segment_list<Offset> segments, std::span<std::uint8_t> heads,
                     bit_range bits, key_code<K> code) {
    using write = cuda_detail::write_codes<K, Position>;
    std::size_t const n = keys.size();
    if (n == 0 || segments.size() == 0) return;
    auto const positions = buffer<Position>(n);
    auto codes = buffer<typename write::wide>(n);  // goes before the copy comes, which fits in its place in a reserved block
    each(n, write{keys.data(), code, detail::mask_of<K>(bits), codes.data(), positions.data()});
    sort_in_segments<cuda_detail::long_method::copying>(codes.span(), positions.span(), segments, heads, {});
    codes = {};
    auto const copy = buffer<char>(std::max(keys.size_bytes(), values.size_bytes()));  // before anything is moved
    move_to_positions(keys, positions.data(), copy.data());
    if (!values.empty()) move_to_positions(values, positions.data(), copy.data());
  }
  template <class T, class Position>
  void move_to_positions(std::span<T> items, Position const* from, char* copy) {
    ORDO_CUDA(cudaMemcpyAsync(copy, items.data(), items.size_bytes(), cudaMemcpyDeviceToDevice, stream_));
    each(items.size(), cuda_detail::take_from<T, Position>{items.data(), reinterpret_cast<T const*>(copy), from});
  }
  /// Do positions of 32 bits suffice for n items?
  static bool few_positions(std::size_t n) { return n <= std::size_t{1} << 32; }

  /// @param source  in the place of what `how` says of memory, where not null
  cuda_backend(gpu_options const& how, memory_resource* source)
      : own_stream_(!how.stream),
        stream_(how.stream.value_or(own_stream_.handle)),
        kernels_(stream_),
        limited_(from_allocator(how), std::min(how.memory_limit, gpu_memory_limit().value_or(how.memory_limit))),
        pool_(source ? *source : limited_, source ? ordo::pool::reuse::same_size : reuse_of(how)) {}
  // Who sets a limit may have set it to what a sort states.
  static ordo::pool::reuse reuse_of(gpu_options const& how) {
    using reuse = ordo::pool::reuse;
    bool const is_limited = how.memory_limit != gpu_options{}.memory_limit || gpu_memory_limit();
    return how.allocator ? reuse::none : is_limited ? reuse::same_size : reuse::larger_too;
  }
  memory_resource& from_allocator(gpu_options const& how) {
    if (!how.allocator) return plain_;
    return given_.emplace(*how.allocator, stream_);
  }

  template <class V>
  using moved = typename cuda_detail::moved_as<sizeof(V)>::type;
  template <class V>
  static std::span<moved<V>> as_moved(std::span<V> values) {
    return {reinterpret_cast<moved<V>*>(values.data()), values.size()};
  }
  template <class T>
  static cuda_detail::words_of<T>* as_words(std::span<T> items) {
    return reinterpret_cast<cuda_detail::words_of<T>*>(items.data());
  }

  cuda_detail::own_stream own_stream_;
  cudaStream_t stream_;
  cuda_detail::kernel_launcher kernels_;
  device_memory plain_;
  std::optional<allocator_memory> given_;
  limited_memory limited_;
  ordo::pool pool_;
  cuda_detail::staging staging_;
};

static_assert(has_background_downloads<cuda_backend>);

}  // namespace ordo
