#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "sort_core/host/backend.hpp"
#include "suffix/arrays/build.hpp"
#include "suffix/sort/divided_ranges.hpp"
#include "suffix/sort/key_ranges.hpp"
#include "suffix/sort/row_filter.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/suffix/text/policies.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;
using namespace ordo::suffix::detail;

TEST_CASE("the range of a suffix's key", "[suffix]") {
  random_numbers random(1);
  std::vector<std::string> reads(40);
  for (std::string& read : reads) read = random_letters(random, "ACGTN", random.below(60));
  std::string runs(300, 'T');
  runs += std::string(300, 'A');
  for (stored_text const& stored : {stored_text(random_letters(random, "ACGT", 3000)),
                                    stored_text(random_letters(random, "ACGNT", 3000)), stored_text(reads), stored_text(runs),
                                    stored_text(random_letters(random, all_bytes(), 3000)), stored_text(std::string("A"))}) {
    host_backend backend;
    packed_text<host_backend> const packed(backend, stored.view());
    std::size_t const n = packed.size();
    packed_view view = packed.view();
    for (unsigned const letters : {1u, 2u, 3u, 4u, 6u, 16u, 18u, 19u, 21u, 25u, view.letters}) {
      if (letters > view.letters || (view.is_dense && !dense::possible(letters))) continue;
      packed_view text = view;
      text.letters = letters;
      text.length_bits = unsigned(std::bit_width(letters));
      for (std::size_t const count : {1, 2, 3, 14, 15})
        for (int kind = 0; kind < 4; ++kind) {
          // Keys of the text, their successors, and any numbers, of any and of as many bits as keys have.
          auto const last = [&] {
            std::uint64_t const key = text.key(random.below(n));
            return kind == 0 ? key - 1 : kind == 1 ? key : kind == 2 ? random() : random() & text.greatest_number();
          };
          std::vector<std::uint64_t> lasts;
          for (std::size_t k = 0; k < count; ++k) lasts.push_back(std::max<std::uint64_t>(last(), 1));
          std::uint64_t const first = random.below(2) == 0 ? 0 : std::ranges::min(lasts) - random.below(2);
          if (random.below(2) == 0) lasts.back() = ~std::uint64_t{0};
          std::ranges::sort(lasts);
          lasts.erase(std::unique(lasts.begin(), lasts.end()), lasts.end());
          range_finder const find_range(text, first, lasts);
          for (std::size_t p = 0; p < n; ++p) {
            std::uint64_t const key = text.key(p);
            auto const found = std::ranges::lower_bound(lasts, key);
            unsigned const right = key < first || found == lasts.end() ? range_finder::none : unsigned(found - lasts.begin());
            std::uint32_t const top = std::uint32_t(bits_from(text.words, p * text.letter_bits) >> 32);
            if (find_range(text, p) != right || (text.breaks.are_far(p + 1) && find_range(text, p, top) != right))
              FAIL(p << " of " << n << " letters, " << letters << " in a key, " << count << " ranges, kind " << kind);
          }
        }
    }
  }
}

namespace {

constexpr std::size_t divided_letters = 150'000;  // more than a block

std::vector<stored_text> texts_to_divide() {
  random_numbers random(2);
  std::size_t const n = divided_letters;
  std::string few = random_letters(random, "ACGT", n);
  few.replace(1000, n / 2, n / 2, 'A');
  std::vector<std::string> reads(n / 30);
  for (std::string& read : reads) read = random_letters(random, "ACGTN", random.below(60));
  return {stored_text(random_letters(random, "ACGT", n)),
          stored_text(few),
          stored_text(std::string(n, 'A')),
          stored_text(reads),
          stored_text(repeated("ACGTTA", n)),
          stored_text(random_letters(random, all_bytes(), n)),
          stored_text(std::string("A"))};
}

// The maximum number of suffixes of a range.
template <class Ranges>
void expect_ranges(packed_text<host_backend> const& packed, std::vector<std::uint32_t> const& chosen, Ranges ranges,
                   std::vector<std::uint32_t>& order, std::span<std::size_t const> sizes) {
  packed_view const text = packed.first_view();
  std::vector<std::uint64_t> keys;
  for (std::uint32_t const p : chosen) keys.push_back(text.key(p));
  std::size_t first = 0;
  std::uint64_t next = 0;
  for (std::size_t k = 0; ranges.more(); ++k) {
    std::size_t const max_count = sizes[k % sizes.size()];
    key_range const range = ranges.next(max_count);
    REQUIRE(range.count != 0);
    REQUIRE(range.first >= next);
    REQUIRE((range.count <= max_count || range.first == range.last));
    REQUIRE(first + range.count <= order.size());
    std::span<std::uint32_t> const part = std::span(order).subspan(first, range.count);
    ranges.bring(range, part);
    std::vector<std::uint32_t> right;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (keys[i] >= range.first && keys[i] <= range.last) right.push_back(chosen[i]);
    REQUIRE(std::ranges::equal(part, right));
    first += range.count;
    if (ranges.more()) REQUIRE(range.last != ~std::uint64_t{0});
    next = range.last + 1;
  }
  CHECK(first == chosen.size());
}

}  // namespace

TEST_CASE("suffixes are divided into ranges of their first keys", "[suffix]") {
  for (stored_text const& stored : texts_to_divide()) {
    host_backend backend;
    packed_text<host_backend> const packed(backend, stored.view());
    std::size_t const letters = packed.size();
    std::vector<std::uint32_t> all(letters);
    std::iota(all.begin(), all.end(), 0u);
    for (std::vector<std::size_t> const& sizes :
         std::vector<std::vector<std::size_t>>{{letters}, {letters / 5 + 1}, {20'000, 3000, 50'000, 700}}) {
      std::vector<std::uint32_t> order(letters);
      packed_view const text = packed.first_view();
      expect_ranges(packed, all, key_ranges<host_backend, std::uint32_t>(backend, text, letters, letters), order, sizes);
      for (std::uint64_t const distance : {2, 7, 100}) {
        sampled_positions<host_backend> const sample(backend, packed, distance);
        auto const numbers = sample.numbers();
        std::vector<std::uint32_t> chosen;
        std::ranges::copy_if(all, std::back_inserter(chosen), [&](std::uint32_t p) { return numbers.has(p); });
        order.resize(chosen.size());
        using ranges = key_ranges<host_backend, std::uint32_t, numbered_position>;
        expect_ranges(packed, chosen, ranges(backend, text, letters, chosen.size(), numbers), order, sizes);
      }
    }
  }
}

TEST_CASE("the numbers of positions in a sample", "[suffix]") {
  random_numbers random(9);
  std::vector<std::string> reads(3000);
  for (std::string& read : reads) read = random_letters(random, "ACGTN", random.below(60));
  for (stored_text const& stored :
       {stored_text(random_letters(random, "ACGT", 70'000)), stored_text(reads), stored_text(std::string("A"))}) {
    suffix::text const text = stored.view();
    host_backend backend;
    packed_text<host_backend> const packed(backend, text);
    for (std::uint64_t const distance : {2, 7, 64, 1000}) {
      sampled_positions<host_backend> const sample(backend, packed, distance);
      auto const numbers = sample.numbers();
      std::vector<std::size_t> chosen;
      for (std::size_t r = 0; r < text.records(); ++r)
        for (std::size_t p = text.begin(r); p < text.end(r); p += distance) chosen.push_back(p);
      REQUIRE(sample.count() == chosen.size());
      for (std::size_t k = 0; k < chosen.size(); ++k) REQUIRE((numbers.has(chosen[k]) && numbers(chosen[k]) == k));
      REQUIRE(numbers(text.size()) == chosen.size());
      chosen.push_back(text.size());
      for (std::size_t p = 0; p <= text.size(); ++p) REQUIRE(numbers.next(p) == *std::ranges::lower_bound(chosen, p));
    }
  }
}

namespace {

// The ranges hold the chosen positions, each in the order of positions; and no range has a window below one of the range
// before.
void expect_division(packed_text<host_backend> const& packed, std::vector<std::uint32_t> const& chosen,
                     std::vector<std::uint32_t> const& order, std::vector<place_range> const& ranges) {
  packed_view const text = packed.first_view();
  std::size_t place = 0;
  std::uint64_t next = 0;
  for (place_range const range : ranges) {
    REQUIRE(range.first == place);
    REQUIRE(range.count != 0);
    std::span<std::uint32_t const> const part = std::span(order).subspan(place, range.count);
    REQUIRE(std::ranges::is_sorted(part));
    std::uint64_t greatest = 0;
    for (std::uint32_t const p : part) {
      REQUIRE(text.window(p) >= next);
      greatest = std::max(greatest, text.window(p));
    }
    next = greatest + 1;
    place += range.count;
  }
  REQUIRE(place == chosen.size());
  std::vector<std::uint32_t> all = order;
  std::ranges::sort(all);
  CHECK(all == chosen);
}

}  // namespace

TEST_CASE("a window of a text", "[suffix]") {
  random_numbers random(7);
  for (std::string const letters : {"A", "ACGT", "ACGTN", "ACDEFGHIKLMNPQRSTVWY"}) {
    std::vector<std::string> records(200);
    for (std::string& record : records) record = random_letters(random, letters, random.below(70));
    stored_text const stored(records);
    suffix::text const text = stored.view();
    host_backend backend;
    packed_text<host_backend> const packed(backend, text);
    packed_view const view = packed.first_view();
    for (std::size_t p = 0; p < text.size(); ++p) {
      std::uint64_t right = 0;
      std::size_t const end = text.end(text.record_at(p));
      for (unsigned bit = 0, bits = view.letter_bits; bit < 64; ++bit)
        if (std::size_t const q = p + bit / bits; q < end)
          right |= std::uint64_t(view.letter(q) >> (bits - 1 - bit % bits) & 1) << (63 - bit);
      REQUIRE(view.window(p) == right);
    }
  }
}

TEST_CASE("the range of a window", "[suffix]") {
  random_numbers random(8);
  for (std::size_t const count : {1, 2, 300, 4096})
    for (unsigned const bits : {2u, 8u, 20u}) {
      std::vector<std::uint64_t> lasts(count - 1);
      for (std::uint64_t& last : lasts) last = random() >> (count == 2 ? 0 : 20);
      std::ranges::sort(lasts);
      lasts.erase(std::unique(lasts.begin(), lasts.end()), lasts.end());
      lasts.push_back(~std::uint64_t{0});
      window_ranges const find_range(lasts, bits);
      REQUIRE(find_range.count() == lasts.size());
      auto const expect = [&](std::uint64_t window) {
        CHECK(find_range(window) == std::size_t(std::ranges::lower_bound(lasts, window) - lasts.begin()));
      };
      for (std::uint64_t const last : lasts)
        for (std::uint64_t const off : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1}}) expect(last + off);
      for (int k = 0; k < 100; ++k) expect(random());
    }
}

TEST_CASE("suffixes are divided by their first letters", "[suffix]") {
  for (stored_text const& stored : texts_to_divide()) {
    host_backend backend;
    packed_text<host_backend> const packed(backend, stored.view());
    std::vector<std::uint32_t> all(packed.size());
    std::iota(all.begin(), all.end(), 0u);
    for (std::size_t const share : {std::size_t{1}, std::size_t{100}, std::size_t{10'000}, divided_letters}) {
      INFO(share);
      std::vector<std::uint32_t> order(all.size());
      auto const ranges =
          divide_by_letters(backend, packed.first_view(), all.size(), share, std::span(order), every_position{});
      expect_division(packed, all, order, ranges);
      for (std::uint64_t const distance : {7, 1000}) {
        sampled_positions<host_backend> const sample(backend, packed, distance);
        std::vector<std::uint32_t> chosen, some(sample.count());
        for (std::uint32_t p = 0; p < all.size(); ++p)
          if (sample.numbers().has(p)) chosen.push_back(p);
        expect_division(packed, chosen, some,
                        divide_by_letters(backend, packed.first_view(), all.size(), share, std::span(some), sample.numbers()));
      }
    }
  }
}

TEST_CASE("only the suffixes of a sample are sorted", "[suffix][policy]") {
  random_numbers random(3);
  std::string const unit = random_letters(random, "ACGT", 700);
  std::vector<std::string> strains(4, unit);
  for (std::string& strain : strains)
    for (int k = 0; k < 3; ++k) strain[random.below(strain.size())] = 'N';
  strains.insert(strains.begin() + 2, {"", "A", unit.substr(1), unit + unit});
  strains.emplace_back();
  for (stored_text const& stored :
       {stored_text(strains), stored_text(std::string(3000, 'C')), stored_text(repeated("ACGTTAC", 4000)),
        stored_text(fibonacci_word(3000)), stored_text(std::vector<std::string>{"", "ACA", ""})}) {
    suffix::text const text = stored.view();
    std::vector<std::uint64_t> const whole = plain_suffix_array(text);
    for (std::uint64_t const distance : {2, 3, 5, 64, 113, 150, 500, 699, 100'000}) {
      std::vector<std::uint64_t> sa;
      for (std::uint64_t const p : whole)
        if ((p - text.begin(text.record_at(p))) % distance == 0) sa.push_back(p);
      std::vector<std::uint64_t> const lcp = plain_lcp(text, sa);
      for (device const where : devices()) {
        suffix::build_options options;
        options.machine.device = where;
        options.rows.sample = distance;
        auto const plan = suffix::build_memory(where, text.size(), text.records(), 4, {true, false}, options.rows);
        for (std::size_t const memory :
             {plan.min_bytes, plan.fast_bytes, (plan.fast_bytes + plan.max_bytes) / 2, plan.max_bytes}) {
          INFO("every " << distance << "th of " << text.size() << " residues in " << memory << " bytes of " << plan.max_bytes);
          std::optional<gpu> limited;
          if (where == device::gpu) options.machine.on = &limited.emplace(gpu_options{.memory_limit = memory});
          options.memory = memory;
          try {
            auto const made = suffix::build<std::uint32_t>(text, {.lcp = true, .bwt = false}, options);
            CHECK(std::ranges::equal(made.sa, sa));
            CHECK(std::ranges::equal(made.lcp, lcp));
          } catch (out_of_memory const&) {
            CHECK(memory < plan.max_bytes);
          }
          options.machine.on = nullptr;
        }
        options.memory = suffix::build_options{}.memory;
        auto const wide = suffix::build<std::uint64_t>(text, {.lcp = true, .bwt = false}, options);
        CHECK(std::ranges::equal(wide.sa, sa));
        CHECK(std::ranges::equal(wide.lcp, lcp));
      }
    }
  }
}

TEST_CASE("a sample takes the memory of its suffixes", "[suffix][policy][memory]") {
  random_numbers random(4);
  std::string const letters = random_letters(random, "ACGT", 400'000);
  suffix::text const text{letters};
  for (std::uint64_t const distance : {4, 16}) {
    suffix::row_selection const rows{false, distance};
    CHECK(suffix::num_sorted_suffixes(text.size(), 1, rows) == text.size() / distance + 1);
    for (device const where : devices()) {
      auto const all = suffix::build_memory(where, text.size(), 1, 4, {}),
                 some = suffix::build_memory(where, text.size(), 1, 4, {}, rows);
      if (where == device::cpu) continue;  // which sorts all suffixes in parts, and a sample at once
      CHECK(some.fast_bytes < all.fast_bytes / 3 * 2);
      CHECK(some.max_bytes < all.max_bytes / 2);
      bytes_sink to_sa;
      suffix::build_options options;
      options.machine.device = where;
      options.rows = rows;
      CHECK(suffix::build_into<std::uint32_t>(text, {&to_sa}, options).device_memory <= some.fast_bytes);
      CHECK(to_sa.all.size() == 4 * text.size() / distance);
    }
    std::vector<std::uint32_t> order(suffix::num_sorted_suffixes(text.size(), 1, rows));
    bytes_sink to_sa;
    std::size_t const peak =
        suffix::detail::host_builder<std::uint32_t>().build(text, {{}, {order, {}, {}}, {&to_sa}, rows}, {}, 0);
    CHECK(peak <= suffix::build_memory(device::cpu, text.size(), 1, 4, {}, rows).fast_bytes);
    CHECK(to_sa.all.size() == 4 * text.size() / distance);
  }
}
