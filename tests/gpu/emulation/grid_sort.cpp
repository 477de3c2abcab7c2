#include "tests/gpu/emulation/machine.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/kernels/grid_sort.cuh"
#include "tests/unit/catch.hpp"

// The sort of one array in one launch, with one block, which then has all parts of the array and all buckets.
namespace {

namespace od = ordo::cuda_detail;

enum class keys { uniform, equal, few, ascending, descending, narrow, clusters, close, hidden, floats };
constexpr keys all_keys[] = {keys::uniform, keys::equal,    keys::few,   keys::ascending, keys::descending,
                             keys::narrow,  keys::clusters, keys::close, keys::hidden,    keys::floats};

template <class K>
std::vector<K> make_keys(keys what, std::size_t n, std::mt19937_64& random) {
  constexpr unsigned width = 8 * sizeof(K);
  std::vector<K> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const x = random();
    all[i] = what == keys::equal        ? K(5)
             : what == keys::few        ? K(x % 7 << (width - 4))
             : what == keys::ascending  ? K(i << (width / 2 - 1))
             : what == keys::descending ? K((n - i) << (width / 2 - 1))
             : what == keys::narrow     ? K(~K{0} - x % 1000)
             : what == keys::clusters   ? K(x % 2 != 0 ? x % 5000 : ~K{0} - x % 100)
             : what == keys::close      ? K(x % 300 << (width - 9) | (x >> 32) % 4)  // the upper bits leave long runs
                                        : K(x);
  }
  // All but the sample are in one bucket, which no block holds if they are many.
  constexpr std::size_t sampled = od::grid_sizes<K, od::no_value>::threads;
  if (what == keys::hidden)
    for (std::size_t i = 0, stride = n / sampled; i < sampled; ++i) all[i * stride + od::place_in_stride(i, stride)] = K(i);
  return all;
}

template <class K, class V>
void check(keys what, std::size_t n, unsigned buckets, bool in_place) {
  INFO("keys " << int(what) << ", " << n << " items, " << buckets << " buckets");
  constexpr bool has_values = od::value_bytes<V> != 0;
  using sizes = od::grid_sizes<K, V>;
  using value = std::conditional_t<has_values, V, char>;
  std::mt19937_64 random(n + buckets);
  std::vector<K> const given = make_keys<K>(what, n, random);
  using number = std::conditional_t<sizeof(K) == 4, float, double>;
  ordo::key_code<K> code;
  if (what == keys::floats) code = ordo::radix_key<number>::code;
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return code.encode(given[a]) < code.encode(given[b]); });

  emulation::machine machine;
  auto const from = machine.buffer<K>(n), out = machine.buffer<K>(n), away = machine.buffer<K>(n);
  auto const values_from = machine.buffer<value>(has_values ? n : 0), values_out = machine.buffer<value>(has_values ? n : 0),
             values_away = machine.buffer<value>(has_values ? n : 0);
  auto const sample = machine.buffer<od::sampled_item<K>>(sizes::threads);
  auto const counts = machine.buffer<std::uint32_t>(buckets), totals = machine.buffer<std::uint32_t>(buckets);
  auto const &source = in_place ? out : from;
  auto const &values_source = in_place ? values_out : values_from;
  std::copy(given.begin(), given.end(), source.data());
  for (std::size_t i = 0; has_values && i < n; ++i) values_source.data()[i] = emulation::value_at<value>(i);
  auto const as_values = [](auto const& buffer) { return reinterpret_cast<V*>(buffer.data()); };
  od::segment_data<K, V, od::stored_keys<K>> const data{{out.data(), code}, as_values(values_out), nullptr, nullptr,
                                                        away.data(),        as_values(values_away)};
  od::grid_work<K, V> const work{source.data(), as_values(values_source), std::uint32_t(n), sizes::threads, buckets,
                                 sample.data(), counts.data(), totals.data()};
  od::launch_some_cooperative<od::sort_in_grid<K, V>>(machine.kernels(), 1, sizes::threads, sizes::shared_bytes,
                                                      data, work);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    wrong += out.data()[i] != given[order[i]];
    value const expected = emulation::value_at<value>(order[i]);
    if constexpr (has_values) wrong += std::memcmp(&values_out.data()[i], &expected, sizeof(value)) != 0;
  }
  REQUIRE(wrong == 0);
}

template <class K, class V>
void check_all() {
  using sizes = od::grid_sizes<K, V>;
  for (keys const what : all_keys) check<K, V>(what, 5000, 256, int(what) % 2 == 0);
  for (keys const what : {keys::uniform, keys::equal, keys::clusters}) check<K, V>(what, sizes::tile + 1, 64, true);
  check<K, V>(keys::uniform, 1024, 1024, true);
  check<K, V>(keys::hidden, sizes::capacity + 2000, 64, false);  // a bucket that the block does not hold
}

}  // namespace

TEST_CASE("emulation: a sort in one launch orders keys alone, 32-bit", "[emulation]") {
  check_all<std::uint32_t, od::no_value>();
}
TEST_CASE("emulation: a sort in one launch orders keys alone, 64-bit", "[emulation]") {
  check_all<std::uint64_t, od::no_value>();
}
TEST_CASE("emulation: a sort in one launch keeps the order of equal keys with values", "[emulation]") {
  check_all<std::uint32_t, std::uint32_t>();
  check_all<std::uint64_t, ulonglong2>();
}
