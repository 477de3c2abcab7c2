#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ordo::spectra::detail {

/// One spectrum among others: the text that belongs to it, and where it came from.
struct ordered_spectrum {
  std::uint64_t bytes = 0, number = 0, offset = 0;  // as spectrum_origin
  std::uint32_t input = 0;
  std::uint32_t run = 0;       // on disk, if it is there
  char const* text = nullptr;  // in memory, if it is there
  std::uint64_t at = 0;        // in its run
};

/// Spectra in their order, one after the other.
class ordered_spectra {
 public:
  virtual ~ordered_spectra() = default;
  /// @returns false if there is none left
  virtual bool next(ordered_spectrum& to) = 0;
  /// Appends what an index has of the last one that next() gave.
  virtual void append_index(std::string& to) const = 0;
  /// The texts of spectra that next() gave one after the other. Any number of threads at a time.
  virtual void load(std::span<ordered_spectrum const> all, char* to) const = 0;

 protected:
  ordered_spectra() = default;
  ordered_spectra(ordered_spectra const&) = default;
  ordered_spectra& operator=(ordered_spectra const&) = default;
};

/// An entry of an index. Codes and the title follow it.
struct index_entry {
  std::uint64_t bytes, number, offset;
  std::uint32_t input, title_bytes;
};

}  // namespace ordo::spectra::detail
