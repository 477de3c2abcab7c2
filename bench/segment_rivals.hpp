#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ordo/memory.hpp"

// Segmented sorts that are in no package, each compiled by itself, if the reader has named its sources. All are told segments
// by 32-bit offsets and queue their work on a stream. V is void where there are keys alone.
struct CUstream_st;  // cudaStream_t is a pointer to it

namespace ordo::bench {

struct rival_segments {
  int items, count;  // items: of the array, holes counted
  std::uint32_t const *begins, *ends;
};

/// What bb_segsort (Hou et al.'s own code, in Kobus's version) works in, beside a second copy of the items: it is taken here,
/// so that it does not count. Not stable.
class bb_segsort_work {
 public:
  explicit bb_segsort_work(int segments);
  ~bb_segsort_work();
  bb_segsort_work(bb_segsort_work const&) = delete;
  bb_segsort_work& operator=(bb_segsort_work const&) = delete;

  /// Its kernels cannot be launched for a longer segment.
  static constexpr std::size_t longest = 65535 * std::size_t{2048};
  /// Sorts into keys_out and values_out; keys and values are overwritten. Holes stay as they are.
  template <class K, class V>
  void sort(rival_segments const& segments, K* keys, V* values, K* keys_out, V* values_out, CUstream_st* stream);

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

/// ModernGPU, whose memory comes from a pool, so that it is taken in the warm-up only. Stable; no holes.
class modern_gpu {
 public:
  modern_gpu(pool& memory, CUstream_st* stream);
  ~modern_gpu();
  modern_gpu(modern_gpu const&) = delete;
  modern_gpu& operator=(modern_gpu const&) = delete;

  /// Sorts in place, for its caller. @throws device_error
  template <class K, class V>
  void sort(rival_segments const& segments, K* keys, V* values);

 private:
  class context;
  std::unique_ptr<context> context_;
};

}  // namespace ordo::bench

/// do_it(K, V) for the types of segmented_sort and array_sort.
#define ORDO_FOR_SEGMENT_TYPES(do_it)                                                                               \
  do_it(std::uint32_t, void) do_it(std::uint32_t, std::uint32_t) do_it(std::uint32_t, std::uint64_t)                \
      do_it(std::uint64_t, void) do_it(std::uint64_t, std::uint32_t) do_it(float, void) do_it(float, std::uint32_t) \
          do_it(float, std::uint64_t) do_it(double, void) do_it(double, std::uint32_t)
