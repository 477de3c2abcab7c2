#include "spectra/order/input_reader.hpp"

#include <utility>

#include "spectra/chunk/reports.hpp"
#include "spectra/external/spill.hpp"

namespace ordo::inline v0::spectra::detail {

input_reader::input_reader(sort_options const& options, order_options const& order)
    : options_(options), memory_(std::max(order.memory, min_order_memory)) {
  options_.on_progress = [this, on_progress = options.on_progress](std::uint64_t bytes) {
    if (on_progress) on_progress(done.done.bytes + bytes);
  };
}

void input_reader::warn(std::string const& message) {
  if (options_.on_warning && warned_ < options_.warnings_shown) options_.on_warning(message);
  ++warned_;
  ++done.done.warnings;
}

sort_report input_reader::read(spectrum_inputs::opened const& opened, pipeline_task task) {
  sort_options options = options_;
  options.name = opened.name;
  options.path = opened.path;
  options.input_bytes = opened.bytes;
  options.chunk_bytes = std::clamp<std::size_t>(memory_ / order_blocks, 1, options.chunk_bytes);
  options.warnings_shown -= std::min<std::uint64_t>(options.warnings_shown, warned_);
  if (opened.numbers) options.choice.numbers = opened.numbers;
  if (opened.duplicates) options.choice.duplicates = opened.duplicates;
  if (opened.named) options.choice.named = opened.named;
  options.choice.first_number = done.done.spectra;
  task.goal = purpose::order;
  task.from = opened.from_format;
  pipeline work(std::move(options), task);
  work.run(*opened.from, nullptr);
  sort_report report = work.report();
  report.written = 0;  // chunks go to the order, which counts what it writes
  return report;
}

void input_reader::add(sort_report const& report) {
  warned_ += report.warnings;
  detail::add(done.done, report);  // phases of other formats have other names
  if (inputs_++ == 0 || report.machine.device == device::gpu) done.done.machine = report.machine;
}

order_report& input_reader::end(phase_time const& order, phase_time const& spill, phase_time const& write) {
  auto& phases = done.done.phases;
  std::erase_if(phases, [&](phase_time const& time) { return time.name == write.name; });
  phases.insert(phases.end(), {order, spill, write});
  return done;
}

}  // namespace ordo::inline v0::spectra::detail
