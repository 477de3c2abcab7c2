// Measures the steps of the string sort of Deshpande and Narayanan (HiPC'13, algorithm 1), rebuilt on today's CUB for tables II
// to VII and figure 4, beside Thrust's sort by a comparator, their rival, and strings::sort, in one process on the same
// strings.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "bench/gpu_bench.cuh"
#include "bench/row_file.hpp"
#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "ordo/strings.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/generate/strings.hpp"

namespace ordo::inline v0::bench {
namespace {

struct settings {
  std::vector<std::string> sets;
  double scale = 1;
  unsigned runs = 3;
  std::string json;
};

/// The lines of a text: where each begins, and its length.
struct line_list {
  std::vector<std::uint32_t> starts, lengths;
  explicit line_list(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      auto const* const end = static_cast<char const*>(std::memchr(text.data() + at, '\n', text.size() - at));
      std::size_t const length = end ? std::size_t(end - text.data()) - at : text.size() - at;
      starts.push_back(std::uint32_t(at));
      lengths.push_back(std::uint32_t(length));
      at += length + 1;
    }
  }
};

/// The strings in memory of the GPU. A string ends in zeros without end.
struct strings_view {
  char const* text;
  std::uint32_t const *starts, *lengths;
  ORDO_FN std::uint8_t at(std::uint32_t line, std::uint32_t place) const {
    return place < lengths[line] ? std::uint8_t(text[std::size_t(starts[line]) + place]) : std::uint8_t(0);
  }
};

struct comes_before {
  strings_view strings;
  ORDO_FN bool operator()(std::uint32_t a, std::uint32_t b) const {
    for (std::uint32_t place = 0;; ++place) {
      std::uint8_t const x = strings.at(a, place), y = strings.at(b, place);
      if (x != y) return x < y;
      if (x == 0) return false;
    }
  }
};

// ---- The paper's algorithm ----

struct method {
  bool adaptive = true;    // as few bytes as the number of segments needs, instead of four
  bool eliminates = true;  // singletons leave after each round
};

/// Loads the next bytes of a string, below the number of its segment (lines 7, 8, 17 and 18 of algorithm 1).
struct pack_key {
  strings_view strings;
  std::uint32_t const* lines;
  std::uint32_t const* segments;  // from 1; null: all strings are one segment
  std::uint32_t offset, bytes;    // prefix bytes
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t i) const {
    std::uint64_t key = segments ? segments[i] - 1 : 0;
    for (std::uint32_t k = 0; k < bytes; ++k) key = key << 8 | strings.at(lines[i], offset + k);
    to[i] = key;
  }
};

/// Marks strings that must be sorted on: those with an equal neighbour, unless the string is equal as a whole.
struct mark_unsorted {
  std::uint64_t const* keys;
  std::uint32_t const *lines, *lengths;
  std::uint32_t end;  // bytes that the keys so far stand for
  std::size_t n;
  std::uint32_t *unsorted, *heads;
  ORDO_FN void operator()(std::size_t i) const {
    bool const head = i == 0 || keys[i - 1] != keys[i], last = i + 1 == n || keys[i + 1] != keys[i];
    heads[i] = head;
    unsorted[i] = !(head && last) && lengths[lines[i]] >= end;  // a key with an end in it stands for the whole string
  }
};

/// Moves unsorted strings to the front, and the others to their final places.
struct eliminate {
  std::uint32_t const *unsorted, *places, *lines, *slots, *heads;
  std::uint32_t *lines_to, *slots_to, *heads_to, *order;
  ORDO_FN void operator()(std::size_t i) const {
    if (unsorted[i] == 0) {
      order[slots[i]] = lines[i];
      return;
    }
    std::uint32_t const to = places[i];
    lines_to[to] = lines[i];
    slots_to[to] = slots[i];
    heads_to[to] = heads[i];
  }
};

/// Adds up the time of work on a stream by step.
class step_clock {
 public:
  enum step { sort, scans, kernels, steps };
  explicit step_clock(cudaStream_t stream) : stream_(stream) { resume(); }
  /// The work since the last end, or since resume(), belongs to a step.
  void end(step what) {
    auto now = std::make_unique<event>();
    now->record(stream_);
    spans_.push_back({what, std::move(begin_), std::move(now)});
    resume();
  }
  /// Leaves the time since the last end out.
  void resume() {
    begin_ = std::make_unique<event>();
    begin_->record(stream_);
  }
  [[nodiscard]] std::vector<double> times() const {
    std::vector<double> ms(steps);
    for (span const& one : spans_) ms[one.what] += one.end->ms_since(*one.begin);
    return ms;
  }

 private:
  struct span {
    step what;
    std::unique_ptr<event> begin, end;
  };
  cudaStream_t stream_;
  std::unique_ptr<event> begin_;
  std::vector<span> spans_;
};

struct steps_result {
  std::vector<double> ms;               // times by step
  std::vector<std::size_t> live;        // strings in each round
  std::vector<unsigned> segment_bytes;  // in each round
  std::vector<std::uint32_t> order;
};

unsigned bytes_for(std::uint32_t segments) {
  unsigned bytes = 0;
  for (std::uint32_t x = segments - 1; x != 0; x >>= 8) ++bytes;
  return bytes;
}

/// Sorts by algorithm 1. The order of equal strings is that of the text.
steps_result sort_by_steps(session& s, strings_view strings, std::size_t n, method how) {
  cudaStream_t const stream = s.lab.stream();
  auto const buffer = [&] { return s.lab.buffer<std::uint32_t>(n); };
  auto keys = s.lab.buffer<std::uint64_t>(n), other_keys = s.lab.buffer<std::uint64_t>(n);
  auto lines = buffer(), other_lines = buffer(), slots = buffer(), other_slots = buffer(), heads = buffer(),
       other_heads = buffer(), unsorted = buffer(), places = buffer(), order = buffer();
  std::size_t sort_bytes = 0, scan_bytes = 0;
  cub::DoubleBuffer<std::uint64_t> key(keys.data(), other_keys.data());
  cub::DoubleBuffer<std::uint32_t> line(lines.data(), other_lines.data());
  ORDO_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, key, line, std::uint32_t(n), 0, 64, stream));
  ORDO_CUDA(cub::DeviceScan::InclusiveSum(nullptr, scan_bytes, heads.data(), places.data(), std::uint32_t(n), stream));
  std::size_t const bytes = std::max(sort_bytes, scan_bytes);
  auto const temporary = s.lab.buffer<char>(bytes + 1);
  auto const scan = [&](std::uint32_t const* from, std::uint32_t* to, std::size_t count, bool inclusive) {
    std::size_t available = bytes;
    if (inclusive)
      ORDO_CUDA(cub::DeviceScan::InclusiveSum(temporary.data(), available, from, to, std::uint32_t(count), stream));
    else
      ORDO_CUDA(cub::DeviceScan::ExclusiveSum(temporary.data(), available, from, to, std::uint32_t(count), stream));
  };

  steps_result result;
  fill(s.lab, slots.span(), identity{});
  fill(s.lab, std::span(line.Current(), n), identity{});
  step_clock clock(stream);
  std::uint32_t offset = 0;
  std::uint32_t const* segments = nullptr;
  std::uint32_t *slot = slots.data(), *next_slot = other_slots.data();
  unsigned segment_bytes = how.adaptive ? 0 : 4;
  for (std::size_t live = n; live != 0;) {
    std::uint32_t const prefix = 8 - segment_bytes;
    s.lab.each(live, pack_key{strings, line.Current(), segments, offset, prefix, key.Current()});
    offset += prefix;
    clock.end(step_clock::kernels);
    std::size_t available = bytes;
    ORDO_CUDA(cub::DeviceRadixSort::SortPairs(temporary.data(), available, key, line, std::uint32_t(live), 0, 64, stream));
    clock.end(step_clock::sort);
    s.lab.each(live,
               mark_unsorted{key.Current(), line.Current(), strings.lengths, offset, live, unsorted.data(), heads.data()});
    clock.end(step_clock::kernels);
    result.live.push_back(live);
    result.segment_bytes.push_back(segment_bytes);
    scan(unsorted.data(), places.data(), live, false);
    clock.end(step_clock::scans);
    std::uint32_t const left = value_at(s.lab, places.span(), live - 1) + value_at(s.lab, unsorted.span(), live - 1);
    clock.resume();
    std::uint32_t const* head = heads.data();
    if (how.eliminates) {
      s.lab.each(live, eliminate{unsorted.data(), places.data(), line.Current(), slot, heads.data(), line.Alternate(),
                                 next_slot, other_heads.data(), order.data()});
      line.selector ^= 1;
      std::swap(slot, next_slot);
      head = other_heads.data();
      live = left;
      clock.end(step_clock::scans);
    } else if (left == 0) {
      copy(std::span(line.Current(), n), order.span(), stream);
      clock.end(step_clock::kernels);
      break;
    }
    if (live == 0) break;
    scan(head, places.data(), live, true);  // numbers of segments, from 1
    clock.end(step_clock::scans);
    std::uint32_t const count = value_at(s.lab, places.span(), live - 1);
    clock.resume();
    segment_bytes = how.adaptive ? bytes_for(count) : 4;
    segments = places.data();
  }
  wait_for(s.lab);
  result.ms = clock.times();
  result.order.resize(n);
  s.lab.download(std::span<std::uint32_t const>(order.span()), std::span(result.order));
  return result;
}

// ---- One set ----

struct uploaded {
  buffer<char const> text;
  buffer<std::uint32_t const> starts, lengths;
  uploaded(cuda_backend& lab, std::string_view from, line_list const& lines)
      : text(lab.upload(std::span<char const>(from.data(), from.size()))),
        starts(lab.upload(std::span<std::uint32_t const>(lines.starts))),
        lengths(lab.upload(std::span<std::uint32_t const>(lines.lengths))) {}
  [[nodiscard]] strings_view view() const { return {text.data(), starts.data(), lengths.data()}; }
};

template <class Work>
double host_ms(Work work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

json_row to_json(steps_result const& result, double total) {
  return {{"rounds", result.live.size()},
          {"total_ms", rounded_ms(total)},
          {"sort_ms", rounded_ms(result.ms[step_clock::sort])},
          {"scan_ms", rounded_ms(result.ms[step_clock::scans])},
          {"kernel_ms", rounded_ms(result.ms[step_clock::kernels])},
          {"live", result.live},
          {"segment_bytes", result.segment_bytes}};
}

/// @param whole  measure the other methods and Thrust, too
json_row measure(session& s, gpu& machine, std::string const& name, std::string const& text, unsigned runs, bool whole) {
  line_list const lines(text);
  std::size_t const n = lines.starts.size();
  json_row row{{"name", name}, {"strings", n}, {"bytes", text.size()}};
  std::string wrong;

  strings::sort_options options;
  options.machine.on = &machine;
  std::vector<double> times;
  std::optional<strings::sorted_lines> sorted;
  for (unsigned k = 0; k < runs + 1; ++k) {
    double const ms = host_ms([&] { sorted = strings::sort(text, options); });
    if (k != 0) times.push_back(ms);
  }
  row["Ordo"] = {{"total_ms", rounded_ms(median(times))}};
  auto const check = [&](char const* who, std::vector<std::uint32_t> const& order) {
    for (std::size_t k = 0; k < n; ++k)
      if (sorted->start(k) != lines.starts[order[k]]) {
        wrong += std::string(who) + " ";
        return;
      }
  };

  // From text in memory of the host to the order there; the first run allocates.
  auto const by_steps = [&](char const* who, method how, unsigned times_of) {
    std::vector<double> totals;
    steps_result last;
    for (unsigned k = 0; k < times_of + 1; ++k) {
      double const ms = host_ms([&] {
        uploaded const strings(s.lab, text, lines);
        last = sort_by_steps(s, strings.view(), n, how);
      });
      if (k != 0) totals.push_back(ms);
    }
    check(who, last.order);
    row[who] = to_json(last, median(totals));
  };
  by_steps("adaptive", {}, runs);
  if (whole) {
    by_steps("fixed", {.adaptive = false, .eliminates = true}, 1);
    by_steps("fixed, all", {.adaptive = false, .eliminates = false}, 1);
    std::vector<std::uint32_t> order(n);
    double sort_ms = 0;
    double const total = host_ms([&] {
      uploaded const strings(s.lab, text, lines);
      auto const index = s.lab.buffer<std::uint32_t>(n);
      fill(s.lab, index.span(), identity{});
      pooled memory{&s.lab.pool()};
      auto const policy = thrust::cuda::par(memory).on(s.lab.stream());
      sort_ms = median_time(
                    s.lab.stream(), 1, [] {},
                    [&] { thrust::stable_sort(policy, index.data(), index.data() + n, comes_before{strings.view()}); }, 0)
                    .ms;
      s.lab.download(std::span<std::uint32_t const>(index.span()), std::span(order));
    });
    check("Thrust", order);
    row["Thrust"] = {{"total_ms", rounded_ms(total)}, {"sort_ms", rounded_ms(sort_ms)}};
  }
  row["wrong"] = wrong;
  s.lab.pool().trim();
  return row;
}

// ---- The sets ----

std::string generated(std::string const& set, double scale) {
  std::string text;
  generate::sink to([&](std::span<char const> block) { text.append(block.data(), block.size()); });
  generate::write_strings({.set = set, .scale = scale}, to);
  to.flush();
  return text;
}

/// Returns the text with every k-th letter of each line, from the first on.
std::string thinned(std::string const& text, unsigned k) {
  std::string to;
  to.reserve(text.size() / k + 1);
  unsigned place = 0;
  for (char const c : text) {
    if (c == '\n' || place % k == 0) to += c;
    place = c == '\n' ? 0 : place + 1;
  }
  return to;
}

std::string repeated(std::string const& text, unsigned k) {
  std::string to;
  to.reserve(text.size() * k);
  for (char const c : text) to.append(c == '\n' ? 1 : k, c);
  return to;
}

int run(int argc, char const* const* argv) {
  settings options;
  cli::command_table table{.name = "string_steps",
                           .summary = "measure",
                           .usage = {"[OPTION]..."},
                           .description = "The steps of a string sort by radix sorts, beside Thrust and Ordo."};
  table.options = {
      cli::value_row(
          "sets", "NAME[,NAME...]", "sort only these sets [all]",
          [&](std::string_view spelling, std::string_view value) { cli::parse_value(spelling, value, options.sets); }),
      cli::value_row("scale", "X", "multiply the numbers of lines by X", options.scale),
      cli::value_row("runs", "N", "take the median of N runs, after one", cli::parse_to(options.runs, 1, 1000), "3"),
      cli::value_row("json", "FILE", "write the figures to FILE", options.json), cli::help_row()};
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  bench_options none;
  report unused(program::radix_sort, none, {}, {});
  session s{cuda_backend(), none, unused};
  gpu machine;
  row_file out("string_steps", options.json, describe_machine());
  for (auto const& facts : generate::string_sets()) {
    std::string const set(facts.name);
    if (!options.sets.empty() && std::ranges::find(options.sets, set) == options.sets.end()) continue;
    std::string const text = generated(set, options.scale);
    out.add(measure(s, machine, set, text, options.runs, true));
    bool const is_words = set == "words", is_files = set == "filelist";
    if (is_words || is_files)
      for (unsigned const k : {8, 4, 2})
        out.add(measure(s, machine, set + " / " + std::to_string(k), thinned(text, k), options.runs, false));
    if (is_words)
      for (unsigned const k : {2, 4})
        out.add(measure(s, machine, set + " x " + std::to_string(k), repeated(text, k), options.runs, false));
    if (is_files) out.add(measure(s, machine, set + " twice", text + text, options.runs, false));
  }
  return out.status();
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("string_steps", [&] { return ordo::bench::run(argc, argv); });
}
