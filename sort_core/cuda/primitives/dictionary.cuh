#pragma once
#include <cstdint>

#include "sort_core/cuda/primitives/thread_group.cuh"

namespace ordo::inline v0::cuda_detail {

/// The distinct keys of a block, if they are few: a hash table with open addressing in shared memory, and the order of its
/// keys.
template <class K, unsigned Threads, unsigned Slots, unsigned Limit>
struct dictionary {
  using team = group<Threads>;
  static constexpr K none = K(~K{0});  // marks empty slots; an equal key needs none, because no key is greater
  K keys[Slots];
  K found[Limit + 1];             // in no particular order
  std::uint32_t count;            // number of keys found; the upper half is nonzero if `none` is a key
  std::uint16_t slot[Limit + 1];  // slots of the keys found
  std::uint8_t order[Slots];      // rank of a slot's key

  /// Writes to numbers[p] the number of distinct keys that are less than all[p], for p in [0, n), and to `greatest` the maximum
  /// of these. Returns false if there are more than Limit keys besides `none`. Called by all threads of the block.
  /// Synchronises.
  __device__ bool number(K const* all, unsigned n, std::uint16_t* numbers, unsigned& greatest) {
    constexpr unsigned with_none = 1u << 16;
    for (unsigned s = team::rank(); s < Slots; s += Threads) keys[s] = none;
    if (team::rank() == 0) count = 0;
    // If 32 items are all different, there will be too many.
    bool repeated = false;
    if (team::rank() < warp_threads)
      repeated = __match_any_sync(all_lanes, all[n * lane_id() / warp_threads]) != 1u << lane_id();
    if (!team::any(repeated)) return false;
    K volatile* const there_is = keys;
    std::uint32_t volatile* const count_now = &count;
    for (unsigned p = team::rank(); p < n; p += Threads) {
      K const key = all[p];
      unsigned at = Slots;
      if (key == none) {
        if (*count_now < with_none) atomicOr(&count, with_none);
      } else {
        for (at = first_slot(key);; at = (at + 1) % Slots) {
          K there = there_is[at];
          if (there == none) {
            there = K(atomicCAS(atomic_word(&keys[at]), atomic_value(none), atomic_value(key)));
            if (there == none) {
              unsigned const number = atomicAdd(&count, 1u) & 0xffff;
              if (number < Limit) {
                found[number] = key;
                slot[number] = std::uint16_t(at);
              }
              break;
            }
          }
          if (there == key || (*count_now & 0xffff) > Limit) break;
        }
      }
      numbers[p] = std::uint16_t(at);
      if ((*count_now & 0xffff) > Limit) break;
    }
    team::sync();
    unsigned const distinct = *count_now & 0xffff;
    greatest = *count_now >= with_none ? distinct : distinct - 1;
    if (distinct > Limit) {
      team::sync();  // the memory may be reused
      return false;
    }
    for (unsigned f = team::rank(); f < distinct; f += Threads) {
      K const key = found[f];
      unsigned less = 0;
      for (unsigned other = 0; other < distinct; ++other) less += found[other] < key;
      order[slot[f]] = std::uint8_t(less);
    }
    team::sync();
    for (unsigned p = team::rank(); p < n; p += Threads)
      numbers[p] = numbers[p] == Slots ? std::uint16_t(distinct) : order[numbers[p]];
    team::sync();
    return true;
  }

 private:
  __device__ static unsigned first_slot(K key) {
    std::uint32_t const folded =
        sizeof(K) > 4 ? std::uint32_t(key) ^ std::uint32_t(std::uint64_t(key) >> 32) * 0x85ebca6bu : std::uint32_t(key);
    return std::uint32_t(folded * 0x9e3779b1u) / (0xffffffffu / Slots + 1);
  }
};

}  // namespace ordo::inline v0::cuda_detail
