#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/external/merge.hpp"
#include "spectra/order/keys.hpp"
#include "spectra/order/runs.hpp"

namespace ordo::spectra::detail {

inline constexpr std::size_t least_order_memory = std::size_t{64} << 10;  // less is not asked for
inline constexpr std::size_t order_blocks = 32;                           // of an input, at work at a time, in that memory
/// Bytes of a run that are read at a time, if there is room: less would be read slowly.
inline constexpr std::size_t read_of_run = std::size_t{256} << 10;

/// Spectra that do not fit in memory: runs on disk, made one after the other, and merged.
class spilled_spectra {
 public:
  /// @param memory  that may be taken to merge @param window  bytes that are written at a time
  spilled_spectra(std::vector<std::string> const& folders, order_keys const& keys, std::size_t memory, std::size_t window)
      : files_(folders, window), keys_(keys), memory_(memory) {}

  /// Those that come behind all before, where they are equal. @param bytes  of their texts
  void add(ordered_spectra& from, std::uint64_t bytes);
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  /// All of them, in as many passes as it takes. Valid as long as this is.
  [[nodiscard]] merged_runs merged();

  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] std::uint64_t passes() const noexcept { return passes_; }
  /// How many runs there are now, which are merged at a time.
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

}  // namespace ordo::spectra::detail
