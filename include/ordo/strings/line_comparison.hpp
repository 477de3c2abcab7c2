#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "ordo/strings/order.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::strings {

namespace detail {
class compiled_keys;
}

/// How lines are compared in the order of a locale: by tables of the locale, which take some milliseconds to read and to check,
/// or by strcoll alone, which takes no time to begin. The result is the same.
enum class collation_by { tables, strcoll };

/// A comparison of two lines by an order, on the host. For the keys it gives the same result as memcmp of the codes by which
/// machines sort. May be copied, and called by several threads at a time.
class line_comparison {
 public:
  /// @param delimiter  the delimiter of the lines, which do not contain it
  /// @throws usage_error for a locale that the system does not know
  line_comparison(order const& by, char delimiter, collation_by how = collation_by::tables);

  /// Returns a number below 0 if a comes before b, above 0 if it comes after b, and 0 if they are equal: if the order has keys
  /// and no last resort, or if the lines are the same.
  int operator()(std::string_view a, std::string_view b) const;
  /// Compares the keys only, or whole lines if there are no keys. `sort -u` writes one of the lines for which it returns 0.
  [[nodiscard]] int by_keys(std::string_view a, std::string_view b) const;

 private:
  [[nodiscard]] int by_first(std::size_t count, std::string_view a, std::string_view b) const;

  std::shared_ptr<detail::compiled_keys const> keys_;
  std::size_t count_;  // number of keys, without the whole line if there are others
  bool collated_, reverse_, last_resort_;
};

/// Writes the codes of lines: bytes other than 0 whose order, with 0 at the end of a line's codes, is the order of the lines'
/// keys. With a key that is collated, lines with equal codes may compare differently.
class key_encoder {
 public:
  /// Throws as line_comparison() does.
  key_encoder(order const& by, char delimiter);
  void append(std::string_view line, std::string& to) const;

 private:
  std::shared_ptr<detail::compiled_keys const> keys_;
};

}  // namespace ordo::inline v0::strings
#pragma GCC visibility pop
