#include "tools/sufsort/option_rows.hpp"

#include "ordo/suffix/kmer_table.hpp"

namespace ordo::inline v0::sufsort {

using cli::option;

option circular_option(std::vector<std::string>& to, std::string_view description, std::string const& details) {
  return {.name = "circular",
          .value = "NAME",
          .group = search_group,
          .help = fmt::format("find {} across the end of the record NAME, too, which is circular; all stands for all records",
                              description),
          .details = details + " The option may be repeated.",
          .repeatable = true,
          .set = cli::append_to(to)};
}

option output_option(std::string& to, bool required) {
  return {.letter = 'o',
          .name = "output",
          .value = "FILE",
          .group = output_group,
          .help = "write to FILE; - is standard output",
          .preset = required ? "" : "-",
          .required = required,
          .set = cli::store(to)};
}

option index_option(std::string& to, std::string_view more) {
  return {.letter = 'o',
          .name = "output",
          .value = "PREFIX",
          .group = index_group,
          .help = fmt::format("write the index to files whose names begin with PREFIX{}", more),
          .required = true,
          .set = cli::store(to)};
}

cli::operand prefix_operand(std::string& to, std::string help) {
  return {"PREFIX", std::move(help), 1, 1, [&to](std::string_view value) { to = value; }};
}

option host_memory_option(memory_limits& limits) {
  return {.name = "memory",
          .value = "SIZE",
          .group = memory_group,
          .help = "use at most SIZE of host memory, as 8G",
          .preset = "the free memory",
          .details = "SIZE is a number of bytes, with K, M, G or T for powers of 1024.",
          .set = cli::store(limits.host)};
}

option gpu_memory_option(memory_limits& limits) {
  return {.name = "gpu-memory",
          .value = "SIZE",
          .group = memory_group,
          .help = "use at most SIZE of GPU memory",
          .preset = "ORDO_GPU_MEMORY, or the free memory",
          .set = cli::store(limits.gpu)};
}

std::array<option, 2> kmer_rows(char letter, std::string_view name, bool required, kmer_options& to) {
  constexpr std::string_view force = "force-kmer-table";
  to.option = fmt::format("--{}", name);
  option::action const set = [&to](std::string_view spelling, std::string_view value) {
    to.wanted = true;
    if (value == "auto") return;
    std::size_t const letters = cli::parse_count(spelling, value);
    if (letters == 0 || letters > suffix::kmer_set::max_length)
      throw usage_error(
          fmt::format("invalid number: {}: '{}': a k-mer has 1 to {} letters", spelling, value, suffix::kmer_set::max_length));
    to.length = unsigned(letters);
  };
  return {
      {{.letter = letter,
        .name = name,
        .value = "K",
        .group = index_group,
        .help = "add a table of the K-mers, with which searches are faster; K may be auto",
        .details = fmt::format("A search begins with the rows of the first K letters of its pattern. K is at most {}, a table "
                               "has at most 2^30 K-mers (15 letters of DNA, 6 of proteins), and it is not larger than the "
                               "suffix array unless --{} is given. auto takes the largest K whose table has at most a "
                               "fourth of the size of the suffix array.",
                               suffix::kmer_set::max_length, force),
        .required = required,
        .set = set},
       cli::flag(force, index_group, "allow a table that is larger than the suffix array", to.force)}};
}

option letters_option(std::string const& subject, std::optional<suffix::letter_choice>& to) {
  return choice<suffix::letter_choice>(
      "letters", search_group, suffix::letter_choice_words, to,
      fmt::format("let {} hold only A, C, G, T and U (nucleotides), or all letters", subject), "nucleotides",
      "All letters include N, the other codes of IUPAC, and gaps. They are the default for texts of proteins: those of which "
      "at least one letter in 100 is E, F, I, J, L, O, P, Q or Z.");
}

option fm_option(bool& to) {
  return cli::flag("fm", search_group, "search by the FM index, which needs less memory than the suffix array", to,
                   "An index without a suffix array is always searched so. The output is the same.");
}

cli::operand query_operand(std::vector<std::string>& to) {
  return {"QUERY", "a file of queries: FASTA, FASTQ, or a list, one a line, plain or compressed; - is standard input", 1,
          std::size_t(-1), [&to](std::string_view value) { to.emplace_back(value); }};
}

cli::operand records_operand(std::string_view name, std::vector<std::string>& to) {
  return {name, "a file of records, plain or compressed; - is standard input", 1, std::size_t(-1),
          [&to](std::string_view value) { to.emplace_back(value); }};
}

}  // namespace ordo::inline v0::sufsort
