#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "ordo/backend.hpp"
#include "sort_core/algorithms/refinement.hpp"

/// The order of the positions of a text of tokens by what precedes them, and searches in it: an index that is made anew while
/// the text grows.
namespace ordo::inline v0::suffix::detail {

// Named functors, not lambdas: see refinement.hpp.

/// The tokens that precede the positions of a text, from the last one back. The separator and the begin of the text are 0, and
/// precede all tokens.
struct preceding_tokens {
  static constexpr std::uint32_t separator = 0xffffffff;
  std::uint32_t const* text;

  /// Returns the code of the token that is the number `back` before position p.
  [[nodiscard]] ORDO_FN std::uint32_t operator()(std::size_t p, std::size_t back) const {
    return back < p ? text[p - back - 1] + 1 : 0;
  }
};

/// Computes keys of positions from two preceding tokens. Nothing that precedes a separator counts, if it is in the key.
struct preceding_key {
  preceding_tokens tokens;
  std::size_t depth;
  ORDO_FN std::uint64_t operator()(std::uint32_t p) const {
    std::uint32_t const last = tokens(p, depth);
    return std::uint64_t(last) << 32 | (last == 0 ? 0 : tokens(p, depth + 1));
  }
};

struct preceding_key_from {
  preceding_key key;
  std::uint32_t first;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return key(std::uint32_t(first + i)); }
};

struct differs_from_previous {
  std::uint64_t const* keys;
  ORDO_FN bool operator()(std::size_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
};

struct add_first {
  std::uint32_t* positions;
  std::uint32_t first;
  ORDO_FN void operator()(std::size_t i) const { positions[i] += first; }
};

/// Sorts the positions [first, first + order.size()) of a text by the `depth` tokens that precede each, from the last one back;
/// equal ones by position. What precedes a separator decides nothing that a search can see. Time O(n) for the first sort, and
/// for each further two tokens O(m) for the m positions whose order is still open. Temporary memory: 24 bytes a position.
/// @param text  in the machine's memory: all tokens, at least first + order.size(), fewer than 2^32
/// @param depth  an even number above 0
template <Backend B>
void sort_by_preceding(B& backend, std::span<std::uint32_t const> text, std::size_t first, std::span<std::uint32_t> order,
                       std::size_t depth) {
  if (order.empty()) return;
  preceding_tokens const tokens{text.data()};
  refinement<B, std::uint32_t, std::uint32_t> open(backend);
  {
    auto const keys = backend.template buffer<std::uint64_t>(order.size());
    backend.argsort(order.size(), preceding_key_from{{tokens, 0}, std::uint32_t(first)}, keys.span(), order, bit_range{});
    backend.each(order.size(), add_first{order.data(), std::uint32_t(first)});
    open.start(std::span<std::uint32_t const>(order), differs_from_previous{keys.data()});
  }
  for (std::size_t at = 2; at < depth && !open.empty(); at += 2) {
    open.sort(preceding_key{tokens, at});
    open.place_settled(order);
    open.drop_settled();
  }
  open.place(order);
}

/// The end of a context that a text has, and where: before `position`.
struct context_match {
  std::uint32_t length = 0, position = 0;
};

/// Searches for the longest strings of tokens that contexts end with, in an order of positions.
struct context_search {
  preceding_tokens tokens;
  std::uint32_t const* order;
  std::size_t size;
  std::size_t depth;  // as of the order

  /// Returns the longest match of at most `depth` tokens, of several one that depends on the text and the order only.
  [[nodiscard]] ORDO_FN context_match operator()(std::uint32_t const* context, std::size_t length) const {
    std::size_t const max_length = length < depth ? length : depth;
    std::uint32_t const* const end = context + length;
    std::size_t low = 0, high = size, low_shared = 0, high_shared = 0;
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      std::size_t shared = low_shared < high_shared ? low_shared : high_shared;
      bool is_less = false;
      for (; shared < max_length; ++shared) {
        std::uint32_t const own = end[-std::ptrdiff_t(shared) - 1] + 1, other = tokens(order[middle], shared);
        // A separator in the context ends it: no code of the text is smaller.
        if (own == other && own != 0) continue;
        is_less = other < own;
        break;
      }
      if (is_less) {
        low = middle + 1;
        low_shared = shared;
      } else {
        high = middle;
        high_shared = shared;
      }
    }
    context_match best;
    for (std::size_t k = low == 0 ? 0 : low - 1; k < size && k <= low; ++k) {
      std::uint32_t shared = 0;
      while (shared < max_length) {
        std::uint32_t const own = end[-std::ptrdiff_t(shared) - 1] + 1;
        if (own == 0 || own != tokens(order[k], shared)) break;
        ++shared;
      }
      if (shared > best.length || (shared == best.length && shared != 0 && order[k] > best.position)) best = {shared, order[k]};
    }
    return best;
  }
};

/// Writes the draft of each context: the tokens after its longest match, in one of two orders, of which the second one has
/// later positions and is preferred.
struct write_draft {
  context_search older, newer;
  std::uint32_t const* text;
  std::size_t text_size;
  std::uint32_t const* contexts;
  std::uint64_t const* offsets;
  std::size_t max_tokens;
  std::uint32_t *drafts, *lengths, *matched;

  ORDO_FN void operator()(std::size_t i) const {
    std::uint32_t const* const context = contexts + offsets[i];
    std::size_t const length = offsets[i + 1] - offsets[i];
    context_match best = newer(context, length);
    context_match const other = older(context, length);
    if (other.length > best.length) best = other;
    std::uint32_t written = 0;
    if (best.length != 0)
      for (std::size_t p = best.position; p < text_size && written < max_tokens && text[p] != preceding_tokens::separator; ++p)
        drafts[i * max_tokens + written++] = text[p];
    lengths[i] = written;
    matched[i] = best.length;
  }
};

}  // namespace ordo::inline v0::suffix::detail
