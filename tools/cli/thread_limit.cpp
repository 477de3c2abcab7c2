#include "tools/cli/thread_limit.hpp"

#ifdef ORDO_CATCH_THREAD_FAILURE
#include <cstring>
#include <stdexcept>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include "tools/cli/run_main.hpp"

// oneTBB (2021.8, market::adjust_demand) throws if it cannot start a thread, but leaves other threads waiting for their turn
// forever, and whoever waits for those. So this definition of pthread_create, which the whole process calls, ends the process
// before oneTBB throws.
namespace {

std::string const* running = nullptr;  // the tool

bool returns_to_tbb(void const* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || !info.dli_fname) return false;
  std::string_view const path = info.dli_fname;
  return path.substr(path.rfind('/') + 1).starts_with("libtbb");
}

}  // namespace

void ordo::cli::catch_thread_failures(std::string const& tool) {
  running = &tool;
}

extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread, pthread_attr_t const* attributes,
                                                             void* (*run)(void*), void* argument) noexcept {
  static auto const create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  int const error = create(thread, attributes, run, argument);
  if (error == 0 || !running || !returns_to_tbb(__builtin_return_address(0))) return error;
  ordo::cli::run_beside(*running,
                        [&] { throw std::runtime_error(fmt::format("pthread_create has failed: {}", std::strerror(error))); });
  return error;
}
#else
void ordo::cli::catch_thread_failures(std::string const&) {}
#endif
