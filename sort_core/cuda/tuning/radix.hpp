#pragma once
#include <cstddef>

// Which way a radix sort goes. Numbers only, measured with tools/bench/radix_sort on an H200 (9.0) at 2^28 items.
namespace ordo::detail::tuning {

/// Sorts of fewer items go up: with keys of 32 bits there is little to win, and much to lose where keys are uneven.
constexpr std::size_t downwards_from(std::size_t key_bytes) {
  return key_bytes <= 4 ? std::size_t{1} << 25 : 0;
}

/// Keys that a sort of so many items looks at before it chooses its way, which takes some 60 microseconds; shorter ones go
/// down.
constexpr std::size_t sampled_keys = 1024;
constexpr std::size_t sampled_from(std::size_t key_bytes) {
  return key_bytes <= 4 ? downwards_from(key_bytes) : std::size_t{1} << 23;
}

/// What a level costs that finds all keys in one digit, against one that moves them.
constexpr double count_only = 0.25;

/// How often items may be moved downwards, on average, for that to be quicker than all passes upwards.
constexpr double moves_worth_it(std::size_t key_bytes, std::size_t value_bytes) {
  if (key_bytes <= 4) return value_bytes == 0 ? 2.3 : 2.1;
  return value_bytes == 0 ? 5.5 : 4.5;
}

}  // namespace ordo::detail::tuning
