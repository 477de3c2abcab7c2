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
#include "tools/cli/temporary.hpp"

namespace ordo::sufsort {

CLI::Option* add_kmers_option(CLI::App& command, std::string const& name, unsigned& length, std::string const& help) {
  return command
      .add_option_function<std::string>(
          name,
          [&length, name](std::string const& value) {
            length = cli::parse_count(name, value);
            if (length == 0) throw usage_error(fmt::format("invalid number: {}: '0': a k-mer has a letter", name));
          },
          help)
      ->type_name("K");
}

std::vector<char> make_kmers(suffix::index_description& about, suffix::text const& input, suffix::entries sa,
                             std::string const& name, unsigned length, unsigned threads, telling& tell) {
  about.words = {length, suffix::frequent_letters(input.residues)};
  if (about.words.letters.empty()) about.words.letters = "ACGT";
  auto const count = about.words.count();
  if (!count)
    throw usage_error(
        fmt::format("too many k-mers: {} letters: words out of '{}' are more than 2^30", length, about.words.letters));
  std::size_t const bytes = (*count + 1) * (about.width / 8), available = cli::available_memory();
  if (bytes > available)
    throw out_of_memory(
        fmt::format("out of memory: table of {} k-mers: {} bytes are needed, {} are there", *count, bytes, available), bytes);
  tell.phase("kmers", about.residues);
  return suffix::make_kmer_table(input, sa, about.words, name, threads);
}

void add_kmers(std::string const& prefix, unsigned length, cli::common_options const& common, telling& tell) {
  tell.phase("open");
  suffix::index_description about;
  cli::output json(prefix + ".json"), kmers(prefix + ".kmers");
  {
    suffix::stored_index const index(prefix, "kmers");  // who was killed between the two renames begins anew
    about = index.about();
    tell.stats.input(about.residues);
    std::vector<char> const table =
        make_kmers(about, index.view(), index.array("sa"), index.path("sa"), length, common.threads, tell);
    about.arrays.push_back({"kmers", table.size(), suffix::crc32_of(table, common.threads)});
    tell.phase("finish", table.size());
    kmers.expect(table.size());
    kmers.write(std::span<char const>(table));
  }
  json.write(std::string_view(suffix::to_json(about)));
  kmers.finish();
  json.finish();
  cli::held_signals const held;
  kmers.commit();  // until the next line one that the old description knows nothing of, or of another size
  json.commit();
}

}  // namespace ordo::sufsort
