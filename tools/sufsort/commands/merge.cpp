#include <memory>
#include <string>
#include <string_view>

#include "ordo/suffix/index.hpp"
#include "tools/sufsort/building/merged_records.hpp"
#include "tools/sufsort/building/write_index.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Merges two indexes to one of the records of both.
class merge final : public command {
 public:
  cli::command_table table() override {
    return {
        .name = "sufsort merge",
        .summary = "merge two indexes to one of the records of both",
        .usage = {"[OPTION]... --output=PREFIX FIRST SECOND"},
        .description =
            "Write the index that sufsort build makes of the files of two indexes, without sorting. Both need the "
            "same format and policy. The result has the LCP array, BWT, table of k-mers and FM index if both "
            "have them, with the options of FIRST.",
        .operands = {{"FIRST", "an index, whose records come first", 1, 1, [this](std::string_view value) { first_ = value; }},
                     {"SECOND", "an index; the smaller it is, the sooner the merge ends", 1, 1,
                      [this](std::string_view value) { second_ = value; }}},
        .options = {index_option(output_, ", which may be that of FIRST or SECOND"), host_memory_option(memory_)},
        .examples = {{"Merge the indexes of two genomes", "sufsort merge ecoli salmonella -o both"}}};
  }
  [[nodiscard]] index_prefixes prefixes() const override { return {.read = {first_, second_}, .written = {output_}}; }
  [[nodiscard]] memory_limits memory() const override { return memory_; }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    expect_prefix(output_);
    report.phase("open");
    suffix::stored_index const first(first_), second(second_);
    suffix::index_description const &a = first.description(), &b = second.description();
    check_mergeable(a, first_, b, second_);
    build_options build = recorded_options(a, output_, memory_);
    build.what = {.lcp = build.what.lcp && b.find("lcp"), .bwt = build.what.bwt && b.find("bwt")};
    build.fm &= b.find("fm") != nullptr;
    build.kmers.wanted &= b.find("kmers") != nullptr;
    if (!build.kmers.wanted) build.kmers.length = 0;
    report.stats.input(a.residues + b.residues);
    return write_merged(to_merged_part(first), to_merged_part(second), first.fm(), build, common, report);
  }

 private:
  std::string first_, second_, output_;  // prefixes
  memory_limits memory_;
};

}  // namespace

std::unique_ptr<command> make_merge() {
  return std::make_unique<merge>();
}

}  // namespace ordo::inline v0::sufsort
