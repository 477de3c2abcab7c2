#pragma once
#include <string_view>

#include "strings/order.hpp"

namespace ordo::strings {

/// Compares two lines.
class line_comparison {
 public:
  line_comparison(order const& by, char /*delimiter*/) : reverse_(by.reverse) {}
  int operator()(std::string_view a, std::string_view b) const { return reverse_ ? b.compare(a) : a.compare(b); }

 private:
  bool reverse_;
};

}  // namespace ordo::strings
