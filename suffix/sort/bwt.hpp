#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::suffix::detail {

constexpr char record_begin = '$';

/// rows[i] := the residue before sa[i], or '$' where a record begins.
template <Backend B, class Index>
void residues_before(B& machine, packed_view text, std::span<Index const> sa, std::span<char> rows) {
  auto const* const suffix = sa.data();
  auto* const to = rows.data();
  std::size_t const n = sa.size();
  machine.each(n, [=] ORDO_FN(std::size_t i) {
    if (i + lookahead < n) text.expect(suffix[i + lookahead]);
    to[i] = text.breaks(suffix[i]) ? record_begin : char(text.byte(suffix[i] - 1));
  });
}

/// The residue before the end of a record: the last one, or '$' if there is none.
inline char residue_before_end(text const& input, std::size_t record) {
  std::size_t const end = input.end_of(record);
  return end == input.begin_of(record) ? record_begin : input.residues[end - 1];
}

/// The same of all records. rows[r] := the residue before the end of record r.
template <Backend B>
void residues_before_ends(B& machine, packed_text<B> const& packed, std::span<char> rows) {
  packed_view const text = packed.view();
  auto const* const bounds = packed.breaks().bounds().data();
  auto* const to = rows.data();
  machine.each(rows.size(), [=] ORDO_FN(std::size_t r) {
    to[r] = bounds[r] == bounds[r + 1] ? record_begin : char(text.byte(bounds[r + 1] - 1));
  });
}

}  // namespace ordo::suffix::detail
