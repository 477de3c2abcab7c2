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
  static_assert(items % 2 == 1 && tile + items < 1u << 16);
  // The parts of both arrays, one after the other. The last thread reads beyond them.
  alignas(8) K codes[tile + items + 1];
  std::uint16_t places[tile];  // the code that comes first, second, ...
};

/// Writes the places of a tile's codes in order.
/// @param of_a   the codes of the first part
/// @param count  the codes of both
template <class K>
__device__ void order_tile(merge_storage<K>& shared, unsigned of_a, unsigned count) {
  constexpr unsigned items = merge_storage<K>::items;
  unsigned const first = threadIdx.x * items, of_b = count - of_a;
  if (first >= count) return;
  // Bisection for the number of codes of the first part that come before.
  unsigned low = first > of_b ? first - of_b : 0, high = min(first, of_a);
  while (low < high) {
    unsigned const middle = (low + high) / 2;
    if (shared.codes[of_a + first - 1 - middle] < shared.codes[middle])
      high = middle;
    else
      low = middle + 1;
  }
  unsigned a = low, b = of_a + first - low;
  K code_a = shared.codes[a], code_b = shared.codes[b];
#pragma unroll
  for (unsigned i = 0; i < items; ++i) {
    bool const from_b = b < count && (a >= of_a || code_b < code_a);
    unsigned const place = from_b ? b : a;
    K const coming = shared.codes[place + 1];
    shared.places[first + i] = std::uint16_t(place);
    code_a = from_b ? code_a : coming;
    code_b = from_b ? coming : code_b;
    a += from_b ? 0 : 1;
    b += from_b ? 1 : 0;
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

/// Merges a tile for each block.
/// @tparam Work  a merge_work (operations/merge.hpp), with tiles of merge_storage<K>::tile items
template <class K, class Work>
__global__ void __launch_bounds__(merge_storage<K>::threads, merge_storage<K>::blocks_at_once) merge_tiles(Work work) {
  wait_for_previous();
  using storage = merge_storage<K>;
  using Word = typename Work::word;
  storage& shared = *reinterpret_cast<storage*>(dynamic_shared_memory());
  std::size_t const n = work.from.a_size + work.from.b_size, begin = std::size_t{blockIdx.x} * storage::tile,
                    begin_a = work.splits[blockIdx.x], begin_b = begin - begin_a;
  auto const count = unsigned(n - begin < storage::tile ? n - begin : storage::tile),
             of_a = unsigned(work.splits[blockIdx.x + 1] - begin_a);
  K const *const keys_a = work.from.a.keys + begin_a, *const keys_b = work.from.b.keys + begin_b;
  K keys[merge_items_at_once<K, 4>];
  auto const load = [&](unsigned place) { return place < of_a ? keys_a[place] : keys_b[place - of_a]; };
  move_items<K, 4>(
      count, [&](unsigned i, unsigned at) { keys[i] = load(at); },
      [&](unsigned i, unsigned at) { shared.codes[at] = work.encode(keys[i]); });
  __syncthreads();
  order_tile<K>(shared, of_a, count);
  __syncthreads();
  // Codes that several keys share are no keys: then these are read again.
  bool const are_keys = work.codes_are_keys();
  move_items<K, 4>(
      count,
      [&](unsigned i, unsigned at) {
        unsigned const place = shared.places[at];
        keys[i] = are_keys ? work.from.a.code.decode(shared.codes[place]) : load(place);
      },
      [&](unsigned i, unsigned at) { work.to[begin + at] = keys[i]; });
  for (std::size_t w = 0; work.values && w < work.words; ++w) {
    Word const *const values_a = work.a_values + begin_a * work.words + w,
                      *const values_b = work.b_values + begin_b * work.words + w;
    Word values[merge_items_at_once<K, sizeof(Word)>];
    move_items<K, sizeof(Word)>(
        count,
        [&](unsigned i, unsigned at) {
          unsigned const place = shared.places[at];
          values[i] = place < of_a ? values_a[place * work.words] : values_b[(place - of_a) * work.words];
        },
        [&](unsigned i, unsigned at) { work.values[(begin + at) * work.words + w] = values[i]; });
  }
}

}  // namespace ordo::inline v0::cuda_detail
