#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ordo/error.hpp"
#include "ordo/suffix/duplicates.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/output.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Writes the records of a text without some ranges, which come in order.
class clean_writer {
 public:
  clean_writer(suffix::stored_index const& index, cli::output& out)
      : input_(index.view()),
        end_(index.description().input == suffix::input_format::lines ? "\n" : index.description().separator),
        out_(out) {}

  void skip(suffix::duplicate_range const& range) {
    write_to(range.record, range.begin);
    at_ = range.end;
  }
  void finish() {
    write_to(input_.records(), 0);
    write_some(out_, text_, 0);
  }

 private:
  /// Writes up to a position of a record, and the ends of the records before it.
  void write_to(std::size_t record, std::uint64_t position) {
    for (; record_ < record; ++record_) {
      append(input_.end_of(record_));
      text_ += end_;
      at_ = record_ + 1 < input_.records() ? input_.begin_of(record_ + 1) : input_.size();
    }
    if (record != input_.records()) append(position);
  }
  void append(std::uint64_t end) {
    constexpr std::uint64_t at_once = std::uint64_t{1} << 20;
    for (; at_ < end; write_some(out_, text_)) {
      std::uint64_t const count = std::min(end - at_, at_once);
      text_ += input_.residues.substr(at_, count);
      at_ += count;
    }
  }

  suffix::text input_;
  std::string end_;
  cli::output& out_;
  std::string text_;
  std::size_t record_ = 0;
  std::uint64_t at_ = 0;
};

void append_json(std::string& to, std::string const& name, std::uint64_t begin, std::uint64_t end) {
  to += fmt::format("{{\"record\":{},\"begin\":{},\"end\":{}}}\n", nlohmann::json(name).dump(), begin, end);
}

}  // namespace

int duplicates(duplicates_options const& options, cli::common_options const& common, reporter& report) {
  report.phase("open");
  suffix::stored_index const index(options.prefix);
  suffix::index_description const& about = index.description();
  bool const fasta = about.input == suffix::input_format::fasta;
  auto const refuse = [&](char const* what, char const* why) {
    throw input_error(fmt::format("{}: {}: {}", what, index.path("json"), why));
  };
  if (!about.find("lcp")) refuse("no array lcp", "build the index with --lcp");
  if (!about.policy.rows().all()) refuse("rows are left out", "duplicates need all of them: build the index without --sample and "
                                                              "--ambiguous skip");
  if (about.policy.cuts()) refuse("records are cut", "duplicates need whole records of one strand");
  if (fasta && options.format == "text") refuse("no text", "records of FASTA cannot be written without their duplicates");
  if (about.input == suffix::input_format::jsonl && options.format == "text")
    refuse("no text", "the index has no other fields of the JSON: use the ranges");
  cli::output out(options.output, common.threads);
  refuse_output(options.prefix, out);
  std::size_t const bytes = about.residues / 8, available = cli::available_memory();
  if (bytes > available)
    throw out_of_memory(fmt::format("out of memory: a bit for each of {} positions: {} bytes are needed, {} are available: {}",
                                    about.residues, bytes, available, memory_limits().advice(bytes)),
                        bytes);
  report.stats.input(about.residues);
  report.phase("duplicates", about.residues);
  suffix::text const input = index.view();
  suffix::duplicate_options find = options.find;
  find.threads = common.threads;
  clean_writer clean(index, out);
  std::string text, name;
  std::size_t named = input.records();  // the record that has this name; none yet
  suffix::find_duplicates(
      input, index.array("sa"), index.array("lcp"), find,
      [&](suffix::duplicate_range const& range) {
        if (options.format == "text") return clean.skip(range);
        if (options.format == "pairs") {
          for (std::uint64_t const position : {range.begin, range.end})
            text.append(reinterpret_cast<char const*>(&position), sizeof(position));  // on little-endian machines
          return write_some(out, text);
        }
        if (named != range.record) {
          name.clear();
          about.append_name(name, range.record);
          named = range.record;
        }
        std::uint64_t const first = input.begin_of(range.record);
        if (options.format == "jsonl") {
          append_json(text, name, range.begin - first, range.end - first);
        } else {
          append((text += name) += '\t', range.begin - first);
          append(text += '\t', range.end - first);
          text += '\n';
        }
        write_some(out, text);
      },
      index.path("sa"));
  if (options.format == "text") clean.finish();
  write_some(out, text, 0);
  out.commit();
  return 0;
}

}  // namespace ordo::inline v0::sufsort
