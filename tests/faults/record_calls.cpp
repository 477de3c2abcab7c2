// Put in front of the C library by faults/power_loss.py: records what a program does to files, in order.
//
// ORDO_RECORD=FILE appends one line for each call that succeeded, and the bytes after the line of a write:
//   made INODE FLAGS PATH    opened with O_CREAT, O_TRUNC or O_TMPFILE
//   write INODE OFFSET BYTES, size INODE BYTES, room INODE BYTES (the file is at least so long)
//   sync INODE               of a file or a folder
//   link INODE PATH, symlink TARGET PATH, rename FROM PATH, remove PATH, folder PATH
// Words are divided by NUL, lines end with it and LF. Paths are absolute, and symbolic links in their folders are followed.
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

int record = -1;
std::recursive_mutex mutex;  // the order of the record is that of the calls

template <class Function>
Function* next_of(char const* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define NEXT(name)                                            \
  ([]() noexcept {                                            \
    static auto* const next = next_of<decltype(name)>(#name); \
    return next;                                              \
  }())

char *kept_preload = nullptr, *kept_record = nullptr;  // the variables of a program that takes the place of this one

// Programs that this one starts are others' concern.
__attribute__((constructor)) void begin() {
  if (char const* const preload = std::getenv("LD_PRELOAD")) kept_preload = strdup(preload);
  char const* const file = std::getenv("ORDO_RECORD");
  if (file) {
    kept_record = strdup(file);
    record = static_cast<int>(syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  }
  for (char const* name : {"ORDO_RECORD", "LD_PRELOAD"}) unsetenv(name);
}

void put(void const* data, std::size_t bytes) {
  for (auto const* from = static_cast<char const*>(data); bytes > 0;) {
    long const done = syscall(SYS_write, record, from, bytes);
    if (done <= 0) std::abort();
    from += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

std::string text(std::uint64_t number) {
  return std::to_string(number);
}

template <class... Words>
void note(Words const&... words) {
  std::string line;
  ((line.append(words), line += '\0'), ...);
  line += '\n';
  put(line.data(), line.size());
}

// Returns the inode of an open regular file or folder; 0 for others.
std::uint64_t inode_of(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) ? info.st_ino : 0;
}

std::string absolute(int folder, char const* path) {
  std::string whole = path;
  if (whole.empty() || whole[0] != '/') {
    char name[PATH_MAX];
    ssize_t const length = readlink(folder == AT_FDCWD ? "/proc/self/cwd" : ("/proc/self/fd/" + std::to_string(folder)).c_str(),
                                    name, sizeof name);
    if (length < 0) return whole;
    whole = std::string(name, static_cast<std::size_t>(length)) + "/" + whole;
  }
  while (whole.size() > 1 && whole.back() == '/') whole.pop_back();
  std::size_t const slash = whole.rfind('/');
  char real[PATH_MAX];
  if (!realpath(slash == 0 ? "/" : whole.substr(0, slash).c_str(), real)) return whole;
  return std::string(real) + whole.substr(slash);
}

// Runs a call and records it if it succeeded. errno is that of the call.
template <class Call, class Note>
auto recorded(Call call, Note write) {
  std::lock_guard const lock(mutex);
  auto const result = call();
  int const error = errno;
  if (record >= 0 && result >= 0) write(result);
  errno = error;
  return result;
}

void note_write(int fd, std::int64_t offset, void const* data, ssize_t bytes) {
  std::uint64_t const inode = inode_of(fd);
  if (inode == 0 || bytes <= 0) return;
  note("write", text(inode), text(static_cast<std::uint64_t>(offset)), text(static_cast<std::uint64_t>(bytes)));
  put(data, static_cast<std::size_t>(bytes));
}

// Returns the offset at which the bytes were that moved the position.
std::int64_t before(int fd, ssize_t bytes) {
  return lseek(fd, 0, SEEK_CUR) - bytes;
}

int opened(int folder, char const* path, int flags, mode_t mode) {
  return recorded([&] { return NEXT(openat)(folder, path, flags, mode); },
                  [&](int fd) {
                    if (!(flags & (O_CREAT | O_TRUNC)) && (flags & O_TMPFILE) != O_TMPFILE) return;
                    std::uint64_t const inode = inode_of(fd);
                    if (inode != 0) note("made", text(inode), text(static_cast<unsigned>(flags)), absolute(folder, path));
                  });
}

mode_t mode_of(int flags, va_list rest) noexcept {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(char const* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t const mode = mode_of(flags, rest);
  va_end(rest);
  return opened(AT_FDCWD, path, flags, mode);
}
int open64(char const* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t const mode = mode_of(flags, rest);
  va_end(rest);
  return opened(AT_FDCWD, path, flags, mode);
}
int openat(int folder, char const* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t const mode = mode_of(flags, rest);
  va_end(rest);
  return opened(folder, path, flags, mode);
}
int mkstemp(char* path) {
  return recorded([&] { return NEXT(mkstemp)(path); },
                  [&](int fd) { note("made", text(inode_of(fd)), text(O_CREAT | O_EXCL), absolute(AT_FDCWD, path)); });
}

ssize_t write(int fd, void const* data, std::size_t bytes) {
  return recorded([&] { return NEXT(write)(fd, data, bytes); },
                  [&](ssize_t done) { note_write(fd, before(fd, done), data, done); });
}
ssize_t pwrite(int fd, void const* data, std::size_t bytes, off_t at) {
  return recorded([&] { return NEXT(pwrite)(fd, data, bytes, at); }, [&](ssize_t done) { note_write(fd, at, data, done); });
}
ssize_t pwrite64(int fd, void const* data, std::size_t bytes, off64_t at) {
  return pwrite(fd, data, bytes, at);
}
ssize_t writev(int fd, iovec const* parts, int count) {
  return recorded([&] { return NEXT(writev)(fd, parts, count); },
                  [&](ssize_t done) {
                    std::string all;
                    for (int i = 0; i < count; ++i) all.append(static_cast<char const*>(parts[i].iov_base), parts[i].iov_len);
                    note_write(fd, before(fd, done), all.data(), done);
                  });
}

#define SIZED(name, word, parameters, call, bytes, fd)                                                      \
  int name parameters {                                                                                     \
    return recorded([&] { return NEXT(name) call; },                                                        \
                    [&](int) { note(word, text(inode_of(fd)), text(static_cast<std::uint64_t>(bytes))); }); \
  }
SIZED(ftruncate, "size", (int fd, off_t bytes) noexcept, (fd, bytes), bytes, fd)
SIZED(ftruncate64, "size", (int fd, off64_t bytes) noexcept, (fd, bytes), bytes, fd)
SIZED(fallocate, "room", (int fd, int mode, off_t at, off_t bytes), (fd, mode, at, bytes), mode == 0 ? at + bytes : 0, fd)
SIZED(fallocate64, "room", (int fd, int mode, off64_t at, off64_t bytes), (fd, mode, at, bytes), mode == 0 ? at + bytes : 0, fd)
int truncate(char const* path, off_t bytes) noexcept {
  struct stat info {};
  return recorded([&] { return NEXT(truncate)(path, bytes); },
                  [&](int) {
                    if (stat(path, &info) == 0) note("size", text(info.st_ino), text(static_cast<std::uint64_t>(bytes)));
                  });
}

#define SYNC(name)                                                                                   \
  int name(int fd) {                                                                                 \
    return recorded([&] { return NEXT(name)(fd); }, [&](int) { note("sync", text(inode_of(fd))); }); \
  }
SYNC(fsync)
SYNC(fdatasync)
SYNC(syncfs)

int execv(char const* path, char* const arguments[]) noexcept {
  if (kept_preload) setenv("LD_PRELOAD", kept_preload, 1);
  if (kept_record) setenv("ORDO_RECORD", kept_record, 1);
  return NEXT(execv)(path, arguments);
}

int linkat(int from_folder, char const* from, int to_folder, char const* to, int flags) noexcept {
  struct stat info {};
  return recorded([&] { return NEXT(linkat)(from_folder, from, to_folder, to, flags); },
                  [&](int) {
                    if (fstatat(to_folder, to, &info, AT_SYMLINK_NOFOLLOW) == 0)
                      note("link", text(info.st_ino), absolute(to_folder, to));
                  });
}
int link(char const* from, char const* to) noexcept {
  struct stat info {};
  return recorded([&] { return NEXT(link)(from, to); },
                  [&](int) {
                    if (lstat(to, &info) == 0) note("link", text(info.st_ino), absolute(AT_FDCWD, to));
                  });
}
int symlink(char const* target, char const* path) noexcept {
  return recorded([&] { return NEXT(symlink)(target, path); }, [&](int) { note("symlink", target, absolute(AT_FDCWD, path)); });
}
int rename(char const* from, char const* to) noexcept {
  return recorded([&] { return NEXT(rename)(from, to); },
                  [&](int) { note("rename", absolute(AT_FDCWD, from), absolute(AT_FDCWD, to)); });
}
int unlink(char const* path) noexcept {
  return recorded([&] { return NEXT(unlink)(path); }, [&](int) { note("remove", absolute(AT_FDCWD, path)); });
}
int unlinkat(int folder, char const* path, int flags) noexcept {
  return recorded([&] { return NEXT(unlinkat)(folder, path, flags); }, [&](int) { note("remove", absolute(folder, path)); });
}
int remove(char const* path) noexcept {
  return recorded([&] { return NEXT(remove)(path); }, [&](int) { note("remove", absolute(AT_FDCWD, path)); });
}
int rmdir(char const* path) noexcept {
  return recorded([&] { return NEXT(rmdir)(path); }, [&](int) { note("remove", absolute(AT_FDCWD, path)); });
}
int mkdir(char const* path, mode_t mode) noexcept {
  return recorded([&] { return NEXT(mkdir)(path, mode); }, [&](int) { note("folder", absolute(AT_FDCWD, path)); });
}

}  // extern "C"
