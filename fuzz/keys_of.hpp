#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "ordo/strings/order.hpp"

namespace fuzz {

/// Finds the digits after the first '#'.
class digits_behind_mark final : public ordo::strings::piece_finder {
 public:
  [[nodiscard]] std::string_view find(std::string_view piece, std::string&) const override {
    std::size_t const mark = piece.find('#');
    if (mark == piece.npos) return {};
    piece.remove_prefix(mark + 1);
    return piece.substr(0, std::min(piece.find_first_not_of("0123456789"), piece.size()));
  }
};

/// Takes an order from the front of an input.
/// @param own  with the kinds of keys and fields that GNU sort does not have
inline ordo::strings::order make_order(fuzzed_bytes& bytes, bool own = false) {
  ordo::strings::order by;
  std::size_t const option = bytes.number(256);
  by.reverse = option & 1;
  by.last_resort = !(option & 2);
  if (option & 4) by.separator = option & 8 ? ',' : 'a';
  by.quoted = own && by.separator && option & 64;
  for (std::size_t keys = option / 16 % 4; keys > 0; --keys) {
    ordo::strings::key k;
    std::size_t const kind = bytes.number(256), where = bytes.number(256), flags = bytes.number(256);
    k.type = ordo::strings::key_type(kind % 6);  // all but random ones
    if (own && kind >= 128) k.type = ordo::strings::key_type(std::size_t(ordo::strings::key_type::natural) + kind % 6);
    if (own && kind == 127) k.type = ordo::strings::key_type::random;
    if (k.type == ordo::strings::key_type::date && flags & 128) by.date_format = where & 128 ? "%s" : "%d %b %Y %H:%M:%S.%f %z";
    if (k.type == ordo::strings::key_type::listed)
      by.listed = std::make_shared<std::vector<std::string> const>(std::vector<std::string>{"b", "", "10", "b", "a a"});
    k.first_field = where % 3;
    k.first_character = where / 4 % 4;
    if (flags & 1) {
      k.last_field = where / 16 % 4;
      k.end_character = where / 64;
      k.skip_blanks_at_end = flags & 4;
    }
    if (own && option & 128) k.finder = std::make_shared<digits_behind_mark>();
    k.skip_blanks_at_first = flags & 2;
    k.reverse = flags & 8;
    if (k.type == ordo::strings::key_type::bytes) {
      k.fold_case = flags & 16;
      k.dictionary = flags & 32;
      k.ignore_unprinted = flags & 64;
    }
    by.keys.push_back(k);
  }
  return by;
}

}  // namespace fuzz
