#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ordo/segments.hpp"
#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/primitives/sampled_item.cuh"
#include "sort_core/cuda/primitives/selection_bound.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"

// The first k items of each segment, in one launch that reads each key once. A long segment is divided into slices, one for a
// block. The block keeps items in shared memory. A radix select by (code, position) of its first tile finds a limit that at
// least k items precede, and no item at or after it passes from then on: few do. It finds another one when there is no more
// room. The block that ends last of a segment does the same with what the blocks have kept, and sorts the rest. A warp selects
// from a short segment, with the codes in its registers, and ranks what is left by counting.
namespace ordo::inline v0::cuda_detail {

template <class K>
struct top_types {
  using word = std::conditional_t<sizeof(K) <= 4, std::uint32_t, std::uint64_t>;
  using item = sampled_item<word>;
  /// The number of items of a lane, at most, in a warp that selects from a segment, the greatest k of warps, and warps of a
  /// block. With fewer items, a warp needs fewer registers.
  static constexpr unsigned of_a_lane = sizeof(K) == 8 ? 16 : 32, few_of_a_lane = 8, short_k = 64, warps = 8;
  static constexpr unsigned short_length = warp_threads * of_a_lane, few_length = warp_threads * few_of_a_lane;
};

template <class K, unsigned Threads>
struct top_sizes : top_types<K> {
  using typename top_types<K>::word, typename top_types<K>::item;
  static constexpr unsigned threads = Threads, items = sizeof(K) == 8 ? 8 : 16, tile = threads * items;
  /// Items that a block holds, and the greatest k: twice as many must fit, the items kept and those of a tile.
  static constexpr unsigned capacity = 8 * threads, max_k = capacity / 2;
  static_assert(tile >= capacity);
  static constexpr unsigned bits = 8 * sizeof(K), digits = 4 * threads, digit_bits = std::bit_width(digits) - 1;
  static constexpr unsigned blocks_at_once = (sizeof(K) == 8 && threads < 512 ? 768 : 1024) / threads;  // registers allow

  struct storage {
    alignas(16) std::uint32_t counts[digits];
    item kept[capacity];
    typename group<threads>::template storage<std::uint32_t> collective;
    std::uint32_t passing, digit, below, upto, first, total;
  };
};

/// The device memory through which blocks exchange items. The slices of a segment are the leaves of a tree: up to `fan` of them
/// share a list of fan * room items, and so do up to `fan` of these lists. The numbers are 0 at the start. All are null if no
/// segment has more than one slice.
template <class K>
struct top_exchange {
  typename top_types<K>::item* items;
  /// For each list: the number of its items, and of blocks that have added theirs.
  std::uint32_t *counts, *ended;
  /// The members of a list at most, and the lists of a segment.
  std::uint32_t fan, lists;
};

/// Sorts one number of each lane.
template <class T>
[[nodiscard]] __device__ T sort_lanes(T own) {
#pragma unroll
  for (unsigned size = 2; size <= warp_threads; size *= 2)
#pragma unroll
    for (unsigned stride = size / 2; stride != 0; stride /= 2) {
      T const other = __shfl_xor_sync(all_lanes, own, stride);
      bool const takes_less = ((lane_id() & stride) == 0) == ((lane_id() & size) == 0 || size == warp_threads);
      own = (other < own) == takes_less ? other : own;
    }
  return own;
}

template <class K, unsigned Threads>
struct top_selector : top_sizes<K, Threads> {
  using sizes = top_sizes<K, Threads>;
  using sizes::threads, sizes::items, sizes::tile, sizes::capacity, sizes::bits, sizes::digit_bits, sizes::digits;
  using typename sizes::item, typename sizes::word, typename sizes::storage;
  using team = group<threads>;

  [[nodiscard]] __device__ static storage& shared() { return *reinterpret_cast<storage*>(dynamic_shared_memory()); }
  /// Returns an item after all others.
  [[nodiscard]] __device__ static item last_item() { return {word(~word{0}), ~std::uint32_t{0}}; }

  /// Finds a limit that at least k and at most `room` of these items precede, of which there are at least k. Synchronises.
  /// @param own     the thread's items that have a bit in `passing`
  /// @param number  the number of items that precede the limit
  __device__ static item find_limit(item const (&own)[items], unsigned passing, std::uint32_t k, std::uint32_t room,
                                    unsigned place_bits, std::uint32_t& number) {
    storage& s = shared();
    word prefix = 0;                 // the first bits of the limit's code
    std::uint32_t place_prefix = 0;  // and, if these are all, of its position
    std::uint32_t smaller = 0;
    unsigned known = 0, left = 0;
    do {
      bool const by_place = known >= bits;
      unsigned const end = by_place ? bits + place_bits : bits, width = min(digit_bits, end - known);
      left = end - known - width;
      reinterpret_cast<uint4*>(s.counts)[threadIdx.x] = {0, 0, 0, 0};
      team::sync();
#pragma unroll
      for (unsigned j = 0; j < items; ++j) {
        word const code = own[j].code();
        std::uint32_t const place = own[j].position();
        bool const is_same = by_place ? code == prefix && (known == bits || place >> (left + width) == place_prefix)
                                      : known == 0 || code >> (left + width) == prefix;
        unsigned const digit = (by_place ? place >> left : unsigned(code >> left)) & ((1u << width) - 1);
        if ((passing >> j & 1) != 0 && is_same) atomicAdd(&s.counts[digit], 1u);
      }
      team::sync();
      uint4 const four = reinterpret_cast<uint4 const*>(s.counts)[threadIdx.x];
      std::uint32_t const sum = four.x + four.y + four.z + four.w, wanted = k - smaller;
      std::uint32_t before = team::exclusive_sum(sum, s.collective);
      if (before < wanted && wanted <= before + sum) {
        unsigned digit = 4 * threadIdx.x;
        while (before + s.counts[digit] < wanted) before += s.counts[digit++];
        s.digit = digit;
        s.below = before;
        s.upto = before + s.counts[digit];
      }
      team::sync();
      if (by_place)
        place_prefix = known == bits ? s.digit : place_prefix << width | s.digit;
      else
        prefix = known == 0 ? word(s.digit) : word(prefix << width | s.digit);
      known += width;
      number = smaller + s.upto;
      smaller += s.below;
    } while (number > room);
    if (known > bits) return {prefix, (place_prefix + 1) << left};
    return {word(left == 0 ? prefix : (prefix << left | ((word{1} << left) - 1))), ~std::uint32_t{0}};
  }

  /// Gives each thread that has `own` items a place among those of all: the number of items of others before it. s.passing is 0
  /// before, and has the number of all items after the next sync.
  [[nodiscard]] __device__ static std::uint32_t claim(unsigned own) {
    std::uint32_t const upto = warp_inclusive_sum(own), all = __shfl_sync(all_lanes, upto, warp_threads - 1);
    std::uint32_t first = 0;
    if (lane_id() == 0 && all != 0) first = atomicAdd(&shared().passing, all);
    return __shfl_sync(all_lanes, first, 0) + upto - own;
  }

  /// Sorts kept items. @param count  at most max_k
  __device__ static void sort_kept(std::uint32_t count) {
    item* const kept = shared().kept;
    unsigned length = 2;
    while (length < count) length *= 2;
    for (unsigned i = count + threadIdx.x; i < length; i += threads) kept[i] = last_item();
    bool by_warps = false;  // the last step, in which a warp read and wrote the same 64 items as in this one
    for (unsigned size = 2; size <= length; size *= 2)
      for (unsigned stride = size / 2; stride != 0; stride /= 2) {
        bool const within_warp = stride <= warp_threads;
        if (by_warps && within_warp)
          __syncwarp();
        else
          team::sync();
        by_warps = within_warp;
        for (unsigned pair = threadIdx.x; pair < length / 2; pair += threads) {
          unsigned const i = 2 * pair - (pair & (stride - 1));
          item const a = kept[i], b = kept[i + stride];
          if (b.precedes(a) == ((i & size) == 0)) {
            kept[i] = b;
            kept[i + stride] = a;
          }
        }
      }
    team::sync();
  }

  /// Reads items [from, end) and keeps at most `room` of them, among which are the first k, if there are k. Returns the
  /// number of kept items. Synchronises.
  /// @param begin   the position of the segment whose items are read, in the order of positions
  /// @param others  if it is not null: items in any order, which are read instead
  template <class Code>
  __device__ static std::uint32_t select(Code code, std::uint64_t begin, std::uint32_t from, std::uint32_t end,
                                         item const* others, std::uint32_t k, std::uint32_t room, unsigned place_bits) {
    storage& s = shared();
    item limit = last_item();
    std::uint32_t count = 0;
    bool again = false;  // reads the kept items
    if (threadIdx.x == 0) s.passing = 0;
    while (from < end || again) {
      item own[items];
      unsigned passing = 0;
      if (again) {
#pragma unroll
        for (unsigned j = 0; j < items; ++j) {
          unsigned const i = j * threads + threadIdx.x;
          own[j] = s.kept[i < count ? i : 0];
          passing |= unsigned(i < count) << j;
        }
        count = 0;
      } else {
        std::uint32_t const last = end - 1;
        if (others) {
#pragma unroll
          for (unsigned j = 0; j < items; ++j) own[j] = others[min(from + j * threads + threadIdx.x, last)];
        } else {
#pragma unroll
          for (unsigned j = 0; j < items; ++j) {  // without branches, so that all loads begin together
            std::uint32_t const i = min(from + j * threads + threadIdx.x, last);
            own[j] = {word(code(begin + i)), i};
          }
        }
#pragma unroll
        for (unsigned j = 0; j < items; ++j)
          passing |= unsigned(from + j * threads + threadIdx.x < end && own[j].precedes(limit)) << j;
        from = end - from > tile ? from + tile : end;
      }
      if (team::any(passing != 0)) {
        std::uint32_t first = claim(__popc(passing));
        team::sync();
        std::uint32_t number = s.passing;
        if (count + number > (count == 0 ? room : capacity)) {  // as soon as possible, and when there is no room
          item const lower = find_limit(own, passing, k, room, place_bits, number);
          limit = lower.precedes(limit) ? lower : limit;
          if (!others) limit = {limit.code(), 0};  // later items with its code are not among the first k
          if (threadIdx.x == 0) s.passing = 0;
          unsigned preceding = 0;
#pragma unroll
          for (unsigned j = 0; j < items; ++j) preceding |= unsigned(own[j].precedes(lower)) << j;
          passing &= preceding;
          team::sync();
          first = claim(__popc(passing));
        }
        first += count;
#pragma unroll
        for (unsigned j = 0; j < items; ++j)
          if ((passing >> j & 1) != 0) s.kept[first++] = own[j];
        count += number;
        team::sync();
        if (threadIdx.x == 0) s.passing = 0;
      }
      again = count > (from < end ? capacity / 2 : room);
    }
    return count;
  }

  /// Writes the first k of the kept items. Synchronises.
  /// @param first  the place of the segment's first item in the output
  template <class Write>
  __device__ static void write_kept(std::uint32_t count, std::uint32_t k, bool sorted, std::uint64_t begin, std::size_t first,
                                    Write write) {
    item* const kept = shared().kept;
    sort_kept(count);
    count = min(count, k);
    if (!sorted) {
      for (unsigned i = threadIdx.x; i < count; i += threads) kept[i] = {word{0}, kept[i].position()};
      sort_kept(count);
    }
    for (unsigned i = threadIdx.x; i < count; i += threads) write(first + i, begin + kept[i].position(), begin);
    team::sync();
  }
};

/// Calls write(s * k + j, i, begin(s)) for item j of the first k of each segment s, in the order of (code, position) or, if
/// they are not to be sorted, of the positions; i is its position. Leaves out segments that are short enough for
/// select_top_by_warps, if it is given those.
/// @param code      code(i) is the code of the item at position i
/// @param segments  segments of less than 2^31 items each
/// @param k         at most max_k
/// @param slices    blocks of a segment at most
/// @param shortest  the length of the shortest segment that is not left out
template <class K, unsigned Threads, class Code, class Offset, class Write>
__global__ void __launch_bounds__(Threads, top_sizes<K, Threads>::blocks_at_once)
    select_top(Code code, segment_list<Offset> segments, std::uint32_t k, std::uint32_t room, std::uint32_t slices,
               std::uint32_t shortest, bool sorted, top_exchange<K> exchange, Write write) {
  wait_for_previous();
  using selector = top_selector<K, Threads>;
  using team = typename selector::team;
  auto& shared = selector::shared();
  std::size_t const parts = segments.size() * slices;
  for (std::size_t part = blockIdx.x; part < parts; part += gridDim.x) {
    std::size_t const s = part / slices;
    auto const slice = std::uint32_t(part % slices);
    std::uint64_t const begin = segments.begin(s);
    auto const length = std::uint32_t(segments.end(s) - begin);
    std::uint32_t const active = length == 0 ? 0 : min(slices, (length - 1) / selector::tile + 1);
    if (length < shortest || slice >= active) continue;
    std::uint32_t const share = (length - 1) / active + 1, from = slice * share;
    unsigned const place_bits = 32 - unsigned(__clz(int(length)));
    std::uint32_t count = selector::select(code, begin, from, min(from + share, length), nullptr, k, room, place_bits);
    std::uint32_t members = active, member = slice, list = 0;
    while (members > 1) {
      std::uint32_t const group = member / exchange.fan, others = min(exchange.fan, members - group * exchange.fan);
      std::size_t const at = s * exchange.lists + list + group;
      auto* const row = exchange.items + at * exchange.fan * room;
      if (threadIdx.x == 0) shared.first = atomicAdd(&exchange.counts[at], count);
      team::sync();
      for (unsigned i = threadIdx.x; i < count; i += selector::threads) row[shared.first + i] = shared.kept[i];
      __threadfence();
      team::sync();
      if (threadIdx.x == 0) {
        bool const is_last = atomicAdd(&exchange.ended[at], 1u) == others - 1;
        __threadfence();
        shared.total = is_last ? atomicAdd(&exchange.counts[at], 0u) : 0;
      }
      team::sync();
      std::uint32_t const total = shared.total;
      team::sync();
      if (total == 0) break;
      count = selector::select(code, begin, 0, total, row, k, room, place_bits);
      member = group;
      members = (members - 1) / exchange.fan + 1;
      list += members;
    }
    if (members > 1) continue;
    selector::write_kept(count, k, sorted, begin, s * k, write);
  }
}

/// Does the same for segments of at most 32 * OfLane items, and leaves out the others. Takes shared memory for `room` items of
/// each warp.
/// @param k  at most short_k
template <class K, unsigned OfLane, class Code, class Offset, class Write>
__global__ void __launch_bounds__(top_types<K>::warps* warp_threads)
    select_top_by_warps(Code code, segment_list<Offset> segments, std::uint32_t k, std::uint32_t room, bool sorted,
                        Write write) {
  wait_for_previous();
  using sizes = top_types<K>;
  using word = typename sizes::word;
  using item = typename sizes::item;
  constexpr unsigned at_once = OfLane == sizes::few_of_a_lane ? 4 : OfLane / 2;  // loads that begin together
  constexpr word greatest = word(~word{0});
  unsigned const warp = threadIdx.x / warp_threads;
  item* const kept = reinterpret_cast<item*>(dynamic_shared_memory()) + warp * room;
  for (std::size_t s = std::size_t(blockIdx.x) * sizes::warps + warp; s < segments.size();
       s += std::size_t(gridDim.x) * sizes::warps) {
    std::uint64_t const begin = segments.begin(s), length_of_any = segments.end(s) - begin;
    if (length_of_any > OfLane * warp_threads || length_of_any == 0) continue;
    auto const length = std::uint32_t(length_of_any);

    // Lanes take adjacent items. After the last one are greatest codes, which no bound is above.
    word codes[OfLane];
    word some = 0, differing = 0, lowest = greatest;
    unsigned const rounds = (length - 1) / warp_threads + 1;
#pragma unroll
    for (unsigned j = 0; j < OfLane; ++j) codes[j] = greatest;
#pragma unroll
    for (unsigned j = 0; j < OfLane; ++j) {
      if (j % at_once == 0 && j >= rounds) break;
      std::uint32_t const i = j * warp_threads + lane_id();
      word const own = code(begin + min(i, length - 1));
      if (j == 0) some = __shfl_sync(all_lanes, own, 0);
      differing |= own ^ some;
      if (i < length) codes[j] = own;
      lowest = min(lowest, codes[j]);
    }

    // Counts codes below a bound.
    auto const count_below = [&](word bound) {
      std::uint32_t below = 0;
#pragma unroll
      for (unsigned j = 0; j < OfLane; ++j) {
        if (j % at_once == 0 && j >= rounds) break;
        below += codes[j] < bound;
      }
      return __reduce_add_sync(all_lanes, below);
    };
    selection_bound<word> bound{greatest, length};  // selects all
    if (length > room) {
      // At least k codes do not exceed the k-th of the lanes' lowest ones, and few others do not.
      word const upto = k <= warp_threads ? __shfl_sync(all_lanes, sort_lanes(lowest), k - 1) : greatest;
      if (upto != greatest && count_below(upto + 1) <= room)
        bound = {word(upto + 1), 0};
      else
        bound = find_bound(some, differing, k, room, count_below);
    }
    std::uint32_t const taken = each_selected(
        codes, length, bound, [&](std::uint32_t rank, std::uint32_t i, word own) { kept[rank] = {own, i}; });
    __syncwarp();

    // Kept items are in the order of their positions.
    std::uint32_t written = 0;
    for (unsigned first = 0; first < taken; first += warp_threads) {
      unsigned const i = first + lane_id();
      item const own = kept[min(i, taken - 1)];
      std::uint32_t rank = 0;
      for (unsigned j = 0; j < taken; ++j) rank += kept[j].precedes(own);
      bool const is_first = i < taken && rank < k;
      unsigned const firsts = __ballot_sync(all_lanes, is_first);
      std::uint32_t const by_position = written + __popc(firsts & lanes_below());
      if (is_first) write(s * k + (sorted ? rank : by_position), begin + own.position(), begin);
      written += __popc(firsts);
    }
    __syncwarp();
  }
}

}  // namespace ordo::inline v0::cuda_detail
