// The sorts of the module _ordosort, for code that is compiled for one version of a framework. This header is all that such
// code needs of Ordo: it has functions by their addresses, and no exceptions, because its compiler is another one.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ordosort {

/// The type of keys, offsets or positions. The numbers are those of ordo_type in ordo.h.
enum class type : std::int32_t {
  none = 0,
  int8 = 1,
  int16 = 2,
  int32 = 3,
  int64 = 4,
  uint8 = 5,  // also for bool
  uint16 = 6,
  uint32 = 7,
  uint64 = 8,
  float16 = 9,
  bfloat16 = 10,
  float32 = 11,
  float64 = 12
};

/// The outcome of a call. The numbers are those of ordo_status.
enum class status : std::int32_t { ok = 0, usage_error = 1, out_of_memory = 4 };

/// The place where the arrays of a call are and its work is done.
struct place {
  std::int32_t gpu = -1;   // the index of the GPU that holds the arrays; -1 for host memory
  void* stream = nullptr;  // the cudaStream_t on which work is queued
  unsigned threads = 0;    // the number of threads of a CPU; 0 for all
  /// Returns `bytes` bytes of temporary memory, aligned to 256, or null if there are no more. The caller of a sort frees them
  /// after the call, in the order of the stream. Without the function, memory is of a pool that is kept for later calls.
  void* (*allocate)(void* context, std::size_t bytes) = nullptr;
  void* context = nullptr;
};

/// Adjacent rows of one length, which are sorted independently.
struct rows {
  std::size_t count, length;
};

struct input {
  type kind;
  void const* items;
};
struct output {
  type kind;
  void* items;
};

/// The functions, which any thread may call. All sorts are stable. Every NaN is greater than all numbers, whatever its sign.
///
/// argsort, top_k and their segmented forms write positions that count from the begin of the row, and leave the keys as they
/// are. NaNs are equal, and so are -0.0 and +0.0; sort distinguishes zeros and NaNs by their signs.
///
/// In the segmented forms each row has its own `segments` + 1 offsets, between which its segments are. Offsets are checked in
/// host memory alone.
struct calls {
  std::size_t size = sizeof(calls);
  status (*sort)(place const& on, output keys, rows shape, bool descending);
  status (*argsort)(place const& on, input keys, output index, rows shape, bool descending);
  status (*segmented_argsort)(place const& on, input keys, input offsets, output index, rows shape, std::size_t segments,
                              bool descending);
  status (*top_k)(place const& on, input keys, output index, rows shape, std::size_t k, bool largest);
  /// Writes k positions for each segment. Those that a segment of fewer keys does not fill stay as they are.
  status (*segmented_top_k)(place const& on, input keys, input offsets, output index, rows shape, std::size_t segments,
                            std::size_t k, bool largest);
  /// Returns the text of the last error of the calling thread.
  char const* (*last_error)();
};

}  // namespace ordosort
