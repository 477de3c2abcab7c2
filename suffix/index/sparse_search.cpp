#include "ordo/suffix/sparse_search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::suffix {

// How many letters into an occurrence a row is looked for: for each remainder by `sample` one place, so that of the rows that
// an occurrence has one and no other is met. Fewer places than remainders if there is a remainder with none.
std::vector<std::size_t> sparse_searcher::shifts_of(std::string_view pattern) const {
  std::vector<std::size_t> shifts;
  for (std::size_t first = 0; first < which_.sample; ++first) {
    std::size_t shift = first;
    auto const is_left_out = [&] {
      return which_.skip_ambiguous && !is_nucleotide(static_cast<unsigned char>(pattern[shift]));
    };
    while (shift < pattern.size() && is_left_out()) shift += which_.sample;
    if (shift >= pattern.size()) break;
    shifts.push_back(shift);
  }
  return shifts;
}

std::vector<std::uint64_t> sparse_searcher::locate(std::string_view pattern) const {
  std::vector<std::size_t> const shifts = shifts_of(pattern);
  if (shifts.size() != which_.sample)
    throw input_error(
        fmt::format("pattern too short: '{}': the index has rows for {} only, and no row need be in so few letters",
                    pattern.size() <= 40 ? std::string(pattern) : std::string(pattern.substr(0, 37)) + "...",
                    which_.sample == 1      ? "A, C, G, T and U"
                    : which_.skip_ambiguous ? fmt::format("A, C, G, T and U at every {}. position", which_.sample)
                                            : fmt::format("every {}. position", which_.sample)));
  std::vector<std::string_view> ends;
  for (std::size_t const shift : shifts) ends.push_back(pattern.substr(shift));
  std::vector<row_range> rows(ends.size());
  rows_.find(ends, rows);
  std::vector<std::uint64_t> positions;
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    std::string_view const before = pattern.substr(0, shifts[k]);
    for (std::size_t row = rows[k].begin; row < rows[k].end; ++row) {
      constexpr std::size_t ahead = 16;
      rows_.expect(row + ahead);
      std::uint64_t const q = rows_.position(row);
      if (before.size() > q - input_.begin_of(rows_.record_of(q))) continue;
      if (input_.residues.substr(q - before.size(), before.size()) == before) positions.push_back(q - before.size());
    }
  }
  std::ranges::sort(positions);
  return positions;
}

}  // namespace ordo::suffix
