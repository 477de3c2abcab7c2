#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/spectra.hpp"
#include "spectra/mzml/document/spool.hpp"

namespace ordo::inline v0::spectra::detail {

/// A sink that makes an indexedmzML of the spectra that print_mzml prints. Without spectra it is an mzML without an index.
class new_document final : public sink {
 public:
  /// @param to  must outlive this @param from  the format of the inputs @param name  the name of the source file
  /// @param folder  the folder of a temporary file as large as the output
  new_document(sink& to, format from, std::string name, std::string const& folder)
      : to_(to), from_(from), name_(std::move(name)), spectra_(folder) {}

  void write(std::span<char const> data) override;
  /// Writes the document.
  void end();
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 private:
  void pass(bool last);
  [[nodiscard]] std::string head() const;

  sink& to_;
  format from_;
  std::string name_;
  spool spectra_;
  std::string pending_;                 // text from the last tag on, whose id is still to come
  std::vector<std::uint64_t> offsets_;  // offsets of spectra in spectra_
  std::string ids_;                     // end to end
  std::vector<std::uint64_t> id_ends_;
  std::uint64_t size_ = 0, written_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
