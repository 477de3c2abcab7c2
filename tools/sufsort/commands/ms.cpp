#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/detail/buffer.hpp"
#include "ordo/memory.hpp"
#include "ordo/suffix/matches.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/search/circular_records.hpp"
#include "tools/sufsort/search/query_units.hpp"

namespace ordo::inline v0::sufsort {
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

/// Prints for each letter of queries the length of the longest match that begins there.
class ms final : public index_reader {
 public:
  cli::command_table table() override {
    return {
        .name = "sufsort ms",
        .summary = "print the matching statistics of queries",
        .usage = {"[OPTION]... PREFIX QUERY..."},
        .description =
            "Print for each letter of a query the length of the longest string that begins there and occurs in the "
            "text, within a record.",
        .operands = {prefix_operand(prefix_), query_operand(files_)},
        .options = {circular_option(circular_, "strings", "A string goes around a record as often as the query does."),
                    letters_option("strings", letters_),
                    fm_option(fm_),
                    {.name = "format",
                     .value = "NAME",
                     .group = output_group,
                     .help =
                         "print a line >NAME and a line of all lengths for a query (lengths), or a line for each letter (tsv)",
                     .preset = "lengths",
                     .details = "tsv: query, offset from 0, length.",
                     .choices = "lengths tsv",
                     .only_choices = true,
                     .set = [this](std::string_view, std::string_view value) { tsv_ = value == "tsv"; }},
                    output_option(output_)},
        .examples = {{"Compare a genome with an index of both strands", "sufsort ms both other.fa -o other.lengths"}}};
  }
  [[nodiscard]] std::vector<std::string> inputs() const override { return files_; }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    expect_query_files(files_);
    report.phase("open");
    searched_index index(prefix_, fm_ ? search_by::fm_index : search_by::any);
    refuse_tokens(index);
    expect_all_positions(index.stored, "matching statistics need the row of every position");
    cli::output out(output_, common.threads);
    refuse_output(prefix_, out);
    suffix::letter_choice const letters = letters_with_rows(index.stored, letters_, common.threads, &index.fm);
    report.phase("kmers");
    std::uint64_t const searched = letters_in(files_);
    gpu_search on_gpu(index, true, searched, common);
    if (!on_gpu.works()) index.expect_searches(searched, common.threads);
    circular_records const circular(index, circular_);
    std::optional<suffix::ring_statistics> rings;
    if (circular.any()) rings.emplace(index.input, circular.of_text());
    report.phase("search");
    run_units(
        files_, false, letters, on_gpu, gpu_lengths, common, index, out, report,
        [&](std::span<work_unit> units) { find(units, index, on_gpu, rings); },
        [&](work_unit& unit) { out.write(std::string_view(unit.text)); });
    out.commit();
    return 0;
  }

 private:
  void find(std::span<work_unit> units, searched_index const& index, gpu_search& on_gpu,
            std::optional<suffix::ring_statistics> const& rings) const {
    std::vector<std::size_t> first_letter;  // first letter of each unit
    std::size_t count = 0;
    for (work_unit const& unit : units) {
      first_letter.push_back(count);
      for (query_part const& part : unit.parts) count += std::size_t(part.end - part.begin);
    }
    host_memory plain;
    buffer<std::uint64_t> const all(plain, count);
    bool const are_found = on_gpu.works() && on_gpu.statistics(collect_letters(units, first_parts(units)), all.span());
    each_in_parallel(units.size(), [&](std::size_t u) {
      work_unit& unit = units[u];
      std::size_t at = first_letter[u];
      for (query_part const& part : unit.parts) {
        std::string_view const name = unit.set->queries.name(part.query), query = unit.set->letters(part.query, false);
        auto const lengths = all.span().subspan(at, std::size_t(part.end - part.begin));
        at += lengths.size();
        if (!are_found) suffix::matching_statistics(index.search, query, part.begin, lengths);
        if (rings) rings->lengthen(query, part.begin, lengths);
        print_lengths(unit.text, name, part, lengths, tsv_);
      }
    });
  }

  std::vector<std::string> files_, circular_;
  std::optional<suffix::letter_choice> letters_;
  bool tsv_ = false, fm_ = false;  // fm: search by the FM index
};

}  // namespace

std::unique_ptr<command> make_ms() {
  return std::make_unique<ms>();
}

}  // namespace ordo::inline v0::sufsort
