#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "ordo/suffix/matches.hpp"
#include "ordo/suffix/repeats.hpp"
#include "ordo/suffix/search.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;
using suffix::match;

namespace {

template <class Index>
suffix::entries entries_of(std::vector<Index> const& values) {
  return std::span<Index const>(values);
}

std::size_t record_at(suffix::text const& text, std::size_t p) {
  return text.record_at(p);
}

// Returns the number of equal letters from an offset of the query and a position of the text on, within the record.
std::uint64_t plain_agreement(suffix::text const& text, std::string_view query, std::size_t i, std::size_t p) {
  std::size_t const end = text.end(record_at(text, p));
  std::uint64_t length = 0;
  while (i + length < query.size() && p + length < end && query[i + length] == text.residues[p + length]) ++length;
  return length;
}

std::uint64_t plain_count(suffix::text const& text, std::string_view pattern) {
  std::uint64_t count = 0;
  for (std::size_t p = 0; p < text.size(); ++p) count += plain_agreement(text, pattern, 0, p) == pattern.size();
  return count;
}

// The definition.
std::vector<match> plain_matches(suffix::text const& text, std::string_view query, suffix::match_options options) {
  std::vector<match> all;
  for (std::size_t i = 0; i < query.size(); ++i)
    for (std::size_t p = 0; p < text.size(); ++p) {
      bool const begins = p == text.begin(record_at(text, p));
      if (i != 0 && !begins && query[i - 1] == text.residues[p - 1]) continue;
      std::uint64_t const length = plain_agreement(text, query, i, p);
      if (length < options.min_length) continue;
      if (options.max_occurrences != 0 && plain_count(text, query.substr(i, length)) > options.max_occurrences) continue;
      all.push_back({i, p, length});
    }
  return all;
}

std::vector<match> plain_unique(suffix::text const& text, std::string_view query, std::uint64_t min_length) {
  std::vector<match> kept;
  for (match const& one : plain_matches(text, query, {min_length, 1}))
    if (plain_count({query}, query.substr(one.query_begin, one.length)) == 1) kept.push_back(one);
  return kept;
}

std::vector<match> plain_super_maximal(std::vector<match> const& all) {
  std::vector<match> kept;
  for (match const& one : all)
    if (std::ranges::none_of(all, [&](match const& other) {
          return other.length > one.length && other.query_begin <= one.query_begin &&
                 other.query_begin + other.length >= one.query_begin + one.length;
        }))
      kept.push_back(one);
  return kept;
}

std::vector<std::uint64_t> plain_statistics(suffix::text const& text, std::string_view query) {
  std::vector<std::uint64_t> lengths(query.size());
  for (std::size_t i = 0; i < query.size(); ++i)
    for (std::size_t p = 0; p < text.size(); ++p) lengths[i] = std::max(lengths[i], plain_agreement(text, query, i, p));
  return lengths;
}

// A query of parts of the text, with changes, and of random letters.
std::string related_query(random_numbers& random, suffix::text const& text, std::string_view alphabet, std::size_t parts) {
  std::string query;
  for (std::size_t k = 0; k < parts; ++k) {
    if (text.size() == 0 || random.below(3) == 0)
      query += random_letters(random, alphabet, random.below(12));
    else
      query += text.residues.substr(random.below(text.size()), random.below(40));
    if (!query.empty() && random.below(2) == 0) query[random.below(query.size())] = alphabet[random.below(alphabet.size())];
  }
  return query;
}

stored_text random_text(random_numbers& random, std::string const& alphabet) {
  std::vector<std::string> records(1 + random.below(4));
  for (std::string& record : records) {
    record = random_letters(random, alphabet, random.below(60));
    if (random.below(4) == 0) record += repeated("AC", random.below(50));
    if (random.below(4) == 0) record += std::string(random.below(30), 'A');
    if (random.below(4) == 0) record += record;
  }
  return stored_text(records);
}

}  // namespace

TEST_CASE("maximal exact matches are those of the definition", "[suffix][matches]") {
  random_numbers random(11);
  for (int trial = 0; trial < 1200; ++trial) {
    std::string const alphabet = trial % 3 == 0 ? "AC" : trial % 3 == 1 ? "ACGT" : "ACGTN";
    stored_text const stored = random_text(random, alphabet);
    suffix::text const text = stored.view();
    std::string const query = related_query(random, text, alphabet, random.below(6));
    auto const sa = suffix::build<std::uint32_t>(text).sa;
    suffix::kmer_set const kmers{1 + unsigned(random.below(4)), "ACGT"};
    auto const table = suffix::make_kmer_table(text, entries_of(sa), kmers, "sa");
    bool const has_table = trial % 2 == 0;
    suffix::searcher const rows(text, entries_of(sa), "sa",
                                has_table ? suffix::kmer_table(kmers, {table, 32}, "kmers") : suffix::kmer_table());
    suffix::match_options const options{1 + random.below(14), random.below(4)};
    INFO("trial " << trial << ": " << query << " in " << text.residues << ", " << options.min_length << ", "
                  << options.max_occurrences);
    suffix::match_finder const finder(text, rows, {}, options);
    auto const expected = plain_matches(text, query, options);
    REQUIRE(finder.find(query) == expected);
    // Parts make the whole.
    std::vector<match> parts;
    for (std::uint64_t begin = 0, end = 0; begin < query.size(); begin = end) {
      end = begin + 1 + random.below(query.size());
      finder.find(query, begin, end, parts);
    }
    REQUIRE(parts == expected);
    // By searches for each letter before a string, and by an FM index.
    suffix::match_options searching = options;
    searching.rows_per_search = 0;
    REQUIRE(suffix::match_finder(text, rows, {}, searching).find(query) == expected);
    auto const bytes = suffix::make_fm_index(text, entries_of(sa), 1 + random.below(9), "sa");
    suffix::fm_index fm(bytes, text, "fm");
    if (trial % 4 < 2) fm.make_kmers(16);
    suffix::searcher const by_fm(fm, text);
    REQUIRE(suffix::match_finder(text, by_fm, {}, options).find(query) == expected);
    REQUIRE(suffix::match_finder(text, by_fm, {}, searching).find(query) == expected);
    auto unique = suffix::match_finder(text, rows, {}, {options.min_length, 1}).find(query);
    suffix::keep_unique_in_query(unique);
    REQUIRE(unique == plain_unique(text, query, options.min_length));
    auto longest = suffix::match_finder(text, rows, {}, {options.min_length, 0}).find(query);
    auto const expected_longest = plain_super_maximal(longest);
    suffix::keep_super_maximal(longest);
    REQUIRE(longest == expected_longest);
    for (suffix::searcher const* const one : {&rows, &by_fm}) {
      suffix::match_finder const super(text, *one, {}, {options.min_length, 0});
      std::vector<match> some;
      for (std::uint64_t begin = 0, end = 0; begin < query.size(); begin = end) {
        end = begin + 1 + random.below(query.size());
        super.find_super_maximal(query, begin, end, some);
      }
      REQUIRE(some == expected_longest);
      // Many parts at once, of other queries, too, and empty ones.
      std::string const other = related_query(random, text, alphabet, 3);
      std::uint64_t const middle = random.below(query.size() + 1);
      std::vector<suffix::query_part> const parts_of_queries{
          {other, 0, other.size()}, {query, 0, middle}, {query, middle, middle}, {query, middle, query.size()}};
      std::vector<std::size_t> ends(parts_of_queries.size());
      std::vector<match> at_once, one_by_one;
      super.find_super_maximal(parts_of_queries, at_once, ends);
      for (std::size_t k = 0; k < ends.size(); ++k) {
        super.find_super_maximal(parts_of_queries[k].query, parts_of_queries[k].begin, parts_of_queries[k].end, one_by_one);
        REQUIRE(ends[k] == one_by_one.size());
      }
      REQUIRE(at_once == one_by_one);
    }
    std::vector<std::uint64_t> lengths(query.size());
    suffix::matching_statistics(rows, query, 0, lengths);
    REQUIRE(lengths == plain_statistics(text, query));
    suffix::matching_statistics(by_fm, query, 0, lengths);
    REQUIRE(lengths == plain_statistics(text, query));
    std::vector<std::string_view> const ends{query, std::string_view(query).substr(query.size() / 2)};
    std::vector<std::uint64_t> prefixes(2);
    by_fm.find_longest(ends, prefixes);
    for (std::size_t k = 0; k < 2; ++k) REQUIRE(prefixes[k] == (ends[k].empty() ? 0 : lengths[k * (query.size() / 2)]));
  }
}

TEST_CASE("maximal exact matches go around circular records", "[suffix][matches]") {
  random_numbers random(17);
  std::size_t over_ends = 0, turns = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    std::string const alphabet = trial % 3 == 0 ? "AC" : trial % 3 == 1 ? "ACGT" : "A";
    std::vector<std::string> records(1 + random.below(4));
    for (std::string& record : records) record = random_letters(random, alphabet, random.below(trial % 2 == 0 ? 12 : 60));
    stored_text const stored(records);
    suffix::text const text = stored.view();
    std::vector<bool> circular;
    for (std::size_t r = 0; r < text.records(); ++r) circular.push_back(random.below(3) != 0);
    // The query goes around, too.
    std::string const& ring = records[random.below(records.size())];
    std::string query = related_query(random, text, alphabet, random.below(4));
    for (std::size_t turn = random.below(4); turn > 0; --turn) query += ring;
    query += ring.substr(0, random.below(ring.size() + 1));
    std::uint64_t const min_length = 1 + random.below(12);

    std::vector<match> expected;
    for (std::size_t i = 0; i < query.size(); ++i)
      for (std::size_t p = 0; p < text.size(); ++p) {
        std::size_t const r = record_at(text, p), begin = text.begin(r), end = text.end(r);
        bool const begins = p == begin && !circular[r];
        if (i != 0 && !begins && query[i - 1] == text.residues[(p == begin ? end : p) - 1]) continue;
        std::uint64_t length = 0;
        for (std::size_t at = p; i + length < query.size() && query[i + length] == text.residues[at]; ++length)
          if (++at == end) {
            if (!circular[r]) {
              ++length;
              break;
            }
            at = begin;
          }
        if (length < min_length) continue;
        expected.push_back({i, p, length});
        over_ends += p + length > end;
        turns += length > 2 * (end - begin);
      }
    auto const sa = suffix::build<std::uint32_t>(text).sa;
    suffix::searcher const rows(text, entries_of(sa), "sa");
    suffix::match_finder const within(text, rows, {}, {min_length});
    suffix::ring_match_finder const around(text, circular, min_length);
    INFO("trial " << trial << ": " << query << " in " << text.residues << ", " << min_length);
    std::vector<match> found = within.find(query);
    std::erase_if(found, [&](match const& one) { return around.goes_on(query, one); });
    for (std::uint64_t begin = 0, end = 0; begin < query.size(); begin = end) {
      end = begin + 1 + random.below(query.size());
      around.find(query, begin, end, found);
    }
    std::ranges::sort(found);
    std::ranges::sort(expected);
    REQUIRE(found == expected);

    // How often the strings of matches occur, in the text and in the query.
    auto const begins_at = [&](std::string_view string, std::size_t p) {
      std::size_t const r = record_at(text, p), begin = text.begin(r), size = text.end(r) - begin;
      if (!circular[r] && text.end(r) - p < string.size()) return false;
      for (std::size_t i = 0; i < string.size(); ++i)
        if (text.residues[begin + (p - begin + i) % size] != string[i]) return false;
      return true;
    };
    std::vector<match> unique;
    std::map<std::string_view, std::uint64_t> counts;
    for (match const& one : expected) {
      std::string_view const string = std::string_view(query).substr(one.query_begin, one.length);
      auto const [known, is_new] = counts.try_emplace(string, 0);
      if (is_new) {
        std::uint64_t over = 0;
        for (std::size_t p = 0; p < text.size(); ++p) {
          bool const goes_over = text.end(record_at(text, p)) - p < string.size();
          known->second += begins_at(string, p);
          over += goes_over && begins_at(string, p);
        }
        REQUIRE(around.count(string) == over);
        REQUIRE(within.occurs_at_most(string, known->second - over));
        REQUIRE((known->second == over || !within.occurs_at_most(string, known->second - over - 1)));
      }
      std::uint64_t in_query = 0;
      for (std::size_t i = 0; i + string.size() <= query.size(); ++i) in_query += query.compare(i, string.size(), string) == 0;
      if (known->second == 1 && in_query == 1) unique.push_back(one);
    }
    std::vector<match> once = expected;
    std::erase_if(
        once, [&](match const& one) { return counts.at(std::string_view(query).substr(one.query_begin, one.length)) != 1; });
    suffix::keep_unique_in_query(once, text, circular);
    REQUIRE(once == unique);

    // The longest match at each offset.
    suffix::ring_statistics const statistics(text, circular);
    for (std::uint64_t begin = 0, end = 0; begin < query.size(); begin = end) {
      end = std::min(begin + 1 + random.below(query.size()), std::uint64_t(query.size()));
      std::vector<std::uint64_t> lengths(end - begin), longest(end - begin);
      suffix::matching_statistics(rows, query, begin, lengths);
      statistics.lengthen(query, begin, lengths);
      for (std::uint64_t i = begin; i < end; ++i)
        for (std::size_t p = 0; p < text.size(); ++p)
          while (i + longest[i - begin] < query.size() &&
                 begins_at(std::string_view(query).substr(i, longest[i - begin] + 1), p))
            ++longest[i - begin];
      REQUIRE(lengths == longest);
    }
  }
  CHECK(over_ends > 1000);
  CHECK(turns > 100);
  stored_text const one(std::vector<std::string>{"ACGT"});
  CHECK_THROWS_AS(suffix::ring_match_finder(one.view(), {true}, 0), usage_error);
}

TEST_CASE("tandem repeats take time for their matches only", "[suffix][matches]") {
  // Each of 25,000 offsets of the query occurs at thousands of positions: only those without the letter before are visited.
  std::string const text_letters = std::string("C").append(20000, 'A').append("G").append(repeated("ACT", 12000));
  suffix::text const text{text_letters};
  auto const sa = suffix::build<std::uint32_t>(text).sa;
  auto const bytes = suffix::make_fm_index(text, entries_of(sa), 32, "sa");
  suffix::fm_index const fm(bytes, text, "fm");
  suffix::searcher const rows(text, entries_of(sa)), by_fm(fm, text);
  std::string const query = std::string("GC").append(16000, 'A').append(repeated("TAC", 9000)).append("G");
  auto const matches = suffix::match_finder(text, rows, {}, {20, 0}).find(query);
  CHECK(suffix::match_finder(text, by_fm, {}, {20, 0}).find(query) == matches);
  CHECK(matches.size() > 15000);
  for (std::size_t k = 0; k < matches.size(); k += 97) {
    auto const [i, p, length, reverse] = matches[k];
    REQUIRE(query.substr(i, length) == text_letters.substr(p, length));
    REQUIRE((i == 0 || p == 0 || query[i - 1] != text_letters[p - 1]));
    REQUIRE((i + length == query.size() || p + length == text.size() || query[i + length] != text_letters[p + length]));
  }
  CHECK(std::ranges::count_if(matches, [](match const& one) { return one.query_begin == 1 && one.position == 0; }) == 1);
  CHECK(suffix::match_finder(text, by_fm, {}, {20, 3}).find(query) ==
        suffix::match_finder(text, rows, {}, {20, 3}).find(query));
}

TEST_CASE("maximal exact matches are found with rows left out", "[suffix][matches]") {
  random_numbers random(12);
  for (int trial = 0; trial < 400; ++trial) {
    std::string const alphabet = trial % 2 == 0 ? "AC" : "ACGTN";
    stored_text const stored = random_text(random, alphabet);
    suffix::text const text = stored.view();
    std::string query = related_query(random, text, alphabet, random.below(6));
    suffix::row_selection const selection{trial % 4 == 1, 1 + random.below(6)};
    if (selection.skip_ambiguous) std::ranges::replace(query, 'N', '\0');
    suffix::build_options build;
    build.rows = selection;
    std::vector<std::uint32_t> sa(suffix::num_rows(text, selection));
    suffix::build(text, suffix::arrays<std::uint32_t>{sa, {}, {}}, build);
    suffix::searcher const rows(text, entries_of(sa));
    suffix::match_options const options{selection.sample + random.below(12), 0};
    INFO("trial " << trial << ": " << query << " in " << text.residues << ", " << options.min_length << ", sample "
                  << selection.sample);
    REQUIRE(suffix::match_finder(text, rows, selection, options).find(query) == plain_matches(text, query, options));
  }
}

TEST_CASE("matching statistics of long matches", "[suffix][matches]") {
  random_numbers random(13);
  std::string const genome = random_letters(random, "ACGT", 20000) + repeated("ACGGT", 3000) + std::string(2000, 'T');
  suffix::text const text{genome};
  auto const sa = suffix::build<std::uint32_t>(text).sa;
  suffix::searcher const rows(text, entries_of(sa));
  std::string query = genome.substr(1000, 9000) + genome.substr(19000, 5000) + genome.substr(20001, 900);
  for (std::size_t at : {100u, 5000u, 5001u, 12000u}) query[at] = 'N';
  std::vector<std::uint64_t> lengths(query.size());
  suffix::matching_statistics(rows, query, 0, lengths);
  // Each length is right if that many letters occur, and one more does not.
  for (std::size_t i = 0; i < query.size(); i += 7) {
    REQUIRE(rows.find(query.substr(i, lengths[i])).size() != 0);
    if (i + lengths[i] < query.size()) REQUIRE(rows.find(query.substr(i, lengths[i] + 1)).size() == 0);
  }
  std::vector<std::uint64_t> part(333);
  suffix::matching_statistics(rows, query, 4900, part);
  CHECK(std::equal(part.begin(), part.end(), lengths.begin() + 4900));
  auto const bytes = suffix::make_fm_index(text, entries_of(sa), 32, "sa");
  suffix::fm_index const fm(bytes, text, "fm");
  suffix::searcher const by_fm(fm, text);
  std::vector<std::uint64_t> same(query.size());
  suffix::matching_statistics(by_fm, query, 0, same);
  CHECK(same == lengths);
  suffix::matching_statistics(by_fm, query, 4900, part);
  CHECK(std::equal(part.begin(), part.end(), lengths.begin() + 4900));
}

TEST_CASE("matching statistics and super-maximal matches of tandem repeats", "[suffix][matches]") {
  random_numbers random(14);
  for (int trial = 0; trial < 10; ++trial) {
    std::string const unit = random_letters(random, trial % 2 == 0 ? "AC" : "ACGT", std::array{1, 2, 3, 5, 40}[trial % 5]);
    auto const repeat = [&](std::size_t size, std::size_t changes) {
      std::string all = repeated(unit, size);
      for (; changes != 0; --changes) all[random.below(all.size())] = "ACGT"[random.below(4)];
      return all;
    };
    stored_text const stored({repeat(1500 + random.below(1000), random.below(3)), repeat(1000, random.below(4))});
    suffix::text const text = stored.view();
    std::string query = repeat(2500 + random.below(2000), random.below(3));
    query += random_letters(random, "ACGT", 300);
    query += repeat(900, 2);
    // The lengths of matches by those one letter later.
    std::vector<std::uint64_t> expected(query.size()), here(text.size() + 1), later(text.size() + 1);
    for (std::size_t i = query.size(); i-- != 0; std::swap(here, later))
      for (std::size_t p = 0; p < text.size(); ++p) {
        bool const is_last = p + 1 == text.end(record_at(text, p));
        here[p] = query[i] != text.residues[p] ? 0 : is_last ? 1 : later[p + 1] + 1;
        expected[i] = std::max(expected[i], here[p]);
      }
    auto const sa = suffix::build<std::uint32_t>(text).sa;
    auto const bytes = suffix::make_fm_index(text, entries_of(sa), 1 + random.below(40), "sa");
    suffix::fm_index fm(bytes, text, "fm");
    if (trial % 2 == 0) fm.make_kmers(1000);
    suffix::searcher const rows(text, entries_of(sa)), by_fm(fm, text);
    INFO("trial " << trial << ", unit " << unit);
    for (suffix::searcher const* const one : {&rows, &by_fm}) {
      std::vector<std::uint64_t> lengths(query.size());
      suffix::matching_statistics(*one, query, 0, lengths);
      REQUIRE(lengths == expected);
      lengths.resize(50);  // one walk
      suffix::matching_statistics(*one, query, 700, lengths);
      REQUIRE(std::equal(lengths.begin(), lengths.end(), expected.begin() + 700));
    }
    for (std::uint64_t const min_length : {12, 60, 1200}) {
      std::vector<match> found, by_index;
      suffix::match_finder(text, rows, {}, {min_length, 0}).find_super_maximal(query, 0, query.size(), found);
      suffix::match_finder(text, by_fm, {}, {min_length, 0}).find_super_maximal(query, 0, query.size(), by_index);
      REQUIRE(found == by_index);
      REQUIRE(std::ranges::all_of(found, [&](match const& one) { return one.length == expected[one.query_begin]; }));
      std::set<std::uint64_t> offsets, expected_offsets;
      for (match const& one : found) offsets.insert(one.query_begin);
      for (std::size_t i = 0; i < query.size(); ++i)
        if (expected[i] >= min_length && (i == 0 || expected[i] >= expected[i - 1])) expected_offsets.insert(i);
      REQUIRE(offsets == expected_offsets);
    }
  }
}

TEST_CASE("matches and minimal unique strings of a ring of equal letters", "[suffix][matches]") {
  std::size_t const n = 1'000'000, m = 80'000;
  std::string const letters(n, 'A'), query(m, 'A');
  suffix::text const text{letters};
  std::vector<bool> const circular{true};
  std::vector<match> found;
  suffix::ring_match_finder(text, circular, 20).find(query, 0, m, found);
  // The whole query, from each position from which it goes around.
  REQUIRE(found.size() == m - 1);
  CHECK(std::ranges::all_of(found, [&](match const& one) { return one.query_begin == 0 && one.length == m; }));
  std::vector<std::uint32_t> lengths(n, 1);
  suffix::find_shortest_unique<std::uint32_t>(text, circular, lengths);
  CHECK(std::ranges::all_of(lengths, [](std::uint32_t length) { return length == 0; }));
}

TEST_CASE("matches over the end of a ring of tandem repeats", "[suffix][matches]") {
  // Matches end with the query. Comparing each from its first letter to its last one takes minutes.
  random_numbers random(41);
  for (std::size_t const period : {1, 2, 7, 100}) {
    std::size_t const n = 600'000 / period * period, m = 300'000;
    std::string const unit = random_letters(random, "ACGT", period);
    std::string ring(n, 'N'), query(m, 'N');
    for (std::size_t i = 0; i < n; ++i) ring[i] = unit[i % period];
    for (std::size_t i = 0; i < m; ++i) query[i] = unit[i % period];
    for (bool const is_broken : {false, true}) {
      std::size_t const first = n - 10;
      if (is_broken) ring[first - 1] = 'N';
      for (std::uint64_t const min_length : {20, 30'000}) {
        std::vector<match> found, expected;
        for (std::size_t p = is_broken ? first : n - m + 1; p < n; ++p)
          if (p % period == 0) expected.push_back({0, p, m});
        for (std::size_t i = 1; is_broken && i + min_length <= m; ++i)
          if (i % period == first % period) expected.push_back({i, first, m - i});
        suffix::text const text{ring};
        suffix::ring_match_finder(text, {true}, min_length).find(query, 0, m, found);
        std::ranges::sort(found);
        std::ranges::sort(expected);
        INFO("period " << period << ", broken " << is_broken << ", length " << min_length << ": " << found.size());
        REQUIRE(found == expected);
      }
    }
  }
}

TEST_CASE("matches of small and wrong calls", "[suffix][matches]") {
  stored_text const none(std::vector<std::string>{"", ""}), one(std::string("A"));
  suffix::searcher const in_none(none.view(), {});
  CHECK(suffix::match_finder(none.view(), in_none, {}, {1, 0}).find("ACGT").empty());
  std::vector<std::uint32_t> const only{0};
  suffix::searcher const rows(one.view(), entries_of(only));
  suffix::text const text = one.view();
  CHECK(suffix::match_finder(text, rows, {}, {1, 0}).find("").empty());
  CHECK(suffix::match_finder(text, rows, {}, {1, 0}).find("CAA") == std::vector<match>{{1, 0, 1}, {2, 0, 1}});
  CHECK(suffix::match_finder(text, rows, {}, {2, 0}).find("CAA").empty());
  CHECK_THROWS_AS(suffix::match_finder(text, rows, {}, {0, 0}), usage_error);
  CHECK_THROWS_AS(suffix::match_finder(text, rows, {false, 4}, {3, 0}), usage_error);
  CHECK_THROWS_AS(suffix::match_finder(text, rows, {false, 2}, {9, 1}), usage_error);
  std::vector<match> some;
  CHECK_THROWS_AS(suffix::match_finder(text, rows, {}, {1, 2}).find_super_maximal("A", 0, 1, some), usage_error);
  CHECK_THROWS_AS(suffix::match_finder(text, rows, {false, 2}, {9, 0}).find_super_maximal("A", 0, 1, some), usage_error);
  CHECK_THROWS_AS(suffix::match_finder(text, rows, {}, {1, 0}).find_super_maximal(std::vector<suffix::query_part>(2), some, {}),
                  usage_error);
  std::vector<std::uint64_t> lengths(3);
  suffix::matching_statistics(rows, "CAA", 0, lengths);
  CHECK(lengths == std::vector<std::uint64_t>{0, 1, 1});
  suffix::matching_statistics(in_none, "CAA", 0, lengths);
  CHECK(lengths == std::vector<std::uint64_t>{0, 0, 0});
  suffix::matching_statistics(rows, "CAA", 3, {});
  CHECK_THROWS_AS(suffix::matching_statistics(rows, "CAA", 1, lengths), usage_error);
  std::vector<std::uint32_t> const wrong{7};
  suffix::searcher const damaged(text, entries_of(wrong), "f.sa");
  CHECK_THROWS_WITH(suffix::match_finder(text, damaged, {}, {1, 0}).find("A"),
                    "bad index: f.sa: row 0: position 7 of 1 residue");
  std::vector<std::uint16_t> const words{1, 1};
  std::vector<std::uint32_t> const of_words{1, 0};
  suffix::text const tokens = suffix::make_text(words);
  suffix::searcher const rows_of_tokens(tokens, entries_of(of_words));
  CHECK_THROWS_AS(suffix::match_finder(tokens, rows_of_tokens, {}, {1, 0}), usage_error);
  CHECK_THROWS_WITH(suffix::match_finder(tokens, rows_of_tokens, {}, {1, 0}), "no letters: matches: the text is of tokens");
  // A finder for GPUs with the choice of a CPU.
  auto const bytes = suffix::make_fm_index(text, entries_of(only), 1, "sa");
  suffix::fm_index const fm(bytes, text, "fm");
  CHECK_THROWS_AS(suffix::gpu_match_finder(fm, text, {}, machine_choice{}), usage_error);
  CHECK_THROWS_WITH(suffix::gpu_match_finder(fm, text, {}, machine_choice{}), contains_text("no GPU: matches: "));
}
