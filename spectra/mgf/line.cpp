#include "spectra/mgf/line.hpp"

#include <cstring>

namespace ordo::inline v0::spectra::detail {
namespace {

// Returns the begin of the line if the `words` are at `at` and make a whole line.
std::optional<std::size_t> match_line(std::string_view text, std::size_t at, std::string_view words) {
  if (text.compare(at, words.size(), words) != 0) return {};
  std::size_t end = at + words.size();
  while (end != text.size() && is_blank(text[end])) ++end;
  if (end == text.size() || !is_line_end(text[end])) return {};
  while (at != 0 && is_blank(text[at - 1])) --at;
  if (text.substr(0, at).ends_with(byte_order_mark)) at -= byte_order_mark.size();
  if (at != 0 && !is_line_end(text[at - 1])) return {};
  return at;
}

std::optional<std::size_t> find_next_line(std::string_view text, std::size_t from, std::string_view words) {
  for (std::size_t at = text.find(words, from); at != std::string_view::npos; at = text.find(words, at + 1))
    if (auto const line = match_line(text, at, words)) return line;
  return {};
}

std::optional<std::size_t> find_last_line(std::string_view text, std::string_view words) {
  for (std::size_t end = text.size();;) {
    auto const* const result = static_cast<char const*>(memrchr(text.data(), words.front(), end));
    if (!result) return {};
    end = std::size_t(result - text.data());
    if (auto const line = match_line(text, end, words)) return line;
  }
}

}  // namespace

std::string_view consume_line(std::string_view& text) {
  std::string_view const line = text.substr(0, text.find_first_of("\r\n"));
  text.remove_prefix(line.size());
  text.remove_prefix(text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1);
  return line;
}

std::uint64_t count_spectra(std::string_view text) {
  std::uint64_t count = 0;
  for (auto line = find_next_line(text, 0, begin_ions); line;
       line = find_next_line(text, *line + begin_ions.size(), begin_ions))
    ++count;
  std::size_t const last = text.find_last_of("\r\n");  // a line without an end
  return count + (trimmed(last == text.npos ? text : text.substr(last + 1)) == begin_ions);
}

std::string_view read_title(std::string_view text) {
  constexpr std::string_view key = "TITLE=";
  consume_line(text);
  while (!text.empty()) {
    std::string_view const line = trimmed(consume_line(text));
    if (line.starts_with(key)) return line.substr(key.size());
    if (line == begin_ions || line == end_ions) break;
  }
  return {};
}

last_cut find_cut(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);  // an LF may follow, and belong to it
  while (!text.empty() && !is_line_end(text.back())) text.remove_suffix(1);
  auto const begin = find_last_line(text, begin_ions);
  // After the last BEGIN IONS a whole line is a place to cut only if END IONS comes before it.
  return {begin && !find_next_line(text, *begin, end_ions) ? *begin : text.size(), begin};
}

std::optional<std::size_t> find_spectrum(std::string_view text) {
  return find_next_line(text, 0, begin_ions);
}

}  // namespace ordo::inline v0::spectra::detail
