#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/matches.hpp"
#include "suffix/index/fm_walks.hpp"
#include "suffix/matches/statistics_walks.hpp"
#include "suffix/matches/super_maximal_walk.hpp"

namespace ordo::inline v0::suffix {
namespace {

// Returns the end of the offsets at which strings of a length begin.
std::uint64_t end_of_strings(std::string_view query, std::uint64_t length) {
  return query.size() - std::min<std::uint64_t>(query.size(), length - 1);
}

/// Looks for strings of a given length in parts of a query by a suffix array, each from the last offset to the first. A string
/// of which only l letters occur rules out all strings that include these and the next letter.
/// @returns the ranges of offsets at which a string may begin that occurs
std::vector<std::vector<offset_range>> find_long_strings(searcher const& rows, std::vector<query_part> parts,
                                                         std::uint64_t length) {
  std::vector<std::vector<offset_range>> result(parts.size());
  for (query_part& part : parts) part.end = std::min(part.end, end_of_strings(part.query, length));
  std::vector<std::size_t> active;
  std::vector<std::string_view> patterns;
  std::vector<std::uint64_t> occurring;
  for (;;) {
    active.clear();
    patterns.clear();
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (parts[k].begin < parts[k].end) {
        active.push_back(k);
        patterns.push_back(parts[k].query.substr(parts[k].end - 1, length));
      }
    if (active.empty()) return result;
    occurring.resize(patterns.size());
    rows.find_longest(patterns, occurring);
    for (std::size_t i = 0; i < active.size(); ++i) {
      query_part& part = parts[active[i]];
      std::vector<offset_range>& to = result[active[i]];
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

/// The matching statistics of parts of queries, but those of less than min_length letters are any number below it, and so are
/// all but those of super-maximal matches with an index of runs. They lie one part after the other; with an FM index there are
/// the rows of the matches, too.
struct long_statistics {
  std::vector<std::uint64_t> lengths;
  std::vector<fm_interval> rows;

  void compute(searcher const& in, std::span<query_part const> parts, std::uint64_t min_length);

 private:
  void by_fm_index(searcher const& in, std::span<query_part const> parts, std::span<std::size_t const> firsts,
                   std::uint64_t min_length);
};

void long_statistics::compute(searcher const& in, std::span<query_part const> parts, std::uint64_t min_length) {
  std::uint64_t letters = 0;
  for (query_part const& part : parts) letters += part.end - part.begin;
  lengths.assign(letters, 0);
  rows.resize(in.fm() ? letters : 0);
  // Enough parts to work on at the same time; each costs some searches.
  constexpr std::uint64_t max_parts = 64, min_letters = 64;
  std::uint64_t const letters_of_part = std::max(letters / max_parts, min_letters);
  std::vector<query_part> pieces;
  std::vector<std::size_t> firsts;  // the first of each of their lengths
  std::size_t first = 0;
  for (query_part const& part : parts) {
    std::uint64_t const size = part.end - part.begin, count = std::max<std::uint64_t>(size / letters_of_part, 1);
    for (std::uint64_t k = 0; k < count; ++k) {
      std::uint64_t const begin = size / count * k, end = k + 1 == count ? size : size / count * (k + 1);
      pieces.push_back({part.query, part.begin + begin, part.begin + end});
      firsts.push_back(first + begin);
    }
    first += size;
  }
  if (in.fm()) return by_fm_index(in, pieces, firsts, min_length);
  std::vector<statistics_walk> walks;
  auto const result = find_long_strings(in, pieces, min_length);
  for (std::size_t k = 0; k < pieces.size(); ++k)
    for (offset_range const& range : result[k])
      walks.emplace_back(
          pieces[k].query, range.begin,
          std::span(lengths).subspan(firsts[k] + (range.begin - pieces[k].begin), std::size_t(range.end - range.begin)),
          min_length);
  run_walks(in, std::move(walks));
}

/// Takes ranges, and joins those that meet.
struct range_list {
  std::vector<offset_range>* to;
  void operator()(offset_range more) const {
    if (!to->empty() && to->back().end == more.begin)
      to->back().end = more.end;
    else
      to->push_back(more);
  }
};

void long_statistics::by_fm_index(searcher const& in, std::span<query_part const> parts, std::span<std::size_t const> firsts,
                                  std::uint64_t min_length) {
  searched_fm const fm(in);
  auto const letters_at = [&](std::size_t part) { return query_letters{parts[part].query.data(), parts[part].query.size()}; };
  std::size_t part = 0;
  if (in.fm()->has_runs()) {
    using walk = super_maximal_walk<searched_fm>;
    return run_walks<walk>([&]() -> std::optional<walk> {
      if (part == parts.size()) return std::nullopt;
      std::size_t const here = part++;
      return walk(fm, letters_at(here), {parts[here].begin, parts[here].end}, lengths.data() + firsts[here], min_length,
                  rows.data() + firsts[here]);
    });
  }
  std::vector<std::vector<offset_range>> result(parts.size());
  using string_walk = long_string_walk<searched_fm, range_list>;
  run_walks<string_walk>([&]() -> std::optional<string_walk> {
    if (part == parts.size()) return std::nullopt;
    std::size_t const here = part++;
    return string_walk(fm, letters_at(here), {parts[here].begin, parts[here].end}, min_length, range_list{&result[here]});
  });
  part = 0;
  std::size_t range = 0;
  using walk = backward_walk<searched_fm>;
  run_walks<walk>([&]() -> std::optional<walk> {
    while (part != parts.size() && range == result[part].size()) ++part, range = 0;
    if (part == parts.size()) return std::nullopt;
    offset_range const& offset_range = result[part][range++];
    std::size_t const first = firsts[part] + std::size_t(offset_range.begin - parts[part].begin);
    return walk(fm, letters_at(part), offset_range, lengths.data() + first, min_length, rows.data() + first);
  });
}

}  // namespace

void match_finder::find_super_maximal(std::span<query_part const> parts, std::vector<match>& matches,
                                      std::span<std::size_t> ends) const {
  if (!has_all_rows() || options_.max_occurrences != 0)
    throw usage_error("rows are left out: matches: super-maximal ones are found among all occurrences only");
  if (ends.size() != parts.size())
    throw usage_error(fmt::format("wrong array size: matches: {} ends for {} parts", ends.size(), parts.size()));
  constexpr std::uint64_t max_letters = std::uint64_t{1} << 16;
  // Up to max_letters in pieces, each with the offset before it; the offsets at which they begin without it; their parts.
  std::vector<query_part> pieces;
  std::vector<std::uint64_t> begins;
  std::vector<std::size_t> part_by_match;
  std::vector<std::uint64_t> offsets;  // offsets of matches
  std::vector<std::string_view> strings;
  std::vector<row_range> rows;
  std::vector<std::uint64_t> positions;
  std::vector<std::size_t> strings_end;  // where the strings of each piece end
  long_statistics statistics;
  auto const find_in_pieces = [&] {
    statistics.compute(rows_, pieces, options_.min_length);
    offsets.clear();
    strings.clear();
    rows.clear();
    strings_end.clear();
    std::size_t first = 0;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      query_part const& piece = pieces[k];
      for (std::uint64_t i = begins[k]; i < piece.end; ++i) {
        std::size_t const at = first + std::size_t(i - piece.begin);
        std::uint64_t const length = statistics.lengths[at];
        // Otherwise the match at the offset before includes it.
        if (length < options_.min_length || (i != 0 && length < statistics.lengths[at - 1])) continue;
        offsets.push_back(i);
        strings.push_back(piece.query.substr(i, length));
        if (rows_.fm()) rows.push_back(rows_.fm()->rows(statistics.rows[at]));
      }
      strings_end.push_back(strings.size());
      first += std::size_t(piece.end - piece.begin);
    }
    if (!rows_.fm()) {
      rows.resize(strings.size());
      rows_.find(strings, rows);
    }
    std::size_t count = 0;
    for (row_range const& row : rows) count += row.size();
    positions.resize(count);
    count = 0;
    for (row_range const& range : rows)
      for (std::size_t row = range.begin; row < range.end; ++row) positions[count++] = row;
    rows_.positions(positions);
    std::size_t s = 0;
    count = 0;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      for (; s < strings_end[k]; ++s) {
        auto const of_string = std::span(positions).subspan(count, rows[s].size());
        std::ranges::sort(of_string);
        for (std::uint64_t const p : of_string) matches.push_back({offsets[s], p, strings[s].size()});
        count += of_string.size();
      }
      ends[part_by_match[k]] = matches.size();
    }
    pieces.clear();
    begins.clear();
    part_by_match.clear();
  };
  std::uint64_t letters = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::uint64_t const end = std::min<std::uint64_t>(parts[p].end, parts[p].query.size());
    std::uint64_t from = std::min(parts[p].begin, end);
    do {
      std::uint64_t const to = std::min(end, from + max_letters - letters), before = from == 0 || from == to ? 0 : 1;
      pieces.push_back({parts[p].query, from - before, to});
      begins.push_back(from);
      part_by_match.push_back(p);
      letters += to - from;
      if (letters == max_letters) {
        find_in_pieces();
        letters = 0;
      }
      from = to;
    } while (from < end);
  }
  find_in_pieces();
}

void match_finder::find_super_maximal(std::string_view query, std::uint64_t begin, std::uint64_t end,
                                      std::vector<match>& matches) const {
  query_part const part{query, begin, end};
  std::size_t matches_end = 0;
  find_super_maximal({&part, 1}, matches, {&matches_end, 1});
}

}  // namespace ordo::inline v0::suffix
