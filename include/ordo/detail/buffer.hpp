#pragma once
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "ordo/memory.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0 {

/// Uninitialised elements in a machine's memory, freed with the buffer; or a view of memory that belongs to something else.
/// Movable, not copyable.
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  buffer() = default;
  buffer(memory_resource& source, std::size_t size) {
    if (size == 0) return;
    data_ = static_cast<T*>(source.allocate(checked_bytes(size)));
    source_ = &source;
    size_ = size;
  }
  /// Makes a view, which owns nothing.
  explicit buffer(std::span<T> view) noexcept : data_(view.data()), size_(view.size()) {}
  ~buffer() { release(); }
  buffer(buffer&& other) noexcept { swap(other); }
  buffer& operator=(buffer&& other) noexcept {
    if (this != &other) {
      release();
      swap(other);
    }
    return *this;
  }

  [[nodiscard]] std::span<T> span() const noexcept { return {data_, size_}; }
  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static std::size_t checked_bytes(std::size_t size) {
    std::size_t bytes = 0;
    return __builtin_mul_overflow(size, sizeof(T), &bytes) ? ~std::size_t{0} : bytes;
  }
  void release() noexcept {
    if (source_) source_->deallocate(const_cast<std::remove_const_t<T>*>(data_), size_ * sizeof(T));
    source_ = nullptr;
    data_ = nullptr;
    size_ = 0;
  }
  void swap(buffer& other) noexcept {
    std::swap(source_, other.source_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  memory_resource* source_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
