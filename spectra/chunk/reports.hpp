#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/spectra.hpp"
#include "spectra/peaks/chunk_peaks.hpp"

// Sums of reports: of chunks, of inputs and of members.
namespace ordo::inline v0::spectra::detail {

/// Returns the members of a report that are added up. The binding names every member, so that a new one does not compile before
/// it has its place here or in add().
template <class Report>
auto report_counts(Report& report) {
  auto& [bytes, lines, spectra, peaks, reordered, written, spectra_kept, peaks_kept, missing_precursor, warnings, sent, machine,
         device_memory, phases] = report;
  return std::array{&bytes,        &lines,      &spectra,           &peaks,    &reordered, &written,
                    &spectra_kept, &peaks_kept, &missing_precursor, &warnings, &sent};
}

/// Adds a report: counts, the times of phases by their names, and the maximum of device memory. The machine stays, because
/// callers know which one counts.
inline void add(sort_report& all, sort_report const& more) {
  auto const to = report_counts(all);
  auto const from = report_counts(more);
  for (std::size_t i = 0; i < to.size(); ++i) *to[i] += *from[i];
  all.device_memory = std::max(all.device_memory, more.device_memory);
  for (phase_time const& phase : more.phases) {
    auto const same = std::ranges::find(all.phases, phase.name, &phase_time::name);
    if (same == all.phases.end()) {
      all.phases.push_back(phase);
      continue;
    }
    same->seconds += phase.seconds;
    same->waited += phase.waited;
    same->bytes += phase.bytes;
  }
}

/// Adds the counts of a chunk. @param written  bytes of its output
inline void add(sort_report& all, chunk_counts const& more, std::uint64_t written) {
  auto const& [bytes, lines, spectra, peaks, spectra_kept, peaks_kept, reordered, fixed_order, missing_precursor] = more;
  add(all, {.bytes = bytes,
            .lines = lines,
            .spectra = spectra,
            .peaks = peaks,
            .reordered = reordered,
            .written = written,
            .spectra_kept = spectra_kept,
            .peaks_kept = peaks_kept,
            .missing_precursor = missing_precursor,
            .phases = {}});
}

/// Replaces the counts of this member by the sums of all members. Collective.
inline void add_others(communicator& members, sort_report& report) {
  auto const counts = report_counts(report);
  std::vector<std::uint64_t> all;
  for (std::uint64_t const* const count : counts) all.push_back(*count);
  members.reduce(all, reduction::sum);
  for (std::size_t i = 0; i < counts.size(); ++i) *counts[i] = all[i];
}

}  // namespace ordo::inline v0::spectra::detail
