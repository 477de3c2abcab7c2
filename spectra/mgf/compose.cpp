#include "spectra/mgf/compose.hpp"

#include <cstring>

namespace ordo::inline v0::spectra::detail {
namespace {

// Copies more than a short line: copies of a fixed size are faster. What is too much is overwritten next.
char* copy_line(char* to, char const* from, std::size_t size, char const* text_end) {
  if (size > text_ranges::overrun || std::size_t(text_end - from) < text_ranges::overrun) {
    std::memcpy(to, from, size);
  } else {
    std::memcpy(to, from, 32);
    if (size > 32) std::memcpy(to + 32, from + 32, 32);
  }
  return to + size;
}

std::uint32_t line_end_size(std::string_view line) {
  return line.ends_with("\r\n") ? 2 : 1;
}

}  // namespace

void permute_lines(std::span<char> text, std::span<peak const> slots, std::span<std::uint32_t const> order, std::uint32_t base,
                   bool unterminated, std::vector<char>& scratch) {
  std::size_t const begin = slots.front().begin;
  std::size_t const size = slots.back().begin + slots.back().length - begin;
  if (scratch.size() < size + text_ranges::overrun) scratch.resize(size + text_ranges::overrun);
  char const* const from = text.data();
  char const* const text_end = from + text.size();
  char* to = scratch.data();
  std::size_t const last = slots.size() - 1;
  for (std::size_t j = 0; j <= last; ++j) {
    peak const& line = slots[order[j] - base];
    to = copy_line(to, from + line.begin, line.length, text_end);
    if (unterminated && order[j] - base == last && j != last) {
      peak const& other = slots[order[last] - base];
      std::size_t const extra = line_end_size({from + other.begin, other.length});
      std::memcpy(to, from + other.begin + other.length - extra, extra);
      to += extra;
    }
    if (j != last) {
      std::size_t const gap = slots[j].begin + slots[j].length;
      if (std::size_t const between = slots[j + 1].begin - gap; between != 0) {
        std::memcpy(to, from + gap, between);
        to += between;
      }
    }
  }
  std::memcpy(text.data() + begin, scratch.data(), size);
}

void text_ranges::copy(std::string_view text, char* output) const {
  char const* const end = text.data() + text.size();
  for (text_range const range : ranges_) output = copy_line(output, text.data() + range.begin, range.size, end);
}

void add_spectrum(text_ranges& output, std::string_view text, peak_table const& table, std::size_t s,
                  std::span<std::uint8_t const> keep, std::span<std::uint32_t const> order, bool unterminated) {
  text_range const whole = table.spectra[s].text;
  std::uint32_t const first = table.first_peak(s), last = table.first_peak(s + 1);
  bool const ends_move = unterminated && keep[last - 1] && order.back() != last - 1;
  std::uint32_t at = whole.begin;
  auto next = order.begin();
  for (std::uint32_t i = first; i < last; ++i) {
    text_range const slot = table.lines[i];
    output.add({at, slot.begin - at});
    at = slot.end();
    if (!keep[i]) continue;
    text_range line = table.lines[*next];
    text_range line_end{};
    if (ends_move) {
      text_range const other = table.lines[order.back()];
      std::uint32_t const size = line_end_size(other.of(text));
      if (*next == last - 1) line_end = {other.end() - size, size};
      if (*next == order.back()) line.size -= size;
    }
    output.add(line);
    output.add(line_end);
    ++next;
  }
  output.add({at, whole.end() - at});
}

}  // namespace ordo::inline v0::spectra::detail
