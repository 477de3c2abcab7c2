#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/cpu_backend.hpp"
#include "strings/keys/line_keys.hpp"
#include "tests/unit/core/sorts/key_pairs.hpp"
#include "tests/unit/strings/lines.hpp"

namespace {

// A decimal number in normal form: zero has neither digits nor a sign.
struct decimal {
  bool negative = false;
  std::string integers, fraction;
  std::string after;

  explicit decimal(std::string const& text) {
    std::size_t at = text.find_first_not_of(" \t");
    if (at == text.npos) return;
    negative = text[at] == '-';
    if (negative) ++at;
    for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at) integers += text[at];
    if (at < text.size() && text[at] == '.')
      for (++at; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at) fraction += text[at];
    after = text.substr(at);
    integers.erase(0, integers.find_first_not_of('0'));
    fraction.erase(fraction.find_last_not_of('0') + 1);
    if (zero()) negative = false;
  }
  [[nodiscard]] bool zero() const { return integers.empty() && fraction.empty(); }
  [[nodiscard]] int compare(decimal const& b) const {
    if (negative != b.negative) return negative ? -1 : 1;
    int const larger = negative ? -1 : 1;
    if (integers.size() != b.integers.size()) return integers.size() < b.integers.size() ? -larger : larger;
    if (integers != b.integers) return larger * integers.compare(b.integers);
    return larger * fraction.compare(b.fraction);
  }
};

std::vector<std::string> numbers() {
  auto all = random_pieces("0159.- ", 150, 7, 1);
  for (auto const& more :
       {random_pieces("0123456789", 60, 24, 2), random_pieces("009.", 60, 20, 3), random_pieces("01K.Mk-x", 60, 6, 4)})
    all.insert(all.end(), more.begin(), more.end());
  for (std::size_t const digits : {1, 7, 8, 9, 15, 16, 17, 18, 119, 120, 121, 122, 374, 375, 376, 377, 700})
    for (char const* const sign : {"", "-", "00000000000000000"}) {
      std::string const nines(digits, '9'), zeros(digits, '0');
      for (std::string const& n :
           {nines, "1" + zeros, nines.substr(1) + "8", nines + "." + nines, nines + ".0", "." + nines, "." + zeros + "1"})
        all.push_back(sign + n);
    }
  return all;
}

}  // namespace

TEST_CASE("Keys of numbers are in the order of the numbers", "[line_keys][small]") {
  auto const value = [](std::string const& piece) { return decimal(piece); };
  auto const compare = [](decimal const& a, decimal const& b) { return a.compare(b); };
  strings::key k;
  k.type = key_type::number;
  check_pairs(numbers(), k, value, compare);
  k.fold_case = true;  // does not affect numbers
  check_pairs(numbers(), k, value, compare);
}

TEST_CASE("Keys of numbers with units are in the order of sign, unit and number", "[line_keys][small]") {
  auto const value = [](std::string const& piece) {
    decimal n(piece);
    std::size_t const found = n.zero() || n.after.empty() ? std::string::npos : std::string_view("KMGTPEZYRQ").find(n.after[0]);
    int const order = n.after.substr(0, 1) == "k" && !n.zero() ? 1 : found == std::string::npos ? 0 : int(found) + 1;
    return std::pair{n.negative ? -order : order, n};
  };
  strings::key k;
  k.type = key_type::human_number;
  check_pairs(numbers(), k, value,
              [](auto const& a, auto const& b) { return a.first != b.first ? a.first - b.first : a.second.compare(b.second); });
}

TEST_CASE("Keys of few numbers are short", "[line_keys][small]") {
  strings::key k;
  k.type = key_type::number;
  strings::key_encoder const encode(order_of(k), '\n');
  CHECK(codes_of(encode, "0").size() == 1);
  CHECK(codes_of(encode, "-0.00 x").size() == 1);
  CHECK(codes_of(encode, "7").size() == 2);
  CHECK(codes_of(encode, " 0042.00").size() == 2);
  CHECK(codes_of(encode, "1000000").size() == 2);
  CHECK(codes_of(encode, "12345678").size() == 5);
  CHECK(codes_of(encode, "1") == codes_of(encode, "01.0x"));
}

TEST_CASE("Keys of general numbers are in the order of long double", "[line_keys][small]") {
  auto pieces = random_pieces("0123456789e-+.x", 120, 9, 5);
  for (char const* const text : {"inf",
                                 "-inf",
                                 "INFINITY",
                                 "infinit",
                                 "+inf",
                                 "1e4932",
                                 "1e4933",
                                 "-1e4933",
                                 "1e-4932",
                                 "1e-4950",
                                 "1e-4951",
                                 "1e-4952",
                                 "0x1p-16445",
                                 "0x1p-16446",
                                 "0x1.8p3",
                                 "12",
                                 "0xc",
                                 "1.2e1",
                                 "-0",
                                 "0",
                                 "+0.0",
                                 ".",
                                 "e5",
                                 "-",
                                 " 5",
                                 "\v5",
                                 "0.1",
                                 "0.10000000000000000001",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "18446744073709551617",
                                 "36893488147419103233",
                                 "36893488147419103235",
                                 "1e60",
                                 "1e18",
                                 "1e19",
                                 "1e-19",
                                 "0x1p60",
                                 "0x1p59",
                                 "0x1p61",
                                 "0x1p-61",
                                 "0x1p-60",
                                 "0x1.fp60",
                                 "-0x1p60",
                                 "-0x1p61",
                                 "nan",
                                 "-nan",
                                 "NAN(12)",
                                 "-nan(0x7)"})
    pieces.push_back(text);
  strings::key k;
  k.type = key_type::general_number;
  auto const value = [](std::string const& text) {
    char* end = nullptr;
    long double const x = std::strtold(text.c_str(), &end);
    int const kind = end == text.c_str() ? 0 : !std::isnan(x) ? 3 : std::signbit(x) ? 1 : 2;
    return std::pair{kind, kind == 3 ? x : 0};
  };
  check_pairs(pieces, k, value, [](auto const& a, auto const& b) { return a < b ? -1 : int(b < a); });
}

TEST_CASE("General numbers are written by the host", "[line_keys][small]") {
  strings::key number, rest;
  number.type = key_type::general_number;
  rest.first_field = 1;
  strings::order by = order_of(number);
  by.keys.push_back(rest);
  strings::detail::compiled_keys const compiled(by, '\n');
  CHECK(compiled.needs_host());
  CHECK_FALSE(strings::detail::compiled_keys(order_of(rest), '\n').needs_host());
  std::string const text = "1e3 a\n-0x10 b\nx c\n0.5\n1000 d";
  auto const lines = lines_of(text, '\n');
  std::vector<std::uint64_t> starts;
  for (std::string_view const line : lines) starts.push_back(std::uint64_t(line.data() - text.data()));
  ordo::cpu on;
  ordo::with_backend(on, [&](auto& machine) {
    strings::detail::text_lines<std::uint64_t> const of{reinterpret_cast<unsigned char const*>(text.data()), text.size(), '\n',
                                                        starts.data(), starts.size()};
    strings::detail::host_key_types const host_only;
    auto counted = count_line_keys(machine, of, compiled.view(), host_only);
    auto const keys = write_line_keys(machine, of, compiled.view(), std::move(counted), host_only);
    strings::key_encoder const encode(by, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i)
      CHECK(reinterpret_cast<char const*>(keys.bytes.data() + keys.starts.data()[i]) ==
            codes_of(encode, std::string(lines[i])));
  });
}
