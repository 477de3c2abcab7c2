#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cooperative_groups.h>

#include "sort_core/bits.hpp"
#include "sort_core/cuda/partition_lists.cuh"
#include "sort_core/cuda/plan.cuh"
#include "sort_core/cuda/tuning/samples.hpp"

// Segments that no block holds: all of them together are partitioned by the uppermost bits in which their keys differ, stably,
// from one buffer into another, and what still is too long once more by the next bits. Everything else goes to the lists of
// the classes that are sorted on chip, wherever it then lies. One kernel, whose blocks all run at once, does all levels, so
// that the host need not know how many there are.
//
// A level reads the keys twice, as each level has to count before it can move: every tile of items is counted by digit; prefix
// sums over the tiles of a segment, then over its digits, say where each tile's items of each digit go; and every tile moves
// its items there, tiles in any order. Tiles are summed in chunks first, so that the sums of one huge segment are short.
namespace ordo::detail {

/// The class of a bucket of a sample sort, tuning::classes if no block holds it.
template <std::size_t ItemBytes, std::size_t ValueBytes>
[[nodiscard]] __device__ unsigned leaf_class_of(std::uint64_t length) {
  unsigned c = 0;
#pragma unroll
  for (unsigned k = 0; k < tuning::leaf_classes; ++k) c += length > tuning::leaf_shape<ItemBytes, ValueBytes>(k).capacity();
  return c < tuning::leaf_classes ? c : tuning::classes;
}

/// The class of a segment of so many items, tuning::classes if no block holds it.
template <class K, class V, class Keys>
[[nodiscard]] __device__ unsigned class_in(std::uint64_t length, plan_lists const& lists) {
  if constexpr (Keys::sampled)
    return leaf_class_of<sizeof(K), value_bytes<V>>(length);
  else
    return class_of<sizeof(K), value_bytes<V>>(length, lists);
}

template <class K, class V, bool Large, bool Sampled = false>
struct partition_traits {
  static constexpr tuning::partition_shape shape = Sampled ? tuning::shape_of_samples<sizeof(K), value_bytes<V>>()
                                                           : tuning::shape_of_partition<sizeof(K), value_bytes<V>>(Large);
  static constexpr unsigned threads = shape.threads, items = shape.items, tile = threads * items,
                            warps = threads / warp_threads;
};

template <class K, class V, bool Large, bool Sampled = false>
struct partition_storage {
  using traits = partition_traits<K, V, Large, Sampled>;
  static constexpr unsigned warps = traits::warps, tile = traits::tile;
  alignas(16) std::uint32_t counts[warps][digit_values];  // of each warp; then: in the tile before the warp's
  unsigned long long places[digit_values];                // of the first item of each digit, less its place in the tile
  std::uint32_t sums[warps];
  partition next;  // whose tile comes next
  std::uint32_t next_owner;
  alignas(16) unsigned char keys[tile * sizeof(K)];
  alignas(16) unsigned char values[value_bytes<V> == 0 ? 16 : tile * value_bytes<V>];
  alignas(16) unsigned char arriving[value_bytes<V> == 0 ? 16 : tile * value_bytes<V>];  // values of the tile to come
  std::uint8_t digits[Sampled ? tile : 1];                                               // where no key tells them
};

/// The phases of a level.
template <class K, class V, class Keys, bool Large>
struct partitioner : partition_traits<K, V, Large, Keys::sampled> {
  static constexpr bool sampled = Keys::sampled;
  using storage = partition_storage<K, V, Large, sampled>;
  using traits = partition_traits<K, V, Large, sampled>;
  using data_of = segment_data<K, V, Keys>;
  using traits::threads, traits::items, traits::tile, traits::warps;
  static constexpr unsigned digit_groups = digit_values / warp_threads;
  /// Keys alone, of which all bits count, have no order among equals to keep: they find their places by atomic addition,
  /// which is quick unless many have the same digit.
  static constexpr bool any_order = value_bytes<V> == 0 && !Keys::computed && !sampled;
  static constexpr bool skips_identity = !sampled && tuning::partition_skips_identity<sizeof(K), value_bytes<V>>();
  [[nodiscard]] __device__ static storage& shared() { return *reinterpret_cast<storage*>(dynamic_shared_memory()); }
  [[nodiscard]] __device__ static unsigned shift_of(partition const& p) { return p.bits - p.width; }
  [[nodiscard]] __device__ static unsigned digit_of(unsigned shift, unsigned mask, K const& code) {
    if constexpr (sampled)
      return 0;
    else
      return unsigned(code >> shift) & mask;
  }

  /// The first level's list.
  __device__ static void begin(data_of const& data, partition_work const& work, plan_lists const& lists) {
    std::uint64_t const given = *lists.longer_count;
    for (std::uint64_t s = std::uint64_t(blockIdx.x) * threads + threadIdx.x; s < given;
         s += std::uint64_t(gridDim.x) * threads) {
      partition p{};
      p.begin = lists.longer[s].begin;
      p.length = lists.longer[s].length;
      p.bits = data.keys.bits();
      p.from = copy::given;
      append<tile>(work, 0, p);
    }
  }

  /// Who owns a list's tiles and chunks?
  __device__ static void assign(partition_work const& work, unsigned list) {
    for (std::uint64_t s = blockIdx.x; s < work.counts[list].partitions; s += gridDim.x) {
      partition const p = work.lists[list][s];
      std::uint64_t const tiles = (p.length + tile - 1) / tile;
      for (std::uint64_t t = threadIdx.x; t < tiles; t += threads) {
        work.owners[list % 2][p.first_tile + t] = std::uint32_t(s);
        if (t % work.chunk_tiles == 0) work.chunk_owners[p.first_chunk + t / work.chunk_tiles] = std::uint32_t(s);
      }
    }
  }

  /// Where a partition's keys lie, and how they are encoded there, once they are in memory.
  [[nodiscard]] __device__ static K const* keys_at(data_of const& data, copy from) {
    if constexpr (!Keys::computed)
      if (from == copy::given) return data.keys.keys;
    return from == copy::away ? data.away_codes : data.home_codes;
  }
  using code = typename Keys::code_of_copy;
  [[nodiscard]] __device__ static code code_of(data_of const& data, copy from) {
    if constexpr (!Keys::computed && !sampled)
      if (from == copy::given) return data.keys.code;
    return {};
  }

  static constexpr unsigned largest_divisor(unsigned of, unsigned most) {
    while (of % most != 0) --most;
    return most;
  }

  /// Count the digits of the tiles, chunk by chunk, and find in which bits keys differ. Computed keys are evaluated here, once,
  /// and from now on lie in memory. `counts` is two rows, for two tiles in turn.
  __device__ static void count(data_of const& data, partition_work const& work, unsigned list,
                               std::uint32_t (*counts)[digit_values]) {
    if (threadIdx.x < digit_values) counts[0][threadIdx.x] = counts[1][threadIdx.x] = 0;
    __syncthreads();
    count_chunks<tile, any_order>(work, list, counts, [&](partition& owner, partition const& p, auto each_tile) {
      unsigned const shift = shift_of(p), mask = (1u << p.width) - 1;
      bool const evaluate = Keys::computed && p.from == copy::given;
      K const* const keys = keys_at(data, p.from);
      key_code<K> const code = code_of(data, p.from);
      K differing = 0;
      K const one = evaluate ? data.keys.code_of(*data.keys.address(p.begin)) : code.encode(keys[p.begin]);
      each_tile([&](std::uint64_t first, unsigned n, std::uint32_t* count) {
        unsigned const mine = (n + (threads - 1 - threadIdx.x)) / threads;
        std::uint64_t const begin = first + threadIdx.x;
        auto const count_key = [&](K key) {
          atomicAdd(&count[digit_of(shift, mask, key)], 1u);
          differing |= key ^ one;
        };
        // Many blocks with few loads under way each.
        auto const each = [&](auto const* source, auto use) {
          using item_type = std::remove_cvref_t<decltype(*source)>;
          constexpr unsigned most = sizeof(item_type) > 8 ? 4 : sizeof(item_type) > 4 ? 5 : 9;
          constexpr unsigned batch = largest_divisor(items, most);
          if (n == tile) {
#pragma unroll 1
            for (unsigned i = 0; i < items; i += batch) {
              item_type item[batch];
#pragma unroll
              for (unsigned j = 0; j < batch; ++j) item[j] = source[(i + j) * threads];
#pragma unroll
              for (unsigned j = 0; j < batch; ++j) use(i + j, item[j]);
            }
          } else {
#pragma unroll 1
            for (unsigned i = 0; i < mine; ++i) use(i, source[i * threads]);
          }
        };
        if (evaluate)
          each(data.keys.address(begin), [&](unsigned i, auto const& item) {
            K const key = data.keys.code_of(item);
            count_key(key);
            data.home_codes[begin + i * threads] = key;
          });
        else if (code.identity())
          each(keys + begin, [&](unsigned, K key) { count_key(key); });
        else
          each(keys + begin, [&](unsigned, K key) { count_key(code.encode(key)); });
      });
      differing = warp_or(differing);
      if (lane_of() == 0 && differing != 0) atomicOr(&owner.differing, static_cast<unsigned long long>(differing));
    });
  }

  /// By partition and 32 digits: what chunks hold becomes what the chunks before them hold.
  __device__ static void sum_chunks(partition_work const& work, unsigned list) {
    std::uint64_t const units = work.counts[list].partitions * digit_groups;
    unsigned const warp = threadIdx.x / warp_threads;
    auto* const sums = reinterpret_cast<unsigned long long(*)[warp_threads]>(shared().keys);
    for (std::uint64_t u = blockIdx.x; u < units; u += gridDim.x) {
      partition const& p = work.lists[list][u / digit_groups];
      unsigned const digit = unsigned(u % digit_groups) * warp_threads + lane_of();
      std::uint64_t const tiles = (p.length + tile - 1) / tile, chunks = (tiles + work.chunk_tiles - 1) / work.chunk_tiles;
      std::uint64_t const share = (chunks + warps - 1) / warps, begin = min(warp * share, chunks),
                          end = min(begin + share, chunks);
      auto* const rows = work.chunks + p.first_chunk;
      unsigned long long sum = 0;
#pragma unroll 8
      for (std::uint64_t c = begin; c < end; ++c) sum += rows[c][digit];
      sums[warp][lane_of()] = sum;
      __syncthreads();
      sum = 0;
      for (unsigned w = 0; w < warp; ++w) sum += sums[w][lane_of()];
#pragma unroll 8
      for (std::uint64_t c = begin; c < end; ++c) {
        unsigned long long const count = rows[c][digit];
        rows[c][digit] = sum;
        sum += count;
      }
      if (warp == warps - 1) work.digits[u / digit_groups][digit] = sum;
      __syncthreads();
    }
  }

  /// Bits that items of one digit may still differ in: none if they are in order.
  [[nodiscard]] __device__ static unsigned bits_after(partition const& p, unsigned digit) {
    return sampled ? !p.one_kind(digit) : shift_of(p);
  }

  /// Where the digits of each partition begin, and what their items go on as.
  __device__ static void divide(partition_work const& work, plan_lists const& lists, unsigned list) {
    auto* const before = shared().places;
    bool const has_digit = threadIdx.x < digit_values;
    std::uint64_t const partitions = work.counts[list].partitions;
    for (std::uint64_t s = blockIdx.x; s < partitions; s += gridDim.x) {
      partition& p = work.lists[list][s];
      partition const now = p;
      unsigned long long const count = has_digit ? work.digits[s][threadIdx.x] : 0;
      bool const whole = __syncthreads_or(count == now.length);
      partition next{};
      next.from = Keys::computed && now.from == copy::given ? copy::home : now.from;
      if (whole) {
        if (count == now.length) {
          next.begin = now.begin;
          next.length = now.length;
          next.bits = sampled ? bits_after(now, threadIdx.x) : 64 - leading_zeros(std::uint64_t(now.differing));
          p.moves = false;
          append<tile>(work, next.bits == 0 ? 2 : 1 - list, next);
        }
        continue;
      }
      if (has_digit) before[threadIdx.x] = count;
      __syncthreads();
      for (unsigned step = 1; step < digit_values; step *= 2) {
        unsigned long long const below = has_digit && threadIdx.x >= step ? before[threadIdx.x - step] : 0;
        __syncthreads();
        if (has_digit) before[threadIdx.x] += below;
        __syncthreads();
      }
      if (has_digit) {
        copy const source = next.from;
        next.from = source == copy::away ? copy::home : copy::away;
        next.begin = now.begin + before[threadIdx.x] - count;
        next.length = count;
        next.bits = bits_after(now, threadIdx.x);
        work.digits[s][threadIdx.x] = next.begin;
        list_together(lists, next);
        if (count > 0 && class_in<K, V, Keys>(count, lists) == tuning::classes)
          append<tile>(work, next.bits == 0 ? 2 : 1 - list, next);
        if (threadIdx.x == 0) {
          p.from = source;
          p.moves = true;
        }
      }
      __syncthreads();
    }
  }

  /// The segments of a warp, those of them that a block holds: on the lists of their classes, those of one class together.
  __device__ static void list_together(plan_lists const& lists, partition const& p) {
    unsigned const c = p.length == 0 ? tuning::classes : class_in<K, V, Keys>(p.length, lists);
    unsigned const alike = __match_any_sync(all_lanes, c), below = alike & ((1u << lane_of()) - 1);
    unsigned long long at = 0;
    if (below == 0 && c < tuning::classes)
      at = atomicAdd(lists.listed[c].count, static_cast<unsigned long long>(__popc(alike)));
    at = __shfl_sync(all_lanes, at, __ffs(int(alike)) - 1) + unsigned(__popc(below));
    if (c < tuning::classes) lists.listed[c].set(at, {p.begin, std::uint32_t(p.length), p.from});
  }

  /// A tile on its way: what is known of it before its keys are there.
  struct tile_in_work {
    K const* keys;
    V const* values;
    std::uint8_t const* digits;  // if sampled
    partitioner::code code;
    unsigned n, shift, mask;
    bool away, in_order;
    // Where its items of this thread's digit go: the digit's begin, items in chunks before, in tiles before.
    unsigned long long digit, chunk;
    std::uint32_t tile;
  };
  __device__ static tile_in_work find(data_of const& data, partition_work const& work, partition const& p, std::uint32_t owner,
                                      std::uint64_t t) {
    tile_in_work w;
    std::uint64_t const rank = t - p.first_tile, left = p.length - rank * tile, first = p.begin + rank * tile + first_of_lane();
    w.keys = keys_at(data, p.from) + first;
    if constexpr (sampled) w.digits = data.keys.digits + first;
    if constexpr (value_bytes<V> != 0) w.values = data.value_address(p.from, first);
    w.code = code_of(data, p.from);
    w.n = !p.moves ? 0 : unsigned(left < tile ? left : tile);
    w.shift = shift_of(p);
    w.mask = (1u << p.width) - 1;
    w.away = p.from != copy::away;
    w.in_order = !any_order || (owner & uneven) != 0;
    w.digit = w.chunk = w.tile = 0;
    if (threadIdx.x < digit_values) {
      w.digit = work.digits[owner & ~uneven][threadIdx.x];
      w.chunk = work.chunks[p.first_chunk + std::uint32_t(rank) / work.chunk_tiles][threadIdx.x];
      w.tile = work.tiles[t][threadIdx.x];
    }
    return w;
  }

  /// A warp's items of a tile are consecutive, 32 at a time.
  [[nodiscard]] __device__ static unsigned first_of_lane() {
    return threadIdx.x / warp_threads * (items * warp_threads) + lane_of();
  }
  [[nodiscard]] __device__ static unsigned items_of_lane(unsigned n) {
    return n > first_of_lane() ? (n - first_of_lane() + warp_threads - 1) / warp_threads : 0;
  }

  /// A thread's ranks, two in a register.
  struct ranks {
    std::uint32_t two[(items + 1) / 2];
    __device__ void set(unsigned i, std::uint32_t rank) { two[i / 2] = i % 2 == 0 ? rank : two[i / 2] | rank << 16; }
    [[nodiscard]] __device__ std::uint32_t operator[](unsigned i) const {
      return i % 2 == 0 ? two[i / 2] & 0xffff : two[i / 2] >> 16;
    }
  };
  static_assert(tile <= 1u << 16);

  /// A thread's digits: computed from its keys, again and again, as registers are dearer; if sampled, four in a register.
  struct digits_of_keys {
    unsigned shift, mask;
    __device__ explicit digits_of_keys(tile_in_work const& tile) : shift(tile.shift), mask(tile.mask) {}
    template <bool Full>
    __device__ void fetch(unsigned, unsigned) {}
    [[nodiscard]] __device__ unsigned operator()(unsigned, K const& key) const { return digit_of(shift, mask, key); }
  };
  struct digits_found {
    std::uint8_t const* from;
    std::uint32_t four[(items + 3) / 4];
    std::uint8_t coming[4];
    __device__ explicit digits_found(tile_in_work const& tile) : from(tile.digits) {}
    /// Before digit i is asked for, ask for those of four items more: all at once they would need many registers.
    template <bool Full>
    __device__ void fetch(unsigned i, unsigned mine) {
      if (i % 4 != 0) return;
      if (i == 0) ask<Full>(0, mine);
      four[i / 4] = coming[0] | coming[1] << 8 | coming[2] << 16 | coming[3] << 24;
      ask<Full>(i + 4, mine);
    }
    template <bool Full>
    __device__ void ask(unsigned i, unsigned mine) {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) coming[j] = i + j < items && (Full || i + j < mine) ? from[(i + j) * warp_threads] : 0;
    }
    [[nodiscard]] __device__ unsigned operator()(unsigned i, K const&) const {
      return four[i / 4] >> i % 4 * 8 & 0xff;
    }
  };
  using digits = std::conditional_t<sampled, digits_found, digits_of_keys>;

  /// Ranks of a warp's items among the warp's items of the same digit, in the order of the items.
  template <bool Full>
  __device__ static void rank_in_order(K const (&key)[items], digits& digit_at, unsigned mine, ranks& rank,
                                       std::uint32_t* counts) {
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      bool const there = Full || i < mine;
      digit_at.template fetch<Full>(i, mine);
      unsigned const digit = digit_at(i, key[i]);
      unsigned const alike = lanes_alike<8>(digit, Full ? all_lanes : __ballot_sync(all_lanes, there));
      unsigned const below = __popc(alike & lanes_below());
      std::uint32_t const before = counts[digit];
      __syncwarp();
      if (there && below == 0) counts[digit] = before + __popc(alike);
      __syncwarp();
      rank.set(i, before + below);
    }
  }

  /// Items in the order of their digits, before they leave. Keys and values of one size lie together.
  struct staged {
    static constexpr bool together = sizeof(K) == value_bytes<V>;
    struct alignas(together ? 2 * sizeof(K) : 1) both {
      K key;
      V value;
    };
    storage& s;
    __device__ void set(unsigned at, unsigned digit, K key, V const* value) const {
      if constexpr (sampled) s.digits[at] = std::uint8_t(digit);
      if constexpr (together) {
        reinterpret_cast<both*>(s.keys)[at] = {key, *value};
      } else {
        reinterpret_cast<K*>(s.keys)[at] = key;
        if constexpr (value_bytes<V> != 0) reinterpret_cast<V*>(s.values)[at] = *value;
      }
    }
    __device__ void get(unsigned at, K& key, V& value) const {
      if constexpr (together) {
        both const b = reinterpret_cast<both const*>(s.keys)[at];
        key = b.key;
        value = b.value;
      } else {
        key = reinterpret_cast<K const*>(s.keys)[at];
        if constexpr (value_bytes<V> != 0) value = reinterpret_cast<V const*>(s.values)[at];
      }
    }
  };

  __device__ static void clear_counts(storage& s) {
    static_assert(sizeof(s.counts) % (16 * threads) == 0);
#pragma unroll
    for (unsigned i = 0; i < sizeof(s.counts) / (16 * threads); ++i)
      reinterpret_cast<uint4*>(s.counts)[i * threads + threadIdx.x] = {0, 0, 0, 0};
  }

  /// Begin to load this lane's keys, as they lie in memory, and its values.
  template <bool Full>
  __device__ static void load(tile_in_work const& now, K (&key)[items], V* arriving) {
    unsigned const mine = Full ? items : items_of_lane(now.n);
#pragma unroll
    for (unsigned i = 0; i < items; ++i) key[i] = Full || i < mine ? now.keys[i * warp_threads] : K{0};
    if constexpr (value_bytes<V> != 0) {
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (Full || i < mine) copy_async(arriving + i * warp_threads, now.values + i * warp_threads);
    }
    if constexpr (sampled)
      if (lane_of() < mine) prefetch(now.digits - lane_of() + lane_of() * warp_threads);
  }

  /// Find the places of a tile's items in shared memory and put them there.
  template <bool Full>
  __device__ static void stage(tile_in_work const& now, K (&key)[items], V const* arriving, std::uint32_t next_owner,
                               partition const* partitions) {
    storage& s = shared();
    unsigned const warp = threadIdx.x / warp_threads, digit = threadIdx.x, mine = Full ? items : items_of_lane(now.n);
    bool const has_digit = threadIdx.x < digit_values;
    unsigned long long const place = now.digit + now.chunk + now.tile;
    bool encoded = false;
    if constexpr (skips_identity) encoded = now.code.identity();
    if (!encoded) {
#pragma unroll
      for (unsigned i = 0; i < items; ++i) key[i] = now.code.encode(key[i]);
    }
    digits digit_at(now);
    ranks rank;
    if (now.in_order) {
      rank_in_order<Full>(key, digit_at, mine, rank, s.counts[warp]);
    } else {
#pragma unroll
      for (unsigned i = 0; i < items; ++i) rank.set(i, Full || i < mine ? atomicAdd(&s.counts[0][digit_at(i, key[i])], 1u) : 0);
    }
    if (warp == warps - 1) {
      static_assert(sizeof(partition) % 4 == 0 && sizeof(partition) <= 4 * warp_threads);
      if (lane_of() < sizeof(partition) / 4)
        reinterpret_cast<std::uint32_t*>(&s.next)[lane_of()] =
            reinterpret_cast<std::uint32_t const*>(&partitions[next_owner & ~uneven])[lane_of()];
      s.next_owner = next_owner;
    }
    __syncthreads();
    std::uint32_t sum = 0, inclusive = 0;
    if (has_digit) {
#pragma unroll
      for (unsigned w = 0; w < warps; ++w) {
        std::uint32_t const count = s.counts[w][digit];
        s.counts[w][digit] = sum;
        sum += count;
      }
      inclusive = warp_inclusive_sum(sum);
      if (lane_of() == warp_threads - 1) s.sums[warp] = inclusive;
    }
    __syncthreads();
    if (has_digit) {
      std::uint32_t before = inclusive - sum;
#pragma unroll
      for (unsigned w = 0; w + 1 < digit_values / warp_threads; ++w) before += w < warp ? s.sums[w] : 0;
      s.places[digit] = place - before;
#pragma unroll 4
      for (unsigned w = 0; w < warps; ++w) s.counts[w][digit] += before;
    }
    __syncthreads();
    std::uint32_t const* const before = s.counts[now.in_order ? warp : 0];
    if constexpr (!sampled) digit_at.shift = again(digit_at.shift);
    if constexpr (value_bytes<V> != 0) wait_for_copies();
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (Full || i < mine) {
        unsigned const own = digit_at(i, key[i]);
        staged{s}.set(before[own] + rank[i], own, key[i], arriving + i * warp_threads);
      }
  }

  template <bool Full>
  __device__ static void write(data_of const& data, unsigned n, unsigned shift, unsigned mask, bool away) {
    storage& s = shared();
    K* const codes = away ? data.away_codes : data.home_codes;
    V* const values = away ? data.away_values : data.values;
    constexpr unsigned batch = items % 4 == 0 ? 4 : items % 5 == 0 ? 5 : items % 7 == 0 ? 7 : items % 3 == 0 ? 3 : 1;
#pragma unroll 1
    for (unsigned first = threadIdx.x; first < n; first += batch * threads) {
      K code[batch];
      V value[batch];
#pragma unroll
      for (unsigned i = 0; i < batch; ++i)
        if (Full || first + i * threads < n) staged{s}.get(first + i * threads, code[i], value[i]);
#pragma unroll
      for (unsigned i = 0; i < batch; ++i) {
        unsigned const at = first + i * threads;
        if (Full || at < n) {
          std::uint64_t const to = s.places[sampled ? s.digits[at] : digit_of(shift, mask, code[i])] + at;
          codes[to] = code[i];
          if constexpr (value_bytes<V> != 0) values[to] = value[i];
        }
      }
    }
  }

  /// Every tile's items, to where they belong. While one tile is written the next one's are on their way.
  __device__ static void move(data_of const& data, partition_work const& work, unsigned list) {
    storage& s = shared();
    std::uint64_t const tiles = work.counts[list].tiles;
    std::uint64_t t = blockIdx.x;
    if (t >= tiles) return;
    std::uint32_t const* const owners = work.owners[list];
    partition const* const partitions = work.lists[list];
    K key[items];
    V* const arriving = reinterpret_cast<V*>(s.arriving) + first_of_lane();
    tile_in_work now = find(data, work, partitions[owners[t] & ~uneven], owners[t], t);
    load<false>(now, key, arriving);
    clear_counts(s);
    for (;;) {
      t += gridDim.x;
      __syncthreads();
      // One warp without digits looks up what comes next, in two steps far apart.
      std::uint32_t next_owner = 0;
      if (threadIdx.x / warp_threads == warps - 1 && t < tiles) next_owner = owners[t];
      if (now.n == tile)
        stage<true>(now, key, arriving, next_owner, partitions);
      else
        stage<false>(now, key, arriving, next_owner, partitions);
      __syncthreads();
      unsigned const n = now.n, shift = now.shift, mask = now.mask;
      bool const away = now.away;
      if (t < tiles) {
        now = find(data, work, s.next, s.next_owner, t);
        if (now.n == tile)
          load<true>(now, key, arriving);
        else
          load<false>(now, key, arriving);
      }
      clear_counts(s);
      if (n == tile)
        write<true>(data, n, shift, mask, away);
      else
        write<false>(data, n, shift, mask, away);
      if (t >= tiles) break;
    }
    __syncthreads();
  }

  /// Equal keys: in order, but perhaps not at home.
  __device__ static void bring_home(data_of const& data, partition_work const& work) {
    std::uint64_t const tiles = work.counts[2].tiles;
    for (std::uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
      partition const p = work.lists[2][work.owners[0][t]];
      std::uint64_t const within = (t - p.first_tile) * tile, end = min(within + tile, p.length);
      for (std::uint64_t i = within + threadIdx.x; i < end; i += threads) {
        std::uint64_t const at = p.begin + i;
        if (p.from != copy::given) data.keys.store(at, (p.from == copy::away ? data.away_codes : data.home_codes)[at]);
        if constexpr (value_bytes<V> != 0)
          if (p.from == copy::away) data.values[at] = data.away_values[at];
        if (data.heads) data.heads[at] = i == 0;
      }
    }
  }
};

// Each phase as a kernel, so that each has the registers that it needs; and all levels that are left in one kernel whose blocks
// wait for each other, so that the host need not know how many there are.

template <class K, class V, class Keys, bool Large>
using traits_of = partition_traits<K, V, Large, Keys::sampled>;

template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_of<K, V, Keys, Large>::threads, traits_of<K, V, Keys, Large>::shape.resident)
    begin_partition(__grid_constant__ segment_data<K, V, Keys> const data, __grid_constant__ partition_work const work,
                    __grid_constant__ plan_lists const lists) {
  partitioner<K, V, Keys, Large>::begin(data, work, lists);
}

template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_of<K, V, Keys, Large>::threads, traits_of<K, V, Keys, Large>::shape.resident)
    assign_tiles(__grid_constant__ partition_work const work, unsigned list) {
  partitioner<K, V, Keys, Large>::assign(work, list);
}

/// Its tiles assigned.
template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_of<K, V, Keys, Large>::threads, traits_of<K, V, Keys, Large>::shape.resident)
    bring_equal_home(__grid_constant__ segment_data<K, V, Keys> const data, __grid_constant__ partition_work const work) {
  partitioner<K, V, Keys, Large>::bring_home(data, work);
}

template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_of<K, V, Keys, Large>::threads, 1536 / traits_of<K, V, Keys, Large>::threads)
    count_digits(__grid_constant__ segment_data<K, V, Keys> const data, __grid_constant__ partition_work const work,
                 unsigned list) {
  if (blockIdx.x == 0 && threadIdx.x == 0) work.counts[1 - list] = {};
  __shared__ std::uint32_t counts[2][digit_values];
  partitioner<K, V, Keys, Large>::count(data, work, list, counts);
}

template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_of<K, V, Keys, Large>::threads, traits_of<K, V, Keys, Large>::shape.resident)
    divide_partitions(__grid_constant__ partition_work const work, __grid_constant__ plan_lists const lists, unsigned list) {
  if (work.counts[list].partitions == 0) return;
  partitioner<K, V, Keys, Large>::sum_chunks(work, list);
  cooperative_groups::this_grid().sync();
  partitioner<K, V, Keys, Large>::divide(work, lists, list);
}

template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_of<K, V, Keys, Large>::threads, traits_of<K, V, Keys, Large>::shape.resident)
    move_items(__grid_constant__ segment_data<K, V, Keys> const data, __grid_constant__ partition_work const work,
               unsigned list) {
  partitioner<K, V, Keys, Large>::move(data, work, list);
  partitioner<K, V, Keys, Large>::assign(work, 1 - list);
}

/// What is left, from a level whose list is `list`.
template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_of<K, V, Keys, Large>::threads, traits_of<K, V, Keys, Large>::shape.resident)
    partition_rest(__grid_constant__ segment_data<K, V, Keys> const data, __grid_constant__ partition_work const work,
                   __grid_constant__ plan_lists const lists, bool begins, unsigned list) {
  using phases = partitioner<K, V, Keys, Large>;
  auto const everyone = cooperative_groups::this_grid();
  if (begins) {
    if (*lists.longer_count == 0) return;
    phases::begin(data, work, lists);
    everyone.sync();
    phases::assign(work, 0);
    everyone.sync();
  }
  for (; work.counts[list].partitions != 0; list = 1 - list) {
    if (blockIdx.x == 0 && threadIdx.x == 0) work.counts[1 - list] = {};
    phases::count(data, work, list, phases::shared().counts);
    everyone.sync();
    phases::sum_chunks(work, list);
    everyone.sync();
    phases::divide(work, lists, list);
    everyone.sync();
    phases::move(data, work, list);
    phases::assign(work, 1 - list);
    everyone.sync();
  }
  if (work.counts[2].partitions == 0) return;
  phases::assign(work, 2);
  everyone.sync();
  phases::bring_home(data, work);
}

}  // namespace ordo::detail
