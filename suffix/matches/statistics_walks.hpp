#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/suffix/search.hpp"
#include "suffix/index/periodic_part.hpp"

namespace ordo::inline v0::suffix {

/// Computes the matching statistics of a part of a query by steps, each of which is one search.
class statistics_walk {
 public:
  statistics_walk() = default;
  /// @param min_length  statistics below it may be set to any number below it
  statistics_walk(std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths, std::uint64_t min_length = 1)
      : query_(query),
        begin_(begin),
        lengths_(lengths),
        min_length_(min_length),
        at_(begin),
        end_(begin),
        last_search_(begin) {}

  [[nodiscard]] bool has_ended() const noexcept { return at_ >= begin_ + lengths_.size(); }
  /// Returns the string to search for.
  [[nodiscard]] std::string_view pattern() const noexcept {
    if (stage_ == stage::extend) return query_.substr(at_);
    return query_.substr(tried_, stage_ == stage::scan ? scanned_letters() : end_ + 1 - tried_);
  }
  /// Continues with the number of letters of the pattern that occur.
  void take(std::uint64_t result) {
    if (stage_ == stage::extend) {
      end_ = at_ + result;
      set(at_);
      ++at_;
      repeat();
      if (end_ == query_.size()) return set_rest();
      if (min_length_ > 1) return scan();
      if (end_ <= at_ + short_match) return;  // a search for each offset is as fast
      low_ = at_ - 1;
      step_ = 1;
      stage_ = stage::gallop;
      return try_next();
    }
    if (stage_ == stage::scan) return finish_scan(result);
    // Up to low_, the string that ends after end_ does not occur. It does from high_ on.
    if (result == end_ + 1 - tried_)
      high_ = tried_;
    else
      low_ = tried_;
    if (result == end_ + 1 - tried_) stage_ = stage::halve;
    try_next();
  }

 private:
  enum class stage { extend, scan, gallop, halve };
  static constexpr std::uint64_t short_match = 48;

  void set(std::uint64_t i) {
    if (i < begin_ + lengths_.size()) lengths_[i - begin_] = end_ - i;
  }
  // Settles the offsets of a tandem repeat: those at which the string of an offset a period before occurs in the query, too,
  // with the same letter after it.
  void repeat() {
    std::uint64_t const before = std::exchange(last_search_, at_ - 1);
    if (end_ - last_search_ <= short_match) return;
    while (!has_ended() && (repeat_after(part_.period()) || repeat_after(at_ - before))) {}
  }
  bool repeat_after(std::uint64_t period) {
    if (period == 0 || period > at_ - begin_) return false;
    std::uint64_t const from = at_ - period, length = lengths_[from - begin_];
    if (length <= short_match || at_ + length >= query_.size() || !part_.has(query_.data(), period, from, from + length + 1))
      return false;
    end_ = at_ + length;
    set(at_++);
    return true;
  }
  void set_rest() {
    for (; !has_ended(); ++at_) set(at_);
  }
  // Looks for offsets from which a string of the minimum length occurs that goes on after end_, from the last offset to the
  // first. Most matches end at a letter that no other match of that length includes: then a few searches settle all offsets up
  // to it.
  void scan() {
    if (has_ended() || end_ < at_) return;
    std::uint64_t const last = std::min(end_, begin_ + lengths_.size() - 1);
    if (query_.size() < min_length_ || query_.size() - min_length_ < at_) return settle_to(end_ + 1);
    tried_ = std::min(last, query_.size() - min_length_);
    stage_ = stage::scan;
  }
  [[nodiscard]] std::uint64_t scanned_letters() const noexcept { return std::max(min_length_, end_ + 1 - tried_); }
  void finish_scan(std::uint64_t result) {
    if (result >= scanned_letters()) {
      low_ = at_ - 1;
      high_ = tried_;
      stage_ = stage::halve;
      return try_next();
    }
    // No string occurs that includes the letters found and the next one.
    if (tried_ + result <= end_ || tried_ + result < at_ + min_length_) return settle_to(end_ + 1);
    tried_ -= min_length_ - result;
  }
  void settle_to(std::uint64_t end) {
    for (; at_ < end && !has_ended(); ++at_) set(at_);
    stage_ = stage::extend;
  }
  // Chooses the next offset to try, or settles all offsets up to the first one from which the longer string occurs.
  void try_next() {
    if (stage_ == stage::gallop) {
      if (low_ + step_ <= end_) {
        tried_ = low_ + step_;
        step_ *= 2;
        return;
      }
      high_ = end_ + 1;  // the empty string occurs
      stage_ = stage::halve;
    }
    if (high_ - low_ > 1) {
      tried_ = low_ + (high_ - low_) / 2;
      return;
    }
    settle_to(high_);
  }

  std::string_view query_;
  std::uint64_t begin_ = 0;
  std::span<std::uint64_t> lengths_;
  std::uint64_t min_length_ = 1;
  stage stage_ = stage::extend;
  std::uint64_t at_ = 0;   // the first offset that is not settled
  std::uint64_t end_ = 0;  // where the longest match at the last settled offset ends
  std::uint64_t low_ = 0, high_ = 0, tried_ = 0, step_ = 0;
  periodic_part part_;
  std::uint64_t last_search_ = 0;  // the offset of the last match that was searched for
};

/// Runs walks in a suffix array, all at the same time.
inline void run_walks(searcher const& rows, std::vector<statistics_walk> walks) {
  std::vector<std::string_view> patterns;
  std::vector<std::uint64_t> result;
  for (;;) {
    std::erase_if(walks, [](statistics_walk const& walk) { return walk.has_ended(); });
    if (walks.empty()) return;
    patterns.clear();
    for (statistics_walk const& walk : walks) patterns.push_back(walk.pattern());
    result.resize(patterns.size());
    rows.find_longest(patterns, result);
    for (std::size_t w = 0; w < walks.size(); ++w) walks[w].take(result[w]);
  }
}

}  // namespace ordo::inline v0::suffix
