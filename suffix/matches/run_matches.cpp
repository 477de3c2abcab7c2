#include "suffix/matches/run_matches.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "suffix/index/fm_walks.hpp"
#include "suffix/index/two_way_rows.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

/// The Fm of strings that grow.
class runs_of_index {
 public:
  explicit runs_of_index(fm_index const& index) : index_(&index) {}
  [[nodiscard]] fm_view const& view() const noexcept { return index_->view(); }
  [[noreturn]] void refuse_counts(fm_interval of) const { index_->refuse_counts(of); }

 private:
  fm_index const* index_;
};

using grower = string_grower<runs_of_index>;

/// A string of a query, from an offset on, and its rows, of which some do not begin at the letter before.
struct string_begin {
  std::size_t part;
  std::uint64_t offset, length;
  two_way_rows rows;
};

/// Finds the offsets at which matches begin that include a string of k letters of the query, but not one that begins `step`
/// letters before: where some of its rows have another letter before them than the query.
class leftward_walk {
 public:
  /// @param part  receives strings that begin in it @param number  its number
  leftward_walk(grower const& grow, std::uint64_t anchor, std::uint64_t k, std::uint64_t step, query_part const& part,
                std::size_t number, std::vector<string_begin>& to)
      : grow_(grow),
        anchor_(anchor),
        end_(anchor + k),
        first_(std::max(part.begin, anchor + 1 - std::min(anchor + 1, step))),
        part_end_(part.end),
        number_(number),
        to_(&to) {
    rows_ = grow_.last_letters(anchor, end_, at_);
    has_ended_ = rows_.empty();
  }
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
  void step() {
    two_way_rows const next = at_ == 0 ? two_way_rows{} : grow_.before(at_ - 1, rows_);
    if (at_ <= anchor_) {
      if (next.size != rows_.size && at_ < part_end_) to_->push_back({number_, at_, end_ - at_, rows_});
      if (at_ == first_) has_ended_ = true;
    }
    if (next.empty()) has_ended_ = true;
    if (has_ended_) return;
    rows_ = next;
    --at_;
    grow_.prefetch(rows_);
  }

 private:
  grower grow_;
  std::uint64_t anchor_, end_, first_, part_end_, at_ = 0;
  std::size_t number_;
  std::vector<string_begin>* to_;
  two_way_rows rows_;
  bool has_ended_ = false;
};

/// Finds matches by the rows of both strands. The rows of a string that have another letter before them than the query are
/// those of matches that begin at its offset. When the string gets one more letter of the query, some of its rows drop out:
/// their matches end there. Each match includes the string of k letters at an offset that is a multiple of `step`, if a match
/// has k + step - 1 letters at least. So most offsets, at which no match begins, take little more than a step.
class run_matches {
 public:
  run_matches(fm_index const& index, match_options const& options, std::uint64_t k, std::span<query_part const> parts)
      : index_(index), options_(options), k_(k), step_(options.min_length - k + 1), parts_(parts.begin(), parts.end()) {
    for (query_part& part : parts_)
      part.end = std::min<std::uint64_t>(part.end, part.query.size() - std::min(part.query.size(), options.min_length - 1));
  }

  void find(std::vector<match>& matches, std::span<std::size_t> ends) {
    while (next_part_ != parts_.size()) {
      begins_.clear();
      std::size_t left = max_anchors;
      run_walks<leftward_walk>([&]() -> std::optional<leftward_walk> {
        if (left-- == 0) return left = 0, std::nullopt;
        return next_anchor();
      });
      std::size_t next = 0;
      run_walks<rightward_walk>([&]() -> std::optional<rightward_walk> {
        if (next == begins_.size()) return std::nullopt;
        return rightward_walk(*this, begins_[next++]);
      });
    }
    find_positions();
    std::ranges::sort(found_);
    std::size_t part = 0;
    for (found_match const& of : found_) {
      for (; part != of.part; ++part) ends[part] = matches.size();
      matches.push_back({of.offset, of.position, of.length});
    }
    for (; part != ends.size(); ++part) ends[part] = matches.size();
  }

 private:
  // So few that what they find takes little memory.
  static constexpr std::size_t max_anchors = 1024, max_rows = std::size_t{1} << 16;

  struct found_match {
    std::size_t part;
    std::uint64_t offset, position, length;  // the position is a row until it is found
    friend auto operator<=>(found_match const&, found_match const&) = default;
  };

  [[nodiscard]] grower grow(std::size_t part) const { return {runs_of_index(index_), parts_[part].query.data()}; }
  /// Returns a walk from the next anchor, if there is one.
  std::optional<leftward_walk> next_anchor() {
    for (; next_part_ != parts_.size(); ++next_part_, anchors_ = 0) {
      query_part const& part = parts_[next_part_];
      if (part.begin >= part.end) continue;
      std::uint64_t const anchor = ((part.begin + step_ - 1) / step_ + anchors_) * step_;
      // The last match begins less than a step before it.
      if (anchor - std::min(anchor, step_ - 1) >= part.end) continue;
      ++anchors_;
      return leftward_walk(grow(next_part_), anchor, k_, step_, part, next_part_, begins_);
    }
    return std::nullopt;
  }

  /// Appends letters of the query to a string, and takes the rows that drop out.
  class rightward_walk {
   public:
    rightward_walk(run_matches& all, string_begin const& of)
        : all_(&all),
          grow_(all.grow(of.part)),
          at_(of),
          size_(all.parts_[of.part].query.size()),
          before_(of.offset == 0 ? grower::no_code : grow_.code_at(of.offset - 1)) {}
    [[nodiscard]] bool has_ended() const noexcept { return at_.rows.empty(); }
    void step() {
      match_options const& options = all_->options_;
      two_way_rows const& rows = at_.rows;
      std::uint64_t const end = at_.offset + at_.length, row_end = rows.begin + rows.size;
      two_way_rows next = end == size_ ? two_way_rows{} : grow_.after(end, rows);
      if (next.size != rows.size) {
        if (at_.length >= options.min_length && (options.max_occurrences == 0 || rows.size <= options.max_occurrences)) {
          std::uint64_t const first = next.empty() ? row_end : next.begin;
          all_->take({rows.begin, first}, at_, before_);
          all_->take({std::min(first + next.size, row_end), row_end}, at_, before_);
        }
        if (grow_.count(before_, next) == next.size) next = {};  // no match begins here
      }
      at_.rows = next;
      ++at_.length;
      grow_.prefetch(next.reversed());
    }

   private:
    run_matches* all_;
    grower grow_;
    string_begin at_;
    std::uint64_t size_;
    unsigned before_;  // the letter before the string
  };

  /// Takes the rows that begin a match of a string.
  void take(fm_interval rows, string_begin const& of, unsigned letter_before) {
    if (rows.empty()) return;
    run_length::run_view const& runs = index_.view().runs;
    std::uint64_t block = runs.find(rows.begin);
    for (std::uint64_t row = rows.begin; row < rows.end;) {
      block = runs.seek(block, row);
      run_length::run_row const here = runs.read(row, block);
      std::uint64_t const end = std::min(rows.end, row + std::max<std::uint64_t>(here.rows, 1));
      if (letter_before == grower::no_code || here.letter != letter_before)
        for (auto [suffix, last] = index_.rows({row, end}); suffix < last; ++suffix)
          found_.push_back({of.part, of.offset, suffix, of.length});
      row = end;
    }
    if (found_.size() - num_positions_ >= max_rows) find_positions();
  }
  void find_positions() {
    positions_.clear();
    for (std::size_t k = num_positions_; k < found_.size(); ++k) positions_.push_back(found_[k].position);
    index_.positions(positions_);
    for (std::uint64_t const position : positions_) found_[num_positions_++].position = position;
  }

  fm_index const& index_;
  match_options const& options_;
  std::uint64_t k_, step_;
  std::vector<query_part> parts_;
  std::size_t next_part_ = 0;
  std::uint64_t anchors_ = 0;  // anchors passed in the next part
  std::vector<string_begin> begins_;
  std::vector<found_match> found_;
  std::size_t num_positions_ = 0;  // the first matches have one
  std::vector<std::uint64_t> positions_;
};

}  // namespace

void find_in_runs(fm_index const& index, match_options const& options, std::uint64_t k, std::span<query_part const> parts,
                  std::vector<match>& matches, std::span<std::size_t> ends) {
  run_matches(index, options, k, parts).find(matches, ends);
}

}  // namespace ordo::inline v0::suffix::detail
