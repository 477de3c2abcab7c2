#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordo::spectra::detail {

/// Puts a text in the place of [begin, end) of another.
struct text_edit {
  std::size_t begin, end;
  std::string text;
};

/// Records a processing step in an mzML document: a software element, and a dataProcessing that has the steps of the spectra so
/// far and this one, to which the list of spectra then refers. Chromatograms keep theirs.
struct processing_record {
  std::vector<text_edit> edits;  // in order; none where the same step stands last already
  std::string lacks;             // why nothing can be recorded; empty: it can
  std::string before, after;     // the dataProcessing that spectra referred to by default, and that which they refer to now
};

/// @param head     the document up to the tag of its list of spectra, this included; well-formed
/// @param options  of the step, by name and value
processing_record record_processing(std::string_view head, std::vector<std::pair<std::string, std::string>> const& options);

}  // namespace ordo::spectra::detail
