#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix/matches.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::uint64_t base = 0x9e3779b97f4a7c15;
constexpr unsigned filter_bits = 16;

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

void ring_match_finder::find(std::string_view query, std::uint64_t begin, std::uint64_t end,
                             std::vector<match>& matches) const {
  end = std::min<std::uint64_t>(end, query.size() - std::min<std::uint64_t>(query.size(), length_ - 1));
  if (begin >= end || windows_.empty()) return;
  std::uint64_t hash = 0;
  for (std::uint64_t i = begin; i < begin + length_; ++i) hash = hash * base + value_of(query[i]);
  for (std::uint64_t i = begin;; ++i) {
    if (filter_[filter_place(hash)]) add_at(query, i, hash, matches);
    if (i + 1 == end) return;
    hash = (hash - value_of(query[i]) * leading_) * base + value_of(query[i + length_]);
  }
}

// Of the windows of a match that reach over the end in one turn, the first one finds it, if it is of the first turn.
void ring_match_finder::add_at(std::string_view query, std::uint64_t i, std::uint64_t hash, std::vector<match>& matches) const {
  for (auto one = std::ranges::lower_bound(windows_, hash, {}, &window::hash); one != windows_.end() && one->hash == hash;
       ++one) {
    ring const around = ring_of(one->record);
    std::uint64_t right = 0;
    while (i + right < query.size() && query[i + right] == around.at(one->offset + right)) ++right;
    if (right < length_) continue;
    std::uint64_t const room = one->offset == around.first_around(length_) ? one->offset + 1 : 1;
    std::uint64_t left = 0;
    while (left < std::min(room, i) && query[i - left - 1] == around.at(one->offset + around.letters.size() - left - 1)) ++left;
    if (left == room) continue;
    matches.push_back({i - left, input_.begin_of(one->record) + one->offset - left, left + right});
  }
}

bool ring_match_finder::goes_on(std::string_view query, match const& one) const {
  std::size_t const record = input_.record_of(one.position);
  if (!circular_[record]) return false;
  std::string_view const letters = ring_of(record).letters;
  std::uint64_t const begin = one.position - input_.begin_of(record), query_end = one.query_begin + one.length;
  return (begin + one.length == letters.size() && query_end < query.size() && query[query_end] == letters.front()) ||
         (begin == 0 && one.query_begin != 0 && query[one.query_begin - 1] == letters.back());
}

}  // namespace ordo::inline v0::suffix
