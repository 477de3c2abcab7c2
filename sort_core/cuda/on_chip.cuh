#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sort_core/bits.hpp"
#include "sort_core/cuda/block_radix.cuh"
#include "sort_core/cuda/dictionary.cuh"
#include "sort_core/cuda/float_values.cuh"
#include "sort_core/cuda/group.cuh"
#include "sort_core/cuda/segment_data.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// Sorting a segment that one block holds: every item finds its rank, then keys and values move there once.
//
// Keys are spread linearly over four times as many buckets as the block holds items (the buckets of GPU-ArraySort; one pass,
// no compare); floating-point keys by their values, if these look evener than their codes. Most items of evenly distributed
// keys are alone in theirs; the others count those before them.
// Where some bucket is crowded the block tries other ways: a dictionary, if the keys are few distinct ones, so that one pass
// of a radix sort over their numbers will do; buckets that are narrow where keys are dense; and last a radix sort over all
// bits that differ. Every order is that of (key, position), so the sort is stable and the same on every run, although
// buckets fill in no particular order.
namespace ordo::detail {

/// Sorts segments of 1 to Threads * Items items.
template <class K, unsigned Threads, unsigned Items>
struct on_chip {
  using team = group<Threads>;
  using collective = typename team::template storage<K>;
  static constexpr unsigned capacity = Threads * Items;
  static constexpr unsigned position_bits = [] {
    unsigned bits = 1;
    while (1u << bits < capacity) ++bits;
    return bits;
  }();
  static_assert(position_bits <= 15);

  // Shared memory: a word an item, then counters of buckets; or sorted keys, then their values; or, for a radix sort, keys,
  // 16 bits an item, and each warp's counts of a digit. Behind them, what the collectives need; then cells or a dictionary.

  /// A word counts the items of several buckets in its lower half; then its upper half says where the first of them begins.
  /// Each thread sums a run of words, four at a time; there are about as many words as items.
  static constexpr unsigned run = Items < 6 ? 4 : (Items + 2) / 4 * 4;
  static constexpr unsigned counters = run * Threads;
  /// Buckets of a word, if a count has `Bits` bits.
  template <unsigned Bits>
  static constexpr unsigned buckets_per_word = 16 / Bits;
  static constexpr unsigned buckets = counters * buckets_per_word<4>;
  static_assert(buckets >= 1u << position_bits, "see linear_map");
  static_assert(counters * buckets_per_word<8> >= capacity, "see celled_map");
  static_assert(buckets <= 1u << 17, "see rank_in_buckets");
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  static constexpr std::size_t bucket_bytes = (capacity + counters) * 4;
  /// Eight, if a radix sort then takes little more than the buckets.
  static constexpr unsigned digit_bits =
      capacity * (sizeof(K) + 2) + (team::warps * 2u << 8) <= bucket_bytes + bucket_bytes / 8 ? 8 : 7;
  using radix = block_radix<Threads, Items, digit_bits>;
  static constexpr std::size_t radix_bytes = capacity * (sizeof(K) + 2) + radix::count_bytes;
  static constexpr std::size_t working_bytes(std::size_t value_size) {
    return aligned(std::max<std::size_t>({bucket_bytes, radix_bytes, capacity * (sizeof(K) + value_size)}));
  }

  static constexpr unsigned slots = [] {
    unsigned size = 64;
    while (size * 8 <= capacity && size * sizeof(K) < 2048) size *= 2;
    return size;
  }();
  /// One digit numbers its keys, and one more.
  using few_keys = dictionary<K, Threads, slots, std::min(slots / 2, (1u << digit_bits) - 1)>;
  /// Parts of the range between a segment's least and its greatest key.
  static constexpr unsigned cell_bits = position_bits < 10 ? position_bits - 2 : 8, cells = 1u << cell_bits;
  struct cell_table {
    K least[cells], greatest[cells];  // then, in the place of the greatest, the scale
    std::uint32_t bounds[cells];      // counts; then the first bucket, and above 16 bits, by how much the range is shifted
  };
  static constexpr std::size_t spare_bytes = aligned(std::max(sizeof(cell_table), sizeof(few_keys)));
  /// Values arrive behind all that while ranks are found, if they are short and not too many for it; else they are loaded late.
  static constexpr bool values_arrive(std::size_t value_size) {
    return value_size != 0 && value_size <= 8 && capacity * value_size <= tuning::arriving_bytes;
  }
  static constexpr std::size_t values_at(std::size_t value_size) {
    return working_bytes(value_size) + aligned(sizeof(collective)) + spare_bytes;
  }
  static constexpr std::size_t bytes(std::size_t value_size) {
    return values_at(value_size) + (values_arrive(value_size) ? aligned(capacity * value_size) : 0);
  }

  /// All of the block's dynamic shared memory is taken.
  template <class V, class Keys>
  __device__ static void sort(segment_data<K, V, Keys> const& data, segment_record segment) {
    unsigned char* const memory = dynamic_shared_memory();
    unsigned const n = segment.length;
    // Items at i * Threads + rank, for all i below this.
    unsigned const own_count = (n + (Threads - 1 - team::rank())) / Threads;
    collective& shared = *reinterpret_cast<collective*>(memory + working_bytes(value_bytes<V>));
    K key[Items];
    data.template load<Threads>(segment.from, segment.begin + team::rank(), own_count, key);
    clear_counts(memory);
    begin_values(data, segment, own_count, memory);
    extremes<K> const ends = extremes_of(key, own_count, shared);
    // The range shifted so that it fills 32 bits.
    unsigned const shift = shift_of(K(ends.greatest - ends.least));
    std::uint32_t rank[Items];
    outcome result = outcome::crowded;
    if constexpr (value_bytes<V> == 0) {
      K const range = ends.greatest - ends.least;
      if (range != 0 && range < dense<16>) {
        result = rank_dense<16>(key, ends.least, own_count, rank, memory, shared);
      } else if (range < dense<2> && unsigned(range) / sparse >= n) {
        result = rank_dense<2>(key, ends.least, own_count, rank, memory, shared);
        if (result != outcome::ranked) {
          team::sync();
          clear_counts(memory);
          team::sync();
        }
      }
    }
    if (result != outcome::ranked) {
      extremes<K> bounds = ends;
      key_code<K> const code = data.keys.code_of_floats();
      bool const by_value = of_floats(code) && number_by_value(key, code, bounds);
      result = rank_evenly(key, bounds, own_count, rank, memory, shared);
      if (by_value) data.template load<Threads>(segment.from, segment.begin + team::rank(), own_count, key);
      // Longer keys may differ beyond the bits of a word.
      if (result == outcome::ranked && (sizeof(K) > 4 || by_value)) result = outcome::roughly;
    }
    team::sync();
    V const* const values = values_of(data, segment, memory);
    if (result <= outcome::roughly) {
      stage(own_count, key, values, rank, memory);
      if (result == outcome::roughly) result = in_order(n, own_count, memory) ? outcome::ranked : outcome::alike;
    }
    if (result != outcome::ranked) {
      // Keys wait in shared memory, in no registers, while others are at work.
      K* const keys = reinterpret_cast<K*>(memory) + team::rank();
#pragma unroll 1
      for (unsigned i = 0; i < own_count; ++i) {
        K one[1];
        data.template load<Threads>(segment.from, segment.begin + team::rank() + i * Threads, 1, one);
        keys[i * Threads] = one[0];
      }
      stage_crowded(n, ends.least, shift, result == outcome::crowded,
                    unsigned(reinterpret_cast<unsigned char*>(&shared) - memory), values);
    }
    store(data, segment, own_count, memory);
  }

 private:
  enum class outcome {
    ranked,
    roughly,  // but for keys that lie close together, if there are any
    crowded,  // the buckets are too uneven
    alike     // 32 bits are too few to tell the keys apart
  };

  __device__ static std::uint32_t* counts_of(unsigned char* memory) {
    return reinterpret_cast<std::uint32_t*>(memory) + capacity;
  }
  template <class T>
  __device__ static T* spare(collective& shared) {
    return reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(&shared) + aligned(sizeof(collective)));
  }
  // Of a radix sort: behind the keys.
  __device__ static std::uint16_t* halves_of(unsigned char* memory) {
    return reinterpret_cast<std::uint16_t*>(memory + capacity * sizeof(K));
  }
  __device__ static std::uint32_t* digits_of(unsigned char* memory) {
    return reinterpret_cast<std::uint32_t*>(memory + capacity * (sizeof(K) + 2));
  }

  __device__ static void clear_counts(unsigned char* memory) {
    auto* const counts = reinterpret_cast<uint4*>(counts_of(memory));
#pragma unroll
    for (unsigned w = 0; w < run / 4; ++w) counts[w * Threads + team::rank()] = {0, 0, 0, 0};
  }

  /// A lower and an upper bound of the keys, near enough for buckets. Exact if all are equal.
  [[nodiscard]] __device__ static extremes<K> extremes_of(K const (&key)[Items], unsigned own_count, collective& shared) {
    auto const all = [&](auto part_of) {
      using part = decltype(part_of(K{}));
      extremes<part> ends{part(~part{0}), 0};
      own_count = opaque(own_count);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        ends.least = min(ends.least, part_of(key[i]));
        ends.greatest = max(ends.greatest, i < own_count ? part_of(key[i]) : part{0});
      }
      return team::reduce(ends, shared);
    };
    if constexpr (sizeof(K) > 4) {
      // By the upper words, unless too few of their bits differ.
      auto const upper = all([](K x) { return std::uint32_t(x >> 32); });
      if (upper.greatest - upper.least >= 256) return {K(upper.least) << 32, K(upper.greatest) << 32 | 0xffffffffu};
      team::sync();
    }
    return all([](K x) { return x; });
  }

  /// Begin to bring values.
  template <class V, class Keys>
  __device__ static void begin_values(segment_data<K, V, Keys> const& data, segment_record segment, unsigned own_count,
                                      unsigned char* memory) {
    if constexpr (values_arrive(value_bytes<V>)) {
      V const* const source = data.value_address(segment.from, segment.begin + team::rank());
      V* const values = reinterpret_cast<V*>(memory + values_at(sizeof(V))) + team::rank();
      own_count = opaque(own_count);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < own_count) copy_async(values + i * Threads, source + i * Threads);
    }
  }

  /// Where this thread's values are by now, or will be.
  template <class V, class Keys>
  __device__ static V const* values_of(segment_data<K, V, Keys> const& data, segment_record segment, unsigned char* memory) {
    if constexpr (value_bytes<V> == 0)
      return nullptr;
    else if constexpr (values_arrive(sizeof(V)))
      return reinterpret_cast<V const*>(memory + values_at(sizeof(V))) + team::rank();
    else
      return data.value_address(segment.from, segment.begin + team::rank());
  }

  /// keys[rank[i]] = key[i] and so for the values. Synchronises.
  template <class V>
  __device__ static void stage(unsigned own_count, K const (&key)[Items], V const* from, std::uint32_t const (&rank)[Items],
                               unsigned char* memory) {
    K* const keys = reinterpret_cast<K*>(memory);
    own_count = opaque(own_count);
    if constexpr (value_bytes<V> == 0) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < own_count) keys[rank[i]] = key[i];
    } else {
      V* const values = reinterpret_cast<V*>(memory + capacity * sizeof(K));
      V value[Items];
      if constexpr (values_arrive(sizeof(V))) wait_for_copies();
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) value[i] = i < own_count ? from[i * Threads] : V{};
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        if (i < own_count) {
          keys[rank[i]] = key[i];
          values[rank[i]] = value[i];
        }
      }
    }
    team::sync();
  }

  /// Are the staged keys in order? Synchronises.
  __device__ static bool in_order(unsigned n, unsigned own_count, unsigned char const* memory) {
    K const* const keys = reinterpret_cast<K const*>(memory) + team::rank();
    bool turned = false;
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < own_count && i * Threads + team::rank() + 1 < n) turned |= keys[i * Threads + 1] < keys[i * Threads];
    return !team::any(turned);
  }

  /// What is staged, out to memory.
  template <class V, class Keys>
  __device__ static void store(segment_data<K, V, Keys> const& data, segment_record segment, unsigned own_count,
                               unsigned char* memory) {
    std::uint64_t const first = segment.begin + team::rank();
    K const* const keys = reinterpret_cast<K const*>(memory);
    V const* const values = reinterpret_cast<V const*>(memory + capacity * sizeof(K));
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if (i < own_count) {
        data.keys.store(first + i * Threads, keys[i * Threads + team::rank()]);
        if constexpr (value_bytes<V> != 0) data.values[first + i * Threads] = values[i * Threads + team::rank()];
      }
    }
    if (data.heads) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        unsigned const p = i * Threads + team::rank();
        if (i < own_count) data.heads[segment.begin + p] = p == 0 || keys[p - 1] != keys[p];
      }
    }
    team::sync();
  }

  /// A linear map of [0, most] to `buckets`, most at least 2^31: its bucket in the upper 32 bits, its order in the bucket
  /// below.
  struct linear_map {
    std::uint32_t scale;
    __device__ linear_map(std::uint32_t most, std::uint32_t buckets) {
      scale = std::uint32_t(__fdividef(float(buckets) * 4294967296.0f, float(most)));
      if (__umulhi(most, scale) >= buckets) --scale;
      // Keys of 32 bits then never agree in a word: they differ by `scale` in the product, and a word leaves out less.
      scale = max(scale, buckets);
    }
    [[nodiscard]] __device__ std::uint64_t operator()(std::uint32_t x) const { return std::uint64_t(x) * scale; }
  };

  /// The uppermost 32 bits of what a key is beyond the least one.
  __device__ static std::uint32_t upper_of(K x, K least, unsigned shift) {
    return std::uint32_t(K(K(x - least) << shift) >> (8 * sizeof(K) - 32));
  }
  /// Shifted by so much, a range fills its bits.
  __device__ static unsigned shift_of(K range) {
    return range == 0 ? 0 : leading_zeros(std::uint64_t(range)) - (64 - 8 * unsigned(sizeof(K)));
  }

  /// The same where keys are dense here and sparse there, as floats are, or keys with outliers: the range is cut into cells,
  /// each linear between its own least and greatest key, and a cell has as many buckets as it has items.
  struct celled_map {
    cell_table const& table;
    K least;
    unsigned shift;
    [[nodiscard]] __device__ std::uint64_t operator()(K x) const {
      unsigned const cell = upper_of(x, least, shift) >> (32 - cell_bits);
      std::uint32_t const bound = table.bounds[cell];
      return (std::uint64_t(bound & 0xffff) << 32) +
             std::uint64_t(upper_of(x, table.least[cell], bound >> 16)) * std::uint32_t(table.greatest[cell]);
    }
  };

  /// rank[i] = where key[i] goes, if keys are even enough.
  __device__ static outcome rank_evenly(K const (&key)[Items], extremes<K> ends, unsigned own_count,
                                        std::uint32_t (&rank)[Items], unsigned char* memory, collective& shared) {
    if (ends.least == ends.greatest) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) rank[i] = i * Threads + team::rank();
      return outcome::ranked;
    }
    K const least = ends.least;
    unsigned const shift = shift_of(K(ends.greatest - least));
    linear_map const linear(upper_of(ends.greatest, least, shift), buckets);
    return rank_in_buckets<4>(
        key, [&](K x) { return linear(upper_of(x, least, shift)); }, own_count, rank, memory, shared);
  }

  /// Makes codes of floats and their bounds numbers in proportion to their values, if these look evener. Synchronises.
  __device__ static bool number_by_value(K (&key)[Items], key_code<K> code, extremes<K>& ends) {
    float_values<K> const value(code, ends);
    if (!value.finite() || !crowd_outside(key, ends)) return false;
    auto const number = [&](K x) { return K(K{value(x)} << (8 * sizeof(K) - 32)); };
    K const least = number(ends.least), greatest = number(ends.greatest);
    if (least == greatest) return false;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) key[i] = number(key[i]);
    ends = {least, greatest};
    return true;
  }
  /// Are there clearly fewer keys in the middle half of the range than in the rest? Told from some. Synchronises.
  __device__ static bool crowd_outside(K const (&key)[Items], extremes<K> ends) {
    constexpr unsigned others[3] = {0, Items / 4, Items / 2};
    unsigned const which = team::rank() % 3;
    K const one = which == 0 ? key[others[0]] : which == 1 ? key[others[1]] : key[others[2]];
    K const range = ends.greatest - ends.least;
    return team::count(K(one - ends.least) - range / 4 < range / 2) < Threads * 3 / 8;
  }

  /// Keys without values, of a range with a counter of `Bits` bits for each of its numbers: none is compared, as equal ones are
  /// the same. Two bits will do if there are `sparse` numbers to a key, seldom more than three being of a kind; 16 always do.
  template <unsigned Bits>
  static constexpr unsigned dense = counters*(32 / Bits);
  static constexpr unsigned sparse = 12;
  /// The sum of the counters of a word.
  template <unsigned Bits>
  [[nodiscard]] __device__ static std::uint32_t sum_of(std::uint32_t word) {
    if constexpr (Bits == 16) return (word & 0xffff) + (word >> 16);
    word = (word & 0x33333333u) + (word >> 2 & 0x33333333u);
    word = (word & 0x0f0f0f0fu) + (word >> 4 & 0x0f0f0f0fu);
    return word * 0x01010101u >> 24;
  }
  /// rank[i] = where key[i] goes, unless there are more of a kind than a counter counts.
  template <unsigned Bits>
  __device__ static outcome rank_dense(K const (&key)[Items], K least, unsigned own_count, std::uint32_t (&rank)[Items],
                                       unsigned char* memory, collective& shared) {
    static_assert(capacity < 1u << 16);
    constexpr unsigned full = (1u << Bits) - 1, per_word = 32 / Bits;
    auto* const counts = counts_of(memory);
    auto* const before = reinterpret_cast<std::uint16_t*>(memory);  // in the words before
    bool crowded = false;
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      unsigned const number = unsigned(key[i] - least), at = number % per_word * Bits;
      rank[i] = 0;
      if (i < own_count) rank[i] = atomicAdd(&counts[number / per_word], 1u << at) >> at & full;
      crowded |= rank[i] == full;
    }
    if (team::any(crowded)) return outcome::crowded;
    auto const* const words = reinterpret_cast<uint4 const*>(counts) + team::rank() * (run / 4);
    std::uint32_t sums[run], sum = 0;
#pragma unroll
    for (unsigned j = 0; j < run; j += 4) {
      uint4 const four = words[j / 4];
      std::uint32_t const word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (unsigned k = 0; k < 4; ++k) {
        sums[j + k] = sum;
        sum += sum_of<Bits>(word[k]);
      }
    }
    std::uint32_t const begin = team::exclusive_sum(sum, shared);
#pragma unroll
    for (unsigned j = 0; j < run; j += 2)
      reinterpret_cast<std::uint32_t*>(before)[team::rank() * (run / 2) + j / 2] = (begin + sums[j]) | (begin + sums[j + 1])
                                                                                                           << 16;
    team::sync();
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      unsigned const number = unsigned(key[i] - least), at = number % per_word * Bits;
      if (i < own_count) rank[i] += before[number / per_word] + sum_of<Bits>(counts[number / per_word] & ((1u << at) - 1));
    }
    return outcome::ranked;
  }

  __device__ static void stage(K const (&key)[Items], unsigned own_count, unsigned char* memory) {
    K* const keys = reinterpret_cast<K*>(memory) + team::rank();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < own_count) keys[i * Threads] = key[i];
  }
  __device__ static void unstage(K (&key)[Items], unsigned own_count, unsigned char const* memory) {
    K const* const keys = reinterpret_cast<K const*>(memory) + team::rank();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) key[i] = i < own_count ? keys[i * Threads] : K(~K{0});
  }

  // Functions that few segments need are not inlined, so that they cost the others no registers; no registers are passed to
  // them by reference, which would put those into memory for all.

  /// What stage does, for keys in memory when buckets have failed.
  template <class V>
  __device__ __noinline__ static void stage_crowded(unsigned n, K least, unsigned shift, bool crowded, unsigned shared_at,
                                                    V const* values) {
    unsigned char* const memory = dynamic_shared_memory();
    unsigned const own_count = (n + (Threads - 1 - team::rank())) / Threads;
    team::sync();
    rank_crowded(n, least, shift, crowded, shared_at);
    K key[Items];
    std::uint32_t rank[Items];
    unstage(key, own_count, memory);
    std::uint16_t const* const ranks = halves_of(memory) + team::rank();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) rank[i] = i < own_count ? ranks[i * Threads] : 0;
    team::sync();
    stage(own_count, key, values, rank, memory);
  }

  /// Ranks the keys in memory when buckets have failed. Keys remain, ranks are the halves behind them.
  __device__ __noinline__ static void rank_crowded(unsigned n, K least, unsigned shift, bool crowded, unsigned shared_at) {
    unsigned char* const memory = dynamic_shared_memory();
    collective& shared = *reinterpret_cast<collective*>(memory + shared_at);
    if (crowded) {
      if (rank_few(n, shared_at)) return;
      count_cells(n, least, shift, shared_at);
      unsigned const own_count = (n + (Threads - 1 - team::rank())) / Threads;
      K key[Items];
      std::uint32_t rank[Items];
      unstage(key, own_count, memory);
      team::sync();
      clear_counts(memory);
      team::sync();
      outcome result =
          rank_in_buckets<8>(key, celled_map{*spare<cell_table>(shared), least, shift}, own_count, rank, memory, shared);
      team::sync();
      if (result == outcome::ranked) {
        K* const keys = reinterpret_cast<K*>(memory);
#pragma unroll
        for (unsigned i = 0; i < Items; ++i)
          if (i < own_count) keys[rank[i]] = key[i];
        team::sync();
        if (!in_order(n, own_count, memory)) result = outcome::alike;
      }
      stage(key, own_count, memory);
      if (result == outcome::ranked) {
        std::uint16_t* const ranks = halves_of(memory) + team::rank();
#pragma unroll
        for (unsigned i = 0; i < Items; ++i)
          if (i < own_count) ranks[i * Threads] = std::uint16_t(rank[i]);
      }
      team::sync();
      if (result == outcome::ranked) return;
    }
    rank_by_bits(n, shared_at);
  }

  /// Makes the table of cells for the keys in memory.
  __device__ __noinline__ static void count_cells(unsigned n, K least, unsigned shift, unsigned shared_at) {
    unsigned char* const memory = dynamic_shared_memory();
    collective& shared = *reinterpret_cast<collective*>(memory + shared_at);
    K const* const keys = reinterpret_cast<K const*>(memory);
    cell_table& table = *spare<cell_table>(shared);
    for (unsigned cell = team::rank(); cell < cells; cell += Threads) {
      table.least[cell] = K(~K{0});
      table.greatest[cell] = 0;
      table.bounds[cell] = 0;
    }
    team::sync();
    for (unsigned p = team::rank(); p < n; p += Threads) {
      K const key = keys[p];
      unsigned const cell = upper_of(key, least, shift) >> (32 - cell_bits);
      atomicAdd(&table.bounds[cell], 1u);
      // Few are beyond all before them.
      K const volatile* const low = &table.least[cell];
      K const volatile* const high = &table.greatest[cell];
      if (key < *low) atomicMin(atomic_word(&table.least[cell]), atomic_value(key));
      if (key > *high) atomicMax(atomic_word(&table.greatest[cell]), atomic_value(key));
    }
    team::sync();
    constexpr unsigned run_of_cells = (cells + Threads - 1) / Threads;
    std::uint32_t sum = 0;
    unsigned const first = team::rank() * run_of_cells;
    for (unsigned cell = first; cell < first + run_of_cells && cell < cells; ++cell) sum += table.bounds[cell];
    std::uint32_t begin = team::exclusive_sum(sum, shared);
    for (unsigned cell = first; cell < first + run_of_cells && cell < cells; ++cell) {
      std::uint32_t const count = table.bounds[cell];
      K const low = table.least[cell], high = table.greatest[cell];
      unsigned const fill = count == 0 ? 0 : shift_of(K(high - low));
      table.bounds[cell] = begin | fill << 16;
      table.greatest[cell] = linear_map(upper_of(high, low, fill), count).scale;
      begin += count;
    }
    team::sync();
  }
  /// `Bits` for the count of a bucket, and no more may a word's buckets hold: else there are better ways. Keys that differ
  /// beyond the bits of a word may be out of order.
  template <unsigned Bits, class Map>
  __device__ static outcome rank_in_buckets(K const (&key)[Items], Map map, unsigned own_count, std::uint32_t (&rank)[Items],
                                            unsigned char* memory, collective& shared) {
    constexpr unsigned most = (1u << Bits) - 1, per_word = buckets_per_word<Bits>, bucket_bits = 17;
    // Times this, a word's counts become their sums: each with those below it, or below it alone.
    constexpr unsigned ones = 0x1111u & (Bits == 4 ? 0xffffu : 0x0101u), below = ones << Bits & 0xffff;
    constexpr unsigned crowd = Bits == 4 ? 15 : 48;
    static_assert(bucket_bits + Bits <= 32 && crowd <= most);
    auto* const counts = counts_of(memory);
    auto* const words = reinterpret_cast<std::uint32_t*>(memory);
    std::uint32_t word[Items];
    unsigned largest = 0;
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      std::uint64_t const product = map(key[i]);
      auto const bucket = std::uint32_t(product >> 32);
      word[i] = (std::uint32_t(product) & ~((1u << position_bits) - 1)) | (i * Threads + team::rank());
      unsigned const at = bucket % per_word * Bits;
      std::uint32_t before = 0;
      if (i < own_count) before = atomicAdd(&counts[bucket / per_word], 1u << at) >> at & most;
      largest = max(largest, before);
      rank[i] = opaque(bucket | before << bucket_bits);
    }
    // Whoever finds a full count has company, and says so, before counts are believed that it ran over into.
    if (team::any(largest >= crowd)) return outcome::crowded;

    auto* const own_words = reinterpret_cast<uint4*>(counts) + team::rank() * (run / 4);
    std::uint32_t count[run], sum = 0;
    bool crowded = false;
#pragma unroll
    for (unsigned j = 0; j < run; j += 4) {
      uint4 const four = own_words[j / 4];
      count[j] = four.x, count[j + 1] = four.y, count[j + 2] = four.z, count[j + 3] = four.w;
    }
#pragma unroll
    for (unsigned j = 0; j < run; ++j) {
      std::uint32_t const bytes = Bits == 4 ? (count[j] & 0x0f0f) + (count[j] >> 4 & 0x0f0f) : count[j];
      std::uint32_t const all = (bytes & 0xff) + (bytes >> 8);
      crowded |= all > most;
      count[j] |= sum << 16;
      sum += all;
    }
    std::uint32_t const begin = team::exclusive_sum(sum, shared) << 16;
#pragma unroll
    for (unsigned j = 0; j < run; j += 4)
      own_words[j / 4] = {count[j] + begin, count[j + 1] + begin, count[j + 2] + begin, count[j + 3] + begin};
    if (team::any(crowded)) return outcome::crowded;

    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      unsigned const bucket = rank[i] % (1u << bucket_bits), at = bucket % per_word * Bits;
      std::uint32_t const bounds = i < own_count ? counts[bucket / per_word] : 0, in_word = bounds & 0xffff;
      std::uint32_t const size = in_word >> at & most, first = (bounds >> 16) + ((in_word * below & 0xffff) >> at & most);
      if (size > 1) words[first + (rank[i] >> bucket_bits)] = word[i];
      rank[i] = opaque(size > 1 ? first | size << 16 : first);  // nobody to compare with
    }
    team::sync();
    // Compared are the words of a bucket, in whatever order they arrived; some items at a time.
    constexpr unsigned interleaved = Items % 4 == 0 ? 4 : 3;
#pragma unroll
    for (unsigned row = 0; row < Items; row += interleaved) {
      std::uint32_t longest = 0, size[interleaved];
      std::uint32_t const* others[interleaved];
#pragma unroll
      for (unsigned i = 0; i < interleaved && row + i < Items; ++i) {
        size[i] = rank[row + i] >> 16;
        rank[row + i] &= 0xffff;
        others[i] = words + rank[row + i];
        longest = max(longest, size[i]);
      }
#pragma unroll 1
      for (unsigned d = 0; d < longest; ++d) {
#pragma unroll
        for (unsigned i = 0; i < interleaved && row + i < Items; ++i) {
          if (d < size[i] && *others[i] < word[row + i]) ++rank[row + i];
          ++others[i];
        }
      }
    }
    return outcome::ranked;
  }

  /// Ranks the keys in memory if there are few distinct ones: the ranks are the halves behind them. Each key is looked up in
  /// a hash table, and what is found is numbered in order.
  __device__ __noinline__ static bool rank_few(unsigned n, unsigned shared_at) {
    unsigned char* const memory = dynamic_shared_memory();
    collective& shared = *reinterpret_cast<collective*>(memory + shared_at);
    auto& known = *spare<few_keys>(shared);
    K const* const keys = reinterpret_cast<K const*>(memory);
    std::uint16_t* const codes = halves_of(memory);
    unsigned greatest = 0;
    if (!known.number(keys, n, codes, greatest)) return false;
    unsigned const bits = 64 - leading_zeros(greatest);
    // In one pass, so that ranks may lie where codes do.
    radix::sort(codes, codes, digits_of(memory), n, std::uint16_t((1u << bits) - 1), shared);
    return true;
  }
  /// Ranks the keys in memory, whatever they are: the ranks are the halves behind them.
  __device__ __noinline__ static void rank_by_bits(unsigned n, unsigned shared_at) {
    unsigned char* const memory = dynamic_shared_memory();
    collective& shared = *reinterpret_cast<collective*>(memory + shared_at);
    K const* const keys = reinterpret_cast<K const*>(memory);
    K const first = keys[0];
    K differing = 0;
    for (unsigned p = team::rank(); p < n; p += Threads) differing |= keys[p] ^ first;
    differing = team::reduce_or(differing, shared);
    radix::sort(keys, halves_of(memory), digits_of(memory), n, differing, shared);
  }
};

}  // namespace ordo::detail
