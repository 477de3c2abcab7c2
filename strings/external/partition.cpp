#include "strings/external/partition.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/strings/line_comparison.hpp"

namespace ordo::strings::detail {
namespace {

constexpr double samples_in_range = 32;  // that fills the memory
constexpr double filled = 0.8;           // of the memory by a range, as far as samples tell
constexpr std::size_t longest_sample = 1024;

// A line from a run, or its beginning: that is a line, too, and as good a splitter.
struct sample {
  std::string line;
  std::size_t slice;
  std::uint64_t at;
  bool whole;
};

class cutter {
 public:
  cutter(options const& how, memory_plan const& plan)
      : how_(how), plan_(plan), compare_(how.by, how.delimiter), arena_(threads_for(how.machine.threads)) {}

  void cut(range all) {
    std::size_t const count = std::size_t(std::ranges::count_if(all.slices, [](slice const& s) { return s.bytes() != 0; }));
    if (count == 0) return;
    all.sorted = count == 1;
    if (all.sorted || plan_.fits(all.bytes(), all.lines())) {
      made_.push_back(std::move(all));
      return;
    }
    std::vector<sample> samples = draw(all);
    std::vector<std::string> splitters = choose(samples, all);
    auto parts = split(all, samples, splitters);
    bool const stuck = std::ranges::any_of(parts, [&](range const& p) { return !p.sorted && p.bytes() == all.bytes(); });
    if (stuck) parts = split(all, {}, {line_inside(all)});
    for (range& p : parts) {
      if (p.sorted && p.bytes() != 0)
        made_.push_back(std::move(p));
      else
        cut(std::move(p));
    }
  }
  [[nodiscard]] std::vector<range> take() { return std::move(made_); }

 private:
  // Of a line in memory beside its bytes, about.
  double line_weight() const { return double(plan_.beside(1 << 24, 1 << 20) >> 20); }
  double weight(slice const& s) const { return double(s.bytes()) + line_weight() * s.of->lines(s.begin, s.end); }

  // Lines at regular distances, by weight, in each slice; slices do not begin at the same place of the first distance.
  std::vector<sample> draw(range const& all) {
    double const step = double(plan_.limit) / samples_in_range, per_line = line_weight();
    std::vector<sample> samples;
    for (std::size_t k = 0; k < all.slices.size(); ++k) {
      slice const& from = all.slices[k];
      if (from.bytes() == 0) continue;
      run_reader reader(*from.of, how_.delimiter);
      double next = step * std::fmod(0.6180339887 * double(k + 1), 1.0), weight = 0;
      std::uint64_t behind = from.begin;  // the last sample: where the next line begins
      for (std::uint64_t b = from.begin; b < from.end;) {
        std::uint64_t const end = std::min(from.end, (b / from.of->block + 1) * from.of->block);
        double const more = double(end - b) + per_line * from.of->lines(b, end);
        for (; next < weight + more; next += step) {
          auto const at = b + std::min(std::uint64_t(double(end - b) * (next - weight) / more), end - b - 1);
          if (at < behind) {  // a long line has many
            samples.push_back(samples.back());
            continue;
          }
          std::uint64_t const line = reader.line_around(at, behind);
          std::string const text(reader.line(line, longest_sample));
          bool const whole = text.size() < longest_sample;
          behind = whole ? line + text.size() + 1 : reader.first_line(line + text.size(), from.end);
          samples.push_back({text, k, line, whole});
        }
        weight += more;
        b = end;
      }
    }
    return samples;
  }

  // Splitters in order, all different.
  std::vector<std::string> choose(std::vector<sample> const& samples, range const& all) {
    std::vector<std::string_view> lines(samples.size());
    std::ranges::transform(samples, lines.begin(), [](sample const& s) { return std::string_view(s.line); });
    std::ranges::stable_sort(lines, [this](auto a, auto b) { return compare_(a, b) < 0; });
    std::vector<std::string> chosen;
    auto const most = std::size_t(samples_in_range * filled);
    // Ranges of about the same size.
    std::size_t const ranges = std::max<std::size_t>(2, (lines.size() + most - 1) / most);
    for (std::size_t r = 1; r < ranges && !lines.empty(); ++r) {
      std::string_view const line = lines[r * lines.size() / ranges];
      if (chosen.empty() || compare_(chosen.back(), line) != 0) chosen.emplace_back(line);
    }
    if (chosen.empty()) chosen.push_back(line_inside(all));
    return chosen;
  }

  std::string line_inside(range const& all) {
    slice const& largest = *std::ranges::max_element(all.slices, {}, &slice::bytes);
    run_reader reader(*largest.of, how_.delimiter);
    return std::string(reader.line(reader.line_around(largest.begin + largest.bytes() / 2, largest.begin)));
  }

  // For each splitter: the lines before it (and behind the one before), and those equal to it; and what is behind the last.
  std::vector<range> split(range const& all, std::vector<sample> const& samples, std::vector<std::string> const& splitters) {
    std::vector<range> parts(2 * splitters.size() + 1);
    for (range& p : parts) p.slices.resize(all.slices.size());
    for (std::size_t p = 1; p < parts.size(); p += 2) parts[p].sorted = true;
    arena_.execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, all.slices.size(), 1), [&](auto const& some) {
        for (std::size_t k = some.begin(); k != some.end(); ++k) split_slice(all.slices[k], k, samples, splitters, parts);
      });
    });
    return parts;
  }

  void split_slice(slice const& from, std::size_t k, std::vector<sample> const& samples,
                   std::vector<std::string> const& splitters, std::vector<range>& parts) const {
    auto compare = compare_;
    run_reader reader(*from.of, how_.delimiter);
    auto [near, last] = std::ranges::equal_range(samples, k, {}, &sample::slice);
    std::uint64_t begin = from.begin;
    for (std::size_t s = 0; s < splitters.size(); ++s) {
      std::string_view const splitter = splitters[s];
      std::uint64_t low = begin;  // where a line begins that may be before the splitter
      for (; near != last && (!near->whole || compare(near->line, splitter) < 0); ++near)
        if (near->whole) low = std::max(low, near->at);
      std::uint64_t const high = near == last ? from.end : std::max(near->at, low);
      // Bytes behind a whole splitter's length cannot change what the comparison of whole lines says.
      std::size_t const most = how_.by.is_plain() ? splitter.size() + 1 : ~std::size_t{0};
      auto const below = [&](std::string_view line) { return compare(line, splitter) < 0; };
      auto const not_above = [&](std::string_view line) { return compare(line, splitter) <= 0; };
      std::uint64_t const bound = find_bound(reader, low, high, most, below);
      bool const meets = bound != from.end && not_above(reader.line(bound, most));
      std::uint64_t const behind = meets ? find_bound(reader, bound, from.end, most, not_above) : bound;
      parts[2 * s].slices[k] = {from.of, begin, bound};
      parts[2 * s + 1].slices[k] = {from.of, bound, behind};
      begin = behind;
    }
    parts.back().slices[k] = {from.of, begin, from.end};
  }

  options const& how_;
  memory_plan const& plan_;
  line_comparison compare_;
  tbb::task_arena arena_;
  std::vector<range> made_;
};

}  // namespace

std::uint64_t range::bytes() const {
  std::uint64_t sum = 0;
  for (slice const& s : slices) sum += s.bytes();
  return sum;
}

std::uint64_t range::lines() const {
  double sum = 0;
  for (slice const& s : slices)
    if (s.bytes() != 0) sum += s.of->lines(s.begin, s.end);
  return std::uint64_t(sum) + 1;
}

std::vector<range> cut_into_ranges(std::vector<run> const& runs, options const& how, memory_plan const& plan) {
  range all;
  for (run const& r : runs) all.slices.push_back({&r, 0, r.bytes});
  cutter work(how, plan);
  work.cut(std::move(all));
  return work.take();
}

}  // namespace ordo::strings::detail
