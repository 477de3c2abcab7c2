#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "ordo/strings/order.hpp"

namespace ordo::strings {

namespace detail {
class compiled_keys;
}

/// An order as a comparison of two lines, on the host. What it says of the keys of two lines is what memcmp says of the codes
/// by which machines sort them. May be copied, and called by several threads at a time.
class line_comparison {
 public:
  /// @param delimiter  of the lines; no line holds it
  /// @throws usage_error for a locale that the system does not know
  line_comparison(order const& by, char delimiter);

  /// Below 0 if a comes before b, above 0 if it comes behind b, 0 if neither: where the order has keys and no last resort, or
  /// the lines are the same.
  int operator()(std::string_view a, std::string_view b) const;
  /// By the keys alone; by the whole lines, if there are no keys. 0 is what makes two lines one for `sort -u`.
  [[nodiscard]] int by_keys(std::string_view a, std::string_view b) const;

 private:
  [[nodiscard]] int by_first(std::size_t count, std::string_view a, std::string_view b) const;

  std::shared_ptr<detail::compiled_keys const> keys_;
  std::size_t count_;  // of keys, the whole line not among them where there are others
  bool collated_, reverse_, last_resort_;
};

/// Writes the codes of lines: bytes other than 0 whose order, a line's codes ended by 0, is that of the lines' keys. Where a
/// key is collated by a locale, lines with equal codes may compare differently.
class key_encoder {
 public:
  /// As line_comparison's.
  key_encoder(order const& by, char delimiter);
  void append(std::string_view line, std::string& to) const;

 private:
  std::shared_ptr<detail::compiled_keys const> keys_;
};

}  // namespace ordo::strings
