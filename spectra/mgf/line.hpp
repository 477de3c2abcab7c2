#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// Lines of MGF, and the places to cut a text.
namespace ordo::inline v0::spectra::detail {

inline constexpr std::string_view begin_ions = "BEGIN IONS", end_ions = "END IONS", byte_order_mark = "\xef\xbb\xbf";

inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

/// Returns a line without blanks around it, and without a byte order mark before it. Files that were put together from several
/// have such marks inside.
inline std::string_view trimmed(std::string_view line) {
  if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

/// Classify lines without blanks around them. A parameter is a key without blanks, '=' and a value.
inline bool is_comment(std::string_view line) {
  return !line.empty() && std::string_view("#;!/").find(line[0]) != std::string_view::npos;
}
inline bool is_parameter(std::string_view line) {
  std::size_t const end = line.find_first_of("= \t");
  return !is_comment(line) && end != 0 && end != std::string_view::npos && line[end] == '=';
}

/// Takes the first line off a text, line end (LF, CRLF, CR) excluded.
std::string_view consume_line(std::string_view& text);

/// A place to cut a text that begins outside of a spectrum: the text before it holds whole spectra and whole lines between
/// them. And the place of the last BEGIN IONS, if there is one.
struct last_cut {
  std::size_t at;
  std::optional<std::size_t> begin;
};
last_cut find_cut(std::string_view text);

/// Returns the place of the first BEGIN IONS whose line has an end.
std::optional<std::size_t> find_spectrum(std::string_view text);

/// Returns the number of spectra of a text: of the lines BEGIN IONS.
std::uint64_t count_spectra(std::string_view text);

/// Returns the title of the spectrum whose BEGIN IONS is the first line of `text`; empty if it has none.
std::string_view read_title(std::string_view text);

}  // namespace ordo::inline v0::spectra::detail
