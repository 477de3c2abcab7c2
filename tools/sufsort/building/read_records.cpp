#include "tools/sufsort/building/read_records.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "ordo/error.hpp"
#include "ordo/suffix/fastq.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/building/build_memory.hpp"
#include "tools/sufsort/building/distributed_build.hpp"
#include "tools/sufsort/files/other_formats.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {

std::optional<std::uint64_t> size_of_regular(std::string const& file) {
  struct stat info {};
  if (file == "-" || stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return std::uint64_t(info.st_size);
}

bool is_raw(build_options const& options, std::string const& file) {
  bool const tokens = suffix::bytes_per_residue(options.format) != 1;
  return tokens && (options.has_format || suffix::named_format(file)) && cli::compression_named(file) == cli::compression::none;
}

std::string parse_separator(build_options const& options) {
  unsigned const size = suffix::bytes_per_residue(options.format);
  if (options.separator.empty()) return {};
  if (size != 1 && options.separator.find_first_not_of(" ,") == std::string::npos)
    throw usage_error(fmt::format("invalid separator: --separator: '{}': it has no token", options.separator));
  return size == 1 ? unescaped("--separator", options.separator)
                   : parse_symbols(options.separator, pattern_format::tokens, size);
}

std::string read_corpus(build_options const& options, std::string const& separator, cli::common_options const& common,
                        reporter& report, suffix::corpus const& records,
                        std::function<void(suffix::corpus_files const&, suffix::corpus_options const&)> const& append) {
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
  files.name = [&](std::size_t k) { return options.files[k] == "-" ? "standard input" : options.files[k]; };
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

bool has_cut_files(suffix::corpus const& records) {
  return std::ranges::any_of(records.files, [](suffix::input_file const& file) { return file.records > 1; });
}

void describe_corpus(suffix::corpus const& records, std::string const& separator, std::string const& field, bool is_cut,
                     suffix::index_description& about) {
  about.files = records.files;
  about.separator = separator;
  if (about.input == suffix::input_format::jsonl) about.field = field;
  about.is_cut = is_cut && about.separator.empty() && !suffix::has_lines(about.input);
}

void store_starts(suffix::corpus const& records, index_writer& writer, unsigned threads) {
  std::span<std::uint64_t const> const starts(records.starts);
  suffix::store({reinterpret_cast<char const*>(starts.data()), starts.size_bytes()}, *writer.to("starts"), threads);
}

loaded_corpus::loaded_corpus(build_options const& options, cli::common_options const& common, reporter& report,
                             communicator* members)
    : separator_(parse_separator(options)), machine_(common.machine()), rows_(options.policy.rows()) {
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

suffix::loaded_fasta read_files(build_options const& options, cli::common_options const& common, reporter& report,
                                communicator* members) {
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
    suffix::loaded_fasta all(texts, options.extra, members || common.are_several() ? here : common.machine(), reading,
                             options.policy);
    report.stats.input(bytes);
    report.stats.bytes(bytes);
    return all;
  } catch (suffix::records_too_large const& e) {
    refuse_large(e, options);
  }
}

void warn_of_names(suffix::record_names const& names, unsigned threads) {
  suffix::name_faults const faults = suffix::find_name_faults(names, threads);
  auto const more = [](std::size_t records, char const* which) {
    return records == 1 ? "" : fmt::format(", and {} more {} {}", records - 1, records == 2 ? "has" : "have", which);
  };
  if (faults.repeated != 0)
    cli::say("sufsort", fmt::format("warning: duplicate record names: '{}': record {} has the name of record {}{}",
                                    shortened(names[faults.first_repeated]), faults.first_repeated + 1, faults.same_as + 1,
                                    more(faults.repeated, "the name of an earlier one")));
  if (faults.empty != 0)
    cli::say("sufsort", fmt::format("warning: empty record names: record {} has no name{}", faults.first_empty + 1,
                                    more(faults.empty, "no name")));
}

}  // namespace ordo::inline v0::sufsort
