#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordo::inline v0::spectra::detail {

/// A text that replaces [begin, end) of another one.
struct text_edit {
  std::size_t begin, end;
  std::string text;
};

/// The record of a processing step in an mzML document: a software element, and a dataProcessing with the earlier steps of the
/// spectra and this one, to which the list of spectra then refers. Chromatograms keep their dataProcessing.
struct processing_record {
  std::vector<text_edit> edits;  // in order; none if the same step is the last one already
  std::string lacks;             // the reason why nothing can be recorded, or empty
  std::string before, after;     // the default dataProcessing of spectra in the input and in the output
};

/// Makes the record of a step. @param head  the well-formed document up to the tag of its list of spectra, with that tag
/// @param options  the options of the step, by name and value
processing_record record_processing(std::string_view head, std::vector<std::pair<std::string, std::string>> const& options);

}  // namespace ordo::inline v0::spectra::detail
