#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/sort/letter_runs.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::inline v0::suffix::detail {

/// Sets lcp[i] to the number of letters that the i-th key shares with the one before it; `before` precedes the first one, or 0
/// is stored if there is none. This is the length of the common prefix of the suffixes sa[i - 1] and sa[i] unless it is a whole
/// key: then it may be more.
/// @param keys  each less `from`
template <Backend B, class Index>
void common_prefixes_of_keys(B& backend, packed_view text, std::optional<std::uint64_t> before,
                             std::span<std::uint64_t const> keys, std::uint64_t from, std::span<Index> lcp) {
  auto const* const key = keys.data();
  auto* const length = lcp.data();
  bool const follows = before.has_value();
  std::uint64_t const first = before.value_or(0);
  backend.each(keys.size(), [=] ORDO_FN(std::size_t i) {
    length[i] = i == 0 && !follows ? Index{0} : Index(text.common_letters(i == 0 ? first : key[i - 1] + from, key[i] + from));
  });
}

/// Returns the length of the common prefix of the suffixes at p and q, which is at least `known`, not 0. Runs of one letter are
/// skipped, however long they are.
struct common_prefix_over_runs {
  packed_view text;
  is_uniform_key is_uniform;  // tells which of the text's keys are uniform
  run_key runs;               // runs at least as long as a key

  ORDO_FN std::size_t operator()(std::size_t p, std::size_t q, std::size_t known) const {
    for (;;) {
      std::uint64_t const key = text.key_behind(p + known);
      unsigned const more = text.common_letters(key, text.key_behind(q + known));
      if (more < text.letters) return known + more;
      if (!is_uniform(key)) {
        known += more;
        continue;
      }
      std::size_t const a = runs.left(p + known), b = runs.left(q + known);
      if (a != b) return known + (a < b ? a : b);
      known += a;
    }
  }
};

/// Implements common_prefixes_by_position in rounds, from multiples of large powers of two to all open positions. Each position
/// gets a lower bound from the last one before it. All positions of a round together read O(n) letters: what one gains over the
/// position before, the next one must keep. Memory: sizeof(Index) bytes for each open position.
template <Backend B, class Index, class Numbers>
void common_prefixes_by_rounds(B& backend, packed_view text, std::size_t n, unsigned letters, std::span<Index> by_position,
                               Numbers number) {
  auto* const at = by_position.data();
  auto const is_open = [=] ORDO_FN(std::size_t p) { return number.has(p) && at[number(p)] != n; };
  std::size_t const count = backend.reduce(
      n, [=] ORDO_FN(std::size_t p) { return std::size_t(is_open(p)); }, std::size_t{0}, plus{});
  if (count == 0) return;
  auto const positions = backend.template buffer<Index>(count);
  backend.select(
      n, is_open, [=] ORDO_FN(std::size_t p) { return Index(p); }, positions.span());
  auto const* const position = positions.data();

  letter_runs<B> const runs(backend, text, n);
  common_prefix_over_runs const common_prefix{text, is_uniform_key(text), runs.key()};
  auto const settle = [=] ORDO_FN(std::size_t p, std::size_t known) {
    auto* const to = at + number(p);
    store_relaxed(to, Index(common_prefix(*to, p, known < letters ? letters : known)));
  };
  backend.each(1, [=] ORDO_FN(std::size_t) { settle(position[0], 0); });
  for (std::size_t stride = std::bit_floor(count); stride != 0; stride /= 2) {
    backend.each(((count - 1) / stride + 1) / 2, [=] ORDO_FN(std::size_t i) {
      std::size_t const j = (2 * i + 1) * stride, soon = j + 2 * lookahead * stride;
      if (soon < count)
        text.prefetch(load_relaxed(at + number(position[soon])));  // too late if already computed, but never wrong
      std::size_t const p = position[j], before = position[j - stride];
      std::size_t const length = at[number(before)];
      settle(p, length > p - before ? length - (p - before) : 0);
    });
  }
}

/// Implements common_prefixes_by_position on workers. Each worker processes a part of the text in order, so that its reads are
/// sequential, and no list of open positions is needed.
template <has_workers B, class Index, class Numbers>
void common_prefixes_by_workers(B& backend, packed_view text, std::size_t n, unsigned letters, std::span<Index> by_position,
                                Numbers number) {
  constexpr std::size_t min_part = std::size_t{1} << 14, max_parts = 256;  // the first position of each part has no lower bound
  letter_runs<B> const runs(backend, text, n);
  common_prefix_over_runs const common_prefix{text, is_uniform_key(text), runs.key()};
  auto* const at = by_position.data();
  auto const is_open = [=](std::size_t p) { return number.has(p) && at[number(p)] != n; };
  std::size_t const part = std::max(min_part, n / max_parts + 1);
  backend.each_worker((n + part - 1) / part, [&](auto&, std::size_t b) {
    std::size_t last = b * part, length = 0;
    for (std::size_t p = last, end = std::min(n, p + part); p < end; ++p) {
      if (std::size_t const soon = p + lookahead; soon < end && is_open(soon)) text.prefetch(at[number(soon)] + length);
      if (!is_open(p)) continue;
      std::size_t const known = length > p - last ? length - (p - last) : 0;
      Index* const to = at + number(p);
      length = common_prefix(*to, p, std::max<std::size_t>(known, letters));
      *to = Index(length);
      last = p;
    }
  });
}

/// Computes the lengths of common prefixes by position, where they are a whole key or more. There by_position holds the
/// preceding suffix in the order, and then the length; elsewhere it holds n, the number of letters.
/// From one position to the next these lengths decrease by at most one (Kasai et al., CPM'01; Karkkainen, Manzini and Puglisi,
/// CPM'09), so by at most d over d positions. The same holds for a sample of the positions of each record.
/// @param letters  in a key
/// @param by_position  by the numbers of positions
template <Backend B, class Index, class Numbers = every_position>
void common_prefixes_by_position(B& backend, packed_view text, std::size_t n, unsigned letters, std::span<Index> by_position,
                                 Numbers number = {}) {
  if constexpr (has_workers<B>)
    common_prefixes_by_workers(backend, text, n, letters, by_position, number);
  else
    common_prefixes_by_rounds(backend, text, n, letters, by_position, number);
}

/// Computes the lengths that common_prefixes_of_keys has left open. Memory: sizeof(Index) bytes a suffix, and once more for the
/// open ones.
/// @param n  letters of the text
/// @param letters  in a whole key
template <Backend B, class Index, class Numbers = every_position>
void common_prefixes(B& backend, packed_view text, std::size_t n, unsigned letters, std::span<Index const> sa,
                     std::span<Index> lcp, Numbers number = {}) {
  std::size_t const rows = sa.size();
  auto const* const suffix = sa.data();
  auto* const length = lcp.data();
  auto const by_position = backend.template buffer<Index>(rows);
  auto* const at = by_position.data();
  backend.each(rows, [=] ORDO_FN(std::size_t k) { at[k] = Index(n); });
  backend.each(rows, [=] ORDO_FN(std::size_t i) {
    if (length[i] == letters) at[number(suffix[i])] = suffix[i - 1];
  });
  common_prefixes_by_position(backend, text, n, letters, by_position.span(), number);
  backend.each(rows, [=] ORDO_FN(std::size_t i) {
    if (length[i] == letters) length[i] = at[number(suffix[i])];
  });
}

/// Row i of a part of the order, i in [0, n): its suffix and the one before it.
template <class Index>
struct part_row {
  packed_view text;
  Index const* suffix;  // the suffix of the row before the part, then those of the part
  bool is_first;        // whether the part begins the order

  /// Returns the number of letters of a key that the two share.
  ORDO_FN unsigned common_letters(std::size_t i) const {
    return i == 0 && is_first ? 0 : text.common_letters(text.key(suffix[i]), text.key(suffix[i + 1]));
  }
};

/// Stores the input of common_prefixes_by_position for a part of the order.
template <Backend B, class Index>
void open_prefixes_of_part(B& backend, part_row<Index> row, std::size_t size, std::span<Index> by_position) {
  auto* const at = by_position.data();
  Index const none = Index(by_position.size());
  backend.each(size, [=] ORDO_FN(std::size_t i) {
    at[row.suffix[i + 1]] = row.common_letters(i) == row.text.letters ? row.suffix[i] : none;
  });
}

/// Stores the rows of a part after common_prefixes_by_position.
template <Backend B, class Index>
void common_prefixes_of_part(B& backend, part_row<Index> row, std::span<Index const> by_position, std::span<Index> lcp) {
  auto const* const at = by_position.data();
  auto* const length = lcp.data();
  Index const none = Index(by_position.size());
  backend.each(lcp.size(), [=] ORDO_FN(std::size_t i) {
    Index const known = at[row.suffix[i + 1]];
    length[i] = known != none ? known : Index(row.common_letters(i));
  });
}

}  // namespace ordo::inline v0::suffix::detail
