#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/cuda/primitives/instructions.cuh"

// The merge of two sorted arrays, a tile of the result by a block. A block loads its parts of both arrays, which are as long as
// a tile together, into shared memory in whole rows, merges them there, and writes the tile in whole rows. Each key is read and
// written once. (Merge path: Green, McColl and Bader, ICS'12.)
namespace ordo::inline v0::cuda_detail {

/// The sizes of a block's merge. An odd number of items per thread avoids bank conflicts.
template <class K>
struct merge_storage {
  static constexpr unsigned threads = 256, items = sizeof(K) == 8 ? 11 : 15, tile = threads * items, blocks_at_once = 4;
  static_assert(items % 2 == 1 && tile < 1u << 16);
  alignas(8) K keys[tile];     // the parts of both arrays, one after the other
  std::uint16_t places[tile];  // the key that comes first, second, ...
};

/// Writes the places of a tile's keys in order.
/// @param code   of the keys in shared memory
/// @param of_a   the keys of the first part
/// @param count  the keys of both
template <class K, class Code>
__device__ void order_tile(merge_storage<K>& shared, Code const& code, unsigned of_a, unsigned count) {
  constexpr unsigned items = merge_storage<K>::items;
  unsigned const first = threadIdx.x * items, end = min(first + items, count), of_b = count - of_a;
  if (first >= count) return;
  // Bisection for the number of keys of the first part that come before.
  unsigned low = first > of_b ? first - of_b : 0, high = min(first, of_a);
  while (low < high) {
    unsigned const middle = (low + high) / 2;
    if (code(of_a + first - 1 - middle) < code(middle))
      high = middle;
    else
      low = middle + 1;
  }
  unsigned a = low, b = of_a + first - low;
  auto const code_at = [&](unsigned place) { return code(min(place, count - 1)); };
  K code_a = code_at(a), code_b = code_at(b);
#pragma unroll
  for (unsigned i = first; i < first + items; ++i) {
    if (i >= end) break;
    bool const from_b = b < count && (a >= of_a || code_b < code_a);
    unsigned const place = from_b ? b : a;
    shared.places[i] = std::uint16_t(place);
    K const coming = code_at(place + 1);
    if (from_b) {
      b = place + 1;
      code_b = coming;
    } else {
      a = place + 1;
      code_a = coming;
    }
  }
}

/// The items that a thread moves at a time.
template <class K, unsigned Bytes>
constexpr unsigned merge_items_at_once = merge_storage<K>::items < 64 / Bytes ? merge_storage<K>::items : 64 / Bytes;
/// Calls read(i, at) for each item `at` of a tile that the thread moves, and then write(i, at). All reads are on their way
/// before the first write. @tparam Bytes  of an item that read() keeps in registers: of large ones there are fewer at a time
template <class K, unsigned Bytes, class Read, class Write>
__device__ void move_items(unsigned count, Read read, Write write) {
  using storage = merge_storage<K>;
  constexpr unsigned at_once = merge_items_at_once<K, Bytes>;
#pragma unroll
  for (unsigned first = 0; first < storage::items; first += at_once) {
    auto const each = [&](auto f) {
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i)
        if (unsigned const at = threadIdx.x + (first + i) * storage::threads; first + i < storage::items && at < count)
          f(i, at);
    };
    each(read);
    each(write);
  }
}

/// Merges all tiles. Blocks stride over them.
/// @tparam Work  a merge_work (operations/merge.hpp), with tiles of merge_storage<K>::tile items
template <class K, class Work>
__global__ void __launch_bounds__(merge_storage<K>::threads, merge_storage<K>::blocks_at_once) merge_tiles(Work work) {
  wait_for_previous();
  using storage = merge_storage<K>;
  using Word = typename Work::word;
  constexpr unsigned tile = storage::tile;
  storage& shared = *reinterpret_cast<storage*>(dynamic_shared_memory());
  auto code = work.from.a;
  code.keys = shared.keys;
  std::size_t const n = work.from.a_size + work.from.b_size, tiles = (n + tile - 1) / tile;
  for (std::size_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    std::size_t const begin = number * tile, begin_a = work.splits[number], begin_b = begin - begin_a;
    auto const count = unsigned(n - begin < tile ? n - begin : tile), of_a = unsigned(work.splits[number + 1] - begin_a);
    K const *const keys_a = work.from.a.keys + begin_a, *const keys_b = work.from.b.keys + begin_b;
    K keys[merge_items_at_once<K, 4>];
    move_items<K, 4>(
        count, [&](unsigned i, unsigned at) { keys[i] = at < of_a ? keys_a[at] : keys_b[at - of_a]; },
        [&](unsigned i, unsigned at) { shared.keys[at] = keys[i]; });
    __syncthreads();
    order_tile<K>(shared, code, of_a, count);
    __syncthreads();
    move_items<K, 4>(
        count, [&](unsigned i, unsigned at) { keys[i] = shared.keys[shared.places[at]]; },
        [&](unsigned i, unsigned at) { work.to[begin + at] = keys[i]; });
    for (std::size_t w = 0; work.values && w < work.words; ++w) {
      Word const *const values_a = work.a_values + begin_a * work.words + w, *const values_b =
                                                                                 work.b_values + begin_b * work.words + w;
      Word values[merge_items_at_once<K, sizeof(Word)>];
      move_items<K, sizeof(Word)>(
          count,
          [&](unsigned i, unsigned at) {
            unsigned const place = shared.places[at];
            values[i] = place < of_a ? values_a[place * work.words] : values_b[(place - of_a) * work.words];
          },
          [&](unsigned i, unsigned at) { work.values[(begin + at) * work.words + w] = values[i]; });
    }
    __syncthreads();  // the next tile's keys take the place of these
  }
}

}  // namespace ordo::inline v0::cuda_detail
