#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/spectra/summary.hpp"
#include "spectra/mgf/order_records.hpp"
#include "spectra/mgf/scan.hpp"
#include "spectra/mgf/slices.hpp"
#include "spectra/mgf/text_pieces.hpp"
#include "spectra/peaks/peak_machines.hpp"
#include "spectra/peaks/step_times.hpp"

namespace ordo::spectra::detail {

enum step : std::size_t { reading, scanning, sorting, moving, writing, steps };
inline constexpr std::array<std::string_view, steps> step_names{"read", "scan", "sort", "move", "write"};

/// What is done to slices.
struct slice_task {
  scan_options scan;
  selection const* select = nullptr;  // nullptr: all peaks stay
  bool summarize = false;
  peak_machines* machines = nullptr;  // nullptr: nothing is sorted
  order_keys const* keys = nullptr;   // of spectra that are put in order; nullptr: none are
};

/// A slice and what one thread at a time does to it, and the time that takes.
class slice_work : public step_times<steps> {
 public:
  slice part;
  scan_result found;
  std::vector<std::string> warned;  // the lines of found.first_warnings, before any was moved
  std::string_view kind;            // what the slice looked like, if not MGF; only if no spectrum begun before it
  std::exception_ptr failure;       // of what came behind the scan, or of reading, without which nothing was scanned
  bool scanned = false;
  std::uint64_t peaks_left = 0, spectra_left = 0, reordered = 0, without_precursor = 0;
  summary counted;
  spectrum_records records;  // of spectra that are put in order
  std::size_t added = 0;     // bytes of a line end behind the last line
  std::uint64_t placed = 0;  // where the output of a selection goes

  /// Before anything else. @returns false if there is no more
  bool next(slices& from, std::size_t wanted);
  /// Reads, scans, summarizes, sorts, and writes to a sink with addresses; but not what a selection leaves, as only the slices
  /// before tell where to. Nothing is thrown.
  void run(slices const& from, slice_task const& task, sink* to) noexcept;
  /// What is to be written, when all that is good.
  [[nodiscard]] std::span<char const> output() const { return selected_ ? *selected_ : part.text(); }
  /// Writes it where it was placed. Nothing is thrown.
  void write(sink& to) noexcept;

 private:
  void sort(peak_machines& machines);
  void move_lines();
  void select(slice_task const& task);
  void take_precursors(selection const& how);
  void take_left(selection const& how, scan_options const& order);
  void put_in_order(peak_machines& machines);
  void compose(order_keys const* keys);

  // Kept for their memory.
  std::vector<std::uint64_t> codes_;
  std::vector<std::uint32_t> offsets_, order_;
  std::vector<char> scratch_;

  // Of a selection.
  std::optional<std::span<char const>> selected_;
  std::vector<std::uint32_t> first_peaks_;  // of each spectrum, and their number
  std::vector<double> precursor_mz_;
  std::vector<std::int32_t> charges_;
  std::vector<std::uint8_t> keep_;
  std::vector<std::uint32_t> left_;      // the peaks that stay, spectrum by spectrum, in the order of the output
  std::vector<std::size_t> first_left_;  // of each spectrum, and their number
  std::vector<std::uint8_t> goes_;       // each spectrum: whole?
  std::vector<std::size_t> disordered_;  // spectra whose peaks are not in order
  text_pieces pieces_;
};

}  // namespace ordo::spectra::detail
