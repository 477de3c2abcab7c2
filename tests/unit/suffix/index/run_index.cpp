#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/fmd.hpp"
#include "ordo/suffix/matches.hpp"
#include "ordo/suffix/search.hpp"
#include "suffix/index/run_index_layout.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

/// The bytes of a file where a map of it would be.
class aligned_bytes final : public sink {
 public:
  using sink::write;
  void write(std::span<char const> data) override {
    std::size_t const at = size_;
    size_ += data.size();
    blocks_.resize((size_ + sizeof(block) - 1) / sizeof(block));
    std::ranges::copy(data, this->data() + at);
  }
  [[nodiscard]] char* data() { return reinterpret_cast<char*>(blocks_.data()); }
  [[nodiscard]] std::span<char const> bytes() { return {data(), size_}; }

 private:
  struct alignas(64) block {
    std::array<char, 64> bytes;
  };
  std::vector<block> blocks_;
  std::size_t size_ = 0;
};

std::vector<std::string> genomes(random_numbers& random) {
  static constexpr std::array<char const*, 5> alphabets{"ACGT", "A", "ACGTN", "acgtACGTRYKMN-", "AT"};
  std::string const alphabet = alphabets[random.below(alphabets.size())];
  std::string base = random_letters(random, alphabet, random.below(random.below(3) == 0 ? 900 : 90));
  if (random.below(3) == 0) {
    std::string const unit = random_letters(random, alphabet, 1 + random.below(7));
    for (std::size_t k = random.below(100); k-- > 0;) base += unit;
  }
  if (random.below(4) == 0) base.insert(random.below(base.size() + 1), random.below(100), 'N');
  std::vector<std::string> records(1 + random.below(6), base);
  for (std::string& record : records)
    for (std::size_t k = random.below(1 + record.size() / 20); k-- > 0;)
      record[random.below(record.size())] = random_letters(random, alphabet, 1)[0];
  if (random.below(3) == 0) records.emplace_back();
  if (random.below(3) == 0) records.push_back("C");
  return records;
}

/// The text that an index of runs is of: both strands of each record, with N for all letters that are no nucleotides.
stored_text text_of(std::vector<std::string> const& records) {
  std::vector<std::string> strands;
  for (std::string const& record : records) {
    std::string forward, reverse;
    for (char const c : record) {
      std::size_t const at = std::string_view("acgtACGT").find(c);
      forward += at == std::string_view::npos ? 'N' : "ACGTACGT"[at];
      reverse += at == std::string_view::npos ? 'N' : "TGCATGCA"[at];
    }
    std::ranges::reverse(reverse);
    strands.push_back(forward);
    strands.push_back(reverse);
  }
  return stored_text(strands);
}

/// An index of runs, and the ordinary one of the same text.
struct both_indexes {
  stored_text stored;
  suffix::text text, size_only;
  aligned_bytes runs;
  std::vector<std::uint32_t> sa;
  std::vector<char> plain;

  both_indexes(std::vector<std::string> const& records, std::uint64_t sample) : stored(text_of(records)), text(stored.view()) {
    size_only = {{nullptr, text.residues.size()}, text.starts};
    suffix::run_length_index index({}, suffix::run_length_index::method::insert);
    for (std::string const& record : records) index.add(record);
    index.finish();
    index.write_index(runs, 32, sample);
    sa = suffix::build<std::uint32_t>(text).sa;
    plain = suffix::make_fm_index(text, std::span<std::uint32_t const>(sa), 4, "sa");
  }
};

std::vector<std::string> random_queries(random_numbers& random, std::string_view text) {
  std::vector<std::string> queries{"", "A", "N", "GATTACA", "Q"};
  for (int k = 0; k < 8; ++k) {
    std::string query;
    for (std::size_t parts = 1 + random.below(3); parts-- > 0;) {
      std::size_t const begin = random.below(text.size() + 1);
      query += text.substr(begin, random.below(60));
    }
    queries.push_back(query);
  }
  return queries;
}

std::vector<suffix::match> super_maximal(suffix::match_finder const& finder, std::string const& query) {
  std::vector<suffix::match> all;
  finder.find_super_maximal(query, 0, query.size(), all);
  return all;
}

}  // namespace

TEST_CASE("an index of runs finds what the ordinary FM index finds", "[suffix][run_index]") {
  random_numbers random(173);
  for (std::size_t i = 0; i < 60; ++i) {
    std::vector<std::string> const records = genomes(random);
    static constexpr std::array<std::uint64_t, 4> samples{1, 3, 8, 256};
    both_indexes const both(records, samples[i % samples.size()]);
    suffix::fm_index runs(const_cast<both_indexes&>(both).runs.bytes(), both.size_only, "rlfm");
    suffix::fm_index const plain(both.plain, both.text, "fm");
    REQUIRE(runs.has_runs());
    REQUIRE(runs.letters() == plain.letters());
    for (char const letter : std::string_view("$ACGTNQ")) REQUIRE(runs.count(letter) == plain.count(letter));
    REQUIRE(suffix::find_fault_of_runs(runs, both.size_only, 1) == std::nullopt);
    if (i % 2 == 0) runs.make_kmers(100000, 1);
    suffix::searcher const by_runs(runs, both.size_only), by_rows(plain, both.text);
    INFO("case " << i << ": " << records.size() << " records, the first one of " << records[0].size());
    std::uint64_t const min_length = 1 + random.below(12);
    for (std::uint64_t const limit : {std::uint64_t{0}, std::uint64_t{2}}) {
      suffix::match_options const options{.min_length = min_length, .max_occurrences = limit};
      suffix::match_finder const runs_finder(both.size_only, by_runs, {}, options),
          rows_finder(both.text, by_rows, {}, options);
      for (std::string const& query : random_queries(random, both.text.residues)) {
        INFO("query " << query);
        REQUIRE(by_runs.find(query).size() == by_rows.find(query).size());
        if (!query.empty()) REQUIRE(by_runs.locate(query) == by_rows.locate(query));
        REQUIRE(runs_finder.find(query) == rows_finder.find(query));
        if (limit == 0) REQUIRE(super_maximal(runs_finder, query) == super_maximal(rows_finder, query));
        std::vector<std::uint64_t> runs_lengths(query.size()), rows_lengths(query.size());
        suffix::matching_statistics(by_runs, query, 0, runs_lengths);
        suffix::matching_statistics(by_rows, query, 0, rows_lengths);
        REQUIRE(runs_lengths == rows_lengths);
      }
    }
  }
}

TEST_CASE("many parts of queries have the matches of each in an index of runs", "[suffix][run_index]") {
  random_numbers random(176);
  for (std::size_t i = 0; i < 40; ++i) {
    std::vector<std::string> const records = genomes(random);
    both_indexes both(records, 16);
    suffix::fm_index runs(both.runs.bytes(), both.size_only, "rlfm");
    suffix::fm_index const plain(both.plain, both.text, "fm");
    if (i % 2 == 0) runs.make_kmers(100000, 1);
    suffix::searcher const by_runs(runs, both.size_only), by_rows(plain, both.text);
    suffix::match_options const options{.min_length = 1 + random.below(30)};
    suffix::match_finder const runs_finder(both.size_only, by_runs, {}, options), rows_finder(both.text, by_rows, {}, options);
    std::vector<std::string> queries = random_queries(random, both.text.residues);
    // Tandem repeats that are longer than those of the text, and others.
    for (std::size_t unit = 1; unit < 5; ++unit) {
      std::string const part = both.text.residues.empty() ? "" : std::string(both.text.residues.substr(0, unit));
      std::string query = random_letters(random, "ACGT", random.below(5));
      for (std::size_t k = random.below(200); k-- > 0;) query += part;
      queries.push_back(query + "ACG");
    }
    std::vector<suffix::query_part> parts;
    for (std::string const& query : queries) {
      std::size_t const middle = random.below(query.size() + 1);
      parts.push_back({query, 0, middle});
      parts.push_back({query, middle, query.size() + random.below(2)});
    }
    INFO("case " << i << ": " << records.size() << " records, the first one of " << records[0].size());
    std::vector<suffix::match> all, longest, expected, expected_longest;
    std::vector<std::size_t> ends(parts.size()), longest_ends(parts.size());
    runs_finder.find(parts, all, ends);
    runs_finder.find_super_maximal(parts, longest, longest_ends);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      suffix::query_part const& part = parts[k];
      rows_finder.find(part.query, part.begin, part.end, expected);
      rows_finder.find_super_maximal(part.query, part.begin, part.end, expected_longest);
      REQUIRE(ends[k] == expected.size());
      REQUIRE(longest_ends[k] == expected_longest.size());
    }
    REQUIRE(all == expected);
    REQUIRE(longest == expected_longest);
    std::vector<suffix::match> by_parts;
    std::vector<std::size_t> by_parts_ends(parts.size());
    rows_finder.find(parts, by_parts, by_parts_ends);
    REQUIRE(by_parts == expected);
    REQUIRE(by_parts_ends == ends);
    REQUIRE_THROWS_AS(runs_finder.find(parts, all, std::span(ends).first(1)), usage_error);
    // Rows in any order, some of them twice.
    std::vector<std::uint64_t> rows(both.text.size() == 0 ? 0 : 100);
    for (std::uint64_t& row : rows) row = random.below(both.text.size());
    std::vector<std::uint64_t> positions = rows;
    runs.positions(positions);
    for (std::size_t k = 0; k < rows.size(); ++k) REQUIRE(positions[k] == runs.position(rows[k]));
  }
}

TEST_CASE("an index of runs grows to the index of all records", "[suffix][run_index]") {
  random_numbers random(174);
  std::vector<std::string> const records = genomes(random);
  both_indexes all(records, 8);
  suffix::run_length_index first({}, suffix::run_length_index::method::insert);
  first.add(records[0]);
  first.finish();
  aligned_bytes file;
  first.write_index(file, 32, 8);
  stored_text const text = text_of({records[0]});
  suffix::run_length_index index;
  index.read(suffix::fm_index(file.bytes(), text.view(), "rlfm"));
  for (std::size_t r = 1; r < records.size(); ++r) index.add(records[r]);
  index.finish();
  aligned_bytes grown;
  index.write_index(grown, 32, 8);
  REQUIRE(std::ranges::equal(grown.bytes(), all.runs.bytes()));
  REQUIRE_THROWS_AS(index.write_index(grown, 32, 0), usage_error);
  REQUIRE_THROWS_AS(suffix::run_length_index().write_index(grown, 32, 8), usage_error);
}

TEST_CASE("a damaged index of runs is refused, or searched without harm", "[suffix][run_index]") {
  random_numbers random(175);
  std::string const base = random_letters(random, "ACGTN", 900);
  both_indexes both({base, base.substr(100) + "ACCA", "GATTACA" + base}, 8);
  std::string const whole(both.runs.bytes().data(), both.runs.bytes().size());
  std::string const pattern = base.substr(300, 12);
  std::size_t refused = 0, right = 0;
  for (std::size_t i = 0; i < 1500; ++i) {
    std::string damaged = whole;
    if (i % 10 == 0) damaged.resize(random.below(whole.size()));
    if (!damaged.empty())
      damaged[random.below(i % 3 == 0 ? std::min<std::size_t>(damaged.size(), 300) : damaged.size())] = char(random.below(256));
    aligned_bytes file;
    file.write(std::span<char const>(damaged));
    try {
      suffix::fm_index const index(file.bytes(), both.size_only, "rlfm");
      bool const is_right = suffix::find_fault_of_runs(index, both.size_only, 1) == std::nullopt;
      suffix::searcher const search(index, both.size_only);
      suffix::match_finder const finder(both.size_only, search, {}, {.min_length = 9});
      std::vector<std::uint64_t> positions;
      std::vector<suffix::match> matches;
      try {
        positions = search.locate(pattern);
        matches = finder.find(base.substr(290, 40));
        static_cast<void>(super_maximal(finder, base.substr(290, 40)));
      } catch (input_error const&) {
        REQUIRE_FALSE(is_right);
      }
      if (!is_right) {
        ++refused;
        continue;
      }
      ++right;
      REQUIRE(positions == suffix::searcher(both.text, std::span<std::uint32_t const>(both.sa)).locate(pattern));
    } catch (input_error const&) {
      ++refused;
    }
  }
  REQUIRE(refused > 1000);
  REQUIRE(right > 0);  // the same byte, or one between two parts

  // An index at another address, and one whose first runs are of no letter.
  aligned_bytes moved;
  std::string const eight(8, '\0');
  moved.write(std::span<char const>(eight));
  moved.write(std::span<char const>(whole));
  CHECK_THROWS_AS(suffix::fm_index(moved.bytes().subspan(8), both.size_only, "rlfm"), usage_error);
  CHECK_THROWS_WITH(suffix::fm_index(moved.bytes().subspan(8), both.size_only, "rlfm"),
                    "wrong address: rlfm: an index of runs begins at a multiple of 64 bytes");
  aligned_bytes wrong;
  wrong.write(std::span<char const>(whole));
  std::size_t const words_at =
      suffix::run_index_layout::read(wrong.bytes()).blocks_at() + offsetof(suffix::run_length::run_block, words);
  std::fill_n(wrong.data() + words_at, 8, '\xff');
  suffix::fm_index const without_letters(wrong.bytes(), both.size_only, "rlfm");
  suffix::run_length_index grown;
  CHECK_THROWS_AS(grown.read(without_letters), input_error);
  CHECK_THROWS_WITH(grown.read(without_letters), "bad index: rlfm: impossible runs");
}
