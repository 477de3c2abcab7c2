#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/repeats.hpp"
#include "ordo/suffix/search.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/search/searched_index.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Formats the occurrences of repeats.
class repeat_printer {
 public:
  explicit repeat_printer(suffix::stored_index const& index)
      : index_(index), input_(index.view()), pieces_(index.pieces()), rows_(input_, index.array("sa"), index.path("sa")) {}

  [[nodiscard]] suffix::location to_location(std::size_t row, std::uint64_t length) const {
    std::uint64_t const p = rows_.position(row);
    std::size_t const record = rows_.record_at(p);
    if (length > input_.end(record) - p)
      throw input_error(fmt::format("bad index: {}: row {}: the LCP of {} letters at position {} is longer than the record",
                                    index_.path("lcp"), row, length, p));
    return pieces_.to_location(input_, record, p, length);
  }
  void append_location(std::string& text, suffix::location const& at) const {
    index_.description().append_name(text, at.record);
    append(text += '\t', at.offset);
    text += at.reverse ? "\t-" : "\t+";
  }

 private:
  suffix::stored_index const& index_;
  suffix::text input_;
  suffix::pieces pieces_;
  suffix::searcher rows_;
};

bool is_fasta(suffix::stored_index const& index) {
  return index.description().input == suffix::input_format::fasta;
}

void need(suffix::stored_index const& index, char const* array) {
  if (!index.description().find(array))
    throw input_error(fmt::format("no array {}: {}: build the index with {}", array, index.path("json"),
                                  is_fasta(index) ? "--lcp --bwt" : "--lcp"));
}

/// Prints the maximal repeats, or the maximal pairs, of an index with LCP and BWT.
class repeats final : public index_reader {
 public:
  cli::command_table table() override {
    return {.name = "sufsort repeats",
            .summary = "print the maximal repeats of an index",
            .usage = {"[OPTION]... --min-length=L PREFIX"},
            .description =
                "Print a line for each occurrence of a maximal repeat: number of the repeat, length, number of its "
                "occurrences, record, offset and strand.",
            .operands = {prefix_operand(prefix_, "an index with LCP and BWT")},
            .options = {{.letter = 'l',
                         .name = "min-length",
                         .value = "L",
                         .group = search_group,
                         .help = "find repeats of at least L letters",
                         .required = true,
                         .set = parse_to(min_length_, "a repeat has at least one letter")},
                        cli::flag("pairs", search_group, "print pairs of occurrences instead, as repeat-match -f does", pairs_,
                                  "The columns are record, offset and strand of both, and the length."),
                        {.name = "limit",
                         .value = "N",
                         .group = search_group,
                         .help = "print at most N occurrences, or pairs, of each repeat; 0 means all",
                         .preset = "10",
                         .set = parse_to(limit_)},
                        letters_option("repeats", letters_),
                        output_option(output_)},
            .examples = {{"Find repeats of 100 letters and more", "sufsort repeats genome -l 100"},
                         {"Find all their occurrences", "sufsort repeats genome -l 100 --limit=0 -o repeats.tsv"},
                         {"Print pairs as repeat-match -f does", "sufsort repeats genome -l 100 --pairs"}}};
  }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    report.phase("open");
    suffix::stored_index const index(prefix_);
    if (!index.description().policy.rows().all())
      throw input_error(
          fmt::format("rows are left out: {}: repeats need all of them: build the index without --sample and "
                      "--ambiguous skip",
                      index.path("json")));
    bool const fasta = is_fasta(index);
    need(index, "lcp");
    if (fasta) need(index, "bwt");
    suffix::letter_choice const letters = choose_letters(index, letters_, common.threads);
    cli::output out(output_, common.threads);
    refuse_output(prefix_, out);
    report.phase("repeats", index.description().residues);
    report.stats.input(index.description().residues);
    suffix::entries const lcp = index.array("lcp");
    auto const bwt = fasta ? index.bytes("bwt").last(lcp.size()) : std::span<char const>();  // after the rows of records' ends
    repeat_printer const print(index);
    std::string_view const residues = index.view().residues;
    suffix::ambiguous_positions const ambiguous = letters == suffix::letter_choice::nucleotides
                                                      ? suffix::ambiguous_positions(residues, common.threads)
                                                      : suffix::ambiguous_positions();
    suffix::excluded_letters const excluded{index.array("sa"), ambiguous.count() != 0 ? &ambiguous : nullptr};
    std::string text;
    std::uint64_t number = 0, cut = 0;
    if (pairs_) {
      auto const on_pair = [&](suffix::repeat_pair const& repeat_pair) {
        auto const [first, second] = std::minmax({print.to_location(repeat_pair.row, repeat_pair.length),
                                                  print.to_location(repeat_pair.other_row, repeat_pair.length)});
        print.append_location(text, first);
        print.append_location(text += '\t', second);
        append(text += '\t', repeat_pair.length);
        text += '\n';
        write_some(out, text);
      };
      auto const on_repeat = [&](suffix::repeat_pair_count const& count) { cut += limit_ != 0 && count.pairs > limit_; };
      if (fasta)
        suffix::find_pairs(lcp, bwt, excluded, min_length_, limit_, on_pair, on_repeat);
      else
        suffix::find_pairs(index.view(), index.array("sa"), lcp, min_length_, limit_, on_pair, on_repeat, index.path("sa"));
    } else {
      std::vector<suffix::location> locations;
      auto const on_repeat = [&](suffix::repeat const& repeat) {
        ++number;
        std::size_t const count = repeat.rows.size(), num_printed = limit_ == 0 ? count : std::min<std::size_t>(count, limit_);
        cut += num_printed < count;
        locations.clear();
        for (std::size_t row = repeat.rows.begin; row < repeat.rows.begin + num_printed; ++row)
          locations.push_back(print.to_location(row, repeat.length));
        std::ranges::sort(locations);
        for (suffix::location const& at : locations) {
          append(text, number);
          append(text += '\t', repeat.length);
          append(text += '\t', count);
          print.append_location(text += '\t', at);
          text += '\n';
        }
        write_some(out, text);
      };
      if (fasta)
        suffix::find_repeats(lcp, bwt, excluded, min_length_, on_repeat);
      else
        suffix::find_repeats(index.view(), index.array("sa"), lcp, min_length_, on_repeat, index.path("sa"));
    }
    write_some(out, text, 0);
    out.commit();
    if (ambiguous.count() != 0 && !common.quiet)
      cli::say("sufsort",
               fmt::format("warning: left out: {} of {} not A, C, G, T or U, and no repeat holds {}: "
                           "use --letters=all to include {}",
                           ambiguous.count(), quantity(residues.size(), "letter") + (ambiguous.count() == 1 ? " is" : " are"),
                           ambiguous.count() == 1 ? "it" : "them", ambiguous.count() == 1 ? "it" : "them"));
    if (cut != 0 && !common.quiet)
      cli::say("sufsort",
               fmt::format("warning: not all printed: {} more than {}: use --limit=0 to print all",
                           quantity(cut, "repeat has", "repeats have"), quantity(limit_, pairs_ ? "pair" : "occurrence")));
    return 0;
  }

 private:
  std::uint64_t min_length_ = 0;
  std::uint64_t limit_ = 10;  // maximum number of occurrences, or pairs, printed of a repeat; 0: all
  bool pairs_ = false;
  std::optional<suffix::letter_choice> letters_;
};

}  // namespace

std::unique_ptr<command> make_repeats() {
  return std::make_unique<repeats>();
}

}  // namespace ordo::inline v0::sufsort
