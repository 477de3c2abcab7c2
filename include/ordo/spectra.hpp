#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/spectra/selection.hpp"

/// Peaks of mass spectra in Mascot Generic Format (MGF), put in order. The lines of an input end with LF, CRLF or a lone CR.
/// Between a line BEGIN IONS and a line END IONS, a line whose first word is a number is a peak: its m/z, its intensity (which
/// may be missing), and whatever else follows. Before the first of them are parameters, comments and queries of one line; an
/// input that has something else there is not MGF, and an error. The output is the input with the peak lines permuted among the
/// peak-line slots of their own spectrum, line ends moving with their lines: every byte survives, every other line keeps its
/// place in the sequence, the length is the same. (Where line ends are mixed, a peak's lone CR may come to stand before the LF
/// of an empty line: no byte changes, but the two are a CRLF then.) Peaks that compare equal keep the input's order, and the
/// two zeros are equal; a missing intensity comes last. Same input, same bytes: on any machine, with any number of threads.
namespace ordo::spectra {

namespace detail {
class pipeline;
}

struct options {
  sort_key by = sort_key::mz;
  bool descending = false;
  /// Lines that MGF does not allow stay where they are, and END IONS may be missing, with a warning; else they are errors. In
  /// mzML of UTF-8, bytes that are no UTF-8 are read as Windows-1252, with a warning; else they are errors.
  bool lenient = false;
  /// Which peaks stay, and which spectra; what stays is sorted then. Each line that stays keeps every byte, and lines that are
  /// not of a spectrum stay. If the last line of the input has no end, that of the output has none where it is a line of the
  /// same spectrum; where that line goes the others keep their ends.
  selection select = {};
  /// Where a selection is done to mzML: values that were made of peaks, such as the total ion current, and the lists of
  /// software and processing stay as they are.
  bool keep_metadata = false;
  machine_options machine;

  /// For temporary files, which only mzML that loses spectra takes.
  std::string temporary_folder = "/tmp";
  std::string name = "input";     // of the input, for messages
  std::uint64_t input_bytes = 0;  // how many are expected, for the choice of the machine; 0: not known, which counts as few
  /// Worked on at a time by each thread; on a GPU up to sixteen times as much, but no more than 288 MiB by all threads. A
  /// larger spectrum makes its block larger. The default is what fits a thread's cache with what belongs to it.
  std::size_t block_bytes = std::size_t{512} << 10;
  /// Callbacks come from the library's threads, one call at a time, in the input's order.
  /// Called with "what: where: why" for the first of the warnings.
  std::function<void(std::string const&)> on_warning = {};
  std::size_t warnings_shown = 10;
  /// Called for each block that is done, for each phase that it went through - "read", "scan", "sort", "move", "write" - with
  /// the bytes that the phase worked on.
  std::function<void(std::string_view, std::uint64_t)> on_phase = {};
  /// Called for each block that is done, with the bytes of input done so far.
  std::function<void(std::uint64_t)> on_progress = {};
};

/// Phases overlap: the seconds that all threads worked on it, added; and those that blocks lay ready for it, for a thread, for
/// the machine or for their turn, added too.
struct phase_time {
  std::string_view name;
  double seconds = 0, waited = 0;
  std::uint64_t bytes = 0;
};

/// What was done.
struct report {
  std::uint64_t bytes = 0, lines = 0, spectra = 0, peaks = 0;
  std::uint64_t reordered = 0;  // spectra that were not in order; of those that stay, with the peaks that stay
  std::uint64_t written = 0, spectra_left = 0, peaks_left = 0;  // bytes of output, and what is in it
  std::uint64_t without_precursor = 0;  // spectra that lack what options::select needs of theirs: m/z, or charge
  std::uint64_t warnings = 0;
  machine_choice machine{device::cpu, "every spectrum is in order", false, false};
  std::size_t device_memory = 0;  // bytes of GPU memory in use at most
  std::vector<phase_time> phases;
};

/// How many bytes at the front of `text`, which begins outside a spectrum, are whole spectra and whole lines between them: the
/// place to cut a longer text. 0 if there is none.
std::size_t whole_spectra(std::span<char const> text);

/// Sorts an input block by block, without a selection. Use it from one thread at a time.
class sorter {
 public:
  /// @throws usage_error, out_of_memory  if the machine asked for cannot be had
  explicit sorter(options how);
  ~sorter();
  sorter(sorter const&) = delete;
  sorter& operator=(sorter const&) = delete;

  /// Sorts the next block of the input where it lies. A block ends where whole_spectra says; the last one ends the input.
  /// Memory beside it: that of sort() from a source to a sink.
  /// @throws input_error  naming the line, for a line that MGF does not allow, unless lenient
  void sort(std::span<char> block, bool last);
  /// So far.
  [[nodiscard]] report done() const;

 private:
  std::unique_ptr<detail::pipeline> pipeline_;
};

/// Sorts the rest of an input, of any length, from a source to a sink, from the sink's beginning on. Every thread reads, scans,
/// sorts, moves and writes blocks of its own: where both have addresses, in no order. Else one thread at a time reads, or
/// writes, in order. What is thrown is what comes first in the input.
/// Memory: two blocks for each thread, and about as much again for each where spectra are out of order; with a selection four.
/// @throws as sorter, source and sink
report sort(source& from, sink& to, options const& how);

/// Sorts a whole input from `in` to `out`, which are as long and may be the same. With a selection less of `out` may be filled:
/// report::written says how much. @throws as sorter
report sort(std::span<char const> in, std::span<char> out, options const& how);

/// Fills `to`, or what of it the rest of the input fills: less than to.size() is the end.
using reader = std::function<std::size_t(std::span<char> to)>;
using writer = std::function<void(std::span<char const> from)>;

/// The same, as a stream: `read` and `write` are called from the library's threads, one call of each at a time.
/// @throws as sorter, read and write
report sort(reader const& read, writer const& write, options const& how);

/// A peak that is smaller than the one before it in its spectrum.
struct disorder {
  std::uint64_t line;      // from 1
  std::uint64_t spectrum;  // from 1
  std::string title;       // of the spectrum: what TITLE= says
  std::string peak;        // the line
};

struct checked {
  std::optional<disorder> first;  // none: everything is in order
  report done;                    // what was looked at: up to the disorder, not counting the block of the input it is in
};

/// Looks for the first peak out of order, options::select aside; nothing is sorted, and the machine does not matter. Warnings
/// and errors before that peak are as in sorting, what follows it is not looked at.
checked check(source& from, options const& how);
checked check(reader const& read, options const& how);
checked check(std::span<char const> in, options const& how);

}  // namespace ordo::spectra
