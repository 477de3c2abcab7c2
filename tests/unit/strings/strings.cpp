#include "ordo/strings.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/count_bytes.hpp"
#include "base/find_bytes.hpp"
#include "ordo/error.hpp"
#include "strings/keys/symbols.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/shard.hpp"
#include "tests/unit/strings/lines.hpp"

namespace strings = ordo::strings;

namespace {

std::string written(strings::sorted_lines const& lines, strings::duplicates equal, bool addressed, unsigned threads = 0) {
  test_sink to(addressed);
  std::uint64_t const bytes = strings::write(lines, equal, threads, to);
  CHECK(bytes == to.text().size());
  CHECK(to.taken() == to.text().size());
  return to.text();
}

std::string joined(std::vector<std::string_view> const& lines, char delimiter, bool unique) {
  std::string text;
  for (std::size_t k = 0; k < lines.size(); ++k)
    if (!unique || k == 0 || lines[k] != lines[k - 1]) text.append(lines[k]).push_back(delimiter);
  return text;
}

// The number of the first line out of order, from 1, or 0; the text fed in pieces of `piece` bytes.
std::size_t disorder(std::string_view text, strings::sort_options const& how, bool strict, std::size_t piece) {
  strings::order_check check(how, strict);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    if (!check.feed(text.substr(0, piece))) return check.number();
  return check.finish() ? 0 : check.number();
}

// From texts to a sink, with addresses or without, kept whole or without repeats.
void check_texts(std::vector<std::string> const& parts, strings::sort_options const& how, bool addressed) {
  std::string whole;
  std::uint64_t known = 0;
  for (std::string const& part : parts) {
    whole += part;
    if (!part.empty() && part.back() != how.delimiter) whole += how.delimiter;
    if (addressed) known += part.size();
  }
  auto const want = sorted_lines_of(whole, how.delimiter, how.by.reverse);
  strings::texts const from{parts.size(), known,
                            [&](std::size_t k) { return std::make_unique<test_source>(parts[k], addressed); }};
  for (auto const equal : {strings::duplicates::keep, strings::duplicates::drop}) {
    test_sink to(addressed);
    std::vector<strings::phase> phases;
    auto const done = strings::sort(from, to, how, equal, [&](strings::phase p, std::uint64_t) { phases.push_back(p); });
    CHECK((to.text() == joined(want, how.delimiter, equal == strings::duplicates::drop)));
    CHECK(to.taken() == to.text().size());
    CHECK(done.written == to.text().size());
    CHECK(done.bytes == whole.size());
    CHECK(done.machine.device == how.machine.device);
    CHECK((phases == std::vector{strings::phase::read, strings::phase::sort, strings::phase::write}));
  }
}

// Sorting, the permutation and writing, on every device.
void check_sorting(std::string const& text, char delimiter, bool reverse) {
  auto const want = sorted_lines_of(text, delimiter, reverse);
  for (ordo::device const where : devices()) {
    INFO(to_string(where) << ", delimiter " << int(delimiter) << ", reverse " << reverse);
    strings::sort_options how;
    how.delimiter = delimiter;
    how.by.reverse = reverse;
    how.machine.device = where;
    auto const lines = strings::sort(text, how);
    CHECK(lines.machine().device == where);
    REQUIRE(lines.size() == want.size());
    bool same = true;
    for (std::size_t k = 0; k < want.size(); ++k)
      same = same && lines[k].data() == want[k].data() && lines[k].size() == want[k].size() &&
             lines.is_duplicate(k) == (k != 0 && want[k] == want[k - 1]);
    CHECK(same);
    for (bool const addressed : {true, false}) {
      CHECK((written(lines, strings::duplicates::keep, addressed) == joined(want, delimiter, false)));
      CHECK((written(lines, strings::duplicates::drop, addressed, 3) == joined(want, delimiter, true)));
    }
    check_texts({text}, how, true);
  }
}

}  // namespace

TEST_CASE("eight symbols compare as the lines do", "[strings]") {
  random_numbers random(7);
  for (unsigned const delimiter : {0u, 1u, 10u, 0x7fu}) {
    for (int round = 0; round < 20000; ++round) {
      // Two lines, mostly alike, over a few bytes near those that matter.
      unsigned char const near[] = {0, 1, 2, 9, 10, 11, 0x7e, 0x7f, 0x80, 0x81, 0xff};
      std::string a, b;
      for (std::size_t n = random.below(10); n > 0; --n) a += char(near[random.below(sizeof near)]);
      b = a;
      if (!b.empty()) b[random.below(b.size())] = char(near[random.below(sizeof near)]);
      if (random.below(3) == 0) b.resize(random.below(b.size() + 1));
      for (std::string* s : {&a, &b}) s->erase(std::remove(s->begin(), s->end(), char(delimiter)), s->end());
      std::string const text = a + char(delimiter) + b + (random.below(2) == 0 ? std::string(1, char(delimiter)) : "");
      strings::detail::symbols const read(reinterpret_cast<unsigned char const*>(text.data()), text.size(),
                                          static_cast<unsigned char>(delimiter));
      std::uint64_t const x = read(0), y = read(a.size() + 1);
      std::string const p = a.substr(0, 8), q = b.substr(0, 8);
      REQUIRE((x < y) == (p < q));
      REQUIRE((x == y) == (p == q));
      REQUIRE(read.end_in(x) == (a.size() < 8));
      REQUIRE(read.end_in(y) == (b.size() < 8));
      REQUIRE(read.of_any_line(0) == x);
      REQUIRE(read.of_any_line(a.size() + 1) == y);
    }
  }
}

TEST_CASE("every delimiter is found, at whatever address", "[strings][small]") {
  random_numbers random(5);
  for (unsigned const value : {0u, 1u, 10u, 0x7eu, 0x7fu})
    for (std::size_t n = 0; n < 600; n += 1 + n / 40) {
      std::vector<unsigned char> bytes(n + 7, static_cast<unsigned char>(value));  // those that do not count would be found
      for (std::size_t const skip : {0u, 1u, 7u}) {
        std::vector<std::size_t> want, found;
        for (std::size_t i = 0; i < n; ++i) {
          bytes[skip + i] = static_cast<unsigned char>(random.below(3) == 0 ? value : value + 1 + random.below(4) * 0x55);
          if (bytes[skip + i] == value) want.push_back(i);
        }
        ordo::each_equal_byte(bytes.data() + skip, n, static_cast<unsigned char>(value),
                              [&](std::size_t i) { found.push_back(i); });
        REQUIRE(found == want);
        std::string_view const text(reinterpret_cast<char const*>(bytes.data()) + skip, n);
        REQUIRE(ordo::count_bytes(text, char(value)) == want.size());
      }
      REQUIRE(ordo::count_bytes(std::string(n, char(value)), char(value)) == n);
    }
}

TEST_CASE("sort, permutation and writing on every device", "[strings]") {
  for (char const delimiter : {'\n', '\0', '\t'}) {
    for (auto const& [name, text] : line_texts(delimiter)) {
      INFO(name);
      for (bool const reverse : {false, true}) check_sorting(text, delimiter, reverse);
    }
  }
}

TEST_CASE("small texts are sorted on every device", "[strings][small][shards]") {
  test_shard shard;
  bool reverse = false;
  for (auto const& [name, text] : line_texts('\n', true)) {
    reverse = !reverse;
    if (!shard.has_next()) continue;
    INFO(name);
    check_sorting(text, '\n', !reverse);
  }
}

TEST_CASE("the number of threads changes nothing", "[strings]") {
  for (auto const& [name, text] : line_texts('\n')) {
    INFO(name);
    strings::sort_options how;
    how.machine = {ordo::device::cpu, 1};
    auto const one = strings::sort(text, how);
    how.machine.threads = 5;
    auto const five = strings::sort(text, how);
    REQUIRE(one.size() == five.size());
    bool same = true;
    for (std::size_t k = 0; k < one.size(); ++k)
      same = same && one.start(k) == five.start(k) && one.is_duplicate(k) == five.is_duplicate(k);
    CHECK(same);
  }
}

TEST_CASE("groups of some thousand lines are sorted several at a time", "[strings]") {
  // Too many lines for one thread share prefixes that end at the ends of keys and beside them: of more than half of all lines,
  // and of fewer, with others inside. Some lines end where a prefix does, or repeat, or hold NULs.
  random_numbers random(11);
  std::string text;
  for (std::size_t i = 0; i < 90000; ++i) {
    std::string line = random.below(5) < 3 ? "family 0" : "family " + std::to_string(random.below(4)) + "!";
    for (std::size_t const length : {7u, 8u, 9u, 16u, 24u})
      if (random.below(4) != 0) line += std::string(length, char('a' + random.below(2)));
    if (random.below(3) == 0) line += std::string(random.below(3), char(0)) + std::to_string(random.below(400));
    text += line + '\n';
  }
  auto const want = sorted_lines_of(text, '\n', false);
  for (bool const keyed : {false, true})
    for (unsigned const threads : {1u, 0u}) {
      strings::sort_options how;
      how.machine = {ordo::device::cpu, threads};
      // By the first word, and equal ones by whole lines, which is the same order.
      if (keyed) how.by.keys = {strings::key{.last_field = 0}};
      auto const lines = strings::sort(text, how);
      REQUIRE(lines.size() == want.size());
      bool same = true;
      for (std::size_t k = 0; k < want.size(); ++k)
        same = same && lines[k].data() == want[k].data() && lines.is_duplicate(k) == (k != 0 && want[k] == want[k - 1]);
      CHECK(same);
    }
}

TEST_CASE("texts of any kind are sorted as one", "[strings]") {
  std::string const large = line_texts('\n').back().second;
  std::vector<std::vector<std::string>> const cases{
      {}, {""}, {"", ""}, {"b"}, {"b\n"}, {"\n"}, {"b", "a"}, {"b\n", "", "a", "\n", "b"}, {"c\na", large, "b", large}};
  for (ordo::device const where : devices())
    for (auto const& parts : cases)
      for (bool const addressed : {true, false}) {
        INFO(to_string(where) << ", " << parts.size() << " texts");
        strings::sort_options how;
        how.machine.device = where;
        check_texts(parts, how, addressed);
        how.by.reverse = true;
        check_texts(parts, how, addressed);
        how.machine.threads = 1;
        check_texts(parts, how, addressed);
      }
}

TEST_CASE("texts some of which have addresses", "[strings]") {
  std::vector<std::string> const parts{"d\nb", "c\n", "a"};
  for (ordo::device const where : devices()) {
    strings::sort_options how;
    how.machine.device = where;
    for (unsigned with = 0; with < 8; ++with) {
      strings::texts const from{3, 100,
                                [&](std::size_t k) { return std::make_unique<test_source>(parts[k], (with >> k & 1) != 0); }};
      test_sink to(true);
      strings::sort(from, to, how);
      CHECK(to.text() == "a\nb\nc\nd\n");
    }
    // More than was known of, as of files that have grown since.
    strings::texts const grown{3, 4, [&](std::size_t k) { return std::make_unique<test_source>(parts[k], true); }};
    test_sink to(false);
    strings::sort(grown, to, how);
    CHECK(to.text() == "a\nb\nc\nd\n");
  }
}

TEST_CASE("what sources and sinks throw comes through, on whatever thread", "[strings]") {
  std::string text;
  for (unsigned i = 0; i < 900000; ++i) text += std::to_string(i * 2654435761u % 1000003) + "\n";
  auto const lines = strings::sort(text);
  for (bool const addressed : {true, false})
    for (std::uint64_t const bad : {std::uint64_t{0}, std::uint64_t{5 << 19}, std::uint64_t{text.size() - 1}}) {
      test_sink full(addressed, bad);
      CHECK_THROWS_AS(strings::write(lines, strings::duplicates::keep, 0, full), ordo::output_error);
      for (ordo::device const where : devices()) {
        strings::sort_options how;
        how.machine.device = where;
        auto const from = [&](std::uint64_t broken) {
          return strings::texts{2, 2 * text.size(),
                                [&, broken](std::size_t) { return std::make_unique<test_source>(text, addressed, broken); }};
        };
        test_sink other(addressed, bad), untouched(addressed);
        CHECK_THROWS_AS(strings::sort(from(~std::uint64_t{0}), other, how), ordo::output_error);
        CHECK_THROWS_AS(strings::sort(from(bad), untouched, how), ordo::input_error);
        CHECK(untouched.taken() == 0);
      }
    }
}

TEST_CASE("texts that do not fit are refused before they are read, or when that is found", "[strings]") {
  strings::sort_options how;
  how.machine.device = ordo::device::cpu;
  how.memory = 1000;
  unsigned opened = 0;
  std::string const text(3000, 'x');
  test_sink to(true);
  auto const open = [&](std::size_t) {
    ++opened;
    return std::make_unique<test_source>(text, false);
  };
  CHECK_THROWS_AS(strings::sort({1, 600, open}, to, how), ordo::out_of_memory);
  CHECK(opened == 0);
  CHECK_THROWS_AS(strings::sort({1, 0, open}, to, how), ordo::out_of_memory);
  CHECK(opened == 1);
  // No more is read than shows that it does not fit.
  how.memory = std::size_t{1} << 20;
  std::size_t asked = 0;
  struct endless final : ordo::source {
    explicit endless(std::size_t& asked) : asked_(asked) {}
    std::size_t read(std::span<char> to) override {
      std::ranges::fill(to, 'x');
      asked_ += to.size();
      return to.size();
    }
    std::size_t& asked_;
  };
  auto const open_endless = [&](std::size_t) { return std::make_unique<endless>(asked); };
  CHECK_THROWS_AS(strings::sort({1, 0, open_endless}, to, how), ordo::out_of_memory);
  CHECK(asked > how.memory / 2);
  CHECK(asked < how.memory);
  CHECK(to.taken() == 0);
}

TEST_CASE("sort refuses what it cannot do", "[strings]") {
  strings::sort_options how;
  how.delimiter = char(0x80);
  CHECK_THROWS_AS(strings::sort("a\x80", how), ordo::usage_error);
  how.delimiter = '\n';
  how.memory = 100;
  how.machine.device = ordo::device::cpu;
  CHECK_THROWS_AS(strings::sort("b\na\n", how), ordo::out_of_memory);
  if (devices().size() == 1) {
    how.machine.device = ordo::device::gpu;
    CHECK_THROWS_AS(strings::sort("b\na\n", how), ordo::usage_error);
  }
}

TEST_CASE("the first line out of order is found, wherever the text is cut", "[strings]") {
  for (char const delimiter : {'\n', '\0'}) {
    for (auto const& [name, text] : line_texts(delimiter)) {
      if (text.size() > 20000) continue;
      for (bool const reverse : {false, true}) {
        for (bool const strict : {false, true}) {
          strings::sort_options how;
          how.delimiter = delimiter;
          how.by.reverse = reverse;
          std::string const ordered = joined(sorted_lines_of(text, delimiter, reverse), delimiter, strict);
          for (std::string const& tried : {text, ordered}) {
            auto const lines = lines_of(tried, delimiter);
            std::size_t want = 0;
            for (std::size_t k = 1; k < lines.size() && want == 0; ++k) {
              int const order = reverse ? lines[k].compare(lines[k - 1]) : lines[k - 1].compare(lines[k]);
              if (strict ? order >= 0 : order > 0) want = k + 1;
            }
            INFO(name << ", delimiter " << int(delimiter) << ", reverse " << reverse << ", strict " << strict);
            for (std::size_t const piece : {1u, 2u, 7u, 64u, 100000u}) CHECK(disorder(tried, how, strict, piece) == want);
          }
        }
      }
    }
  }
  strings::order_check check({});
  std::string const text = "a\nc\nb\n";
  CHECK_FALSE(check.feed(text));
  CHECK(check.number() == 3);
  CHECK(check.line() == "b");
}

TEST_CASE("the check of the order, by keys", "[strings]") {
  strings::sort_options how;
  strings::key number;
  number.type = strings::key_type::number;
  number.first_field = 1;
  how.by.keys = {number};
  for (std::size_t const piece : {1u, 3u, 100u}) {
    CHECK(disorder("b 9\na 10\nb 10\n", how, false, piece) == 0);
    CHECK(disorder("b 9\nb 10\na 10.0\nc 11", how, false, piece) == 3);
    CHECK(disorder("a 10\nb 9", how, false, piece) == 2);
  }
  how.by.last_resort = false;
  CHECK(disorder("b 9\nb 10\na 10.0\nc 11", how, false, 5) == 0);
  CHECK(disorder("b 9\nb 10\na 10.0\nc 11", how, true, 5) == 3);
  how.by.keys[0].reverse = true;
  CHECK(disorder("b 9\nb 10\n", how, false, 5) == 2);
  CHECK(disorder("b 10\nb 9\n", how, true, 5) == 0);
}
