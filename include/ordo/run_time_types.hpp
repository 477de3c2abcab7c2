#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/detail/operation_task.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/machine.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/segments.hpp"
#include "ordo/sort.hpp"
#include "ordo/top_k.hpp"

#pragma GCC visibility push(default)

/// The sorts of sort.hpp and top_k.hpp for arrays whose types, directions and orders are known at run time, as columns of a
/// table have them. Each call does what that of the same name does there, with the same code. ordo.h has the same for C.
/// @code
///   ordo::sort_keys(gpu, ordo::typed_array{ordo::key_type::float32, device_floats, n},
///                   {.order = ordo::sort_order::descending, .nans = ordo::nan_order::last});
/// @endcode
namespace ordo::inline v0 {

/// A type of keys. The numbers are those of ordo_type.
enum class key_type : std::int32_t {
  int8 = 1,
  int16,
  int32,
  int64,
  uint8,  // also for bool
  uint16,
  uint32,
  uint64,
  float16,  // IEEE 754 binary16
  bfloat16,
  float32,
  float64
};

/// Returns the width of a key in bytes. @throws usage_error  for a number that is no key_type
std::size_t key_width(key_type type);

/// An array of keys or of positions, which a call writes or may only read.
struct typed_array {
  key_type type;
  void* data;
  std::size_t size;
};
struct typed_input {
  key_type type;
  void const* data;
  std::size_t size;

  typed_input(key_type kind, void const* items, std::size_t n) : type(kind), data(items), size(n) {}
  // NOLINTNEXTLINE(google-explicit-constructor): what can be written can be read
  typed_input(typed_array const& array) : type(array.type), data(array.data), size(array.size) {}
};

/// An array of values of any width. Without items there are none.
struct value_bytes {
  void* data = nullptr;
  std::size_t size = 0;
  std::size_t item_bytes = 0;
};
struct value_input {
  void const* data = nullptr;
  std::size_t size = 0;
  std::size_t item_bytes = 0;
};

/// The order of a sort at run time.
struct run_time_order {
  sort_order order = sort_order::ascending;
  nan_order nans = nan_order::total;
  ordo::zeros zeros = ordo::zeros::distinct;
  bit_range bits = {};
};

namespace detail {
/// Returns the task of a sort. @param read_only  the keys are not written
sort_task typed_task(sort_task::operation kind, typed_input const& keys, run_time_order const& order, bool read_only);
void add_typed_values(sort_task& task, value_bytes const& values);
}  // namespace detail

/// Sort keys, and values with them, in place.
void sort_keys(machine& on, typed_array const& keys, run_time_order const& order = {});
void sort_pairs(machine& on, typed_array const& keys, value_bytes const& values, run_time_order const& order = {});

/// Sort keys_in into `keys`, and values_in into `values` with them.
/// @throws usage_error  also if an input has another type, width or length than its output
void sort_keys(machine& on, typed_input const& keys_in, typed_array const& keys, run_time_order const& order = {});
void sort_pairs(machine& on, typed_input const& keys_in, typed_array const& keys, value_input const& values_in,
                value_bytes const& values, run_time_order const& order = {});

/// Writes to index[i] the position of the i-th smallest key. @param index  integers of 32 or 64 bits
void argsort(machine& on, typed_input const& keys, typed_array const& index, run_time_order const& order = {});

/// Sorts the keys of each segment, and values with them.
template <detail::position_type Offset>
void sort_segments(machine& on, typed_array const& keys, value_bytes const& values, segment_list<Offset> segments,
                   detail::head_array heads = {}, run_time_order const& order = {}) {
  auto task = detail::typed_task(detail::sort_task::operation::segments, keys, order, false);
  detail::add_typed_values(task, values);
  detail::add_segments(task, segments);
  detail::add_heads(task, heads.span());
  on.run(task);
}

/// Writes the k greatest or smallest keys to out_keys and their positions to out_index.
/// @param out_keys, out_index  k items; one of the two may have none
void top_k(machine& on, typed_input const& keys, std::size_t k, typed_array const& out_keys, typed_array const& out_index,
           top_k_options const& options = {});

}  // namespace ordo::inline v0
#pragma GCC visibility pop
