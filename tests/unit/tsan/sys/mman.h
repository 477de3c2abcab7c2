#pragma once
#include_next <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

// The thread sanitizer does not see mremap: what one thread has written in memory that moves away is a race with what another one
// writes in its own memory at that address later. This takes new memory, and copies.
inline void* ordo_moved_memory(void* old, std::size_t old_size, std::size_t size, int /*flags*/) {
  void* const block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return block;
  std::memcpy(block, old, std::min(old_size, size));
  munmap(old, old_size);
  return block;
}
#define mremap ordo_moved_memory
