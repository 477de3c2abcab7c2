#include "ordo/suffix/matches.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "suffix/matches/run_matches.hpp"

namespace ordo::inline v0::suffix {
namespace {

// A string of k letters of a text of n random nucleotides occurs elsewhere with a probability of about n / 4^k. Fewer letters
// mean more occurrences to extend, more letters mean more positions to look up. Genomes have repeats: half the minimum length
// avoids most of those that are not part of a match.
std::uint64_t wanted_letters(std::size_t n, std::uint64_t min_length) {
  std::uint64_t const rare = std::uint64_t(std::bit_width(n)) / 2 + 2;
  return std::max(std::min(min_length, rare), min_length - min_length / 2);
}

}  // namespace

match_finder::match_finder(text const& input, searcher const& rows, row_selection selection, match_options options)
    : input_(input), rows_(rows), selection_(selection), options_(options) {
  std::uint64_t const length = options.min_length, sample = selection.sample;
  if (input.residue_bytes != 1) throw usage_error("no letters: matches: the text is of tokens");
  if (length == 0) throw usage_error("invalid minimum length: matches: 0: a match has at least one letter");
  if (length < sample)
    throw usage_error(
        fmt::format("minimum length too small: matches: {}: the rows are a sample of every {}th position, so that "
                    "matches of fewer letters may be missed",
                    length, sample));
  if (options.max_occurrences != 0 && sample != 1)
    throw usage_error("rows are left out: matches: occurrences cannot be counted in a sample");
  std::uint64_t const free = length - wanted_letters(input.size(), length) + 1;
  step_ = std::max<std::uint64_t>(free / sample, 1);
  while (std::gcd(step_, sample) != 1) --step_;
  period_ = step_ * sample;
  kmer_length_ = length - period_ + 1;
  if (!has_all_rows()) return;
  for (int byte = 0; byte < 256; ++byte)
    if (char const letter = static_cast<char>(byte); rows.find({&letter, 1}).size() != 0) letters_ += letter;
}

/// Occurrences of strings of the query, extended to both sides.
class match_finder::extension {
 public:
  extension(match_finder const& all, std::string_view query, std::uint64_t begin, std::uint64_t end,
            std::vector<match>& matches)
      : all_(all), query_(query), begin_(begin), end_(end), matches_(matches) {}

  /// Returns the number of rows from which on a search for each letter before a string is cheaper than a look at each row.
  [[nodiscard]] std::uint64_t many_rows() const {
    return all_.has_all_rows() ? all_.options_.rows_per_search * all_.period_ * (all_.letters_.size() + 1) : ~std::uint64_t{0};
  }

  /// Adds the matches that the string of k letters at offset i finds, which occurs at positions [first, last) of a list.
  void add(std::uint64_t i, std::span<std::uint64_t const> positions, std::size_t first, std::size_t last) {
    if (all_.options_.max_occurrences != 0 && last - first > all_.options_.max_occurrences)
      return add_rare(i, positions, first, last);
    for (std::size_t k = first; k < last; ++k) {
      prefetch(positions, k);
      place const at = place_at(positions[k]);
      std::uint64_t const left = count_left(i, at);
      if (!is_mine(i, left)) continue;
      add_match(i, positions[k], left, count_right(i, at, std::numeric_limits<std::uint64_t>::max()));
    }
  }

  /// Adds the same matches without a look at each occurrence of the string of k letters.
  void add_by_searches(std::uint64_t i) {
    std::uint64_t const first = std::max(begin_, i + 1 - std::min(i + 1, all_.period_)), last = std::min(i + 1, end_);
    for (std::uint64_t j = first; j < last; ++j) add_from(j);
  }

 private:
  struct place {
    std::uint64_t begin, position, end;  // the record
  };
  struct occurrence {
    std::uint64_t position, right;
    std::uint64_t left;
  };

  void prefetch(std::span<std::uint64_t const> positions, std::size_t k) const {
    constexpr std::size_t ahead = 8;
    if (k + ahead < positions.size()) all_.rows_.letters().prefetch(positions[k + ahead]);
  }
  [[nodiscard]] place place_at(std::uint64_t p) const {
    std::size_t const record = all_.rows_.record_at(p);
    return {all_.input_.begin(record), p, all_.input_.end(record)};
  }
  // Returns the number of equal letters before offset and position, up to the period.
  [[nodiscard]] std::uint64_t count_left(std::uint64_t i, place const& at) const {
    std::uint64_t const room = std::min({i, at.position - at.begin, all_.period_});
    return all_.rows_.letters().common_suffix(query_.data() + i, at.position, room);
  }
  // Returns the number of equal letters from offset and position on, up to max_letters. A damaged index may find other letters
  // than those of the query.
  [[nodiscard]] std::uint64_t count_right(std::uint64_t i, place const& at, std::uint64_t max_letters) const {
    std::uint64_t const room = std::min({query_.size() - i, at.end - at.position, max_letters});
    return all_.rows_.letters().common_prefix(query_.data() + i, at.position, room);
  }
  // Returns true if a match that begins `left` letters before i is to be reported here.
  [[nodiscard]] bool is_mine(std::uint64_t i, std::uint64_t left) const {
    return left < all_.period_ && i - left >= begin_ && i - left < end_;
  }
  void add_match(std::uint64_t i, std::uint64_t p, std::uint64_t left, std::uint64_t right) {
    if (left + right >= all_.options_.min_length) matches_.push_back({i - left, p - left, left + right});
  }

  // A string of `left` letters before i and `right` from i on occurs as often as rows agree with the query that far.
  void add_rare(std::uint64_t i, std::span<std::uint64_t const> positions, std::size_t first, std::size_t last) {
    std::uint64_t const limit = all_.options_.max_occurrences;
    all_of_.clear();
    std::uint64_t max_right = 0;
    for (std::size_t k = first; k < last; ++k) {
      prefetch(positions, k);
      place const at = place_at(positions[k]);
      std::uint64_t const left = count_left(i, at);
      std::uint64_t const right = is_mine(i, left) ? count_right(i, at, std::numeric_limits<std::uint64_t>::max()) : 0;
      if (left + right >= all_.options_.min_length) max_right = std::max(max_right, right);
      all_of_.push_back({positions[k], right, left});
    }
    if (max_right == 0) return;
    for (occurrence& occurrence : all_of_)
      if (!is_mine(i, occurrence.left)) occurrence.right = count_right(i, place_at(occurrence.position), max_right);
    std::ranges::sort(all_of_, [](occurrence const& a, occurrence const& b) { return a.right > b.right; });
    for (occurrence const& hit : all_of_) {
      if (!is_mine(i, hit.left) || hit.left + hit.right < all_.options_.min_length) continue;
      std::uint64_t count = 0;
      for (occurrence const& other : all_of_) {
        if (other.right < hit.right || count > limit) break;
        count += other.left >= hit.left;
      }
      if (count <= limit) add_match(i, hit.position, hit.left, hit.right);
    }
  }

  // Adds the matches that begin at offset j.
  void add_from(std::uint64_t j) {
    std::uint64_t const length = all_.options_.min_length;
    if (length > query_.size() - j) return;
    std::string_view const string = query_.substr(j, length);
    row_range const rows = all_.rows_.find(string);
    if (j == 0) return each_position(rows, [&](std::uint64_t p) { add_at(j, p); });
    auto const continues = [&](std::uint64_t p) {
      return p != place_at(p).begin && all_.rows_.letters()[p - 1] == query_[j - 1];
    };
    if (rows.size() <= 8 * all_.letters_.size())
      return each_position(rows, [&](std::uint64_t p) {
        if (!continues(p)) add_at(j, p);
      });
    // Each occurrence is after a letter or at the start of a record.
    std::string pattern(1, '\0');
    pattern += string;
    std::size_t behind_letters = 0;
    for (char const letter : all_.letters_) {
      pattern[0] = letter;
      row_range const some = all_.rows_.find(pattern);
      behind_letters += some.size();
      if (letter != query_[j - 1])
        each_position(some, [&](std::uint64_t p) {
          if (p + 1 < all_.input_.size()) add_at(j, p + 1);
        });
    }
    if (behind_letters == rows.size()) return;
    if (all_.input_.records() > rows.size())
      return each_position(rows, [&](std::uint64_t p) {
        if (p == place_at(p).begin) add_at(j, p);
      });
    for (std::size_t r = 0; r < all_.input_.records(); ++r)
      if (std::uint64_t const begin = all_.input_.begin(r);
          all_.input_.end(r) - begin >= length && all_.rows_.letters().common_prefix(string.data(), begin, length) == length)
        add_at(j, begin);
  }

  template <class F>
  void each_position(row_range rows, F take) {
    constexpr std::size_t max_rows = 4096;
    for (std::size_t first = rows.begin; first < rows.end; first += max_rows) {
      some_.resize(std::min(rows.end - first, max_rows));
      std::iota(some_.begin(), some_.end(), std::uint64_t(first));
      all_.rows_.positions(some_);
      for (std::size_t k = 0; k < some_.size(); ++k) {
        prefetch(some_, k);
        take(some_[k]);
      }
    }
  }
  void add_at(std::uint64_t j, std::uint64_t p) {
    std::uint64_t const length = count_right(j, place_at(p), std::numeric_limits<std::uint64_t>::max());
    if (length < all_.options_.min_length) return;
    if (all_.options_.max_occurrences == 0 || is_rare(j, j + length)) matches_.push_back({j, p, length});
  }
  // Returns true if a string of the query occurs at most as often as wanted. A string within a frequent one is frequent, and
  // one that includes a rare one is rare: in a tandem repeat the last strings tell of the next ones.
  [[nodiscard]] bool is_rare(std::uint64_t begin, std::uint64_t end) {
    if (frequent_.first <= begin && end <= frequent_.second) return false;
    if (begin <= rare_.first && rare_.second <= end) return true;
    bool const result = all_.occurs_at_most(query_.substr(begin, end - begin), all_.options_.max_occurrences);
    (result ? rare_ : frequent_) = {begin, end};
    return result;
  }
  match_finder const& all_;
  std::string_view query_;
  std::uint64_t begin_, end_;
  std::vector<match>& matches_;
  std::vector<occurrence> all_of_;
  std::vector<std::uint64_t> some_;
  // Parts [first, second) of the query that are known to be frequent or rare.
  std::pair<std::uint64_t, std::uint64_t> frequent_{0, 0}, rare_{0, std::numeric_limits<std::uint64_t>::max()};
};

bool match_finder::occurs_at_most(std::string_view string, std::uint64_t limit) const {
  fm_index const* const fm = rows_.fm();
  if (!fm) return rows_.find(string).size() <= limit;
  fm_interval rows = fm->all_rows();
  while (!string.empty() && rows.end - rows.begin > limit) {
    rows = fm->before(string.back(), rows);
    string.remove_suffix(1);
  }
  return rows.end - rows.begin <= limit;
}

void match_finder::find(std::string_view query, std::uint64_t begin, std::uint64_t end, std::vector<match>& matches) const {
  end = std::min<std::uint64_t>(end, query.size());
  if (begin >= end || query.size() < options_.min_length) return;
  std::size_t const first_match = matches.size();
  if (rows_.fm() && rows_.fm()->has_runs()) {
    query_part const part{query, begin, end};
    std::size_t matches_end = 0;
    return detail::find_in_runs(*rows_.fm(), options_, kmer_length_, {&part, 1}, matches, {&matches_end, 1});
  }
  std::uint64_t const last = std::min(end - 1 + period_ - 1, query.size() - kmer_length_);
  constexpr std::size_t batch = 512, max_rows = 8192;
  std::array<std::string_view, batch> kmers;
  std::array<row_range, batch> result;
  extension extend(*this, query, begin, end, matches);
  std::uint64_t const many_rows = extend.many_rows();
  struct list {
    std::uint64_t offset;
    std::size_t first, last;  // the first and last of its rows
  };
  std::vector<list> lists;
  std::vector<std::uint64_t> rows;
  auto const flush = [&] {
    rows_.positions(rows);
    for (list const& list : lists) extend.add(list.offset, rows, list.first, list.last);
    lists.clear();
    rows.clear();
  };
  for (std::uint64_t i = (begin + step_ - 1) / step_ * step_; i <= last;) {
    std::uint64_t const first = i;
    std::size_t count = 0;
    for (; count < batch && i <= last; ++count, i += step_) kmers[count] = query.substr(i, kmer_length_);
    rows_.find(std::span(kmers).first(count), std::span(result).first(count));
    for (std::size_t k = 0; k < count; ++k) {
      std::uint64_t const offset = first + k * step_;
      if (result[k].size() > many_rows) {
        extend.add_by_searches(offset);
        continue;
      }
      for (std::size_t row = result[k].begin; row < result[k].end;) {
        // Limits of occurrences need all rows at once.
        std::size_t const some =
            options_.max_occurrences != 0 ? result[k].size() : std::min(result[k].end - row, max_rows - rows.size());
        lists.push_back({offset, rows.size(), rows.size() + some});
        for (std::size_t left = some; left != 0; --left) rows.push_back(row++);
        if (rows.size() >= max_rows) flush();
      }
    }
    flush();
  }
  std::sort(matches.begin() + std::ptrdiff_t(first_match), matches.end());
}

void match_finder::find(std::span<query_part const> parts, std::vector<match>& matches, std::span<std::size_t> ends) const {
  if (ends.size() != parts.size())
    throw usage_error(fmt::format("wrong array size: matches: {} ends for {} parts", ends.size(), parts.size()));
  if (rows_.fm() && rows_.fm()->has_runs())
    return detail::find_in_runs(*rows_.fm(), options_, kmer_length_, parts, matches, ends);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    find(parts[k].query, parts[k].begin, parts[k].end, matches);
    ends[k] = matches.size();
  }
}

}  // namespace ordo::inline v0::suffix
