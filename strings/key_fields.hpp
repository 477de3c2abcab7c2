#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/bits.hpp"
#include "sort_core/load.hpp"
#include "strings/key_codes.hpp"

namespace ordo::strings::detail {

/// Where the pieces of one line are. Keys are looked for from left to right: a field at or behind the one that was found last
/// is found from there.
class line_fields {
 public:
  struct piece {
    unsigned char const* first;
    unsigned char const* last;
  };

  ORDO_FN line_fields(key_rules const& rules, unsigned char const* first, unsigned char const* last)
      : rules_(rules), first_(first), last_(last), at_(first) {}

  ORDO_FN piece operator()(compiled_key const& by) {
    unsigned char const* begin = field(by.first_field);
    if (by.skip_blanks_at_first) begin = behind_blanks(begin);
    begin = moved(begin, by.first_character);
    if (by.last_field == key::to_the_end) return {begin, last_};
    unsigned char const* end = field(by.last_field);
    if (by.end_character == 0) {
      end = field_end(end);
    } else {
      if (by.skip_blanks_at_end) end = behind_blanks(end);
      end = moved(end, by.end_character);
    }
    return {begin, begin < end ? end : begin};
  }

 private:
  ORDO_FN unsigned char const* moved(unsigned char const* p, std::size_t by) const {
    return by < std::size_t(last_ - p) ? p + by : last_;
  }
  ORDO_FN unsigned char const* behind_blanks(unsigned char const* p) const {
    while (p != last_ && rules_.blank[*p]) ++p;
    return p;
  }
  ORDO_FN unsigned char const* field(std::size_t number) {
    if (number < number_) {
      number_ = 0;
      at_ = first_;
    }
    for (; number_ < number && at_ != last_; ++number_) {
      at_ = field_end(at_);
      if (rules_.separated && at_ != last_) ++at_;
    }
    number_ = number;
    return at_;
  }
  // The end of the field that begins at p.
  ORDO_FN unsigned char const* field_end(unsigned char const* p) const {
    if (rules_.separated) return separator_from(p);
    p = behind_blanks(p);
    while (p != last_ && !rules_.blank[*p]) ++p;
    return p;
  }
  ORDO_FN unsigned char const* separator_from(unsigned char const* p) const {
    while (p != last_ && *p != rules_.separator) ++p;
    return p;
  }

  key_rules const& rules_;
  unsigned char const* first_;
  unsigned char const* last_;
  unsigned char const* at_;   // where field number_ begins
  std::size_t number_ = 0;
};

}  // namespace ordo::strings::detail
