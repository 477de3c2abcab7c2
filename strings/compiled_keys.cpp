#include "strings/compiled_keys.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "sort_core/error.hpp"
#include "strings/version_codes.hpp"

namespace ordo::strings::detail {

namespace {

// Of the C locale.
bool is_blank(unsigned byte) {
  return byte == ' ' || byte == '\t' || byte == '\n';
}  // a newline in a line is one, too
bool is_small(unsigned byte) {
  return byte - 'a' < 26;
}
bool is_letter(unsigned byte) {
  return (byte | 32) - 'a' < 26;
}
bool is_printed(unsigned byte) {
  return byte - ' ' < 95;
}
unsigned upper(unsigned byte) {
  return is_small(byte) ? byte - 32 : byte;
}

constexpr std::string_view months[] = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::string_view units = "KMGTPEZY";

void set_images(key const& from, compiled_key& to) {
  to.direct = true;
  for (unsigned byte = 0; byte < 256; ++byte) {
    bool const dropped = from.dictionary         ? !is_letter(byte) && !is_digit(byte) && !is_blank(byte)
                         : from.ignore_unprinted ? !is_printed(byte)
                                                 : false;
    to.image[byte] = dropped ? compiled_key::dropped : std::uint16_t(from.fold_case ? upper(byte) : byte);
    to.direct = to.direct && to.image[byte] == byte;
  }
}

// Codes in the order of the images. An end code is below them. Where there are more images than codes, the two greatest share
// one and are told apart by a second: text in UTF-8 does not have them.
void set_codes(compiled_key& by) {
  bool used[256] = {};
  for (unsigned byte = 0; byte < 256; ++byte)
    if (byte != by.delimiter && by.image[byte] != compiled_key::dropped) used[by.image[byte]] = true;
  std::uint16_t code_of[256] = {};
  unsigned code = by.ended ? 1 : 0;
  for (unsigned image = 0; image < 256; ++image)
    if (used[image]) code_of[image] = std::uint16_t(++code);
  if (code == 256) {
    auto* const last = std::find(std::begin(code_of), std::end(code_of), 256);
    auto* const before = std::find(std::begin(code_of), std::end(code_of), 255);
    *before = 255 | 1 << 8;
    *last = 255 | 2 << 8;
  }
  by.one_code_each = true;
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned const codes = by.image[byte] == compiled_key::dropped ? 0 : code_of[by.image[byte]];
    unsigned first = codes & 255, second = codes >> 8;
    if (by.reverse && first != 0) first = 256 - first;
    if (by.reverse && second != 0) second = 256 - second;
    by.codes[byte] = std::uint16_t(first | second << 8);
    by.one_code_each = by.one_code_each && (byte == by.delimiter || (first != 0 && second == 0));
  }
}

compiled_key compiled(key const& from, bool last, unsigned char delimiter) {
  compiled_key to{};
  to.first_field = from.first_field;
  to.first_character = from.first_character;
  to.last_field = from.last_field;
  to.end_character = from.end_character;
  to.skip_blanks_at_first = from.skip_blanks_at_first;
  to.skip_blanks_at_end = from.skip_blanks_at_end;
  to.as = from.as;
  to.reverse = from.reverse;
  to.ended = !last || from.reverse;
  to.delimiter = delimiter;
  set_images(from, to);
  set_codes(to);
  to.by_words = to.direct && delimiter < 128;
  return to;
}

// The codes of bytes in versions. There are not enough for all: control characters share two.
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

void set_rules(order const& by, key_rules& rules) {
  rules.separated = by.separator.has_value();
  rules.separator = static_cast<unsigned char>(by.separator.value_or(0));
  for (unsigned byte = 0; byte < 256; ++byte) {
    rules.blank[byte] = is_blank(byte);
    rules.upper[byte] = static_cast<unsigned char>(upper(byte));
  }
  rules.few_blanks = true;
  std::copy_n(" \t\n", 3, rules.some_blanks);
  for (std::size_t i = 0; i < units.size(); ++i)
    rules.unit[static_cast<unsigned char>(units[i])] = static_cast<unsigned char>(i + 1);
  rules.unit['k'] = rules.unit['K'];
  set_version_codes(rules);
  for (std::size_t i = 0; i < 12; ++i) std::memcpy(rules.month[i], months[i].data(), months[i].size());
  rules.decimal_point = '.';
  rules.thousands_separator = 0x80;  // GNU sort 9.1: what stands for none there is 128, and is compared with a char
  for (unsigned i = 0; i < 64; ++i) rules.md5_sines[i] = std::uint32_t(std::floor(std::fabs(std::sin(double(i + 1))) * 0x1p32));
  std::copy(by.random_seed.begin(), by.random_seed.end(), rules.random_seed);
}

}  // namespace

compiled_keys::compiled_keys(order const& by, unsigned char delimiter) {
  if (by.locale != "C") throw usage_error("locale " + by.locale + ": only C is known here");
  for (std::size_t i = 0; i < by.keys.size(); ++i) keys_.push_back(compiled(by.keys[i], i + 1 == by.keys.size(), delimiter));
  set_rules(by, rules_);
}

bool compiled_keys::needs_host() const {
  return std::any_of(keys_.begin(), keys_.end(), [](compiled_key const& k) { return k.as == reading::general_number; });
}

std::size_t compiled_keys::most_codes(std::size_t bytes, std::size_t lines) const {
  std::size_t most = 0;
  for (compiled_key const& by : keys_) {
    switch (by.as) {
      case reading::bytes:
        most += (by.one_code_each ? bytes : 2 * bytes) + lines;
        break;
      case reading::number:
      case reading::human_number:
        most += bytes / 2 + 10 * lines;
        break;
      case reading::general_number:
        most += 36 * lines;
        break;
      case reading::month:
        most += lines;
        break;
      case reading::version:
        most += 2 * bytes + 3 * lines;
        break;
      case reading::random:
        most += 2 * bytes + 20 * lines;
        break;
    }
  }
  return most;
}

}  // namespace ordo::strings::detail
