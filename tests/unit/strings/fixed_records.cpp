#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/streams.hpp"
#include "ordo/error.hpp"
#include "strings/fixed/record_order.hpp"
#include "strings/fixed/record_sort.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/io_ends.hpp"

namespace strings = ordo::strings;
using strings::detail::record_order;

namespace {

constexpr std::size_t little = std::size_t{2} << 20;  // the least memory there is

strings::key bytes(std::size_t first, std::size_t end, bool reverse = false) {
  strings::key k;
  k.first_character = first;
  k.last_field = 0;
  k.end_character = end;
  k.reverse = reverse;
  return k;
}

std::string records(std::uint64_t seed, std::size_t count, std::size_t size, unsigned letters) {
  random_numbers random(seed);
  std::string text(count * size, '\0');
  for (char& c : text) c = static_cast<char>(random.below(letters));
  return text;
}

// The oracle: a stable sort by keys as strings, and by whole records.
std::string sorted(std::string_view text, std::size_t size, strings::order const& by, bool drop) {
  std::vector<std::string_view> all;
  for (; !text.empty(); text.remove_prefix(size)) all.push_back(text.substr(0, size));
  auto const by_keys = [&](std::string_view a, std::string_view b) {
    for (strings::key const& k : by.keys) {
      std::size_t const end = k.end_character == 0 ? size : k.end_character;
      auto const part = [&](std::string_view of) {
        return of.substr(k.first_character, end - std::min(end, k.first_character));
      };
      if (int const difference = part(a).compare(part(b)); difference != 0) return k.reverse ? -difference : difference;
    }
    return by.keys.empty() ? (by.reverse ? b.compare(a) : a.compare(b)) : 0;
  };
  std::ranges::stable_sort(all, [&](auto a, auto b) {
    int difference = by_keys(a, b);
    if (difference == 0 && by.last_resort) difference = by.reverse ? b.compare(a) : a.compare(b);
    return difference < 0;
  });
  std::string result;
  std::string_view last;
  for (std::string_view const record : all) {
    if (drop && !last.empty() && by_keys(last, record) == 0) continue;
    result += record;
    last = record;
  }
  return result;
}

std::string sorted_by_ordo(std::string_view text, std::size_t size, strings::order const& by, bool drop, bool addressed,
                           std::size_t memory = little) {
  strings::sort_options how;
  how.memory = memory;
  strings::texts const from{1, addressed ? text.size() : 0,
                            [&](std::size_t) { return std::make_unique<test_source>(text, addressed); }};
  ordo::growing_sink to(addressed);
  record_order const order(by, size);
  auto const equal = drop ? strings::duplicates::drop : strings::duplicates::keep;
  auto const report = strings::detail::sort_records(from, to, order, how, equal, {});
  CHECK(report.bytes == text.size());
  CHECK(report.written == to.text().size());
  return std::string(to.text());
}

}  // namespace

TEST_CASE("Records of one size are sorted by ranges of their bytes", "[fixed]") {
  std::vector<strings::order> orders(8);
  orders[1].reverse = true;
  orders[2].keys = {bytes(0, 10)};
  orders[3].keys = {bytes(2, 3, true), bytes(0, 1)};
  orders[3].reverse = true;
  orders[4].keys = {bytes(1, 4)};
  orders[4].last_resort = false;
  orders[5].keys = {bytes(0, 2), bytes(1, 3, true), bytes(0, 0)};
  orders[6].keys = {bytes(3, 2), bytes(0, 1, true)};  // the first is empty
  orders[6].last_resort = false;
  orders[7].last_resort = false;
  for (std::size_t const size : {4u, 8u, 9u, 33u})
    for (unsigned const letters : {1u, 2u, 256u})
      for (std::size_t const count : {0u, 1u, 2u, 1500u})
        for (std::size_t k = 0; k < orders.size(); ++k) {
          INFO(size << " bytes, " << letters << " letters, " << count << " records, order " << k);
          std::string const text = records(k + 1, count, size, letters);
          bool const drop = (k + count) % 2 == 1;
          auto by = orders[k];
          if (drop) by.last_resort = false;
          CHECK(sorted_by_ordo(text, size, by, drop, count % 4 == 0) == sorted(text, size, by, drop));
        }
}

TEST_CASE("Records beyond memory are merged from runs", "[fixed]") {
  strings::order by_key, stable;
  by_key.keys = {bytes(0, 10)};
  stable.keys = {bytes(1, 2)};
  stable.last_resort = false;
  for (auto const& by : {by_key, stable, strings::order{}})
    for (unsigned const letters : {2u, 256u})
      for (bool const addressed : {false, true}) {
        std::string const text = records(7, 60'000, 100, letters);
        CHECK(sorted_by_ordo(text, 100, by, false, addressed) == sorted(text, 100, by, false));
        strings::order dropping = by;
        dropping.last_resort = false;
        CHECK(sorted_by_ordo(text, 100, dropping, true, addressed) == sorted(text, 100, dropping, true));
      }
  // A few records of half of the memory each do not fit, and are an error with both figures.
  std::string const large = records(1, 4, little / 2, 3);
  CHECK_THROWS_AS(sorted_by_ordo(large, little / 2, {}, false, true), ordo::out_of_memory);
}

TEST_CASE("Words of a record compare as its bytes do", "[fixed]") {
  strings::order by;
  by.keys = {bytes(3, 6, true), bytes(9, 30), bytes(1, 4)};
  record_order const order(by, 31);
  std::string const text = records(3, 400, 31, 3);
  for (std::size_t a = 0; a + 31 < text.size(); a += 31) {
    char const *const x = text.data() + a, *const y = x + 31;
    int by_words = 0;
    for (std::size_t w = 0; w < order.words() && by_words == 0; ++w)
      by_words = int(order.word(x, w) > order.word(y, w)) - int(order.word(x, w) < order.word(y, w));
    int const difference = order.compare(x, y);
    CHECK(by_words == int(difference > 0) - int(difference < 0));
  }
}

TEST_CASE("Keys that are no ranges of bytes, and records that are cut, are refused", "[fixed]") {
  strings::order by;
  CHECK_THROWS_WITH(record_order(by, 0), contains_text("0 bytes"));
  by.keys = {bytes(10, 12)};
  CHECK_THROWS_WITH(record_order(by, 10), contains_text("begins at byte 11"));
  by.keys = {bytes(0, 4)};
  by.keys[0].first_field = 1;
  CHECK_THROWS_WITH(record_order(by, 10), contains_text("another field"));
  by.keys = {bytes(0, 4)};
  by.keys[0].last_field = 1;
  CHECK_THROWS_WITH(record_order(by, 10), contains_text("another field"));
  by.keys = {bytes(0, 4)};
  by.keys[0].type = strings::key_type::number;
  CHECK_THROWS_WITH(record_order(by, 10), contains_text("no range of bytes"));
  std::string_view const text = "0123456789abc";
  using strings::detail::whole_records;
  CHECK_THROWS_WITH(whole_records(std::make_unique<test_source>(text, true), 10, "f"),
                    contains_text("f: the last record is cut: it has 3 of 10 bytes"));
  whole_records piped(std::make_unique<test_source>(text, false), 10, "f");
  std::string room(20, '\0');
  CHECK_THROWS_WITH(piped.read(room), contains_text("3 of 10 bytes"));
}
