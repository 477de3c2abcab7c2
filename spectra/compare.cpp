#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "ordo/spectra/order.hpp"
#include "ordo/spectra/summary.hpp"
#include "spectra/chunk/filter_effects.hpp"
#include "spectra/pipeline/pipeline.hpp"
#include "spectra/pipeline/read_inputs.hpp"

namespace ordo::inline v0::spectra {
namespace {

// Names the steps of inputs without spectra.
void name_steps(comparison& of, sort_options const& options, std::string_view to) {
  if (!of.steps.empty()) return;
  comparison none;
  detail::filter_effects(options, to).add({}, 0, true, true, none);
  for (step_effect& step : none.steps) of.steps.push_back({std::move(step.option), 0, 0});
}

}  // namespace

comparison compare(source& input, sort_options const& options, format from, std::optional<format> to) {
  format const output = to.value_or(from);
  detail::pipeline work(options, {.goal = detail::purpose::compare, .from = from, .to = output});
  work.run(input, nullptr);
  comparison all = work.compared();
  all.before.set_size(work.report());
  bool const is_printed = output != from || output == format::msp || output == format::mzspeclib;
  name_steps(all, options, is_printed ? to_string(output) : "");
  return all;
}

comparison compare(spectrum_inputs const& inputs, sort_options const& options, std::optional<format> to) {
  comparison all;
  detail::read_inputs(
      inputs, options, {.goal = detail::purpose::compare, .to = to.value_or(format::mzml)}, [](sort_options&) {},
      [&](std::size_t, std::uint64_t, detail::pipeline& work) {
        comparison comparison = work.compared();
        comparison.before.set_size(work.report());
        all.add(comparison);
      });
  name_steps(all, options, "");
  return all;
}

}  // namespace ordo::inline v0::spectra
