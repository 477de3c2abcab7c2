#include "base/temporary_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "ordo/error.hpp"

namespace ordo::inline v0 {
namespace {

constexpr std::size_t largest_transfer = std::size_t{1} << 30;  // Linux transfers at most 2 GiB per call

int open_nameless(std::string const& folder) {
  int const fd = open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  std::string path = folder + "/ordo-XXXXXX";  // for file systems without unnamed files, such as NFS
  int const named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) unlink(path.c_str());
  return named;
}

}  // namespace

temporary_file::temporary_file(std::string const& folder) : name_("temporary file in " + folder), fd_(open_nameless(folder)) {
  if (fd_ < 0) throw output_error(fmt::format("cannot create temporary file in '{}': {}", folder, std::strerror(errno)));
}

temporary_file::temporary_file(temporary_file&& other) noexcept
    : name_(std::move(other.name_)), fd_(std::exchange(other.fd_, -1)) {}

temporary_file::~temporary_file() {
  if (fd_ >= 0) close(fd_);
}

void temporary_file::fail_to_write() const {
  throw output_error(fmt::format("cannot write: {}: {}", name_, std::strerror(errno)));
}

void temporary_file::reserve(std::uint64_t offset, std::uint64_t bytes) {
  while (bytes > 0 && fallocate(fd_, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0 && errno != EOPNOTSUPP &&
         errno != ENOSYS && errno != EINVAL)
    if (errno != EINTR) fail_to_write();
}

void temporary_file::write_at(std::uint64_t offset, std::span<char const> data) {
  while (!data.empty()) {
    ssize_t const done = pwrite(fd_, data.data(), std::min(data.size(), largest_transfer), static_cast<off_t>(offset));
    if (done < 0 && errno != EINTR) fail_to_write();
    if (done <= 0) continue;
    data = data.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

void temporary_file::read_at(std::uint64_t offset, std::span<char> to) const {
  while (!to.empty()) {
    ssize_t const got = pread(fd_, to.data(), std::min(to.size(), largest_transfer), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw input_error(fmt::format("cannot read: {}: {}", name_, std::strerror(errno)));
    if (got == 0) throw input_error(fmt::format("cannot read: {}: unexpected end at byte {}", name_, offset));
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

void temporary_file::discard(std::uint64_t offset, std::uint64_t bytes) noexcept {
  // A failure only costs disk space.
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(bytes));
}

}  // namespace ordo::inline v0
