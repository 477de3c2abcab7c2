#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix/search.hpp"
#include "suffix/arrays/build.hpp"
#include "suffix/arrays/rows.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/suffix/text/policies.hpp"

using namespace ordo;

TEST_CASE("arrays with left out rows are made by ranges and in parts, too", "[suffix][policy]") {
  random_numbers random(5);
  std::string letters = random_letters(random, "ACGT", 200'000);
  letters.replace(50'000, 20'000, 20'000, 'N');
  letters += letters.substr(0, 30'000) + "NNAC" + letters.substr(1000, 5000);
  stored_text const stored(std::vector<std::string>{letters, "", letters.substr(100, 50'000)});
  suffix::text const text = stored.view();
  auto const whole = suffix::build<std::uint32_t>(text, {.lcp = true, .bwt = false});
  for (suffix::row_selection const which : {suffix::row_selection{true, 1}, {false, 7}, {true, 3}, {false, 1'000'000}}) {
    std::vector<std::uint64_t> sa, lcp;
    std::uint64_t min_length = 0;
    bool fresh = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::uint64_t const p = whole.sa[i];
      min_length = fresh ? whole.lcp[i] : std::min<std::uint64_t>(min_length, whole.lcp[i]);
      fresh = false;
      if ((p - text.begin(text.record_at(p))) % which.sample != 0 || (which.skip_ambiguous && text.residues[p] == 'N'))
        continue;
      sa.push_back(p);
      lcp.push_back(min_length);
      fresh = true;
    }
    CHECK(suffix::num_rows(text, which) == sa.size());
    CHECK(suffix::num_rows(text, which, 1) == sa.size());
    for (device const where : devices()) {
      auto const plan = suffix::build_memory(where, text.size(), text.records(), 4, {true, false}, which);
      for (std::size_t const memory : {plan.min_bytes, plan.fast_bytes, plan.max_bytes, std::size_t{1} << 40}) {
        suffix::build_options options;
        options.machine.device = where;
        options.rows = which;
        options.memory = where == device::cpu ? memory : options.memory;
        INFO(memory << " of " << plan.min_bytes << " to " << plan.max_bytes);
        test_sink to_sa(true), to_lcp(true);
        try {
          suffix::build_into<std::uint32_t>(text, {&to_sa, &to_lcp}, options);
          CHECK((numbers_in(to_sa.text(), 4) == sa));
          CHECK((numbers_in(to_lcp.text(), 4) == lcp));
        } catch (out_of_memory const&) {
          CHECK(memory < plan.max_bytes);
        }
      }
    }
    // Not more memory than planned.
    auto const plan = suffix::build_memory(device::cpu, text.size(), text.records(), 4, {true, false}, which);
    {
      std::vector<std::uint32_t> order(text.size()), lengths(text.size());
      test_sink to_sa(true), to_lcp(true);
      std::size_t const peak = suffix::detail::host_builder<std::uint32_t>().build(
          text, {{true, false}, {order, lengths, {}}, {&to_sa, &to_lcp}, which}, {}, 0);
      CHECK(peak <= plan.max_bytes);
      if (which.sample < 7) CHECK(peak > plan.fast_bytes - plan.fast_bytes / 4);  // otherwise most of it is the text
      CHECK((numbers_in(to_sa.text(), 4) == sa));
    }
    // No order in host memory: part by part, as on a GPU.
    std::size_t made = 0;
    for (std::size_t k = 1; k <= 4; ++k) {
      suffix::build_options options;
      options.memory = k * plan.max_bytes;
      test_sink to_sa(true), to_lcp(true);
      try {
        suffix::detail::host_builder<std::uint32_t>().build(text, {{true, false}, {}, {&to_sa, &to_lcp}, which}, options, 0);
        CHECK((numbers_in(to_sa.text(), 4) == sa));
        CHECK((numbers_in(to_lcp.text(), 4) == lcp));
        ++made;
      } catch (out_of_memory const&) {}
    }
    CHECK(made != 0);
  }
}

TEST_CASE("left out rows are dropped over the bounds of what is looked at together", "[suffix][policy]") {
  std::size_t const n = (std::size_t{1} << 20) + 5000;  // sixteen times the rows that a filter processes at a time
  random_numbers random(9);
  std::string letters = random_letters(random, "ACGT", n);
  letters.replace(1000, n - 200'000, n - 200'000, 'N');  // many parts are dropped, and some are not
  for (device const where : devices())
    for (suffix::row_selection const which : {suffix::row_selection{true, 1}, {false, 2}, {false, n - 1}}) {
      suffix::build_options options;
      options.machine.device = where;
      suffix::text const text{letters};
      auto const whole = suffix::build<std::uint32_t>(text, {.lcp = true, .bwt = false}, options);
      options.rows = which;
      auto const made = suffix::build<std::uint32_t>(text, {.lcp = true, .bwt = false}, options);
      std::size_t row = 0;
      std::uint32_t min_length = 0;
      for (std::size_t i = 0; i < n; ++i) {
        min_length = std::min(min_length, whole.lcp[i]);
        std::uint32_t const p = whole.sa[i];
        if (p % which.sample != 0 || (which.skip_ambiguous && letters[p] == 'N')) continue;
        REQUIRE(row < made.sa.size());
        REQUIRE(made.sa[row] == p);
        REQUIRE(made.lcp[row++] == min_length);
        min_length = ~std::uint32_t{0};
      }
      REQUIRE(row == made.sa.size());
      suffix::arrays<std::uint32_t const> const all{made.sa, made.lcp, {}};
      CHECK_FALSE(suffix::check(text, all, options).has_value());
    }
}

TEST_CASE("check finds every planted fault of arrays with left out rows", "[suffix][policy]") {
  random_numbers random(3);
  stored_text const stored(
      std::vector<std::string>{random_letters(random, "ACGTN", 200), "", random_letters(random, "AN", 90), "NNNN", "A"});
  suffix::text const text = stored.view();
  for (device const where : devices())
    for (suffix::row_selection const which : {suffix::row_selection{true, 1}, {false, 2}, {true, 3}}) {
      suffix::build_options options;
      options.machine.device = where;
      options.rows = which;
      auto const right = suffix::build<std::uint64_t>(text, {.lcp = true, .bwt = false}, options);
      std::size_t const rows = right.sa.size();
      auto const fault_of = [&](auto const& any) {
        return suffix::check(text, suffix::arrays<std::uint64_t const>{any.sa, any.lcp, {}}, options);
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
        any = right;  // a row that is left out
        std::uint64_t outside = random.below(text.size());
        while (std::ranges::find(right.sa, outside) != right.sa.end()) outside = random.below(text.size());
        any.sa[a] = outside;
        expect(any, "sa", a);
        for (std::uint64_t const bad : {std::uint64_t(text.size()), ~std::uint64_t{0}}) {
          any.sa[a] = bad;
          expect(any, "sa", a);
        }
        any = right;  // a row too few
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
  suffix::build_options options;
  options.rows = {false, 2};
  CHECK_THROWS_AS(suffix::build(text, {.lcp = false, .bwt = true}, options), usage_error);
  options.rows = {false, 0};
  CHECK_THROWS_AS(suffix::build(text, suffix::extra_arrays{}, options), usage_error);
}

TEST_CASE("a check of arrays with left out rows states the memory that it lacks", "[suffix][policy]") {
  random_numbers random(9);
  std::string const letters = random_letters(random, "ACGT", 1000);
  suffix::build_options options;
  options.machine.device = device::cpu;
  options.rows = {false, 2};
  auto const made = suffix::build<std::uint32_t>({letters}, suffix::extra_arrays{}, options);
  std::size_t const whole = suffix::detail::memory_of_all_rows(letters.size(), sizeof(std::uint32_t), false);
  auto const check = [&](std::size_t memory) {
    options.memory = memory;
    return suffix::check({letters}, suffix::arrays<std::uint32_t const>{made.sa, {}, {}}, options);
  };
  CHECK_FALSE(check(~std::size_t{0}).has_value());
  CHECK_THROWS_WITH(check(whole - 1),
                    contains_text("out of memory: check of 1000 residues: " + std::to_string(whole) +
                                  " bytes are needed for all rows, " + std::to_string(whole - 1) + " are allowed"));
  // With the arrays of all rows, or without memory besides them.
  for (std::size_t const memory : {whole - 1, whole}) {
    std::size_t min_bytes = 0, bytes = 0;
    try {
      static_cast<void>(check(memory));
    } catch (suffix::text_too_large const& e) {
      min_bytes = e.min_bytes();
      bytes = e.bytes();
    }
    CHECK(min_bytes > whole);
    CHECK(bytes >= min_bytes);
  }
}

TEST_CASE("patterns are found by the rows that are left", "[suffix][policy]") {
  random_numbers random(8);
  for (suffix::row_selection const which : {suffix::row_selection{true, 1}, {false, 2}, {false, 3}, {true, 2}, {true, 3}})
    for (int trial = 0; trial < 60; ++trial) {
      stored_text const stored(random_records(random, trial % 2 == 0 ? "ACGTN" : "AAN"));
      suffix::text const text = stored.view();
      suffix::build_options options;
      options.rows = which;
      auto const made = suffix::build<std::uint32_t>(text, suffix::extra_arrays{}, options);
      suffix::searcher const rows(text, std::span<std::uint32_t const>(made.sa));
      suffix::sampled_searcher const search(text, rows, which);
      for (int k = 0; k < 40; ++k) {
        std::string pattern = random_letters(random, "ACGTN", 1 + random.below(6));
        if (k % 2 == 0 && text.size() != 0) pattern = text.residues.substr(random.below(text.size()), 1 + random.below(9));
        std::vector<std::uint64_t> right;
        for (std::size_t p = 0; p + pattern.size() <= text.size(); ++p)
          if (text.residues.substr(p, pattern.size()) == pattern && p + pattern.size() <= text.end(text.record_at(p)))
            right.push_back(p);
        bool findable = true;  // whether every occurrence certainly has a row
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
