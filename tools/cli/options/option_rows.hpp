#pragma once
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "ordo/error.hpp"
#include "tools/cli/options/option_table.hpp"

/// Rows of tables for programs whose options are numbers, texts and lists of these.
namespace ordo::inline v0::cli {

template <class T>
concept number_value = std::integral<T> || std::floating_point<T>;

/// Throws usage_error. It is no template: nvcc cannot compile checked format strings in templates.
[[noreturn]] inline void refuse_number(std::string_view option, std::string_view text, std::string const& reason = {}) {
  std::string message = "invalid number: ";
  ((message += option) += ": '") += text;
  throw usage_error(message + '\'' + (reason.empty() ? "" : ": " + reason));
}
template <number_value T>
std::string number_text(T value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
}

inline void parse_value(std::string_view, std::string_view text, std::string& to) {
  to = text;
}
template <number_value T>
void parse_value(std::string_view option, std::string_view text, T& to) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  if (error != std::errc{} || end != text.data() + text.size()) refuse_number(option, text);
}
template <class T>
void parse_value(std::string_view option, std::string_view text, std::optional<T>& to) {
  parse_value(option, text, to.emplace());
}
/// Parses values separated by commas. The first option replaces the default.
template <class T>
void parse_value(std::string_view option, std::string_view text, std::vector<T>& to) {
  to.clear();
  for (bool more = true; more;) {
    std::size_t const comma = text.find(',');
    parse_value(option, text.substr(0, comma), to.emplace_back());
    more = comma != text.npos;
    if (more) text.remove_prefix(comma + 1);
  }
}

/// Parses a number with a suffix of k, m, g or t for powers of 1000.
inline std::uint64_t parse_scaled(std::string_view option, std::string_view text) {
  constexpr std::string_view suffixes = "kmgt";
  std::string_view digits = text;
  std::uint64_t factor = 1, value = 0;
  if (!digits.empty())
    if (std::size_t const power = suffixes.find(char(digits.back() | 0x20)); power != suffixes.npos) {
      for (std::size_t i = 0; i <= power; ++i) factor *= 1000;
      digits.remove_suffix(1);
    }
  parse_value(option, digits, value);
  if (__builtin_mul_overflow(value, factor, &value)) refuse_number(option, text);
  return value;
}

template <class T>
option::action parse_to(T& to) {
  return [&to](std::string_view spelling, std::string_view value) { parse_value(spelling, value, to); };
}
/// Refuses numbers outside [min, max].
template <class T>
option::action parse_to(T& to, std::type_identity_t<T> min, std::type_identity_t<T> max) {
  return [&to, min, max](std::string_view spelling, std::string_view value) {
    parse_value(spelling, value, to);
    if (!(to >= min && to <= max))
      refuse_number(spelling, value, "it must be from " + number_text(min) + " to " + number_text(max));
  };
}
template <class T>
option::action parse_scaled_to(T& to) {
  return [&to](std::string_view spelling, std::string_view value) { to = T(parse_scaled(spelling, value)); };
}

inline option value_row(std::string_view name, std::string_view value, std::string help, option::action set,
                        std::string preset = {}) {
  return {.name = name,
          .value = value,
          .group = "Options",
          .help = std::move(help),
          .preset = std::move(preset),
          .set = std::move(set)};
}
/// Returns a row of a number, a text or a list. A number or text is its own default.
template <class T>
option value_row(std::string_view name, std::string_view value, std::string help, T& to) {
  std::string preset;
  if constexpr (number_value<T>) preset = number_text(to);
  if constexpr (std::same_as<T, std::string>) preset = to;
  return value_row(name, value, std::move(help), parse_to(to), std::move(preset));
}
inline option flag_row(std::string_view name, std::string help, bool& to) {
  return flag(name, "Options", std::move(help), to);
}
inline option help_row() {
  return {.letter = 'h', .name = "help", .group = "Options", .help = "print this help and exit"};
}
inline operand operand_row(std::string_view name, std::string help, std::vector<std::string>& to, std::size_t min = 0) {
  return {name, std::move(help), min, std::size_t(-1), [&to](std::string_view value) { to.emplace_back(value); }};
}

}  // namespace ordo::inline v0::cli
