#include "strings/external/head_sort.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/strings/line_comparison.hpp"
#include "strings/external/count_lines.hpp"
#include "strings/external/line_blocks.hpp"
#include "strings/write/selected_lines.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::uint64_t max_head = 1'000'000;
constexpr std::size_t block_bytes = std::size_t{16} << 20, part_bytes = std::size_t{256} << 10;
constexpr std::size_t memory_per_byte = 4;  // bytes of memory for a byte of the kept lines, while they are sorted

class text_sink final : public sink {
 public:
  void write(std::span<char const> data) override { text.append({data.data(), data.size()}); }
  bool expect(std::uint64_t bytes) override {
    text.reserve(std::size_t(bytes));
    return false;
  }
  host_bytes text;
};

// The lines that may be written, in the order of the input among equal ones.
class first_lines {
 public:
  first_lines(sort_options const& options, duplicates kept)
      : options_(options), kept_(kept), compare_(options.by, options.delimiter), encode_(options.by, options.delimiter) {
    options_.head = sort_options{}.head;
    options_.memory = std::numeric_limits<std::size_t>::max();
  }

  // Adds whole lines.
  void add(std::string_view lines, std::uint64_t head) {
    while (!lines.empty()) {
      std::string_view const now = last_ ? lines : lines.substr(0, beginning(lines, head));
      lines.remove_prefix(now.size());
      if (last_)
        add_smaller(now);
      else
        text_.append({now.data(), now.size()});
      // Sorting more than twice as many lines as are wanted pays.
      if (!last_ || text_.size() > 2 * cut_ + block_bytes / 4) cut(head);
    }
  }
  // Writes the first lines to `to`.
  std::uint64_t write(sink& to, std::uint64_t head) {
    return strings::write(sort(view(), options_), kept_, options_.machine.threads, to, head);
  }
  [[nodiscard]] host_bytes& text() { return text_; }

 private:
  [[nodiscard]] std::string_view view() const { return {text_.data(), text_.size()}; }

  // Returns the end of the lines that are sorted before others are compared with the last of them.
  [[nodiscard]] std::size_t beginning(std::string_view lines, std::uint64_t head) const {
    std::size_t end = 0;
    for (std::uint64_t left = (4 * head + 4096) * times_; left != 0 && end != lines.size(); --left)
      end = lines.find(options_.delimiter, end) + 1;
    return end;
  }

  void add_smaller(std::string_view lines) {
    std::size_t const parts = (lines.size() + part_bytes - 1) / part_bytes;
    std::vector<std::string> result(parts);
    each_part(lines, parts, options_.delimiter, options_.machine.threads, [&](std::size_t p, std::string_view part) {
      std::string codes;
      each_line(part, options_.delimiter, [&](std::string_view line) {
        if (comes_before_last(line, codes)) result[p].append(line).push_back(options_.delimiter);
      });
    });
    for (std::string const& lines_of_part : result) text_.append({lines_of_part.data(), lines_of_part.size()});
  }

  [[nodiscard]] bool comes_before_last(std::string_view line, std::string& codes) const {
    if (!options_.by.is_plain()) {
      codes.clear();
      encode_.append(line, codes);
      if (int const difference = codes.compare(last_codes_); difference != 0) return difference < 0;
    }
    return compare_(line, *last_) < 0;
  }

  void cut(std::uint64_t head) {
    text_sink first;
    strings::write(sort(view(), options_), kept_, options_.machine.threads, first, head);
    text_ = std::move(first.text);
    cut_ = text_.size();
    if (std::uint64_t(std::count(text_.data(), text_.data() + cut_, options_.delimiter)) < head) {
      times_ *= 2;
      return;
    }
    std::size_t const before = view().substr(0, cut_ - 1).rfind(options_.delimiter);
    last_ = std::string(view().substr(before + 1, cut_ - 2 - before));
    last_codes_.clear();
    encode_.append(*last_, last_codes_);
  }

  sort_options options_;
  duplicates kept_;
  line_comparison compare_;
  key_encoder encode_;
  host_bytes text_;
  std::uint64_t times_ = 1;          // more lines are sorted at first if few of them differ
  std::size_t cut_ = 0;              // bytes of the first lines when they were cut last
  std::optional<std::string> last_;  // the last of the first lines, if there are enough
  std::string last_codes_;
};

}  // namespace

bool sorted_head(text_job& job, spill_options const& spill) {
  sort_options const& options = job.options;
  std::uint64_t const head = options.head;
  if (head == 0 || head > max_head || is_counted(job.equal) || job.report.machine.device == device::gpu || options.machine.on)
    return false;
  std::size_t memory = options.memory;
  if (spill.available_memory) memory = std::min(memory, spill.available_memory());
  sort_options here = options;
  here.machine = {device::cpu, options.machine.threads};
  first_lines first(here, duplicates_to_sort(job.equal));
  line_blocks blocks(job, block_bytes);
  bool fits = true;
  while (fits && blocks.read()) {
    first.add(blocks.lines(), head);
    blocks.drop();
    fits = memory_per_byte * (first.text().size() + blocks.bytes().size()) <= memory;
  }
  if (!fits) {
    job.host = std::move(first.text());
    job.host.append(blocks.bytes().span());
    job.dropped = blocks.count() - job.host.size();
    return false;
  }
  job.report.bytes = blocks.count();
  job.begin(phase::write, 0);
  job.report.written = first.write(job.to, head);
  return true;
}

}  // namespace ordo::inline v0::strings::detail
