// A text of few letters, and a query. The suffix array is that of a plain sort, and maximal matches, counts and matching
// statistics are those of their definitions.
#include <numeric>
#include <tuple>

#include "fuzz/fuzz.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/matches.hpp"
#include "ordo/suffix/search.hpp"

using namespace ordo;

namespace {

// Returns the number of equal letters from an offset of the query and a position of the text on, within the record.
std::uint64_t count_equal(suffix::text const& text, std::string_view query, std::size_t i, std::size_t p) {
  std::size_t const end = text.end(text.record_at(p));
  std::uint64_t length = 0;
  while (i + length < query.size() && p + length < end && query[i + length] == text.residues[p + length]) ++length;
  return length;
}

std::vector<std::uint32_t> plain_suffix_array(suffix::text const& text) {
  std::vector<std::uint32_t> sa(text.size());
  std::iota(sa.begin(), sa.end(), 0u);
  std::ranges::sort(sa, {},
                    [&](std::uint32_t p) { return std::tuple(text.residues.substr(p, text.end(text.record_at(p)) - p), p); });
  return sa;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr std::size_t max_letters = 400;
  fuzz::fuzzed_bytes bytes(data, size);
  std::size_t const option = bytes.number(256), min_length = 1 + bytes.number(20), query_letters = bytes.number(200);
  std::string const letters = option & 1 ? "AC" : option & 2 ? "ACGTN" : "ACGT";
  // Few letters make long matches; a high bit begins a record.
  std::string residues;
  std::vector<std::uint64_t> starts{0};
  for (char const c : bytes.rest().substr(0, max_letters)) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0xF0 && residues.size() != starts.back()) starts.push_back(residues.size());
    residues += letters[byte % letters.size()];
  }
  std::string const query = residues.substr(residues.size() - std::min(residues.size(), query_letters));
  residues.resize(residues.size() - query.size());
  while (starts.size() > 1 && starts.back() >= residues.size()) starts.pop_back();
  suffix::text const text{residues, starts};

  suffix::build_options build;
  build.machine = fuzz::one_thread();
  auto const sa = suffix::build<std::uint32_t>(text, suffix::extra_arrays{}, build).sa;
  fuzz::require(std::ranges::equal(sa, plain_suffix_array(text)), "the suffix array is that of a plain sort");
  if (residues.empty()) return 0;
  suffix::entries const entries = std::span<std::uint32_t const>(sa);
  auto const file = suffix::make_fm_index(text, entries, 1 + option / 4 % 8, "sa", 1);
  suffix::fm_index const fm(file, text, "fm");
  std::vector<suffix::match> expected;
  std::vector<std::uint64_t> longest(query.size()), lengths(query.size());
  for (std::size_t i = 0; i < query.size(); ++i)
    for (std::size_t p = 0; p < text.size(); ++p) {
      std::uint64_t const length = count_equal(text, query, i, p);
      longest[i] = std::max(longest[i], length);
      bool const is_first = i == 0 || p == text.begin(text.record_at(p)) || query[i - 1] != residues[p - 1];
      if (is_first && length >= min_length) expected.push_back({i, p, length});
    }
  suffix::searcher const by_array(text, entries, "sa"), by_fm(fm, text);
  for (suffix::searcher const* const rows : {&by_array, &by_fm}) {
    suffix::match_finder const finder(text, *rows, {}, {min_length, 0, option & 128 ? 0u : 64u});
    fuzz::require(finder.find(query) == expected, "matches are those of the definition");
    suffix::matching_statistics(*rows, query, 0, lengths);
    fuzz::require(lengths == longest, "matching statistics are those of the definition");
    std::string_view const pattern = std::string_view(query).substr(0, min_length);
    if (pattern.empty()) continue;
    std::vector<std::uint64_t> positions;
    for (std::size_t p = 0; p < text.size(); ++p)
      if (count_equal(text, pattern, 0, p) == pattern.size()) positions.push_back(p);
    auto occurrences = rows->locate(pattern);
    std::ranges::sort(occurrences);
    fuzz::require(std::ranges::equal(occurrences, positions), "a string is found wherever it is");
  }
  return 0;
}
