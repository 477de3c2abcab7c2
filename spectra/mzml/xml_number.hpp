#pragma once
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include "spectra/mzml/xml.hpp"

// Numbers of attributes.
namespace ordo::spectra::detail {

/// Nothing if the text is no number. Blanks may stand around it, as XML has numbers; and what is whole may have decimals, as
/// some programs write all numbers.
template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  char const* const end = text.data() + text.size();
  bool good = false;
  if constexpr (std::is_floating_point_v<T>) {
    auto const got = fast_float::from_chars(text.data(), end, value);
    good = got.ec == std::errc() && got.ptr == end;
  } else {
    auto const got = std::from_chars(text.data(), end, value);
    good = got.ec == std::errc() && got.ptr == end;
    if (!good && got.ec == std::errc() && *got.ptr == '.')
      good = text.find_first_not_of('0', std::size_t(got.ptr - text.data()) + 1) == std::string_view::npos;
  }
  return good ? std::optional(value) : std::nullopt;
}

/// Nothing of an empty text. @throws xml_fault  if it is no number
template <class T>
std::optional<T> number_of(std::string_view what, std::string_view text) {
  if (text.empty()) return std::nullopt;
  auto const value = number<T>(text);
  if (!value) throw xml_fault(xml_fault::here, "not a number", fmt::format("{} is '{}'", what, text));
  return value;
}

}  // namespace ordo::spectra::detail
