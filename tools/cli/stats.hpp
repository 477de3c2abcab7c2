#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/machine.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"

namespace ordo::cli {

/// "1.5 GB", in powers of ten.
std::string human_bytes(std::uint64_t bytes);

/// What a run did and what it took, for --stats and --verbose. Phases follow one another, but for those told by overlapping();
/// one of the same name goes on with what it had. While one runs, threads wait for files: those seconds are told with it.
class stats {
 public:
  /// Opens the file of --stats, so that a bad path is found now. The clock starts.
  stats(std::string_view tool, int argc, char const* const* argv, common_options const& options);

  /// @throws usage_error if the file of --stats is one of these ("-": standard input), there or not yet there
  void refuse_inputs(std::vector<std::string> const& paths) const;

  /// A new phase begins, and the one before ends.
  void phase(std::string_view name);
  /// Bytes that the current phase worked on, added.
  void bytes(std::uint64_t more);
  /// A phase that overlaps others: the seconds that threads were busy with it and that it waited, added, and the bytes that it
  /// worked on.
  void overlapping(std::string_view name, double seconds, double waited, std::uint64_t bytes);
  /// Bytes of input, uncompressed, added: what MB/s is counted in.
  void input(std::uint64_t more) { input_ += more; }
  /// Which machine took the work and why; a fall back to the CPU gets a line on stderr, unless --quiet.
  void machine(machine_choice const& decided);
  /// Bytes of device memory in use at most.
  void device_memory(std::uint64_t peak);

  /// The work is done: write the file of --stats, and with --verbose the last line on stderr.
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
};

}  // namespace ordo::cli
