#include <array>
#include <string_view>
#include <utility>

#include "ordo/suffix/export.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/output.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::inline v0::sufsort {
namespace {

using suffix::export_format;
constexpr std::array<std::pair<std::string_view, export_format>, 5> formats{{{"raw32", export_format::raw32},
                                                                             {"raw40", export_format::raw40},
                                                                             {"raw64", export_format::raw64},
                                                                             {"sdsl", export_format::sdsl},
                                                                             {"sufr", export_format::sufr}}};

}  // namespace

int export_array(export_options const& options, cli::common_options const& common, reporter& report) {
  report.phase("open");
  suffix::stored_index const index(options.prefix);
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
