#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/segments.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0 {
class host_backend;
class sink;
class source;
}  // namespace ordo::inline v0

namespace ordo::inline v0::detail {

struct sort_task;

/// The code of a CPU for tasks of keys of one width. A task refers to it, so that a program links that of its own widths.
struct host_code {
  bool (*run_few)(sort_task const&) noexcept;  // returns false, with nothing written, if there are too many items for it
  void (*run)(host_backend&, sort_task const&);
};
extern host_code const host_code_8, host_code_16, host_code_32, host_code_64;

/// Returns the code for keys of a number of bytes.
template <std::size_t Bytes>
constexpr host_code const* typed_host_code() {
  if constexpr (Bytes == 1)
    return &host_code_8;
  else if constexpr (Bytes == 2)
    return &host_code_16;
  else if constexpr (Bytes == 4)
    return &host_code_32;
  else
    return &host_code_64;
}
/// Does so at run time: a program that calls this links all of it.
host_code const* host_code_for(std::size_t bytes) noexcept;

/// The arguments of a sort of sort.hpp, with types given by their widths, so that one compiled function serves all types.
/// Pointers are in the machine's memory.
struct sort_task {
  enum class operation { keys, argsort, segments, arrays, check } kind = operation::keys;  // check: checks the segments only
  void* keys = nullptr;
  std::size_t key_bytes = 4;    // 1, 2, 4 or 8
  bool keep_keys = false;       // keys are only read; values alone are reordered
  void* values = nullptr;       // for argsort, the index
  std::size_t value_bytes = 0;  // 0 for no values
  /// A power of two that divides the address of the values. Values of 4, 8 and 16 bytes whose address is a multiple of their
  /// width move with the keys; others are moved by their positions after the sort.
  std::size_t value_alignment = 1;
  bool signed_index = false;  // the index of argsort
  std::size_t n = 0, values_given = 0;
  // If out_of_place, keys and values are read from keys_in and values_in. Each is its output itself or overlaps no output.
  bool out_of_place = false;
  void const *keys_in = nullptr, *values_in = nullptr;
  std::size_t keys_in_given = 0, values_in_given = 0;
  bit_range bits;
  std::uint64_t flip = 0, flip_negative = 0, rotate = 0;  // the key_code of the keys
  /// The greatest magnitude of a number, for keys that are only read. Greater ones are NaNs, which are equal and come last, or
  /// first if nans_first.
  std::uint64_t max_magnitude = ~std::uint64_t{0};
  bool nans_first = false;
  bool equal_zeros = false;  // -0.0 has the code of +0.0. Keys that are written are then moved by their positions

  // For segments and arrays:
  void const *begins = nullptr, *ends = nullptr;
  std::size_t offset_bytes = 4;  // 4 or 8
  bool signed_offsets = false;   // for messages: a negative offset counts as the unsigned number of the same bits
  std::size_t segments = 0, ends_given = 0, max_length = ~std::size_t{0}, uniform_length = 0;
  host_code const* host = nullptr;
  bool nan_last = false;  // NaNs are equal, come last in either order, and lose their sign and payload
  std::uint8_t* heads = nullptr;
  std::size_t heads_given = 0;
};

/// The arguments of stream_arrays: arrays of one length, from a source to a sink (array_stream.hpp).
struct stream_task {
  sort_task sort;  // without keys
  source* from = nullptr;
  sink* to = nullptr;
  std::size_t part_bytes = std::size_t{256} << 20;  // maximum, unless one array is larger
};

}  // namespace ordo::inline v0::detail
#pragma GCC visibility pop
