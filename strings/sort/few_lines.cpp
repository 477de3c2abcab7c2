#include "strings/sort/few_lines.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ordo/detail/load.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "strings/keys/collation.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

// A line, and its codes or, without keys, its bytes.
struct coded_line {
  std::uint64_t first;  // the first eight codes, with zeros after the last one
  std::string_view codes, text;
};

std::uint64_t first_codes(std::string_view codes) {
  if (codes.empty()) return 0;
  return load_big_endian(reinterpret_cast<unsigned char const*>(codes.data()), std::min<std::size_t>(codes.size(), 8));
}

template <class OnLine>
void each_line(std::string_view text, char delimiter, OnLine on_line) {
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(end + 1)) {
    end = text.find(delimiter);
    on_line(text.substr(0, end));
  }
}

}  // namespace

collation_by collation_for(std::size_t comparisons) {
  constexpr std::size_t min_for_tables = 60'000;  // reading and checking a table takes as long as those
  return comparisons < min_for_tables ? collation_by::strcoll : collation_by::tables;
}

std::string sort_few_lines(std::string_view text, order const& by, char delimiter, bool drop) {
  std::vector<coded_line> lines;
  lines.reserve(std::size_t(std::ranges::count(text, delimiter)));
  each_line(text, delimiter, [&](std::string_view line) { lines.push_back({0, line, line}); });
  std::string sorted;
  sorted.reserve(text.size());
  auto const append = [&](auto same) {
    for (std::size_t k = 0; k < lines.size(); ++k)
      if (!drop || k == 0 || !same(lines[k - 1], lines[k])) sorted.append(lines[k].text).push_back(delimiter);
  };
  bool const collated = by.is_collated();
  if (collated && collation_for(lines.size() * std::size_t(std::bit_width(lines.size()))) == collation_by::strcoll) {
    line_comparison const compare(by, delimiter, collation_by::strcoll);
    if (by.keys.empty() && (delimiter == '\0' || text.find('\0') == text.npos)) {
      std::string ended(text);  // with a NUL after each line, so that no comparison copies one
      std::ranges::replace(ended, delimiter, '\0');
      for (coded_line& line : lines) line.codes = {ended.data() + (line.text.data() - text.data()), line.text.size()};
      locale_t const in = named_locale(by.locale);
      std::ranges::stable_sort(lines, [&](coded_line const& a, coded_line const& b) {
        int const difference = strcoll_l(a.codes.data(), b.codes.data(), in);
        return difference != 0 ? (difference < 0) != by.reverse : compare(a.text, b.text) < 0;
      });
    } else {
      std::ranges::stable_sort(lines, [&](coded_line const& a, coded_line const& b) { return compare(a.text, b.text) < 0; });
    }
    append([&](coded_line const& a, coded_line const& b) { return compare.by_keys(a.text, b.text) == 0; });
    return sorted;
  }
  std::string codes;
  if (!by.keys.empty() || collated) {
    key_encoder const encoder(by, delimiter);
    std::vector<std::size_t> ends;
    ends.reserve(lines.size());
    for (coded_line const& line : lines) {
      encoder.append(line.text, codes);
      ends.push_back(codes.size());
    }
    for (std::size_t k = 0, begin = 0; k < lines.size(); begin = ends[k++])
      lines[k].codes = std::string_view(codes).substr(begin, ends[k] - begin);
  }
  for (coded_line& line : lines) line.first = first_codes(line.codes);
  bool const reversed = by.keys.empty() && by.reverse && !collated;
  auto const compare_codes = [&](coded_line const& a, coded_line const& b) {
    int const difference = a.first != b.first ? (a.first < b.first ? -1 : 1) : a.codes.compare(b.codes);
    return reversed ? -difference : difference;
  };
  if (collated) {  // equal codes do not decide. A stable sort is safe with a comparison of the C library
    line_comparison const compare(by, delimiter);
    std::ranges::stable_sort(lines, [&](coded_line const& a, coded_line const& b) {
      int const difference = compare_codes(a, b);
      return difference != 0 ? difference < 0 : compare(a.text, b.text) < 0;
    });
    append([&](coded_line const& a, coded_line const& b) { return compare.by_keys(a.text, b.text) == 0; });
    return sorted;
  }
  auto const less = [&](coded_line const& a, coded_line const& b) {
    int difference = compare_codes(a, b);
    if (difference != 0) return difference < 0;
    if (!by.keys.empty() && by.last_resort) difference = a.text.compare(b.text);
    if (difference != 0) return (difference < 0) != by.reverse;
    return a.text.data() < b.text.data();  // equal lines stay in the order of the text
  };
  std::ranges::sort(lines, less);
  append([](coded_line const& a, coded_line const& b) { return a.codes == b.codes; });
  return sorted;
}

}  // namespace ordo::inline v0::strings::detail
