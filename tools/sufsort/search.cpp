#include "tools/sufsort/search.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "tools/cli/output.hpp"
#include "tools/sufsort/found_batch.hpp"
#include "tools/sufsort/hit_printer.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/lines.hpp"
#include "tools/sufsort/queries.hpp"

namespace ordo::sufsort {
namespace {

/// Batches of patterns, read one after the other, searched by all threads, and written in the order in which they were read.
/// print(batch) makes its text, at most up to some size; finish(batch) writes it, and the rest.
template <class Print, class Finish>
void run_batches(search_options const& how, cli::common_options const& common, searched_index const& index,
                 cli::output const& out, telling& tell, Print print, Finish finish) {
  std::vector<std::string> patterns;
  std::ranges::copy_if(how.patterns, std::back_inserter(patterns), [](std::string const& pattern) { return pattern != "-"; });
  query_reader::options reading{index.read_as(how.both_strands), {}, common.threads};
  if (index.sparse) reading.can_find = [&](std::string_view pattern) { return index.sparse->can_find(pattern); };
  query_reader reader(std::move(patterns), inputs_of(how), std::move(reading), out);
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
  if (!common.quiet) reader.tell_empty();
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
            index.search.prefetch(found.rows[k].begin);
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
