#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "sort_core/functors.hpp"
#include "strings/keys/symbols.hpp"
#include "strings/write/count_field.hpp"
#include "strings/write/store_lines.hpp"

// Sorted lines of a machine's memory, each of those that are equal once, behind their number.
namespace ordo::strings::detail {

struct is_first {
  std::uint8_t const* repeats;
  ORDO_FN bool operator()(std::size_t k) const { return repeats[k] == 0; }
};

template <class Offset>
struct place_itself {
  ORDO_FN Offset operator()(std::size_t k) const { return Offset(k); }
};

/// Where in the order lines begin that are not equal to the one before.
template <class Offset>
struct first_lines {
  buffer<Offset> places;  // and room behind them
  std::size_t count;
};

template <class Offset, Backend B>
first_lines<Offset> find_first_lines(B& machine, std::span<std::uint8_t const> repeats) {
  auto places = machine.template buffer<Offset>(repeats.size());
  std::size_t const count = machine.select(repeats.size(), is_first{repeats.data()}, place_itself<Offset>{}, places.span());
  return {std::move(places), count};
}

/// The first lines as functors see them.
template <class Offset>
struct counted_lines {
  Offset const* order;
  Offset const* places;
  std::size_t size, lines;  // of places, of order

  ORDO_FN std::size_t start(std::size_t i) const { return order[places[i]]; }
  ORDO_FN std::uint64_t count(std::size_t i) const { return (i + 1 < size ? places[i + 1] : lines) - places[i]; }
};

/// How long the i-th is, its number counted.
template <class Offset>
struct counted_bytes {
  find_end<Offset> end;
  counted_lines<Offset> of;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    std::size_t const start = of.start(i);
    return count_width(of.count(i)) + (end(start) - start);
  }
};

/// Bytes [begin, begin + size) of them, 32 by each call.
template <class Offset>
struct gather_counted {
  static constexpr std::size_t at_once = 32;
  unsigned char const* text;
  counted_lines<Offset> of;
  std::uint64_t const* ends;  // of the first of them, in what is written
  std::size_t lines;          // so many
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

/// What is written of counted lines: where each of them ends.
template <class Offset>
struct counted_text {
  gather_counted<Offset> gather;
  buffer<std::uint64_t> ends;
  std::uint64_t bytes;
};

/// @param most  so many lines, of which there is one
template <class Offset, Backend B>
counted_text<Offset> measure_counted(B& machine, symbols text, unsigned char const* bytes, std::span<Offset const> counts,
                                     counted_lines<Offset> const& of, std::size_t most) {
  auto ends = machine.template buffer<std::uint64_t>(most);
  machine.scan(most, counted_bytes<Offset>{{text, counts.data()}, of}, ends.span(), plus{});
  std::uint64_t const total = value_at(machine, std::span<std::uint64_t const>(ends.span()), most - 1);
  gather_counted<Offset> const gather{bytes, of, ends.data(), most, 0, 0, nullptr};
  return {gather, std::move(ends), total};
}

/// All of it in the machine's memory. `to` is so long.
template <class Offset, Backend B>
void write_counted(B& machine, counted_text<Offset> const& counted, std::span<unsigned char> to) {
  auto gather = counted.gather;
  gather.size = to.size();
  gather.to = to.data();
  machine.each((to.size() + gather.at_once - 1) / gather.at_once, gather);
}

}  // namespace ordo::strings::detail
