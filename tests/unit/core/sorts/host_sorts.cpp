#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "sort_core/host/backend.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/core/sorts/adversary.hpp"
#include "tests/unit/core/sorts/with_vectors.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/small_stack.hpp"

// The CPU's sorts on inputs that exploit their sampling, and on small stacks.
namespace {

using ordo::host_detail::nothing;
using ordo::host_detail::records;

constexpr std::size_t small_stack = std::size_t{1} << 18;
/// The number of keys that take 250 useless partitions if nothing limits them.
constexpr std::size_t uncut = ordo::host_detail::cut_limit + 250 * 128;

/// Keys whose pivots leave almost all keys on one side.
std::vector<std::uint32_t> const& against_array_sort() {
  static auto const made = [] {
    adversary against(uncut);
    for (std::size_t begin = 0; uncut - begin > ordo::host_detail::cut_limit;) {
      std::size_t const n = uncut - begin;
      records<std::uint32_t, nothing> const rest{against.items.data() + begin, nullptr};
      auto const [pivot, repeated] =
          ordo::host_detail::sampled_pivot(n, [&](std::size_t place) { return against.sample(begin + place); });
      auto const at = ordo::host_detail::divide(
          rest, n, [&](std::uint32_t item) { return against.key(item); }, pivot, repeated);
      begin += at.less + at.equal;
    }
    return against.keys();
  };
  static auto const keys = tbb::task_arena(1).execute(made);  // one thread: there are hundreds of small partitions
  return keys;
}

/// Keys whose samples leave almost all keys after the last splitter.
std::vector<std::uint32_t> against_sample_sort(std::size_t n) {
  adversary against(n);
  auto const less = [&](std::uint32_t a, std::uint32_t b) { return against.key(a) < against.key(b); };
  std::vector<std::uint32_t> scratch(n);
  std::vector<std::uint8_t> bucket(n);
  for (std::size_t before = n + 1; n < before && n > ordo::host_detail::merge_limit;) {
    ordo::host_detail::sample_places place(n);
    for (int i = 0; i < 2047; ++i) against.sample(place());
    ordo::host_detail::splitters<std::uint32_t, decltype(less)> const by(
        against.items.data(), n, scratch.data(), less,
        [&](std::uint32_t* sample, std::uint32_t*, std::size_t size) { std::sort(sample, sample + size, less); });
    std::array<std::uint32_t, 256> counts{};
    by.classify(against.items.data(), n, bucket.data(), counts.data());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (bucket[i] + 1u == by.buckets()) against.items[kept++] = against.items[i];
    before = std::exchange(n, kept);
  }
  return against.keys();
}

struct counting_less {
  std::atomic<std::uint64_t>* count;
  bool operator()(std::uint32_t a, std::uint32_t b) const {
    count->fetch_add(1, std::memory_order_relaxed);
    return a < b;
  }
};

template <std::size_t Bytes>
struct large_item {
  std::uint32_t key, position;
  std::array<std::uint32_t, Bytes / 4 - 2> rest;
};
struct by_key {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    return a.key < b.key;
  }
};

/// Sorts items of `Bytes` bytes, alone and with values, on a small stack.
template <std::size_t Bytes>
void check_large_items(std::size_t n) {
  using item = large_item<Bytes>;
  random_numbers random(n);
  std::vector<item> input(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    input[i] = {std::uint32_t(random.below(n / 2 + 1)), i, {}};
    input[i].rest.back() = ~i;
  }
  std::vector<std::uint32_t> expected(n);
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return input[a].key < input[b].key; });
  auto alone = input, items = input;
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);
  with_small_stack(small_stack, [&] {
    ordo::host_backend backend;
    backend.sample_sort(std::span(alone), by_key{});
    backend.sample_sort(std::span(items), std::span(values), by_key{});
  });
  CHECK((values == expected));
  for (auto const& sorted : {alone, items}) {
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right = right && std::memcmp(&sorted[i], &input[expected[i]], sizeof(item)) == 0;
    CHECK(right);
  }
}

/// Keys that differ in some bits only, in clusters that share their highest bits.
template <class K>
std::vector<K> clustered_keys(std::size_t n, unsigned highest, unsigned lowest, random_numbers& random) {
  std::vector<K> keys(n);
  for (K& key : keys) {
    key = K(K(random.below(3)) << (8 * sizeof(K) - highest));
    for (unsigned bit = 0; bit < lowest; bit += 8) key ^= K(random.below(4)) << bit;
  }
  return keys;
}

/// Sorts few records, in place and into another buffer, and as a worker does.
template <class K>
void check_few(std::vector<K> const& input) {
  std::size_t const n = input.size();
  std::vector<std::uint32_t> expected(n);
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return input[a] < input[b]; });
  std::vector<std::uint32_t> numbers(n), places(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  if (ordo::host_detail::are_few<K, std::uint32_t>(n)) {
    ordo::host_detail::masked<K> const code{K(~K{0})};
    auto keys = input, sorted = input;
    auto values = numbers;
    ordo::host_detail::sort_few(records<K, std::uint32_t>{keys.data(), values.data()}, {sorted.data(), places.data()}, n, code);
    bool right = places == expected;
    for (std::size_t i = 0; i < n; ++i) right = right && sorted[i] == input[expected[i]];
    ordo::host_detail::sort_few(records<K, std::uint32_t>{keys.data(), values.data()}, {keys.data(), values.data()}, n, code);
    CHECK((right && values == expected && keys == sorted));
  }
  if constexpr (sizeof(K) >= sizeof(std::uint64_t)) {
    struct key_of {
      K const* keys;
      K operator()(std::uint32_t i) const { return keys[i]; }
      void prefetch(std::uint32_t) const {}
    };
    auto items = numbers;
    ordo::host_worker worker;
    K const* const sorted = worker.sort_by(items.data(), n, key_of{input.data()});
    bool right = items == expected;
    for (std::size_t i = 0; i < n; ++i) right = right && sorted[i] == input[expected[i]];
    CHECK(right);
  }
}

template <class K>
void check_few() {
  constexpr unsigned width = 8 * sizeof(K);
  for (std::size_t bytes : vector_sizes) {
    with_vectors const limit(bytes);
    random_numbers random(sizeof(K));
    for (std::size_t n : {1, 2, 13, 14, 32, 33, 64, 65, 100, 256, 257, 511, 512, 3000})
      for (unsigned highest : {3u, width / 2, width})
        for (unsigned lowest : {0u, 8u, width / 2}) {
          INFO("vectors of " << bytes << " bytes, " << width << " bits, " << n << " keys, " << highest << ", " << lowest);
          check_few(clustered_keys<K>(n, highest, lowest, random));
          auto one_apart = clustered_keys<K>(n, width, 8, random);
          one_apart[n / 2] ^= K(K{1} << (width - 1));
          check_few(one_apart);
        }
  }
}

}  // namespace

TEST_CASE("few records are sorted by keys of any width", "[host_sorts]") {
  check_few<std::uint32_t>();
  check_few<std::uint64_t>();
  check_few<ordo::wide_key>();
}

TEST_CASE("an array sort with useless pivots needs little stack", "[array_sort]") {
  auto const& input = against_array_sort();
  std::vector<std::uint32_t> first;
  for (unsigned threads : {1u, 0u}) {
    auto alone = input, keys = input;
    std::vector<std::uint32_t> values(uncut);
    std::iota(values.begin(), values.end(), 0u);
    with_small_stack(small_stack, [&] {
      ordo::host_backend backend(threads);
      backend.array_sort(std::span(alone), std::span<std::uint32_t>{}, ordo::uniform_segments(1, uncut));
      backend.array_sort(std::span(keys), std::span(values), ordo::uniform_segments(1, uncut));
    });
    bool right = true;
    for (std::size_t i = 0; i < uncut; ++i) right = right && alone[i] == i && keys[i] == i && input[values[i]] == i;
    CHECK(right);
  }
}

TEST_CASE("an array sort with useless pivots partitions a few times", "[array_sort]") {
  auto keys = against_array_sort();
  std::atomic<unsigned> pieces{0};
  ordo::host_detail::encoded<std::uint32_t> const whole_key{{}, ~0u};
  tbb::enumerable_thread_specific<ordo::host_detail::thread_scratch> local;
  ordo::host_detail::sort_cutting(records<std::uint32_t, nothing>{keys.data(), nullptr}, uncut, whole_key, [&] {
    ++pieces;
    return local.local().of_size<std::uint32_t, nothing>(ordo::max_stable_array_length);
  });
  CHECK(std::is_sorted(keys.begin(), keys.end()));
  CHECK(pieces <= ordo::host_detail::max_cuts(uncut) + 1);
}

TEST_CASE("a sample sort with useless samples compares no more than a few merge sorts", "[sample_sort]") {
  std::size_t const n = 100000, log = 17;
  auto const input = against_sample_sort(n);
  for (unsigned threads : {1u, 0u}) {
    auto keys = input;
    std::atomic<std::uint64_t> count{0};
    with_small_stack(small_stack, [&] {
      ordo::host_backend backend(threads);
      backend.sample_sort(std::span(keys), counting_less{&count});
    });
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right = right && keys[i] == i;
    CHECK(right);
    CHECK(count > 50 * n);  // the samples were useless
    CHECK(count < 10 * log * n);
  }
}

TEST_CASE("sample sorts of large items need little stack", "[sample_sort]") {
  for (std::size_t n : {2, 31, 129, 3000}) check_large_items<4096>(n);
  check_large_items<40>(5000);
  check_large_items<256>(70000);
}

TEST_CASE("a segment keeps its keys if its second buffer cannot be allocated", "[segmented_sort]") {
  auto const input = inputs<std::uint32_t>(1000).front().second;
  auto keys = input;
  ordo::host_detail::encoded<std::uint32_t> const descending{{~0u, 0}, ~0u};
  auto const no_memory = []() -> records<std::uint32_t, nothing> { throw std::bad_alloc(); };
  CHECK_THROWS_AS(ordo::host_detail::sort_segment(records<std::uint32_t, nothing>{keys.data(), nullptr}, keys.size(), nullptr,
                                                  descending, no_memory, [](auto, auto) {}),
                  std::bad_alloc);
  CHECK((keys == input));
}
