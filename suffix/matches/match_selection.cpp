#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "ordo/suffix/matches.hpp"
#include "suffix/text/circular.hpp"

namespace ordo::inline v0::suffix {
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
  if (!circular.empty()) detail::check_circular(input, circular.size());
  // A string occurs again in the query if another match of the text's only occurrence includes it. What a match has of a
  // circular record's next turn includes other matches, too.
  struct part {
    match at;
    std::size_t record, of;  // of: the match that it is; or matches.size()
  };
  std::vector<part> parts;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    match const& match = matches[i];
    std::size_t const record = circular.empty() ? 0 : input.record_at(match.position);
    parts.push_back({match, record, i});
    if (circular.empty() || !circular[record]) continue;
    std::uint64_t const first_turn = input.end(record) - match.position;
    if (match.length > first_turn)
      parts.push_back(
          {{match.query_begin, input.begin(record), match.length - first_turn, match.reverse}, record, matches.size()});
  }
  std::ranges::sort(parts, [&](part const& a, part const& b) {
    auto const order = [&](part const& part) {
      return std::tuple(part.at.reverse, part.record, part.at.position, ~part.at.length, part.of != matches.size(), part.of);
    };
    return order(a) < order(b);
  });
  std::vector<bool> repeated(matches.size());
  part const* widest = nullptr;  // the part so far that ends last
  for (part const& part : parts) {
    if (widest && widest->at.reverse == part.at.reverse && widest->record == part.record &&
        widest->at.position + widest->at.length >= part.at.position + part.at.length) {
      bool const are_equal = widest->at.position == part.at.position && widest->at.length == part.at.length;
      if (part.of != matches.size()) repeated[part.of] = true;
      if (are_equal && widest->of != matches.size()) repeated[widest->of] = true;
      continue;
    }
    widest = &part;
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
    match const& current = matches[i];
    if (widest) {
      match const& other = matches[*widest];
      bool const equal = other.query_begin == current.query_begin && other.length == current.length;
      if (!equal && other.query_begin + other.length >= current.query_begin + current.length) {
        inside[i] = true;
        continue;
      }
    }
    widest = i;
  }
  erase_marked(matches, inside);
}

}  // namespace ordo::inline v0::suffix
