#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "ordo/machine.hpp"
#include "sort_core/algorithms/backend_sorts.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/cuda/backend.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/shard.hpp"
#include "tests/unit/core/sorts/large_keys.hpp"
#include "tests/unit/mixed.hpp"

// Radix sorts that are large enough for every method of the GPU: phases with kernels of their own, long tiles, and CUB's passes
// if keys are uneven.
namespace {

/// Returns 1 if an item is at a wrong position.
template <class K, class V>
struct misplaced {
  large_key<K> key;
  ordo::key_code<K> code;
  K const* keys;
  V const* values;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    if (values && key(values[i]) != keys[i]) return 1;
    if (i == 0) return 0;
    if (values && keys[i - 1] == keys[i]) return values[i - 1] >= values[i];
    return code.encode(keys[i - 1]) > code.encode(keys[i]);
  }
};
template <class K>
struct mixed_key {
  large_key<K> key;
  K const* keys;  // null for the original keys
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return mixed(keys ? keys[i] : key(i)); }
};

/// The sort: radix_sort with the method that it chooses, in place or, of keys alone, into another array; or one segment, which
/// is always sorted by an MSD sort.
enum class verb { radix, copy, segment };

template <class K, class V, bool Pairs>
void check(ordo::cuda_backend& backend, std::size_t n, key_kind what, verb by = verb::radix, bool descending = false) {
  INFO(n << " keys of " << sizeof(K) << " bytes, " << (Pairs ? sizeof(V) : 0) << " of values, kind " << int(what)
         << (by == verb::segment ? ", one segment"
             : by == verb::copy  ? ", copied"
                                 : "")
         << (descending ? ", descending" : ""));
  large_key<K> const key{what};
  ordo::key_code<K> const code = code_of_large<K>(what, descending);
  auto keys = backend.buffer<K>(n);
  auto values = backend.buffer<V>(Pairs ? n : 0);
  V* const v = Pairs ? values.data() : nullptr;
  backend.each(n, fill_large<K, V>{key, keys.data(), v});
  std::uint64_t const before = backend.reduce(n, mixed_key<K>{key, nullptr}, std::uint64_t{}, ordo::plus{});
  if (by == verb::segment)
    backend.segmented_sort(keys.span(), values.span(), ordo::uniform_segments(1, n), {}, {}, code);
  else if (Pairs)
    backend.radix_sort(keys.span(), values.span(), {}, code);
  else if (by == verb::copy) {
    auto sorted = backend.buffer<K>(n);
    backend.radix_sort_copy(std::span<K const>(keys.span()), sorted.span(), {}, code);
    CHECK(backend.reduce(n, mixed_key<K>{key, keys.data()}, std::uint64_t{}, ordo::plus{}) == before);
    std::swap(keys, sorted);
  } else
    backend.radix_sort(keys.span(), {}, code);
  CHECK(backend.reduce(n, misplaced<K, V>{key, code, keys.data(), v}, std::uint64_t{}, ordo::plus{}) == 0);
  CHECK(backend.reduce(n, mixed_key<K>{key, keys.data()}, std::uint64_t{}, ordo::plus{}) == before);
}

template <class K>
void check_all(ordo::cuda_backend& backend, std::size_t n) {
  for (key_kind what : {key_kind::uniform, key_kind::few, key_kind::equal, key_kind::narrow, key_kind::uneven,
                        key_kind::ordered, key_kind::even_floats, key_kind::zeros}) {
    for (verb by : {verb::radix, verb::segment}) {
      bool const descending = by == verb::segment && n % 2 == 1;
      check<K, std::uint32_t, false>(backend, n, what, by, descending);
      check<K, std::uint32_t, true>(backend, n, what, by, descending);
    }
  }
  for (key_kind what : {key_kind::uniform, key_kind::in_range, key_kind::in_values, key_kind::often, key_kind::gaps,
                        key_kind::bell, key_kind::bell_values}) {
    bool const floats = what == key_kind::in_values || what == key_kind::bell_values;
    check<K, std::uint32_t, false>(backend, n, what, verb::radix, floats && n % 2 == 0);
    check<K, std::uint32_t, false>(backend, n, what, verb::copy);
  }
}

}  // namespace

namespace {

void check_one_launch(std::initializer_list<std::size_t> sizes) {
  if (ordo::gpus().empty()) return;
  test_shard shard;
  ordo::cuda_backend backend;
  for (std::size_t const n : sizes) {
    if (shard.has_next(7)) check_all<std::uint32_t>(backend, n);
    if (shard.has_next(7)) check_all<std::uint64_t>(backend, n);
    for (key_kind what : {key_kind::uniform, key_kind::few, key_kind::uneven, key_kind::even_floats}) {
      if (shard.has_next(7)) check<std::uint32_t, std::uint64_t, true>(backend, n, what, verb::radix, true);
      if (shard.has_next(7)) check<std::uint64_t, std::uint64_t, true>(backend, n, what);
    }
  }
}

}  // namespace

TEST_CASE("radix sort of the GPU: the least that several blocks sort in one launch", "[small][shards]") {
  check_one_launch({8192, 8193, 16384, 16385, 20000});
}
TEST_CASE("radix sort of the GPU: the most that is sorted in one launch, and one item more") {
  constexpr std::size_t half = std::size_t{1} << 17, most = std::size_t{1} << 19;
  check_one_launch({half, half + 1, most - 1, most, most + 1, 2 * most, 2 * most + 1});
}

TEST_CASE("radix sort of the GPU: millions of keys") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  for (std::size_t n : {std::size_t{1} << 17, (std::size_t{1} << 22) + 1, (std::size_t{1} << 23) - 1,
                        (std::size_t{1} << 23) + 5, (std::size_t{1} << 26) - 1, (std::size_t{1} << 26) + 3}) {
    check_all<std::uint32_t>(backend, n);
    check_all<std::uint64_t>(backend, n);
  }
}

namespace {

/// Sorts by the bits [begin, end): keys that agree in all others, and keys of which one differs there.
template <class K>
void check_most_bits(ordo::cuda_backend& backend, std::size_t n, unsigned begin, unsigned end) {
  K const mask = ordo::detail::bit_mask<K>(ordo::bit_range{begin, end});
  for (bool const alike : {true, false}) {
    INFO(n << " keys of " << sizeof(K) << " bytes, by bits " << begin << ".." << end << ", others alike " << alike);
    std::vector<K> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = K((mixed(i) & mask) | (K(~K{0}) / 3 & ~mask));
    if (!alike) keys[n / 2] ^= K(~mask);
    auto const given = backend.upload(std::span<K const>(keys));
    auto const there = backend.buffer<K>(n);
    backend.copy(given.span(), there.span());
    backend.radix_sort(there.span(), {begin, end});
    std::stable_sort(keys.begin(), keys.end(), [&](K a, K b) { return (a & mask) < (b & mask); });
    std::vector<K> sorted(n);
    backend.download(std::span<K const>(there.span()), sorted);
    CHECK(sorted == keys);
  }
}

}  // namespace

TEST_CASE("radix sort of the GPU: by most bits, if the others are alike or not") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  using ordo::cuda_detail::tuning::by_all_bits_from;
  using bounds = std::pair<unsigned, unsigned>;
  for (std::size_t n : {by_all_bits_from(4) - 1, by_all_bits_from(4) + 1})
    for (auto const& [begin, end] : {bounds{0, 24}, bounds{0, 25}, bounds{1, 32}})
      check_most_bits<std::uint32_t>(backend, n, begin, end);
  for (std::size_t n : {by_all_bits_from(8) - 1, by_all_bits_from(8), (std::size_t{1} << 20) + 1})
    for (auto const& [begin, end] : {bounds{0, 33}, bounds{0, 52}, bounds{8, 64}})
      check_most_bits<std::uint64_t>(backend, n, begin, end);
}

namespace {

/// Keys that are not negative, but for one in the middle if any is.
template <class K>
struct nonnegative_key {
  K mask;
  std::size_t negative;  // the position of a negative key, or that of none
  ORDO_FN K operator()(std::size_t i) const {
    return K((mixed(i) & mask) | (i == negative ? ordo::key_code<K>::top : K{0}));
  }
};

template <class K>
struct fill_nonnegative {
  nonnegative_key<K> key;
  K* keys;
  std::uint32_t* values;
  ORDO_FN void operator()(std::size_t i) const {
    keys[i] = key(i);
    if (values) values[i] = std::uint32_t(i);
  }
};

/// Returns 1 if an item is at a wrong position of a sort by some bits.
template <class K>
struct misplaced_by_bits {
  nonnegative_key<K> key;
  ordo::key_code<K> code;
  K counts;  // the bits that do
  K const* keys;
  std::uint32_t const* values;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    if (values && key(values[i]) != keys[i]) return 1;
    if (i == 0) return 0;
    K const before = K(code.encode(keys[i - 1]) & counts), here = K(code.encode(keys[i]) & counts);
    return before > here || (values && before == here && values[i - 1] >= values[i]);
  }
};
template <class K>
struct mixed_nonnegative {
  nonnegative_key<K> key;
  K const* keys;  // null for the original keys
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return mixed(keys ? keys[i] : key(i)); }
};

/// Sorts keys of these bits, with values and alone, in place and into other arrays, by all bits and by some.
template <class K>
void check_nonnegative(ordo::cuda_backend& backend, ordo::key_code<K> code, K mask, bool with_negative) {
  constexpr std::size_t n = ordo::cuda_detail::tuning::as_they_are_from + 5;
  nonnegative_key<K> const key{mask, with_negative ? n / 2 : n};
  auto const from = backend.buffer<K>(n), keys = backend.buffer<K>(n);
  auto const values_from = backend.buffer<std::uint32_t>(n), values = backend.buffer<std::uint32_t>(n);
  std::uint64_t const before = backend.reduce(n, mixed_nonnegative<K>{key, nullptr}, std::uint64_t{}, ordo::plus{});
  for (bool const in_place : {false, true})
    for (bool const pairs : {false, true})
      for (ordo::bit_range const bits : {ordo::bit_range{}, ordo::bit_range{3, 17}, ordo::bit_range{0, 8 * sizeof(K) - 1}}) {
        INFO("keys of " << sizeof(K) << " bytes, code " << code.flip << ' ' << code.flip_negative << ' ' << code.rotate
                        << ", bits of keys " << mask << ", negative " << with_negative << ", in place " << in_place
                        << ", values " << pairs << ", by bits " << bits.begin << ".." << bits.end);
        backend.each(n, fill_nonnegative<K>{key, in_place ? keys.data() : from.data(),
                                            in_place ? values.data() : values_from.data()});
        std::span<K const> const given(in_place ? keys.data() : from.data(), n);
        if (pairs)
          backend.radix_sort_copy(given, keys.span(),
                                  std::span<std::uint32_t const>(in_place ? values.data() : values_from.data(), n),
                                  values.span(), bits, code);
        else
          backend.radix_sort_copy(given, keys.span(), bits, code);
        K const counts = ordo::detail::bit_mask<K>(ordo::detail::clipped<K>(bits));
        CHECK(backend.reduce(n, misplaced_by_bits<K>{key, code, counts, keys.data(), pairs ? values.data() : nullptr},
                             std::uint64_t{}, ordo::plus{}) == 0);
        CHECK(backend.reduce(n, mixed_nonnegative<K>{key, keys.data()}, std::uint64_t{}, ordo::plus{}) == before);
      }
}

}  // namespace

TEST_CASE("radix sort of the GPU: signed keys and floats of which none is negative, or one") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  ordo::key_code<std::uint32_t> const floats = ordo::radix_key<float>::code;
  ordo::key_code<std::uint32_t> nans_last = floats, nans_first = floats;
  nans_last.rotate = ordo::radix_key<float>::nans;
  nans_first.rotate = std::uint32_t(0 - nans_last.rotate);
  for (bool const with_negative : {false, true}) {
    for (std::uint32_t const mask : {0x7fff'ffffu, 0x0fff'fff0u, 0x7ff0'0000u})
      for (ordo::key_code<std::uint32_t> const code : {ordo::radix_key<std::int32_t>::code, floats, nans_last, nans_first})
        check_nonnegative<std::uint32_t>(backend, code, mask, with_negative);
    for (std::uint64_t const mask : {~std::uint64_t{0} >> 1, std::uint64_t{0xffff'ffff}})
      check_nonnegative<std::uint64_t>(backend, ordo::radix_key<std::int64_t>::code, mask, with_negative);
  }
}

TEST_CASE("radix sort of the GPU: more than 2^32 keys", "[.huge]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  for (key_kind what : {key_kind::uniform, key_kind::few, key_kind::uneven}) {
    check<std::uint32_t, std::uint32_t, false>(backend, (std::size_t{1} << 32) + 77, what);
    check<std::uint32_t, std::uint64_t, true>(backend, (std::size_t{1} << 31) + 77, what);
    check<std::uint32_t, std::uint64_t, true>(backend, (std::size_t{1} << 32) + 77, what);
    check<std::uint64_t, std::uint64_t, false>(backend, (std::size_t{1} << 32) + 77, what);
  }
}
