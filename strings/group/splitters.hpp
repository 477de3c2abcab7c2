#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/group.hpp"
#include "ordo/strings/line_comparison.hpp"

// Where the order of all lines is divided among the members of a group that have sorted their shares.
namespace ordo::inline v0::strings::detail {

/// A line of a member's sorted share, or its first bytes, and the bytes of the share for which it stands.
struct line_sample {
  std::uint64_t position, bytes;
  std::string line;
};

/// A place in the order: among equal lines, those of earlier members come first.
struct splitter {
  std::string line;
  std::size_t member;
  std::uint64_t position;
};

/// Returns how many samples of equal numbers of bytes each member draws. 20 a part: each of p members is wrong by at most one
/// sample's bytes, a twentieth of a part in all.
constexpr std::uint64_t samples_wanted(std::size_t members) {
  return std::max<std::uint64_t>(64, 20 * std::uint64_t{members});
}
/// Returns how many bytes of a line a sample has.
constexpr std::size_t max_sample_length(std::size_t members) {
  return std::max<std::size_t>(256, (std::size_t{16} << 20) / std::size_t(samples_wanted(members) * members));
}

/// Returns at most size() - 1 splitters that divide the bytes of all members evenly. Collective. Fewer, if there are few
/// samples: the last members then get nothing.
std::vector<splitter> find_splitters(group& members, std::span<line_sample const> own, line_comparison& compare);

/// Returns the number of this member's lines before each splitter, and for each member that has none, the number of all.
/// @param n  the number of lines  @param line_at  returns the k-th of the share
/// @param together  whether equal lines must not be divided
template <class LineAt>
std::vector<std::size_t> cuts_at(group const& members, std::size_t n, LineAt line_at, std::span<splitter const> splitters,
                                 line_comparison& compare, bool together) {
  std::vector<std::size_t> cuts;
  for (splitter const& s : splitters) {
    auto const first = [&](auto is_before) {
      std::size_t low = cuts.empty() ? 0 : cuts.back(), high = n;
      while (low < high) {
        std::size_t const middle = low + (high - low) / 2;
        if (is_before(line_at(middle)))
          low = middle + 1;
        else
          high = middle;
      }
      return low;
    };
    std::size_t const begin = first([&](std::string_view line) { return compare(line, s.line) < 0; });
    std::size_t const rank = members.rank();
    if (together || rank > s.member) {
      cuts.push_back(begin);
      continue;
    }
    std::size_t const end = first([&](std::string_view line) { return compare(line, s.line) <= 0; });
    cuts.push_back(rank < s.member ? end : std::clamp(std::size_t(s.position), begin, end));
  }
  cuts.resize(members.size(), n);
  return cuts;
}

}  // namespace ordo::inline v0::strings::detail
