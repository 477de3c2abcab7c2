#pragma once
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

/// Chooses the keys of an input while it is sorted, so that every sample is useless (after McIlroy, "A Killer Adversary for
/// Quicksort", 1999): each sampled key is less than all keys not sampled yet. A test moves the items as the sort would, so it
/// must know the positions that the sort samples and writes.
class adversary {
 public:
  explicit adversary(std::size_t n) : items(n), keys_(n, not_sampled) { std::iota(items.begin(), items.end(), 0u); }

  /// Samples the item that is now at `place`, and returns its key.
  std::uint32_t sample(std::size_t place) {
    std::uint32_t& key = keys_[items[place]];
    if (key == not_sampled) key = next_++;
    return key;
  }
  /// Returns the key of an item. Items that were not sampled are greater than all that were.
  [[nodiscard]] std::uint32_t key(std::uint32_t item) const { return keys_[item]; }

  /// Returns the input: a permutation of 0 ... n-1.
  [[nodiscard]] std::vector<std::uint32_t> keys() const {
    auto all = keys_;
    std::uint32_t next = std::uint32_t(all.size());
    for (std::uint32_t& key : all)
      if (key == not_sampled) key = --next;
    return all;
  }

  std::vector<std::uint32_t> items;  // the item at each position; at first, item i is at position i

 private:
  static constexpr std::uint32_t not_sampled = ~0u;
  std::vector<std::uint32_t> keys_;
  std::uint32_t next_ = 0;
};
