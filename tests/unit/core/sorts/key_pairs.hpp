#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/strings/line_comparison.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"

// Tests of a key type against a plain comparison.
namespace {

namespace strings = ordo::strings;
using strings::key_type;

inline int to_sign(int difference) {
  return (difference > 0) - (difference < 0);
}

inline strings::order order_of(strings::key const& k) {
  strings::order by;
  by.keys = {k};
  by.last_resort = false;
  return by;
}

inline std::string codes_of(strings::key_encoder const& encode, std::string const& line) {
  std::string codes = "before";
  encode.append(std::string_view(std::string(line)), codes);  // a copy, so that a sanitizer sees reads after its end
  return codes.substr(6);
}

// Compares all pairs of `pieces`, with the key as it is, reversed, and followed by an empty one, with expected(value(a),
// value(b)).
template <class Value, class Comparison>
void check_pairs(std::vector<std::string> const& pieces, strings::key const& k, Value value, Comparison expected,
                 strings::gnu_rules rules = strings::gnu_rules::current) {
  auto plain = order_of(k);
  plain.rules = rules;
  auto reversed = plain, followed = plain, both = plain;
  reversed.keys[0].reverse = both.keys[0].reverse = true;
  strings::key none;
  none.first_field = 1000000;
  followed.keys.push_back(none);
  both.keys.push_back(none);
  std::vector<decltype(value(pieces[0]))> values;
  for (std::string const& piece : pieces) values.push_back(value(piece));
  for (auto const& [by, sign] : {std::pair{plain, 1}, {reversed, -1}, {followed, 1}, {both, -1}}) {
    strings::key_encoder const encode(by, '\n');
    strings::line_comparison const compare(by, '\n');
    std::vector<std::string> codes;
    for (std::string const& piece : pieces) {
      codes.push_back(codes_of(encode, piece));
      CHECK(codes.back().find('\0') == std::string::npos);
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < pieces.size() && wrong < 3; ++i)
      for (std::size_t j = 0; j < pieces.size() && wrong < 3; ++j) {
        int const want = sign * to_sign(expected(values[i], values[j])), by_codes = to_sign(codes[i].compare(codes[j]));
        int const compared = (i + j) % 7 == 0 ? to_sign(compare(pieces[i], pieces[j])) : want;
        if (by_codes == want && compared == want) continue;
        ++wrong;
        INFO("\"" << pieces[i] << "\" and \"" << pieces[j] << "\", " << by.keys.size() << " keys, sign " << sign);
        CHECK(by_codes == want);
        CHECK(compared == want);
      }
  }
}

inline std::vector<std::string> random_pieces(std::string_view letters, std::size_t count, std::size_t longest,
                                              std::uint64_t seed) {
  random_numbers random(seed);
  std::vector<std::string> pieces{""};
  while (pieces.size() < count) {
    std::string piece(random.below(longest + 1), ' ');
    for (char& c : piece) c = letters[random.below(letters.size())];
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace
