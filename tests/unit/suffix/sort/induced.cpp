#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sort_core/host/backend.hpp"
#include "suffix/arrays/build.hpp"
#include "suffix/sort/induced_sort.hpp"
#include "suffix/sort/repetition.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

// Repetitive texts, which the CPU sorts by induction.
namespace {

using namespace ordo;
using namespace ordo::suffix::detail;

/// Copies of `original`, each with random substitutions.
std::vector<std::string> copies_of(random_numbers& random, std::string const& original, std::size_t copies,
                                   std::size_t substitutions) {
  std::vector<std::string> all(copies, original);
  for (std::string& copy : all)
    for (std::size_t k = 0; k < substitutions; ++k) copy[random.below(copy.size())] = "ACGT"[random.below(4)];
  return all;
}

std::string fibonacci(std::size_t n) {
  std::string last = "A", all = "AC";
  while (all.size() < n) all += std::exchange(last, all);
  return all.substr(0, n);
}

/// Sorts by induction, the packed text and its bytes, and checks the memory that it states.
template <class Index>
void expect_order(suffix::text const& text, std::vector<std::uint64_t> const& right) {
  host_backend backend;
  packed_text<host_backend> const packed(backend, text);
  std::span const bytes(reinterpret_cast<unsigned char const*>(text.residues.data()), text.size());
  using sort = induced_sort<host_backend, Index>;
  auto const expect = [&](auto const& letters) {
    std::vector<Index> order(text.size());
    std::size_t const held = backend.pool().in_use();
    backend.pool().reset_peak();
    sort::sort(backend, letters, packed.breaks().bounds(), std::span<Index>(order));
    REQUIRE(std::ranges::equal(order, right));
    CHECK(backend.pool().peak() - held <= sort::memory(text.size(), 256));
  };
  expect(packed.view());
  expect(bytes);
}

void expect_order(std::vector<std::string> const& records) {
  stored_text const stored(records);
  suffix::text const text = stored.view();
  INFO(text.records() << " records: " << stored.residues.substr(0, 200));
  std::vector<std::uint64_t> const right = plain_suffix_array(text);
  expect_order<std::uint32_t>(text, right);
  expect_order<std::uint64_t>(text, right);
}

repetition repetition_of(stored_text const& stored) {
  host_backend backend;
  packed_text<host_backend> const packed(backend, stored.view());
  return repetition_estimate<host_backend, std::uint32_t>::of(backend, packed.view(), stored.residues.size());
}

/// Builds the arrays on the CPU with a number of threads.
/// @returns its peak memory
template <class Index>
std::size_t build_on_cpu(suffix::text const& text, suffix::arrays<Index> out, unsigned threads, std::size_t memory) {
  suffix::build_options options;
  options.machine.device = device::cpu;
  options.machine.threads = threads;
  options.memory = memory;
  return host_builder<Index>().build(text, {{!out.lcp.empty(), !out.bwt.empty()}, out, {}}, options, 0);
}

/// Checks all arrays, with 1 to 4 threads, in 12 bytes a residue, less one for the residue and an entry.
template <class Index>
void expect_arrays(suffix::text const& text, std::vector<std::uint64_t> const& right) {
  std::size_t const n = text.size();
  std::vector<std::uint64_t> const lengths = plain_lcp(text, right);
  std::string const rows = plain_bwt(text, right);
  for (unsigned threads = 1; threads <= 4; ++threads) {
    std::vector<Index> sa(n), lcp(n);
    std::string bwt(n + text.records(), ' ');
    std::size_t const max_count = (12 - 1 - 4) * sizeof(Index) / 4 * n;
    CHECK(build_on_cpu<Index>(text, {sa, {}, {}}, threads, std::size_t{1} << 40) <= max_count);
    CHECK(std::ranges::equal(sa, right));
    std::ranges::fill(sa, Index{0});
    build_on_cpu<Index>(text, {sa, lcp, bwt}, threads, std::size_t{1} << 40);
    CHECK(std::ranges::equal(sa, right));
    CHECK(std::ranges::equal(lcp, lengths));
    CHECK((bwt == rows));
  }
}

}  // namespace

TEST_CASE("induced sorting gives the order of any text", "[suffix]") {
  random_numbers random(51);
  for (std::string const& letters : {std::string("A"), std::string("AB"), std::string("ACGT"), all_bytes()})
    for (std::size_t round = 0; round < 150; ++round) {
      std::vector<std::string> records(1 + random.below(5));
      for (std::string& record : records) record = random_letters(random, letters, random.below(60));
      expect_order(records);
      std::string const one = random_letters(random, letters, 1 + random.below(70)), unit = one.substr(0, 1 + random.below(4));
      expect_order({one, one, one});
      expect_order({one + one, one.substr(one.size() / 2), one});
      expect_order({one + std::string(one.rbegin(), one.rend())});
      expect_order({repeated(unit, 1 + random.below(100)), repeated(unit, 1 + random.below(100))});
    }
  for (std::size_t const n : {0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 5000}) {
    expect_order({std::string(n, 'A')});
    expect_order({fibonacci(n)});
    expect_order({repeated("AC", n), "", repeated("CA", n)});
    expect_order(copies_of(random, random_letters(random, "ACGT", n + 1), 3, n / 1000));
  }
  expect_order(std::vector<std::string>(3000, "C"));
  std::vector<std::string> tiny(3000);
  for (std::string& record : tiny) record = random_letters(random, "ACGT", random.below(4));
  expect_order(tiny);
  // More than 2^16 names of substrings, and some that repeat.
  std::string const many = random_letters(random, all_bytes(), 250'000);
  expect_order({many, many.substr(0, 1000)});
}

TEST_CASE("induced sorting collects entries in batches", "[suffix]") {
  random_numbers random(55);
  // Few letters have long buckets; 0 and 255 are the first and the last byte.
  for (std::string const& letters : {std::string("AB"), std::string("AAAAAAAAAB"), std::string("ACGT"), std::string("ACGNT"),
                                     std::string("\0\xff", 2), std::string("\x7f\x80")})
    for (std::size_t const n : {7, 8, 9, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 1000, 3000}) {
      std::string const one = random_letters(random, letters, n);
      std::string const back(one.rbegin(), one.rend());
      expect_order({one});
      expect_order({back, "", one});
      expect_order({one + back + one});
      expect_order({std::string(n, letters.front()) + letters.back() + std::string(n, letters.front())});
      expect_order({std::string(n, letters.back()) + letters.front() + std::string(n, letters.back())});
    }
  std::string const word = fibonacci(2000);
  expect_order({std::string(word.rbegin(), word.rend())});
}

TEST_CASE("one thread sorts a text that it does not pack", "[suffix][memory]") {
  random_numbers random(56);
  for (std::string const& letters : {std::string("ACGT"), all_bytes()})
    for (std::size_t const records : {1, 3}) {
      std::vector<std::string> parts(records);
      for (std::string& part : parts) part = random_letters(random, letters, 60'000);
      stored_text const stored(parts);
      suffix::text const text = stored.view();
      std::vector<std::uint64_t> const right = plain_suffix_array(text);
      std::vector<std::uint32_t> sa(text.size());
      std::size_t const peak = build_on_cpu<std::uint32_t>(text, {sa, {}, {}}, 1, std::size_t{1} << 40);
      CHECK(std::ranges::equal(sa, right));
      if (records == 1 && letters.size() == 4) CHECK(peak < text.size() / 2);  // without a copy of the letters
      // In less memory it packs the text and sorts by ranges, or refuses.
      for (std::size_t const memory : {peak, peak - 1}) {
        std::ranges::fill(sa, 0);
        std::size_t taken = 0;
        try {
          taken = build_on_cpu<std::uint32_t>(text, {sa, {}, {}}, 1, memory);
        } catch (out_of_memory const&) {
          CHECK(memory < peak);
          continue;
        }
        CHECK(taken <= memory);
        CHECK(std::ranges::equal(sa, right));
      }
    }
}

TEST_CASE("how often a text repeats itself is estimated", "[suffix]") {
  random_numbers random(52);
  std::string const genome = random_letters(random, "ACGT", 100'000);
  for (std::string const& text : {genome, std::string{}, std::string(20, 'A'), std::string(100'000, 'A')}) {
    repetition const none = repetition_of(stored_text(text));
    CHECK(none.copies == 0);
    CHECK(none.share == 0);
  }
  repetition const twice = repetition_of(stored_text(std::vector<std::string>{genome, genome}));
  CHECK(twice.copies > 0.7);
  CHECK(twice.copies < 1.3);
  CHECK(twice.share > 0.5);
  repetition const often = repetition_of(stored_text(copies_of(random, genome.substr(0, 2000), 100, 1)));
  CHECK(often.copies > 30);
  CHECK(often.copies < 120);
  CHECK(often.share > 0.25);
  CHECK(repetition_of(stored_text(repeated("AC", 100'000))).share > 0.5);
  // Many copies of a small part of the text.
  std::string part;
  for (int k = 0; k < 40; ++k) part += genome.substr(0, 700);
  repetition const family = repetition_of(stored_text(random_letters(random, "ACGT", 400'000) + part));
  CHECK(family.copies > 1);
  CHECK(family.share < 0.2);
  // Runs of one letter are settled separately. Copies that agree in fewer letters do not count.
  CHECK(repetition_of(stored_text(genome + std::string(100'000, 'N') + genome.substr(0, 100))).copies < 0.1);
  CHECK(repetition_of(stored_text(std::vector<std::string>(2000, genome.substr(0, 60)))).copies == 0);
}

TEST_CASE("collections of nearly alike records take little memory", "[suffix][memory]") {
  random_numbers random(53);
  for (auto const& [size, copies, substitutions] :
       {std::array<std::size_t, 3>{1500, 300, 1}, {1500, 200, 0}, {40'000, 2, 4}, {30'000, 4, 3}}) {
    stored_text const stored(copies_of(random, random_letters(random, "ACGT", size), copies, substitutions));
    suffix::text const text = stored.view();
    INFO(copies << " records of " << size);
    CHECK(repetition_of(stored).share > 0.25);
    std::vector<std::uint64_t> const right = plain_suffix_array(text);
    expect_arrays<std::uint32_t>(text, right);
    expect_arrays<std::uint64_t>(text, right);
  }
}

TEST_CASE("what workers have no memory for is sorted by induction", "[suffix][memory]") {
  random_numbers random(54);
  // Common prefixes that are too short to count as repetition: workers start.
  stored_text const stored(std::vector<std::string>(3000, random_letters(random, "ACGT", 63)));
  suffix::text const text = stored.view();
  std::vector<std::uint64_t> const right = plain_suffix_array(text), lengths = plain_lcp(text, right);
  for (bool const with_lcp : {false, true}) {
    auto const plan = suffix::build_memory(device::cpu, text.size(), text.records(), 4, {with_lcp, false});
    for (std::size_t const memory : {plan.max_bytes, std::size_t{1} << 40}) {
      std::vector<std::uint32_t> sa(text.size()), lcp(with_lcp ? text.size() : 0);
      CHECK(build_on_cpu<std::uint32_t>(text, {sa, lcp, {}}, 2, memory) <= plan.max_bytes);
      CHECK(std::ranges::equal(sa, right));
      if (with_lcp) CHECK(std::ranges::equal(lcp, lengths));
    }
  }
}
