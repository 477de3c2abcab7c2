#pragma once
#include <cstddef>

// Which way a radix sort goes. Numbers only, measured with tools/bench/radix_sort on an H200 (9.0) at 2^28 items.
namespace ordo::detail::tuning {

/// Keys that are looked at before a sort of so many chooses its way; shorter ones go downwards.
constexpr std::size_t sampled_keys = 4096, sampled_from = std::size_t{1} << 22;

/// What a level costs that finds all keys in one digit, against one that moves them.
constexpr double count_only = 0.25;

/// How often items may be moved downwards, on average, for that to be quicker than all passes upwards.
constexpr double moves_worth_it(std::size_t key_bytes, std::size_t value_bytes) {
  if (key_bytes <= 4) return value_bytes == 0 ? 2.3 : 2.1;
  return value_bytes == 0 ? 5.5 : 4.5;
}

}  // namespace ordo::detail::tuning
