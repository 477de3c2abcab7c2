#include <sys/stat.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/threads.hpp"
#include "ordo/strings.hpp"
#include "strings/external/partition.hpp"
#include "strings/sort/line_sort.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/stats.hpp"
#include "tools/strsort/inputs.hpp"
#include "tools/strsort/modes.hpp"

namespace ordo::inline v0::strsort {
namespace {

using cli::human_bytes;

// Returns the bytes of the input if all files are regular and not compressed.
std::optional<std::uint64_t> size_of_input(work const& w) {
  for (std::string const& file : w.made.files) {
    struct stat info {};
    if ((file == "-" ? fstat(0, &info) : stat(file.c_str(), &info)) != 0 || !S_ISREG(info.st_mode)) return {};
    if (file != "-" && !w.called.is_gnu() && cli::input(file).compressed()) return {};
  }
  return known_bytes(w.made.files);
}

// Returns a number of which two digits are known.
std::uint64_t rounded(double number) {
  double const unit = std::pow(10, std::max(0.0, std::floor(std::log10(number)) - 1));
  return std::uint64_t(std::round(number / unit) * unit);
}

// Returns the seconds that sorting the sample on the CPU takes, of some tries the best.
double seconds_for(std::string_view sample, strings::sort_options options) {
  using clock = std::chrono::steady_clock;
  options.machine.device = device::cpu;
  options.machine.gpu_index.reset();
  double best = 1e9;
  auto const begin = clock::now();
  for (int i = 0; i < 3 || (i < 20 && clock::now() - begin < std::chrono::milliseconds(50)); ++i) {
    auto const start = clock::now();
    static_cast<void>(strings::sort(sample, options));
    best = std::min(best, std::chrono::duration<double>(clock::now() - start).count());
  }
  return best;
}

std::string disk_in_words(work const& w, strings::detail::sort_plan const& plan, std::uint64_t bytes) {
  strings::spill_options const where = make_spill_options(w);
  std::uint64_t free = 0;
  std::string folders;
  for (std::string const& folder : where.folders) {
    std::error_code failed;
    auto const space = std::filesystem::space(folder, failed);
    if (!failed) free += space.available;
    folders += (folders.empty() ? "" : ", ") + folder;
  }
  return fmt::format("The lines are sorted in {} runs, which take {} of disk space in {}, where {}{} are free{}.\n", plan.runs,
                     human_bytes(bytes), folders, free < bytes ? "only " : "", human_bytes(free),
                     free < bytes ? ": name other folders with -T" : "");
}

}  // namespace

std::string planned(work const& w, std::string_view sample) {
  strings::sort_options const options = make_sort_options(w);
  auto const lines_in_sample = std::uint64_t(std::ranges::count(sample, options.delimiter));
  if (lines_in_sample == 0) return {};
  auto const size = size_of_input(w);
  if (!size) return "Memory, disk space and time are planned for files that are not compressed.\n";
  std::uint64_t const bytes = std::max<std::uint64_t>(*size, sample.size());
  double const lines = static_cast<double>(lines_in_sample) * (static_cast<double>(bytes) / static_cast<double>(sample.size()));
  bool const whole = bytes == sample.size();
  std::string text = fmt::format("The input has {} in {}{} lines.\n", human_bytes(bytes), whole ? "" : "about ",
                                 whole ? lines_in_sample : rounded(lines));
  auto const machine = strings::detail::choose_machine(options, std::size_t(bytes), [&] { return std::size_t(lines); });
  if (machine.device == device::gpu) return text + fmt::format("A GPU sorts them: {}.\n", machine.reason);

  auto const memory = strings::detail::make_memory_plan(options, make_spill_options(w));
  auto const plan = strings::detail::plan_sort(memory, bytes, std::uint64_t(lines));
  text += fmt::format("Sorting them at once takes up to {} of memory, and {} may be used{}.\n", human_bytes(plan.memory),
                      human_bytes(memory.limit), plan.runs == 0 ? ": nothing is written to disk" : " (see -S)");
  if (plan.runs != 0) text += disk_in_words(w, plan, bytes);
  if (whole) return text;
  // Runs are sorted, and then the parts of all of them that belong together.
  double const passes = plan.runs == 0 ? 1 : 2;
  double const more = std::log2(lines + 2) / std::log2(static_cast<double>(lines_in_sample) + 2);
  double const seconds =
      seconds_for(sample, options) * (static_cast<double>(bytes) / static_cast<double>(sample.size())) * more * passes;
  std::string const time = seconds < 1 ? "less than a second" : "about " + cli::human_seconds(seconds + 0.5);
  text += fmt::format("By the time that the first lines take, sorting takes {} on {} threads, besides reading and writing.\n",
                      time, threads_for(options.machine.threads));
  return text;
}

}  // namespace ordo::inline v0::strsort
