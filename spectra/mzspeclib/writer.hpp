#pragma once
#include <cstdint>
#include <string>

#include "ordo/io.hpp"
#include "spectra/chunk/chunk.hpp"

namespace ordo::inline v0::spectra::detail {

/// Appends a spectrum as an entry of mzSpecLib 1.0: its name, the values of its header, its metadata as attributes by their
/// terms, or else as other attributes by their keys, and the peaks in the given order, with their annotations. Its key is
/// empty; library_sink sets it. Numbers are as in print_mgf.
print_losses print_mzspeclib(printed_spectrum const& spectrum, sort_options const& options, std::string& title,
                             std::string& output);

/// A sink that makes a library of the spectra that print_mzspeclib prints: it writes the head, and keys from 1 on.
class library_sink final : public sink {
 public:
  /// @param to  must outlive this @param name  name of the input, after which the library is named
  library_sink(sink& to, std::string_view name);
  void write(std::span<char const> data) override;
  /// Writes the head, if there are no spectra.
  void end() { flush(); }
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 private:
  void add_entry(std::string_view entry);
  void flush();

  sink& to_;
  std::string pending_;  // an entry whose end is still to come
  std::string made_;     // text to be written
  std::uint64_t spectra_ = 0, written_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
