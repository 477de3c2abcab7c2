#pragma once
#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace ordo::inline v0::cli {

/// A part of a regular file to which other processes may write through the same open file, as the commands of { a; b; } > file
/// do: each at the position where the last one stopped. The position is moved after the part before anything is written, so
/// that the part can be written in any order and the text of others comes after it.
struct reserved_range {
  int fd;
  off_t begin, end;
  off_t size;  // size of the file before

  /// Returns the next `bytes` of an open file, with space for them on the disk; nothing if the file is not regular, was opened
  /// to append, or cannot allocate space in advance. The position is not moved yet. @throws std::system_error  if the disk is
  /// full
  static std::optional<reserved_range> next(int fd, std::uint64_t bytes);
  /// Moves the position.
  /// @returns false if another process has moved it meanwhile
  [[nodiscard]] bool take() const noexcept;
  /// Restores the length and the position of the file, unless another process has written after the range. To be called if the
  /// range cannot be completed. Safe in a signal handler. Does nothing to a range that was not taken.
  void give_back() const noexcept;
};

}  // namespace ordo::inline v0::cli
