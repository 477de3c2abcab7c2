#include "tools/specsort/renumbering_sink.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

namespace ordo::inline v0::specsort {
namespace {

// Returns a line without its end, and without blanks around it.
std::string_view bare(std::string_view line) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (line.starts_with(mark)) line.remove_prefix(mark.size());
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
    line.remove_suffix(1);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  return line;
}

}  // namespace

renumbering_sink::renumbering_sink(sink& to, std::uint64_t& number, std::string_view key)
    : to_(to), number_(number), key_(key), is_mgf_(key.ends_with('=')) {}

void renumbering_sink::write(std::span<char const> data) {
  std::string_view text(data.data(), data.size());
  out_.clear();
  while (!text.empty()) {
    std::size_t const end = text.find('\n');
    std::string_view const part = text.substr(0, end == text.npos ? text.size() : end + 1);
    text.remove_prefix(part.size());
    if (line_.empty() && end != text.npos) {
      pass(part);
      continue;
    }
    line_ += part;
    if (!line_.ends_with('\n')) continue;
    pass(line_);
    line_.clear();
  }
  to_.write(out_);
}

void renumbering_sink::finish() {
  out_.clear();
  if (!line_.empty()) pass(line_);
  line_.clear();
  to_.write(out_);
}

// The number stands after the first line of a spectrum.
void renumbering_sink::pass(std::string_view line) {
  char const first = line.front();
  if (inside_ && first >= '0' && first <= '9') {  // a peak, as most lines are
    inside_ = is_mgf_;
    out_ += line;
    return;
  }
  std::string_view const text = bare(line);
  bool const begins = is_mgf_ ? text == "BEGIN IONS" : !inside_ && !text.empty() && !(first >= '0' && first <= '9');
  if (inside_ && text.starts_with(key_)) return;
  out_ += line;
  if (begins) {
    std::string_view const end = line.ends_with("\r\n") ? "\r\n" : "\n";
    if (!line.ends_with('\n')) out_ += end;
    fmt::format_to(std::back_inserter(out_), "{}{}{}", key_, ++number_, end);
    inside_ = true;
  } else if (is_mgf_ ? text == "END IONS" : text.empty()) {
    inside_ = false;
  }
}

}  // namespace ordo::inline v0::specsort
