#include "tests/gpu/emulation/machine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/kernels/divide_keys.cuh"
#include "tests/unit/catch.hpp"

// The division of keys by a digit, in any order within a digit.
namespace {

namespace od = ordo::cuda_detail;

enum class keys { random, equal, ascending, two };

template <class K>
void check(keys what, std::size_t n, std::size_t offset, unsigned shift, unsigned digits, ordo::key_code<K> code = {}) {
  INFO("keys " << int(what) << ", " << n << " of " << 8 * sizeof(K) << " bits, from " << offset << ", by " << digits
               << " digits");
  std::mt19937_64 random(n + digits);
  std::vector<K> given(n);
  for (std::size_t i = 0; i < n; ++i)
    given[i] = what == keys::equal ? K(77) << shift
               : what == keys::two ? K(random() % 2) << shift
                                   : K(random() ^ random() << 32);
  if (what == keys::ascending) std::sort(given.begin(), given.end());
  emulation::machine machine;
  constexpr std::size_t guards = 8;
  auto const from = machine.buffer<K>(n + offset), to = machine.buffer<K>(n + 2 * guards);
  auto const begins = machine.buffer<std::uint64_t>(digits + 1);
  std::copy(given.begin(), given.end(), from.data() + offset);
  std::fill_n(to.data(), n + 2 * guards, K(0xa5));
  od::divide_by_digit(machine, std::span<K const>(from.data() + offset, n), to.data() + guards, code, shift, digits,
                      begins.data());
  auto const digit = [&](K key) { return std::size_t(code.encode(key) >> shift) & (digits - 1); };
  std::vector<std::uint64_t> expected(digits + 1);
  for (K const key : given) ++expected[digit(key) + 1];
  for (std::size_t d = 0; d < digits; ++d) expected[d + 1] += expected[d];
  REQUIRE(std::equal(expected.begin(), expected.end(), begins.data()));
  std::vector<K> divided(to.data() + guards, to.data() + guards + n);
  for (std::size_t d = 0; d < digits; ++d)
    REQUIRE(std::all_of(divided.begin() + std::ptrdiff_t(expected[d]), divided.begin() + std::ptrdiff_t(expected[d + 1]),
                        [&](K key) { return digit(key) == d; }));
  std::sort(divided.begin(), divided.end());
  std::sort(given.begin(), given.end());
  REQUIRE(divided == given);
  for (std::size_t i = 0; i < guards; ++i) REQUIRE((to.data()[i] == K(0xa5) && to.data()[n + guards + i] == K(0xa5)));
}

template <class K>
void check_all() {
  constexpr std::size_t tile = od::partition_tile<K>::tile;
  for (std::size_t const n : {std::size_t{0}, std::size_t{1}, tile - 1, tile, tile + 1, 2 * tile + 77})
    check<K>(keys::random, n, 0, 8 * sizeof(K) - 8, 256);
  check<K>(keys::random, tile + 5, 1, 3, 512);
  check<K>(keys::random, 5000, 0, 8 * sizeof(K) - 1, 2);
  for (keys const what : {keys::equal, keys::ascending, keys::two}) check<K>(what, 2 * tile + 3, 0, 8 * sizeof(K) - 6, 64);
  auto const falling = ordo::radix_key<std::make_signed_t<K>, ordo::sort_order::descending>::code;
  check<K>(keys::random, tile, 0, 8 * sizeof(K) - 6, 64, falling);
}

}  // namespace

TEST_CASE("emulation: 32-bit keys are divided by a digit", "[emulation]") {
  check_all<std::uint32_t>();
}
TEST_CASE("emulation: keys are divided by a digit, 64-bit", "[emulation]") {
  check_all<std::uint64_t>();
}
