#include "tools/cli/files/raw_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "tools/cli/files/read_input.hpp"

namespace ordo::inline v0::cli {
namespace {

constexpr std::size_t largest_read = std::size_t{1} << 30;  // Linux gives no more than 2 GiB at once

namespace fs = std::filesystem;

constexpr int max_links = 40;  // as many as the kernel follows

fs::path parent_folder(fs::path const& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool in_proc(fs::path const& path) {
  struct statfs info {};
  return statfs(parent_folder(path).c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

// The regular files that this process has opened.
std::mutex ids_mutex;
std::vector<file_id> ids;

void note(file_id const& id) {
  std::lock_guard const lock(ids_mutex);
  if (ids.empty() || ids.back() != id) ids.push_back(id);
}

}  // namespace

bool was_read(file_id const& id) {
  std::lock_guard const lock(ids_mutex);
  return std::ranges::find(ids, id) != ids.end();
}

raw_file::raw_file(std::string const& path) : name_(path == "-" ? "standard input" : path) {
  fd_ = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd_ < 0) fail(std::strerror(errno));
  try {
    struct stat info {};
    if (fstat(fd_, &info) != 0) fail(std::strerror(errno));
    if (S_ISDIR(info.st_mode)) fail(std::strerror(EISDIR));
    id_ = find_file_id(info);
    if (id_) note(*id_);
    claimed_size_ = info.st_size;
    if (S_ISREG(info.st_mode) && info.st_size > 0)  // the files of /proc have size 0
      if (off_t const at = lseek(fd_, 0, SEEK_CUR); at >= 0) {
        size_ = std::max<off_t>(info.st_size - at, 0);
        begin_ = at;
        has_addresses_ = info.st_blocks > 0;  // else its size may be nominal
      }
    posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  } catch (...) {
    close_file();
    throw;
  }
}

raw_file::~raw_file() {
  close_file();
}

void raw_file::close_file() noexcept {
  if (fd_ != STDIN_FILENO) close(fd_);
}

void raw_file::fail(std::string const& why) const {
  throw input_error(fmt::format("cannot read: {}: {}", name_, why));
}

// Files of /sys and its like claim a page, hold less, and no block of a disk. A file that was made shorter claims less now.
bool raw_file::has_nominal_size() const {
  struct stat now {};
  return fstat(fd_, &now) == 0 && now.st_blocks == 0 && now.st_size == claimed_size_;
}

std::size_t raw_file::read(std::span<char> to) {
  if (at_end_) return 0;
  file_wait const waiting;
  for (;;) {
    std::size_t const kept = fd_ == STDIN_FILENO ? read_kept(to) : 0;
    ssize_t const got = kept != 0 ? ssize_t(kept) : ::read(fd_, to.data(), std::min(to.size(), largest_read));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::strerror(errno));
    if (got == 0 && size_ && position_ < *size_) {
      if (!has_nominal_size()) fail(fmt::format("short read: {} of {} bytes", position_, *size_));
      size_ = position_;
    }
    position_ += static_cast<std::size_t>(got);
    at_end_ = got == 0 && !to.empty();
    return static_cast<std::size_t>(got);
  }
}

void raw_file::read_at(std::uint64_t offset, std::span<char> to) const {
  file_wait const waiting;
  while (!to.empty()) {
    ssize_t const got = pread(fd_, to.data(), std::min(to.size(), largest_read), begin_ + static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(std::strerror(errno));
    if (got == 0) {  // somebody made it shorter, by more than this thread knows
      struct stat now {};
      if (fstat(fd_, &now) == 0)
        offset = std::min(offset, static_cast<std::uint64_t>(std::max<off_t>(now.st_size - begin_, 0)));
      fail(fmt::format("short read: {} of {} bytes", offset, *size_));
    }
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

void raw_file::skip(std::uint64_t bytes) {
  // The descriptor may be shared with a process that goes on reading where this one ends.
  if (bytes != 0 && lseek(fd_, static_cast<off_t>(bytes), SEEK_CUR) < 0) fail(std::strerror(errno));
  position_ += bytes;
}

std::optional<file_id> find_file_id(struct stat const& info) {
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  return file_id{info.st_dev, info.st_ino, {}};
}

std::optional<file_id> find_file_id(std::string const& path) {
  struct stat info {};
  if ((path == "-" ? fstat(STDIN_FILENO, &info) : stat(path.c_str(), &info)) == 0) return find_file_id(info);
  std::optional<std::string> const end = follow_links(path);
  if (!end || stat(parent_folder(*end).c_str(), &info) != 0) return std::nullopt;
  return file_id{info.st_dev, info.st_ino, fs::path(*end).filename()};
}

std::optional<std::string> follow_links(std::string const& path) {
  fs::path at = path;
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, ignored)) && !in_proc(at); ++links) {
    if (links == max_links) return std::nullopt;
    at = at.parent_path() / fs::read_symlink(at, ignored);
  }
  return at.string();
}

std::optional<unsigned> descriptor_named(std::string const& path) {
  std::string const name = fs::path(path).filename();
  unsigned number = 0;
  auto const [end, bad] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (name.empty() || bad != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  std::error_code ignored;
  fs::path const folder = fs::canonical(parent_folder(path), ignored);
  for (char const* own : {"/proc/self/fd", "/proc/thread-self/fd"})
    if (!folder.empty() && folder == fs::canonical(own, ignored)) return number;
  return std::nullopt;
}

}  // namespace ordo::inline v0::cli
