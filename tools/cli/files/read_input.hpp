#pragma once
#include <cstddef>
#include <span>
#include <string_view>

// Bytes of standard input that this process has read before it knew that another part of the program has to read them, which
// may be a program that it executes.
namespace ordo::inline v0::cli {

/// Keeps bytes of standard input, which is no file, for the next reader of it.
/// @returns false, with errno, if the system refuses
bool keep_for_reader(std::string_view bytes) noexcept;

/// Moves kept bytes to `to`.
/// @returns their number; 0 if there are none, or no more
std::size_t read_kept(std::span<char> to) noexcept;

}  // namespace ordo::inline v0::cli
