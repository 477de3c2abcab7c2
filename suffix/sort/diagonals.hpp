#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "suffix/text/compare_letters.hpp"
#include "suffix/text/packed_text.hpp"

// Comparing suffixes with long common prefixes. Let the suffixes at p and p + d first differ at the letters m and m + d. Then
// so do the suffixes at q and q + d, for every q from p to m. So one scan of a repeat compares all pairs of suffixes in it, if
// they are asked for in the order of the text: for the distances d that were asked for last, m is kept. (Kasai et al., CPM'01,
// find longest common prefixes so, for neighbours in the suffix array.)
namespace ordo::suffix::detail {

/// For p in [begin, end): the suffixes at p and p + distance agree up to `end` at least. Is the latter one less?
struct diagonal_stretch {
  enum class answer { no, yes, unknown };
  std::size_t distance = 0, begin = 0, end = 0;
  answer is_less = answer::unknown;
  [[nodiscard]] bool is_of(std::size_t p, std::size_t d) const { return d == distance && p >= begin && p < end; }
};

/// The longest stretches, which all threads share: a thread that begins inside one walks a leg, and then finds what another
/// thread has learnt. And a budget of steps for long stretches, also shared, which is taken a leg at a time.
class long_diagonals {
 public:
  /// Steps of a leg, after which a thread asks here. They take far longer than asking does.
  static constexpr std::size_t leg = std::size_t{1} << 10;

  explicit long_diagonals(std::size_t steps) : legs_(steps / leg) {}

  /// What is known of p and p + distance, or nothing.
  [[nodiscard]] diagonal_stretch find(std::size_t p, std::size_t distance) const {
    std::shared_lock const lock(mutex_);
    auto const found = known_.upper_bound({distance, p});
    return found != known_.end() && found->second.is_of(p, distance) ? found->second : diagonal_stretch{};
  }
  /// A longer beginning of a known stretch, or a new one while there are fewer than `most`.
  void keep(diagonal_stretch const& known) {
    std::lock_guard const lock(mutex_);
    auto const place = known_.find({known.distance, known.end});
    if (place != known_.end())
      place->second.begin = std::min(place->second.begin, known.begin);
    else if (known_.size() < most)
      known_.emplace(std::pair(known.distance, known.end), known);
  }
  /// May one more leg be walked?
  bool take_leg() {
    std::size_t left = legs_;
    while (left != 0 && !legs_.compare_exchange_weak(left, left - 1))
      ;
    return left != 0;
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 14;

  mutable std::shared_mutex mutex_;
  std::map<std::pair<std::size_t, std::size_t>, diagonal_stretch> known_;  // by distance and end
  std::atomic<std::size_t> legs_;
};

/// The order of suffixes of one text that agree in their first letters. One thread's.
class diagonals {
 public:
  /// @param agreed  letters in which suffixes agree that are compared: none ends before
  diagonals(packed_view text, std::size_t agreed, long_diagonals& shared)
      : text_(text), agreed_(agreed), shared_(shared), known_((1u << known_bits) + (1u << long_bits)) {}

  using answer = diagonal_stretch::answer;

  /// Does the suffix at q come before the one at p, p < q? Equal ones are in the order of the text. Unknown where that would
  /// take more steps than are allowed.
  answer is_less(std::size_t q, std::size_t p) {
    stretch& known = find(p, q - p);
    if (known.is_less == answer::unknown) {
      pair_of_stretches& far = long_of(known.distance);
      walk(known, far.last.distance == known.distance ? far.last : stretch{});
      if (known.end - known.begin > std::size_t{2} << window_bits) keep(far, known);
    }
    return known.is_less;
  }

  /// So many steps more, of as many letters as 64 bits hold.
  void allow(std::size_t steps) { steps_ += steps; }
  [[nodiscard]] bool may_go_on() const { return steps_ != 0; }

 private:
  using stretch = diagonal_stretch;
  /// Two that were asked for last.
  struct alignas(64) pair_of_stretches {
    stretch last, before;
  };
  static constexpr unsigned known_bits = 12, long_bits = 9, window_bits = 13;

  /// Of the many that are short, or begin in a window of the text.
  [[nodiscard]] pair_of_stretches& known_of(std::size_t window, std::size_t distance) {
    return known_[(distance * 0x9e3779b97f4a7c15 + window * 0xc2b2ae3d27d4eb4f) >> (64 - known_bits)];
  }
  /// Of the few that are long, which others do not supersede.
  [[nodiscard]] pair_of_stretches& long_of(std::size_t distance) {
    return known_[(1u << known_bits) + (distance * 0x9e3779b97f4a7c15 >> (64 - long_bits))];
  }

  /// What is known of p and p + distance, or may be found now. Kept for each window of the text: copies of one repeat may lie
  /// at equal distances.
  stretch& find(std::size_t p, std::size_t distance) {
    std::size_t const window = p >> window_bits;
    auto& known = known_of(window, distance);
    if (known.last.is_of(p, distance)) return known.last;
    stretch now{distance, p, p + agreed_, answer::unknown};
    for (auto const* const some : {&known, &known_of(window - 1, distance), &long_of(distance)}) {
      if (some->last.is_of(p, distance)) now = some->last;
      if (some->before.is_of(p, distance)) now = some->before;
    }
    return keep(known, now);
  }
  static stretch& keep(pair_of_stretches& known, stretch now) {
    if (known.last.distance != now.distance || known.last.end != now.end) known.before = known.last;
    return known.last = now;
  }

  /// @param other  a stretch of the same distance, or none: what it knows need not be walked
  void walk(stretch& known, stretch other) {
    std::size_t taken = 0;
    for (; known.is_less == answer::unknown; ++taken) {
      bool const is_leg = taken != 0 && taken % long_diagonals::leg == 0;
      if (is_leg && !other.is_of(known.end, known.distance)) other = shared_.find(known.end, known.distance);
      if (other.is_of(known.end, known.distance) && known.end != other.begin) {  // there a record may begin, and another end
        known.end = other.end;
        known.is_less = other.is_less;
        continue;
      }
      if (is_leg && shared_.take_leg()) steps_ += long_diagonals::leg;
      if (steps_ == 0) return;
      --steps_;
      letters_compared const now = compare_letters(text_, known.end, known.end + known.distance);
      known.end += now.agree;
      if (now.differ) known.is_less = now.is_less ? answer::yes : answer::no;
    }
    if (taken > long_diagonals::leg) shared_.keep(known);
  }

  packed_view text_;
  std::size_t agreed_;
  long_diagonals& shared_;
  std::size_t steps_ = 0;
  std::vector<pair_of_stretches> known_;
};

/// A group of suffixes with a common prefix, in consecutive places of the order: sorted by position, until they are compared.
template <class Index>
struct place_group {
  Index begin, size;
};

/// Suffixes of a group, at most.
constexpr std::size_t most_by_diagonals = 256;

/// Sorts suffix[0, n), which is by position. @returns false, and leaves them, where that takes more steps than are allowed
template <class Index>
bool sort_by_diagonals(diagonals& order, Index* suffix, std::size_t n) {
  if (n > most_by_diagonals) return false;
  Index sorted[most_by_diagonals];
  sorted[0] = suffix[0];
  for (std::size_t i = 1; i < n; ++i) {
    std::size_t low = 0, high = i;
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      auto const is_less = order.is_less(suffix[i], sorted[middle]);
      if (is_less == diagonals::answer::unknown) return false;
      if (is_less == diagonals::answer::yes)
        high = middle;
      else
        low = middle + 1;
    }
    std::copy_backward(sorted + low, sorted + i, sorted + i + 1);
    sorted[low] = suffix[i];
  }
  std::copy_n(sorted, n, suffix);
  return true;
}

}  // namespace ordo::suffix::detail
