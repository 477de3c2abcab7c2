#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/search.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

template <class Index>
suffix::entries entries_of(std::vector<Index> const& values) {
  return std::span<Index const>(values);
}

std::vector<std::string> some_patterns(random_numbers& random, suffix::text const& text, std::string const& alphabet) {
  std::vector<std::string> patterns{"", "A", std::string(1, '\0'), "zz"};
  for (int i = 0; i < 40; ++i) {
    patterns.push_back(random_letters(random, alphabet, random.below(5)));
    if (text.size() != 0) patterns.emplace_back(text.residues.substr(random.below(text.size()), random.below(50)));
  }
  return patterns;
}

}  // namespace

TEST_CASE("an FM index finds what the suffix array finds", "[suffix][fm]") {
  random_numbers random(21);
  for (std::string const& alphabet :
       {std::string("A"), std::string("ACGT"), std::string("$ACGTN"), all_bytes(), std::string("run")})
    for (std::size_t max_length : {0, 3, 40, 600, 9000}) {
      std::vector<std::string> records(1 + random.below(6));
      for (std::string& record : records) {
        record = random_letters(random, alphabet == "run" ? "ACGT" : alphabet, max_length == 0 ? 0 : random.below(max_length));
        if (alphabet != "run") continue;  // the packed layout with runs of other letters
        record.insert(random.below(record.size() + 1), random.below(400), 'N');
        if (random.below(2) == 0) record.insert(random.below(record.size() + 1), random.below(3), 'Y');
      }
      if (records.size() > 2) records[1] = records[2];
      stored_text const stored(records);
      suffix::text const text = stored.view();
      auto const sa = suffix::build<std::uint32_t>(text).sa;
      suffix::searcher const rows(text, entries_of(sa));
      for (std::uint64_t sample : {1, 2, 7, 32, 100000}) {
        auto const bytes = suffix::make_fm_index(text, entries_of(sa), sample, "f.sa");
        suffix::fm_index const fm(bytes, text, "f.fm");
        INFO(alphabet.size() << " letters, " << text.size() << " residues in " << records.size() << ", sample " << sample);
        std::size_t wrong = 0;
        for (std::size_t row = 0; row < sa.size(); row += sample == 100000 ? 97 : 1) wrong += fm.position(row) != sa[row];
        REQUIRE(wrong == 0);
        std::vector<std::uint64_t> rows_of_some;
        for (std::size_t row = 0; row < sa.size(); row += 1 + random.below(60)) rows_of_some.push_back(sa.size() - 1 - row);
        auto positions = rows_of_some;
        fm.positions(positions);
        for (std::size_t k = 0; k < positions.size(); ++k) wrong += positions[k] != sa[rows_of_some[k]];
        REQUIRE(wrong == 0);
        auto const strings = some_patterns(random, text, alphabet);
        std::vector<std::string_view> const patterns(strings.begin(), strings.end());
        std::vector<suffix::row_range> found(patterns.size());
        fm.find(patterns, found);
        for (std::size_t i = 0; i < patterns.size(); ++i) {
          suffix::row_range const expected = rows.find(patterns[i]);
          REQUIRE(found[i].size() == expected.size());
          if (expected.size() != 0) REQUIRE(found[i].begin == expected.begin);
        }
      }
    }
}

TEST_CASE("an FM index of DNA takes less than 5 bits a letter, and samples", "[suffix][fm]") {
  random_numbers random(24);
  for (std::string const& inserted : {std::string(), std::string(30000, 'N'), "RYKM" + std::string(9, 'N')}) {
    std::string genome = random_letters(random, "ACGT", 200000);
    genome.insert(70000, inserted);
    suffix::text const text{genome};
    auto const sa = suffix::build<std::uint32_t>(text).sa;
    auto const bytes = suffix::make_fm_index(text, entries_of(sa), 32, "f.sa");
    CHECK(double(bytes.size()) * 8 / double(genome.size()) < 3 + 1 + 2);
    suffix::fm_index const fm(bytes, text, "f.fm");
    for (std::string const pattern : {"A", "N", "NNN", "RYKMN", "AN", "NA", "ACGTAC"}) {
      suffix::row_range const rows = fm.find(pattern), expected = suffix::searcher(text, entries_of(sa)).find(pattern);
      CHECK(rows.size() == expected.size());
      if (expected.size() != 0) CHECK(rows.begin == expected.begin);
    }
    for (std::size_t row = 0; row < sa.size(); row += 111) REQUIRE(fm.position(row) == sa[row]);
  }
}

TEST_CASE("an FM index of DNA holds the text", "[suffix][fm]") {
  random_numbers random(25);
  for (std::size_t trial = 0; trial < 60; ++trial) {
    std::string letters = random_letters(random, trial % 2 == 0 ? "ACGT" : "AC", 1 + random.below(30000));
    for (std::size_t k = letters.size() < 20000 ? 1 : random.below(5); k != 0; --k)
      letters.insert(random.below(letters.size() + 1), 1 + random.below(40), random.below(2) == 0 ? 'N' : 'R');
    suffix::text const text{letters};
    auto const sa = suffix::build<std::uint32_t>(text).sa;
    auto const bytes = suffix::make_fm_index(text, entries_of(sa), 32, "f.sa");
    suffix::fm_index const fm(bytes, text, "f.fm");
    REQUIRE(fm.has_text());
    suffix::text_letters const &packed = fm.packed_text(), plain(letters);
    std::string read;
    for (std::size_t p = 0; p < letters.size(); ++p) read += packed[p];
    REQUIRE(read == letters);
    for (std::size_t k = 0; k < 300; ++k) {
      std::size_t const p = random.below(letters.size()),
                        size = random.below(std::min<std::size_t>(letters.size() - p, 90) + 1);
      std::string string = letters.substr(p, size);
      if (size != 0 && k % 3 != 0) string[random.below(size)] = "ACGTNX"[random.below(6)];
      REQUIRE(packed.common_prefix(string.data(), p, size) == plain.common_prefix(string.data(), p, size));
      char const* const end = string.data() + size;
      REQUIRE(packed.common_suffix(end, p + size, size) == plain.common_suffix(end, p + size, size));
    }
  }
}

TEST_CASE("FM indexes of wide entries", "[suffix][fm]") {
  random_numbers random(22);
  stored_text const stored(
      std::vector<std::string>{random_letters(random, "ACGT", 5000), "", random_letters(random, "ACGT", 300)});
  suffix::text const text = stored.view();
  auto const sa = suffix::build<std::uint64_t>(text).sa;
  std::string packed(sa.size() * 5, '\0');
  for (std::size_t i = 0; i < sa.size(); ++i) suffix::store_entry(packed.data() + i * 5, 5, sa[i]);
  for (suffix::entries const rows : {entries_of(sa), suffix::entries(packed, 40)}) {
    auto const one = suffix::make_fm_index(text, rows, 16, "f.sa", 1), all = suffix::make_fm_index(text, rows, 16, "f.sa");
    CHECK(one == all);
    suffix::fm_index const fm(all, text, "f.fm");
    for (std::size_t row = 0; row < sa.size(); ++row) REQUIRE(fm.position(row) == sa[row]);
  }
  CHECK_THROWS_AS(suffix::make_fm_index(text, entries_of(sa), 0, "f.sa"), usage_error);
  CHECK_THROWS_AS(suffix::make_fm_index(text, {}, 1, "f.sa"), usage_error);
  CHECK_THROWS_AS(suffix::make_fm_index(text, entries_of(sa), 1, "f.sa", 0, 1000), out_of_memory);
  auto wrong = sa;
  wrong[7] = 99999;
  CHECK_THROWS_WITH(suffix::make_fm_index(text, entries_of(wrong), 1, "f.sa"),
                    "bad index: f.sa: row 7: position 99999 of 5300 residues");
}

TEST_CASE("wrong calls of an FM index", "[suffix][fm]") {
  std::vector<std::uint16_t> const tokens{1, 2};
  std::vector<std::uint32_t> const of_tokens{0, 1};
  auto const make_of_tokens = [&] {
    return suffix::make_fm_index(suffix::make_text(tokens), entries_of(of_tokens), 1, "f.sa");
  };
  CHECK_THROWS_AS(make_of_tokens(), usage_error);
  CHECK_THROWS_WITH(make_of_tokens(), "no bytes: FM index: it is of bytes, not of tokens");

  suffix::text const text{"GATTACA"};
  std::vector<std::uint32_t> const twice{0, 1, 2, 3, 4, 5, 0}, missing{1, 1, 2, 3, 4, 5, 6};
  CHECK_THROWS_AS(suffix::make_fm_index(text, entries_of(twice), 1, "f.sa"), input_error);
  CHECK_THROWS_WITH(suffix::make_fm_index(text, entries_of(twice), 1, "f.sa"), "bad index: f.sa: a position is there twice");
  CHECK_THROWS_AS(suffix::make_fm_index(text, entries_of(missing), 1, "f.sa"), input_error);
  CHECK_THROWS_WITH(suffix::make_fm_index(text, entries_of(missing), 1, "f.sa"),
                    "bad index: f.sa: the start of a record has no row");

  auto const sa = suffix::build<std::uint32_t>(text).sa;
  auto const bytes = suffix::make_fm_index(text, entries_of(sa), 2, "f.sa");
  suffix::fm_index const fm(bytes, text, "f.fm");
  std::vector<std::string_view> const patterns{"A", "TAC"};
  std::vector<suffix::row_range> rows(1);
  CHECK_THROWS_AS(fm.find(patterns, rows), usage_error);
  CHECK_THROWS_WITH(fm.find(patterns, rows), "wrong array size: search: 1 results for 2 patterns");
  suffix::searcher const by_fm(fm, text);
  std::vector<std::uint64_t> lengths(3);
  CHECK_THROWS_AS(by_fm.find_longest(patterns, lengths), usage_error);
  CHECK_THROWS_WITH(by_fm.find_longest(patterns, lengths), "wrong array size: search: 3 results for 2 patterns");
}

TEST_CASE("a damaged FM index is refused or gives rows of the text", "[suffix][fm]") {
  random_numbers random(23);
  bool const packed = GENERATE(false, true);
  stored_text const stored(std::vector<std::string>{
      random_letters(random, packed ? "ACGT" : "ACGTN", 700) + std::string(40, 'N'), random_letters(random, "ACGT", 90)});
  suffix::text const text = stored.view();
  auto const sa = suffix::build<std::uint32_t>(text).sa;
  auto const good = suffix::make_fm_index(text, entries_of(sa), 8, "f.sa");
  REQUIRE(good[7] == (packed ? '3' : '1'));
  for (std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{47}, good.size() - 8, good.size() - 1})
    CHECK_THROWS_AS(suffix::fm_index(std::span(good).first(size), text, "f.fm"), input_error);
  CHECK_THROWS_AS(suffix::fm_index(good, suffix::text{"ACGT"}, "f.fm"), input_error);
  std::size_t refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    auto bad = good;
    std::size_t const at = trial < 400 ? std::size_t(trial) : random.below(bad.size());
    bad[at] = char(trial % 2 == 0 ? ~bad[at] : bad[at] ^ (1 << random.below(8)));
    try {
      suffix::fm_index const fm(bad, text, "f.fm");
      std::string const pattern(text.residues.substr(random.below(600), 1 + random.below(9)));
      suffix::row_range const rows = fm.find(pattern);
      REQUIRE(rows.begin <= rows.end);
      REQUIRE(rows.end <= text.size());
      for (std::size_t row = rows.begin; row < rows.end; ++row) {
        std::uint64_t const p = fm.position(row);  // may throw
        REQUIRE(p < text.size());
      }
    } catch (input_error const&) {
      ++refused;
    }
  }
  CHECK(refused > 300);
}
