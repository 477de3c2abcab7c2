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

#include "sort_core/error.hpp"
#include "suffix/build_fasta.hpp"
#include "suffix/index.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/output.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/index_writer.hpp"
#include "tools/sufsort/kmers.hpp"
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
  suffix::loaded_fasta all(texts, how.what, common.machine(), reading, how.policy);
  tell.stats.input(bytes);
  tell.stats.bytes(bytes);
  return all;
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
  suffix::build_outlook const outlook =
      suffix::plan_build(n, 1, width == 32 ? 4 : 8, how.what, common.machine(), how.memory.host_bytes(), how.policy.rows());
  std::size_t const rows = n / how.policy.sample, arrays = rows * (width / 8) * (how.what.lcp ? 2 : 1);
  std::size_t table = 0;  // of four letters
  if (how.kmers != 0) {
    std::size_t const held = outlook.machine.where == device::cpu ? n : 0;
    table = (*words_for("ACGT", how.kmers, width, how.memory.host_bytes(held)).count() + 1) * (width / 8);
  }
  auto const gigabytes = [](std::size_t bytes) { return fmt::format("{:.3f} GB", double(bytes) / 1e9); };
  std::string text = fmt::format("residues\tabout {} (from the sizes of files)\nwidth\t{}\n", n, width);
  text += fmt::format("files\tabout {}{}\n", gigabytes(n + arrays + (how.what.bwt ? n : 0) + table),
                      how.policy.cuts() ? ", and 24 bytes a piece" : "");
  text += fmt::format("machine\t{}: {}\n", to_string(outlook.machine.where), outlook.machine.why);
  text += fmt::format("memory\tof {} may be taken: from {} on, {} for the quickest way, {} for any text\n",
                      gigabytes(outlook.available), gigabytes(outlook.memory.least), gigabytes(outlook.memory.quickest),
                      gigabytes(outlook.memory.most));
  if (outlook.machine.where == device::cpu)
    text += fmt::format("beside\t{} for residues and results\n", gigabytes(outlook.beside));
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
  add_kmers_option(command, "--kmer-table", how.kmers,
                   "a table of k-mers, too: searches begin with the rows of a pattern's first K letters");
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
  index_writer writer(how.prefix, how.what, how.policy.cuts(), how.kmers != 0);
  if (how.plan) return tell_plan(how, common);

  suffix::loaded_fasta records = read_files(how, common, tell);
  std::size_t const n = records.size();

  unsigned const width = width_for(how.width, n, records.records());
  std::size_t const rows = n + records.records();
  std::size_t const places = records.starts().size() + records.lengths().size() + records.names().size();
  std::size_t const text = records.residues().size() + records.pieces().columns().size_bytes() + records.names().bytes() +
                           places * sizeof(std::uint64_t);  // in the host's memory
  std::optional<suffix::kmer_words> words;
  if (how.kmers != 0 && !records.residues().empty())
    words = words_for(records.residues(), how.kmers, width, how.memory.host_bytes(text));
  suffix::options sorting;
  sorting.on_phase = [&](std::string_view name, std::uint64_t work) { tell.phase(name, work); };
  // What the CPU has of an array.
  std::size_t const held = suffix::sorted_suffixes(n, records.records(), how.policy.rows()) * (width == 32 ? 4 : 8);
  std::size_t const results = held + (how.what.lcp ? held : 0) + (how.what.bwt ? rows : 0);
  std::size_t const available = how.memory.host_bytes(text);
  sorting.memory = available - std::min(available, results);

  suffix::sinks const out{writer.to("sa"), writer.to("lcp"), writer.to("bwt"), width / 8};
  sink& residues = *writer.to("seq");
  suffix::report const done = width == 32 ? records.build_into<std::uint32_t>(out, residues, sorting)
                                          : records.build_into<std::uint64_t>(out, residues, sorting);
  tell.stats.machine(done.machine);
  tell.stats.device_memory(done.device_memory);

  tell.phase("finish", n + results);
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
    about.words = words ? *words : words_for(input.residues, how.kmers, width, how.memory.host_bytes(text));
    tell.phase("kmers", n);
    std::vector<char> const table =
        suffix::make_kmer_table(input, {sa.bytes(), width}, about.words, writer.path("sa"), common.threads);
    suffix::store(table, *to, common.threads);
  }
  about.arrays = writer.written();
  if (!how.policy.rows().all()) about.left_rows = about.find("sa")->bytes / (width / 8);
  writer.commit(about);
  return 0;
}

}  // namespace ordo::sufsort
