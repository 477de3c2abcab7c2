#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/spectra/choice.hpp"
#include "ordo/spectra/selection.hpp"
#include "ordo/spectra/spectrum.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0 {
class communicator;
}

/// Sorts the peaks of mass spectra in Mascot Generic Format (MGF).
///
/// Lines end with LF, CRLF or a lone CR. Between a line BEGIN IONS and a line END IONS, a line whose first word is a number is
/// a peak: its m/z, its intensity, which may be missing, and any other text. Before the first spectrum there may be parameters,
/// comments and queries of one line; anything else is an error, as the input is not MGF.
///
/// The output is the input with the peak lines permuted among the peak-line slots of their own spectrum. Line ends move with
/// their lines; every other line keeps its place, and the length is the same. (If line ends are mixed, a peak's lone CR may
/// come to stand before the LF of an empty line: no byte changes, but the two are a CRLF then.) Peaks that compare equal keep
/// the order of the input, and the two zeros are equal; a missing intensity comes last. The same input gives the same bytes on
/// any machine, with any number of threads.
namespace ordo::inline v0::spectra {

enum class format { mgf, mzml, mzxml, msp, mzspeclib };

/// Returns the name of a format: "mgf", "mzml", "mzxml", "msp" or "mzspeclib".
std::string_view to_string(format of);

/// Returns the format of an input that begins with these bytes, of which 4096 are enough unless all of them are comments: mzML
/// if its first tag is <mzML> or <indexedmzML>, mzXML if it is <mzXML> or <msRun>, MSP if lines "key: value" come first and
/// some key is known, mzSpecLib if its first line is <mzSpecLib>, else MGF, whose reader refuses others.
format detect_format(std::string_view front);

/// Returns what an input that begins with these bytes looks like, and what to do, if it has a known format that is not read:
/// "it looks like mzData; ...". Empty for other inputs.
std::string foreign_format(std::string_view front);

/// The names of the metadata in MSP: those of NIST ("Precursor_type"), of MassBank's records ("MS$FOCUSED_ION:
/// PRECURSOR_TYPE"), or of matchms ("ADDUCT"). All are read.
enum class msp_style { nist, massbank, matchms };

/// The encoding of the arrays of m/z and intensity in mzML. What is not set stays as it is; in mzML that is made of another
/// format, arrays are doubles in zlib, or floats if they were floats.
struct array_encoding {
  enum class compression : std::uint8_t { none, zlib, zstd };
  /// MS-Numpress, which rounds: linear to about 5e-10 of the greatest m/z, pic to whole numbers up to 2^31, slof to about 2e-4
  /// of each intensity.
  enum class numpress : std::uint8_t { none, linear, pic, slof };

  std::optional<compression> packing = {};                    // compression of all arrays of a spectrum
  std::optional<unsigned> mz_bits = {}, intensity_bits = {};  // 32 or 64: floats or doubles
  numpress mz = numpress::none, intensity = numpress::none;   // in place of bits

  [[nodiscard]] bool empty() const { return *this == array_encoding(); }
  bool operator==(array_encoding const&) const = default;
};

/// The use of the target m/z of an isolation window in mzML, where a precursor has no selected ion with an m/z: it becomes the
/// m/z of the precursor, with a warning or without one; or it is ignored.
enum class isolation_target { fallback_with_warning, fallback, ignore };

/// A spectrum that is left out, and the option of specsort that did it, as "--min-peaks 15".
struct dropped_spectrum {
  std::uint64_t number;  // in its input, from 0
  std::uint64_t offset;  // as spectrum_origin::offset
  std::string_view option;
};

/// Checks a template of titles: text with fields in braces, of {run} (the name of the input without extensions), {file},
/// {index} (of the spectrum in the input, from 0 on), {scan}, {charge}, {mz}, {rt} (in seconds), {level}, {id} (native id) and
/// {title}.
/// @throws usage_error  for another field
void check_title_template(std::string_view text);

struct sort_options {
  sort_key by = sort_key::mz;
  bool descending = false;
  /// MGF: lines that the format does not allow stay where they are, and END IONS may be missing, with a warning; else they are
  /// errors, and so are lines that no MGF has in an input without any spectrum. mzML in UTF-8: invalid bytes are read as
  /// Windows-1252, with a warning; else they are errors.
  /// MSP: lines that the format does not allow are left out, and Num Peaks may be wrong or missing, with a warning; else they
  /// are errors.
  bool lenient = false;
  /// MSP: the seconds of the unit of retention times that state none. Without it those of RETENTION_TIME count as seconds,
  /// those of RT and RETENTIONTIME as minutes, with a warning.
  std::optional<double> rt_unit_seconds = {};
  /// MSP as the output: the names of metadata.
  msp_style names = msp_style::nist;
  /// The spectra that are chosen; the others are left out whole, with the empty lines of MGF after them. A value that a rule
  /// of the choice needs and that is no number is an error. A warning counts the spectra that do not state such a value.
  spectrum_choice choice = {};
  isolation_target isolation = isolation_target::fallback_with_warning;
  /// mzML to MGF: a spectrum with several selected ions is written once for each, with " ion=2" and so on after its title;
  /// else once, for the first of them, with a warning.
  bool all_precursors = false;
  /// The MS levels of spectra to which `select` applies, if the rule is set. The others keep all peaks.
  range_rule<std::uint64_t> select_levels = {};
  /// The peaks and spectra that are kept, and then sorted. Each kept line keeps every byte, and lines between spectra are kept.
  /// If the last line of the input has no end, the last line of the output has none if it belongs to the same spectrum; if that
  /// line is dropped the others keep their ends.
  selection select = {};
  /// mzML with a selection: values that were made of peaks, such as the total ion current, and the lists of software and
  /// processing stay as they are.
  bool keep_metadata = false;
  /// summarize() and compare(): the distributions of m/z, intensities and precursors, too. They take a fifth of the time.
  bool distributions = false;
  /// MGF and MSP as the output: the titles of spectra, as check_title_template has them; empty: they stay. Values that a
  /// spectrum lacks are empty.
  std::string title_template = {};
  /// mzML as the output: the encoding of its arrays. Transitions, and spectra with another number of intensities than m/z, stay
  /// as they are.
  array_encoding encoding = {};
  /// Called for the spectra of an input that are left out, in their order, when others have been written.
  std::function<void(std::span<dropped_spectrum const>)> on_dropped = {};
  machine_options machine;
  /// Members that sort or order together, each with a machine of its own; nullptr: this machine works alone. The call is
  /// collective then: all members make it with the same inputs and options. Each reads all inputs and works on some of their
  /// chunks. Member 0 takes the results in order, and alone uses its sinks and callbacks. Its output is that of one machine,
  /// whatever the others read. They return with its counts, or throw member_lost if it fails. summarize(), compare(), check(),
  /// find_sample() and find_duplicates() ignore this.
  communicator* members = nullptr;

  /// The folder of temporary files, which only mzML that may lose spectra needs.
  std::string temporary_folder = "/tmp";
  std::string name = "input";     // name of the input, for messages
  std::string path = {};          // its file, if there is one: mzML of another format states its SHA-1
  std::uint64_t input_bytes = 0;  // expected, for the choice of the machine; 0: unknown, which counts as few
  /// Bytes that each thread works on at a time; on a GPU up to sixteen times as many, but at most 288 MiB by all threads. A
  /// larger spectrum makes its chunk larger. A chunk of the default size, with the memory for it, fits the cache of a thread.
  std::size_t chunk_bytes = std::size_t{512} << 10;
  /// Called with "what: where: why" for the first warnings. Threads of the library make the calls, one at a time, in the order
  /// of the input; this holds for all three callbacks.
  std::function<void(std::string const&)> on_warning = {};
  std::size_t warnings_shown = 10;
  /// Called for each phase of each finished chunk - "read", "scan", "sort", "move", "write" - with the bytes it worked on.
  std::function<void(std::string_view, std::uint64_t)> on_phase = {};
  /// Called for each finished chunk, with the bytes of input done so far.
  std::function<void(std::uint64_t)> on_progress = {};
};

/// A phase. Phases overlap: both times are sums over all threads.
struct phase_time {
  std::string_view name;
  double seconds = 0;  // working on it
  double waited = 0;   // seconds in which chunks waited for a thread, for the machine or for their turn
  std::uint64_t bytes = 0;
};

/// A report of a call: counts, the machine, phases.
struct sort_report {
  std::uint64_t bytes = 0, lines = 0, spectra = 0, peaks = 0;  // bytes, lines, spectra and peaks of the input
  std::uint64_t reordered = 0;                                 // kept spectra whose kept peaks were out of order
  std::uint64_t written = 0;                                   // bytes of output
  std::uint64_t spectra_kept = 0, peaks_kept = 0;
  std::uint64_t missing_precursor = 0;  // spectra without the m/z or charge that sort_options::select needs
  std::uint64_t warnings = 0;
  std::uint64_t sent = 0;  // bytes that this member of sort_options::members sent to member 0
  machine_choice machine{device::cpu, "every spectrum is in order", false, false};
  std::size_t device_memory = 0;  // maximum of GPU memory in use, in bytes
  std::vector<phase_time> phases;
};

/// Sorts the rest of an input of any length, from a source to the beginning of a sink. Every thread reads, scans, sorts, moves
/// and writes chunks of its own: in any order if both are addressable; else one thread at a time reads, or writes, in order.
/// Memory: two chunks for each thread, and about as much again for each if spectra are out of order; four with a selection.
/// @throws usage_error, out_of_memory  if the requested machine is not available
/// @throws input_error  naming the line, for a line that MGF does not allow, unless lenient
/// @throws the errors of source and sink. If several chunks fail, the error of the first one in the input is thrown.
sort_report sort(source& input, sink& output, sort_options const& options);

/// Sorts an input in memory. The output is as long as the input, and may be the same memory. A selection may fill less of it:
/// sort_report::written bytes.
/// @throws usage_error  for selection::merge, with which the output may be longer
sort_report sort(std::span<char const> input, std::span<char> output, sort_options const& options);

/// A peak that is smaller than the one before it in its spectrum.
struct disorder {
  std::uint64_t line;      // from 1
  std::uint64_t spectrum;  // from 1
  std::string title;       // title of the spectrum, as TITLE= has it
  std::string peak;        // the line
};

struct check_result {
  std::optional<disorder> first;  // none if everything is in order
  sort_report done;               // counts of the input before the chunk with the disorder
};

/// Finds the first peak out of order. Nothing is sorted, and sort_options::select, choice and machine are ignored. Warnings and
/// errors before that peak are those of sort(); the input after it is not read.
check_result check(source& input, sort_options const& options);
check_result check(std::span<char const> input, sort_options const& options);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
