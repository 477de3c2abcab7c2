#include "strings/external/count_lines.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/strings/external_sort.hpp"
#include "strings/write/selected_lines.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/strings/count_lines.hpp"
#include "tests/unit/strings/lines.hpp"

namespace strings = ordo::strings;
using namespace strings::detail;
using strings::duplicates;

TEST_CASE("the field of a count is printf's", "[count]") {
  for (std::uint64_t const count :
       {1ull, 9ull, 10ull, 123ull, 999999ull, 1000000ull, 9999999ull, 10000000ull, 99999999ull, 1234567890123ull, ~0ull}) {
    char want[32];
    std::size_t const width = std::size_t(std::snprintf(want, sizeof want, "%7llu ", static_cast<unsigned long long>(count)));
    std::string field = "x", bytes = field;
    append_count(field, count);
    REQUIRE(count_width(count) == width);
    for (std::size_t i = 0; i < width; ++i) bytes += char(count_byte(count, width, i));
    CHECK(field == std::string("x") + want);
    CHECK(bytes == field);
  }
}

TEST_CASE("lines are counted and cut off in pieces cut anywhere", "[count]") {
  random_numbers random(3);
  std::string const text = "\n\na\na\na\nb\nbb\nbb\nc\n" + std::string(3'000, 'd') + "\n" + std::string(3'000, 'd') + "\ne\n";
  std::string const counted =
      "      2 \n      3 a\n      1 b\n      2 bb\n      1 c\n      2 " + std::string(3'000, 'd') + "\n      1 e\n";
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string_view> pieces;
    std::size_t const longest = round % 3 == 0 ? 3 : round % 3 == 1 ? 40 : 4'000;
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(pieces.back().size()))
      pieces.push_back(rest.substr(0, random.below(longest + 1)));
    test_sink all(false);
    counting_sink counter(all, {});
    for (std::string_view const piece : pieces) counter.write(piece);
    counter.finish();
    CHECK((all.text() == counted));
    for (std::size_t const head : {0u, 1u, 3u, 10u, 11u, 12u, 13u}) {
      test_sink some(false);
      head_sink first(some, head, '\n');
      bool enough = false;
      try {
        for (std::string_view const piece : pieces) first.write(piece);
      } catch (enough_lines const&) {
        enough = true;
      }
      CHECK((some.text() == first_lines_of(text, '\n', head)));
      CHECK(first.written() == some.text().size());
      CHECK(enough == (some.text().size() < text.size()));
    }
  }
  // A last line without an end; a sink that fails.
  test_sink to(false);
  counting_sink counter(to, {});
  counter.write(std::string_view("a\na"));
  counter.finish();
  CHECK(to.text() == "      2 a\n");
  test_sink full(false, 1'000);
  counting_sink failing(full, {});
  CHECK_THROWS_AS((failing.write(text), failing.finish()), ordo::output_error);
}

TEST_CASE("sorted lines are counted, by line and by count, whole and in part", "[count]") {
  for (auto const device : devices())
    for (char const delimiter : {'\n', '\0'})
      for (auto const& [name, text] : line_texts(delimiter, true)) {
        INFO(name << ", delimiter " << int(delimiter));
        strings::sort_options how;
        how.machine.device = device;
        how.delimiter = delimiter;
        how.by.reverse = delimiter == '\0';
        auto const lines = strings::sort(text, how);
        for (auto const equal : {duplicates::keep, duplicates::drop, duplicates::count, duplicates::by_count})
          for (std::size_t const head : {0u, 1u, 2u, 100u, 1000000u}) {
            test_sink to(head % 2 == 0);
            std::uint64_t const bytes = strings::write(lines, equal, 2, to, head);
            std::string const want = selected_text(text, delimiter, how.by.reverse, equal, head);
            CHECK((to.text() == want));
            CHECK(to.taken() == bytes);
            CHECK(bytes == want.size());
          }
      }
}

TEST_CASE("lines that go by the disk are counted", "[count]") {
  random_numbers random(8);
  std::string few, many;
  while (few.size() < 300'000) few += "host" + std::to_string(random.below(40) * random.below(40)) + "\n";
  while (many.size() < 300'000) many += std::to_string(random()) + "\n";
  std::string const some = few + "\n" + many;
  strings::sort_options how;
  how.machine.device = ordo::device::cpu;
  how.memory = std::size_t{2} << 20;
  for (std::string const& text : {few, some, std::string(60'000, '\n')})
    for (auto const equal : {duplicates::keep, duplicates::drop, duplicates::count, duplicates::by_count})
      for (std::uint64_t const head : {std::uint64_t{5}, strings::sort_options{}.head})
        for (std::string const program : {"", "gzip"}) {
          if (!program.empty() && text != some) continue;
          if (duplicates_to_sort(equal) == equal && head != 5) continue;  // as ever
          INFO(text.substr(0, 20) << ", " << int(equal) << ", " << head << ", " << program);
          how.head = head;
          strings::texts const from{1, text.size(), [&](std::size_t) { return std::make_unique<test_source>(text, true); }};
          test_sink to(true);
          auto const done = strings::sort_external(from, to, how, equal, {.folders = {"/tmp"}, .compress_program = program});
          std::string const want = selected_text(text, '\n', false, equal, head);
          CHECK((to.text() == want));
          CHECK(done.written == want.size());
          CHECK(done.bytes == text.size() + (text.back() != '\n'));
        }
}

TEST_CASE("few distinct lines are counted as they are read, others on the disk", "[count]") {
  random_numbers random(10);
  std::string few, many;
  while (few.size() < 1'200'000)
    few += "host" + std::to_string(random.below(30) * random.below(40)) + " " + std::to_string(random.below(3)) + "\n";
  while (many.size() < 900'000) many += std::to_string(random.below(60'000)) + " " + std::to_string(random.below(9)) + "\n";
  strings::sort_options how;
  how.machine = {ordo::device::cpu, 3};
  strings::key first;
  first.last_field = 0;
  std::string const long_line(200'000, 'l');
  for (std::string const& text : {few, few + many + few + "x", few + long_line + "\n\n" + many})
    for (bool const by_key : {false, true}) {
      how.by = {};
      how.by.reverse = first.reverse = by_key;
      if (by_key) how.by.keys = {first};
      how.by.last_resort = !by_key;
      how.memory = ~std::size_t{0};
      std::string const ended = text + (text.back() == '\n' ? "" : "\n");
      auto const sorted = strings::sort(std::string_view(ended), how);
      for (auto const equal : {duplicates::drop, duplicates::count, duplicates::by_count})
        for (std::uint64_t const head : {std::uint64_t{7}, strings::sort_options{}.head}) {
          INFO(text.size() << ", " << by_key << ", " << int(equal) << ", " << head);
          test_sink want(false), to(true);
          strings::write(sorted, equal, 1, want, head);
          how.memory = std::size_t{2} << 20;
          how.head = head;
          strings::texts const from{1, text.size(),
                                    [&](std::size_t) { return std::make_unique<test_source>(text, head != 7); }};
          auto const done = strings::sort_external(from, to, how, equal, {.folders = {"/tmp"}, .compress_program = {}});
          how.head = strings::sort_options{}.head;
          CHECK((to.text() == want.text()));
          CHECK(done.written == want.text().size());
          CHECK(done.bytes == ended.size());
        }
    }
}

TEST_CASE("keys are counted by their first lines", "[count]") {
  random_numbers random(9);
  std::string text;
  std::map<std::string, std::pair<std::size_t, std::string>> keys;  // how many, and the first
  while (text.size() < 400'000) {
    std::string const key(1, char('a' + random.below(5) * random.below(5)));
    std::string const line = key + " " + std::to_string(random.below(100'000));
    auto& [count, first] = keys[key];
    if (count++ == 0) first = line;
    text += line + "\n";
  }
  std::string by_key;
  std::vector<std::string> counted;
  for (auto const& [key, found] : keys) {
    counted.emplace_back();
    append_count(counted.back(), found.first);
    by_key += (counted.back() += found.second) + "\n";
  }
  std::sort(counted.begin(), counted.end(), std::greater<>{});  // the fields are as wide as one another
  std::string by_count;
  for (std::string const& line : counted) by_count += line + "\n";
  for (auto const device : devices())
    for (std::size_t const memory : {std::size_t{2} << 20, ~std::size_t{0}}) {
      strings::sort_options how;
      how.machine.device = device;
      how.memory = memory;
      how.by.last_resort = false;
      how.by.keys.push_back({.last_field = 0});
      for (bool const merged : {false, true}) {
        if (merged && memory == ~std::size_t{0}) continue;
        for (auto const equal : {duplicates::count, duplicates::by_count}) {
          test_sink to(true);
          strings::texts const from{1, 0, [&](std::size_t) { return std::make_unique<test_source>(text, false); }};
          if (merged) {
            test_sink in_order(false);
            strings::sort_external(from, in_order, how, duplicates::keep, {});
            std::string const lines = in_order.text();
            strings::merge({1, 0, [&](std::size_t) { return std::make_unique<test_source>(lines, false); }}, to, how, equal,
                           {});
          } else {
            strings::sort_external(from, to, how, equal, {});
          }
          CHECK((to.text() == (equal == duplicates::count ? by_key : by_count)));
        }
      }
    }
}
