#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ordo/suffix/index.hpp"
#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/repeats.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/search/searched_index.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Returns lines with a bar each: of numbers of occurrences up to 32, and then of eight ranges for each doubling.
std::string draw_plot(std::span<suffix::spectrum_entry const> spectrum) {
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

/// Prints how many k-mers occur once, twice, ... in an index with LCP.
class spectrum final : public index_reader {
 public:
  cli::command_table table() override {
    return {
        .name = "sufsort spectrum",
        .summary = "print how many k-mers occur once, twice, ...",
        .usage = {"[OPTION]... --length=K PREFIX"},
        .description = "Print a line for each number of occurrences: the number, and how many different k-mers occur so often.",
        .operands = {prefix_operand(prefix_, "an index with LCP")},
        .options = {{.letter = 'k',
                     .name = "length",
                     .value = "K",
                     .group = search_group,
                     .help = "count k-mers of K letters",
                     .required = true,
                     .set = parse_to(length_, "a k-mer has at least one letter")},
                    cli::flag("plot", output_group,
                              "draw a bar on each line, of a length by the logarithm; numbers from 33 on share lines", plot_),
                    letters_option("k-mers", letters_),
                    output_option(output_)},
        .examples = {{"Count the different 21-mers", "sufsort spectrum genome -k 21 | awk '{n += $2} END {print n}'"}}};
  }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    report.phase("open");
    suffix::stored_index const index(prefix_);
    suffix::index_description const& about = index.description();
    suffix::entries const sa = index.array("sa");
    expect_lcp(index);
    expect_all_positions(index, "a spectrum counts all positions");
    suffix::letter_choice const letters = letters_with_rows(index, letters_, common.threads);
    cli::output out(output_, common.threads);
    refuse_output(prefix_, out);
    report.stats.input(about.residues);
    report.phase("count", about.residues);
    auto const result =
        suffix::find_spectrum(index.view(), sa, index.array("lcp"), length_, letters, index.path("sa"), common.threads);
    std::string text = plot_ ? draw_plot(result) : std::string();
    for (suffix::spectrum_entry const& entry : plot_ ? std::span<suffix::spectrum_entry const>() : std::span(result)) {
      append(text, entry.occurrences);
      append(text += '\t', entry.kmers);
      text += '\n';
      write_some(out, text);
    }
    write_some(out, text, 0);
    out.commit();
    return 0;
  }

 private:
  std::uint64_t length_ = 0;
  bool plot_ = false;  // print bars
  std::optional<suffix::letter_choice> letters_;
};

}  // namespace

std::unique_ptr<command> make_spectrum() {
  return std::make_unique<spectrum>();
}

}  // namespace ordo::inline v0::sufsort
