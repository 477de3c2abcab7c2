#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <utility>

#include "ordo/suffix/jsonl.hpp"
#include "suffix/text/jsonl.hpp"

namespace ordo::inline v0::suffix {
namespace {

std::optional<unsigned> code_unit(std::string_view written, std::size_t at) {
  if (written.size() < at + 6 || written[at] != '\\' || written[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  char const *const begin = written.data() + at + 2, *const end = begin + 4;
  auto const [stop, error] = std::from_chars(begin, end, unit, 16);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return unit;
}

/// The character that a byte or an escape stands for.
struct decoded {
  char bytes[4] = {};
  unsigned size = 0;     // in bytes
  unsigned written = 0;  // bytes that it is written with; 0 for a wrong escape
};

decoded encode_utf8(unsigned character, unsigned written) {
  auto const rest = [&](unsigned shift) { return static_cast<char>(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) return {{static_cast<char>(character)}, 1, written};
  if (character < 0x800) return {{static_cast<char>(0xc0 | character >> 6), rest(0)}, 2, written};
  if (character < 0x10000) return {{static_cast<char>(0xe0 | character >> 12), rest(6), rest(0)}, 3, written};
  return {{static_cast<char>(0xf0 | character >> 18), rest(12), rest(6), rest(0)}, 4, written};
}

/// Decodes the escape at a position of a string.
decoded decode(std::string_view written, std::size_t at) {
  if (at + 1 == written.size()) return {};
  if (written[at + 1] != 'u') {
    constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
    std::size_t const escape = names.find(written[at + 1]);
    if (escape == names.npos) return {};
    return {{values[escape]}, 1, 2};
  }
  auto const unit = code_unit(written, at);
  if (!unit) return {};
  if (*unit < 0xd800 || *unit > 0xdfff) return encode_utf8(*unit, 6);
  auto const low = code_unit(written, at + 6);
  if (*unit > 0xdbff || !low || *low < 0xdc00 || *low > 0xdfff) return {};
  return encode_utf8(0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00), 12);
}

/// Calls use(bytes, bytes that they are written with) for the parts of a string, in order, until it returns false.
/// @returns true if all escapes are right, and use() returned true
template <class Use>
bool each_part(std::string_view written, Use use) {
  for (std::size_t at = 0; at < written.size();) {
    if (written[at] != '\\') {
      std::string_view const part = written.substr(at, written.find('\\', at) - at);
      if (!use(part, part.size())) return false;
      at += part.size();
      continue;
    }
    decoded const decoded = decode(written, at);
    if (decoded.written == 0 || !use(std::string_view(decoded.bytes, decoded.size), std::size_t{decoded.written})) return false;
    at += decoded.written;
  }
  return true;
}

/// What a line of JSON has at the end of a path.
struct field_value {
  bool is_there = false;
  std::optional<std::string_view> string;  // as it is written; nothing for other values
  std::string_view bare = {};              // a number, true, false or null, and what stands before it
};

field_value find_field(std::string_view line, std::span<std::string const> names) {
  std::vector<bool> in_object;  // for each open object and list, whether it is an object
  std::size_t matched = 0;      // names that lead to the innermost open object, if all open ones are objects of the path
  std::size_t depth = 0;        // open objects, and 2 for each open list, whose objects are not on the path
  std::size_t after_name = 0;   // after the last name
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
        if (in_object.empty() || is_field) return {is_field, std::nullopt, line.substr(after_name, at - after_name)};
        depth -= in_object.back() ? 1 : 2;
        if (in_object.back()) matched = std::min(matched, depth == 0 ? 0 : depth - 1);
        in_object.pop_back();
        is_key = expects = false;
        break;
      case ',':
        is_key = !in_object.empty() && in_object.back();
        if (is_field) return {true, std::nullopt, line.substr(after_name, at - after_name)};
        expects = false;
        break;
      case '"': {
        std::size_t const end = detail::end_of_json_string(line, at + 1);
        if (end == line.npos) return {};
        std::string_view const written = line.substr(at + 1, end - at - 1);
        if (is_key)
          expects = depth == matched + 1 && matched < names.size() && detail::is_json_name(written, names[matched]);
        else if (is_field)
          return {true, written};
        else
          expects = false;
        is_key = false;
        at = end;
        after_name = end + 1;
        break;
      }
      default:
        break;
    }
  }
  return {};
}

}  // namespace

namespace detail {

std::size_t end_of_json_string(std::string_view line, std::size_t at) {
  std::size_t quote = line.find('"', at);
  while (quote != line.npos) {
    std::size_t const escape = line.substr(0, quote).find('\\', at);
    if (escape == line.npos) return quote;
    at = escape + 2;
    if (at > quote) quote = line.find('"', at);
  }
  return line.npos;
}

char* decode_json_string(std::string_view written, char* to) {
  bool const is_right = each_part(written, [&](std::string_view part, std::size_t) {
    std::memmove(to, part.data(), part.size());
    to += part.size();
    return true;
  });
  return is_right ? to : nullptr;
}

bool has_right_escapes(std::string_view written) {
  return each_part(written, [](std::string_view, std::size_t) { return true; });
}

bool is_json_name(std::string_view written, std::string_view name) {
  if (written.find('\\') == written.npos) return written == name;
  return each_part(written,
                   [&](std::string_view part, std::size_t) {
                     bool const agrees = name.starts_with(part);
                     if (agrees) name.remove_prefix(part.size());
                     return agrees;
                   }) &&
         name.empty();
}

}  // namespace detail

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

std::optional<double> find_json_number(std::string_view line, std::span<std::string const> names) {
  std::string_view text = find_field(line, names).bare;
  constexpr std::string_view blanks = " \t\r:";
  while (!text.empty() && blanks.find(text.front()) != blanks.npos) text.remove_prefix(1);
  while (!text.empty() && blanks.find(text.back()) != blanks.npos) text.remove_suffix(1);
  double number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const is_number = error == std::errc{} && end == text.data() + text.size() && text.find_first_of("in") == text.npos;
  return is_number ? std::optional(number) : std::nullopt;
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
  std::size_t decoded = 0, at = 0;
  bool const agrees = each_part(written, [&](std::string_view bytes, std::size_t size) {
    if (text.substr(std::min(decoded, text.size()), bytes.size()) != bytes) return false;
    if (written[at] != '\\') {
      append(bytes, decoded);
    } else {
      while (!ranges.empty() && ranges.front().end <= decoded) ranges = ranges.subspan(1);
      if (ranges.empty() || decoded < ranges.front().begin) to += written.substr(at, size);
    }
    decoded += bytes.size();
    at += size;
    return true;
  });
  return (agrees && decoded == text.size()) || refuse();
}

std::string without_json_field(std::string_view line, std::string_view written) {
  constexpr std::string_view blanks = " \t\r\n";
  std::size_t const value = std::size_t(written.data() - line.data());
  std::string_view before = line.substr(0, value - 1), after = line.substr(value + written.size() + 1);
  auto const trim = [&] { before = before.substr(0, before.find_last_not_of(blanks) + 1); };
  trim();
  before.remove_suffix(1);  // ':'
  trim();
  before.remove_suffix(1);  // the end of the name
  for (bool is_open = false; !is_open && !before.empty();) {
    bool const is_quote = before.back() == '"';
    before.remove_suffix(1);
    std::size_t const last = before.find_last_not_of('\\');
    std::size_t const escapes = before.size() - (last == before.npos ? 0 : last + 1);
    is_open = is_quote && escapes % 2 == 0;
  }
  std::size_t const next = after.find_first_not_of(blanks);
  if (next != after.npos && after[next] == ',') {
    after.remove_prefix(next + 1);
    after.remove_prefix(std::min(after.find_first_not_of(blanks), after.size()));
  } else {
    trim();
    if (before.ends_with(',')) before.remove_suffix(1);
    trim();
  }
  std::string object(before);
  object += after;
  std::size_t const begin = object.find('{'), end = object.rfind('}');
  return begin == object.npos || end == object.npos || end < begin ? std::string("{}") : object.substr(begin, end + 1 - begin);
}

}  // namespace ordo::inline v0::suffix
