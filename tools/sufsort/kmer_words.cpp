#include "tools/sufsort/kmer_words.hpp"

#include <fmt/format.h>

#include "ordo/error.hpp"

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
        "large table: {} {}: {} bytes, more than the {} of the suffix array: use at most {} letters, or --force-kmer-table",
        options.option, words.length, table_bytes(words, width), rows * (width / 8), max_length));
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

}  // namespace ordo::inline v0::sufsort
