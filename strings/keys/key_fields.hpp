#pragma once
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "ordo/detail/load.hpp"
#include "strings/keys/key_codes.hpp"

namespace ordo::strings::detail {

/// Where the pieces of one line are. Keys are looked for from left to right: a field at or behind the one that was found last
/// is found from there.
class line_fields {
 public:
  /// Both have to outlive it.
  ORDO_FN line_fields(key_rules const& rules, text_piece const& line) : rules_(rules), line_(line), at_(line.first) {}

  ORDO_FN text_piece operator()(compiled_key const& by) {
    unsigned char const* begin = field(by.first_field);
    if (by.skip_blanks_at_first) begin = behind_blanks(begin);
    begin = moved(begin, by.first_character);
    if (by.last_field == key::to_the_end) return {begin, line_.last, line_.limit};
    unsigned char const* end = field(by.last_field);
    if (by.end_character == 0) {
      end = field_end();
    } else {
      if (by.skip_blanks_at_end) end = behind_blanks(end);
      end = moved(end, by.end_character);
    }
    return {begin, begin < end ? end : begin, line_.limit};
  }

 private:
  ORDO_FN unsigned char const* moved(unsigned char const* p, std::size_t by) const {
    return by < std::size_t(line_.last - p) ? p + by : line_.last;
  }
  ORDO_FN unsigned char const* behind_blanks(unsigned char const* p) const {
    while (p != line_.last && rules_.blank[*p]) ++p;
    return p;
  }
  // Where a field begins; it is the one found last then.
  ORDO_FN unsigned char const* field(std::size_t number) {
    if (number < number_) {
      number_ = 0;
      at_ = line_.first;
      end_ = nullptr;
    }
    for (; number_ < number && at_ != line_.last; ++number_) {
      at_ = field_end();
      if (rules_.separated && at_ != line_.last) ++at_;
      end_ = nullptr;
    }
    number_ = number;
    return at_;
  }
  ORDO_FN unsigned char const* field_end() {
    if (!end_) end_ = field_end(at_);
    return end_;
  }
  [[nodiscard]] ORDO_FN unsigned char const* field_end(unsigned char const* p) const {
    if (rules_.separated) return first_of(p, [&](std::uint64_t word) { return words::equal(word, rules_.separator); });
    p = behind_blanks(p);
    if (!rules_.few_blanks) {
      while (p != line_.last && !rules_.blank[*p]) ++p;
      return p;
    }
    return first_of(p, [&](std::uint64_t word) {
      return words::equal(word, rules_.some_blanks[0]) | words::equal(word, rules_.some_blanks[1]) |
             words::equal(word, rules_.some_blanks[2]);
    });
  }
  template <class Marks>
  ORDO_FN unsigned char const* first_of(unsigned char const* p, Marks marks) const {
    for (;; p += 8) {
      std::size_t const left = std::size_t(line_.last - p);
      std::size_t const before = leading_zeros(marks(words::at(p, line_))) / 8;
      if (left <= before) return line_.last;
      if (before < 8) return p + before;
    }
  }

  key_rules const& rules_;
  text_piece const& line_;
  std::size_t number_ = 0;  // of the field found last
  unsigned char const* at_;
  unsigned char const* end_ = nullptr;  // if it is known
};

}  // namespace ordo::strings::detail
