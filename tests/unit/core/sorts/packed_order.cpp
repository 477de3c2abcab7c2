#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ordo/cpu.hpp"
#include "ordo/rows.hpp"
#include "ordo/sort.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/core/sorts/with_vectors.hpp"
#include "tests/unit/mixed.hpp"

// The order of many keys and rows by words of their bits, beside stable sorts by comparisons. Most keys here differ in bits
// that a word has no room for beside a position.
namespace {

template <class Less>
std::vector<std::uint32_t> sorted_positions(std::size_t n, Less less) {
  std::vector<std::uint32_t> index(n);
  std::iota(index.begin(), index.end(), 0U);
  std::stable_sort(index.begin(), index.end(), less);
  return index;
}

/// Returns distributions of keys, with their names.
template <class K>
std::vector<std::pair<std::string, std::function<K(std::uint64_t)>>> patterns() {
  constexpr unsigned width = 8 * sizeof(K);
  return {
      {"random", [](std::uint64_t i) { return K(mixed(i)); }},
      {"low bits alone", [](std::uint64_t i) { return K(mixed(i) % 1000); }},
      {"high bits alone", [](std::uint64_t i) { return K(K(mixed(i) % 1000) << (width - 10)); }},
      {"around zero", [](std::uint64_t i) { return K(K(mixed(i) % 100000) - 50000); }},
      {"two clusters", [](std::uint64_t i) { return K(K(mixed(i) % 2) << (width - 1) | K(mixed(i + 1) % 5000)); }},
      {"one far key", [](std::uint64_t i) { return i == 1000 ? std::numeric_limits<K>::max() : K(mixed(i) % 70000); }},
      {"ends and the middle", [](std::uint64_t i) { return K(K(mixed(i) % 3) * (K(~K{0}) / 2)); }},
      {"groups of four", [](std::uint64_t i) { return K(mixed(i % 17501) << 8 | (mixed(i) & 0xff)); }},
      {"equal", [](std::uint64_t) { return K{7}; }},
      {"ascending", [](std::uint64_t i) { return K(i * 3 / 2); }},
      {"descending", [](std::uint64_t i) { return K(~K(i / 3)); }},
  };
}

template <class K>
void check_keys(std::size_t n, unsigned threads) {
  ordo::cpu cpu({.threads = threads});
  for (auto const& [name, key] : patterns<K>()) {
    INFO(name << ", keys of " << 8 * sizeof(K) << " bits, " << n << " items, " << threads << " threads");
    std::vector<K> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = key(i);
    std::vector<std::uint32_t> index(n);
    std::size_t const memory = ordo::argsort_memory<K, std::uint32_t>(cpu, n);
    static_cast<void>(cpu.peak_memory());
    ordo::argsort(cpu, std::span<K const>(keys), std::span(index));
    CHECK(cpu.peak_memory() <= memory);
    CHECK(index == sorted_positions(n, [&](auto a, auto b) { return keys[a] < keys[b]; }));
  }
}

/// Returns a number of floating point with any sign and exponent, or something that is no usual one.
double some_double(std::uint64_t i) {
  std::uint64_t const x = mixed(i);
  double const sign = x % 2 ? -1 : 1;
  switch (x / 2 % 16) {
    case 0:
      return sign * 0.0;
    case 1:
      return sign * std::numeric_limits<double>::quiet_NaN();
    case 2:
      return sign * std::numeric_limits<double>::infinity();
    case 3:
      return sign * std::numeric_limits<double>::denorm_min() * double(x >> 60);
    default:
      return sign * std::ldexp(1 + double(x >> 12) * 0x1p-52, int(x >> 5 & 3));
  }
}

/// Compares as ordo::nan_order::last does, with equal zeros.
bool is_less(double a, double b) {
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

}  // namespace

TEST_CASE("words of their bits order many keys", "[argsort][packed]") {
  for (unsigned const threads : {1U, 2U}) {
    check_keys<std::uint64_t>(70001, threads);
    check_keys<std::uint32_t>(263000, threads);
  }
  with_vectors const narrow(16);
  check_keys<std::uint64_t>(70001, 1);
}

TEST_CASE("words of their bits order many keys in each direction, with NaNs and zeros", "[argsort][packed]") {
  constexpr std::size_t n = 100001;
  std::vector<double> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = some_double(i);
  ordo::cpu cpu({.threads = 1});
  std::vector<std::uint32_t> index(n);
  ordo::argsort(cpu, std::span<double const>(keys), std::span(index), {}, {ordo::nan_order::last, ordo::zeros::equal});
  CHECK(index == sorted_positions(n, [&](auto a, auto b) { return is_less(keys[a], keys[b]); }));
  std::vector<std::uint64_t> bits(n);
  for (std::size_t i = 0; i < n; ++i) bits[i] = mixed(i) >> 3;
  std::vector<std::uint64_t> wide(n);
  ordo::argsort(cpu, std::span<std::uint64_t const>(bits), std::span(wide), {2, 59});
  auto const middle = [&](std::size_t i) { return bits[i] >> 2 & ((std::uint64_t{1} << 57) - 1); };
  auto const expected = sorted_positions(n, [&](auto a, auto b) { return middle(a) < middle(b); });
  CHECK(std::equal(wide.begin(), wide.end(), expected.begin(), expected.end()));
}

TEST_CASE("words of their bits order rows of many bits", "[rows][packed]") {
  for (std::size_t const vectors : vector_sizes)
    for (std::size_t const n : {2, 513, 3000, 70001}) {
      if (vectors != 64 && n > 3000) continue;
      with_vectors const limited(vectors);
      INFO("vectors of " << vectors << " bytes, " << n << " rows");
      std::vector<std::uint64_t> first(n), third(n);
      std::vector<std::array<unsigned char, 11>> second(n);
      std::vector<std::uint8_t> valid(n / 8 + 2);
      for (std::size_t i = 0; i < n; ++i) {
        first[i] = mixed(i) % 2 * 0x9000000000000000u + mixed(i) % 3;  // few groups, of many rows
        third[i] = mixed(3 * i);
        for (std::size_t k = 0; k < second[i].size(); ++k) second[i][k] = k == 3 || k == 10 ? mixed(11 * i + k) % 7 : 200;
      }
      for (std::size_t i = 0; i < valid.size(); ++i) valid[i] = std::uint8_t(mixed(i) | mixed(i + 1));
      constexpr std::size_t offset = 5;
      auto const is_null = [&](std::size_t i) { return (valid[(offset + i) / 8] >> ((offset + i) % 8) & 1) == 0; };
      std::array const keys{
          ordo::key_column(std::span<std::uint64_t const>(first), {.order = ordo::sort_order::descending}),
          ordo::byte_column(std::as_bytes(std::span(second)), second[0].size(),
                            {.nulls = ordo::row_nulls::first, .validity = valid.data(), .validity_offset = offset}),
          ordo::key_column(std::span<std::uint64_t const>(third))};
      auto const expected = sorted_positions(n, [&](auto a, auto b) {
        if (first[a] != first[b]) return first[a] > first[b];
        if (is_null(a) != is_null(b)) return is_null(a);
        if (!is_null(a) && second[a] != second[b]) return second[a] < second[b];
        return third[a] < third[b];
      });
      for (unsigned const threads : {1U, 2U}) {
        ordo::cpu cpu({.threads = threads});
        std::vector<std::uint32_t> index(n);
        std::size_t const memory = ordo::argsort_rows_memory<std::uint32_t>(cpu, keys, n);
        static_cast<void>(cpu.peak_memory());
        ordo::argsort_rows(cpu, keys, std::span(index));
        CHECK(cpu.peak_memory() <= memory);
        CHECK(index == expected);
      }
    }
}

TEST_CASE("groups of rows that fill a thread are sorted by all, and few different first columns by all bits",
          "[rows][packed]") {
  for (std::size_t const n : {150001, 300001}) {  // above 2^18 rows, a sample decides
    std::vector<std::uint64_t> first(n), second(n);
    std::vector<std::int8_t> third(n);
    for (std::size_t i = 0; i < n; ++i) {
      first[i] = mixed(i) % 2 * 0xfedcba9876543210u + 1;
      second[i] = mixed(i) % 5 == 0 ? 0 : mixed(i + n) % 40000 * 0x123456789abcdu;
      third[i] = std::int8_t(mixed(i + 2 * n));
    }
    std::array const keys{ordo::key_column(std::span<std::uint64_t const>(first)),
                          ordo::key_column(std::span<std::uint64_t const>(second), {.order = ordo::sort_order::descending}),
                          ordo::key_column(std::span<std::int8_t const>(third))};
    auto const expected = sorted_positions(n, [&](auto a, auto b) {
      if (first[a] != first[b]) return first[a] < first[b];
      return second[a] != second[b] ? second[a] > second[b] : third[a] < third[b];
    });
    for (unsigned const threads : {1U, 2U}) {
      INFO(n << " rows, " << threads << " threads");
      ordo::cpu cpu({.threads = threads});
      std::vector<std::uint64_t> index(n);
      ordo::argsort_rows(cpu, keys, std::span(index));
      CHECK(std::equal(index.begin(), index.end(), expected.begin(), expected.end()));
    }
  }
}

TEST_CASE("columns that are null in all rows, or nowhere, do not count", "[rows][packed]") {
  constexpr std::size_t n = 5000;
  std::vector<std::uint64_t> values(n), other(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = mixed(i);
    other[i] = mixed(i) % 900;
  }
  std::vector<std::uint8_t> const none(n / 8 + 1, 0), all(n / 8 + 1, 0xff);
  ordo::cpu cpu;
  auto const index_by = [&](std::uint8_t const* of_values, std::uint8_t const* of_other) {
    std::array const keys{ordo::key_column(std::span<std::uint64_t const>(values), {.validity = of_values}),
                          ordo::key_column(std::span<std::uint64_t const>(other), {.validity = of_other})};
    std::vector<std::uint32_t> index(n);
    ordo::argsort_rows(cpu, keys, std::span(index));
    return index;
  };
  CHECK(index_by(none.data(), none.data()) == sorted_positions(n, [](auto, auto) { return false; }));
  CHECK(index_by(none.data(), all.data()) == sorted_positions(n, [&](auto a, auto b) { return other[a] < other[b]; }));
  CHECK(index_by(all.data(), none.data()) == sorted_positions(n, [&](auto a, auto b) { return values[a] < values[b]; }));
}
