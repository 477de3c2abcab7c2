#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix/search.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/queries.hpp"
#include "tools/sufsort/search/circular_records.hpp"
#include "tools/sufsort/search/searched_index.hpp"

// The search for patterns: what count and locate share.
namespace ordo::inline v0::sufsort {

/// Patterns and their hits: those of pattern i, under i; and those of its reverse complement, under reverse(i), if both strands
/// are searched and the text has one. Hits are a range of rows or, if the suffix array lacks rows, a list of positions.
struct found_batch {
  query_batch queries;
  std::string reversed;  // all reverse complements
  std::vector<std::string_view> patterns;
  std::vector<suffix::row_range> rows;
  std::vector<std::vector<std::uint64_t>> listed;
  std::vector<std::vector<std::uint64_t>> around;  // positions of hits across the ends of circular records; empty: none are
  std::string text;                                // the output of the first patterns
  std::size_t num_written = 0;                     // the number of these patterns

  /// Finds the patterns of `queries`, except empty ones. @param reverse  find reverse complements, too
  /// @throws input_error  if one has none
  void search(searched_index const& index, circular_records const& circular, bool reverse);
  [[nodiscard]] bool has_reverse() const { return rows.size() != queries.size(); }
  [[nodiscard]] std::size_t reverse(std::size_t i) const { return queries.size() + i; }
  /// Returns the number of hits within records, and of all.
  [[nodiscard]] std::size_t count_within(std::size_t k) const { return listed.empty() ? rows[k].size() : listed[k].size(); }
  [[nodiscard]] std::size_t count(std::size_t k) const { return count_within(k) + (around.empty() ? 0 : around[k].size()); }
  [[nodiscard]] std::uint64_t position(searched_index const& index, std::size_t k, std::size_t hit) const {
    if (hit >= count_within(k)) return around[k][hit - count_within(k)];
    return listed.empty() ? index.search.position(rows[k].begin + hit) : listed[k][hit];
  }
  /// Returns the number of hits on both strands.
  [[nodiscard]] std::size_t hits(std::size_t i) const { return count(i) + (has_reverse() ? count(reverse(i)) : 0); }
};

/// A command that searches for patterns, of the command line and of files, and prints their hits.
class pattern_search : public index_reader {
 public:
  [[nodiscard]] std::vector<std::string> inputs() const final;

  /// Reads batches of patterns, searches them by all threads, and prints them in the order in which they were read.
  int run(cli::common_options const& common, reporter& report, communicator* members) final;

 protected:
  /// What is searched, and where hits are printed.
  struct search_ends {
    searched_index const& index;
    circular_records const& circular;
    cli::output& out;
  };

  [[nodiscard]] std::vector<cli::operand> operands();
  /// Returns the rows that both commands have. @param both_strands  the help of that option @param circular  details of that
  /// one
  [[nodiscard]] std::vector<cli::option> rows(std::string both_strands, std::string const& circular);

  /// Formats the beginning of the output of a batch, up to a limit: batch.text of batch.num_written patterns. Batches are
  /// formatted in parallel.
  virtual void format(found_batch& batch, search_ends const& ends) const = 0;
  /// Writes this text, and the output of the other patterns. Called in the order of the batches.
  virtual void write(found_batch& batch, search_ends const& ends) = 0;
  /// Prints warnings when all is written.
  virtual void warn() const {}

  static constexpr std::size_t max_text = std::size_t{4} << 20;  // formatted in parallel for a batch

  bool both_strands_ = false;

 private:
  void check(searched_index const& index) const;
  void search(search_ends const& ends, cli::common_options const& common, reporter& report);

  std::vector<std::string> patterns_, files_, circular_;  // circular: the names of records, or "all"
  std::optional<pattern_format> format_;                  // nothing: tokens if the index is of tokens, else text
  bool fm_ = false;                                       // search by the FM index
};

}  // namespace ordo::inline v0::sufsort
