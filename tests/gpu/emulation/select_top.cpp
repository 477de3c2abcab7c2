#include "tests/gpu/emulation/machine.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sort_core/cuda/top_items.cuh"
#include "tests/unit/catch.hpp"

// The first k items of each segment, against a stable sort of positions.
namespace {

template <class K>
struct code_of_key {
  K const* keys;
  K operator()(std::size_t i) const { return keys[i]; }
};

struct write_position {
  std::uint64_t* to;
  std::size_t count;
  void operator()(std::size_t at, std::size_t position, std::size_t) const {
    if (at >= count || to[at] != ~std::uint64_t{0}) throw std::logic_error("written twice, or outside");
    to[at] = position;
  }
};

template <class K>
void check_top(std::vector<std::size_t> const& lengths, std::vector<K> const& keys, std::uint32_t k, bool sorted,
               ordo::cuda_detail::top_plan plan) {
  INFO("k " << k << ", " << lengths.size() << " segments, the first of " << lengths.front() << ", slices " << plan.slices
            << ", room " << plan.room << ", of a warp " << plan.warp_room << (sorted ? ", sorted" : ""));
  std::size_t const count = lengths.size();
  plan.count = count;
  std::vector<std::uint32_t> begins, ends;
  std::uint32_t at = 0;
  for (std::size_t const length : lengths) {
    begins.push_back(at);
    ends.push_back(at += std::uint32_t(length));
    ++at;  // a hole
  }
  REQUIRE(at - 1 <= keys.size());
  emulation::machine machine;
  auto const there = machine.buffer<K>(keys.size());
  std::copy(keys.begin(), keys.end(), there.data());
  std::vector<std::uint64_t> places(count * k, ~std::uint64_t{0});
  ordo::segment_list<std::uint32_t> const segments{std::span<std::uint32_t const>(begins),
                                                   std::span<std::uint32_t const>(ends)};
  ordo::cuda_detail::select_top_items<K>(machine, code_of_key<K>{there.data()}, segments, plan, k, sorted,
                                         write_position{places.data(), places.size()});
  for (std::size_t s = 0; s < count; ++s) {
    std::vector<std::uint64_t> all(lengths[s]);
    std::iota(all.begin(), all.end(), std::uint64_t{begins[s]});
    std::stable_sort(all.begin(), all.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    all.resize(std::min<std::size_t>(k, lengths[s]));
    if (!sorted) std::sort(all.begin(), all.end());
    all.resize(k, ~std::uint64_t{0});
    REQUIRE(std::equal(all.begin(), all.end(), places.begin() + std::ptrdiff_t(s * k)));
  }
}

template <class K>
void check_keys(std::uint64_t mask) {
  INFO("keys of " << sizeof(K) << " bytes, mask " << mask);
  std::mt19937_64 random(mask + sizeof(K));
  auto const draw = [&](std::vector<std::size_t> const& lengths) {
    std::vector<K> keys(std::accumulate(lengths.begin(), lengths.end(), lengths.size()));
    for (K& key : keys) key = K(random() & mask);
    return keys;
  };
  std::vector<std::size_t> const few{0, 1, 31, 32, 33, 200, 255, 256, 257, 500, 511, 512}, more{1023, 40, 1024, 0, 999};
  for (auto const& lengths : {few, more}) {
    if (sizeof(K) == 8 && lengths == more) continue;  // longer than warps take
    auto const keys = draw(lengths);
    for (std::uint32_t const k : {1, 16, 17, 50, 64})
      check_top(lengths, keys, k, k % 2 == 0, {.warp_room = std::max(std::bit_ceil(2 * k), 32u), .few = false});
    if (lengths == few) {
      std::vector<std::size_t> const short_ones(few.begin(), few.begin() + 8);  // of at most 256 items
      for (std::uint32_t const k : {2, 32}) check_top(short_ones, keys, k, k % 2 == 0, {.warp_room = 2 * k + 28, .few = true});
    }
  }
  std::vector<std::size_t> const mixed{3, 9000, 0, 1025, 4096, 4097, 30000};
  auto keys = draw(mixed);
  check_top(mixed, keys, 5, true, {.warp_room = 32, .slices = 3, .room = 64, .fan = 3});
  check_top(mixed, keys, 100, false, {.slices = 1, .room = 256});
  check_top(mixed, keys, 256, true, {.slices = 1, .room = 512, .few = true});
  check_top(mixed, keys, 50, false, {.warp_room = 128, .slices = 3, .room = 128, .fan = 3, .few = true});
  check_top(mixed, keys, 900, true, {.slices = 2, .room = 2048, .fan = 2});
  std::vector<std::size_t> const one{65000};
  keys = draw(one);
  check_top(one, keys, 2048, true, {.slices = 4, .room = 2048, .fan = 2});
  check_top(one, keys, 64, false, {.slices = 7, .room = 64, .fan = 3});
  check_top(one, keys, 20, true, {.slices = 1, .room = 256});
  for (std::size_t i = 20000; i < keys.size(); ++i) keys[i] = K(keys[i] / 2);  // many that the first tiles do not promise
  check_top(one, keys, 20, true, {.slices = 1, .room = 256});
  std::sort(keys.begin(), keys.end(), std::greater<>());
  check_top(one, keys, 30, true, {.slices = 1, .room = 64});
}

}  // namespace

TEST_CASE("select_top writes the first k items of a stable sort") {
  check_keys<std::uint32_t>(0xffffffff);
  check_keys<std::uint32_t>(0x80000003);
  check_keys<std::uint8_t>(0xff);
  check_keys<std::uint16_t>(0);
  check_keys<std::uint64_t>(~std::uint64_t{0});
  check_keys<std::uint64_t>(0xffff00000000000f);
}

TEST_CASE("plans of the first k items: which segments are selected from, and which are sorted") {
  using ordo::cuda_detail::top_plan;
  auto const plan = [](std::size_t segments, std::size_t longest, std::size_t k, bool uniform = true, std::size_t n = 0) {
    return top_plan::suiting(4, n == 0 ? segments * longest : n, segments, longest, uniform, k);
  };
  CHECK(!plan(1, 1'000'000, 0).possible());
  CHECK(!plan(1, 1'000'000, 2049).possible());
  CHECK(plan(1, 1'000'000, 2048).slices == 123);
  CHECK(plan(1, 100'000'000, 10).slices == 264);
  CHECK(plan(64, 131072, 50).slices == 4);
  CHECK(plan(64, 131072, 50).fan == 4);
  CHECK(plan(1, 100'000'000, 1000).fan == 17);
  CHECK(plan(1, 100'000'000, 1000).lists() == 17);
  CHECK(plan(10'000, 10'000, 100).slices == 1);
  CHECK(plan(10'000, 10'000, 100).lists() == 0);
  CHECK(plan(10'000, 10'000, 100).few);
  CHECK(!plan(10'000, 10'000, 257).few);
  CHECK(!plan(1000, 10'000, 100).few);
  CHECK(!plan(10'000, 100'000, 100).few);
  CHECK(plan(10'000, 256, 8).warp_room == 32);
  CHECK(plan(10'000, 256, 8).slices == 0);
  CHECK(!plan(10'000, 256, 65).possible());
  CHECK(!plan(10'000, 10, 6).possible());
  CHECK(plan(10'000, 1024, 65).slices == 1);
  CHECK(top_plan::suiting(8, 10'000'000, 10'000, 1000, true, 8).slices == 0);
  CHECK(!plan(100, 2000, 251).possible());
  CHECK(plan(100, 2000, 8, false).warp_room == 32);
  CHECK(plan(100, 2000, 8, false).slices == 1);
  CHECK(plan(100, 2000, 65, false).warp_room == 0);
  CHECK(!plan(1000, 100'000'000, 8, false, 100'000'000).possible());  // one segment may have all items
  CHECK(!plan(1, std::size_t{1} << 31, 8).possible());
}
