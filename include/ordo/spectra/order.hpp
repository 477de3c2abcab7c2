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

/// Spectra of MGF put in order among each other, of one input or of many, whether they fit in memory or not; and cut into
/// parts.
namespace ordo::spectra {

/// What orders spectra. Of a header what mgf_header reads; a title that is empty is missing. Parameters before the first
/// spectrum of an input, as a CHARGE= for all of it, are not looked at.
enum class spectrum_key {
  pepmass,  // m/z of the precursor
  mass,     // neutral_mass()
  rt,       // retention time
  scan,     //
  charge,   // the first one of the list; -2 < 1 < 2
  title,    // by its bytes
  peaks,    // how many are in the output
};

struct spectrum_order {
  std::vector<spectrum_key> by;  // the first counts most; none: the inputs' order
  bool descending = false;       // all keys; what is missing comes last all the same
};

/// The keys by their names: "pepmass", "mass" and so on. Nothing for another name.
std::optional<spectrum_key> key_named(std::string_view name);
std::string_view name_of(spectrum_key key);

/// Inputs, which are opened one after the other.
struct spectrum_inputs {
  struct opened {
    std::unique_ptr<source> from;
    std::string name;         // for messages
    std::uint64_t bytes = 0;  // as options::input_bytes
    bool selected = false;    // options::select does not count: it has been done
  };
  std::size_t count = 0;
  std::function<opened(std::size_t)> open;
};

/// Where the output goes: parts, from 0 on, of which there is always one, opened and closed one after the other; later ones may
/// be open when one is closed. One call at a time, of on_placed too, from the library's threads.
class spectrum_parts {
 public:
  virtual ~spectrum_parts() = default;
  /// What it gives stays until close().
  virtual sink& open(std::size_t part) = 0;
  /// All of it is written.
  virtual void close(std::size_t /*part*/) {}
};

/// Where a spectrum of the output came from.
struct spectrum_origin {
  std::size_t part, input;
  std::uint64_t number;  // in its input, from 0, those that are left out counted
  std::uint64_t offset;  // of its BEGIN IONS, or of its tag in mzML, in bytes of the input, unpacked
};

struct order_options {
  spectrum_order order;
  /// Bytes of the host's memory that spectra may take; what is larger is sorted in parts, on disk. Not counted are what the
  /// threads work on, as sort() says, and a single spectrum that is larger.
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  /// Temporary files are made in them in turn. They have no names: nothing is left of them when the process ends.
  std::vector<std::string> folders = {"/tmp"};
  /// Parts of so many bytes at most, but for a larger spectrum and what stands behind the last one; or so many parts of about
  /// the same size. At most one of them.
  std::optional<std::uint64_t> part_bytes, parts;
  /// Called with some spectra at a time, in the order of the output, from the library's threads.
  std::function<void(std::span<spectrum_origin const>)> on_placed = {};
};

struct order_report {
  report done;                         // of all inputs; `written` counts all parts
  std::vector<std::uint64_t> missing;  // of each key, spectra that lack it, and come last
  std::uint64_t runs = 0, passes = 0;  // on disk; 0: all was in memory
  std::size_t parts = 0;
};

/// Orders the spectra of all inputs. Peaks are sorted and selected as options say, as in sort(); then spectra are put in order,
/// stably: equal ones in the order of the inputs, then of their places.
/// - What stands before the first spectrum of the first input comes first in each part. Parameters there hold for all spectra
///   of an input: those of all inputs have to be the same, in whatever order, but for COM, USERNAME and USEREMAIL, which say
///   nothing of spectra, and of which other inputs' are left out, with a warning. Comments of other inputs go with their first
///   spectrum.
/// - Empty lines behind END IONS stay behind it. All else between spectra goes with the one that follows; what follows the last
///   one of all inputs comes last. A parameter there is an error unless options::lenient.
/// - A last line without an end gets one. A byte order mark comes first in the output, where the first input has one.
/// - END IONS may not be missing.
/// How many bytes there are is known before the first is written, but for parts of a number of bytes, in the inputs' order:
/// these are written as they come, and need no temporary files.
/// @param how  name and input_bytes do not count
/// @throws usage_error for keys that are there twice, or no folder; output_error where temporary files cannot be written; as
/// sort()
order_report order_spectra(spectrum_inputs const& from, spectrum_parts& to, options const& how, order_options const& order);

/// The same to a single sink. @throws usage_error if parts are asked for
order_report order_spectra(spectrum_inputs const& from, sink& to, options const& how, order_options const& order);

}  // namespace ordo::spectra
