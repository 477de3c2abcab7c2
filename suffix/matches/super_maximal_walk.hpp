#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "suffix/index/fm_walks.hpp"
#include "suffix/index/repeated_matches.hpp"
#include "suffix/index/two_way_rows.hpp"

namespace ordo::inline v0::suffix {

/// Finds the super-maximal matches that begin in a part of a query, from the first offset to the last, by an index of runs. No
/// match of the minimum length begins before an offset `x` and ends after the match before it. The string of this length at `x`
/// is searched backwards: if it does not occur, all offsets up to the last letter read are passed over. If it does, letters
/// are appended while the string occurs, and the next `x` is found backwards from the letter that ends it (Li, BWT construction
/// and search at the terabase scale, 2024). The string read on the way is that of the next match if it is long enough.
template <class Fm>
class super_maximal_walk {
 public:
  /// @param lengths  zeros; receives the lengths of the matches that begin at the offsets [part.begin, part.end)
  /// @param result_rows  receives their rows
  ORDO_FN super_maximal_walk(Fm const& fm, query_letters query, offset_range part, std::uint64_t* lengths,
                             std::uint64_t min_length, fm_interval* result_rows)
      : grow_(fm, query.data),
        query_(query),
        part_(part),
        lengths_(lengths),
        result_rows_(result_rows),
        min_length_(min_length) {
    // A match at the offset before may include that of the first offset.
    if (part.begin < part.end) check(part.begin == 0 ? 0 : part.begin - 1);
  }

  [[nodiscard]] ORDO_FN bool has_ended() const noexcept { return x_ >= part_.end || min_length_ > query_.size - x_; }

  /// Takes a step, and prefetches what the next one reads.
  ORDO_FN void step() {
    if (stage_ == stage::append) {
      append();
    } else {
      if (at_ != x_ && !rows_.empty()) {
        two_way_rows const longer = grow_.before(at_ - 1, rows_);
        if (longer.empty()) {
          last_ = rows_;
          rows_ = {};
        } else {
          rows_ = longer;
        }
        --at_;
      }
      if (stage_ == stage::check)
        finish_check();
      else
        finish_return();
    }
    if (has_ended()) return;
    grow_.prefetch(stage_ == stage::append ? rows_.reversed() : rows_);
  }

 private:
  // check: prepend letters to find whether the string of the minimum length occurs. append: append letters. go_back: prepend
  // letters to the one that ended a match.
  enum class stage { check, append, go_back };

  // Begins a backward search for the letters [x_, end).
  ORDO_FN void search(std::uint64_t end) {
    end_ = end;
    last_ = {};
    rows_ = grow_.last_letters(x_, end, at_);
  }
  ORDO_FN void check(std::uint64_t x) {
    x_ = x;
    stage_ = stage::check;
    if (!has_ended()) search(x + min_length_);
  }
  ORDO_FN void finish_check() {
    if (rows_.empty())
      check(at_ + 1);
    else if (at_ == x_)
      stage_ = stage::append;
  }
  ORDO_FN void append() {
    two_way_rows const longer = end_ == query_.size ? two_way_rows{} : grow_.after(end_, rows_);
    if (!longer.empty()) {
      rows_ = longer;
      ++end_;
      return;
    }
    take(end_, rows_.rows());
    repeat();
    if (end_ == query_.size) {
      x_ = part_.end;
      return;
    }
    // Strings that begin here do not go on.
    ++x_;
    stage_ = stage::go_back;
    search(end_ + 1);
  }
  ORDO_FN void finish_return() {
    if (rows_.empty()) {
      x_ = at_ + 1;
      rows_ = last_;
    } else if (at_ != x_) {
      return;
    }
    if (rows_.empty() || end_ - x_ < min_length_)
      check(x_);
    else
      stage_ = stage::append;
  }

  ORDO_FN void take(std::uint64_t end, fm_interval rows) {
    found_.add({x_, end, rows});
    if (x_ < part_.begin) return;
    lengths_[x_ - part_.begin] = end - x_;
    result_rows_[x_ - part_.begin] = rows;
  }
  // A match that was found some periods before and ends after the one here is the next match.
  ORDO_FN void repeat() {
    for (repeated_matches::match_at match; x_ + 1 < part_.end && found_.find(query_, x_ + 1, end_, query_.size, match);) {
      ++x_;
      end_ = match.end;
      take(end_, match.rows);
    }
  }

  string_grower<Fm> grow_;
  query_letters query_;
  offset_range part_;
  std::uint64_t* lengths_;
  fm_interval* result_rows_;
  std::uint64_t min_length_;
  stage stage_ = stage::check;
  // The letters [at_, end_) have these rows; x_ is where a match may begin, or begins.
  std::uint64_t x_ = 0, at_ = 0, end_ = 0;
  two_way_rows rows_, last_;  // last: those of the letters [at_ + 1, end_), when one that was prepended has ended a search
  repeated_matches found_;
};

}  // namespace ordo::inline v0::suffix
