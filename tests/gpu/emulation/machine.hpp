#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "sort_core/cuda/runtime/launch.cuh"
#include "tests/gpu/emulation/emulation.hpp"

namespace emulation {

/// The parts of a backend that the sorters use. Each buffer is a separate allocation filled with garbage, so that a sanitizer
/// sees its end.
class machine {
 public:
  template <class T>
  class buffer_of {
   public:
    explicit buffer_of(std::size_t n)
        : n_(n), memory_(static_cast<unsigned char*>(std::aligned_alloc(unit, room())), [this_room = room()](unsigned char* p) {
            allow(p, this_room);
            std::free(p);
          }) {
      std::memset(memory_.get(), 0xa7, room());
      forbid(memory_.get() + n * sizeof(T), room() - n * sizeof(T));
    }
    [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.get()); }
    [[nodiscard]] std::size_t size() const { return n_; }
    [[nodiscard]] std::span<T> span() const { return {data(), n_}; }

   private:
    static constexpr std::size_t unit = 256;
    [[nodiscard]] std::size_t room() const { return n_ * sizeof(T) / unit * unit + 2 * unit; }
    std::size_t n_;
    std::shared_ptr<unsigned char> memory_;
  };

  template <class T>
  buffer_of<T> buffer(std::size_t n) {
    taken += n * sizeof(T);
    return buffer_of<T>(n);
  }
  std::size_t taken = 0;  // bytes of all buffers so far
  [[nodiscard]] cudaStream_t stream() const { return {}; }
  [[nodiscard]] ordo::cuda_detail::kernel_launcher& kernels() { return kernels_; }
  template <class From, class To>
  void download(From from, To& to) {
    std::memcpy(to.data(), from.data(), from.size_bytes());
  }

 private:
  ordo::cuda_detail::kernel_launcher kernels_;
};

/// Returns the value of item i.
template <class V>
V value_at(std::size_t i) {
  if constexpr (sizeof(V) == 16)
    return {i, ~i};
  else
    return V(i);
}

}  // namespace emulation
