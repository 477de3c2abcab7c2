#include "ordo/run_time_types.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "ordo/detail/checks.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0 {
namespace detail {
namespace {

/// Calls f.operator()<K>() with the type of keys.
template <class F>
auto with_key_type(key_type type, F f) {
  switch (type) {
    case key_type::int8:
      return f.template operator()<std::int8_t>();
    case key_type::int16:
      return f.template operator()<std::int16_t>();
    case key_type::int32:
      return f.template operator()<std::int32_t>();
    case key_type::int64:
      return f.template operator()<std::int64_t>();
    case key_type::uint8:
      return f.template operator()<std::uint8_t>();
    case key_type::uint16:
      return f.template operator()<std::uint16_t>();
    case key_type::uint32:
      return f.template operator()<std::uint32_t>();
    case key_type::uint64:
      return f.template operator()<std::uint64_t>();
    case key_type::float16:
      return f.template operator()<half>();
    case key_type::bfloat16:
      return f.template operator()<bfloat16>();
    case key_type::float32:
      return f.template operator()<float>();
    case key_type::float64:
      return f.template operator()<double>();
  }
  throw usage_error(fmt::format("unknown type: {} is no key_type", std::int32_t(type)));
}

template <class K>
sort_task make_typed_task(sort_task::operation kind, typed_input const& keys, run_time_order const& order) {
  std::span<K> const all(static_cast<K*>(const_cast<void*>(keys.data)), keys.size);
  key_order const of_floats{order.nans, order.zeros};
  return order.order == sort_order::descending ? make_task<sort_order::descending>(kind, all, order.bits, of_floats)
                                               : make_task<sort_order::ascending>(kind, all, order.bits, of_floats);
}

/// Returns the width of values that move with keys, as far as their address allows.
std::size_t value_alignment(void const* values, std::size_t bytes) {
  std::size_t alignment = bytes == 4 || bytes == 8 || bytes == 16 ? bytes : 1;
  while (reinterpret_cast<std::uintptr_t>(values) % alignment != 0) alignment /= 2;
  return alignment;
}

void check_same(char const* name, std::size_t given, std::size_t expected) {
  if (given != expected) throw usage_error(fmt::format("bad {}: sort: not of the type of its output", name));
}

void add_typed_inputs(sort_task& task, typed_input const& keys_in, key_type type, value_input const& values_in) {
  check_same("keys_in", std::size_t(keys_in.type), std::size_t(type));
  check_same("values_in", values_in.item_bytes, task.value_bytes);
  task.out_of_place = true;
  task.keys_in = keys_in.data;
  task.keys_in_given = keys_in.size;
  task.values_in = values_in.data;
  task.values_in_given = values_in.size;
  if (task.value_bytes != 0)
    task.value_alignment = std::min(task.value_alignment, value_alignment(values_in.data, task.value_bytes));
}

/// Returns an array of positions. @throws usage_error  for a type of no positions
task_array positions(typed_array const& index) {
  std::size_t const bytes = key_width(index.type);
  bool const is_integer = index.type < key_type::float16;
  if (!is_integer || bytes < 4) throw usage_error("bad index: type: positions are integers of 32 or 64 bits");
  check_extent("index", index.size, bytes);
  return {index.data, index.size, bytes, index.type <= key_type::int64, bytes};
}

}  // namespace

sort_task typed_task(sort_task::operation kind, typed_input const& keys, run_time_order const& order, bool read_only) {
  check_extent("keys", keys.size, key_width(keys.type));
  return with_key_type(keys.type, [&]<class K>() {
    return read_only ? make_typed_task<K const>(kind, keys, order) : make_typed_task<K>(kind, keys, order);
  });
}

void add_typed_values(sort_task& task, value_bytes const& values) {
  if (values.item_bytes == 0) {
    if (values.data || values.size != 0) throw usage_error("bad values: width: values of 0 bytes");
    return;
  }
  check_extent("values", values.size, values.item_bytes);
  task.values = values.data;
  task.value_bytes = values.item_bytes;
  task.value_alignment = value_alignment(values.data, values.item_bytes);
  task.values_given = values.size;
}

}  // namespace detail

using detail::sort_task;

std::size_t key_width(key_type type) {
  return detail::with_key_type(type, []<class K>() { return sizeof(K); });
}

void sort_keys(machine& on, typed_array const& keys, run_time_order const& order) {
  on.run(detail::typed_task(sort_task::operation::keys, keys, order, false));
}

void sort_pairs(machine& on, typed_array const& keys, value_bytes const& values, run_time_order const& order) {
  sort_task task = detail::typed_task(sort_task::operation::keys, keys, order, false);
  detail::add_typed_values(task, values);
  on.run(task);
}

void sort_keys(machine& on, typed_input const& keys_in, typed_array const& keys, run_time_order const& order) {
  sort_pairs(on, keys_in, keys, {}, {}, order);
}

void sort_pairs(machine& on, typed_input const& keys_in, typed_array const& keys, value_input const& values_in,
                value_bytes const& values, run_time_order const& order) {
  sort_task task = detail::typed_task(sort_task::operation::keys, keys, order, false);
  detail::add_typed_values(task, values);
  detail::add_typed_inputs(task, keys_in, keys.type, values_in);
  on.run(task);
}

void argsort(machine& on, typed_input const& keys, typed_array const& index, run_time_order const& order) {
  sort_task task = detail::typed_task(sort_task::operation::argsort, keys, order, true);
  detail::task_array const numbers = detail::positions(index);
  detail::add_typed_values(task, {numbers.data, numbers.size, numbers.item_bytes});
  task.value_alignment = numbers.item_bytes;  // a misaligned index is an error
  task.signed_index = numbers.is_signed;
  on.run(task);
}

void top_k(machine& on, typed_input const& keys, std::size_t k, typed_array const& out_keys, typed_array const& out_index,
           top_k_options const& options) {
  if (out_keys.size != 0 && out_keys.type != keys.type) throw usage_error("bad out_keys: top_k: not of the type of the keys");
  detail::operation_task task;
  task.kind = detail::operation_task::operation::top_k;
  task.host = detail::host_operations_for(key_width(keys.type));
  task.sort = detail::typed_task(
      sort_task::operation::argsort, keys,
      {options.largest ? sort_order::descending : sort_order::ascending, options.order.nans, options.order.zeros}, true);
  task.k = k;
  task.sorted = options.sorted;
  task.relative = options.relative;
  std::size_t const bytes = task.sort.key_bytes;
  if (out_keys.size != 0) task.out_keys = {out_keys.data, out_keys.size, bytes, false, bytes};
  if (out_index.size != 0) task.out_index = detail::positions(out_index);
  on.run(task);
}

}  // namespace ordo::inline v0
