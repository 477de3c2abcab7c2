#include "tools/sufsort/search/missed_patterns.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "ordo/suffix/letters.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/output_text.hpp"

namespace ordo::inline v0::sufsort {
namespace {

constexpr std::string_view codes = "RYSWKMBDHVN";

char upper(char c) {
  return c >= 'a' && c <= 'z' ? char(c - 32) : c;
}

bool has(std::string_view letters, char wanted) {
  return std::ranges::any_of(letters, [&](char c) { return upper(c) == wanted; });
}

}  // namespace

missed_patterns::missed_patterns(searched_index const& index, std::vector<std::string> const& patterns, bool both_strands)
    : index_(index), reads_both_(both_strands || index.both_strands) {
  struct stat info {};
  for (std::string const& pattern : patterns)
    if (pattern != "-" && stat(pattern.c_str(), &info) == 0 && S_ISREG(info.st_mode)) files_.push_back(pattern);
}

void missed_patterns::note(kind& to, std::string_view name, std::string why) {
  if (to.count++ != 0) return;
  to.first = shortened(name);
  to.why = std::move(why);
}

// The begin of a text shows what it is. All of it need not be read for a hint.
bool missed_patterns::is_of_nucleotides() {
  constexpr std::size_t enough = std::size_t{1} << 20;
  if (index_.stored.has_runs()) return true;
  if (of_nucleotides_ < 0)
    of_nucleotides_ =
        int(suffix::usual_letters(index_.input.residues.substr(0, enough), 1) == suffix::letter_choice::nucleotides);
  return of_nucleotides_ != 0;
}

void missed_patterns::add(std::string_view name, std::string_view letters) {
  if (std::ranges::find(files_, name) != files_.end())
    return note(file_, name, fmt::format("a file has this name: -f {} reads patterns from it", name));
  if (!index_.is_fasta() || letters.empty()) return;
  auto const is_code = [](char c) { return codes.find(upper(c)) != codes.npos; };
  bool const is_nucleic = std::ranges::all_of(
      letters, [&](char c) { return is_code(c) || suffix::is_nucleotide(static_cast<unsigned char>(upper(c))); });
  if (!is_nucleic || !is_of_nucleotides()) return;
  if (auto const code = std::ranges::find_if(letters, is_code); code != letters.end())
    return note(code_, name, fmt::format("{} finds only {}: codes of IUPAC stand for no other letters", *code, *code));
  if (reads_both_ || index_.thymine == index_.uracil) return;
  char const there = index_.thymine ? 'T' : 'U', missing = index_.thymine ? 'U' : 'T';
  if (has(letters, missing))
    note(other_letter_, name, fmt::format("the text has {} instead of {}: --both-strands reads both alike", there, missing));
}

void missed_patterns::report() const {
  for (kind const* const missed : {&file_, &code_, &other_letter_})
    if (missed->count != 0)
      cli::say("sufsort", fmt::format("warning: no hits: pattern '{}'{}: {}", missed->first,
                                      missed->count == 1   ? ""
                                      : missed->count == 2 ? ", and another one"
                                                           : fmt::format(", and {} more", missed->count - 1),
                                      missed->why));
}

}  // namespace ordo::inline v0::sufsort
