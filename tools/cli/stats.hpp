#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/machine.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/options.hpp"

namespace ordo::inline v0::cli {

/// Returns a size for people, as "1.5 GB", in powers of ten.
std::string human_bytes(std::uint64_t bytes);

/// The report of a run, for --stats and --verbose. Phases follow one another, except those of overlapping(). A phase with the
/// name of an earlier one continues it. The seconds that threads wait for files during a phase are part of its report.
class stats {
 public:
  /// Opens the file of --stats, so that an invalid path fails at once, and starts the clock.
  stats(std::string_view tool, int argc, char const* const* argv, common_options const& options);

  /// @throws usage_error  if the file of --stats is one of these ("-": standard input), whether it exists or not
  void refuse_inputs(std::vector<std::string> const& paths) const;

  /// Begins a phase and ends the one before.
  void phase(std::string_view name);
  /// Adds to the bytes of the current phase.
  void bytes(std::uint64_t more);
  /// Adds a phase that overlaps others. @param seconds, waited  sums over its threads of the time that they worked and waited
  void overlapping(std::string_view name, double seconds, double waited, std::uint64_t bytes);
  /// Adds to the uncompressed bytes of input, of which the MB/s are.
  void input(std::uint64_t more) { input_ += more; }
  /// Sets the machine that did the work, and why. A fallback to the CPU prints a warning, unless --quiet.
  void machine(machine_choice const& decided);
  /// Sets the maximum of device memory in use.
  void device_memory(std::uint64_t peak);

  /// Adds the reports of all members of a job to that of the first one. Collective; then finish() of the first member.
  /// @param exchanged  bytes that this member sent to others
  void add_members(communicator& members, std::uint64_t exchanged);

  /// Writes the file of --stats and, with --verbose, the last line on stderr. To be called when the work is done.
  void finish();

 private:
  struct phase_entry {
    std::string name;
    double seconds = 0, waited = 0;
    std::uint64_t bytes = 0;
  };
  using clock = std::chrono::steady_clock;

  [[nodiscard]] std::string json(double seconds, double cpu, std::uint64_t memory) const;
  void end_phase();
  std::size_t find(std::string_view name);

  std::string tool_, command_;
  common_options options_;
  std::optional<output> file_;
  clock::time_point start_ = clock::now(), phase_start_ = start_;
  double waited_start_ = 0;  // file_wait::seconds() at phase_start_
  std::vector<phase_entry> phases_;
  std::optional<std::size_t> current_;
  std::uint64_t input_ = 0, device_memory_ = 0;
  machine_choice machine_;
  std::vector<std::string> members_;  // their reports, as JSON
};

}  // namespace ordo::inline v0::cli
