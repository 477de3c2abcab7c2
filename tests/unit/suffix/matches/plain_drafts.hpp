#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "ordo/suffix/tokens/token_index.hpp"
#include "tests/unit/inputs.hpp"

// Drafts by their definition, and texts and contexts to compare with it.

using tokens = std::vector<std::uint32_t>;
constexpr std::uint32_t separator = ordo::suffix::token_index::separator;

/// All drafts that the definition allows, and the length of the match.
struct plain_drafts {
  std::size_t matched = 0;
  std::set<tokens> all;
};

inline plain_drafts find_plainly(tokens const& text, tokens const& context, std::size_t max_match, std::size_t max_tokens) {
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

/// Contexts in rows, and the room for their drafts.
struct draft_batch {
  std::size_t max_tokens;
  tokens contexts, context_lengths, drafts, lengths, matched;

  /// @param beyond  added to the lengths of contexts that fill their rows
  draft_batch(std::vector<tokens> const& all, std::size_t max_tokens, std::uint32_t beyond = 0)
      : max_tokens(max_tokens), drafts(all.size() * max_tokens), lengths(all.size()), matched(all.size()) {
    std::size_t width = 0;
    for (tokens const& each : all) width = std::max(width, each.size());
    for (tokens const& each : all) {
      contexts.insert(contexts.end(), each.begin(), each.end());
      contexts.resize(contexts.size() + width - each.size(), 5);  // tokens that do not count
      context_lengths.push_back(std::uint32_t(each.size()) + (each.size() == width ? beyond : 0));
    }
  }
  [[nodiscard]] tokens draft(std::size_t i) const {
    auto const begin = drafts.begin() + std::ptrdiff_t(i * max_tokens);
    return {begin, begin + std::ptrdiff_t(lengths[i])};
  }
  /// Returns the number of drafts that the definition does not allow.
  [[nodiscard]] std::size_t count_wrong(tokens const& text, std::vector<tokens> const& all, std::size_t max_match) const {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      plain_drafts const plain = find_plainly(text, all[i], max_match, max_tokens);
      wrong += matched[i] != plain.matched || lengths[i] > max_tokens || plain.all.count(draft(i)) == 0;
    }
    return wrong;
  }
};

/// Tokens of a few values, with separators and repeats.
inline tokens random_tokens(random_numbers& random, std::size_t size, tokens const& alphabet) {
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

/// Contexts from a text, half of them with another token at their end.
inline std::vector<tokens> random_contexts(random_numbers& random, tokens const& text, tokens const& alphabet,
                                           std::size_t count) {
  std::vector<tokens> contexts{{}, {separator}, {6}, {alphabet[0], separator}};
  for (std::size_t k = 0; k < count; ++k) {
    std::size_t const end = random.below(text.size() + 1), begin = end - std::min<std::size_t>(random.below(200), end);
    tokens context(text.begin() + std::ptrdiff_t(begin), text.begin() + std::ptrdiff_t(end));
    if (random.below(2) == 0) context.push_back(alphabet[random.below(alphabet.size())]);
    contexts.push_back(context);
  }
  return contexts;
}

/// Alphabets of which a key holds one token, two, and as many as it may.
inline std::vector<tokens> draft_alphabets() {
  return {{5}, {0, 1}, {0, 1, separator - 1, 0x80000000}, {7, 8, 9, 10, 11, 12, 13}, {3, 70000, 131071}};
}
