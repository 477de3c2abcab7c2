#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/threads.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "suffix/matches/matches_on.hpp"

namespace ordo::inline v0::suffix {

struct found_matches::state {
  std::vector<detail::part_place> places;
  detail::found_strings strings;
};

struct gpu_match_finder::state {
  std::unique_ptr<detail::matches_on_gpu> finder;
  bool has_runs = false;
  double seconds = 0;

  // Calls f(finder) when no other call does.
  template <class F>
  auto search(F f) {
    std::lock_guard const lock(working);
    struct timer {
      double& total;
      std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
      ~timer() { total += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }
    } const time{seconds};
    return f(*finder);
  }
  // Finds matches, by one of the finder's functions.
  found_matches find(std::span<query_part const> parts, std::uint64_t min_length,
                     detail::found_strings (detail::matches_on_gpu::*by)(detail::query_pieces const&, std::uint64_t)) {
    if (min_length == 0) throw usage_error("invalid minimum length: matches: 0: a match has at least one letter");
    detail::query_pieces queries(parts, true);
    auto result = search([&](detail::matches_on_gpu& finder) { return (finder.*by)(queries, min_length); });
    return found_matches(
        std::make_shared<found_matches::state const>(found_matches::state{queries.release_places(), std::move(result)}));
  }

 private:
  std::mutex working;
};

machine_choice gpu_match_finder::choose(fm_index const& fm, text const& input, machine_options const& machine,
                                        std::uint64_t letters) {
  // A GPU's start takes as long as each thread of the CPU for some million letters. Many threads are as fast by themselves.
  constexpr std::size_t letters_of_thread = std::size_t{8} << 20, max_threads = 16;
  std::size_t const threads = threads_for(machine.threads);
  std::size_t const min_letters =
      threads <= max_threads ? letters_of_thread * threads : std::numeric_limits<std::size_t>::max();
  constexpr std::size_t at_a_time = std::size_t{1} << 25;
  return choose_machine(machine, std::size_t(letters), min_letters,
                        [&](gpu_info const&) { return detail::matches_memory(fm, input, at_a_time); });
}

gpu_match_finder::gpu_match_finder(fm_index const& fm, text const& input, machine_options const& machine,
                                   machine_choice const& choice)
    : state_(std::make_unique<state>()) {
  if constexpr (cuda_enabled) {
    if (choice.device == device::gpu) {
      state_->finder = detail::make_matches_on_cuda(machine, choice.gpu_index, fm, input);
      state_->has_runs = fm.has_runs();
      return;
    }
  }
  throw usage_error("no GPU: matches: a GPU finder needs a GPU; match_finder runs on the CPU");
}

gpu_match_finder::gpu_match_finder(gpu_match_finder&&) noexcept = default;
gpu_match_finder& gpu_match_finder::operator=(gpu_match_finder&&) noexcept = default;
gpu_match_finder::~gpu_match_finder() = default;

double gpu_match_finder::seconds() const noexcept {
  return state_->seconds;
}

found_matches gpu_match_finder::find(std::span<query_part const> parts, std::uint64_t min_length) {
  if (state_->has_runs)
    throw usage_error("no text: matches: in an index of runs a GPU finds super-maximal matches and statistics only");
  return state_->find(parts, min_length, &detail::matches_on_gpu::find);
}

found_matches gpu_match_finder::find_super_maximal(std::span<query_part const> parts, std::uint64_t min_length) {
  return state_->find(parts, min_length, &detail::matches_on_gpu::find_super_maximal);
}

void found_matches::append(std::size_t first, std::vector<match>& matches, std::span<std::size_t> ends) const {
  std::span<detail::part_place const> const places = state_->places;
  if (first > places.size() || ends.size() > places.size() - first)
    throw usage_error(
        fmt::format("wrong array size: matches: {} ends from part {} of {} parts", ends.size(), first, places.size()));
  state_->strings.append(places.subspan(first, ends.size()), matches, ends);
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
  detail::query_pieces const queries(parts, false);
  state_->search([&](detail::matches_on_gpu& finder) { finder.statistics(queries, lengths); });
}

}  // namespace ordo::inline v0::suffix
