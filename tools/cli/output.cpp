#include "tools/cli/output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sort_core/error.hpp"
#include "tools/cli/file_wait.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/temporary.hpp"

namespace ordo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_size = std::size_t{256} << 10;
constexpr std::size_t largest_write = std::size_t{1} << 30;    // Linux takes no more than 2 GiB at once
constexpr std::uint64_t least_range = std::uint64_t{1} << 20;  // else one thread writes it as fast
constexpr std::size_t longest_name = 200;                      // of the 255 bytes of a name; the rest is for ours

// What outputs of this process are going to be, or are written directly.
std::mutex claims_mutex;
std::vector<file_id> claims;

// Does a folder or a file system refuse to let go of a file, be the file itself writable or not?
bool is_denied(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == EBUSY || error == EXDEV;
}

void write_all(int fd, std::span<char const> data) {
  file_wait const waiting;
  while (!data.empty()) {
    ssize_t const done = ::write(fd, data.data(), std::min(data.size(), largest_write));
    if (done < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category());
    if (done > 0) data = data.subspan(static_cast<std::size_t>(done));
  }
}

// Pipes and some file systems have no fsync; that is no failure.
bool is_on_disk(int fd) {
  file_wait const waiting;
  return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

class open_file {
 public:
  open_file(std::string const& path, int how) : fd_(open(path.c_str(), how | O_CLOEXEC | O_NOCTTY)) {}
  ~open_file() {
    if (fd_ >= 0) ::close(fd_);
  }
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  operator int() const noexcept { return fd_; }
  int close() noexcept { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

}  // namespace

output::output(std::string const& path, compression how, unsigned threads) : name_(path == "-" ? "standard output" : path) {
  try {
    open_target(path);
    encoder_ = make_encoder(how, threads);
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
      staged_(std::exchange(other.staged_, {})),
      replaces_(other.replaces_),
      beside_(other.beside_),
      claimed_(std::exchange(other.claimed_, std::nullopt)),
      ticket_(std::exchange(other.ticket_, nullptr)),
      fd_(std::exchange(other.fd_, -1)),
      encoder_(std::move(other.encoder_)),
      buffer_(std::move(other.buffer_)),
      expected_(other.expected_),
      any_size_(other.any_size_),
      written_(other.written_.load()),
      range_(std::exchange(other.range_, std::nullopt)),
      in_order_(other.in_order_) {}

void output::fail(int error) const {
  throw output_error(fmt::format("cannot write: {}: {}", name_, std::strerror(error)));
}

void output::claim(std::optional<file_id> id) {
  if (!id) return;
  std::lock_guard const lock(claims_mutex);
  if (std::ranges::find(claims, *id) != claims.end())
    throw output_error(fmt::format("cannot write: {}: another output of this command is the same file", name_));
  claims.push_back(*id);
  claimed_ = std::move(id);
}

void output::refuse_loop(input const& in) const {
  if (target_.empty() && claimed_ && claimed_ == in.id() && in.file_size().value_or(0) != 0)
    throw output_error(fmt::format("cannot write: {}: input file is output file: {}", name_, in.name()));
}

void output::open_target(std::string const& path) {
  if (path.empty()) fail(ENOENT);
  if (path == "-") return open_descriptor(STDOUT_FILENO);
  std::optional<std::string> const end = follow_links(path);
  if (!end) fail(ELOOP);
  if (auto const number = descriptor_named(*end)) return open_descriptor(static_cast<int>(*number));
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
  claim(id_of(path));
  target_ = *end;
  replaces_ = exists;
  open_staged();
  if (!exists || !beside_) return;
  // Whom the file cannot be given to does not get more of it, nor do others through him.
  mode_t mode = old.st_mode & 07777;
  if (fchown(fd_, static_cast<uid_t>(-1), old.st_gid) != 0) mode &= ~(S_ISGID | S_IRWXG) | (mode & S_IRWXO) << 3;
  if (fchown(fd_, old.st_uid, static_cast<gid_t>(-1)) != 0) mode &= ~mode_t{S_ISUID};
  if (fchmod(fd_, mode) != 0) fail(errno);
}

void output::open_descriptor(int number) {
  std::cout.flush();
  std::fflush(stdout);
  int const flags = fcntl(number, F_GETFD);
  if (flags < 0) fail(errno);
  if (flags & FD_CLOEXEC) fail(EBADF);  // not handed over by the caller, but one of ours
  // Standard output itself: a process that may open few files has none to spare.
  fd_ = number == STDOUT_FILENO ? number : fcntl(number, F_DUPFD_CLOEXEC, 3);
  if (fd_ < 0) fail(errno);
  if (int const mode = fcntl(fd_, F_GETFL); mode >= 0 && (mode & O_ACCMODE) == O_RDONLY) fail(EBADF);
  struct stat info {};
  if (fstat(fd_, &info) == 0) claim(id_of(info));
}

void output::open_staged() {
  fs::path const target = target_;
  if (target.filename().empty()) fail(EISDIR);
  int const error = create_staged(target.parent_path());
  if (error == 0) return;
  // Some file systems, /proc among them, know nothing of new files.
  if (!replaces_ || !(is_denied(error) || error == ENOENT)) fail(error);
  beside_ = false;
  std::error_code none;
  fs::path const folder = fs::temp_directory_path(none);
  if (int const other = none ? none.value() : create_staged(folder))
    throw output_error(fmt::format("cannot write: {}: {}; nor a temporary file in {}: {}", name_, std::strerror(error),
                                   none ? "TMPDIR" : folder.string(), std::strerror(other)));
}

// Returns what went wrong, or 0. Of a file that is there nobody else gets to read more than he could.
int output::create_staged(std::string const& folder) {
  std::string const base = fs::path(target_).filename().string().substr(0, longest_name);
  for (unsigned attempt = 0;; ++attempt) {
    staged_ = fs::path(folder) / fmt::format(".{}.{}-{}.tmp", base, getpid(), attempt);
    ticket_ = remember_temporary(staged_);  // before there is anything to remember: a signal may come in between
    fd_ = open(staged_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaces_ ? 0600 : 0666);
    if (fd_ >= 0) return 0;
    int const error = errno;
    forget_temporary(std::exchange(ticket_, nullptr));
    staged_.clear();
    if (error != EEXIST) return error;
  }
}

void output::put_directly(std::span<char const> data) {
  try {
    write_all(fd_, data);
  } catch (std::system_error const& e) {
    fail(e.code().value());
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

void output::write(std::span<char const> data) {
  if (range_) {
    write_at(in_order_, data);
    in_order_ += data.size();
    return;
  }
  written_ += data.size();
  if (encoder_)
    encoder_->write(data, [this](std::span<char const> packed) { put(packed); });
  else
    put(data);
}

// Of what is written directly.
bool output::reserve(std::uint64_t bytes) try {
  if (bytes < least_range || written_ != 0) return false;
  std::optional<reserved_range> const range = reserved_range::next(fd_, bytes);
  if (!range) return false;
  ticket_ = remember_temporary(*range);  // a signal may come in between
  if (!range->take()) {
    forget_temporary(std::exchange(ticket_, nullptr));
    return false;
  }
  range_ = range;
  expected_ = bytes;
  return true;
} catch (std::system_error const& e) {
  fail(e.code().value());
}

bool output::expect(std::uint64_t bytes) {
  if (encoder_) return false;
  if (target_.empty()) return reserve(bytes);
  file_wait const waiting;
  // Not every file system can give a file its blocks before its bytes; those that can do it say at once that they have no more.
  while (bytes > 0 && fallocate(fd_, 0, 0, static_cast<off_t>(bytes)) != 0 && errno != EOPNOTSUPP && errno != ENOSYS &&
         errno != EINVAL)
    if (errno != EINTR) fail(errno);
  expected_ = bytes;
  return true;
}

bool output::expect_unknown() {
  any_size_ = !encoder_ && !target_.empty() && written_ == 0;
  return any_size_;
}

void output::write_at(std::uint64_t offset, std::span<char const> data) {
  written_ += data.size();
  if (range_) offset += static_cast<std::uint64_t>(range_->begin);
  file_wait const waiting;
  while (!data.empty()) {
    ssize_t const done = pwrite(fd_, data.data(), std::min(data.size(), largest_write), static_cast<off_t>(offset));
    if (done < 0 && errno != EINTR) fail(errno);
    if (done <= 0) continue;
    data = data.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

void output::finish() {
  if (expected_ && written_ != *expected_)
    throw output_error(fmt::format("cannot write: {}: {} bytes instead of {}", name_, written_.load(), *expected_));
  if (struct stat made {}; any_size_ && (fstat(fd_, &made) != 0 || static_cast<std::uint64_t>(made.st_size) != written_))
    throw output_error(fmt::format("cannot write: {}: {} bytes, with holes between them", name_, written_.load()));
  if (encoder_) encoder_->finish([this](std::span<char const> packed) { put(packed); });
  flush();
  // What is replaced must not be lost if the power fails before the new file is on the disk. For a new file nobody waits.
  if (replaces_ && !is_on_disk(fd_)) fail(errno);
  if (range_) forget_temporary(std::exchange(ticket_, nullptr));
  range_.reset();
  if (close_file() != 0 && errno != EINTR) fail(errno);
  // Of many outputs that wait for their commit nothing but the name is needed.
  encoder_.reset();
  buffer_ = {};
}

int output::close_file() noexcept {
  int const fd = std::exchange(fd_, -1);
  return fd == STDOUT_FILENO ? 0 : close(fd);  // which is run_main's to look after
}

void output::withdraw_old() noexcept {
  if (!replaces_ || (beside_ && unlink(target_.c_str()) == 0)) return;
  // What can be neither removed nor emptied cannot be written either: commit() will tell.
  if (truncate(target_.c_str(), 0) != 0) errno = 0;
}

void output::commit() {
  if (fd_ >= 0) finish();
  if (target_.empty()) return;
  if (!beside_ || rename(staged_.c_str(), target_.c_str()) != 0) {
    if (beside_ && !(replaces_ && is_denied(errno))) fail(errno);
    return copy_over_old();
  }
  forget_temporary(std::exchange(ticket_, nullptr));
  staged_.clear();
}

void output::copy_over_old() {
  if (chmod(staged_.c_str(), S_IRUSR | S_IWUSR) != 0) fail(errno);  // it may have the old file's mode
  open_file const from(staged_, O_RDONLY);
  if (from < 0) fail(errno);
  open_file to(target_, O_WRONLY);
  if (to < 0) fail(errno);
  struct stat whole {};
  if (fstat(from, &whole) != 0) fail(errno);
  // A full disk is found out while the old content is still there, if the file system can do that.
  if (whole.st_size > 0 && fallocate(to, FALLOC_FL_KEEP_SIZE, 0, whole.st_size) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
    fail(errno);
  // From here on the old content is gone, and what is staged stays until all of it is copied, whatever happens.
  forget_temporary(std::exchange(ticket_, nullptr));
  std::string const staged = std::exchange(staged_, {});
  try {
    auto const check = [](bool good) {
      if (!good) throw std::system_error(errno, std::generic_category());
    };
    buffer_.resize(buffer_size);
    for (off_t copied = 0; copied < whole.st_size;) {
      ssize_t const got = read(from, buffer_.data(), buffer_.size());
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) errno = EIO;
      check(got > 0);
      write_all(to, std::span<char const>(buffer_).first(static_cast<std::size_t>(got)));
      copied += got;
    }
    check(ftruncate(to, whole.st_size) == 0);
    check(is_on_disk(to));
    check(to.close() == 0 || errno == EINTR);
  } catch (std::system_error const& e) {
    throw output_error(
        fmt::format("cannot write: {}: {}; what it should hold is in {}", name_, std::strerror(e.code().value()), staged));
  }
  unlink(staged.c_str());
}

void output::discard() noexcept {
  if (range_) {
    range_->give_back();
    forget_temporary(std::exchange(ticket_, nullptr));
    range_.reset();
  }
  if (fd_ >= 0) close_file();
  if (!staged_.empty()) unlink(staged_.c_str());
  if (ticket_) forget_temporary(std::exchange(ticket_, nullptr));
  staged_.clear();
  if (claimed_) {
    std::lock_guard const lock(claims_mutex);
    std::erase(claims, *std::exchange(claimed_, std::nullopt));
  }
}

}  // namespace ordo::cli
