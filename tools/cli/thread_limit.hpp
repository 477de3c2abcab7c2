#pragma once
#include <string>

namespace ordo::inline v0::cli {

/// Makes a thread that oneTBB cannot start end the process with an error, as run_beside does; without the CMake option
/// ORDO_CATCH_THREAD_FAILURE, does nothing. @param tool  for messages; must outlive the process's threads
void catch_thread_failures(std::string const& tool);

}  // namespace ordo::inline v0::cli
