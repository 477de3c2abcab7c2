#pragma once
#include <cstddef>
#include <span>
#include <utility>

#pragma GCC visibility push(default)

namespace ordo::inline v0 {

/// A contiguous array of bytes that grows without copying, by moving its pages, and without initialising. It uses huge pages
/// where the system provides them.
class host_bytes {
 public:
  host_bytes() = default;
  explicit host_bytes(std::size_t capacity) { reserve(capacity); }
  host_bytes(host_bytes&& other) noexcept { swap(other); }
  host_bytes& operator=(host_bytes&& other) noexcept {
    swap(other);
    return *this;
  }
  ~host_bytes();

  [[nodiscard]] char* data() noexcept { return data_; }
  [[nodiscard]] char const* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::span<char> span() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<char const> span() const noexcept { return {data_, size_}; }

  /// Makes room for `capacity` bytes in total. @throws out_of_memory
  void reserve(std::size_t capacity);
  /// Sets the size. New bytes are uninitialised. @throws out_of_memory
  void resize(std::size_t size);
  void append(std::span<char const> more);
  /// Returns at least `min_bytes` uninitialised bytes, 1 or more, after the last byte. resize() adds those that were written
  /// to the array. If it must grow, the capacity grows by at least a half. @throws out_of_memory
  [[nodiscard]] std::span<char> room(std::size_t min_bytes);

 private:
  void swap(host_bytes& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  char* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
