#include "suffix/search.hpp"

#include <algorithm>
#include <cstdint>

namespace ordo::suffix {

template <class Index>
row_range find(text const& input, std::span<Index const> sa, std::string_view pattern) {
  // As much of the suffix as the pattern is long, compared with the pattern. char_traits<char> compares unsigned bytes.
  auto const compare = [&](Index p) {
    std::size_t const end = input.end_of(input.record_of(p));
    return input.residues.substr(p, std::min(end - p, pattern.size())).compare(pattern);
  };
  auto const begin = std::ranges::partition_point(sa, [&](Index p) { return compare(p) < 0; });
  auto const end = std::partition_point(begin, sa.end(), [&](Index p) { return compare(p) == 0; });
  return {std::size_t(begin - sa.begin()), std::size_t(end - sa.begin())};
}

template row_range find(text const&, std::span<std::uint32_t const>, std::string_view);
template row_range find(text const&, std::span<std::uint64_t const>, std::string_view);

}  // namespace ordo::suffix
