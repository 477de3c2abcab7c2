#include "tools/sufsort/search/searched_index.hpp"

#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/sufsort/kmer_words.hpp"

namespace ordo::inline v0::sufsort {

searched_index::searched_index(std::string const& prefix, search_by structure)
    : stored(prefix),
      input(stored.text_of_search()),
      pieces(stored.pieces()),
      fm(structure == search_by::fm_index || (structure == search_by::any && !stored.has_sa()) ? stored.fm()
                                                                                               : suffix::fm_index()),
      search(fm.empty() ? suffix::searcher(input, stored.array("sa"), stored.path("sa"), stored.kmers())
                        : suffix::searcher(fm, input)),
      both_strands(stored.description().policy.strands == suffix::strands::both),
      thymine(is_fasta() && occurs('T')),
      uracil(is_fasta() && occurs('U')),
      other_strand(uracil && !thymine) {
  if (structure == search_by::fm_index && fm.empty())
    throw input_error(fmt::format("no FM index: {}: build the index with --fm", stored.path("json")));
  if (suffix::row_selection const rows = stored.description().policy.rows(); !rows.all()) sparse.emplace(input, search, rows);
}

void searched_index::expect_searches(std::uint64_t searches, unsigned threads) {
  // A row of the table takes a read of the text, and so does each of the twenty steps or so that a search saves.
  constexpr std::uint64_t rows_of_search = 8;
  suffix::index_description const& about = stored.description();
  if (!fm.empty()) return fm.make_kmers(searches / rows_of_search, threads);
  if (!is_fasta() || about.find("kmers")) return;
  if (about.rows() == 0 || searches < about.rows() / rows_of_search) return;
  suffix::kmer_set const words = words_for(input.residues, {}, about.rows(), about.width);
  if (table_bytes(words, about.width) > cli::available_memory() / 2) return;
  suffix::entries const sa = stored.array("sa");
  made_kmers_ = suffix::make_kmer_table(input, sa, words, stored.path("sa"), threads);
  search = suffix::searcher(input, sa, stored.path("sa"), suffix::kmer_table(words, {made_kmers_, about.width}, "k-mers"));
}

bool searched_index::occurs(char letter) const {
  char const either[2] = {letter, char(letter + 32)};
  if (!stored.description().policy.rows().all())
    return input.residues.find_first_of(std::string_view(either, 2)) != input.residues.npos;
  std::array<std::string_view, 2> const patterns{std::string_view(either, 1), std::string_view(either + 1, 1)};
  std::array<suffix::row_range, 2> rows;
  search.find(patterns, rows);
  return rows[0].size() + rows[1].size() != 0;
}

std::array<char, 256> searched_index::read_as(bool strands) const {
  std::array<char, 256> letters;
  std::iota(letters.begin(), letters.end(), char(0));
  if (!is_fasta()) return letters;
  auto const read = [&](char letter, char other) { letters[static_cast<unsigned char>(letter)] = other; };
  if ((strands || both_strands) && !(thymine && uracil)) {
    read(uracil ? 'T' : 'U', uracil ? 'U' : 'T');
    read(uracil ? 't' : 'u', uracil ? 'u' : 't');
  } else if (strands && !both_strands) {
    throw input_error(fmt::format("no complement: --both-strands: {}: the text has both T and U", stored.path("seq")));
  }
  if (!stored.description().policy.keeps_case())
    for (char letter = 'a'; letter <= 'z'; ++letter) read(letter, letters[static_cast<unsigned char>(letter - 32)]);
  return letters;
}

namespace {

void refuse_letters(suffix::stored_index const& index, std::string_view why) {
  throw usage_error(fmt::format("conflicting options: --letters: {}: {}", index.path("json"), why));
}

}  // namespace

void expect_lcp(suffix::stored_index const& index) {
  if (!index.description().find("lcp"))
    throw input_error(fmt::format("no array lcp: {}: build the index with --lcp", index.path("json")));
}

void expect_all_positions(suffix::stored_index const& index, std::string_view why) {
  if (index.description().policy.sample != 1)
    throw input_error(fmt::format("rows are left out: {}: {}: build the index without --sample", index.path("json"), why));
}

suffix::letter_choice choose_letters(suffix::stored_index const& index, std::optional<suffix::letter_choice> wanted,
                                     unsigned threads, suffix::fm_index const* fm) {
  using enum suffix::letter_choice;
  if (index.description().input != suffix::input_format::fasta) {
    if (wanted == nucleotides) refuse_letters(index, "nucleotides are letters of FASTA");
    return all;
  }
  if (wanted) return *wanted;
  return fm && !fm->empty() ? suffix::usual_letters(*fm) : suffix::usual_letters(index.view().residues, threads);
}

suffix::letter_choice letters_with_rows(suffix::stored_index const& index, std::optional<suffix::letter_choice> wanted,
                                        unsigned threads, suffix::fm_index const* fm) {
  using enum suffix::letter_choice;
  bool const skips = index.description().policy.ambiguous == suffix::ambiguous_letters::skip;
  if (skips && wanted == all) refuse_letters(index, "no other letters have rows");
  return choose_letters(index, skips ? nucleotides : wanted, threads, fm);
}

}  // namespace ordo::inline v0::sufsort
