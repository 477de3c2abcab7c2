#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "suffix/arrays/bwt.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::inline v0::suffix::detail {

/// Returns the minimum of row(i) for i in [0, count); row(i) is n if i is right.
template <Backend B, class Row>
std::size_t first_wrong(B& backend, std::size_t count, Row row, std::size_t n) {
  return backend.reduce(count, row, n, minimum{});
}
template <Backend B, class Row>
std::size_t first_wrong(B& backend, std::size_t n, Row row) {
  return first_wrong(backend, n, row, n);
}

// The mismatches that a check finds.
inline mismatch no_such_position(std::size_t row, std::uint64_t position) {
  return {"sa", row, "there is no position " + std::to_string(position)};
}
inline mismatch repeated_position(std::size_t row, std::uint64_t position) {
  return {"sa", row, "position " + std::to_string(position) + " occurs twice"};
}
inline mismatch row_out_of_order(std::size_t row) {
  return {"sa", row, "out of order with the row before it"};
}
inline mismatch wrong_length(std::size_t row) {
  return {"lcp", row, "not the length of the common prefix"};
}
inline mismatch wrong_end(std::size_t record) {
  return {"bwt", record, "not the residue before the record's end"};
}
inline mismatch wrong_residue(std::size_t row, std::size_t records) {
  return {"bwt", records + row, "not the residue before the suffix"};
}

/// The order of two suffixes by their first residues.
enum class first_residues { ascend, descend, are_equal };

/// The text of a check: residues, not the packed text, so that the check shares nothing with the sort.
template <class Residue>
struct proof_text {
  Residue const* residues;
  break_mask breaks;

  /// Prefetches what a comparison of the suffix at p reads.
  ORDO_FN void prefetch(std::size_t p) const {
    ordo::prefetch(residues + p);
    breaks.prefetch(p);
  }

  /// Compares two suffixes by their first residues, and by their numbers if both end there. If they are equal, the ranks of the
  /// suffixes that follow decide. If all rows ascend, they are in order, by induction on the length of the shorter suffix.
  ORDO_FN first_residues compare(std::size_t p, std::size_t q) const {
    if (residues[p] != residues[q]) return residues[p] < residues[q] ? first_residues::ascend : first_residues::descend;
    bool const p_ends = breaks(p + 1), q_ends = breaks(q + 1);
    if (!p_ends && !q_ends) return first_residues::are_equal;
    return p_ends && (!q_ends || p < q) ? first_residues::ascend : first_residues::descend;
  }

  /// Returns the length of the common prefix of the suffixes at p and q, which is at least `known`.
  ORDO_FN std::size_t common_prefix(std::size_t p, std::size_t q, std::size_t known) const {
    for (;; ++known) {
      if (known != 0 && (breaks(p + known) || breaks(q + known))) return known;
      if (residues[p + known] != residues[q + known]) return known;
    }
  }

  /// Returns the residue before the suffix at p, as in a BWT. For bytes.
  ORDO_FN char before(std::size_t p) const { return breaks(p) ? record_begin : static_cast<char>(residues[p - 1]); }
};

/// The input of a check by one machine. It visits suffixes in the order of the text, not of the rows: then half of the reads
/// are sequential, and more in repeats.
template <class Index, class Residue>
struct proof_view {
  proof_text<Residue> text;
  Index const* sa;
  Index const* rank;  // the inverse of sa
  std::size_t n;

  /// Prefetches what in_order(q) will read.
  ORDO_FN void prefetch(std::size_t q) const {
    if (q + 2 * lookahead < n) ordo::prefetch(sa + rank[q + 2 * lookahead]);
    if (q + lookahead >= n) return;
    Index const row = rank[q + lookahead];
    std::size_t const p = sa[row == 0 ? 0 : row - 1];
    text.prefetch(p);
    ordo::prefetch(rank + p);
  }

  /// Returns true if the row of suffix q belongs after the row before it.
  ORDO_FN bool in_order(std::size_t q) const {
    if (rank[q] == 0) return true;
    std::size_t const p = sa[rank[q] - 1];
    first_residues const order = text.compare(p, q);
    return order == first_residues::are_equal ? rank[p + 1] < rank[q + 1] : order == first_residues::ascend;
  }
};

/// Replaces the suffix before that of each position by the length of their common prefix. The order must be right.
/// The length is at least one less than at the position before (Kasai et al., CPM'01), so at least d less than d positions
/// before. Rounds proceed from multiples of large powers of two to all positions; each reads O(count) letters, and the first
/// position all letters of its common prefix.
/// @param at  for the positions [first, first + count) of a text of n: the suffix before, or n for that of the first row
template <Backend B, class Index, class Residue>
void find_lengths(B& backend, proof_text<Residue> text, std::size_t n, Index* at, std::size_t first, std::size_t count) {
  if (count == 0) return;
  auto const settle = [=] ORDO_FN(std::size_t p, std::size_t known) {
    std::size_t const before = at[p];
    store_relaxed(at + p, before == n ? Index{0} : Index(text.common_prefix(before, first + p, known)));
  };
  backend.each(1, [=] ORDO_FN(std::size_t) { settle(0, 0); });
  for (std::size_t stride = std::bit_floor(count); stride != 0; stride /= 2) {
    backend.each(((count - 1) / stride + 1) / 2, [=] ORDO_FN(std::size_t i) {
      std::size_t const p = (2 * i + 1) * stride, soon = p + 2 * lookahead * stride;
      if (soon < count)
        ordo::prefetch(text.residues + load_relaxed(at + soon));  // useless if already computed, but never wrong
      std::size_t const length = at[p - stride];
      settle(p, length > stride ? length - stride : 0);
    });
  }
}

/// Computes for each position the length of the common prefix of its suffix and the one before it in the order.
template <Backend B, class Index, class Residue>
buffer<Index> lengths_by_position(B& backend, proof_view<Index, Residue> proof) {
  auto lengths = backend.template buffer<Index>(proof.n);
  auto* const at = lengths.data();
  backend.each(proof.n, [=] ORDO_FN(std::size_t i) { at[proof.sa[i]] = i == 0 ? Index(proof.n) : proof.sa[i - 1]; });
  find_lengths(backend, proof.text, proof.n, at, 0, proof.n);
  return lengths;
}

/// Returns the first BWT row of a record's end that is wrong, if one is.
inline std::optional<mismatch> find_wrong_end(text const& input, std::span<char const> bwt) {
  for (std::size_t r = 0; r < input.records(); ++r)
    if (bwt[r] != residue_before_end(input, r)) return wrong_end(r);
  return std::nullopt;
}

/// Sets rank to the inverse permutation of suffix[0, n).
/// @returns the mismatch if it is no permutation: the first row whose position is not below n; otherwise the smallest position
///     that occurs twice, and its second row. Rows with the same position write its rank in any order, but the result does not
///     depend on it.
template <Backend B, class Index>
std::optional<mismatch> invert(B& backend, Index const* suffix, std::size_t n, Index* rank) {
  std::size_t row = first_wrong(backend, n, [=] ORDO_FN(std::size_t i) { return suffix[i] < n ? n : i; });
  auto const position_at = [&](std::size_t i) { return value_at(backend, std::span<Index const>(suffix, n), i); };
  if (row != n) return no_such_position(row, position_at(row));

  backend.each(n, [=] ORDO_FN(std::size_t i) {
    if (i + lookahead < n) ordo::prefetch(rank + suffix[i + lookahead]);
    store_relaxed(rank + suffix[i], Index(i));
  });
  // n rows of n positions: if all differ, all occur.
  std::size_t const twice = first_wrong(backend, n, [=] ORDO_FN(std::size_t i) {
    if (i + lookahead < n) ordo::prefetch(rank + suffix[i + lookahead]);
    return rank[suffix[i]] == Index(i) ? n : std::size_t(suffix[i]);
  });
  if (twice == n) return std::nullopt;
  std::size_t const first = first_wrong(backend, n, [=] ORDO_FN(std::size_t i) { return suffix[i] == twice ? i : n; });
  row = first_wrong(backend, n, [=] ORDO_FN(std::size_t i) { return i > first && suffix[i] == twice ? i : n; });
  return repeated_position(row, position_at(row));
}

/// Implements suffix::check for arrays of all rows, of a text with these residues.
template <Backend B, class Index, class Residue>
std::optional<mismatch> find_mismatch(B& backend, text const& input, std::span<Residue const> letters,
                                      arrays<Index const> all) {
  std::size_t const n = input.size();
  auto const sa = backend.upload(all.sa);
  auto const* const suffix = sa.data();

  auto const rank = backend.template buffer<Index>(n);
  if (auto const wrong = invert(backend, suffix, n, rank.data())) return wrong;

  auto const residues = backend.upload(letters);
  record_breaks<B> const breaks(backend, input.size(), input.starts);
  proof_view<Index, Residue> const proof{{residues.data(), breaks.mask()}, suffix, rank.data(), n};
  std::size_t row = first_wrong(backend, n, [=] ORDO_FN(std::size_t q) {
    proof.prefetch(q);
    return proof.in_order(q) ? n : std::size_t(proof.rank[q]);
  });
  if (row != n) return row_out_of_order(row);

  if (!all.lcp.empty()) {
    auto const lcp = backend.upload(all.lcp);
    auto const* const length = lcp.data();
    auto const lengths = lengths_by_position(backend, proof);
    auto const* const at = lengths.data();
    row = first_wrong(backend, n, [=] ORDO_FN(std::size_t i) {
      if (i + lookahead < n) ordo::prefetch(at + suffix[i + lookahead]);
      return length[i] == at[suffix[i]] ? n : i;
    });
    if (row != n) return wrong_length(row);
  }

  if (!all.bwt.empty()) {
    std::size_t const records = input.records();
    if (auto wrong = find_wrong_end(input, all.bwt)) return wrong;
    auto const bwt = backend.upload(all.bwt.subspan(records));
    auto const* const rows = bwt.data();
    row = first_wrong(backend, n, [=] ORDO_FN(std::size_t q) {
      if (q + lookahead < n) ordo::prefetch(rows + proof.rank[q + lookahead]);
      return rows[proof.rank[q]] == proof.text.before(q) ? n : std::size_t(proof.rank[q]);
    });
    if (row != n) return wrong_residue(row, records);
  }
  return std::nullopt;
}

/// Implements suffix::check for arrays of all rows.
template <Backend B, class Index>
std::optional<mismatch> find_mismatch(B& backend, text const& input, arrays<Index const> all) {
  return with_residues(input, [&](auto letters) { return find_mismatch(backend, input, letters, all); });
}

}  // namespace ordo::inline v0::suffix::detail
