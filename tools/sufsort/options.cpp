#include <algorithm>

#include <CLI/CLI.hpp>

#include "tools/sufsort/search.hpp"

namespace ordo::sufsort {

void add_search_options(CLI::App& command, search_options& how, bool locates) {
  command.add_option("prefix", how.prefix, "the index")->required()->type_name("PREFIX");
  command.add_option("patterns", how.patterns, "what to look for; - is standard input, as with -f")->type_name("PATTERN");
  command
      .add_option("-f,--file", how.files,
                  "patterns: FASTA, FASTQ or a list, a line each; plain or compressed; - is standard input")
      ->type_name("FILE")
      ->allow_extra_args(false);  // each -f has one
  command.add_option("-o,--output", how.output, "where to write; - is standard output [-]")->type_name("FILE");
  command.add_flag("--both-strands", how.both_strands,
                   locates ? "look for reverse complements, too; strand '-' where they are;\n"
                             "T and U of patterns are the one that the text has, as with an index of both strands"
                           : "look for reverse complements, too; columns: pattern, count, forward, reverse;\n"
                             "T and U of patterns are the one that the text has, as with an index of both strands");
  if (!locates) return;
  command
      .add_option_function<std::string>(
          "--limit", [&how](std::string const& value) { how.limit = cli::parse_count("--limit", value); },
          "print that many hits of a pattern, its first ones in suffix order; 0: all [1000]")
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--format", [&how](std::string const& value) { how.bed = value == "bed"; },
          "tsv: pattern, count, record, offset, strand, and a line for no hit; bed: record, begin, end, pattern, count up to "
          "1000, strand [tsv]")
      ->check(CLI::IsMember({"tsv", "bed"}).description(""))
      ->type_name("NAME");
  command
      .add_option_function<std::string>(
          "--context", [&how](std::string const& value) { how.context = cli::parse_count("--context", value); },
          "two more columns: so many letters before and behind the hit, as the pattern is read [0]")
      ->type_name("N");
}

std::vector<std::string> inputs_of(search_options const& how) {
  std::vector<std::string> files = how.files;
  if (std::ranges::find(how.patterns, "-") != how.patterns.end()) files.emplace_back("-");
  return files;
}

}  // namespace ordo::sufsort
