#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/unit/mixed.hpp"

/// A small counter-based generator of the same numbers everywhere (Steele, Lea and Flood's SplitMix64).
struct random_numbers {
  std::uint64_t state;
  explicit random_numbers(std::uint64_t seed) : state(seed) {}
  std::uint64_t operator()() {
    std::uint64_t const before = state;
    state += 0x9e3779b97f4a7c15u;
    return mixed(before);
  }
  std::size_t below(std::size_t n) { return std::size_t((*this)() % n); }
};

/// Returns a K of any bit pattern. Floats include NaNs, infinities and both zeros.
template <class K>
K key_of_bits(std::uint64_t bits) {
  K key;
  std::memcpy(&key, &bits, sizeof(K));
  return key;
}

/// Returns inputs of the shapes that every sort is tested on.
template <class K>
std::vector<std::pair<std::string, std::vector<K>>> inputs(std::size_t n) {
  random_numbers random(n * 2654435761u + sizeof(K));
  auto const make = [&](auto f) {
    std::vector<K> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = f(i);
    return v;
  };
  std::vector<std::pair<std::string, std::vector<K>>> all;
  all.emplace_back("random bits", make([&](std::size_t) { return key_of_bits<K>(random()); }));
  all.emplace_back("ascending", make([&](std::size_t i) { return K(i % 100); }));
  std::sort(all.back().second.begin(), all.back().second.end());
  all.emplace_back("descending", std::vector<K>(all.back().second.rbegin(), all.back().second.rend()));
  all.emplace_back("all equal", make([&](std::size_t) { return K(7); }));
  all.emplace_back("greatest bits", make([&](std::size_t) { return key_of_bits<K>(~std::uint64_t{0}); }));
  all.emplace_back("two values", make([&](std::size_t) { return K(random() & 1); }));
  all.emplace_back("few low values", make([&](std::size_t) { return K(random() % 13); }));
  all.emplace_back("constant top", make([&](std::size_t) { return key_of_bits<K>(0x3c3c3c3c3c3c3c00u | (random() & 0xff)); }));
  all.emplace_back("one stranger", make([&](std::size_t i) { return i == n / 2 ? K(1) : K(100); }));
  return all;
}

/// Returns these inputs and others that break methods that use the range of the keys, or pad with the greatest key.
template <class K>
std::vector<std::pair<std::string, std::vector<K>>> all_inputs(std::size_t n) {
  auto all = inputs<K>(n);
  random_numbers random(n * 40503u + sizeof(K));
  auto const make = [&](auto f) {
    std::vector<K> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = f(i);
    return v;
  };
  constexpr unsigned half = 4 * sizeof(K);  // bits
  std::uint64_t const low_half = (std::uint64_t{1} << half) - 1;
  all.emplace_back("shared top half", make([&](std::size_t) {
                     return key_of_bits<K>(std::uint64_t{0x3f9d3f9d3f9d3f9d} << half | (random() & low_half));
                   }));
  all.emplace_back("clustered", make([&](std::size_t) {
                     return random() % 200 == 0 ? key_of_bits<K>(random()) : K(1000 + random() % 100);
                   }));
  all.emplace_back("greatest among others", make([&](std::size_t) {
                     std::uint64_t const x = random();
                     return x % 3 == 0   ? key_of_bits<K>(x)
                            : x % 3 == 1 ? std::numeric_limits<K>::max()
                                         : key_of_bits<K>(~std::uint64_t{0} >> (x & 64 ? 64 - 2 * half + 1 : 0));
                   }));
  all.emplace_back("few at the top, few at the bottom", make([&](std::size_t) {
                     std::uint64_t const x = random();
                     return key_of_bits<K>((x & 3) << (2 * half - 6) | (x >> 8 & 0xff));
                   }));
  K const special[] = {K(0),
                       K(-0.0),
                       K(1),
                       std::numeric_limits<K>::lowest(),
                       std::numeric_limits<K>::infinity(),
                       std::numeric_limits<K>::quiet_NaN(),
                       key_of_bits<K>(std::uint64_t{1} << (2 * half - 1)),
                       key_of_bits<K>(~std::uint64_t{0})};
  all.emplace_back("zeros, infinities, NaNs", make([&](std::size_t) { return special[random() % 8]; }));
  if constexpr (std::is_floating_point_v<K>) {
    auto const even = [&] { return K(double(std::int64_t(random())) * 0x1p-63); };
    all.emplace_back("even values of both signs", make([&](std::size_t) { return even(); }));
    all.emplace_back("even values, and some next to nothing",
                     make([&](std::size_t) { return random() % 53 == 0 ? even() * K(1e-30) : even(); }));
    all.emplace_back("values of all magnitudes", make([&](std::size_t) { return K(std::exp2(24 * double(even()))); }));
    all.emplace_back("values of both signs, and one that is infinite",
                     make([&](std::size_t i) { return i == n / 3 ? std::numeric_limits<K>::infinity() : even(); }));
  }
  return all;
}

/// Returns sizes around the bounds inside the sorts: networks, insertion, batches, tiles, and the parallel threshold.
inline std::vector<std::size_t> sizes() {
  return {0,    1,    2,    3,    7,    8,    9,    23,    24,    25,    31,    32,    33,   63,
          64,   65,   111,  112,  113,  127,  128,  129,   255,   256,   257,   1000,  1023, 1024,
          1025, 4863, 4864, 4865, 8191, 8192, 8193, 16384, 65535, 65536, 65537, 100003};
}
