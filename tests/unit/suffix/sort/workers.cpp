#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sort_core/host/backend.hpp"
#include "suffix/arrays/build.hpp"
#include "suffix/sort/worker_sort.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/repetitive_texts.hpp"
#include "tests/unit/suffix/text/texts.hpp"

// Parts of the suffix sort that only a machine with workers uses.
namespace {

using namespace ordo;
using namespace ordo::suffix::detail;

constexpr std::size_t plenty = std::size_t{1} << 40;

}  // namespace

TEST_CASE("suffixes in repeats are compared along diagonals", "[suffix]") {
  random_numbers random(32);
  for (sorted_text const& one : repetitive_texts()) {
    INFO(one.name);
    suffix::text const text = one.text.view();
    host_backend backend;
    packed_text<host_backend> const packed(backend, text);
    packed_view const view = packed.first_view();
    std::vector<std::uint64_t> const& sa = one.sa;
    std::vector<std::size_t> rank(text.size());
    for (std::size_t i = 0; i < sa.size(); ++i) rank[sa[i]] = i;
    long_diagonals shared(0);
    diagonals known(view, view.letters, shared);
    known.allow(plenty);
    // Neighbours in the order, and some at a larger distance, mostly at consecutive positions.
    for (std::size_t p = 0; p < text.size(); p += 1 + random.below(3))
      for (std::size_t const further : {1, 2, 5}) {
        if (rank[p] + further >= sa.size()) continue;
        std::size_t const q = sa[rank[p] + further], first = std::min<std::size_t>(p, q), later = std::max<std::size_t>(p, q);
        std::uint64_t const key = view.key(p);
        if (key != view.key(q) || view.ends(key)) continue;
        auto const right = rank[later] < rank[first] ? diagonals::answer::yes : diagonals::answer::no;
        REQUIRE(known.is_less(later, first) == right);
      }
  }
}

TEST_CASE("a record that ends where a long repeat begins", "[suffix]") {
  random_numbers random(35);
  std::string const before = random_letters(random, "ACGT", 300), repeat = random_letters(random, "ACGT", 50'000) + "T";
  std::string less = repeat;
  less.back() = 'A';
  stored_text const stored(std::vector<std::string>{before, repeat, before + less});
  host_backend backend;
  packed_text<host_backend> const packed(backend, stored.view());
  packed_view const view = packed.first_view();
  std::size_t const distance = before.size() + repeat.size();
  for (std::size_t const known_from : {std::size_t{0}, std::size_t{1}, std::size_t{64}}) {
    long_diagonals shared(0);
    diagonals known(view, view.letters, shared);
    known.allow(plenty);
    CHECK(known.is_less(before.size() + known_from + distance, before.size() + known_from) == diagonals::answer::yes);
    for (std::size_t p = before.size() - view.letters + 1; p-- > 0;)
      CHECK(known.is_less(p + distance, p) == diagonals::answer::no);
  }
  // A pair before one whose first difference is known: only the letters between them are compared.
  long_diagonals shared(0);
  diagonals strict(view, view.letters, shared);
  strict.allow(repeat.size() / 32 + 10);
  CHECK(strict.is_less(before.size() + 1000 + distance, before.size() + 1000) == diagonals::answer::yes);
  strict.allow(100);
  CHECK(strict.is_less(before.size() + distance, before.size()) == diagonals::answer::yes);
}

TEST_CASE("threads share what they have found of long repeats", "[suffix]") {
  random_numbers random(37);
  // Letters of a step, and of a number of legs.
  constexpr std::size_t step = 32, leg = step * long_diagonals::leg;
  std::string const before = random_letters(random, "ACGT", 500), repeat = random_letters(random, "ACGT", 10 * leg) + "T";
  std::string less = repeat;
  less.back() = 'A';
  stored_text const stored(before + repeat + before + less);
  host_backend backend;
  packed_text<host_backend> const packed(backend, stored.view());
  packed_view const view = packed.first_view();
  std::size_t const distance = before.size() + repeat.size();
  auto const compare = [&](long_diagonals& shared, std::size_t steps, std::size_t from_end) {
    diagonals known(view, view.letters, shared);
    known.allow(steps);
    std::size_t const p = distance - from_end;
    return known.is_less(p + distance, p);
  };
  using answer = diagonals::answer;
  std::size_t const few = long_diagonals::leg + 10;
  long_diagonals shared(0);
  CHECK(compare(shared, few, 6 * leg) == answer::unknown);
  CHECK(compare(shared, 7 * long_diagonals::leg, 6 * leg) == answer::yes);
  CHECK(compare(shared, few, 5 * leg) == answer::yes);  // after one leg, from any position
  CHECK(compare(shared, few, 2 * leg) == answer::yes);
  CHECK(compare(shared, few, 8 * leg) == answer::unknown);
  CHECK(compare(shared, 2 * few, 8 * leg) == answer::yes);  // up to the known stretch
  CHECK(compare(shared, few, 8 * leg) == answer::yes);      // which is longer now

  // The budget of legs is shared.
  long_diagonals some(3 * long_diagonals::leg + 5);
  CHECK(compare(some, few, 4 * leg + step) == answer::yes);
  CHECK_FALSE(some.spend_leg());
  long_diagonals fewer(2 * long_diagonals::leg);
  CHECK(compare(fewer, few, 4 * leg + step) == answer::unknown);
  CHECK_FALSE(fewer.spend_leg());
  // A miss does not wait: another distance, another part.
  CHECK(shared.find(0, distance).distance == 0);
  CHECK(shared.find(distance - 8 * leg, distance + 1).distance == 0);
  CHECK(shared.find(distance - 8 * leg, distance).end >= distance - 1);
}

TEST_CASE("comparing along diagonals takes no more steps than are allowed", "[suffix]") {
  stored_text const stored(repeated("ACGTTGCAAT", 100'000));
  host_backend backend;
  packed_text<host_backend> const packed(backend, stored.view());
  packed_view const view = packed.first_view();
  long_diagonals none(0), others(0);
  diagonals known(view, view.letters, none);
  CHECK(known.is_less(10, 0) == diagonals::answer::unknown);
  // The result of a walk is kept: 100,000 letters are 3125 steps.
  for (int k = 0; k < 3; ++k) {
    known.allow(1000);
    CHECK(known.is_less(10, 0) == diagonals::answer::unknown);
    CHECK_FALSE(known.may_go_on());
  }
  known.allow(1000);
  CHECK(known.is_less(10, 0) == diagonals::answer::yes);
  CHECK(known.may_go_on());
  CHECK(known.is_less(50'010, 50'000) == diagonals::answer::yes);

  std::vector<std::uint32_t> suffixes = {0, 10, 20, 30}, before = suffixes;
  diagonals strict(view, view.letters, others);
  strict.allow(100);
  CHECK_FALSE(sort_by_diagonals(strict, suffixes.data(), suffixes.size()));
  CHECK(suffixes == before);
  strict.allow(plenty);
  CHECK(sort_by_diagonals(strict, suffixes.data(), suffixes.size()));
  CHECK(suffixes == std::vector<std::uint32_t>{30, 20, 10, 0});
  std::vector<std::uint32_t> many(max_group_size + 1);
  for (std::uint32_t k = 0; k < many.size(); ++k) many[k] = 10 * k;
  CHECK_FALSE(sort_by_diagonals(strict, many.data(), many.size()));
  many.pop_back();
  CHECK(sort_by_diagonals(strict, many.data(), many.size()));
  CHECK(std::ranges::is_sorted(many, std::greater<>{}));
}

TEST_CASE("workers sort suffixes", "[suffix]") {
  for (sorted_text const& one : repetitive_texts()) {
    suffix::text const text = one.text.view();
    std::size_t const n = text.size();
    std::vector<std::uint64_t> const &right = one.sa, &lengths = one.lcp;
    for (unsigned const threads : {1u, 3u})
      for (std::size_t const at_a_time : {n, n / 7, std::size_t{1}}) {
        INFO(one.name << ", " << threads << " threads, " << at_a_time << " at a time");
        host_backend backend(threads);
        packed_text<host_backend> const packed(backend, text);
        packed_view const view = packed.first_view();
        std::vector<std::uint32_t> order(n), lcp(n);
        letter_runs<host_backend> const runs(backend, view, n);
        auto const ranges = divide_by_letters(backend, view, n, 3000, std::span(order), every_position{});
        worker_sort<host_backend, std::uint32_t> sort(backend, view, runs, order, lcp, at_a_time);
        std::vector<bool> is_left(n);
        sort.sort(ranges, [&](place_range range) {
          for (std::size_t i = range.first; i < range.first + range.count; ++i) {
            REQUIRE(view.key(order[i]) == view.key(order[range.first]));
            is_left[i] = true;
          }
          return buffer<place_group<std::uint32_t>>{};
        });
        for (auto const& groups : sort.release_left())
          for (auto const group : groups.span()) {
            for (std::size_t i = group.begin; i < group.begin + group.size; ++i) is_left[i] = true;
            // In their rows, and by position.
            std::vector<std::uint64_t> places(right.begin() + group.begin, right.begin() + group.begin + group.size);
            std::ranges::sort(places);
            REQUIRE(std::ranges::equal(places, std::span(order).subspan(group.begin, group.size)));
          }
        for (std::size_t i = 0; i < n; ++i) {
          if (!is_left[i]) REQUIRE(order[i] == right[i]);
          REQUIRE(lcp[i] == std::min<std::size_t>(lengths[i], view.letters));
        }
        if (one.name == std::string("strains") || one.name == std::string("equal records"))
          CHECK(std::ranges::find(is_left, true) == is_left.end());
      }
  }
}

// So few suffixes are left that not all positions have ranks; and so many, in groups too large to be compared, that all have.
TEST_CASE("what workers leave is sorted by the ranks of few positions", "[suffix]") {
  random_numbers random(33);
  std::string const unit = random_letters(random, "ACGT", 37),
                    with_runs = unit + std::string(90, 'N') + unit.substr(5, 20) + std::string(31, 'T');
  for (auto const& [tandem, name] : {std::pair{repeated(unit, 400 * unit.size()), "a tandem repeat"},
                                     {mutated(random, repeated(unit, 400 * unit.size()), 3), "one of few changes"},
                                     {repeated(with_runs, 400 * with_runs.size()), "one with runs"}}) {
    INFO(name);
    std::string letters = random_letters(random, "ACGTN", 16 * tandem.size());
    // In parts: what follows each of them decides.
    for (std::size_t k = 0; k < 8; ++k)
      letters.insert(random.below(letters.size()), tandem.substr(k * tandem.size() / 8, tandem.size() / 8 + random.below(100)));
    stored_text const stored(letters);
    host_backend backend;
    packed_text<host_backend> const packed(backend, stored.view());
    std::vector<std::uint32_t> order(letters.size());
    auto const ranges =
        divide_by_letters(backend, packed.first_view(), letters.size(), 3000, std::span(order), every_position{});
    letter_runs<host_backend> const runs(backend, packed.first_view(), letters.size());
    worker_sort<host_backend, std::uint32_t> sort(backend, packed.first_view(), runs, order, {}, letters.size());
    sort.sort(ranges, [](place_range) { return buffer<place_group<std::uint32_t>>{}; });
    std::size_t left = 0;
    for (auto const& groups : sort.release_left())
      for (auto const group : groups.span()) left += group.size;
    CHECK(left > letters.size() / 32);
    CHECK(left < letters.size() / 8);
    suffix_sort<host_backend, std::uint32_t>(backend, packed, order)
        .by_ranges(letters.size(), no_lcp_from_keys<std::uint32_t>{});
    std::vector<std::uint64_t> const right = plain_suffix_array(stored.view());
    CHECK(std::ranges::equal(order, right));
  }
}

TEST_CASE("few suffixes that workers leave are told apart by keys", "[suffix]") {
  random_numbers random(34);
  std::string const unit = random_letters(random, "ACGT", 300);
  std::string letters = random_letters(random, "ACGT", 1'500'000);
  // 400 copies of a few letters more than keys have, at different distances.
  for (int k = 0; k < 400; ++k) letters.replace(random.below(letters.size() - 50), 48, unit, 100, 48);
  stored_text const stored(letters);
  host_backend backend;
  packed_text<host_backend> const packed(backend, stored.view());
  std::vector<std::uint32_t> order(letters.size());
  packed_view const view = packed.first_view();
  auto const ranges = divide_by_letters(backend, view, letters.size(), 30'000, std::span(order), every_position{});
  worker_sort<host_backend, std::uint32_t> sort(backend, view, letter_runs<host_backend>(backend, view, letters.size()), order,
                                                {}, letters.size());
  sort.sort(ranges, [](place_range) { return buffer<place_group<std::uint32_t>>{}; });
  CHECK(sort.release_left().empty());
  CHECK(std::ranges::equal(order, plain_suffix_array(stored.view())));
}

TEST_CASE("texts that repeat themselves are sorted by the CPU", "[suffix]") {
  for (sorted_text const& one : repetitive_texts()) {
    INFO(one.name);
    suffix::build_options options;
    options.machine.device = device::cpu;
    auto const made = suffix::build<std::uint32_t>(one.text.view(), suffix::extra_arrays{true, false}, options);
    CHECK(std::ranges::equal(made.sa, one.sa));
    CHECK(std::ranges::equal(made.lcp, one.lcp));
  }
}
