#pragma once
#include <string>

#include "base/first_bound.hpp"
#include "ordo/error.hpp"
#include "sort_core/operations/parts.hpp"

// Groups of equal adjacent keys in each segment.
namespace ordo::inline v0::detail {

/// Returns true if a group begins at item t of the segments.
template <class K>
struct begins_group {
  segment_items items;
  K const* keys;
  ORDO_FN bool operator()(std::size_t t) const {
    std::size_t const s = items.segment_at(t);
    if (t == items.start(s)) return true;
    std::size_t const i = items.position(t, s);
    return keys[i] != keys[i - 1];
  }
};
template <class K>
struct count_group {
  begins_group<K> begins;
  ORDO_FN std::uint64_t operator()(std::size_t t) const { return std::uint64_t(begins(t)); }
};

/// Writes the key and the length of a group.
template <class K>
struct write_group {
  segment_items items;
  K const* keys;
  std::uint64_t const* groups;  // where groups begin
  std::size_t num_groups;
  std::uint64_t num_items;
  K* out_keys;  // or null
  any_positions lengths;
  ORDO_FN void operator()(std::size_t g) const {
    std::uint64_t const t = groups[g];
    if (out_keys) out_keys[g] = keys[items.position(t, items.segment_at(t))];
    if (lengths.wanted()) lengths.set(g, (g + 1 == num_groups ? num_items : groups[g + 1]) - t);
  }
};

/// Writes the number of groups before segment s.
struct write_group_offset {
  segment_items items;
  std::uint64_t const* groups;
  std::size_t num_groups;
  any_positions offsets;
  ORDO_FN void operator()(std::size_t s) const { offsets.set(s, first_bound(groups, num_groups, items.start(s))); }
};

struct write_zero {
  any_positions offsets;
  ORDO_FN void operator()(std::size_t i) const { offsets.set(i, 0); }
};

inline void check_room(char const* array, task_array const& out, std::uint64_t groups) {
  if (out.data && out.size < groups)
    throw usage_error("bad " + std::string(array) + ": unique: length " + std::to_string(out.size) + " for " +
                      std::to_string(groups) + " groups");
}

/// Returns true if items of the array can hold the number.
inline bool fits(task_array const& array, std::uint64_t number) {
  return array.item_bytes == 8 || number >> (array.is_signed ? 31 : 32) == 0;
}

template <Backend B, class K>
std::uint64_t run_unique(B& backend, operation_task const& task) {
  std::size_t const count = task.sort.segments;
  auto const starts = count == 0 ? buffer<std::uint64_t>{} : compute_starts(backend, task.sort);
  segment_items const items{segment_list<any_offset>(task.sort), starts.data()};
  std::uint64_t const n = count == 0                      ? 0
                          : task.sort.uniform_length != 0 ? items.size()
                                                          : value_at(backend, starts.span(), count);
  begins_group<K> const begins{items, n == 0 ? nullptr : typed_span<K>(task.sort.keys, task.sort.n).data()};
  std::uint64_t const num_groups = backend.reduce(n, count_group<K>{begins}, std::uint64_t{0}, plus{});
  check_room("out_keys", task.out_keys, num_groups);
  check_room("out_lengths", task.out_index, num_groups);
  if (task.out_offsets.data && !fits(task.out_offsets, num_groups))
    throw usage_error("offsets too narrow: unique: " + std::to_string(num_groups) + " groups do not fit 32 bits");
  if (task.out_index.data && !fits(task.out_index, n))
    throw usage_error("lengths too narrow: unique: groups of " + std::to_string(n) + " keys may not fit 32 bits");
  if (!task.out_keys.data && !task.out_index.data && !task.out_offsets.data) return num_groups;

  auto const groups = backend.template buffer<std::uint64_t>(num_groups);
  backend.select(n, begins, own_number{}, groups.span());
  if (task.out_keys.data || task.out_index.data)
    backend.each(num_groups, write_group<K>{items, begins.keys, groups.data(), num_groups, n,
                                            static_cast<K*>(task.out_keys.data), any_positions(task.out_index)});
  if (task.out_offsets.data) {
    any_positions const offsets(task.out_offsets);
    if (count == 0)
      backend.each(1, write_zero{offsets});
    else
      backend.each(count + 1, write_group_offset{items, groups.data(), num_groups, offsets});
  }
  return num_groups;
}

inline std::size_t task_unique_memory(operation_task const& task) {
  return starts_memory(task.sort.segments) + pool::rounded(task.sort.n * 8) + lists_memory(task.sort.n);
}

}  // namespace ordo::inline v0::detail
