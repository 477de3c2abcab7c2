#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/backend.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/load.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/packed_text.hpp"

namespace ordo::suffix::detail {

/// lcp[i] := how many letters the i-th key has in common with the one before it; lcp[0] := 0. This is the length of the common
/// prefix of the suffixes sa[i - 1] and sa[i], unless it is a whole key: then it may be more.
template <Backend B, class Index>
void common_prefixes_of_keys(B& machine, packed_view text, std::span<std::uint64_t const> keys, std::span<Index> lcp) {
  auto const* const key = keys.data();
  auto* const length = lcp.data();
  machine.each(keys.size(),
               [=] ORDO_FN(std::size_t i) { length[i] = i == 0 ? Index{0} : Index(text.common_letters(key[i - 1], key[i])); });
}

/// What common_prefixes_of_keys has left open.
/// In order of position these lengths fall by at most one from a position to the next (Kasai et al., CPM'01; Karkkainen,
/// Manzini and Puglisi, CPM'09), and so by at most d over d positions. So the open positions are done in rounds, multiples of
/// large powers of two first: each knows a least length from the last one done before it, all of a round at once. A round
/// extends by O(n) letters together: what a position gains over the one before, the one behind must keep.
/// Memory: sizeof(Index) bytes a letter, and once more for the open ones.
template <Backend B, class Index>
void common_prefixes(B& machine, packed_view text, std::span<Index const> sa, std::span<Index> lcp) {
  std::size_t const n = sa.size();
  auto const* const suffix = sa.data();
  auto* const length = lcp.data();
  unsigned const letters = text.letters;

  // At each open position first the suffix before it in the order, then the length; n at all others.
  auto const by_position = machine.template buffer<Index>(n);
  auto* const at = by_position.data();
  machine.each(n, [=] ORDO_FN(std::size_t p) { at[p] = Index(n); });
  machine.each(n, [=] ORDO_FN(std::size_t i) {
    if (length[i] == letters) at[suffix[i]] = suffix[i - 1];
  });
  auto const is_open = [=] ORDO_FN(std::size_t p) { return at[p] != n; };
  std::size_t const count = machine.reduce(
      n, [=] ORDO_FN(std::size_t p) { return std::size_t(is_open(p)); }, std::size_t{0}, plus{});
  if (count == 0) return;
  auto const positions = machine.template buffer<Index>(count);
  machine.select(
      n, is_open, [=] ORDO_FN(std::size_t p) { return Index(p); }, positions.span());
  auto const* const position = positions.data();

  auto const settle = [=] ORDO_FN(std::size_t p, std::size_t known) {
    store_relaxed(at + p, Index(text.common_prefix(at[p], p, known < letters ? letters : known)));
  };
  machine.each(1, [=] ORDO_FN(std::size_t) { settle(position[0], 0); });
  for (std::size_t stride = std::bit_floor(count); stride != 0; stride /= 2) {
    machine.each(((count - 1) / stride + 1) / 2, [=] ORDO_FN(std::size_t i) {
      std::size_t const j = (2 * i + 1) * stride, soon = j + 2 * lookahead * stride;
      if (soon < count) text.expect(load_relaxed(at + position[soon]));  // too late if done already; never wrong
      std::size_t const p = position[j], before = position[j - stride];
      settle(p, at[before] > p - before ? at[before] - (p - before) : 0);
    });
  }
  machine.each(n, [=] ORDO_FN(std::size_t i) {
    if (length[i] == letters) length[i] = at[suffix[i]];
  });
}

}  // namespace ordo::suffix::detail
