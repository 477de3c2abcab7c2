#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix/tokens/token_index.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

using tokens = std::vector<std::uint32_t>;
constexpr std::uint32_t separator = suffix::token_index::separator;

/// All drafts that the definition allows, and the length of the match.
struct plain_drafts {
  std::size_t matched = 0;
  std::set<tokens> all;
};

plain_drafts find_plainly(tokens const& text, tokens const& context, std::size_t max_match, std::size_t max_tokens) {
  plain_drafts found;
  found.all = {tokens{}};
  for (std::size_t p = 1; p < text.size(); ++p) {
    std::size_t length = 0;
    while (length < std::min({context.size(), max_match, p}) && text[p - length - 1] != separator &&
           text[p - length - 1] == context[context.size() - length - 1])
      ++length;
    if (length == 0 || length < found.matched) continue;
    if (length > found.matched) found.all.clear();
    found.matched = length;
    auto const begin = text.begin() + std::ptrdiff_t(p);
    auto const end = begin + std::ptrdiff_t(std::min(max_tokens, text.size() - p));
    found.all.emplace(begin, std::find(begin, end, separator));
  }
  return found;
}

struct found_drafts {
  std::vector<tokens> drafts;
  tokens matched;
  friend bool operator==(found_drafts const&, found_drafts const&) = default;
};

found_drafts draft(suffix::token_index const& index, std::vector<tokens> const& contexts, std::size_t max_tokens) {
  tokens joined;
  std::vector<std::uint64_t> offsets{0};
  for (tokens const& each : contexts) {
    joined.insert(joined.end(), each.begin(), each.end());
    offsets.push_back(joined.size());
  }
  tokens drafts(contexts.size() * max_tokens), lengths(contexts.size()), matched(contexts.size());
  index.draft(joined, offsets, max_tokens, drafts, lengths, matched);
  found_drafts found{{}, matched};
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    auto const begin = drafts.begin() + std::ptrdiff_t(i * max_tokens);
    found.drafts.emplace_back(begin, begin + std::ptrdiff_t(lengths[i]));
  }
  return found;
}

/// Tokens of a few values, with separators and repeats.
tokens random_tokens(random_numbers& random, std::size_t size, tokens const& alphabet) {
  tokens all;
  while (all.size() < size) {
    if (!all.empty() && random.below(4) == 0) {
      std::size_t const from = random.below(all.size()), count = std::min<std::size_t>(random.below(40), all.size() - from);
      for (std::size_t k = 0; k < count; ++k) all.push_back(all[from + k]);
    } else {
      all.push_back(random.below(30) == 0 ? separator : alphabet[random.below(alphabet.size())]);
    }
  }
  all.resize(size);
  return all;
}

void compare(suffix::token_index const& index, tokens const& text, std::vector<tokens> const& contexts, std::size_t max_match,
             std::size_t max_tokens) {
  found_drafts const found = draft(index, contexts, max_tokens);
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    plain_drafts const plain = find_plainly(text, contexts[i], max_match, max_tokens);
    CHECK(found.matched[i] == plain.matched);
    CHECK(plain.all.count(found.drafts[i]) == 1);
  }
}

}  // namespace

TEST_CASE("drafts follow the longest string that a context ends with", "[token_index]") {
  random_numbers random(72);
  tokens const alphabets[] = {{5}, {0, 1}, {0, 1, separator - 1, 0x80000000}, {7, 8, 9, 10, 11, 12, 13}};
  for (tokens const& alphabet : alphabets)
    for (std::size_t const max_match : {2, 4, 16}) {
      suffix::token_index one({.max_match = max_match, .threads = 1}), grown({.max_match = max_match, .threads = 3});
      tokens text;
      for (std::size_t round = 0; round < 6; ++round) {
        tokens const more = random_tokens(random, random.below(round < 2 ? 3 : 90), alphabet);
        text.insert(text.end(), more.begin(), more.end());
        grown.append(more);
        one.assign(text);
        REQUIRE(grown.size() == text.size());
        std::vector<tokens> contexts{{}, {separator}, {6}, {alphabet[0], separator}};
        for (int k = 0; k < 12; ++k) {
          std::size_t const end = random.below(text.size() + 1), begin = random.below(end + 1);
          tokens context(text.begin() + std::ptrdiff_t(begin), text.begin() + std::ptrdiff_t(end));
          if (random.below(2) == 0) context.push_back(alphabet[random.below(alphabet.size())]);
          contexts.push_back(context);
        }
        for (std::size_t const max_tokens : {0, 1, 5}) {
          compare(one, text, contexts, max_match, max_tokens);
          compare(grown, text, contexts, max_match, max_tokens);
        }
      }
    }
}

TEST_CASE("drafts of long texts do not depend on threads", "[token_index]") {
  random_numbers random(73);
  tokens alphabet(2000);
  std::iota(alphabet.begin(), alphabet.end(), 0);
  tokens const text = random_tokens(random, 100000, alphabet);
  suffix::token_index one({.threads = 1}), several({.threads = 3});
  one.assign(text);
  several.assign(text);
  std::vector<tokens> contexts;
  for (int k = 0; k < 100; ++k) {
    auto const begin = text.begin() + std::ptrdiff_t(random.below(text.size() - 50));
    contexts.emplace_back(begin, begin + std::ptrdiff_t(random.below(50)));
  }
  found_drafts const found = draft(one, contexts, 8);
  CHECK(found == draft(several, contexts, 8));
  compare(several, text, {contexts.begin(), contexts.begin() + 20}, 32, 8);
  tokens const equal(50000, 3);
  several.assign(equal);
  compare(several, equal, {{3, 3, 3}, {4}, {4, 3}, tokens(90, 3)}, 32, 8);
}

TEST_CASE("wrong calls of a token index", "[token_index]") {
  CHECK_THROWS_AS(suffix::token_index({.max_match = 0}), usage_error);
  suffix::token_index index;
  tokens const text{1, 2, 1};
  index.append(text);
  tokens room(4), lengths(2), matched(2);
  auto const call = [&](std::vector<std::uint64_t> const& offsets, std::size_t max_tokens) {
    index.draft(text, offsets, max_tokens, room, lengths, matched);
  };
  CHECK_NOTHROW(call({0, 1, 3}, 2));
  CHECK(lengths == tokens{2, 2});
  CHECK(room == tokens{2, 1, 2, 1});
  CHECK_THROWS_AS(call({}, 2), usage_error);
  CHECK_THROWS_AS(call({0, 3}, 2), usage_error);
  CHECK_THROWS_AS(call({0, 1, 3}, 3), usage_error);
  CHECK_THROWS_AS(call({0, 2, 1}, 2), usage_error);
  CHECK_THROWS_AS(call({0, 1, 4}, 2), usage_error);
  CHECK_THROWS_AS(call({0, 1, 3}, ~std::size_t{0}), usage_error);
}
