#include <cstring>

#include "ordo/strings.hpp"

namespace ordo::strings {

order_check::order_check(options const& how, bool strict)
    : compare_(how.by, how.delimiter), strict_(strict), delimiter_(how.delimiter) {}

bool order_check::take(std::string_view line, std::string_view before) {
  if (lines_++ == 0) return true;
  int const order = compare_(before, line);
  return strict_ ? order < 0 : order <= 0;
}

bool order_check::feed(std::string_view piece) {
  std::string_view rest = piece, before = previous_;
  std::string joined;
  while (true) {
    std::size_t const length = rest.find(delimiter_);
    if (length == rest.npos) break;
    std::string_view line = rest.substr(0, length);
    rest.remove_prefix(length + 1);
    if (!unfinished_.empty()) {
      joined = std::move(unfinished_.append(line));
      unfinished_.clear();
      line = joined;
    }
    if (!take(line, before)) {
      previous_ = line;
      return false;
    }
    before = line;
  }
  if (before.data() != previous_.data()) previous_ = std::string(before);
  unfinished_ += rest;
  return true;
}

bool order_check::finish() {
  if (unfinished_.empty()) return true;
  bool const in_order = take(unfinished_, previous_);
  previous_ = std::move(unfinished_);
  return in_order;
}

}  // namespace ordo::strings
