#include "suffix/search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sort_core/error.hpp"

namespace ordo::suffix {
namespace {

template <class Index>
void check_position(text const& input, std::span<Index const> sa, Index const& entry, std::string const& name) {
  if (entry >= input.size())
    throw input_error(
        fmt::format("bad index: {}: row {}: position {} of {} residues", name, &entry - sa.data(), entry, input.size()));
}

}  // namespace

template <class Index>
row_range find(text const& input, std::span<Index const> sa, std::string_view pattern, std::string const& name) {
  // As much of the suffix as the pattern is long, compared with the pattern. char_traits<char> compares unsigned bytes.
  auto const compare = [&](Index const& p) {
    check_position(input, sa, p, name);
    std::size_t const end = input.end_of(input.record_of(p));
    return input.residues.substr(p, std::min<std::size_t>(end - p, pattern.size())).compare(pattern);
  };
  auto const begin = std::ranges::partition_point(sa, [&](Index const& p) { return compare(p) < 0; });
  auto const end = std::partition_point(begin, sa.end(), [&](Index const& p) { return compare(p) == 0; });
  return {std::size_t(begin - sa.begin()), std::size_t(end - sa.begin())};
}

template <class Index>
std::vector<std::uint64_t> locate(text const& input, std::span<Index const> sa, std::string_view pattern,
                                  std::string const& name) {
  auto const rows = find(input, sa, pattern, name);
  auto const found = sa.subspan(rows.begin, rows.size());
  for (Index const& entry : found) check_position(input, sa, entry, name);  // find looks at few of them
  std::vector<std::uint64_t> positions(found.begin(), found.end());
  std::ranges::sort(positions);
  return positions;
}

template row_range find(text const&, std::span<std::uint32_t const>, std::string_view, std::string const&);
template row_range find(text const&, std::span<std::uint64_t const>, std::string_view, std::string const&);
template std::vector<std::uint64_t> locate(text const&, std::span<std::uint32_t const>, std::string_view, std::string const&);
template std::vector<std::uint64_t> locate(text const&, std::span<std::uint64_t const>, std::string_view, std::string const&);

}  // namespace ordo::suffix
