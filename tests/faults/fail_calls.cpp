// Put in front of the C library by faults/every_call.py: fails one call of a kind, or every one from it on.
//
// ORDO_FAULT=KIND:N:ERRNO fails the N-th call of KIND after main() begins with that errno, KIND:N+:ERRNO that one and all after
// it. KIND:N:short is for reads and writes: the calls from the N-th on transfer some of the bytes, or none because of a signal.
// ORDO_CALLS=FILE adds up the calls of each kind there, as 64-bit numbers in the order of the kinds.
// A program that takes the place of this one by execv() goes on with the count; programs that are started are left alone.
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;
}

namespace {

enum kind {
  memory,
  map,
  read_call,
  write_call,
  space,
  sync_call,
  name_call,
  attribute,
  open_call,
  close_call,
  status,
  thread,
  process,
  num_kinds
};
constexpr char const* kind_names[num_kinds] = {"memory",    "map",  "read",  "write",  "space",  "sync",   "name",
                                               "attribute", "open", "close", "status", "thread", "process"};

std::atomic<bool> counting{false};
std::atomic<std::uint64_t> own_counts[num_kinds];
std::atomic<std::uint64_t>* counts = own_counts;
int failing = num_kinds;
std::uint64_t failing_number = 0;
bool failing_on = false, failing_short = false;
int failing_error = 0;
thread_local bool paused = false;

// Counts a call. @returns true if it is to fail, with errno set.
bool fails(kind k) noexcept {
  if (!counting.load(std::memory_order_relaxed) || paused) return false;
  std::uint64_t const number = counts[k].fetch_add(1) + 1;
  if (k != failing || failing_short || (failing_on ? number < failing_number : number != failing_number)) return false;
  errno = failing_error;
  return true;
}

// The bytes that a call is to transfer; 0 if a signal comes first.
std::size_t shortened(kind k, std::size_t bytes) noexcept {
  if (k != failing || !failing_short || !counting.load(std::memory_order_relaxed)) return bytes;
  std::uint64_t const number = counts[k].load();
  if (number < failing_number || bytes == 0) return bytes;
  if (number % 3 == 0) return 0;
  return 1 + (number * 7919) % bytes;
}

template <class Function>
Function* next_of(char const* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
// The C library's function, looked up once: dlsym may allocate.
#define NEXT(name)                                            \
  ([]() noexcept {                                            \
    static auto* const next = next_of<decltype(name)>(#name); \
    return next;                                              \
  }())

int (*true_main)(int, char**, char**) = nullptr;
std::string kept_preload, kept_calls;  // the variables of a program that is executed next

int counted_main(int argc, char** argv, char** environment) {
  if (char const* const file = std::getenv("ORDO_CALLS")) {
    long const fd = syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || syscall(SYS_ftruncate, fd, sizeof own_counts) != 0) std::abort();
    void* const shared =
        reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, sizeof own_counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    counts = static_cast<std::atomic<std::uint64_t>*>(shared);
    syscall(SYS_close, fd);
  }
  if (char const* const fault = std::getenv("ORDO_FAULT")) {
    char name[32] = {}, rest[32] = {};
    unsigned long long number = 0;
    if (std::sscanf(fault, "%31[a-z]:%llu%31s", name, &number, rest) != 3) std::abort();
    for (int k = 0; k < num_kinds; ++k)
      if (std::strcmp(name, kind_names[k]) == 0) failing = k;
    if (failing == num_kinds) std::abort();
    failing_number = number;
    failing_on = rest[0] == '+';
    char const* const error = std::strchr(rest, ':') + 1;
    failing_short = std::strcmp(error, "short") == 0;
    failing_error = std::atoi(error);
  }
  if (char const* const preload = std::getenv("LD_PRELOAD")) kept_preload = preload;
  if (char const* const file = std::getenv("ORDO_CALLS")) kept_calls = file;
  // Programs that this one starts are others' concern.
  for (char const* name : {"ORDO_FAULT", "ORDO_CALLS", "LD_PRELOAD"}) unsetenv(name);
  // Look-ups of names come before the first call that counts.
  std::free(std::malloc(1));
  counting = true;
  return true_main(argc, argv, environment);
}

mode_t mode_of(int flags, va_list rest) noexcept {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  true_main = main;
  return NEXT(__libc_start_main)(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

void* malloc(std::size_t bytes) noexcept {
  return fails(memory) ? nullptr : __libc_malloc(bytes);
}
void* calloc(std::size_t items, std::size_t bytes) noexcept {
  return fails(memory) ? nullptr : __libc_calloc(items, bytes);
}
void* realloc(void* old, std::size_t bytes) noexcept {
  return fails(memory) ? nullptr : __libc_realloc(old, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return fails(memory) ? nullptr : __libc_memalign(alignment, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return fails(memory) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** to, std::size_t alignment, std::size_t bytes) noexcept {
  if (fails(memory)) return ENOMEM;
  void* const made = __libc_memalign(alignment, bytes);
  if (!made) return ENOMEM;
  *to = made;
  return 0;
}

void* mmap(void* at, std::size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  if (fails(map)) return MAP_FAILED;
  return NEXT(mmap)(at, bytes, protection, flags, fd, offset);
}
void* mmap64(void* at, std::size_t bytes, int protection, int flags, int fd, off64_t offset) noexcept {
  return mmap(at, bytes, protection, flags, fd, offset);
}
void* mremap(void* old, std::size_t old_bytes, std::size_t bytes, int flags, ...) noexcept {
  if (fails(map)) return MAP_FAILED;
  va_list rest;
  va_start(rest, flags);
  void* const at = flags & MREMAP_FIXED ? va_arg(rest, void*) : nullptr;
  va_end(rest);
  return NEXT(mremap)(old, old_bytes, bytes, flags, at);
}

#define TRANSFER(type, name, kind, parameters, bytes, call) \
  type name parameters {                                    \
    if (fails(kind)) return -1;                             \
    std::size_t const part = shortened(kind, bytes);        \
    if (part == 0 && bytes != 0) {                          \
      errno = EINTR;                                        \
      return -1;                                            \
    }                                                       \
    return NEXT(name) call;                                 \
  }
TRANSFER(ssize_t, read, read_call, (int fd, void* to, std::size_t bytes), bytes, (fd, to, part))
TRANSFER(ssize_t, pread, read_call, (int fd, void* to, std::size_t bytes, off_t at), bytes, (fd, to, part, at))
TRANSFER(ssize_t, pread64, read_call, (int fd, void* to, std::size_t bytes, off64_t at), bytes, (fd, to, part, at))
TRANSFER(ssize_t, write, write_call, (int fd, void const* from, std::size_t bytes), bytes, (fd, from, part))
TRANSFER(ssize_t, pwrite, write_call, (int fd, void const* from, std::size_t bytes, off_t at), bytes, (fd, from, part, at))
TRANSFER(ssize_t, pwrite64, write_call, (int fd, void const* from, std::size_t bytes, off64_t at), bytes, (fd, from, part, at))

#define CALL(kind, type, failed, name, parameters, call) \
  type name parameters {                                 \
    if (fails(kind)) return failed;                      \
    return NEXT(name) call;                              \
  }
CALL(space, int, -1, fallocate, (int fd, int mode, off_t at, off_t bytes), (fd, mode, at, bytes))
CALL(space, int, -1, fallocate64, (int fd, int mode, off64_t at, off64_t bytes), (fd, mode, at, bytes))
CALL(space, int, -1, ftruncate, (int fd, off_t bytes) noexcept, (fd, bytes))
CALL(space, int, -1, ftruncate64, (int fd, off64_t bytes) noexcept, (fd, bytes))
CALL(space, int, -1, truncate, (char const* path, off_t bytes) noexcept, (path, bytes))
CALL(sync_call, int, -1, fsync, (int fd), (fd))
CALL(sync_call, int, -1, fdatasync, (int fd), (fd))
CALL(name_call, int, -1, rename, (char const* from, char const* to) noexcept, (from, to))
CALL(name_call, int, -1, link, (char const* from, char const* to) noexcept, (from, to))
CALL(name_call, int, -1, linkat, (int from_folder, char const* from, int to_folder, char const* to, int flags) noexcept,
     (from_folder, from, to_folder, to, flags))
CALL(attribute, int, -1, chmod, (char const* path, mode_t mode) noexcept, (path, mode))
CALL(attribute, int, -1, fchmod, (int fd, mode_t mode) noexcept, (fd, mode))
CALL(attribute, int, -1, fchown, (int fd, uid_t user, gid_t group) noexcept, (fd, user, group))
CALL(attribute, int, -1, futimens, (int fd, timespec const times[2]) noexcept, (fd, times))
CALL(process, int, -1, dup, (int fd) noexcept, (fd))
CALL(process, int, -1, pipe2, (int fds[2], int flags) noexcept, (fds, flags))
CALL(status, int, -1, fstat, (int fd, struct stat* info) noexcept, (fd, info))
CALL(status, int, -1, stat, (char const* path, struct stat* info) noexcept, (path, info))
CALL(status, int, -1, lstat, (char const* path, struct stat* info) noexcept, (path, info))
CALL(status, off_t, -1, lseek, (int fd, off_t at, int from) noexcept, (fd, at, from))
CALL(status, off64_t, -1, lseek64, (int fd, off64_t at, int from) noexcept, (fd, at, from))
CALL(thread, int, failing_error, pthread_create,
     (pthread_t * made, pthread_attr_t const* options, void* (*run)(void*), void* argument) noexcept,
     (made, options, run, argument))
CALL(process, int, failing_error, posix_spawn,
     (pid_t * made, char const* path, posix_spawn_file_actions_t const* actions, posix_spawnattr_t const* attributes,
      char* const arguments[], char* const environment[]),
     (made, path, actions, attributes, arguments, environment))
CALL(process, int, failing_error, posix_spawnp,
     (pid_t * made, char const* path, posix_spawn_file_actions_t const* actions, posix_spawnattr_t const* attributes,
      char* const arguments[], char* const environment[]),
     (made, path, actions, attributes, arguments, environment))
CALL(open_call, FILE*, nullptr, fopen, (char const* path, char const* mode), (path, mode))
CALL(open_call, FILE*, nullptr, fopen64, (char const* path, char const* mode), (path, mode))

int execv(char const* path, char* const arguments[]) noexcept {
  paused = true;
  setenv("LD_PRELOAD", kept_preload.c_str(), 1);
  if (!kept_calls.empty()) setenv("ORDO_CALLS", kept_calls.c_str(), 1);
  if (failing != num_kinds) {
    std::uint64_t const done = own_counts[failing].load();
    bool const is_over = done >= failing_number && !failing_on && !failing_short;
    std::uint64_t const left = failing_number > done ? failing_number - done : 1;
    std::string const how = failing_short ? "short" : std::to_string(failing_error);
    std::string const fault = std::string(kind_names[failing]) + ":" + std::to_string(left) + (failing_on ? "+:" : ":") + how;
    if (!is_over) setenv("ORDO_FAULT", fault.c_str(), 1);
  }
  int const done = NEXT(execv)(path, arguments);
  int const error = errno;
  for (char const* name : {"ORDO_FAULT", "ORDO_CALLS", "LD_PRELOAD"}) unsetenv(name);
  paused = false;
  errno = error;
  return done;
}

// In glibc 2.36 dlopen() itself crashes if it has no memory for its error.
void* dlopen(char const* path, int flags) {
  auto* const next = NEXT(dlopen);
  paused = true;
  void* const library = next(path, flags);
  paused = false;
  return library;
}

// The descriptor is free whatever close() says.
int close(int fd) {
  bool const failed = fails(close_call);
  int const error = errno;
  int const done = NEXT(close)(fd);
  if (!failed) return done;
  errno = error;
  return -1;
}

int open(char const* path, int flags, ...) {
  if (fails(open_call)) return -1;
  va_list rest;
  va_start(rest, flags);
  mode_t const mode = mode_of(flags, rest);
  va_end(rest);
  return NEXT(open)(path, flags, mode);
}
int open64(char const* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t const mode = mode_of(flags, rest);
  va_end(rest);
  return open(path, flags, mode);
}
int openat(int folder, char const* path, int flags, ...) {
  if (fails(open_call)) return -1;
  va_list rest;
  va_start(rest, flags);
  mode_t const mode = mode_of(flags, rest);
  va_end(rest);
  return NEXT(openat)(folder, path, flags, mode);
}

}  // extern "C"
