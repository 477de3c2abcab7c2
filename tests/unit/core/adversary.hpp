#pragma once
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

/// Chooses the keys of an input while it is sorted, so that every sample is useless (after McIlroy, "A Killer Adversary for
/// Quicksort", 1999): what a sort samples turns out to be less than all that it has not sampled yet. A test moves the items as
/// the sort would, so it has to know where the sort samples and where it puts things.
class adversary {
 public:
  explicit adversary(std::size_t n) : items(n), keys_(n, not_sampled) { std::iota(items.begin(), items.end(), 0u); }

  /// The key of the item that is at this place now, once it is sampled.
  std::uint32_t sample(std::size_t place) {
    std::uint32_t& key = keys_[items[place]];
    if (key == not_sampled) key = next_++;
    return key;
  }
  /// The same, not sampled: greater than every key that is.
  [[nodiscard]] std::uint32_t key(std::uint32_t item) const { return keys_[item]; }

  /// The input: a permutation of 0 ... n-1.
  [[nodiscard]] std::vector<std::uint32_t> keys() const {
    auto all = keys_;
    std::uint32_t next = std::uint32_t(all.size());
    for (std::uint32_t& key : all)
      if (key == not_sampled) key = --next;
    return all;
  }

  std::vector<std::uint32_t> items;  // where each is now; at first, item i at place i

 private:
  static constexpr std::uint32_t not_sampled = ~0u;
  std::vector<std::uint32_t> keys_;
  std::uint32_t next_ = 0;
};
