#pragma once
#include <string>

namespace ordo::inline v0::cli {

/// Has a fault in a mapped file end the process with status 2 and one line on stderr, as a failed read does, after its
/// temporary files are removed. The system sends SIGBUS where a mapped file has become shorter, or where the disk cannot read
/// it. Other faults of that signal end the process as before.
/// @param tool  must live as long as the process
void report_mapped_faults(std::string const& tool);

}  // namespace ordo::inline v0::cli
