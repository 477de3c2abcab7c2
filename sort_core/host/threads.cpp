#include "sort_core/host/threads.hpp"

#include <cstddef>
#include <new>

#include <sys/mman.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

namespace ordo {
namespace {

// What oneTBB takes at its start, and more.
constexpr std::size_t start_memory = std::size_t{4} << 20;

// oneTBB 2022 waits for ever if memory runs out while it starts: it throws under the lock that throwing asks for. So see that
// there is some, and let it start here; it stays until this thread ends.
bool start() {
  void* const room = mmap(nullptr, start_memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  munmap(room, start_memory);
  tbb::task_arena(1).execute([] {});
  return true;
}

}  // namespace

int threads_for(unsigned wanted) {
  thread_local bool const started = start();
  static_cast<void>(started);
  int const most = tbb::info::default_concurrency();
  return wanted == 0 || wanted > unsigned(most) ? most : int(wanted);
}

}  // namespace ordo
