#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "sort_core/functors.hpp"
#include "suffix/sort/bwt.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::suffix::detail {

/// The least of row(i) for i in [0, n), which is n where nothing is wrong.
template <Backend B, class Row>
std::size_t first_wrong(B& machine, std::size_t n, Row row) {
  return machine.reduce(n, row, n, minimum{});
}

/// What a proof looks at: the residues themselves, not their packed form, so that it shares nothing with the sort. The order is
/// looked at along the text, not along the rows: then half of what is read lies in order, and more of it in repeats.
template <class Index>
struct proof_view {
  unsigned char const* residues;
  break_mask breaks;
  Index const* sa;
  Index const* rank;  // the inverse of sa
  std::size_t n;

  /// The suffix at q and its neighbour will soon be looked at.
  ORDO_FN void expect(std::size_t q) const {
    if (q + 2 * lookahead < n) prefetch(sa + rank[q + 2 * lookahead]);
    if (q + lookahead >= n) return;
    Index const row = rank[q + lookahead];
    std::size_t const p = sa[row == 0 ? 0 : row - 1];
    prefetch(residues + p);
    breaks.expect(p);
    prefetch(rank + p);
  }

  /// Is the row of suffix q above the one before? By their first residues, then by the ranks of what follows. If that holds
  /// everywhere, all rows are in order, by induction from the shorter of two suffixes to the longer.
  ORDO_FN bool in_order(std::size_t q) const {
    if (rank[q] == 0) return true;
    std::size_t const p = sa[rank[q] - 1];
    if (residues[p] != residues[q]) return residues[p] < residues[q];
    bool const p_ends = breaks(p + 1), q_ends = breaks(q + 1);
    if (p_ends || q_ends) return p_ends && (!q_ends || p < q);
    return rank[p + 1] < rank[q + 1];
  }

  /// The length of the common prefix of the suffixes at p and q, of which `known` letters agree.
  ORDO_FN std::size_t common_prefix(std::size_t p, std::size_t q, std::size_t known) const {
    for (;; ++known) {
      if (known != 0 && (breaks(p + known) || breaks(q + known))) return known;
      if (residues[p + known] != residues[q + known]) return known;
    }
  }
};

/// For each position the length of the common prefix of its suffix and the one before that in the order, which must be right.
/// It is at least one less than at the position before (Kasai et al., CPM'01), so at least d less than d positions before.
/// Multiples of large powers of two come first, all of a round at once; a round looks at O(n) letters.
template <Backend B, class Index>
buffer<Index> lengths_by_position(B& machine, proof_view<Index> proof) {
  auto lengths = machine.template buffer<Index>(proof.n);
  if (proof.n == 0) return lengths;
  auto* const at = lengths.data();  // at first the suffix before; n if there is none
  machine.each(proof.n, [=] ORDO_FN(std::size_t i) { at[proof.sa[i]] = i == 0 ? Index(proof.n) : proof.sa[i - 1]; });
  auto const settle = [=] ORDO_FN(std::size_t p, std::size_t known) {
    std::size_t const before = at[p];
    store_relaxed(at + p, before == proof.n ? Index{0} : Index(proof.common_prefix(before, p, known)));
  };
  machine.each(1, [=] ORDO_FN(std::size_t) { settle(0, 0); });
  for (std::size_t stride = std::bit_floor(proof.n); stride != 0; stride /= 2) {
    machine.each(((proof.n - 1) / stride + 1) / 2, [=] ORDO_FN(std::size_t i) {
      std::size_t const p = (2 * i + 1) * stride, soon = p + 2 * lookahead * stride;
      if (soon < proof.n) prefetch(proof.residues + load_relaxed(at + soon));  // of no use if done already; never wrong
      std::size_t const length = at[p - stride];
      settle(p, length > stride ? length - stride : 0);
    });
  }
  return lengths;
}

/// rank := the inverse permutation of suffix[0, n). @returns  why it is no permutation, if it is none: the first row whose
/// position is not below n; else the least position that occurs twice, and its second row. Which of two rows with the same
/// position writes its rank last is not known, but the fault does not depend on it.
template <Backend B, class Index>
std::optional<fault> invert(B& machine, Index const* suffix, std::size_t n, Index* rank) {
  std::size_t row = first_wrong(machine, n, [=] ORDO_FN(std::size_t i) { return suffix[i] < n ? n : i; });
  auto const position_at = [&](std::size_t i) {
    return std::to_string(value_at(machine, std::span<Index const>(suffix, n), i));
  };
  if (row != n) return fault{"sa", row, "there is no position " + position_at(row)};

  machine.each(n, [=] ORDO_FN(std::size_t i) {
    if (i + lookahead < n) prefetch(rank + suffix[i + lookahead]);
    store_relaxed(rank + suffix[i], Index(i));
  });
  // n rows of n positions: if all of these differ, all are there.
  std::size_t const twice = first_wrong(machine, n, [=] ORDO_FN(std::size_t i) {
    if (i + lookahead < n) prefetch(rank + suffix[i + lookahead]);
    return rank[suffix[i]] == Index(i) ? n : std::size_t(suffix[i]);
  });
  if (twice == n) return std::nullopt;
  std::size_t const first = first_wrong(machine, n, [=] ORDO_FN(std::size_t i) { return suffix[i] == twice ? i : n; });
  row = first_wrong(machine, n, [=] ORDO_FN(std::size_t i) { return i > first && suffix[i] == twice ? i : n; });
  return fault{"sa", row, "position " + position_at(row) + " occurs twice"};
}

/// See suffix::check.
template <Backend B, class Index>
std::optional<fault> find_fault(B& machine, text const& input, arrays<Index const> all) {
  std::size_t const n = input.size();
  auto const sa = machine.upload(all.sa);
  auto const* const suffix = sa.data();

  auto const rank = machine.template buffer<Index>(n);
  if (auto const wrong = invert(machine, suffix, n, rank.data())) return wrong;

  std::span<unsigned char const> const bytes{reinterpret_cast<unsigned char const*>(input.residues.data()), n};
  auto const residues = machine.upload(bytes);
  record_breaks<B> const breaks(machine, input.size(), input.starts);
  proof_view<Index> const proof{residues.data(), breaks.mask(), suffix, rank.data(), n};
  std::size_t row = first_wrong(machine, n, [=] ORDO_FN(std::size_t q) {
    proof.expect(q);
    return proof.in_order(q) ? n : std::size_t(proof.rank[q]);
  });
  if (row != n) return fault{"sa", row, "out of order with the row before it"};

  if (!all.lcp.empty()) {
    auto const lcp = machine.upload(all.lcp);
    auto const* const length = lcp.data();
    auto const lengths = lengths_by_position(machine, proof);
    auto const* const at = lengths.data();
    row = first_wrong(machine, n, [=] ORDO_FN(std::size_t i) {
      if (i + lookahead < n) prefetch(at + suffix[i + lookahead]);
      return length[i] == at[suffix[i]] ? n : i;
    });
    if (row != n) return fault{"lcp", row, "not the length of the common prefix"};
  }

  if (!all.bwt.empty()) {
    std::size_t const records = input.records();
    for (std::size_t r = 0; r < records; ++r)
      if (all.bwt[r] != residue_before_end(input, r)) return fault{"bwt", r, "not the residue before the record's end"};
    auto const bwt = machine.upload(all.bwt.subspan(records));
    auto const* const rows = bwt.data();
    row = first_wrong(machine, n, [=] ORDO_FN(std::size_t q) {
      if (q + lookahead < n) prefetch(rows + proof.rank[q + lookahead]);
      char const before = proof.breaks(q) ? record_begin : char(proof.residues[q - 1]);
      return rows[proof.rank[q]] == before ? n : std::size_t(proof.rank[q]);
    });
    if (row != n) return fault{"bwt", records + row, "not the residue before the suffix"};
  }
  return std::nullopt;
}

}  // namespace ordo::suffix::detail
