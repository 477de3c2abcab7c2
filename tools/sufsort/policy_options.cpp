#include "tools/sufsort/policy_options.hpp"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "ordo/error.hpp"
#include "tools/cli/options.hpp"

namespace ordo::sufsort {
namespace {

/// @param value  a Value, or an optional one
template <class Value, std::size_t N, class To>
CLI::Option* add_choice(CLI::App& command, char const* name, To& value, std::array<std::string_view, N> const& words,
                        std::string const& help) {
  return command
      .add_option_function<std::string>(
          name, [&value, &words](std::string const& word) { value = *suffix::value_of<Value>(words, word); }, help)
      ->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end())).description(""))
      ->type_name("NAME");
}

}  // namespace

void add_policy_options(CLI::App& command, suffix::policy& which) {
  add_choice<suffix::strands>(
      command, "--strands", which.strands, suffix::strands_words,
      "forward: records as they are; both: each one followed by its reverse complement, a record of its own;\n"
      "of nucleotides only [forward]");
  add_choice<suffix::ambiguous_letters>(
      command, "--ambiguous", which.ambiguous, suffix::ambiguous_words,
      "what is none of A, C, G, T and U. symbol: letters like all others; break: a record ends before them;\n"
      "skip: suffixes that begin with one are not in the array. The latter two of nucleotides only [symbol]");
  CLI::Option const* const mask = add_choice<suffix::masked_letters>(
      command, "--mask", which.masked, suffix::masked_words,
      "lower case. fold: made upper case; keep: letters of their own; break: a record ends before it [fold]");
  command.add_flag_callback(
      "--keep-case",
      [&which, mask] {
        if (mask->count() != 0) throw usage_error("two policies: --keep-case: it is --mask keep, and there is a --mask");
        which.masked = suffix::masked_letters::keep;
      },
      "the same as --mask keep");
  command
      .add_option_function<std::string>(
          "--sample",
          [&which](std::string const& value) {
            which.sample = cli::parse_count("--sample", value);
            if (which.sample == 0) throw usage_error("invalid number: --sample: '0': every first position is all");
          },
          "only every D-th position of each record, from its first one on, is in the array [1]")
      ->type_name("D");
}

void add_letters_option(CLI::App& command, std::string const& what, std::optional<suffix::letter_choice>& letters) {
  add_choice<suffix::letter_choice>(
      command, "--letters", letters, suffix::letter_choice_words,
      "which letters " + what +
          " may hold. nucleotides: A, C, G, T and U; all: N, other codes and gaps, too\n"
          "[nucleotides; all in a text of which one letter in 100 or more is E, F, I, J, L, O, P, Q or Z]");
}

}  // namespace ordo::sufsort
