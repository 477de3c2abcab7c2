#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/utf8.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/duplicates.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/jsonl.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/output.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/duplicates_report.hpp"
#include "tools/sufsort/finished_ranges.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/queries.hpp"

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
      text_ += input_.residues.substr(at_ * input_.residue_bytes, count * input_.residue_bytes);
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

/// Writes the lines of an index of JSONL without some ranges of their strings, or with a list of the ranges, which come in
/// order. The files of the index are read again.
class jsonl_writer {
 public:
  /// @param column  the name of the list; empty: the ranges are removed
  jsonl_writer(suffix::stored_index const& index, cli::output& out, std::string const& column, unsigned threads)
      : index_(index),
        input_(index.view()),
        names_(suffix::field_names(index.description().field)),
        out_(out),
        column_(column),
        threads_(threads) {
    for (suffix::input_file const& file : files())
      if (file.name == standard_input)
        throw input_error(fmt::format("cannot read again: {}: the index is of standard input", index.path("json")));
  }

  void add(suffix::duplicate_range const& range) {
    write_to(range.record);
    std::uint64_t const first = input_.begin_of(range.record);
    ranges_.push_back({range.begin - first, range.end - first});
  }
  void finish() {
    write_to(input_.records());
    expect_end();
    write_some(out_, text_, 0);
  }

 private:
  static constexpr std::string_view standard_input = "standard input";

  [[nodiscard]] std::vector<suffix::input_file> const& files() const { return index_.description().files; }
  [[noreturn]] void refuse(std::string_view why) const {
    throw input_error(fmt::format("changed input: {}:{}: {} {}", in_->name(), lines_->number(), why, index_.path("json")));
  }

  /// Writes the lines of the records before one.
  void write_to(std::size_t record) {
    for (; record_ < record; ++record_) {
      while (in_ == nullptr || record_ == end_of_file_) open_next();
      auto const line = lines_->next();
      if (!line) refuse("the file has fewer lines than when it was indexed as");
      write(*line);
      ranges_.clear();
      write_some(out_, text_);
    }
  }
  void open_next() {
    expect_end();
    suffix::input_file const& file = files()[next_file_++];
    in_ = std::make_unique<cli::input>(file.name, threads_);
    out_.refuse_loop(*in_);
    lines_.emplace(*in_);
    end_of_file_ = record_ + file.records;
  }
  void expect_end() {
    if (lines_ && lines_->next()) refuse("the file has more lines than when it was indexed as");
  }

  void write(std::string_view line) {
    std::string_view const bytes =
        input_.residues.substr(input_.begin_of(record_), input_.end_of(record_) - input_.begin_of(record_));
    auto const written = suffix::find_json_string(line, names_);
    if (!written && bytes.empty() && line.find_first_not_of(" \t\r\xef\xbb\xbf") == line.npos) {
      (text_ += line) += '\n';
      return;
    }
    std::size_t const begin = written ? std::size_t(written->data() - line.data()) : 0;
    bool const removes = column_.empty();
    string_.clear();
    if (!written ||
        !suffix::append_without(string_, *written, bytes,
                                removes ? std::span<suffix::byte_range const>(ranges_) : std::span<suffix::byte_range const>()))
      refuse("the line has another string than when it was indexed as");
    if (removes) {
      ((text_ += line.substr(0, begin)) += string_) += line.substr(begin + written->size());
    } else {
      if (suffix::has_json_field(line, column_))
        throw input_error(fmt::format("field exists: {}:{}: {}: choose another name with --column", in_->name(),
                                      lines_->number(), nlohmann::json(column_).dump()));
      std::size_t const end = line.rfind('}');
      if (end == line.npos || end < begin) refuse("the line is not the object that was indexed as");
      ((text_ += line.substr(0, end)) += ',') += nlohmann::json(column_).dump();
      text_ += ":[";
      for (std::size_t k = 0; k < ranges_.size(); ++k) {
        append(text_ += k == 0 ? "[" : ",[", ranges_[k].begin);
        append(text_ += ',', ranges_[k].end);
        text_ += ']';
      }
      (text_ += ']') += line.substr(end);
    }
    text_ += '\n';
  }

  suffix::stored_index const& index_;
  suffix::text input_;
  std::vector<std::string> names_;
  cli::output& out_;
  std::string column_;
  unsigned threads_;
  std::vector<suffix::byte_range> ranges_;  // of record_
  std::string text_, string_;
  std::size_t record_ = 0, next_file_ = 0, end_of_file_ = 0;
  std::unique_ptr<cli::input> in_;
  std::optional<line_reader> lines_;
};

/// Prints ranges.
class range_writer {
 public:
  range_writer(suffix::stored_index const& index, cli::output& out, std::string_view format)
      : about_(index.description()), input_(index.view()), out_(out), format_(format), named_(input_.records()) {}

  void add(suffix::duplicate_range const& range) {
    if (format_ == "pairs") {
      for (std::uint64_t const position : {range.begin, range.end})
        text_.append(reinterpret_cast<char const*>(&position), sizeof(position));  // on little-endian machines
      return write_some(out_, text_);
    }
    if (named_ != range.record) {
      name_.clear();
      about_.append_name(name_, range.record);
      if (format_ == "jsonl") name_ = nlohmann::json(name_).dump();
      named_ = range.record;
    }
    std::uint64_t const first = input_.begin_of(range.record);
    if (format_ == "jsonl") {
      text_ += fmt::format("{{\"record\":{},\"begin\":{},\"end\":{}}}\n", name_, range.begin - first, range.end - first);
    } else {
      append((text_ += name_) += '\t', range.begin - first);
      append(text_ += '\t', range.end - first);
      text_ += '\n';
    }
    write_some(out_, text_);
  }
  void finish() { write_some(out_, text_, 0); }

 private:
  suffix::index_description const& about_;
  suffix::text input_;
  cli::output& out_;
  std::string_view format_;
  std::string text_, name_;
  std::size_t named_;  // the record that has this name; none yet
};

[[noreturn]] void refuse(suffix::stored_index const& index, std::string_view what, std::string_view why) {
  throw input_error(fmt::format("{}: {}: {}", what, index.path("json"), why));
}

/// Checks that an index has all that is needed. @param against  the other index, or null
void check_indexes(duplicates_options const& options, suffix::stored_index const& index, suffix::stored_index const* against) {
  suffix::index_description const& about = index.description();
  for (suffix::stored_index const* each : {&index, against}) {
    if (each == nullptr) continue;
    if (each->description().policy.cuts()) refuse(*each, "records are cut", "duplicates need whole records of one strand");
  }
  bool const fasta = about.input == suffix::input_format::fasta, removes = options.format == "text";
  if (fasta && removes) refuse(index, "no text", "records of FASTA cannot be written without their duplicates");
  if (about.input != suffix::input_format::jsonl && options.format == "annotated")
    refuse(index, "no JSONL", "lists of ranges are added to JSONL");
  if (!options.column.empty() && options.format != "annotated")
    throw usage_error("conflicting options: --column: only --format=annotated writes a list of ranges");
  if (!suffix::is_utf8(options.column)) throw usage_error("not UTF-8: --column: a name in JSON is UTF-8");
  if (options.find.whole_characters && index.view().residue_bytes != 1)
    throw usage_error(fmt::format("conflicting options: --utf-8: {}: the index is of tokens", index.path("json")));
  if (against == nullptr) return;
  if (options.find.scope != suffix::copy_scope::anywhere)
    throw usage_error("conflicting options: --against: --within and --across are for copies in one index");
  if (against->view().residue_bytes != index.view().residue_bytes ||
      (against->description().input == suffix::input_format::fasta) != fasta)
    refuse(*against, "another kind of text", fmt::format("{} has other residues", index.path("json")));
}

/// Returns a checksum of all that decides which copies there are.
std::uint32_t identity_of(duplicates_options const& options, suffix::duplicate_options const& find) {
  auto const sum = [](std::string const& prefix) { return prefix.empty() ? 0 : sum_of_description(prefix).value_or(0); };
  std::string const all =
      fmt::format("{} {} {} {} {} {}", sum(options.prefix), options.against.empty(), sum(options.against), find.min_length,
                  suffix::kept_copies_words[std::size_t(find.keep)], suffix::copy_scope_words[std::size_t(find.scope)]);
  return suffix::crc32_of(all, 1);
}

/// Marks all copies, range by range.
std::unique_ptr<suffix::copy_finder> find_copies(duplicates_options const& options, suffix::duplicate_options const& find,
                                                 suffix::stored_index const& index, suffix::stored_index const* against,
                                                 reporter& report) {
  suffix::text const input = index.view(), other = against ? against->view() : suffix::text{};
  std::uint64_t const all = input.size() + other.size();
  std::size_t const bits = input.size() / 8, available = options.memory.host_bytes();
  auto const refuse_memory = [&](std::size_t bytes) {
    throw out_of_memory(fmt::format("out of memory: duplicates of {}: {} bytes are needed, {} are available: {}",
                                    index.path("seq"), bytes, available, options.memory.advice(bytes)),
                        bytes);
  };
  if (bits >= available) refuse_memory(bits + bits / 8 + (1 << 20));
  auto finder = std::make_unique<suffix::copy_finder>(input, find, available - bits, against ? &other : nullptr);
  bool const saves = !options.resume.empty();
  std::uint32_t const identity = saves ? identity_of(options, find) : 0;
  if (saves)
    if (auto const before = load_finished(options.resume, identity)) finder->resume(before->finished, before->marks);
  std::atomic<std::uint64_t> read = 0;
  suffix::copy_finder::progress const on_progress = [&](std::uint64_t more) { report.progress.at(read += more); };
  std::size_t const max_buckets = suffix::copy_finder::num_buckets / (saves ? 8 : 1);
  try {
    if (finder->finished() == suffix::copy_finder::num_buckets) return finder;
    report.phase("count", all);
    std::size_t const ranges = finder->count_ranges(max_buckets, on_progress);
    read = 0;
    report.phase("duplicates", all * ranges);
    while (finder->finished() != suffix::copy_finder::num_buckets) {
      finder->next_range(max_buckets, on_progress, index.path("seq"));
      if (saves) save_finished(options.resume, identity, finder->finished(), finder->marks());
    }
  } catch (out_of_memory const& e) {
    refuse_memory(bits + e.bytes());
  }
  return finder;
}

}  // namespace

int duplicates(duplicates_options const& options, cli::common_options const& common, reporter& report) {
  report.phase("open");
  suffix::stored_index const index(options.prefix);
  std::optional<suffix::stored_index> against;
  if (!options.against.empty()) against.emplace(options.against);
  check_indexes(options, index, against ? &*against : nullptr);
  suffix::index_description const& about = index.description();
  bool const edits_jsonl =
      about.input == suffix::input_format::jsonl && (options.format == "text" || options.format == "annotated");
  cli::output out(options.output, common.threads);
  if (!options.resume.empty())
    for (std::string const& prefix : {options.prefix, options.against})
      for (std::string const& file : files_of(prefix))
        if (!prefix.empty() && cli::id_of(file) && cli::id_of(file) == cli::id_of(options.resume))
          throw output_error(fmt::format("cannot write: {}: it belongs to the index that is read", options.resume));
  std::optional<cli::output> page;
  if (!options.report.empty()) page.emplace(options.report, common.threads);
  for (cli::output const* const each : {&out, page ? &*page : nullptr}) {
    if (each == nullptr) continue;
    refuse_output(options.prefix, *each);
    if (against) refuse_output(options.against, *each);
  }
  report.stats.input(about.residues);
  suffix::text const input = index.view();
  suffix::duplicate_options find = options.find;
  find.threads = common.threads;
  find.whole_characters |= edits_jsonl;
  std::unique_ptr<suffix::copy_finder> const finder = find_copies(options, find, index, against ? &*against : nullptr, report);
  suffix::copy_finder const& found = *finder;
  report.phase("write", about.residues);
  std::optional<clean_writer> clean;
  std::optional<jsonl_writer> lines;
  std::optional<range_writer> ranges;
  if (edits_jsonl)
    lines.emplace(index, out,
                  options.format == "text" ? ""
                  : options.column.empty() ? "duplicate_ranges"
                                           : options.column,
                  common.threads);
  else if (options.format == "text")
    clean.emplace(index, out);
  else
    ranges.emplace(index, out, options.format);
  duplicate_counts counts;
  auto const add = [&](suffix::duplicate_range const& range) {
    counts.add(range);
    if (lines) return lines->add(range);
    if (clean) return clean->skip(range);
    ranges->add(range);
  };
  found.report(add);
  if (lines) lines->finish();
  if (clean) clean->finish();
  if (ranges) ranges->finish();
  if (page) {
    constexpr std::size_t max_strings = 20;
    suffix::repeated_strings strings;
    if (about.find("lcp"))
      strings = suffix::find_repeated_strings(input, index.array("sa"), index.array("lcp"), find.min_length, max_strings,
                                              index.path("sa"));
    std::vector<std::pair<std::string_view, std::string>> settings{{"index", options.prefix},
                                                                   {"shortest duplicate", std::to_string(find.min_length)}};
    if (against)
      settings.emplace_back("against", options.against);
    else {
      settings.emplace_back("kept copies", suffix::kept_copies_words[std::size_t(find.keep)]);
      settings.emplace_back("copies", suffix::copy_scope_words[std::size_t(find.scope)]);
    }
    page->write(std::string_view(duplicates_page(index, counts, strings, settings)));
    page->finish();
  }
  out.commit();
  if (page) page->commit();
  if (!options.resume.empty()) unlink(options.resume.c_str());
  return 0;
}

}  // namespace ordo::inline v0::sufsort
