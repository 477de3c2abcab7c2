#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/cli/options.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/build.hpp"
#include "tools/sufsort/check.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/export.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/info.hpp"
#include "tools/sufsort/kmers.hpp"
#include "tools/sufsort/repeats.hpp"
#include "tools/sufsort/search.hpp"
#include "tools/sufsort/unique.hpp"

using namespace ordo;
using sufsort::telling;

namespace {

struct settings {
  cli::common_options common;
  sufsort::build_options build;  // its prefix and memory are those of other commands, too
  sufsort::kmer_options table;
  sufsort::search_options search;
  sufsort::repeats_options repeats;
  sufsort::unique_options unique;
  sufsort::export_options export_to;
};

int build(settings const& set, telling& tell) {
  return sufsort::build(set.build, set.common, tell);
}

int check(settings const& set, telling& tell) {
  return sufsort::check(set.build.prefix, set.build.memory, set.common, tell);
}

int locate(settings const& set, telling& tell) {
  return sufsort::locate(set.search, set.common, tell);
}

int count(settings const& set, telling& tell) {
  return sufsort::count(set.search, set.common, tell);
}

int repeats(settings const& set, telling& tell) {
  return sufsort::repeats(set.repeats, set.common, tell);
}

int unique(settings const& set, telling& tell) {
  return sufsort::unique(set.unique, set.common, tell);
}

int export_array(settings const& set, telling& tell) {
  return sufsort::export_array(set.export_to, set.common, tell);
}

int kmers(settings const& set, telling& tell) {
  sufsort::add_kmers(set.build.prefix, set.table, set.common, tell);
  return 0;
}

int info(settings const& set, telling& tell) {
  return sufsort::info(set.build.prefix, tell);
}

int run(int argc, char const* const* argv) {
  settings set;
  int (*command)(settings const&, telling&) = nullptr;
  CLI::App app("Suffix arrays of FASTA files: build, check, search.", "sufsort");
  cli::add_common_options(app, set.common);
  app.require_subcommand(1);
  app.footer(
      "PREFIX names the files of an index: PREFIX.sa (positions from 0, in order of their suffixes), .lcp and .bwt if wanted,\n"
      ".kmers if wanted, .pieces (which parts of the records the text has, if not all), .seq (the residues), plain "
      "little-endian\n"
      "arrays; and PREFIX.json, which tells what they are.");
  auto const add = [&](char const* name, char const* help, int (*run)(settings const&, telling&)) {
    CLI::App* const sub = app.add_subcommand(name, help)->fallthrough();
    sub->callback([&command, run] { command = run; });
    return sub;
  };
  auto const add_prefix = [&](CLI::App* sub) {
    sub->add_option("prefix", set.build.prefix, "the index")->required()->type_name("PREFIX");
  };

  sufsort::add_build_options(*add("build", "make an index of FASTA files", build), set.build);
  CLI::App* const check_command = add("check", "prove an index right; status 1 if it is not", check);
  add_prefix(check_command);
  sufsort::add_memory_options(*check_command, set.build.memory);
  sufsort::add_search_options(*add("count", "how often patterns occur: pattern, count; a line each", count), set.search, false);
  sufsort::add_search_options(
      *add("locate", "where patterns occur: pattern, count, record, offset, strand; a line each, by record and offset", locate),
      set.search, true);
  sufsort::add_repeats_options(
      *add("repeats", "maximal repeats: number, length, count, record, offset, strand; a line an occurrence", repeats),
      set.repeats);
  sufsort::add_unique_options(
      *add("unique", "how often the k-mer at each position occurs: record, begin, end, count; bedGraph", unique), set.unique);
  sufsort::add_export_options(*add("export", "the suffix array in another program's format", export_array), set.export_to);
  CLI::App* const kmers_command = add("kmers", "add a table of k-mers to an index, for faster searches", kmers);
  add_prefix(kmers_command);
  sufsort::add_kmer_options(*kmers_command, "--length", "--force", set.table)->required();
  add_prefix(add("info", "what is in an index", info));

  if (auto const status = cli::parse(app, argc, argv)) return *status;
  set.build.memory.apply();
  set.common.check_machine();
  bool const searches = command == locate || command == count;
  for (std::string const& prefix : {set.search.prefix, set.repeats.prefix, set.unique.prefix, set.export_to.prefix})
    if (!prefix.empty()) set.build.prefix = prefix;
  std::vector<std::string> const inputs = searches ? sufsort::inputs_of(set.search) : set.build.files;
  std::string const output = searches                  ? set.search.output
                             : command == repeats      ? set.repeats.output
                             : command == unique       ? set.unique.output
                             : command == export_array ? set.export_to.output
                             : command == info         ? "-"
                                                       : "";
  telling tell(set.common, inputs, output, argc, argv);
  for (auto const& needed : {inputs, sufsort::files_of(set.build.prefix)}) tell.stats.refuse_inputs(needed);
  if (command != build) sufsort::expect_index(set.build.prefix);
  if (command != build && command != kmers) sufsort::refuse_stdout(set.build.prefix);
  int const status = command(set, tell);
  tell.progress.clear();
  tell.stats.finish();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("sufsort", [&] { return run(argc, argv); });
}
