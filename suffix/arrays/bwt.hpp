#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::inline v0::suffix::detail {

constexpr char record_begin = '$';

/// Sets rows[i] to the residue before sa[i], or to '$' at the start of a record.
template <Backend B, class Index>
void residues_before(B& backend, packed_view text, std::span<Index const> sa, std::span<char> rows) {
  auto const* const suffix = sa.data();
  auto* const to = rows.data();
  std::size_t const n = sa.size();
  backend.each(n, [=] ORDO_FN(std::size_t i) {
    if (i + lookahead < n) text.prefetch(suffix[i + lookahead]);
    to[i] = text.breaks(suffix[i]) ? record_begin : char(text.byte(suffix[i] - 1));
  });
}

/// Returns the residue before the end of a record, or '$' if the record is empty.
inline char residue_before_end(text const& input, std::size_t record) {
  std::size_t const end = input.end(record);
  return end == input.begin(record) ? record_begin : input.residues[end - 1];
}

/// Sets rows[r] to the residue before the end of record r, for all records.
template <Backend B>
void residues_before_ends(B& backend, packed_text<B> const& packed, std::span<char> rows) {
  packed_view const text = packed.view();
  auto const* const bounds = packed.breaks().bounds().data();
  auto* const to = rows.data();
  backend.each(rows.size(), [=] ORDO_FN(std::size_t r) {
    to[r] = bounds[r] == bounds[r + 1] ? record_begin : char(text.byte(bounds[r + 1] - 1));
  });
}

}  // namespace ordo::inline v0::suffix::detail
