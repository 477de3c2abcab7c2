// Put in front of the C library by faults/threads.sh: the process seems to have 16 processors, and may start as many threads as
// ORDO_THREADS_LEFT says. What is refused then fails as it does beyond a limit on processes or on memory.
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace {

constexpr int processors = 16;
std::atomic<int> started{0};

template <class Function>
Function* next(char const* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, pthread_attr_t const* how, void* (*run)(void*), void* argument) {
  char const* const left = std::getenv("ORDO_THREADS_LEFT");
  if (left && started++ >= std::atoi(left)) return EAGAIN;
  return next<decltype(pthread_create)>("pthread_create")(thread, how, run, argument);
}

int sched_getaffinity(pid_t, std::size_t size, cpu_set_t* set) noexcept {
  CPU_ZERO_S(size, set);
  for (std::size_t k = 0; k < processors; ++k) CPU_SET_S(k, size, set);
  return 0;
}

long sysconf(int what) noexcept {
  if (what == _SC_NPROCESSORS_ONLN || what == _SC_NPROCESSORS_CONF) return processors;
  return next<decltype(sysconf)>("sysconf")(what);
}

}  // extern "C"
