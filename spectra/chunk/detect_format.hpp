#pragma once
#include <string>
#include <string_view>

namespace ordo::inline v0::spectra::detail {

/// Returns the format that the first bytes of an input suggest, 4096 or more, for a message: "mzML", "UTF-16 text"; empty for MGF and unknown
/// formats.
std::string_view detect_kind(std::string_view text);
/// Returns a part of a message: the format that an input seems to have, the line that suggests it, and how to proceed.
std::string describe_kind(std::string_view kind, std::string_view line = {});
/// Returns the format that a line suggests which MGF does not allow: "CSV"; or nothing.
std::string_view kind_of_line(std::string_view line);

}  // namespace ordo::inline v0::spectra::detail
