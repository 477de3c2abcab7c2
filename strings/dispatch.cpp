#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/strings.hpp"
#include "sort_core/gpu_threshold.hpp"
#include "strings/keys/compiled_keys.hpp"
#include "strings/sort/line_sort.hpp"

namespace ordo::strings {
namespace {

bool is_narrow(std::size_t bytes) {
  return bytes <= std::numeric_limits<std::uint32_t>::max();
}

std::size_t count_lines(std::string_view text, char delimiter, unsigned threads) {
  tbb::task_arena arena(threads_for(threads));
  return arena.execute([&] {
    return 1 + tbb::parallel_reduce(
                   tbb::blocked_range<char const*>(text.data(), text.data() + text.size(), 1 << 20), std::size_t{0},
                   [=](auto const& part, std::size_t count) {
                     return count + std::size_t(std::count(part.begin(), part.end(), delimiter));
                   },
                   std::plus<>{});
  });
}

}  // namespace

std::size_t memory_needed(device where, std::size_t bytes, std::size_t lines, order const& by, char delimiter) {
  bool const narrow = is_narrow(bytes);
  if constexpr (cuda_enabled)
    if (where == device::gpu)
      return narrow ? detail::memory_on_cuda<std::uint32_t>(bytes, lines, by, delimiter)
                    : detail::memory_on_cuda<std::uint64_t>(bytes, lines, by, delimiter);
  return narrow ? detail::memory_on_host<std::uint32_t>(bytes, lines, by, delimiter)
                : detail::memory_on_host<std::uint64_t>(bytes, lines, by, delimiter);
}

namespace {

/// Does a key have to be looked for, or read at length? Whole lines as numbers, or with letters folded, cost little.
bool has_costly_keys(order const& by) {
  return std::ranges::any_of(
      by.keys, [](key const& k) { return k.last_field != key::to_the_end || k.first_field != 0 || k.as == reading::version; });
}

}  // namespace

machine_choice detail::choose_machine(options const& how, std::size_t bytes, std::function<std::size_t()> const& lines) {
  if (detail::compiled_keys const keys(how.by, static_cast<unsigned char>(how.delimiter)); keys.needs_host()) {
    // Who asked for a GPU hears of it.
    bool const other = how.machine.kind() == device::gpu;
    return {device::cpu,
            how.by.is_collated() ? "lines in the order of locale " + how.by.locale + ": the CPU compares them"
                                 : "general numbers are long double: the CPU reads them",
            other, !other};
  }
  measured_rates const& rates = has_costly_keys(how.by) ? read_key_rates : string_rates;
  constexpr std::size_t never_worth_it = std::size_t{1} << 20;  // however few the threads, which need not be counted then
  std::size_t const worthwhile = !cuda_enabled || bytes < never_worth_it ? std::numeric_limits<std::size_t>::max()
                                                                         : worth_a_gpu(rates, how.machine.threads);
  return choose_machine(how.machine, bytes, worthwhile,
                        [&](gpu_info const&) { return memory_needed(device::gpu, bytes, lines(), how.by, how.delimiter); });
}

void detail::check_memory(std::size_t bytes, std::size_t lines, std::size_t needed, std::size_t limit) {
  if (needed > limit)
    throw out_of_memory(fmt::format("out of memory: sorting {} lines of {} bytes: {} more bytes are needed, {} are available",
                                    lines, bytes, needed, limit),
                        needed);
}

void detail::check_delimiter(char delimiter) {
  if (static_cast<unsigned char>(delimiter) >= 0x80)
    throw usage_error("bad delimiter: lines: it must be a character below 0x80");
}

sorted_lines sort(std::string_view text, options const& how) {
  detail::check_delimiter(how.delimiter);
  sorted_lines result;
  result.text_ = text;
  result.delimiter_ = how.delimiter;
  result.by_ = how.by;
  result.machine_ =
      detail::choose_machine(how, text.size(), [&] { return count_lines(text, how.delimiter, how.machine.threads); });
  auto const run = [&]<class Offset>(std::unique_ptr<Offset[]>& starts) {
    detail::line_sort<Offset> done;
    run_on(
        result.machine_, [&] { done = detail::sort_on_cuda<Offset>(text, how, result.machine_.gpu_index); },
        [&] { done = detail::sort_on_host<Offset>(text, how); });
    if (result.machine_.device == device::gpu) result.device_memory_ = done.peak_memory;
    result.size_ = done.lines;
    starts = std::move(done.starts);
    result.repeats_ = std::move(done.repeats);
  };
  if (is_narrow(text.size())) {
    try {
      run(result.narrow_);
      return result;
    } catch (detail::offsets_too_narrow const&) {}
  }
  run(result.wide_);
  return result;
}

}  // namespace ordo::strings
