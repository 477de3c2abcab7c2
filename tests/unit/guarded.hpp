#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "ordo/backend.hpp"
#include "tests/unit/catch.hpp"

struct copy_byte {
  unsigned char const* from;
  unsigned char* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from[i]; }
};

/// Copies bytes to memory of the machine and back. Waits.
template <ordo::Backend B>
ordo::buffer<unsigned char> copied_bytes(B& backend, std::vector<unsigned char> const& image) {
  auto const source = backend.upload(std::span(image));
  auto copy = backend.template buffer<unsigned char>(image.size());
  backend.each(image.size(), copy_byte{source.data(), copy.data()});
  std::vector<unsigned char> same(image.size());
  backend.download(std::span<unsigned char const>(copy.span()), same);
  return copy;
}
/// Pointers, because nvcc 13.0 writes a span in a template's signature in a way that g++ 14 refuses.
template <ordo::Backend B>
void read_bytes(B& backend, unsigned char const* from, unsigned char* to, std::size_t n) {
  backend.download(std::span(from, n), std::span(to, n));
}

/// Returns a copy of an array in a machine's memory.
template <class B, class T>
std::vector<std::remove_const_t<T>> array_values(B& backend, std::span<T> from) {
  std::vector<std::remove_const_t<T>> to(from.size());
  read_bytes(backend, reinterpret_cast<unsigned char const*>(from.data()), reinterpret_cast<unsigned char*>(to.data()),
             from.size_bytes());
  return to;
}

/// An array in a machine's memory with guard bytes around it. intact() returns false if they were written.
template <class B, class T>
class guarded {
 public:
  guarded(B& backend, std::vector<T> const& values) : backend_(backend), size_(values.size()) {
    std::vector<unsigned char> image(bytes(), fill);
    if (size_ != 0) std::memcpy(image.data() + guard, values.data(), size_ * sizeof(T));
    memory_ = copied_bytes(backend, image);
  }

  [[nodiscard]] std::span<T> span() const { return {reinterpret_cast<T*>(memory_.data() + guard), size_}; }
  [[nodiscard]] std::span<T const> const_span() const { return span(); }
  [[nodiscard]] std::vector<T> values() const { return array_values(backend_, span()); }
  [[nodiscard]] bool intact() const {
    auto const image = array_values(backend_, memory_.span());
    for (std::size_t i = 0; i < guard; ++i)
      if (image[i] != fill || image[image.size() - 1 - i] != fill) return false;
    return true;
  }

 private:
  static constexpr std::size_t guard = 256;
  static constexpr unsigned char fill = 0xa5;
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T) + 2 * guard; }

  B& backend_;
  std::size_t size_;
  ordo::buffer<unsigned char> memory_;
};
