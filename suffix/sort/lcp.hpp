#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/sort/letter_runs.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::suffix::detail {

/// lcp[i] := how many letters the i-th key has in common with the one before it, which for the first is `before`; 0 where there
/// is none. This is the length of the common prefix of the suffixes sa[i - 1] and sa[i], unless it is a whole key: then it may
/// be more. @param keys  less `from`, each
template <Backend B, class Index>
void common_prefixes_of_keys(B& machine, packed_view text, std::optional<std::uint64_t> before,
                             std::span<std::uint64_t const> keys, std::uint64_t from, std::span<Index> lcp) {
  auto const* const key = keys.data();
  auto* const length = lcp.data();
  bool const follows = before.has_value();
  std::uint64_t const first = before.value_or(0);
  machine.each(keys.size(), [=] ORDO_FN(std::size_t i) {
    length[i] = i == 0 && !follows ? Index{0} : Index(text.common_letters(i == 0 ? first : key[i - 1] + from, key[i] + from));
  });
}

/// The length of the common prefix of the suffixes at p and q, of which `known` letters, not 0, agree. Runs of one letter are
/// passed over, however long they are.
struct common_prefix_over_runs {
  packed_view text;
  is_uniform_key is_uniform;  // of the text's keys
  run_key runs;               // all that are as long as a key

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

/// The lengths of common prefixes by position: see common_prefixes_by_position. The open positions are done in rounds,
/// multiples of large powers of two first: each knows a least length from the last one done before it, all of a round at once.
/// A round extends by O(n) letters together: what a position gains over the one before, the one behind must keep. Memory:
/// sizeof(Index) bytes for each open position.
template <Backend B, class Index, class Numbers>
void common_prefixes_by_rounds(B& machine, packed_view text, std::size_t n, unsigned letters, std::span<Index> by_position,
                               Numbers number) {
  auto* const at = by_position.data();
  auto const is_open = [=] ORDO_FN(std::size_t p) { return number.has(p) && at[number(p)] != n; };
  std::size_t const count = machine.reduce(
      n, [=] ORDO_FN(std::size_t p) { return std::size_t(is_open(p)); }, std::size_t{0}, plus{});
  if (count == 0) return;
  auto const positions = machine.template buffer<Index>(count);
  machine.select(
      n, is_open, [=] ORDO_FN(std::size_t p) { return Index(p); }, positions.span());
  auto const* const position = positions.data();

  letter_runs<B> const runs(machine, text, n);
  common_prefix_over_runs const common_prefix{text, is_uniform_key(text), runs.key()};
  auto const settle = [=] ORDO_FN(std::size_t p, std::size_t known) {
    auto* const to = at + number(p);
    store_relaxed(to, Index(common_prefix(*to, p, known < letters ? letters : known)));
  };
  machine.each(1, [=] ORDO_FN(std::size_t) { settle(position[0], 0); });
  for (std::size_t stride = std::bit_floor(count); stride != 0; stride /= 2) {
    machine.each(((count - 1) / stride + 1) / 2, [=] ORDO_FN(std::size_t i) {
      std::size_t const j = (2 * i + 1) * stride, soon = j + 2 * lookahead * stride;
      if (soon < count) text.expect(load_relaxed(at + number(position[soon])));  // too late if done already; never wrong
      std::size_t const p = position[j], before = position[j - stride];
      std::size_t const length = at[number(before)];
      settle(p, length > p - before ? length - (p - before) : 0);
    });
  }
}

/// The lengths of common prefixes by position: see common_prefixes_by_position. Each worker goes through a part of the text in
/// order, so that what it reads follows what it has read, and no list of open positions is needed.
template <has_workers B, class Index, class Numbers>
void common_prefixes_by_workers(B& machine, packed_view text, std::size_t n, unsigned letters, std::span<Index> by_position,
                                Numbers number) {
  constexpr std::size_t least_part = std::size_t{1} << 14, most_parts = 256;  // the first position of each starts anew
  letter_runs<B> const runs(machine, text, n);
  common_prefix_over_runs const common_prefix{text, is_uniform_key(text), runs.key()};
  auto* const at = by_position.data();
  auto const is_open = [=](std::size_t p) { return number.has(p) && at[number(p)] != n; };
  std::size_t const part = std::max(least_part, n / most_parts + 1);
  machine.each_worker((n + part - 1) / part, [&](auto&, std::size_t b) {
    std::size_t last = b * part, length = 0;
    for (std::size_t p = last, end = std::min(n, p + part); p < end; ++p) {
      if (std::size_t const soon = p + lookahead; soon < end && is_open(soon)) text.expect(at[number(soon)] + length);
      if (!is_open(p)) continue;
      std::size_t const known = length > p - last ? length - (p - last) : 0;
      Index* const to = at + number(p);
      length = common_prefix(*to, p, std::max<std::size_t>(known, letters));
      *to = Index(length);
      last = p;
    }
  });
}

/// The lengths of common prefixes by position, where they are a whole key or more. At such a position stands first the suffix
/// before it in the order, and then the length; at all others n, the number of letters.
/// In order of position these lengths fall by at most one from a position to the next (Kasai et al., CPM'01; Karkkainen,
/// Manzini and Puglisi, CPM'09), and so by at most d over d positions. The same holds where only every so many-th position of a
/// record has a suffix.
/// @param letters  in a key @param by_position  by the numbers of positions
template <Backend B, class Index, class Numbers = every_position>
void common_prefixes_by_position(B& machine, packed_view text, std::size_t n, unsigned letters, std::span<Index> by_position,
                                 Numbers number = {}) {
  if constexpr (has_workers<B>)
    common_prefixes_by_workers(machine, text, n, letters, by_position, number);
  else
    common_prefixes_by_rounds(machine, text, n, letters, by_position, number);
}

/// What common_prefixes_of_keys has left open. Memory: sizeof(Index) bytes a suffix, and once more for the open ones.
/// @param n  letters of the text @param letters  in a whole one of those keys
template <Backend B, class Index, class Numbers = every_position>
void common_prefixes(B& machine, packed_view text, std::size_t n, unsigned letters, std::span<Index const> sa,
                     std::span<Index> lcp, Numbers number = {}) {
  std::size_t const rows = sa.size();
  auto const* const suffix = sa.data();
  auto* const length = lcp.data();
  auto const by_position = machine.template buffer<Index>(rows);
  auto* const at = by_position.data();
  machine.each(rows, [=] ORDO_FN(std::size_t k) { at[k] = Index(n); });
  machine.each(rows, [=] ORDO_FN(std::size_t i) {
    if (length[i] == letters) at[number(suffix[i])] = suffix[i - 1];
  });
  common_prefixes_by_position(machine, text, n, letters, by_position.span(), number);
  machine.each(rows, [=] ORDO_FN(std::size_t i) {
    if (length[i] == letters) length[i] = at[number(suffix[i])];
  });
}

/// Row i of a part of the order, i in [0, n): the suffix there, and the one before it.
template <class Index>
struct part_row {
  packed_view text;
  Index const* suffix;  // of the row before the part's first one, then of the part
  bool is_first;        // is the first row the first of all?

  /// How many letters of a key the two have in common.
  ORDO_FN unsigned common_letters(std::size_t i) const {
    return i == 0 && is_first ? 0 : text.common_letters(text.key(suffix[i]), text.key(suffix[i + 1]));
  }
};

/// Fills in, for a part of the order, what common_prefixes_by_position begins with.
template <Backend B, class Index>
void open_prefixes_of_part(B& machine, part_row<Index> row, std::size_t size, std::span<Index> by_position) {
  auto* const at = by_position.data();
  Index const none = Index(by_position.size());
  machine.each(size, [=] ORDO_FN(std::size_t i) {
    at[row.suffix[i + 1]] = row.common_letters(i) == row.text.letters ? row.suffix[i] : none;
  });
}

/// And, when it is done, the part's rows.
template <Backend B, class Index>
void common_prefixes_of_part(B& machine, part_row<Index> row, std::span<Index const> by_position, std::span<Index> lcp) {
  auto const* const at = by_position.data();
  auto* const length = lcp.data();
  Index const none = Index(by_position.size());
  machine.each(lcp.size(), [=] ORDO_FN(std::size_t i) {
    Index const known = at[row.suffix[i + 1]];
    length[i] = known != none ? known : Index(row.common_letters(i));
  });
}

}  // namespace ordo::suffix::detail
