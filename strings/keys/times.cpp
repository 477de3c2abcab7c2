#include "strings/keys/times.hpp"

#include <time.h>
#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "strings/keys/key_codes.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t max_shown = 60;

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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
  // Returns the nanoseconds of the digits after a point; further digits are passed.
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

// The proleptic Gregorian calendar, with a year 0.

bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

std::uint64_t days_of_month(std::int64_t year, std::uint64_t month) {
  constexpr std::array<std::uint8_t, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + std::uint64_t(month == 2 && is_leap(year));
}

// Returns the days from 1970-01-01 to the first day of a year.
std::int64_t first_day(std::int64_t year) {
  constexpr std::int64_t days_before_1970 = 719162;  // from 0001-01-01
  auto const quotient = [](std::int64_t n, std::int64_t by) { return n / by - (n % by < 0); };
  std::int64_t const before = year - 1;
  return 365 * before + quotient(before, 4) - quotient(before, 100) + quotient(before, 400) - days_before_1970;
}

// Return the days from 1970-01-01 to a date, or nothing if there is no such date.
std::optional<std::int64_t> day_of_month(std::int64_t year, std::uint64_t month, std::uint64_t day) {
  if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month)) return {};
  std::int64_t days = first_day(year) + std::int64_t(day) - 1;
  for (std::uint64_t m = 1; m < month; ++m) days += std::int64_t(days_of_month(year, m));
  return days;
}
std::optional<std::int64_t> day_of_year(std::int64_t year, std::uint64_t day) {
  if (day < 1 || day > 365u + unsigned(is_leap(year))) return {};
  return first_day(year) + std::int64_t(day) - 1;
}
// @param day  from 1, Monday, to 7
std::optional<std::int64_t> day_of_week(std::int64_t year, std::uint64_t week, std::uint64_t day) {
  // Week 1 is that of January 4. 1970-01-01 was a Thursday.
  auto const week_1 = [](std::int64_t of) {
    std::int64_t const fourth = first_day(of) + 3;
    return fourth - ((fourth + 3) % 7 + 7) % 7;
  };
  if (week < 1 || day < 1 || day > 7) return {};
  std::int64_t const monday = week_1(year) + 7 * (std::int64_t(week) - 1);
  if (monday >= week_1(year + 1)) return {};
  return monday + std::int64_t(day) - 1;
}

long double to_nanoseconds(std::int64_t days, std::int64_t seconds, std::uint64_t nanoseconds) {
  return static_cast<long double>(days * 86400 + seconds) * nano + static_cast<long double>(nanoseconds);
}

// Reads "Z", "+h", "+hh", "+hhmm" or "+hh:mm", or nothing, which is UTC. Returns seconds east of UTC.
std::optional<std::int64_t> read_zone(reader& from) {
  if (from.take('Z') || from.take('z')) return 0;
  char const sign = from.next();
  if (!from.take('+') && !from.take('-')) return 0;
  auto const hours = from.digits(1, 2);
  if (!hours) return {};
  from.take(':');
  std::uint64_t const minutes = from.digits(2, 2).value_or(0);
  if (*hours > 24 || minutes > 59) return {};
  std::int64_t const seconds = std::int64_t(*hours * 3600 + minutes * 60);
  return sign == '-' ? -seconds : seconds;
}

// Reads a date in one of the forms of ISO 8601 and returns days since 1970: YYYY-MM-DD, YYYY-MM, YYYY-DDD, YYYY-Www-D,
// YYYY-Www, the same without '-' but YYYYMM, and YYYY. More digits of a year need a sign or a '-' after them.
// @param whole  false if no time may follow
std::optional<std::int64_t> read_iso_day(reader& from, bool& whole) {
  constexpr std::size_t max_year = 9, of_year = 4;
  bool const negative = from.take('-'), is_signed = negative || from.take('+');
  reader after = from;
  static_cast<void>(after.digits(0, max_year + of_year + 1));
  std::size_t const count = after.count();
  // Seven and eight digits without a sign are a whole date, whatever follows.
  bool const extended = after.next() == '-' && (is_signed || (count != 7 && count != 8));
  std::size_t year_digits = of_year;
  if (extended || (is_signed && (count == 5 || count == 6)))
    year_digits = count;
  else if (is_signed && count > 8)
    year_digits = count - of_year;
  if (year_digits < of_year || year_digits > max_year) return {};
  auto const digits = from.digits(year_digits, year_digits);
  if (!digits) return {};
  auto const year = negative ? -std::int64_t(*digits) : std::int64_t(*digits);
  whole = true;

  bool const dash = extended && from.take('-');
  if (from.take('W')) {
    auto const week = from.digits(2, 2);
    if (!week) return {};
    reader const behind_week = from;
    bool const more = !dash || from.take('-');
    auto const day = more ? from.digits(1, 1) : std::nullopt;
    if (!day) from = behind_week;
    return day_of_week(year, *week, day.value_or(1));
  }
  reader three = from;
  if (auto const day = three.digits(3, 4); day && three.count() == 3 && (dash || count == year_digits + 3)) {
    from = three;
    return day_of_year(year, *day);
  }
  if (dash || count == year_digits + 4) {
    auto const month = from.digits(2, 2);
    if (!month) return {};
    if (dash && !from.take('-')) return day_of_month(year, *month, 1);
    auto const day = from.digits(2, 2);
    return day ? day_of_month(year, *month, *day) : std::nullopt;
  }
  // A year stands alone, so that other text that begins with a number is no date.
  whole = false;
  bool const alone = from.at_end() || from.next() == ' ' || from.next() == '\t' || from.next() == '\r';
  return alone && count == year_digits ? day_of_year(year, 1) : std::nullopt;
}

// Reads a date and, after 'T' or a blank, hh[:mm[:ss]] with a fraction of the last of them, and a zone, which a blank may
// precede. Returns nanoseconds.
std::optional<long double> read_iso_date(std::string_view text) {
  reader from(text);
  from.skip_blanks();
  bool whole = false;
  auto const day = read_iso_day(from, whole);
  if (!day) return {};
  if (!whole || (!from.take('T') && !from.take('t') && !from.take(' '))) return to_nanoseconds(*day, 0, 0);
  std::int64_t seconds = 0;
  std::uint64_t fraction = 0, unit = 0;
  constexpr std::uint64_t max[] = {24, 59, 60}, units[] = {3600, 60, 1};
  bool colons = true;
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
    unit = units[i];
    seconds += std::int64_t(*part * unit);
  }
  if (unit == 0) return to_nanoseconds(*day, 0, 0);  // no time: other text
  if (from.take('.') || from.take(',')) fraction = from.nanoseconds() * unit;
  reader behind_blank = from;
  if (behind_blank.take(' ') && (behind_blank.next() == '+' || behind_blank.next() == '-')) {
    reader sign = behind_blank;
    static_cast<void>(sign.take('+') || sign.take('-'));
    if (sign.digits(2, 2)) from = behind_blank;
  }
  auto const offset = read_zone(from);
  if (!offset) return {};
  return to_nanoseconds(*day, seconds - *offset, fraction);
}

// What a format has besides what strptime reads.
struct zoned {
  std::uint64_t fraction = 0;               // nanoseconds
  std::optional<std::int64_t> since_1970;   // seconds, by %s
  std::optional<std::uint64_t> year, week;  // year and week of ISO 8601, by %G and %V
  std::int64_t east = 0;                    // seconds, by %Z
  std::string unknown;                      // the name of a zone that has no place in time
};

// Reads the name of a zone, or an offset, after blanks. @returns false if there is none
bool read_zone_name(reader& from, zoned& to) {
  from.skip_blanks();
  std::string_view const all = from.rest();
  auto const is_name = [](char c) { return is_ascii_letter(c) || c == '/' || c == '_'; };
  std::size_t length = 0;
  while (length < all.size() && is_name(all[length])) ++length;
  if (length == 0 && from.next() != '+' && from.next() != '-') return false;
  std::string_view const name = all.substr(0, length);
  from.set_rest(all.substr(length));
  auto const is = [&](std::string_view known) {
    return std::ranges::equal(name, known, [](char a, char b) { return (a & ~0x20) == b; });
  };
  if (name.empty() || is("UTC") || is("GMT") || is("UT")) {
    auto const offset = read_zone(from);
    to.east = offset.value_or(0);
    return offset.has_value();
  }
  if (!is("Z")) to.unknown = name;
  return true;
}

// Reads the directives of a format that strptime does not know. @returns false if the text is not of the format
bool read_directive(char letter, reader& from, zoned& to) {
  auto const has_digit = [&] { return is_digit(static_cast<unsigned char>(from.next())); };
  switch (letter) {
    case 'f':
      if (!has_digit()) return false;
      to.fraction = from.nanoseconds();
      return true;
    case 's': {
      constexpr std::size_t max_digits = 15;
      from.skip_blanks();
      bool const negative = from.take('-');
      auto const seconds = from.digits(1, max_digits);
      if (!seconds || has_digit()) return false;
      to.since_1970 = negative ? -std::int64_t(*seconds) : std::int64_t(*seconds);
      return true;
    }
    case 'G':
      to.year = from.digits(4, 4);
      return to.year.has_value();
    case 'V':
      to.week = from.digits(1, 2);
      return to.week.has_value();
    default:
      return read_zone_name(from, to);
  }
}

}  // namespace

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

std::optional<long double> read_date(std::string const& text, std::string const& format) {
  if (format.empty()) return read_iso_date(text);
  constexpr std::string_view own = "fsGVZ";
  tm date{};
  date.tm_year = 70;
  date.tm_mday = 1;
  date.tm_wday = 1;
  zoned more;
  bool has_offset = false;
  char const* at = text.c_str();
  while (*at == ' ' || *at == '\t') ++at;
  for (std::size_t begin = 0; begin < format.size();) {
    std::size_t end = begin;
    while (end < format.size()) {
      if (format[end] != '%') {
        ++end;
        continue;
      }
      char const letter = end + 1 < format.size() ? format[end + 1] : '\0';
      if (own.find(letter) != own.npos) break;
      has_offset |= letter == 'z';
      end = std::min(end + 2, format.size());
    }
    if (end != begin) {
      at = strptime(at, format.substr(begin, end - begin).c_str(), &date);
      if (!at) return {};
    }
    if (end == format.size()) break;
    reader from(at);
    if (!read_directive(format[end + 1], from, more)) return {};
    at = from.rest().data();
    begin = end + 2;
  }
  if (!more.unknown.empty() && !has_offset && !more.since_1970)
    throw input_error(
        fmt::format("cannot read a date: '{}': unknown time zone '{}': neither UTC, GMT, Z nor an offset like +0100",
                    text.substr(0, max_shown), more.unknown));
  if (more.since_1970) return to_nanoseconds(0, *more.since_1970, more.fraction);
  std::int64_t const offset = has_offset ? date.tm_gmtoff : more.east;
  std::optional<std::int64_t> day;
  if (more.year && more.week)
    day = day_of_week(std::int64_t(*more.year), *more.week, date.tm_wday == 0 ? 7 : std::uint64_t(date.tm_wday));
  else
    day = day_of_month(date.tm_year + std::int64_t{1900}, std::uint64_t(date.tm_mon) + 1, std::uint64_t(date.tm_mday));
  if (!day) return {};
  return to_nanoseconds(*day, date.tm_hour * 3600 + date.tm_min * 60 + date.tm_sec - offset, more.fraction);
}

}  // namespace ordo::inline v0::strings::detail
