#include "spectra/mgf/text_pieces.hpp"

#include <cstring>

namespace ordo::spectra::detail {
namespace {

// What is too much is overwritten next; pieces of fixed size are copied faster than others.
char* copy_piece(char* to, char const* from, std::size_t size, char const* text_end) {
  if (size > text_pieces::overrun || std::size_t(text_end - from) < text_pieces::overrun) {
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

void text_pieces::copy(std::string_view text, char* to) const {
  char const* const end = text.data() + text.size();
  for (text_range const piece : ranges_) to = copy_piece(to, text.data() + piece.begin, piece.size, end);
}

void add_spectrum(text_pieces& to, std::string_view text, peak_table const& table, std::size_t s,
                  std::span<std::uint8_t const> keep, std::span<std::uint32_t const> order, bool unterminated) {
  text_range const whole = table.spectra[s].text;
  std::uint32_t const first = table.first_peak(s), last = table.first_peak(s + 1);
  // Does the line without an end get one, from the line that comes last?
  bool const ends_move = unterminated && keep[last - 1] && order.back() != last - 1;
  std::uint32_t at = whole.begin;
  auto next = order.begin();
  for (std::uint32_t i = first; i < last; ++i) {
    text_range const slot = table.lines[i];
    to.add({at, slot.begin - at});
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
    to.add(line);
    to.add(line_end);
    ++next;
  }
  to.add({at, whole.end() - at});
}

}  // namespace ordo::spectra::detail
