#pragma once
#include <cstddef>
#include <utility>

namespace ordo::inline v0::cuda_detail {

/// A sequence of parts cut from one block of temporary memory.
class parts {
 public:
  explicit parts(char* memory) : next_(memory) {}
  template <class T>
  [[nodiscard]] T* take(std::size_t count) {
    return reinterpret_cast<T*>(std::exchange(next_, next_ + size(count * sizeof(T))));
  }
  static constexpr std::size_t size(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

 private:
  char* next_;
};

}  // namespace ordo::inline v0::cuda_detail
