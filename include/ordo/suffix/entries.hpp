#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The entries of an index array as they lie in its file: little-endian, 4, 5 or 8 bytes each, unaligned.
class entries {
 public:
  entries() = default;
  /// @param width  the bits of an entry: 32, 40 or 64
  entries(std::span<char const> bytes, unsigned width) : bytes_(bytes), size_of_one_(width / 8) {}
  template <std::unsigned_integral Index>
  requires(sizeof(Index) == 4 || sizeof(Index) == 8) entries(std::span<Index const> values)
      : bytes_(reinterpret_cast<char const*>(values.data()), values.size_bytes()), size_of_one_(sizeof(Index)) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / size_of_one_; }
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] ORDO_FN unsigned width() const noexcept { return 8 * size_of_one_; }

  /// Returns entry i, i in [0, size()). Reads no byte beyond it.
  [[nodiscard]] ORDO_FN std::uint64_t operator[](std::size_t i) const noexcept {
    char const* const at = bytes_.data() + i * size_of_one_;
    std::uint32_t low;
    std::memcpy(&low, at, 4);
    if (size_of_one_ == 4) return low;
    if (size_of_one_ == 5) return low | std::uint64_t(static_cast<unsigned char>(at[4])) << 32;
    std::uint64_t value;
    std::memcpy(&value, at, 8);
    return value;
  }
  /// Returns where the entries lie.
  [[nodiscard]] ORDO_FN char const* data() const noexcept { return bytes_.data(); }
  /// Returns a copy of these entries that lies elsewhere.
  [[nodiscard]] entries at(char const* data) const { return {std::span(data, bytes_.size()), width()}; }
  /// Prefetches entry i.
  void prefetch(std::size_t i) const noexcept { ordo::prefetch(bytes_.data() + i * size_of_one_); }

 private:
  std::span<char const> bytes_;
  unsigned size_of_one_ = 4;
};

/// Stores a value as an entry of 4, 5 or 8 bytes.
inline void store_entry(char* to, unsigned bytes, std::uint64_t value) noexcept {
  std::memcpy(to, &value, bytes);  // on little-endian machines
}

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
