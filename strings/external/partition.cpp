#include "strings/external/partition.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "strings/external/count_bytes.hpp"

namespace ordo::inline v0::strings::detail {

memory_plan make_memory_plan(sort_options const& options, spill_options const& spill) {
  constexpr std::size_t min_memory = std::size_t{2} << 20;
  memory_plan plan;
  plan.by = options.by;
  plan.delimiter = options.delimiter;
  std::size_t const available = spill.available_memory ? spill.available_memory() : std::numeric_limits<std::size_t>::max();
  plan.limit = std::max(std::min(options.memory, available), min_memory);
  plan.max_line = std::max(plan.limit, std::min(spill.max_line_memory, available));
  plan.limit -= plan.limit / 16;  // for reading and writing
  return plan;
}

sort_plan plan_sort(memory_plan const& plan, std::uint64_t bytes, std::uint64_t lines) {
  auto const lines_in = [&](std::uint64_t some) {
    return bytes == 0 ? 0
                      : std::uint64_t(static_cast<long double>(lines) / static_cast<long double>(bytes) *
                                      static_cast<long double>(some)) +
                            1;
  };
  sort_plan result{plan.needed(bytes, lines_in(bytes)), 0};
  if (result.memory <= plan.limit) return result;
  // The longest run that fits, to a byte.
  std::uint64_t fits = 1, too_long = bytes;
  while (fits + 1 < too_long) {
    std::uint64_t const middle = fits + (too_long - fits) / 2;
    (plan.fits(middle, lines_in(middle)) ? fits : too_long) = middle;
  }
  result.runs = (bytes - 1) / fits + 1;
  return result;
}
namespace {

using external::run_range, external::stored_range;

constexpr std::uint64_t min_block = std::uint64_t{16} << 10, max_blocks = 4096;
constexpr std::size_t cached = std::size_t{256} << 10;  // bytes that are still in a core's cache when they have been written
constexpr std::size_t page = 4096, max_read = std::size_t{1} << 20;
constexpr double samples_in_range = 32;  // samples in a range that fills the memory
constexpr double filled = 0.8;           // the part of the memory that a range fills, by the samples
constexpr std::size_t max_sample = 1024;
constexpr std::uint64_t min_long_line = std::uint64_t{64} << 10;  // bytes of an average line, from which on lines are long
constexpr std::size_t max_long_lines = 512, min_window = std::size_t{1} << 10;

// Counts the lines of each block on their way to a run.
class counting_run_sink final : public sink {
 public:
  counting_run_sink(sink& to, std::uint64_t max_bytes, char delimiter)
      : to_(to),
        block_(std::max(min_block, max_bytes / max_blocks + 1)),
        delimiter_(delimiter),
        lines_(max_bytes / block_ + 1) {}

  void write(std::span<char const> data) override {
    to_.write(data);
    count(end_, data);
    end_ += data.size();
  }
  bool expect(std::uint64_t bytes) override { return to_.expect(bytes); }
  [[nodiscard]] bool addressable() const override { return to_.addressable(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    while (!data.empty()) {
      auto const part = data.first(std::min(data.size(), cached));
      to_.write_at(offset, part);
      count(offset, part);
      offset += part.size();
      data = data.subspan(part.size());
    }
  }
  void move_counts(line_run& run) const {
    run.block = block_;
    run.lines_in_block.assign(lines_.begin(), lines_.begin() + std::ptrdiff_t((run.stored.bytes + block_ - 1) / block_));
  }

 private:
  void count(std::uint64_t offset, std::span<char const> data) {
    while (!data.empty()) {
      std::uint64_t const block = offset / block_;
      auto const part = data.first(std::size_t(std::min<std::uint64_t>(data.size(), (block + 1) * block_ - offset)));
      lines_.at(block).fetch_add(std::uint32_t(count_bytes(part, delimiter_)), std::memory_order_relaxed);
      offset += part.size();
      data = data.subspan(part.size());
    }
  }

  sink& to_;
  std::uint64_t block_, end_ = 0;
  char delimiter_;
  std::vector<std::atomic<std::uint32_t>> lines_;
};

// Reads single lines of a run.
class run_reader {
 public:
  run_reader(stored_range const& run, char delimiter) : run_(&run), delimiter_(delimiter) {}
  // Blocks in which no line ends are not read in search of one.
  run_reader(line_run const& run, char delimiter) : run_reader(run.stored, delimiter) { counts_ = &run; }

  // Returns where the first line begins in [at, end), or end if none does.
  std::uint64_t first_line(std::uint64_t at, std::uint64_t end) {
    if (at == 0) return 0;
    std::size_t wanted = 1;
    for (std::uint64_t from = at - 1; from + 1 < end; wanted = std::min(4 * std::max(wanted, page), max_read)) {
      if (has_no_end(from)) {
        from = (from / counts_->block + 1) * counts_->block;
        continue;
      }
      auto const bytes = window(from, wanted);
      auto const seen = bytes.first(std::size_t(std::min<std::uint64_t>(bytes.size(), end - 1 - from)));
      if (void const* const result = std::memchr(seen.data(), delimiter_, seen.size()))
        return from + std::uint64_t(static_cast<char const*>(result) - seen.data()) + 1;
      from += seen.size();
    }
    return end;
  }
  // Returns where the line that has the byte at `at` begins. A line begins at `begin`, and not after `at`.
  std::uint64_t line_around(std::uint64_t at, std::uint64_t begin) {
    for (std::size_t size = page / 8; at != begin; size = std::min(4 * size, max_read)) {
      if (has_no_end(at - 1)) {
        at = std::max(begin, (at - 1) / counts_->block * counts_->block);
        continue;
      }
      std::uint64_t const from = at - std::min<std::uint64_t>(at - begin, size);
      auto const bytes = window(from, std::size_t(at - from)).first(std::size_t(at - from));
      if (void const* const result = memrchr(bytes.data(), delimiter_, bytes.size()))
        return from + std::uint64_t(static_cast<char const*>(result) - bytes.data()) + 1;
      at = from;
    }
    return begin;
  }
  // Returns the line that begins there, without its delimiter, or its first `max_bytes` bytes. Valid until the next call.
  std::string_view line(std::uint64_t begin, std::size_t max_bytes = ~std::size_t{0}) {
    std::size_t searched = 0;
    for (std::size_t wanted = 1;; wanted = 2 * searched) {
      auto const bytes = window(begin, wanted);
      auto const seen = bytes.first(std::min(bytes.size(), max_bytes));
      if (void const* const result = std::memchr(seen.data() + searched, delimiter_, seen.size() - searched))
        return {seen.data(), static_cast<char const*>(result)};
      searched = seen.size();
      // A run ends with a delimiter. One that does not is damaged, and its last bytes count as a line.
      if (searched == max_bytes || begin + searched == run_->bytes) return {seen.data(), searched};
    }
  }

 private:
  // Returns true if the block around a byte is known to have no delimiter.
  [[nodiscard]] bool has_no_end(std::uint64_t at) const { return counts_ && counts_->lines_in_block[at / counts_->block] == 0; }
  // Returns at least `wanted` bytes from `at` on, or all up to the end of the run.
  std::span<char const> window(std::uint64_t at, std::size_t wanted) {
    wanted = std::size_t(std::min<std::uint64_t>(wanted, run_->bytes - at));
    if (at < begin_ || at + wanted > begin_ + bytes_.size()) {
      // Whole pages, as the system reads them anyway.
      std::uint64_t const in_page = page - (run_->offset + at) % page;
      bytes_.resize(std::size_t(std::min<std::uint64_t>(std::max<std::uint64_t>(wanted, in_page), run_->bytes - at)));
      run_->read_at(at, bytes_);
      begin_ = at;
    }
    return std::span<char const>(bytes_).subspan(std::size_t(at - begin_));
  }

  stored_range const* run_;
  line_run const* counts_ = nullptr;
  char delimiter_;
  std::vector<char> bytes_;
  std::uint64_t begin_ = 0;  // where bytes_ begins in the run
};

// In [begin, end) the lines for which before(line) holds come first. Returns where the others begin. The first `max_bytes`
// bytes of a line suffice for before().
template <class Before>
std::uint64_t find_bound(run_reader& reader, std::uint64_t begin, std::uint64_t end, std::size_t max_bytes, Before before) {
  std::uint64_t bound = end;
  while (begin < end) {  // a line begins at `begin`; lines that begin at or after `end` are not before
    std::uint64_t const middle = begin + (end - begin) / 2;
    std::uint64_t const at = middle == begin ? begin : reader.first_line(middle, end);
    if (at == end) {
      end = middle;
      continue;
    }
    std::string_view const line = reader.line(at, max_bytes);
    if (before(line)) {
      begin = line.size() < max_bytes ? at + line.size() + 1 : reader.first_line(at + line.size(), end);
    } else {
      bound = at;
      end = middle;
    }
  }
  return bound;
}

// Orders a few long lines by their bytes, which are read in windows, and of each line no more of them than tell it from the
// others: samples of equal beginnings would not divide such lines, and whole lines would be read for each comparison.
class long_lines {
 public:
  // @param memory  for the windows
  long_lines(line_range const& all, std::span<line_run const> runs, char delimiter, bool reverse, std::size_t memory)
      : reverse_(reverse), memory_(memory) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      run_reader reader(runs[k], delimiter);
      run_range const& part = all.parts[k];
      for (std::uint64_t at = part.begin, next = at; at < part.end; at = next) {
        next = reader.first_line(at + 1, part.end);
        lines_.push_back({{part.run, at, next}, {}, false});
      }
    }
  }

  // Returns a range for each group of equal lines, in order.
  std::vector<line_range> in_order() {
    std::vector<group> left;
    if (lines_.size() > 1) left.push_back({0, lines_.size(), 0});
    while (!left.empty()) {
      group const some = left.back();
      left.pop_back();
      refine(some, left);
    }
    std::vector<line_range> ranges;
    for (line const& l : lines_) {
      if (!l.is_repeat) ranges.emplace_back().sorted = true;
      ranges.back().parts.push_back(l.place);
    }
    return ranges;
  }

 private:
  struct line {
    run_range place;
    std::string window;
    bool is_repeat;  // it is equal to the line before
  };
  struct group {
    std::size_t begin, end;
    std::uint64_t offset;  // bytes that all its lines begin with
  };

  void refine(group const& some, std::vector<group>& left) {
    std::size_t const max_bytes = std::clamp(memory_ / (some.end - some.begin), min_window, max_read);
    std::size_t const bytes = some.offset == 0 ? min_window : max_bytes;
    auto const lines = std::span(lines_).subspan(some.begin, some.end - some.begin);
    for (line& l : lines) {
      // Without the delimiter: the end of a line comes before every byte.
      std::uint64_t const rest = l.place.bytes() - 1 - some.offset;
      l.window.resize(std::size_t(std::min<std::uint64_t>(bytes, rest)));
      l.place.run->read_at(l.place.begin + some.offset, l.window);
    }
    std::ranges::stable_sort(lines, [this](line const& a, line const& b) {
      int const difference = a.window.compare(b.window);
      return reverse_ ? difference > 0 : difference < 0;
    });
    for (std::size_t i = 0, end = 0; i < lines.size(); i = end) {
      for (end = i + 1; end < lines.size() && lines[end].window == lines[i].window; ++end)
        lines[end].is_repeat = lines[i].window.size() < bytes;
      if (end - i > 1 && lines[i].window.size() == bytes)
        left.push_back({some.begin + i, some.begin + end, some.offset + bytes});
    }
    for (line& l : lines) l.window = {};
  }

  bool reverse_;
  std::size_t memory_;
  std::vector<line> lines_;
};

// A line of a run, or the beginning of one, which is as good a splitter.
struct sample {
  std::string line;
  std::size_t run;
  std::uint64_t at;
  bool whole;
};

class cutter {
 public:
  cutter(std::span<line_run const> runs, sort_options const& options, memory_plan const& plan)
      : runs_(runs),
        options_(options),
        plan_(plan),
        compare_(options.by, options.delimiter),
        arena_(threads_for(options.machine.threads)) {}

  // Cuts a range with a part for each run. A run that has been damaged on the disk may be in no order: it would be cut without
  // end.
  void cut(line_range all, std::size_t depth = 0) {
    constexpr std::size_t max_depth = 200;
    std::size_t const count = std::size_t(std::ranges::count_if(all.parts, [](run_range const& r) { return r.bytes() != 0; }));
    if (count == 0) return;
    all.sorted = count == 1;
    all.lines = lines_in(all);
    if (all.sorted || plan_.fits(all.bytes(), all.lines)) {
      ranges_.push_back(std::move(all));
      return;
    }
    if (options_.by.is_plain() && all.lines <= max_long_lines && all.lines * min_long_line <= all.bytes()) {
      long_lines lines(all, runs_, options_.delimiter, options_.by.reverse, plan_.limit / 4);
      std::ranges::move(lines.in_order(), std::back_inserter(ranges_));
      return;
    }
    std::vector<sample> samples = draw(all);
    std::vector<std::string> splitters = choose(samples, all);
    auto ranges = split(all, samples, splitters);
    auto const is_stuck = [&](line_range const& r) { return !r.sorted && r.bytes() == all.bytes(); };
    bool const stuck = std::ranges::any_of(ranges, is_stuck);
    if (stuck) ranges = split(all, {}, {line_inside(all)});
    if (depth == max_depth || std::ranges::any_of(ranges, is_stuck)) largest_range(all).run->fail();
    for (line_range& r : ranges) {
      if (r.sorted && r.bytes() != 0)
        ranges_.push_back(std::move(r));
      else
        cut(std::move(r), depth + 1);
    }
  }
  [[nodiscard]] std::vector<line_range> take() { return std::move(ranges_); }

 private:
  // Estimates the memory that a line takes besides its bytes.
  double line_weight() const { return double(plan_.beside(1 << 24, 1 << 20) >> 20); }

  std::uint64_t lines_in(line_range const& range) const {
    double sum = 0;
    for (std::size_t k = 0; k < runs_.size(); ++k) sum += runs_[k].lines(range.parts[k].begin, range.parts[k].end);
    return std::uint64_t(sum) + 1;
  }

  // Draws lines at regular distances, by weight, from each part. The first distance begins at another place in each part.
  std::vector<sample> draw(line_range const& all) {
    double const step = double(plan_.limit) / samples_in_range, per_line = line_weight();
    std::vector<sample> samples;
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      run_range const& from = all.parts[k];
      line_run const& run = runs_[k];
      if (from.bytes() == 0) continue;
      run_reader reader(run, options_.delimiter);
      double next = step * std::fmod(0.6180339887 * double(k + 1), 1.0), weight = 0;
      std::uint64_t after = from.begin;  // the last sample: where the next line begins
      for (std::uint64_t b = from.begin; b < from.end;) {
        std::uint64_t const end = std::min(from.end, (b / run.block + 1) * run.block);
        double const more = double(end - b) + per_line * run.lines(b, end);
        for (; next < weight + more; next += step) {
          auto const at = b + std::min(std::uint64_t(double(end - b) * (next - weight) / more), end - b - 1);
          if (at < after) {  // a long line is drawn more than once
            samples.push_back(samples.back());
            continue;
          }
          std::uint64_t const line = reader.line_around(at, after);
          std::string const text(reader.line(line, max_sample));
          bool const whole = text.size() < max_sample;
          after = whole ? line + text.size() + 1 : reader.first_line(line + text.size(), from.end);
          samples.push_back({text, k, line, whole});
        }
        weight += more;
        b = end;
      }
    }
    return samples;
  }

  // Returns splitters in order, all different.
  std::vector<std::string> choose(std::vector<sample> const& samples, line_range const& all) {
    std::vector<std::string_view> lines(samples.size());
    std::ranges::transform(samples, lines.begin(), [](sample const& s) { return std::string_view(s.line); });
    std::ranges::stable_sort(lines, [this](auto a, auto b) { return compare_(a, b) < 0; });
    std::vector<std::string> chosen;
    auto const max_samples = std::size_t(samples_in_range * filled);
    // Ranges of about the same size.
    std::size_t const ranges = std::max<std::size_t>(2, (lines.size() + max_samples - 1) / max_samples);
    for (std::size_t r = 1; r < ranges && !lines.empty(); ++r) {
      std::string_view const line = lines[r * lines.size() / ranges];
      if (chosen.empty() || compare_(chosen.back(), line) != 0) chosen.emplace_back(line);
    }
    if (chosen.empty()) chosen.push_back(line_inside(all));
    return chosen;
  }

  static run_range const& largest_range(line_range const& all) {
    return *std::ranges::max_element(all.parts, {}, &run_range::bytes);
  }
  std::string line_inside(line_range const& all) {
    run_range const& largest = largest_range(all);
    run_reader reader(runs_[std::size_t(&largest - all.parts.data())], options_.delimiter);
    return std::string(reader.line(reader.line_around(largest.begin + largest.bytes() / 2, largest.begin)));
  }

  // Returns two ranges for each splitter, the lines before it and the lines equal to it, and one for the lines after the last.
  std::vector<line_range> split(line_range const& all, std::vector<sample> const& samples,
                                std::vector<std::string> const& splitters) {
    std::vector<line_range> ranges(2 * splitters.size() + 1);
    for (line_range& r : ranges) r.parts.resize(runs_.size());
    for (std::size_t r = 1; r < ranges.size(); r += 2) ranges[r].sorted = true;
    arena_.execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, runs_.size(), 1), [&](auto const& some) {
        for (std::size_t k = some.begin(); k != some.end(); ++k) split_part(all.parts[k], k, samples, splitters, ranges);
      });
    });
    return ranges;
  }

  void split_part(run_range const& from, std::size_t k, std::vector<sample> const& samples,
                  std::vector<std::string> const& splitters, std::vector<line_range>& ranges) const {
    auto compare = compare_;
    run_reader reader(runs_[k], options_.delimiter);
    auto near = std::ranges::lower_bound(samples, k, {}, &sample::run);
    auto const last = std::ranges::upper_bound(samples, k, {}, &sample::run);
    std::uint64_t begin = from.begin;
    for (std::size_t s = 0; s < splitters.size(); ++s) {
      std::string_view const splitter = splitters[s];
      std::uint64_t low = begin;  // a line begins here that may be before the splitter
      for (; near != last && (!near->whole || compare(near->line, splitter) < 0); ++near)
        if (near->whole) low = std::max(low, near->at);
      std::uint64_t const high = near == last ? from.end : std::max(near->at, low);
      // Bytes after the splitter's length cannot change the result of a comparison of whole lines.
      std::size_t const max_bytes = options_.by.is_plain() ? splitter.size() + 1 : ~std::size_t{0};
      auto const below = [&](std::string_view line) { return compare(line, splitter) < 0; };
      auto const not_above = [&](std::string_view line) { return compare(line, splitter) <= 0; };
      std::uint64_t const bound = find_bound(reader, low, high, max_bytes, below);
      bool const meets = bound != from.end && not_above(reader.line(bound, max_bytes));
      std::uint64_t const after = meets ? find_bound(reader, bound, from.end, max_bytes, not_above) : bound;
      ranges[2 * s].parts[k] = {from.run, begin, bound};
      ranges[2 * s + 1].parts[k] = {from.run, bound, after};
      begin = after;
    }
    ranges.back().parts[k] = {from.run, begin, from.end};
  }

  std::span<line_run const> runs_;
  sort_options const& options_;
  memory_plan const& plan_;
  line_comparison compare_;
  pooled_arena arena_;
  std::vector<line_range> ranges_;
};

}  // namespace

double line_run::lines(std::uint64_t begin, std::uint64_t end) const {
  if (begin >= end) return 0;
  double sum = 0;
  for (std::uint64_t b = begin / block; b * block < end; ++b) {
    std::uint64_t const first = std::max(begin, b * block), last = std::min({end, (b + 1) * block, stored.bytes});
    std::uint64_t const size = std::min(block, stored.bytes - b * block);
    sum += double(lines_in_block[b]) * double(last - first) / double(size);
  }
  return sum;
}

line_run write_line_run(external::run_files& files, std::uint64_t max_bytes, char delimiter,
                        std::function<void(sink&)> const& fill) {
  line_run run;
  if (files.compresses()) {
    run.stored = files.write(fill);
    return run;
  }
  std::optional<counting_run_sink> counting;
  run.stored = files.write([&](sink& to) { fill(counting.emplace(to, max_bytes, delimiter)); });
  counting->move_counts(run);
  return run;
}

std::uint64_t line_range::bytes() const {
  std::uint64_t sum = 0;
  for (run_range const& r : parts) sum += r.bytes();
  return sum;
}

std::vector<line_range> cut_into_ranges(std::span<line_run const> runs, sort_options const& options, memory_plan const& plan) {
  line_range all;
  for (line_run const& r : runs) all.parts.push_back({&r.stored, 0, r.stored.bytes});
  cutter work(runs, options, plan);
  work.cut(std::move(all));
  return work.take();
}

void keep_first_line(run_range& part, char delimiter) {
  part.end = part.begin + run_reader(*part.run, delimiter).line(part.begin).size() + 1;
}

}  // namespace ordo::inline v0::strings::detail
