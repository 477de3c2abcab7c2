#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/detail/task.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0 {
struct row_key;
}  // namespace ordo::inline v0

namespace ordo::inline v0::detail {

struct operation_task;

/// The code of a CPU for operations on keys of one width, or on rows, as host_code is that for sorts.
struct host_operation_code {
  bool (*run_few)(operation_task const&);
  std::uint64_t (*run)(host_backend&, operation_task const&);
};
extern host_operation_code const host_operations_8, host_operations_16, host_operations_32, host_operations_64;
extern host_operation_code const host_operations_on_rows;

template <std::size_t Bytes>
constexpr host_operation_code const* typed_host_operations() {
  if constexpr (Bytes == 1)
    return &host_operations_8;
  else if constexpr (Bytes == 2)
    return &host_operations_16;
  else if constexpr (Bytes == 4)
    return &host_operations_32;
  else
    return &host_operations_64;
}
host_operation_code const* host_operations_for(std::size_t bytes) noexcept;

/// An array with its type given by its width. A null array has no items and is not wanted.
struct task_array {
  void* data = nullptr;
  std::size_t size = 0;
  std::size_t item_bytes = 0;
  bool is_signed = false;
  std::size_t alignment = 1;
};

/// The arguments of an operation that is made of sorts and of the basic operations of a Backend: top_k.hpp, rows.hpp, merge.hpp
/// and argsort_segments. Pointers are in the machine's memory, except that of row_keys.
struct operation_task {
  enum class operation { argsort_segments, top_k, segmented_top_k, argsort_rows, gather, merge, unique } kind;
  host_operation_code const* host = nullptr;
  sort_task sort;                     // the keys, their order and segments; for argsort_segments the index
  bool relative = false;              // positions count from the begin of their segment
  std::size_t k = 0;                  // for top_k
  bool sorted = true;                 // for top_k
  task_array out_keys;                // the keys of the result
  task_array out_index;               // the positions of the result, or the lengths of groups
  task_array out_offsets;             // for unique: segment offsets of the result
  task_array values;                  // for merge and gather
  task_array other_keys;              // for merge
  task_array other_values;            // for merge
  task_array out_values;              // for merge and gather
  task_array index;                   // for gather
  row_key const* row_keys = nullptr;  // in the host's memory
  std::size_t num_row_keys = 0;
};

}  // namespace ordo::inline v0::detail
#pragma GCC visibility pop
