#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

// Merging sorted runs. The callers read items and compare them.
namespace ordo::inline v0::external {

/// Merges sorted inputs with a loser tree (Knuth, volume 3, 5.4.1). Of equal items, that of the first input comes first.
/// Reader: next() moves to its next item, and returns false at the end. compare(Reader const&, Reader const&) returns a number
/// below, equal to or above 0.
template <class Reader, class Compare>
class loser_tree {
 public:
  loser_tree(std::vector<Reader> inputs, Compare compare)
      : inputs_(std::move(inputs)), compare_(std::move(compare)), over_(inputs_.size()), losers_(inputs_.size()) {}

  /// Moves to the next item of all. Returns its input, or nullptr at the end.
  Reader const* next() {
    if (inputs_.empty()) return nullptr;
    if (!std::exchange(begun_, true)) {
      begin();
    } else {
      advance(winner_);
      for (std::size_t node = (winner_ + inputs_.size()) / 2; node > 0; node /= 2)
        if (goes_before(losers_[node], winner_)) std::swap(losers_[node], winner_);
    }
    return over_[winner_] ? nullptr : &inputs_[winner_];
  }
  /// Returns the number of the input of the last item.
  [[nodiscard]] std::size_t winner() const noexcept { return winner_; }
  [[nodiscard]] Reader const& operator[](std::size_t input) const noexcept { return inputs_[input]; }

 private:
  // A match is played when both players are known. The winner of the last one is the smallest item.
  void begin() {
    std::size_t const n = inputs_.size();
    for (std::size_t k = 0; k < n; ++k) advance(k);
    std::vector<std::size_t> winners(2 * n);
    for (std::size_t node = 2 * n - 1; node > 0; --node) {
      if (node >= n) {
        winners[node] = node - n;
        continue;
      }
      std::size_t const a = winners[2 * node], b = winners[2 * node + 1];
      bool const first = goes_before(a, b);
      winners[node] = first ? a : b;
      losers_[node] = first ? b : a;
    }
    winner_ = winners[1];
  }
  void advance(std::size_t k) { over_[k] = over_[k] || !inputs_[k].next(); }
  bool goes_before(std::size_t a, std::size_t b) {
    if (over_[a] || over_[b]) return !over_[a] || (over_[b] && a < b);
    auto const order = compare_(inputs_[a], inputs_[b]);
    return order < 0 || (order == 0 && a < b);
  }

  std::vector<Reader> inputs_;
  Compare compare_;
  std::vector<unsigned char> over_;  // 1: the input has ended
  std::vector<std::size_t> losers_;  // the loser of the match at each inner node of a tree whose leaves are the inputs
  std::size_t winner_ = 0;
  bool begun_ = false;
};

/// Runs in the order of the input. Merging replaces adjacent runs by merge(std::span<Run>), which discards them.
template <class Run>
class run_levels {
 public:
  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
  [[nodiscard]] std::span<Run> runs() noexcept { return runs_; }
  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }

  /// Adds the next run.
  void add(Run run) {
    runs_.push_back(std::move(run));
    levels_.push_back(0);
  }
  /// Adds the next run. The last `max_merged` runs of one level become one of the level above, so that there are never many.
  template <class Merge>
  void add(Run run, std::size_t max_merged, Merge merge) {
    add(std::move(run));
    while (runs_.size() >= max_merged && levels_[runs_.size() - max_merged] == levels_.back())
      replace(runs_.size() - max_merged, max_merged, merge);
  }
  /// Merges runs until there are no more than `max_merged`, as few of them as that takes, beginning with the last, which are
  /// the smallest. Returns the number of passes.
  template <class Merge>
  std::size_t reduce(std::size_t max_merged, Merge merge) {
    std::size_t passes = 0;
    for (; runs_.size() > max_merged; ++passes) {
      std::size_t excess = runs_.size() - max_merged;
      for (std::size_t end = runs_.size(); excess != 0 && end > 1;) {
        std::size_t const count = std::min({max_merged, excess + 1, end});
        end -= count;
        excess -= count - 1;
        replace(end, count, merge);
      }
    }
    return passes;
  }

 private:
  template <class Merge>
  void replace(std::size_t first, std::size_t count, Merge& merge) {
    runs_[first] = merge(std::span(runs_).subspan(first, count));
    auto const rest = [&](auto& all) {
      all.erase(all.begin() + std::ptrdiff_t(first) + 1, all.begin() + std::ptrdiff_t(first + count));
    };
    rest(runs_);
    rest(levels_);
    ++levels_[first];
  }

  std::vector<Run> runs_;
  std::vector<std::size_t> levels_;  // how often the lines of each run were merged; never rising
};

}  // namespace ordo::inline v0::external
