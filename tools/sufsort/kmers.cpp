#include "tools/sufsort/kmers.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sort_core/error.hpp"
#include "suffix/index.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::sufsort {

CLI::Option* add_kmers_option(CLI::App& command, std::string const& name, unsigned& length, std::string const& help) {
  return command
      .add_option_function<std::string>(
          name,
          [&length, name](std::string const& value) {
            std::size_t const letters = cli::parse_count(name, value);
            if (letters == 0 || letters > suffix::kmer_words::longest)
              throw usage_error(fmt::format("invalid number: {}: '{}': a k-mer has 1 to {} letters", name, value,
                                            suffix::kmer_words::longest));
            length = unsigned(letters);
          },
          help)
      ->type_name("K");
}

suffix::kmer_words words_for(std::string_view residues, unsigned length, unsigned width, std::size_t memory) {
  suffix::kmer_words words{length, suffix::frequent_letters(residues)};
  if (words.letters.empty()) words.letters = "ACGT";
  auto const count = words.count();
  if (!count)
    throw usage_error(fmt::format("too many k-mers: {} letters: words out of '{}' are more than 2^30", length, words.letters));
  std::size_t const bytes = (*count + 1) * (width / 8);
  if (bytes > memory)
    throw out_of_memory(
        fmt::format("out of memory: table of {} k-mers: {} bytes are needed, {} are there", *count, bytes, memory), bytes);
  return words;
}

void add_kmers(std::string const& prefix, unsigned length, cli::common_options const& common, telling& tell) {
  tell.phase("open");
  auto const made_of = sum_of_description(prefix);
  suffix::stored_index const index(prefix, "kmers");  // whose table is made anew
  suffix::index_description about = index.about();
  using enum cli::output::hard_links;
  cli::output json(prefix + ".json", replace), kmers(prefix + ".kmers", replace);
  tell.stats.input(about.residues);
  about.words = words_for(index.view().residues, length, about.width, cli::available_memory());
  tell.phase("kmers", about.residues);
  {
    std::vector<char> const table =
        suffix::make_kmer_table(index.view(), index.array("sa"), about.words, index.path("sa"), common.threads);
    about.arrays.push_back({"kmers", table.size(), suffix::crc32_of(table, common.threads)});
    tell.phase("finish", table.size());
    kmers.expect(table.size());
    kmers.write(std::span<char const>(table));
  }
  std::string const description = suffix::to_json(about);
  json.write(std::string_view(description));
  kmers.finish();
  json.finish();
  exchange_index(prefix, description, json, {{"kmers", &kmers}}, {}, made_of);
}

}  // namespace ordo::sufsort
