#include <array>
#include <cstddef>
#include <cstdint>
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
#include "tools/sufsort/building/run_index_files.hpp"
#include "tools/sufsort/building/run_length_files.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/files/file_set.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/shard_metadata.hpp"

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
    return {
        .name = "sufsort export",
        .summary = "write the suffix array in the format of another program",
        .usage = {"[OPTION]... --format=NAME --output=FILE PREFIX",
                  "[OPTION]... --format=infini-gram --output=FOLDER PREFIX..."},
        .description = "Write the suffix array of an index for programs that read another format.",
        .operands = {{"PREFIX", "an index; of several, each makes shards of infini-gram", 1, std::size_t(-1),
                      [this](std::string_view value) { prefixes_.emplace_back(value); }}},
        .options = {{.name = "format",
                     .value = "NAME",
                     .group = output_group,
                     .help = "write positions of 32, 40 or 64 bits (raw32, raw40, raw64), sdsl, sufr, infini-gram, or the "
                             "runs of the BWT (rlbwt)",
                     .details =
                         "raw formats are little-endian. sdsl is an int_vector<0> of the SDSL. sufr is a file of sufr, "
                         "version 6, for which the index needs LCP. infini-gram is a folder of tokenized.N, offset.N and "
                         "table.N, for which the suffixes are sorted again, in order of bytes. rlbwt, of an index of runs or "
                         "of ropebwt3, is FILE.bwt.heads, a byte a run, and FILE.bwt.len, 5 bytes each, as Movi reads them: "
                         "the first end of a record is NUL, the others are %, and N is Z, so that it comes last.",
                     .choices = "raw32 raw40 raw64 sdsl sufr infini-gram rlbwt",
                     .only_choices = true,
                     .required = true,
                     .set = cli::store(format_)},
                    {.name = "shard-size",
                     .value = "SIZE",
                     .group = output_group,
                     .help = "make shards of infini-gram of at most SIZE bytes of text, as 8G",
                     .preset = "one shard",
                     .set = [this](std::string_view, std::string_view value) { shard_bytes_ = parse_bytes(value); }},
                    cli::flag("metadata", output_group,
                              "add metadata.N and metaoff.N: the path, line and other fields of each document", has_metadata_,
                              "Files of JSONL are read again."),
                    output_option(output_, true)},
        .conflicts = {{.options = {"--shard-size"}, .unless = {"--format=infini-gram"}, .why = "{--format} has no shards"},
                      {.options = {"--metadata"}, .unless = {"--format=infini-gram"}, .why = "{--format} has none"}},
        .examples = {{"Write positions of 40 bits", "sufsort export genome --format=raw40 -o genome.sa5"},
                     {"Write a vector of SDSL", "sufsort export genome --format=sdsl -o genome.sdsl"},
                     {"Write the runs of the BWT for Movi", "sufsort export pangenome.fmd --format=rlbwt -o pangenome"},
                     {"Write one index of infini-gram of two, with metadata",
                      "sufsort export web test --format=infini-gram --metadata -o shards"}}};
  }

  [[nodiscard]] index_prefixes prefixes() const override {
    if (prefixes_.size() == 1 && is_run_length_file(prefixes_.front())) return {};
    return {.read = prefixes_};
  }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    report.phase("open");
    if (format_ == "rlbwt") {
      if (prefixes_.size() != 1) throw usage_error(fmt::format("several indexes: {}: --format=rlbwt is of one", prefixes_[1]));
      export_run_index(prefixes_.front(), output_, common, report);
      return 0;
    }
    std::deque<suffix::stored_index> indexes;
    for (std::string const& prefix : prefixes_) indexes.emplace_back(prefix);
    if (format_ == "infini-gram") {
      export_shards(indexes, common, report);
      return 0;
    }
    if (indexes.size() != 1)
      throw usage_error(fmt::format("several indexes: {}: --format={} is of one", prefixes_[1], format_));
    suffix::stored_index const& index = indexes.front();
    cli::output out(output_, common.threads);
    refuse_output(prefixes_.front(), out);
    std::size_t const bytes = index.bytes("sa").size();
    report.stats.input(bytes);
    report.phase("export", bytes);
    for (auto const& [name, format] : formats)
      if (name == format_) suffix::export_index(index, format, out);
    out.commit();
    return 0;
  }

 private:
  /// Writes indexes of infini-gram to a folder, which appears with all its files if there is none.
  void export_shards(std::deque<suffix::stored_index> const& indexes, cli::common_options const& common,
                     reporter& report) const {
    output_folder const folder(output_);
    std::vector<std::vector<std::size_t>> first;  // the first records of the shards of each index
    std::size_t shards = 0, bytes = 0;
    for (suffix::stored_index const& index : indexes) {
      first.push_back(suffix::infini_gram_shards(index, shard_bytes_));
      shards += first.back().size() - 1;
      bytes += index.bytes("seq").size();
      if (index.view().residue_bytes != indexes.front().view().residue_bytes)
        throw input_error(
            fmt::format("another kind of text: {}: {} has other residues", index.path("json"), indexes.front().path("json")));
    }
    if (std::string const other = fmt::format("{}/tokenized.{}", output_, shards); std::filesystem::exists(other))
      throw output_error(fmt::format("cannot write: {}: the folder holds an index of more shards: remove it first", other));
    if (std::string const other = output_ + "/metadata.0"; !has_metadata_ && std::filesystem::exists(other))
      throw output_error(fmt::format("cannot write: {}: the folder holds metadata: remove it, or give --metadata", other));
    report.phase("export", bytes);
    suffix::build_options sorting;
    sorting.machine = common.machine();
    std::deque<cli::output> files;
    std::size_t shard = 0;  // the next one
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      auto const open = [&](char const* name, std::size_t number) {
        files.emplace_back(fmt::format("{}/{}.{}", output_, name, number), cli::output::replacing::by_rename, folder.staging());
        for (std::string const& prefix : prefixes_) refuse_output(prefix, files.back());
        return &files.back();
      };
      std::size_t const of_index = shard;
      for (std::size_t k = 0; k + 1 < first[i].size(); ++k, ++shard) {
        std::size_t const opened = files.size();
        suffix::infini_gram_shard made{first[i][k], first[i][k + 1]};
        made.tokenized = open("tokenized", shard);
        made.offset = open("offset", shard);
        made.table = open("table", shard);
        suffix::export_infini_gram(indexes[i], made, sorting);
        for (std::size_t file = opened; file < files.size(); ++file) files[file].finish();
      }
      if (has_metadata_) write_metadata(indexes[i], first[i], of_index, open, common.threads);
    }
    folder.commit(files, 0);  // a program lists the folder: without tokenized.0, there are fewer files of a kind than of others
  }

  /// Writes the metadata of the shards of an index.
  /// @param first  the first records of the shards @param shard  the number of the first shard
  /// @param open  opens a file of a name and a number
  template <class Open>
  static void write_metadata(suffix::stored_index const& index, std::vector<std::size_t> const& first, std::size_t shard,
                             Open const& open, unsigned threads) {
    std::size_t k = 0;  // the number of the shard in the index
    std::uint64_t offset = 0;
    cli::output *metadata = nullptr, *metaoff = nullptr;
    std::string lines, offsets;
    auto const end_shard = [&] {
      write_some(*metadata, lines, 0);
      write_some(*metaoff, offsets, 0);
      metadata->finish();
      metaoff->finish();
    };
    auto const begin_shard = [&] {
      metadata = open("metadata", shard + k);
      metaoff = open("metaoff", shard + k);
      offset = 0;
    };
    begin_shard();
    make_metadata(index, threads, [&](std::size_t record, std::string_view line) {
      while (record >= first[k + 1]) {
        end_shard();
        ++k;
        begin_shard();
      }
      offsets.append(reinterpret_cast<char const*>(&offset), sizeof(offset));  // on little-endian machines
      offset += line.size();
      lines += line;
      write_some(*metadata, lines);
      write_some(*metaoff, offsets);
    });
    end_shard();
  }

  std::vector<std::string> prefixes_;
  std::string format_;
  bool has_metadata_ = false;
  std::uint64_t shard_bytes_ = ~std::uint64_t{0};  // the maximum size of a shard of infini-gram
};

}  // namespace

std::unique_ptr<command> make_export() {
  return std::make_unique<array_export>();
}

}  // namespace ordo::inline v0::sufsort
