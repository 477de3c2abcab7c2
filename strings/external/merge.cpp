#include "strings/external/merge.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/external/merge.hpp"
#include "base/external/runs.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/strings/external_sort.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "strings/external/count_lines.hpp"
#include "strings/external/long_line.hpp"
#include "strings/sort/line_sort.hpp"

namespace ordo::inline v0::strings {
namespace {

using namespace detail;

constexpr std::size_t usual_batch = 16;                     // GNU sort's
constexpr std::size_t max_memory = std::size_t{256} << 20;  // more is no faster
constexpr std::size_t min_buffer = std::size_t{16} << 10, max_buffer = std::size_t{1} << 20;
constexpr std::size_t written_at_once = std::size_t{256} << 10;

// Reads a text line by line.
class line_reader {
 public:
  line_reader(std::unique_ptr<source> from, sort_options const& options, std::size_t buffer)
      : from_(std::move(from)), delimiter_(options.delimiter), by_bytes_(options.by.is_plain()), reverse_(options.by.reverse) {
    bytes_.resize(buffer);
  }

  // Moves to the next line. Returns false if there is none left.
  bool next() {
    if (!find_line()) return false;
    if (!by_bytes_) return true;
    // first_bytes() does not distinguish the end of a line from NUL: the whole comparison does.
    first_bytes_ = length_ == 0 ? 0
                                : load_big_endian(reinterpret_cast<unsigned char const*>(bytes_.data() + begin_),
                                                  std::min<std::size_t>(length_, 8));
    if (reverse_) first_bytes_ = ~first_bytes_;
    return true;
  }
  [[nodiscard]] std::string_view line() const { return {bytes_.data() + begin_, length_}; }
  // Returns eight bytes that compare as the lines do, or 0 if the order is not that of bytes.
  [[nodiscard]] std::uint64_t first_bytes() const { return first_bytes_; }

 private:
  bool find_line() {
    begin_ = next_;
    std::size_t searched = begin_;
    for (;;) {
      if (void const* const result = std::memchr(bytes_.data() + searched, delimiter_, end_ - searched)) {
        length_ = std::size_t(static_cast<char const*>(result) - bytes_.data()) - begin_;
        next_ = begin_ + length_ + 1;
        return true;
      }
      searched = end_ - begin_;  // refill() moves the line to the front
      if (!from_) break;
      refill();
    }
    length_ = end_ - begin_;
    next_ = end_;
    return length_ != 0;
  }

  void refill() {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
    if (end_ == bytes_.size()) grow_line(end_, [this] { bytes_.resize(2 * bytes_.size()); });
    std::span<char> const room = bytes_.span().subspan(end_);
    std::size_t const got = from_->read(room);
    end_ += got;
    if (got < room.size()) from_.reset();
  }

  std::unique_ptr<source> from_;
  char delimiter_;
  bool by_bytes_, reverse_;
  std::uint64_t first_bytes_ = 0;
  host_bytes bytes_;
  std::size_t begin_ = 0, length_ = 0;  // the line
  std::size_t next_ = 0, end_ = 0;      // what was read after the line
};

// A text, or a run that was merged from some.
struct merge_input {
  std::size_t text = 0;
  external::stored_range run;
  bool is_run = false;
};

class merging {
 public:
  merging(texts const& from, sort_options const& options, duplicates equal, spill_options const& spill)
      : from_(from),
        options_(options),
        equal_(equal),
        files_(spill.folders, spill.compress_program, spill.on_no_program),
        max_merged_(files_.max_merged(spill.batch_size != 0 ? spill.batch_size : usual_batch)),
        inputs_(from.count) {
    for (std::size_t k = 0; k < from.count; ++k) inputs_[k].text = k;
  }

  merge_counts run(sink& to) {
    while (inputs_.size() > max_merged_) pass();
    return merge_some(0, inputs_.size(), to);
  }

 private:
  // The result for texts that are not in order depends on the order of the merges. As in GNU sort, a pass merges as many full
  // batches as there are, and one more, as small as lets all others be in the last batch of the next pass.
  void pass() {
    std::vector<merge_input> next;
    std::size_t done = 0;
    for (; inputs_.size() - done >= max_merged_; done += max_merged_) next.push_back(spill_some(done, max_merged_));
    std::size_t const rest = inputs_.size() - done, free = max_merged_ - next.size() % max_merged_;
    if (rest > free) {
      next.push_back(spill_some(done, rest - free + 1));
      done += rest - free + 1;
    }
    std::move(inputs_.begin() + std::ptrdiff_t(done), inputs_.end(), std::back_inserter(next));
    inputs_ = std::move(next);
  }

  merge_input spill_some(std::size_t first, std::size_t count) {
    merge_input merged;
    merged.is_run = true;
    merged.run = files_.write([&](sink& to) { merge_some(first, count, to); });
    for (std::size_t k = first; k < first + count; ++k) inputs_[k].run.discard();
    return merged;
  }

  merge_counts merge_some(std::size_t first, std::size_t count, sink& to) {
    std::vector<std::unique_ptr<source>> open;
    for (std::size_t k = first; k < first + count; ++k)
      open.push_back(inputs_[k].is_run ? files_.open(inputs_[k].run) : from_.open(inputs_[k].text));
    merge_counts const counts = merge_lines(std::move(open), to, options_, equal_, std::min(options_.memory, max_memory));
    for (std::size_t k = first; k < first + count; ++k) inputs_[k].run.check();
    return counts;
  }

  texts const& from_;
  sort_options const& options_;
  duplicates equal_;
  external::run_files files_;
  std::size_t max_merged_;
  std::vector<merge_input> inputs_;
};

}  // namespace

merge_counts detail::merge_lines(std::vector<std::unique_ptr<source>> texts, sink& to, sort_options const& options,
                                 duplicates equal, std::size_t memory) {
  std::size_t const buffer = std::clamp(memory / (texts.size() + 1), min_buffer, max_buffer);
  std::vector<line_reader> inputs;
  inputs.reserve(texts.size());
  for (auto& text : texts) inputs.emplace_back(std::move(text), options, buffer);
  line_comparison compare(options.by, options.delimiter);
  external::loser_tree tree(std::move(inputs), [&compare](line_reader const& a, line_reader const& b) {
    if (a.first_bytes() != b.first_bytes()) return a.first_bytes() < b.first_bytes() ? -1 : 1;
    return compare(a.line(), b.line());
  });
  std::string last, out;  // last: with duplicates dropped, the last line written
  bool first = true;
  merge_counts sum;
  try {
    while (line_reader const* const input = tree.next()) {
      std::string_view const line = input->line();
      sum.read += line.size() + 1;
      if (equal == duplicates::drop) {
        if (!std::exchange(first, false) && compare(last, line) == 0) continue;
        last = line;
      }
      out.append(line).push_back(options.delimiter);
      if (out.size() < written_at_once) continue;
      sum.written += out.size();
      to.write(out);
      out.clear();
    }
    sum.written += out.size();
    if (!out.empty()) to.write(out);
  } catch (enough_lines const&) {}  // the lines after them need not be read
  return sum;
}

sort_report merge(texts const& from, sink& to, sort_options const& options, duplicates equal, spill_options const& spill,
                  phase_observer const& began) {
  check_delimiter(options.delimiter);
  if (began) began(phase::write, from.bytes);
  sort_report report;
  report.written = write_selected(to, options, equal, spill, [&](sink& lines) {
    merge_counts const counts = merging(from, options, duplicates_to_sort(equal), spill).run(lines);
    report.bytes = counts.read;
    return counts.written;
  });
  report.machine.reason = "merging is the CPU's work";
  return report;
}

}  // namespace ordo::inline v0::strings
