#include "strings/keys/host_keys.hpp"

#include <arpa/inet.h>
#include <langinfo.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>

#include "strings/keys/general_codes.hpp"
#include "strings/keys/times.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr char no_value = 1, has_value = 2;

char to_byte(unsigned code) {
  return static_cast<char>(code);
}

// Writes bytes as codes, with an end code that is smaller.
class byte_codes {
 public:
  static constexpr unsigned end = 1, low = 2;  // low is followed by a second code

  static void put(unsigned byte, std::string& to) {
    if (byte <= low) to += to_byte(low);
    to += to_byte(byte <= low ? byte + 1 : byte);
  }
};

std::string images(compiled_key const& by, text_piece const& of) {
  std::string made;
  for (mapped_piece piece(by, of); *piece != mapped_piece::end; ++piece) made += to_byte(*piece);
  return made;
}

text_piece as_piece(std::string_view text) {
  auto const* const first = reinterpret_cast<unsigned char const*>(text.data());
  return {first, first + text.size(), first + text.size()};
}

std::string_view without_blanks(std::string_view text, key_rules const& rules) {
  auto const blank = [&](char c) { return rules.blank[static_cast<unsigned char>(c)] != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  std::size_t length = 0;
  while (length < text.size() && !blank(text[length])) ++length;
  return text.substr(0, length);
}

// Appends the count of the digits of a number in base 255, after what is added to it, and the digits.
void append_number(std::size_t number, std::string& to, std::size_t above = 0) {
  unsigned const size = size_digits(number);
  to += to_byte(unsigned(above + size));
  std::size_t unit = 1;
  for (unsigned i = 1; i < size; ++i) unit *= 255;
  for (unsigned i = 0; i < size; ++i, unit /= 255) to += to_byte(unsigned(1 + number / unit % 255));
}

// Natural order: a number has the code of '0', the count of its digits without leading zeros, and these.

void append_natural_number(std::string_view digits, std::string& to) {
  constexpr std::size_t max_count = 200;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  byte_codes::put('0', to);
  if (std::size_t const count = digits.size(); count <= max_count) {
    to += to_byte(unsigned(1 + count));
  } else {
    append_number(count, to, 1 + max_count);
  }
  for (char const c : digits) to += to_byte(unsigned(c - '0' + 1));
}

void append_natural(std::string_view text, std::string& to) {
  auto const digit = [&](std::size_t i) { return i < text.size() && is_digit(static_cast<unsigned char>(text[i])); };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (digit(end)) ++end;
    if (end == i) {
      byte_codes::put(static_cast<unsigned char>(text[i++]), to);
    } else {
      append_natural_number(text.substr(i, end - i), to);
      i = end;
    }
  }
  to += to_byte(byte_codes::end);
}

void append_listed(host_key const& of, std::string const& text, std::string& to) {
  if (auto const it = of.places.find(text); it != of.places.end()) {
    to += no_value;
    for (int shift = 28; shift >= 0; shift -= 7) to += to_byte(1 + (it->second >> shift & 127));
    return;
  }
  to += has_value;
  for (char const c : text) byte_codes::put(static_cast<unsigned char>(c), to);
  to += to_byte(byte_codes::end);
}

// Addresses.

// The parts of ADDRESS, ADDRESS/PREFIX, ADDRESS%ZONE, ADDRESS%ZONE/PREFIX, IPV4:PORT, [ADDRESS], [ADDRESS%ZONE]:PORT.
struct address_parts {
  std::string address;
  std::optional<std::string_view> zone, prefix, port;
};

address_parts split_address(std::string_view text) {
  address_parts parts;
  // Removes what follows the mark, and returns it.
  auto const behind = [&](std::size_t mark) {
    std::string_view const rest = text.substr(mark + 1);
    text = text.substr(0, mark);
    return rest;
  };
  if (text.starts_with('[')) {
    std::size_t const close = text.find(']');
    if (close == text.npos) return {};
    std::string_view const rest = text.substr(close + 1);
    text = text.substr(1, close - 1);
    if (text.find(':') == text.npos || (!rest.empty() && !rest.starts_with(':'))) return {};
    if (!rest.empty()) parts.port = rest.substr(1);
  } else {
    if (std::size_t const slash = text.find('/'); slash != text.npos) parts.prefix = behind(slash);
    if (std::size_t const colon = text.find(':'); colon != text.npos && text.find('.') < colon && !parts.prefix)
      parts.port = behind(colon);
  }
  if (std::size_t const percent = text.find('%'); percent != text.npos) parts.zone = behind(percent);
  parts.address = text;
  return parts;
}

// Returns a decimal number up to `max`, or nothing for other text.
std::optional<unsigned> read_small(std::string_view text, unsigned max) {
  if (text.empty() || text.size() > 5 || text.find_first_not_of("0123456789") != text.npos) return {};
  auto const number = unsigned(std::stoul(std::string(text)));
  return number <= max ? std::optional(number) : std::nullopt;
}

void append_address(std::string_view text, std::string& to) {
  std::array<unsigned char, 16> bytes{};
  address_parts const parts = split_address(text);
  std::string const& address = parts.address;
  int const family = address.find(':') == address.npos ? AF_INET : AF_INET6;
  unsigned const max_prefix = family == AF_INET ? 32 : 128;
  bool valid = inet_pton(family, address.c_str(), bytes.data()) == 1 && address.size() == std::strlen(address.c_str());
  auto const prefix = parts.prefix ? read_small(*parts.prefix, max_prefix) : max_prefix;
  auto const port = parts.port ? read_small(*parts.port, 65535) : 0;
  valid = valid && prefix && port && (!parts.prefix || parts.prefix->size() <= 3) &&
          (!parts.zone || (family == AF_INET6 && !parts.zone->empty() && parts.zone->find('%') == parts.zone->npos));
  if (!valid) {
    to += no_value;
    return;
  }
  to += to_byte(unsigned(has_value) + (family == AF_INET6));
  for (unsigned i = 0; i < max_prefix / 8; ++i) {
    to += to_byte(1u + bytes[i] / 16);
    to += to_byte(1u + bytes[i] % 16);
  }
  to += to_byte(1 + *prefix);
  for (char const c : parts.zone.value_or("")) byte_codes::put(static_cast<unsigned char>(c), to);
  to += to_byte(byte_codes::end);
  to += parts.port ? has_value : no_value;
  for (int shift = 14; parts.port && shift >= 0; shift -= 7) to += to_byte(1 + (*port >> shift & 127));
}

// Lengths.

void append_length(std::string_view text, locale_t in, std::string& to) {
  bool const characters = std::string_view("UTF-8") == nl_langinfo_l(CODESET, in);
  auto const begins = [&](char c) { return !characters || (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  append_number(std::size_t(std::ranges::count_if(text, begins)), to);
}

// Times.

void append_seconds(std::optional<long double> seconds, std::string& to) {
  if (!seconds) {
    to += no_value;
    return;
  }
  general_number number;
  write_value(*seconds, number);
  to += has_value;
  to.append(reinterpret_cast<char const*>(number.codes), number.size);
}

}  // namespace

std::shared_ptr<host_key const> make_host_key(order const& by, strings::key const& from, compiled_key const& key) {
  auto made = std::make_shared<host_key>();
  made->finder = from.finder;
  made->date_format = by.date_format;
  if (key.type == key_type::listed && by.listed)
    for (std::string const& value : *by.listed)
      made->places.emplace(images(key, as_piece(value)), std::uint32_t(made->places.size()));
  return made;
}

std::string_view host_codes(compiled_key const& by, key_rules const& rules, text_piece const& of) {
  thread_local std::string codes;
  codes.clear();
  std::string const text = images(by, of);
  switch (by.type) {
    case key_type::natural:
      append_natural(text, codes);
      break;
    case key_type::listed:
      append_listed(*by.host, text, codes);
      break;
    case key_type::address:
      append_address(without_blanks(text, rules), codes);
      break;
    case key_type::length:
      append_length(text, by.locale, codes);
      break;
    case key_type::duration:
      append_seconds(read_duration(text), codes);
      break;
    case key_type::date:
      append_seconds(read_date(text, by.host->date_format), codes);
      break;
    default:
      break;
  }
  return codes;
}

void append_unquoted(char const* begin, char const* end, bool quoted, std::string& to) {
  if (!quoted) {
    to.append(begin, end);
    return;
  }
  for (++begin; begin != end; ++begin) {
    if (*begin == '"') {
      if (++begin == end || *begin != '"') {
        to.append(begin, end);
        return;
      }
    }
    to += *begin;
  }
}

inner_piece::inner_piece(compiled_key const& by, key_rules const& rules, text_piece const& of) {
  if (by.host)
    find(by, rules, of);
  else
    unquote(*by.inner, rules, of);
}

void inner_piece::find(compiled_key const& by, key_rules const& rules, text_piece const& of) {
  auto const* const text = reinterpret_cast<char const*>(of.first);
  piece_ = of;
  if (!by.host->finder) return;
  std::string_view const result = by.host->finder->find({text, std::size_t(of.last - of.first)}, copy_);
  missing_ = result.data() == nullptr;
  piece_ = {of.first, of.first, of.limit};
  if (result.empty()) return;
  piece_.first = reinterpret_cast<unsigned char const*>(result.data());
  piece_.last = piece_.first + result.size();
  // Text of the finder's own has no bytes after it.
  if (std::less<>()(piece_.first, of.first) || !std::less<>()(piece_.first, of.last)) piece_.limit = piece_.last;
  if (by.skip_blanks_at_first)
    while (piece_.first != piece_.last && rules.blank[*piece_.first]) ++piece_.first;
}

unsigned inner_piece::place(compiled_key const& by, key_rules const& rules) const {
  constexpr unsigned empty_first = 1, other = 2, empty_last = 3;
  if (by.empty == empty_values::first) return missing_ ? empty_first : other;
  bool const empty = std::all_of(piece_.first, piece_.last, [&](unsigned char byte) { return rules.blank[byte] != 0; });
  return empty ? empty_last : other;
}

void inner_piece::unquote(compiled_key const& range, key_rules const& rules, text_piece const& line) {
  auto const* const begin = reinterpret_cast<char const*>(line.first);
  auto const* end = reinterpret_cast<char const*>(line.last);
  if (end != begin && end[-1] == '\r') --end;
  // Positions in the copy, or in the line if there is none.
  bool const single = range.first_field == range.last_field;
  std::size_t last_begin = 0;
  char const *first = end, *last = end;
  bool copied = false;
  each_quoted_field(begin, end, static_cast<char>(rules.separator),
                    [&](std::size_t number, char const* from, char const* to, bool quoted) {
                      if (number < range.first_field) return true;
                      if (number > range.last_field) return false;
                      if (single && !quoted) {
                        first = from;
                        last = to;
                        return false;
                      }
                      copied = true;
                      if (number != range.first_field) copy_ += static_cast<char>(rules.separator);
                      last_begin = copy_.size();
                      append_unquoted(from, to, quoted, copy_);
                      if (number != range.last_field) last_begin = copy_.size();
                      return number != range.last_field;
                    });
  if (copied) {
    first = copy_.data();
    last = first + copy_.size();
  }
  auto const* const text = reinterpret_cast<unsigned char const*>(first);
  auto const* const limit = reinterpret_cast<unsigned char const*>(last);
  auto const behind_blanks = [&](unsigned char const* p) {
    while (p != limit && rules.blank[*p]) ++p;
    return p;
  };
  auto const moved = [&](unsigned char const* p, std::size_t by_characters) {
    return by_characters < std::size_t(limit - p) ? p + by_characters : limit;
  };
  unsigned char const* p = range.skip_blanks_at_first ? behind_blanks(text) : text;
  p = moved(p, range.first_character);
  unsigned char const* q = limit;
  if (range.last_field != key::to_the_end && range.end_character != 0) {
    q = text + last_begin;
    if (range.skip_blanks_at_end) q = behind_blanks(q);
    q = moved(q, range.end_character);
  }
  piece_ = {p, std::max(p, q), limit};
}

}  // namespace ordo::inline v0::strings::detail
