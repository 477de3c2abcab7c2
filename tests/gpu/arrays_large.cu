#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/machine.hpp"
#include "sort_core/algorithms/backend_sorts.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/cuda/backend.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/core/sorts/large_keys.hpp"
#include "tests/unit/mixed.hpp"

// Arrays that no block holds, some hundred million items in total: several steps of the window, arrays across the ends of
// steps, and arrays larger than a step, which must be merged. Keys are a function of their original position, so that results
// can be checked on the device.
namespace {

/// Returns 1 if an item is out of order, or its value is not of this array or not of this key.
template <class K, class V>
struct misplaced {
  large_key<K> key;
  ordo::key_code<K> code;
  K const* keys;
  V const* values;
  std::size_t length;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    if (values && (key(values[i]) != keys[i] || values[i] / length != i / length)) return 1;
    return i % length != 0 && code.encode(keys[i - 1]) > code.encode(keys[i]);
  }
};

/// Returns a checksum of an array that does not depend on the order of its items.
template <class K, class V>
struct mixed_item {
  large_key<K> key;
  K const* keys;  // null for the original keys
  V const* values;
  std::size_t length;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    std::uint64_t const held = keys ? keys[i] : key(i), with = values ? keys ? values[i] : V(i) : V(0);
    return mixed(mixed(held + 1) + 3 * with + mixed(i / length));
  }
};

/// How the arrays are passed, and whether they are sorted in place or with a second copy.
enum class way { offsets, one_length, copying };

template <class K, class V, bool Pairs>
void check(ordo::cuda_backend& backend, std::size_t count, std::size_t length, key_kind what, way method) {
  INFO(count << " arrays of " << length << " keys of " << sizeof(K) << " bytes, " << (Pairs ? sizeof(V) : 0)
             << " of values, kind " << int(what) << ", way " << int(method));
  std::size_t const n = count * length;
  large_key<K> const key{what};
  ordo::key_code<K> const code = code_of_large<K>(what);
  auto keys = backend.buffer<K>(n);
  auto values = backend.buffer<V>(Pairs ? n : 0);
  V* const v = Pairs ? values.data() : nullptr;
  backend.each(n, fill_large<K, V>{key, keys.data(), v});
  std::uint64_t const before = backend.reduce(n, mixed_item<K, V>{key, nullptr, v, length}, std::uint64_t{}, ordo::plus{});
  std::vector<std::uint64_t> offsets;
  for (std::size_t s = 0; s <= count; ++s) offsets.push_back(s * length);
  auto const there = backend.upload(std::span<std::uint64_t const>(offsets));
  std::size_t const base = backend.pool().in_use();
  if (method == way::copying)
    backend.segmented_sort(keys.span(), values.span(), ordo::uniform_segments(count, length), {}, {}, code);
  else if (method == way::one_length)
    backend.array_sort(keys.span(), values.span(), ordo::uniform_segments(count, length), code);
  else
    backend.array_sort(keys.span(), values.span(), ordo::segments_from_offsets(there.span()), code);
  CHECK(backend.pool().in_use() == base);
  CHECK(backend.reduce(n, misplaced<K, V>{key, code, keys.data(), v, length}, std::uint64_t{}, ordo::plus{}) == 0);
  CHECK(backend.reduce(n, mixed_item<K, V>{key, keys.data(), v, length}, std::uint64_t{}, ordo::plus{}) == before);
}

}  // namespace

TEST_CASE("array sorts of the GPU: arrays of millions", "[cuda][array_sort]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  constexpr std::size_t step = std::size_t{1} << 24;  // for 32-bit keys; half of it for pairs of 8 bytes, a quarter for 16
  struct shape {
    std::size_t count, length;
  };
  for (shape const of : {shape{1, 5 * step + 7}, shape{2, 2 * step}, shape{3, step + 1}, shape{5, step - 1}, shape{9, step / 2},
                         shape{1000, 70001}, shape{3000, 24577}})
    for (key_kind what : {key_kind::uniform, key_kind::few, key_kind::equal, key_kind::ordered, key_kind::even_floats})
      for (way method : {way::offsets, way::one_length, way::copying}) {
        if (method == way::copying && what != key_kind::even_floats) continue;
        check<std::uint32_t, std::uint32_t, false>(backend, of.count, of.length, what, method);
        check<std::uint32_t, std::uint32_t, true>(backend, of.count, of.length, what, method);
        check<std::uint64_t, std::uint64_t, true>(backend, of.count, of.length, what, method);
      }
}
