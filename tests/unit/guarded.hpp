#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/backend.hpp"
#include "tests/unit/catch.hpp"

struct copy_byte {
  unsigned char const* from;
  unsigned char* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from[i]; }
};

/// An array in a machine's memory with guard bytes around it. intact() returns false if they were written.
template <ordo::Backend B, class T>
class guarded {
 public:
  guarded(B& backend, std::vector<T> const& values)
      : backend_(backend), size_(values.size()), memory_(backend.template buffer<unsigned char>(bytes())) {
    auto const* const raw = reinterpret_cast<unsigned char const*>(values.data());
    std::vector<unsigned char> image(guard, fill);
    image.insert(image.end(), raw, raw + size_ * sizeof(T));
    image.resize(bytes(), fill);
    auto const source = backend.upload(std::span<unsigned char const>(image));
    backend.each(bytes(), copy_byte{source.data(), memory_.data()});
    backend.download(std::span<unsigned char const>(memory_.span()), image);  // waits, because `image` is local
  }

  [[nodiscard]] std::span<T> span() const { return {reinterpret_cast<T*>(memory_.data() + guard), size_}; }
  [[nodiscard]] std::span<T const> const_span() const { return span(); }
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> out(size_);
    backend_.download(const_span(), out);
    return out;
  }
  [[nodiscard]] bool intact() const {
    std::vector<unsigned char> image(bytes());
    backend_.download(std::span<unsigned char const>(memory_.span()), image);
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
