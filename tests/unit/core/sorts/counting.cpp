#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "ordo/radix_key.hpp"
#include "sort_core/host/backend.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/core/sorts/with_vectors.hpp"
#include "tests/unit/guarded.hpp"
#include "tests/unit/mixed.hpp"

// The CPU's sorts of keys of 8 and 16 bits, and of wider ones of few values, around the numbers of items and values at which
// they change their method.
namespace {

constexpr unsigned num_patterns = 7;

template <class K>
std::vector<K> keys_of(unsigned pattern, std::size_t n) {
  std::vector<K> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    K const x = K(mixed(n + i));
    K const patterns[num_patterns] = {x, K(i), K(n - i), K(7), K(x % 3), K(x & 0xf0), K(x % 16 == 0 ? x : 200)};
    all[i] = patterns[pattern];
  }
  return all;
}

template <class K>
std::vector<ordo::key_code<K>> codes() {
  constexpr K top = ordo::key_code<K>::top, all = K(~K{0}), rest = K(all ^ top);
  return {{}, {all, 0, 0}, {top, 0, 0}, {top, rest, 0}, {top, rest, K(top >> 4)}};
}

template <class K, class V>
void check(ordo::host_backend& backend, std::vector<K> const& keys, ordo::key_code<K> code, ordo::bit_range bits) {
  std::size_t const n = keys.size();
  K const mask = ordo::detail::bit_mask<K>(ordo::detail::clipped<K>(bits));
  auto const before = [&](auto a, auto b) { return K(code.encode(keys[a]) & mask) < K(code.encode(keys[b]) & mask); };
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), before);
  std::vector<K> sorted(n), sorted_codes(n);
  std::vector<V> numbers(n), sorted_values(n);
  for (std::size_t i = 0; i < n; ++i) {
    numbers[i] = V(3 * i);
    sorted[i] = keys[order[i]];
    sorted_codes[i] = K(code.encode(sorted[i]));
    sorted_values[i] = V(3 * order[i]);
  }
  using array = guarded<ordo::host_backend, K>;
  using values = guarded<ordo::host_backend, V>;
  std::vector<K> const blank(n);
  array alone(backend, keys), apart(backend, blank), of_pairs(backend, keys), pairs_apart(backend, blank),
      codes(backend, blank);
  values moved(backend, numbers), moved_apart(backend, std::vector<V>(n)), index(backend, std::vector<V>(n));
  backend.radix_sort(alone.span(), bits, code);
  backend.radix_sort_copy(std::span<K const>(keys), apart.span(), bits, code);
  backend.radix_sort(of_pairs.span(), moved.span(), bits, code);
  backend.radix_sort_copy(std::span<K const>(keys), pairs_apart.span(), std::span<V const>(numbers), moved_apart.span(), bits,
                          code);
  backend.argsort(
      n, [&](std::size_t i) { return code.encode(keys[i]); }, codes.span(), index.span(), bits);
  for (array const* result : {&alone, &apart, &of_pairs, &pairs_apart}) {
    bool const right = result->values() == sorted && result->intact();  // CHECK alone takes microseconds
    if (!right) CHECK(right);
  }
  for (values const* result : {&moved, &moved_apart}) {
    bool const right = result->values() == sorted_values && result->intact();
    if (!right) CHECK(right);
  }
  auto const positions = index.values();
  bool right = codes.values() == sorted_codes && codes.intact() && index.intact();
  for (std::size_t i = 0; i < n; ++i) right = right && positions[i] == V(order[i]);
  if (!right) CHECK(right);
}

template <class K, class V>
void check_sizes() {
  constexpr unsigned width = 8 * sizeof(K);
  for (unsigned threads : {1u, 2u}) {
    ordo::host_backend backend(threads);
    for (std::size_t bytes : vector_sizes) {
      with_vectors const limit(bytes);
      for (std::size_t n :
           {0, 1, 2, 13, 14, 32, 33, 128, 129, 257, 510, 511, 512, 513, 1000, 65'535, 65'536, 65'537, 300'000}) {
        if (n > 1000 && (threads == 1) != (bytes == 64)) continue;  // the vectors do not matter there
        INFO(width << " bits, vectors of " << bytes << " bytes, " << threads << " threads, " << n);
        auto const all = codes<K>();
        for (unsigned pattern = 0; pattern < num_patterns; ++pattern) {
          auto const keys = keys_of<K>(pattern, n);
          check<K, V>(backend, keys, all[(n + pattern) % all.size()], {});
          ordo::bit_range const bits[] = {{0, width - 2}, {1, width}, {3, 3}, {2, 6}, {width - 4, width}};
          check<K, V>(backend, keys, all[pattern % all.size()], bits[(n + pattern) % 5]);
        }
      }
    }
  }
}

/// Returns keys of some values in random order.
template <class K>
std::vector<K> keys_among(std::vector<K> const& values, std::size_t n) {
  std::vector<K> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = values[mixed(n + i) % values.size()];
  return all;
}

/// Returns values for which a search begins at the same place of the table.
template <class K>
std::vector<K> values_of_one_slot(std::size_t count) {
  using table = ordo::host_detail::distinct_codes<K>;
  std::vector<K> all;
  for (std::uint64_t i = 0; all.size() != count; ++i)
    if (K const value = K(mixed(i)); table::home(value) + 1 == table::slots) all.push_back(value);  // goes on at the first
  return all;
}

template <class K, class V>
void check_few_values() {
  using ordo::host_detail::max_distinct;
  auto const random = [](std::size_t count) {
    std::vector<K> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = K(mixed(i));
    return all;
  };
  auto const all_codes = codes<K>();
  for (unsigned threads : {1u, 3u}) {
    ordo::host_backend backend(threads);
    std::vector<std::size_t> const sizes =
        threads == 1 ? std::vector<std::size_t>{16'383, 16'384} : std::vector<std::size_t>{32'767, 32'768, 65'537};
    for (std::size_t n : sizes) {
      INFO(8 * sizeof(K) << " bits, " << threads << " threads, " << n);
      for (std::size_t count : {std::size_t{2}, std::size_t{90}, max_distinct - 1, max_distinct, max_distinct + 1}) {
        auto keys = keys_among(random(count), n);
        check<K, V>(backend, keys, all_codes[(n + count) % all_codes.size()], {});
        if (count == max_distinct) check<K, V>(backend, keys, {}, {1, 8 * sizeof(K)});  // not all bits: another sort
      }
      // Values that no sample has seen, in one block or at the end of all.
      auto keys = keys_among(random(3), n);
      for (std::size_t i = 0; i < 2 * max_distinct; ++i) keys[n / 2 + i] = K(mixed(1000 + i));
      check<K, V>(backend, keys, {}, {});
      keys = keys_among(random(3), n);
      for (std::size_t i = 0; i < max_distinct; ++i) keys[n - 1 - i * (n / max_distinct)] = K(mixed(1000 + i));
      check<K, V>(backend, keys, {}, {});
      keys = keys_among(random(100), n);
      keys.back() = 0;
      check<K, V>(backend, keys, {}, {});
      for (std::size_t count : {8, 9, 20}) check<K, V>(backend, keys_among(values_of_one_slot<K>(count), n), {}, {});
    }
  }
}

}  // namespace

TEST_CASE("wide keys of few values are sorted by counting", "[core][counting]") {
  check_few_values<std::uint32_t, std::uint64_t>();
  check_few_values<std::uint64_t, std::uint32_t>();
}
TEST_CASE("keys of 8 bits are sorted by counting", "[core][counting]") {
  check_sizes<std::uint8_t, std::uint64_t>();
}
TEST_CASE("keys of 16 bits are sorted by counting", "[core][counting]") {
  check_sizes<std::uint16_t, std::uint32_t>();
}
