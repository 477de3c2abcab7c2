#include "tools/sufsort/build.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <CLI/CLI.hpp>

#include "ordo/error.hpp"
#include "ordo/suffix/build_fasta.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/index_writer.hpp"
#include "tools/sufsort/kmers.hpp"
#include "tools/sufsort/lines.hpp"
#include "tools/sufsort/policy_options.hpp"

namespace ordo::sufsort {
namespace {

unsigned width_for(std::string const& asked, std::size_t residues, std::size_t records) {
  bool const narrow = suffix::index_fits(4, residues, records), fits_40 = suffix::index_fits(5, residues, records);
  if ((asked == "32" && !narrow) || (asked == "40" && !fits_40))
    throw usage_error(
        fmt::format("--width {}: {} residues in {} records need {} bits", asked, residues, records, fits_40 ? 40 : 64));
  if (asked != "auto") return asked == "32" ? 32 : asked == "40" ? 40 : 64;
  return narrow ? 32 : fits_40 ? 40 : 64;
}

/// Bytes of the host's memory, where the CPU works.
struct held_memory {
  std::size_t text;     // with where its pieces and records are
  std::size_t results;  // entries as the CPU has them
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

held_memory held_by(build_options const& how, std::size_t n, std::size_t records, unsigned width) {
  std::size_t const piece_bytes = 3 * sizeof(std::uint64_t), record_bytes = 3 * sizeof(std::uint64_t);
  std::size_t const array = suffix::num_sorted_suffixes(n, records, how.policy.rows()) * (width == 32 ? 4 : 8);
  return {n + records * (record_bytes + (how.policy.cuts() ? piece_bytes : 0)),
          array + (how.what.lcp ? array : 0) + (how.what.bwt ? n + records : 0)};
}

needed_memory needed_by(build_options const& how, std::size_t n, std::size_t records, unsigned width, std::size_t table) {
  return {held_by(how, n, records, width),
          suffix::build_memory(device::cpu, n, records, width == 32 ? 4 : 8, how.what, how.policy.rows()), table};
}

/// Of a table of DNA's k-mers, of a length that is given.
std::size_t likely_table(kmer_options const& how, unsigned width) {
  return std::size_t(suffix::kmer_set{how.length, "ACGT"}.count().value_or(0)) * (width / 8);
}

/// Refuses records that do not fit, and says what would do for them, and for sorting them after that. @throws out_of_memory
[[noreturn]] void refuse_large(suffix::records_too_large const& e, build_options const& how) {
  std::size_t const n = std::size_t(e.residues()), records = std::size_t(e.records());
  unsigned const width = width_for(how.width, n, records);
  needed_memory const needed = needed_by(how, n, records, width, likely_table(how.kmers, width));
  std::size_t const reading = (e.bytes() + 2) / 3 * 4 + 4, least = std::max(reading, needed.total(needed.sorting.min_bytes));
  std::string const advice =
      e.all() ? needed.advice(how.memory, reading) : how.memory.advice(least, "is the least that may do");
  throw out_of_memory(fmt::format("{}: {}", e.what(), advice), least);
}

/// All the records, where they will be worked on.
suffix::loaded_fasta read_files(build_options const& how, cli::common_options const& common, telling& tell) {
  suffix::fasta_texts texts;
  texts.count = how.files.size();
  texts.reopen = true;
  for (std::string const& file : how.files) {
    struct stat info {};
    bool const regular = file != "-" && stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    if (regular) texts.bytes += std::uint64_t(info.st_size);
    texts.reopen &= regular;
  }
  texts.open = [&](std::size_t k) {
    auto in = std::make_unique<cli::input>(how.files[k], common.threads);
    std::uint64_t const expected = in->compressed() ? 4 * in->file_size().value_or(0) : 0;
    std::string name = in->name();
    return suffix::fasta_texts::opened{std::move(name), std::move(in), expected};
  };
  std::uint64_t bytes = 0;
  suffix::fasta_options reading;
  reading.machine.threads = common.threads;
  reading.memory = how.memory.host_bytes() / 4 * 3;  // reading takes some, too
  reading.on_progress = [&](std::uint64_t read) {
    bytes = read;
    tell.progress.at(read);
  };
  tell.stats.phase("read");
  tell.progress.phase("read", texts.bytes);
  try {
    suffix::loaded_fasta all(texts, how.what, common.machine(), reading, how.policy);
    tell.stats.input(bytes);
    tell.stats.bytes(bytes);
    return all;
  } catch (suffix::records_too_large const& e) {
    refuse_large(e, how);
  }
}

/// Warns, once for each kind, of names that do not tell records apart: what is found in these is printed by name.
void warn_of_names(suffix::record_names const& names, unsigned threads) {
  suffix::name_faults const found = suffix::find_name_faults(names, threads);
  auto const more = [](std::size_t records, char const* which) {
    return records == 1 ? "" : fmt::format(", and {} more {}", records - 1, which);
  };
  if (found.repeated != 0)
    cli::say("sufsort", fmt::format("duplicate record names: '{}': record {} has the name of record {}{}",
                                    shortened(names[found.first_repeated]), found.first_repeated + 1, found.same_as + 1,
                                    more(found.repeated, "have the name of an earlier one")));
  if (found.empty != 0)
    cli::say("sufsort",
             fmt::format("empty record names: record {} has no name{}", found.first_empty + 1, more(found.empty, "have none")));
}

/// Of files that have not been read. A letter takes a byte in FASTA, and a fourth or fifth of one where it is compressed.
std::size_t likely_residues(std::vector<std::string> const& files) {
  std::size_t letters = 0;
  for (std::string const& file : files) {
    cli::input const in(file, 1);
    letters += std::size_t(in.file_size().value_or(0)) * (in.compressed() ? 4 : 1);
  }
  return letters;
}

/// What build would do, without reading more of the files than their beginnings.
int tell_plan(build_options const& how, cli::common_options const& common) {
  std::size_t const n = likely_residues(how.files) * (how.policy.strands == suffix::strands::both ? 2 : 1);
  unsigned const width = width_for(how.width, n, 1);
  suffix::build_plan const outlook =
      suffix::plan_build(n, 1, width == 32 ? 4 : 8, how.what, common.machine(), how.memory.host_bytes(), how.policy.rows());
  std::size_t const rows = n / how.policy.sample, arrays = rows * (width / 8) * (how.what.lcp ? 2 : 1);
  std::size_t table = 0;  // of four letters
  if (how.kmers.wanted) {
    suffix::kmer_set const words = words_for("ACGT", how.kmers, rows, width);
    table = table_bytes(words, width);
    bool const on_host = outlook.machine.device == device::cpu;
    check_memory(words, width, how.memory.host_bytes(on_host ? n : 0),
                 on_host ? needed_by(how, n, 1, width, table).advice(how.memory) : how.memory.advice(table));
  }
  auto const gigabytes = [](std::size_t bytes) { return fmt::format("{:.3f} GB", double(bytes) / 1e9); };
  std::string text = fmt::format("residues\tabout {} (from the sizes of files)\nwidth\t{}\n", n, width);
  text += fmt::format("files\tabout {}{}\n", gigabytes(n + arrays + (how.what.bwt ? n : 0) + table),
                      how.policy.cuts() ? ", and 24 bytes a piece" : "");
  text += fmt::format("machine\t{}: {}\n", to_string(outlook.machine.device), outlook.machine.reason);
  text += fmt::format("memory\tof {} may be taken: from {} on, {} for the quickest way, {} for any text\n",
                      gigabytes(outlook.available), gigabytes(outlook.memory.min_bytes), gigabytes(outlook.memory.fast_bytes),
                      gigabytes(outlook.memory.max_bytes));
  if (outlook.machine.device == device::cpu)
    text += fmt::format("beside\t{} for residues and results\n", gigabytes(outlook.host_bytes));
  text += outlook.ranges == 0   ? "refused\tthe memory does not suffice\n"
          : outlook.ranges == 1 ? "suffixes\tsorted at once\n"
                                : fmt::format("suffixes\tsorted in about {} ranges\n", outlook.ranges);
  cli::output out("-");
  out.write(std::string_view(text));
  out.commit();
  return outlook.ranges == 0 ? 2 : 0;
}

}  // namespace

void add_build_options(CLI::App& command, build_options& how) {
  command.add_option("files", how.files, "FASTA, plain or compressed; - is standard input")->required()->type_name("FASTA");
  command.add_option("-o,--output", how.prefix, "where the index goes")->required()->type_name("PREFIX");
  command.add_flag("--lcp", how.what.lcp, "longest common prefixes, too");
  command.add_flag("--bwt", how.what.bwt, "the Burrows-Wheeler transform, too");
  command
      .add_option("--width", how.width, "bits of an entry: auto, 32, 40 or 64 [auto: the least of 32 and 40 that is enough]")
      ->check(CLI::IsMember({"auto", "32", "40", "64"}).description(""))
      ->type_name("BITS");
  add_kmer_options(command, "--kmer-table", "--force-kmer-table", how.kmers);
  add_policy_options(command, how.policy);
  command.add_flag("--plan", how.plan, "tell what would be done, by which machine and in how much memory, and end");
  add_memory_options(command, how.memory);
}

int build(build_options const& how, cli::common_options const& common, telling& tell) {
  if (how.prefix.empty() || how.prefix.ends_with('/'))
    throw usage_error(fmt::format("--output: '{}' is not the beginning of a file's name", how.prefix));
  refuse_inputs(how.prefix, how.files);
  if (how.what.bwt && !how.policy.rows().all())
    throw usage_error("no BWT: --bwt: --sample and --ambiguous skip leave out rows, and a BWT needs all of them");
  index_writer writer(how.prefix, how.what, how.policy.cuts(), how.kmers.wanted);
  if (how.plan) return tell_plan(how, common);

  suffix::loaded_fasta records = read_files(how, common, tell);
  if (!common.quiet) warn_of_names(records.names(), common.threads);
  std::size_t const n = records.size();

  unsigned const width = width_for(how.width, n, records.records());
  bool const on_host = n == 0 || !records.residues().empty();
  needed_memory needed = needed_by(how, n, records.records(), width, 0);
  needed.held.text += records.names().bytes();
  held_memory const held{on_host ? needed.held.text : needed.held.text - n, needed.held.results};
  auto const check_table = [&](suffix::kmer_set const& words) {
    needed.table = table_bytes(words, width);
    check_memory(words, width, how.memory.host_bytes(held.text),
                 on_host ? needed.advice(how.memory) : how.memory.advice(needed.table));
  };
  std::optional<suffix::kmer_set> words;  // known before anything is sorted, but for a length that the rows decide
  if (how.kmers.length != 0 && on_host) {
    words =
        words_for(records.residues(), how.kmers, suffix::num_sorted_suffixes(n, records.records(), how.policy.rows()), width);
    check_table(*words);
  }
  suffix::build_options sorting;
  sorting.on_phase = [&](std::string_view name, std::uint64_t work) { tell.phase(name, work); };
  std::size_t const available = how.memory.host_bytes(held.text);
  sorting.memory = available - std::min(available, held.results);

  suffix::sinks const out{writer.to("sa"), writer.to("lcp"), writer.to("bwt"), width / 8};
  sink& residues = *writer.to("seq");
  suffix::build_report done;
  try {
    done = width == 32 ? records.build_into<std::uint32_t>(out, residues, sorting)
                       : records.build_into<std::uint64_t>(out, residues, sorting);
  } catch (suffix::text_too_large const& e) {
    std::size_t const least = needed.total(e.min_bytes());
    throw out_of_memory(fmt::format("{}: {}", e.what(), how.memory.advice_for_text(least, needed.total(e.bytes()))), least);
  }
  tell.stats.machine(done.machine);
  tell.stats.device_memory(done.device_memory);

  tell.phase("finish", n + held.results);
  suffix::index_description about;
  about.residues = n;
  about.width = width;
  about.policy = how.policy;
  if (sink* const to = writer.to("pieces")) {
    auto const columns = records.pieces().columns();
    suffix::store({reinterpret_cast<char const*>(columns.data()), columns.size_bytes()}, *to, common.threads);
  }
  about.names = records.names();
  about.starts = records.starts();
  about.lengths = records.lengths();
  if (sink* const to = writer.to("kmers")) {
    suffix::mapped_file const letters = writer.completed("seq"), sa = writer.completed("sa");
    suffix::text const input{{letters.bytes().data(), letters.bytes().size()},
                             how.policy.cuts() ? records.pieces().begins() : std::span<std::uint64_t const>(about.starts)};
    std::size_t const rows = sa.bytes().size() / (width / 8);
    about.kmers = words ? *words : words_for(input.residues, how.kmers, rows, width);
    check_size(about.kmers, how.kmers, rows, width);
    check_table(about.kmers);
    tell.phase("kmers", n);
    std::vector<char> const table =
        suffix::make_kmer_table(input, {sa.bytes(), width}, about.kmers, writer.path("sa"), common.threads);
    suffix::store(table, *to, common.threads);
  }
  about.arrays = writer.written();
  if (!how.policy.rows().all()) about.kept_rows = about.find("sa")->bytes / (width / 8);
  writer.commit(about);
  return 0;
}

}  // namespace ordo::sufsort
