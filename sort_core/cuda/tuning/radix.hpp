#pragma once
#include <cstddef>

// Which way a radix sort goes. Numbers only, measured with tools/bench/radix_sort on an H200 (9.0) at 2^28 items.
namespace ordo::detail::tuning {

/// Sorts of fewer items go up: with keys of 32 bits there is little to win, and much to lose where keys are uneven.
constexpr std::size_t downwards_from(std::size_t key_bytes) {
  return key_bytes <= 4 ? std::size_t{1} << 25 : 1;
}

/// Keys that a sort of so many items looks at before it chooses its way; shorter ones go down. It waits for them: a sample of
/// 4096 took 0.3 ms.
constexpr std::size_t sampled_keys(std::size_t n) {
  return n < std::size_t{1} << 23 ? 256 : 1024;
}
constexpr std::size_t sampled_from(std::size_t key_bytes) {
  return key_bytes <= 4 ? downwards_from(key_bytes) : std::size_t{1} << 16;
}

/// Of so few keys a block makes a dictionary.
constexpr std::size_t few_keys = 24;
/// Keys of the sample whose bits are looked at; and how often the rarer value of an even bit comes, at least.
constexpr std::size_t keys_for_bits = 256;
constexpr double even_bit = 0.375;

/// Sorts of so many uneven keys of 64 bits, all of which count, go by comparisons, if they bring no values: 10 to 15 ms for 2^28,
/// upwards 15 to 17; with values of 32 bits 18 to 31 ms, upwards 18 to 20.
constexpr std::size_t compared_from = std::size_t{1} << 25;

/// If more than one key in so many of a sample repeats another, and they are not few, blocks find them crowded.
constexpr std::size_t repeated_in = 8;

/// What a level costs that finds all keys in one digit, against one that moves them.
constexpr double count_only = 0.25;

/// How often items may be moved downwards, on average, for that to be quicker than passes upwards: `worth` for keys all of
/// whose bits count; and no more than `slack` beyond what evenly distributed keys are, since blocks too are slower where keys
/// are uneven.
struct radix_limits {
  double worth, slack;
};
constexpr radix_limits downwards_limits(std::size_t key_bytes, std::size_t value_bytes) {
  if (key_bytes <= 4) return value_bytes == 0 ? radix_limits{2.6, 0.15} : radix_limits{2.3, 0.1};
  return value_bytes == 0 ? radix_limits{5.5, 0.7} : radix_limits{4.5, 0.7};
}

}  // namespace ordo::detail::tuning
