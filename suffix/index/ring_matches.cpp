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
#include "suffix/index/common_prefix.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::uint64_t base = 0x9e3779b97f4a7c15;
constexpr unsigned filter_bits = 16;
constexpr std::uint64_t statistics_letters = 12;  // few random strings share so many

constexpr std::uint64_t value_of(char letter) {
  return static_cast<unsigned char>(letter) + std::uint64_t{1};
}
constexpr std::size_t filter_place(std::uint64_t hash) {
  return std::size_t(hash * base >> (64 - filter_bits));
}

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

ring_match_finder::ring_match_finder(text const& input, std::vector<bool> circular, std::uint64_t min_length)
    : input_(input),
      circular_(std::move(circular)),
      length_(std::max<std::uint64_t>(min_length, 2)),
      filter_(std::size_t{1} << filter_bits) {
  if (min_length == 0) throw usage_error("invalid minimum length: matches: 0: a match has at least one letter");
  for (std::uint64_t i = 1; i < length_; ++i) leading_ *= base;
  for (std::size_t record = 0; record < circular_.size(); ++record) {
    if (!circular_[record] || input.begin_of(record) == input.end_of(record)) continue;
    ring const one = ring_of(record);
    std::uint64_t const first = one.first_around(length_);
    std::uint64_t hash = 0;
    for (std::uint64_t i = 0; i < length_; ++i) hash = hash * base + value_of(one.at(first + i));
    for (std::uint64_t offset = first; offset < one.letters.size(); ++offset) {
      windows_.push_back({hash, record, offset});
      filter_[filter_place(hash)] = true;
      hash = (hash - value_of(one.at(offset)) * leading_) * base + value_of(one.at(offset + length_));
    }
  }
  std::ranges::sort(windows_, {}, &window::hash);
}

ring_match_finder::ring ring_match_finder::ring_of(std::size_t record) const {
  std::size_t const begin = input_.begin_of(record);
  return {input_.residues.substr(begin, input_.end_of(record) - begin)};
}

// Calls take(offset, window) for the strings of the query that begin at the offsets [begin, end) and have a window's hash.
template <class F>
void ring_match_finder::each_window(std::string_view query, std::uint64_t begin, std::uint64_t end, F take) const {
  end = std::min<std::uint64_t>(end, query.size() - std::min<std::uint64_t>(query.size(), length_ - 1));
  if (begin >= end || windows_.empty()) return;
  std::uint64_t hash = 0;
  for (std::uint64_t i = begin; i < begin + length_; ++i) hash = hash * base + value_of(query[i]);
  for (std::uint64_t i = begin;; ++i) {
    if (filter_[filter_place(hash)])
      for (auto one = std::ranges::lower_bound(windows_, hash, {}, &window::hash); one != windows_.end() && one->hash == hash;
           ++one)
        take(i, *one);
    if (i + 1 == end) return;
    hash = (hash - value_of(query[i]) * leading_) * base + value_of(query[i + length_]);
  }
}

// Of the windows of a match that reach over the end in one turn, the first one finds it, if it is of the first turn.
void ring_match_finder::find(std::string_view query, std::uint64_t begin, std::uint64_t end,
                             std::vector<match>& matches) const {
  each_window(query, begin, end, [&](std::uint64_t i, window const& one) {
    ring const around = ring_of(one.record);
    // Most windows of a tandem repeat go on to the left, and need no look to the right.
    std::uint64_t const room = one.offset == around.first_around(length_) ? one.offset + 1 : 1;
    std::uint64_t left = 0;
    while (left < std::min(room, i) && query[i - left - 1] == around.at(one.offset + around.letters.size() - left - 1)) ++left;
    if (left == room) return;
    std::uint64_t const right = around.shared(query.substr(i), one.offset);
    if (right < length_) return;
    matches.push_back({i - left, input_.begin_of(one.record) + one.offset - left, left + right});
  });
}

// The window at the begin of an occurrence counts it, or the first window of the record.
std::uint64_t ring_match_finder::count(std::string_view string) const {
  std::uint64_t result = 0;
  each_window(string, 0, string.size(), [&](std::uint64_t i, window const& one) {
    ring const around = ring_of(one.record);
    if (i != 0 && (one.offset != around.first_around(length_) || one.offset < i)) return;
    if (around.shared(string, one.offset - i) == string.size()) ++result;
  });
  return result;
}

bool ring_match_finder::goes_on(std::string_view query, match const& one) const {
  std::size_t const record = input_.record_of(one.position);
  if (!circular_[record]) return false;
  std::string_view const letters = ring_of(record).letters;
  std::uint64_t const begin = one.position - input_.begin_of(record), query_end = one.query_begin + one.length;
  return (begin + one.length == letters.size() && query_end < query.size() && query[query_end] == letters.front()) ||
         (begin == 0 && one.query_begin != 0 && query[one.query_begin - 1] == letters.back());
}

ring_statistics::ring_statistics(text const& input, std::vector<bool> circular)
    : rings_(input, std::move(circular), statistics_letters), sorted_(rings_.windows_) {
  using window = ring_match_finder::window;
  std::ranges::sort(sorted_, [&](window const& a, window const& b) {
    ring_match_finder::ring const x = rings_.ring_of(a.record), y = rings_.ring_of(b.record);
    std::uint64_t i = 0;
    while (i < statistics_letters && x.at(a.offset + i) == y.at(b.offset + i)) ++i;
    return i < statistics_letters &&
           static_cast<unsigned char>(x.at(a.offset + i)) < static_cast<unsigned char>(y.at(b.offset + i));
  });
}

void ring_statistics::lengthen(std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths) const {
  if (sorted_.empty() || lengths.empty()) return;
  // The part of a string before the end of a record occurs within it. So the string's first window over the end begins in it or
  // behind it.
  std::uint64_t const end = begin + lengths.size();
  std::uint64_t last = end;
  for (std::uint64_t i = begin; i < end; ++i) last = std::max(last, i + lengths[i - begin] + 1);
  lengthen_short(query, begin, lengths);
  // Ends of matches by the position at which they would begin at offset 0: windows of a match share it.
  std::unordered_map<std::uint64_t, std::uint64_t> ends;
  rings_.each_window(query, begin, last, [&](std::uint64_t i, ring_match_finder::window const& one) {
    ring_match_finder::ring const around = rings_.ring_of(one.record);
    std::uint64_t const size = around.letters.size();
    std::uint64_t& match_end = ends[rings_.input_.begin_of(one.record) + (one.offset + size - i % size) % size];
    if (match_end < i + rings_.length_) match_end = i + around.shared(query.substr(i), one.offset);
    if (match_end < i + rings_.length_) return;
    std::uint64_t const room = one.offset == around.first_around(rings_.length_) ? std::min(one.offset, i - begin) : 0;
    for (std::uint64_t left = 0;; ++left) {
      std::uint64_t const at = i - left;
      if (at < end) lengths[at - begin] = std::max(lengths[at - begin], match_end - at);
      if (left == room || query[at - 1] != around.letters[one.offset - left - 1]) return;
    }
  });
}

// Strings of fewer letters than a window begin one.
void ring_statistics::lengthen_short(std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths) const {
  for (std::uint64_t i = begin; i < begin + lengths.size(); ++i) {
    std::uint64_t& length = lengths[i - begin];
    std::string_view const string = query.substr(i, rings_.length_ - 1);
    if (length >= string.size()) continue;
    auto const next = std::partition_point(sorted_.begin(), sorted_.end(), [&](ring_match_finder::window const& one) {
      ring_match_finder::ring const around = rings_.ring_of(one.record);
      std::uint64_t const shared = around.shared(string, one.offset);
      return shared < string.size() &&
             static_cast<unsigned char>(around.at(one.offset + shared)) < static_cast<unsigned char>(string[shared]);
    });
    // The neighbours share most with the string.
    if (next != sorted_.end()) length = std::max(length, rings_.ring_of(next->record).shared(string, next->offset));
    if (next != sorted_.begin()) length = std::max(length, rings_.ring_of(next[-1].record).shared(string, next[-1].offset));
  }
}

}  // namespace ordo::inline v0::suffix
