#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ordo/backend.hpp"
#include "ordo/detail/checks.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/error.hpp"
#include "sort_core/check_segments.hpp"

// Turns a sort_task into a call of a Backend's operations. Instantiated once per backend.
namespace ordo::inline v0::detail {

/// A value of sixteen bytes that moves with a key.
struct alignas(16) value_of_16_bytes {
  std::uint64_t low, high;
};

/// Calls f(K{}) for the unsigned type K of `bytes` bytes.
template <class F>
auto with_key_type(std::size_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

template <class F>
auto with_value_type(std::size_t bytes, F f) {
  switch (bytes) {
    case 8:
      return f(std::uint64_t{});
    case 16:
      return f(value_of_16_bytes{});
    default:
      return f(std::uint32_t{});
  }
}

template <class F>
auto with_offset_type(std::size_t bytes, F f) {
  return bytes == 8 ? f(std::uint64_t{}) : f(std::uint32_t{});
}

template <class T>
std::span<T> span_of(void* items, std::size_t n) {
  if (reinterpret_cast<std::uintptr_t>(items) % alignof(T) != 0)
    throw usage_error("misaligned: sort: items of " + std::to_string(sizeof(T)) +
                      " bytes at an address that is not a multiple of their size");
  return {static_cast<T*>(items), n};
}

/// Offsets of 32 or 64 bits, with the width known at run time.
struct any_offset {};

}  // namespace ordo::inline v0::detail

namespace ordo::inline v0 {

/// Segments whose offsets have either width, for backends whose sorts are as fast with them: one instance serves both widths.
template <>
struct segment_list<detail::any_offset> {
  explicit segment_list(detail::sort_task const& task)
      : max_length(task.max_length),
        uniform_length(task.uniform_length),
        begins_(task.begins),
        ends_(task.ends),
        count_(task.segments),
        wide_(task.offset_bytes == 8) {}

  std::size_t max_length, uniform_length;

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t begin(std::size_t s) const { return uniform_length != 0 ? s * uniform_length : at(begins_, s); }
  [[nodiscard]] std::size_t end(std::size_t s) const { return uniform_length != 0 ? (s + 1) * uniform_length : at(ends_, s); }

 private:
  [[nodiscard]] std::size_t at(void const* offsets, std::size_t s) const {
    return wide_ ? std::size_t(static_cast<std::uint64_t const*>(offsets)[s]) : static_cast<std::uint32_t const*>(offsets)[s];
  }

  void const *begins_, *ends_;
  std::size_t count_;
  bool wide_;
};

}  // namespace ordo::inline v0

namespace ordo::inline v0::detail {

template <class Offset>
segment_list<Offset> segments_of(sort_task const& task) {
  return {{static_cast<Offset const*>(task.begins), task.begins ? task.segments : 0},
          {static_cast<Offset const*>(task.ends), task.ends ? task.segments : 0},
          task.max_length,
          task.uniform_length,
          task.segments};
}

/// The compared bits of a key's code.
template <class K>
struct code_at {
  K const* keys;
  key_code<K> code;
  ORDO_FN K operator()(std::size_t i) const { return code.encode(keys[i]); }
};
template <class K>
struct write_code {
  code_at<K> from;
  K* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from(i); }
};

template <class K>
key_code<K> code_of(sort_task const& task) {
  return {K(task.flip), K(task.flip_negative)};
}

template <Backend B, class K>
void run_on_keys(B& backend, sort_task const& task) {
  auto const keys = span_of<K>(task.keys, task.n);
  if (task.value_bytes == 0) return backend.radix_sort(keys, task.bits, code_of<K>(task));
  with_value_type(task.value_bytes, [&](auto value) {
    backend.radix_sort(keys, span_of<decltype(value)>(task.values, task.n), task.bits, code_of<K>(task));
  });
}

template <Backend B, class K>
void run_argsort(B& backend, sort_task const& task) {
  with_offset_type(task.value_bytes, [&](auto index) {
    auto const codes = backend.template buffer<K>(task.n);
    backend.argsort(task.n, code_at<K>{span_of<K>(task.keys, task.n).data(), code_of<K>(task)}, codes.span(),
                    span_of<decltype(index)>(task.values, task.n), task.bits);
  });
}

/// Calls f(segments) with the segments of a task, with offsets of the type in which they were given.
template <class F>
auto with_typed_segments(sort_task const& task, F f) {
  return with_offset_type(task.offset_bytes, [&](auto offset) { return f(segments_of<decltype(offset)>(task)); });
}

/// Calls f(segments) with the segments of a task, with offsets of a type that the backend's sorts take.
template <Backend B, class F>
auto with_segments_of(sort_task const& task, F f) {
  if constexpr (requires { B::takes_any_offset; })
    return f(segment_list<any_offset>(task));
  else
    return with_typed_segments(task, f);
}

/// Checks a task's segments by reading their offsets. @returns true if they ascend; if not, some may overlap
template <Backend B>
bool check_bounds_of(B& backend, sort_task const& task) {
  return with_typed_segments(task, [&](auto const& segments) { return check_bounds(backend, task.n, segments); });
}
template <Backend B>
void check_overlap_of(B& backend, sort_task const& task) {
  with_typed_segments(task, [&](auto const& segments) { check_overlap(backend, segments); });
}

/// Replaces all NaNs between the begin of the first segment and the end of the last by one NaN that comes last.
template <class K, class Segments>
struct put_nans_last {
  static constexpr K top = K{1} << (8 * sizeof(K) - 1), infinity = top - (K{1} << (sizeof(K) == 4 ? 23 : 52));
  K* keys;
  Segments segments;
  K last;
  ORDO_FN void operator()(std::size_t i) const {
    if (K(keys[i] & K(~top)) > infinity && i >= segments.begin(0) && i < segments.end(segments.size() - 1)) keys[i] = last;
  }
};

template <Backend B, class K>
void run_on_segments(B& backend, sort_task const& task) {
  auto keys = span_of<K>(task.keys, task.n);
  auto code = code_of<K>(task);
  std::span<std::uint8_t> const heads(task.heads, task.heads ? task.n : 0);
  buffer<K> codes;
  if (task.keep_keys) {
    codes = backend.template buffer<K>(task.n);
    backend.each(task.n, write_code<K>{{keys.data(), code}, codes.data()});
    keys = codes.span();
    code = {};
  }
  with_segments_of<B>(task, [&]<class Segments>(Segments const& segments) {
    if constexpr (sizeof(K) >= 4)
      if (task.nan_last && segments.size() != 0) {
        using put = put_nans_last<K, Segments>;
        bool const descending = (task.flip & put::top) == 0;
        backend.each(task.n, put{keys.data(), segments, K(put::infinity | put::infinity >> 1 | (descending ? put::top : 0))});
      }
    auto const sort = [&]<class V>(std::span<V> values) {
      // Narrow keys of arrays are sorted as segments: backends sort only arrays of 32-bit and 64-bit keys in place.
      if constexpr (sizeof(K) >= 4)
        if (task.what == sort_task::operation::arrays) return backend.array_sort(keys, values, segments, code);
      backend.segmented_sort(keys, values, segments, heads, task.bits, code);
    };
    if (task.value_bytes == 0) return sort(std::span<std::uint32_t>{});
    with_value_type(task.value_bytes, [&](auto value) { sort(span_of<decltype(value)>(task.values, task.n)); });
  });
}

/// Does the work of run_task for keys of one width.
template <Backend B, class K>
void run_task_on(B& backend, sort_task const& task) {
  switch (task.what) {
    case sort_task::operation::keys:
      return run_on_keys<B, K>(backend, task);
    case sort_task::operation::argsort:
      return run_argsort<B, K>(backend, task);
    case sort_task::operation::check:
      return;
    default:
      return run_on_segments<B, K>(backend, task);
  }
}

template <Backend B>
void run_task(B& backend, sort_task const& task) {
  if (task.n == 0) return;
  with_key_type(task.key_bytes, [&](auto key) { run_task_on<B, decltype(key)>(backend, task); });
}

/// Returns the maximum of bytes that run_task takes from the backend's pool.
template <Backend B>
std::size_t memory_of_task(B& backend, sort_task const& task) {
  if (task.what == sort_task::operation::argsort) check_index_width(task.n, task.value_bytes, task.signed_index);
  std::size_t const n = task.n, k = task.key_bytes, v = task.value_bytes;
  switch (task.what) {
    case sort_task::operation::keys:
      return backend.radix_sort_memory(n, k, v);
    case sort_task::operation::argsort:
      return pool::rounded(n * k) + backend.radix_sort_memory(n, k, v);
    case sort_task::operation::arrays:
      if (k >= 4) return backend.array_sort_memory(n, task.segments, task.max_length < n ? task.max_length : n, k, v);
      [[fallthrough]];
    default:
      return (task.keep_keys ? pool::rounded(n * k) : 0) +
             backend.segmented_sort_memory(n, task.segments, task.max_length < n ? task.max_length : n, k, v, task.bits);
  }
}

}  // namespace ordo::inline v0::detail
