#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/threads.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "suffix/index/matches_on.hpp"

namespace ordo::inline v0::suffix {

struct gpu_match_finder::state {
  std::mutex working;
  std::unique_ptr<detail::matches_on_gpu> finder;
};

machine_choice gpu_match_finder::choose(fm_index const& fm, text const& input, machine_options const& machine,
                                        std::uint64_t letters) {
  // A GPU's start takes as long as each thread of the CPU for some million letters. One thread prepares its queries and
  // collects what it has found, so that many threads are faster by themselves.
  constexpr std::size_t letters_of_thread = std::size_t{8} << 20, max_threads = 16;
  std::size_t const threads = threads_for(machine.threads);
  std::size_t const min_letters =
      threads <= max_threads ? letters_of_thread * threads : std::numeric_limits<std::size_t>::max();
  constexpr std::size_t at_a_time = std::size_t{1} << 26;
  return choose_machine(machine, std::size_t(letters), min_letters,
                        [&](gpu_info const&) { return detail::matches_memory(fm, input, at_a_time); });
}

gpu_match_finder::gpu_match_finder(fm_index const& fm, text const& input, machine_options const& machine,
                                   machine_choice const& choice)
    : state_(std::make_unique<state>()) {
  if constexpr (cuda_enabled) {
    if (choice.device == device::gpu) {
      state_->finder = detail::make_matches_on_cuda(machine, choice.gpu_index, fm, input);
      return;
    }
  }
  throw usage_error("no GPU: matches: a GPU finder needs a GPU; match_finder runs on the CPU");
}

gpu_match_finder::gpu_match_finder(gpu_match_finder&&) noexcept = default;
gpu_match_finder& gpu_match_finder::operator=(gpu_match_finder&&) noexcept = default;
gpu_match_finder::~gpu_match_finder() = default;

void gpu_match_finder::find_super_maximal(std::span<query_part const> parts, std::uint64_t min_length,
                                          std::vector<match>& matches, std::span<std::size_t> ends) {
  if (min_length == 0) throw usage_error("invalid minimum length: matches: 0: a match has at least one letter");
  if (ends.size() != parts.size())
    throw usage_error(fmt::format("wrong array size: matches: {} ends for {} parts", ends.size(), parts.size()));
  std::lock_guard const lock(state_->working);
  state_->finder->find_super_maximal(parts, min_length, matches, ends);
}

void gpu_match_finder::statistics(std::span<query_part const> parts, std::span<std::uint64_t> lengths) {
  std::uint64_t letters = 0;
  for (query_part const& part : parts) {
    if (part.begin > part.end || part.end > part.query.size())
      throw usage_error(
          fmt::format("wrong offsets: matching statistics: {} to {} of {} letters", part.begin, part.end, part.query.size()));
    letters += part.end - part.begin;
  }
  if (letters != lengths.size())
    throw usage_error(fmt::format("wrong array size: matching statistics: {} lengths for {} letters", lengths.size(), letters));
  std::lock_guard const lock(state_->working);
  state_->finder->statistics(parts, lengths);
}

}  // namespace ordo::inline v0::suffix
