#pragma once
#include <cstdint>
#include <string>

#include "ordo/io.hpp"
#include "ordo/suffix/index.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The formats of other programs; all are little-endian.
/// - raw32, raw40, raw64: n positions of 4, 5 or 8 bytes.
/// - sdsl: an int_vector<0> of SDSL with the width of the index: its size in bits (8 bytes), the width (1 byte), the positions,
/// and zeros up to a multiple of 8 bytes.
/// - sufr: file version 6 of sufr, with the text and the LCP array, which the index must have. Records are joined by '%' and
/// end with '$', whose suffix is the first one; '%' has no suffix. Rows are in the order of the index: suffixes that are equal
/// to the ends of their records are ordered by position, while sufr compares what follows; its searches give the same results.
/// Not for an index with pieces of records, both strands or a sample, which sufr does not know.
/// Positions refer to the text (PREFIX.seq).
enum class export_format { raw32, raw40, raw64, sdsl, sufr };

/// Writes the index in a format.
/// @throws input_error  if the index lacks what the format needs, if positions do not fit its entries, or if an entry of sa is
///     no position of the text, naming the row
void export_index(stored_index const& index, export_format format, sink& to);

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
