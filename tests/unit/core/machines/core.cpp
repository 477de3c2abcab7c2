#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/parse_bytes.hpp"
#include "base/streaming_copy.hpp"
#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "ordo/memory.hpp"
#include "ordo/radix_key.hpp"
#include "sort_core/host/backend.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/core/machines/failing_memory.hpp"
#include "tests/unit/inputs.hpp"

// Tests without a machine: key encodings, memory, and the choice of a machine.
namespace {

template <class K>
void encoding_is_invertible_and_ordered() {
  using up = ordo::radix_key<K>;
  using down = ordo::radix_key<K, ordo::sort_order::descending>;
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

/// Returns the code of a key, computed again from the definition: flips the top bit of signed and floating-point keys, the
/// other bits of negative floats, and all bits for descending order.
template <class K>
std::uint64_t defined_code(K key, ordo::sort_order order) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &key, sizeof(K));
  std::uint64_t const top = std::uint64_t{1} << (8 * sizeof(K) - 1), all = top | (top - 1);
  if (!std::is_unsigned_v<K>) bits = std::is_floating_point_v<K> && (bits & top) ? bits ^ all : bits ^ top;
  return order == ordo::sort_order::descending ? bits ^ all : bits;
}

template <class... K>
void codes_are_the_encodings() {
  auto const one = [&]<class T, ordo::sort_order Order>(T, std::integral_constant<ordo::sort_order, Order>) {
    using key = ordo::radix_key<T, Order>;
    bool encodes = true, decodes = true, ordered = true;
    for (auto const& [name, keys] : all_inputs<T>(500)) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        T const a = keys[i], b = keys[(i * 7 + 1) % keys.size()];
        typename key::type bits;
        std::memcpy(&bits, &a, sizeof(T));
        auto const code = key::code.encode(bits);
        encodes = encodes && code == key::encode(a) && code == defined_code(a, Order);
        decodes = decodes && key::code.decode(code) == bits;
        ordered =
            ordered && (!(a < b) || (Order == ordo::sort_order::ascending ? code < key::encode(b) : code > key::encode(b)));
      }
    }
    INFO("keys of " << sizeof(T) << " bytes");
    CHECK(encodes);
    CHECK(decodes);
    CHECK(ordered);
  };
  (one(K{}, std::integral_constant<ordo::sort_order, ordo::sort_order::ascending>{}), ...);
  (one(K{}, std::integral_constant<ordo::sort_order, ordo::sort_order::descending>{}), ...);
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

TEST_CASE("key codes as values are the encodings", "[radix_key]") {
  codes_are_the_encodings<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t,
                          std::int64_t, float, double>();
  CHECK(ordo::key_code<std::uint32_t>{}.identity());
  CHECK(ordo::radix_key<std::uint64_t>::code.identity());
  CHECK(!ordo::radix_key<std::int32_t>::code.identity());
  CHECK(!ordo::radix_key<float, ordo::sort_order::descending>::code.identity());
  CHECK(!ordo::key_code<std::uint32_t>{0, 0, 1}.identity());
}

TEST_CASE("floats encode as IEEE 754 totalOrder", "[radix_key]") {
  auto const inf = std::numeric_limits<double>::infinity();
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  double const ascending[] = {std::copysign(nan, -1.0), -inf, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, inf, nan};
  for (std::size_t i = 1; i < std::size(ascending); ++i)
    CHECK(ordo::radix_key<double>::encode(ascending[i - 1]) < ordo::radix_key<double>::encode(ascending[i]));
}

TEST_CASE("a streaming copy copies its range and nothing else", "[core]") {
  std::vector<char> from(1000), to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 7 + i / 256 + 1);
  for (std::size_t const size : {0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 300, 500})
    for (std::size_t const at : {0, 1, 7, 16, 33, 63, 64, 100})
      for (std::size_t const out : {0, 1, 8, 15, 31, 63, 64, 129}) {
        std::ranges::fill(to, '\x55');
        ordo::host_detail::copy_streaming(to.data() + out, from.data() + at, size);
        std::vector<char> right(to.size(), '\x55');
        std::copy_n(from.begin() + std::ptrdiff_t(at), size, right.begin() + std::ptrdiff_t(out));
        REQUIRE(to == right);
      }
}

TEST_CASE("a pool reuses freed blocks", "[memory]") {
  ordo::host_memory plain;
  failing_memory counting(plain, ~std::size_t{0});
  ordo::pool pool(counting);
  for (int round = 0; round < 100; ++round) {
    ordo::buffer<std::uint32_t> a(pool, 100000), b(pool, 5000), c(pool, 0);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 256 == 0);
  }
  CHECK(counting.calls() <= 3);
  CHECK(pool.in_use() == 0);
  CHECK(pool.peak() >= 420000);
}

TEST_CASE("a pool frees its blocks before it fails", "[memory]") {
  ordo::host_memory plain;
  ordo::limited_memory limited(plain, 1 << 20);
  ordo::pool pool(limited);
  { ordo::buffer<char> first(pool, 700000); }
  { ordo::buffer<char> second(pool, 100000); }  // too small for the cached block
  CHECK_NOTHROW(ordo::buffer<char>(pool, 900000));
  CHECK_THROWS_AS(ordo::buffer<char>(pool, 2 << 20), ordo::out_of_memory);
  CHECK_THROWS_AS(ordo::buffer<std::uint64_t>(pool, ~std::size_t{0} / 2), ordo::out_of_memory);
}

TEST_CASE("a pool that has no memory left frees no more blocks than it must", "[memory]") {
  using ordo::pool;
  ordo::host_memory plain;
  std::size_t const large = pool::rounded(500000), middle = pool::rounded(250000), small = pool::rounded(125000);
  ordo::limited_memory limited(plain, large + middle + small);
  pool of(limited);
  { ordo::buffer<char> const a(of, large), b(of, middle), c(of, small); }
  { ordo::buffer<char> const next(of, 200000); }  // in the place of the middle one
  CHECK(limited.available() == middle - pool::rounded(200000));
  { ordo::buffer<char> const next(of, 600000); }  // in the place of both larger ones
  CHECK(limited.available() == large + middle - pool::rounded(600000));
  ordo::limited_memory other(plain, large + 3 * small);
  pool of_small(other);
  { ordo::buffer<char> const a(of_small, large), b(of_small, small), c(of_small, small), d(of_small, small); }
  { ordo::buffer<char> const next(of_small, 2 * small); }  // in the place of two small ones
  CHECK(other.available() == 0);
  { ordo::buffer<char> const next(of_small, large); }  // which is still there
  CHECK(other.available() == 0);
}

TEST_CASE("a block larger than the address space is refused", "[memory]") {
  ordo::host_memory plain;
  CHECK_THROWS_MATCHES(plain.allocate(~std::size_t{0}), ordo::out_of_memory,
                       Catch::Matchers::Message("out of memory: host: 18446744073709551615 bytes requested"));
}

TEST_CASE("a pool allocates no more than the rounded requests", "[memory]") {
  ordo::host_memory plain;
  std::size_t const first = ordo::pool::rounded(600000), second = ordo::pool::rounded(500000);
  ordo::limited_memory limited(plain, first + second);
  ordo::pool pool(limited);
  for (std::size_t before : {1000000, 900000, 620000, 100000}) {
    ordo::buffer<char>(pool, before);
  }
  ordo::buffer<char> const a(pool, 600000);
  CHECK(pool.in_use() == first);
  CHECK_NOTHROW(ordo::buffer<char>(pool, 500000));
}

TEST_CASE("a pool holds at most twice the maximum in use", "[memory]") {
  struct counting_memory final : ordo::memory_resource {
    void* allocate(std::size_t bytes) override {
      held += bytes;
      return plain.allocate(bytes);
    }
    void deallocate(void* block, std::size_t bytes) noexcept override {
      held -= bytes;
      plain.deallocate(block, bytes);
    }
    ordo::host_memory plain;
    std::size_t held = 0;
  } counting;
  ordo::pool pool(counting);
  for (int round = 0; round < 2; ++round)
    for (std::size_t bytes = 1000000; bytes > 1000; bytes -= bytes / 5) {
      ordo::buffer<char> const block(pool, bytes);
      CHECK(counting.held <= 2 * ordo::pool::rounded(1000000));
    }
  CHECK(counting.held > ordo::pool::rounded(1000000));
  pool.trim(300000);
  CHECK(counting.held <= 300000);
  pool.trim();
  CHECK(counting.held == 0);
}

TEST_CASE("a pool uses larger blocks if memory is plentiful", "[memory]") {
  using ordo::pool;
  ordo::host_memory plain;
  // Returns the bytes that the source has allocated, after requests of one round and of similar ones.
  auto const held = [&](std::size_t memory, pool::reuse kind, auto use) {
    ordo::limited_memory limited(plain, memory);
    pool of(limited, kind);
    use(of);
    return memory - limited.available();
  };
  auto const rounds = [](pool& of) {
    for (std::size_t bytes = 800000; bytes > 500000; bytes -= 60000) {
      ordo::buffer<char> const one(of, bytes), other(of, bytes / 2);
      CHECK(of.in_use() == pool::rounded(bytes) + pool::rounded(bytes / 2));
    }
    CHECK(of.in_use() == 0);
  };
  std::size_t const first = pool::rounded(800000) + pool::rounded(400000);
  CHECK(held(10000000, pool::reuse::larger_too, rounds) == first);
  CHECK(held(10000000, pool::reuse::same_size, rounds) > first);
  CHECK(held(2 * first - 1, pool::reuse::larger_too, rounds) > first);  // later requests might need the block
  // Requests do not reuse a block that is much larger, nor one beyond a limit.
  auto const small = [](pool& of) {
    { ordo::buffer<char> const large(of, 800000); }
    ordo::buffer<char> const one(of, 300000);
  };
  CHECK(held(10000000, pool::reuse::larger_too, small) == pool::rounded(800000) + pool::rounded(300000));
  auto const limited = [](pool& of) {
    { ordo::buffer<char> const large(of, 800000); }
    pool::limit const less(of, 900000);
    ordo::buffer<char> const one(of, 700000);
  };
  CHECK(held(10000000, pool::reuse::larger_too, limited) == pool::rounded(700000));  // cached blocks were freed
  CHECK(held(10000000, pool::reuse::larger_too, [](pool& of) {
          { ordo::buffer<char> const large(of, 800000); }
          ordo::buffer<char> const one(of, 700000);
        }) == pool::rounded(800000));
}

TEST_CASE("a pool's limit holds while the object lives", "[memory]") {
  ordo::host_memory plain;
  ordo::pool pool(plain);
  { ordo::buffer<char> const kept(pool, 500000); }
  {
    ordo::pool::limit const limited(pool, 400000);
    CHECK_THROWS_AS(ordo::buffer<char>(pool, 500000), ordo::out_of_memory);
    ordo::buffer<char> const some(pool, 200000);
    CHECK_THROWS_AS(ordo::buffer<char>(pool, 300000), ordo::out_of_memory);
  }
  CHECK_NOTHROW(ordo::buffer<char>(pool, 500000));
}

TEST_CASE("a pool over a source that caches blocks caches none", "[memory]") {
  ordo::host_memory plain;
  ordo::limited_memory limited(plain, 1 << 20);
  ordo::pool pool(limited, ordo::pool::reuse::none);
  { ordo::buffer<char> const gone(pool, 700000); }
  CHECK_NOTHROW(ordo::buffer<char>(limited, 1 << 20));
}

namespace {

/// Counts calls and bytes, and blocks that are freed with another size than allocated.
struct observed_memory final : ordo::memory_resource {
  void* allocate(std::size_t bytes) override {
    if (held + bytes > limit) throw ordo::out_of_memory("out of memory: a test", bytes);
    void* const block = plain.allocate(bytes);
    blocks[block] = bytes;
    held += bytes;
    ++calls;
    return block;
  }
  void deallocate(void* block, std::size_t bytes) noexcept override {
    right = right && blocks.count(block) == 1 && blocks[block] == bytes;
    blocks.erase(block);
    held -= bytes;
    plain.deallocate(block, bytes);
  }
  [[nodiscard]] std::size_t available() const override { return limit - held; }
  ordo::host_memory plain;
  std::map<void*, std::size_t> blocks;
  std::size_t held = 0, calls = 0, limit = std::size_t{1} << 40;
  bool right = true;
};

}  // namespace

TEST_CASE("a pool serves requests from its reservation", "[memory]") {
  using ordo::pool;
  for (auto const kind : {pool::reuse::none, pool::reuse::same_size, pool::reuse::larger_too}) {
    observed_memory source;
    {
      pool of(source, kind);
      std::size_t const a = pool::rounded(700000), b = pool::rounded(1000), c = pool::rounded(30);
      of.reserve(0);
      CHECK(source.calls == 0);
      of.reserve(a + b + c);
      CHECK(source.calls == 1);
      CHECK(of.in_use() == 0);
      std::size_t const reserved = source.held;
      CHECK(reserved == pool::rounded(a + b + c));
      for (int round = 0; round < 3; ++round) {
        ordo::buffer<char> const first(of, 700000), second(of, 1000);
        { ordo::buffer<char> const third(of, 30); }
        ordo::buffer<char> const again(of, 200);
        CHECK(reinterpret_cast<std::uintptr_t>(again.data()) % 256 == 0);
        std::memset(first.data(), 1, 700000);
        std::memset(second.data(), 2, 1000);
        std::memset(again.data(), 3, 200);
        CHECK((first.data()[699999] == 1 && second.data()[999] == 2 && again.data()[199] == 3));
        CHECK(of.in_use() == a + b + c);
      }
      CHECK(source.calls == 1);
      { ordo::buffer<char> const all(of, a + b + c); }
      of.reserve(1000);  // already reserved
      CHECK(source.calls == 1);
      {
        ordo::buffer<char> const beside(of, 2 * reserved), part(of, 1000);  // from the source; from the reservation
        CHECK(source.calls == 2);
        of.trim();  // blocks in use stay
        CHECK(source.held == pool::rounded(2 * reserved) + reserved);
      }
      of.trim();
      CHECK(source.held == 0);
      of.reserve(1000);
      of.reserve(100000);
      CHECK(source.held == pool::rounded(100000));  // the larger reservation replaced the smaller
      CHECK(of.available() == source.limit);
    }
    CHECK(source.held == 0);
    CHECK(source.right);
  }
}

TEST_CASE("a pool frees its reservation before it fails", "[memory]") {
  using ordo::pool;
  observed_memory source;
  source.limit = pool::rounded(1000000);
  pool of(source);
  of.reserve(900000);
  { ordo::buffer<char> const larger(of, 1000000); }
  CHECK_THROWS_AS(of.reserve(2000000), ordo::out_of_memory);
  CHECK(of.in_use() == 0);
  of.reserve(900000);
  {
    ordo::buffer<char> const part(of, 1000);
    CHECK_THROWS_AS(ordo::buffer<char>(of, 950000), ordo::out_of_memory);
    CHECK_NOTHROW(ordo::buffer<char>(of, 500000));
  }
  {
    pool::limit const less(of, 100000);
    CHECK_THROWS_AS(of.reserve(200000), ordo::out_of_memory);
    CHECK_THROWS_AS(ordo::buffer<char>(of, 200000), ordo::out_of_memory);
    CHECK_NOTHROW(ordo::buffer<char>(of, 50000));
  }
  of.trim(10);
  CHECK(source.held == 0);
  CHECK(source.right);
}

TEST_CASE("a sort that runs out of memory leaks none", "[memory]") {
  ordo::host_memory plain;
  random_numbers random(1);
  std::vector<std::uint64_t> const input = inputs<std::uint64_t>(100000).front().second;
  bool finished = false;
  for (std::size_t nth = 0; nth < 50 && !finished; ++nth) {
    failing_memory failing(plain, nth);
    ordo::host_backend machine(0, failing);
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

TEST_CASE("large arrays are the same for any number of threads", "[array_sort]") {
  std::size_t const n = 700001;  // more than one thread takes
  for (auto const& [name, input] : all_inputs<std::uint32_t>(n)) {
    INFO(name);
    std::vector<std::uint32_t> first;
    for (unsigned threads : {1u, 2u, 0u}) {
      ordo::host_backend machine(threads);
      auto keys = input;
      std::vector<std::uint32_t> values(n);
      std::iota(values.begin(), values.end(), 0u);
      machine.array_sort(std::span(keys), std::span(values), ordo::uniform_segments(1, n));
      CHECK(std::is_sorted(keys.begin(), keys.end()));
      if (first.empty()) first = values;
      CHECK((values == first));
    }
  }
}

TEST_CASE("a sample sort with useless samples merges the rest", "[sample_sort]") {
  struct by_low_bits {
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 100000 < b % 100000; }
  };
  using records = ordo::host_detail::records<std::uint32_t, std::uint32_t>;
  for (std::size_t n : {100, 5000, 300000}) {
    auto const input = inputs<std::uint32_t>(n).front().second;
    auto expected = input;
    std::stable_sort(expected.begin(), expected.end(), by_low_bits{});
    for (unsigned rounds : {0u, 1u, 2u}) {
      for (bool across : {false, true}) {
        INFO(n << ", " << rounds << " rounds");
        auto keys = input, values = input;
        std::vector<std::uint32_t> other(n), other_values(n);
        std::vector<std::uint8_t> bucket(n);
        ordo::host_detail::sort_records_by(records{keys.data(), values.data()}, records{other.data(), other_values.data()},
                                           bucket.data(), n, by_low_bits{}, across, rounds);
        CHECK(((across ? other : keys) == expected && (across ? other_values : values) == expected));
      }
    }
  }
}

TEST_CASE("sizes are parsed or rejected", "[machine]") {
  CHECK(ordo::parse_bytes("0") == 0);
  CHECK(ordo::parse_bytes("123") == 123);
  CHECK(ordo::parse_bytes("64M") == std::size_t{64} << 20);
  CHECK(ordo::parse_bytes("2T") == std::size_t{2} << 40);
  for (char const* bad : {"", "M", "12X", "-1", "1.5G", "99999999999999999999", "99999999999T"})
    CHECK_THROWS_AS(ordo::parse_bytes(bad), ordo::usage_error);
}

TEST_CASE("machines are named", "[machine]") {
  CHECK(ordo::parse_device("auto").device == ordo::device::automatic);
  CHECK(ordo::parse_device("cpu").device == ordo::device::cpu);
  CHECK(ordo::parse_device("gpu").device == ordo::device::gpu);
  CHECK_FALSE(ordo::parse_device("gpu").gpu_index);
  CHECK(ordo::parse_device("gpu:1").device == ordo::device::gpu);
  CHECK(ordo::parse_device("gpu:1").gpu_index == 1u);
  for (char const* bad : {"", "GPU", "gpu:", "gpu:-1", "gpu:x", "gpu:1x", "gpu: 1", "cpu:0", "gpu:99999999999"})
    CHECK_THROWS_AS(ordo::parse_device(bad), ordo::usage_error);
}

TEST_CASE("the machine is chosen by options, environment and hardware", "[machine]") {
  char const* const wish = std::getenv("ORDO_DEVICE");
  std::string const before = wish ? wish : "";
  unsetenv("ORDO_DEVICE");
  bool const gpu = !ordo::gpus().empty();
  using ordo::device;
  std::size_t queries = 0;
  auto const choose = [&](device where, std::size_t input, std::size_t gpu_bytes, std::size_t worthwhile) {
    return ordo::choose_machine({.device = where}, input, worthwhile, [&](ordo::gpu_info const&) {
      ++queries;
      return gpu_bytes;
    });
  };
  CHECK(choose(device::cpu, 1u << 30, 0, 0).device == device::cpu);
  CHECK(choose(device::automatic, 10, 10, 100).device == device::cpu);
  CHECK(queries == 0);
  CHECK(choose(device::automatic, 100, 10, 100).device == (gpu ? device::gpu : device::cpu));
  auto const vast = choose(device::automatic, 100, std::size_t{1} << 60, 0);
  CHECK(vast.device == device::cpu);
  CHECK(vast.fell_back == gpu);
  if (gpu) {
    CHECK(choose(device::gpu, 0, 10, 100).device == device::gpu);
    CHECK_THROWS_AS(choose(device::gpu, 0, std::size_t{1} << 60, 0), ordo::out_of_memory);
  } else {
    CHECK_THROWS_AS(choose(device::gpu, 0, 0, 0), ordo::usage_error);
  }
  auto numbered = ordo::parse_device("gpu:4000");
  CHECK_THROWS_AS(ordo::choose_machine(numbered, 0, 0, [](ordo::gpu_info const&) { return std::size_t{0}; }),
                  ordo::usage_error);
  setenv("ORDO_DEVICE", "cpu", 1);
  CHECK(choose(device::automatic, 100, 10, 0).device == device::cpu);
  setenv("ORDO_DEVICE", "sideways", 1);
  CHECK_THROWS_AS(choose(device::automatic, 100, 10, 0), ordo::usage_error);
  ordo::cpu machine;
  CHECK(ordo::choose_machine({.device = device::gpu, .on = &machine}, 0, 0, {}).device == device::cpu);
  if (wish)
    setenv("ORDO_DEVICE", before.c_str(), 1);
  else
    unsetenv("ORDO_DEVICE");
}
