#include "tools/strsort/options/keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/strsort/options/gnu_messages.hpp"
#include "tools/strsort/options/options.hpp"

namespace ordo::inline v0::strsort {
namespace {

constexpr std::array<std::pair<char, bool ordering::*>, 10> switches{{{'d', &ordering::dictionary},
                                                                      {'f', &ordering::fold},
                                                                      {'g', &ordering::general},
                                                                      {'h', &ordering::human},
                                                                      {'i', &ordering::unprinted},
                                                                      {'M', &ordering::month},
                                                                      {'n', &ordering::number},
                                                                      {'R', &ordering::random},
                                                                      {'r', &ordering::reverse},
                                                                      {'V', &ordering::version}}};

// GNU's names of the options.
constexpr std::array<std::pair<char, std::string_view>, 11> letter_names{{{'b', "ignore-leading-blanks"},
                                                                          {'d', "dictionary-order"},
                                                                          {'f', "ignore-case"},
                                                                          {'g', "general-numeric"},
                                                                          {'h', "human-numeric"},
                                                                          {'i', "ignore-nonprinting"},
                                                                          {'M', "month"},
                                                                          {'n', "numeric"},
                                                                          {'R', "random"},
                                                                          {'r', "reverse"},
                                                                          {'V', "version"}}};

[[noreturn]] void bad_specification(std::string_view text, std::string_view why) {
  throw usage_error(fmt::format("{}: invalid field specification {}", why, quote(text)));
}

// Removes the number at the beginning of `rest` and returns it, or the maximum if it is too large.
std::size_t consume_number(std::string_view& rest, std::string_view where) {
  number const read = read_number(rest);
  if (read.digits == 0) throw usage_error(fmt::format("{}: invalid count at start of {}", where, quote(rest)));
  rest = read.rest;
  return read.value;
}

void consume_letters(std::string_view& rest, ordering& options, bool first, bool end) {
  while (!rest.empty() && options.set(rest.front(), first, end)) rest.remove_prefix(1);
}

// Reads the regular expression from a slash on, and the options after it.
void consume_pattern(std::string_view text, std::size_t slash, given_key& key) {
  std::size_t const last = text.rfind('/');
  key.pattern = text.substr(slash + 1, last - slash - 1);
  std::string_view rest = text.substr(last + 1);
  if (rest.empty() || parse_words(rest, key.options)) return;
  consume_letters(rest, key.options, true, true);
  bool const has_words = rest.starts_with(':') && parse_words(rest.substr(1), key.options);
  if (!rest.empty() && !has_words) bad_specification(text, "stray character in field spec");
}

strings::key make_key(given_key const& given, ordering const& options) {
  strings::key made = given.part;
  made.skip_blanks_at_first = options.blanks_at_first;
  made.skip_blanks_at_end = options.blanks_at_end;
  using strings::key_type;
  made.type = options.number    ? key_type::number
              : options.general ? key_type::general_number
              : options.human   ? key_type::human_number
              : options.month   ? key_type::month
              : options.random  ? key_type::random
              : options.version ? key_type::version
              : options.own     ? *options.own
                                : key_type::bytes;
  made.fold_case = options.fold;
  made.dictionary = options.dictionary;
  made.ignore_unprinted = options.unprinted;
  made.reverse = options.reverse;
  if (options.empty_last) made.empty = strings::empty_values::last;
  return made;
}

void check_compatible(ordering options) {
  bool const texts = options.version || options.random || options.dictionary || options.unprinted;
  if (options.number + options.general + options.human + options.month + texts + options.own.has_value() <= 1) return;
  options.blanks_at_first = options.blanks_at_end = options.reverse = false;
  std::string names;
  for (own_order const& o : own_orders)
    if (options.own == o.type) names = fmt::format(" --{}", o.name);
  throw usage_error(fmt::format("options '-{}{}' are incompatible", options.letters(), names));
}

bool is_key(std::string_view text) try {
  parse_key(text);
  return true;
} catch (usage_error const&) {
  return false;
}

// Returns the message on the first of the words after a key that is none.
std::string wrong_words(std::string_view key, std::string_view words) {
  ordering options;
  while (words.find(',') != words.npos && parse_words(words.substr(0, words.find(',')), options))
    words.remove_prefix(words.find(',') + 1);
  std::string_view const word = words.substr(0, words.find(','));
  std::string known;
  for (own_order const& o : own_orders) known += fmt::format(", {}", o.name);
  known += ", last";
  std::string advice;
  for (auto const& [letter, name] : letter_names)
    if (word.size() > 1 && name.starts_with(word)) advice = fmt::format("; {} is '{}'", name, letter);
  return fmt::format("invalid key {}: {} is no order: letters of bdfghiMnRrV{}{}", quote(key), quote(word), known, advice);
}

}  // namespace

bool ordering::set(char letter, bool first, bool end) {
  if (letter == 'b') {
    blanks_at_first |= first;
    blanks_at_end |= end;
    return true;
  }
  for (auto const& [name, member] : switches)
    if (name == letter) {
      this->*member = true;
      if (dictionary) unprinted = false;
      return true;
    }
  return false;
}

ordering ordering::without(ordering const& other) const {
  ordering left = *this;
  left.blanks_at_first &= !other.blanks_at_first;
  left.blanks_at_end &= !other.blanks_at_end;
  for (auto const& [name, member] : switches) left.*member &= !(other.*member);
  if (left.own == other.own) left.own.reset();
  return left;
}

std::string ordering::letters() const {
  std::string made(blanks_at_first || blanks_at_end ? "b" : "");
  for (auto const& [name, member] : switches)
    if (this->*member) made += name;
  return made;
}

bool ordering::is_default() const {
  ordering plain;
  plain.reverse = reverse;
  return *this == plain;
}

given_key parse_key(std::string_view text) {
  given_key key;
  std::string_view rest = text;
  // All between the first slash and the last one is the regular expression.
  if (std::size_t const slash = text.find('/'); slash != text.npos && text.rfind('/') != slash) {
    consume_pattern(text, slash, key);
    rest = text.substr(0, slash);
    if (rest.empty()) return key;
  }
  key.part.first_field = consume_number(rest, "invalid number at field start");
  if (key.part.first_field-- == 0) bad_specification(text, "field number is zero");
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    key.part.first_character = consume_number(rest, "invalid number after '.'");
    if (key.part.first_character-- == 0) bad_specification(text, "character offset is zero");
  }
  consume_letters(rest, key.options, true, false);
  if (rest.starts_with(',')) {
    rest.remove_prefix(1);
    key.part.last_field = consume_number(rest, "invalid number after ','");
    if (key.part.last_field-- == 0) bad_specification(text, "field number is zero");
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      key.part.end_character = consume_number(rest, "invalid number after '.'");
    }
    consume_letters(rest, key.options, false, true);
  }
  bool const has_words = rest.starts_with(':') && parse_words(rest.substr(1), key.options);
  if (!rest.empty() && !has_words) bad_specification(text, "stray character in field spec");
  return key;
}

bool parse_words(std::string_view words, ordering& options) {
  ordering read = options;
  while (true) {
    std::string_view const word = words.substr(0, words.find(','));
    auto const* const own = std::ranges::find(own_orders, word, &own_order::name);
    if (own != own_orders.end())
      read.own = own->type;
    else if (word == "last")
      read.empty_last = true;
    else if (word.empty() || !std::ranges::all_of(word, [&](char letter) { return read.set(letter); }))
      return false;
    if (word.size() == words.size()) break;
    words.remove_prefix(word.size() + 1);
  }
  options = read;
  return true;
}

void refuse_words(std::string_view text, std::vector<std::string> const& columns) {
  for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    std::string_view name = text.substr(0, colon), words = text.substr(colon + 1);
    if (name.size() > 1 && name.starts_with('"') && name.ends_with('"')) name = name.substr(1, name.size() - 2);
    ordering options;
    if ((std::ranges::find(columns, name) != columns.end() || is_key(name)) && !parse_words(words, options))
      throw usage_error(wrong_words(text, words));
  }
}

given_key parse_named_key(std::string_view text, std::vector<std::string> const& columns) {
  given_key key;
  auto const use = [&](std::string_view name, std::string_view words) {
    auto const it = std::ranges::find(columns, name);
    ordering options;
    if (it == columns.end() || (!words.empty() && !parse_words(words.substr(1), options))) return false;
    if (std::find(it + 1, columns.end(), name) != columns.end())
      throw usage_error(fmt::format("two columns are named {}: give the number of one, as -k {},{}", quote(name),
                                    it - columns.begin() + 1, it - columns.begin() + 1));
    key.part.first_field = key.part.last_field = std::size_t(it - columns.begin());
    key.options = options;
    return true;
  };
  if (text.starts_with('"')) {
    std::string name;
    std::size_t at = 1;
    for (; at < text.size(); ++at) {
      if (text[at] == '"' && !text.substr(at + 1).starts_with('"')) break;
      if (text[at] == '"') ++at;
      name += text[at];
    }
    std::string_view const words = at < text.size() ? text.substr(at + 1) : "";
    if (at < text.size() && (words.empty() || words.starts_with(':')) && use(name, words)) return key;
    if (words.starts_with('/') && words.rfind('/') != 0 && use(name, "")) {
      consume_pattern(words, 0, key);
      return key;
    }
  }
  if (use(text, "")) return key;
  for (std::size_t slash = text.find('/'); slash != text.npos && slash != text.rfind('/'); slash = text.find('/', slash + 1)) {
    if (!use(text.substr(0, slash), "")) continue;
    consume_pattern(text, slash, key);
    return key;
  }
  if (std::size_t const colon = text.rfind(':'); colon != text.npos && use(text.substr(0, colon), text.substr(colon)))
    return key;
  refuse_words(text, columns);
  std::string known;
  for (std::string const& column : columns) known += fmt::format("{}{}", known.empty() ? "" : ", ", quote(column));
  throw usage_error(
      fmt::format("invalid key {}: no column has this name, with :OPTIONS after it; columns: {}", quote(text), known));
}

bool parse_obsolete_key(std::string_view first, std::string_view end, given_key& key) {
  key = {};
  key.obsolete = true;
  std::string_view rest = first.substr(1);
  number read = read_number(rest);
  if (read.digits == 0) return false;
  key.part.first_field = read.value;
  rest = read.rest;
  if (rest.starts_with('.')) {
    read = read_number(rest.substr(1));
    if (read.digits == 0) return false;
    key.part.first_character = read.value;
    rest = read.rest;
  }
  consume_letters(rest, key.options, true, false);
  if (!rest.empty()) return false;
  // GNU sort marks the beginning of the line like this.
  if (key.part.first_field == std::numeric_limits<std::size_t>::max()) key.part.first_field = key.part.first_character = 0;
  if (end.empty()) return true;

  rest = end.substr(1);
  key.part.last_field = consume_number(rest, "invalid number after '-'");
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    key.part.end_character = consume_number(rest, "invalid number after '.'");
  }
  // The key ends with a whole field.
  if (key.part.end_character == 0 && key.part.last_field != 0) --key.part.last_field;
  consume_letters(rest, key.options, false, true);
  if (!rest.empty()) bad_specification(end, "stray character in field spec");
  return true;
}

std::vector<strings::key> make_keys(std::vector<given_key> const& given, ordering const& global) {
  std::vector<strings::key> keys;
  for (given_key const& key : given) {
    ordering const& options = key.has_options() || key.finder ? key.options : global;
    check_compatible(options);
    keys.push_back(make_key(key, options));
    keys.back().finder = key.finder;
  }
  if (given.empty() && !global.is_default()) {
    check_compatible(global);
    keys.push_back(make_key({}, global));
  }
  return keys;
}

}  // namespace ordo::inline v0::strsort
