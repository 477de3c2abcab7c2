#pragma once
#include <string>
#include <string_view>

namespace ordo::spectra::detail {

/// What an input that is no MGF looks like by its first bytes, for a message: "mzML", "UTF-16 text"; empty if like nothing
/// known.
std::string_view kind_of(std::string_view text);
/// Returns the words of a message: an input looks like that format, and how to proceed.
std::string description_of(std::string_view kind);
/// The same as kind_of by one line of it that MGF does not allow: "CSV".
std::string_view kind_of_line(std::string_view line);

}  // namespace ordo::spectra::detail
