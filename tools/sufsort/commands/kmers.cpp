#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/kmer_words.hpp"
#include "tools/sufsort/option_rows.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Adds a table of k-mers to an index, or replaces its table. If that fails the index is unchanged.
class kmers final : public command {
 public:
  cli::command_table table() override {
    cli::command_table table{.name = "sufsort kmers",
                             .summary = "add a table of k-mers to an index, with which searches are faster",
                             .usage = {"[OPTION]... --length=K PREFIX"},
                             .description = "Add a table of k-mers to an index, or replace the one that it has.",
                             .operands = {prefix_operand(prefix_)},
                             .examples = {{"Add a table of suitable size", "sufsort kmers genome --length=auto"}}};
    for (cli::option& row : kmer_rows("length", "force", true, kmers_)) table.options.push_back(std::move(row));
    return table;
  }
  // Nothing is printed: standard output may be a file of the index.
  [[nodiscard]] index_prefixes prefixes() const override { return {.written = {prefix_}}; }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    expect_index(prefix_, false);
    recover_index(prefix_);
    report.phase("open");
    auto const expected_sum = sum_of_description(prefix_);
    suffix::stored_index const index(prefix_, "kmers");  // without its old table
    suffix::index_description about = index.description();
    if (about.input != suffix::input_format::fasta)
      throw input_error(fmt::format("no table of k-mers: {}.json: k-mers are those of FASTA", prefix_));
    using enum cli::output::replacing;
    cli::output json(prefix_ + ".json", by_rename), kmers(prefix_ + ".kmers", by_rename);
    report.stats.input(about.residues);
    about.kmers = words_for(index.view().residues, kmers_, about.rows(), about.width);
    memory_limits const memory;  // the free memory
    check_memory(about.kmers, about.width, memory.host_bytes(), memory.advice(table_bytes(about.kmers, about.width)));
    report.phase("kmers", about.residues);
    {
      std::vector<char> const table =
          suffix::make_kmer_table(index.view(), index.array("sa"), about.kmers, index.path("sa"), common.threads);
      about.arrays.push_back({"kmers", table.size(), suffix::compute_crc32(table, common.threads)});
      report.phase("finish", table.size());
      kmers.expect(table.size());
      kmers.write(std::span<char const>(table));
    }
    std::string const description = suffix::to_json(about);
    json.write(std::string_view(description));
    kmers.finish();
    json.finish();
    exchange_index(prefix_, description, json, {{"kmers", &kmers}}, {}, expected_sum);
    return 0;
  }

 private:
  std::string prefix_;
  kmer_options kmers_;
};

}  // namespace

std::unique_ptr<command> make_kmers() {
  return std::make_unique<kmers>();
}

}  // namespace ordo::inline v0::sufsort
