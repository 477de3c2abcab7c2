#include <cstring>

#include "ordo/strings.hpp"

namespace ordo::strings {

std::string_view sorted_lines::operator[](std::size_t k) const {
  char const* const begin = text_.data() + start(k);
  char const* const end = text_.data() + text_.size();
  void const* const delimiter = std::memchr(begin, delimiter_, std::size_t(end - begin));
  return {begin, delimiter ? static_cast<char const*>(delimiter) : end};
}

}  // namespace ordo::strings
