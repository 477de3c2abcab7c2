#include "tools/sufsort/search/query_units.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

constexpr std::uint64_t unit_letters = std::uint64_t{1} << 15;   // worked on at a time by one thread
constexpr std::size_t units_of_thread = 4, max_gpu_bundles = 6;  // bundles that wait or are worked on

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

/// Makes the letters of all queries of some units.
void prepare(std::span<work_unit const> units, letter_rules const& rules) {
  std::vector<query_set*> sets;
  for (work_unit const& unit : units)
    if (sets.empty() || sets.back() != unit.set.get()) sets.push_back(unit.set.get());
  each_in_parallel(sets.size(), [&](std::size_t k) { sets[k]->prepare(rules); });
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

}  // namespace

letter_rules::letter_rules(searched_index const& index, bool both_strands, suffix::letter_choice letters)
    : read_as(index.read_as(both_strands)),
      reverse(both_strands && !index.both_strands),
      all_letters(letters == suffix::letter_choice::all),
      other_strand(&index.other_strand) {
  if (letters == suffix::letter_choice::nucleotides)  // a text of FASTA has no NUL, which matches nothing
    for (char& c : read_as)
      if (!suffix::is_nucleotide(static_cast<unsigned char>(c))) c = '\0';
}

void query_set::prepare(letter_rules const& rules) {
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

void query_set::add_reversed(std::size_t i, letter_rules const& rules) {
  std::string_view const letters = queries.pattern(i);
  suffix::complement const& other = *rules.other_strand;
  if (std::size_t const at = rules.all_letters ? other.first_without(letters) : letters.npos; at != letters.npos)
    throw input_error(fmt::format("no complement: query '{}': letter {} is '{}', which is not a nucleotide",
                                  shortened(queries.name(i)), at + 1, letters[at]));
  reversed_begins_.push_back(reversed_.size());
  other.append_reversed(reversed_, letters);
}

gpu_search::gpu_search(searched_index& index, bool can_search, std::uint64_t letters, cli::common_options const& common) {
  machine_options const wanted = common.machine();
  bool const has_runs = index.stored.has_runs();
  if (!can_search || !(has_runs || index.stored.description().find("fm"))) {
    choice_.reason = can_search ? "a GPU searches by the FM index, and there is none (build --fm)"
                     : has_runs ? "a GPU finds super-maximal matches and statistics in an index of runs"
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
  starting_ = std::async([&fm, &index, wanted, choice = choice_] {  // runs in the first search if no thread is available
    return suffix::gpu_match_finder(fm, index.input, wanted, choice);
  });
}

suffix::gpu_match_finder* gpu_search::finder() {
  std::lock_guard const lock(changing_);
  if (starting_.valid())
    run_with_fallback(
        choice_, [&] { finder_.emplace(starting_.get()); }, [] {});
  return finder_ ? &*finder_ : nullptr;
}

template <class F>
bool gpu_search::search(F f) {
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

std::optional<suffix::found_matches> gpu_search::find(std::span<suffix::query_part const> parts, std::uint64_t min_length,
                                                      bool super_maximal) {
  std::optional<suffix::found_matches> result;
  search([&](suffix::gpu_match_finder& finder) {
    result = super_maximal ? finder.find_super_maximal(parts, min_length) : finder.find(parts, min_length);
  });
  return result;
}

bool gpu_search::statistics(std::span<suffix::query_part const> parts, std::span<std::uint64_t> lengths) {
  return search([&](suffix::gpu_match_finder& finder) { finder.statistics(parts, lengths); });
}

void gpu_search::tell(cli::stats& stats, std::uint64_t letters) {
  suffix::gpu_match_finder const* const used = finder();
  stats.machine(choice_);
  if (used) stats.overlapping("gpu", used->seconds(), 0, letters);
}

std::vector<std::size_t> first_parts(std::span<work_unit const> units) {
  std::vector<std::size_t> first{0};
  first.reserve(units.size() + 1);
  for (work_unit const& unit : units) first.push_back(first.back() + unit.parts.size());
  return first;
}

std::vector<suffix::query_part> collect_letters(std::span<work_unit const> units, std::span<std::size_t const> first) {
  std::vector<suffix::query_part> parts(first.back());
  each_in_parallel(units.size(), [&](std::size_t u) {
    std::ranges::transform(units[u].parts, parts.data() + first[u], [&](query_part const& part) {
      return suffix::query_part{units[u].set->letters(part.query, part.reverse), part.begin, part.end};
    });
  });
  return parts;
}

int query_search::run(cli::common_options const& common, reporter& report, communicator* /*members*/) {
  expect_query_files(files_);
  report.phase("open");
  searched_index index(prefix_, fm_ ? search_by::fm_index : search_by::any);
  if (index.input.residue_bytes != 1)
    throw input_error(
        fmt::format("no letters: {}: queries are letters, but the index is of tokens", index.stored.path("json")));
  check(index);
  cli::output out(output_, common.threads);
  refuse_output(prefix_, out);
  suffix::letter_choice const letters = letters_with_rows(index.stored, letters_, common.threads, &index.fm);
  report.phase("kmers");
  std::uint64_t const searched = letters_in(files_) * (searches_both_strands() && !index.both_strands ? 2 : 1);
  gpu_search on_gpu(index, can_search_on_gpu(index), searched, common);
  if (!on_gpu.works()) index.expect_searches(searched / letters_a_search(), common.threads);
  report.phase("search");
  search({index, on_gpu, letters, out, common, report});
  out.commit();
  return 0;
}

void query_search::run_units(search_ends const& ends, std::uint64_t letters_of_gpu,
                             std::function<void(std::span<work_unit>)> const& work,
                             std::function<void(work_unit&)> const& finish) const {
  searched_index const& index = ends.index;
  gpu_search& on_gpu = ends.on_gpu;
  reporter& report = ends.report;
  bool const both_strands = searches_both_strands();
  letter_rules const rules(index, both_strands, ends.letters);
  query_reader::options reading{rules.read_as, {}, {}, ends.common.threads, true};
  if (!index.is_fasta())
    reading.parse = [](std::string_view pattern) { return parse_symbols(pattern, pattern_format::text, 1); };
  query_reader reader({}, files_, std::move(reading), ends.out);
  unit_source source(reader, rules.reverse);
  tbb::task_arena arena(threads_for(ends.common.threads));
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

}  // namespace ordo::inline v0::sufsort
