#include "tests/gpu/emulation/machine.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sort_core/cuda/kernels/select_smallest.cuh"
#include "tests/unit/catch.hpp"

// Selection of candidates for the first k items of each segment.
namespace {

template <class K>
struct plain_code {
  K const* keys;
  K operator()(std::size_t i) const { return keys[i]; }
};

template <class K, class Position>
void check_selection(std::vector<std::size_t> const& lengths, std::vector<K> const& keys, std::uint32_t k,
                     std::uint32_t capacity) {
  INFO("k " << k << ", capacity " << capacity << ", " << lengths.size() << " segments, the first of " << lengths.front());
  std::size_t const count = lengths.size();
  std::vector<std::uint32_t> begins, ends;
  std::uint32_t at = 0;
  for (std::size_t const length : lengths) {
    begins.push_back(at);
    ends.push_back(at += std::uint32_t(length));
    ++at;  // a hole
  }
  REQUIRE(at <= keys.size());
  emulation::machine machine;
  auto const there = machine.buffer<K>(keys.size());
  std::copy(keys.begin(), keys.end(), there.data());
  auto const rows = machine.buffer<Position>(count * capacity);
  auto const row_ends = machine.buffer<std::uint64_t>(count);
  using storage = ordo::cuda_detail::select_storage;
  ordo::segment_list<std::uint32_t> const segments{std::span<std::uint32_t const>(begins),
                                                   std::span<std::uint32_t const>(ends)};
  ordo::cuda_detail::launch<ordo::cuda_detail::select_smallest_by_warps<plain_code<K>, std::uint32_t, Position>>(
      machine.kernels(), 2, 64, 0, plain_code<K>{there.data()}, segments, k, capacity, rows.data(), row_ends.data());
  ordo::cuda_detail::launch<ordo::cuda_detail::select_smallest<plain_code<K>, std::uint32_t, Position>>(
      machine.kernels(), unsigned(count), storage::threads, sizeof(storage), plain_code<K>{there.data()}, segments, k, capacity,
      rows.data(), row_ends.data());
  for (std::size_t s = 0; s < count; ++s) {
    Position const* const row = rows.data() + s * capacity;
    std::size_t const chosen = row_ends.data()[s] - s * capacity, wanted = std::min<std::size_t>(k, lengths[s]);
    REQUIRE(chosen >= wanted);
    REQUIRE(chosen <= capacity);
    REQUIRE(std::adjacent_find(row, row + chosen, std::greater_equal<>()) == row + chosen);
    std::vector<Position> all(lengths[s]);
    std::iota(all.begin(), all.end(), Position(begins[s]));
    std::stable_sort(all.begin(), all.end(), [&](Position a, Position b) { return keys[a] < keys[b]; });
    if (k == capacity) REQUIRE(chosen == wanted);
    for (std::size_t i = 0; i < wanted; ++i) REQUIRE(std::binary_search(row, row + chosen, all[i]));
  }
}

template <class K, class Position>
void check_keys(std::uint64_t mask) {
  std::mt19937_64 random(mask + sizeof(K));
  for (auto const& lengths : std::vector<std::vector<std::size_t>>{{0, 1, 31, 32, 33, 255, 256, 257, 500, 511, 512, 513},
                                                                   {1023, 1024, 1025, 999},
                                                                   {4000, 3, 1025, 700, 0, 2048},
                                                                   {9999}}) {
    std::vector<K> keys(std::accumulate(lengths.begin(), lengths.end(), lengths.size()));
    for (K& key : keys) key = K(random() & mask);
    for (std::uint32_t const k : {1, 30, 128, 256}) check_selection<K, Position>(lengths, keys, k, 256);
    check_selection<K, Position>(lengths, keys, 150, 150);  // no more than the first k
    check_selection<K, Position>(lengths, keys, 1, 1);
    check_selection<K, Position>(lengths, keys, 400, 1024);
    std::sort(keys.begin(), keys.end());
    check_selection<K, Position>(lengths, keys, 100, 256);
    std::reverse(keys.begin(), keys.end());
    check_selection<K, Position>(lengths, keys, 100, 256);
  }
}

}  // namespace

TEST_CASE("select_smallest keeps the first k items of a stable sort") {
  check_keys<std::uint32_t, std::uint32_t>(0xffffffff);
  check_keys<std::uint32_t, std::uint64_t>(0xff);
  check_keys<std::uint32_t, std::uint32_t>(0x80000003);
  check_keys<std::uint32_t, std::uint32_t>(0);
  check_keys<std::uint8_t, std::uint32_t>(0xff);
  check_keys<std::uint16_t, std::uint32_t>(0x7ff);
  check_keys<std::uint64_t, std::uint32_t>(~std::uint64_t{0});
  check_keys<std::uint64_t, std::uint32_t>(0xffff00000000000f);
}
