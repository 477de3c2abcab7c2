#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::inline v0::sufsort {
namespace {

// A table saves a search log2(k-mers) of its log2(rows) steps. For DNA each further letter takes four times the space and saves
// two steps. With a fourth of the size of the array four steps are left, within a cache line or two.
constexpr std::size_t share_of_array = 4;

/// Returns the maximum number of letters, at least one, of the k-mers of a table of at most max_entries entries.
unsigned longest_within(std::string const& letters, std::size_t max_entries) {
  suffix::kmer_set words{1, letters};
  while (words.length < suffix::kmer_set::max_length) {
    suffix::kmer_set const longer{words.length + 1, letters};
    if (auto const count = longer.count(); !count || *count + 1 > max_entries) break;
    words = longer;
  }
  return words.length;
}

}  // namespace

suffix::kmer_set words_for(std::string_view residues, kmer_options const& options, std::size_t rows, unsigned width) {
  suffix::kmer_set words{options.length, suffix::frequent_letters(residues)};
  if (words.letters.empty()) words.letters = "ACGT";
  if (words.length == 0) words.length = longest_within(words.letters, rows / share_of_array);
  check_size(words, options, rows, width);
  return words;
}

void check_size(suffix::kmer_set const& words, kmer_options const& options, std::size_t rows, unsigned width) {
  unsigned const max_length = longest_within(words.letters, rows);
  if (!words.count())
    throw usage_error(fmt::format("too many k-mers: {} {}: the letters '{}' make more than 2^30: use at most {} letters",
                                  options.option, words.length, words.letters, max_length));
  if (words.length > max_length && !options.force)
    throw usage_error(fmt::format(
        "large table: {} {}: {} bytes, more than the {} of the suffix array: use at most {} letters, or {}", options.option,
        words.length, table_bytes(words, width), rows * (width / 8), max_length, options.force_option));
}

std::size_t table_bytes(suffix::kmer_set const& words, unsigned width) {
  return (words.count().value() + 1) * (width / 8);
}

void check_memory(suffix::kmer_set const& words, unsigned width, std::size_t memory, std::string const& advice) {
  std::size_t const bytes = table_bytes(words, width);
  if (bytes > memory)
    throw out_of_memory(fmt::format("out of memory: table of {} k-mers: {} bytes are needed, {} are available: {}",
                                    *words.count(), bytes, memory, advice),
                        bytes);
}

void add_kmers(std::string const& prefix, kmer_options const& options, cli::common_options const& common, reporter& report) {
  report.phase("open");
  auto const made_of = sum_of_description(prefix);
  suffix::stored_index const index(prefix, "kmers");  // without its old table
  suffix::index_description about = index.description();
  if (about.input != suffix::input_format::fasta)
    throw input_error(fmt::format("no table of k-mers: {}.json: k-mers are those of FASTA", prefix));
  using enum cli::output::replacing;
  cli::output json(prefix + ".json", by_rename), kmers(prefix + ".kmers", by_rename);
  report.stats.input(about.residues);
  about.kmers = words_for(index.view().residues, options, about.rows(), about.width);
  memory_limits const memory;  // the free memory
  check_memory(about.kmers, about.width, memory.host_bytes(), memory.advice(table_bytes(about.kmers, about.width)));
  report.phase("kmers", about.residues);
  {
    std::vector<char> const table =
        suffix::make_kmer_table(index.view(), index.array("sa"), about.kmers, index.path("sa"), common.threads);
    about.arrays.push_back({"kmers", table.size(), suffix::crc32_of(table, common.threads)});
    report.phase("finish", table.size());
    kmers.expect(table.size());
    kmers.write(std::span<char const>(table));
  }
  std::string const description = suffix::to_json(about);
  json.write(std::string_view(description));
  kmers.finish();
  json.finish();
  exchange_index(prefix, description, json, {{"kmers", &kmers}}, {}, made_of);
}

}  // namespace ordo::inline v0::sufsort
