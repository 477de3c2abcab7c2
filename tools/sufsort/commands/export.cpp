#include <array>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/export.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/files/file_set.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::inline v0::sufsort {
namespace {

using suffix::export_format;
constexpr std::array<std::pair<std::string_view, export_format>, 5> formats{{{"raw32", export_format::raw32},
                                                                             {"raw40", export_format::raw40},
                                                                             {"raw64", export_format::raw64},
                                                                             {"sdsl", export_format::sdsl},
                                                                             {"sufr", export_format::sufr}}};

/// Writes an index of infini-gram to a folder, which appears with all its files if there is none.
void export_shards(suffix::stored_index const& index, export_options const& options, cli::common_options const& common,
                   reporter& report) {
  output_folder const folder(options.output);
  std::vector<std::size_t> const first = suffix::infini_gram_shards(index, options.shard_bytes);
  std::size_t const shards = first.size() - 1;
  if (std::string const other = fmt::format("{}/tokenized.{}", options.output, shards); std::filesystem::exists(other))
    throw output_error(fmt::format("cannot write: {}: the folder holds an index of more shards: remove it first", other));
  report.phase("export", index.bytes("seq").size());
  suffix::build_options sorting;
  sorting.machine = common.machine();
  std::deque<cli::output> files;
  for (std::size_t k = 0; k < shards; ++k) {
    auto const open = [&](char const* name) {
      files.emplace_back(fmt::format("{}/{}.{}", options.output, name, k), cli::output::replacing::by_rename, folder.staging());
      refuse_output(options.prefix, files.back());
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

}  // namespace

int export_array(export_options const& options, cli::common_options const& common, reporter& report) {
  report.phase("open");
  suffix::stored_index const index(options.prefix);
  if (options.format == "infini-gram") {
    export_shards(index, options, common, report);
    return 0;
  }
  if (options.shard_bytes != ~std::uint64_t{0})
    throw usage_error(fmt::format("conflicting options: --shard-size: {} has no shards", options.format));
  cli::output out(options.output, common.threads);
  refuse_output(options.prefix, out);
  std::size_t const bytes = index.bytes("sa").size();
  report.stats.input(bytes);
  report.phase("export", bytes);
  for (auto const& [name, format] : formats)
    if (name == options.format) suffix::export_index(index, format, out);
  out.commit();
  return 0;
}

}  // namespace ordo::inline v0::sufsort
