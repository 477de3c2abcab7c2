#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "sort_core/error.hpp"
#include "sort_core/host/host.hpp"
#include "sort_core/machine.hpp"
#include "sort_core/memory.hpp"
#include "sort_core/radix_key.hpp"
#include "tests/catch.hpp"
#include "tests/inputs.hpp"

// What needs no machine: key encodings, memory, and the choice of a machine.
namespace {

template <class K>
void encoding_is_invertible_and_ordered() {
  using up = ordo::radix_key<K>;
  using down = ordo::radix_key<K, ordo::order::descending>;
  for (auto const& [name, keys] : inputs<K>(500)) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      K const a = keys[i], b = keys[(i * 7 + 1) % keys.size()];
      if (a < b) {
        CHECK(up::encode(a) < up::encode(b));
        CHECK(down::encode(a) > down::encode(b));
      }
      K const back = up::decode(up::encode(a)), back_down = down::decode(down::encode(a));
      CHECK(std::memcmp(&a, &back, sizeof(K)) == 0);
      CHECK(std::memcmp(&a, &back_down, sizeof(K)) == 0);
    }
  }
}

}  // namespace

TEST_CASE("key encodings are invertible and keep the order", "[radix_key]") {
  encoding_is_invertible_and_ordered<std::uint8_t>();
  encoding_is_invertible_and_ordered<std::int8_t>();
  encoding_is_invertible_and_ordered<std::uint16_t>();
  encoding_is_invertible_and_ordered<std::int16_t>();
  encoding_is_invertible_and_ordered<std::uint32_t>();
  encoding_is_invertible_and_ordered<std::int32_t>();
  encoding_is_invertible_and_ordered<std::uint64_t>();
  encoding_is_invertible_and_ordered<std::int64_t>();
  encoding_is_invertible_and_ordered<float>();
  encoding_is_invertible_and_ordered<double>();
}

TEST_CASE("floats encode as IEEE 754 totalOrder", "[radix_key]") {
  auto const inf = std::numeric_limits<double>::infinity();
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  double const ascending[] = {std::copysign(nan, -1.0), -inf, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, inf, nan};
  for (std::size_t i = 1; i < std::size(ascending); ++i)
    CHECK(ordo::radix_key<double>::encode(ascending[i - 1]) < ordo::radix_key<double>::encode(ascending[i]));
}

TEST_CASE("a pool reuses what it was given back", "[memory]") {
  ordo::host_memory plain;
  ordo::failing_memory counting(plain, ~std::size_t{0});
  ordo::pool pool(counting);
  for (int round = 0; round < 100; ++round) {
    ordo::buffer<std::uint32_t> a(pool, 100000), b(pool, 5000), c(pool, 0);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 256 == 0);
  }
  CHECK(counting.calls() <= 3);
  CHECK(pool.in_use() == 0);
  CHECK(pool.peak() >= 420000);
}

TEST_CASE("a pool gives its blocks back before it fails", "[memory]") {
  ordo::host_memory plain;
  ordo::limiting_memory limited(plain, 1 << 20);
  ordo::pool pool(limited);
  { ordo::buffer<char> first(pool, 700000); }
  { ordo::buffer<char> second(pool, 100000); }  // too small for the kept block
  CHECK_NOTHROW(ordo::buffer<char>(pool, 900000));
  CHECK_THROWS_AS(ordo::buffer<char>(pool, 2 << 20), ordo::out_of_memory);
  CHECK_THROWS_AS(ordo::buffer<std::uint64_t>(pool, ~std::size_t{0} / 2), ordo::out_of_memory);
}

TEST_CASE("a sort that runs out of memory leaks none", "[memory]") {
  ordo::host_memory plain;
  random_numbers random(1);
  std::vector<std::uint64_t> const input = inputs<std::uint64_t>(100000).front().second;
  bool finished = false;
  for (std::size_t nth = 0; nth < 50 && !finished; ++nth) {
    ordo::failing_memory failing(plain, nth);
    ordo::host machine(0, failing);
    auto keys = input;
    std::vector<std::uint32_t> values(keys.size());
    try {
      machine.radix_sort(std::span(keys), std::span(values));
      finished = true;
      CHECK(std::is_sorted(keys.begin(), keys.end()));
    } catch (ordo::out_of_memory const& e) {
      CHECK(e.bytes() > 0);
    }
    CHECK(machine.pool().in_use() == 0);
  }
  CHECK(finished);
}

TEST_CASE("sizes are parsed or refused", "[machine]") {
  CHECK(ordo::parse_bytes("0") == 0);
  CHECK(ordo::parse_bytes("123") == 123);
  CHECK(ordo::parse_bytes("64M") == std::size_t{64} << 20);
  CHECK(ordo::parse_bytes("2T") == std::size_t{2} << 40);
  for (char const* bad : {"", "M", "12X", "-1", "1.5G", "99999999999999999999", "99999999999T"})
    CHECK_THROWS_AS(ordo::parse_bytes(bad), ordo::usage_error);
}

TEST_CASE("the machine is chosen by what is asked and what is there", "[machine]") {
  char const* const wish = std::getenv("ORDO_DEVICE");
  std::string const before = wish ? wish : "";
  unsetenv("ORDO_DEVICE");
  bool const gpu = !ordo::gpus().empty();
  CHECK(ordo::choose(ordo::device::cpu, 1u << 30, 0, 0).where == ordo::device::cpu);
  CHECK(ordo::choose(ordo::device::automatic, 10, 10, 100).where == ordo::device::cpu);
  CHECK(ordo::choose(ordo::device::automatic, 100, 10, 100).where == (gpu ? ordo::device::gpu : ordo::device::cpu));
  auto const vast = ordo::choose(ordo::device::automatic, 100, std::size_t{1} << 60, 0);
  CHECK(vast.where == ordo::device::cpu);
  CHECK(vast.fell_back == gpu);
  if (gpu) {
    CHECK(ordo::choose(ordo::device::gpu, 0, 10, 100).where == ordo::device::gpu);
    CHECK_THROWS_AS(ordo::choose(ordo::device::gpu, 0, std::size_t{1} << 60, 0), ordo::out_of_memory);
  } else {
    CHECK_THROWS_AS(ordo::choose(ordo::device::gpu, 0, 0, 0), ordo::usage_error);
  }
  setenv("ORDO_DEVICE", "cpu", 1);
  CHECK(ordo::choose(ordo::device::automatic, 100, 10, 0).where == ordo::device::cpu);
  setenv("ORDO_DEVICE", "sideways", 1);
  CHECK_THROWS_AS(ordo::choose(ordo::device::automatic, 100, 10, 0), ordo::usage_error);
  if (wish)
    setenv("ORDO_DEVICE", before.c_str(), 1);
  else
    unsetenv("ORDO_DEVICE");
}
