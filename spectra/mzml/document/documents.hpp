#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/spectra/order.hpp"
#include "spectra/encoding/digest.hpp"
#include "spectra/encoding/xml.hpp"
#include "spectra/external/ordered_spectra.hpp"
#include "spectra/mzml/document/index.hpp"
#include "spectra/mzml/document/spool.hpp"

namespace ordo::inline v0::spectra::detail {

/// The head that all documents of an output share, and their totals.
struct document_frame {
  std::string head;                              // up to the first list
  std::string prefix;                            // prefix of the names of tags, with the colon
  std::string spectrum_list, chromatogram_list;  // tags of the lists; empty: there is none
  std::uint64_t spectra = 0, spectra_bytes = 0;
  std::uint64_t chromatograms = 0, chromatogram_bytes = 0;
};

/// A writer of whole documents of indexedmzML, the parts of an output. Each has the head, its own numbers of spectra, index and
/// checksum. The first part has the chromatograms. Memory: 16 bytes for each spectrum and chromatogram of a part, and the
/// difference of its id to the one before.
class document_writer {
 public:
  /// Passes the texts of all chromatograms to a function.
  using chromatogram_source = std::function<void(std::function<void(std::string_view)> const&)>;

  /// @param options  parts, part_bytes and on_written; and the folder of the spectra of a part until their number is known
  document_writer(output_parts& to, order_options const& options, document_frame frame, chromatogram_source chromatograms);

  /// Writes the next spectrum, with the text before it. @throws output_error
  void add(ordered_spectrum const& about, std::string_view text);
  /// Ends the last part, and begins those that are missing.
  void finish();

  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }
  [[nodiscard]] std::size_t parts() const noexcept { return parts_; }

 private:
  [[nodiscard]] bool splits() const { return options_.part_bytes || options_.parts; }
  [[nodiscard]] std::size_t choose_part(std::size_t bytes) const;
  void open();
  void close();
  void write_spectra(std::string_view text);
  void put(std::string_view text);
  void write_list(std::string const& tag, std::uint64_t count);
  void write_index(indexed_elements& elements, std::string_view name);
  void flush();
  void report_origins();

  output_parts& to_;
  order_options const& options_;
  document_frame frame_;
  chromatogram_source chromatograms_;
  std::string blanks_;  // before the lists

  // The part that is being written.
  std::size_t parts_ = 0;
  sink* part_ = nullptr;
  sha1_digest digest_;
  std::uint64_t at_ = 0;        // bytes of it, but for held spectra
  std::uint64_t held_ = 0;      // bytes of spectra whose number is not known
  std::uint64_t expected_ = 0;  // its size, at most
  std::uint64_t count_ = 0;     // number of its spectra
  indexed_elements spectra_, listed_chromatograms_;
  spool spool_;

  std::uint64_t planned_ = 0;  // bytes of spectra in all parts
  std::uint64_t written_ = 0;
  std::string batch_, numbered_;
  std::vector<spectrum_origin> origins_;
};

}  // namespace ordo::inline v0::spectra::detail
