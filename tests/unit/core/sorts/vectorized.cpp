#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ordo/radix_key.hpp"
#include "sort_core/algorithms/backend_sorts.hpp"
#include "sort_core/host/backend.hpp"
#include "sort_core/host/vector_selection.hpp"
#include "sort_core/host/vectorized.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/core/sorts/with_vectors.hpp"
#include "tests/unit/guarded.hpp"
#include "tests/unit/mixed.hpp"

// The CPU's vectorised sort of keys alone, with vectors of every size that the processor has, and without.
namespace {

using ordo::host_detail::network_keys;

constexpr unsigned num_patterns = 12;

/// Returns n keys of a pattern.
template <class U>
std::vector<U> keys_of(unsigned pattern, std::size_t n, std::uint64_t seed) {
  constexpr U top = U(U{1} << (8 * sizeof(U) - 1));
  std::vector<U> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    U const x = U(mixed(seed + i) >> (64 - 8 * sizeof(U)));
    U const patterns[num_patterns] = {x,
                                      U(i),
                                      U(n - i),
                                      U(7),
                                      U(x % 2 ? ~U{0} : U{0}),
                                      U(x % 3),
                                      U(top - 1 + x % 3),
                                      U(x % 16 == 0 ? x : U(5)),
                                      U(std::min(i, n - i)),
                                      U(i % 17),
                                      U(x % 8 == 0 ? top : U(top - 1)),
                                      U(~U{0} - x % 2)};
    all[i] = patterns[pattern];
  }
  return all;
}

template <class U>
std::vector<ordo::key_code<U>> codes() {
  constexpr U top = U(U{1} << (8 * sizeof(U) - 1)), all = U(~U{0});
  constexpr U rest = U(all ^ top);
  return {{}, {all, 0, 0}, {top, 0, 0}, {top, rest, 0}, {rest, rest, 0}, {top, rest, U(top >> 9)}, {0x5a, 0x3c, 9}};
}

template <class U>
std::vector<U> sorted_by(std::vector<U> keys, ordo::key_code<U> code) {
  std::sort(keys.begin(), keys.end(), [=](U a, U b) { return code.encode(a) < code.encode(b); });
  return keys;
}

template <class U>
void check(ordo::host_backend& backend, std::vector<U> const& keys, ordo::key_code<U> code) {
  guarded<ordo::host_backend, U> data(backend, keys);
  ordo::host_detail::sort_by_vectors(data.span().data(), keys.size(), code, code);
  bool const right = data.values() == sorted_by(keys, code) && data.intact();  // CHECK alone takes microseconds
  if (!right) CHECK(right);
}

template <class U>
void check_selection(ordo::host_backend& backend, std::vector<U> const& keys, std::size_t k, ordo::key_code<U> code) {
  guarded<ordo::host_backend, U> data(backend, keys);
  ordo::host_detail::select_by_vectors(data.span().data(), keys.size(), k, code);
  std::vector<U> const selected = data.values();
  auto const before = [=](U a, U b) { return code.encode(a) < code.encode(b); };
  auto const at = selected.begin() + std::ptrdiff_t(k);
  bool const right = data.intact() && sorted_by(selected, code) == sorted_by(keys, code) &&
                     std::none_of(selected.begin(), at, [&](U key) { return before(*at, key); }) &&
                     std::none_of(at, selected.end(), [&](U key) { return before(key, *at); });
  if (!right) CHECK(right);
}

template <class U>
void check_find_less(std::vector<U> const& keys, ordo::key_code<U> code) {
  constexpr U rest = U(~ordo::key_code<U>::top);
  std::size_t const n = keys.size();
  for (U const limit : {U{0}, U{1}, code.encode(keys[n / 2]), code.encode(keys[n - 1]), U(~U{0})}) {
    for (U const max_magnitude : {U(~U{0}), rest, U(rest - 1), U(keys[n / 3] & rest)}) {
      auto const found = std::find_if(keys.begin(), keys.end(),
                                      [=](U key) { return code.encode(key) < limit || (key & rest) > max_magnitude; });
      std::size_t const at = ordo::host_detail::find_less(keys.data(), n, code, limit, max_magnitude);
      if (at != std::size_t(found - keys.begin())) CHECK(at == std::size_t(found - keys.begin()));
    }
  }
}

/// Checks ordered keys, and the same with one that is a little less or greater, from several addresses on.
template <class U>
void check_ascend(std::vector<U> keys, ordo::key_code<U> code) {
  std::size_t const n = keys.size();
  keys = sorted_by(keys, code);
  bool right = true;
  auto const compare = [&] {
    for (std::size_t const skip : {0, 1, 3})
      if (skip <= n)
        right = right && ordo::host_detail::ascend_by_vectors(keys.data() + skip, n - skip, code) ==
                             ordo::host_detail::ascend_one_by_one(keys.data() + skip, n - skip, code);
  };
  compare();
  for (std::size_t const at : {std::size_t{0}, std::size_t{1}, n / 3, n / 2, n - 1}) {
    if (at >= n) continue;
    for (U const more : {U{1}, U(~U{0})}) {
      U const key = std::exchange(keys[at], code.decode(U(code.encode(keys[at]) + more)));
      compare();
      keys[at] = key;
    }
  }
  if (!right) CHECK(right);
}

std::vector<std::size_t> all_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n <= 300; ++n) sizes.push_back(n);
  for (std::size_t n : {511, 512, 513, 600, 1000, 1023, 2047, 2048, 2049, 4099, 20'000, 100'001}) sizes.push_back(n);
  return sizes;
}

/// Checks selections, searches for small codes, and tests of order.
template <class U>
void check_selections() {
  ordo::host_backend backend(1);
  auto const all = codes<U>();
  for (std::size_t bytes : vector_sizes) {
    with_vectors const limit(bytes);
    INFO(bytes << " bytes");
    for (std::size_t n : all_sizes()) {
      INFO(n);
      for (unsigned pattern = 0; n != 0 && pattern < num_patterns; ++pattern) {
        auto const keys = keys_of<U>(pattern, n, 1000 * n);
        auto const code = all[(n + pattern) % all.size()];
        check_selection(backend, keys, (n * (pattern + 1) / 3 + pattern) % n, code);
        check_find_less(keys, code);
        check_ascend(keys, code);
      }
    }
  }
}

template <class U>
void check_sizes() {
  ordo::host_backend backend(1);
  std::vector<std::size_t> const sizes = all_sizes();
  for (std::size_t bytes : vector_sizes) {
    with_vectors const limit(bytes);
    INFO(bytes << " bytes, network of " << network_keys(sizeof(U)));
    for (std::size_t n : sizes) {
      INFO(n);
      auto const all = codes<U>();
      for (unsigned pattern = 0; pattern < num_patterns; ++pattern)
        check(backend, keys_of<U>(pattern, n, 1000 * n), all[(n + pattern) % all.size()]);
    }
  }
}

}  // namespace

TEST_CASE("vectors sort keys of every number and pattern", "[core][vectorized]") {
  check_sizes<std::uint32_t>();
  check_sizes<std::uint64_t>();
}

TEST_CASE("vectors select keys of every number and pattern", "[core][vectorized]") {
  check_selections<std::uint32_t>();
  check_selections<std::uint64_t>();
}

TEST_CASE("keys are sorted after the last partition that is allowed", "[core][vectorized]") {
  ordo::host_backend backend(1);
  for (std::size_t bytes : vector_sizes) {
    for (unsigned partitions : {0u, 1u, 3u}) {
      with_vectors const limit(bytes, partitions);
      for (std::size_t n : {257, 1000, 30'000}) {
        for (unsigned pattern = 0; pattern < num_patterns; ++pattern) {
          check(backend, keys_of<std::uint32_t>(pattern, n, n), codes<std::uint32_t>()[3]);
          check(backend, keys_of<std::uint64_t>(pattern, n, n), codes<std::uint64_t>()[4]);
          check_selection(backend, keys_of<std::uint32_t>(pattern, n, n), n / 3, codes<std::uint32_t>()[3]);
          check_selection(backend, keys_of<std::uint64_t>(pattern, n, n), n - 1, codes<std::uint64_t>()[4]);
        }
      }
    }
  }
}

TEST_CASE("vectors sort keys of every pattern on several threads", "[core][vectorized]") {
  ordo::host_backend backend(1);
  auto const check_type = [&]<class U>(U) {
    constexpr std::size_t part = std::size_t{1} << 15;  // the least that a thread partitions
    auto const all_codes = codes<U>();
    for (unsigned const threads : {1u, 2u, 7u})
      for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{300}, part, 2 * part, 3 * part + 77})
        for (unsigned pattern = 0; pattern < num_patterns; ++pattern) {
          INFO(threads << " threads, " << n << " keys of " << 8 * sizeof(U) << " bits, pattern " << pattern);
          auto const code = all_codes[(pattern + threads) % all_codes.size()];
          auto const keys = keys_of<U>(pattern, n, n);
          guarded<ordo::host_backend, U> data(backend, keys);
          ordo::host_detail::sort_by_vectors_on(threads, data.span().data(), n, code, code);
          bool const right = data.values() == sorted_by(keys, code) && data.intact();
          if (!right) CHECK(right);
        }
  };
  for (std::size_t const bytes : {16, 64}) {
    with_vectors const limit(bytes);
    check_type(std::uint32_t{});
  }
  with_vectors const limit(64, 2);
  check_type(std::uint64_t{});
}

TEST_CASE("a code may be written that is not the key's", "[core][vectorized]") {
  auto keys = keys_of<std::uint32_t>(0, 1000, 1);
  auto const code = ordo::radix_key<float>::code;
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  for (auto& key : expected) key = code.decode(key);
  ordo::host_detail::sort_by_vectors(keys.data(), keys.size(), {}, code);
  CHECK(keys == expected);
}

TEST_CASE("whole arrays, segments and arrays of keys have the same bytes for any vectors and threads", "[core][vectorized]") {
  std::size_t const n = 360'001;  // for all threads, as a whole and as segments
  std::vector<std::uint32_t> const offsets{0, 0, 1, 3, 10, 42, 170, 427, 1500, 1500, 70'000, 350'000, 359'990};
  auto const check_type = [&]<class K>(K) {
    using U = typename ordo::radix_key<K>::type;
    for (unsigned pattern : {0u, 2u, 5u, 7u}) {
      auto const bits = keys_of<U>(pattern, n, pattern);
      std::vector<K> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = std::bit_cast<K>(bits[i]);
      auto const before = [](K a, K b) { return ordo::radix_key<K>::encode(a) < ordo::radix_key<K>::encode(b); };
      auto whole = keys, parts = keys;
      std::sort(whole.begin(), whole.end(), before);
      std::vector<std::uint8_t> heads(n, 9);
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        std::sort(parts.begin() + offsets[s], parts.begin() + offsets[s + 1], before);
        for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) heads[i] = i == offsets[s] || before(parts[i - 1], parts[i]);
      }
      auto const same = [](std::vector<K> const& a, std::vector<K> const& b) {
        return std::equal(a.begin(), a.end(), b.begin(), [](K x, K y) { return std::bit_cast<U>(x) == std::bit_cast<U>(y); });
      };
      for (std::size_t bytes : vector_sizes) {
        for (unsigned threads : {1u, 2u, 7u}) {
          INFO(pattern << ", " << bytes << " bytes, " << threads << " threads");
          with_vectors const limit(bytes);
          ordo::host_backend backend(threads);
          auto const segments = ordo::segments_from_offsets(std::span<std::uint32_t const>(offsets));
          auto sorted = keys;
          ordo::sort_keys(backend, std::span(sorted));
          CHECK(same(sorted, whole));
          sorted = keys;
          std::vector<std::uint8_t> written(n, 9);
          ordo::sort_segments(backend, std::span(sorted), std::span<std::uint32_t>(), segments, written);
          CHECK(same(sorted, parts));
          CHECK(written == heads);
          sorted = keys;
          ordo::sort_arrays(backend, std::span(sorted), std::span<std::uint32_t>(), segments);
          CHECK(same(sorted, parts));
        }
      }
    }
  };
  check_type(float{});
  check_type(std::uint32_t{});
  check_type(std::int64_t{});
}

TEST_CASE("a sort by some bits leaves keys in order that differ in others", "[core][vectorized]") {
  std::size_t const n = 100'000;
  auto const keys = keys_of<std::uint32_t>(0, n, 3);
  for (ordo::bit_range const bits : {ordo::bit_range{0, 31}, ordo::bit_range{1, 32}, ordo::bit_range{8, 24}}) {
    std::uint32_t const mask = ordo::detail::bit_mask<std::uint32_t>(bits);
    auto expected = keys, sorted = keys;
    std::stable_sort(expected.begin(), expected.end(), [=](auto a, auto b) { return (a & mask) < (b & mask); });
    ordo::host_backend backend;
    backend.radix_sort(std::span(sorted), bits);
    CHECK(sorted == expected);
    sorted = keys;
    ordo::sort_segments(backend, std::span(sorted), std::span<std::uint32_t>(), ordo::uniform_segments(1, n), {}, bits);
    CHECK(sorted == expected);
  }
}

namespace {

template <class V>
void check_pairs(ordo::host_backend& backend, std::vector<std::uint32_t> const& keys, ordo::key_code<std::uint32_t> code,
                 ordo::bit_range bits) {
  std::uint32_t const mask = ordo::detail::bit_mask<std::uint32_t>(bits);
  std::vector<std::uint32_t> order(keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::uint32_t(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return (code.encode(keys[a]) & mask) < (code.encode(keys[b]) & mask); });
  std::vector<std::uint32_t> expected_keys;
  std::vector<V> values(keys.size()), expected_values;
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = V(i * 3);
  for (std::uint32_t const i : order) {
    expected_keys.push_back(keys[i]);
    expected_values.push_back(values[i]);
  }
  guarded<ordo::host_backend, std::uint32_t> sorted_keys(backend, keys), segment_keys(backend, keys);
  guarded<ordo::host_backend, V> sorted_values(backend, values), segment_values(backend, values);
  backend.radix_sort(sorted_keys.span(), sorted_values.span(), bits, code);
  ordo::segment_list<std::uint32_t> const one{{}, {}, keys.size(), keys.size(), 1};
  backend.segmented_sort(segment_keys.span(), segment_values.span(), one, {}, bits, code);
  bool const right = sorted_keys.values() == expected_keys && sorted_values.values() == expected_values &&
                     segment_keys.values() == expected_keys && segment_values.values() == expected_values &&
                     sorted_keys.intact() && sorted_values.intact() && segment_keys.intact() && segment_values.intact();
  if (!right) CHECK(right);
}

}  // namespace

TEST_CASE("Few records of 32-bit keys and values are sorted stably, with and without vectors", "[vectorized]") {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= 40; ++n) sizes.push_back(n);
  for (std::size_t const n : {63u, 64u, 65u, 100u, 255u, 256u, 300u, 510u, 511u, 512u, 600u, 1000u}) sizes.push_back(n);
  for (std::size_t const bytes : vector_sizes) {
    with_vectors const limited(bytes);
    ordo::host_backend backend(1);
    for (std::size_t const n : sizes)
      for (unsigned pattern = 0; pattern < num_patterns; ++pattern) {
        auto const keys = keys_of<std::uint32_t>(pattern, n, n);
        for (auto const& code : codes<std::uint32_t>()) {
          check_pairs<std::uint32_t>(backend, keys, code, {0, 32});
          check_pairs<std::uint64_t>(backend, keys, code, {3, 20});
        }
      }
  }
}
