#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ordo/strings/order.hpp"
#include "strings/keys/compiled_keys.hpp"
#include "strings/keys/key_codes.hpp"

namespace ordo::inline v0::strings::detail {

/// Returns a line as a piece.
inline text_piece as_piece(std::string_view line) {
  auto const* const first = reinterpret_cast<unsigned char const*>(line.data());
  return {first, first + line.size(), first + line.size()};
}

/// Appends the codes of the bytes of a piece.
template <class Out>
void append_bytes(compiled_key const& by, text_piece const& of, Out& out) {
  for (unsigned char const* p = of.first; p != of.last; ++p) {
    unsigned const code = by.codes[*p];
    if (code != 0) out.put(code & 255);
    if (code > 255) out.put(code >> 8);
  }
}

/// Appends codes to a string.
class appended_codes {
 public:
  /// @param to  must outlive this object
  explicit appended_codes(std::string& to) : to_(to) {}
  void put(unsigned code) { to_ += static_cast<char>(code); }
  void write_word(std::uint64_t word, std::size_t count) {
    for (; count != 0; --count, word <<= 8) put(unsigned(word >> 56));
  }
  void write_bytes(compiled_key const& by, text_piece const& of) { append_bytes(by, of, *this); }

 private:
  std::string& to_;
};

/// The codes of all keys of a line and, of keys that are collated, of all levels. Lines compare as their codes do. A line has
/// up to ten codes a byte and key, so they are for some lines at a time.
class whole_codes {
 public:
  whole_codes(order const& by, unsigned char delimiter) : keys_(by, delimiter) {}

  /// Returns false if append() must not be called: the collation of the locale is unknown.
  [[nodiscard]] bool are_known() const;
  /// Appends the codes of a line without its delimiter.
  void append(std::string_view line, std::string& to) const;

 private:
  compiled_keys keys_;
};

}  // namespace ordo::inline v0::strings::detail
