#include "strings/fixed/record_order.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "ordo/detail/load.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

bool is_range_of_bytes(key const& of) {
  return of.type == key_type::bytes && !of.fold_case && !of.dictionary && !of.ignore_unprinted && !of.skip_blanks_at_first &&
         !of.skip_blanks_at_end && !of.finder && of.empty == empty_values::by_type;
}

}  // namespace

record_order::record_order(order const& by, std::size_t record_bytes) : record_bytes_(record_bytes) {
  if (record_bytes == 0) throw usage_error("a record has 0 bytes: it needs at least 1");
  if (by.keys.empty()) add_part(0, record_bytes, by.reverse);
  for (std::size_t k = 0; k < by.keys.size(); ++k) {
    key const& from = by.keys[k];
    if (!is_range_of_bytes(from))
      throw usage_error(fmt::format("key {} of a record is no range of bytes, as 1.1,1.10 is", k + 1));
    bool const to_the_end = from.last_field == key::to_the_end || from.end_character == 0;
    if (from.first_field != 0 || (!to_the_end && from.last_field != 0) ||
        (to_the_end && from.last_field == 0 && from.end_character != 0))
      throw usage_error(fmt::format("key {} of a record has another field than 1: all of a record is field 1", k + 1));
    if (from.first_character >= record_bytes)
      throw usage_error(
          fmt::format("key {} of a record begins at byte {}: a record has {}", k + 1, from.first_character + 1, record_bytes));
    std::size_t const end = to_the_end ? record_bytes : std::min(from.end_character, record_bytes);
    add_part(from.first_character, end, from.reverse);
  }
  key_parts_ = parts_.size();
  if (by.keys.empty() || !by.last_resort) return;
  // Bytes of keys are equal when the others are compared.
  std::vector<part> keys = parts_;
  std::ranges::sort(keys, {}, &part::begin);
  std::size_t at = 0;
  for (part const& key : keys) {
    add_part(at, key.begin, by.reverse);
    at = std::max(at, key.end);
  }
  add_part(at, record_bytes, by.reverse);
}

// Nothing for a part that ends before it begins.
void record_order::add_part(std::size_t begin, std::size_t end, bool reverse) {
  if (begin >= end) return;
  parts_.push_back({begin, end, reverse});
  compared_ += end - begin;
}

int record_order::by_first(std::size_t count, char const* a, char const* b) const {
  for (std::size_t k = 0; k < count; ++k) {
    part const& of = parts_[k];
    if (int const difference = std::memcmp(a + of.begin, b + of.begin, of.end - of.begin); difference != 0)
      return of.reverse ? -difference : difference;
  }
  return 0;
}

std::uint64_t record_order::word(char const* record, std::size_t number) const {
  std::size_t skip = 8 * number, taken = 0;
  std::uint64_t result = 0;
  for (part const& of : parts_) {
    std::size_t const size = of.end - of.begin;
    if (skip >= size) {
      skip -= size;
      continue;
    }
    std::size_t const count = std::min(size - skip, 8 - taken);
    std::uint64_t bytes = load_big_endian(reinterpret_cast<unsigned char const*>(record + of.begin + skip), count);
    if (of.reverse) bytes ^= ~std::uint64_t{0} << (64 - 8 * count);
    result |= bytes >> (8 * taken);
    taken += count;
    if (taken == 8) break;
    skip = 0;
  }
  return result;
}

}  // namespace ordo::inline v0::strings::detail
