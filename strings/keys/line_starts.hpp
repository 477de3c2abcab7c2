#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/find_bytes.hpp"
#include "ordo/backend.hpp"
#include "sort_core/functors.hpp"
#include "strings/keys/symbols.hpp"

// Where the lines of a text begin, by blocks: what one thread reads, first to count the delimiters, then to write the starts.
namespace ordo::strings::detail {

constexpr std::size_t text_block = 256;  // bytes, a multiple of 8

template <Backend B, class Offset>
void count_by_blocks(B& machine, symbols text, std::span<Offset> counts) {
  std::size_t const n = text.size();
  auto* const c = counts.data();
  machine.each(counts.size(), [=] ORDO_FN(std::size_t b) {
    std::size_t const end = std::min((b + 1) * text_block, n);
    unsigned count = 0;
    for (std::size_t p = b * text_block; p < end; p += 8) count += symbols::count_of(text.delimiters(p));
    c[b] = Offset(count);
  });
}

/// The same where a thread reads a block as fast as it can by itself.
template <has_workers B, class Offset>
void count_blocks_of_bytes(B& machine, symbols text, std::span<Offset> counts) {
  machine.each(counts.size(), [=](std::size_t b) {
    std::size_t const begin = b * text_block;
    counts[b] = Offset(count_bytes(text.data() + begin, std::min(text_block, text.size() - begin), text.delimiter()));
  });
}

/// For every block of the text: the delimiters in all blocks up to it.
template <class Offset, Backend B>
buffer<Offset> count_delimiters(B& machine, symbols text) {
  auto counts = machine.template buffer<Offset>((text.size() + text_block - 1) / text_block);
  if constexpr (has_workers<B>)
    count_blocks_of_bytes(machine, text, counts.span());
  else
    count_by_blocks(machine, text, counts.span());
  auto* const c = counts.data();
  machine.scan(
      counts.size(), [=] ORDO_FN(std::size_t b) { return c[b]; }, counts.span(), plus{});
  return counts;
}

template <Backend B, class Offset>
void starts_by_blocks(B& machine, symbols text, std::span<Offset const> counts, std::span<Offset> starts) {
  std::size_t const n = text.size();
  auto const* const c = counts.data();
  auto* const s = starts.data();
  machine.each(counts.size(), [=] ORDO_FN(std::size_t b) {
    std::size_t const end = std::min((b + 1) * text_block, n);
    Offset line = b == 0 ? Offset{0} : c[b - 1];
    if (b == 0) s[0] = 0;
    for (std::size_t p = b * text_block; p < end; p += 8) {
      for (std::uint64_t found = text.delimiters(p); found != 0;) {
        unsigned const zeros = leading_zeros(found);
        std::size_t const next = p + zeros / 8 + 1;
        found &= ~(std::uint64_t{1} << (63 - zeros));
        ++line;
        if (next < n) s[line] = Offset(next);
      }
    }
  });
}

/// The same where a thread reads a block as fast as it can by itself.
template <has_workers B, class Offset>
void starts_by_bytes(B& machine, symbols text, std::span<Offset const> counts, std::span<Offset> starts) {
  std::size_t const n = text.size();
  machine.each(counts.size(), [=](std::size_t b) {
    std::size_t const begin = b * text_block;
    Offset line = b == 0 ? Offset{0} : counts[b - 1];
    if (b == 0) starts[0] = 0;
    each_equal_byte(text.data() + begin, std::min(text_block, n - begin), text.delimiter(), [&](std::size_t i) {
      ++line;
      if (begin + i + 1 < n) starts[line] = Offset(begin + i + 1);
    });
  });
}

/// The start of every line, in order. `starts` has a place for each: for each delimiter, and one more if bytes follow the last.
template <Backend B, class Offset>
void write_starts(B& machine, symbols text, std::span<Offset const> counts, std::span<Offset> starts) {
  if constexpr (has_workers<B>)
    starts_by_bytes(machine, text, counts, starts);
  else
    starts_by_blocks(machine, text, counts, starts);
}

}  // namespace ordo::strings::detail
