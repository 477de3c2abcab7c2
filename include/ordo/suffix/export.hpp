#pragma once
#include <cstdint>
#include <string>

#include "ordo/io.hpp"
#include "ordo/suffix/index.hpp"

namespace ordo::suffix {

/// The forms in which other programs read a suffix array; all are little-endian.
/// raw32, raw40, raw64: n positions of 4, 5 or 8 bytes, and nothing else.
/// sdsl: an int_vector<0> of SDSL with the index's width: its bits (8 bytes), the width (a byte), the positions end to end, and
///   zeros up to a multiple of eight bytes.
/// sufr: file version 6 of sufr, with the text and the LCP array, which the index must have. Records are joined by '%' and end
///   with '$', whose suffix is the first one; there are none for '%'. Rows are in the index's order: suffixes that are alike to
///   the ends of their records are in order of position, where sufr itself compares what follows; its searches see no
///   difference. Not of an index with pieces of records, both strands or a sample, which sufr does not know.
/// Positions are those of the text (PREFIX.seq).
enum class export_format { raw32, raw40, raw64, sdsl, sufr };

/// Writes it. @throws input_error  for an index that has not what the format needs, or positions that its entries do not hold,
/// or an entry of sa that is no position of the text: naming the row
void export_index(stored_index const& index, export_format how, sink& to);

}  // namespace ordo::suffix
