#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/matches.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/stats.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/queries.hpp"
#include "tools/sufsort/reporter.hpp"
#include "tools/sufsort/search/searched_index.hpp"

// Queries in units, which all threads and a GPU search: what mem and ms share.
namespace ordo::inline v0::sufsort {

// A GPU works on more at a time, to keep its threads busy. Each matching statistic takes eight bytes of host memory besides.
// While it does, other bundles of units are read, prepared and printed.
// A letter may begin hundreds of matches, if these are not super-maximal.
inline constexpr std::uint64_t gpu_letters = std::uint64_t{1} << 25, gpu_letters_of_all = std::uint64_t{1} << 22,
                               gpu_lengths = std::uint64_t{1} << 24;

/// Changes the letters of queries to those of the text.
struct letter_rules {
  std::array<char, 256> read_as;
  bool reverse, all_letters;  // whether reverse complements are made, and whether each letter must have a complement
  suffix::complement const* other_strand;

  /// @param both_strands  reverse complements of queries are searched, too @param letters  that strings of the text may hold
  letter_rules(searched_index const& index, bool both_strands, suffix::letter_choice letters);
};

/// Queries and, if wanted, their reverse complements.
class query_set {
 public:
  query_batch queries;

  /// Makes the letters once, by the first thread that needs them. @throws input_error  for a letter that has no complement
  void prepare(letter_rules const& rules);
  [[nodiscard]] std::string_view letters(std::size_t i, bool reverse) const {
    std::string_view const forward = queries.pattern(i);
    return reverse ? std::string_view(reversed_).substr(reversed_begins_[i], forward.size()) : forward;
  }

 private:
  void add_reversed(std::size_t i, letter_rules const& rules);

  std::once_flag is_prepared_;
  std::string reversed_;
  std::vector<std::size_t> reversed_begins_;
};

/// A part of a query, or of its reverse complement: the offsets [begin, end).
struct query_part {
  std::size_t query;
  bool reverse;
  std::uint64_t begin, end;
  bool ends_query;  // nothing of the query follows

  [[nodiscard]] bool begins_strand() const { return begin == 0; }
  [[nodiscard]] bool begins_query() const { return begin == 0 && !reverse; }
};

/// Some parts of the same set, in order, and what is found for them: the end of a query that began in an earlier unit, output
/// of whole queries, and the beginning of a query that a later unit ends.
struct work_unit {
  std::shared_ptr<query_set> set;
  std::vector<query_part> parts;
  std::vector<suffix::match> head, tail;
  std::string text;
};

/// A GPU that searches for the strings of queries, if one was chosen. It starts while the first queries are read.
class gpu_search {
 public:
  /// @param can_search  whether a GPU can: matches and matching statistics of all rows
  /// @param letters  the letters of the queries, about
  gpu_search(searched_index& index, bool can_search, std::uint64_t letters, cli::common_options const& common);

  /// Returns true if a GPU was chosen.
  [[nodiscard]] bool works() const { return works_; }
  /// Finds matches of parts, or their matching statistics, one after the other.
  /// @returns nothing, or false, if the CPU must
  std::optional<suffix::found_matches> find(std::span<suffix::query_part const> parts, std::uint64_t min_length,
                                            bool super_maximal);
  bool statistics(std::span<suffix::query_part const> parts, std::span<std::uint64_t> lengths);
  /// Reports the machine, when all searches have ended.
  void tell(cli::stats& stats, std::uint64_t letters);

 private:
  // Returns the finder once it has started; null if the CPU must do all.
  suffix::gpu_match_finder* finder();
  template <class F>
  bool search(F f);

  suffix::fm_index own_;  // if searches on the CPU are by the suffix array
  machine_choice choice_;
  bool works_ = false;
  std::mutex changing_;
  std::future<suffix::gpu_match_finder> starting_;
  std::optional<suffix::gpu_match_finder> finder_;
};

/// Calls f(0), ..., f(n - 1) in parallel. Threads that wait for others take no other work, which would delay this.
template <class F>
void each_in_parallel(std::size_t n, F f) {
  if (n == 1) return f(std::size_t{0});
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, n, f); });
}

/// Returns the number of parts of the units before each one, and of all.
std::vector<std::size_t> first_parts(std::span<work_unit const> units);

/// Returns the letters of all parts of some units. @param first  what first_parts returns
std::vector<suffix::query_part> collect_letters(std::span<work_unit const> units, std::span<std::size_t const> first);

/// A command that searches for the strings of queries, of files.
class query_search : public index_reader {
 public:
  [[nodiscard]] std::vector<std::string> inputs() const final { return files_; }

  /// Opens the index and the output, chooses the machine, and searches.
  int run(cli::common_options const& common, reporter& report, communicator* members) final;

 protected:
  /// What is searched on which machine, and where results are printed.
  struct search_ends {
    searched_index const& index;
    gpu_search& on_gpu;
    suffix::letter_choice letters;
    cli::output& out;
    cli::common_options const& common;
    reporter& report;
  };

  /// Throws input_error or usage_error for an index that cannot be searched with these options.
  virtual void check(searched_index const& index) const = 0;
  /// Returns true if reverse complements of queries are searched, too.
  [[nodiscard]] virtual bool searches_both_strands() const { return false; }
  /// Returns true if a GPU can search: it finds matches and matching statistics of all rows.
  [[nodiscard]] virtual bool can_search_on_gpu(searched_index const& /*index*/) const { return true; }
  /// Returns the letters of queries for each search in the suffix array, about.
  [[nodiscard]] virtual std::uint64_t letters_a_search() const { return 1; }
  /// Searches and prints, by run_units().
  virtual void search(search_ends const& ends) = 0;

  /// Reads queries, calls work(units) for one unit, or as many as a GPU takes, in parallel, and finish(unit) in the order of
  /// the queries. @param letters_of_gpu  that it takes at a time
  void run_units(search_ends const& ends, std::uint64_t letters_of_gpu, std::function<void(std::span<work_unit>)> const& work,
                 std::function<void(work_unit&)> const& finish) const;

  std::vector<std::string> files_;
  std::optional<suffix::letter_choice> letters_;
  bool fm_ = false;  // search by the FM index
};

}  // namespace ordo::inline v0::sufsort
