#include "strings/external/records.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "base/streams.hpp"
#include "ordo/error.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "strings/keys/compiled_keys.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/io_ends.hpp"

namespace {

namespace strings = ordo::strings;
using strings::detail::record_format;
using strings::detail::record_sink;
using strings::detail::record_source;

std::string rest_of(ordo::source& from, std::size_t step) {
  std::string text, part(step, '\0');
  for (std::size_t got = step; got == step;) {
    got = from.read(part);
    text.append(part, 0, got);
  }
  return text;
}

// Ends records with NUL, byte by byte.
std::string ended(std::string text, char separator) {
  bool in_quotes = false, at_begin = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char& c = text[i];
    if (in_quotes) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"')
        ++i;
      else if (c == '"')
        in_quotes = at_begin = false;
    } else if (c == '"' && at_begin) {
      in_quotes = true;
    } else {
      at_begin = c == separator || c == '\n';
      if (c == '\n') c = '\0';
    }
  }
  return in_quotes ? "" : text;
}

}  // namespace

TEST_CASE("Records with quotes end where RFC 4180 ends them, however they are read", "[records]") {
  random_numbers random(3);
  std::size_t valid = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t n = random.below(i % 50 == 0 ? 3000 : 30); n > 0; --n) text += "ab\"\",;\n\r"[random.below(8)];
    record_format format;
    format.quoted = true;
    format.separator = random.below(2) == 0 ? ',' : ';';
    format.header = random.below(3);
    std::string want = ended(text, format.separator), header;
    if (want.empty() && !text.empty()) {
      CHECK_THROWS_AS(rest_of(*std::make_unique<record_source>(std::make_unique<test_source>(text, false), format, "in"), 100),
                      ordo::input_error);
      continue;
    }
    ++valid;
    for (std::uint64_t left = format.header; left != 0 && !want.empty(); --left) {
      std::size_t const end = std::min(want.find('\0'), want.size() - 1) + 1;
      header += want.substr(0, end);
      want.erase(0, end);
    }
    if (!header.empty() && header.back() != '\0') header += '\0';
    std::ranges::replace(header, '\0', '\n');
    for (std::size_t const step : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{100000}}) {
      record_source from(std::make_unique<test_source>(text, false), format, "in");
      CHECK(from.header() == header);
      CHECK(rest_of(from, step) == want);
      record_source addressable(std::make_unique<ordo::memory_source>(text), format, "in");
      CHECK_FALSE(addressable.size());
      CHECK(rest_of(addressable, step) == want);
    }
    // The sink restores the text.
    for (bool const addressed : {false, true}) {
      ordo::growing_sink to(addressed);
      record_sink sink(to, header, true);
      if (sink.expect(want.size()) && !want.empty()) {
        sink.finish();
        sink.write_at(want.size() / 2, std::string_view(want).substr(want.size() / 2));
        sink.write_at(0, std::string_view(want).substr(0, want.size() / 2));
      } else {
        sink.write(want);
        sink.finish();
      }
      CHECK(to.text() == (text.ends_with('\n') || !want.empty() ? text : header));
    }
  }
  CHECK(valid > 500);
}

TEST_CASE("Headers are as long as they are", "[records]") {
  std::string const long_line(200'000, 'x');
  for (std::string const& text : {long_line + "\n#b\n" + long_line + "\nc\n", std::string("a\n#b"), std::string("a"),
                                  std::string(), std::string("\n\n\n"), long_line, std::string("#\n##\n#a\nb\n#c\n")})
    for (std::uint64_t const lines : {0, 1, 2, 5})
      for (bool const by_prefix : {false, true}) {
        record_format format;
        format.header = lines;
        if (by_prefix) format.header_prefixes = {"#", "a long prefix"};
        std::size_t end = 0, count = 0;
        while (end != text.size() && (count < lines || (by_prefix && text[end] == '#'))) {
          end = std::min(text.find('\n', end), text.size() - 1) + 1;
          ++count;
        }
        std::string header = text.substr(0, end);
        if (!header.empty() && header.back() != '\n') header += '\n';
        record_source sequential(std::make_unique<test_source>(text, false), format, "in");
        CHECK(sequential.header() == header);
        CHECK(sequential.header_lines() == count);
        CHECK(rest_of(sequential, 1000) == text.substr(end));
        record_source addressable(std::make_unique<ordo::memory_source>(text), format, "in");
        CHECK(addressable.header() == header);
        CHECK(addressable.position() == end);
        CHECK(addressable.size() == text.size());
        CHECK(rest_of(addressable, 1000) == text.substr(end));
      }
}

TEST_CASE("Keys read the fields of RFC 4180", "[records]") {
  auto const codes = [](std::string_view line, std::size_t first, std::size_t last, std::size_t character = 0,
                        std::size_t end_character = 0) {
    strings::key k;
    k.first_field = first;
    k.last_field = last;
    k.first_character = character;
    k.end_character = end_character;
    strings::order by;
    by.keys = {k};
    by.separator = ',';
    by.quoted = true;
    std::string made;
    strings::key_encoder(by, '\0').append(line, made);
    return made;
  };
  auto const plain = [](std::string_view text) {
    strings::order by;
    by.keys = {strings::key{}};
    std::string made;
    strings::key_encoder(by, '\0').append(text, made);
    return made;
  };
  constexpr std::size_t to_the_end = strings::key::to_the_end;
  CHECK(codes(R"(a,"b,""c""",d)", 1, 1) == plain(R"(b,"c")"));
  CHECK(codes(R"(a,"b,""c""",d)", 0, 1) == plain(R"(a,b,"c")"));
  CHECK(codes(R"(a,"b,""c""",d)", 1, to_the_end) == plain(R"(b,"c",d)"));
  CHECK(codes(R"(a,"b,""c""",d)", 1, 1, 1, 3) == plain(R"(,")"));
  CHECK(codes("a,\"b\nc\"\r", 1, 1) == plain("b\nc"));
  CHECK(codes("a,b\r", 1, 1) == plain("b"));
  CHECK(codes("a,\"b\"x\"y,c", 1, 1) == plain("bx\"y"));
  CHECK(codes("a,b\"c\",d", 1, 1) == plain("b\"c\""));
  CHECK(codes("a", 1, 1) == plain(""));
  CHECK(codes("", 0, 0) == plain(""));
  CHECK(codes("a,b,c", 2, 1) == plain(""));
  CHECK(codes("a,,c", 1, 1) == plain(""));
  CHECK(codes("a,", 1, 1) == plain(""));
}

TEST_CASE("A key reads what its finder finds in its piece", "[records]") {
  struct digits final : strings::piece_finder {
    [[nodiscard]] std::string_view find(std::string_view piece, std::string&) const override {
      std::size_t const first = piece.find_first_of("0123456789");
      if (first == piece.npos) return {};
      return piece.substr(first, piece.find_first_not_of("0123456789", first) - first);
    }
  };
  for (bool const quoted : {false, true})
    for (bool const reverse : {false, true}) {
      strings::order by;
      by.keys.emplace_back();
      by.keys[0].first_field = by.keys[0].last_field = 1;
      by.keys[0].type = strings::key_type::number;
      by.keys[0].reverse = reverse;
      by.keys[0].finder = std::make_shared<digits>();
      by.separator = ',';
      by.quoted = quoted;
      by.last_resort = false;
      CHECK(strings::detail::compiled_keys(by, '\n').needs_host());
      strings::line_comparison const compare(by, '\n');
      strings::key_encoder const encoder(by, '\n');
      auto const codes = [&](std::string_view line) {
        std::string made;
        encoder.append(line, made);
        return made;
      };
      auto const sign = [](int of) { return (of > 0) - (of < 0); };
      for (auto const& [a, b, difference] : {std::tuple("7,x9y,1", "1,a10", -1), std::tuple("1,", "2", 0),
                                             std::tuple("5,x", "5,x0", 0), std::tuple("5,x", "3,\"1\"\"\"", -1)}) {
        int const want = reverse ? -difference : difference;
        CHECK(sign(compare(a, b)) == want);
        CHECK(sign(codes(a).compare(codes(b))) == want);
      }
    }
}
