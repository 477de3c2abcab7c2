#include <algorithm>
#include <numeric>
#include <optional>

#include "ordo/error.hpp"
#include "ordo/suffix/matches.hpp"
#include "suffix/index/statistics_walks.hpp"

namespace ordo::inline v0::suffix {
namespace {

/// Offsets [begin, end) of a query.
struct offset_range {
  std::uint64_t begin, end;
};

constexpr std::uint64_t range_offsets = 128;  // that are taken together where a string occurs

/// Looks for strings of a given length in parts of a query by a suffix array, each from the last offset to the first. A string
/// of which only l letters occur rules out all strings that include these and the next letter.
/// @returns the ranges of offsets at which a string may begin that occurs
std::vector<std::vector<offset_range>> find_long_strings(searcher const& rows, std::string_view query,
                                                         std::vector<offset_range> parts, std::uint64_t length) {
  std::vector<std::vector<offset_range>> found(parts.size());
  std::uint64_t const stop = query.size() - std::min<std::uint64_t>(query.size(), length - 1);  // of strings of that length
  for (offset_range& part : parts) part.end = std::min(part.end, stop);
  std::vector<std::size_t> active;
  std::vector<std::string_view> patterns;
  std::vector<std::uint64_t> occurring;
  for (;;) {
    active.clear();
    patterns.clear();
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (parts[k].begin < parts[k].end) {
        active.push_back(k);
        patterns.push_back(query.substr(parts[k].end - 1, length));
      }
    if (active.empty()) return found;
    occurring.resize(patterns.size());
    rows.find_longest(patterns, occurring);
    for (std::size_t i = 0; i < active.size(); ++i) {
      offset_range& part = parts[active[i]];
      std::vector<offset_range>& to = found[active[i]];
      bool const occurs = occurring[i] >= length;
      std::uint64_t const passed = std::min(occurs ? range_offsets : length - occurring[i], part.end - part.begin),
                          end = part.end;
      part.end -= passed;
      if (!occurs) continue;
      if (!to.empty() && to.back().begin == end)
        to.back().begin = part.end;
      else
        to.push_back({part.end, end});
    }
  }
}

/// Looks for strings of a given length in a part of a query by an FM index, from the first offset to the last. A string that
/// does not occur rules out all that include it: of unrelated sequences most offsets are passed over. (The idea is that of
/// Boyer and Moore.)
class long_string_walk {
 public:
  /// @param found  receives the offsets at which a string may begin that occurs
  long_string_walk(fm_index const& fm, std::string_view query, offset_range part, std::uint64_t length,
                   std::vector<offset_range>& found)
      : fm_(&fm), query_(query), end_(part.end), length_(length), found_(&found) {
    begin(part.begin);
  }

  [[nodiscard]] bool has_ended() const noexcept { return at_ >= end_ || length_ > query_.size() - at_; }

  void step() {
    rows_ = fm_->before(query_[--next_], rows_);
    if (rows_.empty())
      begin(next_ + 1);
    else if (next_ == at_)
      take();
    fm_->prefetch(rows_);
  }

 private:
  void begin(std::uint64_t at) {
    at_ = at;
    next_ = at + length_;
    rows_ = fm_->all_rows();
  }
  void take() {
    std::uint64_t const end = std::min(end_, at_ + range_offsets);
    if (!found_->empty() && found_->back().end == at_)
      found_->back().end = end;
    else
      found_->push_back({at_, end});
    begin(end);
  }

  fm_index const* fm_;
  std::string_view query_;
  std::uint64_t end_, length_;
  std::vector<offset_range>* found_;
  std::uint64_t at_ = 0, next_ = 0;  // the offset of the string; that of the letter read last
  fm_index::interval rows_;
};

/// Computes matching statistics, as matching_statistics does, but sets those of less than min_length letters to any number
/// below it.
void long_statistics(searcher const& rows, std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths,
                     std::uint64_t min_length) {
  std::ranges::fill(lengths, 0);
  constexpr std::size_t max_parts = 64, min_letters = 64;
  std::size_t const count = std::clamp<std::size_t>(lengths.size() / min_letters, 1, max_parts);
  std::vector<offset_range> parts(count);
  for (std::size_t part = 0; part < count; ++part)
    parts[part] = {begin + lengths.size() / count * part,
                   begin + (part + 1 == count ? lengths.size() : lengths.size() / count * (part + 1))};
  auto const lengths_of = [&](offset_range const& one) { return lengths.subspan(one.begin - begin, one.end - one.begin); };
  if (!rows.fm()) {
    std::vector<statistics_walk> walks;
    for (auto const& some : find_long_strings(rows, query, parts, min_length))
      for (offset_range const& one : some) walks.emplace_back(query, one.begin, lengths_of(one));
    return run_walks(rows, std::move(walks));
  }
  std::vector<std::vector<offset_range>> found(count);
  std::size_t part = 0;
  run_walks<long_string_walk>([&]() -> std::optional<long_string_walk> {
    if (part == count) return std::nullopt;
    std::size_t const here = part++;
    return long_string_walk(*rows.fm(), query, parts[here], min_length, found[here]);
  });
  part = 0;
  std::size_t range = 0;
  run_walks<backward_walk>([&]() -> std::optional<backward_walk> {
    while (part != count && range == found[part].size()) ++part, range = 0;
    if (part == count) return std::nullopt;
    offset_range const& one = found[part][range++];
    return backward_walk(rows, query, one.begin, lengths_of(one));
  });
}

}  // namespace

void match_finder::find_super_maximal(std::string_view query, std::uint64_t begin, std::uint64_t end,
                                      std::vector<match>& matches) const {
  if (!has_all_rows() || options_.max_occurrences != 0)
    throw usage_error("rows are left out: matches: super-maximal ones are found among all occurrences only");
  end = std::min<std::uint64_t>(end, query.size());
  if (begin >= end) return;
  std::size_t const first_match = matches.size();
  constexpr std::uint64_t max_letters = std::uint64_t{1} << 16;
  std::vector<std::uint64_t> lengths, positions;
  std::vector<std::uint64_t> offsets;
  std::vector<std::string_view> strings;
  std::vector<row_range> rows;
  for (std::uint64_t from = begin; from < end;) {
    std::uint64_t const to = std::min(end, from + max_letters), before = from == 0 ? 0 : 1;
    lengths.resize(to - from + before);
    long_statistics(rows_, query, from - before, lengths, options_.min_length);
    offsets.clear();
    strings.clear();
    for (std::uint64_t i = from; i < to; ++i) {
      std::uint64_t const length = lengths[i - from + before];
      // Otherwise the match at the offset before includes it.
      if (length >= options_.min_length && (i == 0 || length >= lengths[i - from + before - 1])) {
        offsets.push_back(i);
        strings.push_back(query.substr(i, length));
      }
    }
    rows.resize(strings.size());
    rows_.find(strings, rows);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      positions.resize(rows[k].size());
      std::iota(positions.begin(), positions.end(), std::uint64_t(rows[k].begin));
      rows_.positions(positions);
      for (std::uint64_t const p : positions) matches.push_back({offsets[k], p, strings[k].size()});
    }
    from = to;
  }
  std::sort(matches.begin() + std::ptrdiff_t(first_match), matches.end());
}

}  // namespace ordo::inline v0::suffix
