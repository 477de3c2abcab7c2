#include "tools/cli/files/output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/raw_file.hpp"
#include "tools/cli/files/sync.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/cli/files/warnings.hpp"

namespace ordo::inline v0::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_size = std::size_t{256} << 10;
constexpr std::size_t min_writeback = buffer_size / 4;       // shorter writes wait for the sync: calls for them would cost more
constexpr std::size_t largest_write = std::size_t{1} << 30;  // Linux takes no more than 2 GiB at once
constexpr std::uint64_t min_range = std::uint64_t{1} << 20;  // else one thread writes it as fast

// The files that this process writes.
std::mutex claims_mutex;
std::vector<file_id> claims;

// Returns true if the folder or the file system does not allow the file to be replaced, writable or not.
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

bool is_full(int error) {
  return error == ENOSPC || error == EDQUOT;
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

output::output(std::string const& path, replacing how, std::string folder)
    : output(path, compression_named(path), 0, how, std::move(folder)) {}

output::output(std::string const& path, compression how, unsigned threads) : output(path, how, threads, replacing::any_way) {}

output::output(std::string const& path, compression how, unsigned threads, replacing replaces, std::string folder)
    : name_(path == "-"    ? "standard output"
            : path.empty() ? "''"
                           : path),
      by_rename_(replaces == replacing::by_rename),
      folder_(std::move(folder)) {
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
      by_rename_(other.by_rename_),
      folder_(std::move(other.folder_)),
      target_(std::move(other.target_)),
      staged_(std::move(other.staged_)),
      replaces_(other.replaces_),
      beside_(other.beside_),
      copies_(other.copies_),
      left_behind_(std::move(other.left_behind_)),
      claimed_(std::exchange(other.claimed_, std::nullopt)),
      ticket_(std::exchange(other.ticket_, nullptr)),
      fd_(std::exchange(other.fd_, -1)),
      put_(other.put_),
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

void output::refuse_inputs(std::span<std::string const> paths) const {
  // What is written directly is refuse_loop()'s.
  for (std::string const& path : paths)
    if (!target_.empty() && is_file(path))
      throw output_error(
          fmt::format("cannot write: {}: it is the same file as the input {}", name_, path == "-" ? "standard input" : path));
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
  auto const refuse_irregular = [&] {
    if (by_rename_) throw output_error(fmt::format("cannot write: {}: no regular file", name_));
  };
  if (auto const number = descriptor_named(*end)) {
    refuse_irregular();
    return open_descriptor(static_cast<int>(*number));
  }
  struct stat old {};
  bool exists = stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(old.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    refuse_irregular();
    fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd_ < 0) fail(errno);
    return;
  }
  if (exists && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    if (errno != ENOENT) fail(errno);
    exists = false;  // another process has removed it
  }
  claim(find_file_id(path));
  target_ = *end;
  replaces_ = exists;
  open_staged();
  // The new content is copied over the old one if the file has other names, which then show it, too.
  copies_ = exists && beside_ && !by_rename_ && old.st_nlink > 1;
  find_left_behind();
  if (!exists || !beside_ || copies_) return;
  // The new content is copied over the old one, too, if the new file could not get the attributes of the old one.
  copies_ = !copy_attributes(target_, old, fd_);
  if (copies_ && by_rename_)
    throw output_error(
        fmt::format("cannot write: {}: the new file cannot have the attributes of the old one: remove it first", name_));
}

void output::warn_of_copy() const {
  warn(
      fmt::format("replaced in place: {}: the result is copied over it; a kill meanwhile leaves it incomplete, and the whole "
                  "result in {}",
                  name_, staged_.next_name()));
}

// Files without a name disappear with their process.
void output::find_left_behind() {
  if (!beside_ || !folder_.empty() || (!copies_ && !staged_.has_name())) return;
  fs::path const place = target_;
  left_behind_ = staged_file::left_behind(place.parent_path(), place.filename());
  for (std::string const& file : left_behind_)
    warn(fmt::format(
        "left behind: {}: by a process that was killed; {} may be incomplete where this file is whole; it is removed "
        "once {} is written anew, unless that is an input as well",
        file, name_, name_));
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
  if (fstat(fd_, &info) == 0) claim(find_file_id(info));
}

void output::open_staged() {
  fs::path const target = target_;
  if (target.filename().empty()) fail(EISDIR);
  // Nobody may be able to read more of an existing file than before.
  std::string const folder = folder_.empty() ? target.parent_path().string() : folder_;
  int const error = staged_.create(folder, target.filename(), replaces_ ? 0600 : 0666);
  fd_ = staged_.descriptor();
  if (error == 0) return;
  // Some file systems, /proc among them, know nothing of new files.
  if (by_rename_ || !replaces_ || !(is_denied(error) || is_full(error) || error == ENOENT)) fail(error);
  stage_elsewhere(error);
}

// Moves the staged file elsewhere, with the bytes written so far. @param why  an errno
void output::stage_elsewhere(int why) {
  std::error_code none;
  fs::path const folder = fs::temp_directory_path(none);
  char const* const given = std::getenv("TMPDIR");
  staged_file other;
  struct stat so_far {};
  int error = none ? none.value() : other.create(folder, fs::path(target_).filename(), 0600);
  if (error == 0 && staged_) error = fstat(fd_, &so_far) == 0 ? copy_bytes(fd_, other.descriptor(), so_far.st_size) : errno;
  if (error != 0) {
    std::string const place = !none ? folder.string() : given ? given : "TMPDIR";
    throw output_error(fmt::format("cannot write: {}: {}; no temporary file in {}: {}", name_, std::strerror(why), place,
                                   std::strerror(error)));
  }
  std::swap(staged_, other);
  fd_ = staged_.descriptor();
  beside_ = false;
  copies_ = true;
}

void output::write_directly(std::span<char const> data) {
  try {
    write_all(fd_, data);
  } catch (std::system_error const& e) {
    int const error = e.code().value();
    // The old file's room is free once it is written over. Several threads may be writing if there are addresses.
    if (by_rename_ || !is_full(error) || !replaces_ || !beside_ || addressable()) fail(error);
    off_t const place = lseek(fd_, 0, SEEK_CUR);
    if (place < 0) fail(error);
    auto const done = static_cast<std::size_t>(static_cast<std::uint64_t>(place) - put_);
    stage_elsewhere(error);
    put_ += done;
    return write_directly(data.subspan(done));
  }
  begin_writeback(put_, data.size());
  put_ += data.size();
}

void output::flush() {
  write_directly(buffer_);
  buffer_.clear();
}

void output::put(std::span<char const> data) {
  if (buffer_.size() + data.size() > buffer_size) flush();
  if (data.size() >= buffer_size)
    write_directly(data);
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

// Reserves the range of an output that is written directly.
bool output::reserve(std::uint64_t bytes) try {
  if (bytes < min_range || written_ != 0) return false;
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
         errno != EINVAL) {
    if (is_full(errno) && !by_rename_ && replaces_ && beside_ && written_ == 0)
      stage_elsewhere(errno);
    else if (errno != EINTR)
      fail(errno);
  }
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
    begin_writeback(offset, static_cast<std::size_t>(done));
    data = data.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

// Lets the disk begin with bytes of a file that finish() syncs, which then has less to wait for.
void output::begin_writeback(std::uint64_t offset, std::size_t bytes) const noexcept {
  int const error = errno;
  if (replaces_ && staged_ && bytes >= min_writeback)
    static_cast<void>(sync_file_range(fd_, static_cast<off_t>(offset), static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE));
  errno = error;
}

std::string output::path_for_others() const {
  return staged_ && fd_ >= 0 && addressable() ? fmt::format("/proc/{}/fd/{}", getpid(), fd_) : std::string();
}

void output::finish() {
  if (fd_ < 0) return;  // it is complete
  if (expected_ && written_ != *expected_)
    throw output_error(fmt::format("cannot write: {}: {} bytes instead of {}", name_, written_.load(), *expected_));
  if (struct stat made{}; any_size_ && (fstat(fd_, &made) != 0 || static_cast<std::uint64_t>(made.st_size) != written_))
    throw output_error(fmt::format("cannot write: {}: {} bytes, with holes between them", name_, written_.load()));
  if (encoder_) encoder_->finish([this](std::span<char const> packed) { put(packed); });
  flush();
  // The old file must not be lost if the power fails before the new file is on the disk.
  if (replaces_ && !is_on_disk(fd_)) fail(errno);
  if (range_) forget_temporary(std::exchange(ticket_, nullptr));
  range_.reset();
  if (int const error = close_file()) fail(error);
  // Many outputs may wait for their commit: they need only the name.
  encoder_.reset();
  buffer_ = {};
}

int output::close_file() noexcept {
  int const fd = std::exchange(fd_, -1);
  if (staged_) return staged_.finish();
  if (fd == STDOUT_FILENO) return 0;  // run_main checks it
  return close(fd) == 0 || errno == EINTR ? 0 : errno;
}

void output::remove_old() const {
  if (unlink(target_.c_str()) != 0 && errno != ENOENT) fail(errno);
}

void output::redirect(std::string const& folder) {
  target_ = fs::path(folder) / fs::path(target_).filename();
}

void output::assign_name(std::string const& name) {
  if (fd_ >= 0) finish();
  if (int const error = staged_.assign_name(name)) fail(error);
}

std::string output::release() noexcept {
  return staged_.release();
}

void output::commit() {
  if (fd_ >= 0) finish();
  if (target_.empty()) return;
  // The identity of the file that may have been read: afterwards the name leads to another one.
  auto const place = left_behind_.empty() ? std::nullopt : find_file_id(target_);
  if (copies_) {
    copy_over_old();
  } else if (int const error = staged_.move_to(target_)) {
    if (by_rename_ || !(replaces_ && is_denied(error))) fail(error);
    copy_over_old();
  }
  if (place && !was_read(*place))
    for (std::string const& file : left_behind_) unlink(file.c_str());
}

void output::copy_over_old() {
  // From the first byte copied on the old content is gone: what is staged has a name until all of it is there, and keeps it
  // whatever happens.
  if (int const error = staged_.assign_name()) fail(error);
  std::string const staged = staged_.path();
  // Its bytes are on the disk; its name must be, too, before the old content goes.
  if (int const error = sync_folder(fs::path(staged).parent_path().c_str())) fail(error);
  bool const is_open = staged_.descriptor() >= 0;
  // It may have the old file's mode.
  if ((is_open ? fchmod(staged_.descriptor(), S_IRUSR | S_IWUSR) : chmod(staged.c_str(), S_IRUSR | S_IWUSR)) != 0) fail(errno);
  open_file const reopened(is_open ? "/dev/null" : staged, O_RDONLY | O_NOFOLLOW);
  int const from = is_open ? staged_.descriptor() : int{reopened};
  if (from < 0) fail(errno);
  open_file to(target_, O_WRONLY | O_NOFOLLOW);
  if (to < 0) fail(errno);
  struct stat whole {
  }, old{};
  struct statvfs disk {};
  if (fstat(from, &whole) != 0 || fstat(to, &old) != 0) fail(errno);
  // A full disk is found while the old content is still there: by the file system where it can give blocks in advance, else by
  // what it says is free.
  if (whole.st_size > 0 && fallocate(to, FALLOC_FL_KEEP_SIZE, 0, whole.st_size) != 0) {
    if (int const error = errno; is_full(error) || error == EFBIG) {
      // Blocks that were given in vain go back.
      std::array const times{old.st_atim, old.st_mtim};
      if (ftruncate(to, old.st_size) != 0 || futimens(to, times.data()) != 0) errno = 0;
      fail(error);
    }
    if (fstatvfs(to, &disk) == 0) {
      std::uint64_t const free = std::uint64_t{disk.f_bavail} * disk.f_frsize + static_cast<std::uint64_t>(old.st_blocks) * 512;
      if (disk.f_blocks != 0 && free < static_cast<std::uint64_t>(whole.st_size)) fail(ENOSPC);
    }
  }
  warn_of_copy();
  staged_.keep();
  int error = copy_bytes(from, to, whole.st_size);
  if (error == 0 && ftruncate(to, whole.st_size) != 0) error = errno;
  if (error == 0 && !is_on_disk(to)) error = errno;
  if (error == 0 && to.close() != 0 && errno != EINTR) error = errno;
  static_cast<void>(staged_.release());
  if (error != 0)
    throw output_error(fmt::format("cannot write: {}: {}; the new content is in {}", name_, std::strerror(error), staged));
  unlink(staged.c_str());
}

void output::discard() noexcept {
  if (range_) {
    range_->give_back();
    forget_temporary(std::exchange(ticket_, nullptr));
    range_.reset();
  }
  if (staged_) {
    fd_ = -1;
    staged_.discard();
  }
  if (fd_ >= 0) close_file();
  if (claimed_) {
    std::lock_guard const lock(claims_mutex);
    std::erase(claims, *std::exchange(claimed_, std::nullopt));
  }
}

namespace {

void expect_synced(std::string const& path, int error) {
  if (error != 0) throw output_error(fmt::format("cannot write: {}: {}", path, std::strerror(error)));
}

}  // namespace

joint_commit::joint_commit(std::vector<output*> files) : files_(std::move(files)) {
  for (output* const file : files_) file->finish();
  auto const is_there = [](output const* file) { return access(file->target().c_str(), F_OK) == 0; };
  if (std::ranges::none_of(files_, is_there)) return;
  for (output const* const file : files_) {
    expect_synced(file->name(), sync_file(file->staged().c_str()));
    folders_.insert(fs::path(file->target()).parent_path());
  }
}

void joint_commit::place() {
  auto const sync_names = [&] {
    for (std::string const& folder : folders_) expect_synced(folder, sync_folder(folder.c_str()));
  };
  sync_names();
  for (; placed_ + 1 < files_.size(); ++placed_) files_[files_.size() - 1 - placed_]->commit();
  sync_names();
  files_[0]->commit();
  ++placed_;
}

}  // namespace ordo::inline v0::cli
