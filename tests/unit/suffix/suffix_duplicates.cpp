#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/duplicates.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/suffix_texts.hpp"

using namespace ordo;

namespace {

suffix::entries entries_of(std::vector<std::uint32_t> const& values) {
  return suffix::entries(std::span<std::uint32_t const>(values));
}

// The definition: marks each copy of min_length letters.
std::vector<bool> plain_copies(suffix::text const& text, std::size_t min_length, suffix::kept_copies keep) {
  std::map<std::string_view, std::vector<std::size_t>> at;
  for (std::size_t r = 0; r < text.records(); ++r)
    for (std::size_t p = text.begin_of(r); p + min_length <= text.end_of(r); ++p)
      at[text.residues.substr(p, min_length)].push_back(p);
  std::vector<bool> copies(text.size());
  for (auto const& [word, places] : at)
    for (std::size_t k = keep == suffix::kept_copies::first || places.size() == 1 ? 1 : 0; k < places.size(); ++k)
      for (std::size_t i = 0; i < min_length; ++i) copies[places[k] + i] = true;
  return copies;
}

void expect(std::vector<std::string> const& records, std::size_t min_length) {
  stored_text const all(records);
  suffix::text const text = all.view();
  auto const made = suffix::build<std::uint32_t>(text, {.lcp = true});
  for (suffix::kept_copies const keep : {suffix::kept_copies::none, suffix::kept_copies::first})
    for (unsigned const threads : {1u, 4u}) {
      std::vector<bool> copies(text.size());
      std::uint64_t count = 0, last_end = 0;
      std::size_t last_record = 0;
      std::uint64_t const found =
          suffix::find_duplicates(text, entries_of(made.sa), entries_of(made.lcp), {min_length, keep, false, threads},
                                  [&](suffix::duplicate_range const& range) {
                                    REQUIRE(range.begin < range.end);
                                    REQUIRE(range.begin >= text.begin_of(range.record));
                                    REQUIRE(range.end <= text.end_of(range.record));
                                    REQUIRE((count == 0 || range.begin > last_end || range.record > last_record));
                                    for (std::uint64_t p = range.begin; p < range.end; ++p) copies[p] = true;
                                    count += range.end - range.begin;
                                    last_end = range.end;
                                    last_record = range.record;
                                  });
      REQUIRE(found == count);
      REQUIRE((copies == plain_copies(text, min_length, keep)));
    }
}

}  // namespace

TEST_CASE("exact duplicates of random records", "[suffix][duplicates]") {
  random_numbers random(1);
  for (std::string const& alphabet : {std::string("a"), std::string("ab"), std::string("ab$"), all_bytes()})
    for (int times = 0; times < 30; ++times) {
      std::vector<std::string> records;
      for (std::size_t r = 0, count = 1 + random.below(6); r < count; ++r)
        records.push_back(r != 0 && random.below(3) == 0 ? records[random.below(r)]
                                                         : random_letters(random, alphabet, random.below(200)));
      expect(records, 1 + random.below(20));
    }
}

TEST_CASE("exact duplicates round words of bits, and across the parts of threads", "[suffix][duplicates]") {
  random_numbers random(2);
  for (std::size_t const n : {0, 1, 62, 63, 64, 65, 127, 128, 129}) {
    expect({std::string(n, 'a')}, 3);
    expect({std::string(n, 'a'), std::string(n, 'a')}, 1);
    expect({random_letters(random, "abc", n), "", random_letters(random, "abc", n)}, 4);
  }
  std::string const once = random_letters(random, "abcdefgh", 20000);
  expect({std::string(40000, 'a') + once, once + "b" + once}, 50);
}

TEST_CASE("duplicates of whole characters", "[suffix][duplicates]") {
  // Two letters with the same first byte, and a byte that continues no character.
  std::string const residues = "x\xc3\xa4y\xc3\xa4\xc3\xb6\x80";
  suffix::text const text{residues};
  auto const made = suffix::build<std::uint32_t>(text, {.lcp = true});
  std::vector<suffix::duplicate_range> found;
  auto const add = [&](suffix::duplicate_range const& range) { found.push_back(range); };
  suffix::find_duplicates(text, entries_of(made.sa), entries_of(made.lcp), {1, suffix::kept_copies::first, false, 1}, add);
  CHECK(found == std::vector<suffix::duplicate_range>{{0, 4, 7}});
  found.clear();
  suffix::find_duplicates(text, entries_of(made.sa), entries_of(made.lcp), {1, suffix::kept_copies::first, true, 1}, add);
  CHECK(found == std::vector<suffix::duplicate_range>{{0, 4, 6}});
}

TEST_CASE("duplicates that are refused", "[suffix][duplicates]") {
  std::vector<std::uint32_t> sa{2, 1, 0}, lcp{0, 1, 2};
  suffix::text const text{"aaa"};
  auto const ignore = [](suffix::duplicate_range const&) {};
  auto const of = [&](suffix::duplicate_options const& options) {
    return suffix::find_duplicates(text, entries_of(sa), entries_of(lcp), options, ignore);
  };
  CHECK(of({1}) == 2);
  CHECK_THROWS_AS(of({0}), usage_error);
  sa[1] = 3;
  CHECK_THROWS_AS(of({1}), input_error);
  sa[1] = 1;
  lcp[2] = 1000;  // a wrong LCP: nothing outside the record
  CHECK(of({500}) <= 3);
  lcp.pop_back();
  CHECK_THROWS_AS(of({1}), usage_error);
}
