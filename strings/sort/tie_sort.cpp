#include "strings/sort/tie_sort.hpp"

#include <array>
#include <string>

#include <tbb/parallel_for.h>

#include "strings/sort/string_argsort.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t lines_at_once = 1024, bytes_at_once = std::size_t{256} << 10;

/// Sorts up to lines_at_once lines by their codes. Returns false if they have many bytes.
template <class Offset>
bool sort_by_codes(std::span<started_line<Offset>> lines, whole_codes const& of) {
  std::size_t bytes = 0;
  for (auto const& line : lines) bytes += line.size;
  if (bytes > bytes_at_once) return false;
  std::string codes;
  codes.reserve(4 * bytes);
  std::vector<std::size_t> ends;
  ends.reserve(lines.size());
  for (auto const& line : lines) {
    of.append(line.view(), codes);
    ends.push_back(codes.size());
  }
  std::vector<std::string_view> strings;
  strings.reserve(lines.size());
  for (std::size_t k = 0, begin = 0; k < lines.size(); begin = ends[k++])
    strings.push_back(std::string_view(codes).substr(begin, ends[k] - begin));
  std::array<std::uint32_t, lines_at_once> order;
  std::array<std::uint8_t, lines_at_once> repeats;
  argsort_strings<std::uint32_t>({}, strings, false, std::span(order).first(lines.size()),
                                 std::span(repeats).first(lines.size()));
  std::vector<started_line<Offset>> const before(lines.begin(), lines.end());
  for (std::size_t k = 0; k < lines.size(); ++k) lines[k] = before[order[k]];
  return true;
}

}  // namespace

// Merge sort, because it is stable and safe with a comparison of the C library.
template <class Offset>
void sort_lines(std::span<started_line<Offset>> lines, line_comparison const& compare, whole_codes const& codes) {
  auto const before = [&](auto const& a, auto const& b) { return compare(a.view(), b.view()) < 0; };
  if (lines.size() <= 16) {  // without a buffer
    for (std::size_t i = 1; i < lines.size(); ++i)
      for (std::size_t k = i; k != 0 && before(lines[k], lines[k - 1]); --k) std::swap(lines[k], lines[k - 1]);
    return;
  }
  if (lines.size() <= lines_at_once) {
    if (!codes.are_known() || !sort_by_codes(lines, codes)) std::stable_sort(lines.begin(), lines.end(), before);
    return;
  }
  std::size_t const half = lines.size() / 2;
  tbb::parallel_for(std::size_t{0}, std::size_t{2},
                    [&](std::size_t upper) { sort_lines(upper ? lines.subspan(half) : lines.first(half), compare, codes); });
  std::inplace_merge(lines.begin(), lines.begin() + std::ptrdiff_t(half), lines.end(), before);
}

template void sort_lines(std::span<started_line<std::uint32_t>>, line_comparison const&, whole_codes const&);
template void sort_lines(std::span<started_line<std::uint64_t>>, line_comparison const&, whole_codes const&);

}  // namespace ordo::inline v0::strings::detail
