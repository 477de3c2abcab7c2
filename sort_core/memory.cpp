#include "ordo/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

#include "base/large_blocks.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0 {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

void* host_memory::allocate(std::size_t bytes) {
  bool const large = bytes >= 4 * huge_page;
  std::size_t const unit = large ? huge_page : alignment;
  std::size_t const size = (std::max(bytes, alignment) + unit - 1) / unit * unit;
  auto const allocate = [&] { return std::aligned_alloc(unit, size); };
  void* block = size < bytes ? nullptr : detail::checked_block(size, allocate, detail::refuse_block);
  if (!block) throw out_of_memory(fmt::format("out of memory: host: {} bytes requested", bytes), bytes);
  if (large) madvise(block, size, MADV_HUGEPAGE);
  return block;
}

void host_memory::deallocate(void* block, std::size_t bytes) noexcept {
  if (bytes + huge_page > detail::min_large_block) detail::forget_large_block(block);  // it may have been rounded up
  std::free(block);
}

// Rounds to steps of an eighth of the power of two below: few distinct sizes, so that a pool can reuse blocks. Sizes that
// overflow are returned unchanged, for the source to refuse.
std::size_t pool::rounded(std::size_t bytes) noexcept {
  std::size_t const wanted = std::max(bytes, alignment);
  std::size_t const step = std::max(alignment, std::bit_floor(wanted) / 8);
  std::size_t const size = (wanted + step - 1) / step * step;
  return size < wanted ? bytes : size;
}

void pool::check_limit(std::size_t size) const {
  if (size > limit_ - std::min(in_use_, limit_))
    throw out_of_memory(
        fmt::format("out of memory: limit of {} bytes: {} bytes requested with {} in use", limit_, size, in_use_), size);
}

void* pool::allocate(std::size_t bytes) {
  std::size_t const size = rounded(bytes);
  check_limit(size);
  void* block = from_reserve(size);
  std::size_t taken = size;
  if (!block) {
    auto const result = kept_for(size);
    if (result != kept_.end()) {
      taken = result->first;
      block = result->second;
      kept_.erase(result);
      kept_bytes_ -= taken;
    } else {
      block = from_source(size);
    }
  }
  try {
    used_.emplace(block, used_block{size, taken});
  } catch (...) {
    if (!to_reserve(block)) source_.deallocate(block, taken);
    throw;
  }
  in_use_ += size;
  unused_ += taken - size;
  peak_ = std::max(peak_, in_use_);
  max_in_use_ = std::max(max_in_use_, in_use_);
  return block;
}

void* pool::from_source(std::size_t size) {
  source_.check_allocation(size);
  max_in_use_ = std::max(max_in_use_, in_use_ + size);
  keep_few(size);
  trim(limit_ - in_use_ - size);  // a limit holds for cached blocks, too
  try {
    return source_.allocate(size);
  } catch (out_of_memory const&) {
    spare_ = 0;
    if (kept_.empty() && idle_reserve() == 0) throw;
  }
  // Only as much as is missing, at first: a GPU takes as long to map some gigabytes again as to work on them.
  try {
    std::size_t const cached = kept_bytes_ + idle_reserve();
    auto const larger = kept_.lower_bound(size);
    std::size_t smaller = 0;
    for (auto block = kept_.begin(); block != larger && smaller < size; ++block) smaller += block->first;
    if (larger == kept_.end())
      trim(cached - std::min(cached, size));
    else if (smaller < size || smaller >= larger->first)
      release(larger);
    else
      for (std::size_t freed = 0; freed < size; release(kept_.begin())) freed += kept_.begin()->first;
    return source_.allocate(size);
  } catch (out_of_memory const&) {
    trim();
    return source_.allocate(size);
  }
}

void pool::reserve(std::size_t bytes) {
  std::size_t const size = rounded(bytes);
  if (bytes == 0) return;
  check_limit(size);
  if (idle_reserve() >= size) return;
  if (reserve_ && idle_reserve() == 0) return deallocate(allocate(bytes), bytes);  // in use: cache a block beside it
  source_.check_allocation(size);
  release_reserve();
  reserve_ = static_cast<char*>(from_source(size));
  reserve_size_ = reserve_free_ = size;
}

/// Returns a part of the reserved block, the lowest that is free and large enough, or null.
void* pool::from_reserve(std::size_t size) {
  if (size > reserve_free_) return nullptr;
  std::size_t begin = 0;
  for (auto const& [next, end] : reserve_parts_) {
    if (next - begin >= size) break;
    begin = end;
  }
  if (reserve_size_ - begin < size) return nullptr;
  reserve_parts_.emplace(begin, begin + size);
  reserve_free_ -= size;
  return reserve_ + begin;
}

/// Frees a part of the reserved block. Returns false if `block` is not one.
bool pool::to_reserve(void* block) noexcept {
  auto const at = reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(reserve_);
  if (!reserve_ || at >= reserve_size_) return false;
  auto const part = reserve_parts_.find(at);
  reserve_free_ += part->second - part->first;
  reserve_parts_.erase(part);
  return true;
}

void pool::release_reserve() noexcept {
  if (reserve_) source_.deallocate(reserve_, reserve_size_);
  reserve_ = nullptr;
  reserve_size_ = reserve_free_ = 0;
}

/// Returns a cached block for a request of `size` bytes, or end().
std::multimap<std::size_t, void*>::iterator pool::kept_for(std::size_t size) {
  auto const it = kept_.lower_bound(size);
  if (it == kept_.end() || it->first == size) return it;
  bool const will_do = reuse_ == reuse::larger_too && it->first / 2 <= size && limit_ - in_use_ - size >= max_in_use_ &&
                       unused_ + it->first - size <= spare();
  return will_do ? it : kept_.end();
}

/// Returns the maximum excess, in bytes, of blocks in use over the requests. The source is queried once per maximum in use,
/// because a query takes as long as some kernels. A source that does not know its free memory gives no excess.
std::size_t pool::spare() {
  constexpr std::size_t share = 16;
  if (spare_for_ != max_in_use_) {
    std::size_t const left = source_.available();
    spare_ = left < max_in_use_ || left == memory_resource::available() ? 0 : left / share;
    spare_for_ = max_in_use_;
  }
  return spare_;
}

std::size_t pool::available() const {
  std::size_t const left = source_.available();
  return std::min(limit_ - std::min(in_use_, limit_), left + std::min(kept_bytes_ + idle_reserve(), ~left));
}

void pool::deallocate(void* block, std::size_t) noexcept {
  auto const used = used_.find(block);
  if (used == used_.end()) return;
  auto const [requested, size] = used->second;
  used_.erase(used);
  in_use_ -= requested;
  unused_ -= size - requested;
  if (to_reserve(block)) return;
  if (reuse_ == reuse::none) return source_.deallocate(block, size);
  try {
    kept_.emplace(size, block);
    kept_bytes_ += size;
  } catch (...) {
    return source_.deallocate(block, size);
  }
  keep_few(0);
}

// Frees the smallest blocks first: allocating them again is cheapest.
void pool::keep_few(std::size_t coming) noexcept {
  std::size_t const held = in_use_ + unused_ + reserve_free_ + coming;
  while (!kept_.empty() && held + kept_bytes_ > 2 * max_in_use_) release(kept_.begin());
}

void pool::release(std::multimap<std::size_t, void*>::iterator kept) noexcept {
  auto const [size, block] = *kept;
  kept_bytes_ -= size;
  kept_.erase(kept);
  source_.deallocate(block, size);
}

void pool::trim(std::size_t max_bytes) noexcept {
  while (kept_bytes_ + idle_reserve() > max_bytes) {
    if (kept_.empty() || idle_reserve() >= std::prev(kept_.end())->first)
      release_reserve();
    else
      release(std::prev(kept_.end()));
  }
}

void* limited_memory::allocate(std::size_t bytes) {
  if (bytes > limit_ - std::min(in_use_, limit_))
    throw out_of_memory(
        fmt::format("out of memory: limit of {} bytes: {} bytes requested with {} in use", limit_, bytes, in_use_), bytes);
  void* const block = source_.allocate(bytes);
  in_use_ += bytes;
  return block;
}

std::size_t limited_memory::available() const {
  return std::min(limit_ - in_use_, source_.available());
}

void limited_memory::deallocate(void* block, std::size_t bytes) noexcept {
  in_use_ -= bytes;
  source_.deallocate(block, bytes);
}

}  // namespace ordo::inline v0
