#include "tools/sufsort/duplicates/part_writers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <tbb/task_arena.h>
#include <nlohmann/json.hpp>

#include "base/external/ordered_write.hpp"
#include "base/threads.hpp"
#include "tools/sufsort/output_text.hpp"

namespace ordo::inline v0::sufsort {
namespace {

constexpr std::size_t part_bytes = std::size_t{4} << 20;  // part bytes of a text, about

/// Writes the output of duplicates by all threads: of parts of the text, in order.
class part_writer {
 public:
  part_writer(suffix::stored_index const& index, suffix::copy_finder const& copies, cli::output& out, unsigned threads)
      : index_(index), input_(index.view()), copies_(copies), out_(out), threads_(threads) {}
  virtual ~part_writer() = default;

  /// Writes everything.
  /// @returns the ranges
  virtual duplicate_counts write();

 protected:
  /// Appends what is written of some records. @param flush  to be called with long texts now and then; may be null
  virtual void append(std::string& text, std::size_t first_record, std::size_t last_record, duplicate_counts& counts,
                      std::function<void(std::string&)> const& flush) const = 0;

  suffix::stored_index const& index_;
  suffix::text input_;
  suffix::copy_finder const& copies_;
  cli::output& out_;
  unsigned threads_;
};

duplicate_counts part_writer::write() {
  struct part {
    std::size_t first = 0, last = 0;  // records
    bool is_large = false;            // one record, which is written piece by piece
    std::string text;
    duplicate_counts counts;
  };
  std::size_t const max_large = 16 * part_bytes;
  std::size_t next = 0;
  auto const divide = [&](part& part) {
    part.first = next;
    if (next == input_.records()) return false;
    std::uint64_t const begin = input_.begin(next), bytes = input_.residue_bytes;
    do ++next;
    while (next != input_.records() && (input_.end(next - 1) - begin) * bytes < part_bytes && next - part.first < 1 << 16);
    part.last = next;
    part.is_large = next - part.first == 1 && (input_.end(part.first) - begin) * bytes > max_large;
    return true;
  };
  auto const fill = [&](part& part) {
    if (part.is_large || part.first == input_.records()) return;
    part.counts = {};
    append(part.text, part.first, part.last, part.counts, nullptr);
  };
  duplicate_counts all;
  auto const end = [&](part& part) {
    if (part.first == input_.records()) return;
    if (part.is_large) {
      part.counts = {};
      append(part.text, part.first, part.last, part.counts, [&](std::string& text) { write_some(out_, text); });
    }
    write_some(out_, part.text, 0);
    all.add(part.counts);
  };
  tbb::task_arena arena(threads_for(threads_));
  arena.execute([&] { external::write_windows<part>(divide, fill, end); });
  return all;
}

/// Writes the records of a text without the ranges.
class clean_writer final : public part_writer {
 public:
  /// @param drops  records of which nothing is left are left out, with their ends
  clean_writer(suffix::stored_index const& index, suffix::copy_finder const& copies, cli::output& out, unsigned threads,
               bool drops)
      : part_writer(index, copies, out, threads),
        drops_(drops),
        end_(index.description().input == suffix::input_format::lines ? "\n" : index.description().separator) {}

 private:
  void append(std::string& text, std::size_t first_record, std::size_t last_record, duplicate_counts& counts,
              std::function<void(std::string&)> const& flush) const override {
    std::size_t record = first_record;
    std::uint64_t at = input_.begin(record);
    auto const copy_to = [&](std::uint64_t end) {
      for (std::size_t const bytes = input_.residue_bytes; at < end;) {
        std::uint64_t const count = std::min<std::uint64_t>(end - at, part_bytes);
        text += input_.residues.substr(at * bytes, count * bytes);
        at += count;
        if (flush) flush(text);
      }
    };
    auto const end_records = [&](std::size_t before) {
      for (; record < before; ++record) {
        copy_to(input_.end(record));
        text += end_;
        if (record + 1 < last_record) at = input_.begin(record + 1);
      }
    };
    copies_.report(first_record, last_record, [&](suffix::duplicate_range const& range) {
      counts.add(range);
      end_records(range.record);
      copy_to(range.begin);
      at = range.end;
      if (!drops_ || range.end - range.begin != input_.end(record) - input_.begin(record)) return;
      if (++record < last_record) at = input_.begin(record);
    });
    end_records(last_record);
  }

  bool drops_;
  std::string end_;
};

/// Prints ranges.
class range_writer final : public part_writer {
 public:
  range_writer(suffix::stored_index const& index, suffix::copy_finder const& copies, cli::output& out, unsigned threads,
               std::string_view format)
      : part_writer(index, copies, out, threads), format_(format) {}

 private:
  void append(std::string& text, std::size_t first_record, std::size_t last_record, duplicate_counts& counts,
              std::function<void(std::string&)> const& flush) const override {
    std::string name;
    std::size_t named = last_record;  // the record that has this name; none yet
    copies_.report(first_record, last_record, [&](suffix::duplicate_range const& range) {
      counts.add(range);
      if (format_ == "pairs") {
        for (std::uint64_t const position : {range.begin, range.end})
          text.append(reinterpret_cast<char const*>(&position), sizeof(position));  // on little-endian machines
      } else {
        if (named != range.record) {
          name.clear();
          index_.description().append_name(name, range.record);
          if (format_ == "jsonl") name = nlohmann::json(name).dump();
          named = range.record;
        }
        std::uint64_t const first = input_.begin(range.record);
        if (format_ == "jsonl") {
          text += fmt::format("{{\"record\":{},\"begin\":{},\"end\":{}}}\n", name, range.begin - first, range.end - first);
        } else {
          sufsort::append((text += name) += '\t', range.begin - first);
          sufsort::append(text += '\t', range.end - first);
          text += '\n';
        }
      }
      if (flush) flush(text);
    });
  }

  std::string_view format_;
};

}  // namespace

duplicate_counts write_clean_text(suffix::stored_index const& index, suffix::copy_finder const& copies, cli::output& out,
                                  unsigned threads, bool drops) {
  return clean_writer(index, copies, out, threads, drops).write();
}

duplicate_counts write_ranges(suffix::stored_index const& index, suffix::copy_finder const& copies, cli::output& out,
                              unsigned threads, std::string_view format) {
  return range_writer(index, copies, out, threads, format).write();
}

}  // namespace ordo::inline v0::sufsort
