#pragma once
#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace ordo::cli {

/// A part of a regular file to which others may write through the same open file, as the commands of { a; b; } > file do: each
/// at the place where the last one stopped. The place is moved over the whole part before any of it is written, so that the
/// part can be written in any order, and what others write comes behind it.
struct reserved_range {
  int fd;
  off_t begin, end;
  off_t size;  // of the file before

  /// The next `bytes` of an open file, with room for them on the disk. Nothing is moved yet.
  /// @returns nothing for what is no regular file, appends whatever its place is, or cannot make room in advance
  /// @throws std::system_error if there is no room
  static std::optional<reserved_range> next(int fd, std::uint64_t bytes);
  /// Moves the place. @returns false if somebody else has moved it meanwhile
  [[nodiscard]] bool take() const noexcept;
  /// The file is as long as before and its place is where it was, unless somebody has written behind the range: to be called
  /// when it cannot be completed. Safe in a signal handler; does nothing to a range that was not taken.
  void give_back() const noexcept;
};

}  // namespace ordo::cli
