#include "base/external/filter_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::external {
namespace {

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

// Turns a write to a closed pipe into an error of this thread, without a signal.
class no_pipe_signal {
 public:
  no_pipe_signal() {
    sigset_t waiting;
    sigpending(&waiting);
    was_waiting_ = sigismember(&waiting, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~no_pipe_signal() {
    int const error = errno;
    timespec const now{};
    if (!was_waiting_) sigtimedwait(&signal_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  no_pipe_signal(no_pipe_signal const&) = delete;
  no_pipe_signal& operator=(no_pipe_signal const&) = delete;

 private:
  sigset_t signal_ = only(SIGPIPE), before_;
  bool was_waiting_;
};

int started(pid_t& process, std::string const& program, bool decompress, int in, int out) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, pipe = only(SIGPIPE);
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &pipe);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string name = program, option = "-d";
  char* const arguments[] = {name.data(), decompress ? option.data() : nullptr, nullptr};
  int const error = posix_spawnp(&process, program.c_str(), &files, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

int find_program(std::string const& program) {
  auto const check = [](std::string const& path) { return access(path.c_str(), X_OK) == 0 ? 0 : errno; };
  if (program.find('/') != program.npos) return check(program);
  char const* const path = std::getenv("PATH");
  int error = ENOENT;
  std::string_view rest = path ? path : "/bin:/usr/bin";
  while (true) {
    std::size_t const length = rest.find(':');
    std::string const folder(length == 0 ? "." : rest.substr(0, length));
    int const here = check(folder + '/' + program);
    if (here == 0) return 0;
    if (here != ENOENT && here != ENOTDIR) error = here;
    if (length == rest.npos) return error;
    rest.remove_prefix(length + 1);
  }
}

filter_process::filter_process(std::string const& program, bool decompress, temporary_file const& file, end file_end)
    : name_(decompress ? program + " -d" : program) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail(std::strerror(errno));
  lseek(file.descriptor(), 0, SEEK_SET);
  bool const reads_file = file_end == end::input;
  int const theirs = ends[reads_file ? 1 : 0];
  pipe_ = ends[reads_file ? 0 : 1];
  int const error =
      started(process_, program, decompress, reads_file ? file.descriptor() : theirs, reads_file ? theirs : file.descriptor());
  close(theirs);
  if (error == 0) return;
  close(pipe_);
  throw output_error(fmt::format("couldn't execute compress program: {}: {}", name_, std::strerror(error)));
}

filter_process::~filter_process() {
  if (pipe_ >= 0) close(pipe_);
  if (process_ < 0) return;
  kill(process_, SIGTERM);  // its result is not needed
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {}
}

void filter_process::fail(std::string const& why) const {
  throw output_error(fmt::format("compress program failed: {}: {}", name_, why));
}

void filter_process::write(std::span<char const> data) {
  no_pipe_signal const quiet;
  while (!data.empty()) {
    ssize_t const done = ::write(pipe_, data.data(), data.size());
    if (done < 0 && errno == EPIPE) {
      finish();
      fail("it ended before its input did");
    }
    if (done < 0 && errno != EINTR) fail(std::strerror(errno));
    if (done > 0) data = data.subspan(static_cast<std::size_t>(done));
  }
}

std::size_t filter_process::read(std::span<char> to) {
  for (;;) {
    ssize_t const got = ::read(pipe_, to.data(), to.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(std::strerror(errno));
  }
}

void filter_process::finish() {
  close(std::exchange(pipe_, -1));
  int status = 0;
  pid_t const process = std::exchange(process_, -1);
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) fail(std::strerror(errno));
  if (WIFSIGNALED(status)) fail(fmt::format("ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) fail(fmt::format("exit status {}", WEXITSTATUS(status)));
}

std::size_t decompressing_source::read(std::span<char> to) {
  std::size_t size = 0;
  while (size < to.size() && !over_) {
    std::size_t const got = process_.read(to.subspan(size));
    if (got > left_) process_.fail("it gives more than it was given");
    left_ -= got;
    size += got;
    if (got != 0) continue;
    over_ = true;
    process_.finish();
    if (left_ != 0) process_.fail(fmt::format("it gives {} bytes less than it was given", left_));
  }
  return size;
}

}  // namespace ordo::inline v0::external
