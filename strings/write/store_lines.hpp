#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/copy_bytes.hpp"
#include "base/dividing_sink.hpp"
#include "ordo/backend.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "strings/keys/symbols.hpp"
#include "strings/write/selected_lines.hpp"

// Writes sorted lines from the memory of a backend to a sink. The backend gathers them into a block and stores it.
namespace ordo::inline v0::strings::detail {

/// Returns the end of the line that begins at p, with its delimiter. The text ends with a delimiter.
template <class Offset>
struct find_end {
  symbols text;
  Offset const* counts;  // see count_delimiters

  ORDO_FN std::size_t operator()(std::size_t p) const {
    constexpr std::size_t looked_at = 2 * text_block;  // bytes; the counts find the ends of longer lines quickly
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
  // Returns the position after the first delimiter in [p, end), or 0.
  ORDO_FN std::size_t in(std::size_t p, std::size_t end) const {
    for (; p < end; p += 8)
      if (std::uint64_t const result = text.delimiters(p); result != 0) return p + leading_zeros(result) / 8 + 1;
    return 0;
  }
};

/// Returns the number of bytes that are written for the k-th line.
template <class Offset>
struct written_bytes {
  find_end<Offset> end;
  Offset const* starts;
  std::uint8_t const* dropped;
  ORDO_FN Offset operator()(std::size_t k) const {
    return dropped && dropped[k] ? Offset{0} : Offset(end(starts[k]) - starts[k]);
  }
};

/// Returns the first line from `low` on that ends after `position`. There is one. @param ends  the ends of all lines
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

/// Gathers the bytes [begin, begin + size) of the output, 128 by each call: the search for the first line costs as much as the
/// copy of some lines.
template <class Offset>
struct gather_bytes {
  static constexpr std::size_t at_once = 128;
  unsigned char const* text;
  Offset const* starts;
  Offset const* ends;  // the end of each line in the output; dropped lines have no bytes
  std::size_t lines;
  std::uint64_t begin;
  std::size_t size;
  unsigned char* to;

  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const first = i * at_once, last = first + at_once < size ? first + at_once : size;
    std::size_t line = line_ending_behind(ends, lines, begin + first, 0);
    std::size_t from = starts[line] + (begin + first - (line == 0 ? 0 : std::size_t(ends[line - 1])));
    for (std::size_t k = first;;) {
      std::size_t const left = std::size_t(ends[line]) - (begin + k), some = left < last - k ? left : last - k;
      copy_bytes(to + k, text + from, some);
      k += some;
      if (k == last) return;
      line = line_ending_behind(ends, lines, begin + k, line + 1);
      from = starts[line];
    }
  }
};

/// Finds the first begin of a line at or after an offset of the output, or the end of the output. @tparam Gather  with the end
/// of each line
template <class Gather>
struct find_line_begin {
  Gather lines;
  std::uint64_t const* offsets;
  std::uint64_t* begins;
  ORDO_FN void operator()(std::size_t i) const {
    if (offsets[i] == 0)
      begins[i] = 0;
    else
      begins[i] = lines.ends[line_ending_behind(lines.ends, lines.lines, std::size_t(offsets[i] - 1), 0)];
  }
};

constexpr std::size_t max_gathered = std::size_t{64} << 20;  // bytes of a block

/// Stores `total` bytes. gather(i) copies some of them to a block (see gather_bytes). Calls began(total) when the block is
/// allocated, just before sink::expect().
template <class Gather, Backend B, class Began>
void store_gathered(B& backend, Gather gather, std::uint64_t total, sink& to, Began began) {
  auto const block = backend.template buffer<unsigned char>(std::min<std::uint64_t>(total, max_gathered));
  began(total);
  std::vector<std::uint64_t> const divisions = divisions_in(to, total);
  std::vector<std::uint64_t> line_begins(divisions.size());
  if (!divisions.empty()) {
    auto const offsets = backend.upload(std::span<std::uint64_t const>(divisions));
    auto const begins = backend.template buffer<std::uint64_t>(divisions.size());
    backend.each(divisions.size(), find_line_begin<Gather>{gather, offsets.data(), begins.data()});
    backend.download(std::span<std::uint64_t const>(begins.span()), std::span(line_begins));
  }
  expect_divided(to, total, line_begins);
  gather.to = block.data();
  for (std::uint64_t at = 0; at < total; at += block.size()) {
    gather.begin = at;
    gather.size = std::min<std::uint64_t>(block.size(), total - at);
    backend.each((gather.size + Gather::at_once - 1) / Gather::at_once, gather);
    backend.store(std::span<unsigned char const>(block.span()).first(gather.size), to, at);
  }
}

/// Writes the lines that begin at `order`, each with its delimiter, except those that `dropped` marks, if it is not null. All
/// of it is in the backend's memory, and the text ends with a delimiter. Returns the number of bytes. @param began  see
/// store_gathered
template <class Offset, Backend B, class Began>
std::uint64_t store_lines(B& backend, symbols text, unsigned char const* bytes, std::span<Offset const> counts,
                          std::span<Offset const> order, std::uint8_t const* dropped, sink& to, Began began) {
  auto ends = backend.template buffer<Offset>(order.size());
  auto const* const starts = order.data();
  backend.scan(order.size(), written_bytes<Offset>{{text, counts.data()}, starts, dropped}, ends.span(), plus{});
  std::uint64_t const total = value_at(backend, std::span<Offset const>(ends.span()), order.size() - 1);
  store_gathered(backend, gather_bytes<Offset>{bytes, starts, ends.data(), order.size(), 0, 0, nullptr}, total, to, began);
  return total;
}

// Counted lines: the first of equal lines, after their number.

struct is_first {
  std::uint8_t const* repeats;
  ORDO_FN bool operator()(std::size_t k) const { return repeats[k] == 0; }
};

template <class Offset>
struct place_itself {
  ORDO_FN Offset operator()(std::size_t k) const { return Offset(k); }
};

/// The sorted lines that differ from the line before.
template <class Offset>
struct first_lines {
  buffer<Offset> places;  // followed by unused entries
  std::size_t count;
};

template <class Offset, Backend B>
first_lines<Offset> find_first_lines(B& backend, std::span<std::uint8_t const> repeats) {
  auto places = backend.template buffer<Offset>(repeats.size());
  std::size_t const count = backend.select(repeats.size(), is_first{repeats.data()}, place_itself<Offset>{}, places.span());
  return {std::move(places), count};
}

/// The first lines of groups, for functors.
template <class Offset>
struct counted_lines {
  Offset const* order;
  Offset const* places;
  std::size_t size, lines;  // numbers of places and of all lines

  ORDO_FN std::size_t start(std::size_t i) const { return order[places[i]]; }
  ORDO_FN std::uint64_t count(std::size_t i) const { return (i + 1 < size ? places[i + 1] : lines) - places[i]; }
};

/// Returns the length of the i-th line with its number.
template <class Offset>
struct counted_bytes {
  find_end<Offset> end;
  counted_lines<Offset> of;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    std::size_t const start = of.start(i);
    return count_width(of.count(i)) + (end(start) - start);
  }
};

/// Gathers the bytes [begin, begin + size) of the counted lines, 32 by each call.
template <class Offset>
struct gather_counted {
  static constexpr std::size_t at_once = 32;
  unsigned char const* text;
  counted_lines<Offset> of;
  std::uint64_t const* ends;  // the end of each line in the output
  std::size_t lines;          // lines that are written
  std::uint64_t begin;
  std::size_t size;
  unsigned char* to;

  ORDO_FN void operator()(std::size_t call) const {
    std::size_t const first = call * at_once, last = first + at_once < size ? first + at_once : size;
    std::size_t i = line_ending_behind(ends, lines, begin + first, 0);
    for (std::size_t k = first; k < last; ++i) {
      std::uint64_t const count = of.count(i);
      std::size_t const width = count_width(count), start = of.start(i);
      std::uint64_t const line_begin = i == 0 ? 0 : ends[i - 1];
      for (; k < last && begin + k < ends[i]; ++k) {
        std::size_t const at = std::size_t(begin + k - line_begin);
        to[k] = at < width ? count_byte(count, width, at) : text[start + at - width];
      }
    }
  }
};

/// The output for counted lines: the end of each.
template <class Offset>
struct counted_text {
  gather_counted<Offset> gather;
  buffer<std::uint64_t> ends;
  std::uint64_t bytes;
};

/// Computes the output for the first `max_lines` counted lines, which exist.
template <class Offset, Backend B>
counted_text<Offset> measure_counted(B& backend, symbols text, unsigned char const* bytes, std::span<Offset const> counts,
                                     counted_lines<Offset> const& of, std::size_t max_lines) {
  auto ends = backend.template buffer<std::uint64_t>(max_lines);
  backend.scan(max_lines, counted_bytes<Offset>{{text, counts.data()}, of}, ends.span(), plus{});
  std::uint64_t const total = value_at(backend, std::span<std::uint64_t const>(ends.span()), max_lines - 1);
  gather_counted<Offset> const gather{bytes, of, ends.data(), max_lines, 0, 0, nullptr};
  return {gather, std::move(ends), total};
}

/// Writes the counted lines to the backend's memory. `to` has their size.
template <class Offset, Backend B>
void write_counted(B& backend, counted_text<Offset> const& counted, std::span<unsigned char> to) {
  auto gather = counted.gather;
  gather.size = to.size();
  gather.to = to.data();
  backend.each((to.size() + gather.at_once - 1) / gather.at_once, gather);
}

}  // namespace ordo::inline v0::strings::detail
