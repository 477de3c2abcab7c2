#include "strings/keys/host_keys.hpp"

#include <arpa/inet.h>
#include <time.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "strings/keys/general_codes.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr char no_value = 1, has_value = 2;

char byte_of(unsigned code) {
  return static_cast<char>(code);
}

// Writes bytes as codes, with an end code that is smaller.
class byte_codes {
 public:
  static constexpr unsigned end = 1, low = 2;  // low is followed by a second code

  static void put(unsigned byte, std::string& to) {
    if (byte <= low) to += byte_of(low);
    to += byte_of(byte <= low ? byte + 1 : byte);
  }
};

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string images(compiled_key const& by, text_piece const& of) {
  std::string made;
  for (mapped_piece piece(by, of); *piece != mapped_piece::end; ++piece) made += byte_of(*piece);
  return made;
}

text_piece piece_of(std::string_view text) {
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

// Natural order: a number has the code of '0', the count of its digits without leading zeros, and these.

void put_natural_number(std::string_view digits, std::string& to) {
  constexpr std::size_t max_count = 200;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  byte_codes::put('0', to);
  if (std::size_t const count = digits.size(); count <= max_count) {
    to += byte_of(unsigned(1 + count));
  } else {
    unsigned const size = size_digits(count);
    to += byte_of(unsigned(1 + max_count + size));
    std::size_t unit = 1;
    for (unsigned i = 1; i < size; ++i) unit *= 255;
    for (unsigned i = 0; i < size; ++i, unit /= 255) to += byte_of(unsigned(1 + count / unit % 255));
  }
  for (char const c : digits) to += byte_of(unsigned(c - '0' + 1));
}

void put_natural(std::string_view text, std::string& to) {
  auto const digit = [&](std::size_t i) { return i < text.size() && is_digit(static_cast<unsigned char>(text[i])); };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (digit(end)) ++end;
    if (end == i) {
      byte_codes::put(static_cast<unsigned char>(text[i++]), to);
    } else {
      put_natural_number(text.substr(i, end - i), to);
      i = end;
    }
  }
  to += byte_of(byte_codes::end);
}

void put_listed(host_key const& of, std::string const& text, std::string& to) {
  if (auto const found = of.places.find(text); found != of.places.end()) {
    to += no_value;
    for (int shift = 28; shift >= 0; shift -= 7) to += byte_of(1 + (found->second >> shift & 127));
    return;
  }
  to += has_value;
  for (char const c : text) byte_codes::put(static_cast<unsigned char>(c), to);
  to += byte_of(byte_codes::end);
}

// Addresses.

void put_address(std::string_view text, std::string& to) {
  std::array<unsigned char, 16> bytes{};
  char const* const digits = "0123456789";
  std::string const address(text.substr(0, text.find('/')));
  int const family = address.find(':') == address.npos ? AF_INET : AF_INET6;
  unsigned const max_prefix = family == AF_INET ? 32 : 128;
  unsigned prefix = max_prefix;
  bool valid = inet_pton(family, address.c_str(), bytes.data()) == 1 && address.size() == std::strlen(address.c_str());
  if (valid && address.size() != text.size()) {
    std::string_view const length = text.substr(address.size() + 1);
    valid = !length.empty() && length.size() <= 3 && length.find_first_not_of(digits) == length.npos;
    if (valid) prefix = unsigned(std::stoul(std::string(length)));
    valid = valid && prefix <= max_prefix;
  }
  if (!valid) {
    to += no_value;
    return;
  }
  to += byte_of(unsigned(has_value) + (family == AF_INET6));
  for (unsigned i = 0; i < max_prefix / 8; ++i) {
    to += byte_of(1u + bytes[i] / 16);
    to += byte_of(1u + bytes[i] % 16);
  }
  to += byte_of(1 + prefix);
}

// Times.

void put_seconds(std::optional<long double> seconds, std::string& to) {
  if (!seconds) {
    to += no_value;
    return;
  }
  general_number number;
  put_value(*seconds, number);
  to += has_value;
  to.append(reinterpret_cast<char const*>(number.codes), number.size);
}

// Reads texts from front to back.
class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}
  [[nodiscard]] bool at_end() const { return text_.empty(); }
  [[nodiscard]] char next() const { return text_.empty() ? '\0' : text_.front(); }
  bool take(char c) {
    if (next() != c || at_end()) return false;
    text_.remove_prefix(1);
    return true;
  }
  void skip_blanks() {
    while (take(' ') || take('\t')) {}
  }
  // Returns the digits at the front, and how many there are.
  std::optional<std::uint64_t> digits(std::size_t min, std::size_t max) {
    std::size_t count = 0;
    std::uint64_t value = 0;
    for (; count < max && count < text_.size() && is_digit(static_cast<unsigned char>(text_[count])); ++count)
      value = 10 * value + std::uint64_t(text_[count] - '0');
    if (count < min) return {};
    text_.remove_prefix(count);
    count_ = count;
    return value;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  // Returns the nanoseconds of the digits behind a point; further digits are passed.
  std::uint64_t nanoseconds() {
    std::uint64_t value = digits(0, 9).value_or(0);
    for (std::size_t i = count_; i < 9; ++i) value *= 10;
    while (is_digit(static_cast<unsigned char>(next()))) text_.remove_prefix(1);
    return value;
  }
  std::string_view letters() {
    std::size_t count = 0;
    while (count < text_.size() && (is_ascii_letter(text_[count]) || static_cast<unsigned char>(text_[count]) >= 0x80)) ++count;
    std::string_view const word = text_.substr(0, count);
    text_.remove_prefix(count);
    return word;
  }
  [[nodiscard]] std::string_view rest() const { return text_; }
  void set_rest(std::string_view rest) { text_ = rest; }

 private:
  std::string_view text_;
  std::size_t count_ = 0;
};

constexpr long double nano = 1e9L;

// Returns the nanoseconds of a unit, as in systemd.time(7), or 0.
long double unit_nanoseconds(std::string_view name) {
  struct unit {
    std::string_view name;
    long double nanoseconds;
  };
  constexpr long double minute = 60 * nano, hour = 60 * minute, day = 24 * hour, year = 365.25L * day;
  static constexpr std::array<unit, 40> units{
      {{"", nano},        {"s", nano},           {"m", minute},          {"h", hour},          {"d", day},
       {"ms", 1e6L},      {"us", 1e3L},          {"\302\265s", 1e3L},    {"\316\274s", 1e3L},  {"ns", 1},
       {"w", 7 * day},    {"y", year},           {"sec", nano},          {"secs", nano},       {"second", nano},
       {"seconds", nano}, {"min", minute},       {"mins", minute},       {"minute", minute},   {"minutes", minute},
       {"hr", hour},      {"hrs", hour},         {"hour", hour},         {"hours", hour},      {"day", day},
       {"days", day},     {"week", 7 * day},     {"weeks", 7 * day},     {"month", year / 12}, {"months", year / 12},
       {"M", year / 12},  {"year", year},        {"years", year},        {"msec", 1e6L},       {"usec", 1e3L},
       {"nsec", 1},       {"millisecond", 1e6L}, {"milliseconds", 1e6L}, {"mo", year / 12},    {"yr", year}}};
  for (unit const& u : units)
    if (u.name == name) return u.nanoseconds;
  return 0;
}

// Reads [D-][H:]M:S with an optional fraction. @param first  the number before the first ':' or '-'
std::optional<long double> read_clock(reader& from, std::uint64_t first) {
  std::uint64_t parts[3] = {first, 0, 0}, days = 0;
  std::size_t count = 1;
  bool const has_days = from.take('-');
  if (has_days) {
    days = first;
    auto const hours = from.digits(1, 9);
    if (!hours) return {};
    parts[0] = *hours;
  }
  for (; count < 3 && from.take(':'); ++count) {
    auto const part = from.digits(1, 9);
    if (!part) return {};
    parts[count] = *part;
  }
  std::uint64_t const fraction = from.take('.') ? from.nanoseconds() : 0;
  long double seconds = 0;
  for (std::size_t i = 0; i < count; ++i) seconds = seconds * 60 + static_cast<long double>(parts[i]);
  // Days are followed by hours: 1-02:03 has no seconds.
  for (; has_days && count < 3; ++count) seconds *= 60;
  return (static_cast<long double>(days) * 86400 + seconds) * nano + static_cast<long double>(fraction);
}

// Returns nanoseconds.
std::optional<long double> read_duration(std::string_view text) {
  constexpr std::size_t max_digits = 18;
  reader from(text);
  from.skip_blanks();
  bool const negative = from.take('-');
  if (!negative) from.take('+');
  long double sum = 0;
  bool any = false;
  while (true) {
    from.skip_blanks();
    reader const before = from;
    auto const whole = from.digits(0, max_digits);
    bool const has_whole = from.count() != 0;
    if (has_whole && !any && (from.next() == ':' || from.next() == '-')) {
      auto const clock = read_clock(from, *whole);
      if (!clock) return {};
      sum = *clock;
      any = true;
      break;
    }
    std::uint64_t fraction = 0;
    bool const point = from.take('.');
    if (point) {
      if (!has_whole && !is_digit(static_cast<unsigned char>(from.next()))) return any ? std::optional(sum) : std::nullopt;
      fraction = from.nanoseconds();
    }
    if (!has_whole && !point) break;
    from.skip_blanks();
    long double const unit = unit_nanoseconds(from.letters());
    if (unit == 0) {
      if (any) break;
      from = before;
      return {};
    }
    sum += static_cast<long double>(*whole) * unit + static_cast<long double>(fraction) * unit / nano;
    any = true;
  }
  if (!any) return {};
  return negative ? -sum : sum;
}

bool is_valid(tm const& given, tm const& normal) {
  return given.tm_year == normal.tm_year && given.tm_mon == normal.tm_mon && given.tm_mday == normal.tm_mday;
}

// Returns nanoseconds since 1970.
std::optional<long double> since_epoch(tm given, long offset, std::uint64_t fraction) {
  tm normal = given;
  time_t const seconds = timegm(&normal);
  if (given.tm_sec < 60 && !is_valid(given, normal)) return {};
  return static_cast<long double>(seconds - offset) * nano + static_cast<long double>(fraction);
}

// Reads "Z", "+hh", "+hhmm" or "+hh:mm". Returns seconds east of UTC.
std::optional<long> read_zone(reader& from) {
  if (from.take('Z') || from.take('z')) return 0;
  char const sign = from.next();
  if (!from.take('+') && !from.take('-')) return 0;
  auto const hours = from.digits(2, 2);
  if (!hours) return {};
  from.take(':');
  auto const minutes = from.digits(2, 2);
  long const seconds = long(*hours * 3600 + minutes.value_or(0) * 60);
  return sign == '-' ? -seconds : seconds;
}

// Reads YYYY[-]MM[[-]DD] and, behind 'T' or a blank, hh[:mm[:ss[.f]]], and a zone.
std::optional<long double> read_iso_date(std::string_view text) {
  reader from(text);
  from.skip_blanks();
  bool const before_christ = from.take('-');
  auto const year = from.digits(4, 4);
  if (!year) return {};
  bool const dashes = from.take('-');
  auto const month = from.digits(2, 2);
  if (!month || *month < 1 || *month > 12) return {};
  tm date{};
  date.tm_year = (before_christ ? -int(*year) : int(*year)) - 1900;
  date.tm_mon = int(*month) - 1;
  date.tm_mday = 1;
  if (!dashes || from.take('-')) {
    auto const day = from.digits(2, 2);
    if (!day || *day < 1) return {};
    date.tm_mday = int(*day);
  }
  std::uint64_t fraction = 0;
  long offset = 0;
  reader const behind_date = from;
  if (from.take('T') || from.take('t') || from.take(' ')) {
    int* const parts[] = {&date.tm_hour, &date.tm_min, &date.tm_sec};
    constexpr std::uint64_t max[] = {24, 59, 60};
    bool any = false, colons = true;
    for (std::size_t i = 0; i < 3; ++i) {
      if (i != 0 && !from.take(':')) {
        if (i == 1) colons = false;
        if (colons) break;
      }
      auto const part = from.digits(2, 2);
      if (!part) {
        if (i != 0 && colons) return {};
        break;
      }
      if (*part > max[i]) return {};
      *parts[i] = int(*part);
      any = true;
    }
    if (!any) {
      from = behind_date;
    } else {
      if (from.take('.') || from.take(',')) fraction = from.nanoseconds();
      auto const zone = read_zone(from);
      if (!zone) return {};
      offset = *zone;
    }
  }
  // Hour 24 is the end of a day.
  if (date.tm_hour == 24) {
    date.tm_hour = 0;
    offset -= 24 * 3600;
  }
  return since_epoch(date, offset, fraction);
}

// Reads a date by strptime. "%f" stands for the digits of a fraction.
std::optional<long double> read_date(std::string const& text, std::string const& format) {
  if (format.empty()) return read_iso_date(text);
  tm date{};
  date.tm_year = 70;
  date.tm_mday = 1;
  std::uint64_t fraction = 0;
  char const* at = text.c_str();
  while (*at == ' ' || *at == '\t') ++at;
  if (format == "%s") {
    char* end = nullptr;
    errno = 0;
    long long const seconds = std::strtoll(at, &end, 10);
    if (end == at || errno != 0) return {};
    return static_cast<long double>(seconds) * nano;
  }
  for (std::size_t begin = 0; begin <= format.size();) {
    std::size_t end = begin;
    while (end < format.size() && format.compare(end, 2, "%f") != 0) end += format[end] == '%' ? 2 : 1;
    end = std::min(end, format.size());
    if (end != begin) {
      at = strptime(at, format.substr(begin, end - begin).c_str(), &date);
      if (!at) return {};
    }
    if (end == format.size()) break;
    reader from(at);
    if (!is_digit(static_cast<unsigned char>(from.next()))) return {};
    fraction = from.nanoseconds();
    at = from.rest().data();
    begin = end + 2;
  }
  long const offset = date.tm_gmtoff;
  date.tm_gmtoff = 0;
  return since_epoch(date, offset, fraction);
}

}  // namespace

std::shared_ptr<host_key const> make_host_key(order const& by, strings::key const& from, compiled_key const& key) {
  auto made = std::make_shared<host_key>();
  made->finder = from.finder;
  made->date_format = by.date_format;
  if (key.type == key_type::listed && by.listed)
    for (std::string const& value : *by.listed)
      made->places.emplace(images(key, piece_of(value)), std::uint32_t(made->places.size()));
  return made;
}

std::string_view host_codes(compiled_key const& by, key_rules const& rules, text_piece const& of) {
  thread_local std::string codes;
  codes.clear();
  std::string const text = images(by, of);
  switch (by.type) {
    case key_type::natural:
      put_natural(text, codes);
      break;
    case key_type::listed:
      put_listed(*by.host, text, codes);
      break;
    case key_type::address:
      put_address(without_blanks(text, rules), codes);
      break;
    case key_type::duration:
      put_seconds(read_duration(text), codes);
      break;
    case key_type::date:
      put_seconds(read_date(text, by.host->date_format), codes);
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
  std::string_view const found = by.host->finder->find({text, std::size_t(of.last - of.first)});
  piece_ = {of.first, of.first, of.limit};
  if (found.empty()) return;
  piece_.first = reinterpret_cast<unsigned char const*>(found.data());
  piece_.last = piece_.first + found.size();
  if (by.skip_blanks_at_first)
    while (piece_.first != piece_.last && rules.blank[*piece_.first]) ++piece_.first;
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
