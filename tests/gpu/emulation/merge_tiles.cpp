#include "tests/gpu/emulation/machine.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "sort_core/cuda/kernels/merge_tiles.cuh"
#include "sort_core/operations/merge.hpp"
#include "tests/unit/catch.hpp"

// The merge of two sorted arrays by tiles.
namespace {

/// @tparam Word  of values of `words` words; no values if there are none
/// @param shared  keys share codes: 0 and that of the top bit alone have one, and so do those of a magnitude above 1000
template <class K, class Word>
void check_merge(std::size_t n, std::size_t m, std::uint64_t distinct, bool descending, std::size_t words,
                 bool shared = false) {
  INFO(n << " and " << m << " keys of " << sizeof(K) << " bytes, " << distinct << " distinct, " << words << " words");
  using storage = ordo::cuda_detail::merge_storage<K>;
  std::mt19937_64 random(n * 31 + m);
  ordo::key_code<K> const code{descending ? K(~K{0}) : K{0}, K{0}, K{0}};
  ordo::detail::code_at<K> codes{nullptr, code, K(~K{0}), K{0}, K(~K{0})};
  constexpr K top = ordo::key_code<K>::top;
  if (shared) codes.max_magnitude = 1000, codes.minus_zero = top;
  auto const encode = [&](K key) {
    ordo::detail::code_at<K> of_key = codes;
    of_key.keys = &key;
    return of_key(0);
  };
  auto const less = [&](K a, K b) { return encode(a) < encode(b); };
  auto const make = [&](std::size_t count) {
    std::vector<K> keys(count);
    for (K& key : keys) key = K(random() % distinct) ^ (shared && random() % 2 == 0 ? top : K{0});
    std::stable_sort(keys.begin(), keys.end(), less);
    return keys;
  };
  std::vector<K> const a = make(n), b = make(m);
  std::vector<std::pair<K, std::size_t>> expected;  // with the places in both arrays, one after the other
  for (std::size_t i = 0; i < n; ++i) expected.emplace_back(a[i], i);
  for (std::size_t i = 0; i < m; ++i) expected.emplace_back(b[i], n + i);
  std::stable_sort(expected.begin(), expected.end(), [&](auto const& x, auto const& y) { return less(x.first, y.first); });

  emulation::machine machine;
  auto const keys_a = machine.buffer<K>(n), keys_b = machine.buffer<K>(m), out = machine.buffer<K>(n + m);
  auto const values_a = machine.buffer<Word>(n * words), values_b = machine.buffer<Word>(m * words),
             values = machine.buffer<Word>((n + m) * words);
  std::copy(a.begin(), a.end(), keys_a.data());
  std::copy(b.begin(), b.end(), keys_b.data());
  for (std::size_t i = 0; i < (n + m) * words; ++i)
    (i < n * words ? values_a.data()[i] : values_b.data()[i - n * words]) = Word(i);
  std::size_t const tiles = (n + m + storage::tile - 1) / storage::tile;
  auto const splits = machine.buffer<std::uint64_t>(tiles + 1);
  ordo::detail::sorted_arrays<K> from{codes, codes, n, m};
  from.a.keys = keys_a.data();
  from.b.keys = keys_b.data();
  ordo::detail::split_at<K> const split{from, storage::tile, splits.data()};
  for (std::size_t p = 0; p <= tiles; ++p) split(p);
  using work = ordo::detail::merge_work<K, Word>;
  work const all{from,  values_a.data(), values_b.data(), out.data(), words != 0 ? values.data() : nullptr,
                 words, splits.data()};
  emulation::run(unsigned(tiles), storage::threads, sizeof(storage),
                 [&] { ordo::cuda_detail::merge_tiles<K, work>(all); });
  for (std::size_t i = 0; i < n + m; ++i) {
    REQUIRE(out.data()[i] == expected[i].first);
    for (std::size_t w = 0; w < words; ++w) REQUIRE(values.data()[i * words + w] == Word(expected[i].second * words + w));
  }
}

}  // namespace

TEST_CASE("emulation: two sorted arrays are merged by tiles", "[emulation]") {
  for (auto const& [n, m] : {std::pair<std::size_t, std::size_t>{1, 0},
                             {0, 1},
                             {15, 16},
                             {5000, 0},
                             {0, 5000},
                             {3840, 3840},
                             {2000, 9000},
                             {9001, 17}})
    for (std::uint64_t const distinct : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1} << 40}) {
      check_merge<std::uint32_t, std::uint32_t>(n, m, distinct, false, 0);
      check_merge<std::uint32_t, std::uint64_t>(n, m, distinct, true, 1);
      check_merge<std::uint64_t, std::uint32_t>(n, m, distinct, false, 3);
      check_merge<std::uint32_t, std::uint32_t>(n, m, 1 + distinct % 2000, false, 1, true);
    }
  check_merge<std::uint8_t, std::uint16_t>(4000, 3000, 256, true, 1);
  check_merge<std::uint16_t, std::uint8_t>(4000, 3000, 900, false, 5);
}
