#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/refinement.hpp"
#include "strings/keys/line_starts.hpp"
#include "strings/keys/symbols.hpp"

// Lines in order from a machine's memory to a sink: the machine gathers them into a block, and stores it.
namespace ordo::strings::detail {

/// Where the line that begins at p ends, its delimiter counted. The text ends with a delimiter.
template <class Offset>
struct find_end {
  symbols text;
  Offset const* counts;  // of count_delimiters

  ORDO_FN std::size_t operator()(std::size_t p) const {
    constexpr std::size_t looked_at = 2 * text_block;  // beyond that the counts lead on, however long the line is
    std::size_t const block = p / text_block, blocks = (text.size() + text_block - 1) / text_block;
    std::size_t const near = (block * text_block + looked_at < text.size()) ? block * text_block + looked_at : text.size();
    if (std::size_t const end = in(p, near); end != 0) return end;
    std::size_t low = block + looked_at / text_block, high = blocks - 1;
    for (Offset const before = counts[low - 1]; low < high;) {
      std::size_t const middle = low + (high - low) / 2;
      if (counts[middle] > before)
        high = middle;
      else
        low = middle + 1;
    }
    return in(low * text_block, text.size());
  }

 private:
  // Behind the first delimiter in [p, end), or 0.
  ORDO_FN std::size_t in(std::size_t p, std::size_t end) const {
    for (; p < end; p += 8)
      if (std::uint64_t const found = text.delimiters(p); found != 0) return p + leading_zeros(found) / 8 + 1;
    return 0;
  }
};

/// How long the k-th line of the order is in what is written.
template <class Offset>
struct written_bytes {
  find_end<Offset> end;
  Offset const* starts;
  std::uint8_t const* dropped;
  ORDO_FN Offset operator()(std::size_t k) const {
    return dropped && dropped[k] ? Offset{0} : Offset(end(starts[k]) - starts[k]);
  }
};

/// The first line from `low` on that ends behind `position`, by where each ends; there is one.
template <class End>
ORDO_FN std::size_t line_ending_behind(End const* ends, std::size_t lines, std::size_t position, std::size_t low) {
  if (ends[low] > position) return low;
  std::size_t high = lines - 1;
  while (low < high) {
    std::size_t const middle = low + (high - low) / 2;
    if (ends[middle] > position)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Bytes [begin, begin + size) of the lines in order, 32 of them by each call.
template <class Offset>
struct gather_bytes {
  static constexpr std::size_t at_once = 32;
  unsigned char const* text;
  Offset const* starts;
  Offset const* ends;  // of the lines, in what is written; lines that are left out have no bytes
  std::size_t lines;
  std::uint64_t begin;
  std::size_t size;
  unsigned char* to;

  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const first = i * at_once, last = first + at_once < size ? first + at_once : size;
    std::size_t line = line_ending_behind(ends, lines, begin + first, 0);
    std::size_t from = starts[line] + (begin + first - (line == 0 ? 0 : std::size_t(ends[line - 1])));
    for (std::size_t k = first;;) {
      to[k] = text[from++];
      if (++k == last) return;
      if (begin + k == ends[line]) {
        line = line_ending_behind(ends, lines, begin + k, line + 1);
        from = starts[line];
      }
    }
  }
};

constexpr std::size_t most_gathered = std::size_t{64} << 20;  // bytes, of a block

/// Stores `total` bytes, of which gather(i) brings some to a block (see gather_bytes). began(total) is called when there is
/// memory for it, just before the sink is told how many bytes will come.
template <class Gather, Backend B, class Began>
void store_gathered(B& machine, Gather gather, std::uint64_t total, sink& to, Began began) {
  auto const block = machine.template buffer<unsigned char>(std::min<std::uint64_t>(total, most_gathered));
  began(total);
  to.expect(total);
  gather.to = block.data();
  for (std::uint64_t at = 0; at < total; at += block.size()) {
    gather.begin = at;
    gather.size = std::min<std::uint64_t>(block.size(), total - at);
    machine.each((gather.size + Gather::at_once - 1) / Gather::at_once, gather);
    machine.store(std::span<unsigned char const>(block.span()).first(gather.size), to, at);
  }
}

/// Writes the lines that begin at `order`, each with its delimiter; where `dropped` is not null, those that it marks are left
/// out. All in the machine's memory, the text ended by a delimiter. @param began  see store_gathered
/// @returns how many bytes these are
template <class Offset, Backend B, class Began>
std::uint64_t store_lines(B& machine, symbols text, unsigned char const* bytes, std::span<Offset const> counts,
                          std::span<Offset const> order, std::uint8_t const* dropped, sink& to, Began began) {
  auto ends = machine.template buffer<Offset>(order.size());
  auto const* const starts = order.data();
  machine.scan(order.size(), written_bytes<Offset>{{text, counts.data()}, starts, dropped}, ends.span(), plus{});
  std::uint64_t const total = value_at(machine, std::span<Offset const>(ends.span()), order.size() - 1);
  store_gathered(machine, gather_bytes<Offset>{bytes, starts, ends.data(), order.size(), 0, 0, nullptr}, total, to, began);
  return total;
}

}  // namespace ordo::strings::detail
