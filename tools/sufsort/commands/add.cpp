#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix/build_fasta.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/sufsort/building/build_memory.hpp"
#include "tools/sufsort/building/merged_records.hpp"
#include "tools/sufsort/building/read_records.hpp"
#include "tools/sufsort/building/write_index.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"

namespace ordo::inline v0::sufsort {
namespace {

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
            .operands = {prefix_operand(prefix_), records_operand("FILE", files_)},
            .options = {host_memory_option(memory_), gpu_memory_option(memory_)},
            .examples = {{"Add a plasmid to the index of a genome", "sufsort add genome plasmid.fa"}}};
  }
  [[nodiscard]] std::vector<std::string> inputs() const override { return files_; }
  [[nodiscard]] index_prefixes prefixes() const override { return {.read = {prefix_}}; }
  [[nodiscard]] memory_limits memory() const override { return memory_; }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    report.phase("open");
    auto const expected_sum = sum_of_description(prefix_);
    suffix::stored_index const index(prefix_);
    build_options build = recorded_options(index.description(), prefix_, memory_);
    build.files = files_;
    build.expected_sum = expected_sum;
    refuse_inputs(prefix_, files_);
    check_mergeable(index.description(), prefix_, index.description(), prefix_);
    static_cast<void>(index.array("sa"));  // names the way out if there is none
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
  memory_limits memory_;
};

}  // namespace

std::unique_ptr<command> make_add() {
  return std::make_unique<add>();
}

}  // namespace ordo::inline v0::sufsort
