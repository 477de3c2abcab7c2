#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/distributed_build.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

template <class Index>
std::optional<suffix::mismatch> check(suffix::text const& text, suffix::result<Index> const& all, device where) {
  suffix::build_options options;
  options.machine.device = where;
  return suffix::check(text, suffix::arrays<Index const>{all.sa, all.lcp, all.bwt}, options);
}

stored_text sample() {
  random_numbers random(1);
  std::string const unit = random_letters(random, "ACGT", 200);
  return stored_text(
      std::vector<std::string>{unit, "", unit + unit, "A", random_letters(random, "ACGNT", 300), "A", "", unit, ""});
}

}  // namespace

TEST_CASE("check finds every planted fault, and its row", "[suffix]") {
  stored_text const records = sample();
  suffix::text const text = records.view();
  auto const right = suffix::build<std::uint32_t>(text, {true, true});
  std::size_t const n = text.size(), k = text.records();
  random_numbers random(2);
  for (device const where : devices()) {
    REQUIRE_FALSE(check(text, right, where).has_value());
    for (int trial = 0; trial < 200; ++trial) {
      std::size_t const row = random.below(n), other = random.below(n), bwt_row = random.below(n + k);
      auto wrong = right;
      INFO(row << " and " << other);
      if (row != other) {
        std::swap(wrong.sa[row], wrong.sa[other]);
        auto found = check(text, wrong, where);
        REQUIRE(found.has_value());
        CHECK(found->array == "sa");

        wrong = right;
        wrong.sa[row] = wrong.sa[other];
        found = check(text, wrong, where);
        REQUIRE(found.has_value());
        CHECK(found->array == "sa");
        CHECK(found->reason == "position " + std::to_string(right.sa[other]) + " occurs twice");
        CHECK(found->row == std::max(row, other));
      }

      for (std::uint32_t outside : {std::uint32_t(n), std::uint32_t(n + 1000), ~std::uint32_t{0}}) {
        wrong = right;
        wrong.sa[row] = outside;
        auto const found = check(text, wrong, where);
        REQUIRE(found.has_value());
        CHECK(found->reason == "there is no position " + std::to_string(outside));
        CHECK((found->array == "sa" && found->row == row));
      }

      for (std::uint32_t length :
           {right.lcp[row] + 1, right.lcp[row] - 1, std::uint32_t{0}, std::uint32_t(n), ~std::uint32_t{0}}) {
        if (length == right.lcp[row]) continue;
        wrong = right;
        wrong.lcp[row] = length;
        auto const found = check(text, wrong, where);
        REQUIRE(found.has_value());
        CHECK(found->array == "lcp");
        CHECK(found->row == row);
      }

      wrong = right;
      wrong.bwt[bwt_row] = wrong.bwt[bwt_row] == 'A' ? 'C' : 'A';
      auto const found = check(text, wrong, where);
      REQUIRE(found.has_value());
      CHECK(found->array == "bwt");
      CHECK(found->row == bwt_row);
    }
  }
}

TEST_CASE("check knows the order of equal suffixes", "[suffix][small]") {
  stored_text const records(std::vector<std::string>{"ACA", "ACA", "ACA"});
  for (device const where : devices()) {
    auto made = suffix::build<std::uint64_t>(records.view());
    REQUIRE_FALSE(check(records.view(), made, where).has_value());
    // 2, 5 and 8 are the three suffixes "A", first in the order.
    REQUIRE(made.sa[0] == 2);
    REQUIRE(made.sa[1] == 5);
    std::swap(made.sa[0], made.sa[1]);
    auto const found = check(records.view(), made, where);
    REQUIRE(found.has_value());
    CHECK(found->row == 1);
  }
}

TEST_CASE("a permutation that is not the suffix array never passes", "[suffix]") {
  // All orders, for every text of five letters over two.
  for (unsigned bits = 0; bits < 32; ++bits) {
    std::string letters(5, 'A');
    for (unsigned i = 0; i < 5; ++i)
      if (bits >> i & 1) letters[i] = 'B';
    suffix::text const text{letters};
    auto const right = suffix::build(text);
    auto any = right;
    std::sort(any.sa.begin(), any.sa.end());
    do {
      CHECK(check(text, any, device::cpu).has_value() == (any.sa != right.sa));
    } while (std::next_permutation(any.sa.begin(), any.sa.end()));
  }
}

TEST_CASE("of an LCP array that is wrong in several places the first one is named", "[suffix]") {
  auto const expect_first = [](suffix::text const& text, auto const& right, auto const& any, device where) {
    auto const found = check(text, any, where);
    auto const differing = std::ranges::mismatch(any.lcp, right.lcp).in1;
    REQUIRE(found.has_value() == (differing != any.lcp.end()));
    if (!found) return;
    CHECK(found->array == "lcp");
    CHECK(found->row == std::size_t(differing - any.lcp.begin()));
  };
  // All arrays of entries 0 to 4, for small texts.
  for (std::string const letters : {"AAAA", "ABAB", "ABBA", "AABA"}) {
    suffix::text const text{letters};
    auto const right = suffix::build(text, {.lcp = true});
    auto any = right;
    for (unsigned code = 0; code < 5 * 5 * 5 * 5; ++code) {
      for (unsigned i = 0, rest = code; i < 4; ++i, rest /= 5) any.lcp[i] = rest % 5;
      expect_first(text, right, any, device::cpu);
    }
  }
  stored_text const records = sample();
  auto const right = suffix::build<std::uint32_t>(records.view(), {.lcp = true});
  random_numbers random(3);
  for (device const where : devices())
    for (int trial = 0; trial < 100; ++trial) {
      auto any = right;
      for (int k = 0; k < 20; ++k) any.lcp[random.below(any.lcp.size())] += std::uint32_t(random.below(3)) - 1;
      expect_first(records.view(), right, any, where);
    }
}

TEST_CASE("a wrong LCP array takes no more letters to refute than a right one to prove", "[suffix]") {
  std::string const letters(std::size_t{1} << 19, 'A');  // a square loop would take too long
  suffix::text const text{letters};
  auto wrong = suffix::build(text, {.lcp = true});
  for (std::size_t i = 1001; i < wrong.lcp.size(); i += 2) wrong.lcp[i] = 0;
  for (device const where : devices()) {
    auto const found = check(text, wrong, where);
    REQUIRE(found.has_value());
    CHECK(found->array == "lcp");
    CHECK(found->row == 1001);
  }
}

TEST_CASE("check takes texts of no and of one residue", "[suffix][small]") {
  for (device const where : devices())
    for (std::vector<std::string> const& records : {std::vector<std::string>{""}, {"", ""}, {"A"}, {"", "A", ""}}) {
      stored_text const text(records);
      auto const made = suffix::build<std::uint32_t>(text.view(), {true, true});
      CHECK_FALSE(check(text.view(), made, where).has_value());
    }
}

namespace {

/// Checks with so many members, which have random shares of the rows, and compares the result with that of one machine.
template <class Index>
void expect_same_check(random_numbers& random, std::size_t size, suffix::text const& text, suffix::arrays<Index const> all) {
  auto const expected = suffix::check(text, all);
  std::vector<std::size_t> begins(size + 1, 0);
  for (std::size_t m = 1; m < size; ++m) begins[m] = random.below(all.sa.size() + 1);
  begins[size] = all.sa.size();
  std::sort(begins.begin(), begins.end());
  bool const even = random.below(2) == 0;
  std::vector<suffix::check_report> reports(size);
  auto const check = [&](communicator& members, cpu& on) {
    std::size_t const m = members.rank(), begin = begins[m], count = begins[m + 1] - begin, ends = m == 0 ? text.records() : 0;
    suffix::build_options options;
    options.machine.on = &on;
    suffix::arrays<Index const> const own{
        all.sa.subspan(begin, count), all.lcp.empty() ? all.lcp : all.lcp.subspan(begin, count),
        all.bwt.empty() ? all.bwt : all.bwt.subspan(begin + text.records() - ends, count + ends)};
    reports[m] = suffix::check<Index>(members, text, even ? suffix::share_of_rows(all, text.records(), size, m) : own, options);
  };
  run_members(size, check, 1);
  for (suffix::check_report const& report : reports) {
    REQUIRE(report.first_mismatch.has_value() == expected.has_value());
    if (!expected) continue;
    CHECK(report.first_mismatch->array == expected->array);
    CHECK(report.first_mismatch->row == expected->row);
    CHECK(report.first_mismatch->reason == expected->reason);
  }
}

template <class Index>
void expect_same_checks(suffix::text const& text, unsigned trials, std::uint64_t seed) {
  random_numbers random(seed);
  bool const is_of_bytes = text.residue_bytes == 1;
  auto const right = suffix::build<Index>(text, {true, is_of_bytes});
  std::size_t const n = text.size();
  for (unsigned trial = 0; trial < trials; ++trial) {
    auto all = right;
    std::size_t const faults = random.below(4);
    for (std::size_t fault = 0; fault < faults && n != 0; ++fault) {
      std::size_t const row = random.below(n), other = random.below(n);
      switch (random.below(7)) {
        case 0:
          std::swap(all.sa[row], all.sa[other]);
          break;
        case 1:
          all.sa[row] = all.sa[other];
          break;
        case 2:
          all.sa[row] = Index(n + random.below(3));
          break;
        case 3:
          all.lcp[row] = Index(random.below(n + 1));
          break;
        case 4:
          ++all.lcp[row];
          break;
        case 5:
          std::swap(all.sa[row], all.sa[row == 0 ? 0 : row - 1]);
          break;
        default:
          if (is_of_bytes) all.bwt[random.below(n + text.records())] = random.below(2) == 0 ? 'A' : '$';
      }
    }
    suffix::arrays<Index const> given{all.sa, all.lcp, all.bwt};
    if (random.below(4) == 0) given.lcp = {};
    if (random.below(4) == 0) given.bwt = {};
    expect_same_check<Index>(random, 1 + random.below(16), text, given);
  }
}

}  // namespace

TEST_CASE("a check over a group finds what one machine finds", "[suffix][distributed]") {
  random_numbers random(6);
  expect_same_checks<std::uint32_t>(sample().view(), 60, 7);
  expect_same_checks<std::uint64_t>(sample().view(), 20, 8);
  for (auto const& records : std::vector<std::vector<std::string>>{
           {""}, {"A"}, {"CA"}, {"A", "A", "A"}, {"", "", "CA", ""}, {std::string(3000, 'A')}, {std::string(70, 'A'), "", "A"}})
    expect_same_checks<std::uint32_t>(stored_text(records).view(), 12, random());
  stored_text const words(std::vector<std::string>{random_letters(random, "AB", 400), random_letters(random, "AB", 100)});
  suffix::text tokens = words.view();
  std::vector<std::uint64_t> starts(tokens.starts.begin(), tokens.starts.end());
  for (std::uint64_t& start : starts) start /= 2;
  tokens.residue_bytes = 2;
  tokens.starts = starts;
  expect_same_checks<std::uint32_t>(tokens, 12, 9);
}

TEST_CASE("a check over a group states what it cannot do", "[suffix][distributed]") {
  stored_text const records = sample();
  suffix::text const text = records.view();
  auto const right = suffix::build<std::uint32_t>(text, {true, true});
  suffix::arrays<std::uint32_t const> const all{right.sa, right.lcp, right.bwt};
  auto const check = [&](suffix::build_options options, std::size_t missing) {
    run_members(3, [&](communicator& members, cpu& on) {
      suffix::build_options here = options;
      here.machine.on = &on;
      auto own = suffix::share_of_rows(all, text.records(), 3, members.rank());
      if (members.rank() == 1) own.sa = own.sa.first(own.sa.size() - missing);
      static_cast<void>(suffix::check<std::uint32_t>(members, text, own, here));
    });
  };
  suffix::build_options options;
  CHECK_NOTHROW(check(options, 0));
  CHECK_THROWS_AS(check(options, 1), usage_error);
  options.rows.sample = 2;
  CHECK_THROWS_AS(check(options, 0), usage_error);
  options.rows = {};
  options.memory = 1000;
  CHECK_THROWS_AS(check(options, 0), out_of_memory);
}
