#include "spectra/external/spill.hpp"

#include <algorithm>

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::size_t index_buffer = std::size_t{64} << 10;  // bytes, for each run that is merged
constexpr std::size_t min_merged = 4, max_runs = 512;        // at a time
constexpr std::size_t share = 8;                             // this part of the memory is for the buffers of indexes

}  // namespace

std::size_t spilled_spectra::max_merged() const {
  return std::clamp(memory_ / share / index_buffer, min_merged, max_runs);
}

void spilled_spectra::add(ordered_spectra& from, std::uint64_t bytes) {
  all_.add(files_.write(from, bytes));
  ++runs_;
}

merged_runs spilled_spectra::merging(std::span<spectrum_run const> runs) const {
  return {runs, keys_, std::min(index_buffer, memory_ / share / runs.size())};
}

merged_runs spilled_spectra::merged() {
  passes_ += 1 + all_.reduce(max_merged(), [this](std::span<spectrum_run> runs) {
    merged_runs from = merging(runs);
    spectrum_run merged = files_.write(from, from.bytes());
    from.check();
    for (spectrum_run& run : runs) run.discard();
    return merged;
  });
  return merging(all_.runs());
}

}  // namespace ordo::inline v0::spectra::detail
