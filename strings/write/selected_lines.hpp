#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "ordo/strings.hpp"

namespace ordo::strings::detail {

/// Which of sorted lines are written, and behind which number. Found by all threads of the arena that it is made in.
class selected_lines {
 public:
  selected_lines(sorted_lines const& lines, repeated equal, std::uint64_t head);

  /// Lines to look at, of which some may be left out.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_left_out(std::size_t k) const { return drops_ && lines_.repeats(k); }
  /// Of sorted_lines.
  [[nodiscard]] std::size_t line(std::size_t k) const { return counted_ ? counted_[k].line : k; }
  /// How many lines are equal to it; 0 where they are not counted.
  [[nodiscard]] std::uint64_t count(std::size_t k) const { return counted_ ? counted_[k].count : 0; }
  /// Of all that is written: lines, delimiters and numbers.
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
  bool by_bytes_;                  // whole lines that a locale does not tell apart are counted by their bytes, as uniq has them
  std::size_t size_, firsts_ = 0;  // firsts_: of equal lines, in all
  std::unique_ptr<counted_line[]> counted_;
};

}  // namespace ordo::strings::detail
