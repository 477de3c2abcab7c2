#pragma once
#include <algorithm>
#include <cstddef>

#include "sort_core/cuda/tuning/segmented.cuh"

// How the sample sort by comparisons goes. Numbers only, measured with bench/comparator_sort on an H200 (9.0).
namespace ordo::cuda_detail::tuning {

/// Items of more bytes, and those that are not whole words, are merged by CUB.
constexpr std::size_t sampled_bytes = 16;
/// So are sorts of fewer items, by the bytes of an item and its value.
constexpr std::size_t by_samples_from(std::size_t bytes) {
  return std::size_t{1} << (bytes <= 4 ? 25 : bytes <= 8 ? 23 : 20);
}

/// Values of more bytes stay where they are while a block sorts their items.
constexpr std::size_t carried_bytes = 8;

/// The blocks that sort buckets: threads, items of each, an odd number, and blocks that a multiprocessor shall hold.
constexpr unsigned leaf_classes = 4;
template <std::size_t ItemBytes, std::size_t ValueBytes>
constexpr segment_class leaf_shape(unsigned c) {
  constexpr std::size_t bytes = ItemBytes + (ValueBytes <= carried_bytes ? ValueBytes : 4);
  constexpr unsigned items = ValueBytes > carried_bytes ? 9 : bytes <= 4 ? 23 : bytes <= 8 ? 15 : bytes <= 16 ? 9 : 7;
  constexpr unsigned threads[leaf_classes] = {128, 256, 512, 1024};
  return {method::merging, threads[c], items, 1024 / threads[c]};
}
/// What sorts a sample.
constexpr unsigned sample_class = 2;

/// Buckets shall have so many items on average, if there are buckets enough. Less than half of what the largest block holds.
template <std::size_t ItemBytes, std::size_t ValueBytes>
constexpr unsigned bucket_items() {
  return leaf_shape<ItemBytes, ValueBytes>(leaf_classes - 1).capacity() / 5;
}

/// The blocks that distribute items to buckets; see partition_shape. As many items as 172 KiB hold beside the
/// counts, and registers.
template <std::size_t ItemBytes, std::size_t ValueBytes>
constexpr partition_shape shape_of_samples() {
  constexpr std::size_t by_memory = 230 / (ItemBytes + 1 + 2 * ValueBytes), by_registers = 190 / (ItemBytes + 3);
  constexpr std::size_t items = std::min(by_memory, by_registers);
  return {768, unsigned(items < 4 ? items : items / 4 * 4), 1};
}

/// The blocks that find items' buckets; and how many items a thread takes down the tree at a time, so that the steps of one
/// need not wait for each other, as far as registers go.
constexpr unsigned classifying_threads = 512;
constexpr unsigned classified_at_once(std::size_t item_bytes) {
  return item_bytes <= 8 ? 8 : 4;
}

}  // namespace ordo::cuda_detail::tuning
