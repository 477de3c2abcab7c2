#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ordo::inline v0::spectra::detail {

/// A spectrum in an order: its text and its origin.
struct ordered_spectrum {
  std::uint64_t bytes = 0, number = 0, offset = 0;  // as spectrum_origin
  std::uint32_t input = 0;
  std::uint32_t run = 0;       // on disk, if it is stored there
  char const* text = nullptr;  // in memory; else null
  std::uint64_t at = 0;        // place in its run
};

/// A sequence of spectra in their order.
class ordered_spectra {
 public:
  virtual ~ordered_spectra() = default;
  /// Returns the next spectrum.
  /// @returns false after the last one
  virtual bool next(ordered_spectrum& to) = 0;
  /// Appends the index entry of the last spectrum that next() returned.
  virtual void append_index(std::string& to) const = 0;
  /// Loads the texts of spectra that next() returned consecutively. Any number of threads at a time.
  virtual void load(std::span<ordered_spectrum const> all, char* to) const = 0;

 protected:
  ordered_spectra() = default;
  ordered_spectra(ordered_spectra const&) = default;
  ordered_spectra& operator=(ordered_spectra const&) = default;
};

/// The entry of a spectrum in an index, followed by codes and title.
struct index_entry {
  std::uint64_t bytes, number, offset;
  std::uint32_t input, title_bytes;
};

}  // namespace ordo::inline v0::spectra::detail
