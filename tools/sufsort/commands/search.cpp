#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/pieces.hpp"
#include "ordo/suffix/search.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/circular_records.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/missed_patterns.hpp"
#include "tools/sufsort/queries.hpp"
#include "tools/sufsort/searched_index.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

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
  std::size_t written_of = 0;                      // the number of these patterns

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

void found_batch::search(searched_index const& index, circular_records const& circular, bool reverse) {
  std::size_t const count = queries.size();
  reversed.clear();
  patterns.clear();
  for (std::size_t i = 0; i < count; ++i) patterns.push_back(queries.pattern(i));
  if (reverse) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::size_t const at = index.other_strand.first_without(patterns[i]); at != patterns[i].npos)
        throw input_error(fmt::format("no complement: pattern '{}': letter {} is '{}', which is not a nucleotide",
                                      queries.name(i), at + 1, patterns[i][at]));
      bytes += patterns[i].size();
    }
    reversed.reserve(bytes);  // keeps views of it valid
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t const begin = reversed.size();
      index.other_strand.append_reversed(reversed, patterns[i]);
      patterns.push_back(std::string_view(reversed).substr(begin));
    }
  }
  around.clear();
  if (circular.any())
    for (std::string_view const pattern : patterns) around.push_back(circular.locate(pattern));
  rows.assign(patterns.size(), {});
  listed.clear();
  if (!index.sparse) {
    index.search.find(patterns, rows);
    for (std::size_t k = 0; k < patterns.size(); ++k)
      if (patterns[k].empty()) rows[k] = {};
    return;
  }
  for (std::string_view const pattern : patterns)
    listed.push_back(pattern.empty() ? std::vector<std::uint64_t>() : index.sparse->locate(pattern));
}

/// Counts patterns that have more hits than are printed.
class cut_patterns {
 public:
  void add(std::string_view name, std::size_t hits);
  /// Warns if there are any.
  void report(std::size_t limit) const;

 private:
  std::size_t count_ = 0, hits_ = 0;
  std::string first_;
};

struct hit {
  suffix::location at;
  std::uint64_t position;
};

/// Formats the output of locate.
class hit_printer {
 public:
  hit_printer(searched_index const& index, circular_records const& circular, search_options const& options)
      : index_(index), circular_(circular), options_(options) {}

  /// Returns the number of lines of a pattern.
  [[nodiscard]] std::size_t lines(std::size_t hits) const {
    return options_.limit == 0 ? hits : std::min(hits, options_.limit);
  }

  /// Appends the lines of pattern i to `text` and calls flush(text) after each.
  void print(found_batch const& found, std::size_t i, std::string& text, std::function<void(std::string&)> const& flush);

 private:
  void find_hits(found_batch const& found, std::size_t i);
  void add_context(std::string& text, hit const& one, std::size_t length) const;
  void add_bed(std::string& text, found_batch const& found, std::size_t i, hit const& one, std::uint64_t begin,
               std::uint64_t end) const;
  [[nodiscard]] std::string letters(std::size_t record, std::size_t begin, std::size_t length) const;

  searched_index const& index_;
  circular_records const& circular_;
  search_options const& options_;
  std::vector<hit> hits_;
  std::vector<std::uint64_t> positions_;
};

void cut_patterns::add(std::string_view name, std::size_t hits) {
  if (count_++ != 0) return;
  first_ = shortened(name);
  hits_ = hits;
}

void cut_patterns::report(std::size_t limit) const {
  if (count_ == 0) return;
  std::string const others = count_ == 1 ? "" : fmt::format(", and {} more patterns have too many", count_ - 1);
  cli::say("sufsort",
           fmt::format("warning: not all printed: pattern '{}': {} of its {} hits are printed{}: use --limit=0 to print all",
                       first_, limit, hits_, others));
}

void hit_printer::print(found_batch const& batch, std::size_t i, std::string& text,
                        std::function<void(std::string&)> const& flush) {
  find_hits(batch, i);
  std::string_view const name = batch.queries.name(i);
  std::size_t const count = batch.hits(i), length = batch.patterns[i].size() / index_.input.residue_bytes;
  if (hits_.empty() && !options_.bed) {
    (text += name) += "\t0\t.\t.\t.";
    if (options_.context != 0) text += "\t.\t.";
    text += '\n';
  }
  for (hit const& hit : hits_) {
    if (options_.bed) {
      // A hit across the end of a record has two lines.
      std::size_t const record = index_.search.record_of(hit.position);
      std::uint64_t const size = index_.input.end_of(record) - index_.input.begin_of(record);
      std::uint64_t const end = hit.at.offset + length;
      bool const is_around = hit.position + length > index_.input.end_of(record);
      add_bed(text, batch, i, hit, hit.at.offset, is_around ? size : end);
      if (is_around) add_bed(text, batch, i, hit, 0, end - size);
    } else {
      text += name;
      append(text += '\t', count);
      index_.stored.description().append_name(text += '\t', hit.at.record);
      append(text += '\t', hit.at.offset);
      text += hit.at.reverse ? "\t-" : "\t+";
      if (options_.context != 0) add_context(text, hit, length);
      text += '\n';
    }
    flush(text);
  }
}

void hit_printer::add_bed(std::string& text, found_batch const& batch, std::size_t i, hit const& hit, std::uint64_t begin,
                          std::uint64_t end) const {
  index_.stored.description().append_name(text, hit.at.record);
  append(text += '\t', begin);
  append(text += '\t', end);
  (text += '\t') += batch.queries.name(i);
  append(text += '\t', std::min<std::size_t>(batch.hits(i), 1000));
  text += hit.at.reverse ? "\t-" : "\t+";
  if (options_.context != 0) add_context(text, hit, batch.patterns[i].size() / index_.input.residue_bytes);
  text += '\n';
}

// Finds the first hits of the pattern, then of its reverse complement, and orders them by location.
void hit_printer::find_hits(found_batch const& batch, std::size_t i) {
  hits_.clear();
  std::size_t const max_hits = lines(batch.hits(i)), length = batch.patterns[i].size() / index_.input.residue_bytes;
  auto const add = [&](std::size_t k, bool reverse) {
    positions_.clear();
    std::size_t const within = std::min(batch.count_within(k), max_hits - hits_.size());
    for (std::size_t one = 0; one < within; ++one)
      positions_.push_back(batch.listed.empty() ? batch.rows[k].begin + one : batch.listed[k][one]);
    if (batch.listed.empty()) index_.search.positions(positions_);
    for (std::size_t one = within; one < std::min(batch.count(k), max_hits - hits_.size()); ++one)
      positions_.push_back(batch.around[k][one - within]);
    for (std::size_t one = 0; one < positions_.size(); ++one) {
      std::uint64_t const p = positions_[one];
      std::size_t const record = index_.search.record_of(p);
      if (one < within && length > index_.input.end_of(record) - p)
        throw input_error(fmt::format("bad index: {}: position {}: out of order", index_.stored.path("sa"), p));
      suffix::location at = circular_.has(record) ? circular_.location_of(record, p, length)
                                                  : index_.pieces.location_of(index_.input, record, p, length);
      at.reverse ^= reverse;
      hits_.push_back({at, p});
    }
  };
  add(i, false);
  if (batch.has_reverse()) add(batch.reverse(i), true);
  std::ranges::sort(hits_, {}, &hit::at);
}

// Returns residues of a record, around it if it is circular.
std::string hit_printer::letters(std::size_t record, std::size_t begin, std::size_t length) const {
  std::size_t const size = index_.input.residue_bytes, first = index_.input.begin_of(record), end = index_.input.end_of(record);
  if (begin >= end && circular_.has(record)) begin = begin - end + first;
  std::size_t const there = std::min(length, end - std::min(begin, end));
  std::string all(index_.input.residues.substr(begin * size, there * size));
  return all += index_.input.residues.substr(first * size, (length - there) * size);
}

// Appends the letters before and after a hit in its record, in the direction of the pattern.
void hit_printer::add_context(std::string& text, hit const& hit, std::size_t length) const {
  std::size_t const size = index_.input.residue_bytes;
  std::size_t const record = index_.search.record_of(hit.position), begin = index_.input.begin_of(record),
                    end = index_.input.end_of(record), p = hit.position;
  bool const circular = circular_.has(record);
  std::size_t const others = circular ? std::min(options_.context, end - begin - length) : options_.context;
  std::size_t const num_before = circular ? others : std::min(others, p - begin),
                    num_behind = circular ? others : std::min(others, end - p - length);
  std::string const before =
                        letters(record, p >= begin + num_before ? p - num_before : p + (end - begin) - num_before, num_before),
                    after = letters(record, p + length, num_behind);
  bool const turned = hit.at.reverse && !index_.both_strands;
  for (std::string_view const side : {turned ? after : before, turned ? before : after}) {
    text += '\t';
    if (side.empty())
      text += '.';
    else if (turned)
      index_.other_strand.append_reversed(text, side);
    else if (size != 1)
      append_tokens(text, side, unsigned(size));
    else if (!index_.is_fasta())
      append_printable(text, side);
    else
      text += side;
  }
}

/// Reads batches of patterns, searches them by all threads, and writes them in the order in which they were read. print(batch)
/// formats the beginning of its output, up to a limit, in parallel; finish(batch) writes it and the rest, in order.
template <class Print, class Finish>
void run_batches(search_options const& options, cli::common_options const& common, searched_index const& index,
                 circular_records const& circular, cli::output const& out, reporter& report, Print print, Finish finish) {
  std::vector<std::string> patterns;
  std::ranges::copy_if(options.patterns, std::back_inserter(patterns),
                       [](std::string const& pattern) { return pattern != "-"; });
  query_reader::options reading{index.read_as(options.both_strands), {}, {}, common.threads};
  if (!index.is_fasta())
    reading.parse = [&](std::string_view pattern) {
      return parse_symbols(pattern, index.format_of(options), index.input.residue_bytes);
    };
  if (index.sparse) reading.can_find = [&](std::string_view pattern) { return index.sparse->can_find(pattern); };
  query_reader reader(std::move(patterns), inputs_of(options), std::move(reading), out);
  bool const reverse = options.both_strands && !index.both_strands;
  missed_patterns missed(index, options);
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
                           }) & tbb::make_filter<batch, batch>(tbb::filter_mode::parallel, [&](batch batch) {
                             batch->search(index, circular, reverse);
                             print(*batch);
                             return batch;
                           }) & tbb::make_filter<batch, void>(tbb::filter_mode::serial_in_order, [&](batch const& batch) {
                             for (std::size_t i = 0; i < batch->queries.size(); ++i) {
                               letters += batch->queries.pattern(i).size();
                               if (batch->hits(i) == 0) missed.add(batch->queries.name(i), batch->queries.pattern(i));
                             }
                             report.progress.at(letters);
                             finish(*batch);
                           }));
  });
  report.stats.input(letters);
  report.stats.bytes(letters);
  if (common.quiet) return;
  reader.report_empty();
  missed.report();
}

/// Throws usage_error for options that are not for this index.
void check_options(searched_index const& index, search_options const& options) {
  auto const refuse = [&](char const* option, char const* why) {
    throw usage_error(fmt::format("conflicting options: {}: {}: {}", option, index.stored.path("json"), why));
  };
  if (!index.is_fasta() && options.both_strands) refuse("--both-strands", "an index of FASTA has strands, no other");
  if (index.is_fasta() && index.format_of(options) != pattern_format::text)
    refuse("--pattern-format", "patterns of an index of FASTA are letters");
}

void open(search_options const& options, reporter& report) {
  if (options.patterns.empty() && options.files.empty())
    throw usage_error("no patterns: command line: give a PATTERN or --file");
  report.phase("open");
}

}  // namespace

int locate(search_options const& options, cli::common_options const& common, reporter& report) {
  open(options, report);
  searched_index const index(options.prefix, options.fm ? search_by::fm_index : search_by::any);
  if (inputs_of(options).empty()) index.stored.expect_few_reads();
  check_options(index, options);
  circular_records const circular(index, options.circular);
  cli::output out(options.output, common.threads);
  refuse_output(options.prefix, out);
  report.phase("search");
  constexpr std::size_t max_text = std::size_t{4} << 20;  // formatted in parallel for a batch
  cut_patterns cut;
  run_batches(
      options, common, index, circular, out, report,
      [&](found_batch& batch) {
        hit_printer printer(index, circular, options);
        std::size_t const line = 64 + 2 * options.context;
        for (std::size_t i = 0; i < batch.queries.size(); ++i, ++batch.written_of) {
          constexpr std::size_t ahead = 16;
          for (std::size_t k = i + ahead; k < batch.rows.size(); k += batch.queries.size())
            index.search.prefetch(batch.rows[k].begin);
          if (batch.text.size() + printer.lines(batch.hits(i)) * (line + batch.queries.name(i).size()) > max_text) break;
          printer.print(batch, i, batch.text, [](std::string&) {});
        }
      },
      [&](found_batch& batch) {
        auto const write = [&](std::string& text) {
          out.write(std::string_view(text));
          text.clear();
        };
        write(batch.text);
        hit_printer printer(index, circular, options);
        for (std::size_t i = batch.written_of; i < batch.queries.size(); ++i)
          printer.print(batch, i, batch.text, [&](std::string& text) {
            if (text.size() >= max_text) write(text);
          });
        write(batch.text);
        for (std::size_t i = 0; i < batch.queries.size(); ++i)
          if (printer.lines(batch.hits(i)) < batch.hits(i)) cut.add(batch.queries.name(i), batch.hits(i));
      });
  out.commit();
  if (!common.quiet) cut.report(options.limit);
  return 0;
}

int count(search_options const& options, cli::common_options const& common, reporter& report) {
  open(options, report);
  searched_index const index(options.prefix, options.fm ? search_by::fm_index : search_by::any);
  if (inputs_of(options).empty()) index.stored.expect_few_reads();
  check_options(index, options);
  circular_records const circular(index, options.circular);
  cli::output out(options.output, common.threads);
  refuse_output(options.prefix, out);
  report.phase("search");
  // An index of both strands finds both together.
  auto const reverse_among = [&](found_batch const& batch, std::size_t i) {
    std::size_t reverse = 0;
    for (std::size_t hit = 0; hit < batch.count(i); ++hit) reverse += index.is_reverse(batch.position(index, i, hit));
    return reverse;
  };
  auto const add_counts = [&](std::string& text, std::size_t hits, std::size_t reverse) {
    append(text += '\t', hits);
    if (options.both_strands) {
      append(text += '\t', hits - reverse);
      append(text += '\t', reverse);
    }
    text += '\n';
  };
  // Counts by record need as much memory as there are records with hits.
  auto const print_records = [&](found_batch const& batch, std::size_t i, auto const& flush) {
    std::map<std::size_t, std::array<std::size_t, 2>> counts;  // by strand
    auto const add = [&](std::size_t k, bool reverse) {
      for (std::size_t hit = 0; hit < batch.count(k); ++hit) {
        std::uint64_t const p = batch.position(index, k, hit);
        std::size_t const piece = index.search.record_of(p);
        ++counts[index.pieces.record_of(piece)][reverse != index.pieces.is_reverse(piece)];
      }
    };
    add(i, false);
    if (batch.has_reverse()) add(batch.reverse(i), true);
    std::string line;
    auto const begin = [&]() -> std::string& { return (line = batch.queries.name(i)) += '\t'; };
    if (counts.empty()) {
      add_counts(begin() += '.', 0, 0);
      flush(line);
    }
    for (auto const& [record, count] : counts) {
      index.stored.description().append_name(begin(), record);
      add_counts(line, count[0] + count[1], count[1]);
      flush(line);
    }
  };
  constexpr std::size_t max_text = std::size_t{4} << 20;  // formatted in parallel for a batch
  if (options.by_record) {
    run_batches(
        options, common, index, circular, out, report,
        [&](found_batch& batch) {
          for (; batch.written_of < batch.queries.size() && batch.text.size() < max_text; ++batch.written_of) {
            std::size_t const before = batch.text.size();
            bool fits = true;
            print_records(batch, batch.written_of, [&](std::string const& line) {
              if (fits) batch.text += line;
              fits &= batch.text.size() < 2 * max_text;
            });
            if (fits) continue;
            batch.text.resize(before);  // printed in order instead
            break;
          }
        },
        [&](found_batch& batch) {
          out.write(std::string_view(batch.text));
          for (; batch.written_of < batch.queries.size(); ++batch.written_of)
            print_records(batch, batch.written_of, [&](std::string const& line) { out.write(std::string_view(line)); });
        });
    out.commit();
    return 0;
  }
  run_batches(
      options, common, index, circular, out, report,
      [&](found_batch& batch) {
        for (std::size_t i = 0; i < batch.queries.size(); ++i) {
          std::size_t const reverse = !options.both_strands ? 0
                                      : batch.has_reverse() ? batch.count(batch.reverse(i))
                                                            : reverse_among(batch, i);
          add_counts(batch.text += batch.queries.name(i), batch.hits(i), reverse);
        }
      },
      [&](found_batch& batch) { out.write(std::string_view(batch.text)); });
  out.commit();
  return 0;
}

}  // namespace ordo::inline v0::sufsort
