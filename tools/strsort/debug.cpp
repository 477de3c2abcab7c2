#include "tools/strsort/debug.hpp"

#include <langinfo.h>
#include <locale.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <clocale>
#include <cstdlib>
#include <cwchar>
#include <cwctype>
#include <functional>

#include <fmt/format.h>

#include "strings/keys/collation.hpp"

namespace ordo::inline v0::strsort {
namespace {

using strings::key;
using strings::key_type;

// Sets the locale of the thread, by which the functions below call the C library, during its lifetime.
class in_locale {
 public:
  explicit in_locale(locale_t now) : before_(uselocale(now)) {}
  ~in_locale() { uselocale(before_); }
  in_locale(in_locale const&) = delete;
  in_locale& operator=(in_locale const&) = delete;

 private:
  locale_t before_;
};

bool is_blank(char c) {
  return std::isblank(static_cast<unsigned char>(c)) || c == '\n';
}

// Returns an item of the locale if it is one byte, else `other`.
char one_byte(nl_item item, char other) {
  char const* const text = nl_langinfo(item);
  return text[0] != 0 && text[1] == 0 ? text[0] : other;
}

std::size_t behind_blanks(std::string_view line, std::size_t at) {
  while (at < line.size() && is_blank(line[at])) ++at;
  return at;
}

// Return the end of the field that begins at `at`, and the beginning of a field.
std::size_t field_end(std::string_view line, std::size_t at, std::optional<char> separator) {
  if (separator) return std::min(line.find(*separator, at), line.size());
  at = behind_blanks(line, at);
  while (at < line.size() && !is_blank(line[at])) ++at;
  return at;
}
std::size_t field_begin(std::string_view line, std::size_t field, std::optional<char> separator) {
  std::size_t at = 0;
  for (; field != 0 && at < line.size(); --field) {
    at = field_end(line, at, separator);
    if (separator && at < line.size()) ++at;
  }
  return at;
}
std::size_t moved(std::string_view line, std::size_t at, std::size_t by) {
  return at + std::min(by, line.size() - at);
}

// A part of a line; empty if last is not after first.
struct piece {
  std::size_t first, last;
};

piece key_piece(std::string_view line, key const& by, std::optional<char> separator) {
  std::size_t first = field_begin(line, by.first_field, separator);
  if (by.skip_blanks_at_first) first = behind_blanks(line, first);
  first = moved(line, first, by.first_character);
  std::size_t last = line.size();
  if (by.last_field != key::to_the_end) {
    last = field_begin(line, by.last_field, separator);
    if (by.end_character == 0) {
      last = field_end(line, last, separator);
    } else {
      if (by.skip_blanks_at_end) last = behind_blanks(line, last);
      last = moved(line, last, by.end_character);
    }
  }
  return {first, last};
}

// Returns what the key's finder finds in the piece.
piece match_part(std::string_view line, piece of, key const& by) {
  if (!by.finder) return of;
  std::string made;
  std::string_view const part = by.finder->find(line.substr(of.first, of.last > of.first ? of.last - of.first : 0), made);
  if (part.empty()) return {of.first, of.first};
  // Not a part of the line, but a text that stands for one.
  if (std::less<>()(part.data(), line.data()) || !std::less<>()(part.data(), line.data() + line.size())) return of;
  std::size_t const first = std::size_t(part.data() - line.data()), last = first + part.size();
  return {by.skip_blanks_at_first ? std::min(behind_blanks(line, first), last) : first, last};
}

// Returns the length of the number at the beginning of the text: sign, digits with single group separators between them, point,
// digits, and a unit if wanted.
std::size_t decimal_length(std::string_view text, std::string_view units) {
  std::size_t at = text.starts_with('-') ? 1 : 0, digits = 0;
  auto const is = [&](std::size_t i, char c) { return i < text.size() && text[i] == c; };
  auto const is_digit = [&](std::size_t i) { return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); };
  char const group = one_byte(THOUSEP, 0);
  for (; is_digit(at); ++digits) {
    ++at;
    if (group == 0 || !is(at, group)) continue;
    if (!is_digit(at + 1)) return at;
    ++at;
  }
  if (is(at, one_byte(RADIXCHAR, '.')))
    for (++at; is_digit(at); ++at) ++digits;
  if (digits == 0) return 0;
  if (at < text.size() && units.find(text[at]) != units.npos) ++at;
  return at;
}

std::size_t month_length(std::string_view text) {
  auto const upper = [](char c) { return char(std::toupper(static_cast<unsigned char>(c))); };
  std::string head(text);
  std::ranges::transform(head, head.begin(), upper);
  for (int month = 0; month < 12; ++month) {
    std::string name = nl_langinfo(nl_item(ABMON_1 + month));
    std::erase_if(name, [](char c) { return std::isblank(static_cast<unsigned char>(c)); });
    std::ranges::transform(name, name.begin(), upper);
    if (head.starts_with(name)) return name.size();
  }
  return 0;
}

std::size_t general_length(std::string const& text) {
  char* end = nullptr;
  std::strtold(text.c_str(), &end);
  return std::size_t(end - text.c_str());
}

// Returns the part of the piece that is compared.
piece significant(std::string_view line, piece of, key_type as, strings::gnu_rules rules) {
  if (as == key_type::bytes || as == key_type::version || as == key_type::random) return of;
  bool const old = rules == strings::gnu_rules::v9_1;
  // GNU sort 9.1 skips the blanks after a piece that ends before it begins.
  std::size_t const first =
      behind_blanks(old && of.last < of.first ? line : line.substr(0, std::max(of.first, of.last)), of.first);
  if (of.last < first) return {first, first};
  std::string_view const text = line.substr(first, of.last - first);
  std::size_t const length = as == key_type::month            ? month_length(text)
                             : as == key_type::general_number ? general_length(std::string(text))
                             : as == key_type::human_number   ? decimal_length(text, old ? "kKMGTPEZY" : "kKMGTPEZYRQ")
                                                              : decimal_length(text, "");
  return {first, first + length};
}

// Returns the columns of a terminal that the text takes. An invalid byte takes one, and so does a character that is cut off.
std::size_t width(std::string_view text) {
  std::size_t columns = 0;
  std::mbstate_t state{};
  while (!text.empty()) {
    wchar_t character = 0;
    std::size_t bytes = std::mbrtowc(&character, text.data(), text.size(), &state);
    if (bytes > text.size()) {
      constexpr auto cut_off = static_cast<std::size_t>(-2);
      ++columns;
      state = {};
      bytes = bytes == cut_off ? text.size() : 1;
    } else if (int const needed = wcwidth(character); needed >= 0 && bytes != 0) {
      columns += std::size_t(needed);
    } else {
      columns += character == L'\t' || !std::iswcntrl(wint_t(character));
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return columns;
}

void underline(std::string_view line, piece of, std::string& to) {
  to.append(width(line.substr(0, of.first)), ' ');
  std::size_t const columns = of.last > of.first ? width(line.substr(of.first, of.last - of.first)) : 0;
  if (columns == 0)
    to += "^ no match for key\n";
  else
    to.append(columns, '_') += '\n';
}

bool is_number(key_type as) {
  return as == key_type::number || as == key_type::general_number || as == key_type::human_number;
}

std::string obsolete_key(strings::key const& key) {
  std::string old = fmt::format("+{}", key.first_field), now = fmt::format("{}", key.first_field + 1);
  if (key.last_field != strings::key::to_the_end) {
    old += fmt::format(" -{}", key.last_field + 1);
    now += fmt::format(",{}", key.last_field + 1);
  }
  return fmt::format("obsolescent key '{}' used; consider '-k {}' instead", old, now);
}

// Returns true if blanks before a field change the part that the key compares.
bool has_significant_blanks(strings::key const& key) {
  bool const in_line = key.last_field == 0 && key.end_character != 0;  // characters of the line, not of a field
  bool const skips = is_number(key.type) || key.type == key_type::month;
  return !in_line && ((!key.skip_blanks_at_first && (!skips || key.first_character != 0)) ||
                      (!key.skip_blanks_at_end && key.end_character != 0));
}

class numbers {
 public:
  explicit numbers(locale_t in) {
    std::string_view const decimal = nl_langinfo_l(RADIXCHAR, in), group = nl_langinfo_l(THOUSEP, in);
    if (decimal.size() == 1) decimal_ = decimal[0];
    if (group.size() == 1) group_ = group[0];
    group_ignored_ = group.size() > 1;
  }
  void add(key_type as, bool spans) {
    bool const general = as == key_type::general_number;
    any_ = true;
    basic_ |= !general;
    (general ? general_spans_ : basic_spans_) |= spans;
  }
  void remark(std::optional<char> separator, strings::gnu_rules rules, std::vector<std::string>& to) const {
    bool reported = false;
    auto const treated = [&](std::string_view as) {
      to.push_back(fmt::format("field separator '{}' is treated as a {} in numbers", *separator, as));
    };
    if (basic_spans_ && group_ != 0 && separator == group_) {
      treated("group separator");
      reported = true;
    }
    bool const spans = basic_spans_ || general_spans_, decimal = separator == decimal_;
    if (spans && decimal) {
      treated("decimal point");
      reported = true;
    } else if (spans && separator == '-') {
      treated("minus sign");
    } else if (general_spans_ && separator == '+') {
      treated("plus sign");
    }
    if (any_ && !reported)
      to.push_back(fmt::format("{}numbers use '{}' as a decimal point in this locale",
                               decimal || rules != strings::gnu_rules::v9_1 ? "" : "note ", decimal_));
    if (basic_ && group_ignored_) to.emplace_back("the multi-byte number group separator in this locale is not supported");
  }

 private:
  char decimal_ = '.';
  char group_ = 0;  // 0: none
  bool group_ignored_ = false, any_ = false, basic_ = false, basic_spans_ = false, general_spans_ = false;
};

// Returns the global options that no key uses.
ordering unused(ordering global, command const& made) {
  if (made.keys.empty()) return {};
  for (given_key const& key : made.keys) global = global.without(key.has_options() ? key.options : made.global);
  return global;
}

}  // namespace

std::vector<std::string> remarks(command const& made, strings::order const& by) {
  std::vector<std::string> said;
  if (!made.locale && !std::setlocale(LC_ALL, "")) said.emplace_back("failed to set locale");
  std::setlocale(LC_ALL, "C");
  auto const in = strings::detail::named_locale(by.locale);  // fails before anything is printed
  std::string_view const name = by.collation();
  said.push_back(name == "C" || name == "POSIX" ? "text ordering performed using simple byte comparison"
                                                : fmt::format("text ordering performed using '{}' sorting rules", name));

  numbers numeric(in);
  for (std::size_t k = 0; k < by.keys.size(); ++k) {
    strings::key const& key = by.keys[k];
    bool const given = k < made.keys.size();  // otherwise the global options apply to the whole line
    if (given && made.keys[k].obsolete) said.push_back(obsolete_key(key));
    bool const no_width = key.last_field < key.first_field;
    if (no_width) said.push_back(fmt::format("key {} has zero width and will be ignored", k + 1));
    if (given && !no_width && !by.separator && !key.finder && has_significant_blanks(key))
      said.push_back(fmt::format("leading blanks are significant in key {}; consider also specifying 'b'", k + 1));
    if (!is_number(key.type)) continue;
    bool const spans = given && !key.finder && key.last_field > key.first_field;
    if (spans) said.push_back(fmt::format("key {} is numeric and spans multiple fields", k + 1));
    numeric.add(key.type, spans);
  }
  numeric.remark(by.separator, by.rules, said);

  ordering left = unused(made.global, made);
  bool const last_reversed = left.reverse && by.last_resort;
  if (last_reversed) left.reverse = false;
  if (std::string const letters = left.letters(); !letters.empty())
    said.push_back(letters.size() == 1 ? fmt::format("option '-{}' is ignored", letters)
                                       : fmt::format("options '-{}' are ignored", letters));
  if (last_reversed) said.emplace_back("option '-r' only applies to last-resort comparison");
  return said;
}

std::string annotated(std::string_view line, strings::order const& by) {
  in_locale const now(strings::detail::named_locale(by.locale));
  std::string made(line);
  std::ranges::replace(made, '\t', '>');
  made += '\n';
  for (key const& k : by.keys)
    underline(line, significant(line, match_part(line, key_piece(line, k, by.separator), k), k.type, by.rules), made);
  if (by.keys.empty() || by.last_resort) underline(line, {0, line.size()}, made);
  return made;
}

}  // namespace ordo::inline v0::strsort
