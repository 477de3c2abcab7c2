#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <divsufsort.h>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/shard.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

suffix::build_options on(device where) {
  suffix::build_options options;
  options.machine.device = where;
  return options;
}

template <class T>
std::vector<std::uint64_t> wide(std::vector<T> const& values) {
  return {values.begin(), values.end()};
}

// All arrays of a text, in both widths, on every machine, against plain references.
void expect(suffix::text const& text, std::vector<std::uint64_t> const& sa) {
  auto const lcp = plain_lcp(text, sa);
  auto const bwt = plain_bwt(text, sa);
  for (device const where : devices()) {
    auto const narrow = suffix::build<std::uint32_t>(text, {true, true}, on(where));
    auto const broad = suffix::build<std::uint64_t>(text, {true, true}, on(where));
    CHECK(narrow.report.machine.device == where);
    REQUIRE((wide(narrow.sa) == sa));
    REQUIRE((wide(narrow.lcp) == lcp));
    REQUIRE((narrow.bwt == bwt));
    REQUIRE((broad.sa == sa));
    REQUIRE((broad.lcp == lcp));
    REQUIRE((broad.bwt == bwt));
    suffix::arrays<std::uint32_t const> const all{narrow.sa, narrow.lcp, narrow.bwt};
    REQUIRE_FALSE(suffix::check(text, all, on(where)).has_value());
  }
}

std::vector<std::uint64_t> libdivsufsort(std::string_view text) {
  std::vector<saidx_t> sa(text.size());
  if (!text.empty()) REQUIRE(divsufsort(reinterpret_cast<sauchar_t const*>(text.data()), sa.data(), saidx_t(text.size())) == 0);
  return wide(sa);
}

void expect_single(std::string const& text) {
  INFO(text.size() << " residues, beginning " << text.substr(0, 60));
  expect({text}, libdivsufsort(text));
}

void expect_records(std::vector<std::string> const& records) {
  stored_text const all(records);
  INFO(records.size() << " records, " << all.residues.size() << " residues");
  expect(all.view(), plain_suffix_array(all.view()));
}

}  // namespace

TEST_CASE("suffix array of a textbook", "[suffix][small]") {
  auto const made = suffix::build({"BANANA"}, {true, true});
  CHECK(made.sa == std::vector<std::uint32_t>{5, 3, 1, 0, 4, 2});
  CHECK(made.lcp == std::vector<std::uint32_t>{0, 1, 3, 0, 0, 2});
  CHECK(made.bwt == "ANNB$AA");
}

TEST_CASE("suffix array of random texts of every small size", "[suffix]") {
  random_numbers random(1);
  for (std::string const& alphabet : {std::string("A"), std::string("AC"), std::string("ACGT"), std::string("ACGNT"),
                                      std::string("ACDEFGHIKLMNPQRSTVWY*"), all_bytes()})
    for (std::size_t n = 0; n <= 70; ++n) expect_single(random_letters(random, alphabet, n));
}

TEST_CASE("suffix array of texts round powers of two and the lengths of a key", "[suffix]") {
  random_numbers random(2);
  for (std::string const& alphabet : {std::string("ACGT"), std::string("ACGNT"), std::string("ACGKNTY"), all_bytes()})
    for (std::size_t n : {115, 116, 117, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 65535, 65537})
      expect_single(random_letters(random, alphabet, n));
}

TEST_CASE("suffix array of repeats round the lengths of a key", "[suffix]") {
  random_numbers random(3);
  // Two copies of a string whose length is about one, two and four keys of each alphabet; followed by a difference, or by
  // nothing.
  for (std::string const& alphabet : {std::string("ACGT"), std::string("ACGNT"), std::string("ACGKMNRTY"), all_bytes()})
    for (std::size_t word = 5; word <= 118; word += word < 62 ? 1 : 7) {
      std::string const copy = random_letters(random, alphabet, word);
      expect_single(copy + copy);
      expect_single(copy + "A" + copy + "C" + copy);
      expect_single(copy + copy.substr(0, word - 1));
    }
}

TEST_CASE("suffix array of regular texts", "[suffix]") {
  for (std::size_t n : {1, 28, 29, 30, 57, 58, 59, 100, 1000, 9000}) {
    expect_single(std::string(n, 'A'));
    expect_single(std::string(n, 'A') + "C");
    expect_single("C" + std::string(n, 'A'));
    expect_single(std::string(n, 'T') + "A" + std::string(n, 'T'));
    expect_single(fibonacci_word(n));
    for (char const* unit : {"AC", "ACG", "AACAACAAT", "ACGTACGTACGTACGTACGTACGTACGTA"}) expect_single(repeated(unit, n));
  }
  expect_single(std::string(20000, 'A'));
  expect_single(de_bruijn("ACGT", 7));
  expect_single(de_bruijn("AB", 14));
  std::string ascending = repeated("ACGT", 5000), descending;
  std::sort(ascending.begin(), ascending.end());
  descending.assign(ascending.rbegin(), ascending.rend());
  expect_single(ascending);
  expect_single(descending);
  random_numbers random(4);
  std::string const half = random_letters(random, "ACGT", 30000);
  expect_single(half + half);
}

TEST_CASE("runs of one letter", "[suffix]") {
  random_numbers random(11);
  for (char const* alphabet : {"AC", "ACGT", "ACGNT", "ACDEFGHIKLMNPQRSTVWY"})
    for (std::size_t longest : {10, 22, 26, 30, 60, 300}) {
      std::vector<std::string> records(1 + random.below(8));
      std::string const letters = alphabet;
      for (std::string& record : records)
        for (std::size_t run = random.below(60); run != 0; --run)
          record += std::string(1 + random.below(random.below(4) == 0 ? longest : 3), letters[random.below(letters.size())]);
      expect_records(records);
    }
  expect_records({std::string(100, 'N'), "A" + std::string(100, 'N'), std::string(99, 'N') + "A", std::string(100, 'N') + "T",
                  std::string(100, 'N'), std::string(28, 'N'), "", std::string(29, 'N')});
}

TEST_CASE("records are compared to their end, and equal suffixes by position", "[suffix]") {
  expect_records({});
  expect_records({""});
  expect_records({"", "", ""});
  expect_records({"A"});
  expect_records({"A", "A", "A", "A"});
  expect_records({"", "A", "", "", "A", ""});
  expect_records({"C", "A", "B", "A"});
  expect_records({"ACGT", "ACGT", "ACG", "ACGTA", "CGT", "T"});
  random_numbers random(5);
  for (std::string const& alphabet :
       {std::string("A"), std::string("AC"), std::string("ACGT"), std::string("ACGNT"), all_bytes()})
    for (std::size_t longest : {1, 3, 10, 30, 64, 130, 300})
      for (std::size_t count : {2, 17, 200}) {
        std::vector<std::string> records(count);
        for (std::string& record : records) record = random_letters(random, alphabet, random.below(longest + 1));
        expect_records(records);
      }
}

TEST_CASE("identical records of every length round a key's", "[suffix]") {
  random_numbers random(6);
  for (std::size_t length :
       {1, 2, 18, 19, 20, 27, 28, 29, 30, 31, 56, 57, 58, 59, 60, 63, 64, 65, 115, 116, 117, 118, 232, 300}) {
    std::string const record = random_letters(random, "ACGT", length);
    expect_records({record, record});
    expect_records({record, record, "", record, record.substr(length / 2), record, ""});
    expect_records(std::vector<std::string>(40, std::string(length, 'A')));
    expect_records({std::string(length, 'A'), std::string(length + 1, 'A'), std::string(length - 1, 'A')});
  }
}

TEST_CASE("a text of many records at once", "[suffix]") {
  random_numbers random(7);
  std::vector<std::string> const sources{random_letters(random, "ACGT", 3000), std::string(500, 'N')};
  std::vector<std::string> reads;
  for (int i = 0; i < 3000; ++i) {
    std::string const& source = sources[i % 40 == 0];
    reads.push_back(source.substr(random.below(source.size() - 100), random.below(100)));
  }
  expect_records(reads);
}

TEST_CASE("small suffix arrays", "[suffix][small][shards]") {
  test_shard shard;
  random_numbers random(9);
  auto const expect_next = [&](std::string const& text) {
    if (shard.has_next(2)) expect_single(text);
  };
  for (std::string const& alphabet : {std::string("ACGT"), std::string("ACGNT"), all_bytes()}) {
    for (std::size_t n : {0, 1, 2, 29, 65, 257, 2049}) expect_next(random_letters(random, alphabet, n));
    std::string const word = random_letters(random, alphabet, 200);
    expect_next(word + word);
  }
  expect_next(std::string(300, 'A'));
  expect_next(fibonacci_word(1000));
  if (shard.has_next()) expect_single(random_letters(random, "ACGT", 20000));
  if (shard.has_next()) expect_records({"", "A", "", "", "A", ""});
  if (shard.has_next()) expect_records({"ACGT", "ACGT", "ACG", "ACGTA", "CGT", "T"});
  std::string const source = random_letters(random, "ACGT", 300);
  std::vector<std::string> reads(60);
  for (std::string& read : reads) read = source.substr(random.below(200), random.below(100));
  if (shard.has_next()) expect_records(reads);
}

TEST_CASE("every thread count gives the same bytes", "[suffix]") {
  random_numbers random(8);
  std::string const unit = random_letters(random, "ACGT", 20000);
  std::string const text = unit + unit + random_letters(random, "ACGT", 200000);
  suffix::build_options options = on(device::cpu);
  options.machine.threads = 1;
  auto const one = suffix::build({text}, {true, true}, options);
  options.machine.threads = 3;
  auto const three = suffix::build({text}, {true, true}, options);
  CHECK((one.sa == three.sa));
  CHECK((one.lcp == three.lcp));
  CHECK((one.bwt == three.bwt));
  CHECK((wide(one.sa) == libdivsufsort(text)));
}

TEST_CASE("phases are called in order", "[suffix]") {
  std::vector<std::string> phases;
  suffix::build_options options = on(device::cpu);
  options.on_phase = [&](std::string_view name, std::uint64_t bytes) {
    phases.emplace_back(name);
    CHECK(bytes == 4);
  };
  suffix::build({"ACGT"}, {true, true}, options);
  CHECK(phases == std::vector<std::string>{"sort", "lcp", "bwt"});
}

TEST_CASE("arrays of the wrong size and bad records are refused", "[suffix]") {
  std::vector<std::uint32_t> sa(4), shorter(3);
  using arrays = suffix::arrays<std::uint32_t>;
  CHECK_NOTHROW(suffix::build({"ACGT"}, arrays{sa, {}, {}}));
  CHECK_THROWS_AS(suffix::build({"ACGT"}, arrays{shorter, {}, {}}), usage_error);
  CHECK_THROWS_AS(suffix::build({"ACGT"}, arrays{sa, shorter, {}}), usage_error);
  std::string rows(4, ' ');
  CHECK_THROWS_AS(suffix::build({"ACGT"}, arrays{sa, {}, rows}), usage_error);
  for (std::vector<std::uint64_t> const& starts : {std::vector<std::uint64_t>{1}, {0, 3, 2}, {0, 5}})
    CHECK_THROWS_AS(suffix::build({"ACGT", starts}), usage_error);
  suffix::text const large{std::string_view(rows.data(), std::size_t{1} << 32)};  // its letters are not read
  CHECK_THROWS_AS(suffix::build(large, arrays{sa, {}, {}}), usage_error);
  CHECK_THROWS_WITH(suffix::build(large, arrays{sa, {}, {}}),
                    contains_text("index too narrow: suffix array: 4294967296 residues in 1 records do not fit 32 bits"));
}

TEST_CASE("which index fits", "[suffix]") {
  CHECK(suffix::index_fits(4, 0, 1));
  CHECK(suffix::index_fits(4, 0xfffffffeu, 1));
  CHECK_FALSE(suffix::index_fits(4, 0xffffffffu, 1));
  CHECK_FALSE(suffix::index_fits(4, 0xf0000000u, 0x10000000u));
  CHECK(suffix::index_fits(8, std::size_t{1} << 40, 1));
}

TEST_CASE("too little memory is refused before work, with the figures", "[suffix]") {
  std::string const text(1000, 'A');
  suffix::memory_estimate const plan = suffix::build_memory(device::cpu, text.size(), 1, 4, {});
  suffix::build_options options = on(device::cpu);
  options.memory = plan.max_bytes;
  CHECK(suffix::build({text}, {}, options).sa.size() == 1000);
  options.memory = plan.min_bytes - 1;
  bool started = false;
  options.on_phase = [&](std::string_view, std::uint64_t) { started = true; };
  CHECK_THROWS_AS(suffix::build({text}, {}, options), out_of_memory);
  CHECK_THROWS_WITH(suffix::build({text}, {}, options), contains_text(std::to_string(plan.min_bytes) + " bytes are needed, " +
                                                                      std::to_string(plan.min_bytes - 1) + " are allowed"));
  CHECK_FALSE(started);
}
