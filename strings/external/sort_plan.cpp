#include "strings/external/sort_plan.hpp"

#include <algorithm>
#include <limits>

namespace ordo::inline v0::strings::detail {

memory_plan make_memory_plan(sort_options const& options, spill_options const& spill) {
  constexpr std::size_t min_memory = std::size_t{2} << 20;
  memory_plan plan;
  plan.by = options.by;
  plan.delimiter = options.delimiter;
  std::size_t const available = spill.available_memory ? spill.available_memory() : std::numeric_limits<std::size_t>::max();
  plan.limit = std::max(std::min(options.memory, available), min_memory);
  plan.max_line = std::max(plan.limit, std::min(spill.max_line_memory, available));
  plan.limit -= plan.limit / 16;  // for reading and writing
  return plan;
}

sort_plan plan_sort(memory_plan const& plan, std::uint64_t bytes, std::uint64_t lines) {
  auto const lines_in = [&](std::uint64_t some) {
    return bytes == 0 ? 0
                      : std::uint64_t(static_cast<long double>(lines) / static_cast<long double>(bytes) *
                                      static_cast<long double>(some)) +
                            1;
  };
  sort_plan result{plan.needed(bytes, lines_in(bytes)), 0};
  if (result.memory <= plan.limit) return result;
  // The longest run that fits, to a byte.
  std::uint64_t fits = 1, too_long = bytes;
  while (fits + 1 < too_long) {
    std::uint64_t const middle = fits + (too_long - fits) / 2;
    (plan.fits(middle, lines_in(middle)) ? fits : too_long) = middle;
  }
  result.runs = (bytes - 1) / fits + 1;
  return result;
}

}  // namespace ordo::inline v0::strings::detail
