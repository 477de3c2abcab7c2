#pragma once
#include <algorithm>
#include <cstddef>

#include "sort_core/cuda/tuning/segmented.cuh"

// The constants of the sample sort by comparisons, measured with bench/comparator_sort on an H200 (9.0).
namespace ordo::inline v0::cuda_detail::tuning {

/// Larger items, in bytes, and items that are not whole words are merged by CUB.
constexpr std::size_t sampled_bytes = 16;
/// So are sorts of fewer items, by the bytes of an item and its value, if they are not merged in one launch.
constexpr std::size_t by_samples_from(std::size_t bytes) {
  return std::size_t{1} << (bytes <= 4 ? 25 : bytes <= 8 ? 23 : 21);
}
/// The merge sort in one launch: the largest items with their values, in bytes, and the numbers of items for which it is
/// quicker. With 2^18 keys of 32 bits it takes 44 microseconds, and CUB's merge sort 67; with 2^22, 260 and 220.
constexpr std::size_t merged_bytes = 16, merged_above = std::size_t{1} << 12, merged_up_to = std::size_t{1} << 21;
/// Its blocks, by the bytes of an item and its value: threads, items per thread (an odd number), and resident blocks per
/// multiprocessor. More threads for large items have too few registers.
constexpr segment_class merge_shape(std::size_t bytes) {
  return bytes <= 8 ? segment_class{method::merging, 384, 11, 2} : segment_class{method::merging, 256, 9, 2};
}

/// Larger values, in bytes, stay in place while a block sorts their items.
constexpr std::size_t carried_bytes = 8;

/// The blocks that sort buckets: threads, items per thread (an odd number), and resident blocks per multiprocessor.
constexpr unsigned leaf_classes = 4;
template <std::size_t ItemBytes, std::size_t ValueBytes>
constexpr segment_class leaf_shape(unsigned c) {
  constexpr std::size_t bytes = ItemBytes + (ValueBytes <= carried_bytes ? ValueBytes : 4);
  constexpr unsigned items = ValueBytes > carried_bytes ? 9 : bytes <= 4 ? 23 : bytes <= 8 ? 15 : bytes <= 16 ? 9 : 7;
  constexpr unsigned threads[leaf_classes] = {128, 256, 512, 1024};
  return {method::merging, threads[c], items, 1024 / threads[c]};
}
/// The class whose block sorts a sample.
constexpr unsigned sample_class = 2;

/// The desired average number of items per bucket, if there are enough buckets: less than half of what the largest block holds.
template <std::size_t ItemBytes, std::size_t ValueBytes>
constexpr unsigned bucket_items() {
  return leaf_shape<ItemBytes, ValueBytes>(leaf_classes - 1).capacity() / 5;
}

/// The blocks that distribute items to buckets; see partition_shape. A tile has as many items as fit in 172 KiB beside the
/// counts, and in registers.
template <std::size_t ItemBytes, std::size_t ValueBytes>
constexpr partition_shape shape_of_samples() {
  constexpr std::size_t by_memory = 230 / (ItemBytes + 1 + 2 * ValueBytes), by_registers = 190 / (ItemBytes + 3);
  constexpr std::size_t items = std::min(by_memory, by_registers);
  return {768, unsigned(items < 4 ? items : items / 4 * 4), 1};
}

/// The blocks that classify items. Each thread takes several items down the tree at a time, as far as registers allow, so that
/// the steps of one need not wait for each other.
constexpr unsigned classifying_threads = 512;
constexpr unsigned classified_at_once(std::size_t item_bytes) {
  return item_bytes <= 8 ? 8 : 4;
}

}  // namespace ordo::inline v0::cuda_detail::tuning
