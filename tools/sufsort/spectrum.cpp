#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/repeats.hpp"
#include "tools/cli/output.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::inline v0::sufsort {

int spectrum(spectrum_options const& options, cli::common_options const& common, reporter& report) {
  report.phase("open");
  suffix::stored_index const index(options.prefix);
  suffix::index_description const& about = index.description();
  suffix::entries const sa = index.array("sa");
  if (!about.find("lcp")) throw input_error(fmt::format("no array lcp: {}: build the index with --lcp", index.path("json")));
  if (about.policy.sample != 1)
    throw input_error(fmt::format("rows are left out: {}: a spectrum counts all positions: build the index without --sample",
                                  index.path("json")));
  bool const fasta = about.input == suffix::input_format::fasta,
             skips = about.policy.ambiguous == suffix::ambiguous_letters::skip;
  auto const refuse = [&](char const* why) {
    throw usage_error(fmt::format("conflicting options: --letters: {}: {}", index.path("json"), why));
  };
  if (!fasta && options.letters == suffix::letter_choice::nucleotides) refuse("nucleotides are letters of FASTA");
  if (skips && options.letters == suffix::letter_choice::all) refuse("no other letters have rows");
  cli::output out(options.output, common.threads);
  refuse_output(options.prefix, out);
  report.stats.input(about.residues);
  report.phase("count", about.residues);
  suffix::letter_choice const letters = !fasta            ? suffix::letter_choice::all
                                        : skips           ? suffix::letter_choice::nucleotides
                                        : options.letters ? *options.letters
                                                          : suffix::usual_letters(index.view().residues, common.threads);
  std::string text;
  for (suffix::spectrum_entry const& one :
       suffix::find_spectrum(index.view(), sa, index.array("lcp"), options.length, letters, index.path("sa"), common.threads)) {
    append(text, one.occurrences);
    append(text += '\t', one.kmers);
    text += '\n';
    write_some(out, text);
  }
  write_some(out, text, 0);
  out.commit();
  return 0;
}

}  // namespace ordo::inline v0::sufsort
