#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/job.hpp"
#include "tools/cli/programs.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/index_files.hpp"

namespace {

using namespace ordo;
using sufsort::reporter, sufsort::settings;

struct command {
  std::string_view name;
  int (*run)(settings const&, reporter&, communicator*);
};
constexpr std::array<command, 16> commands{{
    {"sufsort build", [](settings const& s, reporter& r, communicator* m) { return sufsort::build(s.build, s.common, r, m); }},
    {"sufsort merge", [](settings const& s, reporter& r, communicator*) { return sufsort::merge(s.merge, s.common, r); }},
    {"sufsort add", [](settings const& s, reporter& r, communicator*) { return sufsort::add(s.add, s.common, r); }},
    {"sufsort check",
     [](settings const& s, reporter& r, communicator* m) { return sufsort::check(s.prefix, s.memory, s.common, r, m); }},
    {"sufsort count", [](settings const& s, reporter& r, communicator*) { return sufsort::count(s.search, s.common, r); }},
    {"sufsort locate", [](settings const& s, reporter& r, communicator*) { return sufsort::locate(s.search, s.common, r); }},
    {"sufsort mem", [](settings const& s, reporter& r, communicator*) { return sufsort::matches(s.matches, s.common, r); }},
    {"sufsort ms",
     [](settings const& s, reporter& r, communicator*) { return sufsort::matching_statistics(s.statistics, s.common, r); }},
    {"sufsort repeats", [](settings const& s, reporter& r, communicator*) { return sufsort::repeats(s.repeats, s.common, r); }},
    {"sufsort duplicates",
     [](settings const& s, reporter& r, communicator*) { return sufsort::duplicates(s.duplicates, s.common, r); }},
    {"sufsort unique", [](settings const& s, reporter& r, communicator*) { return sufsort::unique(s.unique, s.common, r); }},
    {"sufsort spectrum",
     [](settings const& s, reporter& r, communicator*) { return sufsort::spectrum(s.spectrum, s.common, r); }},
    {"sufsort export",
     [](settings const& s, reporter& r, communicator*) { return sufsort::export_array(s.export_to, s.common, r); }},
    {"sufsort aligner-index",
     [](settings const& s, reporter& r, communicator*) { return sufsort::aligner_index(s.aligner_index, s.common, r); }},
    {"sufsort kmers",
     [](settings const& s, reporter& r, communicator*) {
       sufsort::add_kmers(s.prefix, s.kmers, s.common, r);
       return 0;
     }},
    {"sufsort info", [](settings const& s, reporter& r, communicator*) { return sufsort::info(s.prefix, r); }},
}};

/// Returns true if all processes of a job work, and not the first one alone.
bool is_shared(cli::parsed_command const& parsed, settings const& set) {
  if (parsed.status) return false;
  return parsed.command->name == "sufsort check" ||
         (parsed.command->name == "sufsort build" && !set.build.plan && !set.build.text_only);
}

int run(int argc, char const* const* argv, cli::job const& job) {
  settings set;
  set.common.may_be_several = true;
  cli::command_table const table = make_table(set);
  std::optional<cli::parsed_command> read;
  communicator* members = job.members();
  if (job.is_first()) read = cli::parse(table, argc, argv);
  if (members) {
    std::uint64_t shared = job.is_first() && is_shared(*read, set);
    members->broadcast(std::as_writable_bytes(std::span(&shared, 1)), 0);
    if (!shared) members = nullptr;
    if (!shared && !job.is_first()) return 0;
  }
  if (!job.is_first()) {
    read = cli::parse(table, argc, argv);
    set.common.quiet = true;
    set.common.verbose = false;
    set.common.stats.clear();
  }
  cli::parsed_command const& parsed = *read;
  if (parsed.status) return *parsed.status;
  std::string_view const name = parsed.command->name;
  bool const divides = name == "sufsort build" || name == "sufsort check";
  if (set.common.are_several() && (members || !divides))
    set.common.take_first(members ? "each process of a job works on one machine"
                                  : "only 'sufsort build' and 'sufsort check' work on several GPUs");
  set.memory.apply();
  set.common.check_machine();
  set.build.prefix = set.search.prefix = set.repeats.prefix = set.unique.prefix = set.prefix;
  set.matches.prefix = set.statistics.prefix = set.spectrum.prefix = set.prefix;
  set.duplicates.prefix = set.export_to.prefix = set.prefix;
  set.merge.first = set.add.prefix = set.prefix;
  set.build.memory = set.aligner_index.memory = set.duplicates.memory = set.merge.memory = set.add.memory = set.memory;

  bool const builds = name.ends_with("build") || name.ends_with("aligner-index"),
             searches = name.ends_with("locate") || name.ends_with("count");
  std::vector<std::string> const inputs = searches                          ? sufsort::inputs_of(set.search)
                                          : name.ends_with(" mem")          ? set.matches.files
                                          : name.ends_with("aligner-index") ? set.aligner_index.files
                                          : name.ends_with(" ms")           ? set.statistics.files
                                          : name.ends_with(" add")          ? set.add.files
                                                                            : set.build.files;
  std::string const output = searches                       ? set.search.output
                             : name.ends_with(" mem")       ? set.matches.output
                             : name.ends_with(" ms")        ? set.statistics.output
                             : name.ends_with("repeats")    ? set.repeats.output
                             : name.ends_with("unique")     ? set.unique.output
                             : name.ends_with("spectrum")   ? set.spectrum.output
                             : name.ends_with("duplicates") ? set.duplicates.output
                             : name.ends_with("export")     ? set.export_to.output
                             : name.ends_with("info")       ? "-"
                                                            : "";
  reporter report(set.common, inputs, output, argc, argv);
  for (auto const& needed :
       {inputs, std::vector<std::string>{set.build.lengths}, sufsort::files_of(set.prefix),
        sufsort::files_of(set.duplicates.against), sufsort::files_of(set.merge.second), sufsort::files_of(set.merge.output)})
    report.stats.refuse_inputs(needed);
  std::vector<std::string> indexes;
  if (!builds) indexes.push_back(set.prefix);
  for (std::string const& other : {set.duplicates.against, set.merge.second})
    if (!other.empty()) indexes.push_back(other);
  for (std::string const& prefix : indexes) {
    sufsort::expect_index(prefix, name.ends_with("duplicates"));
    sufsort::recover_index(prefix);
  }
  if (!builds && !name.ends_with("kmers")) sufsort::refuse_stdout(set.prefix);
  int const status = std::ranges::find(commands, name, &command::name)->run(set, report, members);
  report.progress.clear();
  report.stats.finish();
  return status;
}

}  // namespace

int ordo::programs::sufsort(int argc, char** argv) {
  return cli::run_main("sufsort", [&] {
    cli::job job(argc, argv);
    return job.run("sufsort", [&] { return run(argc, argv, job); });
  });
}
