#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "ordo/suffix/pieces.hpp"
#include "ordo/suffix/records.hpp"
#include "ordo/suffix/search.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

// Finds the pattern everywhere; it must not cross the end of a record.
std::vector<std::uint64_t> plain_search(suffix::text const& text, std::string_view pattern) {
  std::vector<std::uint64_t> found;
  for (std::size_t p = 0; p < text.size(); ++p) {
    std::size_t const end = text.end(text.record_at(p));
    if (text.residues.substr(p, std::min(end - p, pattern.size())) == pattern) found.push_back(p);
  }
  return found;
}

std::vector<std::uint64_t> search(suffix::text const& text, suffix::entries sa, std::string_view pattern) {
  return suffix::searcher(text, sa).locate(pattern);
}

template <class Index>
suffix::entries entries_of(std::vector<Index> const& values) {
  return std::span<Index const>(values);
}

// The same values in entries of `width` bits.
template <class Index>
std::string packed(std::vector<Index> const& values, unsigned width) {
  std::string bytes(values.size() * (width / 8), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) suffix::store_entry(bytes.data() + i * (width / 8), width / 8, values[i]);
  return bytes;
}

}  // namespace

TEST_CASE("patterns are found where they are, and nowhere else", "[suffix]") {
  random_numbers random(1);
  for (std::string const& alphabet : {std::string("AC"), std::string("ACGT"), std::string("\x01\x7f\x80\xff")}) {
    std::vector<std::string> records(30);
    for (std::string& record : records) record = random_letters(random, alphabet, random.below(40));
    stored_text const stored(records);
    suffix::text const text = stored.view();
    auto const narrow = suffix::build<std::uint32_t>(text).sa;
    auto const wide = suffix::build<std::uint64_t>(text).sa;
    std::string const forty = packed(narrow, 40);
    for (int trial = 0; trial < 500; ++trial) {
      std::string const pattern = trial % 2 == 0
                                      ? random_letters(random, alphabet, random.below(6))
                                      : std::string(text.residues.substr(random.below(text.size()), random.below(60)));
      INFO(pattern);
      auto const expected = plain_search(text, pattern);
      CHECK(search(text, entries_of(narrow), pattern) == expected);
      CHECK(search(text, entries_of(wide), pattern) == expected);
      CHECK(search(text, suffix::entries(forty, 40), pattern) == expected);
    }
  }
}

TEST_CASE("searching small texts", "[suffix]") {
  stored_text const none(std::vector<std::string>{"", ""}), one(std::string("A"));
  CHECK(suffix::searcher(none.view(), {}).find("A").size() == 0);
  CHECK(suffix::searcher(none.view(), {}).find("").size() == 0);
  std::vector<std::uint32_t> const only{0};
  suffix::entries const sa = entries_of(only);
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
    suffix::searcher const find(text, entries_of(damaged), "f.sa");
    CHECK_THROWS_WITH(find.locate(""), want);
    // If the row is among those of a pattern, it is found; otherwise the search may miss it.
    std::string const pattern(1, residues[sa[row]]);
    CHECK_THROWS_WITH(find.locate(pattern), want);
  }
}

TEST_CASE("many patterns at once are found as each alone", "[suffix]") {
  random_numbers random(2);
  std::vector<std::string> records(5);
  for (std::string& record : records) record = random_letters(random, "ACGTN", 300) + repeated("AC", random.below(80));
  stored_text const stored(records);
  suffix::text const text = stored.view();
  auto const sa = suffix::build<std::uint32_t>(text).sa;
  for (std::size_t length : {0, 1, 2, 3, 5}) {
    suffix::kmer_set const words{unsigned(length), "ACGT"};
    std::vector<char> table;
    if (length != 0) table = suffix::make_kmer_table(text, entries_of(sa), words, "sa");
    suffix::searcher const find(text, entries_of(sa), "sa",
                                length == 0 ? suffix::kmer_table() : suffix::kmer_table(words, {table, 32}, "kmers"));
    for (std::size_t count : {0, 1, 31, 32, 33, 500}) {
      std::vector<std::string> strings;
      for (std::size_t i = 0; i < count; ++i)
        strings.push_back(i % 3 == 0 ? random_letters(random, "ACGTN", random.below(8))
                                     : std::string(text.residues.substr(random.below(text.size()), random.below(90))));
      std::vector<std::string_view> const patterns(strings.begin(), strings.end());
      std::vector<suffix::row_range> rows(count);
      find.find(patterns, rows);
      if (count != 0) CHECK_THROWS_AS(find.find(patterns, std::span(rows).first(count - 1)), ordo::usage_error);
      for (std::size_t i = 0; i < count; ++i) {
        INFO(length << ' ' << patterns[i]);
        auto expected = plain_search(text, patterns[i]);
        REQUIRE(rows[i].size() == expected.size());
        std::vector<std::uint64_t> found(sa.begin() + std::ptrdiff_t(rows[i].begin), sa.begin() + std::ptrdiff_t(rows[i].end));
        std::ranges::sort(found);
        CHECK(found == expected);
      }
    }
  }
}

TEST_CASE("a table of k-mers holds the first row of every word", "[suffix]") {
  random_numbers random(3);
  for (std::string const& letters :
       {std::string("ACGT"), std::string("CT"), std::string("A"), std::string("ACDEFGHIKLMNPQRSTVWY")}) {
    std::vector<std::string> records(40);
    for (std::string& record : records) record = random_letters(random, letters + "N*Z", random.below(300));
    stored_text const stored(records);
    suffix::text const text = stored.view();
    auto const sa = suffix::build<std::uint64_t>(text).sa;
    for (unsigned length : {1u, 2u, 3u}) {
      suffix::kmer_set const words{length, letters};
      std::vector<std::string> all{""};
      for (unsigned k = 0; k < length; ++k) {
        std::vector<std::string> longer;
        for (std::string const& word : all)
          for (char const c : letters) longer.push_back(word + c);
        all = longer;
      }
      REQUIRE(words.count() == all.size());
      auto const table = suffix::make_kmer_table(text, entries_of(sa), words, "sa");
      suffix::entries const rows(table, 64);
      REQUIRE(rows.size() == all.size() + 1);
      for (std::size_t w = 0; w < all.size(); ++w) {
        auto const below = [&](std::uint64_t p) {
          return text.residues.substr(p, text.end(text.record_at(p)) - p).compare(all[w]) < 0;
        };
        CHECK(rows[w] == std::size_t(std::ranges::partition_point(sa, below) - sa.begin()));
      }
      CHECK(rows[all.size()] == sa.size());
      CHECK_FALSE(suffix::find_wrong_kmer(text, entries_of(sa), words, rows, "sa").has_value());
      auto damaged = table;
      damaged[8 * (all.size() / 2)] ^= 1;
      CHECK(suffix::find_wrong_kmer(text, entries_of(sa), words, {damaged, 64}, "sa") == all.size() / 2);
    }
  }
  suffix::text const small{"GATTACA"};
  std::vector<std::uint32_t> const upside_down{6, 5, 4, 3, 2, 1, 0};
  CHECK_THROWS_WITH(suffix::make_kmer_table(small, entries_of(upside_down), {3, "ACGT"}, "f.sa"),
                    contains_text("bad index: f.sa: row"));
  std::vector<std::uint32_t> const outside{7, 7, 7, 7, 7, 7, 7};
  CHECK_THROWS_WITH(suffix::make_kmer_table(small, entries_of(outside), {3, "ACGT"}, "f.sa"),
                    "bad index: f.sa: row 0: position 7 of 7 residues");
}

TEST_CASE("a table of k-mers that lies leads nowhere outside", "[suffix]") {
  suffix::text const text{"GATTACAGATTACA"};
  auto const sa = suffix::build<std::uint32_t>(text).sa;
  suffix::kmer_set const words{2, "ACGT"};
  random_numbers random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    auto table = suffix::make_kmer_table(text, entries_of(sa), words, "sa");
    table[random.below(table.size())] = static_cast<char>(random());
    suffix::searcher const find(text, entries_of(sa), "sa", {words, {table, 32}, "f.kmers"});
    for (char const* pattern : {"A", "T", "AT", "GATTACA", "TT", "N"}) try {
        auto const rows = find.find(pattern);
        REQUIRE(rows.begin <= rows.end);
        REQUIRE(rows.end <= sa.size());
      } catch (input_error const& e) {
        CHECK_THAT(e.what(), contains_text("bad index: f.kmers: k-mers "));
      }
  }
}

TEST_CASE("an array that lies leads nowhere outside", "[suffix]") {
  // Text, array and patterns in allocations of their exact size, for the address sanitizer.
  random_numbers random(6);
  stored_text const stored(std::vector<std::string>{"GATTACAGATTACA", "", "GATTACC", "TTACA"});
  suffix::text const text = stored.view();
  auto const sa = suffix::build<std::uint32_t>(text).sa;
  for (int trial = 0; trial < 3000; ++trial) {
    auto damaged = sa;
    for (std::size_t k = random.below(4) + 1; k-- != 0;)
      damaged[random.below(sa.size())] = std::uint32_t(random.below(8) == 0 ? random() : random.below(text.size()));
    std::vector<char> const letters(text.residues.begin(), text.residues.end());
    suffix::text const copy{{letters.data(), letters.size()}, stored.starts};
    suffix::searcher const find(copy, entries_of(damaged), "f.sa");
    std::string const word(text.residues.substr(random.below(text.size()), random.below(20) + 1));
    std::vector<char> const pattern(word.begin(), word.end());
    try {
      auto const rows = find.find({pattern.data(), pattern.size()});
      REQUIRE(rows.begin <= rows.end);
      REQUIRE(rows.end <= sa.size());
    } catch (input_error const& e) {
      CHECK_THAT(e.what(), contains_text("bad index: f.sa: row "));
    }
  }
}

TEST_CASE("what letters a table of k-mers is of", "[suffix]") {
  CHECK(suffix::frequent_letters("ACGTACGTNNNNNNNNNNNNACGT") == "ACGT");
  CHECK(suffix::frequent_letters("ACGUACGU") == "ACGU");
  CHECK(suffix::frequent_letters("AC") == "ACGT");
  CHECK(suffix::frequent_letters("MKLVMKLV") == "KLMV");
  CHECK(suffix::frequent_letters("").empty());
  CHECK(suffix::kmer_set{15, "ACGT"}.count() == std::uint64_t{1} << 30);
  CHECK_FALSE(suffix::kmer_set{16, "ACGT"}.count().has_value());
  CHECK_FALSE(suffix::kmer_set{0, "ACGT"}.count().has_value());
  CHECK_FALSE(suffix::kmer_set{3, ""}.count().has_value());
  CHECK(suffix::kmer_set{30, "A"}.count() == 1);
  CHECK_FALSE(suffix::kmer_set{31, "A"}.count().has_value());
}

TEST_CASE("entries of 4, 5 and 8 bytes", "[suffix]") {
  std::vector<std::uint64_t> const values{0, 1, 0x7fffffff, 0xfffffffe, 0xffffffff, 0x0102030405, 0xffffffffff};
  std::string const forty = packed(values, 40);
  CHECK(forty.substr(25, 5) == "\x05\x04\x03\x02\x01");
  for (std::size_t i = 0; i < values.size(); ++i) {
    // In an allocation of its exact size, for the address sanitizer.
    std::vector<char> const one(forty.begin() + std::ptrdiff_t(5 * i), forty.begin() + std::ptrdiff_t(5 * i + 5));
    CHECK(suffix::entries(one, 40)[0] == values[i]);
    CHECK(suffix::entries(forty, 40)[i] == values[i]);
    CHECK(entries_of(values)[i] == values[i]);
    if (i < 5) CHECK(suffix::entries(packed(values, 32), 32)[i] == values[i]);
  }
  CHECK(suffix::entries(forty, 40).size() == 7);
  CHECK(suffix::entries().empty());
}

TEST_CASE("a position's record, strand and place on the forward strand", "[suffix]") {
  // AACG, an empty record and TT, each followed by its reverse complement.
  stored_text const stored(std::vector<std::string>{"AACG", "CGTT", "", "", "TT", "AA"});
  suffix::text const text = stored.view();
  std::vector<std::uint64_t> columns = stored.starts;
  columns.insert(columns.end(), {0, 1, 2, 3, 4, 5});
  columns.insert(columns.end(), {0, 0, 0, 0, 7, 7});  // the last record has seven letters before it, which are not in the text
  suffix::pieces const forward, both(columns);
  auto const place = [&](suffix::pieces const& which, std::size_t p, std::size_t length) {
    return which.to_location(text, text.record_at(p), p, length);
  };
  CHECK(place(forward, 5, 2) == suffix::location{1, 1, false});
  CHECK(place(both, 1, 3) == suffix::location{0, 1, false});
  CHECK(place(both, 4, 4) == suffix::location{0, 0, true});
  CHECK(place(both, 4, 1) == suffix::location{0, 3, true});
  CHECK(place(both, 6, 2) == suffix::location{0, 0, true});
  CHECK(place(both, 9, 1) == suffix::location{2, 8, false});
  CHECK(place(both, 10, 1) == suffix::location{2, 8, true});
  CHECK(place(both, 11, 1) == suffix::location{2, 7, true});
}

TEST_CASE("records are found as by looking through all", "[suffix]") {
  random_numbers random(5);
  for (std::size_t count : {1, 2, 3, 17, 1000}) {
    std::vector<std::string> records(count);
    for (std::string& record : records)
      if (random.below(3) != 0) record.assign(random.below(random.below(9) == 0 ? 2000 : 4), 'A');
    stored_text const stored(records);
    suffix::text const text = stored.view();
    suffix::record_finder const find(text);
    for (std::size_t p = 0; p < text.size(); ++p) REQUIRE(find(p) == text.record_at(p));
  }
}

TEST_CASE("which record holds a position", "[suffix]") {
  stored_text const stored(std::vector<std::string>{"", "AC", "", "", "G", ""});
  suffix::text const text = stored.view();
  CHECK(text.records() == 6);
  CHECK(text.record_at(0) == 1);
  CHECK(text.record_at(1) == 1);
  CHECK(text.record_at(2) == 4);
  CHECK(text.end(5) == 3);
  CHECK(suffix::text{"ACGT"}.record_at(3) == 0);
  CHECK(suffix::text{"ACGT"}.end(0) == 4);
}
