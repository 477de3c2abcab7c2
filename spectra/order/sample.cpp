#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "ordo/spectra/order.hpp"
#include "spectra/pipeline/read_inputs.hpp"

namespace ordo::inline v0::spectra {

sample_rule find_sample(spectrum_inputs const& inputs, sort_options const& options, std::uint64_t count, std::uint64_t seed) {
  sample_rule rule{.seed = seed, .max_rank = std::numeric_limits<std::uint64_t>::max()};
  std::vector<std::uint64_t> least;  // ranks; a heap with the greatest in front
  std::uint64_t accepted = 0;
  detail::read_inputs(
      inputs, options, {.goal = detail::purpose::choose}, [](sort_options& options) { options.choice.sample.reset(); },
      [&](std::size_t, std::uint64_t read, detail::pipeline& work) {
        for (std::uint64_t const number : work.release_chosen()) {
          ++accepted;
          least.push_back(rule.rank(read + number));
          std::ranges::push_heap(least);
          if (least.size() <= count) continue;
          std::ranges::pop_heap(least);
          least.pop_back();
        }
      });
  if (accepted > count && count != 0) rule.max_rank = least.front();
  return rule;
}

std::vector<double> find_compensation_voltages(spectrum_inputs const& inputs, sort_options const& options) {
  std::set<double> all;
  detail::read_inputs(
      inputs, options, {.goal = detail::purpose::choose}, [](sort_options&) {},
      [&](std::size_t, std::uint64_t, detail::pipeline& work) { all.merge(work.release_voltages()); });
  return {all.begin(), all.end()};
}

}  // namespace ordo::inline v0::spectra
