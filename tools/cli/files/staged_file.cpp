#include "tools/cli/files/staged_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tools/cli/files/raw_file.hpp"
#include "tools/cli/files/temporary.hpp"

namespace ordo::inline v0::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 200;  // longest name of the 255 bytes of a name; the rest is for ours
constexpr int max_renames = 100;

std::string descriptor_path(int fd) {
  return fmt::format("/proc/self/fd/{}", fd);
}

// Leaves half of the descriptors to files that are being written.
bool has_few_descriptors(int fd) {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && rlim_t(fd) >= limit.rlim_cur / 2;
}

// A lock of the open file shows other processes, of other hosts as well, that this one writes it. Without locks they go by the
// number of the process alone.
void lock(int fd) {
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) errno = 0;
}

bool can_lock(std::string const& path) {
  int const fd = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat info {};
  bool const is_free = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                       (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOSYS || errno == ENOLCK || errno == EOPNOTSUPP);
  ::close(fd);
  return is_free;
}

bool is_gone(pid_t process) {
  return kill(process, 0) != 0 && errno == ESRCH;
}

// Returns the process in the end "PROCESS-NUMBER.tmp" of a hidden name.
std::optional<pid_t> parse_process(std::string_view end) {
  pid_t process = 0;
  unsigned number = 0;
  char const* const last = end.data() + end.size();
  auto const first = std::from_chars(end.data(), last, process);
  if (first.ec != std::errc() || process <= 0 || first.ptr == last || *first.ptr != '-') return {};
  auto const second = std::from_chars(first.ptr + 1, last, number);
  if (second.ec != std::errc() || std::string_view(second.ptr, last) != ".tmp") return {};
  return process;
}

bool is_same_file(int fd, std::string const& path) {
  struct stat here {
  }, there{};
  return fstat(fd, &here) == 0 && stat(path.c_str(), &there) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

}  // namespace

void staged_file::swap(staged_file& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(name_, other.name_);
  std::swap(path_, other.path_);
  std::swap(ticket_, other.ticket_);
  std::swap(fd_, other.fd_);
}

std::string hidden_name(std::string const& name) {
  std::string base = name.substr(0, longest_name);
  if (base.size() != name.size()) base += fmt::format(".{:016x}", std::hash<std::string>()(name));
  return fmt::format(".{}.ordo.tmp", base);
}

// The first name is the same for every process that writes a file for this place, and no other place has it: a process that
// finds it taken removes it. The others are this process's own.
std::string staged_file::hidden_path(unsigned attempt) const {
  if (attempt == 0) return fs::path(folder_) / hidden_name(name_);
  return fs::path(folder_) / fmt::format(".{}.{}-{}.tmp", name_.substr(0, longest_name), getpid(), attempt - 1);
}

int staged_file::create(std::string const& folder, std::string const& name, mode_t mode) {
  folder_ = folder;
  name_ = name;
  if (can_be_nameless) {
    fd_ = open(folder.empty() ? "." : folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
    // A name is given through /proc.
    if (fd_ >= 0 && faccessat(AT_FDCWD, descriptor_path(fd_).c_str(), F_OK, 0) == 0) return 0;
    close_descriptor();
  }
  return create_named(mode);
}

int staged_file::create_named(mode_t mode) {
  for (unsigned attempt = 1;; ++attempt) {
    path_ = hidden_path(attempt);
    ticket_ = remember_temporary(path_);  // before there is anything to remember: a signal may come in between
    fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd_ >= 0) {
      lock(fd_);
      return 0;
    }
    int const error = errno;
    forget_temporary(std::exchange(ticket_, nullptr));
    path_.clear();
    if (error != EEXIST) return error;
  }
}

std::string staged_file::path() const {
  return path_.empty() && fd_ >= 0 ? descriptor_path(fd_) : path_;
}

int staged_file::finish() {
  if (!path_.empty() && has_few_descriptors(fd_)) {
    int const closed = ::close(std::exchange(fd_, -1));
    return closed == 0 || errno == EINTR ? 0 : errno;
  }
  // Some file systems report a failed write only to close(); one of a copy leaves the descriptor open.
  if (int const copy = fcntl(fd_, F_DUPFD_CLOEXEC, 0); copy >= 0 && ::close(copy) != 0 && errno != EINTR) return errno;
  if (!has_few_descriptors(fd_)) return 0;
  if (int const error = assign_name()) return error;
  close_descriptor();
  return 0;
}

int staged_file::link_at(std::string const& path) {
  std::string const content = this->path();
  int const done = path_.empty() ? linkat(AT_FDCWD, content.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW)
                                 : link(content.c_str(), path.c_str());
  return done == 0 ? 0 : errno;
}

int staged_file::assign_name() {
  if (!path_.empty()) return 0;
  for (unsigned attempt = 1;; ++attempt) {
    std::string name = hidden_path(attempt);
    temporary* const ticket = remember_temporary(name);
    int const error = link_at(name);
    if (error == 0) {
      path_ = std::move(name);  // a copy may need memory, and lose the name
      ticket_ = ticket;
      lock(fd_);
      return 0;
    }
    forget_temporary(ticket);
    if (error != EEXIST) return copy_to_named();
  }
}

int staged_file::assign_name(std::string const& name) {
  std::string wanted = fs::path(folder_) / name;
  temporary* const ticket = remember_temporary(wanted);
  int error = 0;
  if (path_.empty()) {
    error = link_at(wanted);
    if (error == EEXIST && unlink(wanted.c_str()) == 0) error = link_at(wanted);
    if (error != 0 && error != EEXIST) error = copy_to_named();
  }
  if (error == 0 && !path_.empty() && rename(path_.c_str(), wanted.c_str()) != 0) error = errno;
  if (error != 0) {
    forget_temporary(ticket);
    return error;
  }
  if (ticket_) forget_temporary(ticket_);
  path_ = std::move(wanted);
  ticket_ = ticket;
  return 0;
}

// An unnamed file that cannot be linked: the file system or a rule of the system forbids it.
int staged_file::copy_to_named() {
  struct stat info {};
  staged_file named;
  named.folder_ = folder_;
  named.name_ = name_;
  if (fstat(fd_, &info) != 0) return errno;
  if (int const error = named.create_named(0600)) return error;
  copy_attributes(descriptor_path(fd_), info, named.fd_);
  if (int const error = copy_bytes(fd_, named.fd_, info.st_size)) return error;
  if (fsync(named.fd_) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS) return errno;
  swap(named);
  return 0;
}

int staged_file::move_to(std::string const& target) {
  bool const nameless = path_.empty();
  for (int attempt = 0;; ++attempt) {
    if (path_.empty()) {
      int error = link_at(target);
      if (error == EEXIST) {
        // Nobody loses by the removal of that name: its owner has the file open, and gives it the name again.
        std::string name = hidden_path(0);
        temporary* const ticket = remember_temporary(name);
        error = link_at(name);
        if (error == EEXIST && unlink(name.c_str()) == 0) error = link_at(name);
        if (error == 0) {
          path_ = std::move(name);
          ticket_ = ticket;
        } else {
          forget_temporary(ticket);
          error = assign_name();
        }
        if (error != 0) return error;
      } else if (error == 0) {
        close_descriptor();
        unlink(hidden_path(0).c_str());  // a killed process may have left the name before the old file went
        return 0;
      } else if (error = assign_name(); error != 0) {
        return error;
      }
    }
    if (rename(path_.c_str(), target.c_str()) == 0) break;
    int const error = errno;
    if (!nameless || fd_ < 0) return error;
    if (error != ENOENT) unlink(path_.c_str());
    forget_temporary(std::exchange(ticket_, nullptr));
    path_.clear();
    // Or another process took the name away, or moved the file to the target.
    if (error != ENOENT || attempt == max_renames) return error;
    if (is_same_file(fd_, target)) break;
  }
  static_cast<void>(release());
  return 0;
}

void staged_file::keep() noexcept {
  if (ticket_) forget_temporary(std::exchange(ticket_, nullptr));
}

std::string staged_file::release() noexcept {
  keep();
  close_descriptor();
  return std::exchange(path_, {});
}

void staged_file::discard() noexcept {
  if (!path_.empty()) unlink(path_.c_str());
  static_cast<void>(release());
}

void staged_file::close_descriptor() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::vector<std::string> staged_file::left_behind(std::string const& folder, std::string const& name) {
  std::vector<std::string> result;
  std::string const front = fmt::format(".{}.", name.substr(0, longest_name));
  std::error_code failed;
  fs::directory_iterator entry(folder.empty() ? "." : folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    std::string const own = entry->path().filename();
    if (!own.starts_with(front)) continue;
    auto const pid = parse_process(std::string_view(own).substr(front.size()));
    if (pid && is_gone(*pid) && can_lock(entry->path())) result.push_back(fs::path(folder) / own);
  }
  std::ranges::sort(result);
  return result;
}

int copy_bytes(int from, int to, off_t bytes) {
  constexpr std::size_t block = std::size_t{256} << 10;
  std::vector<char> buffer(block);
  file_wait const waiting;
  if (lseek(to, 0, SEEK_SET) < 0) return errno;
  for (off_t copied = 0; copied < bytes;) {
    std::size_t const wanted = std::min(block, static_cast<std::size_t>(bytes - copied));
    ssize_t const got = pread(from, buffer.data(), wanted, copied);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 ? EIO : errno;
    for (ssize_t written = 0; written < got;) {
      ssize_t const done = write(to, buffer.data() + written, static_cast<std::size_t>(got - written));
      if (done < 0 && errno != EINTR) return errno;
      if (done > 0) written += done;
    }
    copied += got;
  }
  return 0;
}

bool copy_attributes(std::string const& from, struct stat const& old, int to) {
  constexpr std::string_view access = "system.posix_acl_access";
  mode_t mode = old.st_mode & 07777;
  bool const same_group = fchown(to, static_cast<uid_t>(-1), old.st_gid) == 0;
  if (!same_group) mode &= ~(S_ISGID | S_IRWXG) | (mode & S_IRWXO) << 3;
  if (fchown(to, old.st_uid, static_cast<gid_t>(-1)) != 0) mode &= ~mode_t{S_ISUID};
  // The folder may have given the file a list that the old one does not have.
  if (fremovexattr(to, access.data()) != 0) errno = 0;
  if (fchmod(to, mode) != 0) return false;

  std::vector<char> names(std::size_t{64} << 10), value(names.size());  // the most that Linux has of either
  ssize_t const length = listxattr(from.c_str(), names.data(), names.size());
  // A file that another process has removed meanwhile has none to keep.
  bool all = length >= 0 || errno == ENOTSUP || errno == ENOSYS || errno == ENOENT;
  std::string_view rest(names.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  for (; !rest.empty(); rest.remove_prefix(rest.find('\0') + 1)) {
    std::string_view const name = rest.data();  // ended by NUL
    bool const of_content = name == "security.capability" || name == "security.ima" || name == "security.evm" ||
                            name.starts_with("trusted.overlay.");
    if (of_content) continue;
    bool const needed = name == access || name.starts_with("user.");
    if (name == access && !same_group) {  // members of that group are not members of ours
      all = false;
      continue;
    }
    ssize_t const size = getxattr(from.c_str(), name.data(), value.data(), value.size());
    if (size < 0 ? errno == ENODATA || errno == ENOENT
                 : fsetxattr(to, name.data(), value.data(), static_cast<std::size_t>(size), 0) == 0)
      continue;
    all &= !needed;
  }
  return all;
}

}  // namespace ordo::inline v0::cli
