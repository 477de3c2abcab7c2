#pragma once
#include <cstddef>
#include <span>
#include <utility>

namespace ordo {

/// A contiguous array of bytes that grows without copying (its pages are moved) and without being initialised. On huge pages
/// where the system gives them.
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

  /// Room for `capacity` bytes in all. @throws out_of_memory
  void reserve(std::size_t capacity);
  /// New bytes are undefined. @throws out_of_memory
  void resize(std::size_t size);
  void append(std::span<char const> more);
  /// At least `least` bytes (1 or more) behind the last one, free to be written; they count once they are added by
  /// resize(). Grows by a half at least. @throws out_of_memory
  [[nodiscard]] std::span<char> room(std::size_t least);

 private:
  void swap(host_bytes& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  char* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace ordo
