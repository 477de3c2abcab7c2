#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix/sparse_search.hpp"
#include "suffix/sort/build.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/suffix/suffix_policies.hpp"

using namespace ordo;

TEST_CASE("arrays with left out rows are made by ranges and in parts, too", "[suffix][policy]") {
  random_numbers random(5);
  std::string letters = random_letters(random, "ACGT", 200'000);
  letters.replace(50'000, 20'000, 20'000, 'N');
  letters += letters.substr(0, 30'000) + "NNAC" + letters.substr(1000, 5000);
  stored_text const stored(std::vector<std::string>{letters, "", letters.substr(100, 50'000)});
  suffix::text const text = stored.view();
  auto const whole = suffix::build<std::uint32_t>(text, {.lcp = true, .bwt = false});
  for (suffix::row_choice const which : {suffix::row_choice{true, 1}, {false, 7}, {true, 3}, {false, 1'000'000}}) {
    std::vector<std::uint64_t> sa, lcp;
    std::uint64_t least = 0;
    bool fresh = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::uint64_t const p = whole.sa[i];
      least = fresh ? whole.lcp[i] : std::min<std::uint64_t>(least, whole.lcp[i]);
      fresh = false;
      if ((p - text.begin_of(text.record_of(p))) % which.sample != 0 || (which.skip_ambiguous && text.residues[p] == 'N'))
        continue;
      sa.push_back(p);
      lcp.push_back(least);
      fresh = true;
    }
    CHECK(suffix::row_count(text, which) == sa.size());
    CHECK(suffix::row_count(text, which, 1) == sa.size());
    for (device const where : devices()) {
      auto const plan = suffix::memory_needed(where, text.size(), text.records(), 4, {true, false}, which);
      for (std::size_t const memory : {plan.least, plan.quickest, plan.most, std::size_t{1} << 40}) {
        suffix::options how;
        how.machine.device = where;
        how.rows = which;
        how.memory = where == device::cpu ? memory : how.memory;
        INFO(memory << " of " << plan.least << " to " << plan.most);
        bytes_sink to_sa, to_lcp;
        try {
          suffix::build_into<std::uint32_t>(text, {&to_sa, &to_lcp}, how);
          CHECK((numbers_in(to_sa.all, 4) == sa));
          CHECK((numbers_in(to_lcp.all, 4) == lcp));
        } catch (out_of_memory const&) {
          CHECK(memory < plan.most);
        }
      }
    }
    // No more memory than is planned.
    auto const plan = suffix::memory_needed(device::cpu, text.size(), text.records(), 4, {true, false}, which);
    {
      std::vector<std::uint32_t> order(text.size()), lengths(text.size());
      bytes_sink to_sa, to_lcp;
      std::size_t const peak = suffix::detail::build_on_host<std::uint32_t>(
          text, {{true, false}, {order, lengths, {}}, {&to_sa, &to_lcp}, which}, {});
      CHECK(peak <= plan.most);
      if (which.sample < 7) CHECK(peak > plan.quickest - plan.quickest / 4);  // else most of it is the text
      CHECK((numbers_in(to_sa.all, 4) == sa));
    }
    // No order in the host's memory: part by part, as on a GPU.
    std::size_t made = 0;
    for (std::size_t k = 1; k <= 4; ++k) {
      suffix::options how;
      how.memory = k * plan.most;
      bytes_sink to_sa, to_lcp;
      try {
        suffix::detail::build_on_host<std::uint32_t>(text, {{true, false}, {}, {&to_sa, &to_lcp}, which}, how);
        CHECK((numbers_in(to_sa.all, 4) == sa));
        CHECK((numbers_in(to_lcp.all, 4) == lcp));
        ++made;
      } catch (out_of_memory const&) {}
    }
    CHECK(made != 0);
  }
}

TEST_CASE("left out rows are dropped over the bounds of what is looked at together", "[suffix][policy]") {
  std::size_t const n = (std::size_t{1} << 20) + 5000;  // sixteen times what a filter takes at a time
  random_numbers random(9);
  std::string letters = random_letters(random, "ACGT", n);
  letters.replace(1000, n - 200'000, n - 200'000, 'N');  // many parts are dropped, and some are not
  for (device const where : devices())
    for (suffix::row_choice const which : {suffix::row_choice{true, 1}, {false, 2}, {false, n - 1}}) {
      suffix::options how;
      how.machine.device = where;
      suffix::text const text{letters};
      auto const whole = suffix::build<std::uint32_t>(text, {.lcp = true, .bwt = false}, how);
      how.rows = which;
      auto const made = suffix::build<std::uint32_t>(text, {.lcp = true, .bwt = false}, how);
      std::size_t row = 0;
      std::uint32_t least = 0;
      for (std::size_t i = 0; i < n; ++i) {
        least = std::min(least, whole.lcp[i]);
        std::uint32_t const p = whole.sa[i];
        if (p % which.sample != 0 || (which.skip_ambiguous && letters[p] == 'N')) continue;
        REQUIRE(row < made.sa.size());
        REQUIRE(made.sa[row] == p);
        REQUIRE(made.lcp[row++] == least);
        least = ~std::uint32_t{0};
      }
      REQUIRE(row == made.sa.size());
      suffix::arrays<std::uint32_t const> const all{made.sa, made.lcp, {}};
      CHECK_FALSE(suffix::check(text, all, how).has_value());
    }
}

TEST_CASE("check finds every planted fault of arrays with left out rows", "[suffix][policy]") {
  random_numbers random(3);
  stored_text const stored(
      std::vector<std::string>{random_letters(random, "ACGTN", 200), "", random_letters(random, "AN", 90), "NNNN", "A"});
  suffix::text const text = stored.view();
  for (device const where : devices())
    for (suffix::row_choice const which : {suffix::row_choice{true, 1}, {false, 2}, {true, 3}}) {
      suffix::options how;
      how.machine.device = where;
      how.rows = which;
      auto const right = suffix::build<std::uint64_t>(text, {.lcp = true, .bwt = false}, how);
      std::size_t const rows = right.sa.size();
      auto const fault_of = [&](auto const& any) {
        return suffix::check(text, suffix::arrays<std::uint64_t const>{any.sa, any.lcp, {}}, how);
      };
      REQUIRE_FALSE(fault_of(right).has_value());
      auto const expect = [&](auto const& any, char const* array, std::size_t row) {
        auto const found = fault_of(any);
        REQUIRE(found.has_value());
        CHECK(found->array == array);
        CHECK(found->row == row);
      };
      for (int trial = 0; trial < 40; ++trial) {
        std::size_t const a = random.below(rows), b = random.below(rows);
        auto any = right;
        if (a != b) {
          std::swap(any.sa[a], any.sa[b]);
          expect(any, "sa", std::min(a, b));
          any = right;
          any.sa[a] = any.sa[b];
          expect(any, "sa", a);
        }
        any = right;  // one that is left out
        std::uint64_t outside = random.below(text.size());
        while (std::ranges::find(right.sa, outside) != right.sa.end()) outside = random.below(text.size());
        any.sa[a] = outside;
        expect(any, "sa", a);
        for (std::uint64_t const bad : {std::uint64_t(text.size()), ~std::uint64_t{0}}) {
          any.sa[a] = bad;
          expect(any, "sa", a);
        }
        any = right;  // a row less
        any.sa.erase(any.sa.begin() + std::ptrdiff_t(a));
        any.lcp.erase(any.lcp.begin() + std::ptrdiff_t(a));
        expect(any, "sa", a);
        any = right;  // a row too many
        any.sa.insert(any.sa.begin() + std::ptrdiff_t(a), outside);
        any.lcp.insert(any.lcp.begin() + std::ptrdiff_t(a), 0);
        expect(any, "sa", a);
        any = right;
        any.sa.push_back(outside);
        any.lcp.push_back(0);
        expect(any, "sa", rows);
        any = right;
        any.lcp[a] += random.below(2) == 0 ? 1 : ~std::uint64_t{0};
        expect(any, "lcp", a);
      }
      auto none = right;
      none.sa.clear();
      none.lcp.clear();
      expect(none, "sa", 0);
    }
  suffix::options how;
  how.rows = {false, 2};
  CHECK_THROWS_AS(suffix::build(text, {.lcp = false, .bwt = true}, how), usage_error);
  how.rows = {false, 0};
  CHECK_THROWS_AS(suffix::build(text, suffix::wanted{}, how), usage_error);
}

TEST_CASE("patterns are found by the rows that are left", "[suffix][policy]") {
  random_numbers random(8);
  for (suffix::row_choice const which : {suffix::row_choice{true, 1}, {false, 2}, {false, 3}, {true, 2}, {true, 3}})
    for (int trial = 0; trial < 60; ++trial) {
      stored_text const stored(random_records(random, trial % 2 == 0 ? "ACGTN" : "AAN"));
      suffix::text const text = stored.view();
      suffix::options how;
      how.rows = which;
      auto const made = suffix::build<std::uint32_t>(text, suffix::wanted{}, how);
      suffix::searcher const rows(text, std::span<std::uint32_t const>(made.sa));
      suffix::sparse_searcher const search(text, rows, which);
      for (int k = 0; k < 40; ++k) {
        std::string pattern = random_letters(random, "ACGTN", 1 + random.below(6));
        if (k % 2 == 0 && text.size() != 0) pattern = text.residues.substr(random.below(text.size()), 1 + random.below(9));
        std::vector<std::uint64_t> right;
        for (std::size_t p = 0; p + pattern.size() <= text.size(); ++p)
          if (text.residues.substr(p, pattern.size()) == pattern && p + pattern.size() <= text.end_of(text.record_of(p)))
            right.push_back(p);
        bool findable = true;  // is every occurrence sure to have a row?
        for (std::size_t first = 0; first < which.sample; ++first) {
          bool any = false;
          for (std::size_t s = first; s < pattern.size(); s += which.sample) any |= !which.skip_ambiguous || pattern[s] != 'N';
          findable &= any;
        }
        INFO(pattern << " in " << text.residues << ", " << which.sample);
        if (findable)
          CHECK(search.locate(pattern) == right);
        else
          CHECK_THROWS_AS(search.locate(pattern), input_error);
      }
    }
}
