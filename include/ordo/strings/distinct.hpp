#pragma once
#include <cstdint>

#include "ordo/strings.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::strings {

struct distinct_estimate {
  std::uint64_t lines = 0;  // the estimated number of distinct lines
  std::uint64_t bytes = 0;  // bytes of the texts, with the delimiters that were added
};

/// Estimates the number of lines that duplicates::count would write: distinct lines or, by an order with keys, distinct keys.
/// The standard error is 0.41 %, and less for small numbers. The same texts give the same number on any CPU, with any number of
/// threads. Memory: 16 MiB or the longest line, and 64 KiB a thread. Method: HyperLogLog (Flajolet and others 2007) with 65,536
/// registers and hashes of 64 bits, and the estimator of Ertl (2017), which has no bias for small and large numbers.
/// @param options  `by` decides which lines are equal. The CPU reads them
/// @throws usage_error; what sources throw
distinct_estimate estimate_distinct(texts const& from, sort_options const& options, phase_observer const& began = {});

}  // namespace ordo::inline v0::strings
#pragma GCC visibility pop
