#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/bits.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/checks.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/error.hpp"
#include "sort_core/algorithms/check_segments.hpp"

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
std::span<T> typed_span(void* items, std::size_t n) {
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

  [[nodiscard]] ORDO_FN std::size_t size() const { return count_; }
  [[nodiscard]] ORDO_FN std::size_t begin(std::size_t s) const {
    return uniform_length != 0 ? s * uniform_length : at(begins_, s);
  }
  [[nodiscard]] ORDO_FN std::size_t end(std::size_t s) const {
    return uniform_length != 0 ? (s + 1) * uniform_length : at(ends_, s);
  }

 private:
  [[nodiscard]] ORDO_FN std::size_t at(void const* offsets, std::size_t s) const {
    return wide_ ? std::size_t(static_cast<std::uint64_t const*>(offsets)[s]) : static_cast<std::uint32_t const*>(offsets)[s];
  }

  void const *begins_, *ends_;
  std::size_t count_;
  bool wide_;
};

}  // namespace ordo::inline v0

namespace ordo::inline v0::detail {

template <class Offset>
segment_list<Offset> make_segments(sort_task const& task) {
  return {{static_cast<Offset const*>(task.begins), task.begins ? task.segments : 0},
          {static_cast<Offset const*>(task.ends), task.ends ? task.segments : 0},
          task.max_length,
          task.uniform_length,
          task.segments};
}

/// The codes of keys that are only read. NaNs and zeros may share a code.
template <class K>
struct code_at {
  static constexpr K top = key_code<K>::top;
  K const* keys;
  key_code<K> code;
  K max_magnitude;  // greater ones are NaNs
  K minus_zero;     // becomes 0; is 0 if zeros differ
  K nan;            // the code of all NaNs
  ORDO_FN K operator()(std::size_t i) const {
    K const key = keys[i], encoded = code.encode(key == minus_zero ? K{0} : key);
    return K(key & K(~top)) > max_magnitude ? nan : encoded;
  }
};
template <class K>
struct write_code {
  code_at<K> from;
  K* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from(i); }
};

template <class K>
key_code<K> code_for(sort_task const& task) {
  return {K(task.flip), K(task.flip_negative), K(task.rotate)};
}
template <class K>
code_at<K> codes_for(sort_task const& task) {
  return {static_cast<K const*>(task.keys), code_for<K>(task), K(task.max_magnitude), task.equal_zeros ? code_at<K>::top : K{0},
          task.nans_first ? K{0} : K(~K{0})};
}

/// Returns the keys that a task reads.
template <class K>
std::span<K const> keys_read(sort_task const& task) {
  return typed_span<K>(task.out_of_place ? const_cast<void*>(task.keys_in) : task.keys, task.n);
}
/// Returns the values that a task reads.
template <class V>
std::span<V const> values_read(sort_task const& task) {
  return typed_span<V>(task.out_of_place ? const_cast<void*>(task.values_in) : task.values, task.n);
}

template <Backend B, class K>
void sort_typed_array(B& backend, sort_task const& task) {
  auto const from = keys_read<K>(task);
  auto const keys = typed_span<K>(task.keys, task.n);
  if (task.value_bytes == 0) return backend.radix_sort_copy(from, keys, task.bits, code_for<K>(task));
  with_value_type(task.value_bytes, [&](auto value) {
    using V = decltype(value);
    backend.radix_sort_copy(from, keys, values_read<V>(task), typed_span<V>(task.values, task.n), task.bits, code_for<K>(task));
  });
}

template <Backend B, class K>
void argsort_typed_array(B& backend, sort_task const& task) {
  with_offset_type(task.value_bytes, [&](auto index) {
    auto const codes = backend.template buffer<K>(task.n);
    backend.argsort(task.n, codes_for<K>(task), codes.span(), typed_span<decltype(index)>(task.values, task.n), task.bits);
  });
}

/// Calls f(segments) with the segments of a task, with offsets of the type in which they were given.
template <class F>
auto with_typed_segments(sort_task const& task, F f) {
  return with_offset_type(task.offset_bytes, [&](auto offset) { return f(make_segments<decltype(offset)>(task)); });
}

/// Calls f(segments) with the segments of a task, with offsets of a type that the backend's sorts take.
template <Backend B, class F>
auto with_segments(sort_task const& task, F f) {
  if constexpr (requires { B::takes_any_offset; })
    return f(segment_list<any_offset>(task));
  else
    return with_typed_segments(task, f);
}

/// Checks a task's segments by reading their offsets.
/// @returns true if they ascend; if not, some may overlap
template <Backend B>
bool check_task_bounds(B& backend, sort_task const& task) {
  std::size_t const signed_bytes = task.signed_offsets ? task.offset_bytes : 0;
  return with_segments<B>(task, [&](auto const& segments) { return check_bounds(backend, task.n, segments, signed_bytes); });
}
template <Backend B>
void check_task_overlap(B& backend, sort_task const& task) {
  with_segments<B>(task, [&](auto const& segments) { check_overlap(backend, segments); });
}

/// Replaces all NaNs between the begin of the first segment and the end of the last by one NaN that comes last.
template <class K, class Segments>
struct move_nans_last {
  static constexpr K top = K{1} << (8 * sizeof(K) - 1), infinity = top - (K{1} << (sizeof(K) == 4 ? 23 : 52));
  K* keys;
  Segments segments;
  K last;
  ORDO_FN void operator()(std::size_t i) const {
    if (K(keys[i] & K(~top)) > infinity && i >= segments.begin(0) && i < segments.end(segments.size() - 1)) keys[i] = last;
  }
};

template <Backend B, class K>
void sort_typed_segments(B& backend, sort_task const& task) {
  auto keys = typed_span<K>(task.keys, task.n);
  auto code = code_for<K>(task);
  std::span<std::uint8_t> const heads(task.heads, task.heads ? task.n : 0);
  buffer<K> codes;
  if (task.keep_keys) {
    codes = backend.template buffer<K>(task.n);
    backend.each(task.n, write_code<K>{codes_for<K>(task), codes.data()});
    keys = codes.span();
    code = {};
  }
  with_segments<B>(task, [&]<class Segments>(Segments const& segments) {
    if constexpr (sizeof(K) >= 4)
      if (task.nan_last && segments.size() != 0) {
        using put = move_nans_last<K, Segments>;
        bool const descending = (task.flip & put::top) == 0;
        backend.each(task.n, put{keys.data(), segments, K(put::infinity | put::infinity >> 1 | (descending ? put::top : 0))});
      }
    auto const sort = [&]<class V>(std::span<V> values) {
      // Narrow keys of arrays are sorted as segments: backends sort only arrays of 32-bit and 64-bit keys in place.
      if constexpr (sizeof(K) >= 4)
        if (task.kind == sort_task::operation::arrays) return backend.array_sort(keys, values, segments, code);
      backend.segmented_sort(keys, values, segments, heads, task.bits, code);
    };
    if (task.value_bytes == 0) return sort(std::span<std::uint32_t>{});
    with_value_type(task.value_bytes, [&](auto value) { sort(typed_span<decltype(value)>(task.values, task.n)); });
  });
}

/// Does the work of run_task for keys of one width.
template <Backend B, class K>
void run_typed_task(B& backend, sort_task const& task) {
  switch (task.kind) {
    case sort_task::operation::keys:
      return sort_typed_array<B, K>(backend, task);
    case sort_task::operation::argsort:
      return argsort_typed_array<B, K>(backend, task);
    case sort_task::operation::check:
      return;
    default:
      return sort_typed_segments<B, K>(backend, task);
  }
}

/// Returns true if backends have sorts that move values of this width.
constexpr bool moves_with_keys(std::size_t value_bytes) {
  return value_bytes == 0 || value_bytes == 4 || value_bytes == 8 || value_bytes == 16;
}
/// Returns true if the keys of a task are written, but do not order by their bits alone.
inline bool moves_keys_by_position(sort_task const& task) {
  return task.equal_zeros && !task.keep_keys && task.kind != sort_task::operation::argsort;
}

/// Returns the sort of positions by which sort_by_position moves the items of a task.
inline sort_task task_of_positions(sort_task task, void* positions, std::size_t position_bytes) {
  using operation = sort_task::operation;
  if (moves_keys_by_position(task)) {
    // Array sorts are not stable, so that they would not give one order of the zeros.
    task.kind = task.kind == operation::keys ? operation::argsort : operation::segments;
    task.keep_keys = true;
  }
  task.values = positions;
  task.value_bytes = task.value_alignment = position_bytes;
  task.values_given = task.n;
  return task;
}

template <class Position>
struct write_position {
  Position* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = Position(i); }
};
/// Copies the items that move. Items in holes have their own position and are not read.
template <class Word, class Position>
struct copy_moved {
  Word const* from;
  Word* to;
  Position const* positions;
  std::size_t words;  // per item
  ORDO_FN void operator()(std::size_t i) const {
    if (positions[i] == i) return;
    for (std::size_t w = i * words; w != (i + 1) * words; ++w) to[w] = from[w];
  }
};
/// Moves them to their places.
template <class Word, class Position>
struct place_moved {
  Word* to;
  Word const* from;
  Position const* positions;
  std::size_t words;
  ORDO_FN void operator()(std::size_t i) const {
    if (positions[i] == i) return;
    Word* const here = to + i * words;
    Word const* const there = from + std::size_t(positions[i]) * words;
    for (std::size_t w = 0; w != words; ++w) here[w] = there[w];
  }
};

/// Calls f(Word{}) for the widest word of which items of `bytes` bytes at an address consist.
template <class F>
void with_word_type(std::size_t bytes, void const* items, F f) {
  unsigned const width = trailing_zeros(std::uint64_t(reinterpret_cast<std::uintptr_t>(items)) | bytes);
  if (width >= 4) return f(value_of_16_bytes{});
  with_key_type(std::size_t{1} << width, f);
}

/// Moves items[positions[i]] to items[i]. `copy` has room for all items.
template <Backend B, class Position>
void move_to_positions(B& backend, void* items, std::size_t bytes, std::span<Position const> positions, char* copy) {
  with_word_type(bytes, items, [&]<class Word>(Word) {
    auto* const words = static_cast<Word*>(items);
    auto* const copied = reinterpret_cast<Word*>(copy);
    backend.each(positions.size(), copy_moved<Word, Position>{words, copied, positions.data(), bytes / sizeof(Word)});
    backend.each(positions.size(), place_moved<Word, Position>{words, copied, positions.data(), bytes / sizeof(Word)});
  });
}

template <Backend B>
void run_by_key_type(B& backend, sort_task const& task) {
  if constexpr (std::same_as<B, host_backend>)
    task.host->run(backend, task);
  else
    with_key_type(task.key_bytes, [&](auto key) { run_typed_task<B, decltype(key)>(backend, task); });
}

constexpr std::size_t bytes_per_position(std::size_t n) {
  return n <= std::size_t{1} << 32 ? 4 : 8;
}

/// Sorts positions by the keys, and then moves values, of any type, to them, and keys that are not yet sorted.
template <Backend B>
void sort_by_position(B& backend, sort_task const& task) {
  with_offset_type(bytes_per_position(task.n), [&]<class Position>(Position) {
    bool const moves_keys = moves_keys_by_position(task);
    // All memory of its own first, so that nothing has moved if there is not enough.
    auto const positions = backend.template buffer<Position>(task.n);
    auto const copy = backend.template buffer<char>(task.n * std::max(task.value_bytes, moves_keys ? task.key_bytes : 0));
    sort_task const inner = task_of_positions(task, positions.data(), sizeof(Position));
    auto const move = [&](void* items, std::size_t bytes) {
      move_to_positions(backend, items, bytes, std::span<Position const>(positions.span()), copy.data());
    };
    if (inner.kind != sort_task::operation::argsort) backend.each(task.n, write_position<Position>{positions.data()});
    try {
      run_by_key_type(backend, inner);
    } catch (...) {
      if (!inner.keep_keys) move(task.values, task.value_bytes);  // keys may have moved, and their positions with them
      throw;
    }
    if (moves_keys) move(task.keys, task.key_bytes);
    if (task.value_bytes != 0) move(task.values, task.value_bytes);
  });
}

/// Copies a task's inputs to its outputs.
/// @returns the task in place
template <Backend B>
sort_task copy_inputs(B& backend, sort_task task) {
  auto const copy = [&](void const* from, void* to, std::size_t bytes) {
    backend.copy(std::span(static_cast<char const*>(from), bytes), std::span(static_cast<char*>(to), bytes));
  };
  copy(task.keys_in, task.keys, task.n * task.key_bytes);
  if (task.value_bytes != 0) copy(task.values_in, task.values, task.n * task.value_bytes);
  task.out_of_place = false;
  return task;
}

template <Backend B>
void run_task(B& backend, sort_task const& task) {
  if (task.n == 0 || task.kind == sort_task::operation::check) return;
  auto const whole = [&](void const* values) { return reinterpret_cast<std::uintptr_t>(values) % task.value_bytes == 0; };
  bool const moves = task.value_bytes == 0 || (moves_with_keys(task.value_bytes) && whole(task.values) &&
                                               (!task.out_of_place || whole(task.values_in)));
  bool const by_keys = moves && !moves_keys_by_position(task);
  if (task.out_of_place && !(by_keys && task.kind == sort_task::operation::keys))
    return run_task(backend, copy_inputs(backend, task));
  if (by_keys) return run_by_key_type(backend, task);
  sort_by_position(backend, task);
}

/// Returns the maximum of bytes that run_by_key_type takes from the backend's pool.
template <Backend B>
std::size_t typed_task_memory(B& backend, sort_task const& task) {
  std::size_t const n = task.n, k = task.key_bytes, v = task.value_bytes;
  switch (task.kind) {
    case sort_task::operation::keys:
      return std::max(backend.radix_sort_memory(n, k, v), backend.radix_sort_copy_memory(n, k, v));
    case sort_task::operation::argsort:
      return pool::rounded(n * k) + backend.radix_sort_memory(n, k, v);
    case sort_task::operation::arrays:
      if (k >= 4)
        return (task.keep_keys ? pool::rounded(n * k) : 0) +
               backend.array_sort_memory(n, task.segments, task.max_length < n ? task.max_length : n, k, v);
      [[fallthrough]];
    default:
      return (task.keep_keys ? pool::rounded(n * k) : 0) +
             backend.segmented_sort_memory(n, task.segments, task.max_length < n ? task.max_length : n, k, v, task.bits);
  }
}

/// Returns the maximum of bytes that run_task takes from the backend's pool.
template <Backend B>
std::size_t memory_of_task(B& backend, sort_task const& task) {
  if (task.kind == sort_task::operation::argsort) check_index_width(task.n, task.value_bytes, task.signed_index);
  bool const moves = moves_with_keys(task.value_bytes) && !moves_keys_by_position(task);
  std::size_t const with_keys = moves ? typed_task_memory(backend, task) : 0;
  if (moves && (task.value_alignment >= task.value_bytes || task.kind == sort_task::operation::argsort)) return with_keys;
  std::size_t const moved = std::max(task.value_bytes, moves_keys_by_position(task) ? task.key_bytes : 0);
  std::size_t const position_bytes = bytes_per_position(task.n);
  return std::max(with_keys, pool::rounded(task.n * position_bytes) + pool::rounded(task.n * moved) +
                                 typed_task_memory(backend, task_of_positions(task, nullptr, position_bytes)));
}

}  // namespace ordo::inline v0::detail
