// Vectorised quicksort of unsigned keys, in the manner of Bramas, "A Novel Hybrid Quicksort Algorithm Vectorized using AVX-512
// on Intel Skylake" (2017), and Wassenberg, Blacher, Giesen and Sanders, "Vectorized and performance-portable Quicksort"
// (2022). Highway compiles this file once for each instruction set. Highway's own vqsort takes half a microsecond a call for
// its random seeds, longer than 128 keys need here; pivots here come from fixed positions. One of the sets is chosen here at
// run time, and not by Highway's library: when it is loaded, it measures the clock for four milliseconds, seven times the whole
// run of a small sort.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sort_core/host/vectorized.cpp"
// SSE4, AVX2, and of the kinds of AVX-512 the first: this file uses nothing that the others, bits 0 to 7, add.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | 0xFF)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include "sort_core/host/vector_selection.hpp"
#include "sort_core/host/vectorized.hpp"

#ifndef ORDO_SORTING_NETWORK
#define ORDO_SORTING_NETWORK
namespace ordo::inline v0::host_detail {

extern unsigned max_partitions;

struct exchange {
  std::size_t a, b;
};
/// Batcher's odd-even merge sort of Rows items, as exchanges.
template <std::size_t Rows>
struct odd_even_network {
  static constexpr auto visit(auto f) {
    for (std::size_t p = 1; p < Rows; p *= 2)
      for (std::size_t k = p; k >= 1; k /= 2)
        for (std::size_t j = k % p; j + k < Rows; j += 2 * k)
          for (std::size_t i = 0; i < std::min(k, Rows - j - k); ++i)
            if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) f(i + j, i + j + k);
  }
  static constexpr std::size_t size = [] {
    std::size_t count = 0;
    visit([&](std::size_t, std::size_t) { ++count; });
    return count;
  }();
  static constexpr std::array<exchange, size> list = [] {
    std::array<exchange, size> all{};
    std::size_t count = 0;
    visit([&](std::size_t a, std::size_t b) { all[count++] = {a, b}; });
    return all;
  }();
};

}  // namespace ordo::inline v0::host_detail
#endif

HWY_BEFORE_NAMESPACE();
namespace ordo::inline v0::host_detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SSE2 || HWY_HAVE_SCALABLE
// No vectors, or none with a comparison of all lanes, or some whose size is known at run time only: there are no arrays of
// those.
inline std::size_t NetworkKeys(std::size_t) {
  return 0;
}
inline std::size_t MaxKeys(std::size_t) {
  return 0;
}
template <class U>
void Sort(U* keys, std::size_t n, key_code<U> encode, key_code<U> decode) {
  for (std::size_t i = 0; i < n; ++i) keys[i] = encode.encode(keys[i]);
  std::sort(keys, keys + n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = decode.decode(keys[i]);
}
template <class U>
void SortOnThreads(U* keys, std::size_t n, key_code<U> encode, key_code<U> decode, unsigned) {
  Sort(keys, n, encode, decode);
}
template <class U>
void Select(U* keys, std::size_t n, std::size_t k, key_code<U> code) {
  std::nth_element(keys, keys + k, keys + n, [=](U a, U b) { return code.encode(a) < code.encode(b); });
}
template <class U>
std::size_t FindLess(U const* keys, std::size_t n, key_code<U> code, U limit, U max_magnitude) {
  return find_less_one_by_one(keys, n, code, limit, max_magnitude);
}
template <class U>
bool Ascend(U const* keys, std::size_t n, key_code<U> code) {
  return ascend_one_by_one(keys, n, code);
}
#else

// Signed lanes, because only these have a comparison on every processor: a code is stored with its top bit flipped.
template <class U>
using lane = std::make_signed_t<U>;
template <class T>
using tag = hn::ScalableTag<T>;

constexpr std::size_t max_rows = 16;
/// Vectors that a step of a partition reads at a time.
constexpr std::size_t unrolled = 4;

/// Maps keys to signed lanes, and back.
template <class T>
struct encoder {
  using U = std::make_unsigned_t<T>;
  using V = hn::Vec<tag<T>>;
  key_code<U> code;

  HWY_INLINE V encode(tag<T> d, V v) const {
    v = hn::Xor(hn::Xor(v, hn::And(hn::BroadcastSignBit(v), all(d, code.flip_negative))), all(d, code.flip));
    return hn::Xor(hn::Sub(v, all(d, code.rotate)), all(d, code.top));
  }
  HWY_INLINE V decode(tag<T> d, V v) const {
    v = hn::Xor(hn::Add(hn::Xor(v, all(d, code.top)), all(d, code.rotate)), all(d, code.flip));
    return hn::Xor(v, hn::And(hn::BroadcastSignBit(v), all(d, code.flip_negative)));
  }
  static HWY_INLINE V all(tag<T> d, U word) { return hn::Set(d, T(word)); }
};
/// For keys that are encoded already.
template <class T>
struct no_encoder {
  using V = hn::Vec<tag<T>>;
  HWY_INLINE V encode(tag<T>, V v) const { return v; }
  HWY_INLINE V decode(tag<T>, V v) const { return v; }
};
/// The code of keys that stay encoded: the lanes have it themselves. Less code than a decoder that does nothing.
template <class T>
constexpr encoder<T> stays_encoded{{.flip = key_code<std::make_unsigned_t<T>>::top, .flip_negative = 0, .rotate = 0}};

/// Returns the vector with lanes i and i ^ Distance exchanged.
template <std::size_t Distance, class D, class V>
HWY_INLINE V Partner(D d, V v) {
  constexpr std::size_t bytes = Distance * sizeof(hn::TFromD<D>);
  if constexpr (Distance == 1)
    return hn::Reverse2(d, v);
  else if constexpr (bytes == 8)
    return hn::Shuffle1032(v);
  else if constexpr (2 * Distance == hn::MaxLanes(d))
    return hn::ConcatLowerUpper(d, v, v);
  else
    return hn::SwapAdjacentBlocks(v);
}

/// Returns the vector with the lanes of each group of Size reversed.
template <std::size_t Size, class D, class V>
HWY_INLINE V ReverseGroups(D d, V v) {
  if constexpr (Size == hn::MaxLanes(d))
    return hn::Reverse(d, v);
  else if constexpr (Size == 2)
    return hn::Reverse2(d, v);
  else if constexpr (Size == 4)
    return hn::Reverse4(d, v);
  else
    return hn::Reverse8(d, v);
}

/// Returns the lanes of `high` whose index has the bit Distance, and the others of `low`.
template <std::size_t Distance, class D, class V>
HWY_INLINE V Blend(D d, V low, V high) {
  constexpr std::size_t bytes = Distance * sizeof(hn::TFromD<D>);
  if constexpr (Distance == 1) {
    return hn::OddEven(high, low);
  } else if constexpr (bytes == 8) {
    hn::Repartition<std::int64_t, D> const wide;
    return hn::BitCast(d, hn::OddEven(hn::BitCast(wide, high), hn::BitCast(wide, low)));
  } else if constexpr (2 * Distance == hn::MaxLanes(d)) {
    return hn::ConcatUpperLower(d, high, low);
  } else {
    return hn::OddEvenBlocks(high, low);
  }
}

template <class V>
HWY_INLINE void Exchange(V& a, V& b) {
  V const low = hn::Min(a, b);
  b = hn::Max(a, b);
  a = low;
}

template <std::size_t Rows, class V, std::size_t... I>
HWY_INLINE void SortColumns(V* v, std::index_sequence<I...>) {
  (Exchange(v[odd_even_network<Rows>::list[I].a], v[odd_even_network<Rows>::list[I].b]), ...);
}

/// Halves the bitonic sequences that every Span rows from First on hold, until each row holds one.
template <std::size_t First, std::size_t Span, std::size_t Group, class D, class V, std::size_t... R>
HWY_INLINE void MergeRows(D d, V* v, std::index_sequence<R...>) {
  V const other[] = {ReverseGroups<Group>(d, v[First + Span - 1 - R])...};
  V const high[] = {hn::Max(v[First + R], other[R])...};
  ((v[First + R] = hn::Min(v[First + R], other[R])), ...);
  ((v[First + Span / 2 + R] = high[R]), ...);
  if constexpr (Span > 2) {
    MergeRows<First, Span / 2, Group>(d, v, std::make_index_sequence<Span / 4>{});
    MergeRows<First + Span / 2, Span / 2, Group>(d, v, std::make_index_sequence<Span / 4>{});
  }
}
template <std::size_t Distance, class D, class V>
HWY_INLINE V MergeLanes(D d, V v) {
  if constexpr (Distance == 0) {
    return v;
  } else {
    V const other = Partner<Distance>(d, v);
    return MergeLanes<Distance / 2>(d, Blend<Distance>(d, hn::Min(v, other), hn::Max(v, other)));
  }
}
template <std::size_t Group, class D, class V>
HWY_INLINE V MergeRow(D d, V v) {
  V const other = ReverseGroups<Group>(d, v);
  return MergeLanes<Group / 4>(d, Blend<Group / 2>(d, hn::Min(v, other), hn::Max(v, other)));
}
/// Merges neighbouring groups of lanes, each of which holds a sorted sequence row by row, until all lanes are one group. To
/// compare a group with the reverse of its neighbour, rows and lanes are reversed together. After each halving the left lanes
/// hold the first half of a bitonic sequence, and the right lanes the reversed second half, so that the next is the same.
template <std::size_t Rows, std::size_t Group, class D, class V, std::size_t... R>
HWY_INLINE void MergeColumns(D d, V* v, std::index_sequence<R...> rows) {
  if constexpr (Group <= hn::MaxLanes(d)) {
    if constexpr (Rows > 1) MergeRows<0, Rows, Group>(d, v, std::make_index_sequence<Rows / 2>{});
    ((v[R] = MergeRow<Group>(d, v[R])), ...);
    MergeColumns<Rows, 2 * Group>(d, v, rows);
  }
}

/// Returns keys[0, n) in the first lanes, where n is less than the number of lanes. Nothing else is read.
template <class D, class V, class T>
HWY_INLINE V LoadFirst(D d, V padding, T const* keys, std::size_t n) {
  if constexpr (sizeof(T) * hn::MaxLanes(d) > 16) {
    auto const inside = hn::FirstN(d, n);
    return hn::IfThenElse(inside, hn::MaskedLoad(inside, d, keys), padding);
  } else {  // a masked load would read the whole vector
    HWY_ALIGN T all[hn::MaxLanes(d)];
    hn::Store(padding, d, all);
    for (std::size_t i = 0; i < n; ++i) all[i] = keys[i];
    return hn::Load(d, all);
  }
}
/// Writes the first n lanes to keys[0, n), and nothing else.
template <class D, class V, class T>
HWY_INLINE void StoreFirst(D d, V v, T* keys, std::size_t n) {
  if constexpr (sizeof(T) * hn::MaxLanes(d) > 16) {
    hn::BlendedStore(v, hn::FirstN(d, n), d, keys);
  } else {
    HWY_ALIGN T all[hn::MaxLanes(d)];
    hn::Store(v, d, all);
    for (std::size_t i = 0; i < n; ++i) keys[i] = all[i];
  }
}

template <class D, class V, class T>
HWY_INLINE V LoadRow(D d, V padding, T const* keys, std::size_t row, std::size_t n) {
  std::size_t const lanes = hn::MaxLanes(d), begin = row * lanes;
  if (HWY_LIKELY(begin + lanes <= n)) return hn::LoadU(d, keys + begin);
  return begin < n ? LoadFirst(d, padding, keys + begin, n - begin) : padding;
}
template <class D, class V, class T>
HWY_INLINE void StoreRow(D d, V v, T* keys, std::size_t row, std::size_t n) {
  std::size_t const lanes = hn::MaxLanes(d), begin = row * lanes;
  if (HWY_LIKELY(begin + lanes <= n))
    hn::StoreU(v, d, keys + begin);
  else if (begin < n)
    StoreFirst(d, v, keys + begin, n - begin);
}

/// Sorts keys[0, n), n at most Rows vectors. `in` encodes keys that are read, and `out` decodes those that are written.
template <std::size_t Rows, class T, class In, class Out, std::size_t... R>
HWY_NOINLINE void SortRows(T* keys, std::size_t n, In const& in, Out const& out, std::index_sequence<R...> rows) {
  tag<T> const d;
  using V = hn::Vec<tag<T>>;
  V const padding = in.decode(d, hn::Set(d, hwy::LimitsMax<T>()));
  V v[Rows] = {in.encode(d, LoadRow(d, padding, keys, R, n))...};
  SortColumns<Rows>(v, std::make_index_sequence<odd_even_network<Rows>::size>{});
  MergeColumns<Rows, 2>(d, v, rows);
  (StoreRow(d, out.decode(d, v[R]), keys, R, n), ...);
}

/// Sorts keys[0, n), n at most max_rows / 2 vectors.
template <class T, class In, class Out>
HWY_INLINE void SortFewer(T* keys, std::size_t n, In const& in, Out const& out) {
  std::size_t const lanes = hn::MaxLanes(tag<T>());
  if (n <= lanes) return SortRows<1>(keys, n, in, out, std::make_index_sequence<1>{});
  if (n <= 2 * lanes) return SortRows<2>(keys, n, in, out, std::make_index_sequence<2>{});
  if (n <= 4 * lanes) return SortRows<4>(keys, n, in, out, std::make_index_sequence<4>{});
  SortRows<8>(keys, n, in, out, std::make_index_sequence<8>{});
}
/// Sorts keys[0, n) of encoded keys, n at most max_rows vectors, and decodes them.
template <class T, class Out>
HWY_INLINE void SortFew(T* keys, std::size_t n, Out const& out) {
  no_encoder<T> const in;
  if (n <= max_rows / 2 * hn::MaxLanes(tag<T>())) return SortFewer(keys, n, in, out);
  SortRows<max_rows>(keys, n, in, out, std::make_index_sequence<max_rows>{});
}

/// Writes the lanes of `v` that are at most `pivot` to keys[left...], and the others to keys[... right). The keys between are
/// free.
template <class D, class V, class T>
HWY_INLINE void StoreParts(D d, V v, V pivot, T* keys, std::size_t& left, std::size_t& right) {
  std::size_t const lanes = hn::MaxLanes(d);
  auto const above = hn::Gt(v, pivot);
  std::size_t const below = lanes - hn::CountTrue(d, above);
  if constexpr (hn::CompressIsPartition<T>::value) {
    V const parts = hn::CompressNot(v, above);
    hn::StoreU(parts, d, keys + left);
    hn::StoreU(parts, d, keys + right - lanes);
  } else {
    hn::StoreU(hn::CompressNot(v, above), d, keys + left);
    StoreFirst(d, hn::Compress(v, above), keys + right - (lanes - below), lanes - below);
  }
  left += below;
  right -= lanes - below;
}

/// Moves the keys that are at most `pivot` before the others. n is at least 2 * unrolled vectors.
/// @returns their number
template <class T>
HWY_NOINLINE std::size_t Partition(T* keys, std::size_t n, T pivot_key) {
  tag<T> const d;
  using V = hn::Vec<tag<T>>;
  constexpr std::size_t lanes = hn::MaxLanes(d), step = unrolled * lanes;
  V const pivot = hn::Set(d, pivot_key);
  // The vectors at both ends wait until all others are written. Their room, two steps, lies on both sides of the keys that are
  // still to read, so that a step taken from the side with less room leaves one step or more on either.
  V first[unrolled], last[unrolled];
  for (std::size_t i = 0; i < unrolled; ++i) first[i] = hn::LoadU(d, keys + i * lanes);
  for (std::size_t i = 0; i < unrolled; ++i) last[i] = hn::LoadU(d, keys + n - step + i * lanes);
  std::size_t left = 0, right = n, begin = step, end = n - step;
  while (end - begin >= step) {
    T const* from;
    if (begin - left <= right - end) {
      from = keys + begin;
      begin += step;
    } else {
      from = keys + (end -= step);
    }
    V const a = hn::LoadU(d, from), b = hn::LoadU(d, from + lanes);
    V const c = hn::LoadU(d, from + 2 * lanes), e = hn::LoadU(d, from + 3 * lanes);
    StoreParts(d, a, pivot, keys, left, right);
    StoreParts(d, b, pivot, keys, left, right);
    StoreParts(d, c, pivot, keys, left, right);
    StoreParts(d, e, pivot, keys, left, right);
  }
  while (end - begin >= lanes) {
    V v;
    if (begin - left <= right - end) {
      v = hn::LoadU(d, keys + begin);
      begin += lanes;
    } else {
      v = hn::LoadU(d, keys + (end -= lanes));
    }
    StoreParts(d, v, pivot, keys, left, right);
  }
  if (std::size_t const rest = end - begin; rest != 0) {
    // After `end` is the room of `last`, so that a whole vector can be read.
    V const v = hn::LoadU(d, keys + begin);
    auto const inside = hn::FirstN(d, rest), above = hn::And(hn::Gt(v, pivot), inside), below = hn::AndNot(above, inside);
    std::size_t const num_above = hn::CountTrue(d, above), num_below = rest - num_above;
    StoreFirst(d, hn::Compress(v, below), keys + left, num_below);
    StoreFirst(d, hn::Compress(v, above), keys + right - num_above, num_above);
    left += num_below;
    right -= num_above;
  }
  for (std::size_t i = 0; i < unrolled; ++i) StoreParts(d, first[i], pivot, keys, left, right);
  for (std::size_t i = 0; i < unrolled; ++i) StoreParts(d, last[i], pivot, keys, left, right);
  return left;
}

template <class T, class Out>
HWY_INLINE void DecodeAll(T* keys, std::size_t n, Out const& out) {
  tag<T> const d;
  std::size_t const lanes = hn::MaxLanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(out.decode(d, hn::LoadU(d, keys + i)), d, keys + i);
  if (i != n) StoreRow(d, out.decode(d, LoadRow(d, hn::Zero(d), keys + i, 0, n - i)), keys + i, 0, n - i);
}

template <class T>
struct chosen_pivot {
  T key;
  bool repeated;  // in the sample, so that many keys equal it
};
/// Returns the median of samples from positions that depend on n alone, so that every run does the same. In a function of its
/// own, because frames of SortEncoded are many.
template <class T>
HWY_NOINLINE chosen_pivot<T> ChoosePivot(T const* keys, std::size_t n) {
  constexpr std::size_t max_samples = 64;
  std::size_t const samples = n < 2048 ? max_samples / 4 : max_samples;
  HWY_ALIGN T sample[max_samples];
  std::uint64_t state = n;
  for (std::size_t i = 0; i < samples; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    sample[i] = keys[i * (n / samples) + (state >> 32) % (n / samples)];
  }
  SortFew(sample, samples, stays_encoded<T>);
  return {sample[samples / 2 - 1], sample[samples / 2 - 1] == sample[samples / 2]};
}

/// Sorts keys[0, n) of encoded keys, and decodes them. `rounds` bounds the number of partitions around bad pivots.
template <class T, class Out>
void SortEncoded(T* keys, std::size_t n, unsigned rounds, Out const& out) {
  constexpr std::size_t few = max_rows * hn::MaxLanes(tag<T>());
  while (n > few) {
    if (rounds-- == 0) {
      std::sort(keys, keys + n);
      return DecodeAll(keys, n, out);
    }
    auto const [pivot, repeated] = ChoosePivot(keys, n);
    std::size_t const left = Partition(keys, n, pivot);
    std::size_t below = left;
    // Keys that equal a frequent or greatest pivot are complete.
    if ((left == n || repeated) && left > few && pivot != hwy::LimitsMin<T>()) {
      below = Partition(keys, left, T(pivot - 1));
      DecodeAll(keys + below, left - below, out);
    } else if (pivot == hwy::LimitsMin<T>()) {  // nothing is less
      below = 0;
      DecodeAll(keys, left, out);
    }
    SortEncoded(keys, below, rounds, out);
    keys += left;
    n -= left;
  }
  if (n != 0) SortFew(keys, n, out);
}

template <class U>
HWY_INLINE void EncodeAll(U* unsigned_keys, std::size_t n, key_code<U> code) {
  using T = lane<U>;
  if (code == stays_encoded<T>.code) return;  // signed integers
  T* const keys = reinterpret_cast<T*>(unsigned_keys);
  encoder<T> const in{code};
  tag<T> const d;
  std::size_t const lanes = hn::MaxLanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(in.encode(d, hn::LoadU(d, keys + i)), d, keys + i);
  for (; i != n; ++i) keys[i] = T(code.encode(unsigned_keys[i]) ^ code.top);
}

/// Returns the maximum number of partitions around bad pivots.
inline unsigned MaxRounds(std::size_t n) {
  return std::min(2 * unsigned(std::bit_width(n)), max_partitions);
}

template <class U>
HWY_INLINE void Sort(U* unsigned_keys, std::size_t n, key_code<U> encode, key_code<U> decode) {
  using T = lane<U>;
  T* const keys = reinterpret_cast<T*>(unsigned_keys);
  encoder<T> const in{encode}, out{decode};
  if (n <= max_rows / 2 * hn::MaxLanes(tag<T>())) {  // more are encoded apart: half of the code of networks
    if (n != 0) SortFewer(keys, n, in, out);
    return;
  }
  EncodeAll(unsigned_keys, n, encode);
  SortEncoded(keys, n, MaxRounds(n), out);
}

/// The least keys of a thread's part.
constexpr std::size_t min_part = std::size_t{1} << 15;

/// Calls f(begin, end) for parts of [0, n), on all threads.
template <class F>
void EachPart(std::size_t n, F const& f) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, min_part),
                    [&](tbb::blocked_range<std::size_t> const& part) HWY_ATTR { f(part.begin(), part.end()); });
}

/// Does the work of Partition on some threads: each half does so, and the upper keys of the first change places with the lower
/// ones of the second.
template <class T>
std::size_t PartitionOnThreads(T* keys, std::size_t n, T pivot, unsigned threads) {
  if (threads < 2 || n < 2 * min_part) return Partition(keys, n, pivot);
  std::size_t const half = n / 2;
  std::size_t low = 0, high = 0;
  tbb::parallel_invoke([&] { low = PartitionOnThreads(keys, half, pivot, threads / 2); },
                       [&] { high = PartitionOnThreads(keys + half, n - half, pivot, threads - threads / 2); });
  std::size_t const count = std::min(half - low, high);
  T *const upper = keys + low, *const lower = keys + half + high - count;
  EachPart(count, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    std::swap_ranges(upper + begin, upper + end, lower + begin);
  });
  return low + high;
}

/// Does the work of SortEncoded on some threads. One thread sorts at most `grain` keys.
template <class T, class Out>
void SortEncodedOnThreads(T* keys, std::size_t n, unsigned threads, std::size_t grain, unsigned rounds, Out const& out) {
  if (n <= grain || rounds == 0) {
    if (n != 0) SortEncoded(keys, n, rounds, out);
    return;
  }
  chosen_pivot<T> const pivot = ChoosePivot(keys, n);
  std::size_t const left = PartitionOnThreads(keys, n, pivot.key, threads);
  std::size_t below = left;
  if (pivot.key == hwy::LimitsMin<T>())
    below = 0;  // nothing is less
  else if ((left == n || pivot.repeated) && left > grain)
    below = PartitionOnThreads(keys, left, T(pivot.key - 1), threads);
  EachPart(left - below, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    DecodeAll(keys + below + begin, end - begin, out);
  });
  std::size_t const above = n - left;
  auto const for_below = unsigned(std::uint64_t{threads} * below / n);
  tbb::parallel_invoke([&] { SortEncodedOnThreads(keys, below, for_below, grain, rounds - 1, out); },
                       [&] { SortEncodedOnThreads(keys + left, above, threads - for_below, grain, rounds - 1, out); });
}

template <class U>
void SortOnThreads(U* unsigned_keys, std::size_t n, key_code<U> encode, key_code<U> decode, unsigned threads) {
  using T = lane<U>;
  encoder<T> const out{decode};
  EachPart(n, [&](std::size_t begin, std::size_t end) HWY_ATTR { EncodeAll(unsigned_keys + begin, end - begin, encode); });
  // Some parts for each thread, as pivots are not medians.
  std::size_t const grain = std::max(n / (std::size_t{8} * threads), min_part);
  SortEncodedOnThreads(reinterpret_cast<T*>(unsigned_keys), n, threads, grain, MaxRounds(n), out);
}

template <class U>
HWY_INLINE void Select(U* unsigned_keys, std::size_t n, std::size_t k, key_code<U> code) {
  using T = lane<U>;
  constexpr std::size_t few = max_rows * hn::MaxLanes(tag<T>());
  T* keys = reinterpret_cast<T*>(unsigned_keys);
  encoder<T> const whole{code};
  if (n <= few / 2) return SortFewer(keys, n, whole, whole);
  EncodeAll(unsigned_keys, n, code);
  for (unsigned rounds = MaxRounds(n); n > few; --rounds) {
    if (rounds == 0) {
      std::nth_element(keys, keys + k, keys + n);
      return DecodeAll(keys, n, whole);
    }
    auto const [pivot, repeated] = ChoosePivot(keys, n);
    std::size_t const left = Partition(keys, n, pivot);
    if (k >= left) {
      DecodeAll(keys, left, whole);
      keys += left;
      k -= left;
      n -= left;
      continue;
    }
    DecodeAll(keys + left, n - left, whole);
    bool const all_equal = pivot == hwy::LimitsMin<T>();  // nothing is less
    std::size_t below = left;
    if ((left == n || repeated) && left > few && !all_equal) below = Partition(keys, left, T(pivot - 1));
    if (all_equal || k >= below) return DecodeAll(keys, left, whole);  // keys from `below` on equal the pivot, or all are left
    DecodeAll(keys + below, left - below, whole);
    n = below;
  }
  SortFew(keys, n, whole);
}

template <class U>
HWY_INLINE std::size_t FindLess(U const* unsigned_keys, std::size_t n, key_code<U> code, U limit, U max_magnitude) {
  using T = lane<U>;
  T const* const keys = reinterpret_cast<T const*>(unsigned_keys);
  encoder<T> const in{code};
  tag<T> const d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  auto const bound = hn::Set(d, T(limit ^ code.top)), rest = hn::Set(d, T(~code.top));
  auto const greatest = hn::Set(d, T(std::min<U>(max_magnitude, U(~code.top))));
  auto const matches = [&](std::size_t i) HWY_ATTR {
    auto const v = hn::LoadU(d, keys + i);
    return hn::Or(hn::Lt(in.encode(d, v), bound), hn::Gt(hn::And(v, rest), greatest));
  };
  std::size_t i = 0;
  for (; i + unrolled * lanes <= n; i += unrolled * lanes) {
    auto const any = hn::Or(hn::Or(matches(i), matches(i + lanes)), hn::Or(matches(i + 2 * lanes), matches(i + 3 * lanes)));
    if (!hn::AllFalse(d, any)) break;
  }
  return i + find_less_one_by_one(unsigned_keys + i, n - i, code, limit, max_magnitude);
}

template <class U>
HWY_INLINE bool Ascend(U const* unsigned_keys, std::size_t n, key_code<U> code) {
  using T = lane<U>;
  T const* const keys = reinterpret_cast<T const*>(unsigned_keys);
  tag<T> const d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  std::size_t i = 0;
  // Loads that cross no line of the cache. Equal keys need no codes, and no second look.
  if (constexpr std::size_t many = 64 * lanes; n >= many) {
    std::size_t const past_bound = reinterpret_cast<std::uintptr_t>(keys) / sizeof(T) % lanes;
    i = (lanes - past_bound) % lanes;
    if (!ascend_one_by_one(unsigned_keys, i + 1, code)) return false;
    std::size_t const begin = i;
    auto const first = hn::Set(d, keys[begin]);
    auto const differing = [&](std::size_t k) HWY_ATTR { return hn::Xor(hn::LoadU(d, keys + k), first); };
    for (; i + unrolled * lanes <= n; i += unrolled * lanes) {
      auto const any = hn::Or(hn::Or(differing(i), differing(i + lanes)),
                              hn::Or(differing(i + 2 * lanes), differing(i + 3 * lanes)));
      if (!hn::AllTrue(d, hn::Eq(any, hn::Zero(d)))) break;
    }
    if (i != begin) --i;  // the last of the equal keys, to be compared with the next one
  }
  auto const begin_by = [&](auto encode) HWY_ATTR {  // whether the keys of whole vectors ascend
    auto const descents = [&](std::size_t k) HWY_ATTR {
      return hn::Lt(encode(hn::LoadU(d, keys + k + 1)), encode(hn::LoadU(d, keys + k)));
    };
    for (; i + unrolled * lanes < n; i += unrolled * lanes) {
      auto const any =
          hn::Or(hn::Or(descents(i), descents(i + lanes)), hn::Or(descents(i + 2 * lanes), descents(i + 3 * lanes)));
      if (!hn::AllFalse(d, any)) return false;
    }
    return true;
  };
  // Most codes need a part of the general one, which takes longer than all else here.
  auto const flip = hn::Set(d, T(code.flip ^ code.top)), flip_negative = hn::Set(d, T(code.flip_negative));
  bool ascend = false;
  if (code.rotate != 0)
    ascend = begin_by([&](auto v) HWY_ATTR { return encoder<T>{code}.encode(d, v); });
  else if (code.flip_negative != 0)
    ascend = begin_by([&](auto v) HWY_ATTR {
      return hn::Xor(hn::Xor(v, hn::And(hn::BroadcastSignBit(v), flip_negative)), flip);
    });
  else
    ascend = begin_by([&](auto v) HWY_ATTR { return hn::Xor(v, flip); });
  if (!ascend) return false;
  return ascend_one_by_one(unsigned_keys + i, n - i, code);
}

std::size_t NetworkKeys(std::size_t key_bytes) {
  return max_rows * (key_bytes == 4 ? hn::MaxLanes(tag<std::int32_t>()) : hn::MaxLanes(tag<std::int64_t>()));
}
std::size_t MaxKeys(std::size_t key_bytes) {
  if (HWY_LANES(std::uint8_t) > 16) return ~std::size_t{0};
  // Partitioning by short vectors is slower than by digits.
  return key_bytes == 4 ? std::size_t{1} << 14 : NetworkKeys(8);
}
#endif

void Sort32(std::uint32_t* keys, std::size_t n, key_code<std::uint32_t> encode, key_code<std::uint32_t> decode) {
  Sort(keys, n, encode, decode);
}
void Sort64(std::uint64_t* keys, std::size_t n, key_code<std::uint64_t> encode, key_code<std::uint64_t> decode) {
  Sort(keys, n, encode, decode);
}
void Sort32OnThreads(std::uint32_t* keys, std::size_t n, key_code<std::uint32_t> encode, key_code<std::uint32_t> decode,
                     unsigned threads) {
  SortOnThreads(keys, n, encode, decode, threads);
}
void Sort64OnThreads(std::uint64_t* keys, std::size_t n, key_code<std::uint64_t> encode, key_code<std::uint64_t> decode,
                     unsigned threads) {
  SortOnThreads(keys, n, encode, decode, threads);
}
void Select32(std::uint32_t* keys, std::size_t n, std::size_t k, key_code<std::uint32_t> code) {
  Select(keys, n, k, code);
}
void Select64(std::uint64_t* keys, std::size_t n, std::size_t k, key_code<std::uint64_t> code) {
  Select(keys, n, k, code);
}
std::size_t FindLess32(std::uint32_t const* keys, std::size_t n, key_code<std::uint32_t> code, std::uint32_t limit,
                       std::uint32_t max_magnitude) {
  return FindLess(keys, n, code, limit, max_magnitude);
}
std::size_t FindLess64(std::uint64_t const* keys, std::size_t n, key_code<std::uint64_t> code, std::uint64_t limit,
                       std::uint64_t max_magnitude) {
  return FindLess(keys, n, code, limit, max_magnitude);
}
bool Ascend32(std::uint32_t const* keys, std::size_t n, key_code<std::uint32_t> code) {
  return Ascend(keys, n, code);
}
bool Ascend64(std::uint64_t const* keys, std::size_t n, key_code<std::uint64_t> code) {
  return Ascend(keys, n, code);
}
}  // namespace ordo::inline v0::host_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ordo::inline v0::host_detail {

unsigned max_partitions = ~0u;
namespace {

bool vectors_allowed = true;

enum class instruction_set { lowest, sse4, avx2, avx3 };

#if HWY_ARCH_X86
// Finds the vector instructions, up to `bytes` bytes wide, that processor and system support. __builtin_cpu_supports() would
// do so too, but links a function into each program that executes CPUID eleven times before main(), which takes 20 to 30
// microseconds each in a virtual machine.
class processor_features {
 public:
  explicit processor_features(std::size_t bytes) {
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) return;
    sse4_ = has_all(c, bit_SSE4_2 | bit_PCLMUL | bit_AES);
    if (!sse4_ || bytes < 32 || !has_all(c, bit_OSXSAVE | bit_AVX | bit_FMA)) return;
    unsigned const saved = saved_registers();
    if (!has_all(saved, 0x6) || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return;
    avx2_ = has_all(b, bit_AVX2 | bit_BMI | bit_BMI2);
    avx3_ = avx2_ && bytes >= 64 && has_all(saved, 0xe6) &&
            has_all(b, bit_AVX512F | bit_AVX512VL | bit_AVX512DQ | bit_AVX512BW | bit_AVX512CD);
  }
  [[nodiscard]] bool sse4() const { return sse4_; }
  [[nodiscard]] bool avx2() const { return avx2_; }
  [[nodiscard]] bool avx3() const { return avx3_; }

 private:
  static bool has_all(unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; }
  // Returns the registers that the system saves when it switches threads.
  static unsigned saved_registers() {
    unsigned low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
  }

  bool sse4_ = false, avx2_ = false, avx3_ = false;
};
#endif

// Returns that of the widest vectors of the processor, of at most `bytes` bytes if that is 16 or more. The tests are for what
// Highway lets the compiler use; processors with AVX2 have F16C.
instruction_set widest(std::size_t bytes) {
#if HWY_ARCH_X86
  processor_features const has(bytes);
  return has.avx3()   ? instruction_set::avx3
         : has.avx2() ? instruction_set::avx2
         : has.sse4() ? instruction_set::sse4
                      : instruction_set::lowest;
#else
  static_cast<void>(bytes);
  return instruction_set::lowest;
#endif
}

// That in use. Chosen at the first call, as other objects of the program may sort before its main() begins.
instruction_set& chosen() {
  static instruction_set set = widest(~std::size_t{0});
  return set;
}

#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX3)
#define ORDO_AVX3(function) \
  if (set == instruction_set::avx3) return &N_AVX3::function;
#else
#define ORDO_AVX3(function)
#endif
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX2)
#define ORDO_AVX2(function) \
  if (set >= instruction_set::avx2) return &N_AVX2::function;
#else
#define ORDO_AVX2(function)
#endif
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_SSE4)
#define ORDO_SSE4(function) \
  if (set >= instruction_set::sse4) return &N_SSE4::function;
#else
#define ORDO_SSE4(function)
#endif
// A function of the chosen instruction set. There is no table of all functions: a program links those that it calls.
#define ORDO_CHOSEN(function)                                                                          \
  ([]([[maybe_unused]] instruction_set set) {                                                          \
    ORDO_AVX3(function) ORDO_AVX2(function) ORDO_SSE4(function) return &HWY_STATIC_DISPATCH(function); \
  })(chosen())

}  // namespace

std::size_t max_vector_keys(std::size_t key_bytes) noexcept {
  return vectors_allowed ? ORDO_CHOSEN(MaxKeys)(key_bytes) : 0;
}
std::size_t network_keys(std::size_t key_bytes) noexcept {
  return vectors_allowed ? ORDO_CHOSEN(NetworkKeys)(key_bytes) : 0;
}
void sort_by_vectors(std::uint32_t* keys, std::size_t n, key_code<std::uint32_t> encode,
                     key_code<std::uint32_t> decode) noexcept {
  ORDO_CHOSEN(Sort32)(keys, n, encode, decode);
}
void sort_by_vectors(std::uint64_t* keys, std::size_t n, key_code<std::uint64_t> encode,
                     key_code<std::uint64_t> decode) noexcept {
  ORDO_CHOSEN(Sort64)(keys, n, encode, decode);
}
void sort_by_vectors_on(unsigned threads, std::uint32_t* keys, std::size_t n, key_code<std::uint32_t> encode,
                        key_code<std::uint32_t> decode) {
  ORDO_CHOSEN(Sort32OnThreads)(keys, n, encode, decode, threads);
}
void sort_by_vectors_on(unsigned threads, std::uint64_t* keys, std::size_t n, key_code<std::uint64_t> encode,
                        key_code<std::uint64_t> decode) {
  ORDO_CHOSEN(Sort64OnThreads)(keys, n, encode, decode, threads);
}
void select_by_vectors(std::uint32_t* keys, std::size_t n, std::size_t k, key_code<std::uint32_t> code) noexcept {
  ORDO_CHOSEN(Select32)(keys, n, k, code);
}
void select_by_vectors(std::uint64_t* keys, std::size_t n, std::size_t k, key_code<std::uint64_t> code) noexcept {
  ORDO_CHOSEN(Select64)(keys, n, k, code);
}
std::size_t find_less(std::uint32_t const* keys, std::size_t n, key_code<std::uint32_t> code, std::uint32_t limit,
                      std::uint32_t max_magnitude) noexcept {
  return ORDO_CHOSEN(FindLess32)(keys, n, code, limit, max_magnitude);
}
std::size_t find_less(std::uint64_t const* keys, std::size_t n, key_code<std::uint64_t> code, std::uint64_t limit,
                      std::uint64_t max_magnitude) noexcept {
  return ORDO_CHOSEN(FindLess64)(keys, n, code, limit, max_magnitude);
}
bool ascend_by_vectors(std::uint32_t const* keys, std::size_t n, key_code<std::uint32_t> code) noexcept {
  return ORDO_CHOSEN(Ascend32)(keys, n, code);
}
bool ascend_by_vectors(std::uint64_t const* keys, std::size_t n, key_code<std::uint64_t> code) noexcept {
  return ORDO_CHOSEN(Ascend64)(keys, n, code);
}

void limit_vectors(std::size_t bytes, unsigned partitions) noexcept {
  vectors_allowed = bytes >= 16;
  max_partitions = partitions;
  chosen() = widest(bytes);
}

}  // namespace ordo::inline v0::host_detail
#endif
