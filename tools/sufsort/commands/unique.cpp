#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/detail/buffer.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/repeats.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/search/circular_records.hpp"
#include "tools/sufsort/search/searched_index.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Positions of a part of a record.
struct stretch {
  std::size_t record, begin, end;  // in the text
};

/// Lists parts of the records of the forward strand.
class stretches {
 public:
  stretches(suffix::text const& input, suffix::pieces const& pieces) : input_(input), pieces_(pieces) {}
  /// @returns false at the end
  bool next(stretch& stretch) {
    constexpr std::size_t max_length = std::size_t{1} << 16;
    while (record_ < input_.records() &&
           (pieces_.is_reverse(record_) || begin_ == input_.end(record_) - input_.begin(record_))) {
      ++record_;
      begin_ = 0;
    }
    if (record_ >= input_.records()) return false;
    std::size_t const length = input_.end(record_) - input_.begin(record_), end = std::min(length, begin_ + max_length);
    stretch = {record_, input_.begin(record_) + begin_, input_.begin(record_) + end};
    begin_ = end;
    return true;
  }

 private:
  suffix::text input_;
  suffix::pieces pieces_;
  std::size_t record_ = 0, begin_ = 0;
};

/// Returns the lines that begin in a stretch. Adjacent positions with equal counts are one line.
/// @param offset  the offset of the record of the text in the record of the input
template <class Count>
std::string format_lines(suffix::text const& input, std::span<Count const> at, stretch const& part, std::string_view name,
                         std::uint64_t offset, bool normalize) {
  std::string text;
  std::size_t const begin = input.begin(part.record), end = input.end(part.record);
  for (std::size_t p = part.begin; p < part.end;) {
    bool const goes_on = p != begin && at[p] == at[p - 1];  // the stretch before writes this line
    std::size_t after = p + 1;
    while (after < (goes_on ? part.end : end) && at[after] == at[p]) ++after;
    if (!goes_on && at[p] != 0) {
      append((text += name) += '\t', offset + p - begin);
      append(text += '\t', offset + after - begin);
      text += '\t';
      if (normalize)
        fmt::format_to(std::back_inserter(text), "{:.6g}", 1 / double(at[p]));
      else
        append(text, at[p]);
      text += '\n';
    }
    p = after;
  }
  return text;
}

/// Returns the lines of the minimal unique substrings that begin in a stretch; of those that go around a record, two each.
/// @param lengths  the lengths of the shortest unique strings at all positions @param goes_around  the record is circular
template <class Count>
std::string lines_of_minimal(suffix::text const& input, std::span<Count const> lengths, stretch const& part,
                             std::string_view name, std::uint64_t offset, suffix::letter_choice letters, bool goes_around) {
  std::string text;
  std::size_t const begin = input.begin(part.record), end = input.end(part.record), size = end - begin;
  auto const is_nucleotide = [&](std::size_t p) {
    return suffix::is_nucleotide(static_cast<unsigned char>(input.residues[p < end ? p : p - size]));
  };
  auto const add = [&](std::size_t from, std::size_t to) {
    append((text += name) += '\t', offset + from - begin);
    append(text += '\t', offset + to - begin);
    text += '\n';
  };
  std::size_t known = part.begin;  // no other letter in [p, known)
  for (std::size_t p = part.begin; p < part.end; ++p) {
    std::size_t const stop = p + lengths[p];
    std::size_t const next = p + 1 < end ? p + 1 : goes_around ? begin : p;
    if (stop == p || (next != p && lengths[next] != 0 && p + 1 + lengths[next] == stop)) continue;
    if (letters == suffix::letter_choice::nucleotides) {
      known = std::max(known, p);
      while (known < stop && is_nucleotide(known)) ++known;
      if (known < stop) {
        // All strings that begin at this letter or before it and end after it hold it.
        if (known >= part.end) break;
        p = known++;
        continue;
      }
    }
    add(p, std::min(stop, end));
    if (stop > end) add(begin, stop - size);
  }
  return text;
}

/// Prints as bedGraph how often the k-mer at each position occurs, or as BED the minimal unique substrings.
class unique_kmers final : public index_reader {
 public:
  cli::command_table table() override {
    std::string const no_count = "a minimal unique substring has no given length or count";
    return {
        .name = "sufsort unique",
        .summary = "print how often the k-mer at each position occurs",
        .usage = {"[OPTION]... --length=K PREFIX", "[OPTION]... --minimal PREFIX"},
        .description =
            "Print bedGraph: record, begin, end, and the number of times that the K letters at each of these "
            "positions occur in the text.",
        .operands = {prefix_operand(prefix_, "an index with LCP")},
        .options = {{.letter = 'l',
                     .name = "length",
                     .value = "K",
                     .group = search_group,
                     .help = "count k-mers of K letters",
                     .set = parse_to(length_, "a k-mer has at least one letter")},
                    {.name = "mismatches",
                     .value = "E",
                     .group = search_group,
                     .help = "count strings that differ from the k-mer in at most E letters, too: 0, 1 or 2",
                     .preset = "0",
                     .details = "They differ in at most E letters (Hamming distance). An index of both strands counts both.",
                     .set = parse_to(mismatches_)},
                    cli::flag("normalize", output_group, "print mappability, 1 divided by the count, instead of the count",
                              normalize_),
                    cli::flag("minimal", search_group,
                              "print the minimal unique substrings instead, as BED: record, begin, end", minimal_,
                              "Such a string occurs once in the text, and nothing within it does. There is no --length."),
                    circular_option(circular_, "k-mers",
                                    "A string goes around a record once at most. With --mismatches and --minimal the text is "
                                    "sorted again for it."),
                    letters_option("k-mers", letters_),
                    output_option(output_)},
        .conflicts = {{.options = {"--minimal", "--length"}, .why = no_count},
                      {.options = {"--minimal", "--normalize"}, .why = no_count},
                      {.options = {"--minimal", "--mismatches!=0"}, .why = no_count}},
        .examples = {{"Find the positions whose 31-mers are unique", "sufsort unique genome -l 31 | awk '$4 == 1'"},
                     {"Print the mappability of 50-mers with up to two mismatches",
                      "sufsort unique genome -l 50 --mismatches=2 --normalize"}}};
  }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    if (length_ == 0 && !minimal_) throw usage_error("missing option: --length=K: see sufsort unique --help");
    if (mismatches_ > 2) throw usage_error(fmt::format("invalid number: --mismatches: '{}': it is 0, 1 or 2", mismatches_));
    report.phase("open");
    suffix::stored_index const index(prefix_);
    expect_lcp(index);
    expect_all_positions(index, "unique counts all positions");
    if (minimal_ && !index.description().policy.rows().all())
      throw input_error(
          fmt::format("rows are left out: {}: minimal unique substrings need the row of every position", index.path("json")));
    cli::output out(output_, common.threads);
    refuse_output(prefix_, out);
    std::size_t const n = index.description().residues;
    report.stats.input(n);
    report.phase("count", n);
    std::uint64_t const left_out = n <= std::numeric_limits<std::uint32_t>::max()
                                       ? print_counts<std::uint32_t>(index, common.threads, report, out)
                                       : print_counts<std::uint64_t>(index, common.threads, report, out);
    out.commit();
    if (left_out != 0 && !common.quiet)
      cli::say("sufsort", fmt::format("warning: left out: {} k-mers of the text hold letters other than A, C, G, T and U: use "
                                      "--letters=all to count them",
                                      left_out));
    return 0;
  }

 private:
  /// Prints the counts.
  /// @returns the number of k-mers that are left out because of their letters
  template <class Count>
  std::uint64_t print_counts(suffix::stored_index const& index, unsigned threads, reporter& report, cli::output& out) const {
    std::size_t const n = index.description().residues, bytes = n * sizeof(Count) + n / 8, available = cli::available_memory();
    if (bytes > available)
      throw out_of_memory(fmt::format("out of memory: counts of {} positions: {} bytes are needed, {} are available: {}", n,
                                      bytes, available, memory_limits().advice(bytes)),
                          bytes);
    host_memory plain;
    buffer<Count> const counts(plain, n);
    std::span<Count> const at = counts.span();
    suffix::text const input = index.view();
    suffix::letter_choice const letters = choose_letters(index, letters_, threads);
    std::uint64_t left_out = 0;
    std::vector<bool> circular;  // for each record; empty: none is
    std::optional<searched_index> searched;
    if (!circular_.empty()) {
      searched.emplace(prefix_);
      circular = circular_records(*searched, circular_).of_text();
    }
    suffix::build_options again;  // for what sorts the text with the turns of its records
    again.machine.device = device::cpu;
    again.machine.threads = threads;
    again.memory = available - bytes;
    if (!circular.empty() && minimal_)
      suffix::find_shortest_unique(input, circular, at, again);
    else if (!circular.empty() && mismatches_ != 0)
      left_out = suffix::count_similar(input, circular, length_, mismatches_, letters, at, again);
    else if (minimal_)
      suffix::find_shortest_unique(input, index.array("sa"), index.array("lcp"), at, index.path("sa"), threads);
    else
      left_out = mismatches_ == 0 ? suffix::count_occurrences(input, index.array("sa"), index.array("lcp"), length_, letters,
                                                              at, index.path("sa"), threads)
                                  : suffix::count_similar(input, index.array("sa"), index.array("lcp"), length_, mismatches_,
                                                          letters, at, index.path("sa"), threads, available - bytes);
    if (!circular.empty() && !minimal_ && mismatches_ == 0)
      left_out += suffix::add_circular_occurrences(input, searched->search, circular, length_, letters, at);
    report.phase("write", n);
    suffix::pieces const pieces = index.pieces();
    stretches parts(input, pieces);
    tbb::task_arena arena(threads_for(threads));
    arena.execute([&] {
      auto const read = tbb::make_filter<void, stretch>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        stretch stretch{};
        if (!parts.next(stretch)) control.stop();
        return stretch;
      });
      auto const print = tbb::make_filter<stretch, std::string>(tbb::filter_mode::parallel, [&](stretch const& stretch) {
        std::string name;
        index.description().append_name(name, pieces.source_record(stretch.record));
        std::uint64_t const offset = pieces.piece_offset(stretch.record);
        return minimal_ ? lines_of_minimal<Count>(input, at, stretch, name, offset, letters,
                                                  !circular.empty() && circular[stretch.record])
                        : format_lines<Count>(input, at, stretch, name, offset, normalize_);
      });
      auto const write = tbb::make_filter<std::string, void>(
          tbb::filter_mode::serial_in_order, [&](std::string const& text) { out.write(std::string_view(text)); });
      tbb::parallel_pipeline(4 * std::size_t(arena.max_concurrency()), read & print & write);
    });
    return left_out;
  }

  std::uint64_t length_ = 0;
  bool normalize_ = false;  // print 1 / count
  unsigned mismatches_ = 0;
  bool minimal_ = false;  // print minimal unique substrings instead
  std::optional<suffix::letter_choice> letters_;
  std::vector<std::string> circular_;
};

}  // namespace

std::unique_ptr<command> make_unique_kmers() {
  return std::make_unique<unique_kmers>();
}

}  // namespace ordo::inline v0::sufsort
