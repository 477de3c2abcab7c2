#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <cub/device/device_merge_sort.cuh>

#include "ordo/machine.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/cuda/backend.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/mixed.hpp"
#include "tests/unit/shard.hpp"

// The GPU's own sample sort against CUB's stable merge sort, which the backend uses below some number of items. Here ours is
// called for any number that a block does not hold, so that every bound inside it is reached. Items encode their original
// position in a part that their order ignores.
namespace {

namespace od = ordo::cuda_detail;

enum class input { uniform, few, equal, ordered, reversed, mostly_greatest, one_stranger, halves, skewed };
constexpr input inputs[] = {input::uniform,         input::few,          input::equal,  input::ordered, input::reversed,
                            input::mostly_greatest, input::one_stranger, input::halves, input::skewed};

struct key_at {
  input what;
  std::size_t n;
  ORDO_FN std::uint32_t operator()(std::size_t i) const {
    std::uint32_t const any = std::uint32_t(mixed(i));
    switch (what) {
      case input::uniform:
        return any;
      case input::few:
        return any % 13 * 1000003;
      case input::equal:
        return 7;
      case input::ordered:
        return std::uint32_t(i / 3);
      case input::reversed:
        return std::uint32_t(n - i);
      case input::mostly_greatest:
        return any % 3 == 0 ? std::uint32_t(mixed(any)) : ~0u;
      case input::one_stranger:
        return i == n / 2 ? 1 : 100;
      case input::halves: {  // half of the items are equal, half of the others are, ...
        std::uint32_t level = 0;
        for (std::uint32_t x = any; (x & 1) != 0; x >>= 1) ++level;
        return level;
      }
      case input::skewed:
        return any % 100 == 0 ? any : 1000000 + any % 5000;
    }
    return 0;
  }
};

struct item_of_12 {
  std::uint32_t position, key, rest;
};
struct item_of_16 {
  std::uint64_t key, position;
};
/// A type without a default constructor.
class wrapped {
 public:
  ORDO_FN wrapped(std::uint32_t key, std::uint32_t position) : key(key), position(position) {}
  std::uint32_t key, position;
};

template <class T>
ORDO_FN T item_of(std::uint32_t key, std::size_t position) {
  if constexpr (std::is_same_v<T, item_of_12>)
    return {std::uint32_t(position), key, ~key};
  else if constexpr (std::is_same_v<T, item_of_16>)
    return {key * 0x100000001u, position};
  else if constexpr (std::is_same_v<T, wrapped>)
    return {key, std::uint32_t(position)};
  else if constexpr (std::is_same_v<T, ulonglong2>)
    return {position, ~position};
  else
    return T(key);
}
template <class T>
struct place {
  key_at key;
  T* items;
  ORDO_FN void operator()(std::size_t i) const { items[i] = item_of<T>(key(i), i); }
};
template <class V>
struct number {
  V* values;
  ORDO_FN void operator()(std::size_t i) const {
    if constexpr (sizeof(V) == 16)
      values[i] = {i, ~i};
    else
      values[i] = V(i);
  }
};
struct by_key {
  template <class T>
  ORDO_FN bool operator()(T const& a, T const& b) const {
    return a.key < b.key;
  }
};
struct descending {
  template <class T>
  ORDO_FN bool operator()(T a, T b) const {
    return b < a;
  }
};
struct by_high_bits {
  ORDO_FN bool operator()(std::uint32_t a, std::uint32_t b) const { return a >> 20 < b >> 20; }
};

struct word_differs {
  std::uint32_t const *a, *b;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return a[i] != b[i]; }
};

/// Two copies of an array, with guard items after it.
template <class T>
class twice {
 public:
  static constexpr std::size_t guard = 64;
  twice(ordo::cuda_backend& backend, std::size_t n)
      : backend_(backend),
        n_(n),
        bytes_{backend.buffer<char>((n + guard) * sizeof(T)), backend.buffer<char>((n + guard) * sizeof(T))} {}
  [[nodiscard]] T* operator[](int which) const { return reinterpret_cast<T*>(bytes_[which].data()); }
  [[nodiscard]] std::size_t items() const { return n_ + guard; }
  [[nodiscard]] std::uint64_t differences() const {
    return backend_.reduce(
        (n_ + guard) * sizeof(T) / 4,
        word_differs{reinterpret_cast<std::uint32_t const*>((*this)[0]), reinterpret_cast<std::uint32_t const*>((*this)[1])},
        std::uint64_t{}, ordo::plus{});
  }

 private:
  ordo::cuda_backend& backend_;
  std::size_t n_;
  ordo::buffer<char> bytes_[2];
};

/// Compares sort(items, values) with CUB's merge sort.
template <class T, class V, class Less, class Sort>
void compare(ordo::cuda_backend& backend, std::size_t n, input what, Sort sort) {
  constexpr bool pairs = !std::is_same_v<V, od::no_value>;
  INFO(n << " items of " << sizeof(T) << " bytes, " << od::value_bytes<V> << " of values, input " << int(what));
  twice<T> const items(backend, n);
  using stored = std::conditional_t<pairs, V, std::uint32_t>;
  twice<stored> const values(backend, pairs ? n : 0);
  for (int which : {0, 1}) {
    backend.each(items.items(), place<T>{{what, n}, items[which]});
    backend.each(values.items(), number<stored>{values[which]});
  }
  REQUIRE(sort(items[0], pairs ? reinterpret_cast<V*>(values[0]) : nullptr));
  backend.with_temporary([&](void* temporary, std::size_t& bytes) {
    auto* const words = reinterpret_cast<od::words_for<T>*>(items[1]);
    od::order_of_words<T, Less> const less{};
    if constexpr (pairs)
      return cub::DeviceMergeSort::StableSortPairs(temporary, bytes, words, values[1], std::int64_t(n), less, backend.stream());
    else
      return cub::DeviceMergeSort::StableSortKeys(temporary, bytes, words, std::int64_t(n), less, backend.stream());
  });
  CHECK(items.differences() == 0);
  CHECK(values.differences() == 0);
}

template <class T, class V, class Less>
void check(ordo::cuda_backend& backend, std::size_t n, input what) {
  compare<T, V, Less>(backend, n, what, [&](T* items, V* values) {
    return od::sample_sorter<ordo::cuda_backend, T, V, Less>(backend, items, values, n, Less{}).sort();
  });
}

/// Sizes around those that one block holds, that all blocks hold at once, and that are merged at all.
template <class T, class V, class Less>
void check_merged(ordo::cuda_backend& backend, test_shard& shard) {
  constexpr std::size_t capacity = od::grid_merge_sizes<od::words_for<T>, V>::capacity;
  for (std::size_t const n : {od::tuning::merged_above + 1, 2 * capacity, 2 * capacity + 1, 4 * capacity + 1, 64 * capacity,
                              264 * capacity + 1, od::tuning::merged_up_to - 1, od::tuning::merged_up_to})
    for (input what : inputs)
      if (shard.has_next(5))
        compare<T, V, Less>(backend, n, what, [&](T* items, V* values) {
          return od::merge_in_one_launch(backend, items, values, n, Less{});
        });
}

template <class T, class V, class Less>
void check_bounds(ordo::cuda_backend& backend, std::initializer_list<std::size_t> more) {
  using words = od::words_for<T>;
  constexpr std::size_t block_capacity = od::sample_traits<words, V>::block_capacity,
                        tile = od::partition_traits<words, V, true, true>::tile;
  std::vector<std::size_t> sizes{block_capacity + 1, block_capacity + 2, 2 * block_capacity, 60000};
  for (std::size_t tiles = block_capacity / tile + 1; tiles < block_capacity / tile + 3; ++tiles)
    for (std::size_t n : {tiles * tile - 1, tiles * tile, tiles * tile + 1})
      if (n > block_capacity) sizes.push_back(n);
  sizes.insert(sizes.end(), more);
  for (std::size_t n : sizes)
    for (input what : inputs) check<T, V, Less>(backend, n, what);
}

void check_types(ordo::cuda_backend& backend, std::initializer_list<std::size_t> more) {
  check_bounds<std::uint32_t, od::no_value, descending>(backend, more);
  check_bounds<std::uint32_t, std::uint32_t, by_high_bits>(backend, more);
  check_bounds<float, std::uint64_t, descending>(backend, more);
  check_bounds<std::uint32_t, ulonglong2, by_high_bits>(backend, more);
  check_bounds<std::uint64_t, od::no_value, descending>(backend, more);
  check_bounds<item_of_12, std::uint32_t, by_key>(backend, more);
  check_bounds<item_of_16, od::no_value, by_key>(backend, more);
  check_bounds<wrapped, ulonglong2, by_key>(backend, more);
}

}  // namespace

TEST_CASE("the GPU's sample sort around its bounds", "[sample_sort][cuda]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  check_types(backend, {1000003, (std::size_t{1} << 22) + 5, (std::size_t{1} << 26) + 3});
}

TEST_CASE("the GPU's merge sort in one launch around its bounds", "[sample_sort][cuda]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  test_shard all;
  check_merged<std::uint32_t, od::no_value, descending>(backend, all);
  check_merged<std::uint32_t, std::uint32_t, by_high_bits>(backend, all);
  check_merged<float, std::uint64_t, descending>(backend, all);
  check_merged<std::uint64_t, od::no_value, descending>(backend, all);
  check_merged<item_of_12, std::uint32_t, by_key>(backend, all);
  check_merged<item_of_16, od::no_value, by_key>(backend, all);
  auto const too_many = backend.buffer<std::uint32_t>(od::tuning::merged_up_to + 1);
  od::no_value* const none = nullptr;
  CHECK_FALSE(od::merge_in_one_launch(backend, too_many.data(), none, too_many.size(), descending{}));
}

TEST_CASE("small sorts by the GPU's sample sort", "[sample_sort][small][cuda][shards]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  test_shard shard;
  for (input what : inputs) {
    if (!shard.has_next(3)) continue;
    check<std::uint32_t, std::uint32_t, by_high_bits>(backend, 70001, what);
    check<item_of_16, od::no_value, by_key>(backend, 30001, what);
  }
}

TEST_CASE("the GPU's sample sort: more than 2^32 items", "[.huge]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  for (input what : {input::uniform, input::halves}) {
    check<std::uint32_t, od::no_value, descending>(backend, (std::size_t{1} << 32) + 77, what);
    check<std::uint32_t, std::uint64_t, by_high_bits>(backend, (std::size_t{1} << 31) + 77, what);
  }
}
