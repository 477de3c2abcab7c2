#pragma once
#include <cstddef>

// The constants of the choice of a radix sort's method, measured with bench/radix_sort on an H200 (9.0) at 2^28 items.
namespace ordo::inline v0::cuda_detail::tuning {

/// Smaller sorts are LSD sorts: with 32-bit keys there is little to gain, and much to lose if keys are uneven.
constexpr std::size_t msd_from(std::size_t key_bytes) {
  return key_bytes <= 4 ? std::size_t{1} << 25 : 1;
}
/// So are smaller sorts by some of the keys' bits: it takes longer to find out whether the other bits differ.
constexpr std::size_t partial_msd_from = std::size_t{1} << 22;

/// Sorts of at least this many keys without values by most of their bits, more than the second number, are sorts by all bits if
/// the others are the same. At 2^28, where a read to find that out takes 0.25 ms, keys of 32 bits in [0, 1) take 4.0 ms, and by
/// 30 bits 6.4. Those in [1, 2) take 4.5 ms; by 23 bits, three digits, CUB takes 4.3, and in place a copy comes after it.
constexpr std::size_t by_all_bits_from(std::size_t key_bytes) {
  return std::size_t{1} << (key_bytes <= 4 ? 23 : 18);
}
constexpr unsigned by_all_bits_above(std::size_t key_bytes) {
  return key_bytes <= 4 ? 24 : 32;
}

/// The number of keys that a sort of n items samples before it chooses a method. It waits about 20 microseconds for them.
constexpr std::size_t sampled_keys(std::size_t n) {
  return n < std::size_t{1} << 25 ? 256 : 1024;
}
/// Smaller sorts do not wait: they are MSD sorts below `unasked` items, else LSD sorts.
constexpr std::size_t sampled_from = std::size_t{1} << 18, unasked = std::size_t{1} << 16;

/// From this many keys without values on, evenly distributed ones are partitioned twice and then sorted in blocks
/// (kernels/even_keys.cuh), if a sample of `even_sample` of them finds them so. On an H200, 2^28 of 32 bits take 3.4 ms, and of
/// 64 bits 5.0, where an MSD sort takes 4.3 and 7.7; 2^24 take 0.26 and 0.36, where CUB takes 0.42 and 1.15.
constexpr std::size_t even_from = std::size_t{1} << 23, even_sample = 1024;
/// The minimum number of codes of a part.
constexpr unsigned codes_of_a_part = 8;
/// The share of the sample above which one 64th of a part's range has too many of its keys: all others are then empty, or few.
constexpr std::size_t crowded_part = 6;
/// If fewer than one key in this many of a sample exceed the next, the array is taken to be sorted, and left to an MSD sort,
/// which finds it in order.
constexpr std::size_t out_of_order = 16;

/// Up to this many distinct keys, a block makes a dictionary.
constexpr std::size_t few_keys = 24;
/// The number of keys of the sample whose bits are examined; and the minimum share of the rarer value of an even bit.
constexpr std::size_t keys_for_bits = 256;
constexpr double even_bit = 0.375;

/// Two bits are correlated if the share of keys in which they differ is off the expected share by `correlation_share`. The
/// second constant is the number of keys examined for it, which takes the host 10 microseconds, as long as all else. The third
/// is the number of the bits sorted by blocks that may be correlated: 32-bit keys are then 2^4 times as dense as evenly
/// distributed ones.
constexpr double correlation_share = 0.25;
constexpr std::size_t keys_for_correlation = 128;
constexpr unsigned max_correlated_bits = 4;
/// The maximum of numbers per key for which a block has counters.
constexpr unsigned counted_numbers = 16;

/// Sorts of at least this many uneven 64-bit keys without values go by comparisons if keys differ in more bits than the second
/// number: 10 to 15 ms for 2^28, against 15 to 17 of an LSD sort by all bits. With 32-bit values they take 18 to 31 ms, against
/// 18 to 20.
constexpr std::size_t compared_from = std::size_t{1} << 25;
constexpr unsigned compared_above = 48;

/// If more than one key in this many of a sample repeats another, and the distinct keys are not few, keys are too dense for
/// blocks.
constexpr std::size_t repeated_in = 8;

/// A range is small if it has at least this many keys per number on average. The second constant is the number of bits, one
/// digit of an LSD sort, by which a sample's keys must be narrower than the requested range before all keys are examined.
constexpr std::size_t of_each_number = 32;
constexpr unsigned narrower_bits = 8;

/// The cost of a level that finds all keys in one digit, relative to one that moves them.
constexpr double count_only = 0.25;
/// The same of a copy: 0.5 ms for 2^28 keys of 32 bits and 1 ms with values, where two moves and the sort in blocks take 3.8
/// and 7.2 ms.
constexpr double copy_moves = 0.5;

/// The average number of moves up to which an MSD sort is faster than an LSD sort: `worth` for keys of which all bits count. It
/// must not exceed by more than `slack` the moves of evenly distributed keys, because uneven keys also make blocks slower; and
/// no eighth of the range may hold more than `densest` times its share. Two to `few` distinct keys are exempt. An LSD sort
/// needs extra passes to encode and decode keys that differ from their codes. The exponents of doubles take levels, but do not
/// make blocks slower.
struct radix_limits {
  double worth, slack, densest;
  std::size_t few;
};
constexpr radix_limits msd_limits(std::size_t key_bytes, std::size_t value_bytes, bool encoded, bool floats) {
  constexpr double any = 8;
  radix_limits limits{2.6, 0.15, any, few_keys};
  if (key_bytes <= 4 && value_bytes != 0) limits = {2.3, 0.05, 1.5, 1};
  if (key_bytes > 4) limits = {value_bytes == 0 ? 5.5 : 4.5, 0.7, any, few_keys};
  if (encoded) limits.worth += value_bytes == 0 ? 0.8 : 0.5;
  if (floats && key_bytes > 4) limits.slack += 2;
  return limits;
}

/// For 64-bit keys that lack this many digits, only `min_slack` of the slack is left, and `min_densest` replaces `densest`.
/// Even pairs of 47 bits take equally long either way (100 M of random DNA); those of a genome, which are uneven, take 1.4
/// times as long from the most significant digit on. The first level finds all of such narrow keys in one digit.
constexpr double digits_of_slack = 2, min_slack = count_only + 0.05, min_densest = 1.45;

/// From this many items on, CUB gets a 64-bit length. With a 32-bit length it is faster, except for many 32-bit keys without
/// values: 2^28 pairs of 32 bits took 7.4 ms instead of 8.5, and 8-bit keys 1.5 instead of 2.1, but 32-bit keys 6.3 instead of
/// 5.4. For 64-bit keys both are equally fast.
constexpr std::size_t wide_length_from(std::size_t key_bytes, bool has_values) {
  return std::size_t{1} << (key_bytes == 4 && !has_values ? 22 : 31);
}

/// From this many keys on, if none of a sample is negative, a read of all keys finds out whether any is. If none is, they have
/// the order of unsigned integers, and no passes encode and decode them.
constexpr std::size_t as_they_are_from = std::size_t{1} << 25;

/// From this many floats without values on, CUB sorts them directly, and a second pass orders their zeros. For fewer, the
/// passes that encode and decode them take no longer.
constexpr std::size_t floats_as_they_are_from = std::size_t{1} << 22;

/// The maximum of items that are sorted in one launch: by as many blocks as run at once or, up to half_grid_up_to, by
/// half_grid, of which fewer wait for each other. On an H200, 32-bit keys take 27 to 33 microseconds from 2^14 to 2^18 items,
/// where an LSD sort takes 52 to 65; at 2^20, 62 and 84, but uneven ones up to 105.
constexpr std::size_t one_launch_up_to(std::size_t key_bytes, std::size_t value_bytes) {
  return std::size_t{1} << (value_bytes == 0 || (key_bytes > 4 && value_bytes <= 4) ? 20 : 19);
}
constexpr std::size_t half_grid_up_to = std::size_t{1} << 17;
constexpr unsigned half_grid = 64;
/// The minimum number of buckets for as many items as a block sorts at once: the largest bucket seldom has more.
constexpr std::size_t buckets_a_capacity = 8;
/// From this many items on there are two sampled items for a splitter, because a bucket that no block holds takes long.
constexpr std::size_t large_sample_from = std::size_t{1} << 19;

/// The items per thread of a block of a sort in one launch (kernels/grid_sort.cuh), as many as memory and registers hold.
constexpr unsigned grid_items(std::size_t key_bytes, std::size_t value_bytes) {
  std::size_t const bytes = key_bytes + value_bytes;
  return bytes <= 12 ? 8 : bytes <= 16 ? 6 : 4;
}
/// Keys are dense if a bucket has more than `dense_grid_items` items, and more than `dense_grid_bucket` per linear bucket of a
/// block that sorts it.
constexpr float dense_grid_items = 64, dense_grid_bucket = 4;

/// The blocks that sort a sample, and the number of lanes that compute the rank of one key.
constexpr unsigned sampling_threads = 256, lanes_a_key = 8, keys_a_block = sampling_threads / lanes_a_key;

}  // namespace ordo::inline v0::cuda_detail::tuning
