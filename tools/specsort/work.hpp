#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ordo/communicator.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/distributed_sort.hpp"
#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/summary.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/job.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/stats.hpp"
#include "tools/specsort/options.hpp"
#include "tools/specsort/pair_file.hpp"

// What the modes of specsort share (modes.hpp).
namespace ordo::inline v0::specsort {

/// A complete command line.
struct work {
  command const& made;
  spectra::spectrum_choice choice;
  spectra::selection select;
  spectra::order_options order;
  spectrum_lists lists;
  std::optional<spectra::duplicate_rule> duplicates;

  // Returns true if spectra are compared with one another, so that one process reads all of them before they are written.
  [[nodiscard]] bool compares() const { return duplicates || made.similarity.any(); }
  // Returns true if there are several inputs, or an order of spectra, or parts, or their origins are written.
  [[nodiscard]] bool orders() const {
    return made.order.any() || made.inputs.size() > 1 || !made.order.map.empty() || made.order.renumber;
  }
};

/// Checks options that depend on one another. @throws usage_error
work checked(command const& made);

/// Returns the options of the library.
spectra::sort_options make_sort_options(work const& w);

/// The work of the processes of a job: the first one alone; each a part of the input, or of the spectra, and of the output; or
/// each some chunks of the input, for the first one.
enum class division : std::uint64_t { none, parts, chunks };

/// The processes of an MPI job, of which the first one decides how they share the work.
class sharing {
 public:
  explicit sharing(cli::job const& job) : members_(job.members()), decides_(members_ && job.is_first()) {}
  // The others end.
  ~sharing() {
    if (decides_) try {
        static_cast<void>(decide(division::none));
      } catch (...) {  // another process has failed, and ends this one
      }
  }
  sharing(sharing const&) = delete;
  sharing& operator=(sharing const&) = delete;

  // Returns the first process's decision. Collective.
  division decide(division decision) {
    decides_ = false;
    members_->broadcast(std::as_writable_bytes(std::span(&decision, 1)), 0);
    return decision;
  }
  // Begins again after a decision for parts that did not work.
  void reconsider() { decides_ = true; }
  [[nodiscard]] bool can_share() const { return decides_; }
  [[nodiscard]] communicator& members() const { return *members_; }

 private:
  communicator* members_;
  bool decides_;
};

/// What a mode works with beside the command line.
struct session {
  cli::stats& stats;
  cli::progress& progress;
  sharing& others;
  std::vector<std::string> const& command_line;
  std::optional<pair_file> pairs;  // the file of --pairs, once it is written
  std::string file;  // the number of the input that is read alone, as "2 of 9"; empty: there is one, or all are read together

  /// Begins a phase of the progress line.
  void begin(std::string_view phase, std::uint64_t bytes = 0) {
    progress.phase(file.empty() ? std::string(phase) : fmt::format("{} (file {})", phase, file), bytes);
  }
};

/// The spectra of all inputs that are compared, and the representative of each.
struct compared_spectra {
  spectra::spectrum_columns all;
  std::vector<std::uint64_t> clusters;
};

/// Reads the inputs, and writes the pairs of similar spectra, which are committed when all is done.
/// @param numbers  becomes the numbers of the spectra in each input
compared_spectra compare_spectra(work const& w, spectra::sort_options const& options, session& here,
                                 std::vector<std::vector<std::uint64_t>>& numbers);

/// Reads the inputs to find what options refer to: the sample, if it is a number of spectra, the spectra that repeat others,
/// and those that another one of their cluster represents.
void complete_options(work& w, spectra::sort_options& options, session& here);

/// An input that is read alone.
struct single_input {
  /// Opens it, and completes its options.
  single_input(work const& w, spectra::sort_options given);

  cli::input in;
  spectra::sort_options options;
  spectra::format format;
};

/// Calls `task` for each input, with the work and the command for it alone. An input that fails is reported, and the others go
/// on; an output that fails ends all, because they share a folder.
/// @returns the number of inputs that failed
std::size_t for_each_input(work const& w, session& here, std::function<void(work&, command&, std::size_t k)> const& task);

/// Returns the format of the output of ordered spectra. That of one input whose spectra keep their order is the input's.
spectra::format format_of_ordered(command const& made);

/// Returns the name of all inputs, for messages.
std::string name_of_all(command const& made);

/// Refuses new titles and numbers in mzML, and encodings in other formats. @throws usage_error
void refuse_titles(command const& made, spectra::format to);

/// The page of --report. It is opened at once, so that an error comes early, and takes its place when all is done.
class report_file {
 public:
  explicit report_file(command const& made);
  [[nodiscard]] cli::output const& out() const { return out_; }
  void write(spectra::comparison const& comparison, std::string_view name, std::vector<std::string> const& command);
  void commit() { out_.commit(); }

 private:
  cli::output out_;
};

/// Makes the page of spectra that are also written. The inputs are read once more for it.
std::optional<report_file> report_of_output(work const& w, spectra::sort_options options, session& here);

/// Reports phases.
void add_phases(cli::stats& stats, spectra::sort_report const& done);
/// Reports phases and the machine when all is written.
void report_phases(cli::stats& stats, spectra::sort_report const& done);
/// Prints the numbers of warnings.
void report_totals(work const& w, spectra::sort_options const& options, spectra::sort_report const& done,
                   std::string const& name);
/// Warns if a choice, or the least number of peaks, leaves nothing.
void report_choice(work const& w, spectra::sort_report const& done, std::string const& name);
/// Ends the work on one input: prints the numbers of warnings.
void finish(work const& w, spectra::sort_options const& options, spectra::sort_report const& done, session& here);

// Calls of the library that the first process of a job and the others make.

/// Sorts an input of any format.
spectra::sort_report sort_input(cli::input& in, sink& to, spectra::sort_options const& options, spectra::format format,
                                spectra::format to_format);

/// Sorts MGF with the other processes of a job. @param out  null: another process has it
/// @returns nothing if one process has to work alone, from the beginning
std::optional<spectra::sort_report> sort_with_members(communicator& members, cli::input const& in, cli::output* out,
                                                      spectra::sort_options const& options);

/// Orders the spectra of MGF files with the other processes of a job. @param out  null: another process has it
/// @returns nothing if one process has to work alone, from the beginning
std::optional<spectra::order_report> order_with_members(communicator& members, spectra::spectrum_inputs const& inputs,
                                                        cli::output* out, spectra::sort_options const& options,
                                                        spectra::order_options order, std::uint64_t& exchanged);

/// Returns true if the processes of a job can share the chunks of the inputs, so that the first one writes.
bool can_share_chunks(work const& w);

}  // namespace ordo::inline v0::specsort
