#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "sort_core/cuda/primitives/parts.hpp"
#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// The data of a partition of large segments that stay in device memory between its phases: the lists of segments in work, and
// the number of items of each digit in tiles, chunks of tiles, and segments. See large_segments.cuh.
namespace ordo::inline v0::cuda_detail {

constexpr unsigned digit_values = 256;
/// A segment that is being partitioned.
struct partition {
  std::uint64_t begin, length, first_tile, first_chunk;
  unsigned long long differing;  // ones where keys differ, as far as counted
  unsigned bits;                 // keys differ only below this bit
  unsigned width;                // width of the digit, which ends at `bits`
  copy from;
  bool ordered;            // keys are in order as given: at first according to a sample, after counting for certain
  bool equal;              // in a sample sort: odd digits but the last hold equal items
  std::uint16_t rotation;  // as float_numbers has it. Two bytes, because whole words are copied (share_next)
  float_numbers numbers;   // if wanted, the digit is taken from these

  [[nodiscard]] __device__ bool one_kind(unsigned digit) const { return equal && digit % 2 == 1 && digit + 1 != 2u << width; }
};

static_assert(sizeof(partition) == 4 * 8 + 8 + 2 * 4 + sizeof(copy) + 2 * sizeof(bool) + 2 + sizeof(float_numbers),
              "padding of a partition has no name");

/// The large segments that are partitioned together: those that begin in [first, last), cut into pieces. The default is all
/// segments, uncut.
struct partition_range {
  std::uint64_t first = 0, last = ~std::uint64_t{0}, piece = ~std::uint64_t{0};
  bool renew = false;  // the segments on the lists are sorted: empty the lists
  // For floating-point keys: segments up to this length take their first digit from these numbers.
  std::uint64_t longest_numbered = 0;
  float_numbers const* numbers = nullptr;
};

/// The number of partitions on a list, and of their tiles and chunks.
struct partition_count {
  unsigned long long partitions, tiles, chunks;
};

/// Device memory of the partitioning.
struct partition_work {
  partition* lists[3];                         // this level, the next, and those with equal keys
  partition_count* counts;                     // the lengths of the lists; all 0 at first
  unsigned long long (*digits)[digit_values];  // per partition: where digits begin
  unsigned long long (*chunks)[digit_values];  // per chunk: items of each digit, then those in chunks before
  std::uint32_t (*tiles)[digit_values];        // per tile: items of each digit in earlier tiles of the chunk
  std::uint32_t *owners[2], *chunk_owners;     // partition of a tile, in this level and the next; of a chunk
  std::uint32_t chunk_tiles;                   // tiles per chunk
};

/// The size of partition_work for partitions of n items in tiles of `tile` items.
struct partition_sizes {
  std::size_t n, partitions, tile;

  [[nodiscard]] std::size_t tiles() const { return partitions == 0 ? 0 : n / tile + partitions; }
  [[nodiscard]] std::size_t chunk_tiles() const { return n / tile / tuning::chunks + 1; }
  [[nodiscard]] std::size_t chunks() const { return partitions == 0 ? 0 : tiles() / chunk_tiles() + partitions; }
  [[nodiscard]] std::size_t bytes() const {
    auto const rounded = [](std::size_t count, std::size_t size) { return parts::size(count * size); };
    return 3 * rounded(partitions, sizeof(partition)) + rounded(digit_values * partitions, 8) +
           rounded(digit_values * chunks(), 8) + rounded(digit_values * tiles(), 4) + 2 * rounded(tiles(), 4) +
           rounded(chunks(), 4);
  }
  /// Lays out the memory. @param counts  three, all 0, unless the first step renews them
  [[nodiscard]] partition_work take(parts& taken, partition_count* counts) const {
    partition_work work{};
    for (auto& list : work.lists) list = taken.take<partition>(partitions);
    work.counts = counts;
    using row = unsigned long long[digit_values];
    work.digits = taken.take<row>(partitions);
    work.chunks = taken.take<row>(chunks());
    using small_row = std::uint32_t[digit_values];
    work.tiles = taken.take<small_row>(tiles());
    for (auto& owners : work.owners) owners = taken.take<std::uint32_t>(tiles());
    work.chunk_owners = taken.take<std::uint32_t>(chunks());
    work.chunk_tiles = std::uint32_t(chunk_tiles());
    return work;
  }
};

/// Returns the width of the digit that divides a partition of `length` items that may differ in `bits` bits. The parts are not
/// much smaller than a block's ideal size, because fewer digits leave longer sequences to write.
__device__ inline unsigned digit_width(std::uint64_t length, unsigned bits) {
  unsigned const wanted = 64 - leading_zeros(std::uint64_t(length / tuning::divided_length));
  return min(bits, min(8u, max(wanted, 4u)));
}

/// Appends a segment to a list. Other threads may do so at the same time.
template <unsigned Tile>
__device__ void append(partition_work const& work, unsigned list, partition p) {
  unsigned long long const tiles = (p.length + Tile - 1) / Tile;
  partition_count& count = work.counts[list];
  p.first_tile = atomicAdd(&count.tiles, tiles);
  p.first_chunk = atomicAdd(&count.chunks, (tiles + work.chunk_tiles - 1) / work.chunk_tiles);
  p.width = digit_width(p.length, p.bits);
  work.lists[list][atomicAdd(&count.partitions, 1ull)] = p;
}

/// Flags in owners: many items of the tile have the same digit; the items of the tile's partition stay in place.
constexpr std::uint32_t uneven = 1u << 31, staying = 1u << 30;
constexpr std::uint32_t owner_number = staying - 1;

/// Counts the digits of a list's tiles, whole chunks at a time. chunk(owner, p, each_tile) must call each_tile(f), which calls
/// f(first item, number of items, count) for each tile of the chunk, and f adds the tile's items to count[digit]. `counts` is
/// two rows of zeros, used for tiles in turn.
template <unsigned Tile, bool TellUneven, class Chunk>
__device__ void count_chunks(partition_work const& work, unsigned list, std::uint32_t (*counts)[digit_values],
                             Chunk chunk_with) {
  bool const has_digit = threadIdx.x < digit_values;
  std::uint64_t const chunks = work.counts[list].chunks;
  unsigned row = 0;
  for (std::uint64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    partition& owner = work.lists[list][work.chunk_owners[chunk]];
    partition const p = owner;
    std::uint64_t const all = (p.length + Tile - 1) / Tile, first = (chunk - p.first_chunk) * work.chunk_tiles;
    std::uint64_t const last = min(first + work.chunk_tiles, all);
    chunk_with(owner, p, [&](auto count_tile) {
      std::uint32_t sum = 0;
      for (std::uint64_t t = first; t < last; ++t, row = 1 - row) {
        std::uint64_t const left = p.length - t * Tile;
        unsigned const n = unsigned(left < Tile ? left : Tile);
        count_tile(p.begin + t * Tile, n, counts[row]);
        __syncthreads();
        if (has_digit) {
          std::uint32_t const in_tile = counts[row][threadIdx.x];
          counts[row][threadIdx.x] = 0;
          if (TellUneven && in_tile > n / 8) atomicOr(&work.owners[list][p.first_tile + t], uneven);
          work.tiles[p.first_tile + t][threadIdx.x] = sum;
          sum += in_tile;
        }
      }
      if (has_digit) work.chunks[chunk][threadIdx.x] = sum;
    });
  }
}

}  // namespace ordo::inline v0::cuda_detail
