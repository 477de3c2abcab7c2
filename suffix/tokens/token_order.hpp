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
  /// Returns the same. The text has a token. Loads without a branch, so that several loads need not wait for each other.
  [[nodiscard]] ORDO_FN std::uint32_t load(std::size_t p, std::size_t back) const {
    std::uint32_t const token = text[back < p ? p - back - 1 : 0];
    return back < p ? token + 1 : 0;
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

/// The last tokens of a context, from the last one back, as codes.
struct context_tokens {
  std::uint32_t const* end;
  std::size_t size;
  /// Returns 0 before the context, which has a token. Loads without a branch.
  [[nodiscard]] ORDO_FN std::uint32_t load(std::size_t back) const {
    std::uint32_t const token = end[-std::ptrdiff_t(back < size ? back : 0) - 1];
    return back < size ? token + 1 : 0;
  }
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

  /// Returns the longest match: of the two rows between which the context belongs, that of the longer match; of equal ones the
  /// later position. The context has no more tokens than those by which the rows are sorted.
  ///
  /// Almost all of its time are waits for memory. Each lane therefore loads what several rows of a round need, their positions
  /// and then a token before each, at the same time. Sixteen lanes need four rounds for a hundred million rows.
  template <class Lanes>
  [[nodiscard]] ORDO_FN context_match operator()(Lanes lanes, context_tokens context) const {
    bounds now{0, context.size == 0 ? 0 : size, 0, 0};
    while (lanes.any(now.low < now.high)) narrow(lanes, now, context);
    context_match const before{now.before, now.before == 0 ? 0 : order[now.low - 1]};
    context_match const after{now.after, now.after == 0 ? 0 : order[now.high]};
    bool const is_after = after.length > before.length || (after.length == before.length && after.position > before.position);
    return is_after ? after : before;
  }

 private:
  static constexpr unsigned rows_of_a_lane = 7;

  /// The rows [low, high) among which the context belongs, and how many of its tokens the rows before them and at their end
  /// have.
  struct bounds {
    std::size_t low, high;
    std::uint32_t before, after;
    /// Returns how many of its tokens all rows between have.
    [[nodiscard]] ORDO_FN std::uint32_t shared() const { return before < after ? before : after; }
  };

  /// The rows of a round: all that are left, or some at equal distances.
  struct round {
    std::size_t low, high, apart;
    ORDO_FN round(bounds const& now, unsigned count)
        : low(now.low), high(now.high), apart((now.high - now.low + count) / (count + 1)) {}
    /// Returns the row of number k, or the end of the rows.
    [[nodiscard]] ORDO_FN std::size_t row(unsigned k) const {
      std::size_t const at = low + (k + std::size_t{1}) * apart - 1;
      return at < high ? at : high;
    }
  };

  /// What a lane finds: how many of its rows are before the context, and how many of its tokens the last of these and the row
  /// after it have.
  struct found {
    std::uint32_t num_before, before, after;
  };

  /// Compares the context with rows, and moves the bounds to two neighbouring ones.
  template <class Lanes>
  ORDO_FN void narrow(Lanes lanes, bounds& now, context_tokens context) const {
    round const all(now, Lanes::count * rows_of_a_lane);
    found const own = compare_rows(now, all, lanes.rank() * rows_of_a_lane, context);
    unsigned const whole = lanes.count_true(own.num_before == rows_of_a_lane);  // lanes all of whose rows are before it
    bool const is_inside = whole < Lanes::count;
    unsigned const next = is_inside ? whole : Lanes::count - 1;
    found const last = lanes.of(own, next);
    found const previous = lanes.of(own, next == 0 ? 0 : next - 1);
    if (now.low >= now.high) return;  // the other half of a warp goes on
    unsigned const num_before = next * rows_of_a_lane + last.num_before;
    if (num_before != 0) {
      now.low = all.row(num_before - 1) + 1;
      now.before = last.num_before != 0 ? last.before : previous.before;
    }
    if (is_inside) {
      now.high = all.row(num_before);
      now.after = last.after;
    }
  }

  /// Compares the context with the rows of a lane, the first of which has the number `first` in its round.
  [[nodiscard]] ORDO_FN found compare_rows(bounds const& now, round const& all, unsigned first, context_tokens context) const {
    found own{0, now.before, now.after};
    if (now.low >= now.high) return own;
    std::uint32_t const known = now.shared();
    // A separator in the context ends it: no code of the text is smaller.
    std::uint32_t const next = context.load(known);
    std::uint32_t positions[rows_of_a_lane];
    for (unsigned j = 0; j < rows_of_a_lane; ++j) {
      std::size_t const row = all.row(first + j);
      positions[j] = order[row < now.high ? row : now.high - 1];
    }
    unsigned num_alike = 0, num_rows = 0;  // rows with the next token, too; rows before the upper bound
    for (unsigned j = 0; j < rows_of_a_lane; ++j) {
      std::uint32_t const code = tokens.load(positions[j], known);
      bool const is_row = all.row(first + j) < now.high;
      num_rows += is_row ? 1 : 0;
      own.num_before += is_row && code < next ? 1 : 0;
      num_alike += is_row && code == next && next != 0 ? 1 : 0;
    }
    if (own.num_before != 0) own.before = known;
    unsigned end = own.num_before + num_alike;
    if (end < num_rows) own.after = known;
    while (own.num_before < end) {  // where the rows just loaded are still in the cache
      unsigned const middle = own.num_before + (end - own.num_before) / 2;
      std::uint32_t const both = own.before < own.after ? own.before : own.after;
      std::uint32_t length = both > known ? both : known + 1;
      if (extend(length, order[all.row(first + middle)], context)) {
        own.before = length;
        own.num_before = middle + 1;
      } else {
        own.after = length;
        end = middle;
      }
    }
    return own;
  }

  /// Extends a match before a position to its length. Loads some tokens at a time, which do not wait for each other.
  /// @returns true if the context comes after the text's tokens
  [[nodiscard]] ORDO_FN bool extend(std::uint32_t& length, std::uint32_t position, context_tokens context) const {
    constexpr unsigned at_once = 4;
    for (;; length += at_once) {
      std::uint32_t codes[at_once], own[at_once];
      for (unsigned k = 0; k < at_once; ++k) {
        codes[k] = tokens.load(position, length + k);
        own[k] = context.load(length + k);
      }
      for (unsigned k = 0; k < at_once; ++k)
        if (own[k] != codes[k] || own[k] == 0) {
          length += k;
          return codes[k] < own[k];
        }
    }
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

/// Searches for a context in one of the orders.
struct search_of_order {
  ordered_tokens const* in;
  context_tokens context;

  template <class Lanes>
  ORDO_FN context_match operator()(Lanes lanes, unsigned number) const {
    context_search const search = number == 0 ? in->newer : in->older;
    return search(lanes, context);
  }
};

struct longer_match {
  ORDO_FN context_match operator()(context_match newer, context_match older) const {
    return older.length > newer.length ? older : newer;
  }
};

/// Writes the draft of each context: the tokens after its longest match, of equal ones the one in the newer order.
struct write_draft {
  ordered_tokens const* in;
  draft_arrays arrays;

  template <class Lanes>
  ORDO_FN void operator()(Lanes lanes, std::size_t i) const {
    std::size_t const given = arrays.context_lengths[i], length = given < arrays.width ? given : arrays.width;
    context_tokens const context{arrays.contexts + i * arrays.width + length, length < in->max_match ? length : in->max_match};
    context_match const best = lanes.both(search_of_order{in, context}, longer_match{});
    std::uint32_t const count = best.length == 0 ? 0 : copy(lanes, best.position, arrays.drafts + i * arrays.max_tokens);
    if (lanes.rank() != 0) return;
    arrays.lengths[i] = count;
    arrays.matched[i] = best.length;
  }

 private:
  /// Copies the tokens from a position up to a separator.
  /// @returns their number
  template <class Lanes>
  ORDO_FN std::uint32_t copy(Lanes lanes, std::size_t from, std::uint32_t* to) const {
    std::size_t const left = in->size - from, count = left < arrays.max_tokens ? left : arrays.max_tokens;
    for (std::size_t first = 0; first < count; first += Lanes::count) {
      std::size_t const k = first + lanes.rank();
      std::uint32_t const token = k < count ? in->text[from + k] : preceding_tokens::separator;
      bool const is_end = token == preceding_tokens::separator;
      // Lanes after one that is at the end may have other tokens.
      unsigned const before_end = lanes.count_before(is_end);
      if (lanes.rank() < before_end) to[k] = token;
      if (before_end < Lanes::count) return std::uint32_t(first + before_end);
    }
    return std::uint32_t(count);
  }
};

}  // namespace ordo::inline v0::suffix::detail
