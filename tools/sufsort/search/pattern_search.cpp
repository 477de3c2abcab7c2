#include "tools/sufsort/search/pattern_search.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/search/missed_patterns.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {

void found_batch::search(searched_index const& index, circular_records const& circular, bool reverse) {
  std::size_t const count = queries.size();
  reversed.clear();
  patterns.clear();
  for (std::size_t i = 0; i < count; ++i) patterns.push_back(queries.pattern(i));
  if (reverse) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::size_t const at = index.other_strand.first_without(patterns[i]); at != patterns[i].npos)
        throw input_error(fmt::format("no complement: pattern '{}': letter {} is '{}', which is not a nucleotide",
                                      queries.name(i), at + 1, patterns[i][at]));
      bytes += patterns[i].size();
    }
    reversed.reserve(bytes);  // keeps views of it valid
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t const begin = reversed.size();
      index.other_strand.append_reversed(reversed, patterns[i]);
      patterns.push_back(std::string_view(reversed).substr(begin));
    }
  }
  around.clear();
  if (circular.any())
    for (std::string_view const pattern : patterns) around.push_back(circular.locate(pattern));
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

// "-" is standard input, and so is a pattern "-".
std::vector<std::string> pattern_search::inputs() const {
  std::vector<std::string> files = files_;
  if (std::ranges::find(patterns_, "-") != patterns_.end()) files.emplace_back("-");
  return files;
}

std::vector<cli::operand> pattern_search::operands() {
  return {prefix_operand(prefix_),
          {"PATTERN", "a pattern; - reads patterns from standard input", 0, std::size_t(-1),
           [this](std::string_view value) { patterns_.emplace_back(value); }}};
}

std::vector<cli::option> pattern_search::rows(std::string both_strands, std::string const& circular) {
  return {{.letter = 'f',
           .name = "file",
           .value = "FILE",
           .group = search_group,
           .help = "read patterns from FILE: FASTA, FASTQ, or a list, one a line; - is standard input",
           .details = "FILE may be compressed. The option may be repeated.",
           .repeatable = true,
           .set = cli::append_to(files_)},
          cli::flag("both-strands", search_group, std::move(both_strands), both_strands_,
                    "T and U of patterns are read as the one of them that the text has."),
          circular_option(circular_, "hits", circular),
          fm_option(fm_),
          {.name = "pattern-format",
           .value = "NAME",
           .group = search_group,
           .help = "read patterns of bytes as they are (text) or as hexadecimal digits (hex), and tokens as decimal "
                   "numbers (tokens)",
           .preset = "text, or tokens",
           .details = "A file of patterns has one a line. Tokens are separated by blanks or commas. Blanks belong to a "
                      "text, and are skipped among digits. Patterns "
                      "are printed with control characters as \\t, \\n, \\r or \\xHH.",
           .choices = joined(pattern_words),
           .only_choices = true,
           .set = [this](std::string_view, std::string_view word) {
             format_ = suffix::parse_word<pattern_format>(pattern_words, word);
           }}};
}

/// Throws usage_error for options that are not for this index.
void pattern_search::check(searched_index const& index) const {
  auto const refuse = [&](char const* option, char const* why) {
    throw usage_error(fmt::format("conflicting options: {}: {}: {}", option, index.stored.path("json"), why));
  };
  if (!index.is_fasta() && both_strands_) refuse("--both-strands", "an index of FASTA has strands, no other");
  if (index.is_fasta() && index.choose_format(format_) != pattern_format::text)
    refuse("--pattern-format", "patterns of an index of FASTA are letters");
}

int pattern_search::run(cli::common_options const& common, reporter& report, communicator* /*members*/) {
  if (patterns_.empty() && files_.empty()) throw usage_error("no patterns: command line: give a PATTERN or --file");
  report.phase("open");
  searched_index const index(prefix_, fm_ ? search_by::fm_index : search_by::any);
  if (inputs().empty()) index.stored.expect_few_reads();
  check(index);
  circular_records const circular(index, circular_);
  cli::output out(output_, common.threads);
  refuse_output(prefix_, out);
  report.phase("search");
  search({index, circular, out}, common, report);
  out.commit();
  if (!common.quiet) warn();
  return 0;
}

void pattern_search::search(search_ends const& ends, cli::common_options const& common, reporter& report) {
  searched_index const& index = ends.index;
  std::vector<std::string> patterns;
  std::ranges::copy_if(patterns_, std::back_inserter(patterns), [](std::string const& pattern) { return pattern != "-"; });
  query_reader::options reading{index.read_as(both_strands_), {}, {}, common.threads};
  if (!index.is_fasta())
    reading.parse = [&](std::string_view pattern) {
      return parse_symbols(pattern, index.choose_format(format_), index.input.residue_bytes);
    };
  if (index.sparse) reading.can_find = [&](std::string_view pattern) { return index.sparse->can_find(pattern); };
  query_reader reader(std::move(patterns), inputs(), std::move(reading), ends.out);
  bool const reverse = both_strands_ && !index.both_strands;
  missed_patterns missed(index, patterns_, both_strands_);
  tbb::task_arena arena(threads_for(common.threads));
  std::uint64_t letters = 0;
  using batch = std::shared_ptr<found_batch>;
  arena.execute([&] {
    std::size_t const at_once = 2 * std::size_t(arena.max_concurrency());
    tbb::parallel_pipeline(at_once,
                           tbb::make_filter<void, batch>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
                             auto next = std::make_shared<found_batch>();
                             if (!reader.next(next->queries)) control.stop();
                             return next;
                           }) & tbb::make_filter<batch, batch>(tbb::filter_mode::parallel, [&](batch batch) {
                             batch->search(index, ends.circular, reverse);
                             format(*batch, ends);
                             return batch;
                           }) & tbb::make_filter<batch, void>(tbb::filter_mode::serial_in_order, [&](batch const& batch) {
                             for (std::size_t i = 0; i < batch->queries.size(); ++i) {
                               letters += batch->queries.pattern(i).size();
                               if (batch->hits(i) == 0) missed.add(batch->queries.name(i), batch->queries.pattern(i));
                             }
                             report.progress.at(letters);
                             write(*batch, ends);
                           }));
  });
  report.stats.input(letters);
  report.stats.bytes(letters);
  if (common.quiet) return;
  reader.report_empty();
  missed.report();
}

}  // namespace ordo::inline v0::sufsort
