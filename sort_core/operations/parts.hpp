#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/detail/operation_task.hpp"
#include "ordo/memory.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/run_task.hpp"

// Common parts of the operations: calls of the sorts that are compiled once per width, writes of positions of either width, and
// the items of segments as one sequence.
namespace ordo::inline v0::detail {

/// Returns a bound on the bytes that a scan, reduce or select of n items takes from the pool.
inline std::size_t lists_memory(std::size_t n) {
  return pool::rounded(n / 16 + (std::size_t{1} << 16));
}

/// Returns the bytes of a position in an array of n items.
inline std::size_t position_bytes(std::size_t n) {
  return n <= std::size_t{1} << 32 ? 4 : 8;
}

/// Sorts codes stably by `bits`, and moves values of 4 or 8 bytes with them if there are any.
template <Backend B, class K, class V>
void sort_codes(B& backend, std::span<K> codes, std::span<V> values, bit_range bits = {}) {
  sort_task task;
  task.what = sort_task::operation::keys;
  task.keys = codes.data();
  task.key_bytes = sizeof(K);
  task.n = codes.size();
  task.bits = bits;
  if (!values.empty()) {
    task.values = values.data();
    task.value_bytes = sizeof(V);
    task.values_given = values.size();
  }
  if (task.n != 0) run_typed_task<B, K>(backend, task);
}

/// Sorts the codes of each segment stably, and moves values of 4 or 8 bytes with them.
/// @param segments  the segments, in the fields of a task
template <Backend B, class K, class V>
void sort_code_segments(B& backend, std::span<K> codes, std::span<V> values, sort_task const& segments) {
  sort_task task;
  task.what = sort_task::operation::segments;
  task.keys = codes.data();
  task.key_bytes = sizeof(K);
  task.values = values.data();
  task.value_bytes = sizeof(V);
  task.n = task.values_given = codes.size();
  task.begins = segments.begins;
  task.ends = segments.ends;
  task.offset_bytes = segments.offset_bytes;
  task.segments = segments.segments;
  task.ends_given = segments.ends_given;
  task.max_length = segments.max_length;
  task.uniform_length = segments.uniform_length;
  if (task.n != 0) run_typed_task<B, K>(backend, task);
}

/// Calls f(Word{}) for the widest word of which values of `bytes` bytes consist in all of these arrays.
template <class F>
void with_common_word(std::size_t bytes, std::initializer_list<void const*> arrays, F f) {
  std::uintptr_t addresses = 0;
  for (void const* array : arrays) addresses |= reinterpret_cast<std::uintptr_t>(array);
  if (bytes == 0) bytes = 4;  // there are no values
  with_word_type(bytes, reinterpret_cast<void const*>(addresses), f);
}

/// Positions of 32 or 64 bits, with the width known at run time.
struct any_positions {
  void* data = nullptr;
  bool wide = false;

  any_positions() = default;
  explicit any_positions(task_array const& positions) : data(positions.data), wide(positions.item_bytes == 8) {}
  [[nodiscard]] ORDO_FN bool wanted() const { return data != nullptr; }
  ORDO_FN void set(std::size_t i, std::uint64_t position) const {
    if (wide)
      static_cast<std::uint64_t*>(data)[i] = position;
    else
      static_cast<std::uint32_t*>(data)[i] = std::uint32_t(position);
  }
  [[nodiscard]] ORDO_FN std::uint64_t at(std::size_t i) const {
    return wide ? static_cast<std::uint64_t const*>(data)[i] : static_cast<std::uint32_t const*>(data)[i];
  }
};

template <class Index>
struct write_number {
  Index* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = Index(i); }
};
struct own_number {
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return i; }
};

/// The items of all segments as one sequence, segment after segment as they are listed. Positions in holes are not in it.
struct segment_items {
  segment_list<any_offset> segments;
  std::uint64_t const* starts;  // starts[s] items precede segment s, and starts[size()] are all; null for uniform segments

  [[nodiscard]] ORDO_FN std::uint64_t start(std::size_t s) const {
    return segments.uniform_length != 0 ? s * segments.uniform_length : starts[s];
  }
  /// Returns the segment of item t.
  [[nodiscard]] ORDO_FN std::size_t segment_at(std::uint64_t t) const {
    if (segments.uniform_length != 0) return t / segments.uniform_length;
    std::size_t low = 0, high = segments.size();  // the last segment that starts at or before t has it: others are empty
    while (high - low > 1) {
      std::size_t const middle = low + (high - low) / 2;
      if (starts[middle] <= t)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
  /// Returns the position of item t in the array, given its segment.
  [[nodiscard]] ORDO_FN std::size_t position(std::uint64_t t, std::size_t s) const {
    return std::size_t(segments.begin(s) + (t - start(s)));
  }
  [[nodiscard]] ORDO_FN std::uint64_t size() const { return start(segments.size()); }
};

struct length_before {
  segment_list<any_offset> segments;
  ORDO_FN std::uint64_t operator()(std::size_t s) const { return s == 0 ? 0 : segments.end(s - 1) - segments.begin(s - 1); }
};

/// Returns the starts of segment_items, which are empty for uniform segments.
template <Backend B>
buffer<std::uint64_t> compute_starts(B& backend, sort_task const& task) {
  segment_list<any_offset> const segments(task);
  if (segments.uniform_length != 0) return {};
  auto starts = backend.template buffer<std::uint64_t>(segments.size() + 1);
  backend.scan(segments.size() + 1, length_before{segments}, starts.span(), plus{});
  return starts;
}
inline std::size_t starts_memory(std::size_t segments) {
  return pool::rounded((segments + 1) * 8) + lists_memory(segments + 1);
}

}  // namespace ordo::inline v0::detail
