#include "spectra/mgf/permute.hpp"

#include <cstddef>
#include <cstring>
#include <string_view>

namespace ordo::spectra::detail {
namespace {

// More than a short line's bytes are copied, in pieces of fixed size: that is faster. What is too much is overwritten next.
constexpr std::size_t overrun = 64;

void copy_line(char* to, char const* from, std::size_t length, char const* text_end) {
  if (length > overrun || std::size_t(text_end - from) < overrun) {
    std::memcpy(to, from, length);
    return;
  }
  std::memcpy(to, from, 32);
  if (length > 32) std::memcpy(to + 32, from + 32, 32);
}

std::size_t line_end_size(std::string_view line) {
  return line.ends_with("\r\n") ? 2 : 1;
}

}  // namespace

void permute_lines(std::span<char> text, std::span<peak const> slots, std::span<std::uint32_t const> order, std::uint32_t base,
                   bool unterminated, std::vector<char>& scratch) {
  std::size_t const begin = slots.front().begin;
  std::size_t const size = slots.back().begin + slots.back().length - begin;
  if (scratch.size() < size + overrun) scratch.resize(size + overrun);
  char const* const from = text.data();
  char const* const text_end = from + text.size();
  char* to = scratch.data();
  std::size_t const last = slots.size() - 1;
  for (std::size_t j = 0; j <= last; ++j) {
    peak const& line = slots[order[j] - base];
    copy_line(to, from + line.begin, line.length, text_end);
    to += line.length;
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

}  // namespace ordo::spectra::detail
