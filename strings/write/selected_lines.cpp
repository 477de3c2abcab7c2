#include "strings/write/selected_lines.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>

#include "ordo/strings/line_comparison.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t block = std::size_t{1} << 14;  // lines for a thread at a time

// Returns the sum of of(k) for k in [0, n).
template <class Of>
std::uint64_t sum(std::size_t n, Of of) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, n, block), std::uint64_t{0},
      [&](auto const& part, std::uint64_t so_far) {
        for (std::size_t k = part.begin(); k != part.end(); ++k) so_far += of(k);
        return so_far;
      },
      std::plus<>{});
}

}  // namespace

selected_lines::selected_lines(sorted_lines const& lines, duplicates equal, std::uint64_t head)
    : lines_(lines),
      drops_(equal == duplicates::drop),
      by_bytes_(lines.by().is_collated() && lines.by().keys.empty()),
      size_(lines.size()) {
  std::size_t const max_lines = std::size_t(std::min<std::uint64_t>(head, lines.size()));
  if (equal == duplicates::keep) {
    size_ = max_lines;
  } else if (equal == duplicates::drop && max_lines < size_) {
    std::size_t k = 0;
    for (std::size_t wanted = max_lines; k < size_ && wanted + lines.is_duplicate(k) != 0; ++k)
      wanted -= !lines.is_duplicate(k);
    size_ = k;
  } else if (is_counted(equal)) {
    count_lines();
    size_ = std::min(firsts_, max_lines);
    if (equal == duplicates::by_count) order_by_count(size_);
  }
}

bool selected_lines::is_counted_with_last(std::size_t k) const {
  return lines_.is_duplicate(k) && (!by_bytes_ || lines_[k] == lines_[k - 1]);
}

void selected_lines::count_lines() {
  std::size_t const n = lines_.size();
  std::vector<std::size_t> firsts(n / block + 1);  // in each block, later before each block
  auto const each_block = [&](auto work) {
    tbb::parallel_for(std::size_t{0}, firsts.size(), [&](std::size_t b) { work(b, b * block, std::min((b + 1) * block, n)); });
  };
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) firsts[b] += !is_counted_with_last(k);
  });
  for (std::size_t& f : firsts) firsts_ += std::exchange(f, firsts_);
  counted_ = std::make_unique_for_overwrite<counted_line[]>(firsts_);
  each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin, to = firsts[b]; k < end; ++k)
      if (!is_counted_with_last(k)) counted_[to++].line = k;
  });
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, firsts_, block), [&](auto const& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i)
      counted_[i].count = (i + 1 < firsts_ ? counted_[i + 1].line : n) - counted_[i].line;
  });
}

// Sorts by count, the greatest first. Of lines with equal counts the greatest whole line comes first, in a locale with the
// count before it.
void selected_lines::order_by_count(std::size_t wanted) {
  bool const plain = lines_.by().is_plain(), reverse = lines_.by().reverse, collated = lines_.by().is_collated();
  order whole_lines;
  whole_lines.locale = lines_.by().locale;
  line_comparison const compare(whole_lines, lines_.delimiter());
  auto const written = [&](counted_line const& c) {
    std::string line;
    append_count(line, c.count);
    return line.append(lines_[c.line]);
  };
  auto const goes_before = [&](counted_line const& a, counted_line const& b) {
    if (a.count != b.count) return a.count > b.count;
    if (plain) return reverse ? a.line < b.line : a.line > b.line;
    if (!collated) return lines_[a.line] > lines_[b.line];
    int const as_written = compare(written(a), written(b));
    return as_written != 0 ? as_written > 0 : a.line < b.line;
  };
  counted_line* const first = counted_.get();
  if (wanted < firsts_) std::nth_element(first, first + wanted, first + firsts_, goes_before);
  tbb::parallel_sort(first, first + wanted, goes_before);
}

std::uint64_t selected_lines::bytes() const {
  auto const of_line = [&](std::size_t k) { return lines_[k].size() + 1; };
  std::uint64_t const numbers = counted_ ? sum(size_, [&](std::size_t k) { return count_width(count(k)); }) : 0;
  // If most lines are written, it is less work to subtract those that are not.
  std::size_t const written = counted_ ? size_
                              : drops_ ? sum(size_, [&](std::size_t k) { return !lines_.is_duplicate(k); })
                                       : size_;
  bool const all = counted_ ? size_ == firsts_ : size_ == lines_.size();
  if (all && lines_.size() - written <= written) {
    std::uint64_t const text = lines_.text().size() + (lines_.text().back() != lines_.delimiter());
    if (written == lines_.size()) return numbers + text;
    auto const is_out = [&](std::size_t k) { return counted_ ? is_counted_with_last(k) : lines_.is_duplicate(k); };
    return numbers + text - sum(lines_.size(), [&](std::size_t k) { return is_out(k) ? of_line(k) : 0; });
  }
  return numbers + sum(size_, [&](std::size_t k) { return is_left_out(k) ? 0 : of_line(line(k)); });
}

}  // namespace ordo::inline v0::strings::detail
