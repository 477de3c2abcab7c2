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
      place const at = place_of(positions[k]);
      std::uint64_t const left = left_of(i, at);
      if (!is_mine(i, left)) continue;
      add_match(i, positions[k], left, right_of(i, at, std::numeric_limits<std::uint64_t>::max()));
    }
  }

  /// Adds the same matches without a look at each occurrence of the string of k letters.
  void add_by_searches(std::uint64_t i) {
    std::uint64_t const first = std::max(begin_, i + 1 - std::min(i + 1, all_.period_)), last = std::min(i + 1, end_);
    for (std::uint64_t j = first; j < last; ++j) add_from(j);
  }

 private:
  struct place {
    std::uint64_t begin, position, end;  // of the record
  };
  struct occurrence {
    std::uint64_t position, right;
    std::uint64_t left;
  };

  void prefetch(std::span<std::uint64_t const> positions, std::size_t k) const {
    constexpr std::size_t ahead = 8;
    if (k + ahead < positions.size()) __builtin_prefetch(all_.input_.residues.data() + positions[k + ahead]);
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
  void add_rare(std::uint64_t i, std::span<std::uint64_t const> positions, std::size_t first, std::size_t last) {
    std::uint64_t const limit = all_.options_.max_occurrences;
    all_of_.clear();
    std::uint64_t max_right = 0;
    for (std::size_t k = first; k < last; ++k) {
      prefetch(positions, k);
      place const at = place_of(positions[k]);
      std::uint64_t const left = left_of(i, at);
      std::uint64_t const right = is_mine(i, left) ? right_of(i, at, std::numeric_limits<std::uint64_t>::max()) : 0;
      if (left + right >= all_.options_.min_length) max_right = std::max(max_right, right);
      all_of_.push_back({positions[k], right, left});
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

  // Adds the matches that begin at offset j.
  void add_from(std::uint64_t j) {
    std::uint64_t const length = all_.options_.min_length;
    if (length > query_.size() - j) return;
    std::string_view const string = query_.substr(j, length);
    row_range const rows = all_.rows_.find(string);
    if (j == 0) return each_of(rows, [&](std::uint64_t p) { add_at(j, p); });
    auto const continues = [&](std::uint64_t p) {
      return p != place_of(p).begin && all_.input_.residues[p - 1] == query_[j - 1];
    };
    if (rows.size() <= 8 * all_.letters_.size())
      return each_of(rows, [&](std::uint64_t p) {
        if (!continues(p)) add_at(j, p);
      });
    // Each occurrence is behind a letter or at the start of a record.
    std::string pattern(1, '\0');
    pattern += string;
    std::size_t behind_letters = 0;
    for (char const letter : all_.letters_) {
      pattern[0] = letter;
      row_range const some = all_.rows_.find(pattern);
      behind_letters += some.size();
      if (letter != query_[j - 1])
        each_of(some, [&](std::uint64_t p) {
          if (p + 1 < all_.input_.size()) add_at(j, p + 1);
        });
    }
    if (behind_letters == rows.size()) return;
    if (all_.input_.records() > rows.size())
      return each_of(rows, [&](std::uint64_t p) {
        if (p == place_of(p).begin) add_at(j, p);
      });
    for (std::size_t r = 0; r < all_.input_.records(); ++r)
      if (std::uint64_t const begin = all_.input_.begin_of(r);
          all_.input_.end_of(r) - begin >= length && all_.input_.residues.substr(begin, length) == string)
        add_at(j, begin);
  }

  template <class F>
  void each_of(row_range rows, F take) {
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
    std::uint64_t const length = right_of(j, place_of(p), std::numeric_limits<std::uint64_t>::max());
    if (length < all_.options_.min_length) return;
    if (all_.options_.max_occurrences == 0 || is_rare(j, j + length)) matches_.push_back({j, p, length});
  }
  // Returns whether a string of the query occurs at most as often as wanted. A string within a frequent one is frequent, and
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
  fm_index::interval rows = fm->all_rows();
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
  std::uint64_t const last = std::min(end - 1 + period_ - 1, query.size() - kmer_length_);
  constexpr std::size_t batch = 512, max_rows = 8192;
  std::array<std::string_view, batch> kmers;
  std::array<row_range, batch> found;
  extension extend(*this, query, begin, end, matches);
  std::uint64_t const many_rows = extend.many_rows();
  struct list {
    std::uint64_t offset;
    std::size_t first, last;  // of its rows
  };
  std::vector<list> lists;
  std::vector<std::uint64_t> rows;
  auto const flush = [&] {
    rows_.positions(rows);
    for (list const& one : lists) extend.add(one.offset, rows, one.first, one.last);
    lists.clear();
    rows.clear();
  };
  for (std::uint64_t i = (begin + step_ - 1) / step_ * step_; i <= last;) {
    std::uint64_t const first = i;
    std::size_t count = 0;
    for (; count < batch && i <= last; ++count, i += step_) kmers[count] = query.substr(i, kmer_length_);
    rows_.find(std::span(kmers).first(count), std::span(found).first(count));
    for (std::size_t k = 0; k < count; ++k) {
      std::uint64_t const offset = first + k * step_;
      if (found[k].size() > many_rows) {
        extend.add_by_searches(offset);
        continue;
      }
      for (std::size_t row = found[k].begin; row < found[k].end;) {
        // Limits of occurrences need all rows at once.
        std::size_t const some =
            options_.max_occurrences != 0 ? found[k].size() : std::min(found[k].end - row, max_rows - rows.size());
        lists.push_back({offset, rows.size(), rows.size() + some});
        for (std::size_t left = some; left != 0; --left) rows.push_back(row++);
        if (rows.size() >= max_rows) flush();
      }
    }
    flush();
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

void keep_unique_in_query(std::vector<match>& matches, text const& input, std::vector<bool> const& circular) {
  // A string occurs again in the query if another match of the text's only occurrence includes it. What a match has of a
  // circular record's next turn includes other matches, too.
  struct part {
    match at;
    std::size_t record, of;  // of: the match that it is; or matches.size()
  };
  std::vector<part> parts;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    match const& one = matches[i];
    std::size_t const record = circular.empty() ? 0 : input.record_of(one.position);
    parts.push_back({one, record, i});
    if (circular.empty() || !circular[record]) continue;
    std::uint64_t const first_turn = input.end_of(record) - one.position;
    if (one.length > first_turn)
      parts.push_back(
          {{one.query_begin, input.begin_of(record), one.length - first_turn, one.reverse}, record, matches.size()});
  }
  std::ranges::sort(parts, [&](part const& a, part const& b) {
    auto const order = [&](part const& one) {
      return std::tuple(one.at.reverse, one.record, one.at.position, ~one.at.length, one.of != matches.size(), one.of);
    };
    return order(a) < order(b);
  });
  std::vector<bool> repeated(matches.size());
  part const* widest = nullptr;  // of those so far, the one that ends last
  for (part const& one : parts) {
    if (widest && widest->at.reverse == one.at.reverse && widest->record == one.record &&
        widest->at.position + widest->at.length >= one.at.position + one.at.length) {
      bool const are_equal = widest->at.position == one.at.position && widest->at.length == one.at.length;
      if (one.of != matches.size()) repeated[one.of] = true;
      if (are_equal && widest->of != matches.size()) repeated[widest->of] = true;
      continue;
    }
    widest = &one;
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
  statistics_walk(std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths)
      : query_(query), begin_(begin), lengths_(lengths), at_(begin), end_(begin), last_search_(begin) {}

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
      repeat();
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
  periodic_part part_;
  std::uint64_t last_search_ = 0;  // the offset of the last match that was searched for
};

/// Computes the matching statistics of a part of a query by an FM index, from the last offset to the first, in steps of
/// backward search.
class backward_walk {
 public:
  backward_walk(searcher const& rows, std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths)
      : rows_(&rows), fm_(rows.fm()), query_(query), begin_(begin), lengths_(lengths), left_(lengths.size()) {
    if (left_ != 0) search(query.size() + 1);
  }

  [[nodiscard]] bool has_ended() const noexcept { return left_ == 0; }

  /// Takes a step, and prefetches what the next one reads.
  void step() {
    if (stage_ == stage::extend) {
      fm_index::interval const longer = fm_->before(query_[at()], rows_of_match_);
      if (longer.empty())
        search(end_);
      else
        settle(end_, longer);
    } else {
      rows_of_tried_ = fm_->before(query_[--tried_at_], rows_of_tried_);
      if (rows_of_tried_.empty())
        fail();
      else if (tried_at_ == at())
        succeed();
    }
    fm_->prefetch(stage_ == stage::extend ? rows_of_match_ : rows_of_tried_);
  }

 private:
  // extend: prepend a letter to the match. Else try an end: the last possible one (last), ends at growing distances (gallop),
  // or one halfway (halve); after the first distance, the last one (tail).
  enum class stage { extend, last, gallop, tail, halve };
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
    stage_ = high <= query_.size() && high - low_ <= short_match ? stage::last : stage::gallop;
    try_next();
  }
  void try_next() {
    if (high_ - low_ <= 1) return settle(low_, rows_of_low_);
    std::uint64_t const end = stage_ == stage::halve    ? low_ + (high_ - low_) / 2
                              : stage_ == stage::gallop ? at() + step_
                                                        : high_ - 1;
    tried_ = tried_at_ = std::clamp(end, low_ + 1, high_ - 1);
    rows_of_tried_ = fm_->all_rows();
  }
  void fail() {
    high_ = tried_;
    stage_ = stage_ == stage::tail ? stage::gallop : stage::halve;
    try_next();
  }
  void succeed() {
    low_ = tried_;
    rows_of_low_ = rows_of_tried_;
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
      length[k] = common_prefix(query_.data() + at(), input.residues.data() + p, std::min(room, query_.size() - at()));
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
    char const *const a = query_.data() + at(), *const b = input.residues.data() + p;
    std::uint64_t const length = known + common_prefix(a + known, b + known, room - known);
    if (is_less)
      *is_less = length < room ? static_cast<unsigned char>(b[length]) < static_cast<unsigned char>(a[length]) : left < wanted;
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
void run_walks(searcher const& rows, std::vector<statistics_walk> walks) {
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

void matching_statistics(searcher const& rows, std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths) {
  if (begin > query.size() || lengths.size() > query.size() - begin)
    throw usage_error(fmt::format("wrong array size: matching statistics: {} lengths from offset {} of {} letters",
                                  lengths.size(), begin, query.size()));
  constexpr std::size_t max_walks = 64, min_letters = 64;
  std::size_t const count = std::clamp<std::size_t>(lengths.size() / min_letters, 1, max_walks);
  auto const first_of = [&](std::size_t w) { return w == count ? lengths.size() : lengths.size() / count * w; };
  if (rows.fm()) {
    std::size_t w = 0;
    return run_walks<backward_walk>([&]() -> std::optional<backward_walk> {
      if (w == count) return std::nullopt;
      std::size_t const first = first_of(w), last = first_of(++w);
      return backward_walk(rows, query, begin + first, lengths.subspan(first, last - first));
    });
  }
  std::vector<statistics_walk> walks;
  for (std::size_t w = 0; w < count; ++w)
    walks.emplace_back(query, begin + first_of(w), lengths.subspan(first_of(w), first_of(w + 1) - first_of(w)));
  run_walks(rows, std::move(walks));
}

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
