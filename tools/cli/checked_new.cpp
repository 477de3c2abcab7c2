#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <malloc.h>

#include "base/large_blocks.hpp"

// The allocations of the whole program. One line or one spectrum can take more than there is, and malloc() does not fail in a
// control group. So every large block, of whatever container, is checked here; the others are allocated as the standard library
// does it.
namespace {

using namespace ordo;

// Returns null where malloc() does, and there is no handler.
template <class Allocate>
void* allocated(std::size_t bytes, Allocate allocate) {
  auto const refuse = [](detail::memory_shortage const& figures) { throw detail::memory_refused(figures); };
  for (;;) {
    if (void* const block = detail::checked_block(bytes, allocate, refuse)) return block;
    std::new_handler const handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void free_block(void* block) noexcept {
  if (block && malloc_usable_size(block) >= detail::min_large_block) detail::forget_large_block(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocated(bytes, [bytes] { return std::malloc(std::max<std::size_t>(bytes, 1)); });
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  auto const unit = static_cast<std::size_t>(alignment);
  return allocated(bytes, [bytes, unit] {
    std::size_t const size = (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
    return size < bytes ? nullptr : std::aligned_alloc(unit, size);
  });
}

void operator delete(void* block) noexcept {
  free_block(block);
}

void operator delete(void* block, std::size_t) noexcept {
  free_block(block);
}

void operator delete(void* block, std::align_val_t) noexcept {
  free_block(block);
}

void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  free_block(block);
}
