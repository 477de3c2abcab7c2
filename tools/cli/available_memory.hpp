#pragma once
#include <cstddef>
#include <string>

namespace ordo::inline v0::cli {

/// Returns the bytes of memory that this process can still use without swapping: the minimum of the system's free memory, of
/// the limits of its control groups (versions 1 and 2, with the groups above its own), and of RLIMIT_AS and RLIMIT_DATA.
/// @param root  the folder that holds /proc and /sys, for tests
std::size_t available_memory(std::string const& root = "");

/// Returns the bytes that this process can still use before the system or a control group kills it: swap counts, and RLIMIT_AS
/// and RLIMIT_DATA do not, because an allocation beyond them fails.
std::size_t memory_before_kill();

}  // namespace ordo::inline v0::cli
