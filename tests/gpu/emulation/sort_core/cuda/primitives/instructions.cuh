#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "tests/gpu/emulation/emulation.hpp"

namespace ordo::inline v0::cuda_detail {

constexpr unsigned warp_threads = 32;
constexpr unsigned all_lanes = 0xffffffffu;

inline unsigned lane_id() {
  return emulation::lane();
}
inline unsigned char* dynamic_shared_memory() {
  return emulation::now->shared;
}
[[nodiscard]] inline unsigned lanes_below() {
  return (1u << lane_id()) - 1;
}

inline void wait_for_previous() {
  emulation::self->begun = true;
}

template <class T>
void check_alignment(T const* shared, T const* from, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(shared) % bytes != 0 || reinterpret_cast<std::uintptr_t>(from) % bytes != 0)
    throw std::logic_error("emulation: a copy that is not aligned");
}
template <class T>
void copy_async(T* shared, T const* from) {
  check_alignment(shared, from, sizeof(T));
  *shared = *from;
}
template <class T>
void copy_async_16(T* shared, T const* from) {
  check_alignment(shared, from, 16);
  for (unsigned i = 0; i < 16 / sizeof(T); ++i) shared[i] = from[i];
}
inline void wait_for_copies() {}

constexpr bool has_bulk_prefetch = true;
inline void bulk_prefetch(void const*, std::size_t) {}
inline void prefetch(void const*) {}

template <unsigned Bits>
[[nodiscard]] unsigned lanes_alike(unsigned digit, unsigned alike) {
  for (unsigned bit = 0; bit < Bits; ++bit) {
    unsigned const ones = __ballot_sync(all_lanes, (digit >> bit & 1) != 0);
    alike &= (digit >> bit & 1) != 0 ? ones : ~ones;
  }
  return alike;
}

[[nodiscard]] inline unsigned opaque(unsigned x) {
  return x;
}
template <class T>
T* opaque_shared(T* shared) {
  return shared;
}

}  // namespace ordo::inline v0::cuda_detail
