#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ordo/machine.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ordo::cli {

/// What every tool takes, whichever parser read it.
struct common_options {
  std::string where = "auto";  // --device: auto, cpu, gpu or gpu:N
  unsigned threads = 0;        // --threads: of the CPU machine, 0 for all there are
  bool quiet = false;          // --quiet: no progress, no remarks; errors only
  bool verbose = false;        // --verbose: what was decided and why, and a last line with the figures
  std::string stats;           // --stats FILE: a report as JSON; empty: none

  /// @throws usage_error for a name that is no device's
  [[nodiscard]] machine_options machine() const;
  /// Call it before all work, that which needs no machine too: what was asked for must be there.
  /// @throws usage_error for a device, by option or by ORDO_DEVICE, that is unknown or cannot be had
  void check_machine() const;
};

/// Returns the compiler, the CUDA version and the devices, one line each.
std::string describe_build();
/// "TOOL (Ordo) 0.1.0", then compiler, CUDA and devices, a line each.
std::string version_text(std::string_view tool);

/// A whole number of an option, in digits and nothing else. Number is unsigned or std::uint64_t.
/// @throws usage_error naming the option
template <class Number = unsigned>
Number parse_count(std::string_view option, std::string_view text);

/// With CLI11: an empty value of the option is a usage_error; else it would be as if the option were not there.
void refuse_empty(CLI::Option& option);

/// With CLI11: adds the common options, --help and --version. Call it after the tool's own, which then lead the help.
void add_common_options(CLI::App& app, common_options& options);

/// Parse the command line; call it once. Values are taken as they stand, whatever CLI11 reads into brackets, braces or signs.
/// Help and version go to stdout and give 0: return that. Nothing: go on.
/// @throws usage_error for whatever CLI11 does not take
std::optional<int> parse(CLI::App& app, int argc, char const* const* argv);

/// The common options but help and version, for a parser that is not CLI11's.
struct common_row {
  std::string_view name, value, choices, help;  // value: what help calls it, empty: it takes none; choices: with blanks between
  /// @throws usage_error for a bad value
  void (*set)(common_options& options, std::string_view value);
};
std::span<common_row const> common_rows();

}  // namespace ordo::cli
