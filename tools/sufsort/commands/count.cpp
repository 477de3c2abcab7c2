#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ordo/suffix/index.hpp"
#include "ordo/suffix/pieces.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/search/pattern_search.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Prints the number of hits of each pattern.
class count final : public pattern_search {
 public:
  cli::command_table table() override {
    cli::command_table table{
        .name = "sufsort count",
        .summary = "print how often patterns occur",
        .usage = {"[OPTION]... PREFIX PATTERN...", "[OPTION]... PREFIX --file=FILE"},
        .description = "Print a line for each pattern: the pattern and the number of its hits.",
        .operands = operands(),
        .options = rows("count reverse complements, too, and print the hits of each strand as two more columns",
                        "A hit goes around a record once at most."),
        .examples = {{"Count two patterns", "sufsort count genome GATTACA TTAGGG"}}};
    table.options.push_back(cli::flag("by-record", output_group,
                                      "print a line for each record that has hits: pattern, record, count", by_record_,
                                      "A pattern without hits has one line, with . as its record."));
    table.options.push_back(output_option(output_));
    return table;
  }

 private:
  void format(found_batch& batch, search_ends const& ends) const override {
    if (!by_record_) {
      for (; batch.num_written < batch.queries.size(); ++batch.num_written) add_pattern(batch, batch.num_written, ends.index);
      return;
    }
    for (; batch.num_written < batch.queries.size() && batch.text.size() < max_text; ++batch.num_written) {
      std::size_t const before = batch.text.size();
      bool fits = true;
      print_records(batch, batch.num_written, ends.index, [&](std::string const& line) {
        if (fits) batch.text += line;
        fits &= batch.text.size() < 2 * max_text;
      });
      if (fits) continue;
      batch.text.resize(before);  // printed in order instead
      break;
    }
  }
  void write(found_batch& batch, search_ends const& ends) override {
    ends.out.write(std::string_view(batch.text));
    for (; batch.num_written < batch.queries.size(); ++batch.num_written)
      print_records(batch, batch.num_written, ends.index,
                    [&](std::string const& line) { ends.out.write(std::string_view(line)); });
  }

  void add_pattern(found_batch& batch, std::size_t i, searched_index const& index) const {
    std::size_t const reverse = !both_strands_        ? 0
                                : batch.has_reverse() ? batch.count(batch.reverse(i))
                                                      : reverse_among(batch, i, index);
    add_counts(batch.text += batch.queries.name(i), batch.hits(i), reverse);
  }
  // An index of both strands finds both together.
  static std::size_t reverse_among(found_batch const& batch, std::size_t i, searched_index const& index) {
    std::size_t reverse = 0;
    for (std::size_t hit = 0; hit < batch.count(i); ++hit) reverse += index.is_reverse(batch.position(index, i, hit));
    return reverse;
  }
  void add_counts(std::string& text, std::size_t hits, std::size_t reverse) const {
    append(text += '\t', hits);
    if (both_strands_) {
      append(text += '\t', hits - reverse);
      append(text += '\t', reverse);
    }
    text += '\n';
  }
  // Counts by record need as much memory as there are records with hits.
  template <class Flush>
  void print_records(found_batch const& batch, std::size_t i, searched_index const& index, Flush flush) const {
    std::map<std::size_t, std::array<std::size_t, 2>> counts;  // by strand
    auto const add = [&](std::size_t k, bool reverse) {
      for (std::size_t hit = 0; hit < batch.count(k); ++hit) {
        std::uint64_t const p = batch.position(index, k, hit);
        std::size_t const piece = index.search.record_at(p);
        ++counts[index.pieces.source_record(piece)][reverse != index.pieces.is_reverse(piece)];
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
  }

  bool by_record_ = false;  // count the hits of each record
};

}  // namespace

std::unique_ptr<command> make_count() {
  return std::make_unique<count>();
}

}  // namespace ordo::inline v0::sufsort
