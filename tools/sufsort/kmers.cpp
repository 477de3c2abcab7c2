#include "tools/sufsort/kmers.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/memory_limits.hpp"

namespace ordo::sufsort {

namespace {

// A table saves a search log2(words) of its log2(rows) steps. Each letter more takes four times the room, of DNA, and saves two
// steps. With a fourth of the array's size four steps are left, within a cache line or two of it.
constexpr std::size_t share_of_array = 4;

/// How many letters the words of a table have that has not more than `most` entries: one at least.
unsigned longest_within(std::string const& letters, std::size_t most) {
  suffix::kmer_set words{1, letters};
  while (words.length < suffix::kmer_set::max_length) {
    suffix::kmer_set const longer{words.length + 1, letters};
    if (auto const count = longer.count(); !count || *count + 1 > most) break;
    words = longer;
  }
  return words.length;
}

}  // namespace

CLI::Option* add_kmer_options(CLI::App& command, std::string const& name, std::string const& force, kmer_options& how) {
  how.option = name;
  how.force_option = force;
  command.add_flag(force, how.force, "even a table that is larger than the suffix array");
  return command
      .add_option_function<std::string>(
          name,
          [&how, name](std::string const& value) {
            how.wanted = true;
            if (value == "auto") return;
            std::size_t const letters = cli::parse_count(name, value);
            if (letters == 0 || letters > suffix::kmer_set::max_length)
              throw usage_error(fmt::format("invalid number: {}: '{}': a k-mer has 1 to {} letters", name, value,
                                            suffix::kmer_set::max_length));
            how.length = unsigned(letters);
          },
          fmt::format(
              "a table of k-mers: searches begin with the rows of a pattern's first K letters. At most {} letters, 2^30\n"
              "words (15 letters of DNA, 6 of proteins), and the suffix array's size unless forced; auto: the longest\n"
              "of a table of at most a fourth of that size",
              suffix::kmer_set::max_length))
      ->type_name("K");
}

suffix::kmer_set words_for(std::string_view residues, kmer_options const& how, std::size_t rows, unsigned width) {
  suffix::kmer_set words{how.length, suffix::frequent_letters(residues)};
  if (words.letters.empty()) words.letters = "ACGT";
  if (words.length == 0) words.length = longest_within(words.letters, rows / share_of_array);
  check_size(words, how, rows, width);
  return words;
}

void check_size(suffix::kmer_set const& words, kmer_options const& how, std::size_t rows, unsigned width) {
  unsigned const most = longest_within(words.letters, rows);
  if (!words.count())
    throw usage_error(fmt::format("too many k-mers: {} {}: words out of '{}' are more than 2^30: {} letters at most",
                                  how.option, words.length, words.letters, most));
  if (words.length > most && !how.force)
    throw usage_error(
        fmt::format("large table: {} {}: {} bytes, more than the {} of the suffix array: {} letters at most, or {}", how.option,
                    words.length, table_bytes(words, width), rows * (width / 8), most, how.force_option));
}

std::size_t table_bytes(suffix::kmer_set const& words, unsigned width) {
  return (words.count().value() + 1) * (width / 8);
}

void check_memory(suffix::kmer_set const& words, unsigned width, std::size_t memory, std::string const& how) {
  std::size_t const bytes = table_bytes(words, width);
  if (bytes > memory)
    throw out_of_memory(fmt::format("out of memory: table of {} k-mers: {} bytes are needed, {} may be taken: {}",
                                    *words.count(), bytes, memory, how),
                        bytes);
}

void add_kmers(std::string const& prefix, kmer_options const& how, cli::common_options const& common, telling& tell) {
  tell.phase("open");
  auto const made_of = sum_of_description(prefix);
  suffix::stored_index const index(prefix, "kmers");  // whose table is made anew
  suffix::index_description about = index.description();
  using enum cli::output::hard_links;
  cli::output json(prefix + ".json", replace), kmers(prefix + ".kmers", replace);
  tell.stats.input(about.residues);
  about.kmers = words_for(index.view().residues, how, about.rows(), about.width);
  memory_limits const memory;  // what is free
  check_memory(about.kmers, about.width, memory.host_bytes(), memory.advice(table_bytes(about.kmers, about.width)));
  tell.phase("kmers", about.residues);
  {
    std::vector<char> const table =
        suffix::make_kmer_table(index.view(), index.array("sa"), about.kmers, index.path("sa"), common.threads);
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
