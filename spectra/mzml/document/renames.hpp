#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "spectra/encoding/xml.hpp"

// References of a document that becomes a part of another one.
namespace ordo::inline v0::spectra::detail {

/// The kinds of elements of a head to which others refer.
enum class id_kind : std::size_t { group, source_file, sample, software, scan_settings, instrument, processing };
inline constexpr std::size_t num_id_kinds = 7;

/// Bytes, which XML does not allow, at the end of ids of spectra and chromatograms, and of references to them. A suffix takes
/// their places once all ids of the output are known.
inline constexpr char spectrum_slot = '\x01', chromatogram_slot = '\x02';

/// The dataProcessings that a document's lists of spectra and chromatograms state; empty: none.
struct default_processing {
  std::string spectra, chromatograms;
};

/// The changes to the elements of a document that is merged into another one.
struct mzml_renames {
  std::array<std::map<std::string, std::string, std::less<>>, num_id_kinds> ids;  // ids that change
  /// The values of attributes in elements that have none; empty: none.
  std::string source_file, instrument;
  /// The characters outside ASCII become character references. `latin`: they have one byte each
  bool escapes = false, latin = false;

  /// Returns the name in the output.
  [[nodiscard]] std::string_view of(id_kind kind, std::string_view id) const;
};

/// Returns the dataProcessing that the tag of a list of spectra or chromatograms states; nothing for other tags.
std::optional<std::string_view> list_processing(markup const& list, std::string_view tag);

/// Appends a text of whole tags, with its references renamed. @param now  the defaults at the begin of the text, by their names
/// in the output; then those at its end @param stated  those of the output, which its elements need not state
/// @param places  the places of the text, ascending, which become those of the output
void rename_references(std::string_view text, mzml_renames const& renames, default_processing& now,
                       default_processing const& stated, std::string& output, std::span<std::size_t* const> places = {});

}  // namespace ordo::inline v0::spectra::detail
