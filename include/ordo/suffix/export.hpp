#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
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

/// A shard of an index of infini-gram: some of the records, each of which a token of all ones precedes.
/// - tokenized: the records, little-endian.
/// - offset: the position of each record in tokenized, that of the token before it, in bytes; 8 bytes each.
/// - table: the position in bytes of the suffix at each token, to the end of the shard, in order of raw bytes; the fewest whole
///   bytes for each, in which all positions fit.
struct infini_gram_shard {
  std::size_t first_record = 0, last_record = 0;  // [first, last)
  sink *tokenized = nullptr, *offset = nullptr, *table = nullptr;
};

/// Divides the records of an index into shards of at most max_bytes bytes of tokenized, and of one record at least.
/// @returns the first record of each shard, and the number of records
std::vector<std::size_t> infini_gram_shards(stored_index const& index, std::uint64_t max_bytes);

/// Writes a shard. Its suffixes are sorted anew, because those of the index end with their records, and are in the order of
/// tokens. Memory: the text, twice for tokens, and the memory of build().
/// @throws input_error  for an index with pieces of records or of both strands, and for a record with a token of all ones
/// @throws as build()
void export_infini_gram(stored_index const& index, infini_gram_shard const& shard, build_options const& options);

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
