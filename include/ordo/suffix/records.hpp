#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The names of records, in order, in one block of memory: there may be millions of a few bytes each.
class record_names {
 public:
  record_names() = default;
  record_names(std::initializer_list<std::string_view> names) {
    for (std::string_view const name : names) push_back(name);
  }

  void push_back(std::string_view name) {
    begins_.push_back(bytes_.size());
    bytes_ += name;
  }
  /// Appends `records` names of `bytes` bytes in all, and returns the memory to write them to: their bytes, of which the first
  /// ones may continue the last name, and the offset of each name in all bytes.
  struct room {
    std::span<char> bytes;
    std::span<std::uint64_t> begins;
  };
  room extend(std::size_t records, std::size_t bytes) {
    std::size_t const names = size(), before = bytes_.size();
    bytes_.resize(before + bytes);
    begins_.resize(names + records);
    return {std::span<char>(bytes_).subspan(before), std::span<std::uint64_t>(begins_).subspan(names)};
  }

  [[nodiscard]] std::size_t size() const noexcept { return begins_.size(); }
  /// Returns the size of all names in bytes.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.size(); }
  /// Returns the name of record r in [0, size()); valid until the next push_back or extend.
  [[nodiscard]] std::string_view operator[](std::size_t r) const noexcept {
    std::size_t const end = r + 1 < size() ? begins_[r + 1] : bytes_.size();
    return std::string_view(bytes_).substr(begins_[r], end - begins_[r]);
  }
  friend bool operator==(record_names const&, record_names const&) = default;

 private:
  std::string bytes_;
  std::vector<std::uint64_t> begins_;
};

/// Names that do not identify records. Records are counted from 0.
struct name_faults {
  std::size_t empty = 0, first_empty = 0;  // records without a name
  // Records that have the name of an earlier one: their number, the first of them, and the first record of that name.
  std::size_t repeated = 0, first_repeated = 0, same_as = 0;
};

/// Finds empty names, and names that occur more than once. Uses `threads` threads (0: all). Temporary memory: 8 bytes a record,
/// and 16 more for each record that shares its name.
name_faults find_name_faults(record_names const& names, unsigned threads = 0);

/// Computes text::record_at in constant time on average. Memory: 16 bytes a record.
class record_finder {
 public:
  /// @param input  its starts must outlive this
  explicit record_finder(text const& input);

  /// Returns the record that holds position p, p in [0, n).
  [[nodiscard]] std::size_t operator()(std::uint64_t p) const noexcept {
    if (records_ == 1) return 0;
    std::size_t const bucket = p >> shift_;
    std::uint64_t const *low = starts_ + first_[bucket], *high = starts_ + first_[bucket + 1] + 1;
    while (high - low > 1) {  // finds the last start in [low, high) that is not after p
      auto const* const middle = low + (high - low) / 2;
      (*middle <= p ? low : high) = middle;
    }
    return std::size_t(low - starts_);
  }

 private:
  std::uint64_t const* starts_ = nullptr;
  std::size_t records_ = 1;
  unsigned shift_ = 0;
  std::vector<std::size_t> first_;  // the record at the start of each bucket of 2^shift_ positions; the last record at the end
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
