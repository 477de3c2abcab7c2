#pragma once

namespace ordo::inline v0::cli {

/// Puts the bytes of a file on the disk.
/// @returns 0 or an errno
int sync_file(char const* path) noexcept;

/// Puts the names in a folder on the disk, if it can be read; "" is the current one. Needs no memory.
/// @returns 0 or an errno
int sync_folder(char const* path) noexcept;

}  // namespace ordo::inline v0::cli
