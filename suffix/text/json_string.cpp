#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "ordo/suffix/jsonl.hpp"

namespace ordo::inline v0::suffix {
namespace {

/// Returns the end of the string that begins behind a quote: the position of the quote that ends it, or npos.
std::size_t end_of_string(std::string_view line, std::size_t at) {
  while (at < line.size()) {
    std::size_t const quote = std::min(line.find('"', at), line.size());
    std::size_t const escape = line.substr(0, quote).find('\\', at);
    if (escape == line.npos) return quote == line.size() ? line.npos : quote;
    at = escape + 2;
  }
  return line.npos;
}

std::optional<unsigned> code_unit(std::string_view written, std::size_t at) {
  if (written.size() < at + 6 || written[at] != '\\' || written[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  char const *const begin = written.data() + at + 2, *const end = begin + 4;
  auto const [stop, error] = std::from_chars(begin, end, unit, 16);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return unit;
}

void append_utf8(std::string& to, unsigned character) {
  auto const rest = [&](unsigned shift) { to += static_cast<char>(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) {
    to += static_cast<char>(character);
  } else if (character < 0x800) {
    to += static_cast<char>(0xc0 | character >> 6);
    rest(0);
  } else if (character < 0x10000) {
    to += static_cast<char>(0xe0 | character >> 12);
    rest(6);
    rest(0);
  } else {
    to += static_cast<char>(0xf0 | character >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

/// Decodes the byte or the escape at a position of a string. @returns the bytes that it is written with; 0 for a wrong escape
std::size_t decode(std::string_view written, std::size_t at, std::string& bytes) {
  bytes.clear();
  if (written[at] != '\\') {
    bytes += written[at];
    return 1;
  }
  if (at + 1 == written.size()) return 0;
  if (written[at + 1] != 'u') {
    constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
    std::size_t const escape = names.find(written[at + 1]);
    if (escape == names.npos) return 0;
    bytes += values[escape];
    return 2;
  }
  auto const unit = code_unit(written, at);
  if (!unit) return 0;
  if (*unit < 0xd800 || *unit > 0xdfff) {
    append_utf8(bytes, *unit);
    return 6;
  }
  auto const low = code_unit(written, at + 6);
  if (*unit > 0xdbff || !low || *low < 0xdc00 || *low > 0xdfff) return 0;
  append_utf8(bytes, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00));
  return 12;
}

bool is_name(std::string_view written, std::string_view name) {
  if (written.find('\\') == written.npos) return written == name;
  std::string all, bytes;
  for (std::size_t at = 0, size = 0; at < written.size(); at += size) {
    if ((size = decode(written, at, bytes)) == 0) return false;
    all += bytes;
  }
  return all == name;
}

/// What a line of JSON has at the end of a path.
struct field_value {
  bool is_there = false;
  std::optional<std::string_view> string;  // as it is written; nothing for other values
};

field_value find_field(std::string_view line, std::span<std::string const> names) {
  std::vector<bool> in_object;  // of each open object and list
  std::size_t matched = 0;      // names that lead to the innermost open object, if all open ones are objects of the path
  std::size_t depth = 0;        // open objects, and 2 for each open list, whose objects are not on the path
  bool is_key = false, expects = false;  // whether a name comes next; whether the value of the next name does
  for (std::size_t at = 0; at < line.size(); ++at) {
    bool const is_field = expects && matched + 1 == names.size();
    switch (line[at]) {
      case '{':
      case '[':
        if (is_field) return {true, std::nullopt};
        in_object.push_back(line[at] == '{');
        is_key = in_object.back();
        if (is_key) {
          matched += std::exchange(expects, false);
          ++depth;
        } else {
          expects = false;
          depth += 2;
        }
        break;
      case '}':
      case ']':
        if (in_object.empty() || is_field) return {is_field, std::nullopt};
        depth -= in_object.back() ? 1 : 2;
        if (in_object.back()) matched = std::min(matched, depth == 0 ? 0 : depth - 1);
        in_object.pop_back();
        is_key = expects = false;
        break;
      case ',':
        is_key = !in_object.empty() && in_object.back();
        if (is_field) return {true, std::nullopt};  // the value is a number, true, false or null
        expects = false;
        break;
      case '"': {
        std::size_t const end = end_of_string(line, at + 1);
        if (end == line.npos) return {};
        std::string_view const written = line.substr(at + 1, end - at - 1);
        if (is_key)
          expects = depth == matched + 1 && matched < names.size() && is_name(written, names[matched]);
        else if (is_field)
          return {true, written};
        else
          expects = false;
        is_key = false;
        at = end;
        break;
      }
      default:
        break;
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> field_names(std::string_view field) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= field.size();) {
    std::size_t const end = std::min(field.find('.', at), field.size());
    names.emplace_back(field.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::optional<std::string_view> find_json_string(std::string_view line, std::span<std::string const> names) {
  return find_field(line, names).string;
}

bool has_json_field(std::string_view line, std::string_view name) {
  std::string const names[] = {std::string(name)};
  return find_field(line, names).is_there;
}

bool append_without(std::string& to, std::string_view written, std::string_view text, std::span<byte_range const> ranges) {
  std::size_t const before = to.size();
  auto const refuse = [&] {
    to.resize(before);
    return false;
  };
  // Appends bytes that are written as they are, without those in ranges. `first`: their position in the text.
  auto const append = [&](std::string_view part, std::uint64_t first) {
    while (!part.empty()) {
      while (!ranges.empty() && ranges.front().end <= first) ranges = ranges.subspan(1);
      bool const removed = !ranges.empty() && ranges.front().begin <= first;
      std::uint64_t const border = ranges.empty() ? first + part.size() : removed ? ranges.front().end : ranges.front().begin;
      std::size_t const count = std::size_t(std::min<std::uint64_t>(part.size(), border - first));
      if (!removed) to += part.substr(0, count);
      part.remove_prefix(count);
      first += count;
    }
  };
  std::size_t decoded = 0;
  std::string bytes;
  for (std::size_t at = 0, size = 0; at < written.size(); at += size) {
    if (written[at] != '\\') {
      std::string_view const part = written.substr(at, written.find('\\', at) - at);
      size = part.size();
      if (text.substr(std::min(decoded, text.size()), size) != part) return refuse();
      append(part, decoded);
      decoded += size;
      continue;
    }
    size = decode(written, at, bytes);
    if (size == 0 || text.substr(std::min(decoded, text.size()), bytes.size()) != bytes) return refuse();
    while (!ranges.empty() && ranges.front().end <= decoded) ranges = ranges.subspan(1);
    if (ranges.empty() || decoded < ranges.front().begin) to += written.substr(at, size);
    decoded += bytes.size();
  }
  return decoded == text.size() || refuse();
}

}  // namespace ordo::inline v0::suffix
