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
#include "sort_core/cuda/kernels/each_by_warps.cuh"
#include "sort_core/cuda/kernels/even_keys.cuh"
#include "sort_core/cuda/kernels/merge_tiles.cuh"
#include "sort_core/cuda/kernels/reduce_segments.cuh"
#include "sort_core/cuda/kernels/select_smallest.cuh"
#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/radix_choice.hpp"
#include "sort_core/cuda/radix_sample.cuh"
#include "sort_core/cuda/runtime/background_downloads.hpp"
#include "sort_core/cuda/runtime/launch.cuh"
#include "sort_core/cuda/runtime/memory.cuh"
#include "sort_core/cuda/runtime/staging.hpp"
#include "sort_core/cuda/runtime/streams.hpp"
#include "sort_core/cuda/samples.cuh"
#include "sort_core/cuda/segmented.cuh"
#include "sort_core/cuda/short_rows.cuh"
#include "sort_core/cuda/top_items.cuh"

namespace ordo::inline v0 {

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

/// An iterator over f(0), f(1), ... converted to T.
template <class T, class F>
auto computed(F f) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(std::size_t{0}), cast_to<T, F>{f});
}

inline unsigned grid_size(std::size_t n, std::size_t block) {
  std::size_t const count = (n + block - 1) / block;
  if (count > 0x7fffffff) throw usage_error("GPU launch: too many items: " + std::to_string(n));
  return unsigned(count);
}

/// Writes the codes of keys that are narrow or of which only some bits count, and the position of each.
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
/// Encodes keys or decodes codes, several per thread, because one per thread is too few to keep memory busy. `from` may be
/// `to`.
template <class K, bool Encode>
struct recode_keys {
  static constexpr std::size_t at_once = 4;
  K const* from;
  K* to;
  std::size_t n;
  key_code<K> code;
  [[nodiscard]] std::size_t threads() const { return (n + at_once - 1) / at_once; }
  __device__ void operator()(std::size_t i) const {
    std::size_t const stride = (n + at_once - 1) / at_once;
    K key[at_once];
#pragma unroll
    for (std::size_t j = 0; j < at_once; ++j) key[j] = i + j * stride < n ? from[i + j * stride] : K{0};
#pragma unroll
    for (std::size_t j = 0; j < at_once; ++j)
      if (i + j * stride < n) to[i + j * stride] = Encode ? code.encode(key[j]) : code.decode(key[j]);
  }
};

template <class T, class Position>
struct gather_moved {
  T* to;
  T const* from;
  Position const* positions;
  __device__ void operator()(std::size_t i) const {
    if (positions[i] != i) to[i] = from[positions[i]];  // items in holes have position i and are not written
  }
};

/// Returns null for an empty span, whatever its pointer.
inline std::uint8_t* pointer_to(std::span<std::uint8_t> heads) {
  return heads.empty() ? nullptr : heads.data();
}

/// Sorts segments of stored keys. Compiled once, for keys of 32 and 64 bits, values of 0 to 16 bytes and offsets of 32 and 64
/// bits (stored_*.cu), because there are many kernels.
template <large_method Method, class K, class V, class Offset>
void sort_stored(cuda_backend& backend, stored_keys<K> keys, V* values, std::size_t n, segment_list<Offset> segments,
                 std::uint8_t* heads);

/// Sorts unevenly distributed keys by a sample sort. Compiled in stored_samples.cu. Returns false if another sort must do the
/// work or finish it: this GPU cannot run the sample sort, or samples say too little about the keys.
bool sort_by_samples(cuda_backend& backend, std::uint64_t* keys, std::size_t n);

/// The arrays of a radix sort: it reads keys_from and values_from, and writes keys and values. Either both inputs are their
/// outputs, or none is. Values are null if there are none.
template <class K, class V>
struct radix_arrays {
  K const* keys_from;
  K* keys;
  V const* values_from;
  V* values;
  std::size_t n;
  [[nodiscard]] bool in_place() const { return keys_from == keys; }
};

/// Sorts keys of any width by CUB's LSD radix sort, by `bits` of their codes. Compiled once. If memory runs out, nothing has
/// been written.
template <class K, class V>
void sort_lsd(cuda_backend& backend, radix_arrays<K, V> const& arrays, bit_range bits, key_code<K> code);
/// Sorts one array by all bits of its codes in one launch (kernels/grid_sort.cuh). Returns false if it is too short or too long
/// for that, or if the GPU has too little shared memory. Either both inputs are the outputs, or none is. Compiled in grid_*.cu.
template <class K, class V>
bool sort_in_one_launch(cuda_backend& backend, K const* keys_from, K* keys, V const* values_from, V* values, std::size_t n,
                        key_code<K> code);
/// Sorts keys without values by all bits of their codes if they are evenly distributed (kernels/even_keys.cuh). Returns false
/// if they are not, or memory is short; then `keys` has the same keys as before, if `from` is `keys`. Compiled in even_*.cu.
/// @param sample   sorted codes of keys from all over the array
/// @param ascents  the number of these that are at most the next in the array
template <class K>
bool sort_even_keys(cuda_backend& backend, K const* from, K* keys, std::size_t n, key_code<K> code,
                    std::span<std::uint64_t const> sample, std::size_t ascents);
/// See cuda_backend::divide_keys. Compiled in even_*.cu.
template <class K>
void divide_keys(cuda_backend& backend, std::span<K const> from, K* to, key_code<K> code, unsigned shift, unsigned digits,
                 std::uint64_t* begins);
/// Sorts the bits of floats in ascending order by CUB's LSD radix sort, which encodes them on the fly. `from` may be `keys`.
void sort_floats_lsd(cuda_backend& backend, std::uint32_t const* from, std::uint32_t* keys, std::size_t n);

/// A type that CUB moves in place of any value type of `Bytes` bytes, so that there is one instantiation per width.
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

/// The Backend of a GPU; users hold an ordo::gpu. It belongs to the device that is current at construction, which must be
/// current in every call and at destruction. It queues work on one stream, or on another for some calls (stream_scope), and
/// takes buffers from one pool, limited by ORDO_GPU_MEMORY.
/// Must be used by one thread at a time. See Backend for the contracts.
class cuda_backend {
 public:
  explicit cuda_backend(gpu_options const& options = {}) : cuda_backend(options, nullptr) {}
  /// Takes device memory from `source`, which must outlive the backend.
  explicit cuda_backend(memory_resource& source) : cuda_backend({}, &source) {}
  ~cuda_backend() {
    // Errors are ignored, because a destructor must not throw. A kernel's fault was reported by the download that waited for
    // it.
    if (last_ == last_user::view) static_cast<void>(cudaStreamWaitEvent(stream_, used_.handle, 0));
    if (waits_at_end_) static_cast<void>(cudaStreamSynchronize(stream_));
  }
  cuda_backend(cuda_backend const&) = delete;
  cuda_backend& operator=(cuda_backend const&) = delete;

  /// Queues the backend's work on `stream`, or on its own stream if there is none given, during the object's lifetime. Work on
  /// the stream begins when all earlier work that may use the pool's memory has ended. The device must be current.
  class stream_scope {
   public:
    stream_scope(cuda_backend& backend, std::optional<cudaStream_t> stream) : backend_(backend), before_(backend.stream_) {
      backend.enter(stream.value_or(backend.main_stream_));
    }
    ~stream_scope() { backend_.leave(before_); }
    stream_scope(stream_scope const&) = delete;
    stream_scope& operator=(stream_scope const&) = delete;

   private:
    cuda_backend& backend_;
    cudaStream_t before_;
  };

  /// Returns true if operations may wait for the device where that makes them faster.
  [[nodiscard]] bool may_wait() const { return !capturable_ && !is_capturing(stream_); }

  template <class T>
  ordo::buffer<T> buffer(std::size_t n) {
    return {pool_, n};
  }
  template <class T>
  ordo::buffer<T const> upload(std::span<T const> host) {
    check_wait("upload");
    ordo::buffer<T const> copy(pool_, host.size());
    std::size_t const bytes = host.size_bytes();
    staging_.upload(const_cast<T*>(copy.data()), host.data(), bytes, stream_);
    // Word-wise loads read after the last byte (load.hpp): zero the padding.
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
    check_wait("download");
    staging_.download(host.data(), from.data(), from.size_bytes(), stream_);
  }
  /// @returns an object that must be destroyed before this one
  cuda_detail::background_downloads background_downloads() { return {staging_, stream_}; }
  template <class T>
  std::size_t load(source& from, std::span<T> to) {
    check_wait("load");
    return staging_.load(from, to.data(), to.size_bytes(), stream_) / sizeof(T);
  }
  template <class T>
  void store(std::span<T const> from, sink& to, std::uint64_t offset) {
    check_wait("store");
    staging_.store(to, offset, from.data(), from.size_bytes(), stream_);
  }
  [[nodiscard]] ordo::pool& pool() noexcept { return pool_; }

  /// Returns the maximum of bytes that radix_sort and argsort take from the pool: a second copy, and lists.
  static std::size_t radix_sort_memory(std::size_t n, std::size_t key_bytes, std::size_t value_bytes) {
    using ordo::pool;
    // CUB keeps 1024 bytes per tile. A tile has at least 1920 items if 16 bytes move, and proportionally more if fewer do.
    std::size_t const widest = std::max<std::size_t>({key_bytes, value_bytes, 4});
    std::size_t max_bytes =
        pool::rounded(n * key_bytes) + pool::rounded(n * value_bytes) + pool::rounded(n / 20 * widest + (1 << 20));
    if (key_bytes == 8 && value_bytes == 0)
      max_bytes = std::max(max_bytes, pool::rounded(cuda_detail::sample_sort_bytes(n, 8, 0)));
    if (key_bytes == 4 || key_bytes == 8)
      max_bytes = std::max(max_bytes, pool::rounded(cuda_detail::segmented_sort_bytes<false>(n, 1, n, key_bytes, value_bytes)));
    if (value_bytes == 0 && n >= cuda_detail::tuning::even_from) {
      if (key_bytes == 4) max_bytes = std::max(max_bytes, pool::rounded(cuda_detail::even_bytes<std::uint32_t>(n)));
      if (key_bytes == 8) max_bytes = std::max(max_bytes, pool::rounded(cuda_detail::even_bytes<std::uint64_t>(n)));
    }
    return max_bytes;
  }
  /// Writes keys in the order of the digit from bit `shift` on of their codes, those of one digit in any order. Does not wait.
  /// @param to      as many keys, none of which is in `from`
  /// @param digits  their number, a power of two, at most 512
  /// @param begins  digits + 1 words of the GPU's memory: where each digit begins in `to`; then the number of keys
  template <class K>
    requires(sizeof(K) == 4 || sizeof(K) == 8)
  void divide_keys(std::span<K const> from, K* to, key_code<K> code, unsigned shift, unsigned digits, std::uint64_t* begins) {
    cuda_detail::divide_keys(*this, from, to, code, shift, digits, begins);
  }
  /// Returns the maximum of bytes that radix_sort_copy takes from the pool: as radix_sort, but CUB takes it in one block.
  static std::size_t radix_sort_copy_memory(std::size_t n, std::size_t key_bytes, std::size_t value_bytes) {
    std::size_t const widest = std::max<std::size_t>({key_bytes, value_bytes, 4});
    return std::max(ordo::pool::rounded(n * key_bytes + n * value_bytes + n / 20 * widest + (1 << 20)),
                    radix_sort_memory(n, key_bytes, value_bytes));
  }
  /// Returns the maximum of bytes that sample_sort takes from the pool.
  static std::size_t sample_sort_memory(std::size_t n, std::size_t item_bytes, std::size_t value_bytes) {
    // CUB merges tiles of at least 64 items and keeps 8 bytes per tile. If 64 items do not fit in 48 KiB, tiles have 256 items
    // and lie in device memory.
    std::size_t const tiles = 65 * item_bytes > 48 << 10 ? (n / 256 + 1) * (257 * item_bytes + 128) : 0;
    std::size_t const by_merging = n * (item_bytes + value_bytes) + n / 8 + tiles + (1 << 16);
    return ordo::pool::rounded(std::max(by_merging, cuda_detail::sample_sort_bytes(n, item_bytes, value_bytes)));
  }
  /// Returns the maximum of bytes that segmented_sort takes from the pool: lists of segments, and a second copy of keys and
  /// values if a segment may be too large for a block. A sort by some of the keys' bits, or of keys below 32 bits, sorts codes
  /// and positions of 4 or 8 bytes each instead.
  /// @param n        the length of the array, with its holes
  /// @param max_length  the bound on the segments' length that the sort is given (segment_list::max_length), else n
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
  /// Returns the maximum of bytes that segmented_sort_by takes from the pool: lists of segments and, if a segment may be too
  /// large for a block, its keys and a second copy of keys and items.
  static std::size_t segmented_sort_by_memory(std::size_t n, std::size_t segments, std::size_t max_length,
                                              std::size_t key_bytes, std::size_t value_bytes) {
    return ordo::pool::rounded(cuda_detail::segmented_sort_bytes<true>(n, segments, max_length, key_bytes, value_bytes));
  }
  /// Returns the maximum of bytes that array_sort takes from the pool: lists of arrays, which are negligible for
  /// uniform_segments of a length that a block holds. If an array may be larger, also 1.5 times the window in which those are
  /// partitioned. The window has tuning::array_window bytes, or up to 1/64 of the data if that is more.
  static std::size_t array_sort_memory(std::size_t n, std::size_t arrays, std::size_t max_length, std::size_t key_bytes,
                                       std::size_t value_bytes) {
    using namespace cuda_detail;
    if (n == 0 || arrays == 0) return 0;
    return ordo::pool::rounded(
        segmented_sort_bytes<false, large_method::in_place>(n, arrays, max_length, key_bytes, value_bytes));
  }

  template <class T>
  void copy(std::span<T const> from, std::span<std::type_identity_t<T>> to) {
    if (from.data() == to.data() || from.empty()) return;
    ORDO_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyDeviceToDevice, stream_));
  }

  template <class F>
  void each(std::size_t n, F f) {
    if (n == 0) return;
    cuda_detail::launch_blocks<cuda_detail::each_kernel<F>>(kernels_, cuda_detail::grid_size(n, 256), 256, 0, false, n, f);
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
    check_wait("reduce");
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
    check_wait("select");
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
    radix_sort_copy(std::span<K const>(keys), keys, bits, code);
  }

  template <class K, class V>
  void radix_sort(std::span<K> keys, std::span<V> values, bit_range bits = {}, key_code<K> code = {}) {
    radix_sort_copy(std::span<K const>(keys), keys, std::span<V const>(values), values, bits, code);
  }

  template <class K>
  void radix_sort_copy(std::span<K const> from, std::span<std::type_identity_t<K>> keys, bit_range bits = {},
                       key_code<K> code = {}) {
    detail::check_length("keys", "radix sort", from.size(), keys.size());
    sort_by_digits(cuda_detail::radix_arrays<K, std::uint32_t>{from.data(), keys.data(), nullptr, nullptr, keys.size()},
                   detail::clipped<K>(bits), code);
  }

  template <class K, class V>
  void radix_sort_copy(std::span<K const> keys_from, std::span<std::type_identity_t<K>> keys, std::span<V const> values_from,
                       std::span<std::type_identity_t<V>> values, bit_range bits = {}, key_code<K> code = {}) {
    detail::check_length("keys", "radix sort", keys_from.size(), keys.size());
    detail::check_length("values", "radix sort", values.size(), keys.size());
    detail::check_length("values", "radix sort", values_from.size(), keys.size());
    if ((keys_from.data() == keys.data()) != (values_from.data() == values.data())) {  // one of them is in place
      copy(keys_from, keys);
      copy(values_from, values);
      return radix_sort(keys, values, bits, code);
    }
    using M = moved<V>;
    sort_by_digits(
        cuda_detail::radix_arrays<K, M>{keys_from.data(), keys.data(), reinterpret_cast<M const*>(values_from.data()),
                                        reinterpret_cast<M*>(values.data()), keys.size()},
        detail::clipped<K>(bits), code);
  }

  template <class T, class Less>
  void sample_sort(std::span<T> items, Less less) {
    if (sorted_here<T, cuda_detail::no_value>(items, nullptr, less)) return;
    merge_sort(items.size(), [&](void* temporary, std::size_t& bytes, auto n) {
      return cub::DeviceMergeSort::StableSortKeys(temporary, bytes, as_merged(items), n, merge_order<T, Less>{less}, stream_);
    });
  }

  template <class T, class V, class Less>
  void sample_sort(std::span<T> items, std::span<V> values, Less less) {
    detail::check_length("values", "sample sort", values.size(), items.size());
    if (sorted_here<T, moved<V>>(items, as_moved(values).data(), less)) return;
    merge_sort(items.size(), [&](void* temporary, std::size_t& bytes, auto n) {
      return cub::DeviceMergeSort::StableSortPairs(temporary, bytes, as_merged(items), as_moved(values).data(), n,
                                                   merge_order<T, Less>{less}, stream_);
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
        return sort_in_segments<cuda_detail::large_method::copying>(keys, values, segments, heads, code);
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
    sort_in_segments<cuda_detail::large_method::in_place>(keys, values, arrays, {}, code);
  }

  template <class V, class Offset, class Key>
  void segmented_sort_by(std::span<V> items, segment_list<Offset> segments, Key key, std::span<std::uint8_t> heads = {},
                         bit_range bits = {}) {
    if (!heads.empty()) detail::check_length("heads", "segmented sort", heads.size(), items.size());
    using K = std::remove_cvref_t<std::invoke_result_t<Key, V>>;
    using keys = cuda_detail::computed_keys<K, V, Key>;
    cuda_detail::segmented_sorter<cuda_backend, K, moved<V>, keys>(
        *this, keys{items.data(), key, detail::bit_mask<K>(detail::clipped<K>(bits))}, as_moved(items).data(), items.size(),
        cuda_detail::pointer_to(heads))
        .sort(segments);
  }

  /// Reduces each segment: see ordo::reduce_segments.
  template <class Offset, class In, class T, class Op>
  void reduce_segments(segment_list<Offset> const& segments, In in, T neutral, Op op, std::span<std::type_identity_t<T>> out) {
    if (segments.size() == 0) return;
    constexpr unsigned threads = 256;
    cuda_detail::launch<cuda_detail::reduce_segments_by_warps<Offset, In, T, Op>>(
        kernels(), cuda_detail::blocks_for(segments.size(), threads / cuda_detail::warp_threads), threads, 0, segments, in,
        neutral, op, out.data());
  }

  /// Calls f(lanes, i) for each i in [0, n): see ordo::each_by_lanes.
  template <class F>
  void each_by_lanes(std::size_t n, F f) {
    if (n == 0) return;
    constexpr unsigned threads = cuda_detail::by_warps_threads;
    cuda_detail::launch_blocks<cuda_detail::each_by_warps<F>>(
        kernels_, cuda_detail::blocks_for(n - 1, threads / cuda_detail::warp_threads), threads, 0, false, n, f);
  }

  /// Multiplies short rows: see cuda_detail::multiply_short.
  template <class T>
  void multiply_short_rows(detail::short_rows<T> const& rows, std::uint64_t longest) {
    cuda_detail::multiply_short(kernels(), rows, longest);
  }
  /// Copies the sums of short rows to the places that begin at offsets[r].
  template <class T>
  void copy_short_rows(detail::short_rows<T> const& rows, std::uint64_t const* offsets, std::uint32_t* column, T* value) {
    cuda_detail::copy_short(kernels(), rows, offsets, column, value);
  }

  /// Selects candidates for the k items with the smallest codes of each segment: see cuda_detail::select_smallest.
  template <class Code, class Offset, class Position>
  void select_smallest(Code code, segment_list<Offset> const& segments, std::uint32_t k, std::uint32_t capacity,
                       std::span<Position> rows, std::span<std::uint64_t> ends) {
    if (segments.size() == 0) return;
    using storage = cuda_detail::select_storage;
    using K = std::remove_cvref_t<decltype(code(0))>;
    constexpr unsigned threads = 256;
    cuda_detail::launch<cuda_detail::select_smallest_by_warps<Code, Offset, Position>>(
        kernels(), cuda_detail::blocks_for(segments.size(), threads / cuda_detail::warp_threads), threads, 0, code, segments, k,
        capacity, rows.data(), ends.data());
    if (segments.max_length <= cuda_detail::selected_by_warps<K>) return;
    cuda_detail::launch<cuda_detail::select_smallest<Code, Offset, Position>>(
        kernels(), cuda_detail::blocks_for(segments.size(), 1), storage::threads, sizeof(storage), code, segments, k, capacity,
        rows.data(), ends.data());
  }

  /// The items of a tile of merge_tiles.
  template <class K>
  static constexpr std::size_t merge_tile = cuda_detail::merge_storage<K>::tile;
  /// Merges two sorted arrays: see detail::run_merge.
  template <template <class, class> class Work, class K, class Word>
  void merge_tiles(Work<K, Word> const& work) {
    using storage = cuda_detail::merge_storage<K>;
    cuda_detail::launch_blocks<cuda_detail::merge_tiles<K, Work<K, Word>>>(
        kernels(), cuda_detail::grid_size(work.from.a_size + work.from.b_size, storage::tile), storage::threads, sizeof(storage),
        false, work);
  }

  /// Writes the first items of segments, unless a sort of whole segments is faster: see selects_from_segments.
  template <class Code, class Offset, class Write>
  bool select_top(Code code, segment_list<Offset> const& segments, std::size_t n, std::size_t longest, std::size_t k, bool sorted,
                  Write write) {
    using K = std::remove_cvref_t<decltype(code(0))>;
    auto const plan =
        cuda_detail::top_plan::suiting(sizeof(K), n, segments.size(), longest, segments.uniform_length != 0, k);
    if (plan.possible()) cuda_detail::select_top_items<K>(*this, code, segments, plan, std::uint32_t(k), sorted, write);
    return plan.possible();
  }
  /// Returns the bytes that select_top takes from the pool, or nothing if it returns false.
  static std::optional<std::size_t> select_top_memory(std::size_t n, std::size_t segments, std::size_t longest, std::size_t k,
                                                      std::size_t key_bytes) {
    auto const plan = cuda_detail::top_plan::suiting(key_bytes, n, segments, longest, false, k);
    if (!plan.possible()) return std::nullopt;
    return ordo::pool::rounded(plan.bytes(key_bytes));
  }

  /// True: each type of key of segmented_sort_by adds some thirty kernels (sort_by_key.hpp).
  static constexpr bool compiles_sorts_by_key = true;

  /// The stream, CUB calls and sorts of raw pointers, for the core's own kernels.
  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_; }
  /// Returns the stream of a machine that is not a view.
  [[nodiscard]] cudaStream_t main_stream() const noexcept { return main_stream_; }
  [[nodiscard]] cuda_detail::kernel_launcher& kernels() noexcept { return kernels_; }

  /// Calls a function of CUB twice: for the size of its temporary memory, and to run it.
  template <class Call>
  void with_temporary(Call call) {
    with_temporary(call, [] {});
  }
  /// Does the same, and calls first() before CUB runs, when all memory has been allocated.
  template <class Call, class First>
  void with_temporary(Call call, First first) {
    std::size_t bytes = 0;
    ORDO_CUDA(call(nullptr, bytes));
    auto temporary = buffer<char>(std::max<std::size_t>(bytes, 1));
    first();
    ORDO_CUDA(call(temporary.data(), bytes));
  }

 private:
  /// Calls CUB's merge sort, sort(temporary, bytes, n), of n items. Its instance with 64-bit counts is used from 2^31 items on.
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

  /// Sorts by an MSD radix sort of our own, as one segment, if keys differ only in the bits that count. Sorts by CUB's LSD
  /// radix sort if other bits must be skipped, and for keys of few digits.
  template <class K, class M>
  void sort_by_digits(cuda_detail::radix_arrays<K, M> const& arrays, bit_range bits, key_code<K> code) {
    std::size_t const n = arrays.n;
    bool const has_values = arrays.values != nullptr;
    std::span<K const> const from(arrays.keys_from, n);
    std::span<K> const keys(arrays.keys, n);
    std::span<M> const values(arrays.values, has_values ? n : 0);
    auto const copy_inputs = [&] {
      copy(from, keys);
      if (has_values) copy(std::span<M const>(arrays.values_from, n), values);
    };
    if (n < 2 || bits.begin >= bits.end) return copy_inputs();
    if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
      namespace tuning = cuda_detail::tuning;
      unsigned const width = bits.end - bits.begin;
      if (tuning::by_all_bits_above(sizeof(K)) < width && width < 8 * sizeof(K) && !has_values &&
          n >= tuning::by_all_bits_from(sizeof(K)) && may_wait() && all_count(from, bits, code))
        bits = {0, 8 * sizeof(K)};
      bool const by_all_bits = bits.begin == 0 && bits.end == 8 * sizeof(K);
      // One launch, where CUB has five or more. One block takes 16 microseconds for 10,000 keys and CUB 51, on an H100.
      if (by_all_bits) {
        if (has_values ? cuda_detail::sort_in_one_launch<K, M>(*this, from.data(), keys.data(), arrays.values_from,
                                                               arrays.values, n, code)
                       : cuda_detail::sort_in_one_launch<K, cuda_detail::no_value>(*this, from.data(), keys.data(), nullptr,
                                                                                   nullptr, n, code))
          return;
      }
      using sizes = cuda_detail::segmented_sizes<K, M, false, cuda_detail::large_method::copying>;
      if (by_all_bits && n <= sizes::block_capacity()) {
        copy_inputs();
        return sort_in_segments<cuda_detail::large_method::copying>(keys, values, uniform_segments(1, n), {}, code);
      }
      std::span<std::uint64_t const> sample;
      bool in_order = false;
      if (!has_values && by_all_bits && n >= tuning::even_from && may_wait()) {
        auto const words = staging_.words(tuning::even_sample + 1);
        sample = words.first(tuning::even_sample);
        cuda_detail::draw_sample(kernels_, from.data(), n, code, words.first(sample.size()), &words.back());
        ORDO_CUDA(cudaStreamSynchronize(stream_));
        if (cuda_detail::sort_even_keys<K>(*this, from.data(), keys.data(), n, code, sample, std::size_t(words.back()))) return;
        in_order = words.back() + 1 == sample.size();
      }
      // An MSD sort finds that an array is in order.
      radix_way const way = in_order ? radix_way{true}
                                     : choose_radix_way<K, M>(from, values.size(), bits, code, !arrays.in_place(), sample);
      if (way.msd && (by_all_bits || (may_wait() && all_count(from, bits, code)))) {
        copy_inputs();
        return sort_in_segments<cuda_detail::large_method::copying>(keys, values, uniform_segments(1, n), {}, code);
      }
      // Keys of which none is negative are sorted as they are. The sample may miss a negative one.
      if (way.none_negative || way.width + tuning::narrower_bits <= bits.end) {
        key_code<K> const seen_as = way.none_negative ? key_code<K>{} : code;
        K const differing = differing_bits(from, seen_as);
        if (!way.none_negative || (differing & code.top) == 0) {
          code = seen_as;
          K const counting = K(differing & detail::bit_mask<K>(bits));
          if (counting == 0) return copy_inputs();
          bits = {unsigned(trailing_zeros(counting)), 64 - leading_zeros(std::uint64_t(counting))};
        }
      }
      if constexpr (sizeof(K) == 4) {
        bool const floats = code == radix_key<float>::code && bits.end - bits.begin == 32;
        if (floats && !has_values && n >= tuning::floats_as_they_are_from)
          return cuda_detail::sort_floats_lsd(*this, from.data(), keys.data(), n);
      } else {
        if (!has_values && by_all_bits && n >= tuning::compared_from && bits.end - bits.begin > tuning::compared_above &&
            may_wait())
          return sort_uneven(from, keys, bits, code);
      }
    }
    cuda_detail::sort_lsd(*this, arrays, bits, code);
  }

  /// Sorts 64-bit keys without values that are too uneven for an MSD sort, by comparisons, which do not depend on the
  /// distribution; or by an LSD sort.
  template <class K>
  void sort_uneven(std::span<K const> from, std::span<K> keys, bit_range bits, key_code<K> code) {
    std::size_t const n = keys.size();
    auto const sort_codes = [&] {
      if (!cuda_detail::sort_by_samples(*this, keys.data(), n))
        cuda_detail::sort_lsd<K, std::uint32_t>(*this, {keys.data(), keys.data(), nullptr, nullptr, n}, bits, {});
    };
    if (code.identity()) {
      copy(from, keys);
      return sort_codes();
    }
    cuda_detail::recode_keys<K, true> const encode{from.data(), keys.data(), n, code};
    cuda_detail::recode_keys<K, false> const decode{keys.data(), keys.data(), n, code};
    each(encode.threads(), encode);
    try {
      sort_codes();
    } catch (...) {
      each(decode.threads(), decode);  // if memory runs out, the caller gets keys back, not codes
      throw;
    }
    each(decode.threads(), decode);
  }

  /// Returns true if keys differ only in the bits `bits` of their codes.
  template <class K>
  bool all_count(std::span<K const> keys, bit_range bits, key_code<K> code) {
    K const others = K(~detail::bit_mask<K>(bits));
    return others == 0 || (differing_bits(keys, code) & others) == 0;
  }
  /// Returns a word with ones where the codes of keys differ.
  template <class K>
  K differing_bits(std::span<K const> keys, key_code<K> code) {
    return reduce(keys.size(), cuda_detail::differs_from_first<K>{keys.data(), code}, K{0}, cuda_detail::either{});
  }

  /// Returns true if keys whose top bit is 0 have the same order by `bits` of their codes as by these bits of themselves. NaNs
  /// that come first are an exception.
  template <class K>
  static bool bits_order_nonnegative(bit_range bits, key_code<K> code) {
    bool const all_bits = bits.end - bits.begin == 8 * sizeof(K);
    return code.flip == code.top && (code.rotate == 0 || (code.rotate < code.top && all_bits));
  }

  /// The method of a radix sort: MSD or LSD, and what a sample of many keys says: an estimate of the bits in which codes
  /// differ, and whether no key of the sample is negative.
  struct radix_way {
    bool msd = false, none_negative = false;
    unsigned width = 64;
  };
  /// @param sample  a sample of the keys, or nothing: then one is drawn if it is needed
  template <class K, class M>
  radix_way choose_radix_way(std::span<K const> keys, std::size_t values, bit_range bits, key_code<K> code, bool copied,
                             std::span<std::uint64_t const> sample) {
    std::size_t const n = keys.size();
    if (n < cuda_detail::tuning::msd_from(sizeof(K))) return {};
    if (n < cuda_detail::tuning::partial_msd_from && bits.end - bits.begin < 8 * sizeof(K)) return {};
    if (n < cuda_detail::tuning::sampled_from || !may_wait()) return {n < cuda_detail::tuning::unasked};
    using sizes = cuda_detail::segmented_sizes<K, M, false, cuda_detail::large_method::copying>;
    cuda_detail::radix_task task{n,
                                 sizes::block_capacity(),
                                 bits.end - bits.begin,
                                 sizeof(K),
                                 values == 0 ? 0 : sizeof(M),
                                 !code.identity(),
                                 code.flip_negative != 0,
                                 copied};
    bool const as_they_are_possible = n >= cuda_detail::tuning::as_they_are_from && bits_order_nonnegative(bits, code);
    if (!cuda_detail::msd_may_be_quicker(task) && !as_they_are_possible) return {};
    static_assert(cuda_detail::tuning::sampled_keys(~std::size_t{0}) <= cuda_detail::staging::max_words);
    if (sample.empty()) {
      std::span<std::uint64_t> const words = staging_.words(cuda_detail::tuning::sampled_keys(n));
      cuda_detail::draw_sample(kernels_, keys.data(), n, code, words);
      ORDO_CUDA(cudaStreamSynchronize(stream_));
      sample = words;
    }
    unsigned const width = cuda_detail::differing_width(sample);
    auto const is_negative = [&](std::uint64_t sampled) { return (code.decode(K(sampled)) & code.top) != 0; };
    bool const none_negative = as_they_are_possible && !is_negative(sample.front()) && !is_negative(sample.back());
    if (none_negative) {  // an LSD sort needs no passes to encode and decode, and few digits
      task.encoded = false;
      task.bits = std::min(task.bits, width);
    }
    return {cuda_detail::msd_may_be_quicker(task) && cuda_detail::msd_is_quicker(sample, task), none_negative, width};
  }

  /// Sorts by our own kernels if they can and are faster. Returns false if another stable sort must do the work or finish it:
  /// also if waiting is ruled out, as the sample sort waits.
  template <class T, class V, class Less>
  bool sorted_here(std::span<T> items, V* values, Less less) {
    if (cuda_detail::merge_in_one_launch(*this, items.data(), values, items.size(), less)) return true;
    if constexpr (cuda_detail::sampled_type<T>) {
      using sorter = cuda_detail::sample_sorter<cuda_backend, T, V, Less>;
      if (items.size() >= cuda_detail::tuning::by_samples_from(sizeof(T) + cuda_detail::value_bytes<V>) &&
          sorter::sizes::possible() && may_wait())
        return sorter(*this, items.data(), values, items.size(), less).sort();
    }
    return false;
  }

  template <cuda_detail::large_method Method, class K, class V, class Offset>
  void sort_in_segments(std::span<K> keys, std::span<V> values, segment_list<Offset> segments, std::span<std::uint8_t> heads,
                        key_code<K> code) {
    if (values.empty())
      cuda_detail::sort_stored<Method, K, cuda_detail::no_value>(*this, {keys.data(), code}, nullptr, keys.size(), segments,
                                                                 cuda_detail::pointer_to(heads));
    else
      cuda_detail::sort_stored<Method, K, moved<V>>(*this, {keys.data(), code}, as_moved(values).data(), keys.size(), segments,
                                                    cuda_detail::pointer_to(heads));
  }

  /// Sorts by keys that are narrow or of which only some bits count. It sorts codes of 32 or 64 bits with positions, and then
  /// moves keys and values by the positions.
  template <class Position, class K, class V, class Offset>
  void sort_by_codes(std::span<K> keys, std::span<V> values, segment_list<Offset> segments, std::span<std::uint8_t> heads,
                     bit_range bits, key_code<K> code) {
    using write = cuda_detail::write_codes<K, Position>;
    std::size_t const n = keys.size();
    if (n == 0 || segments.size() == 0) return;
    auto const positions = buffer<Position>(n);
    auto codes = buffer<typename write::wide>(n);  // freed before the copy is allocated, which then fits in a reserved block
    each(n, write{keys.data(), code, detail::bit_mask<K>(bits), codes.data(), positions.data()});
    sort_in_segments<cuda_detail::large_method::copying>(codes.span(), positions.span(), segments, heads, {});
    codes = {};
    auto const copy = buffer<char>(std::max(keys.size_bytes(), values.size_bytes()));  // may throw, so it precedes all moves
    move_to_positions(keys, positions.data(), copy.data());
    if (!values.empty()) move_to_positions(values, positions.data(), copy.data());
  }
  template <class T, class Position>
  void move_to_positions(std::span<T> items, Position const* from, char* copy) {
    ORDO_CUDA(cudaMemcpyAsync(copy, items.data(), items.size_bytes(), cudaMemcpyDeviceToDevice, stream_));
    each(items.size(), cuda_detail::gather_moved<T, Position>{items.data(), reinterpret_cast<T const*>(copy), from});
  }
  /// Returns true if positions of 32 bits suffice for n items.
  static bool few_positions(std::size_t n) { return n <= std::size_t{1} << 32; }

  /// @param source  overrides the memory options in `options` if it is not null
  cuda_backend(gpu_options const& options, memory_resource* source)
      : own_stream_(!options.stream),
        main_stream_(options.stream.value_or(own_stream_.handle)),
        stream_(main_stream_),
        kernels_(stream_),
        capturable_(options.capturable),
        limited_(choose_memory(options), std::min(options.memory_limit, gpu_memory_limit().value_or(options.memory_limit))),
        pool_(source ? *source : limited_, source ? ordo::pool::reuse::same_size : choose_reuse(options)),
        waits_at_end_(source || !options.stream || !(given_ || in_stream_order_)) {}

  void check_wait(char const* operation) const {
    if (is_capturing(stream_))
      throw usage_error(std::string("CUDA graph: capture: ") + operation + " waits for the device and cannot be captured");
  }

  /// Lets later work on `to` begin after the work that is now on `from`. Work that is captured runs when the caller launches
  /// the graph, who orders the launches with other work: an event would make the capture fail, or draw other streams into it.
  void order(cudaStream_t from, cudaStream_t to) {
    if (from == to || is_capturing(to)) return;
    if (is_capturing(from))
      throw usage_error("CUDA graph: capture: no other stream can wait for the machine's work while it is being captured");
    ORDO_CUDA(cudaEventRecord(used_.get(), from));
    ORDO_CUDA(cudaStreamWaitEvent(to, used_.get(), 0));
  }
  void enter(cudaStream_t stream) {
    if (stream != main_stream_) static_cast<void>(used_.get());  // created here, because leave() must not throw
    if (scopes_ != 0)
      order(stream_, stream);
    else if (last_ == last_user::own)
      order(main_stream_, stream);
    else if (last_ == last_user::view && !is_capturing(stream))
      ORDO_CUDA(cudaStreamWaitEvent(stream, used_.get(), 0));
    use(stream);
    ++scopes_;
  }
  void leave(cudaStream_t before) noexcept try {
    --scopes_;
    cudaStream_t const stream = stream_;
    use(before);
    if (scopes_ != 0) return order(stream, before);
    if (stream == main_stream_) {
      if (last_ == last_user::view && is_capturing(stream)) return;  // enter() made no order
      last_ = pool_.empty() ? last_user::none : last_user::own;
    } else if (!is_capturing(stream)) {
      last_ = pool_.empty() ? last_user::none : last_user::view;
      // Recorded now, because the caller may destroy the stream before the next call.
      if (last_ == last_user::view) ORDO_CUDA(cudaEventRecord(used_.get(), stream));
    }
  } catch (error const&) {
    static_cast<void>(cudaDeviceSynchronize());
  }
  void use(cudaStream_t stream) noexcept {
    stream_ = stream;
    kernels_.use(stream);
    if (given_) given_->use(stream);
    if (in_stream_order_) in_stream_order_->use(stream);
  }
  // A limit may equal the exact size from X_memory(), so that the pool must not hold any excess.
  static ordo::pool::reuse choose_reuse(gpu_options const& options) {
    using reuse = ordo::pool::reuse;
    bool const is_limited = options.memory_limit != gpu_options{}.memory_limit || gpu_memory_limit();
    return options.allocator ? reuse::none : is_limited ? reuse::same_size : reuse::larger_too;
  }
  memory_resource& choose_memory(gpu_options const& options) {
    if (options.allocator) return given_.emplace(*options.allocator, stream_);
    if (options.stream && stream_memory::possible()) return uncaptured_.emplace(in_stream_order_.emplace(stream_), stream_);
    return uncaptured_.emplace(plain_, stream_);
  }

  template <class V>
  using moved = typename cuda_detail::moved_as<sizeof(V)>::type;
  template <class V>
  static std::span<moved<V>> as_moved(std::span<V> values) {
    return {reinterpret_cast<moved<V>*>(values.data()), values.size()};
  }
  template <class T>
  static cuda_detail::words_for<T>* as_words(std::span<T> items) {
    return reinterpret_cast<cuda_detail::words_for<T>*>(items.data());
  }
  /// CUB's merge sort takes numbers as they are, which it loads faster, and other items as words.
  template <class T>
  static auto* as_merged(std::span<T> items) {
    if constexpr (std::is_arithmetic_v<T>)
      return items.data();
    else
      return as_words(items);
  }
  template <class T, class Less>
  using merge_order =
      std::conditional_t<std::is_arithmetic_v<T>, cuda_detail::order_of_numbers<T, Less>, cuda_detail::order_of_words<T, Less>>;

  /// The stream on which the pool's memory was last used, if any of it is still in the pool.
  enum class last_user { none, own, view };

  cuda_detail::own_stream own_stream_;
  cuda_detail::own_event used_;     // recorded after the last use of the pool's memory on another stream
  cudaStream_t const main_stream_;  // the machine's own, or the caller's
  cudaStream_t stream_;             // on which work is queued now
  cuda_detail::kernel_launcher kernels_;
  bool capturable_;
  last_user last_ = last_user::none;
  unsigned scopes_ = 0;  // stream_scopes, one within the other
  device_memory plain_;
  std::optional<stream_memory> in_stream_order_;
  std::optional<uncaptured_memory> uncaptured_;
  std::optional<allocator_memory> given_;
  limited_memory limited_;
  ordo::pool pool_;
  bool waits_at_end_;
  cuda_detail::staging staging_;
};

static_assert(has_background_downloads<cuda_backend>);

}  // namespace ordo::inline v0
