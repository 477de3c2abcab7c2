#include "strings/external/records.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "strings/external/long_line.hpp"
#include "strings/keys/host_keys.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t step = std::size_t{64} << 10;
constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

}  // namespace

record_source::record_source(std::unique_ptr<source> from, record_format const& format, std::string name)
    : from_(std::move(from)), format_(format), name_(std::move(name)) {
  read_header();
}

// Reads more of the text into `to`. Returns false at its end. @param at  the position in an addressable text, which is not
// moved
bool record_source::load(std::string& to, std::uint64_t& at) {
  std::size_t const before = to.size();
  std::size_t got = step;
  if (auto const bytes = size()) {
    got = std::size_t(std::min<std::uint64_t>(step, *bytes - std::min(*bytes, at)));
    grow_line(before, [&] { to.resize(before + got); });
    read_at(at, std::span(to).subspan(before));
    at += got;
  } else {
    grow_line(before, [&] { to.resize(before + step); });
    got = read_records(std::span(to).subspan(before));
    to.resize(before + got);
  }
  return got == step;
}

// Returns true if a line belongs to the header by its prefix. @param whole  false: more of the line follows
// @param sure  false if that depends on what follows
bool record_source::is_header(std::string_view line, bool whole, bool& sure) const {
  sure = true;
  for (std::string_view const prefix : format_.header_prefixes) {
    if (line.starts_with(prefix)) return true;
    if (!whole && prefix.starts_with(line)) sure = false;
  }
  return false;
}

void record_source::read_header() {
  if (format_.header == 0 && format_.header_prefixes.empty() && !format_.has_mark) return;
  std::string text;
  std::uint64_t at = size() ? position() : 0;
  std::uint64_t const begin = at;
  bool more = load(text, at);
  std::size_t end = 0;  // where the header ends
  if (format_.has_mark && text.starts_with(utf8_mark)) end = utf8_mark.size();
  char const delimiter = format_.sorted_delimiter();
  for (std::size_t searched = end;;) {
    std::size_t const result = text.find(delimiter, searched);
    bool const whole = result != text.npos || !more;
    std::string_view const line = std::string_view(text).substr(end, result == text.npos ? text.npos : result - end);
    bool sure = true;
    bool const wanted = header_lines_ < format_.header || is_header(line, whole, sure);
    if (wanted || !sure) {
      if (!whole) {
        searched = text.size();
        more = load(text, at);
        continue;
      }
      if (wanted && !(result == text.npos && line.empty())) {
        end = result == text.npos ? text.size() : result + 1;
        ++header_lines_;
        searched = end;
        if (result != text.npos) continue;
      }
    }
    break;
  }
  header_ = text.substr(0, end);
  if (header_lines_ != 0 && header_.back() != delimiter) header_ += delimiter;
  if (quoted()) std::ranges::replace(header_, '\0', '\n');
  if (size()) {
    skip(std::min<std::uint64_t>(end, at - begin));
  } else {
    waiting_ = text.substr(end);
    ended_ = !more;
  }
}

std::size_t record_source::read(std::span<char> to) {
  std::size_t got = 0;
  if (waiting_read_ != waiting_.size()) {
    got = std::min(to.size(), waiting_.size() - waiting_read_);
    std::memcpy(to.data(), waiting_.data() + waiting_read_, got);
    waiting_read_ += got;
    if (waiting_read_ != waiting_.size()) return got;
    waiting_ = {};
    waiting_read_ = 0;
  }
  if (got == to.size() || ended_) return got;
  return got + (quoted() ? read_records(to.subspan(got)) : from_->read(to.subspan(got)));
}

std::size_t record_source::read_records(std::span<char> to) {
  std::size_t const got = from_->read(to);
  if (!quoted()) return got;
  end_records(to.first(got));
  if (got < to.size() && state_ == state::in_quotes)
    throw input_error(fmt::format("cannot read: {}:{}: the quote of a field is not closed", name_, record_line_));
  return got;
}

// Replaces the ends of records, and checks the text.
void record_source::end_records(std::span<char> text) {
  char* p = text.data();
  char* const end = p + text.size();
  auto const find = [&](char byte, char* until) {
    return p == until ? nullptr : static_cast<char*>(std::memchr(p, byte, std::size_t(until - p)));
  };
  auto const end_record = [&](char& newline) {
    newline = '\0';
    record_line_ = ++line_;
    state_ = state::begin;
  };
  if (char const* const nul = find('\0', end)) {
    auto const before = std::uint64_t(std::count(text.data(), const_cast<char*>(nul), '\n'));
    throw input_error(
        fmt::format("cannot read: {}:{}: a NUL byte, which records with quotes may not contain", name_, line_ + before));
  }
  bool fresh = state_ == state::begin;  // p is at the beginning of a record, or of this text
  while (p != end) {
    if (std::exchange(fresh, false)) {
      // Lines without quotes are found as a whole.
      char* const newline = find('\n', end);
      if (!find('"', newline ? newline : end)) {
        if (!newline) {
          state_ = end[-1] == format_.separator ? state::begin : state::plain;
          return;
        }
        end_record(*newline);
        p = newline + 1;
        fresh = true;
        continue;
      }
    }
    char& c = *p++;
    fresh = c == '\n' && state_ != state::in_quotes;
    switch (state_) {
      case state::begin:
      case state::plain:
        if (c == '\n')
          end_record(c);
        else if (c == '"' && state_ == state::begin)
          state_ = state::in_quotes;
        else
          state_ = c == format_.separator ? state::begin : state::plain;
        break;
      case state::in_quotes:
        if (c == '"')
          state_ = state::quote_in_quotes;
        else if (c == '\n')
          ++line_;
        break;
      case state::quote_in_quotes:
        if (c == '"')
          state_ = state::in_quotes;
        else if (c == '\n')
          end_record(c);
        else
          state_ = c == format_.separator ? state::begin : state::plain;
        break;
    }
  }
}

template <class Put>
void record_sink::ended(std::span<char const> data, Put put) const {
  if (!quoted_) return put(data);
  std::string text(data.data(), data.size());
  std::ranges::replace(text, '\0', '\n');
  put(std::span<char const>(text));
}

void record_sink::write(std::span<char const> data) {
  if (of_lines_ && data.empty()) return;
  begin();
  ended(data, [this](std::span<char const> text) { to_.write(text); });
}

void record_sink::write_at(std::uint64_t offset, std::span<char const> data) {
  if (!data.empty()) has_lines_ = true;
  ended(data, [&](std::span<char const> text) { to_.write_at(header_.size() + offset, text); });
}

void record_sink::begin() {
  if (std::exchange(began_, true) || header_.empty()) return;
  to_.write(header_);
}

void record_sink::finish() {
  if (!of_lines_ || has_lines_) begin();
}

std::vector<std::string> header_fields(std::string_view line, char separator, bool quoted) {
  std::vector<std::string> fields;
  while (line.ends_with('\n') || line.ends_with('\r') || line.ends_with('\0')) line.remove_suffix(1);
  if (line.starts_with(utf8_mark)) line.remove_prefix(utf8_mark.size());
  if (quoted) {
    each_quoted_field(line.data(), line.data() + line.size(), separator,
                      [&](std::size_t, char const* begin, char const* end, bool has_quotes) {
                        append_unquoted(begin, end, has_quotes, fields.emplace_back());
                        return true;
                      });
    return fields;
  }
  constexpr std::string_view blanks = " \t";
  std::string_view const separators = separator == 0 ? blanks : std::string_view(&separator, 1);
  while (true) {
    if (separator == 0) line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    std::size_t const length = line.find_first_of(separators);
    fields.emplace_back(line.substr(0, length));
    if (length == line.npos) return fields;
    line.remove_prefix(length + 1);
  }
}

}  // namespace ordo::inline v0::strings::detail
