#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "ordo/backend.hpp"
#include "sort_core/functors.hpp"
#include "strings/keys/code_output.hpp"
#include "strings/keys/compiled_keys.hpp"
#include "strings/keys/host_readings.hpp"
#include "strings/keys/key_codes.hpp"
#include "strings/keys/key_fields.hpp"
#include "strings/keys/month_codes.hpp"
#include "strings/keys/number_codes.hpp"
#include "strings/keys/random_codes.hpp"
#include "strings/keys/version_codes.hpp"

// The keys of lines as codes (key_codes.hpp): what memcmp makes of them, a line's codes ended by 0, is the order of the keys.
namespace ordo::strings::detail {

/// The codes of one piece that is not read as bytes.
template <class Piece, class Out, class Readings>
ORDO_FN void put_read(compiled_key const& by, key_rules const& rules, text_piece const& of, Out& out, Readings host_only) {
  Piece const piece(by, of);
  key_output<Out> const put(out, by.reverse);
  switch (by.as) {
    case reading::number:
      return put_number<Piece>(by, of, rules, false, put);
    case reading::human_number:
      return put_number<Piece>(by, of, rules, true, put);
    case reading::month:
      return put_month(piece, rules, put);
    case reading::version:
      return put_version(piece, rules, put);
    case reading::random:
      if (by.collated) return host_only(by, rules, of, out);
      return put_random(piece, by, rules, of, out);
    case reading::general_number:
      return host_only(by, rules, of, out);
    default:
      return;
  }
}

/// The codes of one key.
template <class Out, class Readings>
ORDO_FN void put_key(compiled_key const& by, key_rules const& rules, text_piece const& of, Out& out, Readings host_only) {
  if (by.as != reading::bytes) {
    if (by.direct) return put_read<direct_piece>(by, rules, of, out, host_only);
    return put_read<mapped_piece>(by, rules, of, out, host_only);
  }
  if (by.collated) return host_only(by, rules, of, out);
  out.put_bytes(by, of);
  if (by.ended) out.put(by.reverse ? 255 : 1);
}

/// The codes of all keys of a line, without the 0 that ends them.
template <class Out, class Readings>
ORDO_FN void put_keys(compiled_order const& by, text_piece const& line, Out& out, Readings host_only) {
  line_fields fields(*by.rules, line);
  for (std::size_t k = 0; k < by.count; ++k) put_key(by.keys[k], *by.rules, fields(by.keys[k]), out, host_only);
}

/// The lines of a text whose keys are written.
template <class Offset>
struct text_lines {
  unsigned char const* text;
  std::size_t size;
  unsigned char delimiter;
  Offset const* starts;  // in the order of the text
  std::size_t lines;

  /// The line without its delimiter. The last one may have none.
  ORDO_FN text_piece operator[](std::size_t line) const {
    unsigned char const* const end = text + size;
    unsigned char const* const last = line + 1 < lines ? text + starts[line + 1] - 1 : end - (end[-1] == delimiter);
    return {text + starts[line], last, end};
  }
};

/// Keys of lines, in the order of the text: for each line a record of its own start in the text, as sizeof(Offset) bytes, the
/// lowest first; its codes; a 0.
template <class Offset>
struct line_keys {
  buffer<unsigned char> bytes;
  buffer<Offset> starts;  // of the codes of each line, in `bytes`; and one more, which stands for no line
};

template <class Offset>
constexpr std::size_t record_bytes = sizeof(Offset) + 1;  // beside the codes

/// The start in the text of the line that has these codes, in a record.
template <class Offset>
ORDO_FN Offset line_of_codes(unsigned char const* codes) {
  Offset line = 0;
  for (std::size_t i = 1; i <= sizeof(Offset); ++i) line = Offset(line << 8) | Offset(codes[-std::ptrdiff_t(i)]);
  return line;
}

/// How long the records of lines are.
template <class Offset>
struct counted_keys {
  buffer<Offset> sizes;  // of the record before; sizeof(Offset) for the first
  std::uint64_t bytes;   // of all

  /// Else offsets of 64 bits are needed.
  [[nodiscard]] bool fit() const { return bytes <= std::numeric_limits<Offset>::max() - sizeof(Offset); }
};

/// Counts the codes of the lines. Memory: an Offset a line, which becomes the start of its key.
/// @param host_only  reads keys that only the host can read; host_readings, where the machine is the host
template <class Offset, Backend B, class Readings = no_host_readings>
counted_keys<Offset> count_line_keys(B& machine, text_lines<Offset> lines, compiled_order by, Readings host_only = {}) {
  counted_keys<Offset> counted{machine.template buffer<Offset>(lines.lines + 1), 0};
  auto* const sizes = counted.sizes.data();
  machine.each(lines.lines + 1, [=] ORDO_FN(std::size_t i) {
    constexpr std::size_t most = std::numeric_limits<Offset>::max();
    std::size_t size = sizeof(Offset);
    if (i != 0) {
      code_counter codes;
      put_keys(by, lines[i - 1], codes, host_only);
      size = codes.size + record_bytes<Offset>;
    }
    sizes[i] = Offset(size < most ? size : most);
  });
  counted.bytes = machine.reduce(
      lines.lines, [=] ORDO_FN(std::size_t i) { return std::uint64_t(sizes[i + 1]); }, std::uint64_t{0}, plus{});
  return counted;
}

/// Writes the keys that were counted, which fit(). Memory: counted.bytes. Behind collated keys some of it may be left over.
template <class Offset, Backend B, class Readings = no_host_readings>
line_keys<Offset> write_line_keys(B& machine, text_lines<Offset> lines, compiled_order by, counted_keys<Offset> counted,
                                  Readings host_only = {}) {
  line_keys<Offset> keys{machine.template buffer<unsigned char>(std::size_t(counted.bytes)), std::move(counted.sizes)};
  auto* const starts = keys.starts.data();
  auto* const bytes = keys.bytes.data();
  machine.scan(
      keys.starts.size(), [=] ORDO_FN(std::size_t i) { return starts[i]; }, keys.starts.span(), plus{});
  machine.each(lines.lines, [=] ORDO_FN(std::size_t i) {
    unsigned char* const to = bytes + starts[i];
    std::uint64_t const start = lines.starts[i];
    for (std::size_t k = 0; k < sizeof(Offset); ++k) to[k - sizeof(Offset)] = static_cast<unsigned char>(start >> (8 * k));
    code_writer codes(to);
    put_keys(by, lines[i], codes, host_only);
    codes.put(0);
    codes.finish();
  });
  return keys;
}

}  // namespace ordo::strings::detail
