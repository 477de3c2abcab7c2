#include "tools/cli/files/sync.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "tools/cli/files/raw_file.hpp"

namespace ordo::inline v0::cli {
namespace {

// Some file systems have no fsync; that is no failure.
int sync_and_close(int fd) noexcept {
  file_wait const waiting;
  int const error = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : errno;
  close(fd);
  return error;
}

}  // namespace

int sync_file(char const* path) noexcept {
  int const fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  return fd < 0 ? errno : sync_and_close(fd);
}

int sync_folder(char const* path) noexcept {
  int const fd = open(*path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 ? 0 : sync_and_close(fd);
}

}  // namespace ordo::inline v0::cli
