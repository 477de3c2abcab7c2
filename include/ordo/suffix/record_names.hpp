#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::suffix {

/// The names of records, in order. They lie in one piece: there may be millions, of a few bytes each.
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
  /// Names in bulk, to be written to the memory that this returns: `bytes`, of which the first ones may still be the last
  /// name's; and where in all bytes of names each of `records` new names begins.
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
  /// Of all names.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_.size(); }
  /// Of record r in [0, size()); valid until the next push_back or extend.
  [[nodiscard]] std::string_view operator[](std::size_t r) const noexcept {
    std::size_t const end = r + 1 < size() ? begins_[r + 1] : bytes_.size();
    return std::string_view(bytes_).substr(begins_[r], end - begins_[r]);
  }
  friend bool operator==(record_names const&, record_names const&) = default;

 private:
  std::string bytes_;
  std::vector<std::uint64_t> begins_;
};

/// Names that do not tell records apart. Records are counted from 0.
struct name_faults {
  std::size_t empty = 0, first_empty = 0;  // records without a name
  // Records with the name of an earlier one: how many, the first of them, and the earliest record of that name.
  std::size_t repeated = 0, first_repeated = 0, same_as = 0;
};

/// Looks for empty names, and for names that occur more than once. By `threads` threads (0: all); memory: 8 bytes a record,
/// and 16 more for each record that is one of several of a name.
name_faults find_name_faults(record_names const& names, unsigned threads = 0);

}  // namespace ordo::suffix
