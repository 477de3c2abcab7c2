#include "strings/keys/compiled_keys.hpp"

#include <langinfo.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

#include "strings/keys/collation.hpp"
#include "strings/keys/host_keys.hpp"
#include "strings/keys/line_keys.hpp"
#include "strings/keys/version_codes.hpp"

namespace ordo::inline v0::strings::detail {

namespace {

// ASCII, in every locale.
bool is_small(unsigned byte) {
  return byte - 'a' < 26;
}
bool is_letter(unsigned byte) {
  return (byte | 32) - 'a' < 26;
}

constexpr std::string_view units = "KMGTPEZYRQ";
constexpr std::size_t units_of_9_1 = 8;

// The constants of MD5: the sines of 1 to 64, without the sign, as fractions of 32 bits. They are no calls of the library of
// mathematics, which a program that sorts a few lines need not load.
constexpr std::uint32_t md5_sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af,
    0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa,
    0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
    0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97,
    0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
    0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

// The classes of single bytes in a locale. In a locale with characters of several bytes, bytes above 127 belong to none.
class byte_classes {
 public:
  explicit byte_classes(locale_t in) : in_(in) {}
  // A newline in a line is a blank, too.
  [[nodiscard]] bool is_blank(unsigned byte) const { return isblank_l(int(byte), in_) || byte == '\n'; }
  [[nodiscard]] bool is_alphanumeric(unsigned byte) const { return isalnum_l(int(byte), in_); }
  [[nodiscard]] bool is_printed(unsigned byte) const { return isprint_l(int(byte), in_); }
  [[nodiscard]] unsigned upper(unsigned byte) const { return unsigned(toupper_l(int(byte), in_)); }

 private:
  locale_t in_;
};

void set_images(key const& from, byte_classes const& of, compiled_key& to) {
  to.direct = true;
  for (unsigned byte = 0; byte < 256; ++byte) {
    bool const dropped = from.dictionary         ? !of.is_alphanumeric(byte) && !of.is_blank(byte)
                         : from.ignore_unprinted ? !of.is_printed(byte)
                                                 : false;
    to.image[byte] = dropped ? compiled_key::dropped : std::uint16_t(from.fold_case ? of.upper(byte) : byte);
    to.direct = to.direct && to.image[byte] == byte;
  }
}

// Sets codes in the order of the images. An end code is below them. If there are more images than codes, the two greatest share
// a code and have a second one; UTF-8 never contains both.
void set_codes(compiled_key& by) {
  bool used[256] = {};
  for (unsigned byte = 0; byte < 256; ++byte)
    if (byte != by.delimiter && by.image[byte] != compiled_key::dropped) used[by.image[byte]] = true;
  std::uint16_t image_codes[256] = {};
  unsigned code = by.ended ? 1 : 0;
  for (unsigned image = 0; image < 256; ++image)
    if (used[image]) image_codes[image] = std::uint16_t(++code);
  if (code == 256) {
    auto* const last = std::find(std::begin(image_codes), std::end(image_codes), 256);
    auto* const before = std::find(std::begin(image_codes), std::end(image_codes), 255);
    *before = 255 | 1 << 8;
    *last = 255 | 2 << 8;
  }
  by.one_code_each = true;
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned const codes = by.image[byte] == compiled_key::dropped ? 0 : image_codes[by.image[byte]];
    unsigned first = codes & 255, second = codes >> 8;
    if (by.reverse && first != 0) first = 256 - first;
    if (by.reverse && second != 0) second = 256 - second;
    by.codes[byte] = std::uint16_t(first | second << 8);
    by.one_code_each = by.one_code_each && (byte == by.delimiter || (first != 0 && second == 0));
  }
}

// transforms: -R hashes what strxfrm returns, as GNU sort does in every locale but C and POSIX.
compiled_key compiled(key const& from, bool last, bool collates, bool transforms, locale_t in, unsigned char delimiter,
                      collation_by how) {
  compiled_key to{};
  to.first_field = from.first_field;
  to.first_character = from.first_character;
  to.last_field = from.last_field;
  to.end_character = from.end_character;
  to.skip_blanks_at_first = from.skip_blanks_at_first;
  to.skip_blanks_at_end = from.skip_blanks_at_end;
  to.type = from.type;
  to.reverse = from.reverse;
  to.ended = !last || from.reverse;
  to.delimiter = delimiter;
  to.collated = (collates && from.type == key_type::bytes) || (transforms && from.type == key_type::random);
  to.locale = in;
  to.table = to.collated && how == collation_by::tables ? collation_table::find(in) : nullptr;
  set_images(from, byte_classes(in), to);
  set_codes(to);
  to.by_words = to.direct && delimiter < 128;
  return to;
}

// Sets the codes of bytes in versions. There are too few for all: control characters have two.
void set_version_codes(key_rules& rules) {
  using code = version_code;
  unsigned next = code::others;
  for (unsigned byte = 0; byte < 256; ++byte) {
    bool const shares = byte < '\t' || (byte > '\n' && byte < ' ');
    if (is_letter(byte)) {
      rules.version[byte] = std::uint16_t(code::letters + (is_small(byte) ? 26 + byte - 'a' : byte - 'A'));
    } else if (byte == '~') {
      rules.version[byte] = code::tilde;
    } else if (shares) {
      rules.version[byte] = std::uint16_t(next | (byte + 1) << 8);
      if (byte + 1 == '\t' || byte + 1 == ' ') ++next;
    } else if (!is_digit(byte)) {
      rules.version[byte] = std::uint16_t(next++);
    }
  }
}

// Sets the names of months, without blanks and sorted.
void set_months(locale_t in, byte_classes const& classes, key_rules& rules) {
  std::array<std::string, 12> names;
  for (std::size_t i = 0; i < 12; ++i)
    for (char const* c = nl_langinfo_l(nl_item(ABMON_1 + int(i)), in); *c != 0; ++c)
      if (auto const byte = static_cast<unsigned char>(*c); !isblank_l(byte, in))
        names[i] += static_cast<char>(classes.upper(byte));
  std::array<unsigned char, 12> months{};
  std::iota(months.begin(), months.end(), static_cast<unsigned char>(0));
  std::ranges::stable_sort(months, std::less<>(), [&](unsigned char month) { return std::string_view(names[month]); });
  for (std::size_t i = 0; i < 12; ++i) {
    std::string_view const name = std::string_view(names[months[i]]).substr(0, sizeof rules.month[i] - 1);
    std::copy(name.begin(), name.end(), rules.month[i]);
    rules.month_number[i] = static_cast<unsigned char>(months[i] + 1);
  }
}

// Returns a text of one byte as a number, and `other` for other texts.
unsigned one_byte(char const* text, unsigned other) {
  return text[0] != 0 && text[1] == 0 ? static_cast<unsigned char>(text[0]) : other;
}

// Returns true if the host finds the key in its piece.
bool is_found(key const& by) {
  return by.finder || by.empty != empty_values::by_type;
}

// Codes of all levels are worth it where many lines may have the same: not for whole lines, nor for so few lines that they take
// no longer than to find out whether all levels are known.
constexpr std::size_t min_lines_for_all_levels = 2000;

bool is_whole_line(key const& by) {
  return !by.finder && by.first_field == 0 && by.first_character == 0 && by.last_field == key::to_the_end;
}

void set_rules(order const& by, locale_t in, key_rules& rules) {
  byte_classes const classes(in);
  rules.separated = by.separator.has_value();
  rules.separator = static_cast<unsigned char>(by.separator.value_or(0));
  std::size_t blanks = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    rules.blank[byte] = classes.is_blank(byte);
    rules.upper[byte] = static_cast<unsigned char>(classes.upper(byte));
    if (rules.blank[byte] && blanks++ < 3) rules.some_blanks[blanks - 1] = static_cast<unsigned char>(byte);
  }
  rules.few_blanks = blanks <= 3;
  for (; blanks < 3; ++blanks) rules.some_blanks[blanks] = '\n';
  rules.as_9_1 = by.rules == gnu_rules::v9_1;
  for (std::size_t i = 0; i < (rules.as_9_1 ? units_of_9_1 : units.size()); ++i)
    rules.unit[static_cast<unsigned char>(units[i])] = static_cast<unsigned char>(i + 1);
  rules.unit['k'] = rules.unit['K'];
  set_version_codes(rules);
  set_months(in, classes, rules);
  rules.decimal_point = one_byte(nl_langinfo_l(RADIXCHAR, in), '.');
  // GNU sort 9.1 has 128 for no separator, and takes the byte for it.
  rules.thousands_separator = one_byte(nl_langinfo_l(THOUSEP, in), rules.as_9_1 ? 0x80 : 256);
  std::ranges::copy(md5_sines, rules.md5_sines);
  std::copy(by.random_seed.begin(), by.random_seed.end(), rules.random_seed);
}

}  // namespace

compiled_keys::compiled_keys(order const& by, unsigned char delimiter) : compiled_keys(by, delimiter, 0, 0) {}

compiled_keys::compiled_keys(order const& by, unsigned char delimiter, std::size_t bytes, std::size_t lines, collation_by how) {
  bool const collated = by.is_collated(), transforms = by.collation() != "C" && by.collation() != "POSIX";
  locale_t const in = named_locale(by.locale);
  std::vector<key> keys = by.keys;
  if (collated && (keys.empty() || by.last_resort)) {
    key whole;
    whole.reverse = by.reverse;
    keys.push_back(whole);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys_.push_back(compiled(keys[i], i + 1 == keys.size(), collated, transforms, in, delimiter, how));
    keys_.back().first_level_codes = first_level_codes(bytes, lines);
    if (!is_read_by_host(keys[i].type) && !is_found(keys[i])) continue;
    host_.push_back(make_host_key(by, keys[i], keys_.back()));
    keys_.back().host = host_.back().get();
  }
  if (lines >= min_lines_for_all_levels)
    for (std::size_t i = 0; i < by.keys.size(); ++i)
      keys_[i].all_levels = is_collated(keys_[i]) && !is_whole_line(by.keys[i]) && has_whole_codes(keys_[i]);
  find_pieces(by);
  if (by.quoted) read_quoted();
  auto const first_collated =
      std::find_if(keys_.begin(), keys_.end(), [](auto const& k) { return is_collated(k) && !k.all_levels; });
  coded_ = std::size_t(first_collated - keys_.begin()) + (first_collated != keys_.end());
  set_rules(by, in, rules_);
}

// Makes keys with a finder, or with a place for empty values, read what is found.
void compiled_keys::find_pieces(order const& by) {
  found_ = keys_;
  for (std::size_t i = 0; i < by.keys.size(); ++i)
    if (is_found(by.keys[i])) {
      keys_[i].inner = &found_[i];
      keys_[i].empty = by.keys[i].empty;
    }
}

// Makes keys read their fields from whole lines, without quotes.
void compiled_keys::read_quoted() {
  unquoted_ = keys_;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    compiled_key& by = keys_[i];
    if (by.first_field == 0 && by.first_character == 0 && by.last_field == key::to_the_end) continue;  // a whole line
    by.inner = &unquoted_[i];
    by.host = nullptr;
    by.empty = empty_values::by_type;
    by.first_field = by.first_character = by.end_character = 0;
    by.last_field = key::to_the_end;
    by.skip_blanks_at_first = by.skip_blanks_at_end = false;
  }
}

// Returns about the number of codes of the first level of an average line.
std::size_t compiled_keys::first_level_codes(std::size_t bytes, std::size_t lines) {
  return std::min(16 + (lines == 0 ? 0 : 2 * (bytes / lines)), max_first_level_codes);
}

bool compiled_keys::is_collated() const {
  return std::ranges::any_of(keys_, [](compiled_key const& k) { return is_collated(k); });
}

bool compiled_keys::codes_decide(text_piece const& line) const {
  if (coded_ != 0 && is_collated(keys_[coded_ - 1]) && !keys_[coded_ - 1].all_levels) return false;
  code_counter codes;
  return write_keys(view(), line, codes, host_key_types{});
}

bool compiled_keys::needs_host() const {
  return std::any_of(keys_.begin(), keys_.end(), [](compiled_key const& k) {
    return k.collated || k.inner || k.type == key_type::general_number || is_read_by_host(k.type);
  });
}

std::size_t compiled_keys::max_codes(std::size_t bytes, std::size_t lines) const {
  std::size_t sum = 0;
  for (compiled_key const& by : std::span(keys_).first(coded_)) {
    switch (by.type) {
      case key_type::bytes:
        sum += by.collated ? lines * (first_level_codes(bytes, lines) + 1) : (by.one_code_each ? bytes : 2 * bytes) + lines;
        break;
      case key_type::number:
      case key_type::human_number:
        sum += bytes / 2 + 10 * lines;
        break;
      case key_type::general_number:
        sum += 36 * lines;
        break;
      case key_type::month:
        sum += lines;
        break;
      case key_type::version:
        sum += 2 * bytes + 3 * lines;
        break;
      case key_type::random:
        sum += (by.collated ? 0 : 2 * bytes) + 20 * lines;
        break;
      case key_type::natural:
      case key_type::listed:
        sum += 2 * bytes + 6 * lines;
        break;
      case key_type::duration:
      case key_type::date:
      case key_type::length:
        sum += 36 * lines;
        break;
      case key_type::address:
        sum += bytes + 42 * lines;
        break;
    }
    if (by.inner) sum += lines;
  }
  return sum;
}

}  // namespace ordo::inline v0::strings::detail
