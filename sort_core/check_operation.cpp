#include "sort_core/check_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "ordo/detail/checks.hpp"
#include "ordo/error.hpp"
#include "ordo/rows.hpp"

namespace ordo::inline v0::detail {
namespace {

using operation = operation_task::operation;

char const* operation_name(operation kind) {
  switch (kind) {
    case operation::argsort_segments:
      return "argsort_segments";
    case operation::top_k:
      return "top_k";
    case operation::segmented_top_k:
      return "segmented_top_k";
    case operation::argsort_rows:
      return "argsort_rows";
    case operation::gather:
      return "gather";
    case operation::merge:
      return "merge";
    case operation::unique:
      return "unique";
  }
  return "sort";
}

using named_array = std::pair<char const*, task_array>;

/// Checks that an array with items is not null, aligned, and not larger than the address space.
void check_memory(char const* where, named_array const& array) {
  auto const& [name, items] = array;
  if (items.size == 0) return;
  if (!items.data) throw usage_error(fmt::format("bad {}: {}: {} items at a null pointer", name, where, items.size));
  if (reinterpret_cast<std::uintptr_t>(items.data) % items.alignment != 0)
    throw usage_error(
        fmt::format("bad {}: {}: misaligned: at an address that is not a multiple of {}", name, where, items.alignment));
}

void check_apart(char const* where, named_array const& a, named_array const& b) {
  auto const begin = [](named_array const& x) { return reinterpret_cast<std::uintptr_t>(x.second.data); };
  auto const end = [&](named_array const& x) { return begin(x) + x.second.size * x.second.item_bytes; };
  if (a.second.size == 0 || b.second.size == 0) return;
  if (begin(a) < end(b) && begin(b) < end(a))
    throw usage_error(fmt::format("bad {}: {}: overlaps {}", a.first, where, b.first));
}

/// Checks outputs and inputs, and that no output overlaps an input or another output.
void check_arrays(char const* where, std::initializer_list<named_array> outputs, std::initializer_list<named_array> inputs) {
  for (named_array const& input : inputs) check_memory(where, input);
  for (named_array const& output : outputs) check_memory(where, output);
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    for (named_array const& input : inputs) check_apart(where, *output, input);
    for (auto other = outputs.begin(); other != output; ++other) check_apart(where, *output, *other);
  }
}

void check_size(char const* name, char const* where, std::size_t size, std::size_t needed) {
  if (size != needed) throw usage_error(fmt::format("bad {}: {}: length {}, but {} are needed", name, where, size, needed));
}

void check_known_segments(sort_task const& task) {
  sort_task only = task;
  only.kind = sort_task::operation::check;
  check_arguments(only);
}

named_array named_keys(operation_task const& task) {
  return {"keys", {task.sort.keys, task.sort.n, task.sort.key_bytes, false, task.sort.key_bytes}};
}

void check_top_k(operation_task const& task, char const* where) {
  bool const segmented = task.kind == operation::segmented_top_k;
  std::size_t needed = task.k;
  if (segmented) {
    check_known_segments(task.sort);
    if (__builtin_mul_overflow(task.sort.segments, task.k, &needed))
      throw usage_error(fmt::format("bad k: {}: {} keys of each of {} segments", where, task.k, task.sort.segments));
  } else if (task.k > task.sort.n) {
    throw usage_error(fmt::format("bad k: {}: {} of {} keys", where, task.k, task.sort.n));
  }
  if (task.out_keys.data || task.out_keys.size != 0 || !task.out_index.data)
    check_size("out_keys", where, task.out_keys.size, needed);
  if (task.out_index.data || task.out_index.size != 0) check_size("out_index", where, task.out_index.size, needed);
  check_arrays(where, {{"out_keys", task.out_keys}, {"out_index", task.out_index}}, {named_keys(task)});
}

void check_rows(operation_task const& task, char const* where) {
  if (task.num_row_keys != 0 && !task.row_keys)
    throw usage_error(fmt::format("bad keys: {}: {} keys at a null pointer", where, task.num_row_keys));
  named_array const index{"index", task.out_index};
  check_memory(where, index);
  for (std::size_t c = 0; c < task.num_row_keys; ++c) {
    row_key const& key = task.row_keys[c];
    if (key.size != task.sort.n)
      throw usage_error(fmt::format("bad key {}: {}: length {} for an index of {}", c, where, key.size, task.sort.n));
    std::size_t const alignment = key.format == row_format::number ? key.value_bytes : key.format == row_format::words ? 8 : 1;
    if (key.value_bytes == 0) throw usage_error(fmt::format("bad key {}: {}: strings of 0 bytes", c, where));
    named_array const column{"key", {const_cast<void*>(key.values), key.size, key.value_bytes, false, alignment}};
    check_memory(where, column);
    check_apart(where, index, column);
    if (!key.options.validity || key.size == 0) continue;
    std::size_t const first = key.options.validity_offset / 8, end = (key.options.validity_offset + key.size + 7) / 8;
    check_apart(where, index, {"validity", {const_cast<std::uint8_t*>(key.options.validity) + first, end - first, 1}});
  }
}

void check_merge(operation_task const& task, char const* where) {
  std::size_t const n = task.sort.n + task.other_keys.size;
  check_size("out", where, task.out_keys.size, n);
  if (task.out_values.item_bytes != 0) {
    check_size("a_values", where, task.values.size, task.sort.n);
    check_size("b_values", where, task.other_values.size, task.other_keys.size);
    check_size("out_values", where, task.out_values.size, n);
  }
  check_arrays(
      where, {{"out", task.out_keys}, {"out_values", task.out_values}},
      {{"a", named_keys(task).second}, {"b", task.other_keys}, {"a_values", task.values}, {"b_values", task.other_values}});
}

}  // namespace

void check_operation_width(operation_task const& task) {
  using enum operation_task::operation;
  if (task.kind == argsort_segments) return check_index_width(task.sort.n, task.sort.value_bytes, task.sort.signed_index);
  if (task.kind != unique && task.out_index.item_bytes != 0)
    check_index_width(task.sort.n, task.out_index.item_bytes, task.out_index.is_signed);
}

void check_operation_extents(operation_task const& task) {
  check_extents(task.sort);
  std::size_t const index_bytes = std::max<std::size_t>(task.out_index.item_bytes, 8);
  check_extent("index", task.sort.n, index_bytes);
  if (task.kind != operation::segmented_top_k) return;
  std::size_t items = 0;
  if (__builtin_mul_overflow(task.sort.segments, task.k, &items)) items = ~std::size_t{0};
  check_extent("result", items, index_bytes);
}

void check_operation(operation_task const& task) {
  char const* const where = operation_name(task.kind);
  check_operation_width(task);
  switch (task.kind) {
    case operation::argsort_segments:
      check_known_segments(task.sort);
      check_length("index", where, task.sort.values_given, task.sort.n);
      return check_arrays(
          where, {{"index", {task.sort.values, task.sort.values_given, task.sort.value_bytes, false, task.sort.value_bytes}}},
          {named_keys(task)});
    case operation::top_k:
    case operation::segmented_top_k:
      return check_top_k(task, where);
    case operation::argsort_rows:
      return check_rows(task, where);
    case operation::gather:
      check_size("to", where, task.out_values.size, task.index.size);
      return check_arrays(where, {{"to", task.out_values}}, {{"from", task.values}, {"index", task.index}});
    case operation::merge:
      return check_merge(task, where);
    case operation::unique:
      check_known_segments(task.sort);
      if (task.out_offsets.item_bytes != 0) check_size("out_offsets", where, task.out_offsets.size, task.sort.segments + 1);
      return check_arrays(where,
                          {{"out_keys", task.out_keys}, {"out_lengths", task.out_index}, {"out_offsets", task.out_offsets}},
                          {named_keys(task)});
  }
}

}  // namespace ordo::inline v0::detail
