#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix/build_fasta.hpp"
#include "ordo/suffix/corpus.hpp"
#include "ordo/suffix/input_format.hpp"
#include "suffix/index/index_parts.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/output_folder.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/building/build_memory.hpp"
#include "tools/sufsort/building/build_options.hpp"
#include "tools/sufsort/building/read_records.hpp"
#include "tools/sufsort/building/run_index_files.hpp"
#include "tools/sufsort/building/write_index.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/files/other_formats.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/kmer_words.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

std::vector<cli::option> policy_rows(build_options& to) {
  suffix::policy& policy = to.policy;
  cli::option mask = choice<suffix::masked_letters>(
      "mask", text_group, suffix::masked_words, policy.masked,
      "make lower-case letters upper-case (fold), keep both (keep), or end records before them (break)", "fold", {});
  mask.set = [set = mask.set, &to](std::string_view spelling, std::string_view value) {
    set(spelling, value);
    to.has_mask = true;
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
          {.name = "sample",
           .value = "D",
           .group = text_group,
           .help = "index only every D-th position of each record, from the first one on",
           .preset = "1",
           .set = parse_to(policy.sample, "the least is 1, which indexes every position")}};
}

cli::option format_option(build_options& to) {
  cli::option format = choice<suffix::input_format>(
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

/// Returns the format that the files have. Standard input is FASTA: it is not read twice.
/// @throws usage_error  if they have different ones
suffix::input_format common_format(std::vector<std::string> const& files) {
  std::optional<suffix::input_format> all;
  std::string const* first = nullptr;
  for (std::string const& file : files) {
    auto named = suffix::named_format(file);
    if (!named && size_of_regular(file)) {
      cli::input in(file, 1);
      std::string_view const front = in.front(4096);
      named = suffix::recognized_format(file, front);
      if (auto const other = named ? std::nullopt : detect_other_format(file, front))
        throw input_error(fmt::format("no FASTA: {}: it is {}: {}", file, other->name, other->advice));
    }
    if (!named) continue;
    if (all && *all != *named)
      throw usage_error(fmt::format("different formats: {}: {}, but {} is {}: give --format", file,
                                    suffix::input_words[std::size_t(*named)], *first, suffix::input_words[std::size_t(*all)]));
    all = named;
    if (!first) first = &file;
  }
  return all.value_or(suffix::input_format::fasta);
}

/// Checks the options that are for some formats only. @throws usage_error
void check_format(build_options const& options) {
  suffix::input_format const format = options.format;
  bool const tokens = suffix::bytes_per_residue(format) != 1, fasta = format == suffix::input_format::fasta,
             has_ends = tokens || format == suffix::input_format::bytes;
  suffix::policy const preset;
  struct rule {
    std::string_view option;
    bool is_given, is_for_format;
    std::string_view missing;  // the format does not have
  };
  auto const check = [&](std::initializer_list<rule> rules) {
    for (rule const& rule : rules)
      if (rule.is_given && !rule.is_for_format)
        throw usage_error(fmt::format("conflicting options: {}: --format={} has no {}", rule.option,
                                      suffix::input_words[std::size_t(format)], rule.missing));
  };
  check({{"--separator", !options.separator.empty(), has_ends, "separator; it is for bytes and tokens"},
         {"--lengths", !options.lengths.empty(), has_ends, "lengths; they are for bytes and tokens"},
         {"--field", !options.field.empty(), format == suffix::input_format::jsonl, "fields; it is for jsonl"},
         {"--bad-lines", !options.bad_lines.empty(), format == suffix::input_format::jsonl, "bad lines; it is for jsonl"},
         {"--byte-order", options.big_endian, tokens, "byte order; it is for tokens"}});
  if (!options.lengths.empty() && options.files.size() != 1)
    throw usage_error("conflicting options: --lengths: the lengths are those of one FILE");
  if (!fasta) static_cast<void>(parse_separator(options));
  check({{"--bwt", options.extra.bwt, !tokens, "BWT; it is for bytes"},
         {"--fm", options.fm, !tokens, "FM index; it is for bytes"},
         {"--fm=run-length", options.fm_runs, fasta, "strands"},
         {"--strands", options.policy.strands != preset.strands, fasta, "strands"},
         {"--ambiguous", options.policy.ambiguous != preset.ambiguous, fasta, "nucleotides"},
         {"--mask", options.has_mask, fasta, "masked letters: case is always kept"},
         {options.kmers.option, options.kmers.wanted, fasta, "table of k-mers"}});
}

/// The file that lists bad lines.
class bad_line_list {
 public:
  bad_line_list(build_options const& options, unsigned threads) : out_(options.bad_lines, threads) {
    out_.refuse_inputs(options.files);
    for (std::string const& file : index_file_names(options.prefix))
      if (out_.is_file(file)) throw output_error(fmt::format("cannot write: {}: it is a file of the index", out_.name()));
  }

  void add(suffix::bad_line const& line) {
    (text_ += line.file) += '\t';
    sufsort::append(text_, line.line);
    text_ += '\t';
    append_printable(text_, line.reason);
    ((text_ += '\t') += line.text) += '\n';
    write_some(out_, text_);
    ++(line.is_rest ? files_ : lines_);
    if (first_.empty()) first_ = fmt::format("{}:{}: {}", line.file, line.line, line.reason);
  }

  /// Completes the list. @param residues  the residues in the lines that are not in it @throws input_error  if there are none
  void finish(std::uint64_t residues) {
    if (residues == 0 && !first_.empty())
      throw input_error(fmt::format("no text: {}: all other lines are bad, too, or empty", first_));
    write_some(out_, text_, 0);
    out_.finish();
  }
  void commit() { out_.commit(); }

  /// Returns an error, or a warning, that counts what the list holds; empty if it is empty.
  [[nodiscard]] std::string counts(bool is_error) const {
    if (first_.empty()) return {};
    return fmt::format("{}bad lines: {}: {}{}", is_error ? "" : "warning: ", out_.name(), quantity(lines_, "line"),
                       files_ == 0 ? "" : fmt::format(", {} cut or unreadable", quantity(files_, "file")));
  }

 private:
  cli::output out_;
  std::string text_, first_;  // text that is not written yet, and the first bad line
  std::uint64_t lines_ = 0, files_ = 0;
};

/// Writes a text and its records as they are read, without any array of suffixes.
int write_text(build_options const& options, cli::common_options const& common, reporter& report) {
  index_writer writer(options.prefix, {"seq", "starts"});
  std::optional<bad_line_list> bad;
  if (!options.bad_lines.empty()) bad.emplace(options, common.threads);
  std::string const separator = parse_separator(options);
  suffix::corpus_writer text(*writer.to("seq"));
  std::string const field = read_corpus(options, separator, common, report, text.records(),
                                        [&](suffix::corpus_files const& files, suffix::corpus_options reading) {
                                          if (bad) reading.on_bad_line = [&](suffix::bad_line const& line) { bad->add(line); };
                                          text.append(files, reading);
                                          if (bad) bad->finish(text.size());
                                        });
  report.phase("finish", text.size());
  suffix::index_description about;
  about.residues = text.size();
  about.width = width_for("auto", text.size(), text.records().starts.size());
  about.policy.masked = suffix::masked_letters::keep;
  about.input = options.format;
  describe_corpus(text.records(), separator, field, has_cut_files(text.records()), about);
  store_starts(text.records(), writer, common.threads);
  about.arrays = writer.written();
  std::string const counts = bad ? bad->counts(options.strict) : std::string();
  if (bad) bad->commit();
  writer.commit(about);
  if (!counts.empty() && (options.strict || !common.quiet)) cli::say("sufsort", counts);
  return options.strict && !counts.empty() ? 2 : 0;
}

/// Estimates the residues of files by their sizes. A residue takes a byte, or about a fourth of one in a compressed file.
std::size_t likely_residues(build_options const& options) {
  std::size_t letters = 0;
  for (std::string const& file : options.files) {
    if (auto const size = is_raw(options, file) ? size_of_regular(file) : std::nullopt) {
      letters += std::size_t(*size);
      continue;
    }
    cli::input const in(file, 1);
    letters += std::size_t(in.file_size().value_or(0)) * (in.compressed() ? 4 : 1);
  }
  return letters;
}

/// Takes the fewest of all GPUs that hold the work, or one for each file of the suffix array, if its size is known before it is
/// read.
void use_fewest_gpus(build_options const& options, cli::common_options& common) {
  if (!common.are_several()) return;
  for (std::string const& file : options.files)
    if (file == "-" || !size_of_regular(file)) return;
  unsigned const size = suffix::bytes_per_residue(options.format);
  std::size_t const n = likely_residues(options) * (options.policy.strands == suffix::strands::both ? 2 : 1) / size;
  std::size_t const index_bytes = width_for(options.width, n, 1) == 32 ? 4 : 8;
  common.keep_fewest([&](std::size_t count) {
    std::size_t const text = count == 1 ? 0 : n * size;  // each of several holds all of it beside its share
    if (count < options.parts) return std::numeric_limits<std::size_t>::max();  // each writes a file
    auto const needed =
        suffix::build_memory(device::gpu, n / count + 1, 1, index_bytes, options.extra, options.policy.rows(), size);
    return needed.fast_bytes + text;
  });
}

/// Prints what build would do. Reads only the beginnings of the files.
int print_plan(build_options const& options, cli::common_options const& common) {
  unsigned const size = suffix::bytes_per_residue(options.format);
  std::size_t const n = likely_residues(options) * (options.policy.strands == suffix::strands::both ? 2 : 1) / size;
  unsigned const width = width_for(options.width, n, 1);
  suffix::build_plan const outlook = suffix::plan_build(n, 1, width == 32 ? 4 : 8, options.extra, common.machine(),
                                                        options.memory.host_bytes(), options.policy.rows(), size);
  std::size_t const rows = n / options.policy.sample, arrays = rows * (width / 8) * (options.extra.lcp ? 2 : 1);
  std::size_t table = 0;  // table of the k-mers of DNA
  if (options.kmers.wanted) {
    suffix::kmer_set const words = words_for("ACGT", options.kmers, rows, width);
    table = table_bytes(words, width);
    bool const on_host = outlook.machine.device == device::cpu;
    check_memory(words, width, options.memory.host_bytes(on_host ? n : 0),
                 on_host ? needed_by(options, n, 1, width, table).advice(options.memory) : options.memory.advice(table));
  }
  auto const size_text = [](std::size_t bytes) {
    return bytes < 1'000'000       ? fmt::format("{:.1f} kB", double(bytes) / 1e3)
           : bytes < 1'000'000'000 ? fmt::format("{:.1f} MB", double(bytes) / 1e6)
                                   : fmt::format("{:.3f} GB", double(bytes) / 1e9);
  };
  std::string text = fmt::format("residues\tabout {} (from the sizes of files)\nwidth\t{}\n", n, width);
  text += fmt::format("files\tabout {}{}\n", size_text(n * size + arrays + (options.extra.bwt ? n : 0) + table),
                      options.policy.cuts() ? ", and 24 bytes a piece" : "");
  text += fmt::format("machine\t{}: {}\n", to_string(outlook.machine.device), outlook.machine.reason);
  text += fmt::format("memory\t{} available; minimum {}, fastest {}, any text {}\n", size_text(outlook.available),
                      size_text(outlook.memory.min_bytes), size_text(outlook.memory.fast_bytes),
                      size_text(outlook.memory.max_bytes));
  if (outlook.machine.device == device::cpu)
    text += fmt::format("held\talso {} for the text and the results\n", size_text(outlook.host_bytes));
  text += outlook.ranges == 0   ? "refused\tthe memory does not suffice\n"
          : outlook.ranges == 1 ? "suffixes\tsorted at once\n"
                                : fmt::format("suffixes\tsorted in about {} ranges\n", outlook.ranges);
  cli::output out("-");
  out.write(std::string_view(text));
  out.commit();
  return outlook.ranges == 0 ? 2 : 0;
}

/// The extensions of texts, which the name of an index lacks.
constexpr std::string_view extensions[] = {".fa",    ".fasta", ".fna",  ".ffn",   ".faa",    ".frn", ".fas", ".fq",
                                           ".fastq", ".txt",   ".json", ".jsonl", ".ndjson", ".npy", ".u16", ".u32"};

/// Returns the prefix of a file's index in a folder: the name of the file without extensions.
std::string prefix_for(std::string const& file, std::string const& folder) {
  if (file == "-") throw usage_error("no name: --out-dir: standard input has no name: use --output");
  std::filesystem::path name = std::filesystem::path(file).filename();
  if (cli::compression_named(name.string()) != cli::compression::none) name.replace_extension();
  if (std::ranges::find(extensions, name.extension().string()) != std::end(extensions)) name.replace_extension();
  return (std::filesystem::path(folder) / name).string();
}

/// Returns the prefixes of the indexes of files. @throws usage_error  if two are the same
std::vector<std::string> prefixes_for(std::vector<std::string> const& files, std::string const& folder) {
  std::vector<std::string> all;
  std::map<std::string, std::string_view> taken;
  for (std::string const& file : files) {
    auto const [other, is_new] = taken.emplace(all.emplace_back(prefix_for(file, folder)), file);
    if (!is_new)
      throw usage_error(
          fmt::format("two inputs of one name: {}: {} and {} would both become this index", all.back(), other->second, file));
  }
  return all;
}

/// Returns true for the names of shards of JSONL. .json alone may describe a data set.
bool is_shard(std::string const& name) {
  if (name.starts_with('.')) return false;
  if (suffix::named_format(name) == suffix::input_format::jsonl) return true;
  return cli::compression_named(name) != cli::compression::none && std::filesystem::path(name).stem().extension() == ".json";
}

/// Appends a file, or the shards of JSONL below a folder, in the order of their names. @throws input_error  if it has none
void append_shards(std::string const& path, std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    files.push_back(path);
    return;
  }
  std::vector<fs::path> shards;
  fs::path place = path;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    place = at->path();
    std::string const name = place.filename();
    if (name.starts_with('.')) {
      at.disable_recursion_pending();
    } else if (is_shard(name)) {
      fs::file_type const type = at->status(error).type();
      if (type == fs::file_type::not_found) error = std::make_error_code(std::errc::no_such_file_or_directory);
      if (error) break;
      if (type == fs::file_type::regular) shards.push_back(place);
    }
  }
  if (error) throw input_error(fmt::format("cannot read: {}: {}", place.string(), error.message()));
  if (shards.empty()) throw input_error(fmt::format("cannot read: {}: it is a folder without JSONL: name its files", path));
  std::ranges::sort(shards);
  for (fs::path const& file : shards) files.push_back(file.string());
}

/// Builds an index of files, or prints the plan.
class build final : public command {
 public:
  cli::command_table table() override {
    cli::command_table table{
        .name = "sufsort build",
        .summary = "build an index of FASTA files, or of any text",
        .usage = {"[OPTION]... --output=PREFIX FILE...", "[OPTION]... --out-dir=DIR FILE..."},
        .description =
            "Build the suffix array of all records of the files and, if wanted, the LCP array, the BWT and a "
            "table of k-mers. Write them as the files PREFIX.*, which appear together when all are complete.",
        .operands = {{"FILE", "a file of records, plain or compressed, or a folder of JSONL; - is standard input", 1,
                      std::size_t(-1), [this](std::string_view value) { append_shards(std::string(value), options_.files); }}},
        .options = {
            index_option(options_.prefix),
            {.name = "out-dir",
             .value = "DIR",
             .group = index_group,
             .help = "build an index of each FILE alone: DIR/genome.* of genome.fa.gz",
             .details =
                 "DIR is made if it is missing. The machine is started once. No two FILEs may have the same name. A FILE "
                 "that cannot be read is reported and the others are indexed; the exit status is 2 then.",
             .set = cli::store_nonempty(options_.out_dir)},
            format_option(options_),
            {.name = "separator",
             .value = "TEXT",
             .group = input_group,
             .help = "end a record of bytes or tokens at each TEXT, which belongs to no record",
             .details = "\\n, \\t, \\r, \\0, \\xHH and \\\\ stand for the bytes that C writes so. A token is a number. "
                        "A file that ends with TEXT has no empty record after it.",
             .set = cli::store_nonempty(options_.separator)},
            {.name = "field",
             .value = "NAME",
             .group = input_group,
             .help = "make records of the strings that have this name in JSON; of nested ones, as meta.title",
             .preset = "text",
             .details = "Escapes are decoded. An empty line is an empty record.",
             .set = cli::store_nonempty(options_.field)},
            {.name = "bad-lines",
             .value = "FILE",
             .group = input_group,
             .help = "go on after lines that are no JSON and files that are cut or unreadable, and list them in FILE",
             .details = "FILE gets a line for each, with columns: file, line, reason, and the text of the line, which is empty "
                        "for the rest of a file from that line on. They become empty records. sufsort duplicates leaves "
                        "them out. If no line has text, the first one is an error as before. For --text-only.",
             .set = cli::store_nonempty(options_.bad_lines)},
            cli::flag("strict", input_group, "end with status 2 if --bad-lines listed anything; the index is written",
                      options_.strict),
            {.name = "lengths",
             .value = "FILE",
             .group = input_group,
             .help = "make records of bytes or tokens of the lengths in FILE, decimal numbers",
             .set = cli::store_nonempty(options_.lengths)},
            {.name = "byte-order",
             .value = "NAME",
             .group = input_group,
             .help = "read raw tokens as little-endian or big-endian numbers (little, big)",
             .preset = "little",
             .choices = "little big",
             .only_choices = true,
             .set = [this](std::string_view, std::string_view value) { options_.big_endian = value == "big"; }},
            cli::flag("lcp", index_group, "add the LCP array", options_.extra.lcp),
            cli::flag("bwt", index_group, "add the Burrows-Wheeler transform", options_.extra.bwt),
            {.name = "fm",
             .value = "LAYOUT",
             .group = index_group,
             .help = "add an FM index, with which count, locate, mem and ms need less memory (rows); or write one of runs, of "
                     "both strands of many genomes that are alike, and nothing else (run-length)",
             .preset = "rows",
             .details = "run-length inserts one genome after another, in memory that follows the number of runs of the BWT, "
                        "and implies --strands=both. Letters other than A, C, G and T are N.",
             .choices = "rows run-length",
             .only_choices = true,
             .optional_value = true,
             .set =
                 [this](std::string_view, std::string_view value) {
                   options_.fm_runs = value == "run-length";
                   options_.fm = !options_.fm_runs;
                 }},
            {.name = "fm-sample",
             .value = "N",
             .group = index_group,
             .help = "store the position of every N-th row in the FM index",
             .preset = "32, or 256 of runs",
             .set = parse_to(options_.fm_sample, "1 stores them all")},
            cli::flag("without-sa", index_group,
                      "leave out the suffix array; the FM index takes its place for count, locate, mem and ms, or the BWT "
                      "stands alone",
                      options_.without_sa),
            {.name = "split-output",
             .value = "N",
             .group = index_group,
             .help = "divide the suffix array among N files of about equal size, which several threads write at once",
             .details =
                 "PREFIX.sa.0001, PREFIX.sa.0002 and so on take the place of PREFIX.sa, and hold its bytes in their order. "
                 "All commands read them as one array.",
             .set =
                 [this](std::string_view spelling, std::string_view value) {
                   options_.parts = cli::parse_count<std::uint64_t>(spelling, value);
                   if (options_.parts == 0 || options_.parts > suffix::max_parts)
                     throw usage_error(
                         fmt::format("invalid number: {}: '{}': it must be from 1 to {}", spelling, value, suffix::max_parts));
                 }},
            cli::flag("text-only", index_group, "write only the text and its records, for sufsort duplicates; not of FASTA",
                      options_.text_only),
            {.name = "width",
             .value = "BITS",
             .group = index_group,
             .help = "store entries of 32, 40 or 64 bits; auto is the smaller sufficient one of 32 and 40",
             .preset = "auto",
             .choices = "auto 32 40 64",
             .only_choices = true,
             .set = cli::store(options_.width)}}};
    table.options.front().required = false;
    table.conflicts = {
        {.options = {"--out-dir"}, .with = {"--output"}, .why = "give one of them", .names = "--out-dir, --output"},
        {.options = {"--out-dir"},
         .with = {"--plan", "--lengths"},
         .why = "they are for one index",
         .names = "--out-dir, --plan, --lengths"},
        {.options = {"--lengths", "--separator"}, .why = "both end records"},
        {.options = {"--bwt"},
         .with = {"--sample!=1", "--ambiguous=skip"},
         .why = "a BWT needs all rows; --sample and --ambiguous=skip leave out some"},
        {.options = {"--fm"},
         .with = {"--sample!=1", "--ambiguous=skip"},
         .why = "an FM index needs all rows; --sample and --ambiguous=skip leave out some"},
        {.options = {"--fm=run-length"},
         .with = {"--lcp", "--bwt", "--kmer-table", "--text-only", "--ambiguous!=symbol", "--mask!=fold", "--plan"},
         .why = "an index of runs has no other arrays and no policy"},
        {.options = {"--without-sa"},
         .unless = {"--fm", "--bwt"},
         .why = "use --fm, which takes the place of the suffix array, or --bwt"},
        {.options = {"--without-sa"},
         .with = {"--lcp", "--kmer-table"},
         .why = "--lcp and --kmer-table belong to rows of the suffix array"},
        {.options = {"--split-output"},
         .with = {"--without-sa", "--text-only", "--fm=run-length"},
         .why = "there is no suffix array to divide"},
        {.options = {"--bad-lines"}, .unless = {"--text-only"}, .why = "only --text-only goes on after bad lines"},
        {.options = {"--bad-lines"}, .with = {"--out-dir"}, .why = "FILE is for one index"},
        {.options = {"--strict"}, .unless = {"--bad-lines"}, .why = "without --bad-lines every bad line is an error"},
        {.options = {"--text-only"},
         .with = {"--lcp", "--bwt", "--fm", "--without-sa", "--width!=auto", "--sample!=1", "--ambiguous=skip", "--plan"},
         .why = "there are no arrays of suffixes"}};
    for (cli::option& row : kmer_rows(0, "kmer-table", false, options_.kmers)) table.options.push_back(std::move(row));
    for (cli::option& row : policy_rows(options_)) table.options.push_back(std::move(row));
    table.options.push_back(cli::flag("plan", memory_group,
                                      "print the machine, memory and number of ranges that the build would take; build nothing",
                                      options_.plan));
    table.options.push_back(host_memory_option(options_.memory));
    table.options.push_back(gpu_memory_option(options_.memory));
    table.examples = {
        {"Index a genome with everything that searches and repeats need",
         "sufsort build genome.fa.gz -o genome --lcp --bwt --kmer-table=auto"},
        {"Index each of several genomes", "sufsort build genome.fa other.fa --out-dir indexes"},
        {"Index both strands, without runs of N", "sufsort build genome.fa -o both --strands=both --ambiguous=break"},
        {"Index the strings of JSONL, to find duplicates", "sufsort build web.jsonl -o web --field=text --lcp"},
        {"Index many genomes that are alike", "sufsort build --fm=run-length *.fa.gz -o pangenome"},
        {"Index the lines of a text", "sufsort build words.txt -o words --format=lines --lcp"}};
    return table;
  }
  [[nodiscard]] std::vector<std::string> inputs() const override { return options_.files; }
  [[nodiscard]] index_prefixes prefixes() const override {
    if (!options_.out_dir.empty()) return {.written = prefixes_for(options_.files, options_.out_dir)};
    return {.written = {options_.prefix}};
  }
  [[nodiscard]] memory_limits memory() const override { return options_.memory; }
  [[nodiscard]] bool divides() const override { return true; }
  [[nodiscard]] bool is_shared() const override {
    return !options_.plan && !options_.text_only && !options_.fm_runs && options_.out_dir.empty();
  }

  int run(cli::common_options const& common, reporter& report, communicator* members) override {
    if (options_.out_dir.empty() && options_.prefix.empty())
      throw usage_error("missing option: --output=PREFIX or --out-dir=DIR: see sufsort build --help");
    if (options_.out_dir.empty()) return build_one(options_, common, report, members);
    std::vector<std::string> const prefixes = prefixes_for(options_.files, options_.out_dir);
    for (std::string const& prefix : prefixes) refuse_inputs(prefix, options_.files, options_.parts);
    cli::output_folder const folder(options_.out_dir);
    std::size_t const failed = cli::run_each("sufsort", prefixes.size(), [&](std::size_t k) {
      build_options alone = options_;
      alone.files = {options_.files[k]};
      alone.prefix = prefixes[k];
      static_cast<void>(build_one(alone, common, report, members));
    });
    return failed == 0 ? 0 : 2;
  }

 private:
  static int build_one(build_options& options, cli::common_options common, reporter& report, communicator* members) {
    if (!options.lengths.empty()) report.stats.refuse_inputs({options.lengths});
    expect_prefix(options.prefix);
    if (!options.has_format) options.format = common_format(options.files);
    bool const fasta = options.format == suffix::input_format::fasta;
    check_format(options);
    refuse_inputs(options.prefix, options.files, options.parts);
    if (!options.lengths.empty()) refuse_inputs(options.prefix, {options.lengths}, options.parts);
    if (!members) use_fewest_gpus(options, common);
    if (options.fm_runs) return build_run_index(options, common, report);
    if (options.text_only) {
      if (fasta) throw usage_error("conflicting options: --text-only: it is for texts other than FASTA: give --format");
      return write_text(options, common, report);
    }
    if (members && members->rank() != 0) {
      if (fasta) return help_build(*members, read_files(options, common, report, members), options, common, report);
      return help_build(*members, loaded_corpus(options, common, report, members), options, common, report);
    }
    // The FM index is made from the suffix array, and several machines write theirs together; then it is discarded.
    bool const makes_sa = !options.without_sa || options.fm || members || common.are_several();
    index_writer writer(options.prefix, options.arrays(makes_sa), options.parts);
    if (options.plan) return print_plan(options, common);
    if (!fasta) {
      loaded_corpus const records(options, common, report, members);
      return write_index(records, writer, options, common, report, members);
    }
    suffix::loaded_fasta records = read_files(options, common, report, members);
    if (!common.quiet) warn_of_names(records.names(), common.threads);
    return write_index(records, writer, options, common, report, members);
  }

  build_options options_;
};

}  // namespace

std::unique_ptr<command> make_build() {
  return std::make_unique<build>();
}

}  // namespace ordo::inline v0::sufsort
