#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/segments.hpp"

namespace ordo {
class sink;
class source;
}  // namespace ordo

namespace ordo::detail {

/// A sort on its way through the door (sort.hpp): types are given by their widths, so that one compiled function serves them
/// all. Pointers are the machine's memory.
struct sort_task {
  enum class operation { keys, argsort, segments, arrays, check } what = operation::keys;  // check: the segments, nothing else
  void* keys = nullptr;
  std::size_t key_bytes = 4;    // 1, 2, 4 or 8
  bool keep_keys = false;       // keys are read and not moved; values alone come in order
  void* values = nullptr;       // argsort: the index
  std::size_t value_bytes = 0;  // 0 for none, 4, 8 or 16
  std::size_t n = 0, values_given = 0;
  bit_range bits;
  std::uint64_t flip = 0, flip_negative = 0;  // the keys' key_code

  // Segments and arrays:
  void const *begins = nullptr, *ends = nullptr;
  std::size_t offset_bytes = 4;  // 4 or 8
  std::size_t segments = 0, ends_given = 0, max_length = ~std::size_t{0}, uniform_length = 0;
  bool nan_last = false;  // NaNs are equal, come last in either order, and lose their sign and payload
  std::uint8_t* heads = nullptr;
  std::size_t heads_given = 0;
};

/// Arrays of one length from a source to a sink (array_stream.hpp).
struct stream_task {
  sort_task sort;  // without keys
  source* from = nullptr;
  sink* to = nullptr;
  std::size_t part_bytes = std::size_t{256} << 20;  // at most, but for one array
};

}  // namespace ordo::detail
