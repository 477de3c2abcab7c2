#include "tools/strsort/options/command.hpp"

#include <array>
#include <cctype>
#include <cstdlib>
#include <limits>

#include "tools/strsort/options/options.hpp"

namespace ordo::inline v0::strsort {

number read_number(std::string_view text) {
  number read;
  read.rest = text;
  while (!read.rest.empty() && std::isspace(static_cast<unsigned char>(read.rest.front()))) read.rest.remove_prefix(1);
  if (read.rest.starts_with('+')) read.rest.remove_prefix(1);
  for (; !read.rest.empty() && std::isdigit(static_cast<unsigned char>(read.rest.front())); ++read.digits) {
    read.too_large |= __builtin_mul_overflow(read.value, std::uint64_t{10}, &read.value);
    read.too_large |= __builtin_add_overflow(read.value, std::uint64_t(read.rest.front() - '0'), &read.value);
    read.rest.remove_prefix(1);
  }
  if (read.digits == 0) read.rest = text;
  if (read.too_large) read.value = std::numeric_limits<std::uint64_t>::max();
  return read;
}

std::string environment_locale() {
  constexpr std::array<char const*, 12> categories{"LC_CTYPE",    "LC_NUMERIC",   "LC_TIME",        "LC_COLLATE",
                                                   "LC_MONETARY", "LC_MESSAGES",  "LC_PAPER",       "LC_NAME",
                                                   "LC_ADDRESS",  "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};
  auto const given = [](char const* variable) {
    char const* const value = std::getenv(variable);
    return std::string(value ? value : "");
  };
  if (std::string all = given("LC_ALL"); !all.empty()) return all;
  std::string const lang = given("LANG"), base = lang.empty() ? std::string("C") : lang;
  std::string made;
  bool same = true;
  std::string first;
  for (char const* const category : categories) {
    std::string name = given(category);
    if (name.empty()) name = base;
    if (made.empty()) first = name;
    same = same && name == first;
    if (!made.empty()) made += ';';
    made.append(category).append("=").append(name);
  }
  return same ? first : made;
}

environment environment::here() {
  environment environment;
  environment.posixly_correct = std::getenv("POSIXLY_CORRECT") != nullptr;
  // In the versions of POSIX between 200112 and 200809, "+1" is the name of a file.
  if (char const* const text = std::getenv("_POSIX2_VERSION"); text && *text) {
    char* end = nullptr;
    long const version = std::strtol(text, &end, 10);
    if (*end == 0) environment.has_obsolete_keys = version < 200112 || version >= 200809;
  }
  return environment;
}

strings::order command::order_without_patterns() const {
  strings::order result;
  result.reverse = global.reverse;
  result.last_resort = !stable && !unique && !count;
  result.separator = quoted ? quoted : tabs && !separator ? std::optional('\t') : separator;
  result.quoted = quoted.has_value();
  result.date_format = date_format.value_or("");
  if (locale) result.locale = locale->empty() ? environment_locale() : *locale;
  result.keys = make_keys(keys, global);
  result.rules = rules;
  return result;
}

}  // namespace ordo::inline v0::strsort
