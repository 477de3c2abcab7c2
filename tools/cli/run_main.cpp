#include "tools/cli/run_main.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/stats.hpp"
#include "tools/cli/temporary.hpp"

namespace ordo::cli {
namespace {

constexpr int failure = 2;

// A closed descriptor 0, 1 or 2 would be given to the next file opened, and messages would land in it. Held by a file that
// fails on use instead, as the closed one would.
void hold_standard_descriptors() {
  for (int fd : {0, 1, 2})
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
    }
}

void check_stdout() {
  std::cout.flush();
  bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout;
  // Some file systems report a failed write only to close(); one of a copy leaves the descriptor to the others.
  if (int const copy = failed ? -1 : dup(STDOUT_FILENO); copy >= 0) failed = close(copy) != 0;
  if (failed) throw output_error(fmt::format("cannot write: standard output: {}", std::strerror(errno ? errno : EIO)));
}

std::string phase() {
  std::string const& last = progress::last_phase();
  return last.empty() ? "at the start" : fmt::format("in phase '{}'", last);
}

// Says what the exception that is being handled says.
void say_exception(std::string_view tool, std::function<std::string(std::string_view)> const& reworded = {}) {
  try {
    throw;
  } catch (error const& e) {
    say(tool, reworded ? reworded(e.what()) : e.what());
  } catch (std::bad_alloc const&) {  // of the standard library, which does not tell how much it wanted
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    say(tool, fmt::format("out of memory: host: more than the {} in use wanted, {}",
                          human_bytes(static_cast<std::uint64_t>(use.ru_maxrss) * 1024), phase()));
  } catch (std::system_error const& e) {
    bool const thread = e.code() == std::errc::resource_unavailable_try_again;
    say(tool, fmt::format("{}: host: {}, {}", thread ? "cannot start a thread" : "system error", e.what(), phase()));
  } catch (std::exception const& e) {  // of another library
    std::string_view const what = e.what();
    bool const thread = what.starts_with("pthread_create");  // oneTBB's
    say(tool, fmt::format("{}: host: {}, {}", thread ? "cannot start a thread (--threads takes fewer)" : "cannot go on", what,
                          phase()));
  } catch (...) {
    say(tool, "internal error: an exception of unknown type");
  }
}

// The process ends as run_main and run_beside end it, whichever thread an exception was not caught in.
[[noreturn]] void end_by_exception(std::string_view tool) {
  static std::atomic<bool> ending{false};
  while (ending.exchange(true)) pause();  // another thread ends it
  say_exception(tool);
  remove_temporaries();
  _exit(failure);
}

std::string const* running = nullptr;  // the tool. Not destroyed: threads may outlive main

// An exception in a thread of a library has no catch of ours on its stack.
std::terminate_handler usual_end = nullptr;
void end_by_terminate() {
  if (std::current_exception()) end_by_exception(*running);
  usual_end();
}

// Is it oneTBB that a function returns to?
bool returns_to_tbb(void const* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0 || !found.dli_fname) return false;
  std::string_view const path = found.dli_fname;
  return path.substr(path.rfind('/') + 1).starts_with("libtbb");
}

}  // namespace

void say(std::string_view tool, std::string_view text) noexcept {
  progress::clear();
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(tool.size()), tool.data(), static_cast<int>(text.size()), text.data());
}

void tell(std::string_view line) {
  progress::clear();
  errno = 0;
  if (std::fwrite(line.data(), 1, line.size(), stderr) != line.size() || std::fflush(stderr) != 0)
    throw output_error(fmt::format("cannot write: standard error: {}", std::strerror(errno ? errno : EIO)));
}

void run_beside(std::string_view tool, std::function<void()> const& work) {
  try {
    work();
  } catch (...) {
    end_by_exception(tool);
  }
}

int run_main(std::string_view tool, std::function<int()> const& body,
             std::function<std::string(std::string_view)> const& reworded) {
  hold_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);
  remove_temporaries_on_signals();
  running = new std::string(tool);
  usual_end = std::set_terminate(end_by_terminate);
  try {
    int const status = body();
    errno = 0;
    check_stdout();
    return status;
  } catch (...) {
    say_exception(tool, reworded);
  }
  return failure;
}

}  // namespace ordo::cli

// What the whole process calls, its libraries included. Where oneTBB (2021.8, market::adjust_demand) can start no thread it
// throws before it tells the threads behind that their turn has come: they wait for ever, and so does who waits for them. So
// the process ends here, before it throws.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread, pthread_attr_t const* attributes,
                                                             void* (*run)(void*), void* argument) noexcept {
  static auto const create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  int const error = create(thread, attributes, run, argument);
  if (error == 0 || !ordo::cli::running || !ordo::cli::returns_to_tbb(__builtin_return_address(0))) return error;
  ordo::cli::run_beside(*ordo::cli::running,
                        [&] { throw std::runtime_error(fmt::format("pthread_create has failed: {}", std::strerror(error))); });
  return error;
}
