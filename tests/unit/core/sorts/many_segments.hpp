#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sort_core/algorithms/backend_sorts.hpp"
#include "tests/unit/guarded.hpp"
#include "tests/unit/inputs.hpp"

// Common parts of the tests of segmented_sort and array_sort: the layouts of segments in an array, the result of a stable sort
// of each segment, and the check of a sort against it. Keys are compared as bits, so that a few instances serve all types.

/// Segments of an array, with holes.
struct layout {
  std::vector<std::uint32_t> begins, ends;
  std::size_t n = 0;
  bool uniform = false;  // all of one length and adjacent from 0 on: passed as uniform_segments
  bool bounded = false;  // passed with the maximum length

  void add(std::size_t length, std::size_t hole) {
    begins.push_back(std::uint32_t(n));
    ends.push_back(std::uint32_t(n + length));
    n += length + hole;
  }
  [[nodiscard]] std::size_t longest() const {
    std::size_t longest = 0;
    for (std::size_t s = 0; s < begins.size(); ++s) longest = std::max<std::size_t>(longest, ends[s] - begins[s]);
    return longest;
  }
  /// Lists the same segments in another order.
  layout& shuffle() {
    random_numbers random(n);
    for (std::size_t s = begins.size(); s > 1; --s) {
      std::size_t const other = random.below(s);
      std::swap(begins[s - 1], begins[other]);
      std::swap(ends[s - 1], ends[other]);
    }
    return *this;
  }
};

/// Returns `count` segments of `length` items, with `rest` items after them.
inline layout uniform_layout(std::size_t count, std::size_t length, std::size_t rest) {
  layout where;
  for (std::size_t s = 0; s < count; ++s) where.add(length, 0);
  where.n += rest;
  where.uniform = true;
  return where;
}

/// The expected result of a stable segmented sort of keys[0, n): for each position, the original position of its key.
struct reference {
  std::vector<std::uint32_t> positions;
  std::vector<std::uint8_t> heads;

  reference(layout const& where, std::vector<std::uint64_t> const& keys) : positions(where.n), heads(where.n, 0xee) {
    std::iota(positions.begin(), positions.end(), 0u);
    for (std::size_t s = 0; s < where.begins.size(); ++s) {
      auto const first = positions.begin() + where.begins[s], last = positions.begin() + where.ends[s];
      std::stable_sort(first, last, [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
      for (std::size_t i = where.begins[s]; i < where.ends[s]; ++i)
        heads[i] = i == where.begins[s] || keys[positions[i]] != keys[positions[i - 1]];
    }
  }
};

/// A value of 16 bytes.
struct two_words {
  std::uint64_t low, high;
  friend bool operator==(two_words, two_words) = default;
};

/// Returns a value that encodes its original position in all of its bytes.
template <class V>
V value_of(std::uint32_t position) {
  if constexpr (std::is_same_v<V, two_words>)
    return {position * 0x100000001u, ~(position * 0x100000001u)};
  else if constexpr (sizeof(V) == 8)
    return position * 0x100000001u;
  else
    return V(position);
}

constexpr std::ptrdiff_t no_difference = -1;

/// Returns the first position at which a and b differ.
template <class T>
std::ptrdiff_t first_difference(std::vector<T> const& a, std::vector<T> const& b) {
  if (a.size() != b.size()) return std::ptrdiff_t(std::min(a.size(), b.size()));
  auto const at = std::mismatch(a.begin(), a.end(), b.begin()).first;
  return at == a.end() ? no_difference : at - a.begin();
}

/// A sort of keys given as bits.
template <class B, class U, class V>
using sort_of_bits = void (*)(B&, std::span<U>, std::span<V>, ordo::segment_list<std::size_t>, std::span<std::uint8_t>);

/// The variant of a sort: with or without values and heads, and the length up to which it must be stable.
struct demand {
  bool values = true, heads = false;
  std::size_t stable = ~std::size_t{0};
};

/// Runs `sort` once on keys of these bits, and checks keys, values, heads, holes and guards.
template <class V, class B, class U>
void check_sort(B& backend, layout const& where, std::vector<U> const& bits, reference const& expected,
                ordo::segment_list<std::size_t> segments, demand what, sort_of_bits<B, U, V> sort) {
  INFO("keys of " << sizeof(U) << " bytes, values of " << (what.values ? sizeof(V) : 0));
  std::vector<U> expected_bits(where.n);
  std::vector<V> given(what.values ? where.n : 0);
  for (std::size_t i = 0; i < where.n; ++i) expected_bits[i] = bits[expected.positions[i]];
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = value_of<V>(std::uint32_t(i));
  guarded keys(backend, bits);
  guarded values(backend, given);
  guarded heads(backend, std::vector<std::uint8_t>(what.heads ? where.n : 0, 0xee));
  sort(backend, keys.span(), values.span(), segments, heads.span());
  CHECK(first_difference(keys.values(), expected_bits) == no_difference);
  CHECK((keys.intact() && values.intact() && heads.intact()));
  if (what.heads) CHECK(first_difference(heads.values(), expected.heads) == no_difference);
  if (!what.values) return;

  std::vector<V> const moved = values.values();
  std::vector<std::uint32_t> positions(where.n);
  bool whole = true;
  for (std::size_t i = 0; i < where.n; ++i) {
    std::memcpy(&positions[i], &moved[i], sizeof(std::uint32_t));
    whole = whole && moved[i] == value_of<V>(positions[i]);
  }
  CHECK(whole);
  for (std::size_t s = 0; s < where.begins.size(); ++s) {  // ignores the order of values with equal keys
    if (where.ends[s] - where.begins[s] <= what.stable) continue;
    for (std::size_t i = where.begins[s], end = i; i < where.ends[s]; i = end) {
      for (++end; end < where.ends[s] && !expected.heads[end];) ++end;
      std::sort(positions.begin() + std::ptrdiff_t(i), positions.begin() + std::ptrdiff_t(end));
    }
  }
  CHECK(first_difference(positions, expected.positions) == no_difference);
}

enum class verb { segmented_sort, array_sort };

/// The sorts of backend_sorts.hpp for keys of type K, called with the keys' bits.
template <verb Verb, class K, ordo::sort_order Order>
struct typed {
  using bits = typename ordo::radix_key<K>::type;
  template <class B, class V>
  static void sort(B& backend, std::span<bits> keys, std::span<V> values, ordo::segment_list<std::size_t> segments,
                   std::span<std::uint8_t> heads) {
    std::span const typed_keys(reinterpret_cast<K*>(keys.data()), keys.size());
    if constexpr (Verb == verb::segmented_sort)
      ordo::sort_segments<Order>(backend, typed_keys, values, segments, heads);
    else
      ordo::sort_arrays<Order>(backend, typed_keys, values, segments);
  }
};

/// Sorts `input` in this layout, without values and with values of 4, 8 and 16 bytes.
template <verb Verb, ordo::sort_order Order, class B, class K>
void check_all_values(B& backend, layout const& where, std::vector<K> const& input) {
  using sorter = typed<Verb, K, Order>;
  using U = typename sorter::bits;
  std::vector<U> bits(where.n);
  std::vector<std::uint64_t> codes(where.n);
  if (where.n != 0) std::memcpy(bits.data(), input.data(), where.n * sizeof(K));
  for (std::size_t i = 0; i < where.n; ++i) codes[i] = ordo::radix_key<K, Order>::encode(input[i]);
  reference const expected(where, codes);
  guarded begins(backend, std::vector<std::size_t>(where.begins.begin(), where.begins.end()));
  guarded ends(backend, std::vector<std::size_t>(where.ends.begin(), where.ends.end()));
  ordo::segment_list<std::size_t> segments{begins.const_span(), ends.const_span()};
  if (where.bounded) segments.max_length = where.longest();
  if (where.uniform) segments = ordo::uniform_segments(where.begins.size(), where.longest());
  bool const heads = Verb == verb::segmented_sort;
  std::size_t const stable = heads ? ~std::size_t{0} : ordo::max_stable_array_length;
  auto const check = [&]<class V>(demand what, std::type_identity<V>) {
    check_sort<V, B, U>(backend, where, bits, expected, segments, what, &sorter::template sort<B, V>);
  };
  check({false, heads, stable}, std::type_identity<std::uint32_t>{});
  check({true, heads, stable}, std::type_identity<std::uint32_t>{});
  check({true, false, stable}, std::type_identity<std::uint64_t>{});
  check({true, heads, stable}, std::type_identity<two_words>{});
}

/// Does the same for every shape of input, or every `step`-th.
template <verb Verb, class K, ordo::sort_order Order = ordo::sort_order::ascending, class B>
void check_all_inputs(B& backend, std::string const& where_name, layout const& where, std::size_t step = 1) {
  auto const all = all_inputs<K>(where.n);
  for (std::size_t i = 0; i < all.size(); i += step) {
    INFO(where_name << ", " << all[i].first << (Order == ordo::sort_order::descending ? ", descending" : ""));
    check_all_values<Verb, Order>(backend, where, all[i].second);
  }
}

/// Does the same for every type of key and both orders.
template <verb Verb, class B>
void check_all_types(B& backend, std::string const& where_name, layout const& where) {
  auto const both = [&]<class K>(std::type_identity<K>) {
    check_all_inputs<Verb, K, ordo::sort_order::ascending>(backend, where_name, where);
    check_all_inputs<Verb, K, ordo::sort_order::descending>(backend, where_name, where);
  };
  both(std::type_identity<std::uint32_t>{});
  both(std::type_identity<std::int32_t>{});
  both(std::type_identity<float>{});
  both(std::type_identity<std::uint64_t>{});
  both(std::type_identity<std::int64_t>{});
  both(std::type_identity<double>{});
}

using named_layouts = std::vector<std::pair<std::string, layout>>;

/// Returns lengths around the bounds of every method that sorts a segment as a whole, and some beyond.
inline named_layouts middle_layouts() {
  named_layouts all;
  auto const named = [&](char const* name) -> layout& { return all.emplace_back(name, layout{}).second; };
  layout& lengths = named("lengths round powers of two, with holes");
  for (std::size_t n : {0, 1, 2, 3, 5, 6, 11, 21, 27}) lengths.add(n, n % 3);
  for (std::size_t power = 4; power <= 4096; power *= 2)
    for (std::size_t n : {power - 1, power, power + 1}) lengths.add(n, n % 5);
  layout& shuffled = all.emplace_back("the same, shuffled and bounded", lengths).second.shuffle();
  shuffled.bounded = true;
  // A GPU sorts 64-bit keys of these in one launch, in which a block merges two parts of the longest.
  for (std::size_t longest : {8193, 13000}) {
    layout& two_parts = named("one segment longer than a block");
    for (std::size_t i = 0; i < 20; ++i) two_parts.add(i == 7 ? longest : i * 7, i % 2);
  }
  return all;
}

/// Returns larger segments, up to sizes at which one segment occupies a whole machine, and several of these.
inline named_layouts large_layouts() {
  named_layouts all;
  auto const named = [&](char const* name) -> layout& { return all.emplace_back(name, layout{}).second; };
  layout& bounds = named("long ones round the bounds");
  for (std::size_t bound : {8192, 16384, 24576})
    for (std::size_t n : {bound - 1, bound, bound + 1}) bounds.add(n, n % 4);
  for (std::size_t n : {20000, 32767, 32769, 65535, 65536, 65537}) bounds.add(n, 1);
  bounds.shuffle();
  layout& huge = named("one huge, several long, among small");
  for (std::size_t n : {3, 300001, 0, 70000, 2, 100000, 1, 66000, 5000, 33}) huge.add(n, n % 2);
  huge.bounded = true;
  return all;
}

inline named_layouts uniform_layouts() {
  named_layouts all;
  for (std::size_t length : {1,  2,  3,   4,   7,   8,   15,  16,  17,  20,  21,  31,  32,  33,   40,   41,   64,   65,  80,
                             81, 99, 100, 128, 129, 160, 161, 256, 500, 512, 513, 640, 641, 1000, 1024, 1025, 2048, 2049})
    all.emplace_back("uniform " + std::to_string(length), uniform_layout(4000 / length + 2, length, length % 4));
  for (std::size_t length : {4096, 4097, 8192, 16385, 70000})
    all.emplace_back("uniform " + std::to_string(length), uniform_layout(2, length, 1));
  return all;
}

/// Returns small segments with holes of all kinds, some thousand items in total: runs that a warp sorts, and runs that it must
/// leave. Some segments lie in the holes of others.
inline named_layouts hole_layouts() {
  named_layouts all;
  auto const named = [&](std::string const& name) -> layout& { return all.emplace_back(name, layout{}).second; };
  random_numbers random(11);
  for (std::size_t hole : {0, 1, 3, 4}) {
    layout& constant = named("lengths of 0 to 32, holes of " + std::to_string(hole));
    constant.n = 37;
    for (std::size_t i = 0; i < 300; ++i) constant.add(i * 7 % 33, hole);
    constant.n += 53;
  }
  for (std::size_t longest : {3, 16, 100}) {
    layout& drawn = named("lengths of up to 16, holes of up to " + std::to_string(longest));
    for (int i = 0; i < 400; ++i) drawn.add(random.below(17), random.below(longest + 1));
  }
  layout& equal = named("segments of 8, holes of 24");
  for (int i = 0; i < 200; ++i) equal.add(8, 24);
  layout& units = named("single items, and none, in holes of up to 60");
  for (int i = 0; i < 300; ++i) units.add(random.below(2), random.below(61));
  for (std::size_t hole : {1000, 1024, 4096, 4097, 6000}) {
    layout& far = named("at times a hole of " + std::to_string(hole));
    for (std::size_t i = 0; i < 700; ++i) far.add(i % 13, i % 150 == 149 ? hole : i % 2);
  }
  layout& some_long = named("at times a segment of 64 and more");
  for (std::size_t i = 0; i < 600; ++i) some_long.add(i % 100 == 99 ? 60 + i / 50 : i % 13, i % 3);
  layout& elsewhere = named("empty segments that lie elsewhere");
  for (std::size_t i = 0; i < 300; ++i) {
    elsewhere.add(i % 17, 2);
    if (i % 120 == 7) elsewhere.begins.back() = elsewhere.ends.back() = 0;
  }
  named_layouts const in_order = all;
  for (auto const& [name, where] : in_order) {
    layout& backwards = all.emplace_back(name + ", backwards", where).second;
    std::reverse(backwards.begins.begin(), backwards.begins.end());
    std::reverse(backwards.ends.begin(), backwards.ends.end());
    layout& parted = all.emplace_back(name + ", every other one first", where).second;
    for (auto [from, to] : {std::pair(&where.begins, &parted.begins), std::pair(&where.ends, &parted.ends)})
      for (std::size_t s = 0, half = (from->size() + 1) / 2; s < from->size(); ++s)
        to->at(s % 2 == 0 ? s / 2 : half + s / 2) = from->at(s);
  }
  return all;
}

/// Returns layouts of a few thousand items in total, for checkers that slow a machine down a thousand times.
inline named_layouts tiny_layouts() {
  named_layouts all;
  auto const named = [&](char const* name) -> layout& { return all.emplace_back(name, layout{}).second; };
  named("no segments").n = 10;
  layout& empty = named("empty segments");
  for (int i = 0; i < 10; ++i) empty.add(0, i % 3);
  layout& lengths = named("small lengths with holes");
  for (std::size_t n : {0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 63, 65, 127, 129, 257, 513}) lengths.add(n, n % 3);
  layout& shuffled = all.emplace_back("the same, shuffled and bounded", lengths).second.shuffle();
  shuffled.bounded = true;
  for (std::size_t length : {2, 5, 32, 100}) {
    all.emplace_back("uniform " + std::to_string(length), uniform_layout(300 / length, length, length % 3));
  }
  return all;
}
