#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/machine.hpp"
#include "tools/cli/options/option_table.hpp"

namespace ordo::inline v0::cli {

/// The options that all tools have.
struct common_options {
  std::string where = "auto";   // --device: auto, cpu, gpu or gpu:N
  unsigned threads = 0;         // --threads of the CPU machine, 0 for all
  bool quiet = false;           // --quiet: no progress, no warnings, only errors
  bool verbose = false;         // --verbose: decisions and their reasons, and a last line of figures
  std::string stats;            // --stats FILE: a report as JSON; empty: none
  bool may_be_several = false;  // whether --device may be all or gpu:M-N, for several GPUs

  /// Returns the machine; of several GPUs, the first. @throws usage_error  for an unknown device
  [[nodiscard]] machine_options machine() const;
  /// Returns true if --device or, where it leaves the choice open, ORDO_DEVICE is all or gpu:M-N.
  [[nodiscard]] bool are_several() const;
  /// Takes the first of several GPUs that ORDO_DEVICE names. @param why  the reason @throws usage_error  if --device names them
  void use_first(std::string_view why);
  /// Returns all machines of --device. @throws usage_error
  [[nodiscard]] std::vector<machine_options> machines() const;
  /// Takes the first `count` GPUs, at least one, if --device or ORDO_DEVICE is all.
  void keep_first(std::size_t count);
  /// Takes the fewest that hold the work, if it is all: what follows a sort writes one file, which takes one write at a time.
  /// @param gpu_bytes  returns the memory that each of a number of GPUs needs
  void keep_fewest(std::function<std::size_t(std::size_t count)> const& gpu_bytes);
  /// Checks that the device required by option or by ORDO_DEVICE is present. Starts its driver. @throws usage_error
  void check_machine() const;
  /// Returns the numbers of the first and the last GPU that may be used; nothing if that is none, or all that there are.
  [[nodiscard]] std::optional<std::pair<unsigned, unsigned>> wanted_gpus() const;
  /// Counts GPUs from this one on, from now on: those before it are hidden from the driver. Messages keep their numbers.
  void hide_gpus_before(unsigned first);

 private:
  [[nodiscard]] std::string devices() const;
  unsigned hidden_ = 0;
};

/// Returns the least number of these GPUs that have the memory for a job, with an eighth to spare; all if none does.
/// @param gpu_bytes  returns the memory that each of a number of GPUs needs
std::size_t fewest_gpus(std::span<gpu_info const> gpus, std::function<std::size_t(std::size_t count)> const& gpu_bytes);

inline constexpr std::string_view common_group = "Common options";

/// Returns "TOOL (Ordo) 0.1.0", then lines on the compiler, CUDA and devices.
std::string version_text(std::string_view tool);
/// Returns the compiler, the CUDA version and the devices, one line each.
std::string describe_build();

/// Parses the decimal digits of an option's value. Number is unsigned or std::uint64_t. @throws usage_error  naming the option
template <class Number = unsigned>
Number parse_count(std::string_view option, std::string_view text);

/// Returns the rows of --device, --threads, --quiet, --verbose and --stats. @param letters  with -q and -v
std::vector<option> common_rows(common_options& options, bool letters = true);

/// Appends the common rows, --help, --version and --generate to a table.
void add_common_options(command_table& table, common_options& options);

}  // namespace ordo::inline v0::cli
