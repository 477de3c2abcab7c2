#include <langinfo.h>
#include <clocale>

#include <fmt/format.h>

#include "strings/keys/collation.hpp"
#include "tools/strsort/debug.hpp"

namespace ordo::strsort {
namespace {

using strings::key_type;

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

// Can blanks in front of a field move what the key compares?
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
  void remark(std::optional<char> separator, std::vector<std::string>& to) const {
    bool told = false;
    auto const treated = [&](std::string_view as) {
      to.push_back(fmt::format("field separator '{}' is treated as a {} in numbers", *separator, as));
    };
    if (basic_spans_ && group_ != 0 && separator == group_) {
      treated("group separator");
      told = true;
    }
    bool const spans = basic_spans_ || general_spans_, decimal = separator == decimal_;
    if (spans && decimal) {
      treated("decimal point");
      told = true;
    } else if (spans && separator == '-') {
      treated("minus sign");
    } else if (general_spans_ && separator == '+') {
      treated("plus sign");
    }
    if (any_ && !told)
      to.push_back(fmt::format("{}numbers use '{}' as a decimal point in this locale", decimal ? "" : "note ", decimal_));
    if (basic_ && group_ignored_) to.emplace_back("the multi-byte number group separator in this locale is not supported");
  }

 private:
  char decimal_ = '.';
  char group_ = 0;  // 0: none
  bool group_ignored_ = false, any_ = false, basic_ = false, basic_spans_ = false, general_spans_ = false;
};

// The global options that no key has.
ordering unused(ordering global, command const& made) {
  if (made.keys.empty()) return {};
  for (given_key const& key : made.keys) global = global.without(key.has_options() ? key.how : made.global);
  return global;
}

}  // namespace

std::vector<std::string> remarks(command const& made, strings::order const& by) {
  std::vector<std::string> said;
  if (!made.locale && !std::setlocale(LC_ALL, "")) said.emplace_back("failed to set locale");
  std::setlocale(LC_ALL, "C");
  auto const in = strings::detail::named_locale(by.locale);  // before anything is said
  said.push_back(!by.is_collated() ? "text ordering performed using simple byte comparison"
                                   : fmt::format("text ordering performed using '{}' sorting rules", by.locale));

  numbers numeric(in);
  for (std::size_t k = 0; k < by.keys.size(); ++k) {
    strings::key const& key = by.keys[k];
    bool const given = k < made.keys.size();  // else it is what the global options say of the line
    if (given && made.keys[k].obsolete) said.push_back(obsolete_key(key));
    bool const no_width = key.last_field < key.first_field;
    if (no_width) said.push_back(fmt::format("key {} has zero width and will be ignored", k + 1));
    if (given && !no_width && !by.separator && has_significant_blanks(key))
      said.push_back(fmt::format("leading blanks are significant in key {}; consider also specifying 'b'", k + 1));
    if (!is_number(key.type)) continue;
    bool const spans = given && key.last_field > key.first_field;
    if (spans) said.push_back(fmt::format("key {} is numeric and spans multiple fields", k + 1));
    numeric.add(key.type, spans);
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
