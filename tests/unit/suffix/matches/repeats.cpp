#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/matches.hpp"
#include "ordo/suffix/repeats.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

struct indexed {
  stored_text stored;
  suffix::result<std::uint32_t> made;

  explicit indexed(std::vector<std::string> const& records)
      : stored(records), made(suffix::build<std::uint32_t>(stored.view(), {.lcp = true, .bwt = true})) {}
  [[nodiscard]] suffix::entries sa() const { return std::span<std::uint32_t const>(made.sa); }
  [[nodiscard]] suffix::entries lcp() const { return std::span<std::uint32_t const>(made.lcp); }
  [[nodiscard]] std::span<char const> bwt() const { return std::span<char const>(made.bwt).last(made.sa.size()); }
};

bool is_excluded(char letter, suffix::letter_choice letters) {
  return letters == suffix::letter_choice::nucleotides && std::string_view("ACGTUacgtu").find(letter) == std::string::npos;
}

// The letter before, which differs from all others at the start of a record, and where it is excluded.
int letter_before(suffix::text const& text, std::size_t p, suffix::letter_choice letters) {
  return p == text.begin(text.record_at(p)) || is_excluded(text.residues[p - 1], letters) ? -1 : text.residues[p - 1];
}
std::size_t end_at(suffix::text const& text, std::size_t p) {
  return text.end(text.record_at(p));
}

using pairs = std::multiset<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;  // positions and length

pairs plain_pairs(suffix::text const& text, std::size_t min_length, suffix::letter_choice letters) {
  pairs all;
  for (std::size_t p = 0; p < text.size(); ++p)
    for (std::size_t q = p + 1; q < text.size(); ++q) {
      if (letter_before(text, p, letters) == letter_before(text, q, letters) && letter_before(text, p, letters) != -1) continue;
      std::size_t length = 0;
      while (p + length < end_at(text, p) && q + length < end_at(text, q) &&
             text.residues[p + length] == text.residues[q + length] && !is_excluded(text.residues[p + length], letters))
        ++length;
      if (length >= min_length) all.emplace(p, q, length);
    }
  return all;
}

// Maximal repeats and their positions: the common strings of the pairs.
std::set<std::pair<std::string, std::vector<std::uint64_t>>> plain_repeats(suffix::text const& text, std::size_t min_length,
                                                                           suffix::letter_choice letters) {
  std::set<std::string> words;
  for (auto const& [p, q, length] : plain_pairs(text, min_length, letters))
    words.insert(std::string(text.residues.substr(p, length)));
  std::set<std::pair<std::string, std::vector<std::uint64_t>>> all;
  for (std::string const& word : words) {
    std::vector<std::uint64_t> at;
    for (std::size_t p = 0; p < text.size(); ++p)
      if (text.residues.substr(p, std::min(end_at(text, p) - p, word.size())) == word) at.push_back(p);
    all.emplace(word, at);
  }
  return all;
}

std::vector<std::vector<std::string>> texts() {
  random_numbers random(1);
  std::vector<std::vector<std::string>> all{{""},
                                            {"A"},
                                            {"AA"},
                                            {"AAAAAAAAAA"},
                                            {"", "A", "", "A"},
                                            {"AC", "AC"},
                                            {"ACACACAC"},
                                            {fibonacci_word(60)},
                                            {"ACGTTACGTAACGTCACGT"},
                                            {"GA", "GA", "GA", "GAT"}};
  for (char const* alphabet : {"AC", "ACGT", "A", "ACN", "AN", "ANRY-", "acACNn", "N"})
    for (std::size_t records : {1, 2, 6}) {
      std::vector<std::string> some(records);
      std::string const unit = random_letters(random, alphabet, 20);
      for (std::string& record : some)
        record = random_letters(random, alphabet, random.below(40)) + unit.substr(random.below(20));
      all.push_back(some);
    }
  return all;
}

}  // namespace

TEST_CASE("maximal repeats and maximal pairs are those that brute force finds", "[suffix]") {
  for (auto const& records : texts()) {
    indexed const index(records);
    suffix::text const text = index.stored.view();
    suffix::ambiguous_positions const ambiguous(text.residues);
    for (std::size_t k = 0; k < 8; ++k) {
      std::size_t const min_length = std::array{1, 2, 3, 7}[k / 2];
      auto const letters = suffix::letter_choice(k % 2);
      suffix::excluded_letters const excluded{index.sa(), letters == suffix::letter_choice::all ? nullptr : &ambiguous};
      INFO(index.stored.residues << ' ' << min_length << ' ' << suffix::letter_choice_words[k % 2]);
      std::set<std::pair<std::string, std::vector<std::uint64_t>>> repeats;
      std::size_t told = 0;
      suffix::find_repeats(index.lcp(), index.bwt(), excluded, min_length, [&](suffix::repeat const& one) {
        ++told;
        std::vector<std::uint64_t> at(index.made.sa.begin() + std::ptrdiff_t(one.rows.begin),
                                      index.made.sa.begin() + std::ptrdiff_t(one.rows.end));
        std::ranges::sort(at);
        repeats.emplace(text.residues.substr(at.front(), one.length), at);
      });
      CHECK(told == repeats.size());
      CHECK(repeats == plain_repeats(text, min_length, letters));

      pairs found;
      std::uint64_t counted = 0;
      suffix::find_pairs(
          index.lcp(), index.bwt(), excluded, min_length, 0,
          [&](suffix::repeat_pair const& one) {
            std::uint64_t const p = index.made.sa[one.row], q = index.made.sa[one.other_row];
            found.emplace(std::min(p, q), std::max(p, q), one.length);
          },
          [&](suffix::repeat_pair_count const& one) {
            counted += one.pairs;
            std::vector<std::uint64_t> at(index.made.sa.begin() + std::ptrdiff_t(one.of.rows.begin),
                                          index.made.sa.begin() + std::ptrdiff_t(one.of.rows.end));
            std::ranges::sort(at);
            CHECK(repeats.contains({std::string(text.residues.substr(at.front(), one.of.length)), at}));
          });
      CHECK(found == plain_pairs(text, min_length, letters));
      CHECK(counted == found.size());
    }
  }
}

TEST_CASE("pairs of a repeat are told up to a limit, and counted beyond", "[suffix]") {
  indexed const index({"GATC", "GATC", "GATC", "GATC", "GATC"});
  for (std::uint64_t limit : {1, 3, 10, 11}) {
    std::uint64_t told = 0, pairs = 0;
    suffix::find_pairs(
        index.lcp(), index.bwt(), {}, 4, limit, [&](suffix::repeat_pair const& one) { told += one.length == 4; },
        [&](suffix::repeat_pair_count const& one) { pairs += one.pairs; });
    CHECK(told == std::min<std::uint64_t>(limit, 10));
    CHECK(pairs == 10);
  }
}

TEST_CASE("repeats of arrays that lie end", "[suffix]") {
  random_numbers random(2);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::uint64_t> lcp(random.below(40));
    std::string bwt(lcp.size(), '\0');
    std::vector<std::uint64_t> sa(lcp.size());
    for (auto& length : lcp) length = random.below(3) == 0 ? random() : random.below(5);
    for (auto& p : sa) p = random.below(3) == 0 ? random() : random.below(40);
    for (char& c : bwt) c = "ACN$"[random.below(4)];
    suffix::ambiguous_positions const ambiguous(random_letters(random, "ACGTN", 40));
    suffix::excluded_letters const excluded{std::span<std::uint64_t const>(sa), trial % 2 == 0 ? &ambiguous : nullptr};
    suffix::entries const lengths = std::span<std::uint64_t const>(lcp);
    auto const inside = [&](suffix::row_range rows) { return rows.begin < rows.end && rows.end <= lcp.size(); };
    suffix::find_repeats(lengths, bwt, excluded, 2, [&](suffix::repeat const& one) { REQUIRE(inside(one.rows)); });
    suffix::find_pairs(
        lengths, bwt, excluded, 2, 5,
        [&](suffix::repeat_pair const& one) { REQUIRE(std::max(one.row, one.other_row) < lcp.size()); },
        [&](suffix::repeat_pair_count const& one) { REQUIRE(inside(one.of.rows)); });
  }
}

TEST_CASE("occurrences of the letters at each position", "[suffix]") {
  auto all = texts();
  random_numbers random(3);
  // For several threads; repeats extend across their parts.
  all.push_back({random_letters(random, "AC", 100000), random_letters(random, "AC", 5)});
  std::string runs = random_letters(random, "AC", 200000);
  for (std::size_t p = 50; p < runs.size(); p += 20000) runs.replace(p, 12000, 12000, 'N');
  all.push_back({runs.substr(0, 99999), "", runs.substr(99999), std::string(300, 'R')});
  for (auto const& records : all) {
    indexed const index(records);
    suffix::text const text = index.stored.view();
    for (std::size_t k = 0; k < 8; ++k) {
      std::size_t const length = std::array{1, 2, 5, 100}[k / 2];
      auto const letters = suffix::letter_choice(k % 2);
      std::vector<std::uint32_t> at(text.size());
      std::vector<std::uint64_t> wide(text.size());
      std::size_t const left_out = suffix::count_occurrences<std::uint32_t>(text, index.sa(), index.lcp(), length, letters, at);
      CHECK(suffix::count_occurrences<std::uint64_t>(text, index.sa(), index.lcp(), length, letters, wide, "sa", 1) ==
            left_out);
      CHECK(std::ranges::equal(at, wide));
      std::map<std::string_view, std::size_t> count;
      auto const word = [&](std::size_t p) { return text.residues.substr(p, length); };
      auto const is_whole = [&](std::size_t p) { return end_at(text, p) - p >= length; };
      for (std::size_t p = 0; p < text.size(); ++p)
        if (is_whole(p)) ++count[word(p)];
      bool same = true;
      std::size_t others = 0;
      for (std::size_t p = 0; p < text.size(); ++p) {
        bool const other = is_whole(p) && std::ranges::any_of(word(p), [&](char c) { return is_excluded(c, letters); });
        others += other;
        same &= at[p] == (is_whole(p) && !other ? count[word(p)] : 0);
      }
      CHECK(same);
      CHECK(left_out == others);
    }
  }
  indexed const index({"GATTACA"});
  std::vector<std::uint32_t> const damaged{6, 4, 1, 5, 7, 3, 2};
  std::vector<std::uint32_t> at(7);
  CHECK_THROWS_WITH(suffix::count_occurrences<std::uint32_t>(index.stored.view(), std::span<std::uint32_t const>(damaged),
                                                             index.lcp(), 2, suffix::letter_choice::all, at, "f.sa"),
                    "bad index: f.sa: row 4: position 7 of 7 residues");
  at.resize(6);
  CHECK_THROWS_WITH(
      suffix::count_occurrences<std::uint32_t>(index.stored.view(), index.sa(), index.lcp(), 2, suffix::letter_choice::all, at),
      "wrong array size: occurrences: 6 counts of 7 residues, 7 rows of sa and 7 of lcp");
}

TEST_CASE("occurrences across the ends of circular records", "[suffix]") {
  random_numbers random(5);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::string> records(1 + random.below(4));
    for (std::string& record : records) record = random_letters(random, trial % 2 == 0 ? "AC" : "ACGN", random.below(40));
    indexed const index(records);
    suffix::text const text = index.stored.view();
    std::vector<bool> circular;
    for (std::size_t r = 0; r < text.records(); ++r) circular.push_back(random.below(3) != 0);
    std::size_t const length = 1 + random.below(12);
    auto const letters = suffix::letter_choice(trial % 3 == 0);
    std::vector<std::string> words(text.size());
    std::map<std::string, std::size_t> count;
    for (std::size_t p = 0; p < text.size(); ++p) {
      std::size_t const r = text.record_at(p), begin = text.begin(r), end = text.end(r);
      if (end - begin < length || (!circular[r] && end - p < length)) continue;
      std::string word;
      for (std::size_t i = 0; i < length; ++i) word += text.residues[begin + (p - begin + i) % (end - begin)];
      if (std::ranges::any_of(word, [&](char c) { return is_excluded(c, letters); })) continue;
      ++count[words[p] = word];
    }
    std::vector<std::uint32_t> at(text.size());
    suffix::count_occurrences<std::uint32_t>(text, index.sa(), index.lcp(), length, letters, at);
    suffix::searcher const rows(text, index.sa(), "sa");
    suffix::add_circular_occurrences<std::uint32_t>(text, rows, circular, length, letters, at);
    INFO("trial " << trial << ": " << text.residues << ", " << length);
    for (std::size_t p = 0; p < text.size(); ++p) REQUIRE(at[p] == (words[p].empty() ? 0 : count[words[p]]));
    for (unsigned mismatches = 1; mismatches <= 2; ++mismatches) {
      suffix::count_similar<std::uint32_t>(text, circular, length, mismatches, letters, at);
      for (std::size_t p = 0; p < text.size(); ++p) {
        std::size_t similar = 0;
        for (auto const& [word, occurrences] : count) {
          std::size_t differ = words[p].empty() ? mismatches + 1 : 0;
          for (std::size_t i = 0; i < words[p].size(); ++i) differ += word[i] != words[p][i];
          similar += differ <= mismatches ? occurrences : 0;
        }
        REQUIRE(at[p] == similar);
      }
    }
    // The shortest strings that occur once.
    auto const string_at = [&](std::size_t p, std::size_t num_letters) -> std::optional<std::string> {
      std::size_t const r = text.record_at(p), begin = text.begin(r), end = text.end(r);
      if (num_letters > (circular[r] ? end - begin : end - p)) return std::nullopt;
      std::string string;
      for (std::size_t i = 0; i < num_letters; ++i) string += text.residues[begin + (p - begin + i) % (end - begin)];
      return string;
    };
    std::vector<std::uint64_t> shortest(text.size());
    suffix::find_shortest_unique<std::uint64_t>(text, circular, shortest);
    for (std::size_t p = 0; p < text.size(); ++p) {
      std::size_t expected = 0;
      for (std::size_t size = 1; expected == 0; ++size) {
        auto const string = string_at(p, size);
        if (!string) break;
        std::size_t occurrences = 0;
        for (std::size_t q = 0; q < text.size(); ++q) occurrences += string_at(q, size) == string;
        if (occurrences == 1) expected = size;
      }
      REQUIRE(shortest[p] == expected);
    }
  }
}

TEST_CASE("similar k-mers are those that brute force finds", "[suffix]") {
  auto all = texts();
  random_numbers random(5);
  all.push_back({random_letters(random, "ACGT", 700), "", random_letters(random, "ACGTN", 300), "A"});
  all.push_back({std::string(200, 'A') + random_letters(random, "AC", 300)});
  std::string copies = random_letters(random, "ACGT", 400);  // with a change now and then
  for (int i = 0; i < 3; ++i)
    copies += copies.substr(0, 300), copies[copies.size() - 50] = 'G', copies[copies.size() - 57] = 'C';
  all.push_back({copies});
  // Large groups: many different short k-mers.
  all.push_back({random_letters(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 3000)});
  all.push_back({random_letters(random, "ABCDEFGHIJKL", 3500)});
  for (auto const& records : all) {
    indexed const index(records);
    suffix::text const text = index.stored.view();
    if (text.size() > 4000) continue;
    for (std::size_t const length : {1, 2, 3, 4, 7, 8, 16, 33})
      for (unsigned mismatches = 1; mismatches <= 2; ++mismatches)
        for (auto const letters : {suffix::letter_choice::nucleotides, suffix::letter_choice::all}) {
          std::vector<std::uint32_t> at(text.size());
          suffix::count_similar<std::uint32_t>(text, index.sa(), index.lcp(), length, mismatches, letters, at);
          std::vector<std::string_view> words(text.size());  // empty: none
          for (std::size_t p = 0; p < text.size(); ++p)
            if (end_at(text, p) - p >= length &&
                std::ranges::none_of(text.residues.substr(p, length), [&](char c) { return is_excluded(c, letters); }))
              words[p] = text.residues.substr(p, length);
          std::size_t wrong = 0;
          for (std::size_t p = 0; p < text.size(); ++p) {
            std::size_t similar = 0;
            for (std::size_t q = 0; !words[p].empty() && q < text.size(); ++q) {
              if (words[q].empty()) continue;
              std::size_t differ = 0;
              for (std::size_t i = 0; i < length && differ <= mismatches; ++i) differ += words[p][i] != words[q][i];
              similar += differ <= mismatches;
            }
            wrong += at[p] != similar;
          }
          CAPTURE(text.size(), length, mismatches, int(letters));
          CHECK(wrong == 0);
          std::vector<std::uint64_t> wide(text.size());  // in as little memory as it takes
          std::size_t const memory = 2 * 8 * text.size() + text.size() / 2;
          suffix::count_similar<std::uint64_t>(text, index.sa(), index.lcp(), length, mismatches, letters, wide, "sa", 1,
                                               memory);
          CHECK(std::ranges::equal(at, wide));
        }
  }
  indexed const index({"GATTACA"});
  std::vector<std::uint32_t> at(7);
  auto const count = [&](unsigned mismatches, std::size_t memory) {
    suffix::count_similar<std::uint32_t>(index.stored.view(), index.sa(), index.lcp(), 2, mismatches,
                                         suffix::letter_choice::all, at, "sa", 1, memory);
  };
  CHECK_THROWS_WITH(count(3, 1000), "invalid number: mismatches: 3: similar k-mers differ in 1 or 2 letters");
  CHECK_THROWS_WITH(count(0, 1000), "invalid number: mismatches: 0: similar k-mers differ in 1 or 2 letters");
  CHECK_THROWS_WITH(count(1, 40), "out of memory: 6 different k-mers: 49 bytes are needed, 40 are allowed");
  std::vector<std::uint16_t> const tokens{1, 2, 3, 1, 9, 3, 1, 2, 4, 7, 7, 7};
  suffix::text const text = suffix::make_text(tokens);
  auto const made = suffix::build<std::uint32_t>(text, {.lcp = true});
  at.resize(tokens.size());
  suffix::count_similar<std::uint32_t>(text, std::span<std::uint32_t const>(made.sa), std::span<std::uint32_t const>(made.lcp),
                                       3, 1, suffix::letter_choice::all, at);
  CHECK(at == std::vector<std::uint32_t>{3, 2, 2, 2, 2, 2, 2, 1, 2, 2, 0, 0});
}

TEST_CASE("repeats and occurrences of arrays of the wrong size", "[suffix]") {
  indexed const index({"GATTACA"});
  suffix::text const text = index.stored.view();
  suffix::searcher const rows(text, index.sa());
  std::vector<std::uint32_t> shorter(6), at(7);
  std::vector<bool> const ring{true}, rings{true, true};
  auto const all = suffix::letter_choice::all;
  auto const refuses = [](auto call, std::string const& why) {
    CHECK_THROWS_AS(call(), usage_error);
    CHECK_THROWS_WITH(call(), why);
  };
  refuses([&] { suffix::find_repeats(text, index.sa(), {}, 1, [](suffix::repeat const&) {}); },
          "wrong array size: repeats: 7 rows of sa and 0 of lcp for 7 residues");
  refuses(
      [&] {
        suffix::find_pairs(
            text, {}, index.lcp(), 1, 0, [](suffix::repeat_pair const&) {}, [](suffix::repeat_pair_count const&) {});
      },
      "wrong array size: repeats: 0 rows of sa and 7 of lcp for 7 residues");
  refuses([&] { suffix::add_circular_occurrences<std::uint32_t>(text, rows, ring, 2, all, shorter); },
          "wrong array size: occurrences: 6 counts of 7 residues");
  for (auto const& others : {std::vector<bool>(), rings}) {
    std::string const why = "wrong array size: circular records: " + std::to_string(others.size()) + " of 1";
    refuses([&] { suffix::add_circular_occurrences<std::uint32_t>(text, rows, others, 2, all, at); }, why);
    refuses([&] { suffix::ring_match_finder(text, others, 3); }, why);
    refuses([&] { suffix::ring_statistics(text, others); }, why);
    std::vector<suffix::match> matches(1);
    if (!others.empty()) refuses([&] { suffix::keep_unique_in_query(matches, text, others); }, why);
  }
  refuses([&] { suffix::count_occurrences<std::uint32_t>(text, index.sa(), index.lcp(), 0, all, at); },
          "invalid length: occurrences: 0: a string has at least one letter");
  refuses([&] { suffix::find_shortest_unique<std::uint32_t>(text, index.sa(), index.lcp(), shorter); },
          "wrong array size: unique: 6 lengths of 7 residues, 7 rows of sa and 7 of lcp");
  // Texts with circular records.
  refuses([&] { suffix::count_similar<std::uint32_t>(text, ring, 2, 1, all, shorter); },
          "wrong array size: occurrences: 6 numbers for 7 residues");
  refuses([&] { suffix::count_similar<std::uint32_t>(text, rings, 2, 1, all, at); },
          "wrong array size: circular records: 2 of 1");
  refuses([&] { suffix::find_shortest_unique<std::uint32_t>(text, ring, shorter); },
          "wrong array size: unique: 6 numbers for 7 residues");
  std::vector<std::uint16_t> const tokens{1, 2, 3, 1, 2, 4, 1};
  refuses([&] { suffix::find_shortest_unique<std::uint32_t>(suffix::make_text(tokens), ring, at); },
          "no letters: circular records: the text is of tokens");
}

TEST_CASE("where the ambiguous letters of a text are", "[suffix]") {
  random_numbers random(4);
  CHECK_FALSE(suffix::ambiguous_positions().next(0).has_value());
  for (std::size_t n : {0, 1, 63, 64, 65, 4096, 4097, 300000}) {
    for (char const* alphabet : {"ACGTUacgtu", "AN", "N", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-"}) {
      std::string text = random_letters(random, alphabet, n);
      if (n > 100000) std::fill(text.begin() + 1000, text.end() - 20000, 'C');  // far away
      suffix::ambiguous_positions const found(text, unsigned(random.below(3)));
      std::uint64_t count = 0;
      std::optional<std::uint64_t> next;
      bool same = true;
      for (std::size_t p = n; p-- != 0;) {
        if (is_excluded(text[p], suffix::letter_choice::nucleotides)) {
          next = p;
          ++count;
        }
        same &= found.next(p) == next;
      }
      CHECK(same);
      CHECK(found.count() == count);
      for (std::uint64_t p : {std::uint64_t(n), std::uint64_t(n) + 64, std::uint64_t{1} << 63, ~std::uint64_t{0}})
        CHECK_FALSE(found.next(p).has_value());
    }
  }
}

TEST_CASE("which letters of a text k-mers hold", "[suffix]") {
  using suffix::letter_choice;
  for (char const* text : {"", "ACGT", "acgtnnn", "NNNN", "ACGUXXRYKMSWBDHV-.*", "MKTAYA"})
    CHECK(suffix::usual_letters(text) == letter_choice::nucleotides);
  for (char const* text : {"MKLV", "E", "MKWVTFISLLXBZJUO*", "mkwvtfisll"})
    CHECK(suffix::usual_letters(text) == letter_choice::all);
  // A few wrong letters do not make a genome a protein.
  CHECK(suffix::usual_letters(std::string(10000, 'A') + std::string(99, 'E'), 2) == letter_choice::nucleotides);
  CHECK(suffix::usual_letters(std::string(9900, 'A') + std::string(100, 'E'), 2) == letter_choice::all);
}

TEST_CASE("a k-mer spectrum is that of all k-mers", "[suffix]") {
  random_numbers random(31);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::string> records(1 + random.below(5));
    for (std::string& record : records)
      record = random_letters(random, trial % 2 == 0 ? "ACN" : "AC", random.below(trial % 20 == 0 ? 5000 : 60));
    indexed const all(records);
    suffix::text const text = all.stored.view();
    for (suffix::letter_choice const letters : {suffix::letter_choice::nucleotides, suffix::letter_choice::all})
      for (std::uint64_t length : {1, 2, 3, 8}) {
        std::map<std::string, std::uint64_t> kmers;
        for (std::string const& record : records)
          for (std::size_t p = 0; p + length <= record.size(); ++p) {
            std::string const kmer = record.substr(p, length);
            if (letters == suffix::letter_choice::all || kmer.find('N') == kmer.npos) ++kmers[kmer];
          }
        std::map<std::uint64_t, std::uint64_t> counts;
        for (auto const& [kmer, count] : kmers) ++counts[count];
        std::vector<suffix::spectrum_entry> expected;
        for (auto const& [count, different] : counts) expected.push_back({count, different});
        std::vector<std::uint64_t> shortest(text.size());
        suffix::find_shortest_unique<std::uint64_t>(text, all.sa(), all.lcp(), shortest, "sa", 1 + unsigned(random.below(3)));
        for (int k = 0; k < 3 && text.size() != 0; ++k) {
          std::size_t const p = random.below(text.size());
          std::string_view const left = text.residues.substr(p, text.end(text.record_at(p)) - p);
          auto const occurrences = [&](std::size_t letters_of) {
            std::size_t count = 0;
            for (std::size_t q = 0; q < text.size(); ++q)
              count += text.end(text.record_at(q)) - q >= letters_of &&
                       text.residues.substr(q, letters_of) == left.substr(0, letters_of);
            return count;
          };
          if (shortest[p] == 0) {
            REQUIRE(occurrences(left.size()) > 1);
            continue;
          }
          REQUIRE(occurrences(shortest[p]) == 1);
          if (shortest[p] > 1) REQUIRE(occurrences(shortest[p] - 1) > 1);
        }
        REQUIRE(suffix::find_spectrum(text, all.sa(), all.lcp(), length, letters, "sa", 1 + unsigned(random.below(3))) ==
                expected);
      }
  }
  indexed const all(std::vector<std::string>{"ACGT"});
  CHECK_THROWS_AS(suffix::find_spectrum(all.stored.view(), all.sa(), all.lcp(), 0, suffix::letter_choice::all), usage_error);
  CHECK_THROWS_AS(suffix::find_spectrum(all.stored.view(), all.sa(), {}, 2, suffix::letter_choice::all), usage_error);
}
