#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ordo/communicator.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/sufsort/memory_limits.hpp"
#include "tools/sufsort/reporter.hpp"

/// The commands of sufsort, each in a file of commands/.
namespace ordo::inline v0::sufsort {

/// The prefixes of the indexes that a command reads, which must exist, and of those that it writes.
struct index_prefixes {
  std::vector<std::string> read = {}, written = {};
  bool text_suffices = false;  // no array of suffixes is read
};

/// A command of sufsort: its options, which are members, and what it does.
class command {
 public:
  command() = default;
  virtual ~command() = default;
  command(command const&) = delete;  // the table refers to members
  command& operator=(command const&) = delete;

  /// Returns name, help, operands and options. Their actions set members of this object.
  virtual cli::command_table table() = 0;

  // The rest is for a command line that has been read.

  /// Returns the files that are read, for the progress line and for --stats, which replaces none of them.
  [[nodiscard]] virtual std::vector<std::string> inputs() const { return {}; }
  /// Returns the file that is written, for the progress line: "-" for standard output, empty if it is not one file.
  [[nodiscard]] virtual std::string output() const { return {}; }
  [[nodiscard]] virtual index_prefixes prefixes() const = 0;
  [[nodiscard]] virtual memory_limits memory() const { return {}; }
  /// Returns true if the command can divide its work among several GPUs, whatever the command line.
  [[nodiscard]] virtual bool divides() const { return false; }
  /// Returns true if all processes of a job work, and not the first one alone.
  [[nodiscard]] virtual bool is_shared() const { return divides(); }

  /// Runs the command.
  /// @param members  the processes that work together, of which the first one prints; null: this process works alone
  /// @returns the exit status
  virtual int run(cli::common_options const& common, reporter& report, communicator* members) = 0;
};

/// A command that reads an index and has one output.
class index_reader : public command {
 public:
  [[nodiscard]] std::string output() const override { return output_; }
  [[nodiscard]] index_prefixes prefixes() const override { return {.read = {prefix_}}; }

 protected:
  std::string prefix_, output_ = "-";
};

/// Returns all commands, in the order of help.
std::vector<std::unique_ptr<command>> all_commands();

}  // namespace ordo::inline v0::sufsort
