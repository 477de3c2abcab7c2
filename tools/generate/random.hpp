#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ordo::inline v0::generate {

/// Random numbers that are the same on every machine: xoshiro256++ (Blackman and Vigna, 2021), seeded by splitmix64. The
/// distributions use IEEE 754's exact operations only, no mathematical library.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) noexcept;

  std::uint64_t operator()() noexcept {
    auto const rotated = [](std::uint64_t x, int k) { return x << k | x >> (64 - k); };
    std::uint64_t const result = rotated(state_[0] + state_[3], 23) + state_[0], t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotated(state_[3], 45);
    return result;
  }

  /// Uniform in [0, n), n > 0.
  std::uint64_t below(std::uint64_t n) noexcept { return static_cast<std::uint64_t>((wide{(*this)()} * n) >> 64); }
  /// Uniform in [low, high].
  std::uint64_t between(std::uint64_t low, std::uint64_t high) noexcept { return low + below(high - low + 1); }
  /// Uniform in [0, 1).
  double unit() noexcept { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  bool chance(double probability) noexcept { return unit() < probability; }
  double exponential(double mean) noexcept;
  /// Nearly normal: the sum of twelve uniform numbers, so never beyond 6 sigma.
  double normal() noexcept;
  double lognormal(double median, double sigma) noexcept;

 private:
  __extension__ using wide = unsigned __int128;
  std::array<std::uint64_t, 4> state_;
};

/// Natural logarithm (x > 0) and exponential, to about 1e-14, bit for bit the same everywhere.
double exact_log(double x) noexcept;
double exact_exp(double x) noexcept;

/// Draws indices of [0, n) by given weights, in constant time (Walker's alias method, by Vose).
class weighted_index {
 public:
  explicit weighted_index(std::span<double const> weights);
  /// Weights 1 / (i + 1)^exponent, i in [0, n).
  static weighted_index zipf(std::size_t n, double exponent);

  std::size_t operator()(random_source& random) const noexcept {
    std::size_t const i = random.below(entries_.size());
    return random.unit() < entries_[i].keep ? i : entries_[i].alias;
  }

 private:
  struct entry {
    double keep;
    std::size_t alias;
  };
  std::vector<entry> entries_;
};

}  // namespace ordo::inline v0::generate
