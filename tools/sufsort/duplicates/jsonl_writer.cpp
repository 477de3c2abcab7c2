#include "tools/sufsort/duplicates/jsonl_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ordo/error.hpp"
#include "ordo/suffix/jsonl.hpp"
#include "suffix/text/jsonl.hpp"
#include "suffix/text/text_chunks.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/output_text.hpp"

namespace ordo::inline v0::sufsort {
namespace {

constexpr std::size_t part_bytes = std::size_t{4} << 20;  // part bytes of a text, about

/// Writes the lines of an index of JSONL without the ranges of their strings, or with a list of the ranges. The files of the
/// index are read again.
class jsonl_writer {
 public:
  /// @param column  the name of the list; empty: the ranges are removed
  /// @param memory  bytes that may be used
  /// @param drops  lines of whose string nothing is left are left out
  jsonl_writer(suffix::stored_index const& index, suffix::copy_finder const& copies, line_files& out, std::string const& column,
               bool drops, unsigned threads, std::size_t memory)
      : index_(index),
        input_(index.view()),
        copies_(copies),
        names_(suffix::field_names(index.description().field)),
        out_(out),
        column_(column),
        written_column_(nlohmann::json(column).dump()),
        drops_(drops),
        threads_(threads),
        memory_(memory) {
    for (suffix::input_file const& file : files())
      if (file.name == standard_input)
        throw input_error(fmt::format("cannot read again: {}: the index is of standard input", index.path("json")));
  }

  /// Writes everything.
  /// @returns the ranges
  duplicate_counts write() {
    namespace chunks = suffix::detail;
    chunks::chunk_files texts;
    texts.count = files().size();
    bool const has_cut = std::ranges::any_of(files(), [](suffix::input_file const& file) { return file.is_cut; });
    texts.open = [&](std::size_t k) {
      suffix::input_file const& file = files()[k];
      if (file.is_cut && file.records == 0)  // none of it is in the index
        return chunks::chunk_files::opened{file.name, std::make_shared<memory_source>("")};
      auto in = std::make_shared<cli::input>(resolve_input(index_, file.name), threads_);
      out_.refuse_loop(*in);
      std::string name = in->name();
      return chunks::chunk_files::opened{std::move(name), std::move(in)};
    };
    // The error must be where it was; of other files, it is one.
    if (has_cut)
      texts.on_failure = [&](std::size_t k, std::string const& reason) {
        if (!files()[k].is_cut) throw input_error(reason);
      };
    struct edited {
      std::uint64_t lines = 0, first_line = 0;  // lines and first line of the chunk, and those of the file before it
      bool has_bad_lines = false;               // whether some records of the file are bad lines
      std::uint64_t bad_lines = 0;              // bad lines in the chunk
      std::size_t first_record = 0;
      std::string text = {};
      duplicate_counts counts = {};
    };
    std::size_t record = 0;
    std::uint64_t lines = 0;  // lines of the file
    suffix::input_file const* file = nullptr;
    auto const end_file = [&] {
      if (file && lines != file->records)
        refuse(file->name, std::max<std::uint64_t>(lines, 1), "the file has fewer lines than when it was indexed as");
    };
    std::uint64_t bad_lines = 0;  // bad lines in all files
    auto const count = [](chunks::text_chunk const& chunk, edited& edited) {
      edited.lines =
          std::uint64_t(std::ranges::count(chunk.bytes, '\n')) + (!chunk.bytes.empty() && chunk.bytes.back() != '\n');
    };
    auto const order = [&](chunks::text_chunk const& chunk, edited& edited) {
      if (chunk.begins_file) {
        end_file();
        file = &files()[chunk.file];
        lines = 0;
      }
      edited.has_bad_lines = file->bad_lines != 0;
      edited.first_record = record;
      edited.first_line = lines;
      if (edited.lines > file->records - lines)
        refuse(file->name, file->records + 1, "the file has more lines than when it was indexed as");
      lines += edited.lines;
      record += std::size_t(edited.lines);
    };
    auto const edit = [&](chunks::text_chunk const& chunk, edited& edited) {
      std::string_view rest(chunk.bytes.data(), chunk.bytes.size());
      if (rest.empty()) return;
      edited.text.reserve(rest.size() + rest.size() / 16);
      std::vector<suffix::duplicate_range> ranges;
      std::size_t const last = edited.first_record + std::size_t(edited.lines);
      copies_.report(edited.first_record, last, [&](suffix::duplicate_range const& range) {
        edited.counts.add(range);
        ranges.push_back(range);
      });
      std::vector<suffix::byte_range> here;
      std::string string;
      std::size_t next = 0;  // next of ranges
      for (std::size_t r = edited.first_record; r < last; ++r) {
        std::size_t const size = rest.find('\n');
        here.clear();
        std::uint64_t const first = input_.begin(r);
        for (; next < ranges.size() && ranges[next].record == r; ++next)
          here.push_back({ranges[next].begin - first, ranges[next].end - first});
        std::string_view const line = rest.substr(0, size);
        bool const is_dropped = drops_ && here.size() == 1 && here[0].end - here[0].begin == input_.end(r) - first;
        if (edited.has_bad_lines && input_.begin(r) == input_.end(r) && is_bad(line))
          ++edited.bad_lines;
        else if (!is_dropped)
          append(edited.text, line, r, *chunk.name, edited.first_line + r - edited.first_record + 1, here, string);
        rest.remove_prefix(size == rest.npos ? rest.size() : size + 1);
      }
    };
    duplicate_counts all;
    auto const finish = [&](chunks::text_chunk const& chunk, edited& edited) {
      out_.write(chunk.file, edited.text, edited.counts);
      all.add(edited.counts);
      bad_lines += edited.bad_lines;
    };
    chunks::chunk_options reading{.threads = threads_, .bytes = part_bytes};
    reading.max_ahead = std::min(memory_ / 8, reading.max_ahead);
    reading.max_chunks = memory_ / 4 / part_bytes;
    chunks::for_each_chunk<edited>(texts, reading, count, order, edit, finish);
    end_file();
    std::uint64_t expected = 0;
    for (suffix::input_file const& each : files()) expected += each.bad_lines;
    if (bad_lines != expected)
      throw input_error(fmt::format("changed input: {}: {} of {} bad lines are left of when they were indexed",
                                    index_.path("json"), bad_lines, expected));
    out_.finish();
    return all;
  }

 private:
  static constexpr std::string_view standard_input = "standard input";

  [[nodiscard]] std::vector<suffix::input_file> const& files() const { return index_.description().files; }
  [[noreturn]] void refuse(std::string const& name, std::uint64_t line, std::string_view why) const {
    throw input_error(fmt::format("changed input: {}:{}: {} {}", name, line, why, index_.path("json")));
  }

  /// Returns true if a line has no string: the index holds an empty record in its place.
  [[nodiscard]] bool is_bad(std::string_view line) const {
    std::string copy(line);
    copy.resize(line.size() + suffix::detail::json_padding);
    std::vector<std::uint64_t> starts;
    suffix::detail::json_strings::flaw flaw;
    return !suffix::detail::json_strings(index_.description().field).take({copy.data(), line.size()}, starts, flaw);
  }

  /// Appends the line of a record. @param string  memory to work with
  void append(std::string& text, std::string_view line, std::size_t record, std::string const& name, std::uint64_t number,
              std::vector<suffix::byte_range> const& ranges, std::string& string) const {
    std::string_view const bytes = input_.residues.substr(input_.begin(record), input_.end(record) - input_.begin(record));
    auto const written = suffix::find_json_string(line, names_);
    if (!written && bytes.empty() && line.find_first_not_of(" \t\r\xef\xbb\xbf") == line.npos) {
      (text += line) += '\n';
      return;
    }
    std::size_t const begin = written ? std::size_t(written->data() - line.data()) : 0;
    bool const removes = column_.empty();
    string.clear();
    if (!written ||
        !suffix::append_without(string, *written, bytes,
                                removes ? std::span<suffix::byte_range const>(ranges) : std::span<suffix::byte_range const>()))
      refuse(name, number, "the line has another string than when it was indexed as");
    if (removes) {
      ((text += line.substr(0, begin)) += string) += line.substr(begin + written->size());
    } else {
      if (suffix::has_json_field(line, column_))
        throw input_error(
            fmt::format("field exists: {}:{}: {}: choose another name with --column", name, number, written_column_));
      std::size_t const end = line.rfind('}');
      if (end == line.npos || end < begin) refuse(name, number, "the line is not the object that was indexed as");
      ((text += line.substr(0, end)) += ',') += written_column_;
      text += ":[";
      for (std::size_t k = 0; k < ranges.size(); ++k) {
        sufsort::append(text += k == 0 ? "[" : ",[", ranges[k].begin);
        sufsort::append(text += ',', ranges[k].end);
        text += ']';
      }
      (text += ']') += line.substr(end);
    }
    text += '\n';
  }

  suffix::stored_index const& index_;
  suffix::text input_;
  suffix::copy_finder const& copies_;
  std::vector<std::string> names_;
  line_files& out_;
  std::string column_, written_column_;
  bool drops_;
  unsigned threads_;
  std::size_t memory_;
};

}  // namespace

duplicate_counts write_jsonl(suffix::stored_index const& index, suffix::copy_finder const& copies, line_files& out,
                             std::string const& column, bool drops, unsigned threads, std::size_t memory) {
  return jsonl_writer(index, copies, out, column, drops, threads, memory).write();
}

}  // namespace ordo::inline v0::sufsort
