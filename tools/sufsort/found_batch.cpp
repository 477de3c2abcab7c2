#include "tools/sufsort/found_batch.hpp"

#include <numeric>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::sufsort {

searched_index::searched_index(std::string const& prefix)
    : stored(prefix),
      input(stored.view()),
      pieces(stored.pieces()),
      search(input, stored.array("sa"), stored.path("sa"), stored.kmers()),
      both_strands(stored.description().policy.strands == suffix::strands::both),
      thymine(occurs('T')),
      uracil(occurs('U')),
      other_strand(uracil && !thymine) {
  if (suffix::row_selection const rows = stored.description().policy.rows(); !rows.all()) sparse.emplace(input, search, rows);
}

bool searched_index::occurs(char letter) const {
  char const either[2] = {letter, char(letter + 32)};
  if (!stored.description().policy.rows().all())
    return input.residues.find_first_of(std::string_view(either, 2)) != input.residues.npos;
  return search.find(std::string(1, either[0])).size() + search.find(std::string(1, either[1])).size() != 0;
}

std::array<char, 256> searched_index::read_as(bool strands) const {
  std::array<char, 256> letters;
  std::iota(letters.begin(), letters.end(), char(0));
  auto const read = [&](char letter, char other) { letters[static_cast<unsigned char>(letter)] = other; };
  if ((strands || both_strands) && !(thymine && uracil)) {
    read(uracil ? 'T' : 'U', uracil ? 'U' : 'T');
    read(uracil ? 't' : 'u', uracil ? 'u' : 't');
  } else if (strands && !both_strands) {
    throw input_error(fmt::format("T and U: {}: a text of both has no other strand: --both-strands", stored.path("seq")));
  }
  if (!stored.description().policy.keeps_case())
    for (char letter = 'a'; letter <= 'z'; ++letter) read(letter, letters[static_cast<unsigned char>(letter - 32)]);
  return letters;
}

void found_batch::search(searched_index const& index, bool reverse) {
  std::size_t const count = queries.size();
  reversed.clear();
  patterns.clear();
  for (std::size_t i = 0; i < count; ++i) patterns.push_back(queries.pattern(i));
  if (reverse) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::size_t const at = index.other_strand.first_without(patterns[i]); at != patterns[i].npos)
        throw input_error(fmt::format("no complement: pattern '{}': letter {} is '{}', no nucleotide", queries.name(i), at + 1,
                                      patterns[i][at]));
      bytes += patterns[i].size();
    }
    reversed.reserve(bytes);  // views of it stay
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t const begin = reversed.size();
      index.other_strand.append_reversed(reversed, patterns[i]);
      patterns.push_back(std::string_view(reversed).substr(begin));
    }
  }
  rows.assign(patterns.size(), {});
  listed.clear();
  if (!index.sparse) {
    index.search.find(patterns, rows);
    for (std::size_t k = 0; k < patterns.size(); ++k)
      if (patterns[k].empty()) rows[k] = {};
    return;
  }
  for (std::string_view const pattern : patterns)
    listed.push_back(pattern.empty() ? std::vector<std::uint64_t>() : index.sparse->locate(pattern));
}

}  // namespace ordo::sufsort
