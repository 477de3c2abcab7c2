#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tools/cli/gpu_start.hpp"
#include "tools/cli/job.hpp"
#include "tools/cli/programs.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/index_files.hpp"

namespace {

using namespace ordo;

cli::command_table program_table() {
  return {
      .name = "sufsort",
      .summary = "build, verify and search suffix arrays of FASTA files and of any text",
      .usage = {"COMMAND [OPTION]... [OPERAND]...", "help COMMAND"},
      .description = "Build, verify and search suffix arrays of FASTA files and of any text.",
      .notes =
          {{"Files",
            "An index is the files whose names begin with PREFIX. PREFIX.sa holds the positions, from 0, in the order "
            "of their suffixes; .lcp, .bwt, .kmers and .fm are optional; .seq holds the residues; .pieces lists the "
            "parts of records that the text has, unless it has all; .starts lists where records begin, unless the input is "
            "FASTA. They are plain little-endian arrays. PREFIX.json describes them."}},
      .examples = {
          {"Build an index of a genome and search it", "sufsort build genome.fa -o genome && sufsort locate genome GATTACA"},
          {"Compare two genomes", "sufsort mem genome other.fa --both-strands"},
          {"Write the text of an index without its duplicates", "sufsort duplicates web -l 50 --format=text -o clean.txt"}}};
}

/// The commands, and the table that reads a command line for them.
class program {
 public:
  explicit program(cli::common_options& common) : table_(program_table()) {
    for (auto const& command : commands_) {
      cli::command_table& table = table_.subcommands.emplace_back(command->table());
      common.may_be_several = command->divides();
      if (common.may_be_several) (dividing_ += dividing_.empty() ? "'" : "' and '") += table.name;
      cli::add_common_options(table, common);
    }
    common.may_be_several = true;
    cli::add_common_options(table_, common);
  }

  /// @returns null if the command line has been answered, with `status`
  sufsort::command* read(int argc, char const* const* argv, int& status) {
    cli::parsed_command const parsed = cli::parse(table_, argc, argv);
    status = parsed.status.value_or(0);
    return parsed.status ? nullptr : commands_[std::size_t(parsed.command - table_.subcommands.data())].get();
  }
  /// Returns why other commands work on one machine.
  [[nodiscard]] std::string why_one_machine() const { return fmt::format("only {}' work on several GPUs", dividing_); }

 private:
  std::vector<std::unique_ptr<sufsort::command>> commands_ = sufsort::all_commands();
  cli::command_table table_;
  std::string dividing_;  // names of the commands that divide their work
};

int run(int argc, char const* const* argv, cli::job const& job) {
  cli::common_options common;
  program program(common);
  communicator* members = job.members();
  sufsort::command* command = nullptr;
  int status = 0;
  if (job.is_first()) command = program.read(argc, argv, status);
  if (members) {
    std::uint64_t shared = command && command->is_shared();
    members->broadcast(std::as_writable_bytes(std::span(&shared, 1)), 0);
    if (!shared) members = nullptr;
    if (!shared && !job.is_first()) return 0;
  }
  if (!job.is_first()) {
    command = program.read(argc, argv, status);
    common.quiet = true;
    common.verbose = false;
    common.stats.clear();
  }
  if (!command) return status;
  if (common.are_several() && (members || !command->divides()))
    common.use_first(members ? "each process of a job works on one machine" : program.why_one_machine());
  command->memory().apply();
  cli::gpu_start const starting(common, members != nullptr);

  std::vector<std::string> const inputs = command->inputs();
  sufsort::index_prefixes const indexes = command->prefixes();
  sufsort::reporter report(common, inputs, command->output(), argc, argv);
  report.stats.refuse_inputs(inputs);
  for (auto const* const prefixes : {&indexes.read, &indexes.written})
    for (std::string const& prefix : *prefixes) report.stats.refuse_inputs(sufsort::index_file_names(prefix));
  for (std::string const& prefix : indexes.read) {
    sufsort::expect_index(prefix, indexes.text_suffices);
    sufsort::recover_index(prefix);
  }
  if (!indexes.read.empty()) sufsort::refuse_stdout(indexes.read.front());
  status = command->run(common, report, members);
  report.progress.clear();
  report.stats.finish();
  return status;
}

}  // namespace

int ordo::programs::sufsort(int argc, char** argv) {
  return cli::run_main("sufsort", [&] {
    cli::job job(argc, argv);
    return job.run("sufsort", [&] { return run(argc, argv, job); });
  });
}
