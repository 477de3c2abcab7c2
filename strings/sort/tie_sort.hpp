#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/strings.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "strings/keys/compiled_keys.hpp"
#include "strings/keys/symbols.hpp"
#include "strings/keys/whole_codes.hpp"

// Sorting, on the host, of lines whose codes are equal though the lines need not be.
namespace ordo::inline v0::strings::detail {

/// A line and its start in the text.
template <class Offset>
struct started_line {
  char const* text;
  std::size_t size;
  Offset start;
  [[nodiscard]] std::string_view view() const { return {text, size}; }
};

/// Sorts lines with all threads of the current arena, stably: some at a time by their codes if these are known, and by
/// comparison. Memory: a quarter of the size of `lines`, and some MB a thread.
template <class Offset>
void sort_lines(std::span<started_line<Offset>> lines, line_comparison const& compare, whole_codes const& codes);

/// Sorts starts of lines, stably, and marks lines that are equal to the line before.
template <class Offset>
class tie_sort {
 public:
  tie_sort(symbols text, std::size_t lines, sort_options const& options)
      : text_(reinterpret_cast<char const*>(text.data()), text.size()),
        delimiter_(options.delimiter),
        compare_(options.by, options.delimiter),
        keys_(options.by, static_cast<unsigned char>(options.delimiter), text.size(), lines),
        codes_(options.by, static_cast<unsigned char>(options.delimiter)) {}

  void operator()(std::span<Offset> starts, std::uint8_t* repeats) const {
    using line = started_line<Offset>;
    line few[16];
    std::vector<line> many(starts.size() <= std::size(few) ? 0 : starts.size());
    std::span<line> const lines = many.empty() ? std::span<line>(few).first(starts.size()) : std::span<line>(many);
    bool same = true;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string_view const rest = text_.substr(starts[i]);
      lines[i] = {rest.data(), std::min(rest.size(), rest.find(delimiter_)), starts[i]};
      same = same && lines[i].view() == lines[0].view();
    }
    if (same || keys_.codes_decide(as_piece(lines[0].view()))) return;
    sort_lines(lines, compare_, codes_);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      starts[i] = lines[i].start;
      if (i != 0) repeats[i] = compare_(lines[i - 1].view(), lines[i].view()) == 0;
    }
  }

 private:
  std::string_view text_;
  char delimiter_;
  line_comparison compare_;
  compiled_keys keys_;  // as those that gave the lines equal codes
  whole_codes codes_;
};

/// Sorts each group of lines whose lines but the first are marked in `repeats`, and then marks lines that compare equal to the
/// line before. Memory: a byte a line, and the copies of large groups.
template <class Offset, class B>
void sort_ties(B& backend, symbols text, sort_options const& options, std::span<Offset> order,
               std::span<std::uint8_t> repeats) {
  constexpr std::size_t block = 4096, ahead = 16;
  tie_sort<Offset> const sort(text, order.size(), options);
  // Marks change when their group is sorted, and a block has to recognise a group that began before it.
  std::vector<std::uint8_t> const marks(repeats.begin(), repeats.end());
  backend.each_worker((order.size() + block - 1) / block, [&](auto&, std::size_t b) {
    std::size_t const end = std::min(order.size(), (b + 1) * block);
    std::size_t first = b * block;
    while (first < end && marks[first] != 0) ++first;
    for (; first < end; ++first) {
      if (first + ahead < end && marks[first + ahead] != 0) text.prefetch(order[first + ahead]);
      if (marks[first] != 0 || first + 1 == order.size() || marks[first + 1] == 0) continue;
      std::size_t last = first + 1;
      while (last + 1 < order.size() && marks[last + 1] != 0) ++last;
      sort(order.subspan(first, last + 1 - first), &repeats[first]);
    }
  });
}

}  // namespace ordo::inline v0::strings::detail
