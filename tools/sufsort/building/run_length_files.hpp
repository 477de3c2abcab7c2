#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordo/suffix/fmd.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/sufsort/memory_limits.hpp"
#include "tools/sufsort/reporter.hpp"

/// Indexes of ropebwt3: .fmd and .fmr, which hold both strands of many genomes as runs of their BWT.
namespace ordo::inline v0::sufsort {

struct run_length_options {
  bool samples = false;
  std::uint64_t checkpoint_letters = 0;  // 0: no checkpoints
};

cli::option samples_option(run_length_options& to);
cli::option checkpoint_option(run_length_options& to);
/// Throws usage_error if one of these options was given. @param output  --output was
void refuse_run_length_options(run_length_options const& options, bool output);

/// Returns true for a name that ends in .fmd or .fmr and is not the prefix of an index.
bool is_run_length_file(std::string const& name);
/// @throws usage_error  for a name that ends otherwise
suffix::run_length_format format_of_name(std::string const& name);

/// Estimates the letters to come from what has been read of files.
class input_progress {
 public:
  explicit input_progress(std::vector<std::string> const& files);
  void begin_file() { before_ = read_; }
  /// @param read  bytes of this file @param letters  letters of a record
  void at(std::uint64_t read, std::uint64_t letters) {
    read_ = before_ + read;
    letters_ += letters;
  }
  [[nodiscard]] std::uint64_t letters() const { return letters_; }
  /// Returns those of both strands; 0 if that is not known.
  [[nodiscard]] std::uint64_t letters_to_come() const;

 private:
  std::uint64_t all_ = 0, before_ = 0, read_ = 0, letters_ = 0;  // bytes of all files: 0 if one is no regular file
};

struct run_length_job {
  std::string base = {};  // an index to which records are added; empty: none
  std::vector<std::string> files = {};
  std::string output = {};
  suffix::run_length_format format = suffix::run_length_format::fmd;
  run_length_options options = {};
  memory_limits memory = {};
};

/// Makes an index of the records of files, or adds them to one.
/// @returns the exit status
int build_run_lengths(run_length_job const& job, cli::common_options const& common, reporter& report);

/// Checks that an index holds all of its rows and, if there are files, their records.
/// @returns the exit status
int check_run_lengths(std::string const& index, std::vector<std::string> const& files, memory_limits const& memory,
                      cli::common_options const& common, reporter& report);

}  // namespace ordo::inline v0::sufsort
