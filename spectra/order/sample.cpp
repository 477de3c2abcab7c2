#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "ordo/spectra/order.hpp"
#include "spectra/pipeline.hpp"

namespace ordo::inline v0::spectra {

sample_rule find_sample(spectrum_inputs const& inputs, sort_options const& options, std::uint64_t count, std::uint64_t seed) {
  sample_rule rule{.seed = seed, .max_rank = std::numeric_limits<std::uint64_t>::max()};
  std::vector<std::uint64_t> least;  // ranks; a heap with the greatest in front
  std::uint64_t read = 0, accepted = 0, bytes = 0;
  for (std::size_t k = 0; k < inputs.count; ++k) {
    spectrum_inputs::opened opened = inputs.open(k);
    sort_options one = options;
    one.name = opened.name;
    one.on_warning = {};  // the reader that uses the sample warns
    one.choice.sample.reset();
    if (opened.numbers) one.choice.numbers = opened.numbers;
    if (options.on_progress) one.on_progress = [&](std::uint64_t at) { options.on_progress(bytes + at); };
    detail::pipeline work(std::move(one), {.what = detail::purpose::choose, .from = opened.from_format});
    work.run(*opened.from, nullptr);
    for (std::uint64_t const number : work.take_chosen()) {
      ++accepted;
      least.push_back(rule.rank(read + number));
      std::ranges::push_heap(least);
      if (least.size() <= count) continue;
      std::ranges::pop_heap(least);
      least.pop_back();
    }
    sort_report const report = work.report();
    read += report.spectra;
    bytes += report.bytes;
  }
  if (accepted > count && count != 0) rule.max_rank = least.front();
  return rule;
}

}  // namespace ordo::inline v0::spectra
