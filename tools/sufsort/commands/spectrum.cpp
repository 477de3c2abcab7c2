#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/repeats.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Returns lines with a bar each: of numbers of occurrences up to 32, and then of eight ranges for each doubling.
std::string plot_of(std::span<suffix::spectrum_entry const> spectrum) {
  struct line {
    std::uint64_t first, last, kmers;
  };
  std::vector<line> lines;
  std::uint64_t max_kmers = 0;
  for (suffix::spectrum_entry const& entry : spectrum) {
    std::uint64_t width = 1;
    while (entry.occurrences > 32 * width) width *= 2;
    width = std::max<std::uint64_t>(width / 2 * 4, 1);  // a doubling from 32 w on has 8 ranges of 4 w
    std::uint64_t const first = (entry.occurrences - 1) / width * width + 1;
    if (lines.empty() || lines.back().first != first) lines.push_back({first, first + width - 1, 0});
    lines.back().kmers += entry.kmers;
    max_kmers = std::max(max_kmers, lines.back().kmers);
  }
  std::string text;
  for (line const& line : lines) {
    std::string const range =
        line.first == line.last ? fmt::format("{}", line.first) : fmt::format("{}-{}", line.first, line.last);
    double const share = std::log1p(double(line.kmers)) / std::log1p(double(max_kmers));
    fmt::format_to(std::back_inserter(text), "{:>21}  {:>14}  {:#<{}}\n", range, line.kmers, "", int(std::lround(50 * share)));
  }
  return text;
}

}  // namespace

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
  auto const result =
      suffix::find_spectrum(index.view(), sa, index.array("lcp"), options.length, letters, index.path("sa"), common.threads);
  std::string text = options.plot ? plot_of(result) : std::string();
  for (suffix::spectrum_entry const& entry : options.plot ? std::span<suffix::spectrum_entry const>() : std::span(result)) {
    append(text, entry.occurrences);
    append(text += '\t', entry.kmers);
    text += '\n';
    write_some(out, text);
  }
  write_some(out, text, 0);
  out.commit();
  return 0;
}

}  // namespace ordo::inline v0::sufsort
