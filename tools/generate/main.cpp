#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/generate/genome.hpp"
#include "tools/generate/sink.hpp"
#include "tools/generate/spectra.hpp"
#include "tools/generate/strings.hpp"
#include "tools/generate/texts.hpp"

namespace {

using namespace ordo;
using namespace ordo::generate;

constexpr std::string_view tool = "ordo_generate";

/// The options of all subcommands.
struct common {
  std::string output = "-";
  std::uint64_t seed = 1;
  bool quiet = false;

  void say(std::string const& line) const {
    if (!quiet) cli::say(tool, line);
  }
};

struct text_options {
  std::size_t length = 0, width = 60;
  std::string letters = "ACGT";
  char letter = 'A';
  bool plain = false;
};

cli::option length_row(std::size_t& length, std::string_view subject) {
  cli::option row = cli::value_row("length", "N", fmt::format("make N {}; k, m and g are 10^3, 10^6 and 10^9", subject),
                                   cli::parse_scaled_to(length));
  row.required = true;
  return row;
}

std::string names(std::vector<std::string_view> const& all) {
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string_view describe(planted_repeat::kind kind) {
  switch (kind) {
    case planted_repeat::duplication:
      return "duplication";
    case planted_repeat::n_run:
      return "run of N";
    case planted_repeat::near_identical_copy:
      return "nearly identical copies";
  }
  return "";
}

void report(genome_options const& options, genome_report const& genome, common const& shared) {
  auto const percent = [&](std::size_t n) { return 100 * static_cast<double>(n) / static_cast<double>(options.length); };
  shared.say(
      fmt::format("genome: {} residues in {} record(s); written over: {:.1f} % by repeat families, {:.1f} % by tandem repeats",
                  genome.residues, genome.records, percent(genome.interspersed), percent(genome.tandem)));
  for (auto const& repeat : genome.planted)
    shared.say(fmt::format("planted: {} residues common to {} and {}: {}", repeat.length, repeat.first, repeat.second,
                           describe(repeat.type)));
}

std::vector<cli::option> genome_rows(genome_options& options) {
  using cli::value_row;
  return {length_row(options.length, "residues in each copy"),
          value_row("records", "N", "make N sequences in each copy", options.records),
          value_row("copies", "N", "make N nearly identical copies of the whole", options.copies),
          cli::flag_row("soft-mask", "write repeats in lower case", options.soft_mask),
          value_row("width", "N", "write lines of N residues", options.width)};
}

std::vector<cli::option> text_rows(text_options& options) {
  return {length_row(options.length, "letters"), cli::value_row("width", "N", "write lines of N letters", options.width),
          cli::flag_row("plain", "write no header and no line ends", options.plain)};
}

void write_text(std::string_view name, std::string_view text, text_options const& options, generate::sink& to) {
  if (options.plain)
    to.text() += text;
  else if (options.width == 0)
    throw usage_error("--width: at least one");
  else
    write_fasta(to, fmt::format("{} length={}", name, text.size()), text, options.width);
}

int run(int argc, char** argv) {
  common shared;
  genome_options genome;
  text_options text;
  std::string pair = "AC", letter(1, text.letter);
  spectra_options spectra;
  std::string preset(spectra.preset), order(spectra.order);
  strings_options strings;
  std::string set, sets;
  for (auto const& facts : string_sets())
    sets += fmt::format("{}{} ({} lines)", sets.empty() ? "" : ", ", facts.name, facts.lines);
  std::string shuffled = "-";

  cli::command_table table{.name = std::string(tool),
                           .summary = "generate data of known properties",
                           .usage = {"COMMAND [OPTION]..."},
                           .description =
                               "Generate data of known properties from a seed. The same command gives the same bytes on "
                               "every machine."};
  auto const add = [&](std::string_view name, std::string summary, std::vector<cli::option> rows) {
    table.subcommands.push_back({.name = fmt::format("{} {}", tool, name),
                                 .summary = summary,
                                 .usage = {"[OPTION]..."},
                                 .description = fmt::format("Generate {}.", summary),
                                 .options = std::move(rows)});
    return table.subcommands.size() - 1;
  };
  using cli::value_row;
  add("genome", "FASTA rich in repeats; print the repeats that were planted", genome_rows(genome));
  std::vector<cli::option> rows = text_rows(text);
  rows.push_back(value_row("letters", "LETTERS", "draw from these letters", text.letters));
  add("uniform", "FASTA in which every letter is equally likely", std::move(rows));
  rows = text_rows(text);
  rows.push_back(value_row("letter", "LETTER", "repeat this letter", letter));
  add("homopolymer", "FASTA of one letter, repeated", std::move(rows));
  rows = text_rows(text);
  rows.push_back(value_row("letters", "LETTERS", "use these two letters", pair));
  add("fibonacci", "FASTA of the Fibonacci word, which has repeats of all lengths", std::move(rows));
  add("spectra", "MGF",
      {value_row("count", "N", "make N spectra", cli::parse_scaled_to(spectra.count), fmt::format("{}", spectra.count)),
       value_row("preset", "NAME", "make spectra like those of " + names(spectra_presets()), preset),
       value_row("order", "NAME", "order peaks by " + names(spectra_orders()), order)});
  rows = {value_row("set", "NAME", "make this set: " + sets, cli::parse_to(set)),
          value_row("scale", "X", "multiply the number of lines by X", strings.scale)};
  rows[0].required = true;
  add("strings", "lines: the ten sets of the string sorting paper", std::move(rows));
  std::size_t const shuffle = add("shuffle", "the lines of a file in random order", {});
  table.subcommands[shuffle].operands = {
      {"FILE", "the file; - is standard input", 0, 1, [&](std::string_view value) { shuffled = value; }}};
  auto const add_shared = [&](cli::command_table& to) {
    to.options.push_back(value_row("output", "FILE", "write to FILE; - is standard output", shared.output));
    to.options.back().letter = 'o';
    to.options.push_back(value_row("seed", "N", "seed all random numbers with N", shared.seed));
    to.options.push_back(cli::flag_row("quiet", "do not print what was planted", shared.quiet));
    to.options.back().letter = 'q';
    to.options.push_back(cli::help_row());
    to.options.push_back({.name = "version", .group = "Options", .help = "print version, compiler and devices, and exit"});
  };
  for (cli::command_table& sub : table.subcommands) add_shared(sub);
  add_shared(table);

  cli::parsed_command const parsed = cli::parse(table, argc, argv);
  if (parsed.status) return *parsed.status;
  if (letter.size() != 1) throw usage_error(fmt::format("invalid letter: --letter: '{}'", letter));
  text.letter = letter[0];
  std::string_view const command = std::string_view(parsed.command->name).substr(tool.size() + 1);

  cli::output file(shared.output);
  generate::sink to([&](std::span<char const> block) { file.write(block); });
  if (command == "genome") {
    genome.seed = shared.seed;
    report(genome, write_genome(genome, to), shared);
  } else if (command == "uniform") {
    write_text("uniform", uniform_text(text.length, text.letters, shared.seed), text, to);
  } else if (command == "homopolymer") {
    write_text("homopolymer", homopolymer_text(text.length, text.letter), text, to);
  } else if (command == "fibonacci") {
    write_text("fibonacci", fibonacci_text(text.length, pair), text, to);
  } else if (command == "spectra") {
    spectra.preset = preset, spectra.order = order, spectra.seed = shared.seed;
    shared.say(fmt::format("spectra: {} spectra, {} peaks", spectra.count, write_spectra(spectra, to).peaks));
  } else if (command == "strings") {
    strings.set = set, strings.seed = shared.seed;
    shared.say(fmt::format("strings: {}: {} lines", set, write_strings(strings, to)));
  } else {
    shuffle_lines(cli::read_all(shuffled).span(), shared.seed, to);
  }
  to.flush();
  file.commit();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main(tool, [&] { return run(argc, argv); });
}
