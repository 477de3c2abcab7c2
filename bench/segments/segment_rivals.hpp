#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ordo/memory.hpp"

// Segmented sorts that are in no package, each compiled in a source of its own if its folder is given to CMake. They take
// segments as 32-bit offsets, and queue their work on a stream. V is void for keys alone.
struct CUstream_st;  // cudaStream_t is a pointer to it

namespace ordo::inline v0::bench {

struct rival_segments {
  int items, count;  // items of the array, holes included
  std::uint32_t const *begins, *ends;
};

/// bb_segsort, the code of Hou et al. in the fork of Kobus, and its memory beside a second copy of the items, which the
/// constructor allocates so that it is not timed. Not stable.
class bb_segsort_work {
 public:
  explicit bb_segsort_work(int segments);
  ~bb_segsort_work();
  bb_segsort_work(bb_segsort_work const&) = delete;
  bb_segsort_work& operator=(bb_segsort_work const&) = delete;

  /// The longest segment for which its kernels can be launched.
  static constexpr std::size_t longest = 65535 * std::size_t{2048};
  /// Sorts into keys_out and values_out, and overwrites keys and values. Holes do not change.
  template <class K, class V>
  void sort(rival_segments const& segments, K* keys, V* values, K* keys_out, V* values_out, CUstream_st* stream);
  /// The same by 64-bit offsets, count + 1 of them.
  void sort_floats(std::uint64_t const* offsets, int count, float* keys, float* keys_out, CUstream_st* stream);

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

/// ModernGPU, with memory from a pool, so that only the warm-up allocates. Stable, without holes.
class modern_gpu {
 public:
  modern_gpu(pool& memory, CUstream_st* stream);
  ~modern_gpu();
  modern_gpu(modern_gpu const&) = delete;
  modern_gpu& operator=(modern_gpu const&) = delete;

  /// Sorts in place. @throws device_error
  template <class K, class V>
  void sort(rival_segments const& segments, K* keys, V* values);

 private:
  class context;
  std::unique_ptr<context> context_;
};

}  // namespace ordo::inline v0::bench

/// Expands do_it(K, V) for the types of segmented_sort and array_sort.
#define ORDO_FOR_SEGMENT_TYPES(do_it)                                                                               \
  do_it(std::uint32_t, void) do_it(std::uint32_t, std::uint32_t) do_it(std::uint32_t, std::uint64_t)                \
      do_it(std::uint64_t, void) do_it(std::uint64_t, std::uint32_t) do_it(float, void) do_it(float, std::uint32_t) \
          do_it(float, std::uint64_t) do_it(double, void) do_it(double, std::uint32_t)
