#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/detail/buffer.hpp"
#include "ordo/error.hpp"
#include "ordo/memory.hpp"
#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/matches.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/circular_records.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/queries.hpp"
#include "tools/sufsort/searched_index.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

using suffix::match;

constexpr std::uint64_t unit_letters = std::uint64_t{1} << 15;  // worked on at a time by one thread
// A GPU works on more at a time, to keep its threads busy. Each matching statistic takes eight bytes of host memory besides.
// While it does, other bundles of units are read, prepared and printed.
// A letter may begin hundreds of matches, if these are not super-maximal.
constexpr std::uint64_t gpu_letters = std::uint64_t{1} << 25, gpu_letters_of_all = std::uint64_t{1} << 22,
                        gpu_lengths = std::uint64_t{1} << 24;
constexpr std::size_t units_of_thread = 4, max_gpu_bundles = 6;  // bundles that wait or are worked on

/// Changes the letters of queries to those of the text.
struct letter_rules {
  std::array<char, 256> read_as;
  bool reverse, all_letters;  // whether reverse complements are made, and whether each letter must have a complement
  suffix::complement const* other_strand;
};

/// Queries and, if wanted, their reverse complements.
class query_set {
 public:
  query_batch queries;

  /// Makes the letters once, by the first thread that needs them. @throws input_error  for a letter that has no complement
  void prepare(letter_rules const& rules) {
    std::call_once(is_prepared_, [&] {
      if (rules.reverse) {
        reversed_.reserve(queries.bytes());
        reversed_begins_.reserve(queries.size());
      }
      for (std::size_t i = 0; i < queries.size(); ++i) {
        for (char& c : queries.letters(i)) c = rules.read_as[static_cast<unsigned char>(c)];
        if (rules.reverse) add_reversed(i, rules);
      }
    });
  }
  [[nodiscard]] std::string_view letters(std::size_t i, bool reverse) const {
    std::string_view const forward = queries.pattern(i);
    return reverse ? std::string_view(reversed_).substr(reversed_begins_[i], forward.size()) : forward;
  }

 private:
  void add_reversed(std::size_t i, letter_rules const& rules) {
    std::string_view const letters = queries.pattern(i);
    suffix::complement const& other = *rules.other_strand;
    if (std::size_t const at = rules.all_letters ? other.first_without(letters) : letters.npos; at != letters.npos)
      throw input_error(fmt::format("no complement: query '{}': letter {} is '{}', which is not a nucleotide",
                                    shortened(queries.name(i)), at + 1, letters[at]));
    reversed_begins_.push_back(reversed_.size());
    other.append_reversed(reversed_, letters);
  }

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
  std::vector<match> head, tail;
  std::string text;
};

/// Cuts queries into units.
class unit_source {
 public:
  /// @param reverse  adds the reverse complement of each query
  unit_source(query_reader& reader, bool reverse) : reader_(reader), reverse_(reverse) {}

  /// @returns false at the end
  bool next(work_unit& unit) {
    while (!set_ || query_ == set_->queries.size())
      if (!read_set()) return false;
    unit.set = set_;
    for (std::uint64_t letters = 0; letters < unit_letters && query_ < set_->queries.size();) {
      std::uint64_t const size = set_->queries.pattern(query_).size(), end = std::min(size, at_ + unit_letters - letters);
      bool const ends_strand = end == size, ends_query = ends_strand && strand_ == reverse_;
      unit.parts.push_back({query_, strand_, at_, end, ends_query});
      letters += end - at_ + 1;
      at_ = ends_strand ? 0 : end;
      if (ends_strand) strand_ = !ends_query;
      query_ += ends_query;
    }
    return true;
  }
  /// Returns the number of letters of the queries read.
  [[nodiscard]] std::uint64_t letters() const noexcept { return letters_; }

 private:
  bool read_set() {
    auto set = std::make_shared<query_set>();
    if (!reader_.next(set->queries)) return false;
    for (std::size_t i = 0; i < set->queries.size(); ++i) letters_ += set->queries.pattern(i).size();
    set_ = std::move(set);
    query_ = 0;
    return true;
  }

  query_reader& reader_;
  bool reverse_;
  std::shared_ptr<query_set> set_;
  std::size_t query_ = 0;
  bool strand_ = false;
  std::uint64_t at_ = 0, letters_ = 0;
};

suffix::letter_choice letters_of(searched_index const& index, std::optional<suffix::letter_choice> wanted,
                                 cli::common_options const& common) {
  using enum suffix::letter_choice;
  auto const refuse = [&](char const* why) {
    throw usage_error(fmt::format("conflicting options: --letters: {}: {}", index.stored.path("json"), why));
  };
  if (!index.is_fasta() && wanted == nucleotides) refuse("nucleotides are letters of FASTA");
  bool const skips = index.stored.description().policy.ambiguous == suffix::ambiguous_letters::skip;
  if (skips && wanted == all) refuse("no other letters have rows");
  if (!index.is_fasta()) return all;
  if (skips) return nucleotides;
  if (wanted) return *wanted;
  return index.fm.empty() ? suffix::usual_letters(index.input.residues, common.threads) : suffix::usual_letters(index.fm);
}

/// Throws input_error for a pattern in the place of a file of queries.
void expect_query_files(std::vector<std::string> const& files) {
  for (std::string const& file : files) {
    bool const is_word =
        !file.empty() && std::ranges::all_of(file, [](char c) { return std::isalpha(static_cast<unsigned char>(c)); });
    std::error_code ignored;
    if (is_word && std::filesystem::status(file, ignored).type() == std::filesystem::file_type::not_found)
      throw input_error(
          fmt::format("cannot read: {}: {}: QUERY is a file; sufsort locate finds a pattern", file, std::strerror(ENOENT)));
  }
}

/// Returns how many letters the files hold at most; 0 of what is no file.
std::uint64_t letters_in(std::vector<std::string> const& files) {
  std::uint64_t letters = 0;
  for (std::string const& file : files) {
    std::error_code none;
    if (std::uintmax_t const bytes = std::filesystem::file_size(file, none); !none) letters += bytes;
  }
  return letters;
}

/// A GPU that searches for the strings of queries, if one was chosen. It starts while the first queries are read.
class gpu_search {
 public:
  /// @param can_search  whether a GPU can: matches and matching statistics of all rows
  /// @param letters  the letters of the queries, about
  gpu_search(searched_index& index, bool can_search, std::uint64_t letters, cli::common_options const& common) {
    machine_options const wanted = common.machine();
    if (!can_search || !(index.stored.description().find("fm"))) {
      choice_.reason = can_search ? "a GPU searches by the FM index, and there is none (build --fm)"
                                  : "a GPU finds all matches within records only: no rare ones, none around circular records";
      choice_.fell_back = wanted.kind() == device::gpu;
      return;
    }
    if (index.fm.empty()) own_ = index.stored.fm();
    suffix::fm_index& fm = index.fm.empty() ? own_ : index.fm;
    choice_ = suffix::gpu_match_finder::choose(fm, index.input, wanted, letters);
    works_ = choice_.device == device::gpu;
    if (!works_) return;
    fm.make_kmers(letters, common.threads);
    starting_ = std::async([&fm, &index, wanted, choice = choice_] {  // by the first search if no thread is available
      return suffix::gpu_match_finder(fm, index.input, wanted, choice);
    });
  }

  /// Returns true if a GPU was chosen.
  [[nodiscard]] bool works() const { return works_; }
  /// Finds matches of parts, or their matching statistics, one after the other.
  /// @returns nothing, or false, if the CPU must
  std::optional<suffix::found_matches> find(std::span<suffix::query_part const> parts, std::uint64_t min_length,
                                            bool super_maximal) {
    std::optional<suffix::found_matches> result;
    search([&](suffix::gpu_match_finder& finder) {
      result = super_maximal ? finder.find_super_maximal(parts, min_length) : finder.find(parts, min_length);
    });
    return result;
  }
  bool statistics(std::span<suffix::query_part const> parts, std::span<std::uint64_t> lengths) {
    return search([&](suffix::gpu_match_finder& finder) { finder.statistics(parts, lengths); });
  }
  /// Reports the machine, when all searches have ended.
  void tell(cli::stats& stats, std::uint64_t letters) {
    suffix::gpu_match_finder const* const used = finder();
    stats.machine(choice_);
    if (used) stats.overlapping("gpu", used->seconds(), 0, letters);
  }

 private:
  // Returns the finder once it has started; null if the CPU must do all.
  suffix::gpu_match_finder* finder() {
    std::lock_guard const lock(changing_);
    if (starting_.valid())
      run_with_fallback(
          choice_, [&] { finder_.emplace(starting_.get()); }, [] {});
    return finder_ ? &*finder_ : nullptr;
  }
  template <class F>
  bool search(F f) {
    suffix::gpu_match_finder* const ready = works_ ? finder() : nullptr;
    if (!ready) return false;
    try {
      f(*ready);
      return true;
    } catch (out_of_memory const&) {
      if (choice_.required) throw;
      return false;
    }
  }

  suffix::fm_index own_;  // if searches on the CPU are by the suffix array
  machine_choice choice_;
  bool works_ = false;
  std::mutex changing_;
  std::future<suffix::gpu_match_finder> starting_;
  std::optional<suffix::gpu_match_finder> finder_;
};

/// Calls f(0), ..., f(n - 1) in parallel. Threads that wait for others take no other work, which would delay this.
template <class F>
void each_of(std::size_t n, F f) {
  if (n == 1) return f(std::size_t{0});
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, n, f); });
}

/// Makes the letters of all queries of some units.
void prepare(std::span<work_unit const> units, letter_rules const& rules) {
  std::vector<query_set*> sets;
  for (work_unit const& unit : units)
    if (sets.empty() || sets.back() != unit.set.get()) sets.push_back(unit.set.get());
  each_of(sets.size(), [&](std::size_t k) { sets[k]->prepare(rules); });
}

/// Returns the number of parts of the units before each one, and of all.
std::vector<std::size_t> first_parts(std::span<work_unit const> units) {
  std::vector<std::size_t> first{0};
  first.reserve(units.size() + 1);
  for (work_unit const& unit : units) first.push_back(first.back() + unit.parts.size());
  return first;
}

/// Returns the letters of all parts of some units. @param first  what first_parts returns
std::vector<suffix::query_part> letters_of(std::span<work_unit const> units, std::span<std::size_t const> first) {
  std::vector<suffix::query_part> parts(first.back());
  each_of(units.size(), [&](std::size_t u) {
    std::ranges::transform(units[u].parts, parts.data() + first[u], [&](query_part const& part) {
      return suffix::query_part{units[u].set->letters(part.query, part.reverse), part.begin, part.end};
    });
  });
  return parts;
}

/// Reads queries, calls work(units) for one unit, or as many as a GPU takes, in parallel, and finish(unit) in the order of the
/// queries. @param both_strands  adds reverse complements @param letters_of_gpu  that it takes at a time
void run_units(std::vector<std::string> const& files, bool both_strands, suffix::letter_choice letters, gpu_search& on_gpu,
               std::uint64_t letters_of_gpu, cli::common_options const& common, searched_index const& index,
               cli::output const& out, reporter& report, std::function<void(std::span<work_unit>)> const& work,
               std::function<void(work_unit&)> const& finish) {
  letter_rules rules{index.read_as(both_strands), both_strands && !index.both_strands, letters == suffix::letter_choice::all,
                     &index.other_strand};
  if (letters == suffix::letter_choice::nucleotides)  // a text of FASTA has no NUL, which matches nothing
    for (char& c : rules.read_as)
      if (!suffix::is_nucleotide(static_cast<unsigned char>(c))) c = '\0';
  query_reader::options reading{rules.read_as, {}, {}, common.threads, true};
  if (!index.is_fasta())
    reading.parse = [](std::string_view pattern) { return parse_symbols(pattern, pattern_format::text, 1); };
  query_reader reader({}, files, std::move(reading), out);
  unit_source source(reader, rules.reverse);
  tbb::task_arena arena(threads_for(common.threads));
  std::size_t const waiting = units_of_thread * std::size_t(arena.max_concurrency());
  using bundle = std::shared_ptr<std::vector<work_unit>>;
  using clock = std::chrono::steady_clock;
  clock::duration time_to_read{};
  arena.execute([&] {
    tbb::parallel_pipeline(on_gpu.works() ? std::min(waiting, max_gpu_bundles) : waiting,
                           tbb::make_filter<void, bundle>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
                             auto const begin = clock::now();
                             auto next = std::make_shared<std::vector<work_unit>>();
                             for (std::uint64_t taken = 0; taken < (on_gpu.works() ? letters_of_gpu : 1);
                                  taken += unit_letters) {
                               next->emplace_back();
                               if (source.next(next->back())) continue;
                               next->pop_back();
                               break;
                             }
                             time_to_read += clock::now() - begin;
                             if (next->empty()) control.stop();
                             report.progress.at(source.letters());
                             return next;
                           }) & tbb::make_filter<bundle, bundle>(tbb::filter_mode::parallel, [&](bundle units) {
                             prepare(*units, rules);
                             work(*units);
                             return units;
                           }) & tbb::make_filter<bundle, void>(tbb::filter_mode::serial_in_order, [&](bundle const& units) {
                             for (work_unit& unit : *units) finish(unit);
                           }));
  });
  report.stats.input(source.letters());
  report.stats.bytes(source.letters());
  report.stats.overlapping("read", std::chrono::duration<double>(time_to_read).count(), 0, source.letters());
  on_gpu.tell(report.stats, source.letters());
}

/// Formats the matches of queries.
class match_printer {
 public:
  match_printer(searched_index const& index, circular_records const& circular, matches_options const& options)
      : index_(index),
        circular_(circular),
        options_(options),
        both_(options.both_strands || index.both_strands),
        one_record_(index.stored.description().records() == 1) {
    if (options.format != match_format::mummer || one_record_) return;
    std::string name;
    for (std::size_t r = 0; r < index.stored.description().records(); ++r) {
      name.clear();
      index.stored.description().append_name(name, r);
      longest_name_ = std::max(longest_name_, name.size());
    }
  }

  /// Appends the line before the matches of a strand.
  void begin_strand(std::string& text, std::string_view query, bool reverse) const {
    if (options_.format != match_format::mummer) return;
    ((text += "> ") += query) += reverse ? " Reverse\n" : "\n";
  }
  void print(std::string& text, std::string_view query, std::uint64_t size, match const& match) const {
    suffix::location const at = location_of(match);
    std::uint64_t const end = match.query_begin + match.length;
    char const strand = match.reverse ? '-' : '+';
    auto const add_record = [&] { index_.stored.description().append_name(text, at.record); };
    switch (options_.format) {
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
          for (std::uint64_t const number : {length_of(at.record), offset, offset + length, length, length})
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
    std::ranges::stable_sort(matches, {}, [&](match const& match) {
      std::uint64_t const begin = match.reverse ? size - match.query_begin - match.length : match.query_begin;
      return std::tuple(match.reverse, begin, location_of(match));
    });
    std::size_t i = 0;
    for (int strand = 0; strand <= int(both_); ++strand) {
      begin_strand(text, query, strand != 0);
      for (; i < matches.size() && matches[i].reverse == (strand != 0); ++i) print(text, query, size, matches[i]);
    }
  }

 private:
  [[nodiscard]] suffix::location location_of(match const& match) const {
    std::size_t const record = index_.search.record_of(match.position);
    return circular_.has(record) ? circular_.location_of(record, match.position, match.length)
                                 : index_.pieces.location_of(index_.input, record, match.position, match.length);
  }
  /// Calls line(letters before it, its offset, its letters) for each part of a match that no end of a record divides.
  template <class F>
  void each_turn(suffix::location const& at, std::uint64_t length, F line) const {
    std::uint64_t const size = length_of(at.record);
    for (std::uint64_t done = 0, offset = at.offset; done < length; offset = 0) {
      std::uint64_t const part = std::min(length - done, size - offset);
      line(done, offset, part);
      done += part;
    }
  }
  [[nodiscard]] std::uint64_t length_of(std::size_t record) const {
    suffix::index_description const& about = index_.stored.description();
    return about.policy.cuts() ? about.lengths[record] : index_.input.end_of(record) - index_.input.begin_of(record);
  }

  searched_index const& index_;
  circular_records const& circular_;
  matches_options const& options_;
  bool both_, one_record_;
  std::size_t longest_name_ = 0;
};

/// Returns true if all matches within records are found, of which some may be selected later.
bool are_all_found(searched_index const& index, matches_options const& options) {
  return options.find.max_occurrences == 0 && options.circular.empty() && index.stored.description().policy.rows().all();
}
/// Returns true if matches are found by matching statistics.
bool are_by_statistics(searched_index const& index, matches_options const& options) {
  return options.super_maximal && are_all_found(index, options);
}

/// Finds and prints matches.
class match_worker {
 public:
  match_worker(searched_index const& index, gpu_search& on_gpu, matches_options const& options)
      : index_(index),
        on_gpu_(on_gpu),
        options_(options),
        finder_(index.input, index.search, index.stored.description().policy.rows(), options.find),
        circular_(index, options.circular),
        printer_(index, circular_, options),
        needs_all_(options.unique || options.super_maximal || index.both_strands || circular_.any()),
        by_statistics_(are_by_statistics(index, options)) {
    if (circular_.any()) rings_.emplace(index.input, circular_.of_text(), options.find.min_length);
  }

  void work(std::span<work_unit> units) const {
    auto const first = first_parts(units);
    std::optional<suffix::found_matches> on_gpu;
    if (on_gpu_.works()) on_gpu = on_gpu_.find(letters_of(units, first), options_.find.min_length, by_statistics_);
    each_of(units.size(), [&](std::size_t u) {
      std::vector<match> result;
      std::vector<std::size_t> ends(on_gpu || by_statistics_ ? units[u].parts.size() : 0);
      if (on_gpu) {
        on_gpu->append(first[u], result, ends);
      } else if (by_statistics_) {
        auto const unit = units.subspan(u, 1);
        finder_.find_super_maximal(letters_of(unit, first_parts(unit)), result, ends);
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
  // Prints the matches of a unit's parts. @param found  those of part p end at ends[p]; without ends they are still to be found
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
      for (std::size_t i = first; i < matches.size(); ++i) orient(matches[i], part.reverse, letters.size());
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
  void orient(match& match, bool reverse, std::uint64_t size) const {
    match.reverse = reverse || (index_.both_strands && index_.is_reverse(match.position));
    if (reverse) match.query_begin = size - match.query_begin - match.length;
  }
  // Returns true if a string has more occurrences than wanted, if those over the ends of circular records count, too. Those
  // within records are known to be few enough unless the string's match is over an end.
  [[nodiscard]] bool is_frequent(std::string_view string) const {
    std::uint64_t const limit = options_.find.max_occurrences, around = limit == 0 ? 0 : rings_->count(string);
    return around > limit || (around != 0 && !finder_.occurs_at_most(string, limit - around));
  }
  void select_and_print(std::string& text, std::string_view name, std::uint64_t size, std::vector<match>& matches) const {
    if (options_.unique) suffix::keep_unique_in_query(matches, index_.input, circular_.of_text());
    if (options_.super_maximal) suffix::keep_super_maximal(matches);
    printer_.print_all(text, name, size, matches);
  }

  searched_index const& index_;
  gpu_search& on_gpu_;
  matches_options const& options_;
  suffix::match_finder finder_;
  circular_records circular_;
  std::optional<suffix::ring_match_finder> rings_;  // if records are circular
  match_printer printer_;
  bool needs_all_;           // matches of a query are selected and ordered together
  bool by_statistics_;       // matches within others of their strand are not searched
  std::vector<match> open_;  // open of a query that the next unit continues
};

void refuse_tokens(searched_index const& index) {
  if (index.input.residue_bytes != 1)
    throw input_error(
        fmt::format("no letters: {}: queries are letters, but the index is of tokens", index.stored.path("json")));
}

void refuse_strands(searched_index const& index) {
  if (!index.is_fasta())
    throw usage_error(fmt::format("conflicting options: --both-strands: {}: an index of FASTA has strands, no other",
                                  index.stored.path("json")));
}

}  // namespace

int matches(matches_options const& options, cli::common_options const& common, reporter& report) {
  expect_query_files(options.files);
  report.phase("open");
  searched_index index(options.prefix, options.fm ? search_by::fm_index : search_by::any);
  refuse_tokens(index);
  if (options.both_strands) refuse_strands(index);
  cli::output out(options.output, common.threads);
  refuse_output(options.prefix, out);
  suffix::letter_choice const letters = letters_of(index, options.letters, common);
  report.phase("kmers");
  std::uint64_t const searched = letters_in(options.files) * (options.both_strands && !index.both_strands ? 2 : 1);
  gpu_search on_gpu(index, are_all_found(index, options), searched, common);
  if (!on_gpu.works()) index.expect_searches(searched / 8, common.threads);  // about every eighth letter
  report.phase("search");
  match_worker worker(index, on_gpu, options);
  run_units(
      options.files, options.both_strands, letters, on_gpu, options.super_maximal ? gpu_letters : gpu_letters_of_all, common,
      index, out, report, [&](std::span<work_unit> units) { worker.work(units); },
      [&](work_unit& unit) { worker.finish(unit, out); });
  out.commit();
  return 0;
}

namespace {

void print_lengths(std::string& text, std::string_view name, query_part const& part, std::span<std::uint64_t const> lengths,
                   bool tsv) {
  if (tsv) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      append((text += name) += '\t', part.begin + i);
      append(text += '\t', lengths[i]);
      text += '\n';
    }
    return;
  }
  if (part.begins_query()) ((text += '>') += name) += '\n';
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (part.begin + i != 0) text += ' ';
    append(text, lengths[i]);
  }
  if (part.ends_query) text += '\n';
}

}  // namespace

int matching_statistics(statistics_options const& options, cli::common_options const& common, reporter& report) {
  expect_query_files(options.files);
  report.phase("open");
  searched_index index(options.prefix, options.fm ? search_by::fm_index : search_by::any);
  refuse_tokens(index);
  if (index.stored.description().policy.sample != 1)
    throw input_error(
        fmt::format("rows are left out: {}: matching statistics need the row of every position: build the index "
                    "without --sample",
                    index.stored.path("json")));
  cli::output out(options.output, common.threads);
  refuse_output(options.prefix, out);
  suffix::letter_choice const letters = letters_of(index, options.letters, common);
  report.phase("kmers");
  std::uint64_t const searched = letters_in(options.files);
  gpu_search on_gpu(index, true, searched, common);
  if (!on_gpu.works()) index.expect_searches(searched, common.threads);
  circular_records const circular(index, options.circular);
  std::optional<suffix::ring_statistics> rings;
  if (circular.any()) rings.emplace(index.input, circular.of_text());
  report.phase("search");
  auto const work = [&](std::span<work_unit> units) {
    std::vector<std::size_t> first_letter;  // first letter of each unit
    std::size_t count = 0;
    for (work_unit const& unit : units) {
      first_letter.push_back(count);
      for (query_part const& part : unit.parts) count += std::size_t(part.end - part.begin);
    }
    host_memory plain;
    buffer<std::uint64_t> const all(plain, count);
    bool const are_found = on_gpu.works() && on_gpu.statistics(letters_of(units, first_parts(units)), all.span());
    each_of(units.size(), [&](std::size_t u) {
      work_unit& unit = units[u];
      std::size_t at = first_letter[u];
      for (query_part const& part : unit.parts) {
        std::string_view const name = unit.set->queries.name(part.query), query = unit.set->letters(part.query, false);
        auto const lengths = all.span().subspan(at, std::size_t(part.end - part.begin));
        at += lengths.size();
        if (!are_found) suffix::matching_statistics(index.search, query, part.begin, lengths);
        if (rings) rings->lengthen(query, part.begin, lengths);
        print_lengths(unit.text, name, part, lengths, options.tsv);
      }
    });
  };
  run_units(options.files, false, letters, on_gpu, gpu_lengths, common, index, out, report, work,
            [&](work_unit& unit) { out.write(std::string_view(unit.text)); });
  out.commit();
  return 0;
}

}  // namespace ordo::inline v0::sufsort
