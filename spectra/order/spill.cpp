#include "spectra/order/spill.hpp"

#include <algorithm>
#include <utility>

namespace ordo::spectra::detail {
namespace {

constexpr std::size_t index_buffer = std::size_t{64} << 10;  // of a run that is merged
constexpr std::size_t least_merged = 4, most_merged = 512;
constexpr std::size_t share = 8;  // of the memory is for the buffers of indexes

}  // namespace

std::size_t spilled_spectra::fan_in() const {
  return std::clamp(memory_ / share / index_buffer, least_merged, most_merged);
}

void spilled_spectra::add(ordered_spectra& from, std::uint64_t bytes) {
  all_.push_back(files_.write(from, bytes));
  ++runs_;
}

merged_runs spilled_spectra::merging(std::size_t first, std::size_t count) {
  std::vector<spectrum_run*> those;
  for (std::size_t k = first; k < first + count; ++k) those.push_back(&all_[k]);
  return {std::move(those), keys_, std::min(index_buffer, memory_ / share / count)};
}

merged_runs spilled_spectra::merged() {
  while (all_.size() > fan_in()) pass();
  ++passes_;
  return merging(0, all_.size());
}

// Runs that follow one another are merged, as few as make so few of them that the rest can be merged at once.
void spilled_spectra::pass() {
  ++passes_;
  std::vector<spectrum_run> next;
  std::size_t excess = all_.size() - fan_in();
  for (std::size_t k = 0; k < all_.size();) {
    std::size_t const count = std::min({fan_in(), excess + 1, all_.size() - k});
    if (count < 2) {
      next.push_back(std::move(all_[k++]));
      continue;
    }
    merged_runs from = merging(k, count);
    next.push_back(files_.write(from, from.bytes()));
    from.check();
    for (std::size_t i = k; i < k + count; ++i) run_files::discard(all_[i]);
    excess -= count - 1;
    k += count;
  }
  all_ = std::move(next);
}

}  // namespace ordo::spectra::detail
