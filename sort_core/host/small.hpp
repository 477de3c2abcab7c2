#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "ordo/radix_key.hpp"
#include "sort_core/host/records.hpp"

// Sorting of a few items by counting, for each, the items that come before it. No branch depends on a key, so that none is
// mispredicted, and all comparisons are independent. Each value moves once.
namespace ordo::inline v0::host_detail {

/// Up to this many items, counting is faster than distributing.
constexpr std::size_t small_limit = 32;

struct smaller {
  template <class K>
  bool operator()(K a, K b) const {
    return a < b;
  }
};
/// The item itself, compared by `less`.
template <class K, class Less>
struct whole {
  Less before;
  K const& operator()(K const& item) const { return item; }
};

/// True for orders of numbers. A comparison that the caller defines may be no strict weak order.
template <class Code>
constexpr bool is_certain = true;
template <class K, class Less>
constexpr bool is_certain<whole<K, Less>> = unsigned_word<K> &&
                                            (std::same_as<Less, smaller> || std::same_as<Less, std::less<K>>);

/// Returns true if rank[0, n), with n at most small_limit, holds each number below n.
inline bool is_permutation(std::uint32_t const* rank, std::size_t n) {
  std::uint64_t ranks = 0;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ranks |= std::uint64_t{1} << (rank[i] % 64);
    bits |= rank[i];
  }
  return bits < 64 && ranks == (std::uint64_t{1} << n) - 1;
}

/// Writes to rank[i] the place of item i in the order of an insertion sort, which is one of n places whatever `before` answers.
/// @param before  before(i, j) is true if item i comes before item j
template <class Before>
[[gnu::noinline]] void rank_by_insertion(std::uint32_t* rank, std::size_t n, Before before) {
  std::array<std::uint32_t, small_limit> order;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t to = i;
    for (; to != 0 && before(i, order[to - 1]); --to) order[to] = order[to - 1];
    order[to] = std::uint32_t(i);
  }
  for (std::size_t j = 0; j < n; ++j) rank[order[j]] = std::uint32_t(j);
}

#if defined(__CUDACC__)  // nvcc does not know GCC's pragma, but passes it to GCC
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675
#endif
/// Writes to rank[i] the number of codes of code[0, N) that come before code[i] in stable order. Fully unrolled: loops take
/// three times as long.
template <std::size_t N, class C, class Before>
void count_before(C const* code, std::uint32_t* rank, Before const& is_before) {
  for (std::size_t i = 0; i < N; ++i) rank[i] = 0;
#pragma GCC unroll 32
  for (std::size_t i = 1; i < N; ++i) {
    std::uint32_t before = 0;
#pragma GCC unroll 32
    for (std::size_t j = 0; j < i; ++j) {
      bool const greater = is_before(code[i], code[j]);
      before += !greater;
      rank[j] += greater;
    }
    rank[i] = before;
  }
}
#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif

/// Does the same without inlining, so that all types of values share one copy of the many instructions.
template <std::size_t N, class C, class Before>
[[gnu::noinline]] void count_before_outlined(C const* code, std::uint32_t* rank, Before const& is_before) {
  count_before<N>(code, rank, is_before);
}

/// True for numbers that count_smaller compares.
template <class C>
constexpr bool is_counted_word = std::same_as<C, std::uint8_t> || std::same_as<C, std::uint16_t> ||
                                 std::same_as<C, std::uint32_t> || std::same_as<C, std::uint64_t> || std::same_as<C, wide_key>;
#pragma GCC visibility push(default)
/// Does the work of count_before for N numbers in ascending order. It is in the library: no other source compiles it again.
template <std::size_t N, class C>
void count_smaller(C const* code, std::uint32_t* rank);
#pragma GCC visibility pop

/// Does the work of sort_small for n items, where n is N if Whole, else at most N. Each size has a function of its own, so that
/// sorts of few items need not save the registers that larger ones use.
template <bool Whole, std::size_t N, class K, class V, class Code>
[[gnu::noinline]] void sort_by_counting(records<K, V> from, records<K, V> to, std::size_t n, Code const& code) {
  using code_type = std::remove_cvref_t<std::invoke_result_t<Code, K const&>>;
  room<K, N> keys;
  room<code_type, N> codes;
  room<V, std::same_as<V, nothing> ? 1 : N> values;
  std::array<std::uint32_t, N> rank;
  if constexpr (Whole)
    n = N;
  else if (n > N)
    __builtin_unreachable();  // GCC 12 warns about accesses after N
  for (std::size_t i = 0; i < n; ++i) codes[i] = code(keys[i] = from.keys[i]);
  if constexpr (!std::same_as<V, nothing>)
    for (std::size_t i = 0; i < n; ++i) values[i] = from.values[i];
  if constexpr (Whole) {
    count_before<N>(codes.data(), rank.data(), code.before);
  } else {
    auto const first = code(from.keys[0]);
    for (std::size_t i = n; i < N; ++i) codes[i] = first;
    if constexpr (is_counted_word<code_type> && std::same_as<std::remove_cvref_t<decltype(code.before)>, smaller>)
      count_smaller<N>(codes.data(), rank.data());
    else
      count_before_outlined<N>(codes.data(), rank.data(), code.before);
    std::uint32_t const more = std::uint32_t(N - n);
    for (std::size_t i = 0; i < n; ++i) rank[i] -= more * code.before(first, codes[i]);
  }
  if constexpr (!is_certain<Code>)
    if (!is_permutation(rank.data(), n))
      rank_by_insertion(rank.data(), n, [&](std::size_t i, std::size_t j) { return code.before(codes[i], codes[j]); });
  for (std::size_t i = 0; i < n; ++i) to.keys[rank[i]] = keys[i];
  if constexpr (!std::same_as<V, nothing>)
    for (std::size_t i = 0; i < n; ++i) to.values[rank[i]] = values[i];
}

template <class K, class V, class Code>
void sort_two(records<K, V> from, records<K, V> to, Code const& code) {
  K const keys[] = {from.keys[0], from.keys[1]};
  V const values[] = {from.value(0), from.value(1)};
  bool const exchange = code.before(code(keys[1]), code(keys[0]));
  to.set(exchange, keys[0], values[0]);
  to.set(!exchange, keys[1], values[1]);
}

/// Does the work of sort_small for items that are too large for the stack.
template <class K, class V, class Code>
requires(sizeof(K) > largest_copied) void sort_small(records<K, V> from, records<K, V> to, std::size_t n, Code const& code) {
  std::array<std::uint32_t, small_limit> rank{};
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) ++rank[code.before(code(from.keys[i]), code(from.keys[j])) ? j : i];
  }
  if constexpr (!is_certain<Code>)
    if (!is_permutation(rank.data(), n))
      rank_by_insertion(rank.data(), n,
                        [&](std::size_t i, std::size_t j) { return code.before(code(from.keys[i]), code(from.keys[j])); });
  if (to.keys != from.keys) {
    for (std::size_t i = 0; i < n; ++i) to.set(rank[i], from.keys[i], from.value(i));
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    while (rank[i] != i) {  // each exchange moves one item to its final position
      std::size_t const home = rank[i];
      auto* const bytes = reinterpret_cast<std::byte*>(&to.keys[i]);
      std::swap_ranges(bytes, bytes + sizeof(K), reinterpret_cast<std::byte*>(&to.keys[home]));
      if constexpr (!std::same_as<V, nothing>) std::swap(to.values[i], to.values[home]);
      std::swap(rank[i], rank[home]);
    }
  }
}

/// Does the work of sort_small by the function for n items.
template <class K, class V, class Code>
void sort_by_size(records<K, V> from, records<K, V> to, std::size_t n, Code const& code) {
  switch (n) {
    case 0:
      return;
    case 1:
      return to.set(0, from.keys[0], from.value(0));
    case 2:
      return sort_two(from, to, code);
    case 3:
      return sort_by_counting<true, 3>(from, to, n, code);
    case 4:
      return sort_by_counting<true, 4>(from, to, n, code);
    case 5:
      return sort_by_counting<true, 5>(from, to, n, code);
    case 6:
      return sort_by_counting<true, 6>(from, to, n, code);
    case 7:
      return sort_by_counting<true, 7>(from, to, n, code);
    case 8:
      return sort_by_counting<true, 8>(from, to, n, code);
    default:
      if (n <= 12) return sort_by_counting<false, 12>(from, to, n, code);
      if (n <= 16) return sort_by_counting<false, 16>(from, to, n, code);
      if (n <= 20) return sort_by_counting<false, 20>(from, to, n, code);
      if (n <= 24) return sort_by_counting<false, 24>(from, to, n, code);
      return sort_by_counting<false, small_limit>(from, to, n, code);
  }
}

/// Sorts from[0, n), n at most small_limit, stably by code(key) into `to`, which may be `from`.
template <class K, class V, class Code>
void sort_small(records<K, V> from, records<K, V> to, std::size_t n, Code const& code) {
  if constexpr (unsigned_word<K> && std::same_as<Code, whole<K, std::less<K>>>)  // the same instructions, once
    return sort_small(from, to, n, whole<K, smaller>{});
  else
    sort_by_size(from, to, n, code);
}

/// The code of a key, and the order of two such codes: here, the bits of a key that are compared.
template <class K>
struct masked {
  K mask;
  static constexpr smaller before{};
  K operator()(K key) const { return K(key & mask); }
};
/// The same bits of the encoded key.
template <class K>
struct encoded {
  key_code<K> code;
  K mask;
  static constexpr smaller before{};
  K operator()(K key) const { return K(code.encode(key) & mask); }
};

}  // namespace ordo::inline v0::host_detail
