#include "strings/sort/tie_sort.hpp"

#include <tbb/parallel_for.h>

namespace ordo::inline v0::strings::detail {

// Merge sort, because it is stable and safe with a comparison of the C library.
template <class Offset>
void sort_by_comparison(std::span<started_line<Offset>> lines, line_comparison const& compare) {
  constexpr std::size_t few = 2048;
  auto const before = [&](auto const& a, auto const& b) { return compare(a.view(), b.view()) < 0; };
  if (lines.size() <= 16) {  // without a buffer
    for (std::size_t i = 1; i < lines.size(); ++i)
      for (std::size_t k = i; k != 0 && before(lines[k], lines[k - 1]); --k) std::swap(lines[k], lines[k - 1]);
    return;
  }
  if (lines.size() <= few) return std::stable_sort(lines.begin(), lines.end(), before);
  std::size_t const half = lines.size() / 2;
  tbb::parallel_for(std::size_t{0}, std::size_t{2},
                    [&](std::size_t upper) { sort_by_comparison(upper ? lines.subspan(half) : lines.first(half), compare); });
  std::inplace_merge(lines.begin(), lines.begin() + std::ptrdiff_t(half), lines.end(), before);
}

template void sort_by_comparison(std::span<started_line<std::uint32_t>>, line_comparison const&);
template void sort_by_comparison(std::span<started_line<std::uint64_t>>, line_comparison const&);

}  // namespace ordo::inline v0::strings::detail
