#include "tools/cli/options/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "sort_core/cuda/runtime/devices.hpp"
#include "sort_core/device_environment.hpp"
#include "tools/cli/options/option_pages.hpp"

namespace ordo::inline v0::cli {

constexpr std::size_t max_gpus = 1024;  // GPUs that a range may name

machine_options common_options::machine() const {
  return machines().front();
}

namespace {

bool names_several(std::string_view devices) {
  return devices == "all" || (devices.starts_with("gpu:") && devices.find('-') != devices.npos);
}

}  // namespace

std::string common_options::devices() const {
  char const* const wish = std::getenv("ORDO_DEVICE");
  return may_be_several && where == "auto" && wish && names_several(wish) ? wish : where;
}

bool common_options::are_several() const {
  return may_be_several && names_several(devices());
}

void common_options::use_first(std::string_view why) {
  if (where != "auto") throw usage_error(fmt::format("conflicting options: --device {}: {}", where, why));
  may_be_several = false;
}

void common_options::keep_first(std::size_t count) {
  if (!may_be_several || devices() != "all") return;
  std::size_t const kept = std::min(std::max<std::size_t>(count, 1), gpus().size());
  if (kept != 0) where = kept == 1 ? "gpu:0" : fmt::format("gpu:0-{}", kept - 1);
}

void common_options::keep_fewest(std::function<std::size_t(std::size_t)> const& gpu_bytes) {
  if (!may_be_several || devices() != "all") return;
  if (auto const present = gpus(); !present.empty()) keep_first(fewest_gpus(present, gpu_bytes));
}

std::size_t fewest_gpus(std::span<gpu_info const> gpus, std::function<std::size_t(std::size_t)> const& gpu_bytes) {
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (std::size_t count = 1; count < gpus.size(); ++count) {
    smallest = std::min(smallest, gpus[count - 1].memory);
    if (gpu_bytes(count) <= smallest - smallest / 8) return count;
  }
  return gpus.size();
}

std::vector<machine_options> common_options::machines() const {
  std::vector<machine_options> all;
  std::string const where = devices();
  if (!are_several()) {
    if (names_several(where))
      throw usage_error(
          fmt::format("several GPUs: --device {}: this command works on one machine: auto, cpu, gpu, gpu:0, gpu:1 ...", where));
    all.push_back(detail::with_environment(parse_device(where)));
  } else if (where == "all") {
    for (gpu_info const& gpu : gpus()) all.push_back(parse_device(fmt::format("gpu:{}", gpu.index)));
    if (all.empty()) all.push_back(parse_device("gpu"));  // this device names what is missing when it is chosen
  } else {
    std::size_t const dash = where.find('-');
    machine_options const first = parse_device(where.substr(0, dash)), last = parse_device("gpu:" + where.substr(dash + 1));
    std::size_t const begin = first.gpu_index.value_or(0), end = last.gpu_index.value_or(0) + std::size_t{1};
    if (end <= begin) throw usage_error(fmt::format("no device: {}: the first GPU is after the last", where));
    if (end - begin > max_gpus) throw usage_error(fmt::format("too many devices: {}: at most {} GPUs", where, max_gpus));
    for (std::size_t index = begin; index < end; ++index) {
      all.push_back(first);
      all.back().gpu_index = unsigned(index);
    }
  }
  for (machine_options& options : all) {
    options.threads = threads;
    if (options.gpu_index) *options.gpu_index -= std::min(hidden_, *options.gpu_index);
  }
  return all;
}

std::optional<std::pair<unsigned, unsigned>> common_options::wanted_gpus() const {
  if (are_several() && devices() == "all") return {};
  auto const all = machines();
  if (all.front().device == device::cpu) return {};
  return std::pair(all.front().gpu_index.value_or(0), all.back().gpu_index.value_or(0));
}

void common_options::hide_gpus_before(unsigned first) {
  hidden_ = first;
  cuda_detail::first_gpu_number = first;
}

void common_options::check_machine() const {
  static_cast<void>(
      choose_machine(machine(), 0, std::numeric_limits<std::size_t>::max(), [](gpu_info const&) { return std::size_t{0}; }));
}

std::string describe_build() {
  std::string text = fmt::format("compiler: {} {}\n",
#if defined(__clang__)
                                 "clang", __clang_version__
#else
                                 "g++", __VERSION__
#endif
  );
  if constexpr (cuda_enabled) {
    text += fmt::format("CUDA: {}\n", cuda_detail::cuda_versions());
    auto const result = gpus();
    if (result.empty()) text += "GPU: none\n";
    for (gpu_info const& gpu : result)
      text += fmt::format("GPU: {}, compute capability {}.{}, {:.1f} GB\n", gpu.name, gpu.major, gpu.minor,
                          double(gpu.memory) / 1e9);
  } else {
    text += "CUDA: not in this build\n";
  }
  return text;
}

std::string version_text(std::string_view tool) {
  return fmt::format("{} (Ordo) {}\n{}", tool, version, describe_build());
}

template <class Number>
Number parse_count(std::string_view option, std::string_view text) {
  Number value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw usage_error(fmt::format("invalid number: {}: '{}'", option, text));
  return value;
}
template unsigned parse_count(std::string_view, std::string_view);
template std::uint64_t parse_count(std::string_view, std::string_view);

std::vector<option> common_rows(common_options& options, bool letters) {
  return {
      {.name = "device",
       .value = "NAME",
       .group = common_group,
       .help = options.may_be_several
                   ? "use this machine: auto, cpu, gpu, or gpu:N for the GPU of that number; for several GPUs all or gpu:M-N"
                   : "use this machine: auto, cpu, gpu, or gpu:N for the GPU of that number",
       .preset = "ORDO_DEVICE, or auto",
       .details = "auto chooses the machine that suits the size of the input. gpu is the first GPU. GPUs are numbered from 0, "
                  "among those of CUDA_VISIBLE_DEVICES. The output is the same on all machines.",
       .choices = "auto cpu gpu",
       .set =
           [&options](std::string_view, std::string_view value) {
             options.where = value;
             static_cast<void>(options.machine());
           }},
      {.name = "threads",
       .value = "N",
       .group = common_group,
       .help = "use N threads of the CPU; 0 means all",
       .preset = "0",
       .set = [&options](std::string_view, std::string_view value) { options.threads = parse_count("--threads", value); }},
      {.letter = letters ? 'q' : '\0',
       .name = "quiet",
       .group = common_group,
       .help = "print errors only",
       .details = "There are no warnings and no progress line.",
       .set = enable(options.quiet)},
      {.letter = letters ? 'v' : '\0',
       .name = "verbose",
       .group = common_group,
       .help = "print decisions to standard error, and a last line with time and memory",
       .set = enable(options.verbose)},
      {.name = "stats",
       .value = "FILE",
       .group = common_group,
       .help = "write a report as JSON to FILE: version, machine, phases, memory",
       .set = [&options](std::string_view, std::string_view value) {
         if (value.empty()) throw usage_error("no file name: --stats: ''");
         options.stats = value;
       }}};
}

void add_common_options(command_table& table, common_options& options) {
  for (option& row : common_rows(options)) table.options.push_back(std::move(row));
  table.options.push_back({.name = "generate",
                           .value = "KIND",
                           .group = common_group,
                           .help = "print the manual page or completions for a shell, and exit",
                           .details = "KIND is man, complete-bash, complete-zsh or complete-fish.",
                           .choices = std::string(generated_kinds),
                           .only_choices = true});
  table.options.push_back({.letter = 'h', .name = "help", .group = common_group, .help = "print this help and exit"});
  table.options.push_back(
      {.letter = 'V', .name = "version", .group = common_group, .help = "print version, compiler and devices, and exit"});
}

}  // namespace ordo::inline v0::cli
