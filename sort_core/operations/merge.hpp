#pragma once
#include <algorithm>

#include "sort_core/operations/parts.hpp"

// Merges of two sorted arrays by merge path: each part of the output finds by bisection how many of its predecessors come from
// either array. (Green, McColl and Bader, ICS'12.)
namespace ordo::inline v0::detail {

/// Two sorted arrays.
template <class K>
struct sorted_arrays {
  code_at<K> a, b;
  std::size_t a_size, b_size;

  /// Returns the number of items of `a` among the first `rank` of the result, which is in [low, high].
  [[nodiscard]] ORDO_FN std::size_t of_a(std::size_t rank, std::size_t low, std::size_t high) const {
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (b(rank - 1 - middle) < a(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
  [[nodiscard]] ORDO_FN std::size_t of_a(std::size_t rank) const {
    return of_a(rank, rank > b_size ? rank - b_size : 0, rank < a_size ? rank : a_size);
  }
};

/// Computes how many of the first p * `tile` items of the result come from `a`.
template <class K>
struct split_at {
  sorted_arrays<K> from;
  std::size_t tile;
  std::uint64_t* splits;
  ORDO_FN void operator()(std::size_t p) const {
    std::size_t const n = from.a_size + from.b_size;
    splits[p] = from.of_a(p * tile < n ? p * tile : n);
  }
};

/// A merge, of which it is known where the tiles of the result begin in each array.
template <class K, class Word>
struct merge_work {
  using word = Word;
  sorted_arrays<K> from;
  Word const *a_values, *b_values;  // or null
  K* to;
  Word* values;       // or null
  std::size_t words;  // per value
  std::uint64_t const* splits;

  [[nodiscard]] ORDO_FN K encode(K key) const {
    code_at<K> code = from.a;
    code.keys = &key;
    return code(0);
  }
  /// Returns true if no two keys share a code, so that from.a.code decodes it.
  [[nodiscard]] ORDO_FN bool codes_are_keys() const {
    return from.a.minus_zero == 0 && from.a.max_magnitude >= K(~code_at<K>::top);
  }
};

/// Merges `step` items of a tile.
template <class K, class Word>
struct merge_step {
  merge_work<K, Word> work;
  std::size_t tile, step;
  ORDO_FN void operator()(std::size_t number) const {
    sorted_arrays<K> const& from = work.from;
    std::size_t const n = from.a_size + from.b_size, begin = number * step, p = begin / tile, words = work.words;
    std::size_t const end = begin + step < n ? begin + step : n;
    // Between the splits around the tile, and so that neither array has fewer items than are taken of it.
    std::size_t low = work.splits[p], high = work.splits[p + 1];
    if (begin > from.b_size && low < begin - from.b_size) low = begin - from.b_size;
    if (high > begin) high = begin;
    std::size_t i = from.of_a(begin, low, high), j = begin - i;
    for (std::size_t t = begin; t < end; ++t) {
      bool const of_b = i == from.a_size || (j != from.b_size && from.b(j) < from.a(i));
      work.to[t] = of_b ? from.b.keys[j] : from.a.keys[i];
      if (work.values) {
        Word const* const value = of_b ? work.b_values + j * words : work.a_values + i * words;
        for (std::size_t w = 0; w != words; ++w) work.values[t * words + w] = value[w];
      }
      j += of_b;
      i += !of_b;
    }
  }
};

/// The items whose place in both arrays is found by a search of all of them, and those that a thread with a cache of its own
/// merges at a time.
constexpr std::size_t merge_tile = 1024, merge_step_items = 1024;

/// A Backend with a merge of its own for many small threads:
///
///   merge_tiles(work)               Merges all tiles of a merge_work, of B::merge_tile<K> items each.
template <class B, class K>
concept merges_tiles = Backend<B> && requires {
  B::template merge_tile<K>;
};

template <Backend B, class K>
void run_merge(B& backend, operation_task const& task) {
  std::size_t const a = task.sort.n, b = task.other_keys.size, n = a + b;
  if (n == 0) return;
  sorted_arrays<K> from{codes_for<K>(task.sort), codes_for<K>(task.sort), a, b};
  from.b.keys = static_cast<K const*>(task.other_keys.data);
  std::size_t tile = merge_tile;
  if constexpr (merges_tiles<B, K>) tile = B::template merge_tile<K>;
  std::size_t const tiles = (n + tile - 1) / tile;
  auto const splits = backend.template buffer<std::uint64_t>(tiles + 1);
  backend.each(tiles + 1, split_at<K>{from, tile, splits.data()});
  std::size_t const bytes = task.out_values.item_bytes;
  with_common_word(bytes, {task.values.data, task.other_values.data, task.out_values.data}, [&]<class Word>(Word) {
    merge_work<K, Word> const work{from,
                                   static_cast<Word const*>(task.values.data),
                                   static_cast<Word const*>(task.other_values.data),
                                   static_cast<K*>(task.out_keys.data),
                                   static_cast<Word*>(task.out_values.data),
                                   bytes / sizeof(Word),
                                   splits.data()};
    if constexpr (merges_tiles<B, K>)
      backend.merge_tiles(work);
    else
      backend.each((n + merge_step_items - 1) / merge_step_items, merge_step<K, Word>{work, merge_tile, merge_step_items});
  });
}

inline std::size_t task_merge_memory(operation_task const& task) {
  return pool::rounded((task.sort.n / merge_tile + 2) * 8);
}

}  // namespace ordo::inline v0::detail
