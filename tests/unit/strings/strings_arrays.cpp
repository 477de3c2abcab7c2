#include "ordo/strings/arrays.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/strings/lines.hpp"

namespace strings = ordo::strings;

namespace {

std::size_t common_prefix(std::string_view a, std::string_view b) {
  std::size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

// Against the places in which a comparison sort puts `given`, which lie in `base`.
template <class Index>
void check_arrays(strings::order_arrays<Index> const& all, std::vector<std::string_view> const& given, char const* base,
                  std::vector<std::size_t> const& places) {
  std::size_t const n = given.size();
  REQUIRE(all.permutation.size() == n);
  REQUIRE(all.starts.size() == n);
  REQUIRE(all.lengths.size() == n);
  REQUIRE(all.common_prefixes.size() == n);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < n; ++k) {
    std::string_view const one = given[places[k]];
    wrong += all.permutation[k] != places[k] || all.starts[k] != std::size_t(one.data() - base) ||
             all.lengths[k] != one.size() || all.common_prefixes[k] != (k == 0 ? 0 : common_prefix(given[places[k - 1]], one));
  }
  CHECK(wrong == 0);
}

template <class Less>
std::vector<std::size_t> ordered(std::vector<std::string_view> const& given, Less less) {
  std::vector<std::size_t> places(given.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return less(given[a], given[b]); });
  return places;
}
std::vector<std::size_t> ordered(std::vector<std::string_view> const& given) {
  return ordered(given, std::less<>());
}

template <class Offset>
struct column {
  std::string bytes;
  std::vector<Offset> offsets;

  // The first string begins after some bytes that are in none, and the last is followed by some.
  explicit column(std::vector<std::string> const& all, std::string const& around = "")
      : bytes(around), offsets{Offset(around.size())} {
    for (std::string const& one : all) {
      bytes += one;
      offsets.push_back(Offset(bytes.size()));
    }
    bytes += around;
  }
  [[nodiscard]] std::vector<std::string_view> strings() const {
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      all.push_back(std::string_view(bytes).substr(std::size_t(offsets[i]), std::size_t(offsets[i + 1] - offsets[i])));
    return all;
  }
};

template <class Index, class Offset>
void check_column(std::vector<std::string> const& all, std::string const& around) {
  column<Offset> const given(all, around);
  for (ordo::device const where : devices()) {
    strings::sort_options how;
    how.machine.device = where;
    auto const sorted = strings::sort<Index>(given.bytes, std::span(given.offsets), how);
    CHECK(sorted.machine.device == where);
    check_arrays(sorted, given.strings(), given.bytes.data(), ordered(given.strings()));
  }
}

// Strings of `count` different bytes from `first` on.
std::vector<std::string> random_strings(std::size_t n, std::size_t length, unsigned first, unsigned count) {
  random_numbers random(n + length + first + count);
  std::vector<std::string> all(n);
  for (std::string& one : all) {
    one.resize(random.below(length + 1));
    for (char& c : one) c = char(first + random.below(count));
  }
  return all;
}

}  // namespace

TEST_CASE("lines in order are had as arrays", "[strings][arrays]") {
  for (char const delimiter : {'\n', '\0'})
    for (auto const& [name, text] : line_texts(delimiter, true)) {
      INFO(name);
      auto const given = lines_of(text, delimiter);
      for (ordo::device const where : devices()) {
        strings::sort_options how;
        how.delimiter = delimiter;
        how.machine.device = where;
        auto const lines = strings::sort(text, how);
        check_arrays(strings::to_arrays<std::uint32_t>(lines), given, text.data(), ordered(given));
        check_arrays(strings::to_arrays(lines, 1), given, text.data(), ordered(given));
      }
    }
}

TEST_CASE("strings that lie end to end are sorted", "[strings][arrays]") {
  for (std::string const around : {"", "xyz"}) {
    INFO("round them: " << around);
    check_column<std::uint32_t, std::int32_t>({}, around);
    check_column<std::uint64_t, std::uint64_t>({""}, around);
    check_column<std::uint32_t, std::int64_t>({"", "", ""}, around);
    check_column<std::uint64_t, std::uint32_t>({"b", "a\nb", "a", "", "a\n", std::string("a\0", 2), "b", "a"}, around);
    check_column<std::uint32_t, std::int32_t>(random_strings(5000, 12, 'a', 2), around);
    check_column<std::uint64_t, std::uint64_t>(random_strings(3000, 40, 0x20, 0x60), around);
    check_column<std::uint64_t, std::int64_t>(random_strings(3000, 5, 0, 3), around);  // NULs, the escape and what follows it
    check_column<std::uint32_t, std::uint32_t>(random_strings(9000, 30, 0, 256), around);  // no byte is free
    check_column<std::uint64_t, std::int32_t>(random_strings(9000, 3, 0, 256), around);
  }
  check_column<std::uint32_t, std::uint32_t>({std::string(70000, 'a'), std::string(70001, 'a'), "a"}, "");
  std::vector<std::string> all_bytes;  // every byte but one below 0x80
  for (unsigned b = 0; b < 256; ++b)
    if (b != 'q') all_bytes.push_back(std::string(3, char(b)));
  check_column<std::uint32_t, std::uint32_t>(all_bytes, "q");
}

TEST_CASE("no offsets at all are no strings", "[strings][arrays]") {
  CHECK(strings::sort("text", std::span<std::uint32_t const>()).permutation.empty());
}

TEST_CASE("strings that lie end to end are sorted by keys", "[strings][arrays]") {
  column<std::uint32_t> const given({"10\nx", "9", "-3.5", "", "9.0", "1e3"});
  strings::sort_options how;
  how.by.keys = {{.type = strings::key_type::number}};
  how.by.last_resort = false;
  auto const number = [](std::string_view s) { return std::strtod(std::string(s == "1e3" ? "1" : s).c_str(), nullptr); };
  check_arrays(strings::sort(given.bytes, std::span(given.offsets), how), given.strings(), given.bytes.data(),
               ordered(given.strings(), [&](auto a, auto b) { return number(a) < number(b); }));
  how.by = {};
  how.by.reverse = true;
  column<std::int32_t> const binary(random_strings(9000, 30, 0, 256));
  check_arrays(strings::sort(binary.bytes, std::span(binary.offsets), how), binary.strings(), binary.bytes.data(),
               ordered(binary.strings(), std::greater<>()));
  how.by.keys = {{.type = strings::key_type::number}};
  CHECK_THROWS_AS(strings::sort(binary.bytes, std::span(binary.offsets), how), ordo::usage_error);
}

TEST_CASE("bad offsets and too little memory are refused", "[strings][arrays]") {
  auto const refused = [](std::vector<std::int32_t> const& offsets) {
    CHECK_THROWS_AS(strings::sort("abcdef", std::span(offsets)), ordo::usage_error);
  };
  refused({-1, 2});
  refused({0, 3, 2});
  refused({0, 7});
  refused({7});
  refused({0, 3, -1, 6});
  std::vector<std::uint32_t> const none{0};
  CHECK_THROWS_MATCHES(
      strings::sort<std::uint32_t>(std::string_view("abc", std::size_t{1} << 32), std::span(none)),  // no byte is read
      ordo::usage_error, Catch::Matchers::Message("bad index: 32 bits: places in 4294967296 bytes need more"));
  column<std::uint32_t> const given(random_strings(5000, 12, 'a', 2));
  strings::sort_options how;
  how.machine.device = ordo::device::cpu;
  how.memory = given.bytes.size();
  CHECK_THROWS_AS(strings::sort(given.bytes, std::span(given.offsets), how), ordo::out_of_memory);
  how.memory = given.bytes.size() + given.offsets.size() + 1000;
  CHECK_THROWS_AS(strings::sort(given.bytes, std::span(given.offsets), how), ordo::out_of_memory);
}
