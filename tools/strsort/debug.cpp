#include "tools/strsort/debug.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace ordo::strsort {
namespace {

using strings::key;
using strings::reading;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

std::size_t behind_blanks(std::string_view line, std::size_t at) {
  while (at < line.size() && is_blank(line[at])) ++at;
  return at;
}

// Where a field ends that begins at `at`, and where this field begins.
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

// Nothing, if last is not behind first.
struct piece {
  std::size_t first, last;
};

piece piece_of(std::string_view line, key const& by, std::optional<char> separator) {
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

// How much of the text is read as a number: sign, digits, point, digits, and, for human numbers, a unit.
std::size_t decimal_length(std::string_view text, bool unit) {
  std::size_t at = text.starts_with('-') ? 1 : 0, digits = 0;
  auto const take_digits = [&] {
    for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at) ++digits;
  };
  take_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    take_digits();
  }
  if (digits == 0) return 0;
  if (unit && at < text.size() && std::string_view("kKMGTPEZY").find(text[at]) != std::string_view::npos) ++at;
  return at;
}

std::size_t month_length(std::string_view text) {
  constexpr std::array<std::string_view, 12> months{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                    "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
  std::string head(text.substr(0, 3));
  for (char& c : head) c = char(std::toupper(static_cast<unsigned char>(c)));
  return std::ranges::find(months, head) == months.end() ? 0 : head.size();
}

std::size_t general_length(std::string const& text) {
  char* end = nullptr;
  std::strtold(text.c_str(), &end);
  return std::size_t(end - text.c_str());
}

// The part of the piece that decides.
piece significant(std::string_view line, piece of, reading as) {
  if (as == reading::bytes || as == reading::version || as == reading::random) return of;
  // GNU sort goes over the blanks behind a piece that ends before it begins.
  std::size_t const first = behind_blanks(of.last < of.first ? line : line.substr(0, of.last), of.first);
  if (of.last < first) return {first, first};
  std::string_view const text = line.substr(first, of.last - first);
  std::size_t const length = as == reading::month            ? month_length(text)
                             : as == reading::general_number ? general_length(std::string(text))
                                                             : decimal_length(text, as == reading::human_number);
  return {first, first + length};
}

// Columns that a terminal needs for it.
std::size_t width(std::string_view text) {
  return std::size_t(
      std::ranges::count_if(text, [](char c) { return c == '\t' || !std::iscntrl(static_cast<unsigned char>(c)); }));
}

void underline(std::string_view line, piece of, std::string& to) {
  to.append(width(line.substr(0, of.first)), ' ');
  std::size_t const columns = of.last > of.first ? width(line.substr(of.first, of.last - of.first)) : 0;
  if (columns == 0)
    to += "^ no match for key\n";
  else
    to.append(columns, '_') += '\n';
}

}  // namespace

std::string annotated(std::string_view line, strings::order const& by) {
  std::string made(line);
  std::ranges::replace(made, '\t', '>');
  made += '\n';
  for (key const& k : by.keys) underline(line, significant(line, piece_of(line, k, by.separator), k.as), made);
  if (by.keys.empty() || by.last_resort) underline(line, {0, line.size()}, made);
  return made;
}

void annotated_lines::write(std::span<char const> data) {
  std::string_view rest(data.data(), data.size());
  std::string made;
  while (true) {
    std::size_t const length = rest.find(delimiter_);
    if (length == rest.npos) break;
    unfinished_ += rest.substr(0, length);
    rest.remove_prefix(length + 1);
    made += annotated(unfinished_, by_);
    unfinished_.clear();
  }
  unfinished_ += rest;
  to_.write(made);
}

}  // namespace ordo::strsort
