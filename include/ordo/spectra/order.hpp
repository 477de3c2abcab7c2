#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/choice.hpp"
#include "ordo/spectra/selection.hpp"

#pragma GCC visibility push(default)

/// Orders the spectra of one input or many, whether they fit in memory or not, and splits them into parts.
namespace ordo::inline v0::spectra {

/// The value by which spectra are ordered, as mgf_header reads it; an empty title is missing. Parameters before the first
/// spectrum of an input, such as a CHARGE= for all spectra, do not count.
enum class spectrum_key {
  pepmass,  // m/z of the precursor
  mass,     // neutral_mass()
  rt,       // retention time
  scan,     // number
  charge,   // the first one of the list; -2 < 1 < 2
  title,    // compared as bytes
  peaks,    // number in the output
};

struct spectrum_order {
  std::vector<spectrum_key> by;  // the first counts most; empty: the order of the inputs
  bool descending = false;       // for all keys; missing values come last all the same
};

/// Returns the key of a name: "pepmass", "mass" and so on; nothing for another name.
std::optional<spectrum_key> parse_spectrum_key(std::string_view name);
std::string_view to_string(spectrum_key key);

/// The inputs, which are opened one after the other.
struct spectrum_inputs {
  struct opened {
    std::unique_ptr<source> from;
    std::string name;                                                   // for messages
    std::uint64_t bytes = 0;                                            // as sort_options::input_bytes
    format from_format = format::mgf;                                   // format of the source
    std::shared_ptr<std::vector<std::uint64_t> const> numbers = {};     // as spectrum_choice::numbers, which it replaces
    std::shared_ptr<std::vector<std::uint64_t> const> duplicates = {};  // likewise
    std::shared_ptr<named_spectra const> named = {};                    // likewise
    std::uint64_t packed_bytes = 0;  // size of a compressed file, which one member of a group reads as a whole
    std::string path = {};           // as sort_options::path
  };
  std::size_t count = 0;
  std::function<opened(std::size_t)> open;
};

/// The parts of the output, from 0 on. There is always one. Parts are opened and closed one after the other; later ones may be
/// open when one is closed. Threads of the library make the calls, one at a time, with those of order_options::on_written.
class output_parts {
 public:
  virtual ~output_parts() = default;
  /// Opens a part, whose sink stays valid until close().
  virtual sink& open(std::size_t part) = 0;
  /// Ends a part of which everything is written.
  virtual void close(std::size_t /*part*/) {}
};

/// The input and position that a spectrum of the output came from.
struct spectrum_origin {
  std::size_t part, input;
  std::uint64_t number;  // in its input, from 0, with the spectra that are dropped or not written as MGF
  std::uint64_t offset;  // in bytes of its BEGIN IONS, or of its tag in mzML, in the uncompressed input
};

struct order_options {
  spectrum_order order;
  /// The format that order_spectra writes: MGF, MSP with the names of sort_options::names, mzSpecLib, or mzML of inputs in
  /// other formats.
  format to = format::mgf;
  /// Bytes of host memory for spectra; larger inputs are sorted in runs on disk. The chunks of sort() and a single larger
  /// spectrum do not count.
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  /// Folders of temporary files, used in turn. The files have no names, and disappear with the process.
  std::vector<std::string> folders = {"/tmp"};
  /// The maximum size of a part, which only a larger spectrum and the text after the last spectrum exceed; or the number of
  /// parts, which have about the same size. The two are mutually exclusive.
  std::optional<std::uint64_t> part_bytes, parts;
  /// Called with some spectra at a time, in the order of the output, by threads of the library.
  std::function<void(std::span<spectrum_origin const>)> on_written = {};
};

struct order_report {
  sort_report done;                    // counts of all inputs and parts
  std::vector<std::uint64_t> missing;  // for each key, the spectra that lack it and come last
  std::uint64_t runs = 0, passes = 0;  // on disk; 0 if memory sufficed
  std::size_t parts = 0;
};

/// Orders the spectra of all inputs. Peaks are selected and sorted as in sort(). The order of spectra is stable: equal ones are
/// in the order of the inputs, then of their positions. The output is MGF; mzML is ordered as the MGF that sort_mzml makes of
/// it.
/// - The file header of the first input comes first in each part. Its parameters hold for all spectra of an input, so those of
///   all inputs must be the same, in any order, except COM, USERNAME and USEREMAIL: those of other inputs are left out, with a
///   warning. Comments of other inputs go with their first spectrum.
/// - Empty lines after END IONS stay after it. Other text between spectra goes with the spectrum that follows; the text
///   after the last spectrum of all inputs comes last. A parameter there is an error unless sort_options::lenient.
/// - A last line without an end gets one. The byte order mark of the first input, if it has one, comes first in the output.
/// - A missing END IONS is an error.
/// The size of the output is known before its first byte is written. Only spectra without keys, and without a
/// number of parts, are written as they come; they need no temporary files.
/// @param options  name and input_bytes do not count
/// @throws usage_error  for a repeated key, or no folder
/// @throws output_error  if temporary files cannot be written; and as sort()
order_report order_spectra(spectrum_inputs const& inputs, output_parts& output, sort_options const& options,
                           order_options const& order);

/// Reads the headers of all inputs, and returns the rule that samples `count` of the spectra which options.choice accepts; all,
/// if there are no more. Memory: 8 bytes for each spectrum of the sample.
/// @param options  name, input_bytes and on_warning do not count, nor does a sample of the choice
/// @throws as order_spectra
sample_rule find_sample(spectrum_inputs const& inputs, sort_options const& options, std::uint64_t count, std::uint64_t seed);

/// Reads the headers of all inputs, and returns the compensation voltages of the spectra that options.choice accepts, in
/// ascending order. @param options  name, input_bytes and on_warning do not count @throws as order_spectra
std::vector<double> find_compensation_voltages(spectrum_inputs const& inputs, sort_options const& options);

/// A rule by which a spectrum repeats an earlier one, in the order of the inputs, that does not repeat one itself.
struct duplicate_rule {
  /// If set, the two have precursors whose m/z differ by no more than this (in ppm: of the earlier one), the same first charge
  /// or none, the same MS level or none, and a cosine of at least min_cosine. Spectra without a precursor repeat nothing. Else
  /// the two are identical: in the m/z of the precursor, the first charge, the MS level, and all peaks in any order.
  std::optional<tolerance> precursor;
  double min_cosine = 0.95;  // above 0, up to 1
  /// The cosine is that of the intensities of peaks. Peaks are paired whose m/z differ by no more than this (in ppm: of the
  /// earlier spectrum's), each with one other, those of the greatest product first. Missing and negative intensities count as
  /// 0.
  tolerance peaks = {0.05, false};
};

/// Reads all inputs, and returns for each the numbers of the spectra that repeat others, among those that options.choice
/// accepts. Recognises identical spectra by 128 bits of their SHA-1: 24 bytes for each spectrum, twice as much while they
/// grow. Others take time by the number of pairs of spectra within the tolerance, and order.memory, beside 9 bytes for each
/// spectrum: if they do not fit, those that stay go to order.folders, and are read again for each quarter of that memory.
/// @param options  name, input_bytes and on_warning do not count, nor do the duplicates of the choice
/// @param order  memory and folders alone count
/// @throws usage_error  for values out of range; and as order_spectra
std::vector<std::shared_ptr<std::vector<std::uint64_t> const>> find_duplicates(spectrum_inputs const& inputs,
                                                                               sort_options const& options,
                                                                               duplicate_rule const& rule,
                                                                               order_options const& order = {});

/// Orders spectra to a single sink. @throws usage_error for parts
order_report order_spectra(spectrum_inputs const& inputs, sink& output, sort_options const& options,
                           order_options const& order);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
