#include "base/pooled_arena.hpp"

#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

#include "base/processes/forks.hpp"

namespace ordo::inline v0 {
namespace {

struct idle_arenas {
  std::mutex changing;
  std::vector<std::unique_ptr<tbb::task_arena>> all;
};

// Never destroyed: threads may still work when the process ends, and oneTBB ends before or after this file.
idle_arenas& idle() {
  static auto& of_processes = *new per_process<idle_arenas>;
  return of_processes.get();
}

}  // namespace

pooled_arena::pooled_arena(int threads) {
  {
    idle_arenas& from = idle();
    std::lock_guard const lock(from.changing);
    for (std::size_t k = from.all.size(); k > 0; --k) {  // the last one given back first
      if (from.all[k - 1]->max_concurrency() != threads) continue;
      arena_ = std::move(from.all[k - 1]);
      from.all.erase(from.all.begin() + static_cast<std::ptrdiff_t>(k - 1));
      return;
    }
  }
  arena_ = std::make_unique<tbb::task_arena>(threads);
}

pooled_arena::~pooled_arena() {
  try {
    idle_arenas& to = idle();
    std::lock_guard const lock(to.changing);
    to.all.push_back(std::move(arena_));
  } catch (std::bad_alloc const&) {  // it is destroyed instead
  }
}

}  // namespace ordo::inline v0
