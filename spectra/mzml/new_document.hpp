#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/spectra.hpp"
#include "spectra/mzml/document/spool.hpp"

namespace ordo::inline v0::spectra::detail {

/// A file whose spectra a document is made of.
struct source_file {
  format from;
  std::string name;
  std::string path;       // empty: it is no file that can be read again
  std::string sha1 = {};  // empty: it is not known yet
};

/// A sink that makes an indexedmzML of the spectra that print_mzml prints. Without spectra it is an mzML without an index.
class new_document final : public sink {
 public:
  /// @param to  must outlive this @param folder  the folder of a temporary file as large as the output
  new_document(sink& to, std::string const& folder) : to_(to), spectra_(folder) {}

  void write(std::span<char const> data) override;
  /// Writes the document.
  /// @param sources  at least one; a SHA-1 that is not known is computed, for which its file is read
  /// @param has_scans  ids are scan numbers
  /// @throws input_error  for a file that cannot be read
  void end(std::span<source_file> sources, bool has_scans);
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 private:
  void pass(bool last);
  [[nodiscard]] std::string head(std::span<source_file> sources, bool has_scans) const;

  sink& to_;
  spool spectra_;
  std::string pending_;                 // text from the last tag on, whose id is still to come
  std::vector<std::uint64_t> offsets_;  // offsets of spectra in spectra_
  std::string ids_;                     // end to end
  std::vector<std::uint64_t> id_ends_;
  std::uint64_t size_ = 0, written_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
