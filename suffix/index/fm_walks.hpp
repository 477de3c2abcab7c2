#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ordo/suffix/search.hpp"
#include "suffix/index/repeated_matches.hpp"

// Walks through a query by steps of backward search in an FM index, on the CPU and on GPUs. An Fm is a small object: before(c,
// interval) and view() are those of fm_index, position(row), positions(rows, count) and letters() those of a searcher, and
// end_of_record(p) returns the end of the record that holds a position.
namespace ordo::inline v0::suffix {

/// Offsets [begin, end) of a query.
struct offset_range {
  std::uint64_t begin, end;
};

constexpr std::uint64_t range_offsets = 128;  // offsets that are taken together where a string occurs

/// The rows of a searcher by an FM index. Throws as fm_index does.
class searched_fm {
 public:
  /// @pre rows.fm()
  explicit searched_fm(searcher const& rows) : rows_(&rows), fm_(rows.fm()) {}

  [[nodiscard]] fm_view const& view() const noexcept { return fm_->view(); }
  [[nodiscard]] fm_interval before(char letter, fm_interval of) const { return fm_->before(letter, of); }
  [[nodiscard]] std::uint64_t position(std::uint64_t row) const { return fm_->position(std::size_t(row)); }
  void positions(std::uint64_t* rows, std::size_t count) const { fm_->positions({rows, count}); }
  [[nodiscard]] std::uint64_t end_of_record(std::uint64_t p) const { return rows_->input().end(rows_->record_at(p)); }
  [[nodiscard]] text_letters const& letters() const noexcept { return rows_->letters(); }
  /// Throws input_error for the interval of a string that has more rows than a part of it.
  [[noreturn]] void refuse_counts(fm_interval of) const { fm_->refuse_counts(of); }

 private:
  searcher const* rows_;
  fm_index const* fm_;
};

/// Looks for strings of a given length in a part of a query by an FM index, from the first offset to the last. A string that
/// does not occur rules out all that include it: of unrelated sequences most offsets are passed over. (The idea is that of
/// Boyer and Moore.) Calls on_found(range) for the offsets at which a string may begin that occurs, at most once for each
/// range_offsets of them, and once more. Ranges ascend.
template <class Fm, class Found>
class long_string_walk {
 public:
  ORDO_FN long_string_walk(Fm const& fm, query_letters query, offset_range part, std::uint64_t length, Found on_found)
      : fm_(fm), query_(query), end_(part.end), length_(length), found_(on_found) {
    begin(part.begin);
  }

  [[nodiscard]] ORDO_FN bool has_ended() const noexcept { return at_ >= end_ || length_ > query_.size - at_; }

  ORDO_FN void step() {
    if (next_ != at_) rows_ = fm_.before(query_.data[--next_], rows_);
    if (rows_.empty())
      begin(next_ + 1);
    else if (next_ == at_)
      take();
    fm_.view().prefetch(rows_);
  }

 private:
  ORDO_FN void begin(std::uint64_t at) {
    at_ = at;
    if (has_ended()) return;
    std::size_t left = 0;
    rows_ = fm_.view().last_letters(query_.data + at, length_, left);
    next_ = at + left;
  }
  ORDO_FN void take() {
    std::uint64_t const end = end_ - at_ < range_offsets ? end_ : at_ + range_offsets;
    found_(offset_range{at_, end});
    begin(end);
  }

  Fm fm_;
  query_letters query_;
  std::uint64_t end_, length_;
  Found found_;
  std::uint64_t at_ = 0, next_ = 0;  // the offset of the string; that of the letter read last
  fm_interval rows_;
};

/// Computes the matching statistics of a part of a query by an FM index, from the last offset to the first, in steps of
/// backward search.
template <class Fm>
class backward_walk {
 public:
  /// @param lengths  receives those of the offsets [part.begin, part.end)
  /// @param min_length  statistics below it may be set to any number below it
  /// @param result_rows  receives the rows of each match of at least min_length letters; may be null
  ORDO_FN backward_walk(Fm const& fm, query_letters query, offset_range part, std::uint64_t* lengths,
                        std::uint64_t min_length = 1, fm_interval* result_rows = nullptr)
      : fm_(fm),
        query_(query),
        begin_(part.begin),
        lengths_(lengths),
        min_length_(min_length),
        found_(result_rows),
        left_(part.end - part.begin) {
    if (left_ != 0) search(query_.size + 1);
  }

  [[nodiscard]] ORDO_FN bool has_ended() const noexcept { return left_ == 0; }

  /// Takes a step, and prefetches what the next one reads.
  ORDO_FN void step() {
    if (stage_ == stage::extend) {
      fm_interval const longer = fm_.before(query_.data[at()], rows_of_match_);
      if (!longer.empty())
        settle(end_, longer);
      else if (min_length_ > 1 && at() < scans_before_)
        scan();
      else
        search(end_);
    } else {
      if (tried_at_ != at_tried()) rows_of_tried_ = fm_.before(query_.data[--tried_at_], rows_of_tried_);
      if (stage_ == stage::scan)
        finish_scan();
      else if (rows_of_tried_.empty())
        fail();
      else if (tried_at_ == at())
        succeed();
    }
    fm_.view().prefetch(stage_ == stage::extend ? rows_of_match_ : rows_of_tried_);
  }

 private:
  [[nodiscard]] ORDO_FN static std::uint64_t less(std::uint64_t a, std::uint64_t b) { return b < a ? b : a; }
  [[nodiscard]] ORDO_FN static std::uint64_t greater(std::uint64_t a, std::uint64_t b) { return a < b ? b : a; }
  // extend: prepend a letter to the match. scan: look for strings of the minimum length. Else try an end: the last possible one
  // (last), ends at growing distances (gallop), or one halfway (halve); after the first distance, the last one (tail).
  enum class stage { extend, scan, last, gallop, tail, halve };
  static constexpr std::uint64_t short_match = repeated_matches::short_match;
  static constexpr std::uint64_t long_match = 1024;  // letters whose steps take longer than a binary search of rows
  static constexpr std::uint64_t few_rows = 8;

  [[nodiscard]] ORDO_FN std::uint64_t at() const noexcept { return begin_ + left_ - 1; }  // the next offset to settle

  ORDO_FN void settle(std::uint64_t end, fm_interval rows) {
    if (stage_ != stage::extend) searched_.add({at(), end, rows});
    stage_ = stage::extend;
    end_ = end;
    rows_of_match_ = rows;
    lengths_[left_ - 1] = end - at();
    if (found_) found_[left_ - 1] = rows;
    --left_;
  }
  // Settles this offset if a match that was found a few periods later begins here, too. Returns false if none does.
  ORDO_FN bool repeat(std::uint64_t high) {
    repeated_matches::match_at match;
    if (!searched_.find(query_, at(), at(), high, match)) return false;
    stage_ = stage::halve;
    settle(match.end, match.rows);
    return true;
  }
  // Searches for the longest string that begins at this offset and occurs. It ends before high.
  ORDO_FN void search(std::uint64_t high) {
    if (high <= query_.size && high - at() > short_match && repeat(high)) return;
    low_ = at();
    high_ = high;
    rows_of_low_ = fm_.view().all_rows();
    step_ = short_match;
    // A short match loses few letters, a long one most of them unless it is of a tandem repeat.
    stage_ = (high <= query_.size || min_length_ > 1) && high - low_ <= greater(short_match, 2 * min_length_) ? stage::last
                                                                                                              : stage::gallop;
    try_next();
  }
  // The match does not go on at this offset. Looks for strings of the minimum length that begin here or before, include the
  // letter here, and occur, from the first offset to the last: most often there are none, and a letter differs.
  ORDO_FN void scan() {
    scanned_ = at() + 1 - less(at() + 1 - begin_, min_length_);
    stage_ = stage::scan;
    scan_from(scanned_);
  }
  ORDO_FN void scan_from(std::uint64_t offset) {
    if (offset <= at() && offset + min_length_ < end_) {
      scanned_at_ = offset;
      return start(offset, offset + min_length_);
    }
    // None: the letter here ends what begins before.
    std::uint64_t const high = at() + 1;
    while (begin_ + left_ > scanned_) lengths_[--left_] = 0;
    if (left_ != 0) search(high);
  }
  ORDO_FN void finish_scan() {
    if (rows_of_tried_.empty()) return scan_from(tried_at_ + 1);
    if (tried_at_ != scanned_at_) return;
    scans_before_ = scanned_at_;
    search(end_);
  }
  [[nodiscard]] ORDO_FN std::uint64_t at_tried() const noexcept { return stage_ == stage::scan ? scanned_at_ : at(); }
  // Begins a backward search for letters [begin, end) of the query.
  ORDO_FN void start(std::uint64_t begin, std::uint64_t end) {
    std::size_t left = 0;
    rows_of_tried_ = fm_.view().last_letters(query_.data + begin, end - begin, left);
    tried_at_ = begin + left;
  }
  ORDO_FN void try_next() {
    if (high_ - low_ <= 1) return settle(low_, rows_of_low_);
    std::uint64_t const end = stage_ == stage::halve    ? low_ + (high_ - low_) / 2
                              : stage_ == stage::gallop ? at() + step_
                                                        : high_ - 1;
    tried_ = less(greater(end, low_ + 1), high_ - 1);
    start(at(), tried_);
  }
  ORDO_FN void fail() {
    high_ = tried_;
    stage_ = stage_ == stage::tail ? stage::gallop : stage::halve;
    try_next();
  }
  ORDO_FN void succeed() {
    low_ = tried_;
    rows_of_low_ = rows_of_tried_;
    if (high_ - low_ <= 1) return try_next();
    bool const has_letters = !fm_.view().in_runs;  // an index of runs has no text to compare with
    if (has_letters && low_ - at() >= short_match && rows_of_low_.end - rows_of_low_.begin <= few_rows) return compare();
    if (has_letters && low_ - at() >= short_match && high_ - at() > long_match && low_ + 1 < high_) return search_rows();
    if (stage_ == stage::gallop) {
      if (step_ == short_match && high_ <= query_.size) stage_ = stage::tail;
      step_ *= 2;
    }
    try_next();
  }
  // Compares the text at the few occurrences of a string with the query.
  ORDO_FN void compare() {
    fm_interval const rows = fm_.view().suffixes(rows_of_low_);
    std::uint64_t const count = rows.end - rows.begin;
    std::uint64_t positions[few_rows], length[few_rows], longest = 0;
    for (std::uint64_t k = 0; k < count; ++k) positions[k] = rows.begin + k;
    fm_.positions(positions, count);
    for (std::uint64_t k = 0; k < count; ++k) {
      std::uint64_t const p = positions[k], room = fm_.end_of_record(p) - p;
      length[k] = fm_.letters().common_prefix(query_.data + at(), p, less(room, query_.size - at()));
      longest = greater(longest, length[k]);
    }
    // The rows that share most are adjacent.
    fm_interval of_longest{rows_of_low_.end, rows_of_low_.begin};
    for (std::uint64_t k = 0; k < count; ++k)
      if (length[k] == longest) {
        of_longest.begin = less(of_longest.begin, rows_of_low_.begin + k);
        of_longest.end = rows_of_low_.begin + k + 1;
      }
    settle(at() + longest, of_longest);
  }

  // Returns the number of letters that the query, from this offset on, shares with the suffix of a row.
  // @param known  letters that they are known to share @param is_less  set to whether the suffix is smaller
  [[nodiscard]] ORDO_FN std::uint64_t shared(std::uint64_t row, std::uint64_t known, bool* is_less = nullptr) const {
    std::uint64_t const p = fm_.position(row), left = fm_.end_of_record(p) - p, wanted = query_.size - at(),
                        room = less(left, wanted);
    if (known > room) return room;  // the index is damaged
    char const* const wanted_letters = query_.data + at();
    std::uint64_t const length = known + fm_.letters().common_prefix(wanted_letters + known, p + known, room - known);
    if (is_less)
      *is_less = length < room ? static_cast<unsigned char>(fm_.letters()[p + length]) <
                                     static_cast<unsigned char>(wanted_letters[length])
                               : left < wanted;
    return length;
  }
  // Finds the longest match by binary search among the rows of a string, whose suffixes are in order, as in a suffix array
  // (Manber and Myers 1993), and then the rows that share it.
  ORDO_FN void search_rows() {
    fm_interval const rows = fm_.view().suffixes(rows_of_low_);
    std::uint64_t const known = low_ - at();
    struct bound {
      std::uint64_t row, shared;
    };
    bound low{rows.begin, known},
        high{rows.end, known};  // rows before low.row are smaller than the query, those from high.row on not
    while (low.row < high.row) {
      std::uint64_t const middle = low.row + (high.row - low.row) / 2;
      bool is_less = false;
      std::uint64_t const length = shared(middle, less(low.shared, high.shared), &is_less);
      if (is_less)
        low = {middle + 1, length};
      else
        high = {middle, length};
    }
    std::uint64_t const longest = greater(low.shared, high.shared);
    // The first row before low.row that shares this prefix, and the row after the last one of the others.
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

  Fm fm_;
  query_letters query_;
  std::uint64_t begin_;
  std::uint64_t* lengths_;
  std::uint64_t min_length_;
  fm_interval* found_;
  std::uint64_t left_;     // the number of offsets that are not settled
  std::uint64_t end_ = 0;  // where the match at the offset settled last ends
  fm_interval rows_of_match_;
  repeated_matches searched_;
  // The string from the next offset to low_ occurs, and that to high_ does not.
  stage stage_ = stage::extend;
  std::uint64_t low_ = 0, high_ = 0, tried_ = 0, tried_at_ = 0, step_ = 0;
  fm_interval rows_of_low_, rows_of_tried_;
  // The first offset of a scan and the one that is tried; and the offset before which scans are of use.
  std::uint64_t scanned_ = 0, scanned_at_ = 0, scans_before_ = ~std::uint64_t{0};
};

/// Runs walks, a few dozen at a time. @param next  returns the next walk, or nothing at the end
template <class Walk, class Next>
void run_walks(Next next) {
  constexpr std::size_t max_walks = 64;
  std::vector<Walk> walks;
  bool more = true;
  auto const fill = [&] {
    while (more && walks.size() < max_walks)
      if (std::optional<Walk> walk = next())
        walks.push_back(std::move(*walk));
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

}  // namespace ordo::inline v0::suffix
