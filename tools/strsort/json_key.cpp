#include "tools/strsort/json_key.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "ordo/error.hpp"
#include "tools/strsort/options/gnu_messages.hpp"

namespace ordo::inline v0::strsort {
namespace {

std::string shown(std::string_view line) {
  constexpr std::size_t max_shown = 60;
  return quote(line.substr(0, max_shown)) + (line.size() > max_shown ? "..." : "");
}

namespace on_demand = simdjson::ondemand;

constexpr std::string_view blanks = " \t\r\n";
constexpr char no_object[] = "it is no JSON object";
constexpr long max_exponent = 100'000;

// Returns a number of JSON without an exponent, or nothing if the token is none.
std::optional<std::string> written_out(std::string_view token) {
  auto const consume_digits = [&] {
    std::size_t const count = std::min(token.find_first_not_of("0123456789"), token.size());
    std::string_view const digits = token.substr(0, count);
    token.remove_prefix(count);
    return digits;
  };
  auto const consume = [&](std::string_view any) {
    bool const is_there = !token.empty() && any.find(token.front()) != any.npos;
    if (is_there) token.remove_prefix(1);
    return is_there;
  };
  std::string made(consume("-") ? "-" : "");
  std::string_view const whole = consume_digits();
  if (whole.empty() || (whole.size() > 1 && whole[0] == '0')) return {};
  bool const has_point = consume(".");
  std::string_view const part = has_point ? consume_digits() : std::string_view();
  if (has_point && part.empty()) return {};
  long exponent = 0;
  if (consume("eE")) {
    bool const negative = token.starts_with('-');
    static_cast<void>(consume("+-"));
    std::string_view const digits = consume_digits();
    if (digits.empty()) return {};
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error != std::errc{} || exponent > max_exponent)
      throw input_error(fmt::format("cannot read: a number of JSON has the exponent {}: it may have {}", digits, max_exponent));
    if (negative) exponent = -exponent;
  }
  if (!token.empty()) return {};
  std::string digits = std::string(whole).append(part);
  long const point = long(whole.size()) + exponent;
  if (point <= 0) digits.insert(0, std::size_t(1 - point), '0');
  if (point > long(digits.size())) digits.append(std::size_t(point) - digits.size(), '0');
  std::size_t const integers = std::size_t(std::max(point, 1L));
  std::size_t const zeros = std::min(digits.find_first_not_of('0'), integers - 1);
  made.append(digits, zeros, integers - zeros);
  if (integers < digits.size()) made.append(".").append(digits, integers);
  return made;
}

// Reads a value of a line. Members return false for a line that is not JSON.
class value_reader {
 public:
  value_reader(std::vector<std::string> const& path, std::string& to) : path_(path), to_(to) {}
  [[nodiscard]] bool found() const { return found_; }

  bool read(on_demand::object object, std::size_t level) {
    for (auto each : object) {
      on_demand::field field;
      std::string_view name;
      if (std::move(each).get(field) != simdjson::SUCCESS || field.unescaped_key().get(name) != simdjson::SUCCESS) return false;
      if (name == path_[level] && !read(field.value(), level + 1)) return false;
    }
    return true;
  }

 private:
  bool read(on_demand::value value, std::size_t level) {
    found_ = false;  // the last of equal names counts
    on_demand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    if (level == path_.size()) return read_whole(value, type);
    if (type == on_demand::json_type::object) {
      on_demand::object object;
      return value.get_object().get(object) == simdjson::SUCCESS && read(object, level);
    }
    if (type != on_demand::json_type::array) return true;
    on_demand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    std::size_t number = 0;
    for (auto each : array) {
      on_demand::value element;
      if (std::move(each).get(element) != simdjson::SUCCESS) return false;
      if (std::to_string(number++) == path_[level]) return read(element, level + 1);
    }
    return true;
  }

  bool read_whole(on_demand::value value, on_demand::json_type type) {
    std::string_view text;
    bool truth = false;
    switch (type) {
      case on_demand::json_type::null:
        return value.is_null();
      case on_demand::json_type::boolean:
        if (value.get_bool().get(truth) != simdjson::SUCCESS) return false;
        to_ = truth ? "true" : "false";
        break;
      case on_demand::json_type::string:
        if (value.get_string().get(text) != simdjson::SUCCESS) return false;
        to_ = text;
        break;
      case on_demand::json_type::number: {
        text = value.raw_json_token();
        auto const number = written_out(text.substr(0, text.find_last_not_of(blanks) + 1));
        if (!number) return false;
        to_ = *number;
        break;
      }
      default: {
        if (type == on_demand::json_type::object) {
          on_demand::object object;
          if (value.get_object().get(object) != simdjson::SUCCESS || object.raw_json().get(text) != simdjson::SUCCESS)
            return false;
        } else {
          on_demand::array array;
          if (value.get_array().get(array) != simdjson::SUCCESS || array.raw_json().get(text) != simdjson::SUCCESS)
            return false;
        }
        to_ = text;
      }
    }
    found_ = true;
    return true;
  }

  std::vector<std::string> const& path_;
  std::string& to_;
  bool found_ = false;
};

// Removes the path at the beginning of a text, up to a colon, and returns its names.
std::vector<std::string> consume_path(std::string_view& rest) {
  std::vector<std::string> names(1);
  while (!rest.empty() && rest.front() != ':') {
    if (rest.front() == '.') {
      names.emplace_back();
      rest.remove_prefix(1);
    } else if (rest.front() == '"' && names.back().empty()) {
      std::size_t end = 1;
      for (; end < rest.size(); ++end) {
        if (rest[end] == '"' && !rest.substr(end + 1).starts_with('"')) break;
        if (rest[end] == '"') ++end;
        names.back() += rest[end];
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    } else {
      std::size_t const size = std::min(rest.find_first_of(".:"), rest.size());
      names.back() += rest.substr(0, size);
      rest.remove_prefix(size);
    }
  }
  return names;
}

}  // namespace

json_error::json_error(std::string_view line, std::string const& why)
    : input_error(fmt::format("cannot read: line {}: {}", shown(line), why)), line_(line), why_(why) {}

std::string_view json_finder::find(std::string_view line, std::string& made) const {
  if (line.find_first_not_of(blanks) == line.npos) return {};
  thread_local on_demand::parser parser;
  thread_local std::string padded;
  padded.assign(line);
  padded.append(simdjson::SIMDJSON_PADDING, ' ');
  on_demand::document document;
  on_demand::object object;
  if (parser.iterate(padded.data(), line.size(), padded.size()).get(document) != simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS)
    throw json_error(
        line, line.starts_with("\xef\xbb\xbf") ? "it begins with a byte order mark, which JSON Lines do not have" : no_object);
  value_reader reader(path_, made);
  if (!reader.read(object, 0)) throw json_error(line, no_object);
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) throw json_error(line, "text follows the JSON object");
  if (!reader.found()) return {};
  if (blanks_are_empty_ && made.find_first_not_of(" \t\n") == made.npos) return made;
  if (compares_bytes_ && made.find_first_of("\n\v") != made.npos) {
    std::string const text = std::exchange(made, {});
    for (char const c : text)
      if (c == '\n' || c == '\v')
        made.append(c == '\n' ? "\v\1" : "\v\2");
      else
        made += c;
  }
  return made;
}

void finish_json_keys(std::vector<given_key>& keys, ordering const& global) {
  for (given_key& key : keys) {
    if (!key.has_options()) key.options = global;
    ordering const& o = key.options;
    if (o.is_numeric() || o.month || o.random || o.version || o.own) continue;
    auto finder = std::make_shared<json_finder>(dynamic_cast<json_finder const&>(*key.finder).path());
    finder->compare_bytes(o.empty_last);
    key.finder = std::move(finder);
  }
}

given_key parse_json_key(std::string_view text) {
  std::string_view words = text;
  std::vector<std::string> path = consume_path(words);
  given_key key;
  if (!words.empty() && !parse_words(words.substr(1), key.options))
    refuse_words(text, {std::string(text.substr(0, text.size() - words.size()))});
  if (std::ranges::count(path, "") != 0)
    throw usage_error(fmt::format("invalid key {}: a name of the path is empty", quote(text)));
  key.part.empty = strings::empty_values::first;
  key.finder = std::make_shared<json_finder>(std::move(path));
  return key;
}

}  // namespace ordo::inline v0::strsort
