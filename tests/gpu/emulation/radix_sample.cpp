#include "tests/gpu/emulation/machine.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "sort_core/cuda/radix_sample.cuh"
#include "tests/unit/catch.hpp"

// The sample of a radix sort: sorted codes of keys from all over an array, with nothing written after them.
namespace {

/// Samples keys [0, n) given by `key`. The sample must have exactly one key from each `n / count` of them.
template <class K, class Key>
void check_sample(std::size_t n, std::size_t count, ordo::key_code<K> code, Key key) {
  INFO("n " << n << " count " << count << " bits " << 8 * sizeof(K));
  emulation::machine machine;
  auto const keys = machine.buffer<K>(n);
  for (std::size_t i = 0; i < n; ++i) keys.data()[i] = K(key(i));
  auto const sample = machine.buffer<std::uint64_t>(count);
  ordo::cuda_detail::draw_sample(machine.kernels(), keys.data(), n, code, sample.span());

  std::size_t const stride = n / count;
  std::vector<std::uint64_t> expected;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const place = ordo::cuda_detail::place_in_stride(i, stride);
    REQUIRE(place < stride);
    expected.push_back(code.encode(K(key(i * stride + place))));
  }
  std::sort(expected.begin(), expected.end());
  REQUIRE(std::equal(expected.begin(), expected.end(), sample.data()));
}

}  // namespace

TEST_CASE("emulation: the sample of a radix sort is sorted, however often keys repeat", "[emulation]") {
  std::mt19937_64 random(3);
  for (std::size_t const count : {1, 31, 32, 33, 256, 1000, 1024}) {
    for (std::size_t const n : {count, 2 * count + 1, 100 * count}) {
      std::vector<std::uint64_t> any(n);
      for (auto& x : any) x = random();
      check_sample<std::uint64_t>(n, count, {}, [&](std::size_t i) { return any[i]; });
      check_sample<std::uint32_t>(n, count, {~0u, 0}, [&](std::size_t i) { return any[i]; });
      check_sample<std::uint32_t>(n, count, {0x80000000, 0x7fffffff}, [&](std::size_t i) { return any[i]; });
      check_sample<std::uint32_t>(n, count, {}, [&](std::size_t i) { return any[i] % 3; });
      check_sample<std::uint64_t>(n, count, {}, [](std::size_t) { return 7; });
      check_sample<std::uint64_t>(n, count, {}, [](std::size_t i) { return ~std::uint64_t(i); });
    }
  }
}
