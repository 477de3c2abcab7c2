#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/machine.hpp"
#include "sort_core/backend_sorts.hpp"
#include "sort_core/cuda/backend.cuh"
#include "sort_core/functors.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/core/large_keys.hpp"
#include "tests/unit/mixed.hpp"

// Arrays that no block holds, some hundred million items of them: several steps of the window, arrays across the ends of steps,
// and such that are longer and have to be merged. Keys are a function of their first place, so that a result can be checked
// where it lies.
namespace {

/// 1 where an item is out of order, or its value is not of this array, or not of this key.
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

/// Tells what an array holds, in whatever order.
template <class K, class V>
struct mixed_item {
  large_key<K> key;
  K const* keys;  // null: as they were
  V const* values;
  std::size_t length;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    std::uint64_t const held = keys ? keys[i] : key(i), with = values ? keys ? values[i] : V(i) : V(0);
    return mixed(mixed(held + 1) + 3 * with + mixed(i / length));
  }
};

/// How the arrays are told, and whether they are sorted where they lie or by way of a second copy.
enum class way { offsets, one_length, copying };

template <class K, class V, bool Pairs>
void check(ordo::cuda_backend& machine, std::size_t count, std::size_t length, key_kind what, way how) {
  INFO(count << " arrays of " << length << " keys of " << sizeof(K) << " bytes, " << (Pairs ? sizeof(V) : 0)
             << " of values, kind " << int(what) << ", way " << int(how));
  std::size_t const n = count * length;
  large_key<K> const key{what};
  ordo::key_code<K> const code = code_of_large<K>(what);
  auto keys = machine.buffer<K>(n);
  auto values = machine.buffer<V>(Pairs ? n : 0);
  V* const v = Pairs ? values.data() : nullptr;
  machine.each(n, fill_large<K, V>{key, keys.data(), v});
  std::uint64_t const before = machine.reduce(n, mixed_item<K, V>{key, nullptr, v, length}, std::uint64_t{}, ordo::plus{});
  std::vector<std::uint64_t> offsets;
  for (std::size_t s = 0; s <= count; ++s) offsets.push_back(s * length);
  auto const there = machine.upload(std::span<std::uint64_t const>(offsets));
  std::size_t const base = machine.pool().in_use();
  if (how == way::copying)
    machine.segmented_sort(keys.span(), values.span(), ordo::uniform_segments(count, length), {}, {}, code);
  else if (how == way::one_length)
    machine.array_sort(keys.span(), values.span(), ordo::uniform_segments(count, length), code);
  else
    machine.array_sort(keys.span(), values.span(), ordo::segments_from_offsets(there.span()), code);
  CHECK(machine.pool().in_use() == base);
  CHECK(machine.reduce(n, misplaced<K, V>{key, code, keys.data(), v, length}, std::uint64_t{}, ordo::plus{}) == 0);
  CHECK(machine.reduce(n, mixed_item<K, V>{key, keys.data(), v, length}, std::uint64_t{}, ordo::plus{}) == before);
}

}  // namespace

TEST_CASE("array sorts of the GPU: arrays of millions", "[cuda][array_sort]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend machine;
  constexpr std::size_t step = std::size_t{1} << 24;  // of 32-bit keys; of pairs of 8 bytes half of it, of 16 a quarter
  struct shape {
    std::size_t count, length;
  };
  for (shape const of : {shape{1, 5 * step + 7}, shape{2, 2 * step}, shape{3, step + 1}, shape{5, step - 1}, shape{9, step / 2},
                         shape{1000, 70001}, shape{3000, 24577}})
    for (key_kind what : {key_kind::uniform, key_kind::few, key_kind::equal, key_kind::ordered, key_kind::even_floats})
      for (way how : {way::offsets, way::one_length, way::copying}) {
        if (how == way::copying && what != key_kind::even_floats) continue;
        check<std::uint32_t, std::uint32_t, false>(machine, of.count, of.length, what, how);
        check<std::uint32_t, std::uint32_t, true>(machine, of.count, of.length, what, how);
        check<std::uint64_t, std::uint64_t, true>(machine, of.count, of.length, what, how);
      }
}
