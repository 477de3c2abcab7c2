#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordo/strings/order.hpp"

// Records of one size, which need no delimiter: any byte may be any part of them.
namespace ordo::inline v0::strings::detail {

/// The order of records of one size: by bytes of each, part after part. An order of lines has the same meaning as for lines
/// that are as long as a record.
class record_order {
 public:
  /// @throws usage_error  for a size of 0, a key that is no range of bytes, and one that begins after the end of a record
  record_order(order const& by, std::size_t record_bytes);

  [[nodiscard]] std::size_t record_bytes() const { return record_bytes_; }
  /// Compares two records. Returns a number below, above or equal to 0.
  [[nodiscard]] int compare(char const* a, char const* b) const { return by_first(parts_.size(), a, b); }
  /// Compares the keys alone, or whole records if there are no keys.
  [[nodiscard]] int by_keys(char const* a, char const* b) const { return by_first(key_parts_, a, b); }

  /// Returns the number of words of a record: 1, a zero, if no byte is compared. Records compare as their words do, from the
  /// first on.
  [[nodiscard]] std::size_t words() const { return std::max<std::size_t>((compared_ + 7) / 8, 1); }
  [[nodiscard]] std::uint64_t word(char const* record, std::size_t number) const;

 private:
  struct part {
    std::size_t begin, end;
    bool reverse;
  };
  void add_part(std::size_t begin, std::size_t end, bool reverse);
  [[nodiscard]] int by_first(std::size_t count, char const* a, char const* b) const;

  std::size_t record_bytes_, compared_ = 0;  // compared_: bytes of all parts
  std::vector<part> parts_;                  // the parts of the keys, then the rest of the record
  std::size_t key_parts_ = 0;
};

}  // namespace ordo::inline v0::strings::detail
