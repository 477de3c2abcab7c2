#include <array>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parse_bytes.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/export.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/files/file_set.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"

namespace ordo::inline v0::sufsort {
namespace {

using suffix::export_format;
constexpr std::array<std::pair<std::string_view, export_format>, 5> formats{{{"raw32", export_format::raw32},
                                                                             {"raw40", export_format::raw40},
                                                                             {"raw64", export_format::raw64},
                                                                             {"sdsl", export_format::sdsl},
                                                                             {"sufr", export_format::sufr}}};

/// Writes the suffix array in the format of another program.
class array_export final : public index_reader {
 public:
  cli::command_table table() override {
    return {.name = "sufsort export",
            .summary = "write the suffix array in the format of another program",
            .usage = {"[OPTION]... --format=NAME --output=FILE PREFIX"},
            .description = "Write the suffix array of an index for programs that read another format.",
            .operands = {prefix_operand(prefix_)},
            .options = {{.name = "format",
                         .value = "NAME",
                         .group = output_group,
                         .help = "write positions of 32, 40 or 64 bits (raw32, raw40, raw64), sdsl, sufr, or infini-gram",
                         .details =
                             "raw formats are little-endian. sdsl is an int_vector<0> of the SDSL. sufr is a file of sufr, "
                             "version 6, for which the index needs LCP. infini-gram is a folder of tokenized.N, offset.N and "
                             "table.N, for which the suffixes are sorted again, in order of bytes.",
                         .choices = "raw32 raw40 raw64 sdsl sufr infini-gram",
                         .only_choices = true,
                         .required = true,
                         .set = cli::store(format_)},
                        {.name = "shard-size",
                         .value = "SIZE",
                         .group = output_group,
                         .help = "make shards of infini-gram of at most SIZE bytes of text, as 8G",
                         .preset = "one shard",
                         .set = [this](std::string_view, std::string_view value) { shard_bytes_ = parse_bytes(value); }},
                        output_option(output_, true)},
            .conflicts = {{.options = {"--shard-size"}, .unless = {"--format=infini-gram"}, .why = "{--format} has no shards"}},
            .examples = {{"Write positions of 40 bits", "sufsort export genome --format=raw40 -o genome.sa5"},
                         {"Write a vector of SDSL", "sufsort export genome --format=sdsl -o genome.sdsl"},
                         {"Write shards for infini-gram", "sufsort export web --format=infini-gram -o shards"}}};
  }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    report.phase("open");
    suffix::stored_index const index(prefix_);
    if (format_ == "infini-gram") {
      export_shards(index, common, report);
      return 0;
    }
    cli::output out(output_, common.threads);
    refuse_output(prefix_, out);
    std::size_t const bytes = index.bytes("sa").size();
    report.stats.input(bytes);
    report.phase("export", bytes);
    for (auto const& [name, format] : formats)
      if (name == format_) suffix::export_index(index, format, out);
    out.commit();
    return 0;
  }

 private:
  /// Writes an index of infini-gram to a folder, which appears with all its files if there is none.
  void export_shards(suffix::stored_index const& index, cli::common_options const& common, reporter& report) const {
    output_folder const folder(output_);
    std::vector<std::size_t> const first = suffix::infini_gram_shards(index, shard_bytes_);
    std::size_t const shards = first.size() - 1;
    if (std::string const other = fmt::format("{}/tokenized.{}", output_, shards); std::filesystem::exists(other))
      throw output_error(fmt::format("cannot write: {}: the folder holds an index of more shards: remove it first", other));
    report.phase("export", index.bytes("seq").size());
    suffix::build_options sorting;
    sorting.machine = common.machine();
    std::deque<cli::output> files;
    for (std::size_t k = 0; k < shards; ++k) {
      auto const open = [&](char const* name) {
        files.emplace_back(fmt::format("{}/{}.{}", output_, name, k), cli::output::replacing::by_rename, folder.staging());
        refuse_output(prefix_, files.back());
        return &files.back();
      };
      suffix::infini_gram_shard shard{first[k], first[k + 1]};
      shard.tokenized = open("tokenized");
      shard.offset = open("offset");
      shard.table = open("table");
      suffix::export_infini_gram(index, shard, sorting);
      for (std::size_t file = 3 * k; file < files.size(); ++file) files[file].finish();
    }
    folder.commit(files, 0);  // a program lists the folder: without tokenized.0, there are fewer files of a kind than of others
  }

  std::string format_;
  std::uint64_t shard_bytes_ = ~std::uint64_t{0};  // the maximum size of a shard of infini-gram
};

}  // namespace

std::unique_ptr<command> make_export() {
  return std::make_unique<array_export>();
}

}  // namespace ordo::inline v0::sufsort
