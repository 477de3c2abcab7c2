#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordo/host_bytes.hpp"
#include "ordo/suffix/fasta.hpp"
#include "ordo/suffix/pieces.hpp"
#include "ordo/suffix/policy.hpp"

namespace ordo::suffix {

/// A text made of pieces of records.
struct cut_text {
  host_bytes residues;
  std::vector<std::uint64_t> columns;  // of its pieces

  [[nodiscard]] suffix::pieces pieces() const { return suffix::pieces(columns); }
  [[nodiscard]] text view() const { return {{residues.data(), residues.size()}, pieces().begins()}; }
};

/// Bytes that cut_records takes for so many letters that are kept of the records, in so many runs.
std::size_t cut_memory(std::size_t letters, std::size_t runs, strands which);

/// The text that a policy makes of records: cut where it has them end, with the other strand if it wants both. For a policy
/// that cuts(). O(n), by `threads` threads (0: all).
/// @param from  with lower case, where that ends records @param memory  bytes that the new text may take, and
///     what is held of its pieces meanwhile
/// @throws input_error  naming record, offset and letter: a letter that is no code of nucleotides, for a policy of both strands
///     or of ambiguous letters @throws records_too_large
cut_text cut_records(fasta const& from, policy const& which, std::size_t memory, unsigned threads = 0);

}  // namespace ordo::suffix
