#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sort_core/host/backend.hpp"
#include "suffix/arrays/build.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

// Ranks are packed into keys with as many bits as the greatest one needs. An Index of 32 bits is full at 2^32 residues; so this
// runs the same templates with an Index of 16 bits.
using namespace ordo;
using model = std::uint16_t;

namespace {

// `total` is the number of residues and records.
stored_text make_text(std::string const& residues, std::size_t total, std::size_t records) {
  stored_text text(residues.substr(0, total - records));
  for (std::size_t r = 1; r < records; ++r) text.starts.push_back(text.residues.size() * r / records);
  return text;
}

void expect_as_wide(stored_text const& stored) {
  suffix::text const text = stored.view();
  INFO(text.size() << " residues in " << text.records() << " records");
  std::vector<model> sa(text.size()), lcp(text.size());
  std::string bwt(text.size() + text.records(), ' ');
  host_backend backend;
  suffix::detail::build_on(backend, text, suffix::detail::results<model>{{true, true}, {sa, lcp, bwt}, {}}, {});
  suffix::build_options options;
  options.machine.device = device::cpu;
  auto const wide = suffix::build<std::uint64_t>(text, {true, true}, options);
  CHECK(std::equal(sa.begin(), sa.end(), wide.sa.begin(), wide.sa.end()));
  CHECK(std::equal(lcp.begin(), lcp.end(), wide.lcp.begin(), wide.lcp.end()));
  CHECK((bwt == wide.bwt));
}

}  // namespace

TEST_CASE("suffix arrays whose ranks just fill a number of bits", "[suffix]") {
  random_numbers random(1);
  std::string const half = random_letters(random, "ACGT", 1 << 15);
  std::string const equal(1 << 16, 'A'), twice = half + half;
  for (unsigned width = 3; width <= 16; ++width)
    for (std::size_t total = (std::size_t{1} << width) - 2; total <= (std::size_t{1} << width) + 1 && total < 1 << 16; ++total)
      for (std::size_t records : {1, 5})
        for (std::string const& residues : {equal, twice}) expect_as_wide(make_text(residues, total, records));
}

TEST_CASE("the widest ranks that an index takes", "[suffix]") {
  using suffix::detail::rank_key, suffix::detail::rank_width;
  for (std::size_t records : {std::size_t{1}, std::size_t{0x10000000}, std::size_t{0xffffffff}}) {
    std::size_t const n = 0xffffffff - records;
    REQUIRE(suffix::index_fits(4, n, records));
    CHECK(rank_key<std::uint32_t>{nullptr, 0, n, rank_width(n, records)}.bits().end == 64);
  }
  CHECK(rank_width(0, 1) == 0);
  CHECK(rank_width(1, 1) == 1);
  CHECK(rank_width(std::size_t{1} << 40, 1) == 41);
}
