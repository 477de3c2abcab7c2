#include <algorithm>
#include <cctype>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "strings/keys/line_keys.hpp"
#include "tests/unit/core/sorts/key_pairs.hpp"

namespace {

// Parts that are no numbers, and numbers, by turns.
int compare_versions(std::string_view a, std::string_view b) {
  auto const rank = [](std::string_view of, std::size_t at) {
    if (at >= of.size()) return -1;
    auto const c = static_cast<unsigned char>(of[at]);
    if (c == '~') return -2;
    if (std::isdigit(c)) return 0;
    return std::isalpha(c) ? int{c} : 256 + c;
  };
  auto const take_number = [](std::string_view& of) {
    std::string_view number = of.substr(0, std::min(of.size(), of.find_first_not_of("0123456789")));
    of.remove_prefix(number.size());
    number.remove_prefix(std::min(number.size(), number.find_first_not_of('0')));
    return number;
  };
  while (!a.empty() || !b.empty()) {
    while (rank(a, 0) != 0 || rank(b, 0) != 0) {
      if ((a.empty() || rank(a, 0) == 0) && (b.empty() || rank(b, 0) == 0)) break;  // an end beside a number
      if (rank(a, 0) != rank(b, 0)) return rank(a, 0) - rank(b, 0);
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
    std::string_view const x = take_number(a), y = take_number(b);
    if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    if (x != y) return x.compare(y);
  }
  return 0;
}

struct file_name {
  std::string whole, prefix;
  int kind;

  // The suffix is not the whole name, except in coreutils 9.1.
  explicit file_name(std::string const& name, bool as_9_1) : whole(name) {
    static std::regex const suffix(R"((\.[A-Za-z~][A-Za-z0-9~]*)*$)");
    std::smatch found;
    std::size_t const first = as_9_1 || name.empty() ? 0 : 1;
    std::regex_search(name.begin() + std::ptrdiff_t(first), name.end(), found, suffix);
    prefix = name.substr(0, first + std::size_t(found.position()));
    kind = name.empty() ? 0 : name == "." ? 1 : name == ".." ? 2 : name[0] == '.' ? 3 : 4;
  }
  [[nodiscard]] int compare(file_name const& b) const {
    if (kind != b.kind) return kind - b.kind;
    int const difference = compare_versions(prefix, b.prefix);
    return difference != 0 ? difference : compare_versions(whole, b.whole);
  }
};

}  // namespace

TEST_CASE("Keys of versions are in the order of filevercmp", "[line_keys][small]") {
  auto pieces = random_pieces("01a~.", 90, 5, 7);
  for (auto const& more : {random_pieces("0019", 30, 30, 8), random_pieces("aZ0.~-\x01\x7f\xff", 60, 8, 9)})
    pieces.insert(pieces.end(), more.begin(), more.end());
  for (char const* const text : {"a",
                                 "a0",
                                 "a00",
                                 "a0~",
                                 "a~",
                                 "a~~",
                                 "a0b",
                                 "a00b",
                                 "a.",
                                 "a.b",
                                 "a0.b",
                                 "a00.b",
                                 "a.0b",
                                 ".a",
                                 ".a.b",
                                 "..a",
                                 ".~1~",
                                 "a.tar.gz",
                                 "a.tar.gz~",
                                 "a-1.tar.gz",
                                 "a-1.0.tar.gz",
                                 "lib1.2.3.so",
                                 "lib1.10.so",
                                 "1000000000000000000",
                                 "999999999999999999",
                                 "9999999999999999999",
                                 "99999999999999999999"})
    pieces.push_back(text);
  for (std::size_t const digits : {17, 18, 19, 254, 255, 256, 300}) pieces.push_back(std::string(digits, '7').append("b"));
  for (unsigned char byte = 1; byte < 255; byte = static_cast<unsigned char>(byte + 3))
    if (byte != '\n') pieces.push_back({'a', static_cast<char>(byte)});
  strings::key k;
  k.type = key_type::version;
  for (bool const as_9_1 : {false, true})
    check_pairs(
        pieces, k, [=](std::string const& piece) { return file_name(piece, as_9_1); },
        [](file_name const& a, file_name const& b) { return a.compare(b); },
        as_9_1 ? strings::gnu_rules::v9_1 : strings::gnu_rules::current);
}

TEST_CASE("Keys of months are in the order of the year", "[line_keys][small]") {
  auto pieces = random_pieces(" janfebmrydec", 60, 5, 6);
  for (char const* const text :
       {"jan", "FEB", "maR ", "\tApril", "may", "mayor", "Jun", "jul", "AUG", "sep", "oct", "nov", "dec", "de", "x jan"})
    pieces.push_back(text);
  auto const month = [](std::string const& text) {
    std::string name = text.substr(std::min(text.size(), text.find_first_not_of(" \t"))).substr(0, 3);
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    std::size_t const at =
        name.size() < 3 ? std::string::npos : std::string_view("JAN.FEB.MAR.APR.MAY.JUN.JUL.AUG.SEP.OCT.NOV.DEC").find(name);
    return at == std::string::npos || name.find('.') != name.npos ? 0 : int(at) + 1;
  };
  strings::key k;
  k.type = key_type::month;
  check_pairs(pieces, k, month, [](int a, int b) { return a - b; });
}

TEST_CASE("Keys of bytes fold and drop them", "[line_keys][small]") {
  auto pieces = random_pieces("abAB 1-\t~", 120, 6, 10);
  for (unsigned byte = 0; byte < 256; ++byte)
    if (byte != '\n')
      for (char const* const after : {"", "a", "abcdefgh"}) pieces.push_back(std::string(1, static_cast<char>(byte)) + after);
  for (unsigned way = 0; way < 8; ++way) {
    strings::key k;
    k.fold_case = way & 1;
    k.dictionary = way & 2;
    k.ignore_unprinted = way & 4;
    auto const read = [&](std::string const& piece) {
      std::string out;
      for (char const c : piece) {
        auto const byte = static_cast<unsigned char>(c);
        if (k.dictionary ? !(byte < 128 && (std::isalnum(byte) || c == ' ' || c == '\t'))
                         : k.ignore_unprinted && (byte < 32 || byte > 126))
          continue;
        out += k.fold_case && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
      }
      return out;
    };
    check_pairs(pieces, k, read, [](std::string const& a, std::string const& b) { return a.compare(b); });
  }
}

TEST_CASE("Random keys are the MD5 of seed and piece", "[line_keys][small]") {
  strings::order const by;
  strings::detail::compiled_keys const compiled(by, '\n');
  auto const digest = [&](std::string const& text) {
    strings::detail::md5 hash(compiled.view().rules->md5_sines);
    for (char const c : text) hash.add(static_cast<unsigned char>(c));
    hash.finish();
    std::string hex;
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned const digit : {hash.digest(i) / 16, hash.digest(i) % 16}) hex += "0123456789abcdef"[digit];
    return hex;
  };
  // RFC 1321, appendix A.5.
  CHECK(digest("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(digest("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(digest("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") == "d174ab98d277d9f5a5611c2c9f419d9f");
  CHECK(digest("12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
        "57edf4a22be3c955ac49da2e2107b67a");

  auto const pieces = random_pieces("ab", 80, 60, 11);
  strings::key k;
  k.type = key_type::random;
  std::string const seed(16, '\0');
  check_pairs(
      pieces, k, [&](std::string const& piece) { return digest(seed + piece); },
      [](std::string const& a, std::string const& b) { return a.compare(b); });
}

TEST_CASE("A comparison of lines has a last resort", "[line_keys][small]") {
  strings::key k;
  k.type = key_type::number;
  strings::order by = order_of(k);
  CHECK(strings::line_comparison(by, '\n')("1", "01") == 0);
  by.last_resort = true;
  CHECK(strings::line_comparison(by, '\n')("1", "01") > 0);
  CHECK(strings::line_comparison(by, '\n').by_keys("1", "01") == 0);
  by.reverse = true;
  CHECK(strings::line_comparison(by, '\n')("1", "01") < 0);
  CHECK(strings::line_comparison(by, '\n')("1", "2") < 0);
  by.keys.clear();
  by.last_resort = false;
  CHECK(strings::line_comparison(by, '\n')("a", "b") > 0);
  CHECK(strings::line_comparison(by, '\n').by_keys("a", "b") > 0);
  by.locale = "xx_XX";
  CHECK_THROWS_AS(strings::line_comparison(by, '\n'), ordo::usage_error);
}
