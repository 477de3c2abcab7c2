#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/suffix/search.hpp"

namespace ordo::inline v0::suffix {

/// A part of a query whose letters are those a period later, as in a tandem repeat. Remembers what was compared, so that walks
/// which come back to the same part with offsets that move in one direction compare each letter about once.
class periodic_part {
 public:
  /// Returns whether the letters at [begin, end), which is not empty, are those `period` letters later.
  bool has(std::string_view query, std::uint64_t period, std::uint64_t begin, std::uint64_t end) {
    auto const equal = [&](std::uint64_t from, std::uint64_t to) {
      return from >= to || query.substr(from, to - from) == query.substr(from + period, to - from);
    };
    if (period != period_ || begin > end_ || end < begin_) {
      if (!equal(begin, end)) return false;
      period_ = period;
      begin_ = begin;
      end_ = end;
      return true;
    }
    if (!equal(begin, begin_) || !equal(end_, end)) return false;
    begin_ = std::min(begin, begin_);
    end_ = std::max(end, end_);
    return true;
  }
  [[nodiscard]] std::uint64_t period() const noexcept { return period_; }

 private:
  std::uint64_t period_ = 0, begin_ = 0, end_ = 0;
};

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
  void take(std::uint64_t found) {
    if (stage_ == stage::extend) {
      end_ = at_ + found;
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
    if (stage_ == stage::scan) return take_scanned(found);
    // Up to low_, the string that ends behind end_ does not occur. It does from high_ on.
    if (found == end_ + 1 - tried_)
      high_ = tried_;
    else
      low_ = tried_;
    if (found == end_ + 1 - tried_) stage_ = stage::halve;
    try_next();
  }

 private:
  enum class stage { extend, scan, gallop, halve };
  static constexpr std::uint64_t short_match = 48;

  void set(std::uint64_t i) {
    if (i < begin_ + lengths_.size()) lengths_[i - begin_] = end_ - i;
  }
  // Settles the offsets of a tandem repeat: those at which the string of an offset a period before occurs in the query, too,
  // with the same letter behind it.
  void repeat() {
    std::uint64_t const before = std::exchange(last_search_, at_ - 1);
    if (end_ - last_search_ <= short_match) return;
    while (!has_ended() && (repeat_after(part_.period()) || repeat_after(at_ - before))) {}
  }
  bool repeat_after(std::uint64_t period) {
    if (period == 0 || period > at_ - begin_) return false;
    std::uint64_t const from = at_ - period, length = lengths_[from - begin_];
    if (length <= short_match || at_ + length >= query_.size() || !part_.has(query_, period, from, from + length + 1))
      return false;
    end_ = at_ + length;
    set(at_++);
    return true;
  }
  void set_rest() {
    for (; !has_ended(); ++at_) set(at_);
  }
  // Looks for offsets from which a string of the minimum length occurs that goes on behind end_, from the last offset to the
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
  void take_scanned(std::uint64_t found) {
    if (found >= scanned_letters()) {
      low_ = at_ - 1;
      high_ = tried_;
      stage_ = stage::halve;
      return try_next();
    }
    // No string occurs that includes the letters found and the next one.
    if (tried_ + found <= end_ || tried_ + found < at_ + min_length_) return settle_to(end_ + 1);
    tried_ -= min_length_ - found;
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
  std::uint64_t end_ = 0;  // of the longest match at the last settled offset
  std::uint64_t low_ = 0, high_ = 0, tried_ = 0, step_ = 0;
  periodic_part part_;
  std::uint64_t last_search_ = 0;  // the offset of the last match that was searched for
};

/// Computes the matching statistics of a part of a query by an FM index, from the last offset to the first, in steps of
/// backward search.
class backward_walk {
 public:
  /// @param min_length  statistics below it may be set to any number below it
  /// @param found  receives the rows of each match of at least min_length letters; may be empty
  backward_walk(searcher const& rows, std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths,
                std::uint64_t min_length = 1, std::span<fm_index::interval> found = {})
      : rows_(&rows),
        fm_(rows.fm()),
        query_(query),
        begin_(begin),
        lengths_(lengths),
        min_length_(min_length),
        found_(found),
        left_(lengths.size()) {
    if (left_ != 0) search(query.size() + 1);
  }

  [[nodiscard]] bool has_ended() const noexcept { return left_ == 0; }

  /// Takes a step, and prefetches what the next one reads.
  void step() {
    if (stage_ == stage::extend) {
      fm_index::interval const longer = fm_->before(query_[at()], rows_of_match_);
      if (!longer.empty())
        settle(end_, longer);
      else if (min_length_ > 1 && at() < scans_before_)
        scan();
      else
        search(end_);
    } else {
      if (tried_at_ != at_tried()) rows_of_tried_ = fm_->before(query_[--tried_at_], rows_of_tried_);
      if (stage_ == stage::scan)
        take_scanned();
      else if (rows_of_tried_.empty())
        fail();
      else if (tried_at_ == at())
        succeed();
    }
    fm_->prefetch(stage_ == stage::extend ? rows_of_match_ : rows_of_tried_);
  }

 private:
  // extend: prepend a letter to the match. scan: look for strings of the minimum length. Else try an end: the last possible one
  // (last), ends at growing distances (gallop), or one halfway (halve); after the first distance, the last one (tail).
  enum class stage { extend, scan, last, gallop, tail, halve };
  static constexpr std::uint64_t short_match = 24;   // more than unrelated sequences share
  static constexpr std::uint64_t long_match = 1024;  // letters whose steps take longer than a binary search of rows
  static constexpr std::uint64_t few_rows = 8;

  [[nodiscard]] std::uint64_t at() const noexcept { return begin_ + left_ - 1; }  // the next offset to settle

  void settle(std::uint64_t end, fm_index::interval rows) {
    if (stage_ != stage::extend && end - at() >= short_match) searched_[num_searched_++ % searched_.size()] = {at(), end, rows};
    stage_ = stage::extend;
    end_ = end;
    rows_of_match_ = rows;
    lengths_[left_ - 1] = end - at();
    if (!found_.empty()) found_[left_ - 1] = rows;
    --left_;
  }
  // In a tandem repeat the string that was found at an offset a few periods later begins here, too, and ends with the same
  // letter behind it. Returns whether that is so; then this offset is settled.
  bool repeat(std::uint64_t high) {
    for (match_at const& one : searched_) {
      std::uint64_t const length = one.end - one.begin, end = at() + length;
      if (length == 0 || end >= high || one.end >= query_.size() || !part_.has(query_, one.begin - at(), at(), end + 1))
        continue;
      stage_ = stage::halve;
      settle(end, one.rows);
      return true;
    }
    return false;
  }
  // Searches for the longest string that begins at this offset and occurs. It ends before high.
  void search(std::uint64_t high) {
    if (high <= query_.size() && high - at() > short_match && repeat(high)) return;
    low_ = at();
    high_ = high;
    rows_of_low_ = fm_->all_rows();
    step_ = short_match;
    // A short match loses few letters, a long one most of them unless it is of a tandem repeat.
    stage_ = (high <= query_.size() || min_length_ > 1) && high - low_ <= std::max(short_match, 2 * min_length_)
                 ? stage::last
                 : stage::gallop;
    try_next();
  }
  // The match does not go on at this offset. Looks for strings of the minimum length that begin here or before, include the
  // letter here, and occur, from the first offset to the last: most often there are none, and a letter differs.
  void scan() {
    scanned_ = at() + 1 - std::min(at() + 1 - begin_, min_length_);
    stage_ = stage::scan;
    scan_from(scanned_);
  }
  void scan_from(std::uint64_t offset) {
    if (offset <= at() && offset + min_length_ < end_) {
      scanned_at_ = offset;
      return start(offset, offset + min_length_);
    }
    // None: the letter here ends what begins before.
    std::uint64_t const high = at() + 1;
    while (begin_ + left_ > scanned_) lengths_[--left_] = 0;
    if (left_ != 0) search(high);
  }
  void take_scanned() {
    if (rows_of_tried_.empty()) return scan_from(tried_at_ + 1);
    if (tried_at_ != scanned_at_) return;
    scans_before_ = scanned_at_;
    search(end_);
  }
  [[nodiscard]] std::uint64_t at_tried() const noexcept { return stage_ == stage::scan ? scanned_at_ : at(); }
  // Begins a backward search for letters [begin, end) of the query.
  void start(std::uint64_t begin, std::uint64_t end) {
    std::size_t left = 0;
    rows_of_tried_ = fm_->last_letters(query_.substr(begin, end - begin), left);
    tried_at_ = begin + left;
  }
  void try_next() {
    if (high_ - low_ <= 1) return settle(low_, rows_of_low_);
    std::uint64_t const end = stage_ == stage::halve    ? low_ + (high_ - low_) / 2
                              : stage_ == stage::gallop ? at() + step_
                                                        : high_ - 1;
    tried_ = std::clamp(end, low_ + 1, high_ - 1);
    start(at(), tried_);
  }
  void fail() {
    high_ = tried_;
    stage_ = stage_ == stage::tail ? stage::gallop : stage::halve;
    try_next();
  }
  void succeed() {
    low_ = tried_;
    rows_of_low_ = rows_of_tried_;
    if (high_ - low_ <= 1) return try_next();
    if (low_ - at() >= short_match && rows_of_low_.end - rows_of_low_.begin <= few_rows) return compare();
    if (low_ - at() >= short_match && high_ - at() > long_match && low_ + 1 < high_) return search_rows();
    if (stage_ == stage::gallop) {
      if (step_ == short_match && high_ <= query_.size()) stage_ = stage::tail;
      step_ *= 2;
    }
    try_next();
  }
  // Compares the text at the few occurrences of a string with the query.
  void compare() {
    row_range const rows = fm_->rows(rows_of_low_);
    std::array<std::uint64_t, few_rows> some{}, length{};
    std::iota(some.begin(), some.end(), std::uint64_t(rows.begin));
    std::span<std::uint64_t> const positions = std::span(some).first(rows.size());
    fm_->positions(positions);
    text const& input = rows_->input();
    std::uint64_t longest = 0;
    for (std::size_t k = 0; k < positions.size(); ++k) {
      std::uint64_t const p = positions[k], room = input.end_of(rows_->record_of(p)) - p;
      length[k] = rows_->letters().common_prefix(query_.data() + at(), p, std::min(room, query_.size() - at()));
      longest = std::max(longest, length[k]);
    }
    // The rows that share most are adjacent.
    fm_index::interval of_longest{rows_of_low_.end, rows_of_low_.begin};
    for (std::uint64_t k = 0; k < positions.size(); ++k)
      if (length[k] == longest) {
        of_longest.begin = std::min(of_longest.begin, rows_of_low_.begin + k);
        of_longest.end = rows_of_low_.begin + k + 1;
      }
    settle(at() + longest, of_longest);
  }

  // Returns the number of letters that the query, from this offset on, shares with the suffix of a row.
  // @param known  letters that they are known to share @param is_less  set to whether the suffix is smaller
  [[nodiscard]] std::uint64_t shared(std::uint64_t row, std::uint64_t known, bool* is_less = nullptr) const {
    text const& input = rows_->input();
    std::uint64_t const p = fm_->position(std::size_t(row)), left = input.end_of(rows_->record_of(p)) - p,
                        wanted = query_.size() - at(), room = std::min(left, wanted);
    if (known > room) return room;  // of a damaged index
    char const* const wanted_letters = query_.data() + at();
    std::uint64_t const length = known + rows_->letters().common_prefix(wanted_letters + known, p + known, room - known);
    if (is_less)
      *is_less = length < room ? static_cast<unsigned char>(rows_->letters()[p + length]) <
                                     static_cast<unsigned char>(wanted_letters[length])
                               : left < wanted;
    return length;
  }
  // Finds the longest match by binary search among the rows of a string, whose suffixes are in order, as in a suffix array
  // (Manber and Myers 1993), and then the rows that share it.
  void search_rows() {
    row_range const rows = fm_->rows(rows_of_low_);
    std::uint64_t const known = low_ - at();
    struct bound {
      std::uint64_t row, shared;
    };
    bound low{rows.begin, known},
        high{rows.end, known};  // rows before low.row are smaller than the query, those from high.row on not
    while (low.row < high.row) {
      std::uint64_t const middle = low.row + (high.row - low.row) / 2;
      bool is_less = false;
      std::uint64_t const length = shared(middle, std::min(low.shared, high.shared), &is_less);
      if (is_less)
        low = {middle + 1, length};
      else
        high = {middle, length};
    }
    std::uint64_t const longest = std::max(low.shared, high.shared);
    // The first row of those before low.row that share so much, and the row behind the last one of the others.
    auto const boundary = [&](std::uint64_t from, std::uint64_t to, bool first) {
      while (from < to) {
        std::uint64_t const middle = from + (to - from) / 2;
        if ((shared(middle, known) >= longest) == first)
          to = middle;
        else
          from = middle + 1;
      }
      return from;
    };
    std::uint64_t const begin = low.shared == longest ? boundary(rows.begin, low.row, true) : low.row;
    std::uint64_t const end = high.shared == longest ? boundary(low.row, rows.end, false) : low.row;
    std::uint64_t const shift = rows_of_low_.begin - rows.begin;
    settle(at() + longest, {begin + shift, end + shift});
  }

  searcher const* rows_;
  fm_index const* fm_;
  std::string_view query_;
  std::uint64_t begin_;
  std::span<std::uint64_t> lengths_;
  std::uint64_t min_length_;
  std::span<fm_index::interval> found_;
  std::uint64_t left_;     // the number of offsets that are not settled
  std::uint64_t end_ = 0;  // of the match at the offset settled last
  fm_index::interval rows_of_match_;
  // The last long matches that were found by a search.
  struct match_at {
    std::uint64_t begin = 0, end = 0;
    fm_index::interval rows;
  };
  std::array<match_at, 4> searched_;
  std::size_t num_searched_ = 0;
  periodic_part part_;
  // The string from the next offset to low_ occurs, and that to high_ does not.
  stage stage_ = stage::extend;
  std::uint64_t low_ = 0, high_ = 0, tried_ = 0, tried_at_ = 0, step_ = 0;
  fm_index::interval rows_of_low_, rows_of_tried_;
  // The first offset of a scan and the one that is tried; and the offset before which scans are of use.
  std::uint64_t scanned_ = 0, scanned_at_ = 0, scans_before_ = std::numeric_limits<std::uint64_t>::max();
};

/// Runs walks, a few dozen at a time. @param next  returns the next walk, or nothing at the end
template <class Walk, class Next>
void run_walks(Next next) {
  constexpr std::size_t max_walks = 64;
  std::vector<Walk> walks;
  bool more = true;
  auto const fill = [&] {
    while (more && walks.size() < max_walks)
      if (std::optional<Walk> one = next())
        walks.push_back(std::move(*one));
      else
        more = false;
  };
  fill();
  while (!walks.empty()) {
    for (std::size_t w = 0; w < walks.size();) {
      if (!walks[w].has_ended()) walks[w].step();
      if (!walks[w].has_ended()) {
        ++w;
        continue;
      }
      if (w + 1 != walks.size()) walks[w] = std::move(walks.back());
      walks.pop_back();
    }
    fill();
  }
}

/// Runs walks in a suffix array, all at the same time.
inline void run_walks(searcher const& rows, std::vector<statistics_walk> walks) {
  std::vector<std::string_view> patterns;
  std::vector<std::uint64_t> found;
  for (;;) {
    std::erase_if(walks, [](statistics_walk const& walk) { return walk.has_ended(); });
    if (walks.empty()) return;
    patterns.clear();
    for (statistics_walk const& walk : walks) patterns.push_back(walk.pattern());
    found.resize(patterns.size());
    rows.find_longest(patterns, found);
    for (std::size_t w = 0; w < walks.size(); ++w) walks[w].take(found[w]);
  }
}

}  // namespace ordo::inline v0::suffix
