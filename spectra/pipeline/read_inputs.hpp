#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ordo/spectra/order.hpp"
#include "spectra/pipeline/pipeline.hpp"

namespace ordo::inline v0::spectra::detail {

/// Reads all inputs, one after the other, without warnings: those are for the reader that writes them.
/// @param task  whose input format is set here @param adapt  changes the options of each input
/// @param use  called as use(k, read, work) with the number of an input, the number of spectra read before it, and its pipeline
/// @throws as order_spectra
template <class Adapt, class Use>
void read_inputs(spectrum_inputs const& inputs, sort_options const& options, pipeline_task task, Adapt adapt, Use use) {
  std::uint64_t read = 0, bytes = 0;
  for (std::size_t k = 0; k < inputs.count; ++k) {
    spectrum_inputs::opened opened = inputs.open(k);
    sort_options one = options;
    one.name = opened.name;
    one.on_warning = {};
    one.choice.first_number = read;
    if (opened.numbers) one.choice.numbers = opened.numbers;
    if (opened.duplicates) one.choice.duplicates = opened.duplicates;
    if (options.on_progress) one.on_progress = [&](std::uint64_t at) { options.on_progress(bytes + at); };
    adapt(one);
    task.from = opened.from_format;
    pipeline work(std::move(one), task);
    work.run(*opened.from, nullptr);
    use(k, read, work);
    sort_report const report = work.report();
    read += report.spectra;
    bytes += report.bytes;
  }
}

}  // namespace ordo::inline v0::spectra::detail
