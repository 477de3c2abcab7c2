#include <algorithm>
#include <cstring>

#include "strings/strings.hpp"

namespace ordo::strings {

std::string_view sorted_lines::operator[](std::size_t k) const {
  char const* const begin = text_.data() + start(k);
  char const* const end = text_.data() + text_.size();
  void const* const delimiter = std::memchr(begin, delimiter_, std::size_t(end - begin));
  return {begin, delimiter ? static_cast<char const*>(delimiter) : end};
}

std::vector<std::size_t> sorted_lines::line_numbers() const {
  std::vector<std::size_t> starts(size_), numbers(size_);
  for (std::size_t k = 0; k < size_; ++k) starts[k] = start(k);
  std::sort(starts.begin(), starts.end());
  for (std::size_t k = 0; k < size_; ++k)
    numbers[k] = std::size_t(std::lower_bound(starts.begin(), starts.end(), start(k)) - starts.begin());
  return numbers;
}

}  // namespace ordo::strings
