#include "ordo/suffix/export.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "ordo/suffix/index.hpp"
#include "tools/cli/output.hpp"
#include "tools/sufsort/export.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::sufsort {
namespace {

using suffix::export_format;
constexpr std::array<std::pair<std::string_view, export_format>, 5> formats{{{"raw32", export_format::raw32},
                                                                             {"raw40", export_format::raw40},
                                                                             {"raw64", export_format::raw64},
                                                                             {"sdsl", export_format::sdsl},
                                                                             {"sufr", export_format::sufr}}};

}  // namespace

void add_export_options(CLI::App& command, export_options& how) {
  command.add_option("prefix", how.prefix, "the index")->required()->type_name("PREFIX");
  command
      .add_option("--format", how.format,
                  "raw32, raw40, raw64: positions of so many bits, little-endian; sdsl: int_vector<0>; sufr: a file of sufr, "
                  "version 6, for which the index needs LCP")
      ->required()
      ->check(CLI::IsMember({"raw32", "raw40", "raw64", "sdsl", "sufr"}).description(""))
      ->type_name("NAME");
  command.add_option("-o,--output", how.output, "where to write; - is standard output")->required()->type_name("FILE");
}

int export_array(export_options const& how, cli::common_options const& common, telling& tell) {
  tell.phase("open");
  suffix::stored_index const index(how.prefix);
  cli::output out(how.output, common.threads);
  refuse_output(how.prefix, out);
  std::size_t const bytes = index.bytes("sa").size();
  tell.stats.input(bytes);
  tell.phase("export", bytes);
  for (auto const& [name, format] : formats)
    if (name == how.format) suffix::export_index(index, format, out);
  out.commit();
  return 0;
}

}  // namespace ordo::sufsort
