#include "base/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>

#include <sys/mman.h>
#include <sys/resource.h>
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/processes/forks.hpp"

namespace ordo::inline v0 {
namespace {

// More than oneTBB allocates when it starts.
constexpr std::size_t start_memory = std::size_t{4} << 20;

// oneTBB deadlocks if memory runs out while it starts: 2022 throws under a lock that throwing needs, and 2021.8 leaves after
// what the next thread waits for. So check that there is memory, and start it here; it stays until this thread ends. One thread
// begins, and if it fails, no other tries.
struct start_state {
  std::mutex starting;
  bool has_started = false, has_failed = false;
};

/// num_forks() of the process in which oneTBB first started; more than any before that.
std::atomic<unsigned> started_in = ~0u;

bool start() {
  static auto& of_processes = *new per_process<start_state>;
  auto& [starting, has_started, has_failed] = of_processes.get();

  void* const room = mmap(nullptr, start_memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  munmap(room, start_memory);
  {
    std::lock_guard const lock(starting);
    if (!has_started) {
      if (has_failed) throw std::bad_alloc();
      has_failed = true;
      unsigned never = ~0u;
      started_in.compare_exchange_strong(never, num_forks());
      tbb::task_arena(1).execute([] {});
      has_started = true;
      return true;
    }
  }
  tbb::task_arena(1).execute([] {});
  return true;
}

// Address space per thread: its stack, an arena of malloc, and working memory.
constexpr rlim_t thread_space = rlim_t{128} << 20;

// If address space is limited (ulimit -v), all threads of a large machine would leave none for the work, and oneTBB ends the
// process when one of its threads cannot start another.
int max_threads() {
  int const all = tbb::info::default_concurrency();
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return all;
  return int(std::clamp(space.rlim_cur / thread_space, rlim_t{1}, rlim_t(all)));
}

}  // namespace

int threads_for(unsigned wanted) {
  thread_local bool const started = start();
  static_cast<void>(started);
  // A forked process has none of oneTBB's threads, and oneTBB does not know: it would start no others.
  int const max = started_in == num_forks() ? max_threads() : 1;
  return wanted == 0 || wanted > unsigned(max) ? max : int(wanted);
}

}  // namespace ordo::inline v0

namespace ordo::inline v0::host_detail {

void for_ranges(std::size_t n, std::size_t grain, void (*call)(void const*, std::size_t, std::size_t), void const* context) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, grain),
                    [=](auto const& range) { call(context, range.begin(), range.end()); });
}

void in_arena(tbb::task_arena& arena, void (*call)(void const*), void const* context) {
  arena.execute([=] { call(context); });
}

}  // namespace ordo::inline v0::host_detail
