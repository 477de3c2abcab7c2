#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The letters of a text for comparisons: a byte each, or packed, two bits each for four of them and runs of the others. Reads
/// nothing outside of them, whatever they hold. Positions are below the number of letters.
class text_letters {
 public:
  /// A run of equal letters that are not among the four, at positions [begin, end). Runs ascend.
  static constexpr std::size_t run_bytes = 24;   // begin, end and the letter, as words
  static constexpr std::size_t spare_bytes = 8;  // that may be read behind packed letters

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

  [[nodiscard]] char operator[](std::uint64_t p) const noexcept {
    if (plain_) return plain_[p];
    run const one = run_behind(p);
    return one.begin <= p ? one.letter : packed_at(p);
  }
  void prefetch(std::uint64_t p) const noexcept { __builtin_prefetch(plain_ ? plain_ + p : codes_ + p / 4); }

  /// Returns the number of letters, up to max_length, with which a string and the text from position p on begin.
  [[nodiscard]] std::uint64_t common_prefix(char const* string, std::uint64_t p, std::uint64_t max_length) const noexcept;
  /// Returns the number of equal letters, up to max_length, before `end` of a string and before position p.
  [[nodiscard]] std::uint64_t common_suffix(char const* end, std::uint64_t p, std::uint64_t max_length) const noexcept;

 private:
  struct run {
    std::uint64_t begin, end;
    char letter;
  };
  [[nodiscard]] char packed_at(std::uint64_t p) const noexcept {
    std::uint32_t const four = unpacked_[static_cast<unsigned char>(codes_[p / 4])];
    return static_cast<char>(four >> 8 * (p % 4));  // on little-endian machines
  }
  // Returns eight letters from a position on, as they lie in memory.
  [[nodiscard]] std::uint64_t eight_at(std::uint64_t p) const noexcept {
    std::uint32_t bits;
    std::memcpy(&bits, codes_ + p / 4, 4);
    bits >>= 2 * (p % 4);
    return unpacked_[bits & 255] | std::uint64_t(unpacked_[bits >> 8 & 255]) << 32;
  }
  // Returns the first run that ends behind a position; one without end and begin if there is none.
  [[nodiscard]] run run_behind(std::uint64_t p) const noexcept;

  char const *plain_ = nullptr, *codes_ = nullptr, *runs_ = nullptr;
  std::size_t num_runs_ = 0;
  std::array<std::uint32_t, 256> unpacked_{};
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
