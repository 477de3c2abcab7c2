#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sort_core/host/backend.hpp"
#include "suffix/sort/letter_runs.hpp"
#include "suffix/text/packed_text.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;
using namespace ordo::suffix::detail;

namespace {

// Returns what is left of the suffix at p after `known` of its letters, at most `letters`.
std::string_view letters_behind(stored_text const& stored, std::size_t p, std::size_t after, unsigned letters) {
  suffix::text const text = stored.view();
  return text.residues.substr(p + after, std::min<std::size_t>(letters, text.end(text.record_at(p)) - p - after));
}

unsigned common(std::string_view a, std::string_view b) {
  return unsigned(std::ranges::mismatch(a, b).in1 - a.begin());
}

void expect_keys(stored_text const& stored, packed_view text, random_numbers& random, int times = 4000) {
  std::size_t const n = stored.view().size();
  for (int k = 0; k < times; ++k) {
    std::size_t const p = random.below(n), q = k % 2 == 0 ? random.below(n) : std::min(n - 1, p + random.below(4));
    std::string_view const a = letters_behind(stored, p, 0, text.letters), b = letters_behind(stored, q, 0, text.letters);
    std::uint64_t const x = text.key(p), y = text.key(q);
    REQUIRE((x < y) == (a < b));
    REQUIRE((x == y) == (a == b));
    REQUIRE(text.length(x) == a.size());
    REQUIRE(text.ends(x) == (a.size() < text.letters));
    REQUIRE(text.common_letters(x, y) == common(a, b));
    bool const is_uniform = a.size() == text.letters && a.find_first_not_of(a[0]) == a.npos;
    REQUIRE(is_uniform_key(text)(x) == is_uniform);
    unsigned const bits = unsigned(text.key_bits().end);
    REQUIRE((bits == 64 || x >> bits == 0));
    std::size_t const after = 1 + random.below(a.size());
    std::string_view const rest = letters_behind(stored, p, after, text.letters);
    std::uint64_t const z = text.key_behind(p + after);
    REQUIRE(text.length(z) == rest.size());
    REQUIRE(text.common_letters(z, x) == common(rest, a));
  }
}

}  // namespace

TEST_CASE("eight letters are packed and unpacked", "[suffix]") {
  random_numbers random(12);
  for (unsigned width = 1; width <= 8; ++width)
    for (int k = 0; k < 100; ++k) {
      std::uint64_t const letters = random() & (0xffu >> (8 - width)) * 0x0101010101010101u;
      std::uint64_t expected = 0;
      for (unsigned i = 0; i < 8; ++i) expected = expected << width | (letters >> (56 - 8 * i) & 0xff);
      std::uint64_t const others = width == 8 ? 0 : random() << 8 * width;
      REQUIRE(pack_eight(letters, width) == expected);
      REQUIRE(unpack_eight(expected | others, width) == letters);
    }
}

TEST_CASE("a text of bytes is packed without a change", "[suffix]") {
  random_numbers random(13);
  for (std::size_t const sigma : {1, 2, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 256})
    for (std::size_t const n : {0, 1, 63, 64, 65, 511, 512, 513, 1000, 140'000}) {
      std::string text = random_letters(random, all_bytes().substr(256 - sigma), n);
      host_backend backend;
      packed_text<host_backend> const packed(backend, suffix::text{text});
      packed_view const view = packed.view();
      REQUIRE(packed.letters() <= sigma);
      bool is_same = true;
      for (std::size_t p = 0; p < n; ++p) is_same &= view.byte(p) == static_cast<unsigned char>(text[p]);
      INFO(sigma << " bytes, " << n << " letters");
      REQUIRE(is_same);
    }
}

TEST_CASE("keys are the first letters of suffixes", "[suffix]") {
  random_numbers random(11);
  for (std::string const letters : {"A", "AC", "ACGT", "ACGNT", "ACGNRT", "ACGTBDEH", "ACDEFGHIKLMNPQRSTVWY"})
    for (std::size_t const n : {70, 4090, 4096, 4200, 300'000}) {
      std::string text = letters + random_letters(random, letters, n - letters.size());
      for (int k = 0; k < 10; ++k) {
        std::size_t const at = random.below(n), size = std::min(n - at, random.below(200));
        text.replace(at, size, size, letters[random.below(letters.size())]);
      }
      std::vector<std::string> records;
      for (std::size_t at = 0; at < n;) {
        std::size_t const size = std::min(n - at, random.below(random.below(2) == 0 ? 40 : 9000));
        records.push_back(text.substr(at, size));
        at += size;
      }
      for (stored_text const& stored : {stored_text(text), stored_text(records)}) {
        INFO(letters << ", " << n << " letters, " << stored.view().records() << " records");
        host_backend backend;
        packed_text<host_backend> const packed(backend, stored.view());
        expect_keys(stored, packed.view(), random);
        expect_keys(stored, packed.first_view(), random);
        packed_view shorter = packed.view();
        for (shorter.letters = 1; shorter.letters < packed.view().letters; ++shorter.letters) {
          shorter.length_bits = unsigned(std::bit_width(shorter.letters));
          if (!shorter.is_dense || dense::possible(shorter.letters)) expect_keys(stored, shorter, random, 300);
        }
      }
    }
}

TEST_CASE("a key of nucleotides and N holds nearly as many letters as one of nucleotides", "[suffix]") {
  random_numbers random(12);
  host_backend backend;
  stored_text const four(random_letters(random, "ACGT", 100)), five("ACGNT" + random_letters(random, "ACGNT", 100));
  CHECK(packed_text<host_backend>(backend, four.view()).view().letters == 29);
  CHECK(packed_text<host_backend>(backend, five.view()).view().letters == 25);
}
