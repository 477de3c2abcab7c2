#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "ordo/communicator.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::detail {

/// Uninitialised items of any trivially copyable type, in the host's memory.
template <class T>
class host_items {
  struct alignas(T) room {
    std::byte bytes[sizeof(T)];
  };

 public:
  explicit host_items(std::size_t n) : rooms_(n) {}
  [[nodiscard]] std::span<T> span() { return {reinterpret_cast<T*>(rooms_.data()), rooms_.size()}; }

 private:
  std::vector<room> rooms_;
};

/// Splits sorted shares: cuts()[s * size + m] is the number of items of member m among the first targets[s] items of all, where
/// items order by (item, member, position). Each member therefore sees where equal items are split, and a merge that prefers
/// lower members is stable. Deterministic, and the same on all members.
///
/// In each round, every member shows up to `samples` items, evenly spaced in the range of its share that is still in question.
/// A sample and the lengths between samples bound the number of items before it from both sides. The samples that are surely
/// before or surely after the target narrow the ranges, to less than 3 / samples of their length. The last round shows all
/// items in question, and is exact. (Regular samples: Shi and Schaeffer, J. Parallel Distrib. Comput. 1992. Selection in
/// several sorted sequences: Varman et al., 1991.)
template <class T, class Less>
class share_splitter {
 public:
  /// @param lengths  the lengths of the shares of all members
  /// @param targets  ascending, at most the sum of the lengths; the same on all members
  share_splitter(communicator& members, std::span<std::uint64_t const> lengths, std::span<std::uint64_t const> targets,
                 Less less)
      : members_(members), p_(members.size()), less_(less), targets_(targets.begin(), targets.end()) {
    for (std::size_t s = 0; s < targets.size(); ++s) {
      low_.insert(low_.end(), p_, 0);
      high_.insert(high_.end(), lengths.begin(), lengths.end());
    }
    samples_ = std::max<std::size_t>(32, 1024 / p_);
  }

  /// Finds the cuts. fetch(positions, items) copies the items at these positions of this member's share to the host.
  template <class Fetch>
  std::vector<std::uint64_t> cuts(Fetch fetch) {
    for (;;) {
      std::vector<std::size_t> open;  // the targets whose cuts are not known
      for (std::size_t s = 0; s < targets_.size(); ++s)
        if (!settle(s)) open.push_back(s);
      if (open.empty()) return low_;
      std::vector<std::uint64_t> positions;
      for (std::size_t const s : open)
        for (std::size_t i = 0; i < count(s, members_.rank()); ++i) positions.push_back(position(s, members_.rank(), i));
      // All members show as many items as the one with most, so that none has to announce a number.
      std::size_t most = 0;
      for (std::size_t m = 0; m < p_; ++m) {
        std::size_t n = 0;
        for (std::size_t const s : open) n += count(s, m);
        most = std::max(most, n);
      }
      host_items<T> own(most), all(most * p_);
      fetch(std::span<std::uint64_t const>(positions), own.span().first(positions.size()));
      members_.all_gather(std::as_bytes(own.span()), std::as_writable_bytes(all.span()));
      std::vector<std::size_t> next(p_);
      for (std::size_t m = 0; m < p_; ++m) next[m] = m * most;
      for (std::size_t const s : open) narrow(s, all.span(), next);
    }
  }

 private:
  struct sample {
    std::size_t at;  // in the items of all
    std::size_t member;
    std::uint64_t position, length;  // the items from this sample to the next
  };

  std::uint64_t& low(std::size_t s, std::size_t m) { return low_[s * p_ + m]; }
  std::uint64_t& high(std::size_t s, std::size_t m) { return high_[s * p_ + m]; }
  std::uint64_t length(std::size_t s, std::size_t m) { return high(s, m) - low(s, m); }
  std::size_t count(std::size_t s, std::size_t m) { return std::size_t(std::min<std::uint64_t>(length(s, m), samples_)); }
  /// Returns the position of sample i; for i = count(), the end of the range.
  std::uint64_t position(std::size_t s, std::size_t m, std::size_t i) {
    std::uint64_t const n = length(s, m), of = count(s, m);
    return low(s, m) + n / of * i + n % of * i / of;
  }
  /// Returns the number of items in question that are before the target.
  std::uint64_t wanted(std::size_t s) {
    std::uint64_t rest = targets_[s];
    for (std::size_t m = 0; m < p_; ++m) rest -= low(s, m);
    return rest;
  }
  /// Returns true if the cuts of a target are known, and are low().
  bool settle(std::size_t s) {
    std::uint64_t const before = wanted(s);
    std::uint64_t in_question = 0;
    for (std::size_t m = 0; m < p_; ++m) in_question += length(s, m);
    for (std::size_t m = 0; m < p_; ++m) {
      if (before == 0) high(s, m) = low(s, m);
      if (before == in_question) low(s, m) = high(s, m);
    }
    return before == 0 || before == in_question;
  }

  void narrow(std::size_t s, std::span<T const> all, std::vector<std::size_t>& next) {
    std::vector<sample> samples;
    std::vector<std::size_t> begins;  // where the samples of each member begin, and where all end
    for (std::size_t m = 0; m < p_; ++m) {
      std::size_t const n = count(s, m);
      begins.push_back(samples.size());
      std::uint64_t at = low(s, m);
      for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t const end = position(s, m, i + 1);
        samples.push_back({next[m] + i, m, at, end - at});
        at = end;
      }
      next[m] += n;
    }
    begins.push_back(samples.size());
    // The samples of each member are in order, and stable merges keep equal ones in the order of members. Sorting them took
    // most of a round.
    auto const from_member = [&](std::size_t m) { return samples.begin() + std::ptrdiff_t(begins[std::min(m, p_)]); };
    for (std::size_t width = 1; width < p_; width *= 2)
      for (std::size_t m = 0; m + width < p_; m += 2 * width)
        std::inplace_merge(from_member(m), from_member(m + width), from_member(m + 2 * width),
                           [&](sample const& a, sample const& b) { return less_(all[a.at], all[b.at]); });
    std::uint64_t const before = wanted(s);
    std::uint64_t maximum = 0, unsure = 0;   // the items that may be before a sample, and those of them that may be after it
    std::vector<std::uint64_t> last(p_, 0);  // unsure items of each member
    std::vector<std::uint64_t> new_low(p_), new_high(p_);
    std::vector<bool> is_set(p_, false);
    for (std::size_t m = 0; m < p_; ++m) new_low[m] = low(s, m), new_high[m] = high(s, m);
    for (sample const& x : samples) {
      // The items up to the member's next sample may all be smaller, but the sample itself is, for those that follow it.
      std::uint64_t const unsure_of_others = unsure - last[x.member];
      if (maximum < before) new_low[x.member] = x.position + 1;
      if (maximum - unsure_of_others >= before && !is_set[x.member]) {
        new_high[x.member] = x.position;
        is_set[x.member] = true;
      }
      maximum += x.length;
      unsure = unsure_of_others + x.length - 1;
      last[x.member] = x.length - 1;
    }
    for (std::size_t m = 0; m < p_; ++m) low(s, m) = new_low[m], high(s, m) = new_high[m];
  }

  communicator& members_;
  std::size_t p_, samples_;
  Less less_;
  std::vector<std::uint64_t> targets_, low_, high_;
};

}  // namespace ordo::inline v0::detail
#pragma GCC visibility pop
