#include "strings/sort/string_argsort.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/catch.hpp"

using ordo::strings::detail::argsort_strings;
using ordo::strings::detail::argsort_ucs4;

namespace {

/// Checks an order, and the marks of strings that equal the one before.
template <class String>
void check_order(std::vector<String> const& strings, bool reverse, std::vector<std::uint32_t> const& order,
                 std::vector<std::uint8_t> const& repeats) {
  std::vector<std::uint32_t> expected(strings.size());
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](auto a, auto b) { return reverse ? strings[b] < strings[a] : strings[a] < strings[b]; });
  CHECK(order == expected);
  for (std::size_t k = 0; k < order.size(); ++k)
    if (bool(repeats[k]) != (k != 0 && strings[order[k]] == strings[order[k - 1]])) FAIL("mark " << k);
}

ordo::machine_options two_threads() {
  ordo::machine_options options;
  options.device = ordo::device::cpu;
  options.threads = 2;
  return options;
}

}  // namespace

TEST_CASE("strings anywhere in memory are sorted by their bytes", "[strings][string_argsort]") {
  std::mt19937 random(7);
  // Few are sorted without a machine. Prefixes, zeros and ends within a number and at its edges.
  for (std::size_t const n : {0u, 1u, 2u, 25u, 1024u, 1025u, 20000u})
    for (std::size_t const longest : {1u, 7u, 9u, 40u})
      for (std::string const& letters : {std::string("a"), std::string("a\0", 2), std::string("abcdefg\xff")}) {
        std::vector<std::string> strings(n);
        for (std::string& s : strings) {
          if (random() % 2) s = "https://example.org/";
          for (std::size_t length = random() % (longest + 1); length != 0; --length) s += letters[random() % letters.size()];
        }
        std::vector<std::string_view> const views(strings.begin(), strings.end());
        for (bool const reverse : {false, true}) {
          std::vector<std::uint32_t> order(n);
          std::vector<std::uint8_t> repeats(n, 9);
          argsort_strings<std::uint32_t>(two_threads(), views, reverse, order, repeats);
          check_order(views, reverse, order, repeats);
        }
      }
}

TEST_CASE("rows of UCS4 are sorted where they are", "[strings][string_argsort]") {
  std::mt19937 random(8);
  for (std::size_t const n : {0u, 1u, 900u, 5000u})
    for (std::size_t const length : {1u, 3u, 8u, 21u})
      for (std::uint32_t const greatest : {0u, 3u, 0xffu, 0xffffu, 0x10ffffu, 0xffffffffu}) {
        std::vector<std::uint32_t> units(n * length);
        std::vector<std::u32string> strings(n);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < length; ++k)
            strings[i] += char32_t(units[i * length + k] = random() % 3 == 0 ? 0 : greatest - random() % (greatest / 2 + 1));
        for (bool const reverse : {false, true}) {
          std::vector<std::uint32_t> order(n);
          std::vector<std::uint8_t> repeats(n, 9);
          argsort_ucs4<std::uint32_t>(two_threads(), units.data(), length, reverse, order, repeats);
          check_order(strings, reverse, order, repeats);
        }
      }
}
