#include "tools/cli/gpu_start.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ordo/detail/config.hpp"

namespace ordo::inline v0::cli {
namespace {

// The driver makes 8 queues for each kind of work by default, which takes 0.05 s. A command has one stream for kernels and
// another for copies.
constexpr char queues[] = "2";

std::vector<std::string_view> parse_list(std::string_view list) {
  std::vector<std::string_view> all;
  for (;;) {
    std::size_t const comma = std::min(list.find(','), list.size());
    std::string_view const entry = list.substr(0, comma);
    std::size_t const begin = std::min(entry.find_first_not_of(' '), entry.size()), end = entry.find_last_not_of(' ') + 1;
    all.push_back(entry.substr(begin, std::max(begin, end) - begin));
    if (comma == list.size()) return all;
    list.remove_prefix(comma + 1);
  }
}

// The driver ends its list at the first entry that names no GPU.
bool names_gpu(std::string_view entry, unsigned present) {
  if (entry.starts_with("GPU-") || entry.starts_with("MIG-")) return true;
  unsigned number = 0;
  auto const [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  return error == std::errc{} && end == entry.data() + entry.size() && number < present;
}

}  // namespace

std::optional<std::string> visible_gpus(char const* list, unsigned present, unsigned first, unsigned last) {
  if (first > last || present == 0) return {};
  if (!list) {
    if (last >= present) return {};
    std::vector<unsigned> numbers(std::size_t{last} - first + 1);
    std::iota(numbers.begin(), numbers.end(), first);
    return fmt::format("{}", fmt::join(numbers, ","));
  }
  std::vector<std::string_view> const entries = parse_list(list);
  auto const end = std::ranges::find_if_not(entries, [&](std::string_view entry) { return names_gpu(entry, present); });
  if (std::size_t(end - entries.begin()) <= last) return {};
  for (auto entry = entries.begin(); entry != end; ++entry)
    if (std::find(entries.begin(), entry, *entry) != entry) return {};  // one GPU twice: the driver shows none
  return fmt::format("{}", fmt::join(entries.begin() + first, entries.begin() + last + 1, ","));
}

unsigned count_gpus(std::string const& folder) {
  std::error_code error;
  std::filesystem::directory_iterator const all(folder, error);
  return error ? 0 : unsigned(std::distance(begin(all), end(all)));
}

gpu_start::gpu_start(common_options& common, bool in_job) {
  if constexpr (cuda_enabled) {
    auto const wanted = common.wanted_gpus();
    if (wanted && !in_job) {
      auto const [first, last] = *wanted;
      if (auto const shown = visible_gpus(std::getenv("CUDA_VISIBLE_DEVICES"), count_gpus(), first, last)) {
        setenv("CUDA_VISIBLE_DEVICES", shown->c_str(), 1);
        common.hide_gpus_before(first);
        if (first == last) setenv("CUDA_DEVICE_MAX_CONNECTIONS", queues, 0);
        if (common.machine().device != device::gpu) return;  // a library starts it once it knows that it pays
        try {
          starting_ = std::async(std::launch::async, cuda_detail::state_of_gpu, 0u);
          return;
        } catch (std::system_error const&) {  // there is no thread for it
        }
      }
    }
  }
  common.check_machine();
}

}  // namespace ordo::inline v0::cli
