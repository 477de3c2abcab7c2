#include "tools/sufsort/unique.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <CLI/CLI.hpp>

#include "base/threads.hpp"
#include "ordo/detail/buffer.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/repeats.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/lines.hpp"
#include "tools/sufsort/memory_limits.hpp"
#include "tools/sufsort/policy_options.hpp"

namespace ordo::sufsort {
namespace {

/// A part of a record's positions.
struct stretch {
  std::size_t record, begin, end;  // in the text
};

/// Parts of the records of the forward strand, one after the other.
class stretches {
 public:
  stretches(suffix::text const& input, suffix::pieces const& pieces) : input_(input), pieces_(pieces) {}
  /// @returns false where all have been given
  bool next(stretch& one) {
    constexpr std::size_t most = std::size_t{1} << 16;
    while (record_ < input_.records() &&
           (pieces_.is_reverse(record_) || begin_ == input_.end_of(record_) - input_.begin_of(record_))) {
      ++record_;
      begin_ = 0;
    }
    if (record_ >= input_.records()) return false;
    std::size_t const length = input_.end_of(record_) - input_.begin_of(record_), end = std::min(length, begin_ + most);
    one = {record_, input_.begin_of(record_) + begin_, input_.begin_of(record_) + end};
    begin_ = end;
    return true;
  }

 private:
  suffix::text input_;
  suffix::pieces pieces_;
  std::size_t record_ = 0, begin_ = 0;
};

/// The lines that begin in a stretch: neighbours of one count are one line.
/// @param offset  of the stretch's record of the text in the one that was read
template <class Count>
std::string lines_of(suffix::text const& input, std::span<Count const> at, stretch const& part, std::string_view name,
                     std::uint64_t offset) {
  std::string text;
  std::size_t const begin = input.begin_of(part.record), end = input.end_of(part.record);
  for (std::size_t p = part.begin; p < part.end;) {
    bool const goes_on = p != begin && at[p] == at[p - 1];  // from the stretch before, which looks for its end
    std::size_t behind = p + 1;
    while (behind < (goes_on ? part.end : end) && at[behind] == at[p]) ++behind;
    if (!goes_on && at[p] != 0) {
      append((text += name) += '\t', offset + p - begin);
      append(text += '\t', offset + behind - begin);
      append(text += '\t', at[p]);
      text += '\n';
    }
    p = behind;
  }
  return text;
}

/// @returns how many k-mers are left out for their letters
template <class Count>
std::uint64_t print_counts(suffix::stored_index const& index, unique_options const& how, unsigned threads, telling& tell,
                           cli::output& out) {
  std::size_t const n = index.description().residues, bytes = n * sizeof(Count) + n / 8, available = cli::available_memory();
  if (bytes > available)
    throw out_of_memory(fmt::format("out of memory: counts of {} positions: {} bytes are needed, {} are there: {}", n, bytes,
                                    available, memory_limits().advice(bytes)),
                        bytes);
  host_memory plain;
  buffer<Count> const counts(plain, n);
  std::span<Count> const at = counts.span();
  suffix::text const input = index.view();
  suffix::letter_choice const letters = how.letters ? *how.letters : suffix::usual_letters(input.residues, threads);
  std::uint64_t const left_out = suffix::count_occurrences(input, index.array("sa"), index.array("lcp"), how.length, letters,
                                                           at, index.path("sa"), threads);
  tell.phase("write", n);
  suffix::pieces const pieces = index.pieces();
  stretches parts(input, pieces);
  tbb::task_arena arena(threads_for(threads));
  arena.execute([&] {
    auto const read = tbb::make_filter<void, stretch>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
      stretch one{};
      if (!parts.next(one)) control.stop();
      return one;
    });
    auto const print = tbb::make_filter<stretch, std::string>(tbb::filter_mode::parallel, [&](stretch const& one) {
      return lines_of<Count>(input, at, one, index.description().names[pieces.record_of(one.record)],
                             pieces.offset_of(one.record));
    });
    auto const write = tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order,
                                                           [&](std::string const& text) { out.write(std::string_view(text)); });
    tbb::parallel_pipeline(4 * std::size_t(arena.max_concurrency()), read & print & write);
  });
  return left_out;
}

}  // namespace

void add_unique_options(CLI::App& command, unique_options& how) {
  command.add_option("prefix", how.prefix, "the index, with LCP")->required()->type_name("PREFIX");
  command
      .add_option_function<std::string>(
          "-l,--length",
          [&how](std::string const& value) {
            how.length = cli::parse_count("--length", value);
            if (how.length == 0) throw usage_error("invalid number: --length: '0': a k-mer has a letter");
          },
          "letters of a k-mer")
      ->required()
      ->type_name("K");
  add_letters_option(command, "k-mers", how.letters);
  command.add_option("-o,--output", how.output, "where to write; - is standard output [-]")->type_name("FILE");
}

int unique(unique_options const& how, cli::common_options const& common, telling& tell) {
  tell.phase("open");
  suffix::stored_index const index(how.prefix);
  if (!index.description().find("lcp"))
    throw input_error(fmt::format("no array lcp: {}: build the index with --lcp", index.path("json")));
  if (index.description().policy.sample != 1)
    throw input_error(fmt::format("rows are left out: {}: unique counts all positions: build the index without --sample",
                                  index.path("json")));
  cli::output out(how.output, common.threads);
  refuse_output(how.prefix, out);
  std::size_t const n = index.description().residues;
  tell.stats.input(n);
  tell.phase("count", n);
  std::uint64_t const left_out = n <= std::numeric_limits<std::uint32_t>::max()
                                     ? print_counts<std::uint32_t>(index, how, common.threads, tell, out)
                                     : print_counts<std::uint64_t>(index, how, common.threads, tell, out);
  out.commit();
  if (left_out != 0 && !common.quiet)
    cli::say("sufsort", fmt::format("left out: {} of the text's k-mers hold letters other than A, C, G, T and U: --letters all "
                                    "counts them, too",
                                    left_out));
  return 0;
}

}  // namespace ordo::sufsort
