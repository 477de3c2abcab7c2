#include "suffix/matches/run_matches.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace ordo::inline v0::suffix::detail {
namespace {

using run_length::num_codes;
constexpr unsigned no_code = num_codes;

/// Returns the code of the complement of a letter.
constexpr unsigned complement_code(unsigned code) {
  return code - 1 < 4 ? 5 - code : code;
}

/// Finds matches by the rows of both strands. The rows of a string that have another letter before them than the query are
/// those of matches that begin at its offset. When the string gets one more letter of the query, some of its rows drop out:
/// their matches end there. To know which, the rows of the reverse complement are followed by steps of backward search: as
/// many rows as are before each letter there are after its complement here.
class run_matches {
 public:
  run_matches(fm_index const& index, match_options const& options, std::string_view query, std::vector<match>& matches)
      : index_(index), options_(options), query_(query), matches_(matches) {}

  void find(std::uint64_t begin, std::uint64_t end) {
    std::uint64_t const length = options_.min_length;
    for (std::uint64_t i = begin; i < end && query_.size() - i >= length;) {
      std::size_t left = 0;
      fm_interval rows = index_.last_letters(query_.substr(i, length), left);
      while (left != 0 && !rows.empty()) rows = index_.before(query_[i + --left], rows);
      if (!rows.empty())
        extend(i, rows);
      else
        i += left;  // no string with the letters from there on occurs
      ++i;
    }
    flush();
  }

 private:
  [[nodiscard]] run_length::run_view const& runs() const { return index_.view().runs; }
  [[nodiscard]] unsigned to_code(std::uint64_t offset) const {
    unsigned const code = index_.view().symbols->of_byte[static_cast<unsigned char>(query_[offset])];
    return code == 0 ? no_code : code;
  }
  [[nodiscard]] std::uint64_t rank(unsigned code, std::uint64_t row) const { return runs().rank(code, row, runs().find(row)); }
  // Returns how many of some rows are not after the letter before the offset.
  [[nodiscard]] std::uint64_t count_begins(fm_interval rows) const {
    if (rows.empty()) return 0;
    std::uint64_t const all = rows.end - rows.begin;
    if (before_ == no_code) return all;
    std::uint64_t const others = rank(before_, rows.end) - rank(before_, rows.begin);
    return others < all ? all - others : 0;
  }

  /// Finds the matches at an offset. @param rows  those of the string of the minimum length there
  void extend(std::uint64_t offset, fm_interval rows) {
    offset_ = offset;
    before_ = offset == 0 ? no_code : to_code(offset - 1);
    if (count_begins(rows) == 0) return;
    // The rows of the reverse complement.
    std::uint64_t length = options_.min_length;
    fm_interval other = index_.all_rows();
    for (std::uint64_t k = 0; k < length; ++k) other = index_.before("$ACGTN"[complement_code(to_code(offset + k))], other);
    while (true) {
      fm_interval next{rows.end, rows.end}, next_other{};
      unsigned const code = offset + length < query_.size() ? to_code(offset + length) : no_code;
      if (code != no_code && other.end - other.begin == rows.end - rows.begin) step(code, rows, other, next, next_other);
      if (options_.max_occurrences == 0 || rows.end - rows.begin <= options_.max_occurrences) {
        take({rows.begin, next.begin}, length);
        take({next.end, rows.end}, length);
      }
      if (next.empty() || count_begins(next) == 0) return;
      rows = next;
      other = next_other;
      ++length;
    }
  }
  void step(unsigned code, fm_interval rows, fm_interval other, fm_interval& next, fm_interval& next_other) const {
    std::uint64_t const low = runs().find(other.begin), high = other.end < runs().end(low) ? low : runs().find(other.end);
    std::uint64_t before = 0, size = 0;
    for (unsigned c = 0; c <= code; ++c) {
      unsigned const letter = complement_code(c);
      std::uint64_t const first = runs().rank(letter, other.begin, low), last = runs().rank(letter, other.end, high);
      size = last < first ? 0 : last - first;
      if (c == code)
        next_other = {runs().first[letter] + first, runs().first[letter] + first + size};
      else
        before += size;
    }
    next.begin = std::min(rows.begin + before, rows.end);
    next.end = std::min(next.begin + size, rows.end);
    if (next_other.end > runs().rows) next = {rows.end, rows.end};
  }
  /// Takes the rows that begin a match of this length.
  void take(fm_interval rows, std::uint64_t length) {
    std::uint64_t left = count_begins(rows);
    if (left == 0) return;
    std::uint64_t block = runs().find(rows.begin);
    for (std::uint64_t row = rows.begin; row < rows.end && left != 0; ++row) {
      block = runs().seek(block, row);
      if (before_ != no_code && runs().letter(row, block) == before_) continue;
      --left;
      rows_.push_back(index_.view().suffixes({row, row + 1}).begin);
      lengths_.push_back(length);
      offsets_.push_back(offset_);
    }
    constexpr std::size_t max_rows = 4096;
    if (rows_.size() >= max_rows) flush();
  }
  void flush() {
    // Adjacent rows of an offset, which may have matches of different lengths, find their positions together.
    order_.resize(rows_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [&](std::size_t k) { return std::pair(rows_[k], k); });
    positions_.clear();
    for (std::size_t const k : order_) positions_.push_back(rows_[k]);
    index_.positions(positions_);
    for (std::size_t i = 0; i < order_.size(); ++i) rows_[order_[i]] = positions_[i];
    for (std::size_t k = 0; k < rows_.size(); ++k) matches_.push_back({offsets_[k], rows_[k], lengths_[k]});
    rows_.clear();
    lengths_.clear();
    offsets_.clear();
  }

  fm_index const& index_;
  match_options const& options_;
  std::string_view query_;
  std::vector<match>& matches_;
  std::uint64_t offset_ = 0;
  unsigned before_ = no_code;  // the letter before it
  std::vector<std::uint64_t> rows_, lengths_, offsets_, positions_;
  std::vector<std::size_t> order_;
};

}  // namespace

void find_in_runs(fm_index const& index, match_options const& options, std::string_view query, std::uint64_t begin,
                  std::uint64_t end, std::vector<match>& matches) {
  run_matches(index, options, query, matches).find(begin, end);
}

}  // namespace ordo::inline v0::suffix::detail
