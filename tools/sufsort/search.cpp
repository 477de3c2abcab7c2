#include "tools/sufsort/search.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "sort_core/error.hpp"
#include "sort_core/host/threads.hpp"
#include "suffix/complement.hpp"
#include "suffix/index.hpp"
#include "suffix/search.hpp"
#include "suffix/sparse_search.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/lines.hpp"
#include "tools/sufsort/queries.hpp"

namespace ordo::sufsort {
namespace {

/// An index, opened to be searched.
struct searched_index {
  suffix::stored_index stored;
  suffix::text input;
  suffix::pieces pieces;
  suffix::searcher search;
  std::optional<suffix::sparse_searcher> sparse;  // where rows are left out
  bool both_strands;                              // does the text have both?
  suffix::complement other_strand;

  explicit searched_index(std::string const& prefix)
      : stored(prefix),
        input(stored.view()),
        pieces(stored.pieces()),
        search(input, stored.array("sa"), stored.path("sa"), stored.words()),
        both_strands(stored.about().policy.strands == suffix::strands::both),
        other_strand(is_rna()) {
    if (suffix::row_choice const rows = stored.about().policy.rows(); !rows.all()) sparse.emplace(input, search, rows);
  }
  searched_index(searched_index const&) = delete;  // sparse has a view of it
  searched_index& operator=(searched_index const&) = delete;

  [[nodiscard]] bool is_reverse(std::uint64_t p) const { return pieces.is_reverse(search.record_of(p)); }

 private:
  [[nodiscard]] bool is_rna() const {
    auto const occurs = [&](char const* letters) {
      if (!stored.about().policy.rows().all()) {
        char const either[2] = {letters[0], char(letters[0] + 32)};
        return input.residues.find_first_of(std::string_view(either, 2)) != input.residues.npos;
      }
      return search.find(letters).size() + search.find(std::string(1, char(letters[0] + 32))).size() != 0;
    };
    return occurs("U") && !occurs("T");
  }
};

/// Patterns and what was found of them: of each pattern i as it is, as i; and, where the other strand is looked for and the
/// text does not hold it, of its reverse complement, as reverse(i). Either is a range of rows, or, where the array lacks rows,
/// a list of positions.
struct found_batch {
  query_batch queries;
  std::string reversed;  // all reverse complements
  std::vector<std::string_view> patterns;
  std::vector<suffix::row_range> rows;
  std::vector<std::vector<std::uint64_t>> listed;
  std::string text;            // of the first of them
  std::size_t written_of = 0;  // how many patterns that is

  void search(searched_index const& index, bool reverse) {
    std::size_t const count = queries.size();
    reversed.clear();
    patterns.clear();
    for (std::size_t i = 0; i < count; ++i) patterns.push_back(queries.pattern(i));
    if (reverse) {
      std::size_t bytes = 0;
      for (std::size_t i = 0; i < count; ++i) {
        if (std::size_t const at = index.other_strand.first_without(patterns[i]); at != patterns[i].npos)
          throw input_error(fmt::format("no complement: pattern '{}': letter {} is '{}', no nucleotide", queries.name(i),
                                        at + 1, patterns[i][at]));
        bytes += patterns[i].size();
      }
      reversed.reserve(bytes);  // views of it stay
      for (std::size_t i = 0; i < count; ++i) {
        std::size_t const begin = reversed.size();
        index.other_strand.append_reversed(reversed, patterns[i]);
        patterns.push_back(std::string_view(reversed).substr(begin));
      }
    }
    rows.assign(patterns.size(), {});
    listed.clear();
    if (!index.sparse) return index.search.find(patterns, rows);
    for (std::string_view const pattern : patterns) listed.push_back(index.sparse->locate(pattern));
  }
  [[nodiscard]] bool has_reverse() const { return rows.size() != queries.size(); }
  [[nodiscard]] std::size_t reverse(std::size_t i) const { return queries.size() + i; }
  [[nodiscard]] std::size_t count(std::size_t k) const { return listed.empty() ? rows[k].size() : listed[k].size(); }
  [[nodiscard]] std::uint64_t position(searched_index const& index, std::size_t k, std::size_t hit) const {
    return listed.empty() ? index.search.position(rows[k].begin + hit) : listed[k][hit];
  }
  /// On either strand.
  [[nodiscard]] std::size_t hits(std::size_t i) const { return count(i) + (has_reverse() ? count(reverse(i)) : 0); }
};

/// Patterns that have more hits than are printed.
class cut_patterns {
 public:
  void add(std::string_view name, std::size_t hits) {
    if (count_++ != 0) return;
    first_ = name.size() <= 40 ? std::string(name) : std::string(name.substr(0, 37)) + "...";
    hits_ = hits;
  }
  void tell(std::size_t limit) const {
    if (count_ == 0) return;
    std::string const others = count_ == 1 ? "" : fmt::format(", and {} more patterns have too many", count_ - 1);
    cli::say("sufsort", fmt::format("cut: pattern '{}': {} hits, of which {} are printed{}: --limit 0 prints all", first_,
                                    hits_, limit, others));
  }

 private:
  std::size_t count_ = 0, hits_ = 0;
  std::string first_;
};

/// A hit: where, and at which position of the text.
struct hit {
  suffix::place at;
  std::uint64_t position;
};

class hit_printer {
 public:
  hit_printer(searched_index const& index, search_options const& how) : index_(index), how_(how) {}

  /// How many lines a pattern takes.
  [[nodiscard]] std::size_t lines(std::size_t hits) const { return how_.limit == 0 ? hits : std::min(hits, how_.limit); }

  /// The lines of pattern i. flush(text) is called where there is much of it.
  template <class Flush>
  void print(found_batch const& found, std::size_t i, std::string& text, Flush flush) {
    find_hits(found, i);
    std::string_view const name = found.queries.name(i);
    std::size_t const count = found.hits(i), length = found.patterns[i].size();
    if (hits_.empty() && !how_.bed) {
      (text += name) += "\t0\t.\t.\t.";
      if (how_.context != 0) text += "\t.\t.";
      text += '\n';
    }
    for (hit const& one : hits_) {
      if (how_.bed) {
        text += index_.stored.about().names[one.at.record];
        append(text += '\t', one.at.offset);
        append(text += '\t', one.at.offset + length);
        (text += '\t') += name;
        append(text += '\t', std::min<std::size_t>(count, 1000));
      } else {
        text += name;
        append(text += '\t', count);
        (text += '\t') += index_.stored.about().names[one.at.record];
        append(text += '\t', one.at.offset);
      }
      text += one.at.reverse ? "\t-" : "\t+";
      if (how_.context != 0) add_context(text, one, length);
      text += '\n';
      flush(text);
    }
  }

 private:
  // The first ones of the pattern, then of its reverse complement; in order of their places.
  void find_hits(found_batch const& found, std::size_t i) {
    hits_.clear();
    std::size_t const most = lines(found.hits(i)), length = found.patterns[i].size();
    auto const add = [&](std::size_t k, bool reverse) {
      for (std::size_t one = 0; one < found.count(k) && hits_.size() < most; ++one) {
        std::uint64_t const p = found.position(index_, k, one);
        std::size_t const record = index_.search.record_of(p);
        if (length > index_.input.end_of(record) - p)
          throw input_error(fmt::format("bad index: {}: position {}: out of order", index_.stored.path("sa"), p));
        suffix::place at = index_.pieces.place_of(index_.input, record, p, length);
        at.reverse ^= reverse;
        hits_.push_back({at, p});
      }
    };
    add(i, false);
    if (found.has_reverse()) add(found.reverse(i), true);
    std::ranges::sort(hits_, {}, &hit::at);
  }

  // What is before and behind a hit in its record, read as the pattern is.
  void add_context(std::string& text, hit const& one, std::size_t length) const {
    std::string_view const residues = index_.input.residues;
    std::size_t const record = index_.search.record_of(one.position), begin = index_.input.begin_of(record),
                      end = index_.input.end_of(record), p = one.position;
    std::string_view const before = residues.substr(p - std::min(how_.context, p - begin), std::min(how_.context, p - begin));
    std::string_view const behind = residues.substr(p + length, std::min(how_.context, end - p - length));
    bool const turned = one.at.reverse && !index_.both_strands;
    for (std::string_view const side : {turned ? behind : before, turned ? before : behind}) {
      text += '\t';
      if (side.empty())
        text += '.';
      else if (turned)
        index_.other_strand.append_reversed(text, side);
      else
        text += side;
    }
  }

  searched_index const& index_;
  search_options const& how_;
  std::vector<hit> hits_;
};

/// Batches of patterns, read one after the other, searched by all threads, and written in the order in which they were read.
/// print(batch) makes its text, at most up to some size; finish(batch) writes it, and the rest.
template <class Print, class Finish>
void run_batches(search_options const& how, cli::common_options const& common, searched_index const& index,
                 cli::output const& out, telling& tell, Print print, Finish finish) {
  std::vector<std::string> patterns;
  std::ranges::copy_if(how.patterns, std::back_inserter(patterns), [](std::string const& pattern) { return pattern != "-"; });
  query_reader reader(std::move(patterns), inputs_of(how), !index.stored.about().policy.keeps_case(), common.threads, out);
  bool const reverse = how.both_strands && !index.both_strands;
  tbb::task_arena arena(threads_for(common.threads));
  std::uint64_t letters = 0;
  using batch = std::shared_ptr<found_batch>;
  arena.execute([&] {
    std::size_t const at_once = 2 * std::size_t(arena.max_concurrency());
    tbb::parallel_pipeline(at_once,
                           tbb::make_filter<void, batch>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
                             auto next = std::make_shared<found_batch>();
                             if (!reader.next(next->queries)) control.stop();
                             return next;
                           }) & tbb::make_filter<batch, batch>(tbb::filter_mode::parallel, [&](batch found) {
                             found->search(index, reverse);
                             print(*found);
                             return found;
                           }) & tbb::make_filter<batch, void>(tbb::filter_mode::serial_in_order, [&](batch const& found) {
                             for (std::size_t i = 0; i < found->queries.size(); ++i)
                               letters += found->queries.pattern(i).size();
                             tell.progress.at(letters);
                             finish(*found);
                           }));
  });
  tell.stats.input(letters);
  tell.stats.bytes(letters);
}

void open(search_options const& how, telling& tell) {
  if (how.patterns.empty() && how.files.empty())
    throw usage_error("no patterns: the command line: PATTERN or -f FILE (see sufsort --help)");
  tell.phase("open");
}

}  // namespace

int locate(search_options const& how, cli::common_options const& common, telling& tell) {
  open(how, tell);
  searched_index const index(how.prefix);
  cli::output out(how.output, common.threads);
  refuse_output(how.prefix, out);
  tell.phase("search");
  constexpr std::size_t much = std::size_t{4} << 20;  // text of a batch that is made before it can be written
  cut_patterns cut;
  run_batches(
      how, common, index, out, tell,
      [&](found_batch& found) {
        hit_printer printer(index, how);
        std::size_t const line = 64 + 2 * how.context;
        for (std::size_t i = 0; i < found.queries.size(); ++i, ++found.written_of) {
          constexpr std::size_t ahead = 16;
          for (std::size_t k = i + ahead; k < found.rows.size(); k += found.queries.size())
            index.search.expect(found.rows[k].begin);
          if (found.text.size() + printer.lines(found.hits(i)) * (line + found.queries.name(i).size()) > much) break;
          printer.print(found, i, found.text, [](std::string&) {});
        }
      },
      [&](found_batch& found) {
        auto const write = [&](std::string& text) {
          out.write(std::string_view(text));
          text.clear();
        };
        write(found.text);
        hit_printer printer(index, how);
        for (std::size_t i = found.written_of; i < found.queries.size(); ++i)
          printer.print(found, i, found.text, [&](std::string& text) {
            if (text.size() >= much) write(text);
          });
        write(found.text);
        for (std::size_t i = 0; i < found.queries.size(); ++i)
          if (printer.lines(found.hits(i)) < found.hits(i)) cut.add(found.queries.name(i), found.hits(i));
      });
  out.commit();
  if (!common.quiet) cut.tell(how.limit);
  return 0;
}

int count(search_options const& how, cli::common_options const& common, telling& tell) {
  open(how, tell);
  searched_index const index(how.prefix);
  cli::output out(how.output, common.threads);
  refuse_output(how.prefix, out);
  tell.phase("search");
  // Of an index of both strands: those are found together.
  auto const reverse_among = [&](found_batch const& found, std::size_t i) {
    std::size_t reverse = 0;
    for (std::size_t hit = 0; hit < found.count(i); ++hit) reverse += index.is_reverse(found.position(index, i, hit));
    return reverse;
  };
  run_batches(
      how, common, index, out, tell,
      [&](found_batch& found) {
        for (std::size_t i = 0; i < found.queries.size(); ++i) {
          append((found.text += found.queries.name(i)) += '\t', found.hits(i));
          if (how.both_strands) {
            std::size_t const reverse = found.has_reverse() ? found.count(found.reverse(i)) : reverse_among(found, i);
            append(found.text += '\t', found.hits(i) - reverse);
            append(found.text += '\t', reverse);
          }
          found.text += '\n';
        }
      },
      [&](found_batch& found) { out.write(std::string_view(found.text)); });
  out.commit();
  return 0;
}

}  // namespace ordo::sufsort
