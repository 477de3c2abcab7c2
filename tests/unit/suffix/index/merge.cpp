#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/streams.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/merge_arrays.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

template <class Index>
suffix::stored_arrays stored(suffix::result<Index> const& of) {
  return {std::span<Index const>(of.sa), std::span<Index const>(of.lcp), of.bwt};
}

template <class T>
std::string bytes_of(std::vector<T> const& values, std::size_t size) {
  std::string bytes(values.size() * size, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) suffix::store_entry(bytes.data() + i * size, unsigned(size), values[i]);
  return bytes;
}

struct merged {
  std::string sa, lcp, bwt;
};

merged merge(suffix::text const& all, std::size_t first_records, suffix::stored_arrays const& a, suffix::stored_arrays const& b,
             suffix::fm_index const& fm, std::size_t entry, bool in_order, unsigned threads) {
  merged to{std::string(all.size() * entry, '\0'), std::string(all.size() * entry, '\0'),
            std::string(all.size() + all.records(), '\0')};
  suffix::merge_options const options{.threads = threads};
  if (in_order) {
    growing_sink sa, lcp, bwt;
    suffix::merge_arrays(all, first_records, a, b, fm, {&sa, &lcp, &bwt, entry}, options);
    return {std::string(sa.text()), std::string(lcp.text()), std::string(bwt.text())};
  }
  memory_sink sa(to.sa), lcp(to.lcp), bwt(to.bwt);
  suffix::merge_arrays(all, first_records, a, b, fm, {&sa, &lcp, &bwt, entry}, options);
  return to;
}

void check_merge(std::vector<std::string> const& records, std::size_t first_records, std::size_t entry, bool in_order,
                 unsigned threads) {
  stored_text const all(records);
  std::ptrdiff_t const middle = std::ptrdiff_t(first_records);
  stored_text const a(std::vector<std::string>(records.begin(), records.begin() + middle)),
      b(std::vector<std::string>(records.begin() + middle, records.end()));
  suffix::extra_arrays const extra{.lcp = true, .bwt = true};
  auto const of_a = suffix::build<std::uint32_t>(a.view(), extra), of_b = suffix::build<std::uint32_t>(b.view(), extra);
  auto const expected = suffix::build<std::uint64_t>(all.view(), extra);
  auto const file = suffix::make_fm_index(a.view(), std::span<std::uint32_t const>(of_a.sa), 64, "a.sa");
  suffix::text const text_of_a = a.view();
  suffix::fm_index const fm(file, text_of_a, "a.fm");
  merged const got = merge(all.view(), first_records, stored(of_a), stored(of_b), fm, entry, in_order, threads);
  REQUIRE(got.sa == bytes_of(expected.sa, entry));
  REQUIRE(got.lcp == bytes_of(expected.lcp, entry));
  REQUIRE(got.bwt == expected.bwt);
}

}  // namespace

TEST_CASE("merged arrays are those that are built at once", "[suffix][merge]") {
  random_numbers random(31);
  for (int trial = 0; trial < 300; ++trial) {
    std::string const alphabet = trial % 4 == 0 ? "A" : trial % 4 == 1 ? "ACGT" : trial % 4 == 2 ? "$ACGTN" : all_bytes();
    std::vector<std::string> records(2 + random.below(6));
    for (std::string& record : records) {
      record = random_letters(random, alphabet, random.below(random.below(8) == 0 ? 3000 : 40));
      if (random.below(3) == 0) record = records[random.below(records.size())];
      if (random.below(5) == 0) record.clear();
    }
    INFO("trial " << trial);
    check_merge(records, 1 + random.below(records.size() - 1), trial % 3 == 0 ? 4 : trial % 3 == 1 ? 5 : 8, trial % 2 == 0, 2);
  }
}

TEST_CASE("merges of long, equal and repetitive records", "[suffix][merge]") {
  random_numbers random(32);
  std::string const genome = random_letters(random, "ACGT", 300000);
  std::string changed = genome;
  for (int k = 0; k < 50; ++k) changed[random.below(changed.size())] = 'A';
  for (unsigned threads : {1u, 4u}) {
    check_merge({genome, changed}, 1, 4, false, threads);
    check_merge({genome, genome, "", changed}, 2, 5, false, threads);
  }
  check_merge({std::string(100000, 'A'), std::string(70000, 'A'), "CA"}, 1, 4, false, 2);
  check_merge({fibonacci_word(50000), fibonacci_word(90000)}, 1, 4, true, 2);
  check_merge({"C", repeated("AC", 30000)}, 1, 4, false, 2);  // letters that the first text lacks
  check_merge({repeated("AC", 30000), "GTTB"}, 1, 4, false, 2);
  check_merge({"", "", "A", ""}, 2, 4, false, 1);
  check_merge({"", ""}, 1, 4, false, 1);
}

TEST_CASE("wrong merges are refused", "[suffix][merge]") {
  stored_text const all(std::vector<std::string>{"GATTACA", "TACCA"}), a(std::string("GATTACA")), b(std::string("TACCA"));
  auto of_a = suffix::build<std::uint32_t>(a.view(), {.lcp = true}), of_b = suffix::build<std::uint32_t>(b.view());
  auto const file = suffix::make_fm_index(a.view(), std::span<std::uint32_t const>(of_a.sa), 2, "a.sa");
  suffix::text const text_of_a = a.view();
  suffix::fm_index const fm(file, text_of_a, "a.fm");
  growing_sink sa, lcp;
  suffix::sinks const out{&sa, nullptr, nullptr, 4};
  CHECK_THROWS_AS(suffix::merge_arrays(all.view(), 0, stored(of_a), stored(of_b), fm, out), usage_error);
  CHECK_THROWS_AS(suffix::merge_arrays(all.view(), 2, stored(of_a), stored(of_b), fm, out), usage_error);
  CHECK_THROWS_AS(suffix::merge_arrays(all.view(), 1, stored(of_b), stored(of_b), fm, out), usage_error);
  CHECK_THROWS_AS(suffix::merge_arrays(all.view(), 1, stored(of_a), stored(of_b), fm, {&sa, &lcp, nullptr, 4}), usage_error);
  CHECK_THROWS_AS(suffix::merge_arrays(all.view(), 1, stored(of_a), stored(of_b), fm, {&sa, nullptr, nullptr, 3}), usage_error);
  CHECK_THROWS_AS(suffix::merge_arrays(all.view(), 1, stored(of_a), stored(of_b), fm, out, {.memory = 10}), out_of_memory);
  suffix::text tokens = all.view();
  tokens.residue_bytes = 2;
  CHECK_THROWS_AS(suffix::merge_arrays(tokens, 1, stored(of_a), stored(of_b), fm, out), usage_error);
  CHECK_THROWS_WITH(suffix::merge_arrays(tokens, 1, stored(of_a), stored(of_b), fm, out),
                    "no bytes: merge: the texts are of tokens");
  // The letters of this text are not read.
  suffix::text const large{std::string_view(all.residues.data(), std::size_t{1} << 32), all.starts};
  CHECK_THROWS_AS(suffix::merge_arrays(large, 1, stored(of_a), stored(of_b), fm, out), usage_error);
  CHECK_THROWS_WITH(suffix::merge_arrays(large, 1, stored(of_a), stored(of_b), fm, out),
                    "index too narrow: merge: 4 bytes for 4294967296 residues");
  CHECK(sa.bytes().empty());
  auto wrong = of_b;
  wrong.sa[2] = 99;
  CHECK_THROWS_AS(suffix::merge_arrays(all.view(), 1, stored(of_a), stored(wrong), fm, out), input_error);
  wrong = of_b;
  std::ranges::reverse(wrong.sa);
  CHECK_THROWS_AS(suffix::merge_arrays(all.view(), 1, stored(of_a), stored(wrong), fm, out), input_error);
  auto other = of_a;
  other.sa[0] = 1000;
  CHECK_THROWS_AS(suffix::merge_arrays(all.view(), 1, stored(other), stored(of_b), fm, out), input_error);
}
