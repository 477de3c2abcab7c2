#pragma once
#include <cstddef>

// Which way a radix sort goes. Numbers only, measured with bench/radix_sort on an H200 (9.0) at 2^28 items.
namespace ordo::cuda_detail::tuning {

/// Sorts of fewer items are LSD sorts: with keys of 32 bits there is little to win, and much to lose where keys are uneven.
constexpr std::size_t msd_from(std::size_t key_bytes) {
  return key_bytes <= 4 ? std::size_t{1} << 25 : 1;
}
/// So do those of a part of the keys' bits: to find out whether the others differ takes longer.
constexpr std::size_t partial_msd_from = std::size_t{1} << 22;

/// Keys that a sort of so many items looks at before it chooses its way. It waits for them, some 20 microseconds.
constexpr std::size_t sampled_keys(std::size_t n) {
  return n < std::size_t{1} << 25 ? 256 : 1024;
}
/// Shorter sorts do not wait: MSD if they are shorter than `unasked`, else LSD.
constexpr std::size_t sampled_from = std::size_t{1} << 18, unasked = std::size_t{1} << 16;

/// Of so few keys a block makes a dictionary.
constexpr std::size_t few_keys = 24;
/// Keys of the sample whose bits are looked at; and how often the rarer value of an even bit comes, at least.
constexpr std::size_t keys_for_bits = 256;
constexpr double even_bit = 0.375;

/// By how much the share of keys in which two bits differ is beyond chance, if one tells the other; of how many keys that is
/// asked, as it takes the host as long as all else, 10 microseconds; and how many of the bits that blocks sort by may be told
/// so, keys of 32 bits then being 2^4 times as dense as if they were evenly distributed.
constexpr double telling_share = 0.25;
constexpr std::size_t keys_for_telling = 128;
constexpr unsigned most_told_bits = 4;
/// Numbers to a key, at most, that a block has counters for.
constexpr unsigned counted_numbers = 16;

/// Sorts of so many uneven keys of 64 bits, all of which count, go by comparisons, if they bring no values: 10 to 15 ms for
/// 2^28, an LSD sort 15 to 17; with values of 32 bits 18 to 31 ms, an LSD sort 18 to 20.
constexpr std::size_t compared_from = std::size_t{1} << 25;

/// If more than one key in so many of a sample repeats another, and they are not few, blocks find them crowded.
constexpr std::size_t repeated_in = 8;

/// Keys of each number of their range, on average, from which the range is small; and by how many bits at least keys have to be
/// narrower than was asked for, in the sample, so that all of them are looked at: an LSD sort's digit.
constexpr std::size_t of_each_number = 32;
constexpr unsigned narrower_bits = 8;

/// What a level costs that finds all keys in one digit, against one that moves them.
constexpr double count_only = 0.25;

/// How often an MSD sort may move items, on average, and still be quicker than an LSD sort: `worth` for keys all of
/// whose bits count; and no more than `slack` beyond what evenly distributed keys are, since blocks too are slower where keys
/// are uneven: no eighth of the range may hold more than `densest` times its share. Two to `few` distinct keys are let pass.
/// An LSD sort's keys that are not their own codes are encoded and decoded by extra passes; and the exponents of doubles take
/// levels, but do not make blocks slower.
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

/// Of keys of 64 bits, so many digits less leave only `least_slack` of the slack, and `least_densest` instead of `densest`:
/// pairs of 47 bits that are even take as long either way (100 M of random DNA), those of a genome, which are not, 1.4 times as
/// long from the most significant digit on. The first level finds keys so short in one digit.
constexpr double digits_of_slack = 2, least_slack = count_only + 0.05, least_densest = 1.45;

/// CUB's sorts of so many items get a length of 64 bits. With one of 32 bits they are quicker, but for many keys of 32 bits
/// alone: 2^28 pairs of 32 bits took 7.4 ms instead of 8.5, and keys of 8 bits 1.5 instead of 2.1, but keys of 32 bits 6.3
/// instead of 5.4. For keys of 64 bits it is the same.
constexpr std::size_t long_length_from(std::size_t key_bytes, bool has_values) {
  return std::size_t{1} << (key_bytes == 4 && !has_values ? 22 : 31);
}

/// CUB sorts so many floats without values as they are, and their zeros are put in order behind it: of fewer, passes that
/// encode and decode them take no longer.
constexpr std::size_t floats_as_they_are_from = std::size_t{1} << 22;

/// The blocks that put a sample in order, and how many lanes find the rank of one key.
constexpr unsigned sampling_threads = 256, lanes_a_key = 8, keys_a_block = sampling_threads / lanes_a_key;

}  // namespace ordo::cuda_detail::tuning
