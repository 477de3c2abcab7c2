#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "ordo/backend.hpp"
#include "strings/keys/line_keys.hpp"
#include "strings/sort/line_sort.hpp"
#include "strings/sort/prefix_sort.hpp"
#include "strings/sort/tie_sort.hpp"

// Lines by any order: first by the codes of their keys, a text of its own; then those that the keys left equal as wholes.
namespace ordo::strings::detail {

template <class Offset>
struct line_of_record {
  unsigned char const* codes;
  Offset* order;
  ORDO_FN void operator()(std::size_t i) const { order[i] = line_of_codes<Offset>(codes + order[i]); }
};

/// What keys with so many bytes of records take of a machine's memory beside sort_memory.
template <class Offset>
std::size_t keys_memory(std::size_t bytes, std::size_t lines) {
  return pool::rounded(bytes) + pool::rounded((lines + 1) * sizeof(Offset)) + (std::size_t{64} << 10);
}

/// The keys of all lines. @throws offsets_too_narrow; out_of_memory if sorting takes more than `limit` bytes
template <class Offset, Backend B, class Readings>
line_keys<Offset> keys_of_lines(B& machine, symbols text, unsigned char const* bytes, std::span<Offset const> counts,
                                std::size_t lines, options const& how, std::size_t limit, Readings host_only) {
  auto const delimiter = static_cast<unsigned char>(how.delimiter);
  compiled_keys const compiled(how.by, delimiter, text.size(), lines);
  uploaded_keys<B> const keys(machine, compiled);
  auto const starts = machine.template buffer<Offset>(lines);
  write_starts(machine, text, counts, starts.span());
  text_lines<Offset> const all{bytes, text.size(), delimiter, starts.data(), lines};
  auto counted = count_line_keys(machine, all, keys.view(), host_only);
  if (!counted.fit()) throw offsets_too_narrow{};
  check_memory(text.size(), lines,
               sort_memory<Offset, B>(text.size(), lines) + keys_memory<Offset>(std::size_t(counted.bytes), lines), limit);
  return write_line_keys(machine, all, keys.view(), std::move(counted), host_only);
}

/// Put the starts of the text's lines in order, and mark those that equal the one before as far as lines are compared.
/// @param bytes   the text, as `text` reads it @param counts  its delimiters: see count_delimiters
/// @param limit   bytes that may be taken of the machine's memory beside the text
/// @param host_only  see count_line_keys
/// @throws offsets_too_narrow, out_of_memory before the sort
template <class Offset, Backend B, class Readings>
void order_lines(B& machine, symbols text, unsigned char const* bytes, std::span<Offset const> counts, options const& how,
                 std::size_t limit, std::span<Offset> order, std::span<std::uint8_t> repeats, Readings host_only) {
  std::size_t const lines = order.size();
  if (how.by.is_plain()) {
    check_memory(text.size(), lines, sort_memory<Offset, B>(text.size(), lines), limit);
    return prefix_sort(machine, text, counts, how.by.reverse, order, repeats);
  }
  {
    auto keys = keys_of_lines(machine, text, bytes, counts, lines, how, limit, host_only);
    symbols const codes(keys.bytes.data(), keys.bytes.size(), 0);
    sort_starts(machine, codes, std::move(keys.starts), false, order, repeats);
    machine.each(lines, line_of_record<Offset>{keys.bytes.data(), order.data()});
  }
  if (compiled_keys(how.by, static_cast<unsigned char>(how.delimiter)).is_collated()) {
    if constexpr (Readings::available) sort_ties(machine, text, how, order, repeats);
  } else if (how.by.last_resort) {
    sort_repeats(machine, text, how.by.reverse, order, repeats);
  }
}

/// All of a machine's part: the text comes from the host and the result goes there. @throws as order_lines
template <class Offset, Backend B, class Readings = no_host_readings>
line_sort<Offset> sort_on(B& machine, std::string_view text, options const& how, std::size_t limit, Readings host_only = {}) {
  line_sort<Offset> result;
  if (text.empty()) return result;
  auto const bytes =
      machine.upload(std::span<unsigned char const>(reinterpret_cast<unsigned char const*>(text.data()), text.size()));
  symbols const all(bytes.data(), bytes.size(), static_cast<unsigned char>(how.delimiter));
  auto const counts = count_delimiters<Offset>(machine, all);
  std::span<Offset const> const ends = counts.span();
  std::size_t const lines = value_at(machine, ends, ends.size() - 1) + (text.back() != how.delimiter);
  result.lines = lines;
  result.starts = std::make_unique_for_overwrite<Offset[]>(lines);
  result.repeats = std::make_unique_for_overwrite<std::uint8_t[]>(lines);
  std::span<Offset> const starts(result.starts.get(), lines);
  std::span<std::uint8_t> const repeats(result.repeats.get(), lines);
  auto const order = machine.target(starts);
  auto const same = machine.target(repeats);
  order_lines<Offset>(machine, all, bytes.data(), ends, how, limit, order.span(), same.span(), host_only);
  machine.download(std::span<Offset const>(order.span()), starts);
  machine.download(std::span<std::uint8_t const>(same.span()), repeats);
  result.peak_memory = machine.pool().peak();
  return result;
}

/// See memory_needed. @param copies  is the text copied to the machine's memory?
template <class Offset, Backend B>
std::size_t order_memory(std::size_t bytes, std::size_t lines, order const& by, char delimiter, bool copies) {
  std::size_t const plain = sort_memory<Offset, B>(bytes, lines) + (copies ? pool::rounded(bytes) : 0);
  if (by.is_plain()) return plain;
  std::size_t const codes = compiled_keys(by, static_cast<unsigned char>(delimiter)).most_codes(bytes, lines);
  return plain + keys_memory<Offset>(codes + lines * record_bytes<Offset>, lines);
}

}  // namespace ordo::strings::detail
