#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "suffix/search.hpp"
#include "suffix/suffix.hpp"
#include "tests/catch.hpp"
#include "tests/suffix_texts.hpp"

using namespace ordo;

namespace {

// Where the pattern occurs, by looking everywhere; it must not cross the end of a record.
std::vector<std::uint64_t> plain_search(suffix::text const& text, std::string_view pattern) {
  std::vector<std::uint64_t> found;
  for (std::size_t p = 0; p < text.size(); ++p) {
    std::size_t const end = text.end_of(text.record_of(p));
    if (text.residues.substr(p, std::min(end - p, pattern.size())) == pattern) found.push_back(p);
  }
  return found;
}

template <class Index>
std::vector<std::uint64_t> search(suffix::text const& text, std::vector<Index> const& sa, std::string_view pattern) {
  return suffix::locate(text, std::span<Index const>(sa), pattern);
}

}  // namespace

TEST_CASE("patterns are found where they are, and nowhere else", "[suffix]") {
  random_numbers random(1);
  std::string bytes = all_bytes();
  for (std::string const& alphabet : {std::string("AC"), std::string("ACGT"), std::string("\x01\x7f\x80\xff")}) {
    std::vector<std::string> records(30);
    for (std::string& record : records) record = random_letters(random, alphabet, random.below(40));
    stored_text const stored(records);
    suffix::text const text = stored.view();
    auto const narrow = suffix::build<std::uint32_t>(text).sa;
    auto const wide = suffix::build<std::uint64_t>(text).sa;
    for (int trial = 0; trial < 500; ++trial) {
      std::string const pattern = trial % 2 == 0
                                      ? random_letters(random, alphabet, random.below(6))
                                      : std::string(text.residues.substr(random.below(text.size()), random.below(60)));
      INFO(pattern);
      auto const expected = plain_search(text, pattern);
      CHECK(search(text, narrow, pattern) == expected);
      CHECK(search(text, wide, pattern) == expected);
    }
  }
}

TEST_CASE("searching small texts", "[suffix]") {
  stored_text const none(std::vector<std::string>{"", ""}), one(std::string("A"));
  CHECK(suffix::find(none.view(), std::span<std::uint32_t const>{}, "A").size() == 0);
  std::vector<std::uint32_t> const sa{0};
  CHECK(search(one.view(), sa, "A").size() == 1);
  CHECK(search(one.view(), sa, "AA").empty());
  CHECK(search(one.view(), sa, "B").empty());
  CHECK(search(one.view(), sa, "").size() == 1);
}

TEST_CASE("a row that is no position of the text is an error", "[suffix]") {
  std::string residues;
  for (int i = 0; i < 100; ++i) residues += "ACGT";
  suffix::text const text{residues};
  auto const sa = suffix::build<std::uint32_t>(text).sa;
  for (std::size_t row = 0; row < sa.size(); ++row) {
    auto damaged = sa;
    damaged[row] = row % 2 == 0 ? std::uint32_t(residues.size()) : ~std::uint32_t{0};
    std::string const want =
        "bad index: f.sa: row " + std::to_string(row) + ": position " + std::to_string(damaged[row]) + " of 400 residues";
    CHECK_THROWS_WITH(suffix::locate<std::uint32_t>(text, damaged, "", "f.sa"), want);
    // Where the row is among those of a pattern it is found; else the search may not come by.
    std::string const pattern(1, residues[sa[row]]);
    CHECK_THROWS_WITH(suffix::locate<std::uint32_t>(text, damaged, pattern, "f.sa"), want);
  }
}

TEST_CASE("which record holds a position", "[suffix]") {
  stored_text const stored(std::vector<std::string>{"", "AC", "", "", "G", ""});
  suffix::text const text = stored.view();
  CHECK(text.records() == 6);
  CHECK(text.record_of(0) == 1);
  CHECK(text.record_of(1) == 1);
  CHECK(text.record_of(2) == 4);
  CHECK(text.end_of(5) == 3);
  CHECK(suffix::text{"ACGT"}.record_of(3) == 0);
  CHECK(suffix::text{"ACGT"}.end_of(0) == 4);
}
