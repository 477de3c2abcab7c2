#include "tools/sufsort/repeats.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/repeats.hpp"
#include "ordo/suffix/search.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/lines.hpp"
#include "tools/sufsort/policy_options.hpp"

namespace ordo::sufsort {
namespace {

/// The occurrences of repeats, as text.
class repeat_printer {
 public:
  explicit repeat_printer(suffix::stored_index const& index)
      : index_(index), input_(index.view()), pieces_(index.pieces()), rows_(input_, index.array("sa"), index.path("sa")) {}

  [[nodiscard]] suffix::location place_of(std::size_t row, std::uint64_t length) const {
    std::uint64_t const p = rows_.position(row);
    std::size_t const record = rows_.record_of(p);
    if (length > input_.end_of(record) - p)
      throw input_error(fmt::format("bad index: {}: row {}: {} common letters from position {} on: longer than the record",
                                    index_.path("lcp"), row, length, p));
    return pieces_.location_of(input_, record, p, length);
  }
  void append_place(std::string& text, suffix::location const& at) const {
    (text += index_.description().names[at.record]) += '\t';
    append(text, at.offset);
    text += at.reverse ? "\t-" : "\t+";
  }

 private:
  suffix::stored_index const& index_;
  suffix::text input_;
  suffix::pieces pieces_;
  suffix::searcher rows_;
};

void need(suffix::stored_index const& index, char const* array) {
  if (!index.description().find(array))
    throw input_error(fmt::format("no array {}: {}: build the index with --lcp --bwt", array, index.path("json")));
}

}  // namespace

void add_repeats_options(CLI::App& command, repeats_options& how) {
  command.add_option("prefix", how.prefix, "the index, with LCP and BWT")->required()->type_name("PREFIX");
  command
      .add_option_function<std::string>(
          "-l,--min-length",
          [&how](std::string const& value) {
            how.least = cli::parse_count("--min-length", value);
            if (how.least == 0) throw usage_error("invalid number: --min-length: '0': a repeat has a letter");
          },
          "letters that a repeat has at least")
      ->required()
      ->type_name("L");
  command.add_flag(
      "--pairs", how.pairs,
      "pairs of places, in place of repeats: record, offset, strand, twice, and length; as repeat-match -f finds them");
  command
      .add_option_function<std::string>(
          "--limit", [&how](std::string const& value) { how.limit = cli::parse_count("--limit", value); },
          "print that many occurrences, or pairs, of a repeat; 0: all [10]")
      ->type_name("N");
  add_letters_option(command, "repeats", how.letters);
  command.add_option("-o,--output", how.output, "where to write; - is standard output [-]")->type_name("FILE");
}

int repeats(repeats_options const& how, cli::common_options const& common, telling& tell) {
  tell.phase("open");
  suffix::stored_index const index(how.prefix);
  if (!index.description().policy.rows().all())
    throw input_error(
        fmt::format("rows are left out: {}: repeats need all of them: build the index without --sample and "
                    "--ambiguous skip",
                    index.path("json")));
  for (char const* array : {"lcp", "bwt"}) need(index, array);
  cli::output out(how.output, common.threads);
  refuse_output(how.prefix, out);
  tell.phase("repeats", index.description().residues);
  tell.stats.input(index.description().residues);
  suffix::entries const lcp = index.array("lcp");
  auto const bwt = index.bytes("bwt").last(lcp.size());  // behind the ends of records
  repeat_printer const print(index);
  std::string_view const residues = index.view().residues;
  suffix::letter_choice const letters = how.letters ? *how.letters : suffix::usual_letters(residues, common.threads);
  suffix::ambiguous_positions const ambiguous = letters == suffix::letter_choice::nucleotides
                                                    ? suffix::ambiguous_positions(residues, common.threads)
                                                    : suffix::ambiguous_positions();
  suffix::letters_apart const apart{index.array("sa"), ambiguous.count() != 0 ? &ambiguous : nullptr};
  std::string text;
  std::uint64_t number = 0, cut = 0;
  if (how.pairs) {
    suffix::find_pairs(
        lcp, bwt, apart, how.least, how.limit,
        [&](suffix::repeat_pair const& one) {
          auto const [first, second] =
              std::minmax({print.place_of(one.row, one.length), print.place_of(one.other_row, one.length)});
          print.append_place(text, first);
          print.append_place(text += '\t', second);
          append(text += '\t', one.length);
          text += '\n';
          write_some(out, text);
        },
        [&](suffix::repeat_pair_count const& one) { cut += how.limit != 0 && one.pairs > how.limit; });
  } else {
    std::vector<suffix::location> places;
    suffix::find_repeats(lcp, bwt, apart, how.least, [&](suffix::repeat const& one) {
      ++number;
      std::size_t const count = one.rows.size(), most = how.limit == 0 ? count : std::min<std::size_t>(count, how.limit);
      cut += most < count;
      places.clear();
      for (std::size_t row = one.rows.begin; row < one.rows.begin + most; ++row)
        places.push_back(print.place_of(row, one.length));
      std::ranges::sort(places);
      for (suffix::location const& at : places) {
        append(text, number);
        append(text += '\t', one.length);
        append(text += '\t', count);
        print.append_place(text += '\t', at);
        text += '\n';
      }
      write_some(out, text);
    });
  }
  write_some(out, text, 0);
  out.commit();
  if (ambiguous.count() != 0 && !common.quiet)
    cli::say("sufsort", fmt::format("left out: {} of {} letters are other than A, C, G, T and U, and no repeat holds them: "
                                    "--letters all takes them for letters like these",
                                    ambiguous.count(), residues.size()));
  if (cut != 0 && !common.quiet)
    cli::say("sufsort", fmt::format("cut: {} repeats have more than {} {}, which are not printed: --limit 0 prints all", cut,
                                    how.limit, how.pairs ? "pairs" : "occurrences"));
  return 0;
}

}  // namespace ordo::sufsort
