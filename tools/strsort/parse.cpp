#include <cerrno>
#include <cstdlib>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/strsort/options.hpp"

// Arguments are taken one after the other, as getopt_long of the GNU C library takes them, with its words for what it refuses;
// but abbreviations of GNU sort's options mean what they mean there, whatever options there are beside them.
namespace ordo::strsort {
namespace {

class walk {
 public:
  walk(std::span<char const* const> arguments, caller const& by, environment const& around)
      : rest_(arguments.begin(), arguments.end()), by_(by), around_(around) {}

  command all() && {
    bool operands_only = false;
    while (at_ != rest_.size() && !made_.instead) {
      std::string_view const argument = rest_[at_];
      if (operands_only || (around_.posixly_correct && !made_.files.empty() && !is_output_option())) {
        made_.files.emplace_back(argument);
        ++at_;
        continue;
      }
      ++at_;
      if (argument == "--")
        operands_only = true;
      else if (argument.starts_with("--"))
        take_long(argument.substr(2));
      else if (argument.size() > 1 && argument[0] == '-')
        take_letters(argument);
      else
        take_operand(argument);
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] bool is_output_option() const {
    return made_.check == 0 && rest_[at_].starts_with("-o") && (rest_[at_].size() > 2 || at_ + 1 != rest_.size());
  }

  void set(option const& found, std::string_view spelling, std::string_view value) { found.set(made_, {spelling, value, by_}); }

  void take_operand(std::string_view operand) {
    if (operand.starts_with('+')) {
      bool const ends = at_ != rest_.size() && rest_[at_].size() > 1 && rest_[at_][0] == '-' &&
                        std::isdigit(static_cast<unsigned char>(rest_[at_][1]));
      given_key key;
      if ((around_.has_obsolete_keys || (ends && !around_.posixly_correct)) &&
          parse_obsolete_key(operand, ends ? rest_[at_] : "", key)) {
        at_ += ends;
        made_.keys.push_back(key);
        return;
      }
    }
    made_.files.emplace_back(operand);
  }

  void take_letters(std::string_view argument) {
    for (std::size_t i = 1; i < argument.size() && !made_.instead; ++i) {
      char const letter = argument[i];
      auto const options = all_options();
      auto const found = std::ranges::find(options, letter, &option::letter);
      if (found == options.end() || letter == 0) throw by_.misuse(fmt::format("invalid option -- '{}'", letter));
      std::string const spelling = {'-', letter};
      // A letter and a long option that may have a value: the letter has none.
      if (found->takes != argument::required) {
        set(*found, spelling, {});
        continue;
      }
      std::string_view value = argument.substr(i + 1);
      if (value.empty()) {
        if (at_ == rest_.size()) throw by_.misuse(fmt::format("option requires an argument -- '{}'", letter));
        value = rest_[at_++];
        // -y is ignored, with a number behind it: what is none is no part of it.
        if (letter == 'y' && !std::ranges::all_of(value, [](unsigned char c) { return std::isdigit(c); })) --at_;
      }
      return set(*found, spelling, value);
    }
  }

  option const& find(std::string_view name, std::string_view argument) const {
    auto const options = all_options();
    if (auto const exact = std::ranges::find(options, name, &option::name); exact != options.end() && !name.empty())
      return *exact;
    for (bool const gnu : {true, false}) {
      std::vector<option const*> possible;
      for (option const& o : options)
        if (is_gnu(o) == gnu && !o.name.empty() && o.name.starts_with(name)) possible.push_back(&o);
      if (possible.size() == 1) return *possible.front();
      if (possible.empty()) continue;
      std::string names;
      for (option const* const o : possible) names += fmt::format(" '--{}'", o->name);
      throw by_.misuse(fmt::format("option '--{}' is ambiguous; possibilities:{}", argument, names));
    }
    throw by_.misuse(fmt::format("unrecognized option '--{}'", argument));
  }

  void take_long(std::string_view argument) {
    std::size_t const end = argument.find('=');
    bool const has_value = end != argument.npos;
    option const& found = find(argument.substr(0, end), argument);
    std::string const spelling = fmt::format("--{}", found.name);
    if (has_value && found.takes == argument::none)
      throw by_.misuse(fmt::format("option '{}' doesn't allow an argument", spelling));
    if (has_value) return set(found, spelling, argument.substr(end + 1));
    if (found.takes != argument::required) return set(found, spelling, {});
    if (at_ == rest_.size()) throw by_.misuse(fmt::format("option '{}' requires an argument", spelling));
    set(found, spelling, rest_[at_++]);
  }

  std::vector<std::string_view> rest_;
  std::size_t at_ = 0;
  caller const& by_;
  environment around_;
  command made_;
};

}  // namespace

environment environment::here() {
  environment found;
  found.posixly_correct = std::getenv("POSIXLY_CORRECT") != nullptr;
  // Between 200112 and 200809 POSIX took "+1" for a file.
  if (char const* const text = std::getenv("_POSIX2_VERSION"); text && *text) {
    char* end = nullptr;
    long const version = std::strtol(text, &end, 10);
    if (*end == 0) found.has_obsolete_keys = version < 200112 || version >= 200809;
  }
  return found;
}

command parse(std::span<char const* const> arguments, caller const& by, environment const& around) {
  return walk(arguments, by, around).all();
}

strings::order command::order() const {
  strings::order made;
  made.keys = keys_of(keys, global);
  made.reverse = global.reverse;
  made.last_resort = !stable && !unique && !count;
  made.separator = separator;
  if (locale) made.locale = *locale;
  return made;
}

}  // namespace ordo::strsort
