#include "ordo/suffix/matches.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "suffix/index/common_prefix.hpp"

namespace ordo::inline v0::suffix {
namespace {

// Returns the number of equal letters before two ends.
std::size_t common_suffix(char const* a, char const* b, std::size_t max_length) {
  std::size_t i = 0;
  while (i < max_length && a[-1 - std::ptrdiff_t(i)] == b[-1 - std::ptrdiff_t(i)]) ++i;
  return i;
}

// A string of k letters of a text of n random nucleotides occurs elsewhere with a probability of about n / 4^k. Fewer letters
// mean more occurrences to extend, more letters mean more positions to look up. Genomes have repeats: half the minimum length
// avoids most of those that are not part of a match.
std::uint64_t wanted_letters(std::size_t n, std::uint64_t min_length) {
  std::uint64_t const rare = std::uint64_t(std::bit_width(n)) / 2 + 2;
  return std::max(std::min(min_length, rare), min_length - min_length / 2);
}

}  // namespace

match_finder::match_finder(text const& input, searcher const& rows, row_selection selection, match_options options)
    : input_(input), rows_(rows), options_(options) {
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
}

/// The rows of one string of k letters, extended to both sides.
class match_finder::extension {
 public:
  extension(match_finder const& all, std::string_view query, std::uint64_t begin, std::uint64_t end,
            std::vector<match>& matches)
      : all_(all), query_(query), begin_(begin), end_(end), matches_(matches) {}

  void add(std::uint64_t i, row_range found) {
    if (all_.options_.max_occurrences != 0 && found.size() > all_.options_.max_occurrences) return add_rare(i, found);
    for (std::size_t row = found.begin; row < found.end; ++row) {
      prefetch(row, found.end);
      std::uint64_t const p = all_.rows_.position(row);
      place const at = place_of(p);
      std::uint64_t const left = left_of(i, at);
      if (!is_mine(i, left)) continue;
      add_match(i, p, left, right_of(i, at, std::numeric_limits<std::uint64_t>::max()));
    }
  }

 private:
  struct place {
    std::uint64_t begin, position, end;  // of the record
  };
  struct occurrence {
    std::uint64_t position, right;
    std::uint64_t left;
  };

  void prefetch(std::size_t row, std::size_t end) const {
    constexpr std::size_t far = 32, near = 8;
    if (row + far < end) all_.rows_.prefetch(row + far);
    if (row + near < end) __builtin_prefetch(all_.input_.residues.data() + all_.rows_.position(row + near));
  }
  [[nodiscard]] place place_of(std::uint64_t p) const {
    std::size_t const record = all_.rows_.record_of(p);
    return {all_.input_.begin_of(record), p, all_.input_.end_of(record)};
  }
  // Returns the number of equal letters before offset and position, up to the period.
  [[nodiscard]] std::uint64_t left_of(std::uint64_t i, place const& at) const {
    std::uint64_t const room = std::min({i, at.position - at.begin, all_.period_});
    return common_suffix(query_.data() + i, all_.input_.residues.data() + at.position, room);
  }
  // Returns the number of equal letters from offset and position on, up to max_letters. A damaged index may find other letters
  // than those of the query.
  [[nodiscard]] std::uint64_t right_of(std::uint64_t i, place const& at, std::uint64_t max_letters) const {
    std::uint64_t const room = std::min({query_.size() - i, at.end - at.position, max_letters});
    return common_prefix(query_.data() + i, all_.input_.residues.data() + at.position, room);
  }
  // Returns whether a match that begins `left` letters before i is to be reported here.
  [[nodiscard]] bool is_mine(std::uint64_t i, std::uint64_t left) const {
    return left < all_.period_ && i - left >= begin_ && i - left < end_;
  }
  void add_match(std::uint64_t i, std::uint64_t p, std::uint64_t left, std::uint64_t right) {
    if (left + right >= all_.options_.min_length) matches_.push_back({i - left, p - left, left + right});
  }

  // A string of `left` letters before i and `right` from i on occurs as often as rows agree with the query that far.
  void add_rare(std::uint64_t i, row_range found) {
    std::uint64_t const limit = all_.options_.max_occurrences;
    all_of_.clear();
    std::uint64_t max_right = 0;
    for (std::size_t row = found.begin; row < found.end; ++row) {
      prefetch(row, found.end);
      std::uint64_t const p = all_.rows_.position(row);
      place const at = place_of(p);
      std::uint64_t const left = left_of(i, at);
      std::uint64_t const right = is_mine(i, left) ? right_of(i, at, std::numeric_limits<std::uint64_t>::max()) : 0;
      if (left + right >= all_.options_.min_length) max_right = std::max(max_right, right);
      all_of_.push_back({p, right, left});
    }
    if (max_right == 0) return;
    for (occurrence& one : all_of_)
      if (!is_mine(i, one.left)) one.right = right_of(i, place_of(one.position), max_right);
    std::ranges::sort(all_of_, [](occurrence const& a, occurrence const& b) { return a.right > b.right; });
    for (occurrence const& one : all_of_) {
      if (!is_mine(i, one.left) || one.left + one.right < all_.options_.min_length) continue;
      std::uint64_t count = 0;
      for (occurrence const& other : all_of_) {
        if (other.right < one.right || count > limit) break;
        count += other.left >= one.left;
      }
      if (count <= limit) add_match(i, one.position, one.left, one.right);
    }
  }

  match_finder const& all_;
  std::string_view query_;
  std::uint64_t begin_, end_;
  std::vector<match>& matches_;
  std::vector<occurrence> all_of_;
};

void match_finder::find(std::string_view query, std::uint64_t begin, std::uint64_t end, std::vector<match>& matches) const {
  end = std::min<std::uint64_t>(end, query.size());
  if (begin >= end || query.size() < options_.min_length) return;
  std::size_t const first_match = matches.size();
  std::uint64_t const last = std::min(end - 1 + period_ - 1, query.size() - kmer_length_);
  constexpr std::size_t batch = 512;
  std::array<std::string_view, batch> kmers;
  std::array<row_range, batch> found;
  extension extend(*this, query, begin, end, matches);
  for (std::uint64_t i = (begin + step_ - 1) / step_ * step_; i <= last;) {
    std::uint64_t const first = i;
    std::size_t count = 0;
    for (; count < batch && i <= last; ++count, i += step_) kmers[count] = query.substr(i, kmer_length_);
    rows_.find(std::span(kmers).first(count), std::span(found).first(count));
    auto const is_found = [&](std::size_t k) { return k < count && found[k].size() != 0; };
    for (std::size_t k = 0; k < count; ++k) {
      constexpr std::size_t far = 16, near = 8;
      if (is_found(k + far)) rows_.prefetch(found[k + far].begin);
      if (is_found(k + near)) __builtin_prefetch(input_.residues.data() + rows_.position(found[k + near].begin));
      if (is_found(k)) extend.add(first + k * step_, found[k]);
    }
  }
  std::sort(matches.begin() + std::ptrdiff_t(first_match), matches.end());
}

namespace {

// Erases the matches that are marked.
void erase_marked(std::vector<match>& matches, std::vector<bool> const& marked) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (!marked[i]) matches[kept++] = matches[i];
  matches.resize(kept);
}

std::vector<std::size_t> numbers_below(std::size_t n) {
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

void keep_unique_in_query(std::vector<match>& matches) {
  // A string occurs again in the query if another match of the text's only occurrence includes it.
  auto order = numbers_below(matches.size());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    match const &x = matches[a], &y = matches[b];
    return std::tuple(x.reverse, x.position, y.length, a) < std::tuple(y.reverse, y.position, x.length, b);
  });
  std::vector<bool> repeated(matches.size());
  std::optional<std::size_t> widest;  // of those so far, the one that ends last
  for (std::size_t const i : order) {
    match const& one = matches[i];
    if (widest && matches[*widest].reverse == one.reverse) {
      match const& other = matches[*widest];
      if (other.position + other.length >= one.position + one.length) {
        repeated[i] = true;
        if (other.position == one.position && other.length == one.length) repeated[*widest] = true;
        continue;
      }
    }
    widest = i;
  }
  erase_marked(matches, repeated);
}

void keep_super_maximal(std::vector<match>& matches) {
  auto order = numbers_below(matches.size());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    match const &x = matches[a], &y = matches[b];
    return std::tuple(x.query_begin, y.length) < std::tuple(y.query_begin, x.length);
  });
  std::vector<bool> inside(matches.size());
  std::optional<std::size_t> widest;
  for (std::size_t const i : order) {
    match const& one = matches[i];
    if (widest) {
      match const& other = matches[*widest];
      bool const equal = other.query_begin == one.query_begin && other.length == one.length;
      if (!equal && other.query_begin + other.length >= one.query_begin + one.length) {
        inside[i] = true;
        continue;
      }
    }
    widest = i;
  }
  erase_marked(matches, inside);
}

namespace {

/// Computes the matching statistics of a part of a query by steps, each of which is one search.
class statistics_walk {
 public:
  statistics_walk() = default;
  statistics_walk(std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths)
      : query_(query), begin_(begin), lengths_(lengths), at_(begin), end_(begin) {}

  [[nodiscard]] bool has_ended() const noexcept { return at_ >= begin_ + lengths_.size(); }
  /// Returns the string to search for.
  [[nodiscard]] std::string_view pattern() const noexcept {
    return stage_ == stage::extend ? query_.substr(at_) : query_.substr(tried_, end_ + 1 - tried_);
  }
  /// Continues with the number of letters of the pattern that occur.
  void take(std::uint64_t found) {
    if (stage_ == stage::extend) {
      end_ = at_ + found;
      set(at_);
      ++at_;
      if (end_ == query_.size()) return set_rest();
      if (end_ <= at_ + short_match) return;  // a search for each offset is as fast
      low_ = at_ - 1;
      step_ = 1;
      stage_ = stage::gallop;
      return try_next();
    }
    // Up to low_, the string that ends behind end_ does not occur. It does from high_ on.
    if (found == end_ + 1 - tried_)
      high_ = tried_;
    else
      low_ = tried_;
    if (found == end_ + 1 - tried_) stage_ = stage::halve;
    try_next();
  }

 private:
  enum class stage { extend, gallop, halve };
  static constexpr std::uint64_t short_match = 48;

  void set(std::uint64_t i) {
    if (i < begin_ + lengths_.size()) lengths_[i - begin_] = end_ - i;
  }
  void set_rest() {
    for (; !has_ended(); ++at_) set(at_);
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
    for (; at_ < high_ && !has_ended(); ++at_) set(at_);
    stage_ = stage::extend;
  }

  std::string_view query_;
  std::uint64_t begin_ = 0;
  std::span<std::uint64_t> lengths_;
  stage stage_ = stage::extend;
  std::uint64_t at_ = 0;   // the first offset that is not settled
  std::uint64_t end_ = 0;  // of the longest match at the last settled offset
  std::uint64_t low_ = 0, high_ = 0, tried_ = 0, step_ = 0;
};

}  // namespace

void matching_statistics(searcher const& rows, std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths) {
  if (begin > query.size() || lengths.size() > query.size() - begin)
    throw usage_error(fmt::format("wrong array size: matching statistics: {} lengths from offset {} of {} letters",
                                  lengths.size(), begin, query.size()));
  constexpr std::size_t max_walks = 64, min_letters = 64;
  std::size_t const count = std::clamp<std::size_t>(lengths.size() / min_letters, 1, max_walks);
  std::vector<statistics_walk> walks;
  for (std::size_t w = 0; w < count; ++w) {
    std::size_t const first = lengths.size() / count * w,
                      last = w + 1 == count ? lengths.size() : lengths.size() / count * (w + 1);
    walks.emplace_back(query, begin + first, lengths.subspan(first, last - first));
  }
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
