#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/search.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/inputs.hpp"

using namespace ordo;

namespace {

template <class Token>
struct token_records {
  std::vector<Token> tokens;
  std::vector<std::uint64_t> starts;

  explicit token_records(std::vector<std::vector<Token>> const& records) {
    for (auto const& record : records) {
      starts.push_back(tokens.size());
      tokens.insert(tokens.end(), record.begin(), record.end());
    }
  }
  [[nodiscard]] suffix::text view() const { return suffix::make_text(std::span<Token const>(tokens), starts); }
  [[nodiscard]] std::span<Token const> suffix_at(std::size_t p) const {
    return std::span<Token const>(tokens).subspan(p, view().end(view().record_at(p)) - p);
  }
};

// The definition: a comparison sort of whole suffixes.
template <class Token>
std::vector<std::uint64_t> plain_order(token_records<Token> const& all, std::uint64_t sample) {
  std::vector<std::uint64_t> sa;
  for (std::size_t p = 0; p < all.tokens.size(); ++p)
    if ((p - all.view().begin(all.view().record_at(p))) % sample == 0) sa.push_back(p);
  std::ranges::sort(sa, [&](std::size_t p, std::size_t q) {
    auto const a = all.suffix_at(p), b = all.suffix_at(q);
    if (std::ranges::equal(a, b)) return p < q;
    return std::ranges::lexicographical_compare(a, b);
  });
  return sa;
}

template <class Token>
void expect(std::vector<std::vector<Token>> const& records, std::uint64_t sample = 1) {
  token_records<Token> const all(records);
  INFO(all.tokens.size() << " tokens of " << sizeof(Token) << " bytes in " << records.size() << " records");
  auto const sa = plain_order(all, sample);
  std::vector<std::uint64_t> lcp(sa.size());
  for (std::size_t i = 1; i < sa.size(); ++i) {
    auto const a = all.suffix_at(sa[i - 1]), b = all.suffix_at(sa[i]);
    lcp[i] = std::uint64_t(std::ranges::mismatch(a, b).in1 - a.begin());
  }
  for (device const where : devices()) {
    suffix::build_options options;
    options.machine.device = where;
    options.rows.sample = sample;
    auto const narrow = suffix::build<std::uint32_t>(all.view(), {.lcp = true}, options);
    auto const broad = suffix::build<std::uint64_t>(all.view(), {.lcp = true}, options);
    REQUIRE((std::vector<std::uint64_t>(narrow.sa.begin(), narrow.sa.end()) == sa));
    REQUIRE((std::vector<std::uint64_t>(narrow.lcp.begin(), narrow.lcp.end()) == lcp));
    REQUIRE((broad.sa == sa));
    REQUIRE((broad.lcp == lcp));
    suffix::arrays<std::uint32_t const> const made{narrow.sa, narrow.lcp, {}};
    REQUIRE_FALSE(suffix::check(all.view(), made, options).has_value());
    if (sa.size() < 2) continue;
    auto wrong = narrow.sa;
    std::swap(wrong.front(), wrong.back());
    REQUIRE(suffix::check(all.view(), suffix::arrays<std::uint32_t const>{wrong, narrow.lcp, {}}, options).has_value());
  }
}

template <class Token>
std::vector<Token> random_tokens(random_numbers& random, std::uint64_t first, std::uint64_t different, std::size_t n) {
  std::vector<Token> tokens(n);
  for (Token& token : tokens) token = Token(first + random.below(different));
  return tokens;
}

}  // namespace

TEMPLATE_TEST_CASE("suffix array of random tokens", "[suffix][tokens]", std::uint16_t, std::uint32_t) {
  random_numbers random(1);
  std::uint64_t const max = std::numeric_limits<TestType>::max();
  // Few and many different tokens; small ones, which are looked up, and large ones, which are sorted.
  for (std::uint64_t const different : std::vector<std::uint64_t>{1, 2, 4, 5, 6, 255, 256, 257, 4096, 50257, max})
    for (std::size_t const n : {0, 1, 2, 3, 30, 63, 64, 65, 1000, 5000}) {
      expect<TestType>({random_tokens<TestType>(random, 0, different, n)});
      expect<TestType>({random_tokens<TestType>(random, max - different, different + 1, n)});
    }
}

TEMPLATE_TEST_CASE("suffix array of records of tokens", "[suffix][tokens]", std::uint16_t, std::uint32_t) {
  random_numbers random(2);
  for (int times = 0; times < 40; ++times) {
    std::vector<std::vector<TestType>> records;
    std::uint64_t const different = std::vector<std::uint64_t>{2, 300, 30000}[random.below(3)];
    for (std::size_t r = 0, count = 1 + random.below(20); r < count; ++r) {
      if (r != 0 && random.below(3) == 0)
        records.push_back(records[random.below(r)]);  // again
      else
        records.push_back(random_tokens<TestType>(random, random.below(100), different, random.below(120)));
    }
    expect<TestType>(records, 1 + random.below(2) * random.below(4));
  }
}

TEMPLATE_TEST_CASE("suffix array of repetitive tokens", "[suffix][tokens]", std::uint16_t, std::uint32_t) {
  random_numbers random(3);
  for (std::size_t const n : {100, 1000, 3000}) {
    expect<TestType>({std::vector<TestType>(n, TestType(40000))});
    std::vector<TestType> tokens = random_tokens<TestType>(random, 0, 60000, n);
    std::vector<TestType> twice = tokens;
    twice.insert(twice.end(), tokens.begin(), tokens.end());
    expect<TestType>({twice});
    expect<TestType>({twice, tokens, twice});
    // Runs of a frequent token, as of padding, between many others.
    for (std::size_t i = 0; i < twice.size(); ++i)
      if (i / 20 % 3 != 0) twice[i] = TestType(0xffff);
    expect<TestType>({twice});
    std::vector<TestType> steps(n);
    std::iota(steps.begin(), steps.end(), TestType(7));
    expect<TestType>({steps});
    std::ranges::reverse(steps);
    expect<TestType>({steps, steps});
  }
}

TEST_CASE("suffix array of repetitive tokens in little memory", "[suffix][tokens]") {
  // Two letters in blocks that repeat, and 70000 others: sorted by induction.
  random_numbers random(4);
  std::vector<std::uint32_t> tokens = random_tokens<std::uint32_t>(random, 1u << 20, 70000, 200000);
  for (int copies = 0; copies < 3; ++copies) tokens.insert(tokens.end(), tokens.begin(), tokens.begin() + 200000);
  suffix::text const text = suffix::make_text(std::span<std::uint32_t const>(tokens));
  std::size_t const n = tokens.size();
  auto const memory = suffix::build_memory(device::cpu, n, 1, 4, {}, {}, 4);
  CHECK(memory.min_bytes <= memory.fast_bytes);
  CHECK(memory.fast_bytes <= memory.max_bytes);
  for (std::size_t const bytes : {memory.min_bytes, memory.fast_bytes, memory.max_bytes}) {
    suffix::build_options options;
    options.machine = {device::cpu, 2};
    options.memory = bytes;
    std::vector<std::uint32_t> sa(n);
    try {
      suffix::build(text, suffix::arrays<std::uint32_t>{sa, {}, {}}, options);
    } catch (suffix::text_too_large const&) {
      REQUIRE(bytes < memory.max_bytes);
      continue;
    }
    REQUIRE_FALSE(suffix::check(text, suffix::arrays<std::uint32_t const>{sa, {}, {}}).has_value());
  }
}

TEST_CASE("patterns of tokens", "[suffix][tokens]") {
  random_numbers random(5);
  token_records<std::uint16_t> const all({random_tokens<std::uint16_t>(random, 65000, 500, 400), {}, {65000, 7, 65000, 7, 7}});
  auto const built = suffix::build<std::uint32_t>(all.view());
  suffix::searcher const search(all.view(), suffix::entries(std::span<std::uint32_t const>(built.sa)));
  auto const bytes = [](std::vector<std::uint16_t> const& tokens) {
    return std::string(reinterpret_cast<char const*>(tokens.data()), tokens.size() * 2);
  };
  CHECK(search.locate(bytes({7})) == std::vector<std::uint64_t>{401, 403, 404});
  CHECK(search.locate(bytes({7, 65000})) == std::vector<std::uint64_t>{401});
  CHECK(search.locate(bytes({7, 7, 7})).empty());
  for (std::size_t p = 0; p + 3 <= 400; ++p) {
    auto const found = search.locate(bytes({all.tokens[p], all.tokens[p + 1], all.tokens[p + 2]}));
    CHECK(std::ranges::find(found, p) != found.end());
  }
}

TEST_CASE("tokens that are refused", "[suffix][tokens]") {
  std::vector<std::uint32_t> const tokens{1, 2, 3};
  std::vector<std::uint32_t> sa(3);
  std::vector<char> bwt(4);
  suffix::text const text = suffix::make_text(std::span<std::uint32_t const>(tokens));
  CHECK_THROWS_AS(suffix::build(text, suffix::arrays<std::uint32_t>{sa, {}, bwt}), usage_error);
  CHECK_THROWS_AS(suffix::build(text, suffix::extra_arrays{.bwt = true}), usage_error);
  suffix::build_options skipping;
  skipping.rows.skip_ambiguous = true;
  CHECK_THROWS_AS(suffix::build(text, suffix::arrays<std::uint32_t>{sa, {}, {}}, skipping), usage_error);
  suffix::text other = text;
  other.residue_bytes = 3;
  CHECK_THROWS_AS(suffix::build<std::uint32_t>(other), usage_error);
  other.residue_bytes = 4;
  other.residues.remove_suffix(1);
  CHECK_THROWS_AS(suffix::build<std::uint32_t>(other), usage_error);
  other.residues = text.residues.substr(1, 8);
  CHECK_THROWS_AS(suffix::build<std::uint32_t>(other), usage_error);
  CHECK_THROWS_AS(suffix::check(other, suffix::arrays<std::uint32_t const>{std::span(sa).first(2), {}, {}}), usage_error);
}
