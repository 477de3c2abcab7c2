#include "tools/cli/options/option_table.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <map>
#include <numeric>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "tools/cli/options/option_pages.hpp"
#include "tools/cli/options/options.hpp"

namespace ordo::inline v0::cli {
namespace {

constexpr int status_without_command = 2;

// Returns the number of letters to insert, delete, replace, or exchange with their neighbour, to make one text of the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (from[i - 1] != to[j - 1])});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last.back();
}

std::string joined(std::string_view choices) {
  std::string text;
  for (char const c : choices)
    if (c == ' ')
      text += ", ";
    else
      text += c;
  return text;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

// Returns the choice that a value is, without data if it is none.
std::string_view find_choice(option const& of, std::string_view value) {
  for (std::string_view choices = of.choices; !choices.empty();) {
    std::string_view const word = choices.substr(0, choices.find(' '));
    if (of.ignores_case ? std::ranges::equal(word, value, {}, lower, lower) : word == value) return word;
    choices.remove_prefix(std::min(word.size() + 1, choices.size()));
  }
  return {};
}

// Values are checked at once, unknown options and operands at the end: a command line that asks for help gets it.
class tool_parser final : public argument_parser {
 public:
  /// @param is_bare  there are no arguments
  tool_parser(command_table const& table, bool is_bare) : program_(table), command_(&table), is_bare_(is_bare) {}

  parsed_command finish() {
    if (version_)
      fmt::print("{}", version_text(program_.name));
    else if (help_)
      fmt::print("{}", help_text(*command_, command_->name));
    else if (!page_.empty())
      fmt::print("{}", page_);
    if (version_ || help_ || !page_.empty()) return {0, command_};
    if (!first_error_.empty()) throw usage_error(first_error_);
    if (!command_->subcommands.empty() && is_bare_) {
      fmt::print(stderr, "{}", command_list(*command_));
      return {status_without_command, command_};
    }
    if (!command_->subcommands.empty()) throw usage_error(fmt::format("no command: {}", advice()));
    for (option const& o : command_->options)
      if (o.required && !seen_.contains(o.spelling()))
        throw usage_error(fmt::format("missing option: {}={}: {}", o.spelling(), o.value, advice()));
    std::size_t needed = 0;
    for (operand const& o : command_->operands) {
      needed += o.min;
      if (operands_ < needed) throw usage_error(fmt::format("missing operand: {}: {}", o.name, advice()));
    }
    for (conflict const& rule : command_->conflicts)
      if (exists(rule)) throw usage_error(fmt::format("conflicting options: {}: {}", list_names(rule), with_values(rule.why)));
    return {std::nullopt, command_};
  }

 private:
  [[nodiscard]] std::string advice() const { return fmt::format("see {} --help", command_->name); }
  void note_error(std::string const& message) {
    if (first_error_.empty()) first_error_ = message;
  }

  static std::string_view option_name(std::string_view condition) { return condition.substr(0, condition.find_first_of("!=")); }
  [[nodiscard]] bool holds(std::string_view condition) const {
    std::string_view const name = option_name(condition);
    auto const it = seen_.find(name);
    if (it == seen_.end() || name == condition) return it != seen_.end();
    bool const differs = condition[name.size()] == '!';
    return (it->second == condition.substr(name.size() + (differs ? 2 : 1))) != differs;
  }
  [[nodiscard]] bool exists(conflict const& rule) const {
    auto const is_true = [this](std::string_view condition) { return holds(condition); };
    return std::ranges::all_of(rule.options, is_true) && (rule.with.empty() || std::ranges::any_of(rule.with, is_true)) &&
           std::ranges::none_of(rule.unless, is_true);
  }
  static std::string list_names(conflict const& rule) {
    std::string names(rule.names);
    if (names.empty())
      for (std::string_view const condition : rule.options) (names += names.empty() ? "" : ", ") += option_name(condition);
    return names;
  }
  // Replaces {--option} by the value of the option.
  [[nodiscard]] std::string with_values(std::string text) const {
    for (std::size_t begin = text.find("{--"); begin != text.npos; begin = text.find("{--", begin)) {
      std::size_t const size = text.find('}', begin) - begin;
      auto const it = seen_.find(std::string_view(text).substr(begin + 1, size - 1));
      std::string const value = it == seen_.end() ? "" : it->second;
      text.replace(begin, size + 1, value);
      begin += value.size();
    }
    return text;
  }

  option const* find(char letter) const override {
    auto const it = std::ranges::find(command_->options, letter, &option::letter);
    return it == command_->options.end() ? nullptr : &*it;
  }
  option const* find(std::string_view name, std::string_view argument) const override {
    if (argument.find('=') == argument.size() - 1)
      throw usage_error(fmt::format("empty value: --{}: nothing follows the '='", argument));
    auto const it = std::ranges::find(command_->options, name, &option::name);
    return it == command_->options.end() || name.empty() ? nullptr : &*it;
  }
  bool is_option(std::string_view argument) const override {
    return argument.size() > 1 && argument[0] == '-' && !std::isdigit(static_cast<unsigned char>(argument[1]));
  }

  void apply(option const& given, std::string_view, std::string_view value) override {
    std::string const name = given.spelling();
    bool const first = !seen_.contains(name);
    if (!given.value.empty() && !given.repeatable && !given.optional_value && !first)
      throw usage_error(fmt::format("repeated option: {}: give it once", name));
    if (given.only_choices && value.data() != nullptr) {
      std::string_view const choice = find_choice(given, value);
      if (choice.data() == nullptr)
        throw usage_error(fmt::format("invalid value: {}: '{}': choose from {}", name, value, joined(given.choices)));
      value = choice;
    }
    seen_.insert_or_assign(name, std::string(value));
    if (name == "--help")
      help_ = true;
    else if (name == "--version")
      version_ = true;
    else if (name == "--generate")
      page_ = generated(program_, *command_, value);
    else
      given.set(name, value);
  }

  void add_operand(std::string_view value, bool literal) override {
    if (!command_->subcommands.empty()) {
      auto const& all = command_->subcommands;
      auto const short_name = [](command_table const& sub) {
        return std::string_view(sub.name).substr(sub.name.find(' ') + 1);
      };
      if (literal) return note_error(fmt::format("no command: {}", advice()));
      auto const it = std::ranges::find_if(all, [&](command_table const& sub) {
        return short_name(sub) == value || (!sub.other_name.empty() && sub.other_name == value);
      });
      if (it != all.end()) {
        command_ = &*it;
        return;
      }
      if (value == "version" && !help_of_command_) {
        version_ = true;
        return;
      }
      if (value == "help" && !help_of_command_) {
        help_ = help_of_command_ = true;
        return;
      }
      std::vector<std::string> names;
      for (command_table const& sub : all) names.emplace_back(short_name(sub));
      auto const near = nearest(value, names);
      std::string const message = near ? fmt::format("unknown command: {}: did you mean {}?", value, *near)
                                       : fmt::format("unknown command: '{}': {}", value, advice());
      if (help_of_command_) throw usage_error(message);
      return note_error(message);
    }
    std::size_t before = 0;
    std::size_t const number = operands_++;
    for (operand const& o : command_->operands) {
      if (number - before < o.max) return o.add(value);
      before += o.max;
    }
    note_error(fmt::format("unexpected operand: '{}': {}", value, advice()));
  }

  void refuse(misuse kind, option const* given, std::string_view argument) override {
    switch (kind) {
      case misuse::unknown_option:
      case misuse::unknown_letter: {
        auto const near = nearest_option(*command_, argument);
        return note_error(near ? fmt::format("unknown option: {}: did you mean {}?", argument, *near)
                               : fmt::format("unknown option: {}: {}", argument, advice()));
      }
      case misuse::unexpected_value:
        throw usage_error(fmt::format("unexpected value: {}: the option takes none", argument));
      default:
        throw usage_error(fmt::format("missing value: {}: {} must follow", argument, given->value));
    }
  }

  command_table const& program_;
  command_table const* command_;
  std::map<std::string, std::string, std::less<>> seen_;  // the options that are given, and their values
  std::size_t operands_ = 0;
  bool is_bare_;
  bool help_ = false, version_ = false;
  bool help_of_command_ = false;  // the word help was given, which a command may follow
  std::string page_, first_error_;
};

}  // namespace

option::action enable(bool& to) {
  return [&to](std::string_view, std::string_view) { to = true; };
}

option::action store(std::string& to) {
  return [&to](std::string_view, std::string_view value) { to = value; };
}

option::action store_nonempty(std::string& to) {
  return [&to](std::string_view spelling, std::string_view value) {
    if (value.empty()) throw usage_error(fmt::format("empty value: {}: ''", spelling));
    to = value;
  };
}

option::action append_to(std::vector<std::string>& to) {
  return [&to](std::string_view, std::string_view value) { to.emplace_back(value); };
}

option flag(std::string_view name, std::string_view group, std::string help, bool& to, std::string details) {
  return {.name = name, .group = group, .help = std::move(help), .details = std::move(details), .set = enable(to)};
}

std::optional<std::string> nearest(std::string_view name, std::vector<std::string> const& names) {
  std::size_t min = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::optional<std::string> result;
  for (std::string const& other : names) {
    bool const abbreviates = name.size() > 1 && other.starts_with(name);
    std::size_t const distance = abbreviates ? 1 : edit_distance(name, other);
    if (distance >= min) continue;
    min = distance;
    result = other;
  }
  return result;
}

std::optional<std::string> nearest_option(command_table const& table, std::string_view spelling) {
  if (!spelling.starts_with("--")) return {};
  std::vector<std::string> names;
  for (option const& o : table.options)
    if (o.is_documented() && !o.name.empty()) names.emplace_back(o.name);
  auto const it = nearest(spelling.substr(2, spelling.find('=') - 2), names);
  return it ? std::optional("--" + *it) : std::nullopt;
}

parsed_command parse(command_table const& table, int argc, char const* const* argv) {
  std::span<char const* const> all(argv, std::size_t(argc));
  if (!all.empty()) all = all.subspan(1);
  // Without commands, the only word is help or version unless there is a file of this name.
  static constexpr char const *help = "--help", *version = "--version";
  std::error_code error;
  if (all.size() == 1 && table.subcommands.empty() && !std::filesystem::exists(all[0], error)) {
    if (std::string_view(all[0]) == "help") all = {&help, 1};
    if (std::string_view(all[0]) == "version") all = {&version, 1};
  }
  tool_parser parser(table, all.empty());
  parser.parse(all);
  return parser.finish();
}

}  // namespace ordo::inline v0::cli
