#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ordo/detail/fn.hpp"
#include "ordo/strings.hpp"

// The number before a counted line, as printf formats it with "%7d ".
namespace ordo::inline v0::strings::detail {

[[nodiscard]] constexpr bool is_counted(duplicates equal) {
  return equal == duplicates::count || equal == duplicates::by_count;
}
/// Returns the order of lines by falling count, as `sort -rn` sorts them.
order by_falling_count();

ORDO_FN constexpr std::size_t count_width(std::uint64_t count) {
  std::size_t digits = 1;
  for (; count >= 10; count /= 10) ++digits;
  return (digits < 7 ? 7 : digits) + 1;
}

/// Returns byte i of a field of `width` bytes. @param count  more than 0
ORDO_FN constexpr unsigned char count_byte(std::uint64_t count, std::size_t width, std::size_t i) {
  if (i + 1 == width) return ' ';
  for (std::size_t digit = width - 2; digit > i; --digit) count /= 10;
  return count == 0 ? static_cast<unsigned char>(' ') : static_cast<unsigned char>('0' + count % 10);
}

inline void append_count(std::string& to, std::uint64_t count) {
  to.append(count_width(count), ' ');
  for (std::size_t at = to.size() - 1; count != 0; count /= 10) to[--at] = char('0' + count % 10);
}

/// The sorted lines that are written, and their counts. All threads of the current arena compute them.
class selected_lines {
 public:
  selected_lines(sorted_lines const& lines, duplicates equal, std::uint64_t head);

  /// Returns the number of candidates, some of which may be left out.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_left_out(std::size_t k) const { return drops_ && lines_.is_duplicate(k); }
  /// Returns the number of the line in sorted_lines.
  [[nodiscard]] std::size_t line(std::size_t k) const { return counted_ ? counted_[k].line : k; }
  /// Returns how many lines are equal to it, or 0 if lines are not counted.
  [[nodiscard]] std::uint64_t count(std::size_t k) const { return counted_ ? counted_[k].count : 0; }
  /// Returns the size of the output: lines, delimiters and counts.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct counted_line {
    std::size_t line;
    std::uint64_t count;
  };
  [[nodiscard]] bool is_counted_with_last(std::size_t k) const;
  void count_lines();
  void order_by_count(std::size_t wanted);

  sorted_lines const& lines_;
  bool drops_;
  bool by_bytes_;                  // whole lines that are equal in a locale are counted by their bytes, as in uniq
  std::size_t size_, firsts_ = 0;  // firsts_: the number of groups of equal lines
  std::unique_ptr<counted_line[]> counted_;
};

}  // namespace ordo::inline v0::strings::detail
