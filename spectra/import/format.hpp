#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "spectra/chunk/chunk.hpp"
#include "spectra/encoding/binary_array.hpp"
#include "spectra/encoding/text_fault.hpp"

// Formats that are read, and written as MGF or MSP: mzXML, MSP and mzSpecLib.
namespace ordo::inline v0::spectra::detail {

/// The unit of a retention time that states none.
enum class assumed_unit { none, seconds, minutes };

/// A spectrum that was read, but for its peaks.
struct imported_spectrum {
  std::size_t begin = 0;  // its place in the text
  std::string title, native_id, activation;
  spectrum_header header;  // its title and native id become views of these
  peak_digits digits = {};
  assumed_unit unit = assumed_unit::none;  // unit of its retention time; none: it was stated, or given as an option
};

/// Faults of an input that were left out of it.
struct forgiven_faults {
  std::uint64_t lines = 0;   // lines that the format does not allow
  std::uint64_t counts = 0;  // records with another number of peaks than they state
};

/// The text of some whole spectra.
struct import_text : chunk_text {
  std::uint64_t first_spectrum = 0;  // its number in the input
  std::uint64_t num_spectra = 0;
  std::exception_ptr failure;  // after the last of the spectra

  /// What the reader of mzXML finds while it cuts the text: the spectra, and the places of their peaks.
  struct scan {
    imported_spectrum spectrum;
    std::size_t num_peaks = 0;
    binary_array peaks;
  };
  std::vector<scan> scans;
};

/// Some spectra with all of their peaks.
struct imported_spectra {
  std::vector<imported_spectrum> all;
  std::vector<double> mz, intensity;
  std::vector<std::size_t> ends;  // where the peaks of each spectrum end
  std::vector<metadata_entry> metadata;
  std::vector<std::size_t> metadata_ends;     // where those of each spectrum end
  std::vector<std::string_view> annotations;  // annotations of the first peaks; empty: the peak has none
  forgiven_faults faults;

  void clear() {
    all.clear();
    mz.clear();
    intensity.clear();
    ends.clear();
    metadata.clear();
    metadata_ends.clear();
    annotations.clear();
    faults = {};
  }
  /// Appends an annotation of the last peak.
  void annotate(std::string_view annotation) {
    if (annotation.empty()) return;
    annotations.resize(mz.size());
    annotations.back() = annotation;
  }
  /// Drops the last peaks, so that `size` are left.
  void cut_peaks(std::size_t size) {
    mz.resize(size);
    intensity.resize(size);
    if (annotations.size() > size) annotations.resize(size);
  }
  /// Ends a spectrum, whose peaks and metadata were appended.
  void add(imported_spectrum spectrum) {
    all.push_back(std::move(spectrum));
    ends.push_back(mz.size());
    metadata_ends.push_back(metadata.size());
  }
};

/// Parses texts that a reader has cut. One for each chunk.
class import_parser {
 public:
  virtual ~import_parser() = default;
  /// @param to  empty; after an error it holds the spectra before it @throws text_fault
  virtual void parse(import_text const& text, imported_spectra& to) = 0;
};

/// Cuts a source into texts of whole spectra. One thread at a time.
class import_reader {
 public:
  virtual ~import_reader() = default;
  /// Reads the next `wanted` bytes or so. An error is stored in text.failure, and is the end.
  /// @returns false after the last
  /// text
  virtual bool next(import_text& text, std::size_t wanted) = 0;
  [[nodiscard]] virtual std::unique_ptr<import_parser> make_parser() const = 0;
  /// Returns true if spectra of MS level 1, and those without precursor, are left out of MGF.
  [[nodiscard]] virtual bool is_run() const = 0;
  /// Returns the number of bytes read as Windows-1252.
  [[nodiscard]] virtual std::uint64_t repaired() const { return 0; }
};

std::unique_ptr<import_reader> make_mzxml_reader(source& input, bool lenient);
std::unique_ptr<import_reader> make_msp_reader(source& input, sort_options const& options);
std::unique_ptr<import_reader> make_mzspeclib_reader(source& input);

/// @param task, log  must outlive the format
std::unique_ptr<input_format> make_import_format(std::unique_ptr<import_reader> reader, chunk_task const& task,
                                                 diagnostics& log);

/// Reads ahead of the texts that a source is cut into.
class text_reader {
 public:
  explicit text_reader(source& from) : from_(from), offset_(from.size() ? from.position() : 0) {}

  /// Begins the next text.
  void begin(import_text& text);
  /// Reads more into the text, and makes room for it.
  /// @returns false at the end of the source
  /// @throws text_fault  for more than a text can hold
  bool more(import_text& text, std::size_t wanted);
  /// Ends the text after `size` bytes. Those after begin the next one.
  void cut(import_text& text, std::size_t size);
  [[nodiscard]] bool at_end() const noexcept { return at_end_ && rest_.empty(); }

 private:
  source& from_;
  std::vector<char> rest_;
  std::uint64_t offset_;
  bool at_end_ = false;
};

}  // namespace ordo::inline v0::spectra::detail
