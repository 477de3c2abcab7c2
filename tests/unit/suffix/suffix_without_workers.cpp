#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/cpu_backend.hpp"
#include "suffix/sort/build.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"

using namespace ordo;

// The algorithm of backends without workers, which GPUs take, on a CPU.
namespace {

struct without_workers : host_backend {
  std::size_t worker_share(std::size_t) const = delete;
};
static_assert(Backend<without_workers> && !has_workers<without_workers>);

template <class Residue>
void expect(std::vector<std::vector<Residue>> const& records) {
  std::vector<Residue> all;
  std::vector<std::uint64_t> starts;
  for (auto const& record : records) {
    starts.push_back(all.size());
    all.insert(all.end(), record.begin(), record.end());
  }
  std::size_t const n = all.size();
  suffix::text input;
  if constexpr (sizeof(Residue) == 1)
    input = {std::string_view(reinterpret_cast<char const*>(all.data()), n), starts};
  else
    input = suffix::text_of(std::span<Residue const>(all), starts);
  auto const suffix_at = [&](std::size_t p) {
    return std::span<Residue const>(all).subspan(p, input.end_of(input.record_of(p)) - p);
  };
  std::vector<std::uint32_t> expected(n), lcp(n);
  for (std::size_t p = 0; p < n; ++p) expected[p] = std::uint32_t(p);
  std::ranges::stable_sort(expected, [&](std::size_t p, std::size_t q) {
    return std::ranges::lexicographical_compare(suffix_at(p), suffix_at(q));
  });
  for (std::size_t i = 1; i < n; ++i) {
    auto const a = suffix_at(expected[i - 1]), b = suffix_at(expected[i]);
    lcp[i] = std::uint32_t(std::ranges::mismatch(a, b).in1 - a.begin());
  }

  auto const needed = suffix::detail::rows_memory<std::uint32_t, without_workers>(n, records.size(), {.lcp = true}, true, 1,
                                                                                  sizeof(Residue));
  for (std::size_t const memory : {needed.max_bytes, needed.min_bytes}) {  // at once, and by ranges where that takes less
    INFO(n << " residues of " << sizeof(Residue) << " bytes in " << records.size() << " records, " << memory << " bytes");
    without_workers backend;
    pool::limit const limited(backend.pool(), memory);
    std::vector<std::uint32_t> sa(n), found(n);
    suffix::detail::results<std::uint32_t> const to{{.lcp = true}, {sa, found, {}}, {}};
    suffix::detail::build_on(backend, input, to, suffix::build_options{});
    REQUIRE((sa == expected));
    REQUIRE((found == lcp));
  }
}

template <class Residue>
std::vector<Residue> drawn(random_numbers& random, std::uint64_t first, std::uint64_t different, std::size_t n) {
  std::vector<Residue> all(n);
  for (Residue& x : all) x = Residue(first + random.below(different));
  return all;
}

template <class Residue>
void expect_all() {
  random_numbers random(sizeof(Residue));
  std::uint64_t const max = std::numeric_limits<Residue>::max();
  for (std::uint64_t const different : std::vector<std::uint64_t>{1, 2, 4, 5, 200, std::min<std::uint64_t>(max, 50257), max})
    for (std::size_t const n : {0, 1, 2, 63, 64, 65, 3000})
      expect<Residue>({drawn<Residue>(random, max - different, different, n)});
  for (int times = 0; times < 10; ++times) {
    std::vector<std::vector<Residue>> records;
    for (std::size_t r = 0, count = 1 + random.below(20); r < count; ++r)
      records.push_back(r != 0 && random.below(3) == 0 ? records[random.below(r)]
                                                       : drawn<Residue>(random, random.below(100), 3, random.below(120)));
    expect<Residue>(records);
  }
  std::vector<Residue> const once = drawn<Residue>(random, 0, 200, 1500);
  std::vector<Residue> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  expect<Residue>({twice, twice});
}

}  // namespace

TEST_CASE("suffix arrays without workers", "[suffix][tokens]") {
  expect_all<unsigned char>();
  expect_all<std::uint16_t>();
  expect_all<std::uint32_t>();
}
