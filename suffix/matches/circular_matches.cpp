#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix/matches.hpp"
#include "suffix/text/circular.hpp"
#include "suffix/text/common_prefix.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::uint64_t base = 0x9e3779b97f4a7c15;
constexpr unsigned filter_bits = 16;
constexpr std::uint64_t statistics_letters = 12;  // random strings seldom share this number of letters

constexpr std::uint64_t letter_value(char letter) {
  return static_cast<unsigned char>(letter) + std::uint64_t{1};
}
constexpr std::size_t filter_place(std::uint64_t hash) {
  return std::size_t(hash * base >> (64 - filter_bits));
}

/// Returns how many letters, up to a limit, two rings share from an offset of each on, or before it if both are read backwards;
/// offsets then count from the end. A string is a ring as long as the limit does not reach over its end.
template <bool backwards>
std::uint64_t shared_by_rings(std::string_view x, std::uint64_t i, std::string_view y, std::uint64_t k, std::uint64_t limit) {
  std::uint64_t length = 0;
  while (length < limit) {
    std::uint64_t const turn = std::min({limit - length, x.size() - i, y.size() - k});
    std::uint64_t const agree = backwards
                                    ? common_suffix(x.data() + (x.size() - i), y.data() + (y.size() - k), std::size_t(turn))
                                    : common_prefix(x.data() + i, y.data() + k, std::size_t(turn));
    length += agree;
    if (agree < turn) break;
    if ((i += turn) == x.size()) i = 0;
    if ((k += turn) == y.size()) k = 0;
  }
  return length;
}

/// How many letters of a query a ring shares, for offsets of the query that do not descend. A string that is known to be shared
/// holds the letters of later ones, so that they are compared within the ring, where tandem repeats have few distances; each is
/// compared once. (The Z algorithm does so for one offset of the ring: Main and Lorentz, J. Algorithms 1984.)
/// @param backwards  both are read backwards, and offsets count from the end
template <bool backwards>
class shared_lengths {
 public:
  shared_lengths(std::string_view query, std::string_view ring) : query_(query), ring_(ring) {}

  /// Returns how many letters the query shares from i on with the ring from `offset` on.
  std::uint64_t operator()(std::uint64_t i, std::uint64_t offset) {
    std::uint64_t length = 0;
    bool const is_whole = settles(last_, i, offset, length) || settles(farthest_, i, offset, length);
    if (!is_whole)
      length +=
          shared_by_rings<backwards>(query_, i + length, ring_, (offset + length) % ring_.size(), query_.size() - (i + length));
    last_ = {i, offset, i + length};
    if (last_.end >= farthest_.end) farthest_ = last_;
    return length;
  }

 private:
  /// The query's letters [begin, end) are those of the ring from an offset on, and the next ones differ, if the query has one.
  struct shared_string {
    std::uint64_t begin = 0, offset = 0, end = 0;
  };
  /// The ring's letters [begin, end) are those of a distance after, and the next ones differ unless it is not known.
  struct run {
    std::uint64_t begin = 0, end = 0;
    bool is_whole = false;
  };

  /// Raises a length by a string that is known to be shared. Returns true if the match ends there.
  bool settles(shared_string const& known, std::uint64_t i, std::uint64_t offset, std::uint64_t& length) {
    if (known.end <= i + length) return false;
    std::uint64_t const here = (known.offset + (i - known.begin)) % ring_.size();
    std::uint64_t const distance = here < offset ? here + ring_.size() - offset : here - offset, rest = known.end - i;
    std::uint64_t const repeated = distance == 0 ? rest + 1 : shared_at_distance(offset, distance, rest + 1);
    length = std::min(repeated, rest);
    return repeated != rest || known.end == query_.size();
  }

  /// Returns how many letters from an offset on, up to a limit, are those of a distance after them.
  std::uint64_t shared_at_distance(std::uint64_t offset, std::uint64_t distance, std::uint64_t limit) {
    run& known = runs_[distance];
    auto const compare = [&](std::uint64_t from, std::uint64_t count) {
      std::uint64_t const size = ring_.size();
      return shared_by_rings<backwards>(ring_, from % size, ring_, (from + distance) % size, count);
    };
    if (offset < known.begin) {
      std::uint64_t const length = compare(offset, std::min(limit, known.begin - offset));
      if (length < known.begin - offset) return length;
      known.begin = offset;
    } else if (known.end <= offset) {
      known = {offset, offset};
    }
    if (!known.is_whole && known.end < offset + limit) {
      std::uint64_t const count = offset + limit - known.end, length = compare(known.end, count);
      known.end += length;
      known.is_whole = length < count;
    }
    return std::min(limit, known.end - offset);
  }

  std::string_view query_, ring_;
  shared_string last_, farthest_;
  std::unordered_map<std::uint64_t, run> runs_;  // keyed by distance
};

}  // namespace

/// The letters of a record that goes around.
struct ring_match_finder::ring {
  std::string_view letters;

  [[nodiscard]] char at(std::uint64_t offset) const { return letters[offset % letters.size()]; }
  /// Returns how many letters a string shares with those from an offset on.
  [[nodiscard]] std::uint64_t shared(std::string_view string, std::uint64_t offset) const {
    for (std::uint64_t i = 0, p = offset; i < string.size(); p = 0) {
      std::uint64_t const turn = std::min<std::uint64_t>(string.size() - i, letters.size() - p);
      std::uint64_t const length = common_prefix(string.data() + i, letters.data() + p, std::size_t(turn));
      i += length;
      if (length < turn) return i;
    }
    return string.size();
  }
  /// Returns the first offset from which `length` letters reach over the end.
  [[nodiscard]] std::uint64_t first_around(std::uint64_t length) const {
    return letters.size() - std::min<std::uint64_t>(letters.size(), length - 1);
  }
};

/// A string of a query that is that of a window, as far as hashes tell.
struct ring_match_finder::hit {
  std::size_t record;
  std::uint64_t offset, query_begin, left;  // how many letters before it are in its match
};

ring_match_finder::ring_match_finder(text const& input, std::vector<bool> circular, std::uint64_t min_length)
    : input_(input),
      circular_(std::move(circular)),
      length_(std::max<std::uint64_t>(min_length, 2)),
      filter_(std::size_t{1} << filter_bits) {
  if (min_length == 0) throw usage_error("invalid minimum length: matches: 0: a match has at least one letter");
  detail::check_circular(input, circular_.size());
  for (std::uint64_t i = 1; i < length_; ++i) leading_ *= base;
  for (std::size_t record = 0; record < circular_.size(); ++record) {
    if (!circular_[record] || input.begin(record) == input.end(record)) continue;
    ring const ring = ring_at(record);
    std::uint64_t const first = ring.first_around(length_);
    std::uint64_t hash = 0;
    for (std::uint64_t i = 0; i < length_; ++i) hash = hash * base + letter_value(ring.at(first + i));
    for (std::uint64_t offset = first; offset < ring.letters.size(); ++offset) {
      windows_.push_back({hash, record, offset});
      filter_[filter_place(hash)] = true;
      hash = (hash - letter_value(ring.at(offset)) * leading_) * base + letter_value(ring.at(offset + length_));
    }
  }
  std::ranges::sort(windows_, [&](window const& a, window const& b) {
    return a.hash != b.hash ? a.hash < b.hash : letter_before(a) < letter_before(b);
  });
}

// Returns the letter before a window, and first_window for a record's first one.
int ring_match_finder::letter_before(window const& window) const {
  ring const around = ring_at(window.record);
  return window.offset == around.first_around(length_) ? first_window
                                                       : static_cast<unsigned char>(around.letters[window.offset - 1]);
}

ring_match_finder::ring ring_match_finder::ring_at(std::size_t record) const {
  std::size_t const begin = input_.begin(record);
  return {input_.residues.substr(begin, input_.end(record) - begin)};
}

// Calls take(offset, windows) for the strings of the query that begin at the offsets [begin, end) and have the hash of windows.
template <class F>
void ring_match_finder::each_window(std::string_view query, std::uint64_t begin, std::uint64_t end, F take) const {
  end = std::min<std::uint64_t>(end, query.size() - std::min<std::uint64_t>(query.size(), length_ - 1));
  if (begin >= end || windows_.empty()) return;
  std::uint64_t hash = 0;
  for (std::uint64_t i = begin; i < begin + length_; ++i) hash = hash * base + letter_value(query[i]);
  for (std::uint64_t i = begin;; ++i) {
    if (filter_[filter_place(hash)]) {
      auto const it =
          std::lower_bound(windows_.begin(), windows_.end(), hash, [](window const& a, std::uint64_t b) { return a.hash < b; });
      if (it != windows_.end() && it->hash == hash) take(i, std::span<window const>(it, windows_.end()));
    }
    if (i + 1 == end) return;
    hash = (hash - letter_value(query[i]) * leading_) * base + letter_value(query[i + length_]);
  }
}

// Several windows of one match reach over the end. The first one of the first turn reports the match. A window that is not the
// first of its record can only be that one if the match begins with it. The query has the same letter before most windows of a
// tandem repeat as the ring has; these windows are passed over together.
void ring_match_finder::find(std::string_view query, std::uint64_t begin, std::uint64_t end,
                             std::vector<match>& matches) const {
  std::vector<hit> hits;
  each_window(query, begin, end, [&](std::uint64_t i, std::span<window const> windows) {
    int const before = i == 0 ? first_window : static_cast<unsigned char>(query[i - 1]);
    std::uint64_t const hash = windows.front().hash;
    for (auto it = windows.begin(); it != windows.end() && it->hash == hash;) {
      int const letter = letter_before(*it);
      if (letter != first_window && letter == before) {
        it = std::partition_point(it, windows.end(),
                                  [&](window const& other) { return other.hash == hash && letter_before(other) == letter; });
      } else {
        hits.push_back({it->record, it->offset, i, 0});
        ++it;
      }
    }
  });
  std::ranges::stable_sort(hits, {}, &hit::record);
  for (auto it = hits.begin(); it != hits.end();) {
    std::size_t const record = it->record;
    auto const last = std::find_if(it, hits.end(), [&](hit const& other) { return other.record != record; });
    find_of_record(query, {it, last}, matches);
    it = last;
  }
}

// Appends the matches of the hits of a record.
void ring_match_finder::find_of_record(std::string_view query, std::span<hit> hits, std::vector<match>& matches) const {
  ring const around = ring_at(hits.front().record);
  std::uint64_t const first = around.first_around(length_), size = around.letters.size();
  shared_lengths<true> shared_before(query, around.letters);
  for (std::size_t h = hits.size(); h-- > 0;)
    if (hit& hit = hits[h]; hit.offset == first)
      hit.left = shared_before(query.size() - hit.query_begin, first == 0 ? 0 : size - first);
  shared_lengths<false> shared(query, around.letters);
  std::uint64_t const begin = input_.begin(hits.front().record);
  for (hit const& hit : hits) {
    if (hit.left > hit.offset) continue;  // found by a later turn
    std::uint64_t const right = shared(hit.query_begin, hit.offset);
    if (right >= length_) matches.push_back({hit.query_begin - hit.left, begin + hit.offset - hit.left, hit.left + right});
  }
}

// The window at the begin of an occurrence counts it, or the first window of the record.
std::uint64_t ring_match_finder::count(std::string_view string) const {
  std::uint64_t result = 0;
  each_window(string, 0, string.size(), [&](std::uint64_t i, std::span<window const> windows) {
    std::uint64_t const hash = windows.front().hash;
    for (window const& window : windows) {
      if (window.hash != hash) break;
      bool const is_first = letter_before(window) == first_window;
      if (i != 0 && !is_first) break;
      if (i != 0 && window.offset < i) continue;
      if (ring_at(window.record).shared(string, window.offset - i) == string.size()) ++result;
    }
  });
  return result;
}

bool ring_match_finder::goes_on(std::string_view query, match const& match) const {
  std::size_t const record = input_.record_at(match.position);
  if (!circular_[record]) return false;
  std::string_view const letters = ring_at(record).letters;
  std::uint64_t const begin = match.position - input_.begin(record), query_end = match.query_begin + match.length;
  return (begin + match.length == letters.size() && query_end < query.size() && query[query_end] == letters.front()) ||
         (begin == 0 && match.query_begin != 0 && query[match.query_begin - 1] == letters.back());
}

ring_statistics::ring_statistics(text const& input, std::vector<bool> circular)
    : rings_(input, std::move(circular), statistics_letters), sorted_(rings_.windows_) {
  using window = ring_match_finder::window;
  std::ranges::sort(sorted_, [&](window const& a, window const& b) {
    ring_match_finder::ring const x = rings_.ring_at(a.record), y = rings_.ring_at(b.record);
    std::uint64_t i = 0;
    while (i < statistics_letters && x.at(a.offset + i) == y.at(b.offset + i)) ++i;
    return i < statistics_letters &&
           static_cast<unsigned char>(x.at(a.offset + i)) < static_cast<unsigned char>(y.at(b.offset + i));
  });
}

void ring_statistics::lengthen(std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths) const {
  if (sorted_.empty() || lengths.empty()) return;
  // The part of a string before the end of a record occurs within it. So the string's first window over the end begins in it or
  // after it.
  std::uint64_t const end = begin + lengths.size();
  std::uint64_t last = end;
  for (std::uint64_t i = begin; i < end; ++i) last = std::max(last, i + lengths[i - begin] + 1);
  lengthen_short(query, begin, lengths);
  // Ends of matches by the position at which they would begin at offset 0: windows of a match share it.
  std::unordered_map<std::uint64_t, std::uint64_t> ends;
  rings_.each_window(query, begin, last, [&](std::uint64_t i, std::span<ring_match_finder::window const> windows) {
    std::uint64_t const hash = windows.front().hash;
    for (ring_match_finder::window const& window : windows) {
      if (window.hash != hash) break;
      ring_match_finder::ring const around = rings_.ring_at(window.record);
      std::uint64_t const size = around.letters.size();
      std::uint64_t& match_end = ends[rings_.input_.begin(window.record) + (window.offset + size - i % size) % size];
      if (match_end < i + rings_.length_) match_end = i + around.shared(query.substr(i), window.offset);
      if (match_end < i + rings_.length_) continue;
      std::uint64_t const room = window.offset == around.first_around(rings_.length_) ? std::min(window.offset, i - begin) : 0;
      for (std::uint64_t left = 0;; ++left) {
        std::uint64_t const at = i - left;
        if (at < end) lengths[at - begin] = std::max(lengths[at - begin], match_end - at);
        if (left == room || query[at - 1] != around.letters[window.offset - left - 1]) break;
      }
    }
  });
}

// Strings of fewer letters than a window begin one.
void ring_statistics::lengthen_short(std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths) const {
  for (std::uint64_t i = begin; i < begin + lengths.size(); ++i) {
    std::uint64_t& length = lengths[i - begin];
    std::string_view const string = query.substr(i, rings_.length_ - 1);
    if (length >= string.size()) continue;
    auto const next = std::partition_point(sorted_.begin(), sorted_.end(), [&](ring_match_finder::window const& window) {
      ring_match_finder::ring const around = rings_.ring_at(window.record);
      std::uint64_t const shared = around.shared(string, window.offset);
      return shared < string.size() &&
             static_cast<unsigned char>(around.at(window.offset + shared)) < static_cast<unsigned char>(string[shared]);
    });
    // The neighbours share most with the string.
    if (next != sorted_.end()) length = std::max(length, rings_.ring_at(next->record).shared(string, next->offset));
    if (next != sorted_.begin()) length = std::max(length, rings_.ring_at(next[-1].record).shared(string, next[-1].offset));
  }
}

}  // namespace ordo::inline v0::suffix
