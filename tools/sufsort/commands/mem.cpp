#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/matches.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/search/circular_records.hpp"
#include "tools/sufsort/search/query_matches.hpp"
#include "tools/sufsort/search/query_units.hpp"

namespace ordo::inline v0::sufsort {
namespace {

using suffix::match;

enum class match_format { tsv, mummer, paf, bed };

/// The matches that are printed.
struct wanted_matches {
  suffix::match_options find;
  bool unique = false;         // strings that occur once in the text, and once in the query
  bool super_maximal = false;  // within no other match of the query
  bool both_strands = false;
  std::vector<std::string> circular;  // names of circular records
  match_format format = match_format::tsv;
};

/// Formats the matches of queries.
class match_printer {
 public:
  match_printer(searched_index const& index, circular_records const& circular, wanted_matches const& wanted)
      : index_(index),
        circular_(circular),
        wanted_(wanted),
        both_(wanted.both_strands || index.both_strands),
        one_record_(index.stored.description().records() == 1) {
    if (wanted.format != match_format::mummer || one_record_) return;
    std::string name;
    for (std::size_t r = 0; r < index.stored.description().records(); ++r) {
      name.clear();
      index.stored.description().append_name(name, r);
      longest_name_ = std::max(longest_name_, name.size());
    }
  }

  /// Appends the line before the matches of a strand.
  void begin_strand(std::string& text, std::string_view query, bool reverse) const {
    if (wanted_.format != match_format::mummer) return;
    ((text += "> ") += query) += reverse ? " Reverse\n" : "\n";
  }
  void print(std::string& text, std::string_view query, std::uint64_t size, match const& match) const {
    suffix::location const at = to_location(match);
    std::uint64_t const end = match.query_begin + match.length;
    char const strand = match.reverse ? '-' : '+';
    auto const add_record = [&] { index_.stored.description().append_name(text, at.record); };
    switch (wanted_.format) {
      case match_format::mummer:
        if (!one_record_) {
          text += "  ";
          std::size_t const end = text.size() + longest_name_;
          add_record();
          text.append(end - text.size() + 2, ' ');
        }
        fmt::format_to(std::back_inserter(text), "{:8}  {:8}  {:8}\n", at.offset + 1,
                       (match.reverse ? size - end : match.query_begin) + 1, match.length);
        return;
      case match_format::tsv:
        text += query;
        append(text += '\t', match.query_begin);
        text += '\t';
        add_record();
        append(text += '\t', at.offset);
        (text += '\t') += strand;
        append(text += '\t', match.length);
        text += '\n';
        return;
      case match_format::paf:
        return each_turn(at, match.length, [&](std::uint64_t done, std::uint64_t offset, std::uint64_t length) {
          std::uint64_t const begin = match.reverse ? end - done - length : match.query_begin + done;
          text += query;
          for (std::uint64_t const number : {size, begin, begin + length}) append(text += '\t', number);
          ((text += '\t') += strand) += '\t';
          add_record();
          for (std::uint64_t const number : {record_length(at.record), offset, offset + length, length, length})
            append(text += '\t', number);
          append(text += "\t255\tcg:Z:", length);
          text += "=\n";
        });
      case match_format::bed:
        return each_turn(at, match.length, [&](std::uint64_t, std::uint64_t offset, std::uint64_t length) {
          add_record();
          append(text += '\t', offset);
          append(text += '\t', offset + length);
          (text += '\t') += query;
          append(text += '\t', std::min<std::uint64_t>(match.length, 1000));
          ((text += '\t') += strand) += '\n';
        });
    }
  }
  /// Orders all matches of a query as they are found in one strand of the text, and prints them.
  void print_all(std::string& text, std::string_view query, std::uint64_t size, std::vector<match>& matches) const {
    order_by_strand(matches, size, [&](match const& match) { return to_location(match); });
    std::size_t i = 0;
    for (int strand = 0; strand <= int(both_); ++strand) {
      begin_strand(text, query, strand != 0);
      for (; i < matches.size() && matches[i].reverse == (strand != 0); ++i) print(text, query, size, matches[i]);
    }
  }

 private:
  [[nodiscard]] suffix::location to_location(match const& match) const {
    std::size_t const record = index_.search.record_at(match.position);
    return circular_.has(record) ? circular_.to_location(record, match.position, match.length)
                                 : index_.pieces.to_location(index_.input, record, match.position, match.length);
  }
  /// Calls line(letters before it, its offset, its letters) for each part of a match that no end of a record divides.
  template <class F>
  void each_turn(suffix::location const& at, std::uint64_t length, F line) const {
    std::uint64_t const size = record_length(at.record);
    for (std::uint64_t done = 0, offset = at.offset; done < length; offset = 0) {
      std::uint64_t const part = std::min(length - done, size - offset);
      line(done, offset, part);
      done += part;
    }
  }
  [[nodiscard]] std::uint64_t record_length(std::size_t record) const {
    suffix::index_description const& about = index_.stored.description();
    return about.policy.cuts() ? about.lengths[record] : index_.input.end(record) - index_.input.begin(record);
  }

  searched_index const& index_;
  circular_records const& circular_;
  wanted_matches const& wanted_;
  bool both_, one_record_;
  std::size_t longest_name_ = 0;
};

/// Returns true if all matches within records are found, of which some may be selected later.
bool are_all_found(searched_index const& index, wanted_matches const& wanted) {
  return wanted.find.max_occurrences == 0 && wanted.circular.empty() && index.stored.description().policy.rows().all();
}
/// Returns true if matches are found by matching statistics.
bool are_by_statistics(searched_index const& index, wanted_matches const& wanted) {
  return wanted.super_maximal && are_all_found(index, wanted);
}

/// Finds and prints matches.
class match_worker {
 public:
  match_worker(searched_index const& index, gpu_search& on_gpu, wanted_matches const& wanted)
      : index_(index),
        on_gpu_(on_gpu),
        wanted_(wanted),
        finder_(index.input, index.search, index.stored.description().policy.rows(), wanted.find),
        circular_(index, wanted.circular),
        printer_(index, circular_, wanted),
        needs_all_(wanted.unique || wanted.super_maximal || index.both_strands || circular_.any()),
        by_statistics_(are_by_statistics(index, wanted)),
        in_runs_(index.stored.has_runs()) {
    if (circular_.any()) rings_.emplace(index.input, circular_.of_text(), wanted.find.min_length);
  }

  void work(std::span<work_unit> units) const {
    auto const first = first_parts(units);
    std::optional<suffix::found_matches> on_gpu;
    if (on_gpu_.works()) on_gpu = on_gpu_.find(collect_letters(units, first), wanted_.find.min_length, by_statistics_);
    each_in_parallel(units.size(), [&](std::size_t u) {
      std::vector<match> result;
      std::vector<std::size_t> ends(on_gpu || by_statistics_ || in_runs_ ? units[u].parts.size() : 0);
      if (on_gpu) {
        on_gpu->append(first[u], result, ends);
      } else if (by_statistics_ || in_runs_) {
        auto const unit = units.subspan(u, 1);
        auto const parts = collect_letters(unit, first_parts(unit));
        if (by_statistics_)
          finder_.find_super_maximal(parts, result, ends);
        else
          finder_.find(parts, result, ends);
      }
      print(units[u], result, ends);
    });
  }
  /// Returns the output of a unit. To be called in the order of the units.
  void finish(work_unit& unit, cli::output& out) {
    open_.insert(open_.end(), unit.head.begin(), unit.head.end());
    auto const& parts = unit.parts;
    if (needs_all_ && !parts.front().begins_query())
      for (query_part const& part : parts)
        if (part.ends_query) {
          std::string text;
          select_and_print(text, unit.set->queries.name(part.query), unit.set->queries.pattern(part.query).size(), open_);
          out.write(std::string_view(text));
          open_.clear();
          break;
        }
    out.write(std::string_view(unit.text));
    open_.insert(open_.end(), unit.tail.begin(), unit.tail.end());
  }

 private:
  // Prints the matches of a unit's parts. @param result  those of part p end at ends[p]; without ends they are still to be
  // found
  void print(work_unit& unit, std::span<match const> result, std::span<std::size_t const> ends) const {
    std::vector<match> matches;
    std::size_t taken = 0;
    bool in_head = true;
    for (std::size_t p = 0; p < unit.parts.size(); ++p) {
      query_part const& part = unit.parts[p];
      std::string_view const name = unit.set->queries.name(part.query), letters = unit.set->letters(part.query, part.reverse);
      if (part.begins_query()) {
        in_head = false;
        matches.clear();
      }
      if (!needs_all_) matches.clear();
      std::size_t const first = matches.size();
      if (ends.empty())
        finder_.find(letters, part.begin, part.end, matches);
      else
        for (; taken < ends[p]; ++taken) matches.push_back(result[taken]);
      if (rings_) {
        auto const begin = matches.begin() + std::ptrdiff_t(first);
        matches.erase(std::remove_if(begin, matches.end(), [&](match const& match) { return rings_->goes_on(letters, match); }),
                      matches.end());
        rings_->find(letters, part.begin, part.end, matches);
        matches.erase(
            std::remove_if(matches.begin() + std::ptrdiff_t(first), matches.end(),
                           [&](match const& match) { return is_frequent(letters.substr(match.query_begin, match.length)); }),
            matches.end());
      }
      for (std::size_t i = first; i < matches.size(); ++i) orient(matches[i], index_, part.reverse, letters.size());
      if (!needs_all_) {
        if (part.begins_strand()) printer_.begin_strand(unit.text, name, part.reverse);
        for (match const& match : matches) printer_.print(unit.text, name, letters.size(), match);
      } else if (in_head) {
        unit.head.insert(unit.head.end(), matches.begin(), matches.end());
        matches.clear();
      } else if (part.ends_query) {
        select_and_print(unit.text, name, letters.size(), matches);
      }
    }
    if (needs_all_ && !in_head && !unit.parts.back().ends_query) unit.tail = std::move(matches);
  }
  // Returns true if a string has more occurrences than wanted, if those over the ends of circular records count, too. Those
  // within records are known to be few enough unless the string's match is over an end.
  [[nodiscard]] bool is_frequent(std::string_view string) const {
    std::uint64_t const limit = wanted_.find.max_occurrences, around = limit == 0 ? 0 : rings_->count(string);
    return around > limit || (around != 0 && !finder_.occurs_at_most(string, limit - around));
  }
  void select_and_print(std::string& text, std::string_view name, std::uint64_t size, std::vector<match>& matches) const {
    if (wanted_.unique) suffix::keep_unique_in_query(matches, index_.input, circular_.of_text());
    if (wanted_.super_maximal) suffix::keep_super_maximal(matches);
    printer_.print_all(text, name, size, matches);
  }

  searched_index const& index_;
  gpu_search& on_gpu_;
  wanted_matches const& wanted_;
  suffix::match_finder finder_;
  circular_records circular_;
  std::optional<suffix::ring_match_finder> rings_;  // if records are circular
  match_printer printer_;
  bool needs_all_;           // matches of a query are selected and ordered together
  bool by_statistics_;       // matches within others of their strand are not searched
  bool in_runs_;             // all matches of a unit are searched together
  std::vector<match> open_;  // open of a query that the next unit continues
};

/// Prints the maximal exact matches of queries, in the order of the queries.
class mem final : public query_search {
 public:
  cli::command_table table() override {
    return {
        .name = "sufsort mem",
        .summary = "print the maximal exact matches of queries",
        .usage = {"[OPTION]... PREFIX QUERY..."},
        .description =
            "Print a line for each maximal exact match: a string that a query and a record share, and that neither the "
            "letters before it nor those after it extend. A GPU finds them by the FM index, except rare ones and those around "
            "circular records.",
        .operands = {prefix_operand(prefix_), query_operand(files_)},
        .options = {{.letter = 'l',
                     .name = "min-length",
                     .value = "L",
                     .group = search_group,
                     .help = "find matches of at least L letters",
                     .preset = "20",
                     .set = parse_to(wanted_.find.min_length, "a match has at least one letter")},
                    {.name = "unique",
                     .group = search_group,
                     .help = "find only strings that occur once in the text and once in the query, as mummer -mum does",
                     .set =
                         [this](std::string_view, std::string_view) {
                           wanted_.unique = true;
                           wanted_.find.max_occurrences = 1;
                         }},
                    {.name = "rare",
                     .value = "N",
                     .group = search_group,
                     .help = "find only strings that occur at most N times in the text",
                     .details = "With 1, these are the matches of mummer -mumreference.",
                     .set =
                         [this](std::string_view spelling, std::string_view value) {
                           std::uint64_t max_occurrences = 0;
                           parse_to(max_occurrences, "a match occurs at least once")(spelling, value);
                           wanted_.find.max_occurrences = wanted_.unique ? 1 : max_occurrences;
                         }},
                    cli::flag("super-maximal", search_group,
                              "find only matches that lie within no longer match of the query, on any strand",
                              wanted_.super_maximal),
                    cli::flag("both-strands", search_group,
                              "find matches of the reverse complement, too, and print - as their strand", wanted_.both_strands,
                              "Offsets in the query count on its forward strand, except in the format of mummer. T and U of "
                              "queries are read as the one of them that the text has."),
                    circular_option(wanted_.circular, "matches",
                                    "A match goes around a record as often as the query does. PAF and BED have a line for each "
                                    "turn. --unique and --rare count occurrences across the ends, too."),
                    letters_option("matches", letters_),
                    fm_option(fm_),
                    {.name = "format",
                     .value = "NAME",
                     .group = output_group,
                     .help = "print tab-separated columns (tsv), what mummer prints (mummer), PAF (paf), or BED (bed)",
                     .preset = "tsv",
                     .details =
                         "tsv: query, offset in it, record, offset in it, strand, length; offsets count from 0. bed: record, "
                         "begin, end, query, length up to 1000, strand.",
                     .choices = "tsv mummer paf bed",
                     .only_choices = true,
                     .set =
                         [this](std::string_view, std::string_view value) {
                           using enum match_format;
                           wanted_.format = value == "tsv" ? tsv : value == "mummer" ? mummer : value == "paf" ? paf : bed;
                         }},
                    output_option(output_)},
        .examples = {
            {"Compare two genomes as mummer -maxmatch -b -n does",
             "sufsort mem genome other.fa --both-strands --format=mummer"},
            {"Find strings that are unique in both", "sufsort mem genome other.fa --unique -l 50 --format=paf -o mums.paf"},
            {"Find the longest matches of reads", "sufsort mem genome reads.fq.gz --super-maximal -l 31 --both-strands"}}};
  }

 private:
  void check(searched_index const& index) const override {
    if (wanted_.both_strands && !index.is_fasta())
      throw usage_error(fmt::format("conflicting options: --both-strands: {}: an index of FASTA has strands, no other",
                                    index.stored.path("json")));
  }
  [[nodiscard]] bool searches_both_strands() const override { return wanted_.both_strands; }
  [[nodiscard]] bool can_search_on_gpu(searched_index const& index) const override {
    return are_all_found(index, wanted_) && (!index.stored.has_runs() || wanted_.super_maximal);
  }
  [[nodiscard]] std::uint64_t letters_a_search() const override { return 8; }
  void search(search_ends const& ends) override {
    match_worker worker(ends.index, ends.on_gpu, wanted_);
    run_units(
        ends, wanted_.super_maximal ? gpu_letters : gpu_letters_of_all, [&](std::span<work_unit> units) { worker.work(units); },
        [&](work_unit& unit) { worker.finish(unit, ends.out); });
  }

  wanted_matches wanted_;
};

}  // namespace

std::unique_ptr<command> make_mem() {
  return std::make_unique<mem>();
}

}  // namespace ordo::inline v0::sufsort
