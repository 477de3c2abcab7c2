#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ordo/strings/line_comparison.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/strings/lines.hpp"
#include "tests/unit/temporary_folder.hpp"

// Random orders of random texts, beside the installed GNU sort. ORDO_SEED and ORDO_CASES change what is tried.
namespace strings = ordo::strings;

namespace {

using strings::key_type;

std::uint64_t setting(char const* name, std::uint64_t otherwise) {
  char const* const value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// An order, and the options of GNU sort that mean it.
struct sort_case {
  strings::order by;
  char delimiter = '\n';
  bool unique = false;
  std::vector<std::string> options;
};

struct maker {
  random_numbers random;

  bool one_in(std::size_t n) { return random.below(n) == 0; }
  template <class T>
  T const& any(std::vector<T> const& of) {
    return of[random.below(of.size())];
  }

  strings::key key(std::string& option, bool inherits_reverse) {
    strings::key k;
    std::string readings;
    // By what a key is read, and the letter that says so; most often by bytes.
    static std::vector<std::pair<key_type, std::string>> const kinds{
        {key_type::number, "n"},       {key_type::number, "n"}, {key_type::general_number, "g"},
        {key_type::human_number, "h"}, {key_type::month, "M"},  {key_type::version, "V"},
        {key_type::version, "V"},      {key_type::random, "R"}, {key_type::bytes, ""},
        {key_type::bytes, ""},         {key_type::bytes, ""}};
    std::tie(k.type, readings) = any(kinds);
    bool const drops = k.type == key_type::bytes || k.type == key_type::version || k.type == key_type::random;
    if ((k.fold_case = one_in(4))) readings += 'f';
    if ((k.dictionary = drops && one_in(5))) readings += 'd';
    if ((k.ignore_unprinted = drops && one_in(5))) readings += 'i';
    if ((k.reverse = one_in(3))) readings += 'r';
    std::shuffle(readings.begin(), readings.end(), shuffler{random});
    k.first_field = random.below(4);
    option = std::to_string(k.first_field + 1);
    if (one_in(3)) {
      k.first_character = random.below(4);
      option += "." + std::to_string(k.first_character + 1);
    }
    std::string at_first, at_end;
    if ((k.skip_blanks_at_first = one_in(4))) at_first = "b";
    bool const readings_at_end = one_in(3);
    bool const ends = one_in(2) || (readings_at_end && !readings.empty());
    if (ends) {
      k.last_field = random.below(4);
      k.end_character = one_in(2) ? 0 : random.below(6);
      if ((k.skip_blanks_at_end = one_in(4))) at_end = "b";
    }
    option += at_first + (readings_at_end ? "" : readings);
    if (ends) {
      option += "," + std::to_string(k.last_field + 1);
      if (k.end_character != 0 || one_in(4)) option += "." + std::to_string(k.end_character);
      option += at_end + (readings_at_end ? readings : "");
    }
    if (inherits_reverse && readings.empty() && at_first.empty() && at_end.empty()) k.reverse = true;
    return k;
  }

  struct shuffler {
    using result_type = std::uint64_t;
    random_numbers& random;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return ~result_type{0}; }
    result_type operator()() { return random(); }
  };

  sort_case order() {
    sort_case c;
    if (one_in(4)) c.delimiter = 0, c.options.push_back("-z");
    if (one_in(3)) c.by.reverse = true, c.options.push_back("-r");
    if (one_in(2)) c.by.last_resort = false, c.options.push_back("-s");
    if (one_in(2)) {
      std::vector<char> const separators{'\t', ' ', '.', ',', ':', '1', 'a', '\xff', '-', c.delimiter == 0 ? '\n' : '\0'};
      c.by.separator = any(separators);
      c.options.push_back("-t");
      c.options.push_back(*c.by.separator == 0 ? "\\0" : std::string(1, *c.by.separator));
    }
    for (std::size_t keys = 1 + random.below(one_in(3) ? 4 : 1); keys > 0; --keys) {
      std::string option;
      c.by.keys.push_back(key(option, c.by.reverse));
      c.options.push_back("-k");
      c.options.push_back(option);
    }
    // GNU sort 9.1 has equal NaNs differ by what padding they have in memory.
    bool const general =
        std::any_of(c.by.keys.begin(), c.by.keys.end(), [](auto& k) { return k.type == key_type::general_number; });
    if (!general && one_in(4)) c.unique = true, c.by.last_resort = false, c.options.push_back("-u");
    for (unsigned char& byte : c.by.random_seed) byte = static_cast<unsigned char>(random());
    return c;
  }

  std::string number() {
    static std::vector<std::string> const numbers{"0",        "00",
                                                  "-0",       "1",
                                                  "01",       "1.0",
                                                  "1.00",     "-1",
                                                  "+1",       "10",
                                                  "9",        "12.5",
                                                  "12.50",    ".5",
                                                  "-.5",      "0.5",
                                                  "5.",       "-",
                                                  "-.",       "1e3",
                                                  "1E2",      "0x1p4",
                                                  "0x10",     "inf",
                                                  "-inf",     "nan",
                                                  "-nan",     "NaN",
                                                  "infinity", "nan(1)",
                                                  "1e-3",     "1,000",
                                                  "1 000",    "--1",
                                                  "0.000001", "100000000000000000001",
                                                  "1e400",    "1e5000",
                                                  "1e-5000",  "18446744073709551616",
                                                  "0.1",      "0.10000000000000000001",
                                                  "-0.0"};
    if (one_in(2)) return any(numbers);
    std::string digits;
    if (one_in(4)) digits += "-";
    for (std::size_t n = random.below(one_in(20) ? 200 : 5); n > 0; --n)
      digits += char('0' + (one_in(3) ? 0 : random.below(10)));
    if (one_in(3)) digits += ".";
    for (std::size_t n = random.below(4); n > 0; --n) digits += char('0' + (one_in(2) ? 0 : random.below(10)));
    return digits;
  }
  std::string atom(std::size_t theme) {
    static std::vector<std::string> const months{"jan", "JAN", "Feb", "mar", "MAY", "mayor",
                                                 "dec", "de",  "Ju",  "sep", "OCT", "x"};
    static std::vector<std::string> const units{"K", "k", "M", "m", "G", "T", "P", "E", "Z", "Y", "R", "Q", "Ki", "B"};
    static std::vector<std::string> const names{".", "..", "~", ".a", ".tar.gz", "a",     "b",    "a0", "0", "00",
                                                "1", "10", "-", "_",  "lib",     ".so.1", ".~1~", "A",  ".1"};
    static std::vector<std::string> const any_bytes{
        std::string(1, '\0'), "\xff", "\xfe", "\xc3\xa9", "\r", "\v", "\x01", "\x7f", "~", "!", "A", "z", "Z", "\n"};
    static std::vector<std::string> const blanks{" ", "\t", "  ", "\n", " \t"};
    if (one_in(8)) theme = random.below(6);
    if (one_in(6)) return any(blanks);
    if (one_in(10)) return any(any_bytes);
    switch (theme) {
      case 0:
        return number();
      case 1:
        return number() + any(units);
      case 2:
        return any(months);
      case 3:
        return any(names);
      case 4:
        return any(any_bytes);
      default:
        return std::string(1, char('a' + random.below(3)));
    }
  }
  std::string text(sort_case const& c) {
    std::size_t const theme = random.below(6);
    std::vector<std::string> lines(2 + random.below(20));
    for (std::string& line : lines) {
      if (one_in(5)) {
        line = any(lines);  // and perhaps a little more
        if (one_in(2)) line += atom(theme);
      } else {
        for (std::size_t n = random.below(6); n > 0; --n) {
          line += atom(theme);
          if (one_in(3)) line += c.by.separator.value_or(' ');
        }
      }
      std::erase(line, c.delimiter);
    }
    std::string all;
    for (std::string const& line : lines) all += line + c.delimiter;
    return all;
  }
};

std::string quoted(std::string const& word) {
  return "'" + word + "'";
}

std::string shown(std::string_view text) {
  std::string out;
  for (char const c : text) {
    char code[5];
    if (c >= ' ' && c < 127 && c != '\\')
      out += c;
    else
      out += (std::snprintf(code, sizeof code, "\\x%02x", unsigned(static_cast<unsigned char>(c))), code);
    if (c == '\n') out += '\n';
  }
  return out;
}

}  // namespace

TEST_CASE("Orders of lines are those of the installed GNU sort", "[line_keys]") {
  if (std::system("sort --version 2>/dev/null | grep -q 'GNU coreutils'") != 0) {
    WARN("skipped: there is no GNU sort here");
    return;
  }
  bool const is_9_1 = std::system("sort --version | grep -q 'coreutils) 9\\.1$'") == 0;
  std::uint64_t const seed = setting("ORDO_SEED", 16), cases = setting("ORDO_CASES", 300);
  INFO("ORDO_SEED=" << seed);
  temporary_folder const folder;
  std::size_t failures = 0;
  for (std::uint64_t i = 0; i < cases && failures < 5; ++i) {
    maker make{random_numbers(seed * 1000003 + i)};
    sort_case c = make.order();
    if (is_9_1) c.by.rules = strings::gnu_rules::v9_1;
    std::string const text = make.text(c);
    std::string const in = folder.write("in", text), out = folder.path("out");
    std::string const random = folder.write("random", std::string(c.by.random_seed.begin(), c.by.random_seed.end()));
    std::string command = "LC_ALL=C sort --random-source=" + quoted(random);
    for (std::string const& option : c.options) command.append(" ").append(quoted(option));
    REQUIRE(std::system((command + " -o " + quoted(out) + " " + quoted(in)).c_str()) == 0);

    strings::line_comparison const compare(c.by, c.delimiter);
    strings::key_encoder const encode(c.by, c.delimiter);
    auto lines = lines_of(text, c.delimiter);
    std::stable_sort(lines.begin(), lines.end(), [&](auto a, auto b) { return compare(a, b) < 0; });
    std::string sorted;
    std::string codes, before;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      codes.clear();
      encode.append(lines[k], codes);
      int const by_keys = k == 0 ? 0 : compare.by_keys(lines[k - 1], lines[k]);
      if (k == 0 || by_keys != 0 || !c.unique) sorted.append(lines[k]).push_back(c.delimiter);
      INFO("case " << i << ": " << command << '\n' << shown(lines[k]));
      CHECK(codes.find('\0') == codes.npos);
      if (k != 0) CHECK((before.compare(codes) < 0) == (by_keys < 0));
      if (k != 0) CHECK((before == codes) == (by_keys == 0));
      before.swap(codes);
    }
    std::string const expected = folder.read("out");
    if (sorted != expected) {
      ++failures;
      INFO("case " << i << ": " << command << "\ntext:\n"
                   << shown(text) << "\nexpected:\n"
                   << shown(expected) << "\nis:\n"
                   << shown(sorted));
      CHECK(sorted == expected);
    }
  }
}
