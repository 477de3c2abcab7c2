#include "tools/cli/output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sort_core/error.hpp"
#include "tools/cli/temporary.hpp"

namespace ordo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_size = std::size_t{256} << 10;
constexpr std::size_t largest_write = std::size_t{1} << 30;  // Linux takes no more than 2 GiB at once
constexpr std::size_t longest_name = 200;                    // of the 255 bytes of a name; the rest is for ours
constexpr int most_links = 40;                               // as many as the kernel follows

}  // namespace

output::output(std::string const& path, compression how) : name_(path == "-" ? "standard output" : path) {
  try {
    open_target(path);
    if (how == compression::gzip) deflater_ = std::make_unique<deflater>();
    buffer_.reserve(buffer_size);
  } catch (...) {
    discard();
    throw;
  }
}

output::~output() {
  discard();
}

output::output(output&& other) noexcept
    : name_(std::move(other.name_)),
      target_(std::move(other.target_)),
      beside_(std::exchange(other.beside_, {})),
      ticket_(std::exchange(other.ticket_, nullptr)),
      fd_(std::exchange(other.fd_, -1)),
      deflater_(std::move(other.deflater_)),
      buffer_(std::move(other.buffer_)),
      written_(other.written_) {}

void output::fail(int error) const {
  throw output_error(fmt::format("cannot write: {}: {}", name_, std::strerror(error)));
}

void output::open_target(std::string const& path) {
  if (path == "-" || path == "/dev/stdout") {
    std::cout.flush();
    std::fflush(stdout);
    fd_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd_ < 0) fail(errno);
    if (int const flags = fcntl(fd_, F_GETFL); flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) fail(EBADF);
    return;
  }
  struct stat old {};
  bool const exists = stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(old.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd_ < 0) fail(errno);
    return;
  }
  if (exists && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);

  fs::path target = path;  // where a chain of links ends, be there a file or not
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, ignored)); ++links) {
    if (links == most_links) fail(ELOOP);
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  target_ = target;
  open_beside();
  if (exists) {
    if (fchown(fd_, old.st_uid, old.st_gid) != 0) errno = 0;  // not ours to give away: then it stays ours
    if (fchmod(fd_, old.st_mode & 07777) != 0) fail(errno);
  }
}

void output::open_beside() {
  fs::path const target = target_;
  if (target.filename().empty()) fail(EISDIR);
  std::string const base = target.filename().string().substr(0, longest_name);
  for (unsigned attempt = 0;; ++attempt) {
    beside_ = target.parent_path() / fmt::format(".{}.{}-{}.tmp", base, getpid(), attempt);
    ticket_ = remember_temporary(beside_);  // before there is anything to remember: a signal may come in between
    fd_ = open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0) return;
    int const error = errno;
    forget_temporary(std::exchange(ticket_, nullptr));
    beside_.clear();
    if (error != EEXIST) fail(error);
  }
}

void output::put_directly(std::span<char const> data) {
  while (!data.empty()) {
    ssize_t const done = ::write(fd_, data.data(), std::min(data.size(), largest_write));
    if (done < 0 && errno != EINTR) fail(errno);
    if (done > 0) data = data.subspan(static_cast<std::size_t>(done));
  }
}

void output::flush() {
  put_directly(buffer_);
  buffer_.clear();
}

void output::put(std::span<char const> data) {
  if (buffer_.size() + data.size() > buffer_size) flush();
  if (data.size() >= buffer_size)
    put_directly(data);
  else
    buffer_.insert(buffer_.end(), data.begin(), data.end());
}

void output::deflate(std::span<char const> data, bool last) {
  char block[16384];
  for (bool done = false; !done && (last || !data.empty());) {
    std::span<char> free(block);
    done = deflater_->step(data, free, last);
    put(std::span<char const>(block, sizeof block - free.size()));
  }
}

void output::write(std::span<char const> data) {
  written_ += data.size();
  if (deflater_)
    deflate(data, false);
  else
    put(data);
}

void output::finish() {
  if (deflater_) deflate({}, true);
  flush();
  // Pipes and some file systems have no fsync; that is no failure.
  if (!target_.empty() && fsync(fd_) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS) fail(errno);
  if (close(std::exchange(fd_, -1)) != 0 && errno != EINTR) fail(errno);
}

void output::commit() {
  if (fd_ >= 0) finish();
  if (target_.empty()) return;
  if (rename(beside_.c_str(), target_.c_str()) != 0) fail(errno);
  forget_temporary(std::exchange(ticket_, nullptr));
  beside_.clear();
}

void output::discard() noexcept {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
  if (!beside_.empty()) unlink(beside_.c_str());
  if (ticket_) forget_temporary(std::exchange(ticket_, nullptr));
  beside_.clear();
}

}  // namespace ordo::cli
