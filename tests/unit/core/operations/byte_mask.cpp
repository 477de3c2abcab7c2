#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/byte_mask.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"

using namespace ordo;

namespace {

struct alignas(8) row_of_bytes {
  std::array<unsigned char, 64> bytes;
};

bool is_letter(unsigned char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

template <class Row>
void check_row(row_of_bytes const& text, std::size_t count) {
  Row const row = count == 64 ? Row(text.bytes.data()) : Row(text.bytes.data(), count);
  auto const byte = [&](std::size_t i) { return i < count ? text.bytes[i] : static_cast<unsigned char>(0); };
  std::uint64_t letters = 0;
  for (std::size_t i = 0; i < 64; ++i) letters |= std::uint64_t{is_letter(byte(i))} << i;
  REQUIRE(row.letters() == letters);
  for (unsigned char const limit : {1, 10, 13, 32, 62, 126, 127}) {
    std::uint64_t equal = 0, above = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      equal |= std::uint64_t{byte(i) == limit} << i;
      above |= std::uint64_t{byte(i) > limit} << i;
    }
    if (limit < 127) REQUIRE(row.equal_to(limit) == equal);
    REQUIRE(row.above(limit) == above);
  }
}

}  // namespace

TEST_CASE("64 bytes are tested at a time", "[core]") {
  random_numbers random(1);
  std::string const special("\0\x01\t\n\x0b\r\x0e !>?@AZ[`az{}~\x7f\x80\x8a\xc1\xda\xe1\xfa\xff", 30);
  for (unsigned round = 0; round < 200; ++round) {
    row_of_bytes text;
    for (unsigned char& c : text.bytes)
      c = static_cast<unsigned char>(round % 2 == 0 ? random.below(256)
                                                    : static_cast<unsigned char>(special[random.below(30)]));
    std::size_t const count = round < 100 ? 64 : random.below(65);
    check_row<detail::word_row>(text, count);
    check_row<byte_row>(text, count);
  }
  for (unsigned k = 0; k <= 64; ++k) {
    CHECK(low_bits(k) == (k == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << k) - 1));
    CHECK(count_ones(low_bits(k)) == k);
    CHECK(count_ones(~low_bits(k)) == 64 - k);
    CHECK(count_few_ones(low_bits(k)) == k);
    CHECK(count_few_ones(std::uint64_t{1} << k % 64 | std::uint64_t{1} << 63) == (k % 64 == 63 ? 1 : 2));
  }
}

TEST_CASE("chosen bytes are copied, and none after the room is written", "[core]") {
  random_numbers random(2);
  for (unsigned round = 0; round < 2000; ++round) {
    std::size_t const size = 1 + random.below(300), rows = (size + 63) / 64;
    std::vector<unsigned char> text(size + 64);
    std::vector<std::uint64_t> chosen(rows + 1);
    for (unsigned char& c : text) c = static_cast<unsigned char>(random.below(256));
    for (std::uint64_t& mask : chosen)  // sparse, dense, or all
      mask = round % 4 == 0   ? ~std::uint64_t{0}
             : round % 4 == 1 ? random() & random() & random()
                              : random() | random() | random();
    unsigned char const fold = random.below(2) == 0 ? 0x20 : 0;
    std::vector<unsigned char> right;
    for (std::size_t i = 0; i < size; ++i)
      if (chosen[i / 64] >> i % 64 & 1)
        right.push_back(fold != 0 && text[i] >= 'a' && text[i] <= 'z' ? static_cast<unsigned char>(text[i] - 32) : text[i]);
    std::size_t const room = right.size() + random.below(100);
    std::vector<unsigned char> out(room + 64, 7);
    std::size_t const copied = copy_chosen(text.data(), chosen.data(), size, out.data(), room, fold);
    REQUIRE(copied == right.size());
    REQUIRE(std::vector<unsigned char>(out.begin(), out.begin() + std::ptrdiff_t(copied)) == right);
    REQUIRE(std::vector<unsigned char>(out.begin() + std::ptrdiff_t(room), out.end()) == std::vector<unsigned char>(64, 7));
  }
}
