#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

// Lines of MGF, and where a text may be cut.
namespace ordo::spectra::detail {

inline constexpr std::string_view begin_ions = "BEGIN IONS", end_ions = "END IONS", byte_order_mark = "\xef\xbb\xbf";

inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

/// A line's text without blanks around it; and without a byte order mark before it, which stands at the front of a file, or
/// inside one that was put together from several.
inline std::string_view trimmed(std::string_view line) {
  if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

/// Lines without blanks around them. A parameter is a key without blanks, '=' and a value.
inline bool is_comment(std::string_view line) {
  return !line.empty() && std::string_view("#;!/").find(line[0]) != std::string_view::npos;
}
inline bool is_parameter(std::string_view line) {
  std::size_t const end = line.find_first_of("= \t");
  return !is_comment(line) && end != 0 && end != std::string_view::npos && line[end] == '=';
}

/// Takes the first line off a text, line end (LF, CRLF, CR) excluded.
std::string_view take_line(std::string_view& text);

/// Where a text that begins outside of a spectrum can be cut, as whole_spectra says; and where its last BEGIN IONS begins, if
/// there is one.
struct last_cut {
  std::size_t at;
  std::optional<std::size_t> begin;
};
last_cut find_cut(std::string_view text);

/// What TITLE= says in the spectrum whose BEGIN IONS is at the front of `text`; empty if it says nothing.
std::string_view title_of(std::string_view text);

}  // namespace ordo::spectra::detail
