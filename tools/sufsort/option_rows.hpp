#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/policy.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/sufsort/kmer_words.hpp"
#include "tools/sufsort/memory_limits.hpp"

// Rows of options and operands that several commands have, and what makes rows.
namespace ordo::inline v0::sufsort {

inline constexpr std::string_view index_group = "Index options", input_group = "Input options", text_group = "Text options",
                                  output_group = "Output options", search_group = "Search options",
                                  memory_group = "Memory options";

template <std::size_t N>
std::string joined(std::array<std::string_view, N> const& words) {
  std::string text(words[0]);
  for (std::size_t i = 1; i < N; ++i) (text += ' ') += words[i];
  return text;
}

/// @param to  a Value, or an optional one
template <class Value, std::size_t N, class To>
cli::option choice(std::string_view name, std::string_view group, std::array<std::string_view, N> const& words, To& to,
                   std::string help, std::string preset, std::string details) {
  return {.name = name,
          .value = "NAME",
          .group = group,
          .help = std::move(help),
          .preset = std::move(preset),
          .details = std::move(details),
          .choices = joined(words),
          .only_choices = true,
          .set = [&to, &words](std::string_view, std::string_view word) { to = *suffix::parse_word<Value>(words, word); }};
}

/// Parses a number of the option, above 0 if `why_not_zero` says why.
template <class Number>
cli::option::action parse_to(Number& to, std::string_view why_not_zero = {}) {
  return [&to, why_not_zero](std::string_view spelling, std::string_view value) {
    to = Number(cli::parse_count(spelling, value));
    if (to == 0 && !why_not_zero.empty()) throw usage_error(fmt::format("invalid number: {}: '0': {}", spelling, why_not_zero));
  };
}

/// Returns --circular. @param what  is found across the end of a circular record
cli::option circular_option(std::vector<std::string>& to, std::string_view what, std::string const& details);
/// Returns --letters. @param subject  holds these letters only
cli::option letters_option(std::string const& subject, std::optional<suffix::letter_choice>& to);
cli::option fm_option(bool& to);
cli::option output_option(std::string& to, bool required = false);
/// Returns --output of an index. @param more  ends the sentence of its help
cli::option index_option(std::string& to, std::string_view more = {});
cli::option host_memory_option(memory_limits& limits);
cli::option gpu_memory_option(memory_limits& limits);
/// Returns the two options of a table of k-mers.
std::array<cli::option, 2> kmer_rows(std::string_view name, std::string_view force, bool required, kmer_options& to);

cli::operand prefix_operand(std::string& to, std::string help = "the index");
cli::operand query_operand(std::vector<std::string>& to);
/// Returns the operand of records to be indexed, FILE or FASTA.
cli::operand records_operand(std::string_view name, std::vector<std::string>& to);

}  // namespace ordo::inline v0::sufsort
