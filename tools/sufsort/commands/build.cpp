#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/stat.h>

#include "base/parse_bytes.hpp"
#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix/build_fasta.hpp"
#include "ordo/suffix/corpus.hpp"
#include "ordo/suffix/distributed_build.hpp"
#include "ordo/suffix/fastq.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/distributed_build.hpp"
#include "tools/sufsort/files/other_formats.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/merged_records.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

unsigned width_for(std::string const& wanted, std::size_t residues, std::size_t records) {
  bool const narrow = suffix::index_fits(4, residues, records), fits_40 = suffix::index_fits(5, residues, records);
  if ((wanted == "32" && !narrow) || (wanted == "40" && !fits_40))
    throw usage_error(fmt::format("too few bits: --width {}: {} residues in {} records need {} bits", wanted, residues, records,
                                  fits_40 ? 40 : 64));
  if (wanted != "auto") return wanted == "32" ? 32 : wanted == "40" ? 40 : 64;
  return narrow ? 32 : fits_40 ? 40 : 64;
}

/// Bytes of host memory that a build by the CPU holds while it sorts.
struct held_memory {
  std::size_t text;     // with its tables of pieces and records
  std::size_t results;  // arrays, before they are packed
};

/// The host memory that a build by the CPU needs, including a table of k-mers.
struct needed_memory {
  held_memory held;
  suffix::memory_estimate sorting;
  std::size_t table = 0;

  [[nodiscard]] std::size_t total(std::size_t bytes) const { return held.text + std::max(held.results + bytes, table); }
  [[nodiscard]] std::string advice(memory_limits const& limits, std::size_t reading = 0) const {
    return limits.advice_for_text(std::max(reading, total(sorting.min_bytes)), std::max(reading, total(sorting.max_bytes)));
  }
};

held_memory held_by(build_options const& options, std::size_t n, std::size_t records, unsigned width) {
  std::size_t const piece_bytes = 3 * sizeof(std::uint64_t), record_bytes = 3 * sizeof(std::uint64_t);
  std::size_t const array = suffix::num_sorted_suffixes(n, records, options.policy.rows()) * (width == 32 ? 4 : 8);
  return {n * suffix::residue_bytes_of(options.format) + records * (record_bytes + (options.policy.cuts() ? piece_bytes : 0)),
          array + (options.what.lcp ? array : 0) + (options.what.bwt ? n + records : 0)};
}

needed_memory needed_by(build_options const& options, std::size_t n, std::size_t records, unsigned width, std::size_t table) {
  return {held_by(options, n, records, width),
          suffix::build_memory(device::cpu, n, records, width == 32 ? 4 : 8, options.what, options.policy.rows(),
                               suffix::residue_bytes_of(options.format)),
          table};
}

/// Estimates the bytes of a table of the k-mers of DNA, if their length was given.
std::size_t likely_table(kmer_options const& options, unsigned width) {
  return std::size_t(suffix::kmer_set{options.length, "ACGT"}.count().value_or(0)) * (width / 8);
}

/// Throws out_of_memory with the memory that suffices to read and sort the records.
[[noreturn]] void refuse_large(suffix::records_too_large const& e, build_options const& options) {
  std::size_t const n = std::size_t(e.residues()), records = std::size_t(e.records());
  unsigned const width = width_for(options.width, n, records);
  needed_memory const needed = needed_by(options, n, records, width, likely_table(options.kmers, width));
  std::size_t const reading = (e.bytes() + 2) / 3 * 4 + 4,
                    min_bytes = std::max(reading, needed.total(needed.sorting.min_bytes));
  std::string const advice = e.all() ? needed.advice(options.memory, reading) : options.memory.advice(min_bytes, "may suffice");
  throw out_of_memory(fmt::format("{}: {}", e.what(), advice), min_bytes);
}

/// Returns the size of a regular file; nothing for standard input, whose beginning opening would read.
std::optional<std::uint64_t> size_of_regular(std::string const& file) {
  struct stat info {};
  if (file == "-" || stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return std::uint64_t(info.st_size);
}

/// Adds to an error the memory that suffices to read and sort a text of at least `bytes` bytes.
[[noreturn]] void refuse_large(out_of_memory const& e, build_options const& options) {
  std::size_t const n = e.bytes() / suffix::residue_bytes_of(options.format);
  needed_memory const needed = needed_by(options, n, 1, width_for(options.width, n, 1), 0);
  std::size_t const min_bytes = std::max((e.bytes() + 2) / 3 * 4 + 4, needed.total(needed.sorting.min_bytes));
  throw out_of_memory(fmt::format("{}: {}", e.what(), options.memory.advice(min_bytes, "may suffice")), min_bytes);
}

/// Returns true if the bytes of a file are read as they are. Tokens may have any bytes, also those with which compressed files
/// begin: the name says whether they are compressed, unless files are tokens by their content.
bool is_raw(build_options const& options, std::string const& file) {
  bool const tokens = suffix::residue_bytes_of(options.format) != 1;
  return tokens && (options.has_format || suffix::named_format(file)) && cli::compression_named(file) == cli::compression::none;
}

/// Returns the bytes of the separator. @throws usage_error
std::string separator_of(build_options const& options) {
  unsigned const size = suffix::residue_bytes_of(options.format);
  if (options.separator.empty()) return {};
  return size == 1 ? unescaped("--separator", options.separator)
                   : parse_symbols(options.separator, pattern_format::tokens, size);
}

/// Reads files that are no FASTA, by append(files, options for reading).
/// @param records  where append adds them
/// @returns the field of JSON
template <class Append>
std::string read_corpus(build_options const& options, std::string const& separator, cli::common_options const& common,
                        reporter& report, suffix::corpus const& records, Append append) {
  suffix::corpus_options reading{.format = options.format, .big_endian = options.big_endian, .separator = separator};
  if (!options.field.empty()) reading.field = options.field;
  std::vector<std::uint64_t> lengths;
  if (!options.lengths.empty()) {
    lengths = read_numbers(options.lengths);
    if (lengths.empty()) throw input_error(fmt::format("no lengths: {}: the file holds no numbers", options.lengths));
    reading.lengths = lengths;
  }
  reading.memory = options.memory.host_bytes() / 4 * 3;
  reading.threads = common.threads;
  std::uint64_t bytes = 0;
  reading.on_progress = [&](std::uint64_t read) { report.progress.at(bytes = read); };
  report.stats.phase("read");
  std::uint64_t all_bytes = 0;
  for (std::string const& file : options.files) all_bytes += size_of_regular(file).value_or(0);
  report.progress.phase("read", all_bytes);
  suffix::corpus_files files;
  files.count = options.files.size();
  files.open = [&](std::size_t k) {
    std::string const& file = options.files[k];
    auto in = is_raw(options, file) ? std::make_shared<cli::input>(file, cli::compression::none, common.threads)
                                    : std::make_shared<cli::input>(file, common.threads);
    std::string name = in->name();
    return suffix::corpus_files::opened{std::move(name), std::move(in)};
  };
  files.may_wait = [&](std::size_t k) { return !size_of_regular(options.files[k]); };
  try {
    append(files, std::as_const(reading));
  } catch (suffix::missing_field const& e) {
    if (!e.has_strings()) throw;
    throw input_error(fmt::format("{}: choose one with --field", e.what()));
  }
  if (records.starts.empty())
    throw input_error(fmt::format("no records: {}: {}", records.files.front().name,
                                  records.files.size() == 1 ? "the file is empty" : "all files are empty"));
  report.stats.input(bytes);
  report.stats.bytes(bytes);
  return reading.field;
}

/// Returns true if a file has more than one record.
bool has_cut_files(suffix::corpus const& records) {
  return std::ranges::any_of(records.files, [](suffix::input_file const& file) { return file.records > 1; });
}

/// Completes the description of a corpus.
/// @param separator, field  as for index_description @param is_cut  has_cut_files
void describe_corpus(suffix::corpus const& records, std::string const& separator, std::string const& field, bool is_cut,
                     suffix::index_description& about) {
  about.files = records.files;
  about.separator = separator;
  if (about.input == suffix::input_format::jsonl) about.field = field;
  about.is_cut = is_cut && about.separator.empty() && !suffix::has_lines(about.input);
}

/// Stores the starts of the records of a corpus.
void store_starts(suffix::corpus const& records, index_writer& writer, unsigned threads) {
  std::span<std::uint64_t const> const starts(records.starts);
  suffix::store({reinterpret_cast<char const*>(starts.data()), starts.size_bytes()}, *writer.to("starts"), threads);
}

/// Records of files that are no FASTA, in host memory.
class loaded_corpus {
 public:
  /// Reads all files.
  loaded_corpus(build_options const& options, cli::common_options const& common, reporter& report,
                communicator* members = nullptr);

  [[nodiscard]] suffix::text view() const { return all_.view(); }
  [[nodiscard]] std::size_t size() const { return all_.view().size(); }
  [[nodiscard]] std::size_t records() const { return all_.starts.size(); }
  [[nodiscard]] std::string_view residues() const { return all_.view().residues; }
  [[nodiscard]] static suffix::pieces pieces() { return {}; }

  /// Builds the arrays as suffix::build_into, and writes the residues to a sink at the same time.
  template <class Index>
  suffix::build_report build_into(suffix::sinks const& out, sink& residues, suffix::build_options options) const {
    options.machine = machine_;
    options.rows = rows_;
    residues.expect(all_.residues.size());
    std::future<void> writing = std::async([&] { suffix::store(all_.residues.span(), residues, machine_.threads); });
    suffix::build_report const done = suffix::build_into<Index>(all_.view(), out, options);
    writing.get();
    return done;
  }

  friend std::size_t bytes_of_names(loaded_corpus const&) { return 0; }
  friend std::span<std::uint64_t const> starts_of_text(loaded_corpus const& from, suffix::index_description const&) {
    return from.all_.starts;
  }
  friend void describe_records(loaded_corpus const& from, suffix::index_description& about) {
    describe_corpus(from.all_, from.separator_, from.field_, from.is_cut_, about);
  }
  friend void describe(loaded_corpus const& from, suffix::index_description& about, index_writer& writer) {
    describe_records(from, about);
    store_starts(from.all_, writer, from.machine_.threads);
  }

 private:
  suffix::corpus all_;
  std::string separator_, field_;
  bool is_cut_ = false;  // whether a file has more than one record
  machine_options machine_;
  suffix::row_selection rows_;
};

loaded_corpus::loaded_corpus(build_options const& options, cli::common_options const& common, reporter& report,
                             communicator* members)
    : separator_(separator_of(options)), machine_(common.machine()), rows_(options.policy.rows()) {
  try {
    field_ = read_corpus(options, separator_, common, report, all_,
                         [&](suffix::corpus_files const&, suffix::corpus_options corpus_options) {
                           std::uint64_t before = 0, read = 0;
                           corpus_options.on_progress = [&, all = corpus_options.on_progress](std::uint64_t more) {
                             all(before + (read = more));
                           };
                           for (std::string const& file : options.files) {
                             opened_file const in = open_file(file, common.threads, is_raw(options, file), members);
                             corpus_options.expected = in.expected;
                             suffix::append_corpus(all_, in.name, *in.from, corpus_options);
                             before += std::exchange(read, 0);
                           }
                         });
  } catch (out_of_memory const& e) {
    refuse_large(e, options);
  }
  is_cut_ = has_cut_files(all_);
}

/// Writes a text and its records as they are read, without any array of suffixes.
int write_text(build_options const& options, cli::common_options const& common, reporter& report) {
  index_writer writer(options.prefix, {}, false, false, false, false, true);
  std::string const separator = separator_of(options);
  suffix::corpus_writer text(*writer.to("seq"));
  std::string const field = read_corpus(
      options, separator, common, report, text.records(),
      [&](suffix::corpus_files const& files, suffix::corpus_options const& reading) { text.append(files, reading); });
  report.phase("finish", text.size());
  suffix::index_description about;
  about.residues = text.size();
  about.width = width_for("auto", text.size(), text.records().starts.size());
  about.policy.masked = suffix::masked_letters::keep;
  about.input = options.format;
  describe_corpus(text.records(), separator, field, has_cut_files(text.records()), about);
  store_starts(text.records(), writer, common.threads);
  about.arrays = writer.written();
  writer.commit(about);
  return 0;
}

std::size_t bytes_of_names(suffix::loaded_fasta const& records) {
  return records.names().bytes();
}

std::span<std::uint64_t const> starts_of_text(suffix::loaded_fasta const& from, suffix::index_description const& about) {
  return about.policy.cuts() ? from.pieces().begins() : std::span<std::uint64_t const>(about.starts);
}

void describe_records(suffix::loaded_fasta const& from, suffix::index_description& about) {
  about.names = from.names();
  about.starts = from.starts();
  about.lengths = from.lengths();
}

void describe(suffix::loaded_fasta const& from, suffix::index_description& about, index_writer&) {
  describe_records(from, about);
}

/// Reads all records to the machine that will sort them; to the host if several do. @param members  as of open_file
suffix::loaded_fasta read_files(build_options const& options, cli::common_options const& common, reporter& report,
                                communicator* members = nullptr) {
  suffix::fasta_texts texts;
  texts.count = options.files.size();
  texts.reopen = true;
  for (std::string const& file : options.files) {
    auto const size = size_of_regular(file);
    texts.bytes += size.value_or(0);
    texts.reopen &= size.has_value();
  }
  texts.open = [&](std::size_t k) {
    opened_file in = open_file(options.files[k], common.threads, false, members);
    expect_fasta(in.name, in.front,
                 options.has_format ? "FASTA begins with '>'" : "--format=lines reads the lines of any text");
    if (!suffix::is_fastq(in.front)) return suffix::fasta_texts::opened{std::move(in.name), std::move(in.from), in.expected};
    return suffix::fasta_texts::opened{in.name, std::make_unique<suffix::fastq_source>(in.name, std::move(in.from)),
                                       in.likely_bytes / 2};
  };
  std::uint64_t bytes = 0;
  suffix::fasta_options reading;
  reading.machine.threads = common.threads;
  reading.memory = options.memory.host_bytes() / 4 * 3;  // reading needs memory, too
  reading.on_progress = [&](std::uint64_t read) {
    bytes = read;
    report.progress.at(read);
  };
  report.stats.phase("read");
  report.progress.phase("read", texts.bytes);
  try {
    machine_options const here{device::cpu, common.threads};
    suffix::loaded_fasta all(texts, options.what, members || common.are_several() ? here : common.machine(), reading,
                             options.policy);
    report.stats.input(bytes);
    report.stats.bytes(bytes);
    return all;
  } catch (suffix::records_too_large const& e) {
    refuse_large(e, options);
  }
}

/// Warns of duplicate and of empty names, once each: hits are printed by the names of records.
void warn_of_names(suffix::record_names const& names, unsigned threads) {
  suffix::name_faults const faults = suffix::find_name_faults(names, threads);
  auto const more = [](std::size_t records, char const* which) {
    return records == 1 ? "" : fmt::format(", and {} more {}", records - 1, which);
  };
  if (faults.repeated != 0)
    cli::say("sufsort", fmt::format("warning: duplicate record names: '{}': record {} has the name of record {}{}",
                                    shortened(names[faults.first_repeated]), faults.first_repeated + 1, faults.same_as + 1,
                                    more(faults.repeated, "have the names of earlier ones")));
  if (faults.empty != 0)
    cli::say("sufsort", fmt::format("warning: empty record names: record {} has no name{}", faults.first_empty + 1,
                                    more(faults.empty, "have no name")));
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

/// Prints what build would do. Reads only the beginnings of the files.
int print_plan(build_options const& options, cli::common_options const& common) {
  unsigned const size = suffix::residue_bytes_of(options.format);
  std::size_t const n = likely_residues(options) * (options.policy.strands == suffix::strands::both ? 2 : 1) / size;
  unsigned const width = width_for(options.width, n, 1);
  suffix::build_plan const outlook = suffix::plan_build(n, 1, width == 32 ? 4 : 8, options.what, common.machine(),
                                                        options.memory.host_bytes(), options.policy.rows(), size);
  std::size_t const rows = n / options.policy.sample, arrays = rows * (width / 8) * (options.what.lcp ? 2 : 1);
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
  text += fmt::format("files\tabout {}{}\n", size_text(n * size + arrays + (options.what.bwt ? n : 0) + table),
                      options.policy.cuts() ? ", and 24 bytes a piece" : "");
  text += fmt::format("machine\t{}: {}\n", to_string(outlook.machine.device), outlook.machine.reason);
  text += fmt::format("memory\tof {} may be taken: from {} on, {} for the quickest way, {} for any text\n",
                      size_text(outlook.available), size_text(outlook.memory.min_bytes), size_text(outlook.memory.fast_bytes),
                      size_text(outlook.memory.max_bytes));
  if (outlook.machine.device == device::cpu)
    text += fmt::format("held\t{} more, for the text and the results\n", size_text(outlook.host_bytes));
  text += outlook.ranges == 0   ? "refused\tthe memory does not suffice\n"
          : outlook.ranges == 1 ? "suffixes\tsorted at once\n"
                                : fmt::format("suffixes\tsorted in about {} ranges\n", outlook.ranges);
  cli::output out("-");
  out.write(std::string_view(text));
  out.commit();
  return outlook.ranges == 0 ? 2 : 0;
}

/// Returns the format that the files have. Standard input is FASTA: it is not read twice.
/// @throws usage_error  if they have different ones
suffix::input_format format_of(std::vector<std::string> const& files) {
  std::optional<suffix::input_format> all;
  std::string const* first = nullptr;
  for (std::string const& file : files) {
    auto one = suffix::named_format(file);
    if (!one && size_of_regular(file)) {
      cli::input in(file, 1);
      std::string_view const front = in.front(4096);
      one = suffix::recognized_format(file, front);
      if (auto const other = one ? std::nullopt : other_format_of(file, front))
        throw input_error(fmt::format("no FASTA: {}: it is {}: {}", file, other->name, other->advice));
    }
    if (!one) continue;
    if (all && *all != *one)
      throw usage_error(fmt::format("different formats: {}: {}, but {} is {}: give --format", file,
                                    suffix::input_words[std::size_t(*one)], *first, suffix::input_words[std::size_t(*all)]));
    all = one;
    if (!first) first = &file;
  }
  return all.value_or(suffix::input_format::fasta);
}

/// Checks the options that are for some formats only. @throws usage_error
void check_format(build_options const& options) {
  using enum suffix::input_format;
  std::string_view const name = suffix::input_words[std::size_t(options.format)];
  auto const refuse = [&](std::string_view option, std::string_view what) {
    throw usage_error(fmt::format("conflicting options: {}: --format={} has no {}", option, name, what));
  };
  bool const tokens = suffix::residue_bytes_of(options.format) != 1;
  if (!options.separator.empty() && options.format != bytes && !tokens)
    refuse("--separator", "separator; it is for bytes and tokens");
  if (!options.lengths.empty() && options.format != bytes && !tokens)
    refuse("--lengths", "lengths; they are for bytes and tokens");
  if (!options.field.empty() && options.format != jsonl) refuse("--field", "fields; it is for jsonl");
  if (options.big_endian && !tokens) refuse("--byte-order", "byte order; it is for tokens");
  if (!options.lengths.empty() && !options.separator.empty())
    throw usage_error("conflicting options: --lengths, --separator: both end records");
  if (!options.lengths.empty() && options.files.size() != 1)
    throw usage_error("conflicting options: --lengths: the lengths are those of one FILE");
  if (options.format == fasta) return;
  static_cast<void>(separator_of(options));
  if (options.what.bwt && tokens) refuse("--bwt", "BWT; it is for bytes");
  if (options.fm && tokens) refuse("--fm", "FM index; it is for bytes");
  suffix::policy const preset;
  if (options.policy.strands != preset.strands) refuse("--strands", "strands");
  if (options.policy.ambiguous != preset.ambiguous) refuse("--ambiguous", "nucleotides");
  if (options.has_mask) refuse("--mask", "masked letters");
  if (options.has_keep_case) refuse("--keep-case", "masked letters: case is always kept");
  if (options.kmers.wanted) refuse(options.kmers.option, "table of k-mers");
}

/// Builds the arrays of records that all members hold. Collective.
/// @param writer  the writer of the first member, which writes the residues, too; null on the others
/// @param width  bits of an entry @param held  bytes of host memory that each member holds
template <class Records>
suffix::distributed_report build_together(communicator& members, Records const& records, index_writer* writer,
                                          build_options const& options, cli::common_options const& common,
                                          suffix::build_options sorting, unsigned width, std::size_t held) {
  suffix::text const input = records.view();
  check_same_text(members, input, common.threads);
  sorting.machine = common.machine();
  sorting.rows = options.policy.rows();
  std::size_t const here = cli::members_on_host(members);
  sorting.memory = options.memory.host_bytes(here * held) / here;
  shared_arrays files(members, writer);
  std::future<void> writing;
  if (writer) writing = std::async([&] { suffix::store(input.residues, *writer->to("seq"), common.threads); });
  suffix::output_opener const open = [&](std::string_view array, std::uint64_t bytes) { return files.open(array, bytes); };
  suffix::distributed_report const done =
      width == 32 ? suffix::build_into<std::uint32_t>(members, input, options.what, open, width / 8, sorting)
                  : suffix::build_into<std::uint64_t>(members, input, options.what, open, width / 8, sorting);
  files.finish();
  if (writer) writing.get();
  return done;
}

/// Does the same with several GPUs of this process.
template <class Records>
suffix::build_report build_with(std::vector<machine_options> const& machines, Records const& records, suffix::sinks const& out,
                                sink& residues, build_options const& options, cli::common_options const& common,
                                suffix::build_options sorting, unsigned width) {
  suffix::text const input = records.view();
  sorting.rows = options.policy.rows();
  std::future<void> writing = std::async([&] { suffix::store(input.residues, residues, common.threads); });
  suffix::distributed_report const done = width == 32 ? suffix::build_into<std::uint32_t>(machines, input, out, sorting)
                                                      : suffix::build_into<std::uint64_t>(machines, input, out, sorting);
  writing.get();
  return done.build;
}

/// Builds as another member than the first one.
template <class Records>
int help_build(communicator& members, Records const& records, build_options const& options, cli::common_options const& common,
               reporter& report) {
  unsigned const width = width_for(options.width, records.size(), records.records());
  suffix::build_options sorting;
  sorting.on_phase = [&](std::string_view name, std::uint64_t work) { report.phase(name, work); };
  suffix::distributed_report const done = build_together(members, records, nullptr, options, common, sorting, width,
                                                         held_by(options, records.size(), records.records(), width).text);
  report.stats.machine(done.build.machine);
  report.stats.device_memory(done.build.device_memory);
  report.phase("finish");
  report.stats.add_members(members, done.exchanged);
  return 0;
}

/// Builds the arrays of records that were read, and writes the index.
/// @param members  if others help, of whom this is the first
template <class Records>
int write_index(Records& records, index_writer& writer, build_options const& options, cli::common_options const& common,
                reporter& report, communicator* members = nullptr) {
  std::size_t const n = records.size();
  unsigned const width = width_for(options.width, n, records.records());
  bool const on_host = n == 0 || !records.residues().empty();
  needed_memory needed = needed_by(options, n, records.records(), width, 0);
  needed.held.text += bytes_of_names(records);
  held_memory const held{on_host ? needed.held.text : needed.held.text - n, needed.held.results};
  auto const check_table = [&](suffix::kmer_set const& words) {
    needed.table = table_bytes(words, width);
    check_memory(words, width, options.memory.host_bytes(held.text),
                 on_host ? needed.advice(options.memory) : options.memory.advice(needed.table));
  };
  std::optional<suffix::kmer_set> words;  // known before the sort, unless the length depends on the rows
  if (options.kmers.length != 0 && on_host) {
    words = words_for(records.residues(), options.kmers,
                      suffix::num_sorted_suffixes(n, records.records(), options.policy.rows()), width);
    check_table(*words);
  }
  suffix::build_options sorting;
  sorting.on_phase = [&](std::string_view name, std::uint64_t work) { report.phase(name, work); };
  std::size_t const available = options.memory.host_bytes(held.text);
  sorting.memory = available - std::min(available, held.results);

  suffix::sinks const out{writer.to("sa"), writer.to("lcp"), writer.to("bwt"), width / 8};
  sink& residues = *writer.to("seq");
  suffix::build_report done;
  std::uint64_t exchanged = 0;
  try {
    bool const is_alone = !members && !common.are_several();
    if constexpr (requires { records.view(); }) {
      if (members) {
        suffix::distributed_report const all =
            build_together(*members, records, &writer, options, common, sorting, width, held.text);
        done = all.build;
        exchanged = all.exchanged;
      } else if (!is_alone) {
        done = build_with(common.machines(), records, out, residues, options, common, sorting, width);
      }
    }
    if (is_alone)
      done = width == 32 ? records.template build_into<std::uint32_t>(out, residues, sorting)
                         : records.template build_into<std::uint64_t>(out, residues, sorting);
  } catch (suffix::text_too_large const& e) {
    std::size_t const min_bytes = needed.total(e.min_bytes());
    // The library knows nothing of the text and the results, which --memory limits, too.
    throw out_of_memory(
        fmt::format("out of memory: suffix array of {} residues: {}{} bytes are needed in all, {} are available: {}", n,
                    e.min_bytes() > needed.sorting.min_bytes ? "the text is repetitive: up to " : "", min_bytes,
                    options.memory.host_bytes(held.text) + held.text,
                    options.memory.advice_for_text(min_bytes, needed.total(e.bytes()))),
        min_bytes);
  }
  report.stats.machine(done.machine);
  report.stats.device_memory(done.device_memory);

  report.phase("finish", n + held.results);
  suffix::index_description about;
  about.residues = n;
  about.width = width;
  about.policy = options.policy;
  if (options.format != suffix::input_format::fasta) about.policy.masked = suffix::masked_letters::keep;
  if (sink* const to = writer.to("pieces")) {
    auto const columns = records.pieces().columns();
    suffix::store({reinterpret_cast<char const*>(columns.data()), columns.size_bytes()}, *to, common.threads);
  }
  about.input = options.format;
  describe(records, about, writer);
  if (sink* const to = writer.to("kmers")) {
    suffix::mapped_file const letters = writer.completed("seq"), sa = writer.completed("sa");
    suffix::text const input{{letters.bytes().data(), letters.bytes().size()}, starts_of_text(records, about)};
    std::size_t const rows = sa.bytes().size() / (width / 8);
    about.kmers = words ? *words : words_for(input.residues, options.kmers, rows, width);
    check_size(about.kmers, options.kmers, rows, width);
    check_table(about.kmers);
    report.phase("kmers", n);
    std::vector<char> const table =
        suffix::make_kmer_table(input, {sa.bytes(), width}, about.kmers, writer.path("sa"), common.threads);
    suffix::store(table, *to, common.threads);
  }
  if (sink* const to = writer.to("fm")) {
    suffix::mapped_file const letters = writer.completed("seq"), sa = writer.completed("sa");
    suffix::text const input{{letters.bytes().data(), letters.bytes().size()}, starts_of_text(records, about)};
    report.phase("fm", n);
    std::vector<char> const index = suffix::make_fm_index(input, {sa.bytes(), width}, options.fm_sample, writer.path("sa"),
                                                          common.threads, options.memory.host_bytes(held.text));
    suffix::store(index, *to, common.threads);
    about.fm_sample = options.fm_sample;
    about.fm_letters = suffix::fm_index(index, input, writer.path("fm")).letters();
  }
  if (options.without_sa && writer.to("sa")) writer.discard("sa");
  about.arrays = writer.written();
  if (!options.policy.rows().all()) about.kept_rows = about.find("sa")->bytes / (width / 8);
  writer.commit(about, options.made_of);
  if (members) report.stats.add_members(*members, exchanged);
  return 0;
}

/// Returns the options with which an index was built, but for the width of its entries, which a larger one may exceed.
build_options options_of(suffix::index_description const& about, std::string const& prefix, memory_limits const& memory) {
  build_options options;
  options.prefix = prefix;
  options.memory = memory;
  options.format = about.input;
  options.has_format = true;
  options.policy = about.policy;
  options.what = {.lcp = about.find("lcp") != nullptr, .bwt = about.find("bwt") != nullptr};
  options.fm = about.find("fm") != nullptr;
  if (options.fm) options.fm_sample = about.fm_sample;
  if (about.find("kmers"))
    options.kmers = {.option = "--kmer-table",
                     .force_option = "--force-kmer-table",
                     .wanted = true,
                     .length = about.kmers.length,
                     .force = true};
  bool const narrow = suffix::index_fits(4, about.residues, about.text_records());
  if (about.width > 40 || (about.width == 40 && narrow)) options.width = std::to_string(about.width);
  options.field = about.field;
  for (char const c : about.separator) options.separator += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return options;
}

merged_part part_of(suffix::stored_index const& index) {
  bool const has_lcp = index.description().find("lcp") != nullptr;
  return {index.description(),
          index.view(),
          index.pieces(),
          {index.array("sa"), has_lcp ? index.array("lcp") : suffix::entries(), index.bytes("bwt")}};
}

int write_merged(merged_part const& first, merged_part const& second, suffix::fm_index const& fm, build_options const& options,
                 cli::common_options const& common, reporter& report) {
  index_writer writer(options.prefix, options.what, true, options.policy.cuts(), options.kmers.wanted, options.fm,
                      options.format != suffix::input_format::fasta);
  merged_records records(first, second, fm, common.threads);
  if (!common.quiet && options.format == suffix::input_format::fasta) {
    suffix::record_names names = first.about.names;
    for (std::size_t r = 0; r < second.about.names.size(); ++r) names.push_back(second.about.names[r]);
    warn_of_names(names, common.threads);
  }
  return write_index(records, writer, options, common, report);
}

/// A sink that keeps all bytes.
class byte_store final : public sink {
 public:
  void write(std::span<char const> data) override { bytes_.append(data); }
  bool expect(std::uint64_t bytes) override {
    bytes_.resize(std::size_t(bytes));
    return addressable_ = true;
  }
  [[nodiscard]] bool addressable() const override { return addressable_; }
  void write_at(std::uint64_t offset, std::span<char const> data) override { std::ranges::copy(data, bytes_.data() + offset); }
  [[nodiscard]] std::span<char const> bytes() const { return bytes_.span(); }

 private:
  host_bytes bytes_;
  bool addressable_ = false;
};

/// Sorts the suffixes of records in host memory, and merges them with an index.
template <class Records>
int add_records(suffix::stored_index const& index, Records& records, build_options const& options,
                cli::common_options const& common, reporter& report) {
  suffix::index_description about;
  about.residues = records.size();
  about.policy = options.policy;
  about.input = options.format;
  about.width = suffix::index_fits(4, records.size(), records.records()) ? 32 : 64;
  describe_records(records, about);
  check_mergeable(index.description(), options.prefix, about, options.files.front());
  byte_store seq, sa, lcp, bwt;
  suffix::sinks const out{&sa, options.what.lcp ? &lcp : nullptr, options.what.bwt ? &bwt : nullptr, about.width / 8};
  suffix::build_options sorting;
  sorting.on_phase = [&](std::string_view name, std::uint64_t work) { report.phase(name, work); };
  held_memory const held = held_by(options, records.size(), records.records(), about.width);
  std::size_t const available = options.memory.host_bytes(held.text);
  sorting.memory = available - std::min(available, held.results);
  suffix::build_report const done = about.width == 32 ? records.template build_into<std::uint32_t>(out, seq, sorting)
                                                      : records.template build_into<std::uint64_t>(out, seq, sorting);
  report.stats.machine(done.machine);
  merged_part const more{about,
                         {{seq.bytes().data(), seq.bytes().size()}, starts_of_text(records, about)},
                         records.pieces(),
                         {{sa.bytes(), about.width}, {lcp.bytes(), about.width}, bwt.bytes()}};
  return write_merged(part_of(index), more, index.fm(), options, common, report);
}

}  // namespace

int merge(merge_options const& options, cli::common_options const& common, reporter& report) {
  if (options.output.empty() || options.output.ends_with('/'))
    throw usage_error(fmt::format("invalid prefix: --output: '{}' cannot begin the name of a file", options.output));
  report.phase("open");
  suffix::stored_index const first(options.first), second(options.second);
  suffix::index_description const &a = first.description(), &b = second.description();
  check_mergeable(a, options.first, b, options.second);
  build_options build = options_of(a, options.output, options.memory);
  build.what = {.lcp = build.what.lcp && b.find("lcp"), .bwt = build.what.bwt && b.find("bwt")};
  build.fm &= b.find("fm") != nullptr;
  build.kmers.wanted &= b.find("kmers") != nullptr;
  if (!build.kmers.wanted) build.kmers.length = 0;
  report.stats.input(a.residues + b.residues);
  return write_merged(part_of(first), part_of(second), first.fm(), build, common, report);
}

int add(add_options const& options, cli::common_options const& common, reporter& report) {
  report.phase("open");
  auto const made_of = sum_of_description(options.prefix);
  suffix::stored_index const index(options.prefix);
  build_options build = options_of(index.description(), options.prefix, options.memory);
  build.files = options.files;
  build.made_of = made_of;
  refuse_inputs(options.prefix, options.files);
  check_mergeable(index.description(), options.prefix, index.description(), options.prefix);
  static_cast<void>(index.array("sa"));  // names the way out if there is none
  if (build.format == suffix::input_format::fasta) {
    suffix::loaded_fasta records = read_files(build, common, report);
    return add_records(index, records, build, common, report);
  }
  loaded_corpus const records(build, common, report);
  return add_records(index, records, build, common, report);
}

std::size_t memory_limits::host_bytes(std::size_t held) const {
  std::size_t const available = cli::available_memory();  // without the memory held
  if (host.empty()) return available;
  std::size_t const limit = parse_bytes(host);
  return std::min(available, limit - std::min(limit, held));
}

std::string memory_limits::advice(std::size_t bytes, std::string_view predicate) const {
  std::string const size = size_for_option(bytes);
  std::size_t const there = cli::available_memory();
  std::string const free = bytes > there ? fmt::format(", and {} bytes are free", there) : "";
  return fmt::format("{}{} {}{}", host.empty() ? "free memory of " : "--memory ", size, predicate, free);
}

std::string memory_limits::advice_for_text(std::size_t min_bytes, std::size_t max_bytes) const {
  if (min_bytes >= max_bytes) return advice(max_bytes);
  return advice(max_bytes, fmt::format("suffices for any text, {} for most", size_for_option(min_bytes)));
}

std::string size_for_option(std::size_t bytes) {
  bool const small = bytes < std::size_t{64} << 20;
  std::size_t const unit = std::size_t{1} << (small ? 10 : 20);
  return fmt::format("{}{}", bytes / unit + (bytes % unit != 0), small ? 'K' : 'M');
}

void memory_limits::apply() const {
  // By default glibc keeps freed blocks of up to 32 MiB once one of that size has been freed, so that memory which a pool frees
  // would still count. A threshold that is set does not grow.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  if (!host.empty()) static_cast<void>(parse_bytes(host));
  if (gpu.empty()) return;
  static_cast<void>(parse_bytes(gpu));
  setenv("ORDO_GPU_MEMORY", gpu.c_str(), 1);  // machines read it
}

int build(build_options const& given, cli::common_options const& common, reporter& report, communicator* members) {
  build_options options = given;
  if (options.prefix.empty() || options.prefix.ends_with('/'))
    throw usage_error(fmt::format("invalid prefix: --output: '{}' cannot begin the name of a file", options.prefix));
  if (!options.has_format) options.format = format_of(options.files);
  bool const fasta = options.format == suffix::input_format::fasta;
  check_format(options);
  refuse_inputs(options.prefix, options.files);
  if (!options.lengths.empty()) refuse_inputs(options.prefix, {options.lengths});
  if (options.what.bwt && !options.policy.rows().all())
    throw usage_error("conflicting options: --bwt: a BWT needs all rows; --sample and --ambiguous=skip leave out some");
  if (options.fm && !options.policy.rows().all())
    throw usage_error("conflicting options: --fm: an FM index needs all rows; --sample and --ambiguous=skip leave out some");
  if (options.without_sa && (!(options.fm || options.what.bwt) || options.what.lcp || options.kmers.wanted))
    throw usage_error(fmt::format("conflicting options: --without-sa: {}",
                                  options.fm || options.what.bwt
                                      ? "--lcp and --kmer-table belong to rows of the suffix array"
                                      : "use --fm, which takes the place of the suffix array, or --bwt"));
  if (options.text_only) {
    if (fasta) throw usage_error("conflicting options: --text-only: it is for texts other than FASTA: give --format");
    if (options.what.lcp || options.what.bwt || options.fm || options.without_sa || options.width != "auto" ||
        !options.policy.rows().all() || options.plan)
      throw usage_error("conflicting options: --text-only: there are no arrays of suffixes");
    return write_text(options, common, report);
  }
  if (members && members->rank() != 0) {
    if (fasta) return help_build(*members, read_files(options, common, report, members), options, common, report);
    return help_build(*members, loaded_corpus(options, common, report, members), options, common, report);
  }
  // The FM index is made from the suffix array, and several machines write theirs together; then it is discarded.
  bool const makes_sa = !options.without_sa || options.fm || members || common.are_several();
  index_writer writer(options.prefix, options.what, makes_sa, options.policy.cuts(), options.kmers.wanted, options.fm, !fasta);
  if (options.plan) return print_plan(options, common);
  if (!fasta) {
    loaded_corpus const records(options, common, report, members);
    return write_index(records, writer, options, common, report, members);
  }
  suffix::loaded_fasta records = read_files(options, common, report, members);
  if (!common.quiet) warn_of_names(records.names(), common.threads);
  return write_index(records, writer, options, common, report, members);
}

}  // namespace ordo::inline v0::sufsort
