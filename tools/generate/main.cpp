#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "ordo/error.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
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

/// What all subcommands share.
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

CLI::Option* add_length(CLI::App& app, std::size_t& length, std::string const& what) {
  return app.add_option("--length", length, what + "; k, m and g are 10^3, 10^6 and 10^9")
      ->transform(CLI::AsSizeValue(true))
      ->required();
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

void tell(genome_options const& options, genome_report const& report, common const& shared) {
  auto const percent = [&](std::size_t n) { return 100 * static_cast<double>(n) / static_cast<double>(options.length); };
  shared.say(
      fmt::format("genome: {} residues in {} record(s); written over: {:.1f} % by repeat families, {:.1f} % by tandem repeats",
                  report.residues, report.records, percent(report.interspersed), percent(report.tandem)));
  for (auto const& repeat : report.planted)
    shared.say(fmt::format("planted: {} residues common to {} and {}: {}", repeat.length, repeat.first, repeat.second,
                           describe(repeat.what)));
}

void add_genome_options(CLI::App& app, genome_options& options) {
  add_length(app, options.length, "residues of one copy");
  app.add_option("--records", options.records, "sequences a copy")->capture_default_str();
  app.add_option("--gc", options.gc, "share of G and C in the background")->capture_default_str();
  app.add_option("--interspersed", options.interspersed, "share covered by diverged copies of repeat families")
      ->capture_default_str();
  app.add_option("--families", options.families, "repeat families")->capture_default_str();
  app.add_option("--tandem", options.tandem, "share covered by tandem repeats")->capture_default_str();
  app.add_option("--duplications", options.duplications, "exact duplications, of falling lengths")->capture_default_str();
  app.add_option("--duplication-length", options.duplication_length, "of the longest [a hundredth of the length]");
  app.add_option("--n-runs", options.n_runs, "runs of N, of falling lengths")->capture_default_str();
  app.add_option("--n-run-length", options.n_run_length, "of the longest [a fiftieth of the length]");
  app.add_option("--copies", options.copies, "nearly identical copies of the whole")->capture_default_str();
  app.add_option("--divergence", options.divergence, "substitutions a residue between the first copy and another")
      ->capture_default_str();
  app.add_flag("--soft-mask", options.soft_mask, "repeats in lower case");
  app.add_option("--width", options.width, "residues a line")->capture_default_str();
}

void add_text_options(CLI::App& app, text_options& options) {
  add_length(app, options.length, "letters");
  app.add_option("--width", options.width, "letters a line")->capture_default_str();
  app.add_flag("--plain", options.plain, "no header, no line ends");
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
  CLI::App app("Seeded data of known properties: the same command gives the same bytes on every machine.", std::string(tool));
  app.require_subcommand(1)->fallthrough();
  app.set_version_flag("--version", [] { return cli::version_text(tool); });
  app.add_option("-o,--output", shared.output, "where to write, - for standard output")->capture_default_str();
  app.add_option("--seed", shared.seed, "of all randomness")->capture_default_str();
  app.add_flag("-q,--quiet", shared.quiet, "do not say what was planted");

  genome_options genome;
  auto* const genome_app = app.add_subcommand("genome", "FASTA rich in repeats; says which it planted");
  add_genome_options(*genome_app, genome);

  text_options text;
  auto* const uniform_app = app.add_subcommand("uniform", "FASTA: every letter equally likely");
  add_text_options(*uniform_app, text);
  uniform_app->add_option("--letters", text.letters, "the alphabet")->capture_default_str();
  auto* const homopolymer_app = app.add_subcommand("homopolymer", "FASTA: one letter, repeated");
  add_text_options(*homopolymer_app, text);
  homopolymer_app->add_option("--letter", text.letter, "which")->capture_default_str();
  auto* const fibonacci_app = app.add_subcommand("fibonacci", "FASTA: the Fibonacci word, repeats of all lengths");
  add_text_options(*fibonacci_app, text);
  std::string pair = "AC";
  fibonacci_app->add_option("--letters", pair, "the two letters")->capture_default_str();

  spectra_options spectra;
  std::string preset(spectra.preset), order(spectra.order);
  auto* const spectra_app = app.add_subcommand("spectra", "MGF");
  spectra_app->add_option("--count", spectra.count, "spectra")->transform(CLI::AsSizeValue(true))->capture_default_str();
  spectra_app->add_option("--preset", preset, names(spectra_presets()))->capture_default_str();
  spectra_app->add_option("--order", order, "of the peaks: " + names(spectra_orders()))->capture_default_str();

  strings_options strings;
  std::string set, sets;
  for (auto const& facts : string_sets())
    sets += fmt::format("{}{} ({} lines)", sets.empty() ? "" : ", ", facts.name, facts.lines);
  auto* const strings_app = app.add_subcommand("strings", "lines: the ten sets of the string sorting paper");
  strings_app->add_option("--set", set, sets)->required();
  strings_app->add_option("--scale", strings.scale, "of the number of lines")->capture_default_str();

  std::string shuffled = "-";
  auto* const shuffle_app = app.add_subcommand("shuffle", "the lines of a file in random order");
  shuffle_app->add_option("file", shuffled, "which, - for standard input")->capture_default_str();

  if (auto const status = cli::parse(app, argc, argv)) return *status;

  cli::output file(shared.output);
  generate::sink to([&](std::span<char const> block) { file.write(block); });
  if (*genome_app) {
    genome.seed = shared.seed;
    tell(genome, write_genome(genome, to), shared);
  } else if (*uniform_app) {
    write_text("uniform", uniform_text(text.length, text.letters, shared.seed), text, to);
  } else if (*homopolymer_app) {
    write_text("homopolymer", homopolymer_text(text.length, text.letter), text, to);
  } else if (*fibonacci_app) {
    write_text("fibonacci", fibonacci_text(text.length, pair), text, to);
  } else if (*spectra_app) {
    spectra.preset = preset, spectra.order = order, spectra.seed = shared.seed;
    shared.say(fmt::format("spectra: {} spectra, {} peaks", spectra.count, write_spectra(spectra, to).peaks));
  } else if (*strings_app) {
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
