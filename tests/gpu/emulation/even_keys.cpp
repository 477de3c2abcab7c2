#include "tests/gpu/emulation/machine.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/kernels/even_keys.cuh"
#include "tests/unit/catch.hpp"

// The sort of evenly distributed keys: results, and what is left of keys that are not even.
namespace {

namespace od = ordo::cuda_detail;

enum class keys { uniform, range, repeated, ascending, descending, floats, half, crowded, clusters };

template <class K>
using real_of = std::conditional_t<sizeof(K) == 4, float, double>;

template <class K>
std::vector<K> make_keys(keys what, std::size_t n, std::mt19937_64& random) {
  std::vector<K> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const x = random(), upper = x << 32 | x >> 32;
    all[i] = what == keys::range      ? K(1000 + x % 1'000'000'007)
             : what == keys::repeated ? K(x % 300 << (8 * sizeof(K) - 12))
             : what == keys::floats   ? std::bit_cast<K>(real_of<K>(double(x >> 11) * 0x1p-50 - 4))
             : what == keys::half     ? K(K(upper) >> 1)                              // the first partition overflows
             : what == keys::crowded  ? K(K(upper) & ~(K{1} << (8 * sizeof(K) - 3)))  // the second one does
             : what == keys::clusters ? K(K(upper) & ~(~K{0} >> 9)) + K(x % 50)       // many keys a bucket
                                      : K(upper);
  }
  if (what == keys::ascending) std::sort(all.begin(), all.end());
  if (what == keys::descending) std::sort(all.rbegin(), all.rend());
  return all;
}

template <class K>
void check(keys what, std::size_t n, bool in_place, bool descending = false) {
  INFO("keys " << int(what) << ", " << n << " of " << 8 * sizeof(K) << " bits, in place " << in_place);
  std::mt19937_64 random(n);
  std::vector<K> given = make_keys<K>(what, n, random);
  bool const floats = what == keys::floats;
  ordo::key_code<K> code;
  if (floats) code = ordo::radix_key<real_of<K>>::code;
  if (descending) code.flip = K(~code.flip);

  emulation::machine machine;
  auto const from = machine.buffer<K>(n), to = machine.buffer<K>(n);
  std::copy(given.begin(), given.end(), (in_place ? to : from).data());
  std::vector<K> expected = given;
  auto const precedes = [&](K a, K b) { return code.encode(a) < code.encode(b); };
  std::sort(expected.begin(), expected.end(), precedes);
  K const low = code.encode(expected.front()), high = code.encode(expected.back());
  using numbers = od::even_numbers<K>;
  auto const map = floats                                          ? numbers::of_values(low, high, code)
                   : what == keys::range || what == keys::repeated ? numbers::of_codes(low, high)
                                                                   : numbers::of_codes(0, K(~K{0}));
  bool const is_even = what != keys::half && what != keys::crowded;
  std::size_t const before = machine.taken;
  REQUIRE(od::sort_as_even_keys(machine, (in_place ? to : from).data(), to.data(), n, map, code) == is_even);
  REQUIRE(machine.taken - before == od::even_bytes<K>(n));
  if (!is_even && !in_place) {
    REQUIRE(std::equal(given.begin(), given.end(), from.data()));
    return;
  }
  if (!is_even) std::sort(to.data(), to.data() + n, precedes);
  REQUIRE(std::equal(expected.begin(), expected.end(), to.data()));
}

template <class K>
void check_all() {
  for (bool const in_place : {false, true}) {
    for (keys const what :
         {keys::uniform, keys::range, keys::repeated, keys::floats, keys::clusters, keys::half, keys::crowded})
      check<K>(what, 30'000, in_place);
    check<K>(keys::ascending, 4097, in_place);
    check<K>(keys::descending, 2 * od::even_sizes<K>::tile + 1, in_place);
  }
  check<K>(keys::uniform, 70'001, true, true);
  check<K>(keys::floats, 20'000, true, true);
}

}  // namespace

TEST_CASE("emulation: even 32-bit keys are sorted by two partitions and in blocks", "[emulation]") {
  check_all<std::uint32_t>();
}
TEST_CASE("emulation: even keys are sorted by two partitions and in blocks, 64-bit", "[emulation]") {
  check_all<std::uint64_t>();
}

TEST_CASE("emulation: even numbers are in the order of codes", "[emulation]") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::uint64_t const a = random() >> random() % 64, b = random() >> random() % 64;
    std::uint64_t const low = std::min(a, b), high = std::max(a, b);
    auto const wide = od::even_numbers<std::uint64_t>::of_codes(low, high);
    auto const narrow = od::even_numbers<std::uint32_t>::of_codes(std::uint32_t(low), std::uint32_t(std::max(low, high)));
    std::vector<std::uint64_t> codes{low, high};
    while (codes.size() < 100)
      codes.push_back(high == ~std::uint64_t{0} && low == 0 ? random() : low + random() % (high - low + 1));
    std::sort(codes.begin(), codes.end());
    for (std::size_t i = 1; i < codes.size(); ++i) REQUIRE(wide(codes[i - 1], {}) <= wide(codes[i], {}));
    REQUIRE(wide(low, {}) == 0);
    if (high - low > 1000) REQUIRE(wide(high, {}) > 0xffc00000);
    if (low <= high && high < std::uint64_t{1} << 32) {
      for (std::size_t i = 1; i < codes.size(); ++i)
        REQUIRE(narrow(std::uint32_t(codes[i - 1]), {}) <= narrow(std::uint32_t(codes[i]), {}));
    }
    auto const code = ordo::radix_key<double>::code;
    auto const value = [&] {
      return code.encode(std::bit_cast<std::uint64_t>(std::ldexp(double(std::int64_t(random())), -40)));
    };
    std::uint64_t const x = value(), y = value();
    auto const by_value = od::even_numbers<std::uint64_t>::of_values(std::min(x, y), std::max(x, y), code);
    REQUIRE(by_value.scale != 0);
    for (int i = 0; i < 100; ++i) {
      std::uint64_t const v = value(), w = value();
      REQUIRE(by_value(std::min(v, w), code) <= by_value(std::max(v, w), code));
    }
  }
  auto const code = ordo::radix_key<float>::code;
  auto const infinite = code.encode(0x7f800000), one = code.encode(0x3f800000);
  REQUIRE(od::even_numbers<std::uint32_t>::of_values(one, infinite, code).scale == 0);
  REQUIRE(od::even_numbers<std::uint32_t>::of_values(one, one, code).scale == 0);
}
