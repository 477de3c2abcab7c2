#include "tools/sufsort/found_batch.hpp"

#include <fmt/format.h>

#include "sort_core/error.hpp"

namespace ordo::sufsort {

searched_index::searched_index(std::string const& prefix)
    : stored(prefix),
      input(stored.view()),
      pieces(stored.pieces()),
      search(input, stored.array("sa"), stored.path("sa"), stored.words()),
      both_strands(stored.about().policy.strands == suffix::strands::both),
      other_strand(is_rna()) {
  if (suffix::row_choice const rows = stored.about().policy.rows(); !rows.all()) sparse.emplace(input, search, rows);
}

bool searched_index::is_rna() const {
  auto const occurs = [&](char const* letters) {
    if (!stored.about().policy.rows().all()) {
      char const either[2] = {letters[0], char(letters[0] + 32)};
      return input.residues.find_first_of(std::string_view(either, 2)) != input.residues.npos;
    }
    return search.find(letters).size() + search.find(std::string(1, char(letters[0] + 32))).size() != 0;
  };
  return occurs("U") && !occurs("T");
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
  if (!index.sparse) return index.search.find(patterns, rows);
  for (std::string_view const pattern : patterns) listed.push_back(index.sparse->locate(pattern));
}

}  // namespace ordo::sufsort
