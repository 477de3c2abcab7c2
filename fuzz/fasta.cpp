// FASTA. Read from memory and from a pipe, it has the same records or the same error; pieces of its records have no flaw.
#include "fuzz/fuzz.hpp"
#include "ordo/suffix/corpus.hpp"
#include "ordo/suffix/fasta.hpp"
#include "ordo/suffix/pieces.hpp"
#include "ordo/suffix/policy.hpp"

using namespace ordo;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  std::size_t const option = bytes.number(256);
  suffix::policy rules;
  rules.strands = option & 1 ? suffix::strands::both : suffix::strands::forward;
  rules.ambiguous = suffix::ambiguous_letters(option / 2 % 3);
  rules.masked = suffix::masked_letters(option / 6 % 3);
  suffix::fasta_options options;
  options.keep_case = rules.masked != suffix::masked_letters::fold;
  options.machine = fuzz::one_thread();
  if (option >= 128) options.memory = option;
  std::string_view const text = bytes.rest();
  suffix::recognized_format("x", text.substr(0, 4096));

  suffix::fasta one, other;
  memory_source from_memory(text);
  fuzz::sequential_source from_pipe(text);
  auto const error = fuzz::catch_error([&] { one = suffix::read_fasta("x", from_memory, options); });
  auto const other_error = fuzz::catch_error([&] { other = suffix::read_fasta("x", from_pipe, options); });
  fuzz::require_same(error, other_error);
  if (error) return 0;
  fuzz::require(one.view().residues == other.view().residues && one.starts == other.starts && one.names == other.names,
                "a pipe has the records of a file");
  if (!rules.cuts()) return 0;
  suffix::cut_text cut;
  if (fuzz::catch_error([&] { cut = suffix::cut_records(one, rules, std::size_t{1} << 30, 1); })) return 0;
  fuzz::require(!suffix::find_contradiction(cut.view(), cut.pieces(), rules, 1), "pieces follow their policy");
  return 0;
}
