#include "ordo/suffix/text_letters.hpp"

#include <limits>

#include "suffix/index/common_prefix.hpp"

namespace ordo::inline v0::suffix {

text_letters::run text_letters::run_behind(std::uint64_t p) const noexcept {
  auto const word = [&](std::size_t i, std::size_t which) {
    std::uint64_t value;
    std::memcpy(&value, runs_ + i * run_bytes + which * 8, 8);
    return value;
  };
  std::size_t low = 0, high = num_runs_;  // runs before low end at p or before
  while (low < high) {
    std::size_t const middle = low + (high - low) / 2;
    if (word(middle, 1) <= p)
      low = middle + 1;
    else
      high = middle;
  }
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  if (low == num_runs_) return {none, none, 0};
  return {word(low, 0), word(low, 1), static_cast<char>(word(low, 2))};
}

std::uint64_t text_letters::common_prefix(char const* string, std::uint64_t p, std::uint64_t max_length) const noexcept {
  if (plain_) return suffix::common_prefix(string, plain_ + p, std::size_t(max_length));
  for (std::uint64_t i = 0; i < max_length;) {
    run const one = run_behind(p + i);
    if (one.begin <= p + i) {
      std::uint64_t const stop = std::min(max_length, one.end - p);
      for (; i < stop; ++i)
        if (string[i] != one.letter) return i;
      continue;
    }
    std::uint64_t const stop = std::min(max_length, one.begin - p);
    for (; i + 8 <= stop; i += 8) {
      std::uint64_t wanted;
      std::memcpy(&wanted, string + i, 8);
      if (std::uint64_t const other = wanted ^ eight_at(p + i); other != 0)
        return i + std::uint64_t(std::countr_zero(other)) / 8;
    }
    for (; i < stop; ++i)
      if (string[i] != packed_at(p + i)) return i;
  }
  return max_length;
}

std::uint64_t text_letters::common_suffix(char const* end, std::uint64_t p, std::uint64_t max_length) const noexcept {
  std::uint64_t i = 0;
  if (plain_) {
    char const* const text_end = plain_ + p;
    while (i < max_length && end[-1 - std::ptrdiff_t(i)] == text_end[-1 - std::ptrdiff_t(i)]) ++i;
    return i;
  }
  bool const has_runs = run_behind(p - max_length).begin < p;
  while (i < max_length && end[-1 - std::ptrdiff_t(i)] == (has_runs ? (*this)[p - i - 1] : packed_at(p - i - 1))) ++i;
  return i;
}

}  // namespace ordo::inline v0::suffix
