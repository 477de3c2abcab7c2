#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/streams.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix/build_fasta.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/sufsort/building/build_memory.hpp"
#include "tools/sufsort/building/merged_records.hpp"
#include "tools/sufsort/building/read_records.hpp"
#include "tools/sufsort/building/run_index_files.hpp"
#include "tools/sufsort/building/run_length_files.hpp"
#include "tools/sufsort/building/write_index.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"

namespace ordo::inline v0::sufsort {
namespace {

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
  growing_sink seq(true), sa(true), lcp(true), bwt(true);
  suffix::sinks const out{&sa, options.extra.lcp ? &lcp : nullptr, options.extra.bwt ? &bwt : nullptr, about.width / 8};
  suffix::build_options sorting;
  sorting.on_phase = [&](std::string_view name, std::uint64_t work) { report.phase(name, work); };
  held_memory const held = held_by(options, records.size(), records.records(), about.width);
  std::size_t const available = options.memory.host_bytes(held.text);
  sorting.memory = available - std::min(available, held.results);
  suffix::build_report const done = about.width == 32 ? records.template build_into<std::uint32_t>(out, seq, sorting)
                                                      : records.template build_into<std::uint64_t>(out, seq, sorting);
  report.stats.machine(done.machine);
  merged_part const more{about,
                         {seq.text(), starts_of_text(records, about)},
                         records.pieces(),
                         {{sa.bytes(), about.width}, {lcp.bytes(), about.width}, bwt.bytes()}};
  return write_merged(to_merged_part(index), more, index.fm(), options, common, report);
}

/// Adds the records of files to an index.
class add final : public command {
 public:
  cli::command_table table() override {
    return {.name = "sufsort add",
            .summary = "add the records of files to an index",
            .usage = {"[OPTION]... PREFIX FILE..."},
            .description =
                "Sort the suffixes of the files, and merge them with the index, which then is the one that sufsort build "
                "makes of all files. Format, policy and arrays are those of the index.",
            .operands = {prefix_operand(prefix_, "the index; or X.fmd or X.fmr of ropebwt3"), records_operand("FILE", files_)},
            .options = {{.letter = 'o',
                         .name = "output",
                         .value = "FILE",
                         .group = output_group,
                         .help = "write the .fmd or .fmr to FILE",
                         .preset = "the index itself",
                         .details = "Only an index of ropebwt3 can be kept. The end of the name of FILE is the format.",
                         .set = cli::store(output_)},
                        samples_option(run_lengths_),
                        checkpoint_option(run_lengths_),
                        host_memory_option(memory_),
                        gpu_memory_option(memory_)},
            .examples = {{"Add a plasmid to the index of a genome", "sufsort add genome plasmid.fa"},
                         {"Add a genome to an index of ropebwt3", "sufsort add pangenome.fmd genome.fa.gz"},
                         {"Add records of standard input", "gzip -dc other.fa.gz | sufsort add genome -"}}};
  }
  [[nodiscard]] std::vector<std::string> inputs() const override { return files_; }
  [[nodiscard]] index_prefixes prefixes() const override {
    if (is_run_length_file(prefix_)) return {};
    return {.read = {prefix_}};
  }
  [[nodiscard]] memory_limits memory() const override { return memory_; }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    if (is_run_length_file(prefix_)) {
      std::string const to = output_.empty() ? prefix_ : output_;
      return build_run_lengths({.base = prefix_,
                                .files = files_,
                                .output = to,
                                .format = format_of_name(to),
                                .options = run_lengths_,
                                .memory = memory_},
                               common, report);
    }
    refuse_run_length_options(run_lengths_, !output_.empty());
    report.phase("open");
    auto const expected_sum = sum_of_description(prefix_);
    suffix::stored_index const index(prefix_);
    build_options build = recorded_options(index.description(), prefix_, memory_);
    build.files = files_;
    build.expected_sum = expected_sum;
    refuse_inputs(prefix_, files_);
    if (index.has_runs()) return build_run_index(build, common, report, &index);
    check_mergeable(index.description(), prefix_, index.description(), prefix_);
    static_cast<void>(index.array("sa"));  // throws, naming the remedy, if the index has no suffix array
    if (build.format == suffix::input_format::fasta) {
      suffix::loaded_fasta records = read_files(build, common, report);
      return add_records(index, records, build, common, report);
    }
    loaded_corpus const records(build, common, report);
    return add_records(index, records, build, common, report);
  }

 private:
  std::string prefix_;
  std::vector<std::string> files_;
  std::string output_;  // the new .fmd or .fmr; empty: the index itself
  run_length_options run_lengths_;
  memory_limits memory_;
};

}  // namespace

std::unique_ptr<command> make_add() {
  return std::make_unique<add>();
}

}  // namespace ordo::inline v0::sufsort
