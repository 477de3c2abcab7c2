#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "ordo/detail/load.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// Loads a T that lies at a multiple of its size on a GPU, and anywhere on the CPU.
template <class T>
ORDO_FN T load_value(char const* p) {
#if defined(__CUDA_ARCH__)
  return *reinterpret_cast<T const*>(p);  // std::memcpy loads byte by byte
#else
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
#endif
}

/// The letters of a text for comparisons: a byte each, or packed, two bits each for four of them and runs of the others. Reads
/// nothing outside of them, whatever they hold. Positions are below the number of letters.
class text_letters {
 public:
  /// A run of equal letters that are not among the four, at positions [begin, end). Runs ascend.
  static constexpr std::size_t run_bytes = 24;   // begin, end and the letter, as words
  static constexpr std::size_t spare_bytes = 8;  // bytes that may be read after packed letters

  text_letters() = default;
  explicit text_letters(std::string_view letters) : plain_(letters.data()) {}
  /// @param codes  four letters a byte, the first one in the lowest bits, and spare_bytes @param four  by their codes
  text_letters(std::span<char const> codes, std::span<char const> runs, std::array<char, 4> const& four)
      : codes_(codes.data()), runs_(runs.data()), num_runs_(runs.size() / run_bytes) {
    for (std::size_t byte = 0; byte < unpacked_.size(); ++byte) {
      std::array<char, 4> letters;
      for (std::size_t k = 0; k < 4; ++k) letters[k] = four[byte >> 2 * k & 3];
      std::memcpy(&unpacked_[byte], letters.data(), 4);
    }
  }

  [[nodiscard]] ORDO_FN char operator[](std::uint64_t p) const noexcept {
    if (plain_) return plain_[p];
    run const one = run_behind(p);
    return one.begin <= p ? one.letter : packed_at(p);
  }
  ORDO_FN void prefetch(std::uint64_t p) const noexcept { ordo::prefetch(plain_ ? plain_ + p : codes_ + p / 4); }

  /// Returns the number of letters, up to max_length, with which a string and the text from position p on begin.
  [[nodiscard]] ORDO_FN std::uint64_t common_prefix(char const* string, std::uint64_t p,
                                                    std::uint64_t max_length) const noexcept {
    for (std::uint64_t i = 0; i < max_length;) {
      run const one = plain_ ? no_run() : run_behind(p + i);
      bool const is_in_run = one.begin <= p + i;
      std::uint64_t const after = (is_in_run ? one.end : one.begin) - p, stop = after < max_length ? after : max_length;
      if (!is_in_run) i += equal_words(string + i, p + i, stop - i);
      for (; i < stop; ++i)
        if (string[i] != (is_in_run ? one.letter : plain_ ? plain_[p + i] : packed_at(p + i))) return i;
    }
    return max_length;
  }
  /// Returns the number of equal letters, up to max_length, before `end` of a string and before position p.
  [[nodiscard]] ORDO_FN std::uint64_t common_suffix(char const* end, std::uint64_t p, std::uint64_t max_length) const noexcept {
    bool const has_runs = !plain_ && run_behind(p - max_length).begin < p;
    std::uint64_t i = 0;
    while (i < max_length && *--end == (plain_ || has_runs ? (*this)[p - i - 1] : packed_at(p - i - 1))) ++i;
    return i;
  }

 private:
  struct run {
    std::uint64_t begin, end;
    char letter;
  };
  [[nodiscard]] ORDO_FN static run no_run() noexcept { return {~std::uint64_t{0}, ~std::uint64_t{0}, 0}; }
  [[nodiscard]] ORDO_FN char packed_at(std::uint64_t p) const noexcept {
    std::uint32_t const four = unpacked_[static_cast<unsigned char>(codes_[p / 4])];
    return static_cast<char>(four >> 8 * (p % 4));  // on little-endian machines
  }
  // Returns eight letters from a position on, as they lie in memory.
  [[nodiscard]] ORDO_FN std::uint64_t eight_at(std::uint64_t p) const noexcept {
    if (plain_) return load_eight(plain_ + p);
    std::uint32_t bits;
    std::memcpy(&bits, codes_ + p / 4, 4);
    bits >>= 2 * (p % 4);
    return unpacked_[bits & 255] | std::uint64_t(unpacked_[bits >> 8 & 255]) << 32;
  }
  [[nodiscard]] ORDO_FN static std::uint64_t load_eight(char const* letters) noexcept {
    std::uint64_t word;
    std::memcpy(&word, letters, 8);
    return word;
  }
  // Returns how many letters before the first unequal word of eight are equal, up to `length`.
  [[nodiscard]] ORDO_FN std::uint64_t equal_words(char const* string, std::uint64_t p, std::uint64_t length) const noexcept {
    std::uint64_t i = 0;
    while (i + 8 <= length && load_eight(string + i) == eight_at(p + i)) i += 8;
    return i;
  }
  // Returns the first run that ends after a position; no_run() if there is none.
  [[nodiscard]] ORDO_FN run run_behind(std::uint64_t p) const noexcept {
    auto const word = [this](std::size_t i, std::size_t which) {
      return load_value<std::uint64_t>(runs_ + i * run_bytes + which * 8);
    };
    std::size_t low = 0, high = num_runs_;  // runs before low end at p or before
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (word(middle, 1) <= p)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == num_runs_) return no_run();
    return {word(low, 0), word(low, 1), static_cast<char>(word(low, 2))};
  }

  char const *plain_ = nullptr, *codes_ = nullptr, *runs_ = nullptr;
  std::size_t num_runs_ = 0;
  std::array<std::uint32_t, 256> unpacked_{};
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
