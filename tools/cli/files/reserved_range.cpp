#include "tools/cli/files/reserved_range.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ordo::inline v0::cli {

std::optional<reserved_range> reserved_range::next(int fd, std::uint64_t bytes) {
  int const flags = fcntl(fd, F_GETFL);
  struct stat info {};
  if (flags < 0 || (flags & (O_APPEND | O_DIRECT)) != 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return {};
  off_t const begin = lseek(fd, 0, SEEK_CUR);
  if (begin < 0 || bytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max() - begin)) return {};
  reserved_range const range{fd, begin, begin + static_cast<off_t>(bytes), info.st_size};
  // The file gets longer as it is written. Where the file system cannot do this it may not be one of disks.
  while (fallocate(fd, FALLOC_FL_KEEP_SIZE, begin, static_cast<off_t>(bytes)) != 0) {
    int const error = errno;
    if (error == EINTR) continue;
    if (error != ENOSPC && error != EDQUOT && error != EFBIG) return {};
    if (info.st_size <= begin) static_cast<void>(!ftruncate(fd, info.st_size));  // frees the room
    throw std::system_error(error, std::generic_category());
  }
  return range;
}

bool reserved_range::take() const noexcept {
  off_t const now = lseek(fd, end - begin, SEEK_CUR);
  if (now == end) return true;
  if (now >= 0) lseek(fd, begin - end, SEEK_CUR);
  return false;
}

void reserved_range::give_back() const noexcept {
  int const error = errno;
  if (lseek(fd, 0, SEEK_CUR) == end) {
    static_cast<void>(!ftruncate(fd, size));
    lseek(fd, begin, SEEK_SET);
  }
  errno = error;
}

}  // namespace ordo::inline v0::cli
