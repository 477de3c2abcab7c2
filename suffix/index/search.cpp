#include "ordo/suffix/search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "suffix/text/common_prefix.hpp"

namespace ordo::inline v0::suffix {

/// The search for one pattern in steps, each of which prefetches what the next one reads.
class searcher::lane {
 public:
  /// @returns false if nothing is left to do
  bool start(searcher const& all, std::string_view pattern, row_range& range) {
    found_ = &range;
    longest_ = nullptr;
    range = {0, pattern.empty() ? all.sa_.size() : 0};
    return start(all, pattern);
  }
  /// Starts a search for the number of letters of the pattern that occur.
  bool start(searcher const& all, std::string_view pattern, std::uint64_t& longest) {
    found_ = nullptr;
    longest_ = &longest;
    longest = 0;
    return start(all, pattern);
  }

  /// Fetches the row's position, or the first bounds.
  /// @returns false if the search has ended
  bool fetch() {
    if (stage_ == stage::bounds) {
      begin_among(all_->kmers_.rows(pattern_, all_->sa_.size()));
      return choose();
    }
    position_ = all_->position(row_);
    __builtin_prefetch(all_->input_.residues.data() +
                       std::min(position_ + common(), all_->input_.size() - 1) * all_->input_.residue_bytes);
    compares_ = true;
    return true;
  }

  /// Compares the position, if there is one, and chooses the next row.
  /// @returns false if the search has ended
  bool compare() {
    if (!std::exchange(compares_, false)) return true;
    std::size_t const size = all_->input_.residue_bytes;
    std::size_t const end = all_->input_.end(all_->record_at_(position_)), m = pattern_.size() / size;
    std::size_t const reach = std::min(end - position_, m), known = std::min(common(), reach);
    char const* const letters = all_->input_.residues.data() + position_ * size;
    std::size_t const agree =
        known + common_prefix(letters + known * size, pattern_.data() + known * size, (reach - known) * size) / size;
    if (agree == m)
      matches();
    else if (agree < reach && residue_at(letters, agree, size) > residue_at(pattern_.data(), agree, size))
      is_above(agree);
    else
      is_below(agree);
    return choose();
  }

 private:
  // begin: rows below low_ are below the pattern, rows from high_ on are not. end: rows [begin_, low_) match, rows from beyond_
  // on do not.
  enum class stage { bounds, begin, end };

  bool start(searcher const& all, std::string_view pattern) {
    all_ = &all;
    pattern_ = pattern;
    if (pattern.empty() || all.sa_.empty()) return false;
    all.kmers_.prefetch(pattern);
    stage_ = stage::bounds;
    return true;
  }
  void begin_among(row_range rows) {
    low_ = rows.begin;
    high_ = beyond_ = rows.end;
    has_all_rows_ = rows.size() == all_->sa_.size();
    low_common_ = high_common_ = beyond_common_ = 0;
    matched_ = false;
    stage_ = stage::begin;
  }
  // Returns the number of letters that the row certainly shares with the pattern, if the array is right.
  [[nodiscard]] std::size_t common() const {
    return stage_ == stage::begin ? std::min(low_common_, high_common_) : beyond_common_;
  }
  void matches() {
    if (stage_ == stage::end) {
      low_ = row_ + 1;
      step_ *= 2;
      return;
    }
    if (!std::exchange(matched_, true)) first_matched_ = row_;
    high_ = row_;
    high_common_ = pattern_.size() / all_->input_.residue_bytes;
  }
  void is_above(std::size_t agree) {
    beyond_ = row_;
    beyond_common_ = agree;
    high_ = row_;
    high_common_ = agree;
    step_ = 0;
  }
  void is_below(std::size_t agree) {
    if (stage_ == stage::end) return is_above(agree);  // out of order: any result is wrong
    low_ = row_ + 1;
    low_common_ = agree;
  }

  // Chooses the next row to read.
  bool choose() {
    if (stage_ == stage::begin) {
      if (longest_ && matched_) low_ = high_;  // no row shares more
      if (low_ < high_) return look_at(low_ + (high_ - low_) / 2);
      if (longest_) {
        // The rows before and after the pattern's place share most with it. Those beyond the table's rows share fewer letters
        // than its k-mers have.
        *longest_ = std::max(low_common_, high_common_);
        if (has_all_rows_ || *longest_ >= all_->kmers_.length()) return false;
        begin_among({0, all_->sa_.size()});
        return choose();
      }
      if (!matched_) return end_with({low_, low_});
      begin_ = low_;
      low_ = first_matched_ + 1;
      step_ = 1;
      stage_ = stage::end;
    }
    // Most patterns have few rows: steps of 1, 2, 4, ... until one goes too far, then halves.
    if (low_ >= beyond_) return end_with({begin_, beyond_});
    std::size_t const left = beyond_ - low_;
    return look_at(low_ + (step_ != 0 ? std::min(step_ - 1, left - 1) : left / 2));
  }
  bool look_at(std::size_t row) {
    row_ = row;
    all_->sa_.prefetch(row);
    return true;
  }
  bool end_with(row_range range) {
    *found_ = range;
    return false;
  }

  searcher const* all_ = nullptr;
  std::string_view pattern_;
  row_range* found_ = nullptr;        // the result of find
  std::uint64_t* longest_ = nullptr;  // the result of find_longest
  stage stage_ = stage::bounds;
  bool compares_ = false, matched_ = false, has_all_rows_ = false;
  std::size_t low_ = 0, high_ = 0, row_ = 0, step_ = 0;
  std::size_t begin_ = 0, first_matched_ = 0, beyond_ = 0;
  std::size_t low_common_ = 0, high_common_ = 0, beyond_common_ = 0;
  std::uint64_t position_ = 0;
};

searcher::searcher(text const& input, entries sa, std::string name, kmer_table kmers)
    : input_(input), sa_(sa), name_(std::move(name)), kmers_(std::move(kmers)), record_at_(input), letters_(input.residues) {}

searcher::searcher(fm_index const& fm, text const& input)
    : input_(input), record_at_(input), fm_(&fm), letters_(fm.has_text() ? fm.packed_text() : text_letters(input.residues)) {}

void searcher::refuse(std::size_t row, std::uint64_t p) const {
  throw input_error(fmt::format("bad index: {}: row {}: position {} of {} residues", name_, row, p, input_.size()));
}

template <class Result>
void searcher::run(std::span<std::string_view const> patterns, std::span<Result> results) const {
  if (results.size() != patterns.size())
    throw usage_error(fmt::format("wrong array size: search: {} results for {} patterns", results.size(), patterns.size()));
  constexpr std::size_t max_lanes = 32;  // more outstanding reads than a core supports gain nothing
  std::array<lane, max_lanes> lanes;
  std::size_t active = 0, next = 0;
  auto const start = [&](lane& lane) {
    while (next < patterns.size()) {
      std::size_t const i = next++;
      if (lane.start(*this, patterns[i], results[i])) return true;
    }
    return false;
  };
  while (active < max_lanes && start(lanes[active])) ++active;
  auto const each = [&](auto step) {
    for (std::size_t i = 0; i < active;)
      if (step(lanes[i]) || start(lanes[i]))
        ++i;
      else
        std::swap(lanes[i], lanes[--active]);
  };
  while (active != 0) {
    each([](lane& lane) { return lane.fetch(); });
    each([](lane& lane) { return lane.compare(); });
  }
}

void searcher::find(std::span<std::string_view const> patterns, std::span<row_range> rows) const {
  if (fm_) return fm_->find(patterns, rows);
  run(patterns, rows);
}

void searcher::find_longest(std::span<std::string_view const> patterns, std::span<std::uint64_t> lengths) const {
  if (!fm_) return run(patterns, lengths);
  if (lengths.size() != patterns.size())
    throw usage_error(fmt::format("wrong array size: search: {} results for {} patterns", lengths.size(), patterns.size()));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::size_t low = 0, high = patterns[i].size();  // a prefix of low letters occurs, none of more than high does
    while (low < high) {
      std::size_t const length = std::min(2 * low + 1, low + (high - low + 1) / 2);  // most are short
      if (fm_->find(patterns[i].substr(0, length)).size() != 0)
        low = length;
      else
        high = length - 1;
    }
    lengths[i] = low;
  }
}

void searcher::positions(std::span<std::uint64_t> rows) const {
  if (fm_) return fm_->positions(rows);
  constexpr std::size_t ahead = 32;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + ahead < rows.size()) prefetch(rows[i + ahead]);
    rows[i] = position(rows[i]);
  }
}

row_range searcher::find(std::string_view pattern) const {
  row_range rows;
  find({&pattern, 1}, {&rows, 1});
  return rows;
}

std::vector<std::uint64_t> searcher::locate(std::string_view pattern) const {
  row_range const rows = find(pattern);
  std::vector<std::uint64_t> result(rows.size());
  std::iota(result.begin(), result.end(), std::uint64_t(rows.begin));
  positions(result);
  std::ranges::sort(result);
  return result;
}

// Returns the offsets in a pattern at which rows are searched for: one for each remainder by `sample`, so that exactly one of
// the rows of an occurrence is found. Fewer offsets than remainders if there is a remainder without any.
std::vector<std::size_t> sampled_searcher::choose_shifts(std::string_view pattern) const {
  std::vector<std::size_t> shifts;
  for (std::size_t first = 0; first < selection_.sample; ++first) {
    std::size_t shift = first;
    auto const is_left_out = [&] {
      return selection_.skip_ambiguous && !is_nucleotide(static_cast<unsigned char>(pattern[shift]));
    };
    std::size_t const length = pattern.size() / input_.residue_bytes;
    while (shift < length && is_left_out()) shift += selection_.sample;
    if (shift >= length) break;
    shifts.push_back(shift);
  }
  return shifts;
}

std::vector<std::uint64_t> sampled_searcher::locate(std::string_view pattern) const {
  std::vector<std::size_t> const shifts = choose_shifts(pattern);
  if (shifts.size() != selection_.sample)
    throw input_error(fmt::format("pattern too short: {}: the index has rows only for {}, and the pattern may include none",
                                  input_.residue_bytes != 1 ? fmt::format("{} tokens", pattern.size() / input_.residue_bytes)
                                  : pattern.size() <= 40    ? fmt::format("'{}'", pattern)
                                                            : fmt::format("'{}...'", pattern.substr(0, 37)),
                                  selection_.sample == 1 ? "A, C, G, T and U"
                                  : selection_.skip_ambiguous
                                      ? fmt::format("A, C, G, T and U at every {}th position", selection_.sample)
                                      : fmt::format("every {}th position", selection_.sample)));
  std::vector<std::string_view> ends;
  std::size_t const size = input_.residue_bytes;
  for (std::size_t const shift : shifts) ends.push_back(pattern.substr(shift * size));
  std::vector<row_range> rows(ends.size());
  rows_.find(ends, rows);
  std::vector<std::uint64_t> positions;
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    std::string_view const before = pattern.substr(0, shifts[k] * size);
    for (std::size_t row = rows[k].begin; row < rows[k].end; ++row) {
      constexpr std::size_t ahead = 16;
      rows_.prefetch(row + ahead);
      std::uint64_t const q = rows_.position(row);
      if (shifts[k] > q - input_.begin(rows_.record_at(q))) continue;
      std::uint64_t const p = q - shifts[k];
      if (input_.residues.substr(p * size, before.size()) == before) positions.push_back(p);
    }
  }
  std::ranges::sort(positions);
  return positions;
}

}  // namespace ordo::inline v0::suffix
