#include "suffix/text/jsonl.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>
#include <nlohmann/json.hpp>

#include "ordo/error.hpp"
#include "ordo/suffix/corpus.hpp"
#include "ordo/suffix/jsonl.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

namespace on_demand = simdjson::ondemand;

static_assert(json_padding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t max_depth = 1000;  // maximum depth of objects and lists

constexpr std::string_view blanks = " \t\r\n";

// More than libsimdjson allocates when it starts.
constexpr std::size_t start_memory = std::size_t{1} << 20;

// libsimdjson chooses its code for the processor when it is first used. It ends the process if it finds no memory then.
bool start_simdjson() {
  ::operator delete(::operator new(start_memory));  // throws instead; a compiler may leave out a new-expression
  return simdjson::validate_utf8("", 0);
}

bool is_number(std::string_view token) {
  std::size_t at = 0;
  auto const digits = [&] {
    std::size_t const first = at;
    while (at < token.size() && token[at] >= '0' && token[at] <= '9') ++at;
    return at - first;
  };
  auto const skip = [&](std::string_view any) {
    bool const is_there = at < token.size() && any.find(token[at]) != any.npos;
    at += is_there;
    return is_there;
  };
  skip("-");
  if (!skip("0") && digits() == 0) return false;
  if (skip(".") && digits() == 0) return false;
  if (skip("eE")) {
    skip("+-");
    if (digits() == 0) return false;
  }
  return at == token.size();
}

/// Returns the string between the quotes of a token, or nothing if it is no string.
std::optional<std::string_view> string_in(std::string_view token) {
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return std::nullopt;
  return token.substr(1, token.size() - 2);
}

bool is_scalar(std::string_view token) {
  if (token == "true" || token == "false" || token == "null") return true;
  auto const string = string_in(token);
  return string ? has_right_escapes(*string) : is_number(token);
}

char const* token_kind(std::string_view token) {
  switch (token.front()) {
    case '{':
      return "an object";
    case '[':
      return "a list";
    case 't':
    case 'f':
      return "true or false";
    case 'n':
      return "null";
    default:
      return "a number";
  }
}

/// Lists the strings of an object, and of those in it, by the names that a field may have.
std::string names_of_strings(std::string_view line) {
  constexpr std::size_t max_names = 8, max_bytes = 200;
  auto const is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  std::string text;
  std::size_t names = 0;
  std::function<void(nlohmann::json const&, std::string const&)> const list = [&](nlohmann::json const& object,
                                                                                  std::string const& before) {
    for (auto const& [key, value] : object.items()) {
      // No field can name it, or no message.
      if (key.empty() || key.find('.') != key.npos || std::ranges::any_of(key, is_control)) continue;
      if (value.is_object()) list(value, before + key + '.');
      if (!value.is_string() || before.size() + key.size() > max_bytes - std::min(text.size(), max_bytes)) continue;
      if (++names > max_names) continue;
      ((text += text.empty() ? "" : ", ") += before) += key;
    }
  };
  auto const all = nlohmann::json::parse(line, nullptr, false);
  if (all.is_object()) list(all, "");
  return text + (names > max_names ? ", ..." : "");
}

}  // namespace

/// Walks through a line from begin to end, so that all of it is checked: simdjson checks UTF-8, strings and the structure, and
/// leaves what it skips unread.
struct json_strings::parser {
  explicit parser(std::vector<std::string> path) : names(std::move(path)) {
    static bool const started = start_simdjson();
    static_cast<void>(started);
  }

  /// @returns the string as it is written; nothing after an error
  std::optional<std::string_view> read(std::string_view line, std::size_t readable) {
    begin = line.data();
    end = begin + line.size();
    selected.reset();
    flaw.clear();
    if (json.capacity() < line.size())
      if (auto const error = json.allocate(std::max({line.size(), 2 * json.capacity(), std::size_t{4096}}), max_depth + 24)) {
        refuse(error);
        return std::nullopt;
      }
    on_demand::document document;
    if (auto const error = json.iterate(line.data(), line.size(), readable).get(document)) {
      refuse(error);
      return std::nullopt;
    }
    if (!walk_document(document)) return std::nullopt;
    return selected;  // or nothing, without a flaw
  }

  bool walk_document(on_demand::document& document) {
    std::string_view const line(begin, std::size_t(end - begin));
    std::size_t const first = line.find_first_not_of(blanks), last = line.find_last_not_of(blanks);
    if (line[first] == '{') {
      on_demand::object object;
      if (auto const error = document.get_object().get(object)) return refuse(error);
      if (!walk(object, 0, 1)) return false;
    } else if (line[first] == '[') {
      on_demand::array list;
      if (auto const error = document.get_array().get(list)) return refuse(error);
      if (!walk(list, 1)) return false;
    } else {
      std::string_view const token = line.substr(first, last - first + 1);
      bool const is_whole = token.front() != '"' || end_of_json_string(token, 1) == token.size() - 1;
      return (is_whole && is_scalar(token)) || refuse_at(begin + first);
    }
    // After the end there is no location. (The member that says so is not in all versions.)
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS || refuse(simdjson::TAPE_ERROR);
  }

  static constexpr std::size_t off_path = ~std::size_t{0};

  /// @param level  the number of names that lead to the object, or off_path
  bool walk(on_demand::object& object, std::size_t level, std::size_t depth) {
    for (auto each : object) {
      on_demand::field field;
      if (auto const error = std::move(each).get(field)) return refuse(error);
      char const* const raw = field.key().raw();
      std::string_view const rest(raw, std::size_t(end - raw));
      std::size_t const size = end_of_json_string(rest, 0);
      if (size == rest.npos) return refuse_at(raw);
      std::string_view const name = rest.substr(0, size);
      if (!has_right_escapes(name)) return refuse_at(raw);
      // Of equal names the first one counts that leads to the string.
      bool const leads = !selected && level < names.size() && is_json_name(name, names[level]);
      if (!walk(field.value(), leads ? level + 1 : off_path, depth)) return false;
    }
    return true;
  }
  bool walk(on_demand::array& list, std::size_t depth) {
    for (auto each : list) {
      on_demand::value value;
      if (auto const error = std::move(each).get(value)) return refuse(error);
      // The objects in a list are no part of the path.
      if (!walk(value, off_path, depth)) return false;
    }
    return true;
  }
  bool walk(on_demand::value& value, std::size_t level, std::size_t depth) {
    std::string_view token = value.raw_json_token();
    token = token.substr(0, token.find_last_not_of(blanks) + 1);
    if (token.empty()) return refuse_at(begin);
    bool const is_field = level == names.size();
    if (token.front() == '{' || token.front() == '[') {
      if (is_field) return other(token);
      if (depth == max_depth) {
        flaw = fmt::format("it is nested more than {} deep", max_depth);
        return false;
      }
      if (token.front() == '[') {
        on_demand::array list;
        if (auto const error = value.get_array().get(list)) return refuse(error);
        return walk(list, depth + 1);
      }
      on_demand::object object;
      if (auto const error = value.get_object().get(object)) return refuse(error);
      return walk(object, level, depth + 1);
    }
    if (!is_scalar(token)) return refuse_at(token.data());
    // A string that is skipped may be taken for a name, with what follows it.
    auto const string = string_in(token);
    if (string)
      if (auto const error = value.get_raw_json_string().error()) return refuse(error);
    if (!is_field) return true;
    selected = string;
    return selected || other(token);
  }

  bool other(std::string_view token) {
    flaw = fmt::format("it is {}, but a string is expected", token_kind(token));
    return false;
  }
  bool refuse_at(char const* at) {
    flaw = fmt::format("parse error at byte {}", at - begin + 1);
    return false;
  }
  // The messages are those of every version of simdjson.
  bool refuse(simdjson::error_code error) {
    switch (error) {
      case simdjson::UTF8_ERROR:
        flaw = "parse error: it is not UTF-8";
        break;
      case simdjson::UNCLOSED_STRING:
        flaw = "parse error: a string does not end";
        break;
      case simdjson::UNESCAPED_CHARS:
        flaw = "parse error: a string holds a control character";
        break;
      case simdjson::MEMALLOC:
        throw out_of_memory("out of memory: a line of JSON", std::size_t(end - begin));
      case simdjson::CAPACITY:
        flaw = "the line is longer than 4 GiB";
        break;
      default:
        flaw = "parse error: commas, colons, brackets or values are missing, or there are too many";
    }
    return false;
  }

  std::vector<std::string> names;
  on_demand::parser json;
  char const *begin = nullptr, *end = nullptr;  // begin and end of the line
  std::optional<std::string_view> selected;
  std::string flaw;
};

json_strings::json_strings(std::string field)
    : field_(std::move(field)), parser_(std::make_unique<parser>(field_names(field_))) {}

json_strings::~json_strings() = default;

/// @param on_flaw  on_flaw(flaw, line) returns whether to go on
template <class OnFlaw>
std::optional<std::size_t> json_strings::extract(std::span<char> lines, std::vector<std::uint64_t>& starts, OnFlaw on_flaw) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  char* const data = lines.data();
  std::size_t const size = lines.size();
  std::size_t written = 0;
  for (std::size_t begin = 0, number = 0; begin < size; ++number) {
    auto const* const result = static_cast<char const*>(std::memchr(data + begin, '\n', size - begin));
    std::size_t const stop = result ? std::size_t(result - data) : size;
    std::string_view const whole(data + begin, stop - begin);
    std::string_view line = whole;
    begin = stop + 1;
    starts.push_back(written);
    if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    // Some versions of simdjson skip another mark, others do not.
    bool const is_marked = line.starts_with(byte_order_mark);
    auto const text = parser_->read(line, size - std::size_t(line.data() - data) + json_padding);
    if (!text || is_marked) {
      if (is_marked) parser_->flaw = "parse error at byte 1";
      flaw flaw{number, parser_->flaw, parser_->flaw.empty()};
      if (flaw.is_missing) {
        constexpr std::size_t max_line = std::size_t{16} << 20;  // parsed a second time
        std::string const names = line.size() <= max_line ? names_of_strings(line) : std::string();
        flaw.has_strings = !names.empty();
        flaw.why = names.empty() ? "no such field" : "no such field, but " + names;
      }
      if (!on_flaw(flaw, whole)) return std::nullopt;
      continue;
    }
    // Its escapes are right, and it is not longer than the line.
    written = std::size_t(decode_json_string(*text, data + written) - data);
  }
  return written;
}

std::optional<std::size_t> json_strings::take(std::span<char> lines, std::vector<std::uint64_t>& starts, flaw& first) {
  return extract(lines, starts, [&](flaw& flaw, std::string_view) {
    first = std::move(flaw);
    return false;
  });
}

std::size_t json_strings::take(std::span<char> lines, std::vector<std::uint64_t>& starts, std::vector<flaw>& flaws) {
  return *extract(lines, starts, [&](flaw& flaw, std::string_view line) {
    flaw.text = line;
    flaws.push_back(std::move(flaw));
    return true;
  });
}

std::string reason(std::string_view field, json_strings::flaw const& flaw) {
  return fmt::format("field {}: {}", field, flaw.why);
}

void refuse_json(std::string const& name, std::uint64_t lines, std::string_view field, json_strings::flaw const& flaw) {
  std::string const message = fmt::format("bad JSON: {}:{}: {}", name, lines + flaw.line + 1, reason(field, flaw));
  if (flaw.is_missing) throw missing_field(message, flaw.has_strings);
  throw input_error(message);
}

}  // namespace ordo::inline v0::suffix::detail
