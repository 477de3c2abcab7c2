#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sort_core/backend.hpp"
#include "suffix/bwt.hpp"
#include "suffix/packed_text.hpp"

namespace ordo::suffix::detail {

struct minimum {
  ORDO_FN std::size_t operator()(std::size_t a, std::size_t b) const { return b < a ? b : a; }
};

/// The least of row(i) for i in [0, n), which is n where nothing is wrong.
template <Backend B, class Row>
std::size_t first_wrong(B& machine, std::size_t n, Row row) {
  return machine.reduce(n, row, n, minimum{});
}

/// What a proof looks at: the residues themselves, not their packed form, so that it shares nothing with the sort. It walks
/// over the text, not over the rows: then half of what it reads lies in order, and more of it in repeats.
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
    prefetch(breaks.words + p / 64);
    prefetch(rank + p);
  }

  /// Do p and q end, or differ, `length` letters on? Both have that many.
  ORDO_FN bool differ_behind(std::size_t p, std::size_t q, std::size_t length) const {
    if (length != 0 && (breaks(p + length) || breaks(q + length))) return true;
    return residues[p + length] != residues[q + length];
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

  /// Is lcp right in the row of suffix q? It is at least one less than the length at the position before, so the letters to
  /// look at are those beyond; if that length is wrong, its own row says so.
  ORDO_FN bool is_common_prefix(Index const* lcp, std::size_t q) const {
    if (q + 2 * lookahead < n) prefetch(lcp + rank[q + 2 * lookahead]);
    std::size_t const length = lcp[rank[q]];
    if (rank[q] == 0) return length == 0;
    std::size_t const p = sa[rank[q] - 1];
    if (length > n - (p < q ? q : p)) return false;
    std::size_t const before = breaks(q) ? 0 : lcp[rank[q - 1]];
    for (std::size_t k = before == 0 ? 0 : before - 1; k < length; ++k)
      if (differ_behind(p, q, k)) return false;
    return differ_behind(p, q, length);
  }
};

/// See suffix::check.
template <Backend B, class Index>
std::optional<fault> find_fault(B& machine, text const& input, arrays<Index const> all) {
  std::size_t const n = input.size();
  auto const sa = machine.upload(all.sa);
  auto const* const suffix = sa.data();

  auto const rank = machine.template buffer<Index>(n);
  {
    auto const positions = machine.template buffer<Index>(n);
    machine.argsort(
        n, [=] ORDO_FN(std::size_t i) { return suffix[i]; }, positions.span(), rank.span());
    auto const* const position = positions.data();
    std::size_t const p = first_wrong(machine, n, [=] ORDO_FN(std::size_t i) { return position[i] == i ? n : i; });
    if (p != n) {
      // The p lowest are right: what stands in the place of p is p - 1 once more, or larger than p.
      std::size_t const found = value_at(machine, std::span<Index const>(positions.span()), p);
      std::size_t const row = value_at(machine, std::span<Index const>(rank.span()), p);
      if (found < p) return fault{"sa", row, "position " + std::to_string(found) + " occurs twice"};
      if (found >= n) return fault{"sa", row, "there is no position " + std::to_string(found)};
      return fault{"sa", row, "position " + std::to_string(p) + " is missing"};
    }
  }

  std::span<unsigned char const> const bytes{reinterpret_cast<unsigned char const*>(input.residues.data()), n};
  auto const residues = machine.upload(bytes);
  record_breaks<B> const breaks(machine, input);
  proof_view<Index> const proof{residues.data(), breaks.mask(), suffix, rank.data(), n};
  std::size_t row = first_wrong(machine, n, [=] ORDO_FN(std::size_t q) {
    proof.expect(q);
    return proof.in_order(q) ? n : std::size_t(proof.rank[q]);
  });
  if (row != n) return fault{"sa", row, "out of order with the row before it"};

  if (!all.lcp.empty()) {
    auto const lcp = machine.upload(all.lcp);
    auto const* const length = lcp.data();
    row = first_wrong(machine, n, [=] ORDO_FN(std::size_t q) {
      proof.expect(q);
      return proof.is_common_prefix(length, q) ? n : std::size_t(proof.rank[q]);
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
