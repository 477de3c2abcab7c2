#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/backend.hpp"
#include "suffix/packed_text.hpp"

namespace ordo::suffix::detail {

/// lcp[i] := the length of the common prefix of the suffixes sa[i - 1] and sa[i]; lcp[0] := 0.
/// In order of position these lengths fall by at most one from a position to the next (Kasai et al., CPM'01; Karkkainen,
/// Manzini and Puglisi, CPM'09), hence by at most d over d positions. So positions are done in rounds, multiples of large
/// powers of two first: each knows a least length from the last one done before it, all of a round at once. A round extends
/// by O(n) letters together: what a position gains over the one before, the one behind must keep.
/// Memory: sizeof(Index) bytes a letter.
template <Backend B, class Index>
void common_prefixes(B& machine, packed_view text, std::span<Index const> sa, std::span<Index> lcp) {
  std::size_t const n = sa.size();
  auto const lengths = machine.template buffer<Index>(n);
  auto const* const suffix = sa.data();
  // At each position first the suffix before it in the order (itself, where there is none), then the length.
  auto* const at = lengths.data();
  machine.each(n, [=] ORDO_FN(std::size_t i) { at[suffix[i]] = suffix[i == 0 ? 0 : i - 1]; });
  auto const settle = [=] ORDO_FN(std::size_t p, std::size_t known) {
    std::size_t const q = at[p];
    at[p] = q == p ? Index{0} : Index(text.common_prefix(q, p, known));
  };
  if (n != 0) machine.each(1, [=] ORDO_FN(std::size_t) { settle(0, 0); });
  for (std::size_t stride = std::bit_floor(n); stride != 0; stride /= 2) {
    machine.each(((n - 1) / stride + 1) / 2, [=] ORDO_FN(std::size_t i) {
      std::size_t const p = (2 * i + 1) * stride, before = at[p - stride];
      if (p + 2 * lookahead * stride < n) text.expect(at[p + 2 * lookahead * stride]);
      settle(p, before > stride ? before - stride : 0);
    });
  }
  machine.gather(std::span<Index const>(lengths.span()), sa, lcp);
}

}  // namespace ordo::suffix::detail
