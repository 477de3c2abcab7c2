#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/parse_bytes.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/input_format.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

using cli::option;

constexpr std::string_view index_group = "Index options", input_group = "Input options", text_group = "Text options",
                           output_group = "Output options", search_group = "Search options", memory_group = "Memory options";

template <std::size_t N>
std::string joined(std::array<std::string_view, N> const& words) {
  std::string text(words[0]);
  for (std::size_t i = 1; i < N; ++i) (text += ' ') += words[i];
  return text;
}

/// @param to  a Value, or an optional one
template <class Value, std::size_t N, class To>
option choice(std::string_view name, std::string_view group, std::array<std::string_view, N> const& words, To& to,
              std::string help, std::string preset, std::string details) {
  return {.name = name,
          .value = "NAME",
          .group = group,
          .help = std::move(help),
          .preset = std::move(preset),
          .details = std::move(details),
          .choices = joined(words),
          .only_choices = true,
          .set = [&to, &words](std::string_view, std::string_view word) { to = *suffix::value_of<Value>(words, word); }};
}

/// Parses a number of the option, above 0 if `why_not_zero` says why.
template <class Number>
option::action parse_to(Number& to, std::string_view why_not_zero = {}) {
  return [&to, why_not_zero](std::string_view spelling, std::string_view value) {
    to = Number(cli::parse_count(spelling, value));
    if (to == 0 && !why_not_zero.empty()) throw usage_error(fmt::format("invalid number: {}: '0': {}", spelling, why_not_zero));
  };
}

option circular_option(std::vector<std::string>& to, std::string_view what, std::string const& details) {
  return {.name = "circular",
          .value = "NAME",
          .group = search_group,
          .help = fmt::format("find {} across the end of the record NAME, too, which is circular; all stands for all records",
                              what),
          .details = details + " The option may be repeated.",
          .repeatable = true,
          .set = cli::append_to(to)};
}

option output_option(std::string& to, bool required = false) {
  return {.letter = 'o',
          .name = "output",
          .value = "FILE",
          .group = output_group,
          .help = "write to FILE; - is standard output",
          .preset = required ? "" : "-",
          .required = required,
          .set = cli::store(to)};
}

cli::operand prefix_operand(std::string& to, std::string help = "the index") {
  return {"PREFIX", std::move(help), 1, 1, [&to](std::string_view value) { to = value; }};
}

option host_memory_option(memory_limits& limits) {
  return {.name = "memory",
          .value = "SIZE",
          .group = memory_group,
          .help = "use at most SIZE of host memory, as 8G",
          .preset = "the free memory",
          .details = "SIZE is a number of bytes, with K, M, G or T for powers of 1024.",
          .set = cli::store(limits.host)};
}

option gpu_memory_option(memory_limits& limits) {
  return {.name = "gpu-memory",
          .value = "SIZE",
          .group = memory_group,
          .help = "use at most SIZE of GPU memory",
          .preset = "ORDO_GPU_MEMORY, or the free memory",
          .set = cli::store(limits.gpu)};
}

// The two options of a table of k-mers.
std::array<option, 2> kmer_rows(std::string_view name, std::string_view force, bool required, kmer_options& to) {
  to.option = fmt::format("--{}", name);
  to.force_option = fmt::format("--{}", force);
  option::action const set = [&to](std::string_view spelling, std::string_view value) {
    to.wanted = true;
    if (value == "auto") return;
    std::size_t const letters = cli::parse_count(spelling, value);
    if (letters == 0 || letters > suffix::kmer_set::max_length)
      throw usage_error(
          fmt::format("invalid number: {}: '{}': a k-mer has 1 to {} letters", spelling, value, suffix::kmer_set::max_length));
    to.length = unsigned(letters);
  };
  return {
      {{.name = name,
        .value = "K",
        .group = index_group,
        .help = "add a table of the K-mers, with which searches are faster; K may be auto",
        .details = fmt::format("A search begins with the rows of the first K letters of its pattern. K is at most {}, a table "
                               "has at most 2^30 K-mers (15 letters of DNA, 6 of proteins), and it is not larger than the "
                               "suffix array unless --{} is given. auto takes the largest K whose table has at most a "
                               "fourth of the size of the suffix array.",
                               suffix::kmer_set::max_length, force),
        .required = required,
        .set = set},
       {.name = force,
        .group = index_group,
        .help = "allow a table that is larger than the suffix array",
        .set = cli::enable(to.force)}}};
}

option letters_option(std::string const& subject, std::optional<suffix::letter_choice>& to) {
  return choice<suffix::letter_choice>(
      "letters", search_group, suffix::letter_choice_words, to,
      fmt::format("let {} hold only A, C, G, T and U (nucleotides), or all letters", subject), "nucleotides",
      "All letters include N, the other codes of IUPAC, and gaps. They are the default for texts of proteins: those of which "
      "at least one letter in 100 is E, F, I, J, L, O, P, Q or Z.");
}

option fm_option(bool& to) {
  return {.name = "fm",
          .group = search_group,
          .help = "search by the FM index, which needs less memory than the suffix array",
          .details = "An index without a suffix array is always searched so. The output is the same.",
          .set = cli::enable(to)};
}

void refuse_two_masks(build_options const& options) {
  if (options.has_mask && options.has_keep_case)
    throw usage_error("conflicting options: --keep-case, --mask: --keep-case means --mask=keep");
}

std::vector<option> policy_rows(build_options& to) {
  suffix::policy& policy = to.policy;
  option mask = choice<suffix::masked_letters>(
      "mask", text_group, suffix::masked_words, policy.masked,
      "make lower-case letters upper-case (fold), keep both (keep), or end records before them (break)", "fold", {});
  mask.set = [set = mask.set, &to](std::string_view spelling, std::string_view value) {
    set(spelling, value);
    to.has_mask = true;
    refuse_two_masks(to);
  };
  return {choice<suffix::strands>("strands", text_group, suffix::strands_words, policy.strands,
                                  "index records as they are (forward), or with their reverse complements (both)", "forward",
                                  "Each reverse complement is a record of its own, after its record. Only nucleotides have "
                                  "complements."),
          choice<suffix::ambiguous_letters>(
              "ambiguous", text_group, suffix::ambiguous_words, policy.ambiguous,
              "treat letters other than A, C, G, T and U as letters (symbol), as ends of records (break), or leave out the "
              "suffixes that begin with them (skip)",
              "symbol", "break and skip are for nucleotides only."),
          std::move(mask),
          {.name = "keep-case",
           .group = text_group,
           .help = "keep lower-case letters, as --mask=keep does",
           .set =
               [&to](std::string_view, std::string_view) {
                 to.policy.masked = suffix::masked_letters::keep;
                 to.has_keep_case = true;
                 refuse_two_masks(to);
               }},
          {.name = "sample",
           .value = "D",
           .group = text_group,
           .help = "index only every D-th position of each record, from the first one on",
           .preset = "1",
           .set = parse_to(policy.sample, "the least is 1, which indexes every position")}};
}

option format_option(build_options& to) {
  option format = choice<suffix::input_format>(
      "format", input_group, suffix::input_words, to.format,
      "read FASTA or FASTQ, bytes as they are, lines, each a record, tokens of 16 or 32 bits (u16, u32), or a string of each "
      "line of JSON (jsonl)",
      "what the files are, or fasta",
      "Without the option, files are recognised if their content or names are certain: JSONL by a first line from '{' to '}' "
      "or by .jsonl or .ndjson, tokens by the header of a .npy file or by .u16 or .u32. A file of bytes or tokens is one "
      "record, unless --separator or --lengths says otherwise. Nothing is changed: all values are letters. Tokens are raw or "
      "in a .npy file, whose rows are records.");
  format.set = [set = format.set, &to](std::string_view spelling, std::string_view value) {
    set(spelling, value);
    to.has_format = true;
  };
  return format;
}

cli::command_table build_table(settings& to) {
  build_options& build = to.build;
  cli::command_table table{
      .name = "sufsort build",
      .summary = "build an index of FASTA files, or of any text",
      .usage = {"[OPTION]... --output=PREFIX FILE..."},
      .description =
          "Build the suffix array of all records of the files and, if wanted, the LCP array, the BWT and a "
          "table of k-mers. Write them as the files PREFIX.*, which appear together when all are complete.",
      .operands = {{"FILE", "a file of records, plain or compressed; - is standard input", 1, std::size_t(-1),
                    [&build](std::string_view value) { build.files.emplace_back(value); }}},
      .options = {{.letter = 'o',
                   .name = "output",
                   .value = "PREFIX",
                   .group = index_group,
                   .help = "write the index to files whose names begin with PREFIX",
                   .required = true,
                   .set = cli::store(to.prefix)},
                  format_option(build),
                  {.name = "separator",
                   .value = "TEXT",
                   .group = input_group,
                   .help = "end a record of bytes or tokens at each TEXT, which belongs to no record",
                   .details = "\\n, \\t, \\r, \\0, \\xHH and \\\\ stand for the bytes that C writes so. A token is a number. "
                              "A file that ends with TEXT has no empty record after it.",
                   .set = cli::store_nonempty(build.separator)},
                  {.name = "field",
                   .value = "NAME",
                   .group = input_group,
                   .help = "make records of the strings that have this name in JSON; of nested ones, as meta.title",
                   .preset = "text",
                   .details = "Escapes are decoded. An empty line is an empty record.",
                   .set = cli::store_nonempty(build.field)},
                  {.name = "lengths",
                   .value = "FILE",
                   .group = input_group,
                   .help = "make records of bytes or tokens of the lengths in FILE, decimal numbers",
                   .set = cli::store_nonempty(build.lengths)},
                  {.name = "byte-order",
                   .value = "NAME",
                   .group = input_group,
                   .help = "read raw tokens as little-endian or big-endian numbers (little, big)",
                   .preset = "little",
                   .choices = "little big",
                   .only_choices = true,
                   .set = [&build](std::string_view, std::string_view value) { build.big_endian = value == "big"; }},
                  {.name = "lcp", .group = index_group, .help = "add the LCP array", .set = cli::enable(build.what.lcp)},
                  {.name = "bwt",
                   .group = index_group,
                   .help = "add the Burrows-Wheeler transform",
                   .set = cli::enable(build.what.bwt)},
                  {.name = "fm",
                   .group = index_group,
                   .help = "add an FM index, with which count, locate, mem and ms need less memory",
                   .set = cli::enable(build.fm)},
                  {.name = "fm-sample",
                   .value = "N",
                   .group = index_group,
                   .help = "store the position of every N-th row in the FM index",
                   .preset = "32",
                   .set = parse_to(build.fm_sample, "1 stores them all")},
                  {.name = "without-sa",
                   .group = index_group,
                   .help = "leave out the suffix array; the FM index takes its place for count, locate, mem and ms, or the BWT "
                           "stands alone",
                   .set = cli::enable(build.without_sa)},
                  {.name = "text-only",
                   .group = index_group,
                   .help = "write only the text and its records, for sufsort duplicates; not of FASTA",
                   .set = cli::enable(build.text_only)},
                  {.name = "width",
                   .value = "BITS",
                   .group = index_group,
                   .help = "store entries of 32, 40 or 64 bits; auto is the smaller sufficient one of 32 and 40",
                   .preset = "auto",
                   .choices = "auto 32 40 64",
                   .only_choices = true,
                   .set = cli::store(build.width)}}};
  for (option& row : kmer_rows("kmer-table", "force-kmer-table", false, build.kmers)) table.options.push_back(std::move(row));
  for (option& row : policy_rows(build)) table.options.push_back(std::move(row));
  table.options.push_back({.name = "plan",
                           .group = memory_group,
                           .help = "print the machine, memory and number of ranges that the build would take; build nothing",
                           .set = cli::enable(build.plan)});
  table.options.push_back(host_memory_option(to.memory));
  table.options.push_back(gpu_memory_option(to.memory));
  table.examples = {
      {"Index a genome with everything that searches and repeats need",
       "sufsort build genome.fa.gz -o genome --lcp --bwt --kmer-table=auto"},
      {"Index both strands, without runs of N", "sufsort build genome.fa -o both --strands=both --ambiguous=break"},
      {"Index the lines of a text", "sufsort build words.txt -o words --format=lines --lcp"}};
  return table;
}

cli::command_table merge_table(settings& to) {
  return {
      .name = "sufsort merge",
      .summary = "merge two indexes to one of the records of both",
      .usage = {"[OPTION]... --output=PREFIX FIRST SECOND"},
      .description =
          "Write the index that sufsort build makes of the files of two indexes, without sorting. Both need the "
          "same format and policy. The result has the LCP array, BWT, table of k-mers and FM index if both "
          "have them, with the options of FIRST.",
      .operands = {{"FIRST", "an index, whose records come first", 1, 1, [&to](std::string_view value) { to.prefix = value; }},
                   {"SECOND", "an index; the smaller it is, the sooner the merge ends", 1, 1,
                    [&to](std::string_view value) { to.merge.second = value; }}},
      .options = {{.letter = 'o',
                   .name = "output",
                   .value = "PREFIX",
                   .group = index_group,
                   .help = "write the index to files whose names begin with PREFIX, which may be that of FIRST or SECOND",
                   .required = true,
                   .set = cli::store(to.merge.output)},
                  host_memory_option(to.memory)},
      .examples = {{"Merge the indexes of two genomes", "sufsort merge ecoli salmonella -o both"}}};
}

cli::command_table add_table(settings& to) {
  return {.name = "sufsort add",
          .summary = "add the records of files to an index",
          .usage = {"[OPTION]... PREFIX FILE..."},
          .description =
              "Sort the suffixes of the files, and merge them with the index, which then is the one that sufsort build "
              "makes of all files. Format, policy and arrays are those of the index.",
          .operands = {prefix_operand(to.prefix),
                       {"FILE", "a file of records, plain or compressed; - is standard input", 1, std::size_t(-1),
                        [&to](std::string_view value) { to.add.files.emplace_back(value); }}},
          .options = {host_memory_option(to.memory), gpu_memory_option(to.memory)},
          .examples = {{"Add a plasmid to the index of a genome", "sufsort add genome plasmid.fa"}}};
}

cli::command_table search_table(settings& to, bool locates) {
  search_options& search = to.search;
  cli::command_table table{
      .name = locates ? "sufsort locate" : "sufsort count",
      .summary = locates ? "print the positions at which patterns occur" : "print how often patterns occur",
      .usage = {"[OPTION]... PREFIX PATTERN...", "[OPTION]... PREFIX --file=FILE"},
      .description = locates
                         ? "Print a line for each hit, by record and offset: pattern, number of its hits, record, offset, and "
                           "strand. Offsets count from 0."
                         : "Print a line for each pattern: the pattern and the number of its hits.",
      .operands = {prefix_operand(to.prefix),
                   {"PATTERN", "a pattern; - reads patterns from standard input", 0, std::size_t(-1),
                    [&search](std::string_view value) { search.patterns.emplace_back(value); }}},
      .options = {{.letter = 'f',
                   .name = "file",
                   .value = "FILE",
                   .group = search_group,
                   .help = "read patterns from FILE: FASTA, FASTQ, or a list, one a line; - is standard input",
                   .details = "FILE may be compressed. The option may be repeated.",
                   .repeatable = true,
                   .set = cli::append_to(search.files)},
                  {.name = "both-strands",
                   .group = search_group,
                   .help = locates ? "find reverse complements, too, and print - as their strand"
                                   : "count reverse complements, too, and print the hits of each strand as two more columns",
                   .details = "T and U of patterns are read as the one of them that the text has.",
                   .set = cli::enable(search.both_strands)},
                  circular_option(search.circular, "hits",
                                  std::string("A hit goes around a record once at most.") +
                                      (locates ? " In BED such a hit has two lines." : "")),
                  fm_option(search.fm),
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
                   .set = [&search](std::string_view, std::string_view word) {
                     search.format = suffix::value_of<pattern_format>(pattern_words, word);
                   }}}};
  if (locates) {
    table.options.push_back({.name = "limit",
                             .value = "N",
                             .group = search_group,
                             .help = "print at most N hits of each pattern, the first ones in suffix order; 0 means all",
                             .preset = "1000",
                             .set = parse_to(search.limit)});
    table.options.push_back(
        {.name = "format",
         .value = "NAME",
         .group = output_group,
         .help = "print tab-separated columns (tsv) or BED (bed)",
         .preset = "tsv",
         .details = "tsv: pattern, count, record, offset, strand, and a line for a pattern without hits. bed: record, begin, "
                    "end, pattern, count up to 1000, strand.",
         .choices = "tsv bed",
         .only_choices = true,
         .set = [&search](std::string_view, std::string_view value) { search.bed = value == "bed"; }});
    table.options.push_back({.name = "context",
                             .value = "N",
                             .group = output_group,
                             .help = "print two more columns: the N letters before the hit and the N after it",
                             .preset = "0",
                             .details = "They are read in the direction of the pattern.",
                             .set = parse_to(search.context)});
  }
  if (!locates)
    table.options.push_back({.name = "by-record",
                             .group = output_group,
                             .help = "print a line for each record that has hits: pattern, record, count",
                             .details = "A pattern without hits has one line, with . as its record.",
                             .set = cli::enable(search.by_record)});
  table.options.push_back(output_option(search.output));
  if (locates)
    table.examples = {{"Find a pattern on both strands, with ten letters around it",
                       "sufsort locate genome GATTACA --both-strands --context=10"},
                      {"Find all reads as BED", "sufsort locate genome -f reads.fq.gz --format=bed --limit=0 -o hits.bed"}};
  else
    table.examples = {{"Count two patterns", "sufsort count genome GATTACA TTAGGG"}};
  return table;
}

cli::operand query_operand(std::vector<std::string>& to) {
  return {"QUERY", "a file of queries: FASTA, FASTQ, or a list, one a line, plain or compressed; - is standard input", 1,
          std::size_t(-1), [&to](std::string_view value) { to.emplace_back(value); }};
}

cli::command_table matches_table(settings& to) {
  matches_options& matches = to.matches;
  return {
      .name = "sufsort mem",
      .summary = "print the maximal exact matches of queries",
      .usage = {"[OPTION]... PREFIX QUERY..."},
      .description =
          "Print a line for each maximal exact match: a string that a query and a record share, and that neither the "
          "letters before it nor those after it extend. A GPU finds them by the FM index, except rare ones and those around "
          "circular records.",
      .operands = {prefix_operand(to.prefix), query_operand(matches.files)},
      .options = {{.letter = 'l',
                   .name = "min-length",
                   .value = "L",
                   .group = search_group,
                   .help = "find matches of at least L letters",
                   .preset = "20",
                   .set = parse_to(matches.find.min_length, "a match has at least one letter")},
                  {.name = "unique",
                   .group = search_group,
                   .help = "find only strings that occur once in the text and once in the query, as mummer -mum does",
                   .set =
                       [&matches](std::string_view, std::string_view) {
                         matches.unique = true;
                         matches.find.max_occurrences = 1;
                       }},
                  {.name = "rare",
                   .value = "N",
                   .group = search_group,
                   .help = "find only strings that occur at most N times in the text",
                   .details = "With 1, these are the matches of mummer -mumreference.",
                   .set =
                       [&matches](std::string_view spelling, std::string_view value) {
                         std::uint64_t max_occurrences = 0;
                         parse_to(max_occurrences, "a match occurs at least once")(spelling, value);
                         matches.find.max_occurrences = matches.unique ? 1 : max_occurrences;
                       }},
                  {.name = "super-maximal",
                   .group = search_group,
                   .help = "find only matches that lie within no longer match of the query, on any strand",
                   .set = cli::enable(matches.super_maximal)},
                  {.name = "both-strands",
                   .group = search_group,
                   .help = "find matches of the reverse complement, too, and print - as their strand",
                   .details = "Offsets in the query count on its forward strand, except in the format of mummer. T and U of "
                              "queries are read as the one of them that the text has.",
                   .set = cli::enable(matches.both_strands)},
                  circular_option(matches.circular, "matches",
                                  "A match goes around a record as often as the query does. PAF and BED have a line for each "
                                  "turn. --unique and --rare count occurrences across the ends, too."),
                  letters_option("matches", matches.letters),
                  fm_option(matches.fm),
                  {.name = "format",
                   .value = "NAME",
                   .group = output_group,
                   .help = "print tab-separated columns (tsv), what mummer prints (mummer), PAF (paf), or BED (bed)",
                   .preset = "tsv",
                   .details =
                       "tsv: query, offset in it, record, offset in it, strand, length; offsets count from 0. bed: record, "
                       "begin, end, query, length up to 1000, strand.",
                   .choices = "tsv mummer paf bed",
                   .only_choices = true,
                   .set =
                       [&matches](std::string_view, std::string_view value) {
                         using enum match_format;
                         matches.format = value == "tsv" ? tsv : value == "mummer" ? mummer : value == "paf" ? paf : bed;
                       }},
                  output_option(matches.output)},
      .examples = {
          {"Compare two genomes as mummer -maxmatch -b -n does", "sufsort mem genome other.fa --both-strands --format=mummer"},
          {"Find the longest matches of reads", "sufsort mem genome reads.fq.gz --super-maximal -l 31 --both-strands"}}};
}

cli::command_table statistics_table(settings& to) {
  statistics_options& statistics = to.statistics;
  return {
      .name = "sufsort ms",
      .summary = "print the matching statistics of queries",
      .usage = {"[OPTION]... PREFIX QUERY..."},
      .description =
          "Print for each letter of a query the length of the longest string that begins there and occurs in the "
          "text, within a record.",
      .operands = {prefix_operand(to.prefix), query_operand(statistics.files)},
      .options = {circular_option(statistics.circular, "strings", "A string goes around a record as often as the query does."),
                  letters_option("strings", statistics.letters),
                  fm_option(statistics.fm),
                  {.name = "format",
                   .value = "NAME",
                   .group = output_group,
                   .help =
                       "print a line >NAME and a line of all lengths for a query (lengths), or a line for each letter (tsv)",
                   .preset = "lengths",
                   .details = "tsv: query, offset from 0, length.",
                   .choices = "lengths tsv",
                   .only_choices = true,
                   .set = [&statistics](std::string_view, std::string_view value) { statistics.tsv = value == "tsv"; }},
                  output_option(statistics.output)},
      .examples = {{"Compare a genome with an index of both strands", "sufsort ms both other.fa -o other.lengths"}}};
}

cli::command_table repeats_table(settings& to) {
  repeats_options& repeats = to.repeats;
  return {.name = "sufsort repeats",
          .summary = "print the maximal repeats of an index",
          .usage = {"[OPTION]... --min-length=L PREFIX"},
          .description =
              "Print a line for each occurrence of a maximal repeat: number of the repeat, length, number of its "
              "occurrences, record, offset and strand.",
          .operands = {prefix_operand(to.prefix, "an index with LCP and BWT")},
          .options = {{.letter = 'l',
                       .name = "min-length",
                       .value = "L",
                       .group = search_group,
                       .help = "find repeats of at least L letters",
                       .required = true,
                       .set = parse_to(repeats.min_length, "a repeat has at least one letter")},
                      {.name = "pairs",
                       .group = search_group,
                       .help = "print pairs of occurrences instead, as repeat-match -f does",
                       .details = "The columns are record, offset and strand of both, and the length.",
                       .set = cli::enable(repeats.pairs)},
                      {.name = "limit",
                       .value = "N",
                       .group = search_group,
                       .help = "print at most N occurrences, or pairs, of each repeat; 0 means all",
                       .preset = "10",
                       .set = parse_to(repeats.limit)},
                      letters_option("repeats", repeats.letters),
                      output_option(repeats.output)},
          .examples = {{"Find all repeats of 100 letters and more", "sufsort repeats genome -l 100 --limit=0 -o repeats.tsv"}}};
}

cli::command_table unique_table(settings& to) {
  unique_options& unique = to.unique;
  return {.name = "sufsort unique",
          .summary = "print how often the k-mer at each position occurs",
          .usage = {"[OPTION]... --length=K PREFIX", "[OPTION]... --minimal PREFIX"},
          .description =
              "Print bedGraph: record, begin, end, and the number of times that the K letters at each of these "
              "positions occur in the text.",
          .operands = {prefix_operand(to.prefix, "an index with LCP")},
          .options = {{.letter = 'l',
                       .name = "length",
                       .value = "K",
                       .group = search_group,
                       .help = "count k-mers of K letters",
                       .set = parse_to(unique.length, "a k-mer has at least one letter")},
                      {.name = "mismatches",
                       .value = "E",
                       .group = search_group,
                       .help = "count strings that differ from the k-mer in at most E letters, too: 0, 1 or 2",
                       .preset = "0",
                       .details = "They differ in at most E letters (Hamming distance). An index of both strands counts both.",
                       .set = parse_to(unique.mismatches)},
                      {.name = "normalize",
                       .group = output_group,
                       .help = "print mappability, 1 divided by the count, instead of the count",
                       .set = cli::enable(unique.normalize)},
                      {.name = "minimal",
                       .group = search_group,
                       .help = "print the minimal unique substrings instead, as BED: record, begin, end",
                       .details = "Such a string occurs once in the text, and nothing within it does. There is no --length.",
                       .set = cli::enable(unique.minimal)},
                      circular_option(unique.circular, "k-mers",
                                      "A string goes around a record once at most. With --mismatches and --minimal the text is "
                                      "sorted again for it."),
                      letters_option("k-mers", unique.letters),
                      output_option(unique.output)},
          .examples = {{"Find the positions whose 31-mers are unique", "sufsort unique genome -l 31 | awk '$4 == 1'"},
                       {"Print the mappability of 50-mers with up to two mismatches",
                        "sufsort unique genome -l 50 --mismatches=2 --normalize"}}};
}

cli::command_table spectrum_table(settings& to) {
  spectrum_options& spectrum = to.spectrum;
  return {
      .name = "sufsort spectrum",
      .summary = "print how many k-mers occur once, twice, ...",
      .usage = {"[OPTION]... --length=K PREFIX"},
      .description = "Print a line for each number of occurrences: the number, and how many different k-mers occur so often.",
      .operands = {prefix_operand(to.prefix, "an index with LCP")},
      .options = {{.letter = 'k',
                   .name = "length",
                   .value = "K",
                   .group = search_group,
                   .help = "count k-mers of K letters",
                   .required = true,
                   .set = parse_to(spectrum.length, "a k-mer has at least one letter")},
                  {.name = "plot",
                   .group = output_group,
                   .help = "draw a bar on each line, of a length by the logarithm; numbers from 33 on share lines",
                   .set = cli::enable(spectrum.plot)},
                  letters_option("k-mers", spectrum.letters),
                  output_option(spectrum.output)},
      .examples = {{"Count the different 21-mers", "sufsort spectrum genome -k 21 | awk '{n += $2} END {print n}'"}}};
}

void set_scope(duplicates_options& options, suffix::copy_scope scope) {
  if (options.find.scope != suffix::copy_scope::anywhere && options.find.scope != scope)
    throw usage_error("conflicting options: --across, --within: give one of them");
  options.find.scope = scope;
}

cli::command_table duplicates_table(settings& to) {
  duplicates_options& duplicates = to.duplicates;
  return {.name = "sufsort duplicates",
          .summary = "print the parts of a text that are copies, or the text without them",
          .usage = {"[OPTION]... --min-length=L PREFIX"},
          .description =
              "Print a line for each range of letters or tokens that are in copies of at least L of them, within records: "
              "record, begin and end, from 0.\n\nsufsort dedup is the same command.",
          .operands = {prefix_operand(to.prefix, "an index; it needs no suffix array")},
          .options = {{.letter = 'l',
                       .name = "min-length",
                       .value = "L",
                       .group = search_group,
                       .help = "find copies of at least L letters or tokens",
                       .required = true,
                       .set = parse_to(duplicates.find.min_length, "a copy has at least one letter")},
                      choice<suffix::kept_copies>("keep", search_group, suffix::kept_copies_words, duplicates.find.keep,
                                                  "keep the first of equal strings, or none of them", "first",
                                                  "The first one has the smallest position. Copies may overlap."),
                      {.name = "within",
                       .group = search_group,
                       .help = "find copies within a record only",
                       .set = [&duplicates](std::string_view,
                                            std::string_view) { set_scope(duplicates, suffix::copy_scope::within); }},
                      {.name = "across",
                       .group = search_group,
                       .help = "find copies in different records only",
                       .details = "Of a string that several records have, all copies in the first of them are kept.",
                       .set = [&duplicates](std::string_view,
                                            std::string_view) { set_scope(duplicates, suffix::copy_scope::across); }},
                      {.name = "against",
                       .value = "OTHER",
                       .group = search_group,
                       .help = "find what occurs in another index, OTHER, instead of copies",
                       .details = "Every occurrence is printed: --keep has no effect.",
                       .set = cli::store_nonempty(duplicates.against)},
                      {.name = "utf-8",
                       .group = search_group,
                       .help = "shorten ranges to whole characters of UTF-8",
                       .set = cli::enable(duplicates.find.whole_characters)},
                      {.name = "format",
                       .value = "NAME",
                       .group = output_group,
                       .help = "print columns (tsv), JSON (jsonl), pairs of positions (pairs), the text without the ranges "
                               "(text), or JSONL with a list of ranges (annotated)",
                       .preset = "tsv",
                       .details = "jsonl: an object a line, with record, begin and end. pairs: begin and end of each range in "
                                  "PREFIX.seq, little-endian numbers of 64 bits. text: all records, of lines with LF, and with "
                                  "their separator; of JSONL all lines, in which only the string changes; not of FASTA. "
                                  "annotated: all lines of JSONL, with ranges of bytes of the string. Both read the files of "
                                  "an index of JSONL again, and imply --utf-8.",
                       .choices = "tsv jsonl pairs text annotated",
                       .only_choices = true,
                       .set =
                           [&duplicates](std::string_view, std::string_view value) {
                             duplicates.format = value;
                             duplicates.has_format = true;
                           }},
                      {.name = "column",
                       .value = "NAME",
                       .group = output_group,
                       .help = "give the list of ranges of annotated JSON this name",
                       .preset = "duplicate_ranges",
                       .set = cli::store_nonempty(duplicates.column)},
                      {.name = "report",
                       .value = "FILE",
                       .group = output_group,
                       .help = "write a page of HTML: counts, a histogram of lengths, the longest and most frequent strings",
                       .details = "Without LCP, all copies are sorted to find the strings, which takes several times as long "
                                  "as the rest.",
                       .set = cli::store_nonempty(duplicates.report)},
                      {.name = "resume",
                       .value = "FILE",
                       .group = memory_group,
                       .help = "keep what is found in FILE, and go on from it after an interruption",
                       .details = "FILE takes a bit for each letter or token. It is replaced after each eighth of the work, or "
                                  "more often if memory is short, and removed once the output is complete. A command that "
                                  "finds FILE continues it if index and options are the same, whatever the threads and memory.",
                       .set = cli::store_nonempty(duplicates.resume)},
                      host_memory_option(to.memory),
                      output_option(duplicates.output)},
          .examples = {{"Write the lines of an index without what occurs before",
                        "sufsort duplicates web -l 50 --format=text -o clean.txt"},
                       {"Find what of a test set occurs in a corpus", "sufsort duplicates test -l 50 --against=web"}},
          .other_name = "dedup"};
}

cli::command_table export_table(settings& to) {
  return {
      .name = "sufsort export",
      .summary = "write the suffix array in the format of another program",
      .usage = {"[OPTION]... --format=NAME --output=FILE PREFIX"},
      .description = "Write the suffix array of an index for programs that read another format.",
      .operands = {prefix_operand(to.prefix)},
      .options = {{.name = "format",
                   .value = "NAME",
                   .group = output_group,
                   .help = "write positions of 32, 40 or 64 bits (raw32, raw40, raw64), sdsl, sufr, or infini-gram",
                   .details = "raw formats are little-endian. sdsl is an int_vector<0> of the SDSL. sufr is a file of sufr, "
                              "version 6, for which the index needs LCP. infini-gram is a folder of tokenized.N, offset.N and "
                              "table.N, for which the suffixes are sorted again, in order of bytes.",
                   .choices = "raw32 raw40 raw64 sdsl sufr infini-gram",
                   .only_choices = true,
                   .required = true,
                   .set = cli::store(to.export_to.format)},
                  {.name = "shard-size",
                   .value = "SIZE",
                   .group = output_group,
                   .help = "make shards of infini-gram of at most SIZE bytes of text, as 8G",
                   .preset = "one shard",
                   .set = [&to](std::string_view, std::string_view value) { to.export_to.shard_bytes = parse_bytes(value); }},
                  output_option(to.export_to.output, true)},
      .examples = {{"Write positions of 40 bits", "sufsort export genome --format=raw40 -o genome.sa5"}}};
}

cli::command_table aligner_index_table(settings& to) {
  aligner_index_options& options = to.aligner_index;
  return {
      .name = "sufsort aligner-index",
      .summary = "build the index of an aligner of reads, the same to the byte as its own program does",
      .usage = {"[OPTION]... --for=NAME --output=PREFIX FASTA..."},
      .description = "Build the index of an aligner of reads, the same to the byte as its own program does.",
      .operands = {{"FASTA", "a file of records, plain or compressed; - is standard input", 1, std::size_t(-1),
                    [&options](std::string_view value) { options.files.emplace_back(value); }}},
      .options =
          {{.name = "for",
            .value = "NAME",
            .group = index_group,
            .help =
                "build PREFIX.amb, .ann, .pac, .bwt and .sa (bwa), .amb, .ann, .pac, .0123 and .bwt.2bit.64 (bwa-mem2), .l2b "
                "and .mbw (minibwa), .1.ebwt to .4.ebwt, .rev.1.ebwt and .rev.2.ebwt (bowtie), the same with .ebwtl "
                "(bowtie-large), .fmd (ropebwt3), .fmr (ropebwt3-fmr), or the files of the folder PREFIX (star)",
            .details =
                "The files of ropebwt3 are those of ropebwt3 build -d (fmd) and -b (fmr) of one file, with both strands of "
                "each record. Those of STAR are of a genome without annotations, which STAR can add when it maps; "
                "genomeParameters.txt has another first line.",
            .choices = "bwa bwa-mem2 minibwa bowtie bowtie-large star ropebwt3 ropebwt3-fmr",
            .only_choices = true,
            .required = true,
            .set = cli::store(options.aligner)},
           {.letter = 'o',
            .name = "output",
            .value = "PREFIX",
            .group = index_group,
            .help = "write the index to files whose names begin with PREFIX",
            .required = true,
            .set = cli::store(options.output)},
           {.name = "index-letters",
            .value = "K",
            .group = index_group,
            .help = "give STAR's SAindex all strings of up to K letters, at most 15: --genomeSAindexNbases",
            .preset = "14, and less for fewer than 2^30 letters, as STAR's manual advises",
            .set = parse_to(options.index_letters, "strings have 1 letter or more")},
           {.name = "bin-bits",
            .value = "N",
            .group = index_group,
            .help = "begin records of STAR at multiples of 2^N letters, at most 2^32: --genomeChrBinNbits",
            .preset = "18",
            .set = parse_to(options.bin_bits, "a bin has 2 letters or more")},
           host_memory_option(to.memory),
           gpu_memory_option(to.memory)},
      .examples = {{"Prepare a genome for bwa mem", "sufsort aligner-index --for=bwa genome.fa -o genome.fa"}}};
}

cli::command_table kmers_table(settings& to) {
  cli::command_table table{.name = "sufsort kmers",
                           .summary = "add a table of k-mers to an index, with which searches are faster",
                           .usage = {"[OPTION]... --length=K PREFIX"},
                           .description = "Add a table of k-mers to an index, or replace the one that it has.",
                           .operands = {prefix_operand(to.prefix)},
                           .examples = {{"Add a table of suitable size", "sufsort kmers genome --length=auto"}}};
  for (option& row : kmer_rows("length", "force", true, to.kmers)) table.options.push_back(std::move(row));
  return table;
}

}  // namespace

cli::command_table make_table(settings& to) {
  cli::command_table table{
      .name = "sufsort",
      .summary = "build, verify and search suffix arrays of FASTA files and of any text",
      .usage = {"COMMAND [OPTION]... [OPERAND]...", "COMMAND --help"},
      .description = "Build, verify and search suffix arrays of FASTA files and of any text.",
      .notes =
          {{"Files",
            "An index is the files whose names begin with PREFIX. PREFIX.sa holds the positions, from 0, in the order "
            "of their suffixes; .lcp, .bwt, .kmers and .fm are optional; .seq holds the residues; .pieces lists the "
            "parts of records that the text has, unless it has all; .starts lists where records begin, unless the input is "
            "FASTA. They are plain little-endian arrays. PREFIX.json describes them."}},
      .examples = {{"Build an index and search it", "sufsort build genome.fa -o genome && sufsort locate genome GATTACA"},
                   {"Verify an index", "sufsort check genome"}}};
  table.subcommands = {
      build_table(to),
      merge_table(to),
      add_table(to),
      {.name = "sufsort check",
       .summary = "verify an index; exit with 1 if it is wrong",
       .usage = {"[OPTION]... PREFIX"},
       .description = "Verify that an index is complete and right, by its text and its checksums. Print the first mismatch.",
       .operands = {prefix_operand(to.prefix)},
       .options = {host_memory_option(to.memory), gpu_memory_option(to.memory)},
       .examples = {{"Verify an index", "sufsort check genome"}}},
      search_table(to, false),
      search_table(to, true),
      matches_table(to),
      statistics_table(to),
      repeats_table(to),
      unique_table(to),
      spectrum_table(to),
      duplicates_table(to),
      export_table(to),
      aligner_index_table(to),
      kmers_table(to),
      {.name = "sufsort info",
       .summary = "print the description of an index",
       .usage = {"[OPTION]... PREFIX"},
       .description = "Print the description of an index: residues, policy, arrays and records.",
       .operands = {prefix_operand(to.prefix)},
       .examples = {{"List the records of an index", "sufsort info genome | grep ^record"}}}};
  bool const may_be_several = to.common.may_be_several;
  for (cli::command_table& sub : table.subcommands) {
    to.common.may_be_several = may_be_several && (sub.name == "sufsort build" || sub.name == "sufsort check");
    cli::add_common_options(sub, to.common);
  }
  to.common.may_be_several = may_be_several;
  cli::add_common_options(table, to.common);
  return table;
}

std::vector<std::string> inputs_of(search_options const& options) {
  std::vector<std::string> files = options.files;
  if (std::ranges::find(options.patterns, "-") != options.patterns.end()) files.emplace_back("-");
  return files;
}

}  // namespace ordo::inline v0::sufsort
