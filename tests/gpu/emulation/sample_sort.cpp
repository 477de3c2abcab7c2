#include "tests/gpu/emulation/machine.hpp"

#include <numeric>

#include "sort_core/cuda/samples.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/misleading.hpp"

// The kernels of the sample sort against std::stable_sort, on slightly more items than a block holds and on several tiles of
// it.
namespace {

namespace od = ordo::cuda_detail;
using emulation::machine;
using emulation::value_at;

enum class input { uniform, few, equal, ordered, reversed, mostly_greatest, one_stranger, halves };
constexpr input inputs[] = {input::uniform,         input::few,          input::equal, input::ordered, input::reversed,
                            input::mostly_greatest, input::one_stranger, input::halves};

std::mt19937_64 random_bits(11);  // the same on every run

std::uint32_t key_like(input what, std::size_t i, std::size_t n) {
  auto const x = std::uint32_t(random_bits() >> 32);
  switch (what) {
    case input::uniform:
      return x;
    case input::few:
      return x % 13 * 1000003;
    case input::equal:
      return 7;
    case input::ordered:
      return std::uint32_t(i / 3) << 12;
    case input::reversed:
      return std::uint32_t(n - i) << 12;
    case input::mostly_greatest:
      return x % 3 == 0 ? x / 2 : ~0u;
    case input::one_stranger:
      return i == n / 2 ? 1u << 22 : 1u << 28;
    case input::halves:
      return std::uint32_t(std::countr_one(x)) << 21;
  }
  return 0;
}

/// A type without a default constructor, whose order ignores a part of it.
class item_of_12 {
 public:
  item_of_12(std::uint32_t key, std::size_t position) : position_(std::uint32_t(position)), key_(key), rest_(~key) {}
  [[nodiscard]] std::uint32_t key() const { return key_; }

 private:
  std::uint32_t position_, key_, rest_;
};
struct item_of_16 {
  std::uint64_t word, position;
  item_of_16(std::uint32_t key, std::size_t position) : word(key), position(position) {}
  [[nodiscard]] std::uint64_t key() const { return word; }
};
struct by_key {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    if constexpr (std::is_class_v<T>)
      return a.key() < b.key();
    else
      return b < a;  // in descending order
  }
};
struct by_high_bits {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a >> 20 < b >> 20; }
};

template <class T>
T item_like(std::uint32_t key, std::size_t position) {
  if constexpr (std::is_class_v<T>)
    return T(key, position);
  else
    return T(key);
}
template <class V>
bool same(V a, V b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T, class V, class Less, class Sort>
void check(std::size_t n, Sort sort) {
  constexpr bool pairs = od::value_bytes<V> != 0;
  using value = std::conditional_t<pairs, V, std::uint32_t>;
  for (input what : inputs) {
    INFO(n << " items of " << sizeof(T) << " bytes, values of " << od::value_bytes<V> << ", input " << int(what));
    machine gpu;
    auto const items = gpu.buffer<T>(n);
    auto const values = gpu.buffer<value>(pairs ? n : 0);
    std::vector<T> given;
    for (std::size_t i = 0; i < n; ++i) {
      given.push_back(item_like<T>(key_like(what, i, n), i));
      std::memcpy(items.data() + i, &given.back(), sizeof(T));
      if (pairs) values.data()[i] = value_at<value>(i);
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return Less{}(given[a], given[b]); });
    sort(gpu, items.data(), reinterpret_cast<V*>(values.data()), n);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
      wrong += !same(items.data()[i], given[order[i]]) || (pairs && !same(values.data()[i], value_at<value>(order[i])));
    CHECK(wrong == 0);
  }
}

template <class T, class V, class Less>
void check(std::size_t n) {
  check<T, V, Less>(n, [](machine& gpu, T* items, V* values, std::size_t count) {
    REQUIRE(od::sample_sorter<machine, T, V, Less>(gpu, items, values, count, Less{}).sort());
  });
}

template <class T, class V, class Less>
void merge(machine& gpu, T* items, V* values, std::size_t n, std::uint32_t run) {
  using words = od::words_for<T>;
  using sizes = od::grid_merge_sizes<words, V>;
  REQUIRE(run <= sizes::capacity);
  auto const away = gpu.buffer<words>(n);
  auto const away_values = gpu.buffer<std::uint64_t>(n);
  unsigned levels = 0;
  for (std::size_t length = run; length < n; length *= 2) ++levels;
  od::grid_merge_work<words, V> const work{
      reinterpret_cast<words*>(items), values, away.data(), reinterpret_cast<V*>(away_values.data()), n, run, levels};
  od::launch_some_cooperative<od::merge_in_grid<words, V, od::order_of_words<T, Less>>>(
      gpu.kernels(), 1, sizes::threads, sizes::shared_bytes, work, od::order_of_words<T, Less>{});
}

template <class T, class V, class Less>
void check_merged(std::size_t n, std::uint32_t run) {
  check<T, V, Less>(n, [=](machine& gpu, T* items, V* values, std::size_t count) {
    merge<T, V, Less>(gpu, items, values, count, run);
  });
}

/// No order: every item comes before every other.
struct always {
  bool operator()(std::uint32_t, std::uint32_t) const { return true; }
};
/// No order: what comes first depends on both items' bits.
struct at_random {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return std::popcount(a * 0x9e3779b1u ^ b) % 2 != 0; }
};

}  // namespace

TEST_CASE("kernels: merge sort in one launch") {
  for (std::size_t const n : {1, 2, 299, 300, 301, 900, 2500}) check_merged<std::uint32_t, od::no_value, by_key>(n, 300);
  check_merged<std::uint32_t, std::uint32_t, by_high_bits>(2500, 333);
  check_merged<std::uint32_t, std::uint8_t, by_high_bits>(1000, 37);
  check_merged<std::uint64_t, std::uint64_t, by_key>(3000, 1000);
  check_merged<item_of_12, std::uint32_t, by_key>(2999, 500);
  check_merged<item_of_16, od::no_value, by_key>(2000, 2304 / 2);
}
TEST_CASE("kernels: merge sort in one launch, of runs that fill a block") {
  constexpr std::size_t n = 9001;
  check<std::uint64_t, od::no_value, by_key>(n, [](machine& gpu, std::uint64_t* items, od::no_value* none, std::size_t count) {
    REQUIRE(od::merge_in_one_launch(gpu, items, none, count, by_key{}));
    REQUIRE_FALSE(od::merge_in_one_launch(gpu, items, none, od::tuning::merged_above, by_key{}));
    REQUIRE_FALSE(od::merge_in_one_launch(gpu, items, none, od::tuning::merged_up_to + 1, by_key{}));
  });
}
TEST_CASE("kernels: merge sort in one launch, of items without an order") {
  machine gpu;  // the sanitizer sees what is written outside
  auto const items = gpu.buffer<std::uint32_t>(2777);
  auto const fill = [&] {
    for (std::size_t i = 0; i < items.size(); ++i) items.data()[i] = std::uint32_t(random_bits());
  };
  fill();
  merge<std::uint32_t, od::no_value, always>(gpu, items.data(), nullptr, items.size(), 100);
  fill();
  merge<std::uint32_t, od::no_value, at_random>(gpu, items.data(), nullptr, items.size(), 100);
}
TEST_CASE("kernels: sample sort of items with useless samples") {
  using words = od::words_for<item_of_16>;
  using traits = od::sample_traits<words, od::no_value>;
  constexpr std::size_t n = 70000;
  constexpr unsigned levels = od::sample_levels(n);
  std::vector<std::uint32_t> const keys = misleading<traits>(n, 2 * levels);
  machine gpu;
  auto const items = gpu.buffer<item_of_16>(n);
  std::vector<item_of_16> expected;
  for (std::size_t i = 0; i < n; ++i) expected.push_back(items.data()[i] = {keys[i], i});
  auto const by_key_alone = [](item_of_16 const& a, item_of_16 const& b) { return a.word < b.word; };
  std::stable_sort(expected.begin(), expected.end(), by_key_alone);

  std::size_t const before = emulation::launches;
  CHECK_FALSE(od::sample_sorter<machine, item_of_16, od::no_value, by_key>(gpu, items.data(), nullptr, n, by_key{}).sort());
  CHECK(emulation::launches - before <= levels * (4 + traits::leaves) + 5);
  // Another sort must finish the work: all items must be there, equal ones in their original order.
  std::stable_sort(items.data(), items.data() + n, by_key_alone);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += !same(items.data()[i], expected[i]);
  CHECK(wrong == 0);
}
TEST_CASE("kernels: sample sort of numbers") {
  check<std::uint32_t, od::no_value, by_key>(70001);
  check<std::uint32_t, std::uint32_t, by_high_bits>(50001);
  check<std::uint64_t, std::uint64_t, by_key>(26001);
}
TEST_CASE("kernels: sample sort of items that are not numbers") {
  check<item_of_12, ulonglong2, by_key>(20000);
  check<item_of_16, od::no_value, by_key>(30007);
}
