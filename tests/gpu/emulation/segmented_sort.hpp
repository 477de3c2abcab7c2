#pragma once
#include "tests/gpu/emulation/machine.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>

#include "sort_core/cuda/segmented.cuh"
#include "tests/unit/catch.hpp"

// The kernels of the segmented sort, and of the radix sort of one segment, against std::stable_sort: every code path, on inputs
// of a few thousand items. Kernels of one type of keys and values take long to compile: tests/CMakeLists.txt makes a source of
// each.
namespace {

namespace od = ordo::cuda_detail;
using emulation::machine;
using emulation::value_at;

enum class keys {
  uniform,
  few,
  ascending,
  all_but_one_ascending,  // one in 20,011 is out of order, which a sample misses
  descending,
  equal,
  outliers,
  one_apart,  // one in 20,011 is far from all others, which a sample misses
  greatest,
  ends_of_bits,
  uneven,
  upper_half,
  dense,           // numbers of a range somewhat larger than the largest segment
  dense_and_some,  // the same, with some frequent numbers
  even_floats,     // the bits of floats in [-1, 1)
  close_floats,    // the same, and floats close to zero
  small_floats,    // of the smallest magnitudes
  magnitudes,      // of all magnitudes, positive
  strange_floats   // even ones, with zeros, infinities and NaNs of both signs, and the greatest magnitudes
};
constexpr keys all_keys[] = {keys::uniform,    keys::few,           keys::ascending, keys::all_but_one_ascending,
                             keys::descending, keys::equal,         keys::outliers,  keys::one_apart,
                             keys::greatest,   keys::ends_of_bits,  keys::uneven,    keys::upper_half,
                             keys::dense,      keys::dense_and_some};
constexpr keys float_keys[] = {keys::even_floats, keys::close_floats, keys::small_floats, keys::magnitudes};

std::mt19937_64 random_bits(7);  // the same on every run

template <class K>
K key_like(keys what, std::size_t i, std::size_t longest) {
  constexpr unsigned width = 8 * sizeof(K);
  std::uint64_t const x = random_bits();
  using real = std::conditional_t<sizeof(K) == 4, float, double>;
  auto const even = real(double(std::int64_t(x)) * 0x1p-63);
  switch (what) {
    case keys::uniform:
      return K(x);
    case keys::few:
      return K(x & 15);
    case keys::ascending:
      return K(i);
    case keys::all_but_one_ascending:
      return K(i % 20011 == 20010 ? 0 : i);
    case keys::descending:
      return K(~i);
    case keys::equal:
      return K(7);
    case keys::outliers:
      return K(x % 97 == 0 ? x : x & 0xfff);
    case keys::one_apart:
      return K(i % 20011 == 20010 ? ~std::uint64_t{0} : x & 0xfff);
    case keys::greatest:
      return K(x & 1 ? ~std::uint64_t{0} : x);
    case keys::ends_of_bits:
      return K((x & 3) | (x >> 32 & 3) << (width - 3));
    case keys::uneven:
      return K(x & x >> 7 & x >> 13);
    case keys::upper_half:
      return K((x & 0xffff) << width / 2);
    case keys::dense:
      return K(x % (13 * longest + 1) + 1000000);
    case keys::dense_and_some:
      return K((x >> 40 & 63) == 0 ? 1000000 : x % (13 * longest + 1) + 1000000);
    case keys::even_floats:
      return std::bit_cast<K>(even);
    case keys::close_floats:
      return std::bit_cast<K>(x % 53 == 0 ? even * real(1e-30) : even);
    case keys::small_floats:
      return std::bit_cast<K>(real(even * std::numeric_limits<real>::min() * 4));
    case keys::magnitudes:
      return std::bit_cast<K>(real(std::exp2(24 * double(even))));
    case keys::strange_floats: {
      using limits = std::numeric_limits<real>;
      constexpr real strange[] = {0, limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min()};
      real const one = x % 16 == 0 ? strange[x / 16 % std::size(strange)] : even;
      return std::bit_cast<K>(x / 256 % 2 == 0 ? one : -one);
    }
  }
  return 0;
}

/// The limits of the next sort: of larger sorts, of the largest and, seldom, as blocks of 1024 threads take long here, of users.
od::sort_limits next_limits() {
  static unsigned turn = 0;
  od::sort_limits limits;
  ++turn;
  if (turn % 9 != 0) limits.at_once_up_to = 0;
  if (turn % 2 != 0) limits.few_launches_up_to = 0;
  return limits;
}

template <class V>
std::uint64_t number_of(V value) {
  if constexpr (sizeof(V) == 16)
    return value.x;
  else
    return std::uint64_t(value);
}

enum class listing { in_order, backwards, odd_ones_first };

/// The variant of a sort.
struct form {
  unsigned hole = 0;  // holes have fewer items than this; 0: none, and the sort gets offsets
  unsigned skew = 0;  // items between an aligned address and the first one
  bool heads = false, uniform = false;
  std::size_t window = od::tuning::array_window;  // bytes, for a sort in place
  unsigned far = 0;                               // the additional length of one hole in 50
  listing listed = listing::in_order;
  std::size_t levels_from = od::tuning::levels_from;  // number of items from which each level has kernels of its own
  bool at_once = false;                               // in one launch, if the sort can
};

template <class K, class V, class Offset, od::large_method Method = od::large_method::copying>
void check(std::vector<std::size_t> const& lengths, keys what, form variant, ordo::key_code<K> code = {}) {
  constexpr bool pairs = od::value_bytes<V> != 0;
  using value = std::conditional_t<pairs, V, std::uint32_t>;
  od::sort_limits limits = next_limits();
  limits.window = variant.window;
  limits.levels_from = variant.levels_from;
  if (variant.at_once) limits.at_once_up_to = ~std::size_t{0};
  INFO("at once up to " << limits.at_once_up_to << ", few launches up to " << limits.few_launches_up_to);
  INFO("keys " << int(what) << " of " << sizeof(K) << " bytes, values of " << od::value_bytes<V> << ", offsets of "
               << sizeof(Offset) << ", holes " << variant.hole << " and " << variant.far << ", listed " << int(variant.listed)
               << ", skew " << variant.skew << ", heads " << variant.heads << ", uniform " << variant.uniform << ", "
               << lengths.size() << " segments, the first of " << (lengths.empty() ? 0 : lengths[0]));
  std::vector<Offset> begins, ends;
  std::size_t n = variant.hole;
  for (std::size_t length : lengths) {
    begins.push_back(Offset(n));
    ends.push_back(Offset(n += length));
    if (variant.hole != 0) n += random_bits() % variant.hole + (begins.size() % 50 == 49 ? variant.far : 0);
  }
  machine gpu;
  auto const key_memory = gpu.buffer<K>(n + variant.skew);
  auto const value_memory = gpu.buffer<value>(pairs ? n + variant.skew : 0);
  auto const head_memory = gpu.buffer<std::uint8_t>(variant.heads ? n : 0);
  K* const key = key_memory.data() + variant.skew;
  value* const values = pairs ? value_memory.data() + variant.skew : nullptr;
  std::uint8_t* const heads = variant.heads ? head_memory.data() : nullptr;
  std::size_t const longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  for (std::size_t i = 0; i < n; ++i) {
    key[i] = key_like<K>(what, i, longest);
    if (pairs) values[i] = value_at<value>(i);
    if (heads) heads[i] = 9;
  }

  std::vector<K> const given(key, key + n);
  std::vector<std::uint64_t> order(n);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::vector<std::uint8_t> expected_heads(n, 9);
  for (std::size_t s = 0; s < begins.size(); ++s) {
    std::stable_sort(order.begin() + std::ptrdiff_t(begins[s]), order.begin() + std::ptrdiff_t(ends[s]),
                     [&](std::uint64_t a, std::uint64_t b) { return code.encode(given[a]) < code.encode(given[b]); });
    for (std::size_t i = begins[s]; i < ends[s]; ++i)
      expected_heads[i] = i == begins[s] || given[order[i]] != given[order[i - 1]];
  }

  for (auto* offsets : {&begins, &ends}) {
    if (variant.listed == listing::backwards) std::reverse(offsets->begin(), offsets->end());
    if (variant.listed != listing::odd_ones_first) continue;
    std::vector<Offset> const all = *offsets;
    for (std::size_t s = 0; s < all.size(); ++s) offsets->at(s % 2 == 0 ? all.size() / 2 + s / 2 : s / 2) = all[s];
  }
  auto const begin_memory = gpu.buffer<Offset>(variant.uniform ? 0 : begins.size() + (variant.hole == 0));
  auto const end_memory = gpu.buffer<Offset>(variant.hole == 0 ? 0 : ends.size());
  ordo::segment_list<Offset> segments;
  if (variant.uniform) {
    segments.uniform_length = segments.max_length = lengths[0];
    segments.count = lengths.size();
  } else if (variant.hole == 0) {
    std::copy(begins.begin(), begins.end(), begin_memory.data());
    begin_memory.data()[begins.size()] = Offset(n);
    segments = ordo::segments_from_offsets(std::span<Offset const>(begin_memory.span()));
  } else {
    std::copy(begins.begin(), begins.end(), begin_memory.data());
    std::copy(ends.begin(), ends.end(), end_memory.data());
    segments.begins = begin_memory.span();
    segments.ends = end_memory.span();
  }
  std::size_t const before = gpu.taken;
  od::segmented_sorter<machine, K, V, od::stored_keys<K>, Method>(gpu, {key, code}, reinterpret_cast<V*>(values), n, heads,
                                                                  limits)
      .sort(segments);
  using sizes = od::segmented_sizes<K, V, false, Method>;
  sizes const size{n, segments.size(), std::min(segments.max_length, n), variant.window};
  CHECK((n == 0 || segments.size() == 0 || gpu.taken - before <= size.bytes()));

  std::vector<std::uint64_t> numbers(pairs ? n : 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number_of(values[i]);
  if (size.merged() != 0)  // values with equal keys may be in any order
    for (std::size_t s = 0; s < begins.size(); ++s)
      for (std::size_t i = begins[s], end = i; pairs && i < ends[s]; i = end) {
        while (end < ends[s] && key[end] == key[i]) ++end;
        std::sort(numbers.begin() + std::ptrdiff_t(i), numbers.begin() + std::ptrdiff_t(end));
      }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += key[i] != given[order[i]] || (pairs && numbers[i] != order[i]) || (heads && heads[i] != expected_heads[i]);
  CHECK(wrong == 0);
}

std::vector<std::size_t> of_length(std::size_t length, std::size_t n) {
  return std::vector<std::size_t>(n / length + 1, length);
}
std::vector<std::size_t> up_to(std::size_t longest, std::size_t n) {
  std::vector<std::size_t> lengths;
  for (std::size_t sum = 0; sum < n; sum += lengths.back() + 1) lengths.push_back(random_bits() % (longest + 1));
  return lengths;
}
/// Returns lengths of which most are small.
std::vector<std::size_t> small_but_some(std::size_t longest, std::size_t n) {
  auto lengths = up_to(longest, n);
  for (auto& length : lengths)
    if (random_bits() % 64 != 0) length %= 17;
  return lengths;
}

template <class K>
ordo::key_code<K> floats() {
  return {K(K{1} << (8 * sizeof(K) - 1)), K(K(~K{0}) >> 1)};
}

/// Returns the codes of floats in descending order, and those of floats whose NaNs come last.
template <class K>
ordo::key_code<K> descending(ordo::key_code<K> code) {
  return {K(~code.flip), code.flip_negative, code.rotate};
}
template <class K>
ordo::key_code<K> nans_last(ordo::key_code<K> code) {
  return {code.flip, code.flip_negative, ordo::radix_key<std::conditional_t<sizeof(K) == 4, float, double>>::nans};
}
/// Returns those of floats in descending order whose NaNs come first.
template <class K>
ordo::key_code<K> nans_first(ordo::key_code<K> code) {
  return {code.flip, code.flip_negative, K(0 - nans_last(code).rotate)};
}

/// Widths of offsets. Keys alone are sorted with both, pairs of each kind with one: kernels take minutes to compile, and differ
/// in loads of offsets only.
template <class K, class V, class Offset>
using piece_offset = std::conditional_t<std::is_same_v<V, od::no_value>, Offset,
                                        std::conditional_t<sizeof(K) + sizeof(V) == 12, std::uint64_t, std::uint32_t>>;
template <class K, class V>
using narrow_offset = piece_offset<K, V, std::uint32_t>;
template <class K, class V>
using wide_offset = piece_offset<K, V, std::uint64_t>;

template <class K, class V>
void check_lengths() {
  std::size_t turn = 0;
  auto const next = [&] { return all_keys[turn++ % std::size(all_keys)]; };
  for (std::size_t length = 1; length <= 70; ++length)
    check<K, V, narrow_offset<K, V>>(of_length(length, 2500), next(),
                                     {length % 5 == 4 ? 3u : 0u, unsigned(length % 4), length % 3 == 0, false},
                                     length % 2 ? ordo::key_code<K>{} : floats<K>());
  for (std::size_t length : {79,  80,  81,  96,  97,  128, 129, 159, 160, 161, 192, 193,  256,
                             257, 320, 321, 384, 385, 512, 513, 640, 641, 768, 769, 1024, 1280})
    check<K, V, wide_offset<K, V>>(of_length(length, 2500), next(), {0, unsigned(turn % 3), turn % 2 == 0, false});
  for (std::size_t length : {1, 2, 3, 8, 16, 17, 20, 21, 32, 33, 40, 41, 64, 65, 80, 81, 129, 160, 161, 257, 513, 1025, 4096})
    check<K, V, wide_offset<K, V>>(of_length(length, 3000), next(), {0, unsigned(length % 4), length % 2 == 0, true});
  // Runs of single items are not copied, but their heads are written.
  for (bool heads : {false, true}) {
    check<K, V, narrow_offset<K, V>>(of_length(1, 2500), next(), {0, 1, heads, false});
    check<K, V, wide_offset<K, V>>(of_length(1, 2500), next(), {0, 3, heads, true});
    check<K, V, narrow_offset<K, V>>(up_to(1, 2500), next(), {0, 2, heads, false});
    auto lengths = of_length(1, 1500);
    for (std::size_t length : up_to(16, 3000)) lengths.push_back(length);
    lengths.insert(lengths.end(), 1500, 1);
    check<K, V, narrow_offset<K, V>>(lengths, next(), {0, 0, heads, false});
  }
  for (std::size_t length : {1100, 2000, 2305, 4097, 4609, 6145, 8193, 16384, 16385, 20480, 20481, 24576, 24577})
    check<K, V, narrow_offset<K, V>>(of_length(length, length + 1), next(), {length % 2 ? 2u : 0u, 1, length % 3 == 0, false},
                                     ordo::key_code<K>{K(~K{0}), 0});
}

template <class K, class V>
void check_mixtures() {
  unsigned turn = 0;
  for (keys what : all_keys) {
    ++turn;
    form const plain{0, turn % 4, turn % 2 == 0, false}, holes{4, (turn + 1) % 4, turn % 2 == 1, false};
    check<K, V, wide_offset<K, V>>(up_to(16, 4000), what, plain);
    check<K, V, narrow_offset<K, V>>(up_to(64, 6000), what, plain,
                                     turn % 3 ? ordo::key_code<K>{} : ordo::key_code<K>{K(~K{0}), 0});
    check<K, V, narrow_offset<K, V>>(up_to(64, 5000), what, holes);
    check<K, V, wide_offset<K, V>>(small_but_some(300, 6000), what, plain, floats<K>());
    check<K, V, narrow_offset<K, V>>(small_but_some(3000, 20000), what, plain);
    check<K, V, wide_offset<K, V>>({60000}, what, {0, turn % 3, turn % 2 == 0, turn % 4 == 0});
    // One launch for twice what a block holds, of which one segment takes most.
    constexpr std::size_t block = od::few_sizes<K, V>::capacity;
    form at_once{turn % 2 == 0 ? 3u : 0u, turn % 3, turn % 2 == 0, false};
    at_once.at_once = true;
    check<K, V, narrow_offset<K, V>>({5, 0, block + 1 + turn % 2 * (block - 300), 1, 40, 2, 0, 150, 60}, what, at_once,
                                     turn % 3 ? ordo::key_code<K>{} : floats<K>());
    check<K, V, narrow_offset<K, V>>({30000, 5, 0, 20000, 1, 40000}, what, holes);
    check<K, V, narrow_offset<K, V>, od::large_method::in_place>({3000, 20000, 1, 900}, what, {0, turn % 4, false, false});
    // Windows of two steps of at most 2^15 items: arrays within a step, across its end, of several steps, and merged.
    if (turn % 3 == 1 || what == keys::ascending) {
      check<K, V, wide_offset<K, V>, od::large_method::in_place>(
          {3000, 24577, 12000, 20, 30000, 16385, 24576, 0, 100, 32768, 32769, 1, 20481, 65537, 900}, what,
          {turn % 2 == 0 ? 0u : 4u, turn % 3, false, false, 1});
      check<K, V, narrow_offset<K, V>, od::large_method::in_place>(of_length(30000 + turn, 50000), what, {0, 0, false, true, 1},
                                                                   floats<K>());
      check<K, V, narrow_offset<K, V>, od::large_method::in_place>({70000 + 999 * turn}, what,
                                                                   {0, turn % 2, false, turn % 4 == 0, 1});
    }
    for (std::size_t count : {0, 1, 191, 192, 193, 255, 256, 257, 1025}) {
      std::vector<std::size_t> lengths(count);
      for (auto& length : lengths) length = random_bits() % (turn < 4 ? 4 : 12);
      check<K, V, narrow_offset<K, V>>(lengths, what, plain);
    }
  }
}

/// Sorts runs of segments with holes: some that a warp takes, and some that it leaves.
template <class K, class V>
void check_holes() {
  unsigned turn = 0;
  auto const next = [&] { return all_keys[turn % std::size(all_keys)]; };
  auto const check_next = [&]<class Offset>(Offset, std::vector<std::size_t> const& lengths, unsigned hole, unsigned far = 0,
                                            listing listed = listing::in_order) {
    ++turn;
    check<K, V, Offset>(lengths, next(), {hole, turn % 4, turn % 3 != 0, false, od::tuning::array_window, far, listed},
                        turn % 2 ? ordo::key_code<K>{} : floats<K>());
  };
  constexpr narrow_offset<K, V> narrow = 0;
  constexpr wide_offset<K, V> wide = 0;
  for (std::size_t length = 1; length <= 32; ++length) check_next(narrow, of_length(length, 1500), 1 + length % 4);
  // From no hole at all to more holes than a warp copies.
  for (unsigned hole : {1, 2, 17, 33, 50, 90, 110}) {
    check_next(narrow, up_to(16, 1500), hole);
    check_next(wide, up_to(24, 2500), hole);
    check_next(narrow, of_length(8, 1500), hole, 0, listing::odd_ones_first);
  }
  // A single hole takes as much as a warp holds, somewhat less, or far more.
  for (unsigned far : {300, 1000, 1020, 1024, 5000}) {
    check_next(wide, up_to(40, 6000), 3, far);
    check_next(narrow, of_length(1, 600), 3, far / 20);
  }
  for (listing listed : {listing::backwards, listing::odd_ones_first}) {
    check_next(narrow, up_to(12, 2000), 1, 0, listed);
    check_next(wide, up_to(12, 2000), 5, 0, listed);
    check_next(wide, of_length(1, 500), 5, 0, listed);
    check_next(narrow, small_but_some(300, 6000), 9, 0, listed);
  }
  check_next(wide, small_but_some(150, 6000), 9);
  check_next(narrow, up_to(1, 1000), 4);
  check_next(narrow, up_to(2, 1000), 4);
  for (std::size_t count : {1, 31, 32, 33, 127, 128, 129, 255, 256, 257}) {
    std::vector<std::size_t> lengths(count);
    for (auto& length : lengths) length = random_bits() % 5;
    check_next(wide, lengths, 3);
  }
}

template <class K, class V>
void check_floats() {
  unsigned turn = 0;
  for (keys what : float_keys)
    for (auto code : {floats<K>(), descending(floats<K>()), nans_last(floats<K>()), nans_last(descending(floats<K>())),
                      nans_first(descending(floats<K>()))}) {
      ++turn;
      for (std::size_t length : {2, 5, 16, 20, 33, 100, 160, 300, 700, 1000, 5000})
        check<K, V, narrow_offset<K, V>>(of_length(length, 2500), what, {0, turn % 3, turn % 2 == 0, turn % 4 == 0}, code);
      check<K, V, wide_offset<K, V>>(small_but_some(300, 6000), what, {turn % 5, turn % 4, false, false}, code);
      check<K, V, narrow_offset<K, V>>({40000, 7, 9000}, what, {}, code);
    }
}

/// Sorts large segments by kernels for each level, which take the first digit of floats from their values.
template <class K, class V>
void check_levels() {
  ordo::key_code<K> const up = floats<K>(), down = descending(up);
  unsigned turn = 0;
  for (keys what :
       {keys::even_floats, keys::close_floats, keys::small_floats, keys::magnitudes, keys::strange_floats, keys::few,
        keys::equal, keys::uniform, keys::ascending, keys::all_but_one_ascending, keys::outliers, keys::one_apart})
    for (auto const code : {up, down, ordo::key_code<K>{}, nans_last(up), nans_last(down), nans_first(down)}) {
      form variant{0, ++turn % 4, turn % 2 == 0, false};
      variant.levels_from = 1;
      check<K, V, narrow_offset<K, V>>({70000}, what, variant, code);
      variant.uniform = turn % 4 == 0;
      if (turn % 3 == 0) check<K, V, wide_offset<K, V>>({30000, 30000}, what, variant, code);
      variant.heads = false;
      variant.window = 1;
      if (turn % 2 == 0)
        check<K, V, narrow_offset<K, V>, od::large_method::in_place>({40000, 40000, 40000}, what, variant, code);
    }
}

/// Shared memory per block, which determines the segments that a block holds: of 8.6, 8.9 and 12.0; of 8.0; of 9.0.
constexpr std::size_t block_memory_sizes[] = {99 << 10, 163 << 10, 227 << 10};

/// Arrays of up to max_stable_array_length items are sorted stably on each of these GPUs.
template <class K, class V>
void check_arrays() {
  for (std::size_t shared_memory : block_memory_sizes) {
    emulation::block_memory_scope const here(shared_memory);
    for (keys what : {keys::few, keys::equal, keys::uniform, keys::greatest}) {
      INFO("shared memory " << shared_memory << " keys " << int(what));
      check<K, V, narrow_offset<K, V>, od::large_method::in_place>({ordo::max_stable_array_length, 3073, 1, 2304, 4095, 900},
                                                                   what, {}, floats<K>());
      check<K, V, wide_offset<K, V>, od::large_method::in_place>(of_length(ordo::max_stable_array_length, 5000), what,
                                                                 {0, 1, what == keys::few, true});
    }
  }
}

template <class K, class V>
void check_cards() {
  unsigned turn = 0;
  for (std::size_t shared_memory : block_memory_sizes) {
    if (shared_memory == emulation::shared_memory_limit) continue;
    emulation::block_memory_scope const here(shared_memory);
    INFO("shared memory " << shared_memory);
    for (std::size_t length : {1500, 2305, 3073, 4609, 6145, 8193, 16385}) {
      check<K, V, narrow_offset<K, V>>(of_length(length, length + 1), all_keys[turn % std::size(all_keys)],
                                       {0, turn % 3, turn % 2 == 0, false}, turn % 3 == 0 ? floats<K>() : ordo::key_code<K>{});
      ++turn;
    }
    check<K, V, wide_offset<K, V>>(small_but_some(3000, 20000), keys::few, {});
  }
}

template <class K, class V>
void check_all() {
  check_cards<K, V>();
  check_lengths<K, V>();
  check_holes<K, V>();
  if (sizeof(V) != sizeof(ulonglong2)) check_floats<K, V>();
  if (sizeof(V) != sizeof(ulonglong2)) check_mixtures<K, V>();
  check_levels<K, V>();
}

}  // namespace
