#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "strings/keys/key_codes.hpp"

// Keys that only the host reads: the orders that GNU sort does not have, and fields with quotes.
namespace ordo::inline v0::strings::detail {

[[nodiscard]] constexpr bool is_read_by_host(key_type type) {
  return type >= key_type::natural;
}

/// The settings of a key that only the host reads.
struct host_key {
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::string date_format;                                                       // empty: ISO 8601
  std::unordered_map<std::string, std::uint32_t, hash, std::equal_to<>> places;  // places of values as the key's images
  std::shared_ptr<piece_finder const> finder;
};

std::shared_ptr<host_key const> make_host_key(order const& by, key const& from, compiled_key const& key);

/// Returns the codes of a piece (key_codes.hpp), not reversed. Valid until the next call by the same thread.
std::string_view host_codes(compiled_key const& by, key_rules const& rules, text_piece const& of);

/// The piece that the inner key of a key reads: the piece itself or what a finder finds in it or, in a line with quoted fields,
/// the range of the inner key without the quotes. A piece of several such fields has the separators between them.
class inner_piece {
 public:
  inner_piece(compiled_key const& by, key_rules const& rules, text_piece const& of);
  inner_piece(inner_piece const&) = delete;
  inner_piece& operator=(inner_piece const&) = delete;
  [[nodiscard]] text_piece const& piece() const { return piece_; }
  /// Returns the code of the place among empty and other values, of a key with a place for them: 2 if it is not empty.
  [[nodiscard]] unsigned place(compiled_key const& by, key_rules const& rules) const;

 private:
  void find(compiled_key const& by, key_rules const& rules, text_piece const& of);
  void unquote(compiled_key const& range, key_rules const& rules, text_piece const& line);

  std::string copy_;
  text_piece piece_;
  bool missing_ = false;  // the finder found nothing
};

/// Calls on_field(number, begin, end, quoted) for the fields of a line, from the first one on, until it returns false. `begin`
/// and `end` include the quotes.
template <class OnField>
void each_quoted_field(char const* begin, char const* last, char separator, OnField on_field) {
  for (std::size_t number = 0;; ++number) {
    char const* p = begin;
    bool const quoted = p != last && *p == '"';
    if (quoted)
      for (++p; p != last; ++p) {
        if (*p != '"') continue;
        if (p + 1 != last && p[1] == '"')
          ++p;
        else
          break;
      }
    while (p != last && *p != separator) ++p;
    if (!on_field(number, begin, p, quoted) || p == last) return;
    begin = p + 1;
  }
}

/// Appends a field without its quotes. Bytes after the closing quote belong to the field, as in Python's csv module.
void append_unquoted(char const* begin, char const* end, bool quoted, std::string& to);

}  // namespace ordo::inline v0::strings::detail
