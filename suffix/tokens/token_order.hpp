#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "sort_core/algorithms/refinement.hpp"

/// The order of the positions of a text of tokens by what precedes them, and searches in it: an index that is made anew while
/// the text grows.
namespace ordo::inline v0::suffix::detail {

// Named functors, not lambdas: see refinement.hpp.

/// The tokens that precede the positions of a text, from the last one back, as codes. The separator and the begin of the text
/// are 0, and precede all tokens.
struct preceding_tokens {
  static constexpr std::uint32_t separator = 0xffffffff;
  std::uint32_t const* text;

  /// Returns the code of the token that is the number `back` before position p.
  [[nodiscard]] ORDO_FN std::uint32_t operator()(std::size_t p, std::size_t back) const {
    return back < p ? text[p - back - 1] + 1 : 0;
  }
};

/// The code of each token of a text.
struct token_code {
  std::uint32_t const* text;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return text[i] + 1; }
};

/// How many codes a key of 64 bits holds.
struct key_layout {
  unsigned code_bits, count;

  /// @param max_code  the greatest code of the text
  static key_layout of(std::uint32_t max_code) {
    constexpr unsigned max_count = 8;
    unsigned const bits = std::max(1u, unsigned(std::bit_width(max_code)));
    return {bits, std::min(64 / bits, max_count)};
  }
  [[nodiscard]] bit_range bits() const { return {0, code_bits * count}; }
};

/// Computes keys of positions from the preceding tokens at `depth` and farther back. Nothing that precedes a separator counts,
/// if it is in the key.
struct preceding_key {
  preceding_tokens tokens;
  key_layout layout;
  std::size_t depth;
  ORDO_FN std::uint64_t operator()(std::uint32_t p) const {
    std::uint64_t key = 0, code = 1;
    for (unsigned j = 0; j < layout.count; ++j) {
      if (code != 0) code = tokens(p, depth + j);
      key = key << layout.code_bits | code;
    }
    return key;
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

/// Sorts the positions [first, first + order.size()) of a text by at least `depth` tokens that precede each, from the last one
/// back; equal ones by position. What precedes a separator decides nothing that a search can see. Time O(n) for the first sort,
/// and for each further key O(m) for the m positions whose order is still open. Temporary memory: 24 bytes a position.
/// @param text  in the machine's memory: all tokens, at least first + order.size(), fewer than 2^32
template <Backend B>
void sort_by_preceding(B& backend, std::span<std::uint32_t const> text, std::size_t first, std::span<std::uint32_t> order,
                       std::size_t depth, key_layout layout) {
  if (order.empty()) return;
  preceding_key key{{text.data()}, layout, 0};
  refinement<B, std::uint32_t, std::uint32_t> open(backend);
  {
    auto const keys = backend.template buffer<std::uint64_t>(order.size());
    backend.argsort(order.size(), preceding_key_from{key, std::uint32_t(first)}, keys.span(), order, layout.bits());
    backend.each(order.size(), add_first{order.data(), std::uint32_t(first)});
    open.start(std::span<std::uint32_t const>(order), differs_from_previous{keys.data()});
  }
  for (key.depth = layout.count; key.depth < depth && !open.empty(); key.depth += layout.count) {
    open.sort(key);
    open.place_settled(order);
    open.drop_settled();
  }
  open.place(order);
}

/// The tokens of a context, from the last one back, as codes.
struct context_tokens {
  std::uint32_t const* end;
  std::size_t size;
  ORDO_FN std::uint32_t operator()(std::size_t back) const { return end[-std::ptrdiff_t(back) - 1] + 1; }
};

/// The end of a context that a text has, and where: before `position`.
struct context_match {
  std::uint32_t length = 0, position = 0;
};

/// Searches for the longest strings of tokens that contexts end with, in an order of positions.
struct context_search {
  preceding_tokens tokens;
  std::uint32_t const* order;
  std::size_t size;

  /// Returns the longest match of at most `max_length` tokens, which are not more than those of the order or of the context; of
  /// several matches one that depends on the text and the order only.
  ///
  /// Almost all of its time are waits for memory. Three steps of a binary search therefore load what each of them may need, the
  /// positions and then a token before each, at the same time.
  [[nodiscard]] ORDO_FN context_match operator()(context_tokens context, std::size_t max_length) const {
    if (max_length == 0) return {};
    bounds now{0, size, 0, 0};
    while (now.high - now.low >= 8) {
      std::size_t const begin = now.low, eighth = (now.high - now.low) / 8, known = now.shared();
      std::uint32_t positions[7], codes[7];
      for (unsigned j = 0; j < 7; ++j) positions[j] = order[begin + (j + 1) * eighth];
      for (unsigned j = 0; j < 7; ++j) codes[j] = tokens(positions[j], known);
      unsigned at = 3;
      for (unsigned step = 2;; step /= 2) {
        bool const goes_up =
            narrow(now, context, max_length, begin + (at + 1) * eighth, known, choose(positions, at), choose(codes, at));
        if (now.high_shared == max_length) return {std::uint32_t(max_length), order[now.high]};
        if (step == 0) break;
        at = goes_up ? at + step : at - step;
      }
    }
    while (now.low < now.high) {
      std::size_t const middle = now.low + (now.high - now.low) / 2, known = now.shared();
      std::uint32_t const position = order[middle];
      narrow(now, context, max_length, middle, known, position, tokens(position, known));
    }
    context_match best;
    if (now.low_shared != 0) best = {std::uint32_t(now.low_shared), order[now.low - 1]};
    if (now.high_shared != 0 && now.high_shared >= now.low_shared) {
      std::uint32_t const position = order[now.high];
      if (now.high_shared > best.length || position > best.position) best = {std::uint32_t(now.high_shared), position};
    }
    return best;
  }

 private:
  /// The rows [low, high) among which the context is, and how many of its tokens the rows before them and at their end have.
  struct bounds {
    std::size_t low, high, low_shared, high_shared;
    [[nodiscard]] ORDO_FN std::size_t shared() const { return low_shared < high_shared ? low_shared : high_shared; }
  };

  /// Compares the context with a row, which has `known` of its tokens, and moves a bound there.
  /// @param code  that of the next token @returns true if the context comes after the row
  ORDO_FN bool narrow(bounds& now, context_tokens context, std::size_t max_length, std::size_t row, std::size_t known,
                      std::uint32_t position, std::uint32_t code) const {
    bool is_after = false;
    for (; known < max_length; code = tokens(position, ++known)) {
      std::uint32_t const own = context(known);
      // A separator in the context ends it: no code of the text is smaller.
      if (own == code && own != 0) continue;
      is_after = code < own;
      break;
    }
    if (is_after) {
      now.low = row + 1;
      now.low_shared = known;
    } else {
      now.high = row;
      now.high_shared = known;
    }
    return is_after;
  }

  /// Returns an element of an array that stays in registers.
  ORDO_FN static std::uint32_t choose(std::uint32_t const (&of)[7], unsigned at) {
    std::uint32_t chosen = of[0];
    for (unsigned j = 1; j < 7; ++j) chosen = j == at ? of[j] : chosen;
    return chosen;
  }
};

/// A text and its order, in memory of a machine. A draft that a CUDA graph holds finds here what has changed since its capture.
struct ordered_tokens {
  context_search older, newer;  // two orders, of which the second one has later positions
  std::uint32_t const* text;
  std::size_t size, max_match;
};

struct store_ordered_tokens {
  ordered_tokens tokens;
  ordered_tokens* to;
  ORDO_FN void operator()(std::size_t) const { *to = tokens; }
};

/// The contexts of drafts, and the room for these, in memory of a machine: see token_index::draft.
struct draft_arrays {
  std::uint32_t const *contexts, *context_lengths;
  std::size_t width, max_tokens;
  std::uint32_t *drafts, *lengths, *matched;
};

/// Writes the draft of each context: the tokens after its longest match, of equal ones the one in the newer order.
struct write_draft {
  ordered_tokens const* in;
  draft_arrays arrays;

  ORDO_FN void operator()(std::size_t i) const {
    ordered_tokens const now = *in;
    std::size_t const given = arrays.context_lengths[i], length = given < arrays.width ? given : arrays.width;
    context_tokens const context{arrays.contexts + i * arrays.width + length, length};
    std::size_t const max_length = length < now.max_match ? length : now.max_match;
    context_match best = now.newer(context, max_length);
    context_match const other = now.older(context, max_length);
    if (other.length > best.length) best = other;
    arrays.lengths[i] = best.length == 0 ? 0 : copy(now, best.position, arrays.drafts + i * arrays.max_tokens);
    arrays.matched[i] = best.length;
  }

 private:
  /// Copies the tokens from a position up to a separator. Loads some at a time, which do not wait for each other.
  ORDO_FN std::uint32_t copy(ordered_tokens const& now, std::size_t from, std::uint32_t* to) const {
    constexpr unsigned at_once = 8;
    std::size_t const left = now.size - from, count = left < arrays.max_tokens ? left : arrays.max_tokens;
    for (std::size_t first = 0; first < count; first += at_once) {
      std::uint32_t some[at_once];
      for (unsigned k = 0; k < at_once; ++k)
        some[k] = first + k < count ? now.text[from + first + k] : preceding_tokens::separator;
      for (unsigned k = 0; k < at_once; ++k) {
        if (some[k] == preceding_tokens::separator) return std::uint32_t(first + k);
        to[first + k] = some[k];
      }
    }
    return std::uint32_t(count);
  }
};

/// Gives a thread to each context, and leaves those between idle.
struct write_draft_apart {
  static constexpr std::size_t apart = 32;
  write_draft write;
  ORDO_FN void operator()(std::size_t i) const {
    if (i % apart == 0) write(i / apart);
  }
};

}  // namespace ordo::inline v0::suffix::detail
