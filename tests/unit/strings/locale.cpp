#include <algorithm>
#include <clocale>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/strings.hpp"
#include "strings/keys/collation.hpp"
#include "strings/keys/compiled_keys.hpp"
#include "strings/sort/few_lines.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/strings/lines.hpp"

namespace strings = ordo::strings;
using strings::key_type;

namespace {

bool is_there(std::string const& name) {
  try {
    return strings::detail::named_locale(name) != locale_t{};
  } catch (ordo::usage_error const&) {
    return false;
  }
}

// Those of which the system has one or the other.
std::vector<std::string> locales() {
  std::vector<std::string> all{"en_US.UTF-8", "de_DE.UTF-8", "cs_CZ.UTF-8", "C.UTF-8"};
  std::erase_if(all, [](std::string const& name) { return !is_there(name); });
  return all;
}

// Those in which lines are not in the order of their bytes.
std::vector<std::string> collating_locales() {
  auto all = locales();
  std::erase(all, "C.UTF-8");
  return all;
}

strings::order order_in(std::string const& locale, std::vector<strings::key> keys = {}) {
  strings::order by;
  by.locale = locale;
  by.keys = std::move(keys);
  return by;
}

// Below, above or equal to 0, as two pieces compare in a locale when read in that way.
int compared(std::string const& locale, key_type as, std::string_view a, std::string_view b) {
  strings::key k;
  k.type = as;
  strings::line_comparison const compare(order_in(locale, {k}), '\n');
  CHECK(compare.by_keys(a, b) == -compare.by_keys(b, a));
  return compare.by_keys(a, b);
}

// Words in which letters, accents, cases, digits and what collation passes over meet; bytes that are no characters, and NULs.
std::string words(std::uint64_t seed, std::size_t lines) {
  constexpr std::string_view parts[] = {"a",
                                        "b",
                                        "A",
                                        "B",
                                        "e",
                                        "E",
                                        "l",
                                        "L",
                                        "ch",
                                        "z",
                                        "\xc3\xa4",
                                        "\xc3\x84",
                                        "e\xcc\x81",
                                        "\xc3\xa9",
                                        "\xc3\x9f",
                                        "l\xc2\xb7",
                                        "1",
                                        "2",
                                        "0",
                                        "-",
                                        ".",
                                        " ",
                                        "'",
                                        "(",
                                        "\xc2\xa5",
                                        "\xff",
                                        "\x80",
                                        "\x01",
                                        "\xe6\x97\xa5",
                                        "\xef\xb7\xba"};
  random_numbers random(seed);
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    for (std::size_t k = random.below(7); k > 0; --k) text += parts[random.below(std::size(parts))];
    if (random.below(20) == 0) text += std::string_view("\0a", 1 + random.below(2));
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("A locale that the system does not know is refused by name", "[locale]") {
  for (std::string const name : {"xx_XX.UTF-8", "", "no such"})
    CHECK_THROWS_WITH(strings::line_comparison(order_in(name), '\n'), contains_text("unknown locale '" + name + "'"));
  CHECK(order_in("POSIX").is_plain());
  CHECK(order_in("C.UTF-8").is_plain());
  CHECK(order_in("LC_CTYPE=de_DE.UTF-8;LC_COLLATE=C;LC_TIME=C").is_plain());
  CHECK_FALSE(order_in("de_DE.UTF-8").is_plain());
  CHECK_FALSE(order_in("LC_CTYPE=C;LC_COLLATE=de_DE.UTF-8").is_plain());
  CHECK(std::string_view(std::setlocale(LC_ALL, nullptr)) == "C");  // no thread's own is changed
}

TEST_CASE("Lines are sorted as a locale collates them", "[locale]") {
  for (std::string const& name : locales()) {
    INFO(name);
    strings::key word, folded, second;
    word.last_field = 0;
    word.reverse = true;
    folded.fold_case = true;
    folded.dictionary = true;
    folded.last_field = 0;
    second.first_field = 1;
    for (auto const& keys : std::vector<std::vector<strings::key>>{{}, {folded}, {second}, {word, folded}})
      for (unsigned const kind : {0u, 1u, 2u, 3u}) {
        strings::sort_options how;
        how.by = order_in(name, keys);
        how.by.reverse = (kind & 1) != 0;
        how.by.last_resort = (kind & 2) != 0;
        how.machine = {ordo::device::cpu, 1 + kind % 2};
        std::string const text = words(kind + 1, 700);
        strings::line_comparison const compare(how.by, '\n');
        auto want = lines_of(text, '\n');
        std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return compare(a, b) < 0; });
        auto const got = strings::sort(text, how);
        REQUIRE(got.size() == want.size());
        bool right = true;
        for (std::size_t i = 0; i < want.size() && right; ++i) {
          right = got[i].data() == want[i].data();
          right = right && got.is_duplicate(i) == (i != 0 && compare(want[i - 1], want[i]) == 0);
        }
        CHECK(right);
      }
  }
}

TEST_CASE("A locale's tables and strcoll give few lines one order", "[locale]") {
  for (std::string const& name : locales()) {
    INFO(name);
    strings::key folded, second;
    folded.fold_case = folded.reverse = true;
    folded.last_field = 0;
    second.first_field = 1;
    for (auto const& keys : std::vector<std::vector<strings::key>>{{}, {folded}, {second, folded}}) {
      auto by = order_in(name, keys);
      strings::line_comparison const by_tables(by, '\n'), by_strcoll(by, '\n', strings::collation_by::strcoll);
      std::string const text = words(keys.size() + 9, 300);
      auto const lines = lines_of(text, '\n');
      std::size_t different = 0;
      for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t k = i; k < lines.size(); k += 1 + i % 3) {
          auto const sign = [](int x) { return int(x > 0) - int(x < 0); };
          different += sign(by_tables(lines[i], lines[k])) != sign(by_strcoll(lines[i], lines[k]));
          different += (by_tables.by_keys(lines[i], lines[k]) == 0) != (by_strcoll.by_keys(lines[i], lines[k]) == 0);
        }
      CHECK(different == 0);
      // Below and above the number of lines from which on tables are read.
      for (std::size_t const count : {3u, 100u, 4600u, 4630u}) {
        std::string const some = words(count, count);
        auto want = lines_of(some, '\n');
        std::ranges::stable_sort(want, [&](auto a, auto b) { return by_strcoll(a, b) < 0; });
        std::string all;
        for (std::string_view const line : want) all.append(line).push_back('\n');
        CHECK(strings::detail::sort_few_lines(some, by, '\n', false) == all);
      }
    }
  }
}

TEST_CASE("Whole lines compare as strcoll has them, between NULs", "[locale]") {
  for (std::string const& name : locales()) {
    INFO(name);
    locale_t const in = strings::detail::named_locale(name);
    strings::line_comparison const compare(order_in(name), '\n');
    std::string const text = words(9, 400);
    auto const lines = lines_of(text, '\n');
    for (std::size_t i = 1; i < lines.size(); ++i) {
      std::string const a(lines[i - 1]), b(lines[i]);
      if (a.empty() || b.empty() || std::strlen(a.c_str()) != a.size() || std::strlen(b.c_str()) != b.size()) continue;
      int const want = strcoll_l(a.c_str(), b.c_str(), in), got = compare(a, b);
      CHECK((want > 0) - (want < 0) == (got > 0) - (got < 0));
    }
    using namespace std::string_view_literals;
    CHECK(compare("a", "a\0"sv) < 0);
    CHECK(compare("a\0b"sv, "a\0a"sv) > 0);
    CHECK(compare(""sv, "\0"sv) < 0);
    CHECK(compare("a\0z"sv, "b"sv) < 0);
  }
}

TEST_CASE("Codes of the first level are in the order of the lines", "[locale]") {
  for (std::string const& name : collating_locales())
    for (bool const reverse : {false, true}) {
      INFO(name);
      strings::order by = order_in(name);
      by.reverse = reverse;
      strings::line_comparison const compare(by, '\n');
      strings::key_encoder const encode(by, '\n');
      std::string text = words(5, 500);
      // Longer than what is transformed at first; and all of it passed over, but for the end.
      for (char const end : {'a', 'b'}) text += std::string(5000, '-') + end + '\n' + std::string(9000, 'x') + end + '\n';
      auto lines = lines_of(text, '\n');
      std::sort(lines.begin(), lines.end(), [&](auto a, auto b) { return compare(a, b) < 0; });
      std::string before;
      bool right = true;
      for (std::string_view const line : lines) {
        std::string codes;
        encode.append(line, codes);
        right = right && codes.find('\0') == codes.npos && before <= codes;
        before = codes;
      }
      CHECK(right);
      CHECK((text.size() > 10000 && !before.empty()));
    }
}

TEST_CASE("Codes of a locale's lines are as many as were planned, or fewer", "[locale]") {
  for (std::string const& name : collating_locales()) {
    std::string const text = words(3, 300) + std::string(3000, 'z') + '\n' + std::string(3000, '-') + "\n";
    auto const lines = lines_of(text, '\n');
    strings::detail::compiled_keys const keys(order_in(name), '\n', text.size(), lines.size());
    std::size_t sum = 0;
    for (std::string_view const line : lines) {
      auto const* const first = reinterpret_cast<unsigned char const*>(line.data());
      strings::detail::text_piece const piece{first, first + line.size(), first + line.size()};
      std::size_t const most = strings::detail::first_level::max_size(keys.keys()[0], piece);
      CHECK(strings::detail::first_level(keys.keys()[0], piece).codes().size() <= most);
      sum += most;
    }
    CHECK(sum <= keys.max_codes(text.size(), lines.size()));
  }
}

TEST_CASE("The table of a locale compares as strcoll does", "[locale]") {
  using strings::detail::collation_table;
  auto const sign = [](int x) { return (x > 0) - (x < 0); };
  for (std::string const& name : collating_locales()) {
    INFO(name);
    locale_t const in = strings::detail::named_locale(name);
    collation_table const* const table = collation_table::find(in);
    REQUIRE(table);
    CHECK(table->knows_all_levels());
    // Digits count backwards in the second level, with what glibc makes of that.
    std::string const text = words(11, 3000) + "3d\n3-D\n3D\n12-3a\n123A\n\xe6\x97\xa5\x30\x01\n\xe6\x97\xa5\x30\n";
    std::string before = "a";
    bool right = true, coded = true;
    for (std::string_view const line : lines_of(text, '\n')) {
      std::string const now(line.substr(0, line.find('\0')));
      int const want = sign(strcoll_l(before.c_str(), now.c_str(), in));
      right = right && table->compare(before, now) == want && table->compare(now, before) == -want;
      std::string codes_before, codes_now;
      table->append_codes(before, codes_before);
      table->append_codes(now, codes_now);
      coded = coded && sign(codes_before.compare(codes_now)) == want && codes_now.find('\0') == codes_now.npos;
      before = now;
    }
    CHECK(right);
    CHECK(coded);
  }
  CHECK_FALSE(collation_table::find(strings::detail::named_locale("C")));
}

TEST_CASE("Lines with equal letters are sorted by accents, case and punctuation", "[locale]") {
  for (std::string const& name : collating_locales()) {
    INFO(name);
    strings::key first, rest;
    first.last_field = 0;
    rest.first_field = 1;
    rest.type = key_type::number;
    random_numbers random(5);
    std::string text;
    constexpr std::string_view parts[] = {"a", "A", "\xc3\xa4", "-a", "a.", "\xc3\x84"};
    for (std::size_t i = 0; i < 5000; ++i) {
      text += parts[random.below(std::size(parts))];
      text += parts[random.below(std::size(parts))];
      text += ' ' + std::to_string(random.below(30)) + '\n';
    }
    for (bool const reverse : {false, true}) {
      strings::sort_options how;
      how.by = order_in(name, {first, rest});
      how.by.keys[0].reverse = how.by.reverse = reverse;
      how.machine = {ordo::device::cpu, 2};
      strings::line_comparison const compare(how.by, '\n');
      auto want = lines_of(text, '\n');
      std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return compare(a, b) < 0; });
      auto const got = strings::sort(text, how);
      bool right = got.size() == want.size();
      for (std::size_t i = 0; i < want.size() && right; ++i) right = got[i].data() == want[i].data();
      CHECK(right);
    }
  }
}

TEST_CASE("Numbers and months are read as the locale writes them", "[locale]") {
  using enum key_type;
  CHECK(compared("C", number, "1.5", "1") > 0);
  CHECK(compared("C", number, "1,5", "1") == 0);
  CHECK(compared("C", month, "feb", "JAN") > 0);
  if (is_there("en_US.UTF-8")) {
    CHECK(compared("en_US.UTF-8", number, "1,000.5", "1000") > 0);
    CHECK(compared("en_US.UTF-8", number, "1,000", "1000") == 0);
    CHECK(compared("en_US.UTF-8", human_number, "1,000K", "999K") > 0);
    CHECK(compared("en_US.UTF-8", general_number, "1.5", "1,7") > 0);
  } else {
    WARN("no locale en_US.UTF-8");
  }
  if (!is_there("de_DE.UTF-8")) {
    WARN("no locale de_DE.UTF-8");
    return;
  }
  CHECK(compared("de_DE.UTF-8", number, "1,5", "1") > 0);
  CHECK(compared("de_DE.UTF-8", number, "1.5", "14") > 0);
  CHECK(compared("de_DE.UTF-8", number, "1.000,5", "1000,50") == 0);
  CHECK(compared("de_DE.UTF-8", general_number, "1,5e1", "14,9") > 0);
  CHECK(compared("de_DE.UTF-8", general_number, "1.9", "1") == 0);
  CHECK(compared("de_DE.UTF-8", human_number, "1,5K", "1K") > 0);
  CHECK(compared("de_DE.UTF-8", human_number, "1.5", "2K") < 0);
  CHECK(compared("de_DE.UTF-8", month, "m\xc3\xa4r", "Feb") > 0);
  CHECK(compared("de_DE.UTF-8", month, "Mai", "Apr") > 0);
  CHECK(compared("de_DE.UTF-8", month, "May", "Mar") == 0);  // neither is one
  CHECK(compared("de_DE.UTF-8", month, "Dez", "Okt") > 0);
}

TEST_CASE("What a locale has to compare is left to the host", "[locale]") {
  auto const needs_host = [](strings::order const& by) { return strings::detail::compiled_keys(by, '\n').needs_host(); };
  strings::key number;
  number.type = key_type::number;
  strings::order by = order_in("C.UTF-8", {number});
  if (is_there(by.locale)) {
    CHECK_FALSE(needs_host(by));  // its order is that of bytes
    CHECK_FALSE(needs_host(order_in("C.UTF-8")));
    strings::key random;
    random.type = key_type::random;
    CHECK(needs_host(order_in("C.UTF-8", {random})));  // strxfrm is hashed
  }
  by.locale = "C";
  CHECK_FALSE(needs_host(by));
  by.locale = "de_DE.UTF-8";
  if (!is_there(by.locale)) {
    WARN("no locale de_DE.UTF-8");
    return;
  }
  CHECK(needs_host(by));  // by the last resort
  by.last_resort = false;
  CHECK_FALSE(needs_host(by));
  CHECK(needs_host(order_in("de_DE.UTF-8")));
}
