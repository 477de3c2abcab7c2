#pragma once
#include <cstddef>
#include <string>

namespace ordo::cli {

/// The bytes of memory that this process can still take without swapping: the least of what the system has, of what the limits
/// of its control groups leave (versions 1 and 2, the groups above its own, too), and of what RLIMIT_AS and RLIMIT_DATA leave.
/// @param root  the folder that holds /proc and /sys, for tests
std::size_t available_memory(std::string const& root = "");

}  // namespace ordo::cli
