#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ordo::inline v0 {

/// A checksum of bytes and their positions. Bytes may be added in any order, in parts of any size, by any number of threads. A
/// single byte that differs always changes it.
class positional_checksum {
 public:
  void add(std::uint64_t at, std::span<char const> data) noexcept {
    constexpr std::size_t width = sizeof(std::uint64_t);
    std::uint64_t sum = 0;
    std::size_t i = 0;
    auto const add_part = [&](std::size_t in_word, std::size_t size) {
      std::uint64_t word = 0;
      std::memcpy(reinterpret_cast<char*>(&word) + in_word, data.data() + i, size);
      sum += word * weight((at + i) / width);
      i += size;
    };
    if (std::size_t const in_word = std::size_t(at % width); in_word != 0)
      add_part(in_word, std::min(width - in_word, data.size()));
    for (; data.size() - i >= width; i += width) {
      std::uint64_t word;
      std::memcpy(&word, data.data() + i, width);
      sum += word * weight((at + i) / width);
    }
    add_part(0, data.size() - i);
    sum_.fetch_add(sum, std::memory_order_relaxed);
    bytes_.fetch_add(data.size(), std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  // Odd, so that every change of a word counts; different for each word, so that exchanged words are found.
  static std::uint64_t weight(std::uint64_t word) noexcept {
    std::uint64_t const mixed = (word + 1) * 0x9E3779B97F4A7C15u;
    return ((mixed ^ mixed >> 32) * 0xBF58476D1CE4E5B9u) | 1;
  }

  std::atomic<std::uint64_t> sum_{0}, bytes_{0};
};

}  // namespace ordo::inline v0
