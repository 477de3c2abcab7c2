#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/external/merge.hpp"
#include "spectra/external/keys.hpp"
#include "spectra/external/runs.hpp"

namespace ordo::inline v0::spectra::detail {

inline constexpr std::size_t min_order_memory = std::size_t{64} << 10;  // a smaller limit counts as this
inline constexpr std::size_t order_blocks = 32;                         // blocks of an input that share that memory
/// Bytes of a run that are read at a time, if there is room. Smaller reads are slow.
inline constexpr std::size_t read_of_run = std::size_t{256} << 10;

/// Returns the size of windows, which hold text that is written, and text that was read from runs.
constexpr std::size_t window_size(std::size_t memory, std::size_t threads, std::size_t runs) {
  constexpr std::size_t max_window = std::size_t{1} << 20, min_window = std::size_t{16} << 10;
  return std::clamp(memory / (2 * (threads + 2)), min_window, std::max(max_window, runs * read_of_run));
}

/// Spectra that do not fit in memory: runs on disk, written one after the other, and merged.
class spilled_spectra {
 public:
  /// @param memory  bytes for merging @param window  bytes that are written at a time
  spilled_spectra(std::vector<std::string> const& folders, order_keys const& keys, std::size_t memory, std::size_t window)
      : files_(folders, window), keys_(keys), memory_(memory) {}

  /// Adds a run. Its spectra come after equal ones of all runs before. @param bytes  the bytes of their texts
  void add(ordered_spectra& from, std::uint64_t bytes);
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  /// Merges all runs, in as many passes as needed. The result is valid as long as this object.
  [[nodiscard]] merged_runs merged();

  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] std::uint64_t passes() const noexcept { return passes_; }
  /// Returns the number of runs that the last pass merges.
  [[nodiscard]] std::size_t left() const noexcept { return all_.size(); }

 private:
  [[nodiscard]] std::size_t max_merged() const;
  [[nodiscard]] merged_runs merging(std::span<spectrum_run const> runs) const;

  spectrum_run_files files_;
  order_keys const& keys_;
  std::size_t memory_;
  external::run_levels<spectrum_run> all_;
  std::uint64_t runs_ = 0, passes_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
