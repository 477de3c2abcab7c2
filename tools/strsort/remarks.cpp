#include <clocale>

#include <fmt/format.h>

#include "tools/strsort/debug.hpp"

namespace ordo::strsort {
namespace {

using strings::reading;

bool is_number(reading as) {
  return as == reading::number || as == reading::general_number || as == reading::human_number;
}

std::string obsolete_key(strings::key const& key) {
  std::string old = fmt::format("+{}", key.first_field), now = fmt::format("{}", key.first_field + 1);
  if (key.last_field != strings::key::to_the_end) {
    old += fmt::format(" -{}", key.last_field + 1);
    now += fmt::format(",{}", key.last_field + 1);
  }
  return fmt::format("obsolescent key '{}' used; consider '-k {}' instead", old, now);
}

// Can blanks in front of a field move what the key compares?
bool has_significant_blanks(strings::key const& key) {
  bool const in_line = key.last_field == 0 && key.end_character != 0;  // characters of the line, not of a field
  bool const skips = is_number(key.as) || key.as == reading::month;
  return !in_line && ((!key.skip_blanks_at_first && (!skips || key.first_character != 0)) ||
                      (!key.skip_blanks_at_end && key.end_character != 0));
}

class numbers {
 public:
  void add(reading as, bool spans) {
    any_ = true;
    spans_ |= spans;
    general_spans_ |= spans && as == reading::general_number;
  }
  void remark(std::optional<char> separator, std::vector<std::string>& to) const {
    auto const treated = [&](std::string_view as) {
      to.push_back(fmt::format("field separator '{}' is treated as a {} in numbers", *separator, as));
    };
    bool const decimal = separator == '.';
    if (spans_ && decimal) return treated("decimal point");
    if (spans_ && separator == '-') treated("minus sign");
    if (general_spans_ && separator == '+') treated("plus sign");
    if (any_) to.push_back(fmt::format("{}numbers use '.' as a decimal point in this locale", decimal ? "" : "note "));
  }

 private:
  bool any_ = false, spans_ = false, general_spans_ = false;
};

// The global options that no key has.
ordering unused(ordering global, command const& made) {
  std::vector<given_key> keys = made.keys;
  if (keys.empty()) return {};
  for (given_key const& key : keys) {
    ordering const& has = key.has_options() ? key.how : made.global;
    global.blanks_at_first &= !has.blanks_at_first;
    global.blanks_at_end &= !has.blanks_at_end;
    global.dictionary &= !has.dictionary;
    global.fold &= !has.fold;
    global.general &= !has.general;
    global.human &= !has.human;
    global.unprinted &= !has.unprinted;
    global.month &= !has.month;
    global.number &= !has.number;
    global.random &= !has.random;
    global.reverse &= !has.reverse;
    global.version &= !has.version;
  }
  return global;
}

}  // namespace

std::vector<std::string> remarks(command const& made, strings::order const& by) {
  std::vector<std::string> said;
  if (!made.locale && !std::setlocale(LC_ALL, "")) said.emplace_back("failed to set locale");
  std::setlocale(LC_ALL, "C");
  said.push_back(by.locale == "C" || by.locale == "POSIX"
                     ? "text ordering performed using simple byte comparison"
                     : fmt::format("text ordering performed using '{}' sorting rules", by.locale));

  numbers numeric;
  for (std::size_t k = 0; k < by.keys.size(); ++k) {
    strings::key const& key = by.keys[k];
    bool const given = k < made.keys.size();  // else it is what the global options say of the line
    if (given && made.keys[k].obsolete) said.push_back(obsolete_key(key));
    bool const no_width = key.last_field < key.first_field;
    if (no_width) said.push_back(fmt::format("key {} has zero width and will be ignored", k + 1));
    if (given && !no_width && !by.separator && has_significant_blanks(key))
      said.push_back(fmt::format("leading blanks are significant in key {}; consider also specifying 'b'", k + 1));
    if (!is_number(key.as)) continue;
    bool const spans = given && key.last_field > key.first_field;
    if (spans) said.push_back(fmt::format("key {} is numeric and spans multiple fields", k + 1));
    numeric.add(key.as, spans);
  }
  numeric.remark(by.separator, said);

  ordering left = unused(made.global, made);
  bool const last_reversed = left.reverse && by.last_resort;
  if (last_reversed) left.reverse = false;
  if (std::string const letters = left.letters(); !letters.empty())
    said.push_back(letters.size() == 1 ? fmt::format("option '-{}' is ignored", letters)
                                       : fmt::format("options '-{}' are ignored", letters));
  if (last_reversed) said.emplace_back("option '-r' only applies to last-resort comparison");
  return said;
}

}  // namespace ordo::strsort
