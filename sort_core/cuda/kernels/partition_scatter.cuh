#pragma once
#include <cstdint>
#include <type_traits>

#include "sort_core/cuda/kernels/partition_lists.cuh"
#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/tuning/samples.hpp"
#include "sort_core/cuda/tuning/segmented.cuh"

// The scatter of a level of a partition, tile by tile. A block ranks a tile's items among those of the same digit, puts them
// into shared memory in the order of their digits, and writes the items of each digit to the position that the counts give.
namespace ordo::inline v0::cuda_detail {

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
  alignas(16) std::uint32_t counts[warps][digit_values];  // per warp; then: items in earlier warps of the tile
  unsigned long long places[digit_values];                // position of each digit's first item, less its position in the tile
  std::uint32_t sums[warps];
  partition next;  // the partition of the next tile
  std::uint32_t next_tile, next_owner;
  alignas(16) unsigned char keys[tile * sizeof(K)];
  alignas(16) unsigned char values[value_bytes<V> == 0 ? 16 : tile * value_bytes<V>];
  alignas(16) unsigned char arriving[value_bytes<V> == 0 ? 16 : tile * value_bytes<V>];  // values of the next tile
  std::uint8_t digits[Sampled ? tile : 1];                                               // if they do not follow from keys
};

/// Computes the digit of a code in a partition.
template <class K, class Keys>
struct digit_map {
  unsigned shift, mask;
  __device__ digit_map(Keys const&, partition const& p) : shift(p.bits - p.width), mask((1u << p.width) - 1) {}
  [[nodiscard]] __device__ unsigned operator()(K const& encoded) const {
    if constexpr (Keys::sampled)
      return 0;
    else
      return unsigned(encoded >> shift) & mask;
  }
};
/// Does the same for floats, by their numbers if the partition has any.
template <class K>
struct digit_map<K, stored_floats<K>> {
  unsigned shift, mask;
  float_numbers numbers;
  key_code<K> code;
  __device__ digit_map(stored_floats<K> const& keys, partition const& p)
      : shift((p.numbers.wanted() ? 32 : p.bits) - p.width), mask((1u << p.width) - 1), numbers(p.numbers), code(keys.code) {}
  [[nodiscard]] __device__ unsigned operator()(K encoded) const {
    return unsigned((numbers.wanted() ? K(numbers(encoded, code)) : encoded) >> shift) & mask;
  }
};

/// The scatter of tiles, and the parts that other phases of a level share with it.
template <class K, class V, class Keys, bool Large>
struct partition_mover : partition_traits<K, V, Large, Keys::sampled> {
  static constexpr bool sampled = Keys::sampled;
  using storage = partition_storage<K, V, Large, sampled>;
  using traits = partition_traits<K, V, Large, sampled>;
  using data_type = segment_data<K, V, Keys>;
  using traits::threads, traits::items, traits::tile, traits::warps;
  static constexpr unsigned digit_groups = digit_values / warp_threads;
  /// Keys without values of which all bits count need no stable order: atomic addition gives their positions, which is fast
  /// unless many have the same digit.
  static constexpr bool any_order = value_bytes<V> == 0 && !Keys::computed && !sampled;
  static constexpr bool skips_identity = !sampled && tuning::partition_skips_identity<sizeof(K), value_bytes<V>>();
  [[nodiscard]] __device__ static storage& shared() { return *reinterpret_cast<storage*>(dynamic_shared_memory()); }
  using map = digit_map<K, Keys>;

  /// Returns the location of a partition's keys, and their encoding there, once they are in memory.
  [[nodiscard]] __device__ static K const* keys_at(data_type const& data, copy from) {
    if constexpr (!Keys::computed)
      if (from == copy::given) return data.keys.keys;
    return from == copy::away ? data.away_codes : data.home_codes;
  }
  using code = typename Keys::code_of_copy;
  [[nodiscard]] __device__ static code code_for(data_type const& data, copy from) {
    if constexpr (!Keys::computed && !sampled)
      if (from == copy::given) return data.keys.code;
    return {};
  }

  /// A tile with its partition. (No GPU has the memory to count 2^32 tiles.)
  struct owned_tile {
    std::uint32_t number, owner;
  };
  /// The tiles of a list. A block works on every gridDim.x-th.
  struct listed_tiles {
    std::uint32_t const* owners;
    partition const* partitions;
    std::uint32_t count;

    /// Tiles from `count` on have no partition.
    [[nodiscard]] __device__ owned_tile operator[](std::uint32_t number) const {
      return {number, number < count ? owners[number] : 0};
    }
    /// Returns the tile itself if its items move, else the block's next tile whose items do.
    [[nodiscard]] __device__ owned_tile moving(owned_tile tile) const {
      while ((tile.owner & staying) != 0) tile = (*this)[tile.number + gridDim.x];
      return tile;
    }
    [[nodiscard]] __device__ partition const& partition_at(owned_tile tile) const {
      return partitions[tile.owner & owner_number];
    }
  };
  /// A tile in work: the data that are known before its keys arrive.
  struct tile_in_work {
    K const* keys;
    V const* values;
    std::uint8_t const* digits;  // in a sample sort
    partition_mover::code code;
    partition_mover::map digit_map;
    unsigned n;
    bool away, in_order;
    // The position of its items of this thread's digit is the sum of: the digit's begin, items in earlier chunks, in earlier
    // tiles.
    unsigned long long digit, chunk;
    std::uint32_t tile;
  };
  __device__ static tile_in_work find(data_type const& data, partition_work const& work, partition const& p,
                                      std::uint32_t owner, std::uint32_t t) {
    tile_in_work w{.digit_map = map(data.keys, p)};
    std::uint32_t const rank = t - std::uint32_t(p.first_tile);
    std::uint64_t const before = std::uint64_t{rank} * tile, left = p.length - before,
                        first = p.begin + before + first_of_lane();
    w.keys = keys_at(data, p.from) + first;
    if constexpr (sampled) w.digits = data.keys.digits + first;
    if constexpr (value_bytes<V> != 0) w.values = data.value_address(p.from, first);
    w.code = code_for(data, p.from);
    w.n = unsigned(left < tile ? left : tile);
    w.away = p.from != copy::away;
    w.in_order = !any_order || (owner & uneven) != 0;
    w.digit = w.chunk = w.tile = 0;
    if (threadIdx.x < digit_values) {
      w.digit = work.digits[owner & owner_number][threadIdx.x];
      w.chunk = work.chunks[p.first_chunk + rank / work.chunk_tiles][threadIdx.x];
      w.tile = work.tiles[t][threadIdx.x];
    }
    return w;
  }

  /// Returns the first item of this lane. A warp's items of a tile are consecutive, 32 at a time.
  [[nodiscard]] __device__ static unsigned first_of_lane() {
    return threadIdx.x / warp_threads * (items * warp_threads) + lane_id();
  }
  [[nodiscard]] __device__ static unsigned items_of_lane(unsigned n) {
    return n > first_of_lane() ? (n - first_of_lane() + warp_threads - 1) / warp_threads : 0;
  }

  /// The ranks of a thread's items, two in a register.
  struct ranks {
    std::uint32_t two[(items + 1) / 2];
    __device__ void set(unsigned i, std::uint32_t rank) { two[i / 2] = i % 2 == 0 ? rank : two[i / 2] | rank << 16; }
    [[nodiscard]] __device__ std::uint32_t operator[](unsigned i) const {
      return i % 2 == 0 ? two[i / 2] & 0xffff : two[i / 2] >> 16;
    }
  };
  static_assert(tile <= 1u << 16);

  /// The digits of a thread's items. They are computed from keys whenever needed, to save registers; in a sample sort they are
  /// loaded, four in a register.
  struct digits_of_keys {
    map digit_map;
    __device__ explicit digits_of_keys(tile_in_work const& tile) : digit_map(tile.digit_map) {}
    template <bool Full>
    __device__ void fetch(unsigned, unsigned) {}
    [[nodiscard]] __device__ unsigned operator()(unsigned, K const& key) const { return digit_map(key); }
  };
  struct digits_found {
    std::uint8_t const* from;
    std::uint32_t four[(items + 3) / 4];
    std::uint8_t coming[4];
    __device__ explicit digits_found(tile_in_work const& tile) : from(tile.digits) {}
    /// Loads the digits of the next four items before digit i is used: all at once would take many registers.
    template <bool Full>
    __device__ void fetch(unsigned i, unsigned own_count) {
      if (i % 4 != 0) return;
      if (i == 0) load_four<Full>(0, own_count);
      four[i / 4] = coming[0] | coming[1] << 8 | coming[2] << 16 | coming[3] << 24;
      load_four<Full>(i + 4, own_count);
    }
    template <bool Full>
    __device__ void load_four(unsigned i, unsigned own_count) {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j)
        coming[j] = i + j < items && (Full || i + j < own_count) ? from[(i + j) * warp_threads] : 0;
    }
    [[nodiscard]] __device__ unsigned operator()(unsigned i, K const&) const {
      return four[i / 4] >> i % 4 * 8 & 0xff;
    }
  };
  using digits = std::conditional_t<sampled, digits_found, digits_of_keys>;

  /// Ranks a warp's items among its items of the same digit, in the order of the items. Meanwhile it starts loading their
  /// values, except in a sample sort, which has more to load at this point. If they were requested with the next tile's keys,
  /// while this tile is written, they would wait for each other.
  template <bool Full>
  __device__ static void rank_in_order(K const (&key)[items], digits& digit_at, unsigned own_count, ranks& rank,
                                       std::uint32_t* counts, V const* values, V* arriving) {
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      bool const there = Full || i < own_count;
      if constexpr (value_bytes<V> != 0 && !sampled)
        if (there) copy_async(arriving + i * warp_threads, values + i * warp_threads);
      digit_at.template fetch<Full>(i, own_count);
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

  /// Items in shared memory, in the order of their digits. Keys and values of one size are stored as pairs.
  struct staged {
    static constexpr bool as_pairs = sizeof(K) == value_bytes<V>;
    struct alignas(as_pairs ? 2 * sizeof(K) : 1) pair {
      K key;
      V value;
    };
    storage& s;
    __device__ void set(unsigned at, unsigned digit, K key, V const* value) const {
      if constexpr (sampled) s.digits[at] = std::uint8_t(digit);
      if constexpr (as_pairs) {
        reinterpret_cast<pair*>(s.keys)[at] = {key, *value};
      } else {
        reinterpret_cast<K*>(s.keys)[at] = key;
        if constexpr (value_bytes<V> != 0) reinterpret_cast<V*>(s.values)[at] = *value;
      }
    }
    __device__ void get(unsigned at, K& key, V& value) const {
      if constexpr (as_pairs) {
        pair const b = reinterpret_cast<pair const*>(s.keys)[at];
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

  /// Starts loading this lane's keys, without encoding them.
  template <bool Full>
  __device__ static void load(tile_in_work const& now, K (&key)[items], V* arriving) {
    unsigned const own_count = Full ? items : items_of_lane(now.n);
#pragma unroll
    for (unsigned i = 0; i < items; ++i) key[i] = Full || i < own_count ? now.keys[i * warp_threads] : K{0};
    if constexpr (value_bytes<V> != 0 && sampled) {
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (Full || i < own_count) copy_async(arriving + i * warp_threads, now.values + i * warp_threads);
    }
    if constexpr (sampled)
      if (lane_id() < own_count) prefetch(now.digits - lane_id() + lane_id() * warp_threads);
  }

  /// Computes the positions of a tile's items in shared memory, and stores the items there.
  template <bool Full>
  __device__ static void stage(tile_in_work const& now, K (&key)[items], V* arriving, owned_tile const& next,
                               listed_tiles const& all) {
    storage& s = shared();
    unsigned const warp = threadIdx.x / warp_threads, own_count = Full ? items : items_of_lane(now.n);
    unsigned long long const place = now.digit + now.chunk + now.tile;
    encode(now, key);
    digits digit_at(now);
    ranks rank;
    if (now.in_order) {
      rank_in_order<Full>(key, digit_at, own_count, rank, s.counts[warp], now.values, arriving);
    } else {
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        rank.set(i, Full || i < own_count ? atomicAdd(&s.counts[0][digit_at(i, key[i])], 1u) : 0);
    }
    if (warp == warps - 1) share_next(all.moving(next), all);
    __syncthreads();
    sum_digits(place);
    __syncthreads();
    std::uint32_t const* const before = s.counts[now.in_order ? warp : 0];
    if constexpr (!sampled) digit_at.digit_map.shift = opaque(digit_at.digit_map.shift);
    if constexpr (value_bytes<V> != 0) wait_for_copies();
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (Full || i < own_count) {
        unsigned const digit = digit_at(i, key[i]);
        staged{s}.set(before[digit] + rank[i], digit, key[i], arriving + i * warp_threads);
      }
  }

  __device__ static __forceinline__ void encode(tile_in_work const& now, K (&key)[items]) {
    bool encoded = false;
    if constexpr (skips_identity) encoded = now.code.identity();
    if (!encoded) {
#pragma unroll
      for (unsigned i = 0; i < items; ++i) key[i] = now.code.encode(key[i]);
    }
  }

  /// Shares the partition of the next tile with all threads. Called by one warp.
  __device__ static __forceinline__ void share_next(owned_tile const& next, listed_tiles const& all) {
    storage& s = shared();
    static_assert(sizeof(partition) % 4 == 0 && sizeof(partition) <= 4 * warp_threads);
    if (lane_id() < sizeof(partition) / 4)
      reinterpret_cast<std::uint32_t*>(&s.next)[lane_id()] =
          reinterpret_cast<std::uint32_t const*>(&all.partition_at(next))[lane_id()];
    s.next_tile = next.number;
    s.next_owner = next.owner;
  }

  /// Replaces the counts of the warps by the positions of their items in the tile, one thread per digit. @param place  the
  /// position in device memory of the tile's items of this thread's digit
  __device__ static __forceinline__ void sum_digits(unsigned long long place) {
    storage& s = shared();
    unsigned const warp = threadIdx.x / warp_threads, digit = threadIdx.x;
    bool const has_digit = threadIdx.x < digit_values;
    std::uint32_t sum = 0, inclusive = 0;
    if (has_digit) {
#pragma unroll
      for (unsigned w = 0; w < warps; ++w) {
        std::uint32_t const count = s.counts[w][digit];
        s.counts[w][digit] = sum;
        sum += count;
      }
      inclusive = warp_inclusive_sum(sum);
      if (lane_id() == warp_threads - 1) s.sums[warp] = inclusive;
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
  }

  template <bool Full>
  __device__ static void write(data_type const& data, unsigned n, map digit_map, bool away) {
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
          std::uint64_t const to = s.places[sampled ? s.digits[at] : digit_map(code[i])] + at;
          codes[to] = code[i];
          if constexpr (value_bytes<V> != 0) values[to] = value[i];
        }
      }
    }
  }

  /// Moves the items of every tile to their positions. While one tile is written, the next one's items are loaded.
  __device__ static void move(data_type const& data, partition_work const& work, unsigned list) {
    storage& s = shared();
    listed_tiles const all{work.owners[list], work.lists[list], std::uint32_t(work.counts[list].tiles)};
    owned_tile const first = all.moving(all[blockIdx.x]);
    if (first.number >= all.count) return;
    K key[items];
    V* const arriving = reinterpret_cast<V*>(s.arriving) + first_of_lane();
    tile_in_work now = find(data, work, all.partition_at(first), first.owner, first.number);
    load<false>(now, key, arriving);
    clear_counts(s);
    for (std::uint32_t t = first.number;;) {
      __syncthreads();
      // A warp without digits loads the data of the next tile, in two steps far apart.
      owned_tile next{};
      if (threadIdx.x / warp_threads == warps - 1) next = all[t + gridDim.x];
      if (now.n == tile)
        stage<true>(now, key, arriving, next, all);
      else
        stage<false>(now, key, arriving, next, all);
      __syncthreads();
      t = s.next_tile;
      unsigned const n = now.n;
      map const digit_map = now.digit_map;
      bool const away = now.away;
      if (t < all.count) {
        now = find(data, work, s.next, s.next_owner, t);
        if (now.n == tile)
          load<true>(now, key, arriving);
        else
          load<false>(now, key, arriving);
      }
      clear_counts(s);
      if (n == tile)
        write<true>(data, n, digit_map, away);
      else
        write<false>(data, n, digit_map, away);
      if (t >= all.count) break;
    }
    __syncthreads();
  }
};

}  // namespace ordo::inline v0::cuda_detail
