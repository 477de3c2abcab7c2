#include <algorithm>

#include "tools/cli/options/option_table.hpp"

// Apart from the tables, so that a program may read arguments that has no pages.
namespace ordo::inline v0::cli {

std::string option::spelling() const {
  return name.empty() ? std::string{'-', letter} : "--" + std::string(name);
}

void argument_parser::parse(std::span<char const* const> arguments) {
  rest_ = arguments;
  bool operands_only = false;
  while (!rest_.empty() && !is_complete()) {
    std::string_view const argument = rest_.front();
    bool const literal = operands_only || ends_options(argument);
    skip();
    if (literal)
      add_operand(argument, true);
    else if (argument == "--")
      operands_only = true;
    else if (!is_option(argument))
      add_operand(argument, false);
    else if (argument.starts_with("--"))
      parse_long(argument);
    else
      parse_letters(argument);
  }
}

void argument_parser::parse_long(std::string_view argument) {
  std::size_t const end = std::min(argument.find('='), argument.size());
  bool const has_value = end != argument.size();
  option const* const option = find(argument.substr(2, end - 2), argument.substr(2));
  if (!option) return refuse(misuse::unknown_option, nullptr, argument);
  std::string const spelling = option->spelling();
  if (has_value && option->value.empty()) return refuse(misuse::unexpected_value, option, spelling);
  if (has_value) return apply(*option, spelling, argument.substr(end + 1));
  if (option->value.empty() || option->optional_value) return apply(*option, spelling, {});
  if (rest_.empty()) return refuse(misuse::missing_value, option, spelling);
  std::string_view const value = rest_.front();
  skip();
  apply(*option, spelling, value);
}

void argument_parser::parse_letters(std::string_view argument) {
  for (std::size_t i = 1; i < argument.size() && !is_complete(); ++i) {
    std::string const spelling = {'-', argument[i]};
    option const* const option = find(argument[i]);
    if (!option) return refuse(misuse::unknown_letter, nullptr, spelling);
    // The letter of an option whose value is optional has none.
    if (option->value.empty() || option->optional_value) {
      apply(*option, spelling, {});
      continue;
    }
    std::string_view value = argument.substr(i + 1);
    if (value.empty()) {
      if (rest_.empty()) return refuse(misuse::missing_value_of_letter, option, spelling);
      value = rest_.front();
      if (accepts_next(*option, value)) skip();
    }
    return apply(*option, spelling, value);
  }
}

}  // namespace ordo::inline v0::cli
