#include "tests/gpu/emulation/machine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/kernels/even_keys.cuh"
#include "tests/unit/catch.hpp"

// The sort of evenly distributed keys: results, and what is left of keys that are not even.
namespace {

namespace od = ordo::cuda_detail;

enum class keys { uniform, range, repeated, ascending, descending, floats, half, crowded, clusters, bell, bell_floats, lumps };

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
             : what == keys::bell     ? K(double(x % 65536 + (x >> 16) % 65536 + (x >> 32) % 65536) * 1e4 + double(x >> 51))
             : what == keys::bell_floats
                 ? std::bit_cast<K>(
                       real_of<K>(double(x % 65536 + (x >> 16) % 65536 + (x >> 32) % 65536) + double(x >> 48) * 0x1p-16))
             : what == keys::lumps    ? K(x % 40 * 50'000'000 + (x >> 32) % 1000)     // not smooth
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
  bool const floats = what == keys::floats || what == keys::bell_floats;
  bool const curved = what == keys::bell || what == keys::bell_floats || what == keys::lumps;
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
  auto const map = floats                                                    ? numbers::of_values(low, high, code)
                   : what == keys::range || what == keys::repeated || curved ? numbers::of_codes(low, high)
                                                                             : numbers::of_codes(0, K(~K{0}));
  bool const is_even = what != keys::half && what != keys::crowded && what != keys::lumps;
  std::size_t const before = machine.taken;
  REQUIRE(od::sort_as_even_keys(machine, (in_place ? to : from).data(), to.data(), n, map, code, curved) == is_even);
  REQUIRE(machine.taken - before == od::even_plan<K>(n, curved).bytes());
  REQUIRE(machine.taken - before <= od::even_bytes<K>(n));
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
    for (keys const what : {keys::bell, keys::bell_floats, keys::lumps}) check<K>(what, 33'000, in_place);
    check<K>(keys::ascending, 4481, in_place);
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
  auto const encoded = [&](float value) { return code.encode(std::bit_cast<std::uint32_t>(value)); };
  auto const floats = od::even_numbers<std::uint32_t>::of_values(encoded(-3), encoded(5), code);
  for (int i = 0; i < 10000; ++i) {
    float const x = float(double(random()) * 0x1p-61 - 3);
    std::uint32_t const low = encoded(x), high = encoded(std::nextafter(x, 5.0f));
    REQUIRE(floats.number<true, false>(low, code) <= floats.number<true, false>(high, code));
    // The numbers of two floats differ if the floats do by more than a 2^32nd of the range.
    if (std::abs(x) > 0.125) REQUIRE(floats.number<true, true>(low, code) < floats.number<true, true>(high, code));
    REQUIRE(floats.number<true, true>(low, code) <= floats.number<true, true>(high, code));
  }
  auto const infinite = code.encode(0x7f800000), one = code.encode(0x3f800000);
  REQUIRE(od::even_numbers<std::uint32_t>::of_values(one, infinite, code).scale == 0);
  REQUIRE(od::even_numbers<std::uint32_t>::of_values(one, one, code).scale == 0);
}

namespace {

/// Chooses numbers by a sample of 1024 of n keys, and sorts them by these.
/// @returns "", "range" or "value" by the map, with "curve by " before it if there is one, "uneven" or "overflow"
template <class K, class Key>
std::string choose(ordo::key_code<K> code, Key key, std::size_t n = 40'000) {
  std::vector<K> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = key(i);
  std::vector<std::uint64_t> sample;
  for (std::size_t i = 0; i < 1024; ++i) sample.push_back(code.encode(all[i * (n / 1024)]));
  std::sort(sample.begin(), sample.end());
  auto const choice = od::choose_numbers<K>(sample, code, od::even_plan<K>(n).part_bits(), [&] {
    od::code_range<K> range{K(~K{0}), 0};
    for (K const x : all) range = {std::min(range.low, code.encode(x)), std::max(range.high, code.encode(x))};
    return range;
  });
  if (!choice) return "uneven";
  emulation::machine machine;
  auto const keys = machine.buffer<K>(n);
  std::copy(all.begin(), all.end(), keys.data());
  auto const precedes = [&](K a, K b) { return code.encode(a) < code.encode(b); };
  std::sort(all.begin(), all.end(), precedes);
  if (!od::sort_as_even_keys(machine, keys.data(), keys.data(), n, choice->numbers, code, choice->curved)) return "overflow";
  REQUIRE(std::equal(all.begin(), all.end(), keys.data()));
  auto const& numbers = choice->numbers;
  return std::string(choice->curved ? "curve by " : "") + (numbers.by_value()                    ? "value"
                                                           : numbers.low != 0 || numbers.up != 0 ? "range"
                                                                                                 : "");
}

template <class K>
void check_choices() {
  using real = real_of<K>;
  std::mt19937_64 random(17);
  auto const values = ordo::radix_key<real>::code, falling = ordo::radix_key<real, ordo::sort_order::descending>::code;
  using whole = std::conditional_t<sizeof(K) == 4, std::int32_t, std::int64_t>;
  auto const uniform = [&] { return double(random() >> 11) * 0x1p-53; };
  auto const of = [](double x) { return std::bit_cast<K>(real(x)); };
  auto const any = [&](auto) { return K(random()); };
  CHECK(choose<K>({}, any) == "");
  CHECK(choose<K>(ordo::radix_key<whole>::code, any) == "");
  CHECK(choose<K>(ordo::radix_key<whole>::code, [&](auto) { return K(whole(random() % 3'000'001) - 1'000'000); }) == "range");
  CHECK(choose<K>({}, [&](auto) { return K(77 + random() % 1'000'000); }) == "range");
  CHECK(choose<K>(values, [&](auto) { return of(uniform()); }) == "value");
  CHECK(choose<K>(falling, [&](auto) { return of(1e6 * uniform() - 3e5); }) == "value");
  // A NaN, or an infinity, is beyond all ranges; so is an outlier.
  CHECK(choose<K>(values, [&](std::size_t i) { return of(i == 777 ? NAN : uniform()); }) == "uneven");
  CHECK(choose<K>(values, [&](std::size_t i) { return of(i == 777 ? -INFINITY : uniform()); }) == "uneven");
  CHECK(choose<K>(values, [&](std::size_t i) { return of(i == 777 ? 1e9 : uniform()); }) == "uneven");
  CHECK(choose<K>({}, [&](std::size_t i) { return i == 777 ? K(~K{0}) : K(random() % 1'000'000); }) == "uneven");
  CHECK(choose<K>(values, any) == "uneven");
  CHECK(choose<K>({}, [&](auto) { return K(random() & random()); }) == "uneven");
  // Crowded parts, from one end of all codes to the other.
  auto const crowded = [&] { return K(K(K(random()) & ~(~K{0} >> 4)) | random() % 8); };
  CHECK(choose<K>({}, [&](std::size_t i) { return i == 0 ? K(~K{0}) : i == 999 ? K{0} : crowded(); }) == "uneven");
  CHECK(choose<K>({}, [](auto) { return K(5); }) == "uneven");
  CHECK(choose<K>(
            values, [&](auto) { return of(uniform() + uniform() + uniform()); }, 33'000) == "curve by value");
  CHECK(choose<K>(
            {}, [&](auto) { return K((uniform() + uniform() + uniform()) * 1e9); }, 33'000) == "curve by range");
  CHECK(choose<K>(
            values, [&](auto) { return of(std::exp(8 * uniform())); }, 33'000) == "uneven");
}

}  // namespace

TEST_CASE("emulation: numbers are chosen of which a sample is even", "[emulation]") {
  check_choices<std::uint32_t>();
  check_choices<std::uint64_t>();
}
