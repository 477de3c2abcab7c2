#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "base/bits.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "strings/keys/collation.hpp"
#include "strings/keys/compiled_keys.hpp"
#include "strings/keys/general_codes.hpp"
#include "strings/keys/host_keys.hpp"
#include "strings/keys/key_codes.hpp"
#include "strings/keys/number_codes.hpp"
#include "strings/keys/random_codes.hpp"
#include "strings/keys/version_codes.hpp"

namespace ordo::inline v0::strings::detail {

/// Finds the pieces of one line. A field after the one that was found last is searched from there on.
class line_fields {
 public:
  /// Both arguments must outlive this object.
  ORDO_FN line_fields(key_rules const& rules, text_piece const& line) : rules_(rules), line_(line), at_(line.first) {}

  ORDO_FN text_piece operator()(compiled_key const& by) {
    unsigned char const* begin = field(by.first_field);
    if (by.skip_blanks_at_first) begin = behind_blanks(begin);
    begin = moved(begin, by.first_character);
    if (by.last_field == key::to_the_end) return {begin, line_.last, line_.limit};
    unsigned char const* end = field(by.last_field);
    if (by.end_character == 0) {
      end = field_end();
    } else {
      if (by.skip_blanks_at_end) end = behind_blanks(end);
      end = moved(end, by.end_character);
    }
    return {begin, begin < end ? end : begin, line_.limit};
  }

 private:
  ORDO_FN unsigned char const* moved(unsigned char const* p, std::size_t by) const {
    return by < std::size_t(line_.last - p) ? p + by : line_.last;
  }
  ORDO_FN unsigned char const* behind_blanks(unsigned char const* p) const {
    while (p != line_.last && rules_.blank[*p]) ++p;
    return p;
  }
  // Returns the beginning of a field, and remembers it.
  ORDO_FN unsigned char const* field(std::size_t number) {
    if (number < number_) {
      number_ = 0;
      at_ = line_.first;
      end_ = nullptr;
    }
    for (; number_ < number && at_ != line_.last; ++number_) {
      at_ = field_end();
      if (rules_.separated && at_ != line_.last) ++at_;
      end_ = nullptr;
    }
    number_ = number;
    return at_;
  }
  ORDO_FN unsigned char const* field_end() {
    if (!end_) end_ = field_end(at_);
    return end_;
  }
  [[nodiscard]] ORDO_FN unsigned char const* field_end(unsigned char const* p) const {
    if (rules_.separated) return find_mark(p, [&](std::uint64_t word) { return words::equal(word, rules_.separator); });
    p = behind_blanks(p);
    if (!rules_.few_blanks) {
      while (p != line_.last && !rules_.blank[*p]) ++p;
      return p;
    }
    return find_mark(p, [&](std::uint64_t word) {
      return words::equal(word, rules_.some_blanks[0]) | words::equal(word, rules_.some_blanks[1]) |
             words::equal(word, rules_.some_blanks[2]);
    });
  }
  template <class Marks>
  ORDO_FN unsigned char const* find_mark(unsigned char const* p, Marks marks) const {
    for (;; p += 8) {
      std::size_t const left = std::size_t(line_.last - p);
      std::size_t const before = leading_zeros(marks(words::at(p, line_))) / 8;
      if (left <= before) return line_.last;
      if (before < 8) return p + before;
    }
  }

  key_rules const& rules_;
  text_piece const& line_;
  std::size_t number_ = 0;  // number of the field found last
  unsigned char const* at_;
  unsigned char const* end_ = nullptr;  // if known
};

// Keys that are read by functions of the C library, which only the host has.

/// Reads these keys on the host.
struct host_key_types {
  static constexpr bool available = true;
  bool whole = false;  // for whole_codes: all codes of collated keys

  /// Returns false if the codes were cut.
  template <class Out>
  bool operator()(compiled_key const& by, key_rules const& rules, text_piece const& of, Out& out) const {
    if (by.inner) {
      inner_piece const inner(by, rules, of);
      if (by.empty != empty_values::by_type) {
        unsigned const place = inner.place(by, rules);
        key_output<Out>(out, by.reverse && by.empty == empty_values::first)(place);
        if (place != 2) return true;
      }
      return write_key(*by.inner, rules, inner.piece(), out, *this);
    }
    key_output<Out> const put(out, by.reverse);
    if (is_read_by_host(by.type)) {
      for (char const code : host_codes(by, rules, of)) put(static_cast<unsigned char>(code));
    } else if (by.type == key_type::general_number) {
      general_number const number = read_general_number(by, of, rules.as_9_1);
      for (std::size_t i = 0; i < number.size; ++i) put(number.codes[i]);
    } else if (by.type == key_type::random) {
      md5 hash(rules.md5_sines);
      for (unsigned char const byte : rules.random_seed) hash.add(byte);
      add_transformed(by, of, hash);
      write_digest(hash, put);
    } else if (whole || by.all_levels) {
      return write_collated(by, of, whole ? std::string::npos : by.first_level_codes, out);
    } else {
      write_first_level(by, of, out);
    }
    return true;
  }

 private:
  template <class Out>
  static void write_first_level(compiled_key const& by, text_piece const& of, Out& out) {
    key_output<Out> const put(out, by.reverse);
    first_level const level(by, of);
    auto const* const codes = reinterpret_cast<unsigned char const*>(level.codes().data());
    std::size_t const size = level.codes().size();
    for (std::size_t k = 0; k < size; k += 8) {
      std::size_t const count = size - k < 8 ? size - k : 8;
      // Bytes that are not written must not be 0, either.
      put.word(load_big_endian(codes + k, count) | words::right(words::every_byte, count), count);
    }
    if (by.reverse) put(1);
  }
  template <class Out>
  static bool write_collated(compiled_key const& by, text_piece const& of, std::size_t max_size, Out& out) {
    std::string_view const all = collated_codes(by, of), codes = all.substr(0, max_size);
    for (std::size_t k = 0; k < codes.size(); k += 8) {
      std::size_t const count = codes.size() - k < 8 ? codes.size() - k : 8;
      out.write_word(load_big_endian(reinterpret_cast<unsigned char const*>(codes.data()) + k, count), count);
    }
    return all.size() < max_size;
  }
  // Counts the room for the first level.
  static void write_first_level(compiled_key const& by, text_piece const& of, code_counter& out) {
    out.size += first_level::max_size(by, of) + by.reverse;
  }
};

/// Stands for orders without such keys.
struct no_host_key_types {
  static constexpr bool available = false;

  template <class Out>
  ORDO_FN bool operator()(compiled_key const&, key_rules const&, text_piece const&, Out&) const {
    return true;
  }
};

// The keys of lines as codes (key_codes.hpp). The codes of a line end with 0, and memcmp of them gives the order of the keys.

/// Writes the codes of a piece that is not compared as bytes. Returns false if they were cut.
template <class Piece, class Out, class KeyTypes>
ORDO_FN bool write_typed(compiled_key const& by, key_rules const& rules, text_piece const& of, Out& out, KeyTypes host_only) {
  Piece const piece(by, of);
  key_output<Out> const put(out, by.reverse);
  switch (by.type) {
    case key_type::number:
      write_number_codes<Piece>(by, of, rules, false, put);
      break;
    case key_type::human_number:
      write_number_codes<Piece>(by, of, rules, true, put);
      break;
    case key_type::month:
      write_month(piece, rules, put);
      break;
    case key_type::version:
      write_version(piece, rules, put);
      break;
    case key_type::random:
      if (by.collated) return host_only(by, rules, of, out);
      write_random(piece, by, rules, of, out);
      break;
    case key_type::bytes:
      break;
    default:
      return host_only(by, rules, of, out);
  }
  return true;
}

/// Writes the codes of one key. Returns false if they were cut.
template <class Out, class KeyTypes>
ORDO_FN bool write_key(compiled_key const& by, key_rules const& rules, text_piece const& of, Out& out, KeyTypes host_only) {
  if constexpr (KeyTypes::available)
    if (by.inner) return host_only(by, rules, of, out);
  if (by.type != key_type::bytes) {
    if (by.direct) return write_typed<direct_piece>(by, rules, of, out, host_only);
    return write_typed<mapped_piece>(by, rules, of, out, host_only);
  }
  if (by.collated) return host_only(by, rules, of, out);
  out.write_bytes(by, of);
  if (by.ended) out.put(by.reverse ? 255 : 1);
  return true;
}

/// Writes the codes of all keys of a line, without the 0 that ends them, up to a key whose codes are cut. Returns false if
/// there is one.
template <class Out, class KeyTypes>
ORDO_FN bool write_keys(compiled_order const& by, text_piece const& line, Out& out, KeyTypes host_only) {
  line_fields fields(*by.rules, line);
  for (std::size_t k = 0; k < by.count; ++k)
    if (!write_key(by.keys[k], *by.rules, fields(by.keys[k]), out, host_only)) return false;
  return true;
}

/// The lines of a text whose keys are written.
template <class Offset>
struct text_lines {
  unsigned char const* text;
  std::size_t size;
  unsigned char delimiter;
  Offset const* starts;  // in the order of the text
  std::size_t lines;

  /// Returns the line without its delimiter. The last line may have none.
  ORDO_FN text_piece operator[](std::size_t line) const {
    unsigned char const* const end = text + size;
    unsigned char const* const last = line + 1 < lines ? text + starts[line + 1] - 1 : end - (end[-1] == delimiter);
    return {text + starts[line], last, end};
  }
};

/// Keys of lines, in the order of the text. The record of a line is its start in the text, as sizeof(Offset) bytes with the
/// lowest first, its codes, and a 0.
template <class Offset>
struct line_keys {
  buffer<unsigned char> bytes;
  buffer<Offset> starts;  // where the codes of each line begin in `bytes`, and one entry that stands for no line
};

template <class Offset>
constexpr std::size_t record_bytes = sizeof(Offset) + 1;  // besides the codes

/// Returns the start in the text of the line with these codes, from its record.
template <class Offset>
ORDO_FN Offset line_of_codes(unsigned char const* codes) {
  Offset line = 0;
  for (std::size_t i = 1; i <= sizeof(Offset); ++i) line = Offset(line << 8) | Offset(codes[-std::ptrdiff_t(i)]);
  return line;
}

/// The lengths of the records.
template <class Offset>
struct counted_keys {
  buffer<Offset> sizes;  // the size of the record before; the first entry is sizeof(Offset)
  std::uint64_t bytes;   // bytes of all records

  /// Returns false if offsets of 64 bits are needed.
  [[nodiscard]] bool fit() const { return bytes <= std::numeric_limits<Offset>::max() - sizeof(Offset); }
};

/// Counts the codes of the lines. Memory: an Offset a line, which becomes the start of its key.
/// @param host_only  host_key_types if the backend is the host; it reads keys that only the host can read
template <class Offset, Backend B, class KeyTypes = no_host_key_types>
counted_keys<Offset> count_line_keys(B& backend, text_lines<Offset> lines, compiled_order by, KeyTypes host_only = {}) {
  counted_keys<Offset> counted{backend.template buffer<Offset>(lines.lines + 1), 0};
  auto* const sizes = counted.sizes.data();
  backend.each(lines.lines + 1, [=] ORDO_FN(std::size_t i) {
    constexpr std::size_t max_size = std::numeric_limits<Offset>::max();
    std::size_t size = sizeof(Offset);
    if (i != 0) {
      code_counter codes;
      write_keys(by, lines[i - 1], codes, host_only);
      size = codes.size + record_bytes<Offset>;
    }
    sizes[i] = Offset(size < max_size ? size : max_size);
  });
  counted.bytes = backend.reduce(
      lines.lines, [=] ORDO_FN(std::size_t i) { return std::uint64_t(sizes[i + 1]); }, std::uint64_t{0}, plus{});
  return counted;
}

/// Writes the keys that were counted, which fit(). Memory: counted.bytes, some of which stay unused with collated keys.
template <class Offset, Backend B, class KeyTypes = no_host_key_types>
line_keys<Offset> write_line_keys(B& backend, text_lines<Offset> lines, compiled_order by, counted_keys<Offset> counted,
                                  KeyTypes host_only = {}) {
  line_keys<Offset> keys{backend.template buffer<unsigned char>(std::size_t(counted.bytes)), std::move(counted.sizes)};
  auto* const starts = keys.starts.data();
  auto* const bytes = keys.bytes.data();
  backend.scan(
      keys.starts.size(), [=] ORDO_FN(std::size_t i) { return starts[i]; }, keys.starts.span(), plus{});
  backend.each(lines.lines, [=] ORDO_FN(std::size_t i) {
    unsigned char* const to = bytes + starts[i];
    std::uint64_t const start = lines.starts[i];
    for (std::size_t k = 0; k < sizeof(Offset); ++k) to[k - sizeof(Offset)] = static_cast<unsigned char>(start >> (8 * k));
    code_writer codes(to);
    write_keys(by, lines[i], codes, host_only);
    codes.put(0);
    codes.finish();
  });
  return keys;
}

}  // namespace ordo::inline v0::strings::detail
