#include "ordo/host_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <sys/mman.h>

#include "base/large_blocks.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0 {
namespace {

constexpr std::size_t page = 4096, huge_page = std::size_t{2} << 20;

}  // namespace

host_bytes::~host_bytes() {
  if (!data_) return;
  detail::forget_large_block(data_);
  munmap(data_, capacity_);
}

void host_bytes::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  std::size_t const unit = capacity >= huge_page ? huge_page : page;
  if (capacity > std::numeric_limits<std::size_t>::max() - unit)
    throw out_of_memory(fmt::format("out of memory: host: {} bytes requested", capacity), capacity);
  std::size_t const size = (capacity + unit - 1) / unit * unit;
  auto const allocate = [&] {
    return data_ ? mremap(data_, capacity_, size, MREMAP_MAYMOVE)
                 : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  };
  void* const block = detail::checked_block(size, allocate, detail::refuse_block, data_, capacity_);
  if (block == MAP_FAILED) throw out_of_memory(fmt::format("out of memory: host: {} bytes requested", size), size);
  data_ = static_cast<char*>(block);
  capacity_ = size;
  if (size >= huge_page) madvise(data_, size, MADV_HUGEPAGE);
}

void host_bytes::resize(std::size_t size) {
  reserve(size);
  size_ = size;
}

std::span<char> host_bytes::room(std::size_t min_bytes) {
  if (capacity_ - size_ < min_bytes) reserve(std::max(size_ + min_bytes, capacity_ + capacity_ / 2));
  return {data_ + size_, capacity_ - size_};
}

void host_bytes::append(std::span<char const> more) {
  if (more.empty()) return;
  std::memcpy(room(more.size()).data(), more.data(), more.size());
  size_ += more.size();
}

}  // namespace ordo::inline v0
