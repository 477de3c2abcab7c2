#pragma once
#include <cstdint>

#include "ordo/communicator.hpp"

namespace distributed_checks {

/// Sorts lines, builds and checks suffix arrays, and sorts spectra, of `cases` random inputs each. Compares the results with
/// those of one process. Collective. @param seed  the same on all members
/// @returns the number of results that this member found
/// wrong
std::uint64_t wrong_results(ordo::communicator& members, std::uint64_t seed, std::uint64_t cases);

}  // namespace distributed_checks
