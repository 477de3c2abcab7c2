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
    sort_options sort_options = options;
    sort_options.name = opened.name;
    sort_options.on_warning = {};
    sort_options.choice.first_number = read;
    if (opened.numbers) sort_options.choice.numbers = opened.numbers;
    if (opened.duplicates) sort_options.choice.duplicates = opened.duplicates;
    if (opened.named) sort_options.choice.named = opened.named;
    if (options.on_progress) sort_options.on_progress = [&](std::uint64_t at) { options.on_progress(bytes + at); };
    adapt(sort_options);
    task.from = opened.from_format;
    pipeline work(std::move(sort_options), task);
    work.run(*opened.from, nullptr);
    use(k, read, work);
    sort_report const report = work.report();
    read += report.spectra;
    bytes += report.bytes;
  }
}

}  // namespace ordo::inline v0::spectra::detail
