#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spectra/encoding/xml.hpp"
#include "spectra/mzml/document/record.hpp"

// The head of an mzML document: everything before the spectra and chromatograms.
namespace ordo::inline v0::spectra::detail {

/// An element of a head. Places are those of the text of the head. An element that the head does not end ends with it.
struct head_element {
  std::string_view name;                 // without its prefix
  std::string_view tag;                  // its start tag
  std::size_t begin = 0, tag_end = 0;    // the start tag
  std::size_t content_end = 0, end = 0;  // the places of the end tag; of an empty element both are tag_end
  std::vector<head_element> children;    // down to the parameters of the elements of lists

  /// Returns the value of an attribute as it is written; empty if there is none.
  [[nodiscard]] std::string_view value(std::string_view attribute) const;
  [[nodiscard]] bool is_empty() const { return tag.ends_with("/>"); }
  /// Returns the first child of a name; nullptr if there is none.
  [[nodiscard]] head_element const* find(std::string_view child) const;
};

/// Reads a well-formed head.
/// @returns its first element, <indexedmzML> or <mzML>; an element without a name if there is none
head_element parse_head(std::string_view head);

/// Returns the blanks before a place.
std::string_view blanks_before(std::string_view text, std::size_t at);
/// Returns the prefix of the name of a tag, with the colon.
std::string prefix_of_tag(std::string_view tag);
/// Returns the document's name of the PSI-MS vocabulary.
std::string_view psi_ms_name(std::string_view head);
/// Returns an id that is not in use: "x", "x_2" and so on.
template <class Set>
std::string unused_id(std::string_view id, Set const& ids, std::size_t number = 2) {
  std::string made(id);
  for (; ids.contains(made); ++number) made = std::string(id) + "_" + std::to_string(number);
  return made;
}
/// Sets the number of elements that a list states.
void set_count(head_element const& list, std::size_t count, std::vector<text_edit>& edits);
/// Returns the text with some edits, which are in order.
std::string edited(std::string_view text, std::vector<text_edit> const& edits);

}  // namespace ordo::inline v0::spectra::detail
