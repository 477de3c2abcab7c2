#include <string>
#include <vector>

#include <fmt/format.h>

#include "tools/cli/gpu_start.hpp"
#include "tools/cli/job.hpp"
#include "tools/cli/programs.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"
#include "tools/specsort/modes.hpp"
#include "tools/specsort/options.hpp"
#include "tools/specsort/prompt_output.hpp"

namespace {

using namespace ordo;
using specsort::tool;

int run(int argc, char** argv, cli::job const& job) {
  if (!job.is_first()) return specsort::help(argc, argv, job);
  specsort::sharing others(job);
  specsort::command made;
  cli::command_table const table = specsort::make_table(made);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  if (made.explain) {
    fmt::print("{}", specsort::explained(made));
    return 0;
  }
  specsort::work w = specsort::checked(made);

  cli::gpu_start const starting(made.common, job.members() != nullptr);
  cli::stats stats(tool, argc, argv, made.common);
  stats.refuse_inputs(made.inputs);
  cli::progress progress(tool, made.common, made.inputs, made.writes() && made.out_dir.empty() ? made.output : "");
  std::vector<std::string> command_line{std::string(tool)};
  command_line.insert(command_line.end(), argv + 1, argv + argc);
  specsort::session here{stats, progress, others, command_line, {}, {}};
  auto const mode = !made.out_dir.empty()                                ? specsort::each_input
                    : !made.order.split_by.empty()                       ? specsort::split_by_voltage
                    : made.similarity.makes_consensus() && made.writes() ? specsort::write_consensus
                    : !made.similarity.pairs.empty() && !made.writes()   ? specsort::compare
                    : !made.writes()                                     ? (made.check ? specsort::check : specsort::summarize)
                    : w.orders()                                         ? specsort::order
                                                                         : specsort::sort_file;
  int const status = mode(w, here);
  if (here.pairs) here.pairs->commit();
  here.progress.clear();
  stats.finish();
  return status;
}

}  // namespace

int ordo::programs::specsort(int argc, char** argv) {
  return cli::run_main(tool, [&] {
    cli::job job(argc, argv);
    return job.run(tool, [&] { return run(argc, argv, job); });
  });
}
