#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <tbb/parallel_for_each.h>
#include <tbb/task_arena.h>

#include "base/shared_ranges.hpp"
#include "base/threads.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/checks.hpp"
#include "sort_core/host/arrays.hpp"
#include "sort_core/host/radix.hpp"
#include "sort_core/host/samples.hpp"
#include "sort_core/host/segmented.hpp"
#include "sort_core/host/worker.hpp"

namespace ordo::inline v0 {

/// The Backend of the CPU: plain C++ on oneTBB, and the oracle for the GPU's. Must be used by one thread at a time. See Backend
/// for the contracts.
class host_backend {
 public:
  /// True: the width of segment offsets may be known at run time only.
  static constexpr bool takes_any_offset = true;

  /// @param threads  the number of threads; 0 means all that the process may use, which is also the maximum
  explicit host_backend(unsigned threads = 0) : host_backend(threads, plain_) {}
  /// Takes temporary memory from `source`, which must outlive the backend.
  host_backend(unsigned threads, memory_resource& source, ordo::pool::reuse kind = ordo::pool::reuse::same_size)
      : pool_(source, kind), arena_(threads_for(threads)) {}

  template <class T>
  ordo::buffer<T> buffer(std::size_t n) {
    return {pool_, n};
  }
  template <class T>
  ordo::buffer<T const> upload(std::span<T const> data) {
    return ordo::buffer<T const>(data);
  }
  template <class T>
  ordo::buffer<T> target(std::span<T> data) {
    return ordo::buffer<T>(data);
  }
  template <class T>
  void download(std::span<T const> from, std::span<std::type_identity_t<T>> to) {
    if (from.data() != to.data() && !from.empty()) std::memcpy(to.data(), from.data(), from.size_bytes());
  }
  template <class T>
  std::size_t load(source& from, std::span<T> to) {
    return detail::load(arena_, from, {reinterpret_cast<char*>(to.data()), to.size_bytes()}) / sizeof(T);
  }
  template <class T>
  void store(std::span<T const> from, sink& to, std::uint64_t offset) {
    detail::store(arena_, {reinterpret_cast<char const*>(from.data()), from.size_bytes()}, to, offset);
  }
  [[nodiscard]] tbb::task_arena& arena() noexcept { return arena_; }
  [[nodiscard]] ordo::pool& pool() noexcept { return pool_; }

  /// Returns the maximum of bytes that radix_sort and argsort take from the pool.
  static std::size_t radix_sort_memory(std::size_t n, std::size_t key_bytes, std::size_t value_bytes) {
    return ordo::pool::rounded(n * key_bytes) + ordo::pool::rounded(n * value_bytes);
  }
  /// Returns the maximum of bytes that radix_sort_copy takes from the pool.
  static std::size_t radix_sort_copy_memory(std::size_t n, std::size_t key_bytes, std::size_t value_bytes) {
    return radix_sort_memory(n, key_bytes, value_bytes);
  }
  /// Returns the maximum of bytes that sample_sort takes from the pool: a second copy, and one byte per item.
  static std::size_t sample_sort_memory(std::size_t n, std::size_t item_bytes, std::size_t value_bytes) {
    return radix_sort_memory(n, item_bytes, value_bytes) + ordo::pool::rounded(n);
  }
  /// Returns the maximum of bytes that the segmented sorts take from the pool. They also take one megabyte per thread
  /// elsewhere.
  /// @param max_length  the number of items in the largest segment, or n if that is less
  static std::size_t segmented_sort_memory(std::size_t n, std::size_t /*segments*/, std::size_t max_length,
                                           std::size_t key_bytes, std::size_t value_bytes, bit_range /*bits*/ = {}) {
    max_length = std::min(max_length, n);
    return max_length <= host_detail::parallel_limit
               ? 0
               : 2 * ordo::pool::rounded(max_length * key_bytes) + ordo::pool::rounded(max_length * value_bytes);
  }

  static std::size_t segmented_sort_by_memory(std::size_t n, std::size_t segments, std::size_t max_length,
                                              std::size_t key_bytes, std::size_t value_bytes) {
    return segmented_sort_memory(n, segments, max_length, key_bytes, value_bytes);
  }

  template <class T>
  void copy(std::span<T const> from, std::span<std::type_identity_t<T>> to) {
    if (from.data() == to.data() || from.empty()) return;
    host_detail::run_in(arena_, [&] {
      host_detail::copy_all<T, host_detail::nothing>({const_cast<T*>(from.data()), nullptr}, {to.data(), nullptr}, from.size());
    });
  }

  template <class F>
  void each(std::size_t n, F f) {
    host_detail::run_in(arena_, [&] { host_detail::parallel_each(n, 2048, f); });
  }

  /// The workers of all threads, which keep their memory from call to call.
  using workers = tbb::enumerable_thread_specific<host_worker>;

  /// Calls f(worker, i) for each i in [0, n), in any order; `worker` is the host_worker of the thread that runs it.
  template <class F>
  void each_worker(std::size_t n, F f) {
    workers all;
    each_worker(all, n, f);
  }
  template <class F>
  void each_worker(workers& all, std::size_t n, F f) {
    host_detail::run_in(arena_, [&] {
      auto const on_range = [&](std::size_t i, std::size_t last) {
        auto& worker = all.local();
        for (; i != last; ++i) f(worker, i);
      };
      host_detail::for_ranges(
          n, 1,
          [](void const* call, std::size_t begin, std::size_t end) { (*static_cast<decltype(on_range)*>(call))(begin, end); },
          &on_range);
    });
  }
  /// Calls f(item) for each item and for those that f returns, several at a time, in any order. f may call operations of the
  /// backend that take nothing from the pool.
  template <class T, class F>
  void work_off(std::vector<T> items, F f) {
    host_detail::run_in(arena_, [&] {
      tbb::parallel_for_each(items.begin(), items.end(), [&](T const& item, tbb::feeder<T>& feeder) {
        // A thread that waits for others inside of f does not begin another item, so that the stack has a limit.
        for (T const& more : tbb::this_task_arena::isolate([&] { return f(item); })) feeder.add(more);
      });
    });
  }
  /// Returns the number of items, out of n, that one worker may take: they fit in its cache, and leave the others as many.
  [[nodiscard]] std::size_t worker_share(std::size_t n) const {
    constexpr std::size_t min_share = std::size_t{1} << 11, max_share = std::size_t{1} << 17;
    return std::clamp(n / (16 * std::size_t(arena_.max_concurrency())), min_share, max_share);
  }

  /// Returns the number of items that a sort needs to keep all threads at work.
  [[nodiscard]] std::size_t size_for_all() const { return host_detail::parallel_limit * std::size_t(arena_.max_concurrency()); }

  template <class In, class T, class Op>
  void scan(std::size_t n, In in, std::span<T> out, Op op) {
    if (n == 0) return;
    host_detail::run_in(arena_, [&] {
      host_detail::blocks const parts(n, 1 << 13);
      std::vector<T> sums(parts.count);
      if (parts.count > 1) {
        parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
          T sum = in(begin);
          for (std::size_t i = begin + 1; i < end; ++i) sum = op(sum, T(in(i)));
          sums[part] = sum;
        });
      }
      for (std::size_t p = 1; p < parts.count; ++p) sums[p] = op(sums[p - 1], sums[p]);
      parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
        T sum = part == 0 ? T(in(begin)) : op(sums[part - 1], T(in(begin)));
        out[begin] = sum;
        for (std::size_t i = begin + 1; i < end; ++i) out[i] = sum = op(sum, T(in(i)));
      });
    });
  }

  template <class In, class T, class Op>
  T reduce(std::size_t n, In in, T init, Op op) {
    if (n == 0) return init;
    host_detail::run_in(arena_, [&] {
      host_detail::blocks const parts(n, 1 << 13);
      std::vector<T> sums(parts.count);
      parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
        T sum = in(begin);
        for (std::size_t i = begin + 1; i < end; ++i) sum = op(sum, T(in(i)));
        sums[part] = sum;
      });
      for (T const& sum : sums) init = op(init, sum);
    });
    return init;
  }

  template <class Keep, class Item, class T>
  std::size_t select(std::size_t n, Keep keep, Item item, std::span<T> out) {
    std::size_t kept = 0;
    host_detail::run_in(arena_, [&] {
      host_detail::blocks const parts(n, 1 << 13);
      std::vector<std::size_t> at(parts.count, 0);
      if (parts.count > 1) {
        parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
          std::size_t count = 0;
          for (std::size_t i = begin; i < end; ++i) count += bool(keep(i));
          at[part] = count;
        });
        for (std::size_t& a : at) kept += std::exchange(a, kept);
      }
      std::size_t last = 0;
      parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
        std::size_t to = at[part];
        for (std::size_t i = begin; i < end; ++i)
          if (keep(i)) out[to++] = item(i);
        if (part + 1 == parts.count) last = to;
      });
      kept = last;
    });
    return kept;
  }

  template <class T, class Index>
  void gather(std::span<T const> from, std::span<Index const> index, std::span<std::type_identity_t<T>> to) {
    each(index.size(), [=](std::size_t i) { to[i] = from[index[i]]; });
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
    sort<K, host_detail::nothing>({const_cast<K*>(from.data()), nullptr}, {keys.data(), nullptr}, keys.size(), bits, code);
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
    sort<K, V>({const_cast<K*>(keys_from.data()), const_cast<V*>(values_from.data())}, {keys.data(), values.data()},
               keys.size(), bits, code);
  }

  template <class T, class Less>
  void sample_sort(std::span<T> items, Less less) {
    sort_by<T, host_detail::nothing>({items.data(), nullptr}, items.size(), less);
  }
  template <class K, class V, class Less>
  void sample_sort(std::span<K> keys, std::span<V> values, Less less) {
    detail::check_length("values", "sample sort", values.size(), keys.size());
    sort_by<K, V>({keys.data(), values.data()}, keys.size(), less);
  }

  /// Memory for the sort of an array: as many keys and values, and for sample_sort_in a byte for each.
  template <class K, class V>
  struct scratch {
    K* keys;
    V* values;
    std::uint8_t* numbers;
    [[nodiscard]] host_detail::records<K, V> records() const { return {keys, values}; }
  };
  /// Sort as radix_sort and sample_sort do, in memory of the caller. Several threads may sort different arrays at a time.
  template <class K, class V>
  void radix_sort_in(scratch<K, V> memory, std::span<K> keys, std::span<V> values) {
    host_detail::records<K, V> const all{keys.data(), values.data()};
    host_detail::run_in(arena_, [&] {
      host_detail::sort_encoded(all, all, memory.records(), keys.size(), detail::clipped<K>({}), {});
    });
  }
  template <class K, class V, class Less>
  void sample_sort_in(scratch<K, V> memory, std::span<K> keys, std::span<V> values, Less less) {
    host_detail::records<K, V> const all{keys.data(), values.data()};
    host_detail::run_in(arena_, [&] {
      host_detail::sort_by_samples(all, memory.records(), memory.numbers, keys.size(), less);
    });
  }

  template <class Key, class K, class Index>
  void argsort(std::size_t n, Key key, std::span<K> keys, std::span<Index> index, bit_range bits = {}) {
    struct computed {
      Key of;
      [[nodiscard]] K key(std::size_t i) const { return of(i); }
      [[nodiscard]] Index value(std::size_t i) const { return Index(i); }
    };
    with_scratch<K, Index>(n, [&](host_detail::records<K, Index> scratch) {
      host_detail::run_in(arena_, [&] {
        bit_range const used = detail::clipped<K>(bits);
        if constexpr (host_detail::may_have_few_values<K>)
          if (detail::bit_mask<K>(used) == K(~K{0}) &&
              host_detail::sort_few_values(computed{key}, keys.data(), index.data(), n, key_code<K>{}))
            return;
        host_detail::sort_computed(computed{key}, {keys.data(), index.data()}, scratch, n, used);
      });
    });
  }

  template <class K, class V, class Offset>
  void segmented_sort(std::span<K> keys, std::span<V> values, segment_list<Offset> segments, std::span<std::uint8_t> heads = {},
                      bit_range bits = {}, key_code<K> code = {}) {
    if (!values.empty()) detail::check_length("values", "segmented sort", values.size(), keys.size());
    if (!heads.empty()) detail::check_length("heads", "segmented sort", heads.size(), keys.size());
    if (values.empty()) return sort_segments<K, host_detail::nothing>({keys.data(), nullptr}, segments, heads, bits, code);
    sort_segments<K, V>({keys.data(), values.data()}, segments, heads, bits, code);
  }

  /// See Backend. Takes no memory from the pool, but max_stable_array_length items of keys and values per thread (at most 96
  /// KiB), one word for each array of more than 2^18 items, and some hundred bytes per 2^18 items of one. In arrays of more
  /// than max_stable_array_length items, the order of values with equal keys differs from a GPU's.
  template <class K, class V, class Offset>
  void array_sort(std::span<K> keys, std::span<V> values, segment_list<Offset> arrays, key_code<K> code = {}) {
    if (!values.empty()) detail::check_length("values", "array sort", values.size(), keys.size());
    host_detail::run_in(arena_, [&] {
      if (values.empty())
        host_detail::sort_arrays(host_detail::records<K, host_detail::nothing>{keys.data(), nullptr}, arrays, code);
      else
        host_detail::sort_arrays(host_detail::records<K, V>{keys.data(), values.data()}, arrays, code);
    });
  }
  /// Returns the maximum of bytes that array_sort takes from the pool.
  static std::size_t array_sort_memory(std::size_t /*n*/, std::size_t /*arrays*/, std::size_t /*max_length*/,
                                       std::size_t /*key_bytes*/, std::size_t /*value_bytes*/) {
    return 0;
  }

  template <class V, class Offset, class Key>
  void segmented_sort_by(std::span<V> items, segment_list<Offset> segments, Key key, std::span<std::uint8_t> heads = {},
                         bit_range bits = {}) {
    if (!heads.empty()) detail::check_length("heads", "segmented sort", heads.size(), items.size());
    using K = std::remove_cvref_t<std::invoke_result_t<Key, V>>;
    host_detail::run_in(arena_, [&] {
      host_detail::sort_computed_segments<K>(
          items.data(), segments, key, heads.empty() ? nullptr : heads.data(), detail::clipped<K>(bits),
          [&]<class Values>(std::size_t n, Values, auto use) { with_scratch<K, Values>(n, use); });
    });
  }

 private:
  template <class K, class V, class Use>
  void with_scratch(std::size_t n, Use use) {
    auto keys = buffer<K>(n);
    auto values = buffer<V>(std::is_same_v<V, host_detail::nothing> ? 0 : n);
    use(host_detail::records<K, V>{keys.data(), values.data()});
  }
  template <class K, class V>
  void sort(host_detail::records<K, V> from, host_detail::records<K, V> to, std::size_t n, bit_range bits, key_code<K> code) {
    with_scratch<K, V>(n, [&](host_detail::records<K, V> scratch) {
      host_detail::run_in(arena_, [&] { host_detail::sort_encoded(from, to, scratch, n, detail::clipped<K>(bits), code); });
    });
  }
  template <class K, class V, class Less>
  void sort_by(host_detail::records<K, V> all, std::size_t n, Less less) {
    with_scratch<K, V>(n, [&](host_detail::records<K, V> scratch) {
      auto const numbers = buffer<std::uint8_t>(n);
      host_detail::run_in(arena_, [&] { host_detail::sort_by_samples(all, scratch, numbers.data(), n, less); });
    });
  }
  template <class K, class V, class Offset>
  void sort_segments(host_detail::records<K, V> all, segment_list<Offset> segments, std::span<std::uint8_t> heads,
                     bit_range bits, key_code<K> code) {
    host_detail::run_in(arena_, [&] {
      host_detail::sort_stored_segments(all, segments, heads.empty() ? nullptr : heads.data(), detail::clipped<K>(bits), code,
                                        [&](std::size_t n, auto use) { with_scratch<K, V>(n, use); });
    });
  }

  host_memory plain_;
  ordo::pool pool_;
  tbb::task_arena arena_;
};

static_assert(Backend<host_backend>);

}  // namespace ordo::inline v0
