// Counts the lengths of the segments that real inputs make (figure 2 of Hou et al., ICS'17): the products of each row of a
// squared matrix, and the groups of suffixes with the same first letters, which prefix doubling sorts. Counts do not depend on
// a machine.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/host_bench.hpp"
#include "bench/matrices/matrices.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fasta.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"

using namespace ordo;

namespace {

/// Counts of lengths: bin b has those from 2^b to below 2^(b + 1).
class histogram {
 public:
  void add(std::uint64_t length) {
    if (length == 0) return;
    unsigned const bin = std::bit_width(length) - 1;
    if (bin >= counts_.size()) counts_.resize(bin + 1);
    ++counts_[bin];
    ++segments_;
    items_ += length;
    if (length < medium) ++below_, items_below_ += length;
    longest_ = std::max(longest_, length);
  }
  [[nodiscard]] nlohmann::ordered_json row(std::string const& name) const {
    fmt::print("{:<40} {:>10} segments, {:>11} items, longest {:>9}; below {}: {:.4f} of the segments, {:.4f} of the items\n",
               name, segments_, items_, longest_, medium, share(below_, segments_), share(items_below_, items_));
    return {{"name", name},
            {"segments", segments_},
            {"items", items_},
            {"longest", longest_},
            {"below_2000", below_},
            {"counts", counts_},
            {"items_below_2000", items_below_}};
  }

 private:
  static double share(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 1 : double(part) / double(whole); }
  static constexpr std::uint64_t medium = 2000;  // the paper's bound between medium and long
  std::vector<std::uint64_t> counts_;
  std::uint64_t segments_ = 0, items_ = 0, below_ = 0, items_below_ = 0, longest_ = 0;
};

/// Adds a row for each number of letters, doubled until no two suffixes share them.
void count_suffixes(std::string const& file, nlohmann::ordered_json& rows) {
  cli::input in(file);
  suffix::fasta const genome = suffix::read_fasta(in.name(), in);
  suffix::text const text = genome.view();
  std::vector<std::uint32_t> sa(text.size()), lcp(text.size());
  suffix::build(text, suffix::arrays<std::uint32_t>{.sa = sa, .lcp = lcp, .bwt = {}});
  constexpr std::uint32_t first = 8, last = 1 << 12;
  for (std::uint32_t letters = first; letters <= last; letters *= 2) {
    histogram lengths;
    std::uint64_t length = 1;
    for (std::size_t i = 1; i <= lcp.size(); ++i)
      if (i < lcp.size() && lcp[i] >= letters) {
        ++length;
      } else {
        if (length > 1) lengths.add(length);
        length = 1;
      }
    rows.push_back(lengths.row(fmt::format("{}, {} letters", file.substr(file.rfind('/') + 1), letters)));
  }
}

void count_rows(bench::matrix_kind const& kind, nlohmann::ordered_json& rows) {
  auto const matrix = kind.make();
  histogram lengths;
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    std::uint64_t products = 0;
    for (std::uint64_t e = matrix.offsets[r]; e < matrix.offsets[r + 1]; ++e)
      products += matrix.offsets[matrix.column[e] + 1] - matrix.offsets[matrix.column[e]];
    lengths.add(products);
  }
  rows.push_back(lengths.row("square of " + kind.name));
}

int run(int argc, char const* const* argv) {
  std::string json;
  std::vector<std::string> files;
  cli::command_table table{
      .name = "segment_lengths",
      .summary = "count",
      .usage = {"[OPTION]... [FILE]..."},
      .description = "Lengths of segments in suffix arrays and in products of sparse matrices.",
      .operands = {cli::operand_row("FILE", "a genome in FASTA, or a square matrix in Matrix Market format, FILE.mtx", files)}};
  table.options = {cli::value_row("json", "FILE", "write the figures to FILE", json), cli::help_row()};
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  nlohmann::ordered_json rows = nlohmann::json::array();
  std::vector<std::string> matrices;
  for (std::string const& file : files)
    if (file.ends_with(".mtx"))
      matrices.push_back(file);
    else
      count_suffixes(file, rows);
  for (bench::matrix_kind const& kind : bench::read_matrices(matrices)) count_rows(kind, rows);
  for (bench::matrix_kind const& kind : bench::collection_kinds()) count_rows(kind, rows);
  bench::write_report(json, 0, 1, rows);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("segment_lengths", [&] { return run(argc, argv); });
}
