#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ordo/strings/line_comparison.hpp"
#include "strings/external/records.hpp"
#include "tools/strsort/genomics.hpp"
#include "tools/strsort/json_key.hpp"
#include "tools/strsort/modes.hpp"
#include "tools/strsort/options/gnu_messages.hpp"
#include "tools/strsort/options/pattern.hpp"

namespace ordo::inline v0::strsort {
namespace {

using strings::key;
using strings::key_type;

constexpr std::size_t max_bytes = std::size_t{1} << 20, max_shown = 60;

std::string_view type_in_words(key const& by, strings::order const& of) {
  switch (by.type) {
    case key_type::number:
      return "as a decimal number; text without one counts as 0";
    case key_type::general_number:
      return "as a number with an exponent; text without one comes first, then NaN";
    case key_type::human_number:
      return "as a number with a unit: first by sign, then by unit (none, K, M, G, T, P, E, Z, Y, R, Q), then by number";
    case key_type::month:
      return "as the name of a month; other text comes first";
    case key_type::version:
      return "as a version: numbers within the text by their values";
    case key_type::random:
      return "in a random order, in which equal text stays together";
    case key_type::natural:
      return "as text in which numbers compare by their values";
    case key_type::duration:
      return "as a time, such as 90s, 1h30m or 1:30:00; text without one comes first";
    case key_type::date:
      return of.date_format.empty() ? "as a date of ISO 8601; other text comes first"
                                    : "as a date of the given format; other text comes first";
    case key_type::address:
      return "as an address: other text, then IPv4, then IPv6";
    case key_type::length:
      return "by its length: in bytes, or characters in a locale of UTF-8";
    case key_type::listed:
      return "by the list: listed text in its order, then all other text by its bytes";
    case key_type::bytes:
      break;
  }
  return of.is_collated() ? "as text, in the order of the locale" : "as text, by its bytes";
}

std::string field_in_words(std::size_t field, std::vector<std::string> const& columns) {
  std::string made = fmt::format("field {}", field + 1);
  if (field < columns.size()) made += fmt::format(" ({})", quote(columns[field]));
  return made;
}

std::string range_in_words(key const& by, std::vector<std::string> const& columns) {
  if (by.first_field == 0 && by.first_character == 0 && by.last_field == key::to_the_end) return "the line";
  bool const single = by.first_field == by.last_field && by.first_character == 0 && by.end_character == 0;
  if (single) return field_in_words(by.first_field, columns);
  std::string made = fmt::format("the text from {}", field_in_words(by.first_field, columns));
  if (by.first_character != 0) made += fmt::format(", character {},", by.first_character + 1);
  if (by.last_field == key::to_the_end) return made + " to the end of the line";
  made += fmt::format(" to {}", field_in_words(by.last_field, columns));
  return by.end_character == 0 ? made : fmt::format("{}, character {}", made, by.end_character);
}

std::string key_in_words(key const& by, strings::order const& of, std::vector<std::string> const& columns) {
  std::string made;
  if (auto const* const finder = dynamic_cast<pattern const*>(by.finder.get()))
    made = fmt::format("what {} finds in ", quote("/" + finder->text() + "/"));
  else if (dynamic_cast<feature_level const*>(by.finder.get()))
    made = "the level of the feature, genes before transcripts before exons, in ";
  else if (auto const* const json = dynamic_cast<json_finder const*>(by.finder.get()))
    made = fmt::format("the value of {} in ", quote(fmt::format("{}", fmt::join(json->path(), "."))));
  else if (by.finder && by.first_field == 0)
    made = "the name of the read, with numbers by their values, in ";
  else if (by.finder && by.first_field == 1)
    made = "the side and the kind of the read, by the flags in ";
  else if (by.finder)
    made = "whether the read is placed, in ";
  made += fmt::format("{} {}", range_in_words(by, columns), type_in_words(by, of));
  if (by.fold_case) made += "; lower case counts as upper case";
  if (by.dictionary)
    made += "; only letters, digits and blanks count";
  else if (by.ignore_unprinted)
    made += "; only printing characters count";
  if (by.skip_blanks_at_first || by.skip_blanks_at_end) made += "; blanks at its start do not count";
  if (by.reverse) made += "; the greatest first";
  if (by.empty == strings::empty_values::first) made += by.reverse ? "; missing values last" : "; missing values first";
  if (by.empty == strings::empty_values::last) made += "; empty values last";
  return made;
}

std::string fields_in_words(strings::order const& of) {
  if (of.quoted) return fmt::format("Fields end at {} and may have quotes, as in CSV.", quote(std::string(1, *of.separator)));
  if (of.separator) return fmt::format("Fields end at {}.", quote(std::string(1, *of.separator)));
  return "A field is blanks and the text after them.";
}

std::string excerpt(std::string_view line) {
  return quote(line.size() <= max_shown ? line : line.substr(0, max_shown)) + (line.size() > max_shown ? "..." : "");
}

// Returns the lines at the beginning of a text.
std::string read_sample(source& from, char delimiter) {
  std::string text(max_bytes, '\0');
  std::size_t const got = from.read(text);
  bool const all = got < text.size();
  text.resize(got);
  if (all && !text.empty() && text.back() != delimiter) text += delimiter;
  text.resize(text.rfind(delimiter) + 1);
  return text;
}

std::vector<std::string> split_lines(std::string_view text, char delimiter) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at += lines.back().size() + 1)
    lines.emplace_back(text.substr(at, text.find(delimiter, at) - at));
  return lines;
}

// Returns the first adjacent lines, sorted, of which the keys before the k-th are equal and the k-th is not. With k the number
// of keys: lines whose keys are equal.
std::optional<std::pair<std::string, std::string>> example(std::vector<std::string> const& lines, strings::order const& by,
                                                           std::size_t k, char delimiter) {
  auto const first = [&](std::size_t count) {
    strings::order made = by;
    made.keys.resize(count);
    made.last_resort = false;
    return strings::line_comparison(made, delimiter);
  };
  std::optional<strings::line_comparison> before, with;
  if (k != 0) before = first(k);
  if (k < by.keys.size()) with = first(k + 1);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (before && before->by_keys(lines[i - 1], lines[i]) != 0) continue;
    int const difference = with ? with->by_keys(lines[i - 1], lines[i]) : lines[i - 1].compare(lines[i]);
    if (difference != 0) return std::pair(lines[i - 1], lines[i]);
  }
  return {};
}

std::string keys_in_words(strings::order const& by, char delimiter, std::string_view header, std::string_view sample) {
  std::vector<std::string> columns;
  if (!header.empty())
    columns = strings::detail::header_fields(by.quoted ? header : header.substr(0, header.find(delimiter)),
                                             by.separator.value_or(0), by.quoted);
  std::vector<std::string> lines = split_lines(sample, delimiter);
  strings::line_comparison const compare(by, delimiter);
  std::ranges::stable_sort(lines, [&](std::string const& a, std::string const& b) { return compare(a, b) < 0; });

  std::string text;
  auto const show = [&](std::size_t k) {
    if (auto const result = example(lines, by, k, delimiter))
      text += fmt::format("    {} comes before\n    {}\n", excerpt(result->first), excerpt(result->second));
    else if (!lines.empty())
      text += "    no two of the first lines differ in it\n";
  };
  if (by.keys.empty()) {
    text += fmt::format("Lines compare as text, {}{}.\n", by.is_collated() ? "in the order of the locale" : "by their bytes",
                        by.reverse ? ", the greatest first" : "");
    show(0);
    return text;
  }
  text += fields_in_words(by) + '\n';
  for (std::size_t k = 0; k < by.keys.size(); ++k) {
    text += fmt::format("{}. Lines compare by {}.\n", k + 1, key_in_words(by.keys[k], by, columns));
    show(k);
  }
  if (!by.last_resort) return text + "Lines with equal keys keep the order of the input.\n";
  text +=
      fmt::format("Lines with equal keys compare as a whole, {}{}.\n",
                  by.is_collated() ? "in the order of the locale" : "by their bytes", by.reverse ? ", the greatest first" : "");
  show(by.keys.size());
  return text;
}

}  // namespace

std::string explained(work const& w) {
  char const delimiter = w.inputs.delimiter();
  std::string_view const header = w.made.preset.empty() ? std::string_view(w.inputs.header()) : std::string_view();
  std::string const sample = read_sample(*w.inputs.open(0), delimiter);
  std::string const text = keys_in_words(w.by, delimiter, header, sample);
  command const& made = w.made;
  bool const sorts = made.check == 0 && !made.merge && !made.estimate && !made.keep_order;
  return sorts ? text + planned(w, sample) : text;
}

}  // namespace ordo::inline v0::strsort
