#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/quantity.hpp"
#include "base/utf8.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/duplicates.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/files/sync.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/duplicates/duplicates_report.hpp"
#include "tools/sufsort/duplicates/jsonl_writer.hpp"
#include "tools/sufsort/duplicates/line_files.hpp"
#include "tools/sufsort/duplicates/part_writers.hpp"
#include "tools/sufsort/duplicates/record_scores.hpp"
#include "tools/sufsort/files/file_set.hpp"
#include "tools/sufsort/files/finished_ranges.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/output_text.hpp"

namespace ordo::inline v0::sufsort {
namespace {

[[noreturn]] void refuse(suffix::stored_index const& index, std::string_view problem, std::string_view why) {
  throw input_error(fmt::format("{}: {}: {}", problem, index.path("json"), why));
}

/// Returns what a name ends in, without an extension of compression: "jsonl" for a.jsonl.gz.
std::string_view file_extension(std::string_view name) {
  for (std::string_view const compressed : {".gz", ".bgz", ".bz2", ".xz", ".zst"})
    if (name.ends_with(compressed)) name.remove_suffix(compressed.size());
  std::size_t const dot = name.rfind('.'), slash = name.rfind('/');
  bool const has_one = dot != name.npos && (slash == name.npos || dot > slash);
  return has_one ? name.substr(dot + 1) : std::string_view();
}

/// Prints the ranges of an index that are copies, or the text without them, or with a list of them.
class duplicates final : public index_reader {
 public:
  cli::command_table table() override {
    return {
        .name = "sufsort duplicates",
        .summary = "print the parts of a text that are copies, or the text without them",
        .usage = {"[OPTION]... --min-length=L PREFIX"},
        .description =
            "Print a line for each range of letters or tokens that are in copies of at least L of them, within records: "
            "record, begin and end, from 0.\n\nsufsort dedup is the same command.",
        .operands = {prefix_operand(prefix_, "an index; it needs no suffix array")},
        .options =
            {{.letter = 'l',
              .name = "min-length",
              .value = "L",
              .group = search_group,
              .help = "find copies of at least L letters or tokens, or n-grams of L words",
              .required = true,
              .set = parse_to(find_.min_length, "a copy has at least one letter")},
             choice<suffix::copied_unit>("unit", search_group, suffix::copied_unit_words, find_.unit,
                                         "compare strings, or whole lines, paragraphs or records, or n-grams of words",
                                         "strings",
                                         "Lines and paragraphs are compared without blanks at either end. Lines of blanks "
                                         "stand between paragraphs. n-grams need --against; blanks between words do not "
                                         "count."),
             choice<suffix::kept_copies>("keep", search_group, suffix::kept_copies_words, find_.keep,
                                         "keep the first of equal strings, the one in the longest record, in the best "
                                         "one by --score or --sources, or none of them",
                                         "first",
                                         "The first one has the smallest position. Of records of the same length or "
                                         "score, the first one counts. Copies may overlap."),
             {.name = "score",
              .value = "NAME",
              .group = search_group,
              .help = "with --keep=best, take the number in field NAME of JSONL as the score of a record",
              .details = "As of --field, a dot leads to a field of an object. A record without a number is the lowest.",
              .set = cli::store_nonempty(score_)},
             {.name = "score-file",
              .value = "FILE",
              .group = search_group,
              .help = "with --keep=best, take the scores of records from FILE: a number of 64 bits for each",
              .details = "Numbers are floating-point, in little-endian order, as numpy.tofile writes them. NaN is the lowest.",
              .set = cli::store_nonempty(score_file_)},
             {.name = "sources",
              .value = "NAME,...",
              .group = search_group,
              .help = "with --keep=best, keep the copy of the source that is named first; others come last",
              .details = "A source is a file, or a folder of files, by the names that build was called with. Of nested "
                         "folders the inner one counts. The report counts what is in copies for each source.",
              .set = [this](std::string_view, std::string_view value) { set_sources(value); }},
             {.name = "short-records",
              .value = "M",
              .group = search_group,
              .help = "with --unit=words, find records of OTHER that have fewer than L words, but at least M, as a whole",
              .preset = "they are not looked for, with a warning",
              .set = parse_to(find_.min_words, "a record has at least one word")},
             {.name = "within",
              .group = search_group,
              .help = "find copies within a record only",
              .set = [this](std::string_view, std::string_view) { find_.scope = suffix::copy_scope::within; }},
             {.name = "across",
              .group = search_group,
              .help = "find copies in different records only",
              .details =
                  "Of a string that several records have, all copies in the first of them are kept, or in the longest one.",
              .set = [this](std::string_view, std::string_view) { find_.scope = suffix::copy_scope::across; }},
             {.name = "against",
              .value = "OTHER",
              .group = search_group,
              .help = "find what occurs in another index, OTHER, instead of copies",
              .details = "Every occurrence is printed: --keep has no effect. OTHER may hold benchmarks, whose words or lines "
                         "a corpus must not have.",
              .set = cli::store_nonempty(against_)},
             cli::flag("utf-8", search_group, "shorten ranges to whole characters of UTF-8", find_.whole_characters),
             {.name = "format",
              .value = "NAME",
              .group = output_group,
              .help = "print columns (tsv), JSON (jsonl), pairs of positions (pairs), the text without the ranges "
                      "(text), or JSONL with a list of ranges (annotated)",
              .preset = "tsv",
              .details = "jsonl: an object a line, with record, begin and end. pairs: begin and end of each range in "
                         "PREFIX.seq, little-endian numbers of 64 bits. text: all records, of lines with LF, and with "
                         "their separator; of JSONL all lines, in which only the string changes; not of FASTA. With "
                         "--unit=records, without the records that are copies. "
                         "annotated: all lines of JSONL, with ranges of bytes of the string. Both read the files of "
                         "an index of JSONL again, and imply --utf-8.",
              .choices = "tsv jsonl pairs text annotated",
              .only_choices = true,
              .set =
                  [this](std::string_view, std::string_view value) {
                    format_ = value;
                    has_format_ = true;
                  }},
             {.name = "column",
              .value = "NAME",
              .group = output_group,
              .help = "give the list of ranges of annotated JSON this name",
              .preset = "duplicate_ranges",
              .set = cli::store_nonempty(column_)},
             {.name = "out-dir",
              .value = "DIR",
              .group = output_group,
              .help = "write the text or annotated JSON of each file to DIR, under its name and with its compression",
              .details = "Names are those that build was called with, as DIR/web/a.jsonl.gz. Each file is complete or as "
                         "it was before. The output gets a line for each, with columns: file, lines, bytes of their "
                         "strings, and of the ranges. For an index of JSONL.",
              .set = cli::store_nonempty(out_dir_)},
             {.name = "report",
              .value = "FILE",
              .group = output_group,
              .help = "write a page of HTML: counts, a histogram of lengths, the files, the longest and most frequent strings",
              .details = "Without LCP, all copies are sorted to find the strings, which takes several times as long "
                         "as the rest.",
              .set = cli::store_nonempty(page_name_)},
             {.name = "resume",
              .value = "FILE",
              .group = memory_group,
              .help = "keep what is found in FILE, and go on from it after an interruption",
              .details = "FILE takes a bit for each letter or token. It is replaced after each eighth of the work, or "
                         "more often if memory is short, and removed once the output is complete. A command that "
                         "finds FILE continues it if index and options are the same, whatever the threads and memory.",
              .set = cli::store_nonempty(resume_)},
             cli::flag("plan", memory_group,
                       "print the memory, passes, disk space and time that the search would take; search nothing", plan_),
             host_memory_option(memory_),
             output_option(output_)},
        .conflicts = {{.options = {"--across", "--within"}, .why = "give one of them"},
                      {.options = {"--column"},
                       .unless = {"--format=annotated"},
                       .why = "only --format=annotated writes a list of ranges"},
                      {.options = {"--out-dir"},
                       .unless = {"--format=text", "--format=annotated"},
                       .why = "only they are written for each file"},
                      {.options = {"--against"},
                       .with = {"--within", "--across"},
                       .why = "--within and --across are for copies in one index"},
                      {.options = {"--unit=words"}, .unless = {"--against"}, .why = "n-grams are those of another index"},
                      {.options = {"--short-records"}, .unless = {"--unit=words"}, .why = "it is for n-grams of words"},
                      {.options = {"--score"}, .unless = {"--keep=best"}, .why = "--keep=best compares scores"},
                      {.options = {"--score-file"}, .unless = {"--keep=best"}, .why = "--keep=best compares scores"},
                      {.options = {"--sources"}, .unless = {"--keep=best"}, .why = "--keep=best compares sources"},
                      {.options = {"--score"}, .with = {"--score-file", "--sources"}, .why = "give one of them"},
                      {.options = {"--score-file", "--sources"}, .why = "give one of them"},
                      {.options = {"--keep=best"},
                       .unless = {"--score", "--score-file", "--sources"},
                       .why = "they say which record is better"}},
        .examples = {{"Write the lines of an index without what occurs before",
                      "sufsort duplicates web -l 50 --format=text -o clean.txt"},
                     {"Find what of a test set occurs in a corpus", "sufsort duplicates test -l 50 --against=web"},
                     {"Write a corpus without lines that occur before",
                      "sufsort duplicates web -l 20 --unit=lines --format=text"},
                     {"Find n-grams of 13 words of benchmarks",
                      "sufsort duplicates web -l 13 --unit=words --against=benchmarks"},
                     {"See how much is duplicated, and what", "sufsort duplicates web -l 50 --report=web.html -o web.tsv"}},
        .other_name = "dedup"};
  }
  [[nodiscard]] index_prefixes prefixes() const override {
    index_prefixes all{.read = {prefix_}, .text_suffices = true};
    if (!against_.empty()) all.read.push_back(against_);
    return all;
  }
  [[nodiscard]] memory_limits memory() const override { return memory_; }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    report.phase("open");
    suffix::stored_index const index(prefix_);
    std::optional<suffix::stored_index> against;
    if (!against_.empty()) against.emplace(against_);
    check_indexes(index, against ? &*against : nullptr);
    suffix::index_description const& about = index.description();
    bool const has_units = find_.unit != suffix::copied_unit::strings;
    if (has_units && plan_)
      throw usage_error(
          "conflicting options: --unit, --plan: lines, paragraphs, records and words are counted as they are read");
    if (plan_) {
      print_plan(common, index, against ? &*against : nullptr);
      return 0;
    }
    bool const edits_jsonl = about.input == suffix::input_format::jsonl && (format_ == "text" || format_ == "annotated");
    cli::output out(output_, common.threads);
    if (!resume_.empty())
      for (std::string const& prefix : {prefix_, against_})
        for (std::string const& file : index_file_names(prefix))
          if (!prefix.empty() && cli::find_file_id(file) && cli::find_file_id(file) == cli::find_file_id(resume_))
            throw output_error(fmt::format("cannot write: {}: it belongs to the index that is read", resume_));
    std::optional<cli::output> page;
    if (!page_name_.empty()) page.emplace(page_name_, common.threads);
    for (cli::output const* const each : {&out, page ? &*page : nullptr}) {
      if (each == nullptr) continue;
      refuse_output(prefix_, *each);
      if (against) refuse_output(against_, *each);
      refuse_sources(index, *each);
      if (against) refuse_sources(*against, *each);
      if (!resume_.empty() && each->is_file(resume_))
        throw output_error(fmt::format("cannot write: {}: it is the file of --resume", each->name()));
      if (!score_file_.empty() && each->is_file(score_file_))
        throw output_error(fmt::format("cannot write: {}: it is the file of --score-file", each->name()));
    }
    for (suffix::input_file const& file : about.files) report.stats.refuse_inputs({resolve_input(index, file.name)});
    if (!score_file_.empty()) report.stats.refuse_inputs({score_file_});
    if (!common.quiet) warn_of_ranges(about);
    report.stats.input(about.residues);
    suffix::text const input = index.view();
    suffix::duplicate_options find = find_;
    find.threads = common.threads;
    find.whole_characters |= edits_jsonl;
    std::vector<std::size_t> file_sources;
    if (!sources_.empty()) file_sources = find_sources(index, sources_);
    record_scores const scores = !score_.empty()        ? read_scores(index, score_, common.threads, memory_.host_bytes())
                                 : !score_file_.empty() ? load_scores(index, score_file_)
                                                        : scores_of_sources(index, file_sources);
    find.scores = scores.all;
    if (scores.missing != 0 && !common.quiet)
      cli::say("sufsort",
               fmt::format("warning: no score: {}: {} no number in '{}', and {} the lowest", scores.first_missing,
                           quantity(scores.missing, "line has", "lines have"), score_, scores.missing == 1 ? "is" : "are"));
    std::unique_ptr<suffix::copy_finder> finder = find_copies(find, index, against ? &*against : nullptr, report);
    if (std::uint64_t const few = finder->short_records(); few != 0 && !common.quiet)
      cli::say("sufsort", fmt::format("warning: too short: {}: {} fewer than {} words, and {} not looked for", against_,
                                      quantity(few, "record has", "records have"),
                                      find.min_words != 0 ? find.min_words : find.min_length, few == 1 ? "is" : "are"));
    report.phase("write", about.residues);
    bool const drops = find.unit == suffix::copied_unit::records && format_ == "text";
    duplicate_counts counts;
    if (edits_jsonl) {
      line_files files(index, out, out_dir_, common.threads);
      std::string const column = format_ == "text" ? "" : column_.empty() ? "duplicate_ranges" : column_;
      counts = write_jsonl(index, *finder, files, column, drops, common.threads, memory_.host_bytes());
    } else if (format_ == "text")
      counts = write_clean_text(index, *finder, out, common.threads, drops);
    else
      counts = write_ranges(index, *finder, out, common.threads, format_);
    std::vector<file_duplicates> files, sources;
    if (page) files = find_file_duplicates(index, *finder);
    if (page && !sources_.empty()) sources = sum_by_source(files, file_sources, sources_);
    suffix::repeated_strings units = finder->repeated_units();
    finder.reset();
    if (page) {
      // Most of them may be parts of others.
      constexpr std::size_t max_strings = 20, max_found = 64 * max_strings;
      suffix::repeated_strings strings;
      std::optional<std::size_t> needed;  // bytes of memory
      report.phase("report");
      if (has_units)
        strings = std::move(units);
      else if (about.find("lcp"))
        strings = suffix::find_repeated_strings(input, index.array("sa"), index.array("lcp"), find.min_length, max_found,
                                                index.path("sa"));
      else
        try {
          strings = strings_of_copies(common, input, find, max_found, against ? 0 : counts.residues);
        } catch (out_of_memory const& e) {
          needed = e.bytes();  // the page can do without them
        }
      if (!has_units) keep_different(strings.frequent, input, find.min_length, max_strings);
      std::vector<std::pair<std::string_view, std::string>> settings{{"index", prefix_},
                                                                     {"shortest duplicate", std::to_string(find.min_length)}};
      if (has_units) settings.emplace_back("unit", suffix::copied_unit_words[std::size_t(find.unit)]);
      if (against)
        settings.emplace_back("against", against_);
      else {
        settings.emplace_back("kept copies", suffix::kept_copies_words[std::size_t(find.keep)]);
        settings.emplace_back("copies", suffix::copy_scope_words[std::size_t(find.scope)]);
      }
      if (needed)
        settings.emplace_back("repeated strings", fmt::format("not shown: {} bytes of memory are needed, or more", *needed));
      page->write(std::string_view(duplicates_page(index, counts, std::move(files), sources, strings, settings)));
      page->finish();
    }
    // The finished ranges go once the result is on the disk.
    out.finish();
    if (!resume_.empty() && !out.target().empty())
      if (int const error = cli::sync_file(out.staged().c_str()))
        throw output_error(fmt::format("cannot write: {}: {}", out.name(), std::strerror(error)));
    out.commit();
    if (page) page->commit();
    if (!resume_.empty()) {
      if (!out.target().empty()) cli::sync_folder(parent_folder(out.target()).c_str());
      unlink(resume_.c_str());
    }
    return 0;
  }

 private:
  /// Checks that an index has all that is needed. @param against  the other index, or null
  void check_indexes(suffix::stored_index const& index, suffix::stored_index const* against) const {
    suffix::index_description const& about = index.description();
    for (suffix::stored_index const* each : {&index, against}) {
      if (each == nullptr) continue;
      if (each->description().policy.cuts()) refuse(*each, "records are cut", "duplicates need whole records of one strand");
    }
    bool const fasta = about.input == suffix::input_format::fasta, removes = format_ == "text";
    if (!score_.empty() && about.input != suffix::input_format::jsonl)
      refuse(index, "no JSONL", "--score names a field of JSONL");
    if (!sources_.empty() && fasta) refuse(index, "no sources", "an index of FASTA does not name its files");
    if (find_.unit != suffix::copied_unit::strings && find_.unit != suffix::copied_unit::records &&
        index.view().residue_bytes != 1)
      throw usage_error(fmt::format("conflicting options: --unit: {}: the index is of tokens", index.path("json")));
    if (fasta && removes)
      refuse(index, "no text",
             "--format=text is for other text than FASTA: print the ranges, and cut or mask them as by bedtools maskfasta");
    if (about.input != suffix::input_format::jsonl && format_ == "annotated")
      refuse(index, "no JSONL", "lists of ranges are added to JSONL");
    if (about.input != suffix::input_format::jsonl && !out_dir_.empty()) refuse(index, "no JSONL", "--out-dir is for JSONL");
    if (!suffix::is_utf8(column_)) throw usage_error("not UTF-8: --column: a name in JSON is UTF-8");
    if (find_.whole_characters && index.view().residue_bytes != 1)
      throw usage_error(fmt::format("conflicting options: --utf-8: {}: the index is of tokens", index.path("json")));
    if (against == nullptr) return;
    if (against->view().residue_bytes != index.view().residue_bytes ||
        (against->description().input == suffix::input_format::fasta) != fasta)
      refuse(*against, "another kind of text", fmt::format("{} has other residues", index.path("json")));
  }

  /// Warns of ranges in a file whose name is that of a text, as of those that the index was made of.
  void warn_of_ranges(suffix::index_description const& about) const {
    std::string_view const extension = file_extension(output_);
    if (has_format_ || output_ == "-" || extension.empty() || extension == "tsv" || extension == "bed") return;
    constexpr std::array texts{"jsonl", "ndjson", "json", "txt", "text", "u16", "u32", "fa", "fasta", "fna", "faa"};
    bool const is_text =
        std::ranges::find(texts, extension) != texts.end() ||
        std::ranges::any_of(about.files, [&](auto const& file) { return file_extension(file.name) == extension; });
    if (!is_text) return;
    bool const fasta = about.input == suffix::input_format::fasta;
    cli::say("sufsort",
             fmt::format("warning: ranges only: {}: it gets the ranges of duplicates, {}", output_,
                         fasta ? "not the records without them" : "not the text without them, which --format=text writes"));
  }

  /// Returns a checksum of all that decides which copies there are.
  std::uint32_t options_checksum(suffix::duplicate_options const& find) const {
    auto const sum = [](std::string const& prefix) { return prefix.empty() ? 0 : sum_of_description(prefix).value_or(0); };
    std::string_view const scores(reinterpret_cast<char const*>(find.scores.data()), find.scores.size_bytes());
    std::string const all =
        fmt::format("{} {} {} {} {} {} {} {} {}", sum(prefix_), against_.empty(), sum(against_), find.min_length,
                    suffix::kept_copies_words[std::size_t(find.keep)], suffix::copy_scope_words[std::size_t(find.scope)],
                    suffix::copied_unit_words[std::size_t(find.unit)], find.min_words, suffix::compute_crc32(scores, 1));
    return suffix::compute_crc32(all, 1);
  }

  /// Prints what the search would do. Searches the begin of the text, to measure the time.
  void print_plan(cli::common_options const& common, suffix::stored_index const& index,
                  suffix::stored_index const* against) const {
    suffix::text const input = index.view(), other = against ? against->view() : suffix::text{};
    std::size_t const available = memory_.host_bytes();
    suffix::copy_finder::plan const plan =
        suffix::copy_finder::make_plan(input, find_.min_length, available, against ? &other : nullptr);
    constexpr std::size_t max_sample = std::size_t{16} << 20;
    suffix::text sample = input;
    sample.residues = input.residues.substr(0, max_sample);
    if (sample.size() != 0 && !input.starts.empty()) sample.starts = input.starts.first(input.record_at(sample.size() - 1) + 1);
    suffix::duplicate_options find = find_;
    find.threads = common.threads;
    auto const start = std::chrono::steady_clock::now();
    suffix::copy_finder finder(sample, find, available);
    while (finder.finished() != suffix::copy_finder::num_buckets) finder.next_range();
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
    double const seconds =
        taken.count() * double(input.size() + other.size()) / double(std::max<std::size_t>(sample.size(), 1));
    bool const on_disk = plan.disk_bytes != 0;
    std::string text = fmt::format("residues\t{} in {}\n", input.size(), quantity(input.records(), "record"));
    text += fmt::format("minimizers\tabout {}\n", plan.minimizers);
    text += fmt::format("memory\t{} available\n", cli::human_bytes(available));
    text += fmt::format("passes\t{} over the text\n", plan.passes);
    text += on_disk ? fmt::format("disk\tabout {} in {}, at most {}\n", cli::human_bytes(plan.disk_bytes),
                                  cli::temporary_folder(), cli::human_bytes(plan.max_disk_bytes))
                    : std::string("disk\tnone: all fits into memory\n");
    text += fmt::format("time\tabout {:.1f} s{}\n", seconds, on_disk ? ", and what reading and writing take" : "");
    cli::output out("-");
    out.write(std::string_view(text));
    out.commit();
  }

  /// Marks all copies, range by range.
  std::unique_ptr<suffix::copy_finder> find_copies(suffix::duplicate_options const& find, suffix::stored_index const& index,
                                                   suffix::stored_index const* against, reporter& report) const {
    suffix::text const input = index.view(), other = against ? against->view() : suffix::text{};
    std::uint64_t const all = input.size() + other.size();
    std::size_t const available = memory_.host_bytes();
    auto finder =
        std::make_unique<suffix::copy_finder>(input, find, available, against ? &other : nullptr, cli::temporary_folder());
    bool const saves = !resume_.empty();
    std::uint32_t const identity = saves ? options_checksum(find) : 0;
    if (saves)
      if (auto const before = load_finished(resume_, identity)) finder->resume(before->finished, before->marks);
    std::atomic<std::uint64_t> read = 0;
    suffix::copy_finder::progress const on_progress = [&](std::uint64_t more) { report.progress.at(read += more); };
    std::size_t const max_buckets = suffix::copy_finder::num_buckets / (saves ? 8 : 1);
    try {
      if (finder->finished() == suffix::copy_finder::num_buckets) return finder;
      report.phase("count", all);
      std::size_t const ranges = finder->count_ranges(max_buckets, on_progress);
      read = 0;
      report.phase("duplicates", all * ranges);
      while (finder->finished() != suffix::copy_finder::num_buckets) {
        finder->next_range(max_buckets, on_progress, index.path("seq"));
        if (saves) save_finished(resume_, identity, finder->finished(), finder->marks());
      }
    } catch (out_of_memory const& e) {
      throw out_of_memory(fmt::format("out of memory: duplicates of {}: {} bytes are needed, {} are available: {}",
                                      index.path("seq"), e.bytes(), available, memory_.advice(e.bytes())),
                          e.bytes());
    }
    return finder;
  }

  /// Finds the strings for a report, if the index has no arrays.
  /// @param min_copies  residues in copies, at least @throws out_of_memory
  suffix::repeated_strings strings_of_copies(cli::common_options const& common, suffix::text const& input,
                                             suffix::duplicate_options find, std::size_t max_strings,
                                             std::uint64_t min_copies) const {
    find.keep = suffix::kept_copies::none;
    find.scope = suffix::copy_scope::anywhere;
    find.whole_characters = false;
    // Copies that will not fit are not looked for.
    std::size_t const bits = input.size() / 8, available = memory_.host_bytes(), all = std::size_t(min_copies),
                      needed = bits + all * (input.residue_bytes + (suffix::index_fits(4, all, 1) ? 8 : 16));
    if (needed >= available) throw out_of_memory("out of memory: repeated strings", needed + needed / 8);
    suffix::copy_finder copies(input, find, available, nullptr, cli::temporary_folder());
    while (copies.finished() != suffix::copy_finder::num_buckets) copies.next_range();
    suffix::build_options building;
    building.machine = common.machine();
    building.memory = available - bits;
    return suffix::find_repeated_strings(input, copies, find.min_length, max_strings, building);
  }

  void set_sources(std::string_view names) {
    for (std::string_view rest = names;;) {
      std::size_t const size = rest.find(',');
      std::string name(rest.substr(0, size));
      while (name.size() > 1 && name.ends_with('/')) name.pop_back();
      if (name.empty()) throw usage_error(fmt::format("no name: --sources: '{}': an empty name", names));
      if (std::ranges::find(sources_, name) != sources_.end())
        throw usage_error(fmt::format("given twice: --sources: {}", name));
      sources_.push_back(std::move(name));
      if (size == rest.npos) break;
      rest.remove_prefix(size + 1);
    }
  }

  std::string score_;                 // names of the field; empty: none
  std::string score_file_;            // empty: none
  std::vector<std::string> sources_;  // names of files and folders, the best ones first; empty: none
  std::string against_;               // the prefix of another index; empty: none
  suffix::duplicate_options find_;
  std::string format_ = "tsv";
  bool has_format_ = false;  // --format
  std::string column_;       // the name of the list in annotated JSON; empty: duplicate_ranges
  std::string out_dir_;      // the folder of a text for each file; empty: one output
  std::string page_name_;    // a page of HTML; empty: none
  std::string resume_;       // the file of finished ranges; empty: none
  bool plan_ = false;
  memory_limits memory_;
};

}  // namespace

std::unique_ptr<command> make_duplicates() {
  return std::make_unique<duplicates>();
}

}  // namespace ordo::inline v0::sufsort
